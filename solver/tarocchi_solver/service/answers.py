"""Builds the answers of both services from what the engine and the search return."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from tarocchi.solver.v1 import deal_pb2, rules_service_pb2, solver_service_pb2
from tarocchi_engine import (
    VARIANTS,
    DealScore,
    Declare,
    Discard,
    Ending,
    Fault,
    GameScore,
    Match,
    Move,
    Pack,
    Phase,
    SideScore,
    State,
    Variant,
    View,
    options_of,
)
from tarocchi_engine.cards import SuitLetter
from tarocchi_engine.options import given_options
from tarocchi_solver import __version__
from tarocchi_solver.search import RANGE_SHARE, Budget, Diagnostics, MoveStatistics, Recommendation, StopReason
from tarocchi_solver.service.formats import (
    CALLS,
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
STOP_REASONS: Final = {
    StopReason.SINGLE_MOVE: solver_service_pb2.STOP_REASON_SINGLE_MOVE,
    StopReason.EXACT: solver_service_pb2.STOP_REASON_EXACT,
    StopReason.WORLDS: solver_service_pb2.STOP_REASON_WORLDS,
    StopReason.ITERATIONS: solver_service_pb2.STOP_REASON_ITERATIONS,
    StopReason.TIME: solver_service_pb2.STOP_REASON_TIME,
    StopReason.STOPPED: solver_service_pb2.STOP_REASON_STOPPED,
}
_ENDINGS: Final = {
    Ending.COUNT: rules_service_pb2.ENDING_COUNT,
    Ending.THROWN_IN: rules_service_pb2.ENDING_THROWN_IN,
    Ending.PASSED: rules_service_pb2.ENDING_PASSED,
    Ending.CALL_OUT: rules_service_pb2.ENDING_CALL_OUT,
    Ending.DECLARATION: rules_service_pb2.ENDING_DECLARATION,
}


def versions(variant: Variant | None) -> dict[str, Any]:
    """Returns the fields that tell what made an answer; a variant that is not known has no rules."""
    return {"solver_version": __version__, "rules_revision": 0 if variant is None else variant.rules_revision}


def variants_answer() -> rules_service_pb2.ListVariantsResponse:
    """Returns all variants with their packs."""
    return rules_service_pb2.ListVariantsResponse(
        variants=[_variant(variant) for variant in VARIANTS.values()], solver_version=__version__
    )


def _variant(variant: Variant) -> rules_service_pb2.Variant:
    return rules_service_pb2.Variant(
        name=variant.name,
        title_it=variant.title_it,
        title_en=variant.title_en,
        rules_revision=variant.rules_revision,
        seat_count=variant.seat_count,
        seat_sides=[] if variant.has_auction else [variant.side_of(seat) for seat in range(variant.seat_count)],
        hand_size=variant.dealt_to(1, dealer=0),
        dealer_hand_size=variant.dealt_to(0, dealer=0),
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
        stock_size=variant.stock_size,
        packet_sizes=variant.packets(1, dealer=0),
        dealer_packet_sizes=variant.packets(0, dealer=0),
        seats_score_alone=variant.seats_score_alone,
        has_auction=variant.has_auction,
        has_signals=variant.has_signals,
        has_monte_poll=variant.has_monte_poll,
        has_call_out=variant.has_call_out,
        giver_chooses=variant.giver_chooses,
        match_deal_count=variant.match_deal_count,
        match_target=variant.match_target,
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
    moves, count = view.legal_moves(), view.legal_move_count
    return rules_service_pb2.ListLegalMovesResponse(
        moves=[format_move(pack, move) for move in moves],
        phase=format_phase(view.phase),
        turn=view.turn,
        hand=pack.format_mask(view.hand),
        legal_move_count=count,
        **_choice(view.variant, view.hand, moves, count),
        **versions(view.variant),
    )


def _choice(variant: Variant, hand: int, moves: Sequence[Move], count: int) -> dict[str, Any]:
    """Returns the field that tells all moves of a hand where `moves` are only some of them."""
    names = variant.pack.format_mask
    if len(moves) == count:
        return {}
    if any(isinstance(move, Discard) for move in moves):
        free = names(hand & ~variant.pack.five_point_mask)
        return {"discard_choice": rules_service_pb2.DiscardChoice(cards=free, count=variant.discard_count)}
    shown = 0
    for move in moves:
        shown |= move.cards if isinstance(move, Declare) else 0
    return {"declare_choice": rules_service_pb2.DeclareChoice(cards=names(shown))}


def violations(faults: list[Fault]) -> list[deal_pb2.Violation]:
    """Returns faults as messages."""
    return [deal_pb2.Violation(field=fault.path, reason=fault.reason, description=fault.message) for fault in faults]


def deal_answer(state: State, seed: int) -> rules_service_pb2.NewDealResponse:
    """Returns a fresh deal."""
    deal = rules_service_pb2.Deal(
        variant=state.variant.name,
        dealer=state.table.dealer,
        hands=[_dealt_hand(state.variant.pack, packets) for packets in state.packets],
        seed=seed,
        options=dict(given_options(state.variant)),
        standing=format_standing(state.variant, state.standing),
        stock=state.variant.pack.format_mask(state.stock),
    )
    return rules_service_pb2.NewDealResponse(deal=deal, **versions(state.variant))


def _dealt_hand(pack: Pack, packets: Sequence[int]) -> rules_service_pb2.Hand:
    """Returns the cards of a seat packet by packet, given what it holds after each of them."""
    hand = rules_service_pb2.Hand()
    for before, after in zip((0, *packets), packets, strict=False):
        hand.cards.extend(pack.format_mask(after & ~before))
    return hand


def _hand(pack: Pack, hand: int) -> rules_service_pb2.Hand:
    return rules_service_pb2.Hand(cards=pack.format_mask(hand))


def replay_answer(state: State, *, with_decisions: bool = False) -> rules_service_pb2.ReplayDealResponse:
    """Returns where a deal stands, on request with what each seat knew at each decision."""
    variant = state.variant
    pack = variant.pack
    table = state.table
    score = state.score() if table.is_over else None
    moves, count = state.legal_moves(), state.legal_move_count
    declarer = None if state.phase is Phase.BID else table.declarer
    is_settled = not variant.has_auction or declarer is not None
    return rules_service_pb2.ReplayDealResponse(
        phase=format_phase(state.phase),
        turn=state.turn,
        legal_moves=[format_move(pack, move) for move in moves],
        hands=[_hand(pack, hand) for hand in state.hands],
        discard=pack.format_mask(state.aside if table.discard_made else 0),
        tricks=[_trick(pack, trick.leader, trick.cards, trick.winner) for trick in state.tricks],
        current_trick=_trick(pack, table.leader, table.trick) if table.trick else None,
        observations=_observations(state),
        events=[format_event(pack, event) for event in state.events],
        score=_score(pack, score) if score else None,
        match_progress=_progress(Match(variant, table.dealer, state.standing).after(score)) if score else None,
        match_deal_count=variant.match_deal_count,
        match_target=variant.match_target,
        legal_move_count=count,
        **_choice(variant, 0 if state.turn is None else state.hands[state.turn], moves, count),
        seat_sides=[table.side_of(seat) for seat in range(variant.seat_count)] if is_settled else [],
        declarer=declarer,
        contract=CALLS[table.contract] if declarer is not None and table.contract else None,
        stock=pack.format_mask(0 if table.discard_made else state.aside),
        decisions=_decisions(state) if with_decisions else [],
        **versions(variant),
    )


def _observations(state: State) -> list[deal_pb2.Observation]:
    return [format_observation(state.observe(seat)) for seat in range(state.variant.seat_count)]


def _decisions(end: State) -> Iterator[rules_service_pb2.Decision]:
    """Yields what each seat knew before each event of a deal."""
    for then, event in zip(end.moments(), end.events, strict=True):
        phase = format_phase(then.phase)
        yield rules_service_pb2.Decision(seat=event.seat, phase=phase, observations=_observations(then))


def _progress(match: Match) -> rules_service_pb2.MatchProgress:
    winner = match.winner if match.is_over else None
    is_of_seats = match.variant.seats_score_alone
    return rules_service_pb2.MatchProgress(
        standing=format_standing(match.variant, match.standing),
        next_dealer=match.dealer,
        finished=match.is_over,
        winning_side=None if is_of_seats else winner,
        winning_seat=winner if is_of_seats else None,
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
        ending=_ENDINGS[score.ending],
        awards=score.awards,
        game=_game(score.game) if score.game else None,
    )


def _game(game: GameScore) -> rules_service_pb2.GameScore:
    return rules_service_pb2.GameScore(
        contract=CALLS[game.contract], declarer=game.declarer, rounded=game.rounded, game_points=game.game_points
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
    view: View, found: Recommendation, budget: Budget
) -> solver_service_pb2.RecommendMoveResponse:
    """Returns the answer of a search about `view` that was given `budget`."""
    pack = view.variant.pack
    return solver_service_pb2.RecommendMoveResponse(
        move=format_move(pack, found.move),
        moves=[statistics_answer(pack, entry) for entry in found.moves],
        exact=found.exact,
        diagnostics=diagnostics_answer(view.variant, found.diagnostics, budget),
        legal_move_count=view.legal_move_count,
    )


def statistics_answer(pack: Pack, entry: MoveStatistics) -> solver_service_pb2.MoveStatistics:
    """Returns what the search found out about one move."""
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
        raw_score=entry.raw_score,
        score_range=solver_service_pb2.ScoreRange(
            low=entry.score_range_80[0], high=entry.score_range_80[1], probability=RANGE_SHARE
        ),
        safe_score=entry.safe_score,
    )


def diagnostics_answer(variant: Variant, found: Diagnostics, budget: Budget) -> solver_service_pb2.Diagnostics:
    """Returns what is needed to reproduce an answer whose search was given `budget`."""
    return solver_service_pb2.Diagnostics(
        solver_version=__version__,
        rules_revision=variant.rules_revision,
        seed=found.seed,
        budget=format_budget(budget),
        worlds=found.worlds,
        evaluation_worlds=found.evaluation_worlds,
        iterations=found.iterations,
        stop_reason=STOP_REASONS[found.stop_reason],
        exact_solves=found.exact_solves,
        rejected_worlds=found.rejected_worlds,
        belief_effective_share=found.belief_effective_share,
    )
