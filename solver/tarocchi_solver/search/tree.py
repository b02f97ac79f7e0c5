"""The kernel of the search: worlds drawn from a sampler, in each a UCT tree over the open cards.

The observer's own moves get equal shares of every world: what differs between worlds is far greater than what a
world can teach about itself, and only all worlds together may prefer a move. Below them UCT decides.

One call works on a block of worlds and is a pure function of its arguments: world number w draws all its random
numbers from stream w of the seed, and everything that is summed is an integer. So blocks can run on any thread, in
any order, and give the same numbers.

Results are differences of the sides in half points (in Terziglio half game points). UCT (Kocsis and Szepesvári, 2006)
needs an exploration constant in the scale of the results; here they are divided by their standard deviation so far in
the same tree.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tarocchi_engine.bits import bit, lowest, popcount
from tarocchi_engine.cards import CARD_COUNT, MATTO_MASK
from tarocchi_engine.compilation import kernel
from tarocchi_engine.layout import (
    ASIDE,
    DECLARED,
    GIVEN,
    HANDS,
    LED,
    LENGTH,
    MATTO_SIDE,
    POSITION_WORDS,
    SCORING,
    SCORING_DECLARATIONS,
    SEATS,
    SIDES,
    TRICKS_LEFT,
    TURN,
)
from tarocchi_engine.play import apply_card, choose_by_rule, copy_position, legal_cards
from tarocchi_engine.rng import next_u64, split_stream
from tarocchi_engine.scoring import score_difference, score_sum
from tarocchi_solver.search.inference import believed_world
from tarocchi_solver.search.learned_playout import FEATURES, PLAYOUT_LEARNED, fill_moods, play_to_end
from tarocchi_solver.search.opening import NOBODY, declare_all, finish_auction, lay_away
from tarocchi_solver.search.question import (
    BID_ARM,
    DEAL_ARM,
    DECLARE_ARM,
    DISCARD_ARM,
    DISCARD_COUNT,
    DISCARDER,
    GIVE_ARM,
    KIND,
    LEADER,
    PLAY_ARM,
    SEAT,
)
from tarocchi_solver.search.utilities import BY_GAME, BY_SCORES, smooth_game, utility_of
from tarocchi_solver.search.utilities import KIND as UTILITY_KIND

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
    utilities: Integers
    """[worlds, arms]: sum of what the results are worth to the choice, see `utility_of`."""
    wins: Integers
    """[worlds, arms]: twice the number of results above zero, plus the number of ties."""
    samples: Integers
    """[worlds, arms]: the latest result through the arm."""
    sums: Integers
    """[worlds, arms]: the points of both sides together in that result, in halves."""
    lines: npt.NDArray[np.int8]
    """[worlds, arms, LINE_LENGTH]: the most visited replies, -1 after the last known."""
    rejected: Integers
    """[worlds]: draws that the sampler had to repeat."""

    @classmethod
    def allocate(cls, world_count: int, arm_count: int) -> Block:
        """Returns an empty block."""
        shape = (world_count, arm_count)
        visits, totals, utilities, wins, samples, sums = (np.zeros(shape, dtype=np.int64) for _ in range(6))
        lines = np.full((*shape, LINE_LENGTH), -1, dtype=np.int8)
        return cls(visits, totals, utilities, wins, samples, sums, lines, np.zeros(world_count, dtype=np.int64))


@kernel
def place_world(question: Any, destination: Any, world: Any, position: Any) -> None:
    """Writes the question's position with the cards of a world, and what happens in it whatever the move is."""
    copy_position(question.position, position)
    for holder in range(4):
        position[destination[holder]] |= world[holder]
    for seat in range(np.int64(position[SEATS])):
        if position[HANDS + seat] & _MATTO != _0:
            position[MATTO_SIDE] = (position[SIDES] >> np.uint64(seat)) & _1
    kind = question.words[KIND]
    if kind == DEAL_ARM:
        lay_away(position, question.words[DISCARDER], question.words[DISCARD_COUNT])
        position[TURN] = np.uint64(question.words[LEADER])
    if kind in (DEAL_ARM, PLAY_ARM):
        declare_all(question, position, NOBODY, _0)


@kernel
def draw_root(
    question: Any, sampler: Any, belief: Any, seed: Any, number: Any, stream: Any, world: Any, root: Any
) -> Any:
    """Draws world `number` and writes its position to `root`; returns as `believed_world`.

    `stream` is left as that of the world, and `world` is scratch of four words.
    """
    stream[0] = split_stream(seed, number)
    rejected = believed_world(sampler, belief, stream, world)
    if rejected >= 0:
        place_world(question, sampler.destination, world, root)
    return rejected


@kernel
def apply_arm(question: Any, arm: Any, position: Any) -> None:
    """Makes the observer's move number `arm` and what follows from it before the next card."""
    cards = question.arms[arm]
    kind = question.words[KIND]
    if kind == PLAY_ARM:
        if position[TRICKS_LEFT] != _0:
            apply_card(position, lowest(cards))
    elif kind == DECLARE_ARM:
        declare_all(question, position, question.words[SEAT], cards)
    elif kind == DISCARD_ARM:
        position[position[TURN]] ^= cards
        position[ASIDE] |= cards
        position[TURN] = np.uint64(question.words[LEADER])
        declare_all(question, position, NOBODY, _0)
    elif kind == BID_ARM:
        finish_auction(question, cards, position)
    elif kind == GIVE_ARM:
        position[GIVEN] = np.uint64(lowest(cards))


@kernel
def own_result(question: Any, position: Any, result: Any) -> Any:
    """Returns a result, side 0 minus side 1, from the side of the observer.

    When the auction is still open a defender's share is halved: a declarer who loses is set back against both.
    """
    if (position[SIDES] >> np.uint64(question.words[SEAT])) & _1 == _0:
        return result
    return -(result // 2) if question.words[KIND] == BID_ARM else -result


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
def _record_line(
    question: Any, root: Any, tree: Any, branch: Any, arm: Any, position: Any, stream: Any, line: Any
) -> None:
    """Writes the replies to a root move: the most visited ones, and where there are none the playout rule's.

    The rule is followed to the end of a trick only.
    """
    copy_position(root, position)
    apply_arm(question, arm, position)
    node = 1 + branch
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
    rule: Any,
    exploration: Any,
    expand_after: Any,
    stream: Any,
) -> None:
    """Grows the tree of one world, whose position is `root`, and writes row `row` of the block.

    Declarations change nothing but what is scored at once: they share one branch, and each of its playouts is
    counted for all of them.
    """
    arm_count = len(question.arms)
    is_shared = question.words[KIND] == DECLARE_ARM
    branch_count = 1 if is_shared else arm_count
    for branch in range(branch_count):
        tree.visits[1 + branch] = 0
        tree.totals[1 + branch] = 0
        tree.child_count[1 + branch] = 0
    used = 1 + branch_count
    position = np.empty(POSITION_WORDS, dtype=np.uint64)
    declared = np.empty((arm_count if is_shared else 0, POSITION_WORDS), dtype=np.uint64)
    for arm in range(len(declared)):
        copy_position(root, declared[arm])
        apply_arm(question, arm, declared[arm])
    piles = np.empty(2, dtype=np.uint64)
    path = np.empty(MAX_DEPTH, dtype=np.int64)
    places = np.empty((0, FEATURES), dtype=np.int64)
    sum_of_results = 0.0
    sum_of_squares = 0.0
    spread = 2.0
    moods = np.empty(CARD_COUNT, dtype=np.float32)
    for iteration in range(iterations):
        copy_position(root, position)
        branch = iteration % branch_count
        if branch == 0 and rule.policy == PLAYOUT_LEARNED:
            fill_moods(rule, moods, stream)
        if is_shared:
            position[DECLARED] = declared[0, DECLARED]
            position[DECLARED + 1] = declared[0, DECLARED + 1]
        else:
            apply_arm(question, branch, position)
        node = 1 + branch
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
        result = play_to_end(position, piles, rule, moods, places, stream)
        for place in range(depth):
            tree.visits[path[place]] += 1
            tree.totals[path[place]] += result
        sum_of_results += result
        sum_of_squares += np.float64(result) * result
        mean = sum_of_results / (iteration + 1)
        spread = max(np.sqrt(max(sum_of_squares / (iteration + 1) - mean * mean, 0.0)), 2.0)
        is_last = iteration + branch_count >= iterations
        if is_shared:
            for arm in range(arm_count):
                position[DECLARED] = declared[arm, DECLARED]
                position[DECLARED + 1] = declared[arm, DECLARED + 1]
                position[SCORING] = declared[arm, SCORING]
                _record(question, position, score_difference(position, piles), piles, block, row, arm, is_last)
        else:
            _record(question, position, result, piles, block, row, branch, is_last)
    for arm in range(arm_count):
        _record_line(question, root, tree, 0 if is_shared else arm, arm, position, stream, block.lines[row, arm])


@kernel
def _record(
    question: Any, position: Any, result: Any, piles: Any, block: Any, row: Any, arm: Any, is_last: Any
) -> None:
    """Adds the result of a finished deal to an arm of a row of the block; the last one is kept as its sample."""
    own = own_result(question, position, result)
    block.visits[row, arm] += 1
    block.totals[row, arm] += own
    block.wins[row, arm] += 2 if own > 0 else (1 if own == 0 else 0)
    both = np.int64(0)
    if is_last or question.utility.words[UTILITY_KIND] == BY_SCORES:
        both = score_sum(position, piles)
    is_certain = position[SCORING] == np.uint64(SCORING_DECLARATIONS)
    if question.utility.words[UTILITY_KIND] == BY_GAME and not is_certain:
        block.utilities[row, arm] += own_result(question, position, smooth_game(question.utility, position, piles))
    else:
        block.utilities[row, arm] += utility_of(question.utility, own, both, is_certain)
    if is_last:
        block.samples[row, arm] = own
        block.sums[row, arm] = both


@kernel
def search_block(
    question: Any,
    sampler: Any,
    belief: Any,
    tree: Any,
    block: Any,
    seed: Any,
    first_world: Any,
    iterations: Any,
    rule: Any,
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
        block.rejected[row] = draw_root(question, sampler, belief, seed, first_world + row, stream, world, root)
        if block.rejected[row] < 0:
            return
        _search_world(question, root, tree, row, block, iterations, rule, exploration, expand_after, stream)
