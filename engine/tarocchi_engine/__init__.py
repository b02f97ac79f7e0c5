"""The rules of the Italian tarot games with 62 cards: packs, deals, legal moves, observations and scores."""

from tarocchi_engine.cards import Pack
from tarocchi_engine.errors import (
    DealNotOverError,
    Fault,
    IllegalMoveError,
    InvalidDealError,
    InvalidObservationError,
    TarocchiError,
    UnknownVariantError,
)
from tarocchi_engine.match import Match, Standing
from tarocchi_engine.moves import Bid, Call, CallOut, Declare, Discard, Event, Give, Monte, Move, Play, Signal
from tarocchi_engine.observation import Observation, View, find_faults, view
from tarocchi_engine.options import OptionError, OptionInfo, options_of
from tarocchi_engine.record import Phase, Trick
from tarocchi_engine.state import State, new_deal, replay
from tarocchi_engine.table import Table
from tarocchi_engine.variant import DealScore, Ending, GameScore, SideScore, Variant
from tarocchi_engine.variants import VARIANTS, get_variant

__all__ = [
    "VARIANTS",
    "Bid",
    "Call",
    "CallOut",
    "DealNotOverError",
    "DealScore",
    "Declare",
    "Discard",
    "Ending",
    "Event",
    "Fault",
    "GameScore",
    "Give",
    "IllegalMoveError",
    "InvalidDealError",
    "InvalidObservationError",
    "Match",
    "Monte",
    "Move",
    "Observation",
    "OptionError",
    "OptionInfo",
    "Pack",
    "Phase",
    "Play",
    "SideScore",
    "Signal",
    "Standing",
    "State",
    "Table",
    "TarocchiError",
    "Trick",
    "UnknownVariantError",
    "Variant",
    "View",
    "find_faults",
    "get_variant",
    "new_deal",
    "options_of",
    "replay",
    "view",
]
