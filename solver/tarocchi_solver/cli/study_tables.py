"""Prints beliefs and reviews for people. It reads messages of the contract only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tarocchi.solver.v1 import deal_pb2, review_service_pb2, solver_service_pb2
from tarocchi_solver.cli.wording import move_text

_VERDICTS: Final = {
    review_service_pb2.VERDICT_INACCURACY: "inaccuracy",
    review_service_pb2.VERDICT_MISTAKE: "mistake",
    review_service_pb2.VERDICT_BLUNDER: "blunder",
}
_STYLES: Final = {"mistake": "yellow", "blunder": "bold red"}


def print_beliefs(
    console: Console, observation: deal_pb2.Observation, answer: solver_service_pb2.GetBeliefsResponse
) -> None:
    """Prints the probability of every place of every card that the observer does not see."""
    places = sorted({_place(place) for card in answer.cards for place in card.places})
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("Card")
    for is_aside, seat in places:
        table.add_column("Laid aside" if is_aside else f"Seat {seat}", justify="right")
    for card in answer.cards:
        known = {_place(place): place for place in card.places}
        table.add_row(card.card, *(_chance(known.get(place)) for place in places))
    console.print(Text(f"What seat {observation.seat} may think of the cards it does not see", style="bold"))
    console.print(table)
    if answer.worlds:
        text = (
            f"By the rules and by what the others have done, from {answer.worlds:,} worlds, seed {answer.seed}; in "
            "brackets by the rules alone."
        )
    else:
        text = "By the rules alone: nobody has done anything yet that tells more."
    console.print(Text(text, style="dim"), soft_wrap=True)


def _place(place: solver_service_pb2.PlaceBelief) -> tuple[bool, int]:
    return place.aside, place.seat


def _chance(place: solver_service_pb2.PlaceBelief | None) -> str:
    if place is None:
        return "-"
    if abs(place.probability - place.rules_probability) < 0.005:
        return f"{place.probability:.0%}"
    return f"{place.probability:.0%} ({place.rules_probability:.0%})"


def print_review(console: Console, parts: Sequence[review_service_pb2.ReviewDealResponse]) -> None:
    """Prints the decisions that cost something, and the account of each seat."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in ("Move", "Seat", "Made", "Best", "", ""):
        table.add_column(title)
    table.columns[4].justify = "right"
    table.columns[4].header = "Cost ± error"
    for part in parts:
        verdict = _VERDICTS.get(part.decision.verdict) if part.HasField("decision") else None
        if verdict is not None:
            table.add_row(*_row(part.decision), verdict, style=_STYLES.get(verdict))
    reviewed = sum(part.HasField("decision") for part in parts)
    if table.row_count:
        console.print(table)
    else:
        console.print(Text(f"None of the {reviewed} decisions cost anything worth mentioning."))
    accounts = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in ("Seat", "Inacc.", "Mist.", "Blund.", "Expected", "Own moves", "Luck", "Result"):
        accounts.add_column(title, justify="right", no_wrap=True)
    for seat in parts[-1].summary.seats:
        accounts.add_row(
            *(str(number) for number in (seat.seat, seat.inaccuracies, seat.mistakes, seat.blunders)),
            f"{seat.first_expected_score:+.1f}",
            f"{seat.cost:+.1f} ± {seat.cost_standard_error:.1f}",
            f"{seat.luck:+.1f}",
            f"{seat.result:+.1f}",
        )
    console.print(accounts)
    text = (
        f"Each move was judged by what its seat knew, seed {parts[-1].summary.seed}. Expected at the first decision, "
        "plus what the own moves cost, plus luck (the cards, and what the others did) makes the result."
    )
    console.print(Text(text, style="dim"), soft_wrap=True)


def _row(decision: review_service_pb2.DecisionReview) -> tuple[str, ...]:
    made = decision.made
    return (
        str(decision.event_index + 1),
        str(decision.seat),
        move_text(made.move),
        move_text(decision.best.move),
        f"{-made.difference_to_best:.1f} ± {made.difference_standard_error:.1f}",
    )
