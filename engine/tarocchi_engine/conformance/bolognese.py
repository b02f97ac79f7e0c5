"""Answers to the worked cases of Tarocco Bolognese; every figure comes out of the engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from tarocchi_engine.cards import ALL_MASK, MATTO, MATTO_MASK, cards_in
from tarocchi_engine.combinations import FAMILY_NAMES, combination_points
from tarocchi_engine.conformance.cases import Answer, CaseInput, CaseInputError, UnsupportedCaseError
from tarocchi_engine.errors import IllegalMoveError
from tarocchi_engine.layout import ASIDE, ASIDE_SIDE, GIVEN, MATTO_SIDE, NO_CARD, PILES, POSITION_WORDS, SCORING
from tarocchi_engine.legality import checked_move, legal_play_mask
from tarocchi_engine.moves import Declare
from tarocchi_engine.options import with_options
from tarocchi_engine.record import Phase
from tarocchi_engine.scoring import settle_piles
from tarocchi_engine.table import Table
from tarocchi_engine.variant import SideScore, Variant, winner_of
from tarocchi_engine.variants.bolognese import Bolognese
from tarocchi_engine.variants.ottocento import Ottocento
from tarocchi_engine.variants.terziglio import Terziglio

_VARIANT = Bolognese()
_PACK = _VARIANT.pack
_SEQUENCE_UNIT = 5
NO_OPTIONS: Final[Mapping[str, str]] = {}
PROFILES: Final[dict[str, Variant]] = {"table": _VARIANT, "ottocento": Ottocento(), "terziglio": Terziglio()}
"""The variants by the names that the rules give to their profiles."""


def _pile(case: CaseInput) -> int:
    return ALL_MASK & ~case.cards("complement_of") if "complement_of" in case else case.cards("cards")


def _count(pile: int, declarations: int = 0, took_last_trick: bool = False) -> SideScore:
    return _VARIANT.count_pile(
        pile, declarations=declarations, took_last_trick=took_last_trick, trick_count=int(took_last_trick)
    )


def _points(case: CaseInput) -> Any:
    """Card points of a pile, with the last trick where it was taken."""
    count = _count(_pile(case), took_last_trick=case.flag("last_trick"))
    return {"points": count.card_points + count.last_trick}


def _cricche(case: CaseInput) -> Any:
    """The sets of a pile, row by row."""
    count = _count(_pile(case))
    subtotal = sum(count.sets.values())
    return {
        "items": count.sets,
        "count": len(count.sets),
        "subtotal": subtotal,
        "multiplier": count.sets_total // subtotal if subtotal else 1,
        "total": count.sets_total,
    }


def _sequence(case: CaseInput) -> Any:
    """One family's sequence: its length, 0 if it does not score, and its points before doubling."""
    family = case.text("which")
    if family not in FAMILY_NAMES:
        raise CaseInputError(f"input.which should be one of {', '.join(FAMILY_NAMES)} and is {family!r}")
    score = _count(_pile(case)).sequences.get(family, 0)
    return {"length": score // _SEQUENCE_UNIT + 1 if score else 0, "score": score}


def _combos(case: CaseInput) -> Any:
    """Sets and sequences of a pile, both after doubling."""
    pile = _pile(case)
    count = _count(pile)
    return {
        "cricche": count.sets_total,
        "sequences": count.sequences_total,
        "total": int(combination_points(np.uint64(pile))),
    }


def _whole_pile(case: CaseInput) -> Any:
    """The whole count of one side."""
    count = _count(_pile(case), case.integer("declared", 0, 10_000), case.flag("last_trick"))
    return {
        "card_points": count.card_points,
        "last": count.last_trick,
        "combos": count.sets_total + count.sequences_total,
        "declared": count.declarations,
        "total": count.total,
    }


def _table_with(trick: tuple[int, ...]) -> Table:
    """Returns a table on which these cards lie, however many the trick has."""
    table = Table(_VARIANT, 0)
    table.trick = trick
    return table


def _trick(case: CaseInput) -> Any:
    """Which card of a trick wins, and the suit to follow."""
    table = _table_with(case.card_list("plays"))
    winner = table.winning_place()
    led = next((card for card in cards_in(table.led) if card != MATTO), MATTO)
    return {
        "winner": winner if winner >= 0 else None,
        "led_suit": None if table.led == ALL_MASK else _PACK.suit_of(led),
    }


def _legal(case: CaseInput) -> Any:
    """The cards of a hand that may be played to a trick."""
    legal = legal_play_mask(_table_with(case.card_list("trick")), case.cards("hand"))
    return {"legal": _PACK.format_mask(legal)}


def _discard(case: CaseInput) -> Any:
    """The cards that occur in a legal discard, and how many the dealer lays away."""
    discardable = 0
    for cards in _VARIANT.discards(case.cards("cards")):
        discardable |= cards
    return {"discardable": _PACK.format_mask(discardable), "count": _VARIANT.discard_count}


def _exposed(case: CaseInput) -> Any:
    """What a full declaration shows."""
    return {"exposed": _PACK.format_mask(_VARIANT.declarations(case.cards("cards"))[0])}


def _declare(case: CaseInput) -> Any:
    """Whether a declaration is legal and what it scores: all or nothing at the table, any scoring set elsewhere."""
    table = Table(variant_of(case), 0)
    table.phase = Phase.DECLARE
    try:
        table.apply(table.turn, checked_move(table, case.cards("hand"), Declare(case.cards("declared"))))
    except IllegalMoveError:
        return {"legal": False, "points": None}
    return {"legal": True, "points": sum(table.declared_points)}


def variant_of(case: CaseInput, options: Mapping[str, str] = NO_OPTIONS) -> Variant:
    """Returns the variant that a profile of the rules stands for."""
    profile = case.text("profile")
    if profile not in PROFILES:
        raise UnsupportedCaseError(f"no profile {profile!r} here")
    return with_options(PROFILES[profile], options)


def _settle(piles: tuple[int, int], aside: int) -> tuple[int, int, int]:
    """Settles two piles as taken, the Matto and the discard being side 0's; returns both and the card given."""
    position = np.zeros(POSITION_WORDS, dtype=np.uint64)
    position[PILES] = piles[0]
    position[PILES + 1] = piles[1]
    position[ASIDE] = aside
    position[MATTO_SIDE] = position[ASIDE_SIDE] = 0
    position[GIVEN] = NO_CARD
    position[SCORING] = _VARIANT.scoring
    settled = np.zeros(2, dtype=np.uint64)
    given = int(settle_piles(position, settled))
    return int(settled[0]), int(settled[1]), given


def _matto(case: CaseInput) -> Any:
    """Who keeps a Matto played to a trick of the other side, and the card handed over for it."""
    giver = case.cards("giver_pile") & ~MATTO_MASK
    receiver = case.cards("receiver_pile")
    if giver & receiver:
        raise CaseInputError(f"{' '.join(_PACK.format_mask(giver & receiver))} lies in both piles")
    if case.integer("giver_tricks", 0, _VARIANT.trick_count):
        # A side with a trick and no card but the Matto cannot arise; it would have nothing to give.
        piles = (giver, receiver | MATTO_MASK) if giver else (MATTO_MASK, receiver)
        kept, _, given = _settle(piles, 0)
    else:
        kept, _, given = _settle((0, receiver | MATTO_MASK), giver)
    return {
        "matto_to": "giver" if kept & MATTO_MASK else "receiver",
        "transfer": None if given == NO_CARD else _PACK.format_card(given),
    }


def _discard_owner(case: CaseInput) -> Any:
    """Who counts the discard."""
    if variant_of(case).has_auction:
        raise UnsupportedCaseError("the discard of an auction game is of kind 'terziglio-stock'")
    aside, stand_in, others = (_PACK.parse_cards([card]) for card in ("S10", "S9", "S8"))
    tricks = case.integer("dealer_side_tricks", 0, _VARIANT.trick_count)
    kept, _, _ = _settle((stand_in if tricks else 0, others if tricks < _VARIANT.trick_count else 0), aside)
    return {"discards_to": "dealer_side" if kept & aside else "other_side"}


def _table_result(case: CaseInput) -> Any:
    """Which side wins."""
    first, second = case.numbers("totals", 2)
    winner = winner_of((first, second))
    return {"result": "tie" if winner is None else winner}


def _deal(case: CaseInput) -> Any:
    """The order of the deal, the size of each hand and who leads."""
    players = case.integer("players", 1, 5)
    variant = next((variant for variant in PROFILES.values() if variant.seat_count == players), None)
    if variant is None:
        raise UnsupportedCaseError(f"no variant here deals to {players} players")
    dealer = case.integer("dealer", 0, players - 1)
    order = [variant.next_seat(dealer)]
    while order[-1] != dealer:
        order.append(variant.next_seat(order[-1]))
    return {
        "order": order,
        "hands": {str(seat): variant.dealt_to(seat, dealer) for seat in sorted(order)},
        "leader": Table(variant, dealer).leader,
    }


BOLOGNESE_ANSWERS: Final[dict[str, Answer]] = {
    "points": _points,
    "cricche": _cricche,
    "sequence": _sequence,
    "combos": _combos,
    "pile": _whole_pile,
    "trick": _trick,
    "legal": _legal,
    "discard": _discard,
    "exposed": _exposed,
    "declare": _declare,
    "matto": _matto,
    "discard-owner": _discard_owner,
    "table-result": _table_result,
    "deal": _deal,
}
"""For each kind of case the function that answers it."""
