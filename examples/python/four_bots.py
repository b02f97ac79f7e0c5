"""Plays a whole deal, or match, with a bot on every seat through the service.

    python examples/python/four_bots.py --address 127.0.0.1:50051 --variant piedicavallo --seed 1 --iterations 500

With --option match=four_deals and --match it plays on to the end of the match. With --kept FILE the table is kept in a
file after every move, and the same command goes on from there after an interruption.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tarocchi.solver.v1 import deal_pb2
from tarocchi_solver.client import BotMove, SolverClient, SolverError, Table


def in_words(move: deal_pb2.Move) -> str:
    """Returns what a move is, as a log line would have it."""
    action = move.WhichOneof("action")
    if action == "play":
        signal = deal_pb2.Signal.Name(move.play.signal).removeprefix("SIGNAL_").lower() if move.play.signal else ""
        return f"plays {move.play.card} {signal}".rstrip()
    if action == "bid":
        return f"bids {deal_pb2.Call.Name(move.bid.call).removeprefix('CALL_').lower()}"
    if action == "monte":
        return "would throw in" if move.monte.throws_in else "plays on"
    if action == "give":
        return f"gives {move.give.card}"
    cards = {"discard": move.discard.cards, "declare": move.declare.cards, "call_out": move.call_out.cards}[str(action)]
    return f"{str(action).replace('_', ' ')}: {' '.join(cards) or 'nothing'}"


def show(made: BotMove) -> None:
    """Prints a move, and says so if the solver did not choose it."""
    score = f" ({made.answer.moves[0].expected_score:+.1f} expected)" if made.answer else ""
    print(f"seat {made.seat} {in_words(made.move)}{score}")
    if made.is_fallback:
        print(f"  the fallback chose it: {made.error}", file=sys.stderr)


def play_deal(table: Table, iterations: int | None, level: str | None, seed: int | None, kept: Path | None) -> None:
    """Plays a deal to its end."""
    while not table.is_over:
        own_seed = None if seed is None else (seed + len(table.events)) % 2**64
        show(table.bot_move(iterations=iterations, level=level, seed=own_seed, timeout=10))
        if kept is not None:
            kept.write_text(table.to_json(), encoding="utf-8")
    assert table.score is not None
    assert table.progress is not None
    for side, score in enumerate(table.score.sides):
        print(f"side {side}: {score.total:g} points, {score.trick_count} tricks")
    print("standing:", " : ".join(f"{score:g}" for score in table.progress.standing.scores))


def main() -> None:
    """Reads the command line and plays."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--address", default="127.0.0.1:50051", help="host and port of the service")
    parser.add_argument("--variant", default="bolognese", help="name of the variant")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="a rule option")
    parser.add_argument("--seed", type=int, help="seed of the deal and of the bots; drawn if left out")
    parser.add_argument("--iterations", type=int, help="cap on the iterations of each decision")
    parser.add_argument("--level", help="how well to play, such as club, instead of iterations")
    parser.add_argument("--match", action="store_true", help="play on to the end of the match")
    parser.add_argument("--kept", type=Path, help="file that keeps the table")
    given = parser.parse_args()
    options = dict(option.split("=", 1) if "=" in option else (option, "") for option in given.option)
    with SolverClient(given.address) as client:
        try:
            if given.kept is not None and given.kept.exists():
                table = Table.from_json(client, given.kept.read_bytes())
            else:
                table = Table.open(client, given.variant, seed=given.seed, options=options)
            play_deal(table, given.iterations, given.level, given.seed, given.kept)
            while given.match and not table.is_match_over:
                played = table.progress.standing.deals_played if table.progress else 0
                table = table.next_deal(None if given.seed is None else (given.seed + played) % 2**64)
                play_deal(table, given.iterations, given.level, given.seed, given.kept)
        except SolverError as error:
            sys.exit(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
