from google.protobuf import duration_pb2 as _duration_pb2
from tarocchi.solver.v1 import deal_pb2 as _deal_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class StopReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STOP_REASON_UNSPECIFIED: _ClassVar[StopReason]
    STOP_REASON_SINGLE_MOVE: _ClassVar[StopReason]
    STOP_REASON_EXACT: _ClassVar[StopReason]
    STOP_REASON_WORLDS: _ClassVar[StopReason]
    STOP_REASON_ITERATIONS: _ClassVar[StopReason]
    STOP_REASON_TIME: _ClassVar[StopReason]
    STOP_REASON_STOPPED: _ClassVar[StopReason]
STOP_REASON_UNSPECIFIED: StopReason
STOP_REASON_SINGLE_MOVE: StopReason
STOP_REASON_EXACT: StopReason
STOP_REASON_WORLDS: StopReason
STOP_REASON_ITERATIONS: StopReason
STOP_REASON_TIME: StopReason
STOP_REASON_STOPPED: StopReason

class Budget(_message.Message):
    __slots__ = ("worlds", "iterations", "duration")
    WORLDS_FIELD_NUMBER: _ClassVar[int]
    ITERATIONS_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    worlds: int
    iterations: int
    duration: _duration_pb2.Duration
    def __init__(self, worlds: _Optional[int] = ..., iterations: _Optional[int] = ..., duration: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class RecommendMoveRequest(_message.Message):
    __slots__ = ("observation", "budget", "seed")
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    observation: _deal_pb2.Observation
    budget: Budget
    seed: int
    def __init__(self, observation: _Optional[_Union[_deal_pb2.Observation, _Mapping]] = ..., budget: _Optional[_Union[Budget, _Mapping]] = ..., seed: _Optional[int] = ...) -> None: ...

class RecommendMoveResponse(_message.Message):
    __slots__ = ("move", "moves", "exact", "diagnostics", "legal_move_count")
    MOVE_FIELD_NUMBER: _ClassVar[int]
    MOVES_FIELD_NUMBER: _ClassVar[int]
    EXACT_FIELD_NUMBER: _ClassVar[int]
    DIAGNOSTICS_FIELD_NUMBER: _ClassVar[int]
    LEGAL_MOVE_COUNT_FIELD_NUMBER: _ClassVar[int]
    move: _deal_pb2.Move
    moves: _containers.RepeatedCompositeFieldContainer[MoveStatistics]
    exact: bool
    diagnostics: Diagnostics
    legal_move_count: int
    def __init__(self, move: _Optional[_Union[_deal_pb2.Move, _Mapping]] = ..., moves: _Optional[_Iterable[_Union[MoveStatistics, _Mapping]]] = ..., exact: bool = ..., diagnostics: _Optional[_Union[Diagnostics, _Mapping]] = ..., legal_move_count: _Optional[int] = ...) -> None: ...

class MoveStatistics(_message.Message):
    __slots__ = ("move", "rank", "visits", "worlds", "expected_score", "standard_error", "difference_to_best", "difference_standard_error", "win_probability", "score_quantiles", "principal_variation", "match_win_probability", "raw_score", "score_range", "safe_score")
    MOVE_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    VISITS_FIELD_NUMBER: _ClassVar[int]
    WORLDS_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_SCORE_FIELD_NUMBER: _ClassVar[int]
    STANDARD_ERROR_FIELD_NUMBER: _ClassVar[int]
    DIFFERENCE_TO_BEST_FIELD_NUMBER: _ClassVar[int]
    DIFFERENCE_STANDARD_ERROR_FIELD_NUMBER: _ClassVar[int]
    WIN_PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    SCORE_QUANTILES_FIELD_NUMBER: _ClassVar[int]
    PRINCIPAL_VARIATION_FIELD_NUMBER: _ClassVar[int]
    MATCH_WIN_PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    RAW_SCORE_FIELD_NUMBER: _ClassVar[int]
    SCORE_RANGE_FIELD_NUMBER: _ClassVar[int]
    SAFE_SCORE_FIELD_NUMBER: _ClassVar[int]
    move: _deal_pb2.Move
    rank: int
    visits: int
    worlds: int
    expected_score: float
    standard_error: float
    difference_to_best: float
    difference_standard_error: float
    win_probability: float
    score_quantiles: _containers.RepeatedCompositeFieldContainer[ScoreQuantile]
    principal_variation: _containers.RepeatedCompositeFieldContainer[_deal_pb2.Event]
    match_win_probability: float
    raw_score: float
    score_range: ScoreRange
    safe_score: float
    def __init__(self, move: _Optional[_Union[_deal_pb2.Move, _Mapping]] = ..., rank: _Optional[int] = ..., visits: _Optional[int] = ..., worlds: _Optional[int] = ..., expected_score: _Optional[float] = ..., standard_error: _Optional[float] = ..., difference_to_best: _Optional[float] = ..., difference_standard_error: _Optional[float] = ..., win_probability: _Optional[float] = ..., score_quantiles: _Optional[_Iterable[_Union[ScoreQuantile, _Mapping]]] = ..., principal_variation: _Optional[_Iterable[_Union[_deal_pb2.Event, _Mapping]]] = ..., match_win_probability: _Optional[float] = ..., raw_score: _Optional[float] = ..., score_range: _Optional[_Union[ScoreRange, _Mapping]] = ..., safe_score: _Optional[float] = ...) -> None: ...

class ScoreRange(_message.Message):
    __slots__ = ("low", "high", "probability")
    LOW_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    low: float
    high: float
    probability: float
    def __init__(self, low: _Optional[float] = ..., high: _Optional[float] = ..., probability: _Optional[float] = ...) -> None: ...

class ScoreQuantile(_message.Message):
    __slots__ = ("probability", "score")
    PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    probability: float
    score: float
    def __init__(self, probability: _Optional[float] = ..., score: _Optional[float] = ...) -> None: ...

class Diagnostics(_message.Message):
    __slots__ = ("solver_version", "rules_revision", "seed", "budget", "worlds", "evaluation_worlds", "iterations", "stop_reason", "exact_solves", "rejected_worlds", "belief_effective_share")
    SOLVER_VERSION_FIELD_NUMBER: _ClassVar[int]
    RULES_REVISION_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    WORLDS_FIELD_NUMBER: _ClassVar[int]
    EVALUATION_WORLDS_FIELD_NUMBER: _ClassVar[int]
    ITERATIONS_FIELD_NUMBER: _ClassVar[int]
    STOP_REASON_FIELD_NUMBER: _ClassVar[int]
    EXACT_SOLVES_FIELD_NUMBER: _ClassVar[int]
    REJECTED_WORLDS_FIELD_NUMBER: _ClassVar[int]
    BELIEF_EFFECTIVE_SHARE_FIELD_NUMBER: _ClassVar[int]
    solver_version: str
    rules_revision: int
    seed: int
    budget: Budget
    worlds: int
    evaluation_worlds: int
    iterations: int
    stop_reason: StopReason
    exact_solves: int
    rejected_worlds: int
    belief_effective_share: float
    def __init__(self, solver_version: _Optional[str] = ..., rules_revision: _Optional[int] = ..., seed: _Optional[int] = ..., budget: _Optional[_Union[Budget, _Mapping]] = ..., worlds: _Optional[int] = ..., evaluation_worlds: _Optional[int] = ..., iterations: _Optional[int] = ..., stop_reason: _Optional[_Union[StopReason, str]] = ..., exact_solves: _Optional[int] = ..., rejected_worlds: _Optional[int] = ..., belief_effective_share: _Optional[float] = ...) -> None: ...

class GetServerInfoRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetServerInfoResponse(_message.Message):
    __slots__ = ("solver_version", "variants", "default_budget", "maximum_budget", "request_size_limit", "concurrent_search_count", "queue_size", "thread_count")
    SOLVER_VERSION_FIELD_NUMBER: _ClassVar[int]
    VARIANTS_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_BUDGET_FIELD_NUMBER: _ClassVar[int]
    MAXIMUM_BUDGET_FIELD_NUMBER: _ClassVar[int]
    REQUEST_SIZE_LIMIT_FIELD_NUMBER: _ClassVar[int]
    CONCURRENT_SEARCH_COUNT_FIELD_NUMBER: _ClassVar[int]
    QUEUE_SIZE_FIELD_NUMBER: _ClassVar[int]
    THREAD_COUNT_FIELD_NUMBER: _ClassVar[int]
    solver_version: str
    variants: _containers.RepeatedCompositeFieldContainer[VariantVersion]
    default_budget: Budget
    maximum_budget: Budget
    request_size_limit: int
    concurrent_search_count: int
    queue_size: int
    thread_count: int
    def __init__(self, solver_version: _Optional[str] = ..., variants: _Optional[_Iterable[_Union[VariantVersion, _Mapping]]] = ..., default_budget: _Optional[_Union[Budget, _Mapping]] = ..., maximum_budget: _Optional[_Union[Budget, _Mapping]] = ..., request_size_limit: _Optional[int] = ..., concurrent_search_count: _Optional[int] = ..., queue_size: _Optional[int] = ..., thread_count: _Optional[int] = ...) -> None: ...

class VariantVersion(_message.Message):
    __slots__ = ("name", "rules_revision")
    NAME_FIELD_NUMBER: _ClassVar[int]
    RULES_REVISION_FIELD_NUMBER: _ClassVar[int]
    name: str
    rules_revision: int
    def __init__(self, name: _Optional[str] = ..., rules_revision: _Optional[int] = ...) -> None: ...
