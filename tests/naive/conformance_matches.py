"""Answers the worked cases about matches, Terziglio and signals, and the kinds of the further cases.

The further cases (their ids begin with "x-") have the format of the others. Their own kinds:

* `gift`: piles before the Matto is settled -> `choices`, `default`.
* `declarations`: hand -> `legal`, every set that may be exposed.
* `terziglio-calls`: calls so far -> `legal`, what may be said next.
* `ottocento-deal`, `terziglio-game`: a deal and its moves; moves are lists such as `["play", "S8", "busso"]`,
  sets of cards lists in pack order -> where the deal then stands (`phase`, `turn`, `legal` or null when the moves are
  too many for a list), or, when it is over, the items of its score.
* `match-course`, `terziglio-course`, `match_course` (Piedicavallo): what the deals of a match brought, "monte" and
  "all_pass" for nothing -> dealers and final scores.

Kinds of the other files may have further, optional inputs: `payment` (`terziglio-score`); `defender`, `angel_seen`,
`signals_after_top`, `striscio_meaning` (`signal`); the two switches of Piedicavallo (`discard_legal`, `discard_count`).
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from naive import bolognese, match, ottocento, piedicavallo, signals, terziglio
from naive.cards import BOLOGNESE, PACKS, PIEDICAVALLO, in_pack_order
from naive.combos import combo
from naive.declarations import legal_declarations
from naive.full_deal import FullDeal, FullMove
from naive.ottocento import OttocentoOptions
from naive.play import SEAT_COUNT
from naive.terziglio import TerziglioOptions

Case = dict[str, Any]
Answer = Callable[[Case], Any]


# --- Ottocento


def _match(case: Case) -> Any:
    scores = [before + deal for before, deal in zip(case["before"], case["deal"], strict=True)]
    return {"score": scores, **ottocento.judge_scores(scores, case["target"])._asdict()}


def _match_declare(case: Case) -> Any:
    side, declared = case["side"], case["declared"]
    wins = ottocento.declaration_wins(case["before"][side], declared, case["target"])
    scores = list(case["before"])
    scores[side] += declared
    return {"score": scores, "over": wins, "winner": side if wins else None}


def _call_out(case: Case) -> Any:
    side, scores = case["dealer_side"], list(case["before"])
    legal = ottocento.call_out_is_legal(case["first15"], case["declared"], scores[side], case["target"])
    if legal:
        scores[side] += combo(case["declared"])
    return {"legal": legal, "score": scores, "over": legal, "winner": side if legal else None}


def _monte(case: Case) -> Any:
    redeal = ottocento.is_thrown_in([call == "monte" for call in case["calls"]])
    course = match.OttocentoMatch(case["dealer"])
    course.enter([0, 0])
    return {"redeal": redeal, "next_dealer": course.dealer if redeal else None}


def _signal(case: Case) -> Any:
    profile = case["profile"]
    is_open = case["leader"] and profile != "table" and (profile != "terziglio" or case.get("defender", True))
    allowed = is_open and signals.signal_is_allowed(
        case["signal"],
        case["card"],
        case["rest_of_hand"],
        signals.Seen(case["king_of_suit_seen"], case["all_trumps_seen"], case.get("angel_seen", False)),
        case.get("striscio_meaning", signals.HOLDS_MORE),
        profile == "terziglio" and case.get("signals_after_top", True),
    )
    return {"allowed": allowed}


# --- Terziglio


def _terziglio_score(case: Case) -> Any:
    totals = [Fraction(case["declarer_total"]), Fraction(case["defenders_total"])]
    game = terziglio.count_game(case["contract"], totals, [case["declarer_tricks"], case["defender_tricks"]])
    award = terziglio.award_game(game.winner, game.game_points, case.get("payment", terziglio.EACH_WINS))
    return {
        "winner": terziglio.SIDE_NAMES[game.winner],
        "rounded": game.rounded,
        "game_points": game.game_points,
        "award": award._asdict(),
    }


def _terziglio_bid(case: Case) -> Any:
    try:
        contract = terziglio.read_calls(case["calls"])
    except ValueError:
        return {"legal": False}
    if contract is None:
        return {"legal": True, "contract": None, "declarer": None}
    return {"legal": True, "contract": contract.name, "declarer": contract.place}


def _terziglio_calls(case: Case) -> Any:
    return {"legal": terziglio.legal_calls(case["calls"])}


def _terziglio_stock(case: Case) -> Any:
    last = terziglio.SIDE_NAMES.index(case["last_trick_side"])
    owner = terziglio.stock_owner(case["contract"], case["declarer_tricks"], last)
    return {"stock_to": terziglio.SIDE_NAMES[owner]}


def _terziglio_deal(case: Case) -> Any:
    options = TerziglioOptions(hand_size=case["variant"])
    return {
        "hand": options.hand_size,
        "stock": options.stock_size,
        "tricks": options.hand_size,
        "declarer_discards": options.stock_size,
    }


# --- the kinds of the further cases


def _gift(case: Case) -> Any:
    choices = bolognese.gift_choices(case["giver_pile"])
    return {"choices": choices, "default": bolognese.settlement_card(case["giver_pile"], case["receiver_pile"])}


def _declarations(case: Case) -> Any:
    return {"legal": [in_pack_order(BOLOGNESE, cards) for cards in legal_declarations(case["hand"])]}


def read_move(written: list[Any]) -> FullMove:
    """Returns a move written in a case; sets of cards are lists there."""
    return tuple(frozenset(part) if isinstance(part, list) else part for part in written)


def write_move(move: FullMove) -> list[Any]:
    """Returns a move as the cases write it."""
    return [in_pack_order(BOLOGNESE, part) if isinstance(part, frozenset) else part for part in move]


def _play_script(deal: FullDeal, moves: Iterable[list[Any]]) -> dict[str, Any] | None:
    """Plays the moves; returns where an unfinished deal stands, None for a finished one."""
    for move in moves:
        deal.apply(read_move(move))
    if deal.phase() == "end":
        return None
    try:
        legal = [write_move(move) for move in deal.legal_moves()]
    except terziglio.TooManyMovesError:
        legal = None
    return {"phase": deal.phase(), "turn": deal.turn(), "legal": legal}


def _read_options(case: Case) -> dict[str, Any]:
    """Returns the options of a case, written as texts, as the referee names them."""
    truth = {"true": True, "false": False}
    options: dict[str, Any] = {}
    for name, value in case.get("options", {}).items():
        if name == "cards":
            options["hand_size"] = int(value)
        elif name == "matto_card":
            options["giver_chooses"] = {"giver": True, "automatic": False}[value]
        else:
            options[name] = truth.get(value, value)
    return options


def start_ottocento(case: Case) -> ottocento.OttocentoDeal:
    """Returns the deal of a case before its moves."""
    options = OttocentoOptions(**_read_options(case))
    return ottocento.OttocentoDeal(case["dealer"], case["hands"], case.get("before", (0, 0)), options)


def start_terziglio(case: Case) -> terziglio.TerziglioDeal:
    """Returns the deal of a case before its moves."""
    options = TerziglioOptions(**_read_options(case))
    return terziglio.TerziglioDeal(case["dealer"], case["hands"], case["stock"], options)


def _ottocento_deal(case: Case) -> Any:
    deal = start_ottocento(case)
    unfinished = _play_script(deal, case["moves"])
    if unfinished is not None:
        return unfinished
    score = deal.score()
    answer = {name: score[name] for name in ("ended_by", "totals", "scores", "over", "winner")}
    if score["ended_by"] == "count":
        answer |= {name: score[name] for name in ("tricks", "card_points", "declared_points")}
        answer["transferred_card"] = score["matto"]["transferred_card"]
    return answer


def _terziglio_game(case: Case) -> Any:
    deal = start_terziglio(case)
    unfinished = _play_script(deal, case["moves"])
    if unfinished is not None:
        return unfinished
    score = deal.score()
    answer = {name: score[name] for name in ("contract", "declarer", "award")}
    if score["contract"] is not None:
        answer |= {name: score[name] for name in ("totals", "card_points", "tricks", "declared_points", "game")}
        answer["aside_owner"] = score["aside"]["owner"]
        matto = score["matto"]
        answer["matto"] = {name: matto[name] for name in ("played_by", "kept_by", "transferred_card")}
    return answer


def _course(course: match.NaiveMatch, deals: Iterable[Any], nothing: list[int]) -> Any:
    for deal in deals:
        course.enter(nothing if isinstance(deal, str) else deal)
    return {"dealers": course.dealers, "score": course.scores, "over": course.over, "winner": course.winner}


def _match_course(case: Case) -> Any:
    course = match.OttocentoMatch(case["first_dealer"], OttocentoOptions(target=case["target"]))
    return _course(course, case["deals"], [0, 0])


def _terziglio_course(case: Case) -> Any:
    course = match.TerziglioSession(case["first_dealer"], deal_count=case["deal_count"])
    answer = _course(course, case["awards"], [0, 0, 0])
    return {**answer, "winners": course.winners}


# --- Piedicavallo


def _match_total(case: Case) -> Any:
    total = case["deals"] * piedicavallo.card_points(PACKS[PIEDICAVALLO])
    return {"total_points": total, "half": total // 2}


def _dealer_sequence(case: Case) -> Any:
    course = match.PiedicavalloMatch(case["first_dealer"])
    dealers = []
    for _ in range(case["deals"]):
        dealers.append(course.dealer)
        course.enter([0, 0])
    return dealers


def _piedicavallo_course(case: Case) -> Any:
    answer = _course(match.PiedicavalloMatch(case["first_dealer"]), case["deals"], [0, 0])
    winner = answer["winner"]
    name = None if winner is None else "draw" if winner == "tie" else f"team{winner}"
    return {**answer, "winner": name, "left": SEAT_COUNT - len(answer["dealers"])}


BOLOGNESE_ANSWERS: dict[str, Answer] = {
    "match": _match,
    "match-declare": _match_declare,
    "call-out": _call_out,
    "monte": _monte,
    "signal": _signal,
    "terziglio-score": _terziglio_score,
    "terziglio-bid": _terziglio_bid,
    "terziglio-stock": _terziglio_stock,
    "terziglio-deal": _terziglio_deal,
}

PIEDICAVALLO_ANSWERS: dict[str, Answer] = {
    "match_total": _match_total,
    "dealer_sequence": _dealer_sequence,
}

EXTRA_BOLOGNESE_ANSWERS: dict[str, Answer] = {
    "gift": _gift,
    "declarations": _declarations,
    "ottocento-deal": _ottocento_deal,
    "match-course": _match_course,
    "terziglio-calls": _terziglio_calls,
    "terziglio-game": _terziglio_game,
    "terziglio-course": _terziglio_course,
}

EXTRA_PIEDICAVALLO_ANSWERS: dict[str, Answer] = {
    "match_course": _piedicavallo_course,
}
