from tarocchi.solver.v1 import deal_pb2 as _deal_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Suit(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SUIT_UNSPECIFIED: _ClassVar[Suit]
    SUIT_SWORDS: _ClassVar[Suit]
    SUIT_BATONS: _ClassVar[Suit]
    SUIT_CUPS: _ClassVar[Suit]
    SUIT_COINS: _ClassVar[Suit]
    SUIT_TRUMPS: _ClassVar[Suit]
    SUIT_MATTO: _ClassVar[Suit]

class Ending(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ENDING_UNSPECIFIED: _ClassVar[Ending]
    ENDING_COUNT: _ClassVar[Ending]
    ENDING_THROWN_IN: _ClassVar[Ending]
    ENDING_PASSED: _ClassVar[Ending]
    ENDING_CALL_OUT: _ClassVar[Ending]
    ENDING_DECLARATION: _ClassVar[Ending]
SUIT_UNSPECIFIED: Suit
SUIT_SWORDS: Suit
SUIT_BATONS: Suit
SUIT_CUPS: Suit
SUIT_COINS: Suit
SUIT_TRUMPS: Suit
SUIT_MATTO: Suit
ENDING_UNSPECIFIED: Ending
ENDING_COUNT: Ending
ENDING_THROWN_IN: Ending
ENDING_PASSED: Ending
ENDING_CALL_OUT: Ending
ENDING_DECLARATION: Ending

class Card(_message.Message):
    __slots__ = ("id", "name_it", "name_en", "suit", "strength", "points")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_IT_FIELD_NUMBER: _ClassVar[int]
    NAME_EN_FIELD_NUMBER: _ClassVar[int]
    SUIT_FIELD_NUMBER: _ClassVar[int]
    STRENGTH_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    id: str
    name_it: str
    name_en: str
    suit: Suit
    strength: int
    points: int
    def __init__(self, id: _Optional[str] = ..., name_it: _Optional[str] = ..., name_en: _Optional[str] = ..., suit: _Optional[_Union[Suit, str]] = ..., strength: _Optional[int] = ..., points: _Optional[int] = ...) -> None: ...

class Pack(_message.Message):
    __slots__ = ("name", "cards")
    NAME_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    name: str
    cards: _containers.RepeatedCompositeFieldContainer[Card]
    def __init__(self, name: _Optional[str] = ..., cards: _Optional[_Iterable[_Union[Card, _Mapping]]] = ...) -> None: ...

class RuleOption(_message.Message):
    __slots__ = ("name", "values", "default_value", "summary")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_VALUE_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    name: str
    values: _containers.RepeatedScalarFieldContainer[str]
    default_value: str
    summary: str
    def __init__(self, name: _Optional[str] = ..., values: _Optional[_Iterable[str]] = ..., default_value: _Optional[str] = ..., summary: _Optional[str] = ...) -> None: ...

class Variant(_message.Message):
    __slots__ = ("name", "title_it", "title_en", "rules_revision", "seat_count", "seat_sides", "hand_size", "dealer_hand_size", "discard_count", "trick_count", "has_declarations", "announces_discarded_trumps", "pack", "options", "stock_size", "packet_sizes", "dealer_packet_sizes", "seats_score_alone", "has_auction", "has_signals", "has_monte_poll", "has_call_out", "giver_chooses", "match_deal_count", "match_target")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TITLE_IT_FIELD_NUMBER: _ClassVar[int]
    TITLE_EN_FIELD_NUMBER: _ClassVar[int]
    RULES_REVISION_FIELD_NUMBER: _ClassVar[int]
    SEAT_COUNT_FIELD_NUMBER: _ClassVar[int]
    SEAT_SIDES_FIELD_NUMBER: _ClassVar[int]
    HAND_SIZE_FIELD_NUMBER: _ClassVar[int]
    DEALER_HAND_SIZE_FIELD_NUMBER: _ClassVar[int]
    DISCARD_COUNT_FIELD_NUMBER: _ClassVar[int]
    TRICK_COUNT_FIELD_NUMBER: _ClassVar[int]
    HAS_DECLARATIONS_FIELD_NUMBER: _ClassVar[int]
    ANNOUNCES_DISCARDED_TRUMPS_FIELD_NUMBER: _ClassVar[int]
    PACK_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    STOCK_SIZE_FIELD_NUMBER: _ClassVar[int]
    PACKET_SIZES_FIELD_NUMBER: _ClassVar[int]
    DEALER_PACKET_SIZES_FIELD_NUMBER: _ClassVar[int]
    SEATS_SCORE_ALONE_FIELD_NUMBER: _ClassVar[int]
    HAS_AUCTION_FIELD_NUMBER: _ClassVar[int]
    HAS_SIGNALS_FIELD_NUMBER: _ClassVar[int]
    HAS_MONTE_POLL_FIELD_NUMBER: _ClassVar[int]
    HAS_CALL_OUT_FIELD_NUMBER: _ClassVar[int]
    GIVER_CHOOSES_FIELD_NUMBER: _ClassVar[int]
    MATCH_DEAL_COUNT_FIELD_NUMBER: _ClassVar[int]
    MATCH_TARGET_FIELD_NUMBER: _ClassVar[int]
    name: str
    title_it: str
    title_en: str
    rules_revision: int
    seat_count: int
    seat_sides: _containers.RepeatedScalarFieldContainer[int]
    hand_size: int
    dealer_hand_size: int
    discard_count: int
    trick_count: int
    has_declarations: bool
    announces_discarded_trumps: bool
    pack: Pack
    options: _containers.RepeatedCompositeFieldContainer[RuleOption]
    stock_size: int
    packet_sizes: _containers.RepeatedScalarFieldContainer[int]
    dealer_packet_sizes: _containers.RepeatedScalarFieldContainer[int]
    seats_score_alone: bool
    has_auction: bool
    has_signals: bool
    has_monte_poll: bool
    has_call_out: bool
    giver_chooses: bool
    match_deal_count: int
    match_target: int
    def __init__(self, name: _Optional[str] = ..., title_it: _Optional[str] = ..., title_en: _Optional[str] = ..., rules_revision: _Optional[int] = ..., seat_count: _Optional[int] = ..., seat_sides: _Optional[_Iterable[int]] = ..., hand_size: _Optional[int] = ..., dealer_hand_size: _Optional[int] = ..., discard_count: _Optional[int] = ..., trick_count: _Optional[int] = ..., has_declarations: bool = ..., announces_discarded_trumps: bool = ..., pack: _Optional[_Union[Pack, _Mapping]] = ..., options: _Optional[_Iterable[_Union[RuleOption, _Mapping]]] = ..., stock_size: _Optional[int] = ..., packet_sizes: _Optional[_Iterable[int]] = ..., dealer_packet_sizes: _Optional[_Iterable[int]] = ..., seats_score_alone: bool = ..., has_auction: bool = ..., has_signals: bool = ..., has_monte_poll: bool = ..., has_call_out: bool = ..., giver_chooses: bool = ..., match_deal_count: _Optional[int] = ..., match_target: _Optional[int] = ...) -> None: ...

class ListVariantsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListVariantsResponse(_message.Message):
    __slots__ = ("variants", "solver_version")
    VARIANTS_FIELD_NUMBER: _ClassVar[int]
    SOLVER_VERSION_FIELD_NUMBER: _ClassVar[int]
    variants: _containers.RepeatedCompositeFieldContainer[Variant]
    solver_version: str
    def __init__(self, variants: _Optional[_Iterable[_Union[Variant, _Mapping]]] = ..., solver_version: _Optional[str] = ...) -> None: ...

class ListLegalMovesRequest(_message.Message):
    __slots__ = ("observation",)
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    observation: _deal_pb2.Observation
    def __init__(self, observation: _Optional[_Union[_deal_pb2.Observation, _Mapping]] = ...) -> None: ...

class DiscardChoice(_message.Message):
    __slots__ = ("cards", "count")
    CARDS_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    cards: _containers.RepeatedScalarFieldContainer[str]
    count: int
    def __init__(self, cards: _Optional[_Iterable[str]] = ..., count: _Optional[int] = ...) -> None: ...

class DeclareChoice(_message.Message):
    __slots__ = ("cards",)
    CARDS_FIELD_NUMBER: _ClassVar[int]
    cards: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, cards: _Optional[_Iterable[str]] = ...) -> None: ...

class ListLegalMovesResponse(_message.Message):
    __slots__ = ("moves", "phase", "turn", "hand", "legal_move_count", "discard_choice", "declare_choice", "solver_version", "rules_revision")
    MOVES_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    LEGAL_MOVE_COUNT_FIELD_NUMBER: _ClassVar[int]
    DISCARD_CHOICE_FIELD_NUMBER: _ClassVar[int]
    DECLARE_CHOICE_FIELD_NUMBER: _ClassVar[int]
    SOLVER_VERSION_FIELD_NUMBER: _ClassVar[int]
    RULES_REVISION_FIELD_NUMBER: _ClassVar[int]
    moves: _containers.RepeatedCompositeFieldContainer[_deal_pb2.Move]
    phase: _deal_pb2.Phase
    turn: int
    hand: _containers.RepeatedScalarFieldContainer[str]
    legal_move_count: int
    discard_choice: DiscardChoice
    declare_choice: DeclareChoice
    solver_version: str
    rules_revision: int
    def __init__(self, moves: _Optional[_Iterable[_Union[_deal_pb2.Move, _Mapping]]] = ..., phase: _Optional[_Union[_deal_pb2.Phase, str]] = ..., turn: _Optional[int] = ..., hand: _Optional[_Iterable[str]] = ..., legal_move_count: _Optional[int] = ..., discard_choice: _Optional[_Union[DiscardChoice, _Mapping]] = ..., declare_choice: _Optional[_Union[DeclareChoice, _Mapping]] = ..., solver_version: _Optional[str] = ..., rules_revision: _Optional[int] = ...) -> None: ...

class ValidateObservationRequest(_message.Message):
    __slots__ = ("observation",)
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    observation: _deal_pb2.Observation
    def __init__(self, observation: _Optional[_Union[_deal_pb2.Observation, _Mapping]] = ...) -> None: ...

class ValidateObservationResponse(_message.Message):
    __slots__ = ("violations", "phase", "turn", "solver_version", "rules_revision")
    VIOLATIONS_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    SOLVER_VERSION_FIELD_NUMBER: _ClassVar[int]
    RULES_REVISION_FIELD_NUMBER: _ClassVar[int]
    violations: _containers.RepeatedCompositeFieldContainer[_deal_pb2.Violation]
    phase: _deal_pb2.Phase
    turn: int
    solver_version: str
    rules_revision: int
    def __init__(self, violations: _Optional[_Iterable[_Union[_deal_pb2.Violation, _Mapping]]] = ..., phase: _Optional[_Union[_deal_pb2.Phase, str]] = ..., turn: _Optional[int] = ..., solver_version: _Optional[str] = ..., rules_revision: _Optional[int] = ...) -> None: ...

class Hand(_message.Message):
    __slots__ = ("cards",)
    CARDS_FIELD_NUMBER: _ClassVar[int]
    cards: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, cards: _Optional[_Iterable[str]] = ...) -> None: ...

class Deal(_message.Message):
    __slots__ = ("variant", "dealer", "hands", "seed", "options", "standing", "stock")
    class OptionsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    DEALER_FIELD_NUMBER: _ClassVar[int]
    HANDS_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    STANDING_FIELD_NUMBER: _ClassVar[int]
    STOCK_FIELD_NUMBER: _ClassVar[int]
    variant: str
    dealer: int
    hands: _containers.RepeatedCompositeFieldContainer[Hand]
    seed: int
    options: _containers.ScalarMap[str, str]
    standing: _deal_pb2.MatchStanding
    stock: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, variant: _Optional[str] = ..., dealer: _Optional[int] = ..., hands: _Optional[_Iterable[_Union[Hand, _Mapping]]] = ..., seed: _Optional[int] = ..., options: _Optional[_Mapping[str, str]] = ..., standing: _Optional[_Union[_deal_pb2.MatchStanding, _Mapping]] = ..., stock: _Optional[_Iterable[str]] = ...) -> None: ...

class NewDealRequest(_message.Message):
    __slots__ = ("variant", "seed", "dealer", "options", "standing")
    class OptionsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    DEALER_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    STANDING_FIELD_NUMBER: _ClassVar[int]
    variant: str
    seed: int
    dealer: int
    options: _containers.ScalarMap[str, str]
    standing: _deal_pb2.MatchStanding
    def __init__(self, variant: _Optional[str] = ..., seed: _Optional[int] = ..., dealer: _Optional[int] = ..., options: _Optional[_Mapping[str, str]] = ..., standing: _Optional[_Union[_deal_pb2.MatchStanding, _Mapping]] = ...) -> None: ...

class NewDealResponse(_message.Message):
    __slots__ = ("deal", "solver_version", "rules_revision")
    DEAL_FIELD_NUMBER: _ClassVar[int]
    SOLVER_VERSION_FIELD_NUMBER: _ClassVar[int]
    RULES_REVISION_FIELD_NUMBER: _ClassVar[int]
    deal: Deal
    solver_version: str
    rules_revision: int
    def __init__(self, deal: _Optional[_Union[Deal, _Mapping]] = ..., solver_version: _Optional[str] = ..., rules_revision: _Optional[int] = ...) -> None: ...

class ReplayDealRequest(_message.Message):
    __slots__ = ("deal", "events", "include_decisions")
    DEAL_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_DECISIONS_FIELD_NUMBER: _ClassVar[int]
    deal: Deal
    events: _containers.RepeatedCompositeFieldContainer[_deal_pb2.Event]
    include_decisions: bool
    def __init__(self, deal: _Optional[_Union[Deal, _Mapping]] = ..., events: _Optional[_Iterable[_Union[_deal_pb2.Event, _Mapping]]] = ..., include_decisions: bool = ...) -> None: ...

class Decision(_message.Message):
    __slots__ = ("seat", "phase", "observations")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    OBSERVATIONS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    phase: _deal_pb2.Phase
    observations: _containers.RepeatedCompositeFieldContainer[_deal_pb2.Observation]
    def __init__(self, seat: _Optional[int] = ..., phase: _Optional[_Union[_deal_pb2.Phase, str]] = ..., observations: _Optional[_Iterable[_Union[_deal_pb2.Observation, _Mapping]]] = ...) -> None: ...

class ReplayDealResponse(_message.Message):
    __slots__ = ("phase", "turn", "legal_moves", "hands", "discard", "tricks", "current_trick", "observations", "events", "score", "match_progress", "match_deal_count", "match_target", "legal_move_count", "discard_choice", "declare_choice", "seat_sides", "declarer", "contract", "stock", "decisions", "solver_version", "rules_revision")
    PHASE_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    LEGAL_MOVES_FIELD_NUMBER: _ClassVar[int]
    HANDS_FIELD_NUMBER: _ClassVar[int]
    DISCARD_FIELD_NUMBER: _ClassVar[int]
    TRICKS_FIELD_NUMBER: _ClassVar[int]
    CURRENT_TRICK_FIELD_NUMBER: _ClassVar[int]
    OBSERVATIONS_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    MATCH_PROGRESS_FIELD_NUMBER: _ClassVar[int]
    MATCH_DEAL_COUNT_FIELD_NUMBER: _ClassVar[int]
    MATCH_TARGET_FIELD_NUMBER: _ClassVar[int]
    LEGAL_MOVE_COUNT_FIELD_NUMBER: _ClassVar[int]
    DISCARD_CHOICE_FIELD_NUMBER: _ClassVar[int]
    DECLARE_CHOICE_FIELD_NUMBER: _ClassVar[int]
    SEAT_SIDES_FIELD_NUMBER: _ClassVar[int]
    DECLARER_FIELD_NUMBER: _ClassVar[int]
    CONTRACT_FIELD_NUMBER: _ClassVar[int]
    STOCK_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    SOLVER_VERSION_FIELD_NUMBER: _ClassVar[int]
    RULES_REVISION_FIELD_NUMBER: _ClassVar[int]
    phase: _deal_pb2.Phase
    turn: int
    legal_moves: _containers.RepeatedCompositeFieldContainer[_deal_pb2.Move]
    hands: _containers.RepeatedCompositeFieldContainer[Hand]
    discard: _containers.RepeatedScalarFieldContainer[str]
    tricks: _containers.RepeatedCompositeFieldContainer[_deal_pb2.Trick]
    current_trick: _deal_pb2.Trick
    observations: _containers.RepeatedCompositeFieldContainer[_deal_pb2.Observation]
    events: _containers.RepeatedCompositeFieldContainer[_deal_pb2.Event]
    score: DealScore
    match_progress: MatchProgress
    match_deal_count: int
    match_target: int
    legal_move_count: int
    discard_choice: DiscardChoice
    declare_choice: DeclareChoice
    seat_sides: _containers.RepeatedScalarFieldContainer[int]
    declarer: int
    contract: _deal_pb2.Call
    stock: _containers.RepeatedScalarFieldContainer[str]
    decisions: _containers.RepeatedCompositeFieldContainer[Decision]
    solver_version: str
    rules_revision: int
    def __init__(self, phase: _Optional[_Union[_deal_pb2.Phase, str]] = ..., turn: _Optional[int] = ..., legal_moves: _Optional[_Iterable[_Union[_deal_pb2.Move, _Mapping]]] = ..., hands: _Optional[_Iterable[_Union[Hand, _Mapping]]] = ..., discard: _Optional[_Iterable[str]] = ..., tricks: _Optional[_Iterable[_Union[_deal_pb2.Trick, _Mapping]]] = ..., current_trick: _Optional[_Union[_deal_pb2.Trick, _Mapping]] = ..., observations: _Optional[_Iterable[_Union[_deal_pb2.Observation, _Mapping]]] = ..., events: _Optional[_Iterable[_Union[_deal_pb2.Event, _Mapping]]] = ..., score: _Optional[_Union[DealScore, _Mapping]] = ..., match_progress: _Optional[_Union[MatchProgress, _Mapping]] = ..., match_deal_count: _Optional[int] = ..., match_target: _Optional[int] = ..., legal_move_count: _Optional[int] = ..., discard_choice: _Optional[_Union[DiscardChoice, _Mapping]] = ..., declare_choice: _Optional[_Union[DeclareChoice, _Mapping]] = ..., seat_sides: _Optional[_Iterable[int]] = ..., declarer: _Optional[int] = ..., contract: _Optional[_Union[_deal_pb2.Call, str]] = ..., stock: _Optional[_Iterable[str]] = ..., decisions: _Optional[_Iterable[_Union[Decision, _Mapping]]] = ..., solver_version: _Optional[str] = ..., rules_revision: _Optional[int] = ...) -> None: ...

class MatchProgress(_message.Message):
    __slots__ = ("standing", "next_dealer", "finished", "winning_side", "winning_seat")
    STANDING_FIELD_NUMBER: _ClassVar[int]
    NEXT_DEALER_FIELD_NUMBER: _ClassVar[int]
    FINISHED_FIELD_NUMBER: _ClassVar[int]
    WINNING_SIDE_FIELD_NUMBER: _ClassVar[int]
    WINNING_SEAT_FIELD_NUMBER: _ClassVar[int]
    standing: _deal_pb2.MatchStanding
    next_dealer: int
    finished: bool
    winning_side: int
    winning_seat: int
    def __init__(self, standing: _Optional[_Union[_deal_pb2.MatchStanding, _Mapping]] = ..., next_dealer: _Optional[int] = ..., finished: bool = ..., winning_side: _Optional[int] = ..., winning_seat: _Optional[int] = ...) -> None: ...

class ScoreItem(_message.Message):
    __slots__ = ("name", "points")
    NAME_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    name: str
    points: int
    def __init__(self, name: _Optional[str] = ..., points: _Optional[int] = ...) -> None: ...

class SideScore(_message.Message):
    __slots__ = ("total", "card_points", "last_trick", "sets", "sets_total", "sequences", "sequences_total", "declarations", "trick_count", "cards")
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    CARD_POINTS_FIELD_NUMBER: _ClassVar[int]
    LAST_TRICK_FIELD_NUMBER: _ClassVar[int]
    SETS_FIELD_NUMBER: _ClassVar[int]
    SETS_TOTAL_FIELD_NUMBER: _ClassVar[int]
    SEQUENCES_FIELD_NUMBER: _ClassVar[int]
    SEQUENCES_TOTAL_FIELD_NUMBER: _ClassVar[int]
    DECLARATIONS_FIELD_NUMBER: _ClassVar[int]
    TRICK_COUNT_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    total: float
    card_points: float
    last_trick: float
    sets: _containers.RepeatedCompositeFieldContainer[ScoreItem]
    sets_total: int
    sequences: _containers.RepeatedCompositeFieldContainer[ScoreItem]
    sequences_total: int
    declarations: int
    trick_count: int
    cards: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, total: _Optional[float] = ..., card_points: _Optional[float] = ..., last_trick: _Optional[float] = ..., sets: _Optional[_Iterable[_Union[ScoreItem, _Mapping]]] = ..., sets_total: _Optional[int] = ..., sequences: _Optional[_Iterable[_Union[ScoreItem, _Mapping]]] = ..., sequences_total: _Optional[int] = ..., declarations: _Optional[int] = ..., trick_count: _Optional[int] = ..., cards: _Optional[_Iterable[str]] = ...) -> None: ...

class GameScore(_message.Message):
    __slots__ = ("contract", "declarer", "rounded", "game_points")
    CONTRACT_FIELD_NUMBER: _ClassVar[int]
    DECLARER_FIELD_NUMBER: _ClassVar[int]
    ROUNDED_FIELD_NUMBER: _ClassVar[int]
    GAME_POINTS_FIELD_NUMBER: _ClassVar[int]
    contract: _deal_pb2.Call
    declarer: int
    rounded: int
    game_points: int
    def __init__(self, contract: _Optional[_Union[_deal_pb2.Call, str]] = ..., declarer: _Optional[int] = ..., rounded: _Optional[int] = ..., game_points: _Optional[int] = ...) -> None: ...

class DealScore(_message.Message):
    __slots__ = ("sides", "winning_side", "matto_side", "matto_card", "discard_side", "ending", "awards", "game")
    SIDES_FIELD_NUMBER: _ClassVar[int]
    WINNING_SIDE_FIELD_NUMBER: _ClassVar[int]
    MATTO_SIDE_FIELD_NUMBER: _ClassVar[int]
    MATTO_CARD_FIELD_NUMBER: _ClassVar[int]
    DISCARD_SIDE_FIELD_NUMBER: _ClassVar[int]
    ENDING_FIELD_NUMBER: _ClassVar[int]
    AWARDS_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    sides: _containers.RepeatedCompositeFieldContainer[SideScore]
    winning_side: int
    matto_side: int
    matto_card: str
    discard_side: int
    ending: Ending
    awards: _containers.RepeatedScalarFieldContainer[float]
    game: GameScore
    def __init__(self, sides: _Optional[_Iterable[_Union[SideScore, _Mapping]]] = ..., winning_side: _Optional[int] = ..., matto_side: _Optional[int] = ..., matto_card: _Optional[str] = ..., discard_side: _Optional[int] = ..., ending: _Optional[_Union[Ending, str]] = ..., awards: _Optional[_Iterable[float]] = ..., game: _Optional[_Union[GameScore, _Mapping]] = ...) -> None: ...
