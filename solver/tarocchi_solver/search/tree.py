"""The kernel of the search: worlds drawn from a sampler, in each a UCT tree over the open cards.

The observer's own moves get equal shares of every world: what differs between worlds is far greater than what a
world can teach about itself, and only all worlds together may prefer a move. Below them UCT decides.

One call works on a block of worlds and is a pure function of its arguments: world number w draws all its random
numbers from stream w of the seed, and everything that is summed is an integer. So blocks can run on any thread, in
any order, and give the same numbers.

Results are differences of the sides in half points. UCT (Kocsis and Szepesvári, 2006) needs an exploration constant
in the scale of the results; here they are divided by their standard deviation so far in the same tree.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tarocchi_engine.bits import bit, lowest, popcount
from tarocchi_engine.cards import MATTO_MASK
from tarocchi_engine.combinations import combination_points
from tarocchi_engine.compilation import kernel
from tarocchi_engine.layout import (
    ASIDE,
    DECLARED,
    HANDS,
    LED,
    LENGTH,
    MATTO_SIDE,
    POSITION_WORDS,
    SEATS,
    SIDES,
    TRICKS_LEFT,
    TURN,
)
from tarocchi_engine.play import apply_card, choose_by_rule, legal_cards, playout
from tarocchi_engine.rng import next_u64, split_stream
from tarocchi_solver.search.question import DECLARE_ARM, DISCARD_ARM, PLAY_ARM
from tarocchi_solver.search.sampling_kernels import sample_world

LINE_LENGTH: Final = 7
"""Replies recorded after each move for the principal variation."""
MAX_DEPTH: Final = 64
_NODES_PER_ITERATION: Final = 12

Words = npt.NDArray[np.uint64]
Integers = npt.NDArray[np.int64]

_0 = np.uint64(0)
_1 = np.uint64(1)
_MATTO = np.uint64(MATTO_MASK)


class Tree(NamedTuple):
    """The tree of one world as named arrays, allocated once for a thread and used over and over."""

    first_child: Integers
    child_count: Integers
    cards: Words
    visits: Integers
    totals: Integers
    """Sum of the results through the node, side 0 minus side 1."""

    @classmethod
    def allocate(cls, arm_count: int, iterations: int) -> Tree:
        """Returns a tree with room for `iterations` iterations; a full one goes on without growing."""
        size = 1 + arm_count + iterations * _NODES_PER_ITERATION
        integers = [np.zeros(size, dtype=np.int64) for _ in range(4)]
        return cls(integers[0], integers[1], np.zeros(size, dtype=np.uint64), integers[2], integers[3])


class Block(NamedTuple):
    """What a block of worlds leaves behind, one row a world; results from the observer's side."""

    visits: Integers
    """[worlds, arms]"""
    totals: Integers
    """[worlds, arms]: sum of the results in half points."""
    wins: Integers
    """[worlds, arms]: twice the number of results above zero, plus the number of ties."""
    samples: Integers
    """[worlds, arms]: the latest result through the arm."""
    lines: npt.NDArray[np.int8]
    """[worlds, arms, LINE_LENGTH]: the most visited replies, -1 after the last known."""
    rejected: Integers
    """[worlds]: draws that the sampler had to repeat."""

    @classmethod
    def allocate(cls, world_count: int, arm_count: int) -> Block:
        """Returns an empty block."""
        shape = (world_count, arm_count)
        visits, totals, wins, samples = (np.zeros(shape, dtype=np.int64) for _ in range(4))
        lines = np.full((*shape, LINE_LENGTH), -1, dtype=np.int8)
        return cls(visits, totals, wins, samples, lines, np.zeros(world_count, dtype=np.int64))


@kernel
def place_world(question: Any, destination: Any, world: Any, position: Any) -> None:
    """Writes the question's position with the cards of a world, and all declarations still to come."""
    position[:] = question.position
    for holder in range(4):
        position[destination[holder]] |= world[holder]
    sides = position[SIDES]
    for seat in range(np.int64(position[SEATS])):
        hand = position[HANDS + seat]
        side = np.int64((sides >> np.uint64(seat)) & _1)
        if hand & _MATTO != _0:
            position[MATTO_SIDE] = np.uint64(side)
        dealer_discards = question.kind[0] == DISCARD_ARM and position[TURN] == np.uint64(seat)
        if (question.pending[0] >> np.uint64(seat)) & _1 != _0 and not dealer_discards:
            position[DECLARED + side] += np.uint64(2 * combination_points(hand))


@kernel
def apply_arm(question: Any, arm: Any, position: Any) -> None:
    """Makes the observer's move number `arm`."""
    cards = question.arms[arm]
    seat = position[TURN]
    kind = question.kind[0]
    if kind == PLAY_ARM:
        apply_card(position, lowest(cards))
        return
    side = np.int64((position[SIDES] >> seat) & _1)
    if kind == DECLARE_ARM:
        position[DECLARED + side] += np.uint64(2 * combination_points(cards))
        return
    position[seat] ^= cards
    position[ASIDE] |= cards
    if (question.pending[0] >> seat) & _1 != _0:
        position[DECLARED + side] += np.uint64(2 * combination_points(position[seat]))
    position[TURN] = seat + _1 if seat + _1 < position[SEATS] else _0


@kernel
def _expand(tree: Any, node: Any, used: Any, position: Any, draw: Any) -> Any:
    """Gives a node its children, the playout rule's card first; returns the number of nodes now used."""
    legal = legal_cards(position[position[TURN]], position[LED])
    count = np.int64(popcount(legal))
    if used + count > len(tree.visits):
        return used
    preferred = choose_by_rule(position, legal, draw)
    tree.first_child[node] = used
    tree.child_count[node] = count
    rest = legal
    card = preferred
    for child in range(used, used + count):
        tree.cards[child] = card
        tree.visits[child] = 0
        tree.totals[child] = 0
        tree.child_count[child] = 0
        rest ^= bit(card)
        if rest != _0:
            card = lowest(rest)
    return used + count


@kernel
def _select(tree: Any, node: Any, sign: Any, spread: Any, exploration: Any) -> Any:
    """Returns the child of greatest upper confidence bound for the side with `sign`; unvisited ones come first."""
    first = tree.first_child[node]
    log_visits = np.log(np.float64(tree.visits[node]))
    best = first
    best_bound = -np.inf
    for child in range(first, first + tree.child_count[node]):
        visits = tree.visits[child]
        if visits == 0:
            return child
        mean = sign * np.float64(tree.totals[child]) / (visits * spread)
        bound = mean + exploration * np.sqrt(log_visits / visits)
        if bound > best_bound:
            best_bound = bound
            best = child
    return best


@kernel
def _record_line(question: Any, root: Any, tree: Any, arm: Any, position: Any, stream: Any, line: Any) -> None:
    """Writes the replies to a root move: the most visited ones, and where there are none the playout rule's.

    The rule is followed to the end of a trick only.
    """
    position[:] = root
    apply_arm(question, arm, position)
    node = 1 + arm
    for depth in range(LINE_LENGTH):
        if position[TRICKS_LEFT] == _0:
            return
        best = -1
        if node >= 0:
            for child in range(tree.first_child[node], tree.first_child[node] + tree.child_count[node]):
                if tree.visits[child] > 0 and (best < 0 or tree.visits[child] > tree.visits[best]):
                    best = child
        if best >= 0:
            card = tree.cards[best]
        elif position[LENGTH] == _0:
            return
        else:
            legal = legal_cards(position[position[TURN]], position[LED])
            card = choose_by_rule(position, legal, next_u64(stream))
        line[depth] = np.int8(card)
        apply_card(position, card)
        node = best


@kernel
def _search_world(
    question: Any,
    root: Any,
    tree: Any,
    row: Any,
    block: Any,
    iterations: Any,
    policy: Any,
    exploration: Any,
    expand_after: Any,
    stream: Any,
) -> None:
    """Grows the tree of one world, whose position is `root`, and writes row `row` of the block."""
    arm_count = len(question.arms)
    own_side = (root[SIDES] >> root[TURN]) & _1
    own_sign = 1 if own_side == _0 else -1
    for arm in range(arm_count):
        tree.visits[1 + arm] = 0
        tree.totals[1 + arm] = 0
        tree.child_count[1 + arm] = 0
    used = 1 + arm_count
    position = np.empty(POSITION_WORDS, dtype=np.uint64)
    piles = np.empty(2, dtype=np.uint64)
    path = np.empty(MAX_DEPTH, dtype=np.int64)
    sum_of_results = 0.0
    sum_of_squares = 0.0
    spread = 2.0
    for iteration in range(iterations):
        position[:] = root
        arm = iteration % arm_count
        apply_arm(question, arm, position)
        node = 1 + arm
        path[0] = node
        depth = 1
        while position[TRICKS_LEFT] != _0 and tree.visits[node] >= expand_after:
            if tree.child_count[node] == 0:
                used = _expand(tree, node, used, position, next_u64(stream))
                if tree.child_count[node] == 0:
                    break
            sign = 1 if (position[SIDES] >> position[TURN]) & _1 == _0 else -1
            node = _select(tree, node, sign, spread, exploration)
            apply_card(position, tree.cards[node])
            path[depth] = node
            depth += 1
        result = playout(position, piles, stream, policy)
        for place in range(depth):
            tree.visits[path[place]] += 1
            tree.totals[path[place]] += result
        sum_of_results += result
        sum_of_squares += np.float64(result) * result
        mean = sum_of_results / (iteration + 1)
        spread = max(np.sqrt(max(sum_of_squares / (iteration + 1) - mean * mean, 0.0)), 2.0)
        own_result = own_sign * result
        block.samples[row, arm] = own_result
        block.wins[row, arm] += 2 if own_result > 0 else (1 if own_result == 0 else 0)
    for arm in range(arm_count):
        block.visits[row, arm] = tree.visits[1 + arm]
        block.totals[row, arm] = own_sign * tree.totals[1 + arm]
        _record_line(question, root, tree, arm, position, stream, block.lines[row, arm])


@kernel
def search_block(
    question: Any,
    sampler: Any,
    tree: Any,
    block: Any,
    seed: Any,
    first_world: Any,
    iterations: Any,
    policy: Any,
    exploration: Any,
    expand_after: Any,
) -> None:
    """Searches worlds `first_world`, `first_world + 1`, ... with `iterations` each, one for every row of `block`.

    Ends early, with -1 in `block.rejected`, if the sampler gives up on a world.
    """
    world = np.zeros(4, dtype=np.uint64)
    root = np.empty(POSITION_WORDS, dtype=np.uint64)
    stream = np.empty(1, dtype=np.uint64)
    for row in range(len(block.rejected)):
        stream[0] = split_stream(seed, first_world + row)
        block.rejected[row] = sample_world(sampler, stream, world)
        if block.rejected[row] < 0:
            return
        place_world(question, sampler.destination, world, root)
        _search_world(question, root, tree, row, block, iterations, policy, exploration, expand_after, stream)
