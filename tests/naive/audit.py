"""A second opinion on whole deals of Ottocento and Terziglio, from the list of moves alone.

It keeps one owner for each card and whole numbers of half-points, and shares no code with the deals it checks: the
order of the cards, the winner of a trick, the points and the combinations are all written again.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from naive.oracles import barilli_sets, pisarri_grande

_SUITS = {
    "S": "A 6 7 8 9 10 J N Q K",
    "B": "A 6 7 8 9 10 J N Q K",
    "C": "10 9 8 7 6 A J N Q K",
    "D": "10 9 8 7 6 A J N Q K",
}
_TRUMPS = "BEG MO1 MO2 MO3 MO4 T5 T6 T7 T8 T9 T10 T11 T12 T13 T14 T15 T16 LUN SOL MON ANG".split()
_MOORS = {"MO1", "MO2", "MO3", "MO4"}
_ACES = {"SA", "BA", "CA", "DA"}
_PACK = {"MAT", *_TRUMPS, *(suit + rank for suit, ranks in _SUITS.items() for rank in ranks.split())}
_FIVES = {"ANG", "MON", "BEG", "MAT", "SK", "BK", "CK", "DK"}
_FIGURES = {"Q": 4, "N": 3, "J": 2}
_ROWS = [{"ANG", "MON", "BEG", "MAT"}, *({suit + rank for suit in _SUITS} for rank in "KQNJ")]


def value(card: str) -> int:
    """Returns the points of a card."""
    if card in _FIVES:
        return 5
    return 1 if card in _TRUMPS else _FIGURES.get(card[1:], 1)


def combination_points(cards: Collection[str]) -> int:
    """Returns the points of all combinations: Barilli's sets, Pisarri's Grande, the others by their lengths."""
    held = set(cards)
    wild = len(held & {"BEG", "MAT"})
    lengths = []
    for suit in _SUITS:
        figures = len(held & {suit + "Q", suit + "N", suit + "J"})
        if suit + "K" in held and figures and figures + wild > 1:
            lengths.append(1 + figures + wild + (suit + "A" in held))
    equals = [len(held & _MOORS), len(held & _ACES)]
    lengths += [number + wild for number in equals if number > 1 and number + wild > 2]
    runs = [5 * (length - 1) for length in lengths]
    if pisarri_grande(held):
        runs.append(pisarri_grande(held))
    rows = len([row for row in _ROWS if len(held & row) > 2])
    return barilli_sets(held) * (2 if rows > 2 else 1) + sum(runs) * (2 if len(runs) > 2 else 1)


def _power(card: str, led: str) -> int:
    """Returns how strong a card is in a trick; equal Moors have equal power."""
    if card == "MAT":
        return -1
    if card in _TRUMPS:
        return 104 if card in _MOORS else 100 + _TRUMPS.index(card)
    return _SUITS[led[0]].split().index(card[1:]) if led not in _TRUMPS and card[0] == led[0] else -1


def _find_winners(plays: Sequence[tuple[int, str]], seat_count: int) -> list[int]:
    winners = []
    for start in range(0, len(plays), seat_count):
        trick = plays[start : start + seat_count]
        led = next(card for _, card in trick if card != "MAT")
        best = max(_power(card, led) for _, card in trick)
        winners.append([seat for seat, card in trick if _power(card, led) == best][-1])
    return winners


def audit_moves(
    moves: Sequence[tuple[int, Sequence[Any]]], sides: Mapping[int, int], aside: Collection[str], aside_to: str
) -> dict[str, Any]:
    """Counts a deal that was played out.

    Args:
        moves: (seat, move) in order.
        sides: the side of every seat.
        aside: the discard or the untouched stock.
        aside_to: "last" for the side of the last trick, else the seat that laid the cards away, as a digit.

    Returns:
        "halves": twice the totals of the two sides, declarations included; "tricks"; "owner" of every card;
        "sweep": whether one side won all tricks.
    """
    plays = [(seat, move[1]) for seat, move in moves if move[0] == "play"]
    gifts = [move[1] for _, move in moves if move[0] == "give"]
    winners = _find_winners(plays, len(sides))
    tricks = [len([seat for seat in winners if sides[seat] == side]) for side in (0, 1)]
    owner = {card: sides[winners[place // len(sides)]] for place, (_, card) in enumerate(plays)}
    matto_seats = [seat for seat, card in plays if card == "MAT"]
    captured = bool(matto_seats) and owner["MAT"] != sides[matto_seats[0]]
    if matto_seats:
        owner["MAT"] = sides[matto_seats[0]]
    aside_side = sides[winners[-1]] if aside_to == "last" else sides[int(aside_to)]
    owner |= dict.fromkeys(aside, aside_side)
    if set(owner) != _PACK:
        raise AssertionError("not all cards have an owner")
    sweep = 0 in tricks
    if sweep:
        owner = dict.fromkeys(owner, 1 - tricks.index(0))
    elif captured:
        owner[gifts[0]] = 1 - owner["MAT"]
    if len(gifts) != (captured and not sweep):
        raise AssertionError("a gift too many or too few")

    halves = [0, 0]
    for card, side in owner.items():
        halves[side] += 2 * value(card) - 1
    halves[sides[winners[-1]]] += 12
    for side in (0, 1):
        halves[side] += 2 * combination_points({card for card, its in owner.items() if its == side})
    for seat, move in moves:
        if move[0] == "declare":
            halves[sides[seat]] += 2 * combination_points(move[1])
    return {"halves": halves, "tricks": tricks, "owner": owner, "sweep": sweep}
