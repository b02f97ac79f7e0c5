"""The engine against the slow referee: same legal moves, same tricks, same itemised scores on random deals."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import Any

import pytest

import naive
from dealing import deal_of, lopsided_cards
from naive.deal import NaiveDeal
from naive.full_deal import FullDeal
from tarocchi_engine.errors import IllegalMoveError
from tarocchi_engine.match import Match, Standing
from tarocchi_engine.moves import Bid, CallOut, Declare, Discard, Give, Monte, Move, Play, Signal
from tarocchi_engine.record import Phase
from tarocchi_engine.selection import MAX_LISTED
from tarocchi_engine.state import State
from tarocchi_engine.variant import Variant
from tarocchi_engine.variants import get_variant

DEALS_IN_A_ROUND = 100
SHOWN_AT_MOST = 9
"""Of hands with more cards in combinations the referee does not list the declarations: it is slow."""

COUNTED_AT_MOST = 11
"""Nor does it count the call-outs of hands with more."""

SINGLE_DEALS = ("bolognese", "piedicavallo")
MATCHES = ("ottocento", "terziglio")
ENDINGS = {"count": "count", "monte": "thrown_in", "call_out": "call_out", "declaration": "declaration"}
PHASES = {phase: phase.name.lower() for phase in Phase}

RefereeMove = tuple[Any, ...]


def to_referee(variant: Variant, move: Move) -> RefereeMove:
    """Returns the referee's form of a move."""
    names = variant.pack.format_mask
    match move:
        case Discard(cards):
            return "discard", frozenset(names(cards or 0))
        case Declare(cards):
            return "declare", frozenset(names(cards))
        case CallOut(cards):
            return "call_out", frozenset(names(cards)) if cards else None
        case Monte(throws_in):
            return "monte", throws_in
        case Bid(call):
            return "bid", str(call)
        case Give(card):
            return "give", variant.pack.format_card(card)
        case Play(card, signal) if variant.name in MATCHES:
            return "play", variant.pack.format_card(card), None if signal is None else str(signal)
        case Play(card):
            return "play", variant.pack.format_card(card)


def from_referee(variant: Variant, move: RefereeMove) -> Move:
    """Returns the engine's form of a discard or declaration that the referee chose."""
    cards = variant.pack.parse_cards(move[1])
    return Discard(cards) if move[0] == "discard" else Declare(cards)


def itemised(state: State) -> dict[str, object]:
    """Returns the engine's count in the referee's words."""
    score = state.score()
    names = state.variant.pack.format_mask
    given = score.matto_card
    return {
        "totals": [side.total for side in score.sides],
        "card_points": [side.card_points for side in score.sides],
        "last_trick": [side.last_trick for side in score.sides],
        "sets": [side.sets for side in score.sides],
        "sets_total": [side.sets_total for side in score.sides],
        "sequences": [side.sequences for side in score.sides],
        "sequences_total": [side.sequences_total for side in score.sides],
        "declared_points": [side.declarations for side in score.sides],
        "tricks": [side.trick_count for side in score.sides],
        "piles": [set(names(side.pile)) for side in score.sides],
        "matto": (score.matto_side, None if given is None else state.variant.pack.format_card(given)),
        "aside_owner": score.discard_side,
    }


def expected_items(score: dict[str, Any]) -> dict[str, object]:
    """Returns the referee's count, flattened."""
    return {
        "totals": [float(total) for total in score["totals"]],
        "card_points": [float(points) for points in score["card_points"]],
        "last_trick": [float(points) for points in score["last_trick"]],
        "sets": [dict(item["rows"]) for item in score["sets"]],
        "sets_total": [item["total"] for item in score["sets"]],
        "sequences": [dict(item["families"]) for item in score["sequences"]],
        "sequences_total": [item["total"] for item in score["sequences"]],
        "declared_points": list(score["declared_points"]),
        "tricks": list(score["tricks"]),
        "piles": [set(pile) for pile in score["piles"]],
        "matto": (score["matto"]["kept_by"], score["matto"]["transferred_card"]),
        "aside_owner": (score.get("aside") or score["discard"])["owner"],
    }


# --- the single deal


def play_both(variant: Variant, rng: random.Random, lopsided: bool) -> None:
    """Plays one deal in the engine and in the referee and compares everything that either can tell."""
    dealer, hands = naive.lopsided_deal(variant.name, rng) if lopsided else naive.random_deal(variant.name, rng)
    referee = NaiveDeal(variant.name, dealer, hands)
    state = State.new(variant, dealer, [variant.pack.parse_cards(hand) for hand in hands])
    keep_matto = rng.random() < 0.5
    while state.turn is not None:
        assert (state.turn, PHASES[state.phase]) == (referee.turn(), referee.phase())
        moves = {to_referee(variant, move): move for move in state.legal_moves()}
        expected = referee.legal_moves()
        assert set(moves) == set(expected)
        assert len(moves) == len(expected) == state.legal_move_count
        choices = sorted(moves, key=repr)
        if keep_matto and len(choices) > 1:
            choices = [choice for choice in choices if choice != ("play", "MAT")]
        chosen = rng.choice(choices)
        referee.apply(chosen)
        state = state.apply_move(moves[chosen])
    assert referee.phase() == "end"
    assert [trick.winner for trick in state.tricks] == list(referee.winners)
    score = referee.score()
    assert itemised(state) == expected_items(score)
    assert state.score().winner == (None if score["result"] == "tie" else score["result"])
    assert list(state.score().awards) == score["totals"]


# --- deals of a match


def random_standing(variant: Variant, rng: random.Random) -> Standing:
    """Returns the standing of a match in progress, often near its end."""
    played = rng.randrange(4, 9)
    if variant.name == "terziglio":
        first, second, third = (float(rng.randrange(60)) for _ in range(3))
        return Standing((first, second, third if variant.deal_points is None else -first - second), played)
    if rng.random() < 0.1:
        return Standing((float(equal := rng.randrange(800, 900)), float(equal)), played)
    first, second = (rng.choice((rng.randrange(500), 799 - rng.randrange(60))) for _ in range(2))
    return Standing((float(first), float(second)), played)


def random_options(name: str, rng: random.Random) -> dict[str, str]:
    """Returns a value for every option that changes the course or the count of a deal."""
    options = {
        "matto_card": rng.choice(("giver", "automatic")),
        "striscio_meaning": rng.choice(("holds_more", "lead_trumps")),
    }
    if name == "ottocento":
        return {**options, "monte": rng.choice(("true", "false")), "call_out": rng.choice(("true", "false"))}
    return {
        **options,
        "cards": rng.choice(("18", "19")),
        "payment": rng.choice(("each_wins", "zero_sum")),
        "signals_after_top": rng.choice(("true", "false")),
    }


def referee_deal(variant: Any, dealer: int, hands: Sequence[Any], stock: list[str], standing: Standing) -> FullDeal:
    """Returns the referee's deal with the options of a variant."""
    if variant.name == "terziglio":
        return naive.TerziglioDeal(
            dealer,
            hands,
            stock,
            naive.TerziglioOptions(
                hand_size=variant.hand_size,
                payment=variant.payment,
                signals_after_top=variant.signals_after_top,
                striscio_meaning=variant.striscio_meaning,
                giver_chooses=variant.giver_chooses,
            ),
        )
    options = naive.OttocentoOptions(
        monte=variant.monte,
        call_out=variant.call_out,
        striscio_meaning=variant.striscio_meaning,
        giver_chooses=variant.giver_chooses,
    )
    return naive.OttocentoDeal(dealer, hands, [int(points) for points in standing.scores_in(variant)], options)


def compare_legal_moves(state: State, referee: FullDeal, rng: random.Random) -> list[RefereeMove]:
    """Compares the legal moves, all of them where both list them; returns some of them, the engine's and others."""
    variant = state.variant
    phase = state.phase
    listed = [to_referee(variant, move) for move in state.legal_moves()]
    assert len(listed) == len(set(listed))
    count = state.legal_move_count
    assert 1 <= len(listed) <= MAX_LISTED
    assert len(listed) == count or count > MAX_LISTED
    hand = referee.hands[state.table.turn]
    if phase is Phase.CALL_OUT:
        hand = referee.dealt[state.table.turn][:15]
    too_many = phase in (Phase.DECLARE, Phase.CALL_OUT) and len(naive.used(hand)) > SHOWN_AT_MOST
    if phase is Phase.CALL_OUT:
        target = 800 - int(state.standing.scores_in(variant)[state.table.side_of(state.table.turn)])
        if len(useful := naive.used(hand)) <= COUNTED_AT_MOST:
            assert count == count_call_outs(useful, max(target, 1)) + 1
    if phase is Phase.DISCARD and variant.has_auction:
        free = [card for card in hand if card not in ("ANG", "MON", "BEG", "MAT") and card[1:] != "K"]
        assert count == comb(len(free), variant.discard_count)
        too_many = True
    if not too_many:
        expected = referee.legal_moves()
        assert set(listed) == set(expected)
        assert count == len(expected)
        return listed
    for move in rng.sample(listed, min(len(listed), 20)):
        assert referee.move_is_legal(move), move
    others = [referee.random_move(rng) for _ in range(3)]
    if count == len(listed):
        assert set(others) <= set(listed)
    return [*listed, *others]


def count_call_outs(useful: list[str], least: int) -> int:
    """Returns how many sets of cards may be shown for so many points."""
    subsets = (cards for size in range(1, len(useful) + 1) for cards in combinations(useful, size))
    return sum(naive.combo(cards) >= least and set(naive.used(cards)) == set(cards) for cards in subsets)


def refuse_some(state: State, referee: FullDeal, rng: random.Random) -> None:
    """Tries random moves: the engine refuses exactly those that the referee refuses."""
    variant = state.variant
    for _ in range(2):
        seat = rng.randrange(variant.seat_count)
        hand = list(referee.hands[seat])
        cards = rng.sample(hand, min(len(hand), rng.choice((variant.discard_count, 3, 4))))
        moves: list[Move] = [
            Declare(variant.pack.parse_cards(cards)),
            Discard(variant.pack.parse_cards(cards)),
            Play(rng.randrange(62), rng.choice((None, *Signal))),
            Give(rng.randrange(62)),
        ]
        for move in moves:
            if state.phase is Phase.DECLARE and isinstance(move, Play):
                continue  # the engine takes it for a refusal to declare
            if state.phase is Phase.CALL_OUT and isinstance(move, Discard):
                continue
            try:
                state.apply_move(move)
            except IllegalMoveError:
                assert not referee.move_is_legal(to_referee(variant, move))
            else:
                assert referee.move_is_legal(to_referee(variant, move))


def choose(moves: list[RefereeMove], seat_is_timid: bool, keep_matto: bool, rng: random.Random) -> RefereeMove:
    """Returns one of the moves; the timid often hide what they could show, so that deals go on."""
    if moves[0][0] == "declare" and seat_is_timid:
        return "declare", frozenset()
    if moves[0][0] == "monte" and rng.random() < 0.3:
        return "monte", False
    if keep_matto:
        moves = [move for move in moves if move[:2] != ("play", "MAT")] or moves
    return rng.choice(moves)


def random_cards(variant: Variant, dealer: int, rng: random.Random) -> tuple[list[list[str]], list[str]]:
    """Returns shuffled hands and a stock."""
    if variant.stock_size:
        return naive.shuffle_terziglio(rng, dealer, variant.hand_size)
    return naive.shuffle_ottocento(rng, dealer), []


def play_match_deal(name: str, rng: random.Random, lopsided: bool) -> list[str]:
    """Plays one deal of a match in both, compares everything, and returns what happened."""
    variant = get_variant(name, random_options(name, rng))
    dealer = rng.randrange(variant.seat_count)
    hands, stock = random_cards(variant, dealer, rng)
    if lopsided:
        dealer, hands, stock = lopsided_cards(variant, rng)
    standing = random_standing(variant, rng)
    referee = referee_deal(variant, dealer, hands, stock, standing)
    state, happened = play_to_end(deal_of(variant, dealer, hands, stock, standing), referee, rng)
    return [*happened, *compare_ends(state, referee, dealer)]


def play_to_end(state: State, referee: FullDeal, rng: random.Random) -> tuple[State, list[str]]:
    """Plays a deal in both, compares it move by move, and returns its end and what happened."""
    variant = state.variant
    timid, keep_matto = rng.random() < 0.4, rng.random() < 0.5
    happened = []
    while state.turn is not None:
        assert (state.turn, PHASES[state.phase]) == (referee.turn(), referee.phase())
        moves = compare_legal_moves(state, referee, rng)
        if rng.random() < 0.1:
            refuse_some(state, referee, rng)
        chosen = choose(moves, timid, keep_matto, rng)
        happened.append(PHASES[state.phase])
        if chosen[0] == "play" and chosen[2]:
            happened.append(chosen[2])
        listed = {to_referee(variant, move): move for move in state.legal_moves()}
        state = state.apply_move(listed[chosen] if chosen in listed else from_referee(variant, chosen))
        referee.apply(chosen)
        if state.tricks or state.table.trick:
            assert [set(variant.pack.format_mask(hand)) for hand in state.hands] == [
                set(hand) for hand in referee.hands
            ]
    return state, happened


def compare_ends(state: State, referee: FullDeal, dealer: int) -> list[str]:
    """Compares two finished deals and the match after them; returns what happened."""
    variant = state.variant
    assert referee.phase() == "end"
    assert [trick.winner for trick in state.tricks] == list(referee.winners)
    score, expected = state.score(), referee.score()
    ending = str(score.ending)
    match = Match(variant, dealer, state.standing).after(score)
    assert match.dealer == (dealer + 1) % variant.seat_count
    if variant.name == "ottocento":
        assert ending == ENDINGS[expected["ended_by"]]
        assert list(score.awards) == expected["totals"]
        assert list(match.scores) == expected["scores"]
        assert match.is_over == expected["over"]
        assert (match.winner if match.is_over else None) == expected["winner"]
        if ending in ("call_out", "declaration"):
            assert match.is_over
            assert score.winner == expected["winner"]
        if ending == "count":
            assert score.winner == (None if expected["result"] == "tie" else expected["result"])
            assert itemised(state) == expected_items(expected)
        return [ending, *(["match over"] if match.is_over else [])]
    assert list(score.awards) == expected["award"]
    if expected["contract"] is None:
        assert (ending, score.game, score.winner) == ("passed", None, None)
        return [ending]
    assert itemised(state) == expected_items(expected)
    game = expected["game"]
    assert score.winner == game["winner"]
    assert score.game is not None
    assert (str(score.game.contract), score.game.declarer) == (expected["contract"], expected["declarer"])
    assert (score.game.rounded, score.game.game_points) == (game["rounded"], game["game_points"])
    swept = ["sweep"] if game["rounded"] is None else []
    matto = ["Matto in the stock"] if expected["matto"]["played_by"] is None else []
    return [ending, expected["contract"], *swept, *matto]


def play_rounds(name: str, seed: str, count: int) -> Counter[str]:
    """Plays deals, a quarter of them lopsided, and returns in how many of them each thing happened."""
    happened: Counter[str] = Counter()
    for index in range(count):
        happened.update(set(play_match_deal(name, random.Random(f"{seed}/{index}"), index % 4 == 0)))
    return happened


@pytest.mark.parametrize("name", SINGLE_DEALS)
@pytest.mark.parametrize("lopsided", [False, True], ids=["even", "lopsided"])
def test_random_deals(name: str, lopsided: bool) -> None:
    variant = get_variant(name)
    for index in range(DEALS_IN_A_ROUND):
        play_both(variant, random.Random(f"{name}/{lopsided}/{index}"), lopsided)


def test_random_deals_of_ottocento() -> None:
    happened = play_rounds("ottocento", "ottocento", 2 * DEALS_IN_A_ROUND)
    expected = {"monte", "call_out", "discard", "declare", "play", "give", "volo", "striscio", "busso"}
    expected |= {*ENDINGS.values(), "match over"}
    assert not expected - set(happened), happened


def test_random_deals_of_terziglio() -> None:
    happened = play_rounds("terziglio", "terziglio", 2 * DEALS_IN_A_ROUND)
    expected = {"bid", "discard", "declare", "play", "give", "volo", "striscio", "busso", "passed", "count"}
    expected |= {"gioco", "solo", "sweep", "Matto in the stock"}
    assert not expected - set(happened), happened


@pytest.mark.parametrize("name", MATCHES)
def test_whole_matches(name: str) -> None:
    """The deal passes on, the scores add up and the match ends in both alike."""
    for index in range(4):
        rng = random.Random(f"match {name} {index}")
        variant = get_variant(name, {"deals": "6"} if name == "terziglio" else {})
        dealer = rng.randrange(variant.seat_count)
        match = Match(variant, dealer)
        record = naive.TerziglioSession(dealer, deal_count=6) if variant.has_auction else naive.OttocentoMatch(dealer)
        while not record.over:
            assert (match.dealer, match.is_over) == (record.dealer, False)
            hands, stock = random_cards(variant, match.dealer, rng)
            referee = record.next_deal(hands, stock) if variant.has_auction else record.next_deal(hands)
            state = deal_of(variant, match.dealer, hands, stock, match.standing)
            match = match.after(play_to_end(state, referee, rng)[0].score())
            record.close_deal()
            assert list(match.scores) == record.scores
        assert match.is_over
        assert match.winner == (None if record.winner == "tie" else record.winner)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", SINGLE_DEALS)
@pytest.mark.parametrize("round_index", range(100))
def test_many_random_deals(name: str, round_index: int) -> None:
    """100 rounds make 20,000 deals of each variant, a quarter of them lopsided."""
    variant = get_variant(name)
    for index in range(2 * DEALS_IN_A_ROUND):
        play_both(variant, random.Random(f"{name}/{round_index}/{index}"), index % 4 == 0)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", MATCHES)
@pytest.mark.parametrize("round_index", range(100))
def test_many_random_deals_of_matches(name: str, round_index: int) -> None:
    """100 rounds make 20,000 deals of each variant, a quarter of them lopsided."""
    play_rounds(name, f"{name}/{round_index}", 2 * DEALS_IN_A_ROUND)
