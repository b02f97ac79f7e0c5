"""Bad data of the games with a match: auction, monte, call-out, signals, the card given for the Matto, standings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bad_data import Bad, check_fault
from dealing import random_states
from tarocchi_engine.cards import MATTO, MATTO_MASK, cards_in
from tarocchi_engine.combinations import combination_points, used_cards
from tarocchi_engine.errors import IllegalMoveError, InvalidDealError
from tarocchi_engine.match import Match, Standing
from tarocchi_engine.moves import Bid, Call, CallOut, Declare, Discard, Event, Give, Monte, Play, Signal
from tarocchi_engine.observation import Observation, find_faults, view
from tarocchi_engine.record import Phase
from tarocchi_engine.selection import MAX_LISTED
from tarocchi_engine.state import State, new_deal, replay
from tarocchi_engine.table import Table
from tarocchi_engine.variants import get_variant

D = "3 discard"
PLAIN = (("call_out", "false"), ("monte", "false"))
OTTO: dict[str, Any] = {"variant": "ottocento", "options": PLAIN}
POLL: dict[str, Any] = {"variant": "ottocento", "hand": "S10 S9 S8 S7 S6"}
POLLED: dict[str, Any] = {"variant": "ottocento"}
CALLER: dict[str, Any] = {"variant": "ottocento", "options": (("monte", "false"),)}
OWN_CALL: dict[str, Any] = {**CALLER, "seat": 3, "hand": "SK BK CK DK SQ S9 S8 S7 S6 B10 B9 C10 C9 C8 D10"}
Z: dict[str, Any] = {"variant": "terziglio", "dealer": 2}
TAKER: dict[str, Any] = {
    **Z,
    "hand": "SK S10 S9 S8 S7 S6 SA BK B10 B9 B8 B7 C10 C9 C8 C7 D10 D9 D8 T5 T7 T8 T9 T10 T11 MO1",
}
GIOCO = ["0 bid gioco", "1 bid pass", "2 bid pass"]
SOLO = ["0 bid pass", "1 bid solo"]
NEAR = Standing((770.0, 700.0), 3)
KING_OUT = [D, "0 S10", "1 SK", "2 SQ", "3 SJ", "1 C6", "2 CJ", "3 CK", "0 C10", "3 D6", "0 D10", "1 DK", "2 DQ"]
TRUMPS_LED = [D, "0 S10", "1 SK", "2 SQ", "3 SJ", "1 T9 striscio", "2 T16", "3 T11", "0 T5", "2 T15", "3 T12", "0 T7"]

CASES = [
    # monte
    Bad("monte out of turn", "events[0].seat", "OUT_OF_TURN", "seat 1 moves but it is", ["1 monte yes"], **POLL),
    Bad("dealer first", "events[1].seat", "OUT_OF_TURN", "turn of seat 1", ["0 monte yes", "3 monte yes"], **POLL),
    Bad("poll is over", "events[1].seat", "OUT_OF_TURN", "turn of seat 3", ["0 monte no", "1 monte no"], **POLLED),
    Bad("monte late", "events[1].monte", "WRONG_PHASE", "has to call out", ["0 monte no", "3 monte no"], **POLLED),
    Bad("no monte", "events[0].monte", "WRONG_PHASE", "has to discard, not to say monte", ["3 monte yes"], **OTTO),
    Bad(
        "thrown in", "events[4]", "DEAL_OVER", "the deal has ended", [f"{s} monte yes" for s in range(4)] + [D], **POLL
    ),
    Bad("card in the poll", "events[0].play", "WRONG_PHASE", "has to say monte or play", ["0 S10"], **POLL),
    Bad("five cards", "hand", "HAND_SIZE", "15 cards: this seat is dealt 5 (give", variant="ottocento"),
    Bad("after the poll", "hand", "HAND_SIZE", "5 cards: this seat is dealt 15 (give", ["0 monte no"], **POLL),
    Bad(
        "seven cards",
        "hand",
        "HAND_SIZE",
        "7 cards: this seat is dealt 5, later 15 (give",
        **POLLED,
        hand="S10 S9 S8 S7 S6 SA SK",
    ),
    # the call-out
    Bad(
        "short",
        "events[0].call_out.cards",
        "TARGET_NOT_REACHED",
        "17 points do not reach 800",
        ["3 callout SK BK CK"],
        **CALLER,
        standing=NEAR,
    ),
    Bad(
        "own short",
        "events[0].call_out.cards",
        "TARGET_NOT_REACHED",
        "34 points",
        ["3 callout SK BK CK DK"],
        **OWN_CALL,
        standing=Standing((770.0, 765.0), 3),
    ),
    Bad(
        "idle",
        "events[0].call_out.cards",
        "CARDS_SCORE_NOTHING",
        "SA scores nothing",
        ["3 callout SK BK CK SA"],
        **CALLER,
        standing=NEAR,
    ),
    Bad(
        "not held",
        "events[0].call_out.cards",
        "CARD_NOT_IN_HAND",
        "does not hold SN",
        ["3 callout SK SQ SN"],
        **OWN_CALL,
        standing=NEAR,
    ),
    Bad(
        "my card",
        "events[0].call_out.cards",
        "CARD_ELSEWHERE",
        "DK was dealt",
        ["3 callout SK BK CK DK"],
        **CALLER,
        hand="DK S9 S8 S7 S6 B10 B9 B8 C10 C9 C8 D10 D9 T5 T7",
        standing=Standing((0.0, 780.0), 3),
    ),
    Bad(
        "called out",
        "events[1]",
        "DEAL_OVER",
        "the deal has ended",
        ["3 callout SK BK CK", D],
        **CALLER,
        standing=Standing((0.0, 790.0), 3),
    ),
    Bad("by another", "events[0].seat", "OUT_OF_TURN", "turn of seat 3", ["0 callout"], **CALLER),
    Bad("no call-out", "events[0].call_out", "WRONG_PHASE", "has to discard, not to call out", ["3 callout"], **OTTO),
    Bad("bits", "events[0].call_out.cards", "NO_SUCH_CARD", "no card", [Event(3, CallOut(-1))], **CALLER),
    Bad("late", "events[1].call_out", "WRONG_PHASE", "has to discard", ["3 callout", "3 callout"], **CALLER),
    # declarations
    Bad("second", "events[2].declare", "WRONG_PHASE", "to play, not to declare", [D, "0 declare", "0 declare"], **OTTO),
    Bad(
        "no form",
        "events[2].declare.cards",
        "CARDS_SCORE_NOTHING",
        "SK SQ scores",
        [D, "0 S10", "1 declare SK SQ"],
        **OTTO,
    ),
    Bad(
        "a part too many",
        "events[2].declare.cards",
        "CARDS_SCORE_NOTHING",
        "SQ scores nothing",
        [D, "0 S10", "1 declare SK BK CK SQ"],
        **OTTO,
    ),
    Bad(
        "own, no form",
        "events[1].declare.cards",
        "CARDS_SCORE_NOTHING",
        "S8 scores nothing",
        [D, "0 declare SK SQ SN S8"],
        **OTTO,
        hand="SK SQ SN S8 S6 B10 B9 B8 C10 C9 C8 D10 D9 T5 T7",
    ),
    Bad(
        "match over",
        "events[3]",
        "DEAL_OVER",
        "the deal has ended",
        [D, "0 S10", "1 declare SK BK CK", "1 SK"],
        **OTTO,
        standing=Standing((0.0, 783.0), 3),
    ),
    # signals
    Bad("bolognese", "events[1].play.signal", "NO_SIGNALS", "no signals in bolognese", [D, "0 S10 busso"]),
    Bad("bolognese too", "events[2].play.signal", "NO_SIGNALS", "no signals", [D, "0 S10", "1 SK volo"]),
    Bad(
        "too early",
        "events[1].play.signal",
        "SIGNAL_NOT_ALLOWED",
        "a suit opens with its King",
        [D, "0 S10 busso"],
        **OTTO,
    ),
    Bad("volo too early", "events[1].play.signal", "SIGNAL_NOT_ALLOWED", "with S10 yet", [D, "0 S10 volo"], **OTTO),
    Bad(
        "not leading",
        "events[2].play.signal",
        "SIGNAL_NOT_ALLOWED",
        "only the leader",
        [D, "0 S10", "1 SK busso"],
        **OTTO,
    ),
    Bad(
        "own, not leading",
        "events[2].play.signal",
        "SIGNAL_NOT_ALLOWED",
        "only the leader",
        ["2 discard", "3 T8", "0 T5 busso"],
        **OTTO,
        dealer=2,
    ),
    Bad(
        "the Matto",
        "events[1].play.signal",
        "SIGNAL_NOT_ALLOWED",
        "the Matto never",
        [D, "0 MAT busso"],
        **OTTO,
        hand="MAT S9 S8 S7 S6 B10 B9 B8 C10 C9 C8 D10 D9 T5 T7",
    ),
    Bad(
        "false volo",
        "events[1].play.signal",
        "FALSE_SIGNAL",
        "volo with T5 would not be true",
        [D, "0 T5 volo"],
        **OTTO,
    ),
    Bad(
        "false striscio",
        "events[1].play.signal",
        "FALSE_SIGNAL",
        "striscio with T5",
        [D, "0 T5 striscio"],
        **OTTO,
        hand="S10 S9 S8 S7 S6 B10 B9 B8 C10 C9 C8 D10 D9 D8 T5",
    ),
    Bad(
        "shown, yet volo",
        "events[6].play.signal",
        "FALSE_SIGNAL",
        "volo with MO1",
        [D, "0 S10", "1 declare SK MO1 MO2 MO3 BK CK", "1 SK", "2 SQ", "3 SJ", "1 MO1 volo"],
        **OTTO,
    ),
    Bad(
        "contradicted",
        "events[12].play.card",
        "SIGNAL_CONTRADICTED",
        "seat 1 plays D6 but signalled",
        [*TRUMPS_LED, "1 D6"],
        **OTTO,
    ),
    # the auction
    Bad("bid out of turn", "events[0].seat", "OUT_OF_TURN", "turn of seat 0 to bid", ["1 bid gioco"], **Z),
    Bad(
        "second gioco", "events[1].bid.call", "BID_TOO_LOW", "outbid it with solo", ["0 bid gioco", "1 bid gioco"], **Z
    ),
    Bad("after solo", "events[2].seat", "OUT_OF_TURN", "turn of seat 0 to declare", [*SOLO, "2 bid pass"], **Z),
    Bad("solo twice", "events[1].bid", "WRONG_PHASE", "to declare, not to bid", ["0 bid solo", "0 bid solo"], **Z),
    Bad(
        "all passed",
        "events[3]",
        "DEAL_OVER",
        "has ended",
        ["0 bid pass", "1 bid pass", "2 bid pass", "0 bid solo"],
        **Z,
    ),
    Bad("no auction", "events[0].bid", "WRONG_PHASE", "has to discard, not to bid", ["3 bid solo"], **OTTO),
    Bad("seat 3", "seat", "NO_SUCH_SEAT", "there is no seat 3: seats are 0 to 2", seat=3, **Z),
    Bad("dealer 3", "dealer", "NO_SUCH_SEAT", "seats are 0 to 2", variant="terziglio", dealer=3),
    # the stock
    Bad(
        "stock of another",
        "hand",
        "HAND_SIZE",
        "26 cards: this seat is dealt 18",
        ["0 bid pass", "1 bid gioco", "2 bid pass"],
        **TAKER,
    ),
    Bad("stock too early", "hand", "HAND_SIZE", "26 cards: this seat is dealt 18", ["0 bid gioco"], **TAKER),
    Bad("stock of a solo", "hand", "HAND_SIZE", "26 cards: this seat is dealt 18", ["0 bid solo"], **TAKER),
    Bad("stock left out", "hand", "HAND_SIZE", "18 cards: this seat has 26 with the stock it took", GIOCO, **Z),
    Bad(
        "another's discard",
        "events[3].discard.cards",
        "HIDDEN_CARDS_REVEALED",
        "only the seat that laid them away",
        ["0 bid pass", "1 bid gioco", "2 bid pass", "1 discard SN SJ CN CJ DN DJ BN BJ"],
        **Z,
    ),
    Bad(
        "a King",
        "events[3].discard.cards",
        "FIVE_POINT_CARD",
        "SK: cards worth five points",
        [*GIOCO, "0 discard SK S10 S9 S8 S7 S6 SA B10"],
        **TAKER,
    ),
    Bad(
        "seven",
        "events[3].discard.cards",
        "DISCARD_SIZE",
        "7 cards laid away: exactly 8",
        [*GIOCO, "0 discard S10 S9 S8 S7 S6 SA B10"],
        **TAKER,
    ),
    Bad(
        "nine",
        "events[3].discard.cards",
        "DISCARD_SIZE",
        "9 cards laid away: exactly 8",
        [*GIOCO, "0 discard S10 S9 S8 S7 S6 SA B10 B9 B8"],
        **TAKER,
    ),
    Bad(
        "not mine",
        "events[3].discard.cards",
        "CARD_NOT_IN_HAND",
        "does not hold SN",
        [*GIOCO, "0 discard SN S9 S8 S7 S6 SA B10 B9"],
        **TAKER,
    ),
    Bad("own unseen", "events[3].discard.cards", "DISCARD_SIZE", "are missing", [*GIOCO, "0 discard"], **TAKER),
    Bad("by another", "events[3].seat", "OUT_OF_TURN", "turn of seat 0 to discard", [*GIOCO, "2 discard"], **TAKER),
    Bad("none in solo", "events[2].discard", "WRONG_PHASE", "to declare, not to discard", [*SOLO, "0 discard"], **Z),
    Bad(
        "five of nineteen",
        "hand",
        "HAND_SIZE",
        "18 cards: this seat is dealt 19, later 24",
        **Z,
        options=(("cards", "19"),),
    ),
    # signals of Terziglio
    Bad(
        "the declarer's",
        "events[1].play.signal",
        "SIGNAL_NOT_ALLOWED",
        "the declarer has no partner",
        ["0 bid solo", "0 T5 busso"],
        **Z,
    ),
    Bad("before the Angel", "events[2].play.signal", "SIGNAL_NOT_ALLOWED", "with T5 yet", [*SOLO, "0 T5 busso"], **Z),
    # standings
    Bad(
        "over 800",
        "standing.scores",
        "MATCH_OVER",
        "leads with 810 of 800",
        **OTTO,
        standing=Standing((810.0, 20.0), 3),
    ),
    Bad("just 800", "standing.scores", "MATCH_OVER", "leads with 800", **OTTO, standing=Standing((20.0, 800.0), 3)),
    Bad(
        "negative", "standing.scores[1]", "OUT_OF_RANGE", "-5 points cannot", **OTTO, standing=Standing((10.0, -5.0), 3)
    ),
    Bad(
        "half", "standing.scores[0]", "OUT_OF_RANGE", "give a multiple of 1", **OTTO, standing=Standing((10.5, 5.0), 3)
    ),
    Bad(
        "three scores",
        "standing.scores",
        "SCORE_COUNT",
        "3 scores: give 2",
        **OTTO,
        standing=Standing((1.0, 2.0, 3.0), 3),
    ),
    Bad("no deal yet", "standing.scores[0]", "OUT_OF_RANGE", "from 0 deals", **OTTO, standing=Standing((1.0, 0.0), 0)),
    Bad("minus one", "standing.deals_played", "OUT_OF_RANGE", "-1 deals", **OTTO, standing=Standing((), -1)),
    Bad(
        "two scores",
        "standing.scores",
        "SCORE_COUNT",
        "give 3, one for each seat",
        **Z,
        standing=Standing((1.0, 2.0), 3),
    ),
    Bad(
        "nine deals",
        "standing.deals_played",
        "MATCH_OVER",
        "no deal is left",
        **Z,
        standing=Standing((1.0, 2.0, 2.0), 9),
    ),
    Bad("paid", "standing.scores[2]", "OUT_OF_RANGE", "-2 points cannot", **Z, standing=Standing((1.0, 1.0, -2.0), 3)),
]


@pytest.mark.parametrize("bad", CASES, ids=lambda bad: bad.name)
def test_every_fault_is_told(bad: Bad) -> None:
    check_fault(bad)


def good_observation(bad_name: str) -> Observation:
    """Returns the observation of an example without the event at fault."""
    observation = next(bad for bad in CASES if bad.name == bad_name).observation()
    return replace(observation, events=observation.events[:-1])


def test_the_dealer_that_has_to_call_out_may_lay_away_at_once() -> None:
    """A discard where the call-out is due goes on with the deal, as a card does where a declaration is due."""
    observation = good_observation("short")
    with_discard = replace(observation, events=(Event(3, Discard(None)),))
    assert view(with_discard).phase is Phase.DECLARE
    assert view(with_discard).table.events == (Event(3, CallOut(0)), Event(3, Discard(None)))


def test_partial_declarations_are_good_where_the_rules_allow_them() -> None:
    hand = "SK BK CK DK SQ SN S6 B10 B9 C10 C9 D10 D9 T5 T7"
    for variant, allowed in (("ottocento", True), ("bolognese", False)):
        bad = Bad("", "", "", "", [D, "0 declare SK BK CK"], variant, hand=hand, options=PLAIN if allowed else ())
        assert (find_faults(bad.observation()) == ()) == allowed


def test_a_striscio_is_false_when_the_rest_of_the_suit_lies_elsewhere() -> None:
    """The King was taken in an earlier trick, all the other swords are gone as everybody has seen."""
    table = Table(get_variant("ottocento", dict(PLAIN)), 3)
    table.phase, table.turn = Phase.PLAY, 0
    card, swords = 0, 0x3FF
    others = swords & ~(1 << card)
    table.piles[0] = others
    table.played[1] = others
    with pytest.raises(IllegalMoveError) as caught:
        table.apply(0, Play(card, Signal.STRISCIO))
    assert caught.value.reason == "FALSE_SIGNAL"
    table.apply(0, Play(card, Signal.VOLO))


def test_a_hand_has_room_for_what_a_signal_said_it_holds() -> None:
    table = Table(get_variant("ottocento", dict(PLAIN)), 3)
    table.phase, table.turn = Phase.PLAY, 0
    table.played[0] = 0x3FFF << 10
    table.must_hold[0] = (0x3FF,)
    with pytest.raises(IllegalMoveError, match="signalled before") as caught:
        table.copy().apply(0, Play(MATTO))
    assert (caught.value.reason, caught.value.field) == ("SIGNAL_CONTRADICTED", "play.card")
    table.apply(0, Play(3))
    assert table.must_hold[0] == ()


def test_call_outs_are_counted_also_where_they_are_not_all_listed() -> None:
    pack = get_variant("ottocento").pack
    first = [pack.parse_card(card) for card in "MAT BEG ANG MON SOL LUN T16 T15 T14 MO1 MO2 MO3 SA BA CA".split()]
    rest = [card for card in range(62) if card not in first]
    order = [[*first, *rest[:2]], rest[2:17], rest[17:32], rest[32:]]
    hands = [sum(1 << card for card in hand) for hand in order]
    for before in (690.0, 770.0):
        standing = Standing((before, 10.0), 5)
        state = State.new(get_variant("ottocento", {"monte": "false"}), 0, hands, standing, order=order)
        assert state.phase is Phase.CALL_OUT
        expected = 1
        for bits in range(1 << len(first)):
            cards = sum(1 << card for place, card in enumerate(first) if bits >> place & 1)
            is_shown = int(used_cards(np.uint64(cards))) == cards
            expected += is_shown and int(combination_points(np.uint64(cards))) >= 800 - before
        moves = state.legal_moves()
        assert state.legal_move_count == expected
        assert len(moves) == expected or MAX_LISTED >= len(moves) < expected
        assert moves[-1] == CallOut(0)
        assert all(state.apply_move(move).table.is_over for move in moves[:-1])


# --- the card given for the Matto


def giving_state(name: str) -> State:
    """Returns a deal in which a card is due for the Matto from a pile that has dear ones too."""
    for index in range(50):
        for state in random_states(get_variant(name), f"giving {index}"):
            pile = state.table.piles[state.table.side_of(state.table.turn)]
            if state.phase is Phase.GIVE and pile & state.variant.pack.five_point_mask & ~MATTO_MASK:
                return state
    raise AssertionError("nobody ever owes a card")


@pytest.mark.parametrize("name", ["ottocento", "terziglio"])
def test_the_card_given_is_one_of_the_least_valuable_of_the_pile(name: str) -> None:
    state = giving_state(name)
    giver = state.table.turn
    points = state.variant.pack.points
    allowed = {move.card for move in state.legal_moves() if isinstance(move, Give)}
    pile = state.table.piles[state.table.side_of(giver)]
    dear = next(card for card in cards_in(pile & ~MATTO_MASK) if points[card] > 1)
    elsewhere = next(cards_in(state.table.piles[1 - state.table.side_of(giver)] & ~MATTO_MASK))
    assert {points[card] for card in allowed} == {1}
    for card, reason in (
        (dear, "CARD_NOT_TO_GIVE"),
        (elsewhere, "CARD_NOT_TO_GIVE"),
        (61, "CARD_NOT_TO_GIVE"),
        (62, "NO_SUCH_CARD"),
    ):
        with pytest.raises(IllegalMoveError) as caught:
            state.apply_move(Give(card))
        assert (caught.value.reason, caught.value.field) == (reason, "give.card")
        for seat in range(state.variant.seat_count):
            observation = state.observe(seat)
            wrong = replace(observation, events=(*observation.events, Event(giver, Give(card))))
            (fault,) = find_faults(wrong)
            assert (fault.path, fault.reason) == (f"events[{len(observation.events)}].give.card", reason)
    observation = state.observe(giver)
    by_another = Event(state.variant.next_seat(giver), Give(min(allowed)))
    (fault,) = find_faults(replace(observation, events=(*observation.events, by_another)))
    assert fault.reason == "OUT_OF_TURN"
    assert state.apply_move(Give(min(allowed))).score().matto_card == min(allowed)


def test_nothing_is_given_before_the_last_trick() -> None:
    for state in random_states(get_variant("ottocento"), "early")[:-3]:
        with pytest.raises(IllegalMoveError) as caught:
            state.apply_move(Give(0))
        assert caught.value.reason == "WRONG_PHASE"


def test_the_match_that_is_over_takes_no_deal() -> None:
    variant = get_variant("ottocento")
    for standing, reason in (
        (Standing((801.0, 12.0), 3), "MATCH_OVER"),
        (Standing((-1.0, 12.0), 3), "OUT_OF_RANGE"),
        (Standing((float("nan"), 12.0), 3), "OUT_OF_RANGE"),
        (Standing((1.0, 2.0, 3.0), 3), "SCORE_COUNT"),
    ):
        with pytest.raises(InvalidDealError) as caught:
            new_deal(variant, 1, 0, standing)
        assert [fault.reason for fault in caught.value.faults] == [reason]
    assert new_deal(variant, 1, 0, Standing((820.0, 820.0), 3)).turn == 1
    match = Match(variant, 0, Standing((801.0, 12.0), 3))
    assert (match.is_over, match.winner) == (True, 0)


# --- wrong types

STATE = new_deal(get_variant("ottocento"), 1, 0)
OBSERVATION = STATE.observe(0)
TYPES: list[tuple[Callable[[], object], str]] = [
    (lambda: new_deal("piedicavallo", seed=1), r"variant is 'piedicavallo': give a variant, such as get_variant"),
    (lambda: new_deal(STATE.variant, seed="1"), r"seed is '1': give an integer from 0 to 2\*\*64 - 1"),
    (lambda: new_deal(STATE.variant, True), "seed is True: give an integer"),
    (lambda: new_deal(STATE.variant, 1, dealer=1.0), r"dealer is 1\.0: give the number of a seat, an integer"),
    (lambda: new_deal(STATE.variant, 1, 0, (1, 2)), r"standing is \(1, 2\): give a Standing"),
    (lambda: new_deal(STATE.variant, 1, 0, Standing(("a", 1.0), 1)), r"standing.scores\[0\] is 'a': give a number"),
    (lambda: State.new(STATE.variant, 0, ["SK"] * 4), r"hands\[0\] is 'SK': give the bits of a set of cards"),
    (lambda: State.new(STATE.variant, 0, STATE.dealt, stock=None), "stock is None: give the bits"),
    (lambda: STATE.apply_move("SK"), r"move is 'SK': give one of the moves that legal_moves\(\) lists, a Monte"),
    (lambda: STATE.apply_move(Monte(1)), r"Monte.throws_in is 1: give True for monte or False"),
    (lambda: STATE.apply_move(Bid("gioco")), r"Bid.call is 'gioco': give one of Call.PASS, Call.GIOCO, Call.SOLO"),
    (lambda: STATE.apply_move(Play("SK")), r"Play.card is 'SK': give the number of a card"),
    (lambda: STATE.apply_move(Play(1, "volo")), r"Play.signal is 'volo': give None or one of Signal.VOLO"),
    (lambda: STATE.apply_move(Declare([1])), r"Declare.cards is \[1\]: give the bits"),
    (lambda: STATE.apply_move(CallOut(None)), "CallOut.cards is None: give the bits"),
    (lambda: STATE.apply_move(Discard("S8")), "Discard.cards is 'S8': give the bits"),
    (lambda: STATE.apply_move(Discard(3, "1")), "Discard.announced_trump_count is '1': give a number or None"),
    (lambda: STATE.apply_move(Give(None)), "Give.card is None: give the number of a card"),
    (lambda: STATE.observe("0"), "seat is '0': give an integer from 0 to 3"),
    (lambda: replay(STATE, ["SK"]), "move is 'SK'"),
    (lambda: view(None), r"observation is None: give an Observation, such as state.observe\(seat\)"),
    (lambda: find_faults(STATE), "observation is State"),
    (lambda: view(replace(OBSERVATION, seat="0")), "seat is '0': give the number of a seat"),
    (lambda: view(replace(OBSERVATION, hand=["SK"])), r"hand is \['SK'\]: give the bits"),
    (lambda: view(replace(OBSERVATION, events=None)), "events is None: give a tuple of events"),
    (lambda: view(replace(OBSERVATION, events=(Monte(True),))), r"events\[0\] is Monte"),
    (lambda: view(replace(OBSERVATION, events=(Event("1", Monte(True)),))), r"events\[0\].seat is '1'"),
    (lambda: view(replace(OBSERVATION, events=(Event(1, "monte"),))), "move is 'monte'"),
    (lambda: view(replace(OBSERVATION, standing=(1, 2))), "standing is"),
    (lambda: Match(STATE.variant, 0).after(5), r"score is 5: give the count of a deal, such as state.score\(\)"),
]


@pytest.mark.parametrize(("call", "message"), TYPES, ids=[message.split(":")[0] for _, message in TYPES])
def test_wrong_types_are_named_with_the_remedy(call: Callable[[], object], message: str) -> None:
    with pytest.raises(TypeError, match=f"^{message}"):
        call()


def test_calls_are_no_other_words() -> None:
    assert [str(call) for call in Call] == ["pass", "gioco", "solo"]
    with pytest.raises(ValueError, match="contra"):
        Call("contra")
