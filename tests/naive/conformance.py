"""Answers the worked cases of the rules with the naive referee.

Bolognese rules, section 10; Piedicavallo rules, section 7. The cases about matches, Terziglio and signals,
and the further cases, are answered in `conformance_matches`.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from naive import bolognese, conformance_matches, piedicavallo
from naive.cards import (
    BOLOGNESE,
    MATTO,
    PACKS,
    PIEDICAVALLO,
    PLAIN_SUITS,
    is_trump,
    strength_of,
    suit_of,
    total_value,
    value_of,
)
from naive.combos import (
    combo,
    count_sequences,
    count_sets,
    declaration_is_legal,
    sequence_length,
    sequence_score,
    used,
)
from naive.deal import NaiveDeal
from naive.discard import DiscardSwitches, discard_owner, discard_verdict, discardable_cards, legal_discards
from naive.play import (
    DEALER_HAND_SIZE,
    DISCARD_SIZE,
    HAND_SIZE,
    SEAT_COUNT,
    deal_order,
    led_suit,
    legal_plays,
    name_result,
    next_seat,
    trick_winner,
)

CASES = Path(__file__).resolve().parents[2] / "engine" / "tarocchi_engine" / "cases"

# Kinds about relatives of the two games.
OTHER_KINDS = {
    "count_batches",
    "deal_total",
    "score_from_points",
    "fool_equivalence",
    "counting_total",
}

Case = dict[str, Any]
Answer = Callable[[Case], Any]

_RANKS_OF_FULL_SUIT = ["A", *map(str, range(2, 11)), "J", "N", "Q", "K"]


def load_cases(variant: str) -> list[Case]:
    """Returns the worked cases of a variant; those of its relatives are left out."""
    cases = [case for case in _read_cases(CASES / f"{variant}.jsonl") if not is_further(case)]
    return [case for case in cases if case["kind"] not in OTHER_KINDS and case["input"].get("game", variant) == variant]


def load_extra_cases(variant: str) -> list[Case]:
    """Returns the further cases, derived from the rules; `input.game` names the variant, Bologna if it is absent."""
    cases = [case for path in sorted(CASES.glob("*.jsonl")) for case in _read_cases(path) if is_further(case)]
    return [case for case in cases if case["input"].get("game", BOLOGNESE) == variant]


def is_further(case: Case) -> bool:
    """Tells whether a case is one of ours, not one that came with the rules."""
    return bool(case["id"].startswith("x-"))


def _read_cases(path: Path) -> list[Case]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def answer_case(variant: str, case: Case) -> Any:
    """Returns what the referee says where the case holds `expected`.

    Raises:
        KeyError: The kind of the case is unknown.
    """
    kind = case["kind"]
    answer = ANSWERS[variant].get(kind) or EXTRA_ANSWERS[variant][kind]
    return answer(case["input"])


def _cards(case: Case) -> list[str]:
    if "cards" in case:
        return list(case["cards"])
    return [card for card in PACKS[BOLOGNESE] if card not in case["complement_of"]]


def _points(case: Case) -> Any:
    last = bolognese.LAST_TRICK_POINTS if case["last_trick"] else 0
    return {"points": bolognese.card_points(_cards(case)) + last}


def _cricche(case: Case) -> Any:
    count = count_sets(_cards(case))
    return {
        "items": count["rows"],
        "count": len(count["rows"]),
        "subtotal": count["subtotal"],
        "multiplier": count["multiplier"],
        "total": count["total"],
    }


def _sequence(case: Case) -> Any:
    length = sequence_length(_cards(case), case["which"])
    return {"length": length, "score": sequence_score(length)}


def _combos(case: Case) -> Any:
    cards = _cards(case)
    return {
        "cricche": count_sets(cards)["total"],
        "sequences": count_sequences(cards)["total"],
        "total": combo(cards),
    }


def _pile(case: Case) -> Any:
    return bolognese.count_pile(_cards(case), case["last_trick"], case["declared"])


def _trick(case: Case) -> Any:
    plays = case["plays"]
    return {"winner": trick_winner(BOLOGNESE, plays), "led_suit": led_suit(BOLOGNESE, plays)}


def _legal(case: Case) -> Any:
    return {"legal": legal_plays(BOLOGNESE, case["hand"], case["trick"])}


def _discard(case: Case) -> Any:
    return {"discardable": discardable_cards(BOLOGNESE, case["cards"]), "count": DISCARD_SIZE}


def _exposed(case: Case) -> Any:
    return {"exposed": used(case["cards"])}


def _declare(case: Case) -> Any:
    legal = declaration_is_legal(case["profile"], case["hand"], case["declared"])
    return {"legal": legal, "points": combo(case["declared"]) if legal else None}


def _matto(case: Case) -> Any:
    settlement = bolognese.settle_captured_matto(case["giver_pile"], case["receiver_pile"], case["giver_tricks"])
    return settlement._asdict()


def _deal(case: Case) -> Any:
    dealer = case["dealer"]
    hands = {str(seat): DEALER_HAND_SIZE if seat == dealer else HAND_SIZE for seat in range(case["players"])}
    return {"order": deal_order(dealer), "hands": hands, "leader": next_seat(dealer)}


def _table_result(case: Case) -> Any:
    return {"result": name_result(case["totals"])}


def _discard_owner(case: Case) -> Any:
    tricks = case["dealer_side_tricks"]
    owner = discard_owner(0, [tricks, 15 - tricks])
    return {"discards_to": "dealer_side" if owner == 0 else "other_side"}


def _deck(_case: Case) -> Any:
    pack = PACKS[PIEDICAVALLO]
    return {
        "cards": len(pack),
        "per_suit": {suit: len([card for card in pack if suit_of(PIEDICAVALLO, card) == suit]) for suit in PLAIN_SUITS},
        "trumps": len([card for card in pack if is_trump(PIEDICAVALLO, card)]),
        "matto": pack.count(MATTO),
        "total_points": piedicavallo.card_points(pack),
    }


def _removed_cards(_case: Case) -> Any:
    pack = PACKS[PIEDICAVALLO]
    return {suit: [rank for rank in _RANKS_OF_FULL_SUIT if suit + rank not in pack] for suit in PLAIN_SUITS}


def _order_high_to_low(case: Case) -> Any:
    cards = [card for card in PACKS[PIEDICAVALLO] if suit_of(PIEDICAVALLO, card) == case["suit"]]
    cards.sort(key=lambda card: strength_of(PIEDICAVALLO, card), reverse=True)
    return [card[1:] for card in cards]


def _card_value(case: Case) -> Any:
    return [value_of(PIEDICAVALLO, card) for card in case["cards"]]


def _set_value(case: Case) -> Any:
    return total_value(PIEDICAVALLO, case["cards"])


def _legal_moves(case: Case) -> Any:
    return sorted(legal_plays(PIEDICAVALLO, case["hand"], case["trick"]))


def _trick_winner(case: Case) -> Any:
    place = trick_winner(PIEDICAVALLO, case["trick"])
    return None if place is None else (case["leader"] + place) % len(case["trick"])


def _switches(case: Case) -> DiscardSwitches:
    names = ("allow_voiding", "matto_counts_as_trump_for_discard")
    return DiscardSwitches(**{name: case[name] for name in names if name in case})


def _discard_legal(case: Case) -> Any:
    return discard_verdict(PIEDICAVALLO, case["hand"], case["discard"], _switches(case))._asdict()


def _discard_count(case: Case) -> Any:
    return len(legal_discards(PIEDICAVALLO, case["hand"], _switches(case)))


def _settlement(case: Case) -> Any:
    points = piedicavallo.settle_points(
        case["tricks"],
        case["trick_points_without_matto"],
        case["matto_played_by_team"],
        case["discard"],
        case["dealer"] % 2,
    )
    return {"points": points, "result": _name_team(name_result(points))}


def _full_deal(case: Case) -> Any:
    hands = [list(hand) for hand in case["hands_after_discard"]]
    hands[case["dealer"]] += case["discard"]
    deal = NaiveDeal(PIEDICAVALLO, case["dealer"], hands)
    deal.apply(("discard", frozenset(case["discard"])))
    for trick in case["plays"]:
        for card in trick:
            deal.apply(("play", card))
    score = deal.score()
    return {
        "winners": deal.winners,
        "tricks": score["tricks"],
        "points": score["totals"],
        "result": _name_team(score["result"]),
    }


def _first_leader(case: Case) -> Any:
    return (case["dealer"] + 1) % SEAT_COUNT


def _name_team(result: int | str) -> str:
    return "draw" if result == "tie" else f"team{result}"


ANSWERS: dict[str, dict[str, Answer]] = {
    BOLOGNESE: {
        "points": _points,
        "cricche": _cricche,
        "sequence": _sequence,
        "combos": _combos,
        "pile": _pile,
        "trick": _trick,
        "legal": _legal,
        "discard": _discard,
        "exposed": _exposed,
        "declare": _declare,
        "matto": _matto,
        "deal": _deal,
        "table-result": _table_result,
        "discard-owner": _discard_owner,
        **conformance_matches.BOLOGNESE_ANSWERS,
    },
    PIEDICAVALLO: {
        "deck": _deck,
        "removed_cards": _removed_cards,
        "order_high_to_low": _order_high_to_low,
        "card_value": _card_value,
        "set_value": _set_value,
        "legal_moves": _legal_moves,
        "trick_winner": _trick_winner,
        "discard_legal": _discard_legal,
        "discard_count": _discard_count,
        "settlement": _settlement,
        "full_deal": _full_deal,
        "first_leader": _first_leader,
        **conformance_matches.PIEDICAVALLO_ANSWERS,
    },
}

# Kinds that only the further cases have.
EXTRA_ANSWERS: dict[str, dict[str, Answer]] = {
    BOLOGNESE: conformance_matches.EXTRA_BOLOGNESE_ANSWERS,
    PIEDICAVALLO: conformance_matches.EXTRA_PIEDICAVALLO_ANSWERS,
}
