"""Builds the answers of both services from what the engine and the search return."""

from __future__ import annotations

from typing import Final

from tarocchi.solver.v1 import deal_pb2, rules_service_pb2, solver_service_pb2
from tarocchi_engine import (
    VARIANTS,
    DealScore,
    Fault,
    Match,
    Pack,
    SideScore,
    State,
    Variant,
    View,
    options_of,
)
from tarocchi_engine.cards import SuitLetter
from tarocchi_engine.options import given_options
from tarocchi_solver import __version__
from tarocchi_solver.search import Budget, Diagnostics, MoveStatistics, Recommendation, StopReason
from tarocchi_solver.service.formats import (
    format_budget,
    format_event,
    format_move,
    format_observation,
    format_phase,
    format_standing,
)

_SUITS: Final[dict[SuitLetter, rules_service_pb2.Suit]] = {
    "S": rules_service_pb2.SUIT_SWORDS,
    "B": rules_service_pb2.SUIT_BATONS,
    "C": rules_service_pb2.SUIT_CUPS,
    "D": rules_service_pb2.SUIT_COINS,
    "T": rules_service_pb2.SUIT_TRUMPS,
    "M": rules_service_pb2.SUIT_MATTO,
}
_STOP_REASONS: Final = {
    StopReason.SINGLE_MOVE: solver_service_pb2.STOP_REASON_SINGLE_MOVE,
    StopReason.EXACT: solver_service_pb2.STOP_REASON_EXACT,
    StopReason.WORLDS: solver_service_pb2.STOP_REASON_WORLDS,
    StopReason.ITERATIONS: solver_service_pb2.STOP_REASON_ITERATIONS,
    StopReason.TIME: solver_service_pb2.STOP_REASON_TIME,
    StopReason.STOPPED: solver_service_pb2.STOP_REASON_STOPPED,
}


def variants_answer() -> rules_service_pb2.ListVariantsResponse:
    """Returns all variants with their packs."""
    return rules_service_pb2.ListVariantsResponse(variants=[_variant(variant) for variant in VARIANTS.values()])


def _variant(variant: Variant) -> rules_service_pb2.Variant:
    return rules_service_pb2.Variant(
        name=variant.name,
        title_it=variant.title_it,
        title_en=variant.title_en,
        rules_revision=variant.rules_revision,
        seat_count=variant.seat_count,
        seat_sides=[variant.side_of(seat) for seat in range(variant.seat_count)],
        hand_size=variant.hand_size,
        dealer_hand_size=variant.dealer_hand_size,
        discard_count=variant.discard_count,
        trick_count=variant.trick_count,
        has_declarations=variant.has_declarations,
        announces_discarded_trumps=variant.announces_discarded_trumps,
        pack=_pack(variant.pack),
        options=[
            rules_service_pb2.RuleOption(
                name=option.name, values=option.values, default_value=option.default, summary=option.summary
            )
            for option in options_of(variant)
        ],
    )


def _pack(pack: Pack) -> rules_service_pb2.Pack:
    return rules_service_pb2.Pack(name=pack.name, cards=[_card(pack, card) for card in pack.display_order])


def _card(pack: Pack, card: int) -> rules_service_pb2.Card:
    name_it, name_en = pack.names(card)
    return rules_service_pb2.Card(
        id=pack.format_card(card),
        name_it=name_it,
        name_en=name_en,
        suit=_SUITS[pack.suit_of(card)],
        strength=pack.strength(card),
        points=pack.points[card],
    )


def legal_moves_answer(view: View) -> rules_service_pb2.ListLegalMovesResponse:
    """Returns the legal moves of the observing seat."""
    pack = view.variant.pack
    return rules_service_pb2.ListLegalMovesResponse(
        moves=[format_move(pack, move) for move in view.legal_moves()],
        phase=format_phase(view.phase),
        turn=view.turn,
        hand=pack.format_mask(view.hand),
    )


def violations(faults: list[Fault]) -> list[deal_pb2.Violation]:
    """Returns faults as messages."""
    return [deal_pb2.Violation(field=fault.path, reason=fault.reason, description=fault.message) for fault in faults]


def deal_answer(state: State, seed: int) -> rules_service_pb2.NewDealResponse:
    """Returns a fresh deal."""
    deal = rules_service_pb2.Deal(
        variant=state.variant.name,
        dealer=state.table.dealer,
        hands=[_hand(state.variant.pack, hand) for hand in state.dealt],
        seed=seed,
        options=dict(given_options(state.variant)),
        standing=format_standing(state.standing),
    )
    return rules_service_pb2.NewDealResponse(deal=deal)


def _hand(pack: Pack, hand: int) -> rules_service_pb2.Hand:
    return rules_service_pb2.Hand(cards=pack.format_mask(hand))


def replay_answer(state: State) -> rules_service_pb2.ReplayDealResponse:
    """Returns where a deal stands."""
    pack = state.variant.pack
    table = state.table
    score = state.score() if table.is_over else None
    return rules_service_pb2.ReplayDealResponse(
        phase=format_phase(state.phase),
        turn=state.turn,
        legal_moves=[format_move(pack, move) for move in state.legal_moves()],
        hands=[_hand(pack, hand) for hand in state.hands],
        discard=pack.format_mask(state.aside),
        tricks=[_trick(pack, trick.leader, trick.cards, trick.winner) for trick in state.tricks],
        current_trick=_trick(pack, table.leader, table.trick) if table.trick else None,
        observations=[format_observation(state.observe(seat)) for seat in range(state.variant.seat_count)],
        events=[format_event(pack, event) for event in state.events],
        score=_score(pack, score) if score else None,
        match_progress=_progress(Match(state.variant, table.dealer, state.standing).after(score)) if score else None,
        match_deal_count=state.variant.match_deal_count,
    )


def _progress(match: Match) -> rules_service_pb2.MatchProgress:
    return rules_service_pb2.MatchProgress(
        standing=format_standing(match.standing),
        next_dealer=match.dealer,
        finished=match.is_over,
        winning_side=match.winner if match.is_over else None,
    )


def _trick(pack: Pack, leader: int, cards: tuple[int, ...], winner: int | None = None) -> deal_pb2.Trick:
    return deal_pb2.Trick(leader=leader, cards=[pack.format_card(card) for card in cards], winner=winner)


def _score(pack: Pack, score: DealScore) -> rules_service_pb2.DealScore:
    return rules_service_pb2.DealScore(
        sides=[_side(pack, side) for side in score.sides],
        winning_side=score.winner,
        matto_side=score.matto_side,
        matto_card="" if score.matto_card is None else pack.format_card(score.matto_card),
        discard_side=score.discard_side,
    )


def _side(pack: Pack, side: SideScore) -> rules_service_pb2.SideScore:
    return rules_service_pb2.SideScore(
        total=side.total,
        card_points=side.card_points,
        last_trick=side.last_trick,
        sets=_items(side.sets),
        sets_total=side.sets_total,
        sequences=_items(side.sequences),
        sequences_total=side.sequences_total,
        declarations=side.declarations,
        trick_count=side.trick_count,
        cards=pack.format_mask(side.pile),
    )


def _items(points: dict[str, int]) -> list[rules_service_pb2.ScoreItem]:
    return [rules_service_pb2.ScoreItem(name=name, points=value) for name, value in points.items()]


def recommendation_answer(
    variant: Variant, found: Recommendation, budget: Budget
) -> solver_service_pb2.RecommendMoveResponse:
    """Returns the answer of a search that was given `budget`."""
    pack = variant.pack
    return solver_service_pb2.RecommendMoveResponse(
        move=format_move(pack, found.move),
        moves=[_statistics(pack, entry) for entry in found.moves],
        exact=found.exact,
        diagnostics=_diagnostics(variant, found.diagnostics, budget),
    )


def _statistics(pack: Pack, entry: MoveStatistics) -> solver_service_pb2.MoveStatistics:
    return solver_service_pb2.MoveStatistics(
        move=format_move(pack, entry.move),
        rank=entry.rank,
        visits=entry.visits,
        worlds=entry.worlds,
        expected_score=entry.expected_score,
        standard_error=entry.standard_error,
        difference_to_best=entry.difference_to_best,
        difference_standard_error=entry.difference_standard_error,
        win_probability=entry.win_probability,
        match_win_probability=entry.match_win_probability,
        score_quantiles=[
            solver_service_pb2.ScoreQuantile(probability=probability, score=score)
            for probability, score in entry.score_quantiles
        ],
        principal_variation=[format_event(pack, event) for event in entry.principal_variation],
    )


def _diagnostics(variant: Variant, found: Diagnostics, budget: Budget) -> solver_service_pb2.Diagnostics:
    return solver_service_pb2.Diagnostics(
        solver_version=__version__,
        rules_revision=variant.rules_revision,
        seed=found.seed,
        budget=format_budget(budget),
        worlds=found.worlds,
        evaluation_worlds=found.evaluation_worlds,
        iterations=found.iterations,
        stop_reason=_STOP_REASONS[found.stop_reason],
        exact_solves=found.exact_solves,
        rejected_worlds=found.rejected_worlds,
    )
