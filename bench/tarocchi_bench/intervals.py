"""Intervals of 95 % of a mean over pairs, blocks or deals.

Nothing here reads or writes anything.
"""

from __future__ import annotations

import math
from typing import Final

from scipy import special

NOT_KNOWN: Final = "not known"
"""How an interval that is not known is shown."""
_UPPER: Final = 0.975


def interval_95(mean: float, error: float, count: int) -> tuple[float, float] | tuple[None, None]:
    """Returns the ends of the 95 % interval of a mean, by Student's law with `count` - 1 degrees of freedom.

    Values that are all alike have not shown how far the next one may lie from them. That is no certainty, so no
    interval is known then, however many they are, and none either for a single value.

    Args:
        mean: of independent values.
        error: its standard error, exactly 0 where all values are alike.
        count: of the values, which are pairs, blocks or deals, never what correlates within them.
    """
    if count < 2 or error == 0.0 or not math.isfinite(error):
        return None, None
    half = float(special.stdtrit(count - 1, _UPPER)) * error
    return mean - half, mean + half


def shown(low: float | None, high: float | None) -> str:
    """Returns an interval as a table shows it."""
    return NOT_KNOWN if low is None or high is None else f"{low:+.2f} to {high:+.2f}"


def half_width(low: float | None, high: float | None) -> float | None:
    """Returns half the width of an interval, None where it is not known."""
    return None if low is None or high is None else (high - low) / 2
