"""The last tricks: duels and regret, both from positions of played deals."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.command import run
from tarocchi_bench.agents import parse_agent
from tarocchi_bench.arena import play_match
from tarocchi_bench.duels import play_duel
from tarocchi_bench.pairs import MatchPlan, Tail
from tarocchi_bench.playing import arrangements, play_out
from tarocchi_bench.positions import before_trick, decisions_in_play, find_positions
from tarocchi_bench.records import RecordError
from tarocchi_bench.regret import RegretPlan, choice_at, measure_regret, move_values
from tarocchi_bench.training.self_play import SelfPlay
from tarocchi_engine import VARIANTS, State, new_deal, replay, view
from tarocchi_engine.facts import ASIDE_HOLDER, HiddenCards, hidden_cards
from tarocchi_engine.moves import Play
from tarocchi_solver.search import WorldSampler


def ends(name: str, count: int) -> Iterator[State]:
    """Yields deals played to the count."""
    seed = found = 0
    while found < count:
        seed += 1
        variant = VARIANTS[name]
        end = play_out(new_deal(variant, seed), [parse_agent("greedy")], [0] * variant.seat_count, seed).end
        if end.tricks:
            found += 1
            yield end


@pytest.mark.parametrize("name", VARIANTS)
def test_positions_are_those_that_were_played(name: str) -> None:
    for end in ends(name, 3):
        start = State.new(
            end.variant,
            end.table.dealer,
            end.dealt,
            stock=end.stock,
            order=[_in_order(packets) for packets in end.packets],
        )
        for state in decisions_in_play(end):
            again = replay(start, state.events)
            assert state.hands == again.hands
            assert [state.observe(seat) for seat in range(3)] == [again.observe(seat) for seat in range(3)]
        state = before_trick(end, 4)
        assert state is not None
        assert all(hand.bit_count() == 4 for hand in state.hands)
        assert end.events[: len(state.events)] == state.events
        assert before_trick(end, 0) is None


def _in_order(packets: tuple[int, ...]) -> list[int]:
    order: list[int] = []
    for held in packets:
        order += [card for card in range(62) if held >> card & 1 and card not in order]
    return order


def test_deals_without_a_position_are_passed_over(tmp_path: Path) -> None:
    """Such as those that all pass; deals kept are not played again."""
    record = tmp_path / "deals.jsonl"
    plan = SelfPlay("terziglio", "greedy", 3, 1)

    def cut(number: int, end: State) -> int | None:
        return number if number % 3 == 1 and before_trick(end, 3) else None

    found = find_positions(cut, 3, plan, record)
    kept = [json.loads(line)["number"] for line in record.read_text().splitlines()]
    assert found == [1, 4, 7]
    assert sorted(kept) == list(range(len(kept)))
    before = record.read_text()
    assert find_positions(cut, 3, plan, record) == found
    assert find_positions(cut, 3, plan) == found
    assert record.read_text() == before
    with pytest.raises(ValueError, match="only 0 of 50 deals of greedy have such a position"):
        find_positions(lambda number, end: None, 1, plan, record)


# --- duels


@pytest.mark.parametrize("name", VARIANTS)
def test_a_duel_changes_only_the_last_tricks(name: str, tmp_path: Path) -> None:
    tail = Tail("greedy", 3)
    plan = MatchPlan(name, "solver:worlds=6", "random", 5, 4, tail=tail)
    record, deals = tmp_path / "duels.jsonl", tmp_path / "deals.jsonl"
    result = play_duel(plan, record=record, deals=deals)
    ways, seats = len(arrangements(VARIANTS[name])), VARIANTS[name].seat_count
    cards = 4 * ways * 3 * seats
    # a card may have to be given for the Matto as well
    assert cards <= result.decisions_a + result.decisions_b <= cards + 4 * ways
    assert (result.base, result.tricks, result.pairs) == ("greedy", 3, 4)
    if name == "piedicavallo":
        assert play_duel(plan, workers=2, deals=deals) == result
    even = play_duel(MatchPlan(name, "greedy", "greedy", 5, 4, tail=tail), deals=deals)
    assert even.mean_difference == even.standard_error == 0
    text = record.read_text()
    deals.unlink()
    assert play_duel(plan, record=record, deals=deals) == result
    assert record.read_text() == text
    assert not deals.exists(), "nothing is left to play"


def test_a_duel_is_no_match(tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    whole = MatchPlan("piedicavallo", "greedy", "random", 5, 2)
    play_match(whole, record=record)
    duel = MatchPlan("piedicavallo", "greedy", "random", 5, 2, tail=Tail("greedy", 3))
    with pytest.raises(RecordError, match="line 1 is not a line of a duel"):
        play_duel(duel, record=record)
    record.unlink()
    play_duel(duel, record=record)
    with pytest.raises(RecordError, match="line 1 is not a line of a match"):
        play_match(whole, record=record)
    other = MatchPlan("piedicavallo", "greedy", "random", 5, 2, tail=Tail("random", 3))
    with pytest.raises(RecordError, match="its base is 'greedy', not 'random'"):
        play_duel(other, record=record)


# --- regret


def play_best(state: State) -> int:
    """Returns side 0's half points minus side 1's under best play with open cards, by plain minimax."""
    if state.turn is None:
        totals = [score.total for score in state.score().sides]
        return int(2 * (totals[0] - totals[1]))
    results = [play_best(state.apply_move(move)) for move in state.legal_moves()]
    return max(results) if state.table.side_of(state.turn) == 0 else min(results)


def imagined(state: State, hidden: HiddenCards, world: list[int]) -> State:
    """Returns the state in which the hidden cards lie as in a world."""
    table = state.table
    dealt = [packets[-1] for packets in state.packets]
    aside = state.aside
    for holder, cards in zip(hidden.holders, world, strict=False):
        if holder == ASIDE_HOLDER:
            aside = cards
        else:
            dealt[holder] = cards | table.played[holder] | table.exposed(holder)
    dealt[table.dealer] |= aside
    return State(tuple((cards,) for cards in dealt), state.stock, aside, table)


@pytest.mark.parametrize("name", ["bolognese", "piedicavallo"])
def test_values_are_means_over_all_worlds(name: str) -> None:
    checked = 0
    for seed, end in enumerate(ends(name, 12)):
        state = choice_at(end, 2, seed)
        if state is None or state.turn is None or checked == 2:
            continue
        hidden = hidden_cards(view(state.observe(state.turn)))
        listed = WorldSampler(hidden).enumerate(24)
        if listed is None:
            continue
        checked += 1
        found = move_values(state, 4096)
        assert found is not None
        worlds, by_card = found
        assert worlds == len(listed)
        sign = -1 if state.table.side_of(state.turn) else 1
        for move in state.legal_moves():
            assert isinstance(move, Play)
            values = [sign * play_best(imagined(state, hidden, world).apply_move(move)) for world in listed.tolist()]
            assert by_card[move.card] == pytest.approx(sum(values) / 2 / worlds)
    assert checked == 2


@pytest.mark.parametrize("name", VARIANTS)
def test_regret(name: str, tmp_path: Path) -> None:
    """Two tricks before the end `plain` averages over all worlds itself, and a random choice may lose."""
    deals = tmp_path / "deals.jsonl"
    exact = RegretPlan(name, "plain:worlds=6", "greedy", 2, 12, 7)
    found = measure_regret(exact, deals=deals)
    assert (found.mean_regret, found.right_choices, found.positions) == (0.0, 1.0, 12)
    record = tmp_path / "regret.jsonl"
    anyhow = RegretPlan(name, "random", "greedy", 2, 12, 7)
    result = measure_regret(anyhow, record=record, deals=deals)
    assert result.worst_regret >= result.mean_regret > 0
    assert result.low_95 < result.mean_regret < result.high_95
    if name == "piedicavallo":
        assert measure_regret(anyhow, workers=2, deals=deals) == result
    text = record.read_text()
    record.write_text(text[: len(text) * 2 // 3])
    assert measure_regret(anyhow, record=record, deals=deals) == result
    assert len(record.read_text().splitlines()) == 12
    with pytest.raises(RecordError, match="its tricks is 2, not 3"):
        measure_regret(RegretPlan(name, "random", "greedy", 3, 12, 7), record=record, deals=deals)


def test_regret_earlier(tmp_path: Path) -> None:
    """Solving takes longer there, and a tree in a few sampled worlds may err, but less than chance."""
    deals = tmp_path / "deals.jsonl"
    plain, chance = (
        measure_regret(RegretPlan("piedicavallo", agent, "greedy", 3, 12, 7, 3000), deals=deals)
        for agent in ("plain:worlds=60", "random")
    )
    assert plain.positions == chance.positions > 2
    assert plain.most_worlds == chance.most_worlds > 12
    assert 0 <= plain.mean_regret < chance.mean_regret


def test_positions_with_too_many_worlds_are_counted(tmp_path: Path) -> None:
    deals = tmp_path / "deals.jsonl"
    plan = RegretPlan("piedicavallo", "random", "greedy", 2, 12, 7)
    whole = measure_regret(plan, deals=deals)
    limit = int(whole.mean_worlds)
    part = measure_regret(RegretPlan("piedicavallo", "random", "greedy", 2, 12, 7, limit), deals=deals)
    assert part.most_worlds <= limit < whole.most_worlds
    assert part.positions + part.unsolved == 12
    assert part.unsolved > 0
    with pytest.raises(ValueError, match="have more than 1 worlds: raise the limit"):
        measure_regret(RegretPlan("piedicavallo", "random", "greedy", 2, 12, 7, 1), deals=deals)


def test_the_commands_print_one_json_object() -> None:
    common = "--variant piedicavallo --tricks 2 --base greedy --positions 3 --workers 1 --json"
    for arguments, key in (
        (f"duel --a solver --b random --iterations 10 {common}", "mean_difference"),
        (f"regret --agent solver --iterations 10 {common}", "mean_regret"),
    ):
        code, printed, said = run(arguments)
        assert code == 0, said
        result = json.loads(printed)
        assert result[key] is not None
        assert result.get("a", result.get("agent")) == "solver:iterations=10"
