"""Example observations, one of each variant, and a whole deal, as JSON texts."""

from __future__ import annotations

from importlib import resources
from typing import Final

OBSERVATIONS: Final = ("bolognese", "ottocento", "terziglio", "piedicavallo")
"""Names of the observations; each is in the middle of a deal and its seat has to move."""
DEALS: Final = ("bolognese_deal",)
"""Names of the whole deals, with all their moves."""


def load(name: str) -> str:
    """Returns the JSON text of an example."""
    return (resources.files(__name__) / f"{name}.json").read_text(encoding="utf-8")
