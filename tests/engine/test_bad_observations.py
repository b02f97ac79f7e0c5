"""Data that cannot have happened: every fault is told with its place, a stable reason and what to do about it."""

from __future__ import annotations

import ast
import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

import tarocchi_engine
from dealing import random_states
from tarocchi_engine.cards import ALL_MASK, cards_in
from tarocchi_engine.errors import Fault, IllegalMoveError, InvalidDealError, InvalidObservationError
from tarocchi_engine.moves import Declare, Discard, Event, Move, Play
from tarocchi_engine.observation import Observation, find_faults, view
from tarocchi_engine.state import State, new_deal, replay
from tarocchi_engine.variants import VARIANTS, get_variant

# What the observer of the examples holds; seat 3 deals, so seat 0 leads.
HANDS = {
    "bolognese": "S10 S9 S8 S7 S6 B10 B9 B8 C10 C9 C8 D10 D9 T5 T7",
    "piedicavallo": "S10 S9 S8 S7 S6 B10 B9 B8 C3 C2 CA D3 D2 T2 T7",
}
FIFTEEN_SHOWN = "MAT BEG ANG MON SOL LUN T16 T15 T14 T13 T12 T11 T10 T9 T8"
SEVENTEEN = {
    "bolognese": "SK S9 S8 S7 S6 B10 B9 B8 C10 C9 C8 D10 D9 T5 T7 SQ SN",
    "piedicavallo": "SK S9 S8 S7 S6 B10 B9 B8 C3 C2 CA D3 D2 T2 T7 T5 T6",
}


def mask(variant: str, ids: str) -> int:
    return get_variant(variant).pack.parse_cards(ids.split())


def parse_event(variant: str, text: str) -> Event:
    """Reads "3 discard", "3 discard D10 D9 2", "1 declare SK BK CK" or "0 S10"."""
    seat, *words = text.split()
    move: Move
    match words:
        case ["discard", *cards]:
            announced = int(cards.pop()) if cards and cards[-1].lstrip("-").isdigit() else None
            move = Discard(mask(variant, " ".join(cards)) if cards else None, announced)
        case ["declare", *cards]:
            move = Declare(mask(variant, " ".join(cards)))
        case _:
            move = Play(get_variant(variant).pack.parse_card(words[0]))
    return Event(int(seat), move)


@dataclass(frozen=True)
class Bad:
    """An observation with one fault, and the fault."""

    name: str
    path: str
    reason: str
    message: str
    events: Sequence[str | Event] = ()
    variant: str = "bolognese"
    seat: int = 0
    dealer: int = 3
    hand: str | int = ""
    variant_given: str = field(default="")

    def observation(self) -> Observation:
        hands = SEVENTEEN if self.seat == self.dealer else HANDS
        hand = self.hand if isinstance(self.hand, int) else mask(self.variant, self.hand or hands[self.variant])
        events = tuple(parse_event(self.variant, event) if isinstance(event, str) else event for event in self.events)
        return Observation(self.variant_given or self.variant, self.seat, self.dealer, hand, events)


D = "3 discard"
P = {"variant": "piedicavallo"}
DEALER = {"seat": 3}
TRIPLE = "1 declare SK BK CK"

CASES = [
    Bad("variant", "variant", "UNKNOWN_VARIANT", "known are: bolognese, piedicavallo", variant_given="briscola"),
    Bad("seat", "seat", "NO_SUCH_SEAT", "there is no seat 4: seats are 0 to 3", seat=4),
    Bad("dealer", "dealer", "NO_SUCH_SEAT", "there is no seat -1", dealer=-1),
    Bad("short hand", "hand", "HAND_SIZE", "2 cards: this seat is dealt 15 (give the cards as dealt", hand="S6 S7"),
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
    Bad("seen", "events[0].discard.cards", "HIDDEN_CARDS_REVEALED", "only the dealer knows", [D + " SQ SN"]),
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
    Bad("one", "events[0].discard.cards", "DISCARD_SIZE", "discards exactly 2", [D + " D9"], **DEALER),
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
    observation = bad.observation()
    with pytest.raises(InvalidObservationError) as caught:
        view(observation)
    assert [(fault.path, fault.reason) for fault in caught.value.faults] == [(bad.path, bad.reason)]
    (fault,) = caught.value.faults
    assert bad.message in fault.message
    assert str(caught.value) == f"{fault.path}: {fault.message}"
    assert find_faults(observation) == (fault,)
    if bad.path.startswith("events["):
        good = replace(observation, events=observation.events[:-1])
        assert find_faults(good) == ()


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
        assert "remove the moves after its last card" in fault.message
        with pytest.raises(IllegalMoveError, match="the deal has ended") as caught:
            final.apply_move(Play(5))
        assert caught.value.reason == "DEAL_OVER"


def test_variants_without_declarations_refuse_them() -> None:
    with pytest.raises(IllegalMoveError, match="nothing is declared in piedicavallo") as caught:
        get_variant("piedicavallo").check_declaration(1)
    assert (caught.value.reason, caught.value.field) == ("NO_DECLARATIONS", "declare.cards")


# --- the full truth


def deal_faults(variant: str, dealer: int, hands: Sequence[int]) -> tuple[Fault, ...]:
    with pytest.raises(InvalidDealError) as caught:
        State.new(get_variant(variant), dealer, hands)
    return caught.value.faults


@pytest.mark.parametrize("name", VARIANTS)
def test_wrong_deals_are_refused_with_every_fault(name: str) -> None:
    dealt = list(new_deal(get_variant(name), 1, 0).dealt)
    lost, other = dealt[1] & -dealt[1], dealt[2] & -dealt[2]
    (fault,) = deal_faults(name, 0, dealt[:3])
    assert (fault.path, fault.reason) == ("hands", "HAND_COUNT")
    assert fault.message == f"3 hands given: {name} has 4 seats"
    (fault,) = deal_faults(name, 4, dealt)
    assert (fault.path, fault.reason) == ("dealer", "NO_SUCH_SEAT")

    faults = deal_faults(name, 1, dealt)
    assert [(fault.path, fault.reason) for fault in faults] == [("hands[0]", "HAND_SIZE"), ("hands[1]", "HAND_SIZE")]

    faults = deal_faults(name, 0, [dealt[0], dealt[1] ^ lost, *dealt[2:]])
    assert [(fault.path, fault.reason) for fault in faults] == [("hands[1]", "HAND_SIZE"), ("hands", "INCOMPLETE_PACK")]
    card_id = get_variant(name).pack.format_mask(lost)[0]
    assert faults[1].message == f"nobody was dealt {card_id}"

    faults = deal_faults(name, 0, [dealt[0], dealt[1] ^ lost | other, *dealt[2:]])
    assert [(fault.path, fault.reason) for fault in faults] == [
        ("hands[2]", "CARD_ELSEWHERE"),
        ("hands", "INCOMPLETE_PACK"),
    ]

    faults = deal_faults(name, 0, [dealt[0], dealt[1] ^ lost | 1 << 62, *dealt[2:]])
    assert [(fault.path, fault.reason) for fault in faults] == [
        ("hands[1]", "NO_SUCH_CARD"),
        ("hands", "INCOMPLETE_PACK"),
    ]


@pytest.mark.parametrize("name", VARIANTS)
def test_replay_names_the_first_impossible_move(name: str) -> None:
    variant = get_variant(name)
    final = random_states(variant, "replay")[-1]
    fresh = State.new(variant, final.table.dealer, final.dealt)
    events = list(final.events)
    last = len(events) - 1
    wrong_seat = Event((events[last].seat + 1) % 4, events[last].move)
    for entry, path, reason in (
        (wrong_seat, f"events[{last}].seat", "OUT_OF_TURN"),
        (events[last - 1].move, f"events[{last}].play.card", "CARD_NOT_IN_HAND"),
        (Play(62), f"events[{last}].play.card", "NO_SUCH_CARD"),
        (Discard(3), f"events[{last}].discard", "WRONG_PHASE"),
    ):
        with pytest.raises(InvalidDealError) as caught:
            replay(fresh, [*events[:last], entry])
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


def reasons_in_source() -> set[str]:
    """Returns the reason of every fault and illegal move that the engine's source can make."""
    reasons = set()
    for path in Path(tarocchi_engine.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            place = {"IllegalMoveError": 0, "_refused": 0, "Fault": 1}.get(called, len(node.args))
            if place < len(node.args) and isinstance(argument := node.args[place], ast.Constant):
                reasons.add(argument.value)
    return reasons


def test_every_reason_is_provoked_here() -> None:
    elsewhere = {
        "DEAL_OVER",
        "NO_DECLARATIONS",
        "HAND_COUNT",
        "INCOMPLETE_PACK",
        "OUT_OF_RANGE",
        "MATCH_OVER",
        "SCORE_TOTAL",
    }
    assert reasons_in_source() == {bad.reason for bad in CASES} | elsewhere


# --- random damage


def damaged(observation: Observation, rng: random.Random) -> Observation:
    """Returns an observation with one random change."""
    events = list(observation.events)
    at = rng.randrange(len(events))
    seat, move = events[at].seat, events[at].move
    match rng.randrange(12):
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
            events[at] = Event(seat, Play(rng.randint(-2, 64)))
        case 5:
            events[at] = Event(seat, Declare(rng.getrandbits(64) & rng.getrandbits(64) & rng.getrandbits(64)))
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
            return replace(observation, variant=rng.choice(["bolognese", "piedicavallo", ""]))
        case 11:
            events = events[:at]
    return replace(observation, events=tuple(events))


def fuzz(seed: str, rounds: int) -> None:
    refused = 0
    reasons = reasons_in_source()
    for variant in VARIANTS.values():
        rng = random.Random(f"{seed}/{variant.name}")
        states = [state for index in range(5) for state in random_states(variant, f"{seed} {index}")[1:]]
        for _ in range(rounds):
            observation = rng.choice(states).observe(rng.randrange(4))
            for _ in range(rng.choice((1, 1, 2, 4))):
                if observation.events:
                    observation = damaged(observation, rng)
            faults = find_faults(observation)
            refused += bool(faults)
            for fault in faults:
                assert fault.reason in reasons
                assert fault.message
                assert fault.path.split("[")[0] in ("variant", "seat", "dealer", "hand", "events")
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
