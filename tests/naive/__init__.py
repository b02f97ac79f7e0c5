"""The slow, obvious referee: all games written from the rules alone, with strings and lists.

It shares no code with the engine, so that the two can be compared move by move and count by count.
`NaiveDeal` is a deal of the single-deal table or of Piedicavallo, `OttocentoDeal` and `TerziglioDeal` are deals of
the match to 800 and of Terziglio; the matches of several deals are in `match`.
"""

from naive.cards import (
    BOLOGNESE,
    PACKS,
    PIEDICAVALLO,
    VARIANTS,
    in_pack_order,
    is_trump,
    strength_of,
    suit_of,
    value_of,
)
from naive.combos import (
    combo,
    count_sequences,
    count_sets,
    declaration_is_legal,
    sequence_length,
    sequences,
    sets,
    table_declarations,
    used,
)
from naive.deal import (
    IllegalMoveError,
    Move,
    NaiveDeal,
    lopsided_deal,
    play_lopsided,
    play_out,
    play_random,
    random_deal,
)
from naive.declarations import legal_declarations, random_declaration
from naive.discard import DiscardSwitches, DiscardVerdict, discard_owner, discard_verdict, legal_discards
from naive.full_deal import FullDeal, FullMove, play_randomly
from naive.match import NaiveMatch, OttocentoMatch, PiedicavalloMatch, TerziglioSession, play_match
from naive.ottocento import OttocentoDeal, OttocentoOptions
from naive.play import Trick, led_suit, legal_plays, side_of, trick_winner
from naive.shuffles import shuffle_ottocento, shuffle_terziglio, stack_ottocento, stack_terziglio
from naive.signals import signal_is_allowed
from naive.terziglio import TerziglioDeal, TerziglioOptions, TooManyMovesError

__all__ = [
    "BOLOGNESE",
    "PACKS",
    "PIEDICAVALLO",
    "VARIANTS",
    "DiscardSwitches",
    "DiscardVerdict",
    "FullDeal",
    "FullMove",
    "IllegalMoveError",
    "Move",
    "NaiveDeal",
    "NaiveMatch",
    "OttocentoDeal",
    "OttocentoMatch",
    "OttocentoOptions",
    "PiedicavalloMatch",
    "TerziglioDeal",
    "TerziglioOptions",
    "TerziglioSession",
    "TooManyMovesError",
    "Trick",
    "combo",
    "count_sequences",
    "count_sets",
    "declaration_is_legal",
    "discard_owner",
    "discard_verdict",
    "in_pack_order",
    "is_trump",
    "led_suit",
    "legal_declarations",
    "legal_discards",
    "legal_plays",
    "lopsided_deal",
    "play_lopsided",
    "play_match",
    "play_out",
    "play_random",
    "play_randomly",
    "random_deal",
    "random_declaration",
    "sequence_length",
    "sequences",
    "sets",
    "shuffle_ottocento",
    "shuffle_terziglio",
    "side_of",
    "signal_is_allowed",
    "stack_ottocento",
    "stack_terziglio",
    "strength_of",
    "suit_of",
    "table_declarations",
    "trick_winner",
    "used",
    "value_of",
]
