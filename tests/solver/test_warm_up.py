"""Nothing is compiled inside a request: the warm-up has met every kernel with every type."""

from __future__ import annotations

import subprocess
import sys

_SCRIPT = """
import gc, random
from itertools import cycle
from numba.core.dispatcher import Dispatcher
from tarocchi_engine import VARIANTS, new_deal, view, find_faults
from tarocchi_solver.search.analysis import analyze
from tarocchi_solver.search.beliefs import beliefs
from tarocchi_solver.search.review import review
from tarocchi_solver.search import Budget, Playout, SearchOptions, check_consistent, search, warm_up

def compiled():
    found = [item for item in gc.get_objects() if isinstance(item, Dispatcher)]
    own = [item for item in found if item.py_func.__module__.startswith("tarocchi")]
    return {(type(item), item.py_func.__module__, item.py_func.__qualname__): len(item.signatures) for item in own}

# four playouts and three budgets, so that every budget meets every playout
playouts = cycle((*Playout, Playout.LEARNED))
budgets = cycle((Budget(iterations=100), Budget(worlds=10), Budget(time_ms=1)))
warm_up()
before = compiled()
for variant in VARIANTS.values():
    for seed in range(1 + variant.has_auction):
        rng = random.Random(seed)
        state = new_deal(variant, seed)
        while state.turn is not None:
            observation = state.observe(state.turn)
            check_consistent(observation)
            search(observation, next(budgets), threads=2, options=SearchOptions(playout=next(playouts)))
            if state.table.tricks_left == 4:
                search(observation, Budget(iterations=6_000), seed=1)  # samples of worlds are solved
            if rng.random() < 0.3:
                beliefs(state.observe(rng.randrange(variant.seat_count)), worlds=64)
            if rng.random() < 0.1:
                list(analyze(observation, Budget(iterations=1100), threads=2))
            state = state.apply_move(rng.choice(state.legal_moves()))
        state.score()
        if seed == 0:
            list(review(state, [0], Budget(iterations=60), seed=0, threads=2))
after = compiled()
assert before == after, {key: (before.get(key), count) for key, count in after.items() if before.get(key) != count}
assert any(after.values())
print("kernels", len(after))
"""


def test_requests_compile_nothing() -> None:
    """In a process of its own, since other tests call kernels with types of their own."""
    done = subprocess.run([sys.executable, "-c", _SCRIPT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("kernels")
