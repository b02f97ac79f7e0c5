"""Calibrated answers: moves keep their order, ranges are consistent, certain things stay certain, files are proved."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from solver.deals import decisions, random_states, with_world
from tarocchi_engine import VARIANTS, Bid, Call, Monte, Phase, State, View, new_deal, view
from tarocchi_engine.facts import hidden_cards
from tarocchi_solver.search import (
    Budget,
    Recommendation,
    SearchOptions,
    Utility,
    WorldSampler,
    calibration,
    data_files,
    recommend,
    search,
)
from tarocchi_solver.search.calibration import (
    DEFENCE,
    FIELDS,
    OPENING_STAGES,
    PLAY_STAGES,
    STAGES,
    TABLE,
    Floats,
    StageFit,
    calibrated,
    calibration_card,
    calibration_file,
    fits_of,
    is_defender,
    parse_fits,
    play_bounds,
    stage_of,
)
from tarocchi_solver.search.data_files import DataFileError, save_arrays
from tarocchi_solver.search.decision import wins_match

RAW = SearchOptions(calibrated=False)
BUDGET = Budget(iterations=400)
FIT = StageFit(
    intercept=-14.0,
    slope=1.25,
    intercept_variance=9.0,
    slope_variance=0.0016,
    covariance=-0.03,
    low_80=-1.4,
    high_80=1.2,
    low_95=-2.1,
    high_95=1.9,
    least_spread=2.0,
    win_intercept=-0.2,
    win_slope=1.1,
)
ORIGIN = replace(FIT, intercept=0.0, intercept_variance=0.0, covariance=0.0, least_spread=0.0, win_intercept=0.0)
FITS = {stage: ORIGIN if stage in ("monte", "bid_pass", "call_out") else FIT for stage in STAGES}


def choices(variant: str, seed: int, *, every: int = 5) -> Iterator[State]:
    """Yields every so-many-th state of a random deal in which a seat has a choice."""
    for state, _observation in decisions(VARIANTS[variant], seed)[::every]:
        if len(state.legal_moves()) > 1:
            yield state


def raw_answer(state: State, seed: int = 3) -> Recommendation:
    assert state.turn is not None
    return search(state.observe(state.turn), BUDGET, seed=seed, options=RAW)


def own_view(state: State) -> View:
    assert state.turn is not None
    return view(state.observe(state.turn))


def test_stages_share_a_deal() -> None:
    assert play_bounds(15) == (2, 4, 6, 9, 12, 15)
    for variant in VARIANTS.values():
        count = variant.trick_count
        stages = [stage_of(Phase.PLAY, left, count) for left in range(count, -1, -1)]
        assert set(stages) == set(PLAY_STAGES)
        assert [STAGES.index(stage) for stage in stages] == sorted(STAGES.index(stage) for stage in stages)
    opening = (Phase.MONTE, Phase.CALL_OUT, Phase.DISCARD, Phase.DECLARE)
    calls = [stage_of(Phase.BID, 18, 18, call=call) for call in Call]
    stages = [stage_of(phase, 15, 15) for phase in opening]
    assert (stages[0], *calls, *stages[1:]) == OPENING_STAGES
    assert stage_of(Phase.GIVE, 0, 15) == "play_1"
    of_defence = [stage_of(Phase.DECLARE, 15, 15, defends=True)]
    of_defence += [stage_of(Phase.PLAY, left, 15, defends=True) for left in range(15, 0, -1)]
    assert list(dict.fromkeys(of_defence)) == [stage for stage in STAGES if stage.startswith(DEFENCE)]


def test_defenders_are_those_against_a_declarer() -> None:
    met = set()
    for name, variant in VARIANTS.items():
        for seed in range(6):
            for state in random_states(variant, 700 + seed):
                seat, table = state.table.turn, state.table
                defends = is_defender(table, seat)
                assert defends == (variant.has_auction and state.phase is not Phase.BID and table.side_of(seat) == 1)
                met.add((name, defends))
    assert met == {(name, False) for name in VARIANTS} | {("terziglio", True)}


@pytest.mark.parametrize("variant", VARIANTS)
def test_all_moves_go_through_one_line(variant: str) -> None:
    seen = 0
    for state in choices(variant, 5, every=7):
        raw = raw_answer(state)
        found = calibrated(own_view(state), raw, FITS)
        assert found.move == raw.move
        if raw.exact:
            assert found == raw
            continue
        if state.phase is Phase.BID:
            continue
        if state.phase is Phase.DECLARE:
            assert [move.difference_to_best for move in found.moves] == [move.difference_to_best for move in raw.moves]
            continue
        defends = is_defender(state.table, state.table.turn)
        fit = FITS[stage_of(state.phase, state.table.tricks_left, state.variant.trick_count, defends=defends)]
        seen += 1
        for before, after in zip(raw.moves, found.moves, strict=True):
            assert after.raw_score == before.raw_score == before.expected_score
            assert after.expected_score == pytest.approx(fit.intercept + fit.slope * before.expected_score)
            assert after.difference_to_best == pytest.approx(fit.slope * before.difference_to_best)
            assert after.standard_error >= fit.slope * before.standard_error - 1e-9
            assert after.difference_standard_error >= fit.slope * before.difference_standard_error - 1e-9
            kept = ("move", "rank", "visits", "worlds", "score_quantiles", "principal_variation", "safe_score")
            assert [getattr(after, name) for name in kept] == [getattr(before, name) for name in kept]
        order = np.argsort([move.expected_score for move in raw.moves])
        assert np.diff(np.array([move.expected_score for move in found.moves])[order]).min() >= -1e-9
    assert seen


def test_every_call_goes_through_its_own_line() -> None:
    lines = {"bid_pass": replace(ORIGIN, slope=1.1), "bid_gioco": replace(FIT, intercept=2.0, slope=0.8)}
    lines["bid_solo"] = replace(FIT, intercept=-1.0, slope=0.9)
    fits = {**FITS, **lines}
    state = new_deal(VARIANTS["terziglio"], 7, dealer=0)
    raw = raw_answer(state)
    found = calibrated(own_view(state), raw, fits)
    assert len(found.moves) == 3
    for before, after in zip(raw.moves, found.moves, strict=True):
        assert isinstance(after.move, Bid)
        line = lines[f"bid_{after.move.call}"]
        assert after.raw_score == before.raw_score
        assert after.expected_score == pytest.approx(line.intercept + line.slope * before.raw_score)
        gap = after.expected_score - found.moves[0].expected_score
        assert after.difference_to_best == pytest.approx(gap)
        assert (after.difference_standard_error == 0.0) == (after.rank == 1)
        if after.rank > 1:
            # two lines are never known better than each of them
            assert after.difference_standard_error >= line.error(before.raw_score, 0.0)
            assert after.difference_standard_error < after.standard_error + found.moves[0].standard_error


@pytest.mark.parametrize("intercept", [-30.0, 30.0])
def test_calls_are_chosen_behind_their_lines(intercept: float, monkeypatch: pytest.MonkeyPatch) -> None:
    fits = {**FITS, "bid_gioco": replace(FIT, intercept=intercept, slope=1.0)}
    monkeypatch.setattr(recommend, "fits_of", lambda _variant: fits)
    for seed in range(4):
        state = new_deal(VARIANTS["terziglio"], seed)
        assert state.turn is not None
        observation = state.observe(state.turn)
        usual, blind = (
            search(observation, BUDGET, seed=1, options=SearchOptions(calibrated=is_calibrated))
            for is_calibrated in (True, False)
        )
        assert (usual.move == Bid(Call.GIOCO)) == (intercept > 0)
        assert {move.move: move.raw_score for move in usual.moves} == {m.move: m.raw_score for m in blind.moves}
        assert blind.move == search(observation, BUDGET, seed=1, options=RAW).move
        # who wants another thing than points does not choose by them
        options = SearchOptions(utility=Utility.WIN)
        wanted = search(observation, BUDGET, seed=1, options=options)
        assert wanted.move == search(observation, BUDGET, seed=1, options=replace(options, calibrated=False)).move


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("options", [RAW, SearchOptions()])
def test_answers_carry_consistent_ranges(variant: str, options: SearchOptions) -> None:
    exact = 0
    for state in [state for seed in (11, 12) for state in choices(variant, seed, every=4)]:
        assert state.turn is not None
        found = search(state.observe(state.turn), BUDGET, seed=1, options=options)
        assert 0.0 < found.diagnostics.belief_effective_share <= 1.0
        for move in found.moves:
            low, high = move.score_range_80
            numbers = (move.raw_score, move.expected_score, move.standard_error, low, high, move.result_deviation)
            assert all(map(math.isfinite, numbers))
            assert low <= high
            assert move.result_deviation >= 0.0
            assert 0.0 <= move.win_probability <= 1.0
            if options is not RAW and not found.exact:
                # one of ten results lies on either side of the range
                assert low <= 0.0 or move.win_probability >= 0.9 - 1e-9
                assert high >= 0.0 or move.win_probability <= 0.1 + 1e-9
            assert (move.safe_score is not None) == (found.exact and state.table.tricks_left <= 3)
            if move.safe_score is not None:
                assert move.safe_score <= low + 1e-9
                assert move.safe_score <= move.expected_score + 1e-9
                exact += 1
            if options is RAW or found.exact:
                assert move.expected_score == move.raw_score
    assert exact


@pytest.mark.parametrize("variant", VARIANTS)
def test_hidden_cards_change_nothing(variant: str) -> None:
    rng = random.Random(variant)
    for state in choices(variant, 4, every=9):
        seen = own_view(state)
        hidden = hidden_cards(seen)
        world = WorldSampler(hidden).sample(rng.getrandbits(64))
        other = with_world(state, seen.seat, dict(zip(hidden.holders, world, strict=True)), rng)
        assert calibrated(own_view(other), raw_answer(other), FITS) == calibrated(seen, raw_answer(state), FITS)


def test_few_worlds_widen_ranges_as_by_students_law() -> None:
    for worlds in (2, 3, 5, 10, 40, 1000):
        wider = stats.t.ppf(0.9, worlds - 1) / stats.norm.ppf(0.9)
        assert calibration.student_ratio(worlds) == pytest.approx(wider, rel=0.25 if worlds == 2 else 0.03)
    assert FIT.spread(30.0, 5.0, 3) > FIT.spread(30.0, 5.0, 30) > FIT.spread(30.0, 5.0, 3000)


def test_nothing_scored_for_certain_stays_nothing() -> None:
    state = new_deal(VARIANTS["ottocento"], 3, dealer=0)
    while state.turn != 0:
        assert state.phase is Phase.MONTE
        state = state.apply_move(Monte(True))
    found = calibrated(own_view(state), raw_answer(state), FITS)
    thrown = next(item for item in found.moves if item.move == Monte(True))
    assert thrown.expected_score == thrown.standard_error == 0.0
    assert thrown.score_range_80 == (0.0, 0.0)
    assert thrown.win_probability == pytest.approx(0.5)


def test_a_match_won_at_once_is_left_alone() -> None:
    for seed in range(40):
        for state, _observation in decisions(VARIANTS["ottocento"], seed):
            seen = own_view(state)
            won = [move for move in seen.legal_moves() if wins_match(seen, move)]
            if won:
                raw = raw_answer(state)
                assert wins_match(seen, raw.move)
                assert calibrated(seen, raw, FITS) == raw
                return
    pytest.fail("no match was won by a declaration in 40 deals")


def test_few_worlds_do_not_make_a_result_sure() -> None:
    state = next(choices("piedicavallo", 2))
    raw = raw_answer(state)
    few = replace(raw.moves[1], worlds=2, result_deviation=0.0, standard_error=0.0)
    found = calibrated(own_view(state), replace(raw, moves=(raw.moves[0], few)), FITS)
    low, high = found.moves[1].score_range_80
    assert high - low > raw.moves[0].result_deviation


# --- files


def whole_table() -> Floats:
    return np.array([[getattr(FITS[stage], field) for field in FIELDS] for stage in STAGES])


def test_fits_are_read_as_written() -> None:
    assert parse_fits(whole_table(), "x") == FITS


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("slope", 0.0),
        ("slope", float("nan")),
        ("intercept", float("inf")),
        ("low_80", 2.0),
        ("high_95", 0.0),
        ("slope_variance", -1.0),
        ("win_slope", -1.0),
        ("least_spread", -1.0),
    ],
)
def test_damaged_fits_are_refused(field: str, value: float) -> None:
    table = whole_table()
    table[STAGES.index("play_3"), FIELDS.index(field)] = value
    with pytest.raises(DataFileError, match="some_file: what it says of play_3 cannot be"):
        parse_fits(table, "some_file")
    for misshapen in (table[1:], table[:, 1:], table.astype(np.int64) if field == "low_80" else table[:0]):
        with pytest.raises(DataFileError, match=f"some_file: holds no table of {len(STAGES)} stages"):
            parse_fits(misshapen, "some_file")


@pytest.mark.parametrize("variant", VARIANTS)
def test_shipped_files_load(variant: str) -> None:
    card, fits = calibration_card(variant), fits_of(variant)
    assert (card is None) == (fits is None)
    if card is not None and fits is not None:
        assert tuple(fits) == STAGES
        assert {"sha256", "command", "seed", "deals", "version", "agent", "rules_revision"} <= set(card)


def test_a_file_that_is_not_the_shipped_one_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = calibration_file("piedicavallo")
    revision = VARIANTS["piedicavallo"].rules_revision
    for module in (calibration, data_files):
        monkeypatch.setattr(module, "data_folder", lambda: tmp_path)
    fits_of.cache_clear()
    try:
        assert fits_of("piedicavallo") is None
        save_arrays(tmp_path, name, {TABLE: whole_table()}, {"command": "again", "rules_revision": revision})
        fits_of.cache_clear()
        assert fits_of("piedicavallo") == FITS
        content = (tmp_path / f"{name}.npz").read_bytes()
        (tmp_path / f"{name}.npz").write_bytes(content[:-9] + b"x" + content[-8:])
        fits_of.cache_clear()
        with pytest.raises(DataFileError, match="its SHA-256 differs"):
            fits_of("piedicavallo")
        (tmp_path / f"{name}.npz").unlink()
        with pytest.raises(DataFileError, match="cannot be read"):
            fits_of("piedicavallo")
    finally:
        fits_of.cache_clear()


def test_options_are_checked() -> None:
    state = next(choices("piedicavallo", 2))
    assert state.turn is not None
    with pytest.raises(TypeError, match=r"options\.calibrated is 1: give True or False"):
        search(state.observe(state.turn), BUDGET, options=SearchOptions(calibrated=1))  # type: ignore[arg-type]
