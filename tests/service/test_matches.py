"""Rule options and matches over a real channel: what is sent is what is played."""

from __future__ import annotations

import pytest

from service_support import FOUR_DEALS, SMALL, finished, in_the_middle, observed, raw_recommend, whole_deal
from tarocchi.solver.v1 import deal_pb2, rules_service_pb2, solver_service_pb2
from tarocchi_engine import VARIANTS, Standing, State, get_variant, options_of
from tarocchi_solver.client import SolverClient
from tarocchi_solver.service.errors import FaultList
from tarocchi_solver.service.requests import parse_observation
from tarocchi_solver.service.server import SolverServer


def as_event(seat: int, move: deal_pb2.Move) -> deal_pb2.Event:
    action = move.WhichOneof("action")
    assert action is not None
    return deal_pb2.Event(seat=seat, **{action: getattr(move, action)})


def play_deal(client: SolverClient, deal: rules_service_pb2.Deal) -> rules_service_pb2.ReplayDealResponse:
    """Plays a deal in which every seat does what the solver recommends to it."""
    events: list[deal_pb2.Event] = []
    while True:
        table = client.replay_deal(deal, events)
        assert table.match_deal_count == 4
        assert table.HasField("score") == table.HasField("match_progress") == (not table.HasField("turn"))
        if not table.HasField("turn"):
            return table
        observation = table.observations[table.turn]
        assert (dict(observation.options), observation.standing) == (FOUR_DEALS, deal.standing)
        answer = client.recommend_move(observation, iterations=40, seed=len(events))
        assert answer.move in table.legal_moves
        assert all(0 <= entry.match_win_probability <= 1 for entry in answer.moves)
        assert all(entry.HasField("match_win_probability") for entry in answer.moves)
        events.append(as_event(table.turn, answer.move))


def test_a_whole_match_is_played(client: SolverClient) -> None:
    dealers, totals = [], [0.0, 0.0]
    deal = client.new_deal("piedicavallo", seed=100, dealer=2, options=FOUR_DEALS)
    while True:
        dealers.append(deal.dealer)
        end = play_deal(client, deal)
        totals = [total + side.total for total, side in zip(totals, end.score.sides, strict=True)]
        progress = end.match_progress
        assert list(progress.standing.scores) == totals
        assert progress.standing.deals_played == len(dealers)
        if progress.finished:
            break
        assert not progress.HasField("winning_side")
        deal = client.new_deal(
            deal.variant,
            seed=100 + len(dealers),
            dealer=progress.next_dealer,
            options=deal.options,
            standing=progress.standing,
        )
        assert deal.standing == progress.standing
    assert dealers == [2, 3, 0, 1]
    assert sum(totals) == 456
    assert progress.next_dealer == 2
    assert progress.HasField("winning_side") == (totals[0] != totals[1])
    if progress.HasField("winning_side"):
        assert totals[progress.winning_side] > totals[1 - progress.winning_side]


def test_a_draw_of_a_match_has_no_winner(client: SolverClient) -> None:
    last = finished("piedicavallo", 3).score()
    before = tuple(228 - side.total for side in last.sides)
    request = whole_deal(finished("piedicavallo", 3, options=FOUR_DEALS, standing=Standing(before, 3)))  # type: ignore[arg-type]
    progress = client.replay_deal(request.deal, request.events).match_progress
    assert list(progress.standing.scores) == [228, 228]
    assert progress.finished
    assert not progress.HasField("winning_side")


@pytest.mark.parametrize("name", [name for name, variant in VARIANTS.items() if variant.match_deal_count == 1])
def test_a_deal_alone_is_a_match_of_one(client: SolverClient, name: str) -> None:
    state = finished(name)
    request = whole_deal(state)
    answer = client.replay_deal(request.deal, request.events)
    assert answer.match_deal_count == 1
    assert answer.match_progress == rules_service_pb2.MatchProgress(
        standing=deal_pb2.MatchStanding(scores=[side.total for side in state.score().sides], deals_played=1),
        next_dealer=(state.table.dealer + 1) % 4,
        finished=True,
        winning_side=state.score().winner,
    )
    observation = observed(in_the_middle(name))
    assert not observation.HasField("standing")
    for entry in client.recommend_move(observation, iterations=SMALL, seed=1).moves:
        assert not entry.HasField("match_win_probability")


def test_variants_tell_their_options(client: SolverClient) -> None:
    for variant in client.list_variants().variants:
        told = [(option.name, tuple(option.values), option.default_value, option.summary) for option in variant.options]
        expected = options_of(VARIANTS[variant.name])
        assert told == [(option.name, option.values, option.default, option.summary) for option in expected]
        # defaults may be said aloud
        defaults = {option.name: option.default_value for option in variant.options}
        assert client.new_deal(variant.name, seed=1, options=defaults) == client.new_deal(variant.name, seed=1)


def last_trumps_of_the_dealer() -> State:
    """Returns a deal whose dealer has two trumps that may go under the default options alone."""
    pack = VARIANTS["piedicavallo"].pack
    dealt = pack.parse_cards("SK SQ S9 S7 S6 BN B8 B6 B5 CJ CA C4 DQ D2 D5 T12 T7".split())
    rest = [card for card in range(62) if not dealt >> card & 1]
    hands = [sum(1 << card for card in rest[place : place + 15]) for place in (0, 15, 30)]
    return State.new(get_variant("piedicavallo"), 3, [*hands, dealt])


def test_options_decide_what_is_legal(client: SolverClient) -> None:
    deal = whole_deal(last_trumps_of_the_dealer()).deal
    discard = deal_pb2.Discard(cards=["T12", "T7"], announced_trump_count=2)
    for value, is_legal in (("true", True), ("false", False)):
        deal.options["allow_voiding"] = value
        start = client.replay_deal(deal)
        assert (discard in [move.discard for move in start.legal_moves]) == is_legal
        observation = start.observations[3]
        assert dict(observation.options) == ({} if is_legal else {"allow_voiding": "false"})
        assert list(client.list_legal_moves(observation).moves) == list(start.legal_moves)
        answer = client.recommend_move(observation, iterations=SMALL, seed=1)
        assert len(answer.moves) == len(start.legal_moves)
        observation.events.add(seat=3, discard=discard)
        reasons = [violation.reason for violation in client.validate_observation(observation).violations]
        assert reasons == ([] if is_legal else ["TRUMP_WITHOUT_REASON"])


@pytest.mark.parametrize("standing", [Standing(), Standing((130.0, 98.0), 2)])
def test_an_observation_comes_back_as_it_went(standing: Standing) -> None:
    options = {**FOUR_DEALS, "matto_counts_as_trump_for_discard": "true"}
    state = in_the_middle("piedicavallo", options=options, standing=standing)
    for seat in range(4):
        request = solver_service_pb2.RecommendMoveRequest(observation=observed(state, seat))
        request.observation.options["allow_voiding"] = "true"
        faults = FaultList()
        checked = parse_observation(request, faults)
        assert checked is not None
        assert checked.observation == state.observe(seat)
        assert not faults.faults


def test_an_empty_standing_is_that_of_the_first_deal(client: SolverClient) -> None:
    deal = client.new_deal("piedicavallo", seed=1, options=FOUR_DEALS, standing={})
    assert deal == client.new_deal("piedicavallo", seed=1, options=FOUR_DEALS)
    observation = client.replay_deal(deal).observations[deal.dealer]
    observation.standing.SetInParent()
    assert not client.validate_observation(observation).violations
    assert client.new_deal("bolognese", seed=1, standing={}) == client.new_deal("bolognese", seed=1)


def test_the_standing_decides_the_chance_to_win_the_match(client: SolverClient) -> None:
    state = in_the_middle("piedicavallo", options=FOUR_DEALS, standing=Standing((171.0, 171.0), 3))
    assert state.turn is not None
    side = state.variant.side_of(state.turn)
    observation = observed(state)
    # so many worlds that the chance of the match is no matter of a few of them
    even = client.recommend_move(observation, iterations=5000, seed=1)
    observation.standing.scores[side], observation.standing.scores[1 - side] = 300, 42
    ahead = client.recommend_move(observation, iterations=SMALL, seed=1)
    for entry in even.moves:
        # the chance to win the deal is corrected by deals of self-play, that of the match is as the worlds have it
        assert entry.match_win_probability == pytest.approx(entry.win_probability, abs=0.2)
    for entry in ahead.moves:
        assert entry.match_win_probability == 1


def test_the_order_of_options_does_not_change_a_byte(server: SolverServer) -> None:
    state = in_the_middle("piedicavallo", options=FOUR_DEALS, standing=Standing((130.0, 98.0), 2))
    defaults = {"allow_voiding": "true", "matto_counts_as_trump_for_discard": "false", **FOUR_DEALS}
    answers = set()
    for options in (FOUR_DEALS, defaults, dict(reversed(defaults.items()))):
        observation = observed(state)
        observation.options.clear()
        observation.options.update(options)
        request = solver_service_pb2.RecommendMoveRequest(observation=observation, seed=5)
        request.budget.iterations = 2000
        answers.add(raw_recommend(server.address, request.SerializeToString())[0])
    assert len(answers) == 1
