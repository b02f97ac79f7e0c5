"""Match equity worked out from deals small enough to know the answer, and its laws on random ones."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

from bench.command import run
from tarocchi_bench.training.equity import Course, describe, nodes_of, save_equity, work_out
from tarocchi_bench.training.self_play import SelfPlay, play_deals, read_deals
from tarocchi_engine import get_variant
from tarocchi_engine.variant import Ending
from tarocchi_solver.search.data_files import load_arrays
from tarocchi_solver.search.equity import SCALE, STORED_SCALE, spread_out

NOTHING = (0, 0, 0, 0)


def counted(dealer: int, other: int) -> Course:
    return Course(0, NOTHING, (dealer, other))


THROWN_IN = Course(0, NOTHING, None)


def table_of(target: int, *deals: Course, call_out: bool = True) -> tuple[np.ndarray, float]:
    return work_out(deals, target, spread=0, call_out=call_out)


def test_one_deal_that_always_ends_the_same_way() -> None:
    table, level = table_of(10, counted(10, 0))
    assert np.all(table == 1.0)
    assert level == 1.0
    table, level = table_of(10, counted(0, 10))
    assert np.all(table == 0.0)
    assert level == 0.0


def test_a_fair_race_to_two() -> None:
    table, _level = table_of(20, counted(10, 0), counted(0, 10))
    assert table[10, 10] == 0.5
    assert table[10, 0] == 0.75
    assert table[0, 10] == 0.25
    assert table[0, 0] == 0.5


def test_the_higher_wins_where_both_arrive() -> None:
    table, _level = table_of(10, counted(12, 15))
    assert table[0, 0] == 0.0
    assert table[9, 5] == 1.0
    assert table[9, 7] == 0.0


def test_a_deal_thrown_in_passes_the_deal_on() -> None:
    """The dealer wins every deal that is played: D = t (1 - D) + (1 - t)."""
    table, level = table_of(10, THROWN_IN, counted(10, 0))
    assert table == pytest.approx(np.full((10, 10), 2 / 3))
    assert level == pytest.approx(2 / 3)
    table, _level = table_of(10, THROWN_IN, THROWN_IN, THROWN_IN, counted(1, 10))
    assert table[0, 0] == pytest.approx(3 / 7)


def test_level_sides_at_the_target_play_on() -> None:
    """D = 1/2 + 1/2 (1 - D): the dealer wins, or the other side deals from a level score."""
    table, level = table_of(10, counted(10, 10), counted(20, 0))
    assert level == pytest.approx(2 / 3)
    assert table[0, 0] == pytest.approx(2 / 3)
    assert table[5, 5] == pytest.approx(2 / 3)
    assert table[5, 6] == pytest.approx(0.5)


def test_declarations_end_a_match_in_their_order() -> None:
    both = Course(0, (5, 0, 0, 5), (100, 5))
    table, _level = table_of(10, both)
    assert table[5, 5] == 0.0, "the other side speaks first, whatever the count"
    assert table[5, 4] == 1.0
    assert table[4, 4] == 1.0, "nobody arrives by a declaration, and the dealer counts more"
    together = Course(0, (3, 2, 0, 2), (5, 9))
    table, _level = table_of(10, together)
    assert table[6, 6] == 1.0, "partners declare for one score"
    assert table[5, 6] == 0.0
    assert table[6, 7] == 0.0, "the first seat already reaches it"


def test_the_dealer_may_call_itself_out_before_anybody_declares() -> None:
    deal = Course(5, (5, 0, 0, 5), (6, 50))
    assert table_of(10, deal)[0][5, 5] == 1.0
    assert table_of(10, deal)[0][4, 5] == 0.0
    assert table_of(10, deal, call_out=False)[0][5, 5] == 0.0
    nothing = Course(0, NOTHING, (1, 50))
    assert table_of(10, nothing)[0][9, 9] == 0.0, "nothing shown ends nothing"


def random_courses(count: int, seed: int) -> list[Course]:
    rng = random.Random(seed)
    courses = []
    for _ in range(count):
        declared = tuple(rng.choice((0, 0, 10, 13, 20)) for _seat in range(4))
        dealer = declared[1] + declared[3] + rng.randrange(1, 60)
        other = declared[0] + declared[2] + rng.randrange(1, 50)
        courses.append(THROWN_IN if rng.random() < 0.1 else Course(declared[3], declared, (dealer, other)))
    return courses


@pytest.mark.parametrize(("count", "spread"), [(1, 0), (3, 5), (40, 20)])
def test_every_point_helps_in_any_table(count: int, spread: int) -> None:
    for seed in range(5):
        courses = [*random_courses(count, seed), counted(30, 20)]
        table, level = work_out(courses, 120, spread=spread)
        assert np.all(np.diff(table, axis=0) >= -1e-12)
        assert np.all(np.diff(table, axis=1) <= 1e-12)
        assert table.min() >= 0.0
        assert table.max() <= 1.0
        assert 0.0 <= level <= 1.0


def test_a_deal_that_brings_nothing_is_none() -> None:
    with pytest.raises(ValueError, match="brought nobody anything"):
        work_out([counted(0, 0)], 800)


def test_deals_that_were_all_thrown_in_teach_nothing() -> None:
    with pytest.raises(ValueError, match="no deal was played out"):
        work_out([THROWN_IN], 800)


def test_a_single_deal_makes_no_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="deals played out: 1, which say nothing about errors: play more than 2"):
        save_equity([counted(30, 20), THROWN_IN], SelfPlay("ottocento", "greedy", 7, 2), tmp_path, "command")
    assert not list(tmp_path.iterdir())


def test_the_command_names_its_files(tmp_path: Path) -> None:
    record = tmp_path / "deals.jsonl"
    told = f"train equity --deals 2 --agent greedy --seed 7 --workers 1 --record {record} --out {tmp_path}"
    code, printed, said = run(told)
    assert code == 0, said
    files = [tmp_path / f"ottocento_equity.{ending}" for ending in ("npz", "json")]
    assert printed.splitlines()[-2:] == [f"wrote {file}" for file in files]
    command = json.loads(files[1].read_text("utf-8"))["command"]
    assert command.endswith(f"--deals 2 --seed 7 --record deals.jsonl --out {tmp_path.name}")


def test_the_stored_table_is_close_to_the_whole_one() -> None:
    rng = random.Random(1)
    table, level = work_out([counted(rng.randrange(1, 90), rng.randrange(1, 90)) for _ in range(200)], 160)
    nodes = nodes_of(160)
    assert nodes[0] == 0
    assert nodes[-1] == 159
    stored = np.rint(table[np.ix_(nodes, nodes)] * STORED_SCALE)
    restored = spread_out(nodes, stored / STORED_SCALE, level, 160)
    assert np.abs(restored[:160, :160] / SCALE - table).max() < 0.01
    assert np.abs(restored[60:160, 60:160] / SCALE - table[60:, 60:]).max() < 1e-5
    assert np.all(restored[160, :160] == SCALE)
    assert np.all(restored[:160, 160] == 0)


def test_deals_are_played_recorded_and_made_a_table(tmp_path: Path) -> None:
    plan = SelfPlay("ottocento", "greedy", 7, 8)
    record = tmp_path / "deals.jsonl"
    play_deals(plan, record)
    states = list(read_deals(record, plan))
    courses = [Course.of(state) for state in states]
    for state, course in zip(states, courses, strict=True):
        assert state.table.ending is Ending.COUNT
        side = state.variant.side_of(state.table.dealer)
        assert course.totals == tuple(state.score().awards[place] for place in (side, 1 - side))
        assert sum(course.declared[1::2]) == state.table.declared_points[side]
        assert sum(course.declared[0::2]) == state.table.declared_points[1 - side]
        assert course.call_out <= state.variant.declaration_points(state.dealt[state.table.dealer])
    figures = save_equity(courses, plan, tmp_path, "python -m tarocchi_bench train equity")
    assert figures["thrown_in_share"] == 0.0
    arrays = load_arrays("ottocento_equity", get_variant("ottocento").rules_revision, tmp_path)
    assert arrays["dealer_wins"].shape == (240, 240)
    assert describe(courses, np.zeros((1, 1)))["mean_sum"] == figures["mean_sum"]
