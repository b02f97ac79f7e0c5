"""Builds the answers about beliefs, reviews and levels."""

from __future__ import annotations

from dataclasses import asdict
from typing import Final

from tarocchi.solver.v1 import review_service_pb2, solver_service_pb2
from tarocchi_engine import VARIANTS, State, View
from tarocchi_engine.facts import ASIDE_HOLDER
from tarocchi_solver.levels import LEVELS, level_strengths
from tarocchi_solver.search import Budget
from tarocchi_solver.search.beliefs import Beliefs
from tarocchi_solver.search.review import DecisionReview, SeatReview, Verdict
from tarocchi_solver.service.answers import diagnostics_answer, statistics_answer, versions
from tarocchi_solver.service.formats import LEVEL_NUMBERS, format_phase

_VERDICTS: Final = {
    Verdict.FORCED: review_service_pb2.VERDICT_FORCED,
    Verdict.GOOD: review_service_pb2.VERDICT_GOOD,
    Verdict.INACCURACY: review_service_pb2.VERDICT_INACCURACY,
    Verdict.MISTAKE: review_service_pb2.VERDICT_MISTAKE,
    Verdict.BLUNDER: review_service_pb2.VERDICT_BLUNDER,
}


def beliefs_answer(view: View, found: Beliefs) -> solver_service_pb2.GetBeliefsResponse:
    """Returns where the cards may lie that the observer of `view` does not see."""
    return solver_service_pb2.GetBeliefsResponse(
        cards=[
            solver_service_pb2.CardBelief(
                card=view.variant.pack.format_card(card.card),
                places=[
                    solver_service_pb2.PlaceBelief(
                        seat=None if place.holder == ASIDE_HOLDER else place.holder,
                        aside=place.holder == ASIDE_HOLDER,
                        probability=place.probability,
                        standard_error=place.standard_error,
                        rules_probability=place.rules_probability,
                    )
                    for place in card.places
                ],
            )
            for card in found.cards
        ],
        seed=found.seed,
        worlds=found.worlds,
        belief_effective_share=found.effective_share,
        **versions(view.variant),
    )


def decision_review_answer(state: State, found: DecisionReview, budget: Budget) -> review_service_pb2.DecisionReview:
    """Returns the review of one decision, of which the search was given `budget`."""
    pack = state.variant.pack
    return review_service_pb2.DecisionReview(
        event_index=found.event_index,
        seat=found.seat,
        phase=format_phase(found.phase),
        made=statistics_answer(pack, found.made),
        best=statistics_answer(pack, found.best),
        verdict=_VERDICTS[found.verdict],
        exact=found.exact,
        diagnostics=diagnostics_answer(state.variant, found.diagnostics, budget),
    )


def seat_review_answer(found: SeatReview) -> review_service_pb2.SeatReview:
    """Returns the account of one seat."""
    return review_service_pb2.SeatReview(**asdict(found))


def level_infos() -> list[solver_service_pb2.LevelInfo]:
    """Returns all levels, weakest first, with what they were measured at."""
    measured = [(variant, strength) for variant in VARIANTS for strength in level_strengths(variant)]
    return [
        solver_service_pb2.LevelInfo(
            level=LEVEL_NUMBERS[level],
            summary=settings.summary,
            strengths=[
                solver_service_pb2.LevelStrength(
                    variant=variant,
                    opponent=LEVEL_NUMBERS[strength.opponent],
                    mean_difference=strength.mean_difference,
                    standard_error=strength.standard_error,
                    pairs=strength.pairs,
                )
                for variant, strength in measured
                if strength.level is level
            ],
        )
        for level, settings in LEVELS.items()
    ]
