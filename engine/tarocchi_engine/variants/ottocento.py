"""Ottocento: Tarocco Bolognese as a partnership match to 800, with monte, call-out and signals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tarocchi_engine.bolognese_rules import SignallingRules
from tarocchi_engine.options import option


@dataclass(frozen=True)
class Ottocento(SignallingRules):
    """Section 6 of the Bolognese rules."""

    name: ClassVar[str] = "ottocento"
    title_it: ClassVar[str] = "Ottocento"
    title_en: ClassVar[str] = "Ottocento, match to 800"
    rules_revision: ClassVar[int] = 1
    match_target: ClassVar[int | None] = 800
    point_step: ClassVar[float] = 1.0
    deal_spread: ClassVar[float] = 325.0
    deal_sum: ClassVar[float] = 490.0

    monte: bool = option(True, "whether four seats that agree throw in their first five cards")
    call_out: bool = option(True, "whether the dealer may end the match with its first fifteen cards")

    @property
    def match_deal_count(self) -> int | None:
        """No fixed number: the target ends the match."""
        return None

    @property
    def has_monte_poll(self) -> bool:
        """By the option (A-04)."""
        return self.monte

    @property
    def has_call_out(self) -> bool:
        """By the option (A-32)."""
        return self.call_out

    def packets(self, seat: int, dealer: int) -> tuple[int, ...]:
        """Five cards for the poll, ten more, and the dealer's last two (section 6)."""
        return (5, 10, 2) if seat == dealer else (5, 10)
