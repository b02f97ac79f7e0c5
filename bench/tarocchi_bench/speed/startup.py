"""What it costs to start: in fresh processes, in turn, as multiples of what `import numpy` costs.

CPU time from the start of the process to its end, so the interpreter is part of every figure; its own is shown beside.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any, Final

from tarocchi_bench.speed.fresh import run_fresh
from tarocchi_engine import get_variant
from tarocchi_engine.compilation import CACHE_DIR_VARIABLE

ANSWER_BAR: Final = 8.0
"""Times `import numpy` from the start of a process to its first answer, with warm caches."""
COLD_BAR: Final = 20.0
"""CPU seconds that compiling all kernels may take."""
INTERPRETER, NUMPY, CLIENT, HELP, ANSWER = "interpreter", "import numpy", "import client", "tarocchi --help", "answer"
_HELP: Final = """
import contextlib, sys
from tarocchi_solver.cli import main
sys.argv = ["tarocchi", "--help"]
with contextlib.suppress(SystemExit):
    main()
"""
_ANSWER: Final = """
import sys
from tarocchi_engine import Phase, get_variant, new_deal
from tarocchi_solver.search import Budget, search
state = new_deal(get_variant(sys.argv[1]), 1)
while state.phase is not Phase.PLAY or len(state.legal_moves()) < 2:
    state = state.apply_move(state.legal_moves()[0])
search(state.observe(state.turn), Budget(iterations=1000), seed=1)
"""
STARTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        INTERPRETER: "pass",
        NUMPY: "import numpy",
        CLIENT: "import tarocchi_solver.client",
        HELP: _HELP,
        ANSWER: _ANSWER,
    }
)
_NUMBA: Final = "\nimport sys\nprint('numba imported:', 'numba' in sys.modules)\n"
_WARM_UP: Final = "from tarocchi_solver.search.warm_up import warm_up; warm_up()"


@dataclass(frozen=True, slots=True)
class Start:
    """One way to start a process."""

    name: str
    cpu_ms: float
    """The median."""
    times_numpy: float
    """The median of the ratios to `import numpy` in the same round."""
    imports_numba: bool
    ratios: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Cold:
    """What compiling costs, in CPU seconds."""

    empty_s: float
    """Of a process that warms everything up with an empty folder for kernels."""
    full_s: float
    """Of one that does the same with what the other has left."""

    @property
    def compile_s(self) -> float:
        """The difference, which is the compiler's."""
        return self.empty_s - self.full_s


@dataclass(frozen=True, slots=True)
class StartupReport:
    """All figures, and which bars are met."""

    variant: str
    rounds: int
    starts: tuple[Start, ...]
    cold: Cold | None
    bars: dict[str, bool]

    def as_json(self) -> dict[str, Any]:
        """Returns the report as plain data."""
        compile_s = None if self.cold is None else self.cold.compile_s
        return asdict(self) | {"compile_s": compile_s}


def measure_startup(
    variant_name: str = "bolognese",
    rounds: int = 7,
    *,
    is_cold: bool = False,
    progress: Callable[[], None] | None = None,
) -> StartupReport:
    """Measures every start in as many rounds.

    Args:
        variant_name: of the deal whose first choice of a card is answered.
        rounds: in each, every start comes once.
        is_cold: whether to compile all kernels into an empty folder, too.
        progress: called after every round.

    Raises:
        UnknownVariantError, ValueError: an argument.
        WorkerDiedError: a process failed.
    """
    get_variant(variant_name)
    if rounds < 1:
        raise ValueError(f"{rounds} rounds measure nothing: give at least 1")
    # once beforehand, which fills the caches of files and of kernels
    numba = {name: run_fresh(code + _NUMBA, variant_name).printed.endswith(": True\n") for name, code in STARTS.items()}
    spent: dict[str, list[float]] = {name: [] for name in STARTS}
    for _ in range(rounds):
        for name, code in STARTS.items():
            spent[name].append(run_fresh(code, variant_name).cpu_seconds)
        if progress is not None:
            progress()
    starts = []
    for name, seconds in spent.items():
        ratios = tuple(own / numpy for own, numpy in zip(seconds, spent[NUMPY], strict=True))
        starts.append(Start(name, 1000 * statistics.median(seconds), statistics.median(ratios), numba[name], ratios))
    cold = _compile_all() if is_cold else None
    by_name = {start.name: start for start in starts}
    bars = {
        f"first answer at most {ANSWER_BAR:g} times numpy": by_name[ANSWER].times_numpy <= ANSWER_BAR,
        "the client does not import numba": not by_name[CLIENT].imports_numba,
        "tarocchi --help does not import numba": not by_name[HELP].imports_numba,
    }
    if cold is not None:
        bars[f"cold compile under {COLD_BAR:g} CPU s"] = cold.compile_s < COLD_BAR
    return StartupReport(variant_name, rounds, tuple(starts), cold, bars)


def _compile_all() -> Cold:
    """Warms up twice with a folder for kernels that is empty the first time."""
    with tempfile.TemporaryDirectory(prefix="tarocchi-cold-") as folder:
        empty, full = (run_fresh(_WARM_UP, settings={CACHE_DIR_VARIABLE: folder}).cpu_seconds for _ in range(2))
    return Cold(empty, full)
