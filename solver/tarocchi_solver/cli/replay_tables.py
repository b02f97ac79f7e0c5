"""Prints how a deal went: its moves, tricks, score and match. It reads messages of the contract only."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table

from tarocchi.solver.v1 import deal_pb2, rules_service_pb2
from tarocchi_solver.cli.wording import call_text, move_text, phase_text, signal_text

_ENDINGS = {
    rules_service_pb2.ENDING_THROWN_IN: "All seats said monte: the cards are thrown in and nothing is scored.",
    rules_service_pb2.ENDING_PASSED: "All seats passed: nothing is scored.",
    rules_service_pb2.ENDING_CALL_OUT: "The dealer has called itself out, which ends the match.",
    rules_service_pb2.ENDING_DECLARATION: "A declaration has reached the target, which ends the match.",
}


def print_hands(
    console: Console, hands: Sequence[rules_service_pb2.Hand], packet_sizes: Sequence[Sequence[int]] = ()
) -> None:
    """Prints one line for each hand; bars divide the packets of those whose sizes are given."""
    for seat, hand in enumerate(hands):
        cards = list(hand.cards)
        packets = []
        for size in packet_sizes[seat] if packet_sizes else [len(cards)]:
            packets.append(" ".join(cards[:size]))
            cards = cards[size:]
        console.print(f"seat {seat}:  {' | '.join(packets)}", highlight=False, soft_wrap=True)


def print_replay(console: Console, answer: rules_service_pb2.ReplayDealResponse) -> None:
    """Prints poll, auction and declarations, tricks, the hands that are left and the score."""
    for event in answer.events:
        if _is_told(event):
            console.print(f"seat {event.seat}:  {move_text(event)}", highlight=False, soft_wrap=True)
    if answer.HasField("declarer"):
        contract = f"Seat {answer.declarer} plays {call_text(answer.contract)} alone."
        console.print(contract, style="bold", highlight=False)
    if answer.tricks:
        _print_tricks(console, answer)
    if answer.HasField("score"):
        _print_score(console, answer.score)
        if answer.match_deal_count != 1:
            _print_progress(console, answer)
        return
    if answer.HasField("current_trick"):
        console.print(f"On the table: {' '.join(answer.current_trick.cards)}", highlight=False)
    print_hands(console, answer.hands)
    if answer.stock:
        console.print(f"stock:   {' '.join(answer.stock)}", highlight=False, soft_wrap=True)
    console.print(f"Seat {answer.turn} has to {phase_text(answer.phase)}.", highlight=False)


def _is_told(event: deal_pb2.Event) -> bool:
    """Tells whether a move gets a line: cards stand in the tricks, the card for the Matto in the score."""
    match event.WhichOneof("action"):
        case "play" | "give":
            return False
        case "declare":
            return bool(event.declare.cards)
        case "call_out":
            return bool(event.call_out.cards)
        case _:
            return True


def _print_tricks(console: Console, answer: rules_service_pb2.ReplayDealResponse) -> None:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in ("Trick", "Led by", "Cards", "Won by"):
        table.add_column(title)
    plays = [event.play for event in answer.events if event.HasField("play")]
    for number, trick in enumerate(answer.tricks, start=1):
        cards = list(trick.cards)
        lead = plays[(number - 1) * len(cards)]
        if lead.signal:
            cards[0] = f"{lead.card} {signal_text(lead.signal)},"
        table.add_row(str(number), f"seat {trick.leader}", " ".join(cards), f"seat {trick.winner}")
    console.print(table)


def _print_score(console: Console, score: rules_service_pb2.DealScore) -> None:
    if score.ending in _ENDINGS:
        console.print(_ENDINGS[score.ending], style="bold", highlight=False)
    if score.ending in (rules_service_pb2.ENDING_THROWN_IN, rules_service_pb2.ENDING_PASSED):
        return
    names = ("Declarer", "Defenders") if score.HasField("game") else ("Side 0", "Side 1")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in ("Points", *names):
        table.add_column(title, justify="left" if title == "Points" else "right")
    sides = score.sides
    table.add_row("Declared", *(str(side.declarations) for side in sides))
    if score.ending not in _ENDINGS:
        table.add_row("Sets", *(_items_text(side.sets, side.sets_total) for side in sides))
        table.add_row("Sequences", *(_items_text(side.sequences, side.sequences_total) for side in sides))
        table.add_row("Cards", *(f"{side.card_points:g}" for side in sides))
        table.add_row("Last trick", *(f"{side.last_trick:g}" for side in sides))
    table.add_section()
    table.add_row("Total", *(f"{side.total:g}" for side in sides), style="bold")
    console.print(table)
    if score.matto_card:
        keeper = names[score.matto_side]
        console.print(f"The Matto stays with {keeper.lower()}, for {score.matto_card}.", highlight=False)
    console.print(_result_text(score), style="bold", highlight=False, soft_wrap=True)


def _result_text(score: rules_service_pb2.DealScore) -> str:
    """Returns who has won the deal, and what it is worth where an auction was played."""
    if not score.HasField("winning_side"):
        return "The deal is a tie."
    if not score.HasField("game"):
        return f"Side {score.winning_side} wins the deal."
    game = score.game
    winner = "The defenders win" if score.winning_side else f"Seat {game.declarer}, the declarer, wins"
    how = "every trick" if not game.HasField("rounded") else f"{score.sides[score.winning_side].total:g} points count"
    how += f" as {game.rounded}" if game.HasField("rounded") else ""
    how += ", twice after solo" if game.contract == deal_pb2.CALL_SOLO and game.HasField("rounded") else ""
    gains = ", ".join(f"seat {seat} {points:+g}" for seat, points in enumerate(score.awards))
    return f"{winner} {game.game_points} game points ({how}): {gains}."


def _print_progress(console: Console, answer: rules_service_pb2.ReplayDealResponse) -> None:
    progress = answer.match_progress
    standing = progress.standing
    unit = "side" if len(standing.scores) == len(answer.score.sides) else "seat"
    scores = ", ".join(f"{unit} {place} has {score:g}" for place, score in enumerate(standing.scores))
    if answer.HasField("match_target"):
        deals = "1 deal" if standing.deals_played == 1 else f"{standing.deals_played} deals"
        played = f"Match to {answer.match_target}: {deals} played"
    else:
        played = f"Match: {standing.deals_played} of {answer.match_deal_count} deals played"
    if not progress.finished:
        outcome = f"Seat {progress.next_dealer} deals next."
    elif progress.HasField("winning_side"):
        outcome = f"Side {progress.winning_side} wins the match."
    elif progress.HasField("winning_seat"):
        outcome = f"Seat {progress.winning_seat} wins the match."
    else:
        outcome = "The match is a draw."
    console.print(f"{played}; {scores}. {outcome}", style="bold", highlight=False, soft_wrap=True)


def _items_text(items: Sequence[rules_service_pb2.ScoreItem], total: int) -> str:
    names = ", ".join(f"{item.name} {item.points}" for item in items)
    return f"{total} ({names})" if names else str(total)
