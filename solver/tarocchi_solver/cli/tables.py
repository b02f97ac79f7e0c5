"""Prints answers for people. It reads messages of the contract only, so it serves local and remote answers alike."""

from __future__ import annotations

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from tarocchi.solver.v1 import deal_pb2, rules_service_pb2, solver_service_pb2
from tarocchi_solver.cli.replay_tables import print_hands
from tarocchi_solver.cli.wording import call_text, cards_text, move_text, options_text, standing_text

_MOST_ROWS = 12
_CLEAR = 2.0
"""Differences above so many standard errors are called by name."""
_SIDE = {True: "behind", False: "ahead"}
_STOP_TEXTS = {
    solver_service_pb2.STOP_REASON_SINGLE_MOVE: "the only legal move",
    solver_service_pb2.STOP_REASON_EXACT: "every possible deal solved to the end",
    solver_service_pb2.STOP_REASON_WORLDS: "stopped by the cap on worlds",
    solver_service_pb2.STOP_REASON_ITERATIONS: "stopped by the cap on iterations",
    solver_service_pb2.STOP_REASON_TIME: "stopped by time",
    solver_service_pb2.STOP_REASON_STOPPED: "stopped early",
}


def print_recommendation(
    console: Console,
    observation: deal_pb2.Observation,
    variant: rules_service_pb2.Variant,
    answer: solver_service_pb2.RecommendMoveResponse,
) -> None:
    """Prints where the seat stands, the table of moves and one sentence with the recommendation."""
    print_position(console, observation, variant, in_match=answer.moves[0].HasField("match_win_probability"))
    print_moves(console, variant, answer)


def print_position(
    console: Console, observation: deal_pb2.Observation, variant: rules_service_pb2.Variant, *, in_match: bool
) -> None:
    """Prints where the seat stands, also in the match if there is one."""
    console.print(Text(f"{variant.title_en}: seat {observation.seat}, dealer {observation.dealer}", style="bold"))
    if observation.options:
        console.print(f"Options:      {options_text(observation.options)}", highlight=False)
    if in_match:
        console.print(f"Match:        {standing_text(observation, variant)}", highlight=False)
    if bids := [event for event in observation.events if event.HasField("bid")]:
        calls = ", ".join(f"{call_text(event.bid.call)} (seat {event.seat})" for event in bids)
        console.print(f"Auction:      {calls}", highlight=False)
    console.print(f"In hand:      {' '.join(_hand_now(observation))}", highlight=False)
    if trick := _trick_now(observation, variant.seat_count):
        cards = "  ".join(f"{event.play.card} (seat {event.seat})" for event in trick)
        console.print(f"On the table: {cards}", highlight=False)


def print_moves(
    console: Console,
    variant: rules_service_pb2.Variant,
    answer: solver_service_pb2.RecommendMoveResponse,
    ending: str | None = None,
) -> None:
    """Prints what `moves_lines` returns."""
    for line in moves_lines(variant, answer, ending):
        console.print(line, soft_wrap=isinstance(line, Text))


def moves_lines(
    variant: rules_service_pb2.Variant,
    answer: solver_service_pb2.RecommendMoveResponse,
    ending: str | None = None,
) -> list[RenderableType]:
    """Returns the table of moves and the sentences below it, the last with `ending`: None for what ended the search."""
    in_match = answer.moves[0].HasField("match_win_probability")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("")
    table.add_column("Move")
    for title in ("Score ± error", "To best ± error", "Win", *(("Match",) if in_match else ()), "Visits"):
        table.add_column(title, justify="right")
    for entry in answer.moves[:_MOST_ROWS]:
        table.add_row(*_row(entry), style="bold" if entry.rank == 1 else None)
    lines: list[RenderableType] = [table]
    count = len(answer.moves)
    if count > _MOST_ROWS:
        all_moves = f", of {answer.legal_move_count:,} legal ones" if answer.legal_move_count > count else ""
        lines.append(Text(f"and {count - _MOST_ROWS} more moves{all_moves}\n"))
    lines.append(Text(recommendation_sentence(answer, variant), style="bold"))
    if answer.move != answer.moves[0].move:
        lines.append(Text(f"A player of this level: {move_text(answer.move)}.", style="bold"))
    lines.append(Text(_method_sentence(answer, ending or stop_text(answer.diagnostics.stop_reason)), style="dim"))
    return lines


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


def range_text(entry: solver_service_pb2.MoveStatistics) -> str:
    """Returns the range of results, such as "-60 to +120"; with one decimal where it is narrow."""
    low, high = entry.score_range.low, entry.score_range.high
    digits = 0 if high - low >= 10 else 1
    return f"{low:+.{digits}f} to {high:+.{digits}f}"


def recommendation_sentence(
    answer: solver_service_pb2.RecommendMoveResponse, variant: rules_service_pb2.Variant
) -> str:
    """Returns the recommendation as one plain sentence."""
    points = "game points" if variant.seats_score_alone else "points"
    best = answer.moves[0]
    name = move_text(best.move)
    if best.move.HasField("play"):
        full = next((card.name_en for card in variant.pack.cards if card.id == best.move.play.card), "")
        name += f" ({full})" if full else ""
    text = f"{name}: {best.expected_score:+.1f} ± {best.standard_error:.1f} {points} expected"
    text += f" ({range_text(best)} in 8 of 10 deals)"
    if best.HasField("safe_score"):
        text += f", {best.safe_score:+.1f} safe"
    text += f", {best.win_probability:.0%} to win the deal"
    if best.HasField("match_win_probability"):
        text += f", {best.match_win_probability:.0%} to win the match"
    if len(answer.moves) == 1:
        return f"{text}; it is the only legal move."
    second = answer.moves[1]
    gap, error = second.difference_to_best, second.difference_standard_error
    if abs(gap) > _CLEAR * error:
        return f"{text}; next is {move_text(second.move)}, {abs(gap):.1f} ± {error:.1f} {points} {_SIDE[gap < 0]}."
    if answer.exact:
        return f"{text}; {move_text(second.move)} is exactly as good."
    return f"{text}; {move_text(second.move)} may be as good ({gap:+.1f} ± {error:.1f} {points})."


def stop_text(reason: solver_service_pb2.StopReason) -> str:
    """Returns why a search or an analysis ended, such as "stopped by time"."""
    return _STOP_TEXTS.get(reason, "stopped")


def _method_sentence(answer: solver_service_pb2.RecommendMoveResponse, ending: str) -> str:
    facts = answer.diagnostics
    worlds = f"{facts.worlds:,} worlds"
    if not answer.exact:
        worlds += f" ({facts.evaluation_worlds:,} of them for the scores), {facts.iterations:,} iterations"
    return f"{worlds}, seed {facts.seed}; {ending}."


def _hand_now(observation: deal_pb2.Observation) -> list[str]:
    """Returns the cards dealt to the seat that it has neither laid away nor played."""
    gone: set[str] = set()
    for event in observation.events:
        if event.seat == observation.seat and (event.HasField("discard") or event.HasField("play")):
            gone.update(cards_text(event).split())
    return [card for card in observation.hand if card not in gone]


def _trick_now(observation: deal_pb2.Observation, seat_count: int) -> list[deal_pb2.Event]:
    """Returns the plays of the trick that is not complete yet."""
    plays = [event for event in observation.events if event.HasField("play")]
    count = len(plays) % seat_count if seat_count else 0
    return plays[len(plays) - count :]


def print_variants(console: Console, answer: rules_service_pb2.ListVariantsResponse) -> None:
    """Prints one line for each variant and the rule options of those that have any."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in ("Name", "Seats", "Hand", "Dealer", "Match", "Rules", "Title"):
        table.add_column(title)
    for variant in answer.variants:
        numbers = (
            variant.seat_count,
            variant.hand_size,
            variant.dealer_hand_size,
            _match_length(variant),
            variant.rules_revision,
        )
        table.add_row(variant.name, *(str(number) for number in numbers), variant.title_en)
    console.print(table)
    for variant in answer.variants:
        if variant.options:
            _print_options(console, variant)


def _match_length(variant: rules_service_pb2.Variant) -> str:
    if variant.HasField("match_target"):
        return f"to {variant.match_target}"
    return f"{variant.match_deal_count} deals" if variant.match_deal_count > 1 else "1 deal"


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


def print_deal(console: Console, deal: rules_service_pb2.Deal, variant: rules_service_pb2.Variant) -> None:
    """Prints the hands of a deal, bars between the packets where seats decide between them, and the stock."""
    options = f", {options_text(deal.options)}" if deal.options else ""
    console.print(f"{deal.variant}{options}, seed {deal.seed}, dealer {deal.dealer}", style="bold", highlight=False)
    sizes = [
        variant.dealer_packet_sizes if seat == deal.dealer else variant.packet_sizes for seat in range(len(deal.hands))
    ]
    print_hands(console, deal.hands, sizes if len(variant.packet_sizes) > 1 else ())
    if deal.stock:
        console.print(f"stock:   {' '.join(deal.stock)}", highlight=False, soft_wrap=True)


def print_legal_moves(console: Console, answer: rules_service_pb2.ListLegalMovesResponse, seat: int) -> None:
    """Prints one line for each legal move."""
    if not answer.moves:
        turn = f"it is the turn of seat {answer.turn}" if answer.HasField("turn") else "the deal is over"
        console.print(f"Seat {seat} has nothing to decide: {turn}.", highlight=False)
    if answer.HasField("discard_choice"):
        choice = answer.discard_choice
        text = (
            f"{answer.legal_move_count:,} legal discards: any {choice.count} of {' '.join(choice.cards)}. Some of them:"
        )
        console.print(text, style="bold", highlight=False, soft_wrap=True)
    if answer.HasField("declare_choice"):
        cards = " ".join(answer.declare_choice.cards)
        text = f"{answer.legal_move_count:,} legal declarations: any cards that all score of {cards}. Some of them:"
        console.print(text, style="bold", highlight=False, soft_wrap=True)
    for move in answer.moves:
        console.print(move_text(move), highlight=False, soft_wrap=True)
