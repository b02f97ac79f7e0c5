"""The slow, obvious referee: both games written from the rules alone, with strings and lists.

It shares no code with the engine, so that the two can be compared move by move and count by count.
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
from naive.discard import DiscardVerdict, discard_owner, discard_verdict, legal_discards
from naive.play import Trick, led_suit, legal_plays, side_of, trick_winner

__all__ = [
    "BOLOGNESE",
    "PACKS",
    "PIEDICAVALLO",
    "VARIANTS",
    "DiscardVerdict",
    "IllegalMoveError",
    "Move",
    "NaiveDeal",
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
    "legal_discards",
    "legal_plays",
    "lopsided_deal",
    "play_lopsided",
    "play_out",
    "play_random",
    "random_deal",
    "sequence_length",
    "sequences",
    "sets",
    "side_of",
    "strength_of",
    "suit_of",
    "table_declarations",
    "trick_winner",
    "used",
    "value_of",
]
