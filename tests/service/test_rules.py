"""RulesService over a real channel."""

from __future__ import annotations

from typing import Any

import pytest

from service_support import SEARCHED, counted, finished, in_the_middle, observed, play_until, whole_deal
from tarocchi.solver.v1 import deal_pb2, rules_service_pb2, solver_service_pb2
from tarocchi_engine import VARIANTS, Phase, State, observation
from tarocchi_solver.client import SolverClient
from tarocchi_solver.search import Budget
from tarocchi_solver.service import rules_service, solver_service


def test_lists_variants_with_their_packs(client: SolverClient) -> None:
    variants = client.list_variants().variants
    assert [variant.name for variant in variants] == list(VARIANTS)
    for variant in variants:
        assert len({card.id for card in variant.pack.cards}) == 62
        assert list(variant.seat_sides) == ([] if variant.has_auction else [0, 1, 0, 1])
        assert variant.dealer_hand_size + (variant.seat_count - 1) * variant.hand_size + variant.stock_size == 62
        assert (sum(variant.packet_sizes), sum(variant.dealer_packet_sizes)) == (
            *[variant.hand_size, variant.dealer_hand_size],
        )
        assert variant.HasField("match_target") != variant.HasField("match_deal_count")
        assert sum(card.suit == rules_service_pb2.SUIT_TRUMPS for card in variant.pack.cards) == 21
        fives = {card.id for card in variant.pack.cards if card.points == 5}
        assert fives > {"SK", "BK", "CK", "DK", "MAT"}
    moors = [card for card in variants[0].pack.cards if card.id.startswith("MO") and card.id != "MON"]
    assert len({card.strength for card in moors}) == 1


@pytest.mark.parametrize("phase", [Phase.DISCARD, Phase.DECLARE, Phase.PLAY])
def test_lists_legal_moves_in_every_phase(client: SolverClient, phase: Phase) -> None:
    state = play_until("bolognese", 3, lambda state: state.phase is phase)
    answer = client.list_legal_moves(observed(state))
    assert len(answer.moves) == len(state.legal_moves())
    assert {move.WhichOneof("action") for move in answer.moves} == {phase.value}
    assert answer.turn == state.turn
    assert len(answer.hand) == state.hands[answer.turn].bit_count()


def test_another_seat_has_no_legal_moves(client: SolverClient) -> None:
    state = in_the_middle()
    assert state.turn is not None
    answer = client.list_legal_moves(observed(state, (state.turn + 1) % 4))
    assert not answer.moves
    assert answer.turn == state.turn
    assert answer.phase == deal_pb2.PHASE_PLAY


def test_there_are_no_moves_after_the_end(client: SolverClient) -> None:
    answer = client.list_legal_moves(observed(finished(), 1))
    assert not answer.moves
    assert answer.phase == deal_pb2.PHASE_END
    assert not answer.HasField("turn")


@pytest.mark.parametrize("variant", SEARCHED)
def test_a_true_observation_is_valid(client: SolverClient, variant: str) -> None:
    for state in (in_the_middle(variant), finished(variant)):
        for seat in range(state.variant.seat_count):
            answer = client.validate_observation(observed(state, seat))
            assert not answer.violations
            assert answer.HasField("turn") == (state.turn is not None)


def test_the_same_seed_deals_the_same_cards(client: SolverClient) -> None:
    first, second = (client.new_deal("piedicavallo", seed=2**64 - 1, dealer=3) for _ in range(2))
    assert first == second
    assert (first.seed, first.dealer) == (2**64 - 1, 3)
    assert [len(hand.cards) for hand in first.hands] == [15, 15, 15, 17]
    drawn = client.new_deal("piedicavallo")
    assert client.new_deal("piedicavallo", seed=drawn.seed) == drawn
    assert client.new_deal("piedicavallo").seed != drawn.seed


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("make", [in_the_middle, finished])
def test_replays_a_deal(client: SolverClient, variant: str, make: object) -> None:
    state = make(variant)  # type: ignore[operator]
    assert isinstance(state, State)
    request = whole_deal(state)
    answer = client.replay_deal(request.deal, request.events)
    pack = state.variant.pack
    assert [list(hand.cards) for hand in answer.hands] == [pack.format_mask(hand) for hand in state.hands]
    assert list(answer.discard) == pack.format_mask(state.aside if state.table.discard_made else 0)
    assert list(answer.stock) == pack.format_mask(0 if state.table.discard_made else state.aside)
    assert [trick.winner for trick in answer.tricks] == [trick.winner for trick in state.tricks]
    assert list(answer.current_trick.cards) == [pack.format_card(card) for card in state.table.trick]
    assert list(answer.observations) == [observed(state, seat) for seat in range(state.variant.seat_count)]
    assert len(answer.legal_moves) == len(state.legal_moves())
    assert answer.legal_move_count == state.legal_move_count
    assert answer.HasField("turn") == (state.turn is not None)
    assert answer.HasField("score") == (state.turn is None)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("seed", range(4))
def test_the_items_of_a_score_add_up(client: SolverClient, variant: str, seed: int) -> None:
    state = counted(variant, seed)
    request = whole_deal(state)
    score = client.replay_deal(request.deal, request.events).score
    assert sum(len(side.cards) for side in score.sides) == 62
    assert sum(side.trick_count for side in score.sides) == state.variant.trick_count
    for side, truth in zip(score.sides, state.score().sides, strict=True):
        parts = (side.card_points, side.last_trick, side.sets_total, side.sequences_total, side.declarations)
        assert side.total == sum(parts) == truth.total
        for items, total in ((side.sets, side.sets_total), (side.sequences, side.sequences_total)):
            plain = sum(item.points for item in items)
            assert total == plain * (2 if len(items) >= 3 else 1)
    assert score.ending == rules_service_pb2.ENDING_COUNT
    assert score.HasField("game") == state.variant.has_auction
    if score.HasField("winning_side") and not score.HasField("game"):
        assert score.sides[score.winning_side].total > score.sides[1 - score.winning_side].total


def test_a_replay_fills_in_what_follows(client: SolverClient) -> None:
    request = whole_deal(finished())
    silent = [event for event in request.events if not (event.HasField("declare") and not event.declare.cards)]
    assert len(silent) < len(request.events)
    answer = client.replay_deal(request.deal, silent)
    assert list(answer.events) == list(request.events)


def test_a_request_replays_its_events_once(monkeypatch: pytest.MonkeyPatch) -> None:
    starts: list[object] = []
    real = observation.Table

    def count(*args: Any) -> Any:
        starts.append(args)
        return real(*args)

    monkeypatch.setattr(observation, "Table", count)
    message = observed(in_the_middle())
    starts.clear()
    rules_service.list_legal_moves(rules_service_pb2.ListLegalMovesRequest(observation=message))
    assert len(starts) == 1
    solver_service.read_question(solver_service_pb2.RecommendMoveRequest(observation=message), Budget(iterations=1))
    assert len(starts) == 2
