"""Golden playthroughs: whole deals as readable texts, one for each variant and contract.

A change of the engine that changes one of them is a change of the rules or of the deals that seeds give; read the
difference before you accept it. This writes them anew:

    .venv/bin/python tests/playthroughs.py
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice, pairwise
from pathlib import Path

from tarocchi_engine.cards import SUIT_CARDS_MASK, Pack, cards_in
from tarocchi_engine.match import FIRST_DEAL, Match, Standing
from tarocchi_engine.moves import Bid, Call, CallOut, Declare, Discard, Event, Give, Monte, Move, Play
from tarocchi_engine.options import given_options
from tarocchi_engine.record import Trick
from tarocchi_engine.state import State, new_deal
from tarocchi_engine.variant import SideScore
from tarocchi_engine.variants import get_variant

FOLDER = Path(__file__).with_name("engine") / "playthroughs"


@dataclass(frozen=True)
class Playthrough:
    """A deal, and what its seats say in the beginning; then they play at random, signal and show what they can."""

    name: str
    variant: str
    seed: int
    options: Mapping[str, str] = field(default_factory=dict)
    standing: Standing = FIRST_DEAL
    first: tuple[Move, ...] = ()
    """The first moves; the rest are chosen by the seed."""


_POLL = tuple([Monte(True)] * 3)
PLAYTHROUGHS = (
    Playthrough("bolognese", "bolognese", seed=1),
    Playthrough("piedicavallo", "piedicavallo", seed=2),
    Playthrough(
        "ottocento-count", "ottocento", seed=3, standing=Standing((431.0, 512.0), 4), first=(*_POLL, Monte(False))
    ),
    Playthrough("ottocento-thrown-in", "ottocento", seed=4, first=(*_POLL, Monte(True))),
    Playthrough("ottocento-call-out", "ottocento", seed=5, standing=Standing((795.0, 795.0), 5), first=(Monte(False),)),
    Playthrough(
        "ottocento-declaration",
        "ottocento",
        seed=6,
        options={"monte": "false", "call_out": "false"},
        standing=Standing((795.0, 795.0), 5),
    ),
    Playthrough("terziglio-passed", "terziglio", seed=7, first=tuple([Bid(Call.PASS)] * 3)),
    Playthrough(
        "terziglio-gioco",
        "terziglio",
        seed=8,
        first=(Bid(Call.PASS), Bid(Call.GIOCO), Bid(Call.PASS)),
        standing=Standing((12.0, 0.0, 7.0), 2),
    ),
    Playthrough(
        "terziglio-solo",
        "terziglio",
        seed=9,
        options={"cards": "19", "payment": "zero_sum"},
        first=(Bid(Call.GIOCO), Bid(Call.SOLO)),
    ),
)


def play(playthrough: Playthrough) -> State:
    """Returns the deal at its end."""
    variant = get_variant(playthrough.variant, dict(playthrough.options))
    state = new_deal(variant, playthrough.seed, standing=playthrough.standing)
    for move in playthrough.first:
        state = state.apply_move(move)
    rng = random.Random(playthrough.seed)
    while state.turn is not None:
        moves = state.legal_moves()
        signals = [move for move in moves if isinstance(move, Play) and move.signal is not None]
        if isinstance(moves[0], Discard):
            state = state.apply_move(Discard(plain_discard(state)))
        elif isinstance(moves[0], Declare | CallOut):
            state = state.apply_move(moves[0])
        else:
            state = state.apply_move(rng.choice(signals or moves))
    return state


def plain_discard(state: State) -> int:
    """Returns the discard of the lowest cards of the suits, which needs no list of discards."""
    pack = state.variant.pack
    free = cards_in(state.hands[state.table.turn] & SUIT_CARDS_MASK & ~pack.five_point_mask)
    return sum(1 << card for card in islice(free, state.variant.discard_count))


def tell(state: State) -> str:
    """Returns a finished deal as a text."""
    return "\n".join(_lines(state)) + "\n"


def _lines(state: State) -> Iterator[str]:
    variant, pack, table = state.variant, state.variant.pack, state.table
    yield f"{variant.title_en} ({variant.name})"
    for name, value in given_options(variant):
        yield f"Option {name}: {value}"
    if state.standing != FIRST_DEAL:
        yield f"Before: {_numbers(state.standing.scores)} after {state.standing.deals_played} deals"
    yield f"Seat {table.dealer} deals"
    for seat, packets in enumerate(state.packets):
        parts = [packets[0], *(held & ~before for before, held in pairwise(packets))]
        yield f"Seat {seat} is dealt {' | '.join(_cards(pack, part) for part in parts)}"
    if state.stock:
        yield f"Stock {_cards(pack, state.stock)}"
    yield ""
    played = 0
    tricks = iter(state.tricks)
    for event in state.events:
        if isinstance(event.move, Play):
            played += 1
            if played % variant.seat_count == 0:
                number = played // variant.seat_count
                yield f"Trick {number}: {_trick(state, number, next(tricks))}"
        else:
            yield _said(pack, variant.declaration_points, event)
    if table.trick:
        yield "Trick not complete: " + ", ".join(pack.format_card(card) for card in table.trick)
    yield ""
    yield from _result(state)


def _cards(pack: Pack, cards: int) -> str:
    return " ".join(pack.format_mask(cards)) or "nothing"


def _numbers(numbers: tuple[float, ...]) -> str:
    return " ".join(f"{number:g}" for number in numbers)


def _trick(state: State, number: int, trick: Trick) -> str:
    """Returns the cards of a trick with their seats, the signal of the lead, and who wins."""
    variant = state.variant
    plays = [event.move for event in state.events if isinstance(event.move, Play)]
    first = plays[variant.seat_count * (number - 1)]
    words = []
    for place, card in enumerate(trick.cards):
        signal = f" ({first.signal})" if not place and first.signal else ""
        words.append(f"{(trick.leader + place) % variant.seat_count} {variant.pack.format_card(card)}{signal}")
    return f"{', '.join(words)} to seat {trick.winner}"


def _said(pack: Pack, points_of: Callable[[int], int], event: Event) -> str:
    """Returns any other move as a sentence."""
    seat = f"Seat {event.seat}"
    match event.move:
        case Monte(throws_in):
            return f"{seat} says {'monte' if throws_in else 'play'}"
        case Bid(call):
            return f"{seat} says {call}"
        case CallOut(cards):
            return (
                f"{seat} calls itself out with {_cards(pack, cards)}" if cards else f"{seat} does not call itself out"
            )
        case Discard(cards, announced):
            told = "" if announced is None else f" and announces {announced} trumps"
            return f"{seat} lays away {_cards(pack, cards or 0)}{told}"
        case Declare(cards):
            return f"{seat} shows {_cards(pack, cards)}" + (f" for {points_of(cards)}" if cards else "")
        case Give(card):
            return f"{seat} gives {pack.format_card(card)} for the Matto"
    raise AssertionError(event)


def _result(state: State) -> Iterator[str]:
    """Yields the count and what it makes of the match."""
    score, table, pack = state.score(), state.table, state.variant.pack
    yield f"Ended by: {score.ending}"
    for side, count in enumerate(score.sides):
        yield from _side(pack, side, count)
    if score.matto_side is not None:
        given = "nothing" if score.matto_card is None else pack.format_card(score.matto_card)
        yield f"Matto with side {score.matto_side}, given for it: {given}"
    if score.discard_side is not None:
        yield f"Laid aside {_cards(pack, state.aside)}, with side {score.discard_side}"
    if score.game is not None:
        game = score.game
        yield f"{game.contract} by seat {game.declarer}: rounded {game.rounded}, game points {game.game_points}"
    yield f"Winner: {'none' if score.winner is None else f'side {score.winner}'}"
    yield f"Awards: {_numbers(score.awards)}"
    match = Match(state.variant, table.dealer, state.standing).after(score)
    yield f"Match: {_numbers(match.scores)} after {match.standing.deals_played} deals, " + (
        f"won by {match.winner}" if match.is_over else f"seat {match.dealer} deals next"
    )


def _side(pack: Pack, side: int, count: SideScore) -> Iterator[str]:
    yield (
        f"Side {side}: total {count.total:g} = declared {count.declarations} + sets {count.sets_total} + sequences "
        f"{count.sequences_total} + cards {count.card_points:g} + last trick {count.last_trick:g}; "
        f"tricks {count.trick_count}"
    )
    for kind, items in (("sets", count.sets), ("sequences", count.sequences)):
        if items:
            yield f"  {kind}: " + ", ".join(f"{name} {points}" for name, points in items.items())
    if count.pile:
        yield f"  pile: {_cards(pack, count.pile)}"


def path_of(playthrough: Playthrough) -> Path:
    """Returns the file of a playthrough."""
    return FOLDER / f"{playthrough.name}.txt"


def main() -> None:
    """Writes all playthroughs anew."""
    FOLDER.mkdir(exist_ok=True)
    for playthrough in PLAYTHROUGHS:
        path_of(playthrough).write_text(tell(play(playthrough)), encoding="utf-8")
        print(f"wrote {path_of(playthrough).name}")


if __name__ == "__main__":
    main()
