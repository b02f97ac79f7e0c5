"""Data that cannot have happened: every fault is told with its place, a stable reason and what to do about it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from bad_data import HANDS, Bad, check_fault, reasons_in_source
from dealing import fresh, random_states
from tarocchi_engine.cards import ALL_MASK, cards_in
from tarocchi_engine.errors import IllegalMoveError, InvalidDealError
from tarocchi_engine.match import Standing
from tarocchi_engine.moves import Bid, Call, CallOut, Declare, Discard, Event, Give, Monte, Move, Play, Signal
from tarocchi_engine.observation import Observation, find_faults, view
from tarocchi_engine.state import State, new_deal, replay
from tarocchi_engine.variant import Variant
from tarocchi_engine.variants import VARIANTS, get_variant

FIFTEEN_SHOWN = "MAT BEG ANG MON SOL LUN T16 T15 T14 T13 T12 T11 T10 T9 T8"
D = "3 discard"
P = {"variant": "piedicavallo"}
DEALER = {"seat": 3}
TRIPLE = "1 declare SK BK CK"

CASES = [
    Bad("variant", "variant", "UNKNOWN_VARIANT", "known are: bolognese, ottocento", variant_given="briscola"),
    Bad("seat", "seat", "NO_SUCH_SEAT", "there is no seat 4: seats are 0 to 3", seat=4),
    Bad("dealer", "dealer", "NO_SUCH_SEAT", "there is no seat -1", dealer=-1),
    Bad("short hand", "hand", "HAND_SIZE", "2 cards: this seat is dealt 15 (give the", hand="S6 S7"),
    Bad("dealer's hand", "hand", "HAND_SIZE", "15 cards: the dealer is dealt 17", hand=HANDS["bolognese"], dealer=0),
    Bad("no hand", "hand", "HAND_SIZE", "0 cards: this seat is dealt 15", hand=0),
    Bad("63 bits", "hand", "NO_SUCH_CARD", "cards are the bits 0 to 61", hand=(1 << 14) - 1 | 1 << 62),
    Bad("negative hand", "hand", "NO_SUCH_CARD", "-1 stands for no card", hand=-1),
    Bad("card 62", "events[1].play.card", "NO_SUCH_CARD", "62 stands for no card", [D, Event(0, Play(62))]),
    Bad("card -1", "events[1].play.card", "NO_SUCH_CARD", "-1 stands for no card", [D, Event(0, Play(-1))]),
    Bad("shown bits", "events[1].declare.cards", "NO_SUCH_CARD", "no card", [D, Event(0, Declare(1 << 62))]),
    Bad("shown -1", "events[1].declare.cards", "NO_SUCH_CARD", "no card", [D, Event(0, Declare(-1))]),
    Bad("discard -1", "events[0].discard.cards", "NO_SUCH_CARD", "no card", [Event(3, Discard(-1))], **DEALER),
    # turns and phases
    Bad("dealer first", "events[0].seat", "OUT_OF_TURN", "turn of seat 3 to discard", ["1 discard"]),
    Bad("leader", "events[1].seat", "OUT_OF_TURN", "seat 1 moves but it is the turn of seat 0 to declare", [D, "1 SK"]),
    Bad("no such seat", "events[1].seat", "OUT_OF_TURN", "seat 9 moves but it is the turn of seat 0", [D, "9 SK"]),
    Bad(
        "winner leads", "events[5].seat", "OUT_OF_TURN", "seat 2 to play", [D, "0 S10", "1 SJ", "2 SK", "3 SQ", "3 SN"]
    ),
    Bad("no discard", "events[0].play", "WRONG_PHASE", "seat 3 has to discard, not to play", ["3 SK"]),
    Bad(
        "two discards", "events[1].discard", "WRONG_PHASE", "has to play, not to discard", [D + " 0", "0 discard"], **P
    ),
    Bad("two shows", "events[2].declare", "WRONG_PHASE", "to play, not to declare", [D, "0 declare", "0 declare"]),
    Bad("late show", "events[5].declare", "WRONG_PHASE", "to play", [D, "0 S10", "1 SJ", "2 SQ", "3 SK", "3 declare"]),
    Bad("show", "events[1].declare", "WRONG_PHASE", "to play, not to declare", [D + " 0", "0 declare"], **P),
    # the discard
    Bad("seen", "events[0].discard.cards", "HIDDEN_CARDS_REVEALED", "only the seat that laid", [D + " SQ SN"]),
    Bad(
        "count", "events[0].discard.announced_trump_count", "HIDDEN_CARDS_REVEALED", "leave the number out", [D + " 0"]
    ),
    Bad("silent", "events[0].discard.announced_trump_count", "ANNOUNCEMENT_MISSING", "give 0, 1 or 2", [D], **P),
    Bad("three", "events[0].discard.announced_trump_count", "WRONG_ANNOUNCEMENT", "3 trumps cannot", [D + " 3"], **P),
    Bad("-1", "events[0].discard.announced_trump_count", "WRONG_ANNOUNCEMENT", "-1 trumps cannot", [D + " -1"], **P),
    Bad(
        "own count",
        "events[0].discard.announced_trump_count",
        "WRONG_ANNOUNCEMENT",
        "1 trumps announced but the discard has 0: leave the number out",
        [D + " D3 D2 1"],
        **P,
        **DEALER,
    ),
    Bad("own unseen", "events[0].discard.cards", "DISCARD_SIZE", "the cards laid away are missing", [D], **DEALER),
    Bad("one", "events[0].discard.cards", "DISCARD_SIZE", "exactly 2 are discarded", [D + " D9"], **DEALER),
    Bad("not held", "events[0].discard.cards", "CARD_NOT_IN_HAND", "does not hold SA", [D + " SA D9"], **DEALER),
    Bad(
        "a King", "events[0].discard.cards", "FIVE_POINT_CARD", "SK: cards worth five points", [D + " SK D9"], **DEALER
    ),
    Bad("trump", "events[0].discard.cards", "TRUMP_WITHOUT_REASON", "T5: a trump goes", [D + " T5 D2"], **P, **DEALER),
    Bad(
        "kept after all",
        "events[7].play.card",
        "DISCARD_CONTRADICTED",
        "seat 3 plays T5 but laid away a trump",
        [D + " 1", "0 S10", "1 SK", "2 SQ", "3 SJ", "1 C6", "2 C5", "3 T5"],
        **P,
    ),
    # the observer's own moves
    Bad("own show", "events[1].declare.cards", "CARD_NOT_IN_HAND", "not hold BK CK", [D, "0 declare BK CK"]),
    Bad(
        "own part",
        "events[1].declare.cards",
        "DECLARATION_INCOMPLETE",
        "declare SK BK CK DK or nothing",
        [D, "0 declare SK BK CK"],
        hand="SK BK CK DK S6 B10 B9 B8 C10 C9 C8 D10 D9 T5 T7",
    ),
    Bad("own card", "events[1].play.card", "CARD_NOT_IN_HAND", "the hand does not hold SK", [D, "0 SK"]),
    Bad(
        "own card again",
        "events[6].play.card",
        "CARD_NOT_IN_HAND",
        "the hand does not hold S10",
        [D, "0 S10", "1 SJ", "2 SQ", "3 SK", "3 SN", "0 S10"],
    ),
    Bad(
        "own revoke",
        "events[2].play.card",
        "MUST_FOLLOW",
        "T5 does not follow: play one of S10 S9 S8 S7 S6",
        ["2 discard", "3 SK", "0 T5"],
        dealer=2,
    ),
    # other seats' cards
    Bad("my card", "events[2].play.card", "CARD_ELSEWHERE", "S9 was dealt to the observer", [D, "0 S10", "1 S9"]),
    Bad(
        "my cards shown",
        "events[2].declare.cards",
        "CARD_ELSEWHERE",
        "DK was dealt to the observer",
        [D, "0 S10", "1 declare SK BK CK DK"],
        hand="DK S10 S9 S8 S7 B10 B9 B8 C10 C9 C8 D10 D9 T5 T7",
    ),
    Bad(
        "twice",
        "events[3].play.card",
        "CARD_ALREADY_PLAYED",
        "SK was already played by seat 1",
        [D, "0 S10", "1 SK", "2 SK"],
    ),
    Bad(
        "shown", "events[4].play.card", "CARD_ELSEWHERE", "BK was shown by seat 1", [D, "0 S10", TRIPLE, "1 SK", "2 BK"]
    ),
    Bad(
        "shown twice",
        "events[4].declare.cards",
        "CARD_ELSEWHERE",
        "BK CK was already shown or played by seat 1",
        [D, "0 S10", TRIPLE, "1 SK", "2 declare BK CK DK"],
    ),
    Bad("idle", "events[2].declare.cards", "CARDS_SCORE_NOTHING", "SA scores nothing", [D, "0 S10", TRIPLE + " SA"]),
    Bad(
        "sixteen",
        "events[2].declare.cards",
        "DECLARATION_SIZE",
        "16 cards shown: a hand has 15",
        [D, "0 S10", f"1 declare {FIFTEEN_SHOWN} T6"],
    ),
    Bad(
        "a sixteenth",
        "events[3].play.card",
        "CARD_NOT_IN_HAND",
        "seat 1 plays MO1 but has shown all the cards it still holds",
        [D, "0 S10", f"1 declare {FIFTEEN_SHOWN}", "1 MO1"],
    ),
    Bad("revoke", "events[3].play.card", "MUST_FOLLOW", "seat 1 holds SK", [D, "0 S10", TRIPLE, "1 CK"]),
    Bad(
        "must trump",
        "events[3].play.card",
        "MUST_FOLLOW",
        "seat 1 holds MO1 or MO2 or MO3 and must play that suit",
        [D, "0 S10", "1 declare MO1 MO2 MO3", "1 DK"],
    ),
    Bad(
        "void",
        "events[8].play.card",
        "SUIT_DENIED_EARLIER",
        "seat 1 plays SN but earlier showed that it has none",
        [D, "0 S10", "1 CK", "2 SK", "3 SQ", "2 SJ", "3 SA", "0 S9", "1 SN"],
    ),
    Bad(
        "no trump",
        "events[8].play.card",
        "SUIT_DENIED_EARLIER",
        "seat 1 plays T9 but",
        [D, "0 S10", "1 CK", "2 SK", "3 SQ", "2 DJ", "3 DA", "0 D9", "1 T9"],
    ),
    Bad(
        "more to show",
        "events[6].play.card",
        "DECLARATION_INCOMPLETE",
        "seat 1 plays DK but had more to show",
        [D, "0 S10", TRIPLE, "1 SK", "2 SQ", "3 SJ", "1 DK"],
    ),
]


@pytest.mark.parametrize("bad", CASES, ids=lambda bad: bad.name)
def test_every_fault_is_told(bad: Bad) -> None:
    check_fault(bad)


def test_frame_faults_come_together() -> None:
    faults = find_faults(Observation("bolognese", 7, 8, 0, (Event(0, Play(99)),)))
    assert [fault.path for fault in faults] == ["seat", "dealer"]


def test_moves_after_the_end_are_told() -> None:
    for variant in VARIANTS.values():
        final = random_states(variant, "over")[-1]
        observation = final.observe(2)
        extended = replace(observation, events=(*observation.events, Event(2, Play(5))))
        (fault,) = find_faults(extended)
        assert (fault.path, fault.reason) == (f"events[{len(observation.events)}]", "DEAL_OVER")
        assert "remove the moves after its end" in fault.message
        with pytest.raises(IllegalMoveError, match="the deal has ended") as caught:
            final.apply_move(Play(5))
        assert caught.value.reason == "DEAL_OVER"


def test_variants_without_declarations_refuse_them() -> None:
    with pytest.raises(IllegalMoveError, match="nothing is declared in piedicavallo") as caught:
        get_variant("piedicavallo").check_declaration(1)
    assert (caught.value.reason, caught.value.field) == ("NO_DECLARATIONS", "declare.cards")


# --- the full truth


def deal_faults(variant: Variant, dealer: int, hands: Sequence[int], stock: int) -> list[tuple[str, str, str]]:
    with pytest.raises(InvalidDealError) as caught:
        State.new(variant, dealer, hands, stock=stock)
    return [(fault.path, fault.reason, fault.message) for fault in caught.value.faults]


@pytest.mark.parametrize("name", VARIANTS)
def test_wrong_deals_are_refused_with_every_fault(name: str) -> None:
    variant = get_variant(name)
    deal = new_deal(variant, 1, 0)
    dealt, stock, seats = list(deal.dealt), deal.stock, variant.seat_count
    lost, other = dealt[1] & -dealt[1], dealt[2] & -dealt[2]

    def faults(dealer: int, hands: Sequence[int], stock: int = stock) -> list[tuple[str, str]]:
        return [(path, reason) for path, reason, _ in deal_faults(variant, dealer, hands, stock)]

    (fault,) = deal_faults(variant, 0, dealt[1:], stock)
    assert fault == ("hands", "HAND_COUNT", f"{seats - 1} hands given: {name} has {seats} seats")
    assert faults(seats, dealt) == [("dealer", "NO_SUCH_SEAT")]
    if variant.dealer_extra:
        assert faults(1, dealt) == [("hands[0]", "HAND_SIZE"), ("hands[1]", "HAND_SIZE")]

    without = [dealt[0], dealt[1] ^ lost, *dealt[2:]]
    assert faults(0, without) == [("hands[1]", "HAND_SIZE"), ("hands", "INCOMPLETE_PACK")]
    card_id = variant.pack.format_mask(lost)[0]
    assert deal_faults(variant, 0, without, stock)[1][2] == f"nobody was dealt {card_id}"
    without[1] |= other
    assert faults(0, without) == [("hands[2]", "CARD_ELSEWHERE"), ("hands", "INCOMPLETE_PACK")]
    without[1] ^= other | 1 << 62
    assert faults(0, without) == [("hands[1]", "NO_SUCH_CARD"), ("hands", "INCOMPLETE_PACK")]

    assert faults(0, dealt, -1)[0] == ("stock", "NO_SUCH_CARD")
    assert faults(0, dealt, stock | lost) == [("stock", "STOCK_SIZE")]
    if stock:
        assert faults(0, dealt, stock ^ (stock & -stock) | lost)[0] == ("stock", "CARD_ELSEWHERE")


@pytest.mark.parametrize("name", VARIANTS)
def test_replay_names_the_first_impossible_move(name: str) -> None:
    final = random_states(get_variant(name), "replay")[-1]
    events = list(final.events)
    last = max(index for index, event in enumerate(events) if isinstance(event.move, Play))
    wrong_seat = Event((events[last].seat + 1) % final.variant.seat_count, events[last].move)
    for entry, path, reason in (
        (wrong_seat, f"events[{last}].seat", "OUT_OF_TURN"),
        (events[last - 1].move, f"events[{last}].play.card", "CARD_NOT_IN_HAND"),
        (Play(62), f"events[{last}].play.card", "NO_SUCH_CARD"),
        (Discard(3), f"events[{last}].discard", "WRONG_PHASE"),
    ):
        with pytest.raises(InvalidDealError) as caught:
            replay(fresh(final), [*events[:last], entry])
        assert [(fault.path, fault.reason) for fault in caught.value.faults] == [(path, reason)]


def test_moves_of_a_state_are_checked_like_those_of_a_view() -> None:
    """The dealer's and the leader's faults again, made at a state in which every card is known."""
    for bad in CASES:
        own = bad.events and parse_last(bad).seat == bad.seat
        if not own or bad.reason in ("OUT_OF_TURN", "DISCARD_CONTRADICTED"):
            continue
        state = state_that_fits(bad)
        with pytest.raises(IllegalMoveError) as caught:
            state.apply_move(parse_last(bad).move)
        assert caught.value.reason == bad.reason, bad.name
        assert bad.path.endswith(caught.value.field)
        assert bad.message in caught.value.message


def parse_last(bad: Bad) -> Event:
    return bad.observation().events[-1]


def state_that_fits(bad: Bad) -> State:
    """Returns a deal in which the events of an example but the last have happened."""
    variant = get_variant(bad.variant)
    observation = bad.observation()
    rng = random.Random(bad.name)
    fixed = [0] * 4
    fixed[observation.seat] = observation.hand
    for event in observation.events[:-1]:
        if event.seat != observation.seat:
            if isinstance(event.move, Play):
                fixed[event.seat] |= 1 << event.move.card
            elif isinstance(event.move, Declare):
                fixed[event.seat] |= event.move.cards
    for _ in range(5000):
        rest = list(cards_in(ALL_MASK & ~sum(fixed)))
        rng.shuffle(rest)
        hands = list(fixed)
        for seat in range(4):
            while hands[seat].bit_count() < variant.dealt_to(seat, observation.dealer):
                hands[seat] |= 1 << rest.pop()
        state = State.new(variant, observation.dealer, hands)
        moves: list[Move] = [event.move for event in observation.events[:-1]]
        if moves and isinstance(moves[0], Discard) and moves[0].cards is None:
            moves[0] = rng.choice(state.legal_moves())
        try:
            return replay(state, moves)
        except InvalidDealError:
            continue
    raise AssertionError(f"no deal fits {bad.name}")


# --- nothing is left out


def test_every_reason_is_provoked_here() -> None:
    elsewhere = {"DEAL_OVER", "NO_DECLARATIONS", "HAND_COUNT", "INCOMPLETE_PACK", "STOCK_SIZE", "OUT_OF_RANGE"}
    of_matches = {
        "BID_TOO_LOW",
        "CARD_NOT_TO_GIVE",
        "FALSE_SIGNAL",
        "MATCH_OVER",
        "NO_SIGNALS",
        "SCORE_COUNT",
        "SCORE_TOTAL",
        "SIGNAL_CONTRADICTED",
        "SIGNAL_NOT_ALLOWED",
        "TARGET_NOT_REACHED",
    }
    assert reasons_in_source() == {bad.reason for bad in CASES} | elsewhere | of_matches


# --- random damage


def damaged(observation: Observation, rng: random.Random) -> Observation:
    """Returns an observation with one random change."""
    events = list(observation.events)
    at = rng.randrange(len(events))
    a_card, a_set = rng.randint(-2, 64), rng.getrandbits(64) & rng.getrandbits(64) & rng.getrandbits(64)
    seat, move = events[at].seat, events[at].move
    match rng.randrange(15):
        case 0:
            del events[at]
        case 1:
            events.insert(at, events[at])
        case 2:
            other = rng.randrange(len(events))
            events[at], events[other] = events[other], events[at]
        case 3:
            events[at] = Event(rng.randint(-1, 4), move)
        case 4:
            events[at] = Event(seat, Play(a_card, rng.choice((None, *Signal))))
        case 5:
            events[at] = Event(seat, Declare(a_set))
        case 6:
            cards = rng.choice([None, 0, rng.getrandbits(64), 1 << rng.randrange(62) | 1 << rng.randrange(62)])
            events[at] = Event(seat, Discard(cards, rng.choice([None, 0, 1, 2, 3, -1])))
        case 7:
            return replace(observation, hand=observation.hand ^ 1 << rng.randrange(64) ^ 1 << rng.randrange(64))
        case 8:
            return replace(observation, seat=rng.randint(-1, 4))
        case 9:
            return replace(observation, dealer=rng.randint(-1, 4))
        case 10:
            return replace(observation, variant=rng.choice([*VARIANTS, ""]))
        case 11:
            events = events[:at]
        case 12:
            other_move = rng.choice([Monte(True), Monte(False), CallOut(a_set), CallOut(0), Give(a_card)])
            events[at] = Event(seat, other_move)
        case 13:
            events[at] = Event(seat, Bid(rng.choice(list(Call))))
        case 14:
            scores = tuple(float(rng.randint(-1, 900)) for _ in range(rng.choice((0, 2, 3))))
            return replace(observation, standing=Standing(scores, rng.randint(-1, 10)))
    return replace(observation, events=tuple(events))


def fuzz(seed: str, rounds: int) -> None:
    refused = 0
    reasons = reasons_in_source()
    for variant in VARIANTS.values():
        rng = random.Random(f"{seed}/{variant.name}")
        states = [state for index in range(5) for state in random_states(variant, f"{seed} {index}")[1:]]
        for _ in range(rounds):
            observation = rng.choice(states).observe(rng.randrange(variant.seat_count))
            for _ in range(rng.choice((1, 1, 2, 4))):
                if observation.events:
                    observation = damaged(observation, rng)
            faults = find_faults(observation)
            refused += bool(faults)
            for fault in faults:
                assert fault.reason in reasons
                assert fault.message
                part = fault.path.split("[")[0].split(".")[0]
                assert part in ("variant", "seat", "dealer", "hand", "events", "standing")
            if not faults:
                seen = view(observation)
                assert bool(seen.legal_moves()) == (seen.turn == seen.seat)
                assert not seen.unseen & ~ALL_MASK
                assert not seen.hand & ~observation.hand
    assert refused > rounds


def test_damage_is_refused_or_playable() -> None:
    fuzz("damage", 1500)


@pytest.mark.exhaustive
@pytest.mark.parametrize("round_index", range(20))
def test_much_damage_is_refused_or_playable(round_index: int) -> None:
    fuzz(f"damage {round_index}", 5000)


def test_a_discard_by_the_wrong_seat_is_out_of_turn_whatever_it_shows() -> None:
    """The advice to hide the cards would be wrong: the dealer itself observes."""
    state = new_deal(get_variant("piedicavallo"), 3, dealer=3)
    state = state.apply_move(state.legal_moves()[0])
    observation = state.observe(3)
    misplaced = replace(observation, events=(Event(1, observation.events[0].move),))
    (fault,) = find_faults(misplaced)
    assert (fault.path, fault.reason) == ("events[0].seat", "OUT_OF_TURN")


@pytest.mark.parametrize("seat", [-1, 4, 9])
def test_there_is_nothing_to_see_from_no_seat(seat: int) -> None:
    with pytest.raises(IndexError, match="seats are 0 to 3"):
        new_deal(get_variant("bolognese"), 1).observe(seat)


@pytest.mark.parametrize("seed", [-1, 1 << 64])
def test_seeds_have_64_bits(seed: int) -> None:
    with pytest.raises(ValueError, match="seed is"):
        new_deal(get_variant("bolognese"), seed)
