from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Phase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PHASE_UNSPECIFIED: _ClassVar[Phase]
    PHASE_DISCARD: _ClassVar[Phase]
    PHASE_DECLARE: _ClassVar[Phase]
    PHASE_PLAY: _ClassVar[Phase]
    PHASE_END: _ClassVar[Phase]
    PHASE_MONTE: _ClassVar[Phase]
    PHASE_BID: _ClassVar[Phase]
    PHASE_CALL_OUT: _ClassVar[Phase]
    PHASE_GIVE: _ClassVar[Phase]

class Call(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CALL_UNSPECIFIED: _ClassVar[Call]
    CALL_PASS: _ClassVar[Call]
    CALL_GIOCO: _ClassVar[Call]
    CALL_SOLO: _ClassVar[Call]

class Signal(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SIGNAL_UNSPECIFIED: _ClassVar[Signal]
    SIGNAL_VOLO: _ClassVar[Signal]
    SIGNAL_STRISCIO: _ClassVar[Signal]
    SIGNAL_BUSSO: _ClassVar[Signal]
PHASE_UNSPECIFIED: Phase
PHASE_DISCARD: Phase
PHASE_DECLARE: Phase
PHASE_PLAY: Phase
PHASE_END: Phase
PHASE_MONTE: Phase
PHASE_BID: Phase
PHASE_CALL_OUT: Phase
PHASE_GIVE: Phase
CALL_UNSPECIFIED: Call
CALL_PASS: Call
CALL_GIOCO: Call
CALL_SOLO: Call
SIGNAL_UNSPECIFIED: Signal
SIGNAL_VOLO: Signal
SIGNAL_STRISCIO: Signal
SIGNAL_BUSSO: Signal

class Monte(_message.Message):
    __slots__ = ("throws_in",)
    THROWS_IN_FIELD_NUMBER: _ClassVar[int]
    throws_in: bool
    def __init__(self, throws_in: bool = ...) -> None: ...

class CallOut(_message.Message):
    __slots__ = ("cards",)
    CARDS_FIELD_NUMBER: _ClassVar[int]
    cards: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, cards: _Optional[_Iterable[str]] = ...) -> None: ...

class Bid(_message.Message):
    __slots__ = ("call",)
    CALL_FIELD_NUMBER: _ClassVar[int]
    call: Call
    def __init__(self, call: _Optional[_Union[Call, str]] = ...) -> None: ...

class Discard(_message.Message):
    __slots__ = ("cards", "announced_trump_count")
    CARDS_FIELD_NUMBER: _ClassVar[int]
    ANNOUNCED_TRUMP_COUNT_FIELD_NUMBER: _ClassVar[int]
    cards: _containers.RepeatedScalarFieldContainer[str]
    announced_trump_count: int
    def __init__(self, cards: _Optional[_Iterable[str]] = ..., announced_trump_count: _Optional[int] = ...) -> None: ...

class Declare(_message.Message):
    __slots__ = ("cards",)
    CARDS_FIELD_NUMBER: _ClassVar[int]
    cards: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, cards: _Optional[_Iterable[str]] = ...) -> None: ...

class Play(_message.Message):
    __slots__ = ("card", "signal")
    CARD_FIELD_NUMBER: _ClassVar[int]
    SIGNAL_FIELD_NUMBER: _ClassVar[int]
    card: str
    signal: Signal
    def __init__(self, card: _Optional[str] = ..., signal: _Optional[_Union[Signal, str]] = ...) -> None: ...

class Give(_message.Message):
    __slots__ = ("card",)
    CARD_FIELD_NUMBER: _ClassVar[int]
    card: str
    def __init__(self, card: _Optional[str] = ...) -> None: ...

class Move(_message.Message):
    __slots__ = ("discard", "declare", "play", "monte", "call_out", "bid", "give")
    DISCARD_FIELD_NUMBER: _ClassVar[int]
    DECLARE_FIELD_NUMBER: _ClassVar[int]
    PLAY_FIELD_NUMBER: _ClassVar[int]
    MONTE_FIELD_NUMBER: _ClassVar[int]
    CALL_OUT_FIELD_NUMBER: _ClassVar[int]
    BID_FIELD_NUMBER: _ClassVar[int]
    GIVE_FIELD_NUMBER: _ClassVar[int]
    discard: Discard
    declare: Declare
    play: Play
    monte: Monte
    call_out: CallOut
    bid: Bid
    give: Give
    def __init__(self, discard: _Optional[_Union[Discard, _Mapping]] = ..., declare: _Optional[_Union[Declare, _Mapping]] = ..., play: _Optional[_Union[Play, _Mapping]] = ..., monte: _Optional[_Union[Monte, _Mapping]] = ..., call_out: _Optional[_Union[CallOut, _Mapping]] = ..., bid: _Optional[_Union[Bid, _Mapping]] = ..., give: _Optional[_Union[Give, _Mapping]] = ...) -> None: ...

class Event(_message.Message):
    __slots__ = ("seat", "discard", "declare", "play", "monte", "call_out", "bid", "give")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    DISCARD_FIELD_NUMBER: _ClassVar[int]
    DECLARE_FIELD_NUMBER: _ClassVar[int]
    PLAY_FIELD_NUMBER: _ClassVar[int]
    MONTE_FIELD_NUMBER: _ClassVar[int]
    CALL_OUT_FIELD_NUMBER: _ClassVar[int]
    BID_FIELD_NUMBER: _ClassVar[int]
    GIVE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    discard: Discard
    declare: Declare
    play: Play
    monte: Monte
    call_out: CallOut
    bid: Bid
    give: Give
    def __init__(self, seat: _Optional[int] = ..., discard: _Optional[_Union[Discard, _Mapping]] = ..., declare: _Optional[_Union[Declare, _Mapping]] = ..., play: _Optional[_Union[Play, _Mapping]] = ..., monte: _Optional[_Union[Monte, _Mapping]] = ..., call_out: _Optional[_Union[CallOut, _Mapping]] = ..., bid: _Optional[_Union[Bid, _Mapping]] = ..., give: _Optional[_Union[Give, _Mapping]] = ...) -> None: ...

class MatchStanding(_message.Message):
    __slots__ = ("scores", "deals_played")
    SCORES_FIELD_NUMBER: _ClassVar[int]
    DEALS_PLAYED_FIELD_NUMBER: _ClassVar[int]
    scores: _containers.RepeatedScalarFieldContainer[float]
    deals_played: int
    def __init__(self, scores: _Optional[_Iterable[float]] = ..., deals_played: _Optional[int] = ...) -> None: ...

class Observation(_message.Message):
    __slots__ = ("variant", "seat", "dealer", "hand", "events", "options", "standing")
    class OptionsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    DEALER_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    STANDING_FIELD_NUMBER: _ClassVar[int]
    variant: str
    seat: int
    dealer: int
    hand: _containers.RepeatedScalarFieldContainer[str]
    events: _containers.RepeatedCompositeFieldContainer[Event]
    options: _containers.ScalarMap[str, str]
    standing: MatchStanding
    def __init__(self, variant: _Optional[str] = ..., seat: _Optional[int] = ..., dealer: _Optional[int] = ..., hand: _Optional[_Iterable[str]] = ..., events: _Optional[_Iterable[_Union[Event, _Mapping]]] = ..., options: _Optional[_Mapping[str, str]] = ..., standing: _Optional[_Union[MatchStanding, _Mapping]] = ...) -> None: ...

class Trick(_message.Message):
    __slots__ = ("leader", "cards", "winner")
    LEADER_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    WINNER_FIELD_NUMBER: _ClassVar[int]
    leader: int
    cards: _containers.RepeatedScalarFieldContainer[str]
    winner: int
    def __init__(self, leader: _Optional[int] = ..., cards: _Optional[_Iterable[str]] = ..., winner: _Optional[int] = ...) -> None: ...

class Violation(_message.Message):
    __slots__ = ("field", "reason", "description")
    FIELD_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    field: str
    reason: str
    description: str
    def __init__(self, field: _Optional[str] = ..., reason: _Optional[str] = ..., description: _Optional[str] = ...) -> None: ...
