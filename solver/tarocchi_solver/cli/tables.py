"""Prints answers for people. It reads messages of the contract only, so it serves local and remote answers alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tarocchi.solver.v1 import deal_pb2, rules_service_pb2, solver_service_pb2

_MOST_ROWS = 12
_CLEAR = 2.0
"""Differences above so many standard errors are called by name."""
_SIDE = {True: "behind", False: "ahead"}
_VERBS = {"discard": "Discard", "declare": "Declare", "play": "Play"}
_STOP_TEXTS = {
    solver_service_pb2.STOP_REASON_SINGLE_MOVE: "the only legal move",
    solver_service_pb2.STOP_REASON_EXACT: "every possible deal solved to the end",
    solver_service_pb2.STOP_REASON_WORLDS: "stopped by the cap on worlds",
    solver_service_pb2.STOP_REASON_ITERATIONS: "stopped by the cap on iterations",
    solver_service_pb2.STOP_REASON_TIME: "stopped by time",
    solver_service_pb2.STOP_REASON_STOPPED: "stopped early",
}


def move_text(move: deal_pb2.Move | deal_pb2.Event) -> str:
    """Returns a move in few words, such as "Play CN" or "Declare nothing"."""
    action = move.WhichOneof("action")
    if action is None:
        return "no move"
    return f"{_VERBS[action]} {_cards_text(move) or 'nothing'}"


def _cards_text(move: deal_pb2.Move | deal_pb2.Event) -> str:
    match move.WhichOneof("action"):
        case "discard":
            return " ".join(move.discard.cards)
        case "declare":
            return " ".join(move.declare.cards)
        case _:
            return move.play.card


def print_recommendation(
    console: Console,
    observation: deal_pb2.Observation,
    variant: rules_service_pb2.Variant,
    answer: solver_service_pb2.RecommendMoveResponse,
) -> None:
    """Prints where the seat stands, the table of moves and one sentence with the recommendation."""
    console.print(Text(f"{variant.title_en}: seat {observation.seat}, dealer {observation.dealer}", style="bold"))
    in_match = answer.moves[0].HasField("match_win_probability")
    if observation.options:
        console.print(f"Options:      {_options_text(observation.options)}", highlight=False)
    if in_match:
        side = variant.seat_sides[observation.seat]
        console.print(f"Match:        {_match_text(observation.standing, side)}", highlight=False)
    console.print(f"In hand:      {' '.join(_hand_now(observation))}", highlight=False)
    if trick := _trick_now(observation, variant.seat_count):
        cards = "  ".join(f"{event.play.card} (seat {event.seat})" for event in trick)
        console.print(f"On the table: {cards}", highlight=False)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("")
    table.add_column("Move")
    for title in ("Score ± error", "To best ± error", "Win", *(("Match",) if in_match else ()), "Visits"):
        table.add_column(title, justify="right")
    for entry in answer.moves[:_MOST_ROWS]:
        table.add_row(*_row(entry), style="bold" if entry.rank == 1 else None)
    console.print(table)
    if len(answer.moves) > _MOST_ROWS:
        console.print(f"and {len(answer.moves) - _MOST_ROWS} more moves\n", highlight=False)
    console.print(Text(recommendation_sentence(answer, variant.pack), style="bold"), soft_wrap=True)
    console.print(Text(_method_sentence(answer), style="dim"), soft_wrap=True)


def _row(entry: solver_service_pb2.MoveStatistics) -> list[str]:
    to_best = "" if entry.rank == 1 else f"{entry.difference_to_best:+.2f} ± {entry.difference_standard_error:.2f}"
    return [
        str(entry.rank),
        move_text(entry.move),
        f"{entry.expected_score:+.2f} ± {entry.standard_error:.2f}",
        to_best,
        f"{entry.win_probability:.0%}",
        *([f"{entry.match_win_probability:.0%}"] if entry.HasField("match_win_probability") else []),
        f"{entry.visits:,}",
    ]


def _options_text(options: Mapping[str, str]) -> str:
    return ", ".join(f"{name}={value}" for name, value in sorted(options.items()))


def _match_text(standing: deal_pb2.MatchStanding, side: int) -> str:
    """Returns which deal of a match this is and what the sides have before it, from the view of one."""
    if not standing.deals_played:
        return "first deal"
    own, other = standing.scores[side], standing.scores[1 - side]
    return f"deal {standing.deals_played + 1}; own side has {own:g} points, other side {other:g}"


def recommendation_sentence(
    answer: solver_service_pb2.RecommendMoveResponse, pack: rules_service_pb2.Pack | None = None
) -> str:
    """Returns the recommendation as one plain sentence."""
    best = answer.moves[0]
    name = move_text(best.move)
    if best.move.HasField("play") and pack is not None:
        full = next((card.name_en for card in pack.cards if card.id == best.move.play.card), "")
        name += f" ({full})" if full else ""
    text = f"{name}: {best.expected_score:+.1f} ± {best.standard_error:.1f} points expected"
    text += f", {best.win_probability:.0%} to win the deal"
    if best.HasField("match_win_probability"):
        text += f", {best.match_win_probability:.0%} to win the match"
    if len(answer.moves) == 1:
        return f"{text}; it is the only legal move."
    second = answer.moves[1]
    gap, error = second.difference_to_best, second.difference_standard_error
    if abs(gap) > _CLEAR * error:
        return f"{text}; next is {move_text(second.move)}, {abs(gap):.1f} ± {error:.1f} points {_SIDE[gap < 0]}."
    if answer.exact:
        return f"{text}; {move_text(second.move)} is exactly as good."
    return f"{text}; {move_text(second.move)} may be as good ({gap:+.1f} ± {error:.1f} points)."


def _method_sentence(answer: solver_service_pb2.RecommendMoveResponse) -> str:
    facts = answer.diagnostics
    worlds = f"{facts.worlds:,} worlds"
    if not answer.exact:
        worlds += f" ({facts.evaluation_worlds:,} of them for the scores), {facts.iterations:,} iterations"
    return f"{worlds}, seed {facts.seed}; {_STOP_TEXTS.get(facts.stop_reason, 'stopped')}."


def _hand_now(observation: deal_pb2.Observation) -> list[str]:
    """Returns the cards dealt to the seat that it has neither laid away nor played."""
    gone: set[str] = set()
    for event in observation.events:
        if event.seat == observation.seat and not event.HasField("declare"):
            gone.update(_cards_text(event).split())
    return [card for card in observation.hand if card not in gone]


def _trick_now(observation: deal_pb2.Observation, seat_count: int) -> list[deal_pb2.Event]:
    """Returns the plays of the trick that is not complete yet."""
    plays = [event for event in observation.events if event.HasField("play")]
    count = len(plays) % seat_count if seat_count else 0
    return plays[len(plays) - count :]


def print_variants(console: Console, answer: rules_service_pb2.ListVariantsResponse) -> None:
    """Prints one line for each variant and the rule options of those that have any."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in ("Name", "Seats", "Hand", "Dealer", "Tricks", "Rules", "Title"):
        table.add_column(title)
    for variant in answer.variants:
        numbers = (
            variant.seat_count,
            variant.hand_size,
            variant.dealer_hand_size,
            variant.trick_count,
            variant.rules_revision,
        )
        table.add_row(variant.name, *(str(number) for number in numbers), variant.title_en)
    console.print(table)
    for variant in answer.variants:
        if variant.options:
            _print_options(console, variant)


def _print_options(console: Console, variant: rules_service_pb2.Variant) -> None:
    console.print(f"Rule options of {variant.name}, the default first", style="bold", highlight=False)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("Option", no_wrap=True)
    table.add_column("Values", no_wrap=True)
    table.add_column("Settles")
    for option in variant.options:
        others = [value for value in option.values if value != option.default_value]
        table.add_row(option.name, "\n".join([option.default_value, *others]), option.summary)
    console.print(table)


def print_deal(console: Console, deal: rules_service_pb2.Deal) -> None:
    """Prints the hands of a deal."""
    options = f", {_options_text(deal.options)}" if deal.options else ""
    console.print(f"{deal.variant}{options}, seed {deal.seed}, dealer {deal.dealer}", style="bold", highlight=False)
    print_hands(console, deal.hands)


def print_hands(console: Console, hands: Sequence[rules_service_pb2.Hand]) -> None:
    """Prints one line for each hand."""
    for seat, hand in enumerate(hands):
        console.print(f"seat {seat}:  {' '.join(hand.cards)}", highlight=False, soft_wrap=True)


def print_legal_moves(console: Console, answer: rules_service_pb2.ListLegalMovesResponse, seat: int) -> None:
    """Prints one line for each legal move."""
    if not answer.moves:
        turn = f"it is the turn of seat {answer.turn}" if answer.HasField("turn") else "the deal is over"
        console.print(f"Seat {seat} has nothing to decide: {turn}.", highlight=False)
    for move in answer.moves:
        console.print(move_text(move), highlight=False, soft_wrap=True)


def print_replay(console: Console, answer: rules_service_pb2.ReplayDealResponse) -> None:
    """Prints declarations, tricks, the hands that are left and the score."""
    for event in answer.events:
        if not event.HasField("play") and (event.HasField("discard") or event.declare.cards):
            console.print(f"seat {event.seat}:  {move_text(event)}", highlight=False, soft_wrap=True)
    if answer.tricks:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for title in ("Trick", "Led by", "Cards", "Won by"):
            table.add_column(title)
        for number, trick in enumerate(answer.tricks, start=1):
            table.add_row(str(number), f"seat {trick.leader}", " ".join(trick.cards), f"seat {trick.winner}")
        console.print(table)
    if answer.HasField("score"):
        _print_score(console, answer.score)
        if answer.match_deal_count > 1:
            _print_progress(console, answer.match_progress, answer.match_deal_count)
        return
    if answer.HasField("current_trick"):
        console.print(f"On the table: {' '.join(answer.current_trick.cards)}", highlight=False)
    print_hands(console, answer.hands)
    phase = deal_pb2.Phase.Name(answer.phase).removeprefix("PHASE_").lower()
    console.print(f"Seat {answer.turn} has to {phase}.", highlight=False)


def _print_score(console: Console, score: rules_service_pb2.DealScore) -> None:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in ("Points", "Side 0", "Side 1"):
        table.add_column(title, justify="left" if title == "Points" else "right")
    sides = score.sides
    table.add_row("Declared", *(str(side.declarations) for side in sides))
    table.add_row("Sets", *(_items_text(side.sets, side.sets_total) for side in sides))
    table.add_row("Sequences", *(_items_text(side.sequences, side.sequences_total) for side in sides))
    table.add_row("Cards", *(f"{side.card_points:g}" for side in sides))
    table.add_row("Last trick", *(f"{side.last_trick:g}" for side in sides), end_section=True)
    table.add_row("Total", *(f"{side.total:g}" for side in sides), style="bold")
    console.print(table)
    if score.matto_card:
        console.print(f"Side {score.matto_side} keeps the Matto and gives {score.matto_card} for it.", highlight=False)
    result = f"Side {score.winning_side} wins the deal." if score.HasField("winning_side") else "The deal is a tie."
    console.print(result, style="bold", highlight=False)


def _print_progress(console: Console, progress: rules_service_pb2.MatchProgress, deal_count: int) -> None:
    standing = progress.standing
    sides = ", ".join(f"side {side} has {score:g}" for side, score in enumerate(standing.scores))
    played = f"Match: {standing.deals_played} of {deal_count} deals played; {sides}."
    if not progress.finished:
        outcome = f"Seat {progress.next_dealer} deals next."
    elif progress.HasField("winning_side"):
        outcome = f"Side {progress.winning_side} wins the match."
    else:
        outcome = "The match is a draw."
    console.print(f"{played} {outcome}", style="bold", highlight=False, soft_wrap=True)


def _items_text(items: Sequence[rules_service_pb2.ScoreItem], total: int) -> str:
    names = ", ".join(f"{item.name} {item.points}" for item in items)
    return f"{total} ({names})" if names else str(total)
