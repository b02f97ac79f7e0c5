from google.protobuf import duration_pb2 as _duration_pb2
from tarocchi.solver.v1 import deal_pb2 as _deal_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Level(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    LEVEL_UNSPECIFIED: _ClassVar[Level]
    LEVEL_BEGINNER: _ClassVar[Level]
    LEVEL_CASUAL: _ClassVar[Level]
    LEVEL_CLUB: _ClassVar[Level]
    LEVEL_EXPERT: _ClassVar[Level]
    LEVEL_MASTER: _ClassVar[Level]

class Priority(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PRIORITY_UNSPECIFIED: _ClassVar[Priority]
    PRIORITY_LIVE: _ClassVar[Priority]
    PRIORITY_ANALYSIS: _ClassVar[Priority]

class StopReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STOP_REASON_UNSPECIFIED: _ClassVar[StopReason]
    STOP_REASON_SINGLE_MOVE: _ClassVar[StopReason]
    STOP_REASON_EXACT: _ClassVar[StopReason]
    STOP_REASON_WORLDS: _ClassVar[StopReason]
    STOP_REASON_ITERATIONS: _ClassVar[StopReason]
    STOP_REASON_TIME: _ClassVar[StopReason]
    STOP_REASON_STOPPED: _ClassVar[StopReason]
LEVEL_UNSPECIFIED: Level
LEVEL_BEGINNER: Level
LEVEL_CASUAL: Level
LEVEL_CLUB: Level
LEVEL_EXPERT: Level
LEVEL_MASTER: Level
PRIORITY_UNSPECIFIED: Priority
PRIORITY_LIVE: Priority
PRIORITY_ANALYSIS: Priority
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
    __slots__ = ("observation", "budget", "seed", "level", "priority")
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    observation: _deal_pb2.Observation
    budget: Budget
    seed: int
    level: Level
    priority: Priority
    def __init__(self, observation: _Optional[_Union[_deal_pb2.Observation, _Mapping]] = ..., budget: _Optional[_Union[Budget, _Mapping]] = ..., seed: _Optional[int] = ..., level: _Optional[_Union[Level, str]] = ..., priority: _Optional[_Union[Priority, str]] = ...) -> None: ...

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

class BatchRecommendMovesRequest(_message.Message):
    __slots__ = ("requests",)
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    requests: _containers.RepeatedCompositeFieldContainer[RecommendMoveRequest]
    def __init__(self, requests: _Optional[_Iterable[_Union[RecommendMoveRequest, _Mapping]]] = ...) -> None: ...

class BatchRecommendMovesResponse(_message.Message):
    __slots__ = ("responses",)
    RESPONSES_FIELD_NUMBER: _ClassVar[int]
    responses: _containers.RepeatedCompositeFieldContainer[RecommendMoveResponse]
    def __init__(self, responses: _Optional[_Iterable[_Union[RecommendMoveResponse, _Mapping]]] = ...) -> None: ...

class AnalyzePositionRequest(_message.Message):
    __slots__ = ("observation", "budget", "seed", "interval", "priority")
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    INTERVAL_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    observation: _deal_pb2.Observation
    budget: Budget
    seed: int
    interval: _duration_pb2.Duration
    priority: Priority
    def __init__(self, observation: _Optional[_Union[_deal_pb2.Observation, _Mapping]] = ..., budget: _Optional[_Union[Budget, _Mapping]] = ..., seed: _Optional[int] = ..., interval: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., priority: _Optional[_Union[Priority, str]] = ...) -> None: ...

class AnalyzePositionResponse(_message.Message):
    __slots__ = ("recommendation", "final", "stop_reason")
    RECOMMENDATION_FIELD_NUMBER: _ClassVar[int]
    FINAL_FIELD_NUMBER: _ClassVar[int]
    STOP_REASON_FIELD_NUMBER: _ClassVar[int]
    recommendation: RecommendMoveResponse
    final: bool
    stop_reason: StopReason
    def __init__(self, recommendation: _Optional[_Union[RecommendMoveResponse, _Mapping]] = ..., final: bool = ..., stop_reason: _Optional[_Union[StopReason, str]] = ...) -> None: ...

class GetBeliefsRequest(_message.Message):
    __slots__ = ("observation", "seed")
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    observation: _deal_pb2.Observation
    seed: int
    def __init__(self, observation: _Optional[_Union[_deal_pb2.Observation, _Mapping]] = ..., seed: _Optional[int] = ...) -> None: ...

class GetBeliefsResponse(_message.Message):
    __slots__ = ("cards", "seed", "worlds", "belief_effective_share", "solver_version", "rules_revision")
    CARDS_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    WORLDS_FIELD_NUMBER: _ClassVar[int]
    BELIEF_EFFECTIVE_SHARE_FIELD_NUMBER: _ClassVar[int]
    SOLVER_VERSION_FIELD_NUMBER: _ClassVar[int]
    RULES_REVISION_FIELD_NUMBER: _ClassVar[int]
    cards: _containers.RepeatedCompositeFieldContainer[CardBelief]
    seed: int
    worlds: int
    belief_effective_share: float
    solver_version: str
    rules_revision: int
    def __init__(self, cards: _Optional[_Iterable[_Union[CardBelief, _Mapping]]] = ..., seed: _Optional[int] = ..., worlds: _Optional[int] = ..., belief_effective_share: _Optional[float] = ..., solver_version: _Optional[str] = ..., rules_revision: _Optional[int] = ...) -> None: ...

class CardBelief(_message.Message):
    __slots__ = ("card", "places")
    CARD_FIELD_NUMBER: _ClassVar[int]
    PLACES_FIELD_NUMBER: _ClassVar[int]
    card: str
    places: _containers.RepeatedCompositeFieldContainer[PlaceBelief]
    def __init__(self, card: _Optional[str] = ..., places: _Optional[_Iterable[_Union[PlaceBelief, _Mapping]]] = ...) -> None: ...

class PlaceBelief(_message.Message):
    __slots__ = ("seat", "aside", "probability", "standard_error", "rules_probability")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    ASIDE_FIELD_NUMBER: _ClassVar[int]
    PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    STANDARD_ERROR_FIELD_NUMBER: _ClassVar[int]
    RULES_PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    seat: int
    aside: bool
    probability: float
    standard_error: float
    rules_probability: float
    def __init__(self, seat: _Optional[int] = ..., aside: bool = ..., probability: _Optional[float] = ..., standard_error: _Optional[float] = ..., rules_probability: _Optional[float] = ...) -> None: ...

class GetServerInfoRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetServerInfoResponse(_message.Message):
    __slots__ = ("solver_version", "variants", "default_budget", "maximum_budget", "request_size_limit", "concurrent_search_count", "queue_size", "thread_count", "batch_size_limit", "levels")
    SOLVER_VERSION_FIELD_NUMBER: _ClassVar[int]
    VARIANTS_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_BUDGET_FIELD_NUMBER: _ClassVar[int]
    MAXIMUM_BUDGET_FIELD_NUMBER: _ClassVar[int]
    REQUEST_SIZE_LIMIT_FIELD_NUMBER: _ClassVar[int]
    CONCURRENT_SEARCH_COUNT_FIELD_NUMBER: _ClassVar[int]
    QUEUE_SIZE_FIELD_NUMBER: _ClassVar[int]
    THREAD_COUNT_FIELD_NUMBER: _ClassVar[int]
    BATCH_SIZE_LIMIT_FIELD_NUMBER: _ClassVar[int]
    LEVELS_FIELD_NUMBER: _ClassVar[int]
    solver_version: str
    variants: _containers.RepeatedCompositeFieldContainer[VariantVersion]
    default_budget: Budget
    maximum_budget: Budget
    request_size_limit: int
    concurrent_search_count: int
    queue_size: int
    thread_count: int
    batch_size_limit: int
    levels: _containers.RepeatedCompositeFieldContainer[LevelInfo]
    def __init__(self, solver_version: _Optional[str] = ..., variants: _Optional[_Iterable[_Union[VariantVersion, _Mapping]]] = ..., default_budget: _Optional[_Union[Budget, _Mapping]] = ..., maximum_budget: _Optional[_Union[Budget, _Mapping]] = ..., request_size_limit: _Optional[int] = ..., concurrent_search_count: _Optional[int] = ..., queue_size: _Optional[int] = ..., thread_count: _Optional[int] = ..., batch_size_limit: _Optional[int] = ..., levels: _Optional[_Iterable[_Union[LevelInfo, _Mapping]]] = ...) -> None: ...

class LevelInfo(_message.Message):
    __slots__ = ("level", "summary", "strengths")
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    STRENGTHS_FIELD_NUMBER: _ClassVar[int]
    level: Level
    summary: str
    strengths: _containers.RepeatedCompositeFieldContainer[LevelStrength]
    def __init__(self, level: _Optional[_Union[Level, str]] = ..., summary: _Optional[str] = ..., strengths: _Optional[_Iterable[_Union[LevelStrength, _Mapping]]] = ...) -> None: ...

class LevelStrength(_message.Message):
    __slots__ = ("variant", "opponent", "mean_difference", "standard_error", "pairs")
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    OPPONENT_FIELD_NUMBER: _ClassVar[int]
    MEAN_DIFFERENCE_FIELD_NUMBER: _ClassVar[int]
    STANDARD_ERROR_FIELD_NUMBER: _ClassVar[int]
    PAIRS_FIELD_NUMBER: _ClassVar[int]
    variant: str
    opponent: Level
    mean_difference: float
    standard_error: float
    pairs: int
    def __init__(self, variant: _Optional[str] = ..., opponent: _Optional[_Union[Level, str]] = ..., mean_difference: _Optional[float] = ..., standard_error: _Optional[float] = ..., pairs: _Optional[int] = ...) -> None: ...

class VariantVersion(_message.Message):
    __slots__ = ("name", "rules_revision")
    NAME_FIELD_NUMBER: _ClassVar[int]
    RULES_REVISION_FIELD_NUMBER: _ClassVar[int]
    name: str
    rules_revision: int
    def __init__(self, name: _Optional[str] = ..., rules_revision: _Optional[int] = ...) -> None: ...
