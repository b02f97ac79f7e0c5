"""Numbers for moves, as OpenSpiel wants them: one number for most, several in a row for sets of cards.

A set of cards, laid away or shown, is built up card by card from the lowest bit, so that there is one way to each set:
the draft. A discard is complete with its last card, what is shown when `DONE` is said. At every step those actions are
legal that lead to a legal move, so all moves of the engine can be made and no others, also where the engine lists only
a selection.

    0-61         the card of that bit: played, given, or added to the draft
    DONE         no more is shown; without a draft: nothing is declared, the dealer takes its last cards
    SHOW_ALL     all combinations are declared, in games where it is all or nothing
    MONTE, DEAL_ON         the poll after the first packets
    BID + i      the call number i of `Call`
    SIGNALLED + 62 i + card     the card is led with the signal number i of `Signal`
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tarocchi_engine import Bid, Call, CallOut, Declare, Discard, Give, Monte, Move, Phase, Play, State, Variant
from tarocchi_engine.cards import CARD_COUNT, Pack, cards_in
from tarocchi_engine.combinations import used_cards
from tarocchi_engine.legality import legal_play_mask
from tarocchi_engine.moves import Signal
from tarocchi_engine.selection import MAX_LISTED

DONE: Final = CARD_COUNT
SHOW_ALL: Final = DONE + 1
MONTE: Final = DONE + 2
DEAL_ON: Final = DONE + 3
BID: Final = DONE + 4
CALLS: Final = tuple(Call)
SIGNALLED: Final = BID + len(CALLS)
SIGNALS: Final = tuple(Signal)

_DRAFTED = (Phase.DISCARD, Phase.DECLARE, Phase.CALL_OUT)


def action_count(variant: Variant) -> int:
    """Returns how many numbers a variant uses: they are 0 to one less."""
    return SIGNALLED + (len(SIGNALS) * CARD_COUNT if variant.has_signals else 0)


def most_actions(variant: Variant) -> int:
    """Returns a number of actions that no deal exceeds, chance left aside."""
    seats, hand = variant.seat_count, variant.hand_size
    count = seats * hand + variant.discard_count
    if variant.has_declarations:
        count += seats * (1 if variant.shows_all_or_nothing else hand + 1)
    count += seats * (variant.has_monte_poll + variant.has_auction)
    return count + (hand + 1) * variant.has_call_out + variant.giver_chooses


def legal_actions(state: State, draft: int) -> list[int]:
    """Returns the actions of the seat to move that lead to legal moves, in ascending order."""
    table, variant = state.table, state.variant
    match table.phase:
        case Phase.PLAY if not variant.has_signals or table.trick:
            return list(cards_in(legal_play_mask(table, state.hands[table.turn])))
        case Phase.DISCARD:
            return list(cards_in(_discardable(variant, state.hands[table.turn], draft)))
        case Phase.DECLARE | Phase.CALL_OUT:
            return _showings(state, draft)
        case _:
            return sorted(action for move in state.legal_moves() for action in encode(variant, move))


def _discardable(variant: Variant, hand: int, draft: int) -> int:
    """Returns the cards that may follow those of a draft in a discard."""
    higher = _above(draft)
    if variant.discard_total(hand) <= MAX_LISTED:
        fitting = (cards for cards in variant.discards(hand) if cards & ~higher == draft)
        return sum({rest & -rest for cards in fitting if (rest := cards ^ draft)})
    # where discards are many, all are legal that have none of the cards of five points
    free = [1 << card for card in cards_in(hand & ~variant.pack.five_point_mask & higher)]
    needed_after = variant.discard_count - draft.bit_count() - 1
    return sum(free[: len(free) - needed_after])


def _showings(state: State, draft: int) -> list[int]:
    """Returns what may be added to the cards to be shown, and whether they are complete.

    Of the sets within some cards that may be shown `used_cards` is the largest, and it has the most points.
    """
    variant, table = state.variant, state.table
    hand = state.hands[table.turn]
    needed = 0
    if table.phase is Phase.CALL_OUT:
        target = table.points_to_target(table.side_of(table.turn))
        assert target is not None
        needed = max(1, int(np.ceil(target)))
    if variant.shows_all_or_nothing:
        return [DONE, SHOW_ALL] if _used(hand) else [DONE]

    def is_enough(cards: int) -> bool:
        return not needed or variant.declaration_points(cards) >= needed

    found = []
    for card in cards_in(_used(hand) & _above(draft)):
        begun = draft | 1 << card
        largest = _used(begun | hand & _above(begun))
        if not begun & ~largest and is_enough(largest):
            found.append(card)
    if not draft or (_used(draft) == draft and is_enough(draft)):
        found.append(DONE)
    return found


def _used(cards: int) -> int:
    return int(used_cards(np.uint64(cards)))


def _above(draft: int) -> int:
    """Returns all bits above the highest of a draft."""
    return -1 << draft.bit_length()


def advance(state: State, draft: int, action: int) -> tuple[State, int]:
    """Returns deal and draft after an action; raises `IllegalMoveError` or ValueError for one that is not legal."""
    if state.phase in _DRAFTED:
        return _advance_draft(state, draft, action)
    return state.apply_move(_decode(state.phase, action)), 0


def _advance_draft(state: State, draft: int, action: int) -> tuple[State, int]:
    if action not in legal_actions(state, draft):
        raise ValueError(f"action {action} is not legal: the seat has to {state.phase}")
    if action < CARD_COUNT:
        draft |= 1 << action
        is_complete = state.phase is Phase.DISCARD and draft.bit_count() == state.variant.discard_count
        return (state.apply_move(Discard(draft)), 0) if is_complete else (state, draft)
    if action == SHOW_ALL:
        draft = _used(state.hands[state.table.turn])
    return state.apply_move(CallOut(draft) if state.phase is Phase.CALL_OUT else Declare(draft)), 0


def _decode(phase: Phase, action: int) -> Move:
    """Returns the move that one action makes; raises ValueError."""
    if 0 <= action < CARD_COUNT:
        return Give(action) if phase is Phase.GIVE else Play(action)
    if action in (MONTE, DEAL_ON):
        return Monte(action == MONTE)
    if BID <= action < SIGNALLED:
        return Bid(CALLS[action - BID])
    if SIGNALLED <= action < SIGNALLED + len(SIGNALS) * CARD_COUNT:
        place, card = divmod(action - SIGNALLED, CARD_COUNT)
        return Play(card, SIGNALS[place])
    raise ValueError(f"action {action} is not legal: the seat has to {phase}")


def encode(variant: Variant, move: Move) -> list[int]:
    """Returns the actions that make a move; raises ValueError for a discard that was not seen."""
    match move:
        case Monte(throws_in):
            return [MONTE if throws_in else DEAL_ON]
        case Bid(call):
            return [BID + CALLS.index(call)]
        case Discard(None):
            raise ValueError("a discard face down is no move that could be made")
        case Discard(int(cards)):
            return list(cards_in(cards))
        case Declare(cards) if cards and variant.shows_all_or_nothing:
            return [SHOW_ALL]
        case Declare(cards) | CallOut(cards):
            return [*cards_in(cards), DONE]
        case Play(card, None) | Give(card):
            return [card]
        case Play(card, Signal() as signal):
            return [SIGNALLED + SIGNALS.index(signal) * CARD_COUNT + card]
    raise ValueError(f"{move!r} is no move")


def action_text(pack: Pack, action: int) -> str:
    """Returns an action in words."""
    if 0 <= action < CARD_COUNT:
        return pack.format_card(action)
    if BID <= action < SIGNALLED:
        return CALLS[action - BID].value
    if action >= SIGNALLED:
        place, card = divmod(action - SIGNALLED, CARD_COUNT)
        return f"{pack.format_card(card)} {SIGNALS[place].value}"
    return {DONE: "done", SHOW_ALL: "show all", MONTE: "monte", DEAL_ON: "deal on"}[action]
