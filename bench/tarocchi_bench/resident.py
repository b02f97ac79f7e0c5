"""How much memory this process takes, as Linux tells."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

_PEAK: Final = re.compile(r"^VmHWM:\s*(\d+) kB$", re.MULTILINE)
_FORGET_PEAK: Final = "5"
"""What the kernel takes for the wish to count the peak from now on."""


def resident_mib() -> float:
    """Returns the MiB of memory that this process takes now, 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def forget_peak() -> None:
    """Has `peak_mib` count from now on; raises OSError where the system does not do that."""
    Path("/proc/self/clear_refs").write_text(_FORGET_PEAK, "ascii")


def peak_mib() -> float:
    """Returns the most MiB that this process has taken since `forget_peak`; raises OSError where that is not told."""
    status = Path("/proc/self/status").read_text("ascii", "replace")
    found = _PEAK.search(status)
    if found is None:
        raise OSError("the system does not tell how much memory a process has taken at most")
    return int(found[1]) / 1024
