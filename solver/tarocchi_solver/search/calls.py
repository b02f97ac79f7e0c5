"""What bids and monte calls say about the hands they were made on: a logit in the cards of the hand.

What a call is worth to a seat is a sum over the cards it holds, so much for each kind of card (`card_kinds`), plus a
constant; to pass, or to say monte, is worth 0. A call was often made on a part of the cards that are known to have been
the seat's later: on the first five in the monte poll, without the stock by a declarer who took it. The sum over a
random part is nearly normal; the chance of the call is then the mean of a logistic function over a normal law, in the
usual approximation (MacKay, 1992).
"""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tarocchi_engine import Bid, Call, Event, Monte, View
from tarocchi_engine.bits import lowest, popcount
from tarocchi_engine.cards import CARD_COUNT
from tarocchi_engine.compilation import kernel
from tarocchi_solver.search.card_kinds import CARD_KINDS, RANK, RANKS

CALL_KINDS: Final = 2
"""What may be called besides passing: gioco and solo; in a monte poll only to play."""
CALL_WEIGHTS: Final = RANKS + 1

# the words of a call made
HOLDER: Final = 0
KNOWN: Final = 1  # cards that were in the hand in every world, all that it has played or shown
HAS_ASIDE: Final = 2  # 1 if the cards laid aside were in it too
SIZE: Final = 3  # how many cards the call was made on
ASIDE: Final = 4  # the place of the holder of the cards laid aside
CALL_WORDS: Final = 5

_0 = np.uint64(0)
_1 = np.uint64(1)
_NEVER: Final = -1e9

Words = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float64]


class Choice(NamedTuple):
    """A call and what else could have been called, as places: 0 for a pass or monte, from 1 for the others."""

    said: int
    others: tuple[int, ...]


def choices_of(events: tuple[Event, ...]) -> list[tuple[int, Choice]]:
    """Returns the calls of a deal so far, each with the seat that made it."""
    found = []
    highest = 0
    for event in events:
        if isinstance(event.move, Monte):
            said = int(not event.move.throws_in)
            may_say: tuple[int, ...] = (0, 1)
        elif isinstance(event.move, Bid):
            said = list(Call).index(event.move.call)
            may_say = (0, 1, 2) if highest == 0 else (0, 2)
            highest = max(highest, said)
        else:
            continue
        found.append((event.seat, Choice(said, tuple(place for place in may_say if place != said))))
    return found


class CallEvidence(NamedTuple):
    """The calls of the hidden hands, in the form of the kernels."""

    words: Words
    """[calls, CALL_WORDS]"""
    values: Floats
    """[calls, CALL_KINDS, CARD_COUNT + 1]: by how much what was not called is worth more than what was, for each card
    held, and the constant."""


NO_CALLS: Final = CallEvidence(np.zeros((0, CALL_WORDS), dtype=np.uint64), np.zeros((0, CALL_KINDS, CARD_COUNT + 1)))


def call_evidence(view: View, holder_of: dict[int, int], aside: int | None, weights: Floats) -> CallEvidence:
    """Returns what the seats that are holders have called.

    Args:
        view: the observer's.
        holder_of: the place of each seat whose hand is hidden.
        aside: the place of the holder of the cards laid aside, None where they are known.
        weights: [CALL_KINDS, CALL_WEIGHTS]
    """
    table, variant = view.table, view.variant
    made = [(seat, choice) for seat, choice in choices_of(table.events) if seat in holder_of]
    if not made:
        return NO_CALLS
    columns = [*CARD_KINDS[variant.pack.index, :, RANK], RANKS]
    by_card = np.concatenate([np.zeros((1, CARD_COUNT + 1)), weights[:, columns]])
    words = np.zeros((len(made), CALL_WORDS), dtype=np.uint64)
    values = np.zeros((len(made), CALL_KINDS, CARD_COUNT + 1))
    values[:, :, CARD_COUNT] = _NEVER
    for place, (seat, choice) in enumerate(made):
        had_aside = aside is not None and table.discard_made and seat == table.discarder
        known = table.played[seat] | table.exposed(seat)
        words[place] = (
            holder_of[seat],
            known,
            int(had_aside),
            variant.packets(seat, table.dealer)[0],
            aside if aside is not None else 0,
        )
        for kind, other in enumerate(choice.others):
            values[place, kind] = by_card[other] - by_card[choice.said]
    return CallEvidence(words, values)


@kernel
def chance_of_call(words: Any, values: Any, world: Any) -> Any:
    """Returns the chance of a call in a world; `words` and `values` are those of one call."""
    cards = world[np.int64(words[HOLDER])] | words[KNOWN]
    if words[HAS_ASIDE] != _0:
        cards |= world[np.int64(words[ASIDE])]
    count = np.float64(popcount(cards))
    share = np.float64(words[SIZE]) / count
    others = 0.0
    for kind in range(CALL_KINDS):
        if values[kind, CARD_COUNT] == _NEVER:
            continue
        total, squares = 0.0, 0.0
        rest = cards
        while rest != _0:
            value = values[kind, np.int64(lowest(rest))]
            total += value
            squares += value * value
            rest &= rest - _1
        spread = squares / count - (total / count) ** 2
        variance = max(spread * share * (1.0 - share) * count * count / max(count - 1.0, 1.0), 0.0)
        mean = share * total + values[kind, CARD_COUNT]
        others += math.exp(min(mean / math.sqrt(1.0 + math.pi / 8.0 * variance), 500.0))
    return 1.0 / (1.0 + others)
