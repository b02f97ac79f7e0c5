"""Errors as gRPC clients see them: a status with machine-readable details.

Reasons are part of the contract: they may be added, never renamed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Final

import grpc
from google.protobuf import any_pb2
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

from tarocchi_engine import Fault

DOMAIN: Final = "tarocchi-solver"
MAX_FAULTS: Final = 1000
DETAILS_BYTES: Final = 5000
"""Details travel as a header, which clients limit to 8 KiB after base64."""
_LONGEST_MESSAGE: Final = 500
_LONGEST_DESCRIPTION: Final = 1500


class StatusReason(StrEnum):
    """Why a call failed."""

    INVALID_REQUEST = "INVALID_REQUEST"
    NOT_YOUR_TURN = "NOT_YOUR_TURN"
    DEAL_OVER = "DEAL_OVER"
    DEAL_NOT_OVER = "DEAL_NOT_OVER"
    QUEUE_FULL = "QUEUE_FULL"
    WARMING_UP = "WARMING_UP"
    WARM_UP_FAILED = "WARM_UP_FAILED"
    DRAINING = "DRAINING"
    CANCELLED = "CANCELLED"
    MISSING_TOKEN = "MISSING_TOKEN"
    UNKNOWN_TOKEN = "UNKNOWN_TOKEN"
    RATE_LIMIT = "RATE_LIMIT"
    CONCURRENCY_LIMIT = "CONCURRENCY_LIMIT"
    NO_REQUEST = "NO_REQUEST"  # in log and metrics only, as the next
    REQUEST_LATE = "REQUEST_LATE"
    INTERNAL_ERROR = "INTERNAL_ERROR"


class ViolationReason(StrEnum):
    """What is wrong with one field of a request; the rules of the game are the engine's reasons."""

    UNREADABLE_REQUEST = "UNREADABLE_REQUEST"
    TOO_MANY_EVENTS = "TOO_MANY_EVENTS"
    TOO_MANY_CARDS = "TOO_MANY_CARDS"
    TOO_MANY_OPTIONS = "TOO_MANY_OPTIONS"
    MISSING_FIELD = "MISSING_FIELD"
    OUT_OF_RANGE = "OUT_OF_RANGE"
    LEVEL_AND_BUDGET = "LEVEL_AND_BUDGET"
    UNKNOWN_VARIANT = "UNKNOWN_VARIANT"
    UNKNOWN_OPTION = "UNKNOWN_OPTION"
    UNKNOWN_OPTION_VALUE = "UNKNOWN_OPTION_VALUE"
    SCORE_COUNT = "SCORE_COUNT"
    SCORE_TOTAL = "SCORE_TOTAL"
    MATCH_OVER = "MATCH_OVER"
    UNKNOWN_CARD = "UNKNOWN_CARD"
    REPEATED_CARD = "REPEATED_CARD"
    NO_SUCH_SEAT = "NO_SUCH_SEAT"
    HAND_COUNT = "HAND_COUNT"
    HAND_SIZE = "HAND_SIZE"
    STOCK_SIZE = "STOCK_SIZE"
    INCOMPLETE_PACK = "INCOMPLETE_PACK"
    CARD_ELSEWHERE = "CARD_ELSEWHERE"
    CARD_NOT_IN_HAND = "CARD_NOT_IN_HAND"
    CARD_ALREADY_PLAYED = "CARD_ALREADY_PLAYED"
    OUT_OF_TURN = "OUT_OF_TURN"
    WRONG_PHASE = "WRONG_PHASE"
    DEAL_OVER = "DEAL_OVER"
    MUST_FOLLOW = "MUST_FOLLOW"
    SUIT_DENIED_EARLIER = "SUIT_DENIED_EARLIER"
    DISCARD_SIZE = "DISCARD_SIZE"
    FIVE_POINT_CARD = "FIVE_POINT_CARD"
    TRUMP_WITHOUT_REASON = "TRUMP_WITHOUT_REASON"
    ANNOUNCEMENT_MISSING = "ANNOUNCEMENT_MISSING"
    WRONG_ANNOUNCEMENT = "WRONG_ANNOUNCEMENT"
    HIDDEN_CARDS_REVEALED = "HIDDEN_CARDS_REVEALED"
    CARDS_SCORE_NOTHING = "CARDS_SCORE_NOTHING"
    DISCARD_CONTRADICTED = "DISCARD_CONTRADICTED"
    DECLARATION_SIZE = "DECLARATION_SIZE"
    DECLARATION_INCOMPLETE = "DECLARATION_INCOMPLETE"
    TARGET_NOT_REACHED = "TARGET_NOT_REACHED"
    BID_TOO_LOW = "BID_TOO_LOW"
    NO_SIGNALS = "NO_SIGNALS"
    SIGNAL_NOT_ALLOWED = "SIGNAL_NOT_ALLOWED"
    FALSE_SIGNAL = "FALSE_SIGNAL"
    SIGNAL_CONTRADICTED = "SIGNAL_CONTRADICTED"
    CARD_NOT_TO_GIVE = "CARD_NOT_TO_GIVE"
    CONTRADICTION = "CONTRADICTION"
    WORLD_NOT_FOUND = "WORLD_NOT_FOUND"
    MORE_FAULTS = "MORE_FAULTS"


class RequestError(Exception):
    """A refusal or failure of one call, as it is told to the client."""

    def __init__(
        self,
        code: grpc.StatusCode,
        reason: StatusReason,
        message: str,
        *,
        faults: Sequence[Fault] = (),
        retry_seconds: float | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        """Describes the failure.

        Args:
            code: the gRPC status code.
            reason: stable name of what happened.
            message: one sentence for people.
            faults: everything wrong with the request.
            retry_seconds: when it makes sense to ask again; None for never.
            metadata: further facts for machines.
        """
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = _cut(message, _LONGEST_MESSAGE)
        self.faults = tuple(faults)
        self.retry_seconds = retry_seconds
        self.metadata = dict(metadata or {})

    def to_status(self) -> status_pb2.Status:
        """Returns the error in its form on the wire."""
        details: list[Message] = [
            error_details_pb2.ErrorInfo(reason=self.reason, domain=DOMAIN, metadata=self.metadata)
        ]
        if self.faults:
            details.append(_bad_request(self.faults))
        if self.retry_seconds is not None:
            retry = error_details_pb2.RetryInfo()
            retry.retry_delay.FromMilliseconds(round(self.retry_seconds * 1000))
            details.append(retry)
        status = status_pb2.Status(code=self.code.value[0], message=self.message)
        for detail in details:
            packed = any_pb2.Any()
            packed.Pack(detail)
            status.details.append(packed)
        return status


def invalid_request(faults: Sequence[Fault]) -> RequestError:
    """Returns the refusal of a request with faults."""
    first = faults[0]
    where = f"{first.path}: " if first.path else ""
    others = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return RequestError(
        grpc.StatusCode.INVALID_ARGUMENT,
        StatusReason.INVALID_REQUEST,
        f"{where}{first.message}{others}",
        faults=faults,
    )


class FaultList:
    """The faults of one request, up to MAX_FAULTS of them."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []

    def add(self, path: str, reason: ViolationReason, message: str) -> None:
        """Notes one fault."""
        self.extend([Fault(path, reason, message)])

    def extend(self, faults: Iterable[Fault]) -> None:
        """Notes faults found elsewhere."""
        for fault in faults:
            if len(self.faults) < MAX_FAULTS:
                self.faults.append(fault)

    def raise_if_any(self) -> None:
        """Raises the `RequestError` of a request with faults."""
        if self.faults:
            raise invalid_request(self.faults)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 4] + " ..."


def _bad_request(faults: Sequence[Fault]) -> error_details_pb2.BadRequest:
    """Returns as many faults as a header holds; the last entry says if there are more."""
    answer = error_details_pb2.BadRequest()
    size = 0
    for index, fault in enumerate(faults):
        violation = error_details_pb2.BadRequest.FieldViolation(
            field=fault.path, reason=fault.reason, description=_cut(fault.message, _LONGEST_DESCRIPTION)
        )
        size += violation.ByteSize()
        if size > DETAILS_BYTES - 1000:
            left = len(faults) - index
            answer.field_violations.add(
                field=fault.path,
                reason=ViolationReason.MORE_FAULTS,
                description=f"{left} further faults from here on do not fit into an error: ValidateObservation lists "
                "those of an observation",
            )
            break
        answer.field_violations.append(violation)
    return answer
