from tarocchi.solver.v1 import deal_pb2 as _deal_pb2
from tarocchi.solver.v1 import rules_service_pb2 as _rules_service_pb2
from tarocchi.solver.v1 import solver_service_pb2 as _solver_service_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Verdict(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VERDICT_UNSPECIFIED: _ClassVar[Verdict]
    VERDICT_FORCED: _ClassVar[Verdict]
    VERDICT_GOOD: _ClassVar[Verdict]
    VERDICT_INACCURACY: _ClassVar[Verdict]
    VERDICT_MISTAKE: _ClassVar[Verdict]
    VERDICT_BLUNDER: _ClassVar[Verdict]
VERDICT_UNSPECIFIED: Verdict
VERDICT_FORCED: Verdict
VERDICT_GOOD: Verdict
VERDICT_INACCURACY: Verdict
VERDICT_MISTAKE: Verdict
VERDICT_BLUNDER: Verdict

class ReviewDealRequest(_message.Message):
    __slots__ = ("deal", "events", "seats", "budget", "seed")
    DEAL_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    deal: _rules_service_pb2.Deal
    events: _containers.RepeatedCompositeFieldContainer[_deal_pb2.Event]
    seats: _containers.RepeatedScalarFieldContainer[int]
    budget: _solver_service_pb2.Budget
    seed: int
    def __init__(self, deal: _Optional[_Union[_rules_service_pb2.Deal, _Mapping]] = ..., events: _Optional[_Iterable[_Union[_deal_pb2.Event, _Mapping]]] = ..., seats: _Optional[_Iterable[int]] = ..., budget: _Optional[_Union[_solver_service_pb2.Budget, _Mapping]] = ..., seed: _Optional[int] = ...) -> None: ...

class ReviewDealResponse(_message.Message):
    __slots__ = ("decision", "summary")
    DECISION_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    decision: DecisionReview
    summary: DealReview
    def __init__(self, decision: _Optional[_Union[DecisionReview, _Mapping]] = ..., summary: _Optional[_Union[DealReview, _Mapping]] = ...) -> None: ...

class DecisionReview(_message.Message):
    __slots__ = ("event_index", "seat", "phase", "made", "best", "verdict", "exact", "diagnostics")
    EVENT_INDEX_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    MADE_FIELD_NUMBER: _ClassVar[int]
    BEST_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    EXACT_FIELD_NUMBER: _ClassVar[int]
    DIAGNOSTICS_FIELD_NUMBER: _ClassVar[int]
    event_index: int
    seat: int
    phase: _deal_pb2.Phase
    made: _solver_service_pb2.MoveStatistics
    best: _solver_service_pb2.MoveStatistics
    verdict: Verdict
    exact: bool
    diagnostics: _solver_service_pb2.Diagnostics
    def __init__(self, event_index: _Optional[int] = ..., seat: _Optional[int] = ..., phase: _Optional[_Union[_deal_pb2.Phase, str]] = ..., made: _Optional[_Union[_solver_service_pb2.MoveStatistics, _Mapping]] = ..., best: _Optional[_Union[_solver_service_pb2.MoveStatistics, _Mapping]] = ..., verdict: _Optional[_Union[Verdict, str]] = ..., exact: bool = ..., diagnostics: _Optional[_Union[_solver_service_pb2.Diagnostics, _Mapping]] = ...) -> None: ...

class DealReview(_message.Message):
    __slots__ = ("seats", "seed", "solver_version", "rules_revision")
    SEATS_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    SOLVER_VERSION_FIELD_NUMBER: _ClassVar[int]
    RULES_REVISION_FIELD_NUMBER: _ClassVar[int]
    seats: _containers.RepeatedCompositeFieldContainer[SeatReview]
    seed: int
    solver_version: str
    rules_revision: int
    def __init__(self, seats: _Optional[_Iterable[_Union[SeatReview, _Mapping]]] = ..., seed: _Optional[int] = ..., solver_version: _Optional[str] = ..., rules_revision: _Optional[int] = ...) -> None: ...

class SeatReview(_message.Message):
    __slots__ = ("seat", "choices", "inaccuracies", "mistakes", "blunders", "cost", "cost_standard_error", "first_expected_score", "result", "luck")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CHOICES_FIELD_NUMBER: _ClassVar[int]
    INACCURACIES_FIELD_NUMBER: _ClassVar[int]
    MISTAKES_FIELD_NUMBER: _ClassVar[int]
    BLUNDERS_FIELD_NUMBER: _ClassVar[int]
    COST_FIELD_NUMBER: _ClassVar[int]
    COST_STANDARD_ERROR_FIELD_NUMBER: _ClassVar[int]
    FIRST_EXPECTED_SCORE_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    LUCK_FIELD_NUMBER: _ClassVar[int]
    seat: int
    choices: int
    inaccuracies: int
    mistakes: int
    blunders: int
    cost: float
    cost_standard_error: float
    first_expected_score: float
    result: float
    luck: float
    def __init__(self, seat: _Optional[int] = ..., choices: _Optional[int] = ..., inaccuracies: _Optional[int] = ..., mistakes: _Optional[int] = ..., blunders: _Optional[int] = ..., cost: _Optional[float] = ..., cost_standard_error: _Optional[float] = ..., first_expected_score: _Optional[float] = ..., result: _Optional[float] = ..., luck: _Optional[float] = ...) -> None: ...
