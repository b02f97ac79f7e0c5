"""What a figure has to be read with: the machine, what runs on it, and the command."""

from __future__ import annotations

import os
import platform
import shlex
import sys
from pathlib import Path
from typing import Any, Final

import llvmlite.binding as llvm
import numba
import numpy as np

from tarocchi_solver import __version__

COMPARED: Final = ("processor", "cores", "features", "python", "numpy", "numba")
"""The facts of which another value makes figures hard to compare."""
_CPU_INFO: Final = Path("/proc/cpuinfo")


def machine_facts() -> dict[str, Any]:
    """Returns the facts about this machine and this process, as plain data."""
    features = llvm.get_host_cpu_features()
    return {
        "processor": _processor(),
        "cores": os.cpu_count() or 1,
        "features": sorted(name for name, has in features.items() if has),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "load": [round(value, 2) for value in os.getloadavg()],
        "solver": __version__,
        "command": shlex.join(["python", "-m", "tarocchi_bench", *sys.argv[1:]]),
    }


def _processor() -> str:
    """Returns the name of the processor, as well as the system tells it."""
    try:
        lines = _CPU_INFO.read_text("ascii", "replace").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "") or platform.processor() or llvm.get_host_cpu_name()
