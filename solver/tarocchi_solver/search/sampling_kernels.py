"""Draws deals of the unseen cards exactly: a table over free capacities, built backwards, walked forwards.

Cards are dealt in a fixed order to at most four holders, called slots here and sorted so that the largest
comes last. `V[k, r]` is the total weight of all ways to deal cards k, k + 1, ... into the free places r; the
last slot's places follow from the sum, so the table has three dimensions. Card k goes to a slot with
probability `w[k, slot] * V[k + 1, r less that place] / V[k, r]`. Over a whole deal the factors V cancel, and
the product of the deal's weights over V[0, capacities] is left: the chance that is wanted. Nothing is
rejected, and there are no dead ends.

Cells outside the loops of `build_table` are never written and must be 0. A read one stride below the first
cell of a row falls into the row before; there is one, as only rows from 1 on are read, and what it finds is
not used.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tarocchi_engine.cards import TRUMP_MASK, suit_mask
from tarocchi_engine.combinations import used_cards
from tarocchi_engine.compilation import kernel
from tarocchi_engine.rng import next_u64, next_unit, split_stream

OVER_LIMIT: Final = -1
TOO_MUCH_WORK: Final = -2
MAX_REJECTED: Final = 1 << 22
"""Draws in vain after which `sample_world` gives up: a second's work, out of reach at a sane acceptance."""

# SamplerArrays.words; a [4] is one word per holder, capacities and holder indices are by slot
CAPACITIES: Final = 0  # [4]
HOLDERS: Final = 4  # [4]: the holder of each slot
FORBIDDEN: Final = 8  # [4]: a world belongs to case 0 if no holder has one of these
SHOWN: Final = 12  # [4]: what a holder's combinations may use; ALL_BITS for holders that are not checked
KNOWN: Final = 16  # [4]: the cards known to have been in the hand when it was shown
CASES: Final = 20  # 1 or 2
FIRST_SHARE: Final = 21  # the total weight of case 0 over the sum of both, in units of 2**-64
RELEVANT: Final = 22  # only that many cards, the first, can complete a combination in a checked hand
PROMISED: Final = 24  # [4]: cards of each suit found here a holder has at least one of
SAMPLER_WORDS: Final = 28

ALL_BITS: Final = (1 << 64) - 1

_0 = np.uint64(0)
_1 = np.uint64(1)
_2 = np.uint64(2)
_ALL = np.uint64(ALL_BITS)
_LANES = np.array([*(suit_mask(suit) for suit in range(4)), TRUMP_MASK], dtype=np.uint64)


@kernel
def build_table(weights: Any, capacities: Any, checkpoint: Any, table: Any) -> Any:
    """Fills `table`, `(n + 1) * size` zeros, from `weights[n, 4]` and returns the total weight of all deals.

    `checkpoint` is (k, slot, left): after k cards that slot has exactly `left` free places. No k is -1.
    """
    n = weights.shape[0]
    cap_a, cap_b, cap_c, cap_d = capacities[0], capacities[1], capacities[2], capacities[3]
    stride_b = cap_c + 1
    stride_a = (cap_b + 1) * stride_b
    size = (cap_a + 1) * stride_a
    table[np.uint64(n * size)] = 1.0
    if checkpoint[0] == n:
        _apply_checkpoint(capacities, checkpoint, np.int64(0), table[n * size :])
    for k in range(n - 1, -1, -1):
        rest = n - k
        row = k * size
        w_a, w_b, w_c, w_d = weights[k, 0], weights[k, 1], weights[k, 2], weights[k, 3]
        for a in range(min(cap_a, rest) + 1):
            u_a = w_a if a > 0 else 0.0
            back_a = np.uint64(stride_a if a > 0 else 0)
            for b in range(min(cap_b, rest - a) + 1):
                u_b = w_b if b > 0 else 0.0
                back_b = np.uint64(stride_b if b > 0 else 0)
                first = max(0, rest - a - b - cap_d)
                here = row + a * stride_a + b * stride_b
                if first == 0:
                    i = np.uint64(here)
                    j = np.uint64(here + size)
                    table[i] = w_d * table[j] + u_b * table[j - back_b] + u_a * table[j - back_a]
                    first = 1
                for c in range(first, min(cap_c, rest - a - b) + 1):
                    i = np.uint64(here + c)
                    j = np.uint64(here + c + size)
                    low = w_d * table[j] + w_c * table[j - _1]
                    table[i] = low + u_b * table[j - back_b] + u_a * table[j - back_a]
        if checkpoint[0] == k:
            _apply_checkpoint(capacities, checkpoint, rest, table[row : row + size])
    return table[np.uint64(size - 1)]


@kernel
def _apply_checkpoint(capacities: Any, checkpoint: Any, rest: Any, row: Any) -> None:
    """Clears the cells where the checkpoint's slot has not `left` places, `rest` rows before the last."""
    free = np.zeros(4, dtype=np.int64)
    i = 0
    for a in range(capacities[0] + 1):
        for b in range(capacities[1] + 1):
            for c in range(capacities[2] + 1):
                free[0], free[1], free[2], free[3] = a, b, c, rest - a - b - c
                if free[checkpoint[1]] != checkpoint[2]:
                    row[i] = 0.0
                i += 1


@kernel
def _shows_more(words: Any, world: Any) -> Any:
    """Tells whether a hand with all combinations shown holds a further one in `world`, complete or not."""
    for holder in range(4):
        shown = words[SHOWN + holder]
        if shown != _ALL and used_cards(words[KNOWN + holder] | world[holder]) & ~shown != _0:
            return True
    return False


@kernel
def _breaks_promise(words: Any, world: Any) -> Any:
    """Tells whether a holder lacks, in a complete world, a suit of which it has signalled to hold a card."""
    for holder in range(4):
        promised = words[PROMISED + holder]
        if promised != _0:
            for suit in range(5):
                cards = promised & _LANES[suit]
                if cards != _0 and cards & world[holder] == _0:
                    return True
    return False


@kernel
def _in_first_case(words: Any, world: Any) -> Any:
    """Tells whether a complete world belongs to case 0."""
    overlap = _0
    for holder in range(4):
        overlap |= world[holder] & words[FORBIDDEN + holder]
    return overlap == _0


@kernel
def _draw(arrays: Any, case: Any, stream: Any, world: Any) -> Any:
    """Draws one world of a case into `world`; tells whether shown hands and signals let it pass."""
    cards, words = arrays.cards, arrays.words
    table = arrays.tables[case]
    weights = arrays.weights[case]
    a, b, c = words[CAPACITIES], words[CAPACITIES + 1], words[CAPACITIES + 2]
    stride_b = c + _1
    stride_a = (b + _1) * stride_b
    size = (a + _1) * stride_a
    j = size + size - _1
    for holder in range(4):
        world[holder] = _0
    k = _0
    end = words[RELEVANT]
    for part in range(2):
        while k < end:
            in_a = weights[k, _0] * table[j - stride_a]
            in_b = weights[k, _1] * table[j - stride_b]
            in_c = weights[k, _2] * table[j - _1]
            in_d = weights[k, np.uint64(3)] * table[j]
            to_a = in_a if a != _0 else 0.0
            to_b = to_a + (in_b if b != _0 else 0.0)
            to_c = to_b + (in_c if c != _0 else 0.0)
            at = next_unit(stream) * (to_c + in_d)
            if at >= to_c and in_d == 0.0:
                at = _last_below(to_a, to_b, to_c)
            past_a = np.uint64(at >= to_a)
            past_b = np.uint64(at >= to_b)
            past_c = np.uint64(at >= to_c)
            slot = past_a + past_b + past_c
            world[words[np.uint64(HOLDERS) + slot]] |= cards[k]
            to_slot_a = _1 - past_a
            to_slot_b = past_a - past_b
            to_slot_c = past_b - past_c
            a -= to_slot_a
            b -= to_slot_b
            c -= to_slot_c
            j += size - stride_a * to_slot_a - stride_b * to_slot_b - to_slot_c
            k += _1
        if part == 0:
            if _shows_more(words, world):
                return False
            end = np.uint64(cards.shape[0])
    return not _breaks_promise(words, world)


@kernel
def _last_below(to_a: Any, to_b: Any, to_c: Any) -> Any:
    """Returns a point in the last possible slot, for a draw that rounding has moved past the end."""
    if to_c > to_b:
        return to_b
    if to_b > to_a:
        return to_a
    return 0.0


@kernel
def _attempt(arrays: Any, stream: Any, world: Any) -> Any:
    """Draws a world of either case; tells whether it stands.

    It is in vain when a deal of case 1 belongs to case 0 as well, which would count it twice, and when a
    shown hand holds more than was shown. So every world that fits has the same chance per unit of weight.
    """
    words = arrays.words
    case = 0
    if words[CASES] == _2 and next_u64(stream) >= words[FIRST_SHARE]:
        case = 1
    return _draw(arrays, case, stream, world) and (case == 0 or not _in_first_case(words, world))


@kernel
def sample_world(arrays: Any, stream: Any, world: Any) -> Any:
    """Draws a world into `world` (`uint64[4]`, a set of cards per holder); returns the draws in vain.

    The chance of a world is in proportion to its weight. OVER_LIMIT after MAX_REJECTED draws in vain.
    """
    for rejected in range(MAX_REJECTED):
        if _attempt(arrays, stream, world):
            return rejected
    return OVER_LIMIT


@kernel
def sample_worlds(arrays: Any, seed: Any, worlds: Any) -> Any:
    """Fills `worlds[count, 4]`, each from its own stream of `seed`; returns as `sample_world` in all."""
    stream = np.empty(1, dtype=np.uint64)
    total = 0
    for j in range(worlds.shape[0]):
        stream[0] = split_stream(seed, j)
        rejected = sample_world(arrays, stream, worlds[j])
        if rejected < 0:
            return OVER_LIMIT
        total += rejected
    return total


@kernel
def count_accepted(arrays: Any, seed: Any, attempts: Any) -> Any:
    """Returns how many of `attempts` draws stand."""
    stream = np.empty(1, dtype=np.uint64)
    stream[0] = seed
    world = np.empty(4, dtype=np.uint64)
    accepted = 0
    for _ in range(attempts):
        if _attempt(arrays, stream, world):
            accepted += 1
    return accepted


@kernel
def single_cards_barred(cards: Any, shown: Any, known: Any) -> Any:
    """Returns those of `cards` each of which would by itself complete a further combination with `known`."""
    barred = _0
    for k in range(cards.shape[0]):
        if used_cards(known | cards[k]) & ~shown != _0:
            barred |= cards[k]
    return barred


@kernel
def fill_marginals(weights: Any, capacities: Any, table: Any, marginals: Any) -> None:
    """Fills `marginals[n, 4]` with the probability of each slot for card k, by the forward-backward sum."""
    n = weights.shape[0]
    stride_b = capacities[2] + 1
    stride_a = (capacities[1] + 1) * stride_b
    size = (capacities[0] + 1) * stride_a
    strides = np.zeros(4, dtype=np.int64)
    strides[0], strides[1], strides[2] = stride_a, stride_b, 1
    free = np.zeros(4, dtype=np.int64)
    forward = np.zeros(size)
    forward[size - 1] = 1.0
    for k in range(n):
        following = np.zeros(size)
        row = (k + 1) * size
        i = 0
        for slot in range(4):
            marginals[k, slot] = 0.0
        for a in range(capacities[0] + 1):
            for b in range(capacities[1] + 1):
                for c in range(capacities[2] + 1):
                    if forward[i] != 0.0:
                        free[0], free[1], free[2], free[3] = a, b, c, n - k - a - b - c
                        for slot in range(4):
                            # what cannot be completed is not carried on: a checkpoint must not be passed by
                            if free[slot] > 0 and table[row + i - strides[slot]] > 0.0:
                                reached = forward[i] * weights[k, slot]
                                following[i - strides[slot]] += reached
                                marginals[k, slot] += reached * table[row + i - strides[slot]]
                    i += 1
        forward = following
        total = marginals[k, 0] + marginals[k, 1] + marginals[k, 2] + marginals[k, 3]
        for slot in range(4):
            marginals[k, slot] /= total


@kernel
def enumerate_worlds(arrays: Any, case: Any, worlds: Any, start: Any, max_dead_ends: Any) -> Any:
    """Writes the worlds of a case, those of case 0 left out of case 1, into `worlds` from row `start` on.

    Depth first; the table shuts every branch that cannot be completed, and as `used_cards` never shrinks when
    a hand grows, a branch with a further combination in a shown hand is shut at once.

    Returns:
        The number of rows filled in all; OVER_LIMIT when there are more worlds than rows; TOO_MUCH_WORK when
        shown hands and signals shut more than `max_dead_ends` branches.
    """
    cards, words = arrays.cards, arrays.words
    table = arrays.tables[case]
    weights = arrays.weights[case]
    n = cards.shape[0]
    free = words[CAPACITIES : CAPACITIES + 4].astype(np.int64)
    stride_b = free[2] + 1
    stride_a = (free[1] + 1) * stride_b
    size = (free[0] + 1) * stride_a
    strides = np.zeros(4, dtype=np.int64)
    strides[0], strides[1], strides[2] = stride_a, stride_b, 1
    chosen = np.empty(n + 1, dtype=np.int64)
    chosen[:] = -1
    world = np.zeros(4, dtype=np.uint64)
    count = start
    dead_ends = 0
    k = 0
    i = size - 1
    while k >= 0:
        if k == n:
            if _breaks_promise(words, world):
                dead_ends += 1
                if dead_ends > max_dead_ends:
                    return TOO_MUCH_WORK
            elif case == 0 or not _in_first_case(words, world):
                if count == worlds.shape[0]:
                    return OVER_LIMIT
                for holder in range(4):
                    worlds[count, holder] = world[holder]
                count += 1
            k -= 1
            continue
        card = cards[k]
        slot = chosen[k]
        if slot >= 0:
            world[words[HOLDERS + slot]] ^= card
            free[slot] += 1
            i += strides[slot]
        slot += 1
        while slot < 4:
            if free[slot] > 0 and weights[k, slot] * table[(k + 1) * size + i - strides[slot]] > 0.0:
                holder = words[HOLDERS + slot]
                shown = words[SHOWN + holder]
                if shown == _ALL or used_cards(words[KNOWN + holder] | world[holder] | card) & ~shown == _0:
                    break
                dead_ends += 1
                if dead_ends > max_dead_ends:
                    return TOO_MUCH_WORK
            slot += 1
        if slot < 4:
            chosen[k] = slot
            world[words[HOLDERS + slot]] |= card
            free[slot] -= 1
            i -= strides[slot]
            k += 1
        else:
            chosen[k] = -1
            k -= 1
    return count
