"""What it costs to start is measured in processes of its own, and what should not be loaded is noticed."""

from __future__ import annotations

import json

import pytest

from bench.command import run
from tarocchi_bench.speed import startup
from tarocchi_bench.speed.fresh import run_fresh
from tarocchi_bench.speed.startup import ANSWER, CLIENT, HELP, INTERPRETER, NUMPY, Cold, measure_startup
from tarocchi_bench.workers import WorkerDiedError

BURN = "import time\nwhile time.process_time() < {seconds}: pass"


def test_a_process_is_measured_whole() -> None:
    idle = run_fresh("import time; time.sleep(0.3)")
    busy = run_fresh(BURN.format(seconds=0.3))
    assert busy.cpu_seconds >= 0.3
    assert 0 < idle.cpu_seconds < 0.3


def test_what_it_prints_comes_line_by_line() -> None:
    lines: list[str] = []
    code = "import os, sys\nprint(sys.argv[1])\nprint(os.environ['MARK'])"
    ran = run_fresh(code, 17, settings={"MARK": "here"}, on_line=lines.append)
    assert lines == ["17\n", "here\n"]
    assert ran.printed == "17\nhere\n"


def test_a_process_that_fails_is_told_with_its_words() -> None:
    with pytest.raises(WorkerDiedError, match=r"(?s)ended with code 1: .*ValueError: out of ideas"):
        run_fresh("raise ValueError('out of ideas')")


def test_the_client_and_the_help_are_light_and_the_answer_is_not() -> None:
    code, printed, said = run("startup --variant piedicavallo --rounds 1 --json")
    assert code == 0, said
    report = json.loads(printed)
    starts = {start["name"]: start for start in report["starts"]}
    assert list(starts) == [INTERPRETER, NUMPY, CLIENT, HELP, ANSWER]
    assert {name for name, start in starts.items() if start["imports_numba"]} == {ANSWER}
    assert starts[NUMPY]["times_numpy"] == 1.0
    # the order of what they load, not how long that takes here
    assert starts[INTERPRETER]["cpu_ms"] < starts[NUMPY]["cpu_ms"] < starts[ANSWER]["cpu_ms"]
    assert report["cold"] is report["compile_s"] is None
    assert report["bars"]["the client does not import numba"]


def test_what_is_loaded_or_slow_misses_its_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = BURN.format(seconds=0.5)
    starts = {INTERPRETER: "pass", NUMPY: "pass", CLIENT: "import numba", HELP: "pass", ANSWER: slow}
    monkeypatch.setattr(startup, "STARTS", starts)
    monkeypatch.setattr(startup, "_compile_all", lambda: Cold(90.0, 2.0))
    rounds: list[int] = []
    report = measure_startup(rounds=2, is_cold=True, progress=lambda: rounds.append(1))
    assert len(rounds) == 2
    assert report.as_json()["compile_s"] == 88.0
    assert report.bars == {
        "first answer at most 8 times numpy": False,
        "the client does not import numba": False,
        "tarocchi --help does not import numba": True,
        "cold compile under 20 CPU s": False,
    }


def test_cold_kernels_are_compiled_into_a_folder_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    warm_up = (
        "import numpy as np\nfrom tarocchi_engine.compilation import default_cache_root\n"
        "from tarocchi_engine.rng import next_u64\n"
        "next_u64(np.array([1], dtype=np.uint64))\nassert list(default_cache_root().rglob('*.nbc'))"
    )
    monkeypatch.setattr(startup, "_WARM_UP", warm_up)
    cold = startup._compile_all()
    assert cold.compile_s > 0
    assert cold.full_s > 0


@pytest.mark.parametrize(
    ("arguments", "complaint"), [("--variant whist", "whist"), ("--rounds 0", "0 rounds measure nothing")]
)
def test_wrong_input_is_told(arguments: str, complaint: str) -> None:
    code, printed, said = run(f"startup {arguments} --json")
    assert (code, printed) == (2, "")
    assert complaint in said
