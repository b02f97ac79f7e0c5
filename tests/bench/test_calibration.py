"""Calibration: known slopes and spreads are recovered, coverage and drift are counted right, records go on."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from google.protobuf import json_format
from typer.testing import CliRunner

from tarocchi.solver.v1 import deal_pb2
from tarocchi_bench import calibration_report
from tarocchi_bench.agents import AgentSpecError
from tarocchi_bench.calibration_plot import draw_report
from tarocchi_bench.calibration_report import RESULT, figures, forecast_of, report
from tarocchi_bench.clusters import mean_by_deal, slope_by_deal
from tarocchi_bench.commands import app
from tarocchi_bench.records import RecordError
from tarocchi_bench.training.calibration import (
    conformal_range,
    fit_line,
    fit_logistic,
    fit_stages,
    save_calibration,
)
from tarocchi_bench.training.positions import DealPlan, Positions, play_deal, positions_of, read_positions, record_deals
from tarocchi_engine import get_variant, new_deal, view
from tarocchi_engine.rng import split
from tarocchi_solver.search import search
from tarocchi_solver.search.calibration import (
    BID,
    CERTAIN_STAGES,
    STAGES,
    TABLE,
    StageFit,
    calibrated,
    log_odds,
    parse_fits,
)
from tarocchi_solver.search.data_files import load_arrays
from tarocchi_solver.service.formats import format_move

INTERCEPT, SLOPE, SPREAD = -14.0, 1.25, 200.0
PLAN = DealPlan("piedicavallo", "solver:iterations=60", 5, 2)


def synthetic(seed: int, deals: int = 400, stages: tuple[str, ...] = STAGES, each: int = 3) -> Positions:
    """Returns positions whose results lie around a known line, half of their luck shared by those of a deal."""
    rng = np.random.default_rng(seed)
    count = deals * len(stages) * each
    deal = np.repeat(np.arange(deals), len(stages) * each)
    stage = np.tile(np.repeat([STAGES.index(name) for name in stages], each), deals)
    raw = rng.normal(0.0, 120.0, count)
    deviation = SPREAD * rng.uniform(0.5, 1.5, count)
    luck = np.sqrt(0.5) * rng.normal(size=deals)[deal] + np.sqrt(0.5) * rng.normal(size=count)
    result = INTERCEPT + SLOPE * raw + deviation * luck
    around = 1.2816 * deviation
    win = 1.0 / (1.0 + np.exp(-raw / 60.0))
    won = rng.random(count) < 1.0 / (1.0 + np.exp(0.3 - 0.7 * log_odds(win, 50)))
    return Positions(
        deal=deal,
        seat=np.tile(np.arange(each), deals * len(stages)),
        stage=stage,
        moves=np.full(count, 5),
        worlds=np.full(count, 50),
        raw=raw,
        error=np.zeros(count),
        deviation=deviation,
        win=win,
        low=raw - around,
        high=raw + around,
        is_certain=np.zeros(count, dtype=np.bool_),
        lead=rng.normal(size=count),
        result=result,
        won=won.astype(np.float64),
    )


# --- statistics


def test_the_deal_is_the_unit_of_errors() -> None:
    values, deals = np.array([1.0, 3.0, 5.0, 7.0]), np.array([4, 4, 9, 9])
    found = mean_by_deal(values, deals)
    assert found.mean == 4.0
    # two deals with means 2 and 6: the error of their mean is their standard deviation over the root of 2
    assert found.error == pytest.approx(np.std([2.0, 6.0], ddof=1) / np.sqrt(2))
    assert mean_by_deal(values, np.zeros(4, dtype=np.int64)).error == float("inf")


def test_the_slope_is_found_with_its_interval() -> None:
    positions = synthetic(1)
    slope, low, high = slope_by_deal(positions.raw, positions.result, positions.deal, 300)
    assert slope == pytest.approx(np.polyfit(positions.raw, positions.result, 1)[0])
    assert low < SLOPE < high
    assert high - low < 0.1


def test_the_line_is_recovered() -> None:
    away = []
    for seed in range(12):
        positions = synthetic(seed, stages=("play_3",))
        line = fit_line(positions.raw, positions.result, positions.deal)
        errors = np.sqrt(np.diag(line.covariance))
        away.append(((line.intercept - INTERCEPT) / errors[0], (line.slope - SLOPE) / errors[1]))
        assert errors[0] < 15.0
        assert errors[1] < 0.08
    assert np.abs(away).max() < 4.0
    assert 0.5 < np.sqrt(np.square(away).mean()) < 1.6


def test_a_line_through_the_origin_has_no_intercept() -> None:
    positions = synthetic(1, stages=("monte",))
    line = fit_line(positions.raw, positions.result - INTERCEPT, positions.deal, through_origin=True)
    assert line.intercept == 0.0
    assert line.slope == pytest.approx(SLOPE, abs=0.1)
    assert line.covariance[0, 0] == line.covariance[0, 1] == 0.0


def test_few_deals_correct_little() -> None:
    few, many = synthetic(2, deals=20, stages=("play_3",), each=1), synthetic(2, stages=("play_3",))
    rough, sharp = (fit_line(each.raw, each.result, each.deal) for each in (few, many))
    assert rough.covariance[1, 1] > 4 * sharp.covariance[1, 1]
    alike = fit_line(np.full(9, 3.0), np.arange(9.0), np.arange(9))
    assert (alike.intercept, alike.slope) == (0.0, 1.0)


@pytest.mark.parametrize("share", [0.8, 0.95])
@pytest.mark.parametrize("skewed", [False, True])
def test_ranges_hold_their_share_of_fresh_results(share: float, skewed: bool) -> None:
    rng = np.random.default_rng(3)
    draw = rng.standard_exponential if skewed else rng.standard_normal
    inside = []
    for _ in range(40):
        low, high = conformal_range(draw(300), share)
        fresh = draw(2000)
        inside.append(((low <= fresh) & (fresh <= high)).mean())
    assert np.mean(inside) == pytest.approx(share, abs=0.015)
    low, high = conformal_range(rng.standard_normal(200_000), 0.8)
    assert (low, high) == pytest.approx((-1.2816, 1.2816), abs=0.02)


def test_few_residuals_are_widened() -> None:
    low, high = conformal_range(np.arange(10.0), 0.8)
    # of 10, the 9th has to lie inside: nothing less promises 8 of 10 for an eleventh
    assert ((low <= np.arange(10.0)) & (np.arange(10.0) <= high)).sum() >= 9


def test_the_logistic_curve_is_recovered() -> None:
    rng = np.random.default_rng(4)
    odds = rng.normal(size=20_000)
    won = (rng.random(20_000) < 1 / (1 + np.exp(0.5 - 1.4 * odds))).astype(np.float64)
    features = np.stack([np.ones(20_000), odds], axis=1)
    found = fit_logistic(features, won, np.array([0.0, 1.0]), np.full(2, 0.3), 1.0)
    assert found == pytest.approx([-0.5, 1.4], abs=0.06)
    assert fit_logistic(features, won, np.array([0.0, 1.0]), np.full(2, 0.3), 0.0) == pytest.approx([0.0, 1.0])


# --- the fit and the report


def test_all_stages_are_fitted() -> None:
    fitted = fit_stages(synthetic(5))
    for stage, item in fitted.items():
        assert item.source == stage
        assert (item.positions, item.deals) == (1200, 400)
        assert item.fit.slope == pytest.approx(SLOPE, abs=0.2)
        if stage not in CERTAIN_STAGES:
            assert (item.fit.low_80, item.fit.high_80) == pytest.approx((-1.28, 1.28), abs=0.2)
            assert (item.fit.low_95, item.fit.high_95) == pytest.approx((-1.96, 1.96), abs=0.35)
            assert item.fit.win_slope == pytest.approx(0.7, abs=0.2)


def test_a_stage_without_positions_takes_its_neighbour() -> None:
    positions = synthetic(5, stages=("discard", "play_4"))
    fitted = fit_stages(positions)
    sources = {stage: item.source for stage, item in fitted.items()}
    assert sources["monte"] == sources["call_out"] == sources["declare"] == "discard"
    assert sources["play_6"] == "play_4"
    assert sources["play_1"] == "play_4"
    assert fitted["monte"].fit.intercept == 0.0


def test_certain_and_forced_positions_are_left_out() -> None:
    positions = synthetic(5)
    wrong = np.arange(len(positions.raw)) % 3 == 0
    spoilt = replace(
        positions,
        result=np.where(wrong, 1e6, positions.result),
        is_certain=wrong & (positions.deal % 2 == 0),
        moves=np.where(wrong & (positions.deal % 2 == 1), 1, 5),
    )
    left = fit_stages(spoilt)
    assert all(item.positions == 800 and item.fit.slope < 2.0 for item in left.values())


def test_too_few_deals_are_refused() -> None:
    with pytest.raises(ValueError, match="no stage has 100 open positions from 20 deals: play more than 19 deals"):
        fit_stages(synthetic(5, deals=19))


def test_the_report_sees_what_is_wrong_and_that_it_is_put_right(monkeypatch: pytest.MonkeyPatch) -> None:
    stages = tuple(stage for stage in STAGES if stage not in CERTAIN_STAGES and not stage.startswith(BID))
    fitted = {stage: item.fit for stage, item in fit_stages(synthetic(6, 800, stages)).items()}
    fresh, plan = synthetic(7, 800, stages), DealPlan("piedicavallo", "solver:iterations=60", 7, 800)
    monkeypatch.setattr(calibration_report, "fits_of", lambda name: fitted)
    monkeypatch.setattr(calibration_report, "calibration_card", lambda name: None)
    found = report(fresh, plan)
    raw, put_right = found.raw, found.calibrated
    assert found.positions == len(fresh.raw)
    assert raw.slope == pytest.approx(SLOPE, abs=0.05)
    assert put_right.slope == pytest.approx(1.0, abs=0.04)
    assert raw.overall.bias == pytest.approx(-INTERCEPT, abs=12)
    assert put_right.overall.coverage_80 == pytest.approx(0.8, abs=0.02)
    assert put_right.overall.coverage_95 == pytest.approx(0.95, abs=0.01)
    assert put_right.chances.log_score < raw.chances.log_score
    assert put_right.chances.gain_over_half > 3 * put_right.chances.gain_over_half_error
    assert put_right.chances.brier < put_right.chances.brier_of_half == pytest.approx(0.25)
    assert sum(each.positions for each in put_right.bins) == len(fresh.raw)
    assert [each.foretold for each in put_right.bins] == sorted(each.foretold for each in put_right.bins)
    assert found.bars["enough"]
    assert found.bars["slope"]
    assert found.bars["coverage_80"]
    assert json.loads(json.dumps(found.as_json()))["calibrated"]["slope"] == put_right.slope


def test_drift_is_seen() -> None:
    stages = ("play_6", "play_3")
    positions = synthetic(8, 400, stages, each=2)
    honest = replace(positions, result=positions.result - INTERCEPT)
    late = honest.stage == STAGES.index("play_3")
    scores = np.where(late, SLOPE * honest.raw + 40.0, SLOPE * honest.raw)
    drifts = {(each.start, each.end): each for each in calibration_report.drift_of(honest, scores)}
    assert set(drifts) == {("play_6", "play_3"), ("play_6", RESULT), ("play_3", RESULT)}
    assert drifts["play_6", "play_3"].seats == 800
    assert drifts["play_6", "play_3"].change == pytest.approx(40.0, abs=4 * drifts["play_6", "play_3"].error)
    assert drifts["play_6", "play_3"].change > 2 * drifts["play_6", "play_3"].error
    by_hand = scores[late].reshape(400, 2) - scores[~late].reshape(400, 2)
    assert drifts["play_6", "play_3"].change == pytest.approx(by_hand.mean())


def test_a_report_on_the_fitted_deals_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"agent": PLAN.agent, "seed": PLAN.seed}
    monkeypatch.setattr(calibration_report, "calibration_card", lambda name: known)
    with pytest.raises(ValueError, match="was fitted to the deals of seed 5: give another seed"):
        report(synthetic(1, deals=10), PLAN)


@pytest.mark.exhaustive
def test_the_plot_is_the_same_to_the_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration_report, "calibration_card", lambda name: None)
    monkeypatch.setattr(calibration_report, "fits_of", lambda name: None)
    found = report(synthetic(9, deals=20), PLAN)
    for known in (None, {"seed": 1}):
        pictures = []
        for name in ("one.svg", "two.svg"):
            draw_report(replace(found, calibration=known), tmp_path / name)
            pictures.append((tmp_path / name).read_bytes())
        assert pictures[0] == pictures[1]
        assert b"Reliability" in pictures[0]


def test_the_file_is_read_as_it_was_fitted(tmp_path: Path) -> None:
    fitted = fit_stages(synthetic(5))
    name = save_calibration(fitted, PLAN, tmp_path, "command")
    card = json.loads((tmp_path / f"{name}.json").read_text("utf-8"))
    revision = get_variant(PLAN.variant).rules_revision
    assert {key: card[key] for key in ("seed", "deals", "agent", "command", "rules_revision")} == {
        "seed": 5,
        "deals": 2,
        "agent": PLAN.agent,
        "command": "command",
        "rules_revision": revision,
    }
    table = load_arrays(name, revision, tmp_path)[TABLE]
    assert parse_fits(table, name) == {stage: item.fit for stage, item in fitted.items()}


# --- records


def test_a_record_goes_on_where_it_stood(tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    record_deals(PLAN, whole)
    text = whole.read_text("utf-8")
    cut.write_text(text[: text.index("\n") + 200], "utf-8")
    steps: list[int] = []
    record_deals(PLAN, cut, progress=lambda: steps.append(1))
    assert cut.read_text("utf-8") == text
    assert len(steps) == 2
    positions = read_positions(cut, PLAN)
    assert positions.deal_count == 2
    assert {len(getattr(positions, field.name)) for field in fields(Positions)} == {len(positions.raw)}
    with pytest.raises(RecordError, match="belongs to other work"):
        record_deals(replace(PLAN, seed=6), cut)
    with pytest.raises(RecordError, match="deal 2 is missing"):
        read_positions(cut, replace(PLAN, deals=3))


@pytest.mark.parametrize("variant", ["bolognese", "terziglio"])
def test_what_is_recorded_is_what_an_answer_says(variant: str) -> None:
    plan = DealPlan(variant, "solver:iterations=60", 3, 4)
    agent, rules = plan.solver(), get_variant(variant)
    assert not agent.options.calibrated
    entry = play_deal(plan, 2)
    positions = positions_of([entry], variant)
    fit = StageFit(-3.0, 1.2, 1.0, 0.01, 0.0, -1.3, 1.2, -2.0, 1.8, 0.5, 0.1, 0.9)
    fits = dict.fromkeys(STAGES, fit)
    forecast = forecast_of(positions, fits)
    state = new_deal(rules, split(plan.seed, 1, 2), dealer=2)
    seed = split(plan.seed, 2, 2)
    for row, decision in enumerate(entry["decisions"]):
        assert state.turn == decision["seat"]
        observation = state.observe(state.turn)
        raw = search(observation, agent.effort.budget, seed=split(seed, row), options=agent.options)
        best = calibrated(view(observation), raw, fits).moves[0]
        said = (best.expected_score, *best.score_range_80, best.win_probability)
        kept = (forecast.score[row], forecast.low_80[row], forecast.high_80[row], forecast.win[row])
        assert kept == pytest.approx(said, abs=1e-4)
        state = state.apply_move(raw.move)
    assert state.turn is None
    awards = state.score().awards
    if rules.seats_score_alone:
        assert entry["results"][0] == pytest.approx(awards[0] - (awards[1] + awards[2]) / 2)
    else:
        assert entry["results"] == [awards[0] - awards[1], awards[1] - awards[0]] * 2
    assert figures(positions, forecast).overall.positions == len(positions.raw)


def test_ranges_of_exact_answers_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """They hold more than their share by their nature, and must not hide that the others hold too little."""
    stages = tuple(stage for stage in STAGES if stage not in CERTAIN_STAGES and not stage.startswith(BID))
    drawn = synthetic(8, 400, stages)
    is_certain = np.arange(len(drawn.raw)) % 2 == 0
    everything = np.where(is_certain, drawn.result, drawn.raw - 1e6)
    mixed = replace(drawn, is_certain=is_certain, low=everything, high=everything)
    found = figures(mixed, forecast_of(mixed, None))
    assert found.overall.coverage_80 == pytest.approx(0.5, abs=0.01)
    assert found.open is not None
    assert (found.open.positions, found.open.coverage_80) == ((~is_certain).sum(), 0.0)
    assert figures(replace(mixed, is_certain=np.ones_like(is_certain)), forecast_of(mixed, None)).open is None
    monkeypatch.setattr(calibration_report, "calibration_card", lambda name: None)
    monkeypatch.setattr(calibration_report, "fits_of", lambda name: None)
    plan = DealPlan("piedicavallo", "solver:iterations=60", 8, 400)
    assert not report(mixed, plan).bars["coverage_80"]


def test_one_call_strays_in_every_second_deal_of_an_auction() -> None:
    """So a hand that nobody would play alone is played alone; what was foretold of that call is what is kept."""
    plan = DealPlan("terziglio", "solver:iterations=60", 3, 12)
    agent, rules = plan.solver(), get_variant("terziglio")
    budget, options = agent.effort.budget, agent.options
    strays = []
    for number in range(1, plan.deals, 2):
        entry = play_deal(plan, number)
        assert len(entry["results"]) == 3
        assert len(entry["decisions"]) <= 1
        for decision in entry["decisions"]:
            assert decision["phase"] == "bid"
            state = new_deal(rules, split(plan.seed, 1, number), dealer=number % 3)
            step, seed = 0, split(plan.seed, 2, number)
            while state.turn != decision["seat"]:
                assert state.turn is not None
                found = search(state.observe(state.turn), budget, seed=split(seed, step), options=options)
                state, step = state.apply_move(found.move), step + 1
            found = search(state.observe(decision["seat"]), budget, seed=split(seed, step), options=options)
            said = {json_format.MessageToJson(format_move(rules.pack, move.move)): move for move in found.moves[1:]}
            made = said[json_format.MessageToJson(json_format.ParseDict(decision["move"], deal_pb2.Move()))]
            assert decision["score"] == pytest.approx(made.raw_score, abs=1e-5)
            strays.append(made.move)
    assert len(set(strays)) > 1


def test_only_a_solver_foretells(tmp_path: Path) -> None:
    with pytest.raises(AgentSpecError, match="foretells no scores"):
        record_deals(replace(PLAN, agent="greedy"), tmp_path / "record.jsonl")
    with pytest.raises(ValueError, match="play at least 2"):
        record_deals(replace(PLAN, deals=1), tmp_path / "record.jsonl")
    assert not list(tmp_path.iterdir())


def test_the_commands_say_what_is_wrong(tmp_path: Path) -> None:
    run = CliRunner()
    record = str(tmp_path / "record.jsonl")
    wrong = run.invoke(app, ["calibration", "--variant", "piedicavallo", "--agent", "greedy", "--record", record])
    assert wrong.exit_code == 2
    train = ["train", "calibration", "--record", record]
    wrong = run.invoke(app, [*train, "--variant", "chess", "--out", str(tmp_path)])
    assert wrong.exit_code == 2
    assert "chess" in wrong.output
