"""Requests as clients send them: of every method, from random deals of every variant with any options."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Final

from google.protobuf.message import Message

from tarocchi.solver.v1 import deal_pb2, review_service_pb2, rules_service_pb2
from tarocchi.solver.v1 import solver_service_pb2 as pb
from tarocchi_engine import VARIANTS, State, get_variant, new_deal
from tarocchi_engine.options import options_of
from tarocchi_solver.service.answers import deal_answer
from tarocchi_solver.service.formats import format_event, format_observation

_CUT: Final = 0.8
"""The share of deals that are broken off in the middle."""
_OTHER_OPTIONS: Final = 0.4


def real_requests(draw: random.Random, variant: str, *, is_decision: bool = False) -> Iterator[tuple[str, Message]]:
    """Yields a request for every method, about one random deal; the names of the methods come first.

    Some of them ask a seat that has nothing to decide, unless `is_decision`.
    """
    states = _random_deal(draw, variant)
    end = states[-1]
    # early rather than late, because it is the events that take time
    then = (
        states[min(draw.randrange(len(states) - 1), draw.randrange(len(states) - 1))]
        if is_decision or draw.random() < _CUT
        else end
    )
    seat = (
        draw.randrange(then.variant.seat_count)
        if then.turn is None or (not is_decision and draw.random() < 0.2)
        else then.turn
    )
    observation = format_observation(then.observe(seat))
    seed = draw.getrandbits(64)
    budget = pb.Budget(iterations=draw.choice((1, 8, 10**6)))
    ask = pb.RecommendMoveRequest(observation=observation, seed=seed, budget=budget)
    yield "RecommendMove", ask
    yield "BatchRecommendMoves", pb.BatchRecommendMovesRequest(requests=[ask] * draw.randint(1, 3))
    analysis = pb.AnalyzePositionRequest(observation=observation, seed=seed, budget=budget)
    analysis.interval.FromMilliseconds(draw.choice((20, 200, 5000)))
    yield "AnalyzePosition", analysis
    yield "GetBeliefs", pb.GetBeliefsRequest(observation=observation, seed=seed)
    yield "GetServerInfo", pb.GetServerInfoRequest()
    yield "ListVariants", rules_service_pb2.ListVariantsRequest()
    yield "ListLegalMoves", rules_service_pb2.ListLegalMovesRequest(observation=observation)
    yield "ValidateObservation", rules_service_pb2.ValidateObservationRequest(observation=observation)
    deal = deal_answer(end, seed).deal
    yield (
        "NewDeal",
        rules_service_pb2.NewDealRequest(
            variant=variant, seed=seed, dealer=deal.dealer, options=deal.options, standing=observation.standing
        ),
    )
    yield (
        "ReplayDeal",
        rules_service_pb2.ReplayDealRequest(deal=deal, events=_events(then), include_decisions=draw.random() < 0.1),
    )
    yield (
        "ReviewDeal",
        review_service_pb2.ReviewDealRequest(deal=deal, events=_events(end), seats=[seat], budget=budget, seed=seed),
    )


def _events(state: State) -> list[deal_pb2.Event]:
    return [format_event(state.variant.pack, event) for event in state.events]


def _random_deal(draw: random.Random, variant: str) -> list[State]:
    """Returns the states of a deal of random legal moves."""
    options = {}
    for option in options_of(VARIANTS[variant]):
        if draw.random() < _OTHER_OPTIONS:
            options[option.name] = draw.choice(option.values)
    state = new_deal(get_variant(variant, options), draw.getrandbits(64))
    states = [state]
    while state.turn is not None:
        state = state.apply_move(draw.choice(state.legal_moves()))
        states.append(state)
    return states
