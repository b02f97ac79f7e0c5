"""The line of the log about one answered decision: all that is needed to make it again."""

from __future__ import annotations

import copy
import hashlib
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from google.protobuf import json_format
from google.protobuf.message import Message

from tarocchi.solver.v1 import review_service_pb2, solver_service_pb2
from tarocchi_engine import VARIANTS
from tarocchi_solver import __version__
from tarocchi_solver.service.answers import STOP_REASONS
from tarocchi_solver.service.formats import format_budget
from tarocchi_solver.service.records import Call, Trace

DECISION_EVENT: Final = "decision"
Request: TypeAlias = (
    solver_service_pb2.RecommendMoveRequest
    | solver_service_pb2.AnalyzePositionRequest
    | solver_service_pb2.GetBeliefsRequest
    | review_service_pb2.ReviewDealRequest
)
STOP_REASON_NAMES: Final = {
    reason: solver_service_pb2.StopReason.Name(reason).removeprefix("STOP_REASON_").lower()
    for reason in STOP_REASONS.values()
}
"""What the log and the metrics call the reasons, such as "iterations"."""
_COUNTED: Final = (solver_service_pb2.STOP_REASON_WORLDS, solver_service_pb2.STOP_REASON_ITERATIONS)


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision that was answered."""

    request: Request
    """As it was asked; it must not change any more."""
    answer: Message
    """What was sent, or the part of it that is about this decision."""
    seed: int
    trace: Trace
    diagnostics: solver_service_pb2.Diagnostics | None = None
    """None where nothing was searched, for beliefs."""
    exact: bool = False
    index: int | None = None
    """Its place in a batch, or the number of its event in a deal."""
    worlds: int | None = None
    """The worlds that beliefs were to be counted in."""

    @property
    def variant(self) -> str:
        """The name of the variant."""
        if isinstance(self.request, review_service_pb2.ReviewDealRequest):
            return self.request.deal.variant
        return self.request.observation.variant

    @property
    def stop_reason(self) -> str:
        """Why the search, or the whole analysis, ended, such as "iterations"; empty where nothing was searched."""
        if self.diagnostics is None:
            return ""
        reason = self.diagnostics.stop_reason
        if isinstance(self.answer, solver_service_pb2.AnalyzePositionResponse):
            reason = self.answer.stop_reason
        return STOP_REASON_NAMES[reason]

    @property
    def is_reproducible(self) -> bool:
        """Whether the same bytes come out again: not if a clock, or a signal to stop, had a say in them."""
        if self.diagnostics is None or self.diagnostics.stop_reason == solver_service_pb2.STOP_REASON_EXACT:
            return True
        if self.diagnostics.stop_reason == solver_service_pb2.STOP_REASON_SINGLE_MOVE:
            return self.exact or self.diagnostics.iterations > 0
        budget = self.trace.budget
        is_timed = budget is None or budget.time_ms is not None or self.trace.is_minimum
        return self.diagnostics.stop_reason in _COUNTED and not is_timed

    def used_budget(self) -> solver_service_pb2.Budget | None:
        """Returns the budget with which the decision is made again; None where nothing was searched."""
        if self.diagnostics is None:
            return None
        if self.is_reproducible and self.trace.budget is not None:
            return format_budget(self.trace.budget)
        return solver_service_pb2.Budget(iterations=max(self.diagnostics.iterations, 1))

    def fields(self, call: Call, *, with_request: bool) -> dict[str, Any]:
        """Returns what the line tells in JSON."""
        told: dict[str, Any] = {
            "method": call.method,
            "request_id": call.request_id,
            "caller": call.caller,
            "variant": self.variant,
            "solver_version": __version__,
            "rules_revision": VARIANTS[self.variant].rules_revision,
            "seed": str(self.seed),
            "queue_ms": _milliseconds(self.trace.queue_seconds),
            "search_ms": _milliseconds(self.trace.search_seconds),
            "minimum": self.trace.is_minimum,
            "reproducible": self.is_reproducible,
            "sha256": digest_of(self.answer),
        }
        if self.index is not None:
            told["index"] = self.index
        if self.worlds is not None:
            told["worlds"] = self.worlds
        if self.diagnostics is not None:
            told |= {"stop_reason": self.stop_reason, "iterations": self.diagnostics.iterations}
            if self.trace.threads != 1:
                told["threads"] = self.trace.threads
        if with_request:
            told |= self._request_fields()
        return told

    def _request_fields(self) -> dict[str, Any]:
        request = copy.deepcopy(self.request)
        request.seed = self.seed
        if isinstance(request, review_service_pb2.ReviewDealRequest):
            # what came later has no part in what a decision cost
            assert self.index is not None
            del request.events[self.index + 1 :]
            request.ClearField("seats")
        told: dict[str, Any] = {}
        if (used := self.used_budget()) is not None:
            assert self.diagnostics is not None
            assert not isinstance(request, solver_service_pb2.GetBeliefsRequest)
            if isinstance(request, solver_service_pb2.RecommendMoveRequest) and request.level:
                # a level goes without caps
                told["level_budget"] = json_format.MessageToDict(used)
            else:
                request.budget.CopyFrom(used)
            if used != self.diagnostics.budget:
                told["answer_budget"] = json_format.MessageToDict(self.diagnostics.budget)
        told["request"] = json_format.MessageToDict(request)
        return told


def digest_of(answer: Message) -> str:
    """Returns the SHA-256 of the bytes of an answer."""
    return hashlib.sha256(answer.SerializeToString(deterministic=True)).hexdigest()


def _milliseconds(seconds: float) -> float:
    return round(seconds * 1000, 1)
