"""Tarocco Bolognese at the single-deal table: sets and sequences, shown in the first trick and captured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tarocchi_engine.bolognese_rules import BologneseRules


@dataclass(frozen=True)
class Bolognese(BologneseRules):
    """The `table` profile of the rules (section 8): one deal, the higher total wins, all combinations or none."""

    name: ClassVar[str] = "bolognese"
    title_it: ClassVar[str] = "Tarocco bolognese, mano singola"
    title_en: ClassVar[str] = "Tarocco Bolognese, single deal"
    rules_revision: ClassVar[int] = 1
    declares_subsets: ClassVar[bool] = False
    deal_spread: ClassVar[float] = 330.0
