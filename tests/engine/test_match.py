"""Rule options and matches: text in and out, the switches of Piedicavallo, four deals with their standing."""

from __future__ import annotations

import random

import pytest

import naive
from dealing import play_states, random_choice
from tarocchi_engine import (
    VARIANTS,
    Bid,
    Call,
    CallOut,
    Discard,
    InvalidDealError,
    InvalidObservationError,
    Match,
    Monte,
    OptionError,
    Phase,
    Standing,
    State,
    Variant,
    find_faults,
    get_variant,
    new_deal,
    options_of,
    view,
)
from tarocchi_engine.cards import KING_MASK, MATTO_MASK, TRUMP_MASK, cards_in
from tarocchi_engine.options import given_options, with_options
from tarocchi_engine.variants.piedicavallo import Piedicavallo

PIEDICAVALLO = VARIANTS["piedicavallo"]
FOUR = get_variant("piedicavallo", {"match": "four_deals"})
parse = PIEDICAVALLO.pack.parse_cards


@pytest.mark.parametrize("name", VARIANTS)
def test_options_have_their_defaults_among_their_values(name: str) -> None:
    for info in options_of(VARIANTS[name]):
        assert info.default in info.values
        assert info.summary
        assert len(info.values) > 1


@pytest.mark.parametrize("name", VARIANTS)
def test_every_value_can_be_given_and_told(name: str) -> None:
    for info in options_of(VARIANTS[name]):
        for value in info.values:
            variant = with_options(VARIANTS[name], {info.name: value})
            expected = {} if value == info.default else {info.name: value}
            assert dict(given_options(variant)) == expected
            assert get_variant(name, expected) == variant


@pytest.mark.parametrize(
    ("name", "value", "reason", "told"),
    [
        ("speed", "fast", "UNKNOWN_OPTION", "allow_voiding"),
        ("allow_voiding", "no", "UNKNOWN_OPTION_VALUE", "true, false"),
        ("match", "5", "UNKNOWN_OPTION_VALUE", "four_deals"),
    ],
)
def test_wrong_options_are_refused(name: str, value: str, reason: str, told: str) -> None:
    with pytest.raises(OptionError, match=told) as caught:
        get_variant("piedicavallo", {name: value})
    assert (caught.value.name, caught.value.reason) == (name, reason)
    observation = new_deal(PIEDICAVALLO, 1, dealer=0).observe(0)
    broken = type(observation)(**{**fields_of(observation), "options": ((name, value),)})
    (fault,) = find_faults(broken)
    assert (fault.path, fault.reason) == (f"options[{name}]", reason)


def fields_of(item: object) -> dict[str, object]:
    return {name: getattr(item, name) for name in item.__dataclass_fields__}  # type: ignore[attr-defined]


def hand_with_two_trumps(*more: str) -> int:
    """Returns a dealer's hand whose only trumps are the 12 and the 7."""
    cards = "SK SQ S9 S7 S6 BN B8 B6 B5 CJ CA C4 DQ D2 D5 T12 T7".split()
    return parse([*more, *cards[len(more) :]])


def test_voiding_is_a_switch() -> None:
    hand = hand_with_two_trumps()
    trumps = parse(["T12", "T7"])
    strict = get_variant("piedicavallo", {"allow_voiding": "false"})
    assert trumps in PIEDICAVALLO.discards(hand)
    assert trumps not in strict.discards(hand)
    assert not any(cards & TRUMP_MASK for cards in strict.discards(hand))


def test_a_kept_matto_can_spoil_the_voiding() -> None:
    hand = hand_with_two_trumps("MAT")
    trumps = parse(["T12", "T7"])
    counting = get_variant("piedicavallo", {"matto_counts_as_trump_for_discard": "true"})
    assert trumps in PIEDICAVALLO.discards(hand)
    assert trumps not in counting.discards(hand)


@pytest.mark.parametrize("voiding", [True, False])
@pytest.mark.parametrize("matto_counts", [True, False])
def test_discards_follow_the_text_whatever_the_switches(voiding: bool, matto_counts: bool) -> None:
    """D1 and D2 spelled out again, on hands that are short of trumps or of plain cards."""
    variant = Piedicavallo(allow_voiding=voiding, matto_counts_as_trump_for_discard=matto_counts)
    rng = random.Random(f"{voiding}{matto_counts}")
    plain = [card for card in range(40) if not KING_MASK >> card & 1]
    high = [card for card in range(62) if card not in plain]
    for _ in range(60):
        few = rng.randrange(4)
        cards = rng.sample(high, few) + rng.sample(plain, 17 - few)
        if rng.random() < 0.4:
            cards = rng.sample(plain, few) + rng.sample(high, 17 - few)
        hand = sum(1 << card for card in cards)
        expected = set()
        for first in cards_in(hand):
            for second in cards_in(hand):
                pair = 1 << first | 1 << second
                if first < second and is_allowed(variant, hand, pair):
                    expected.add(pair)
        assert set(variant.discards(hand)) == expected
        assert expected


def is_allowed(variant: Piedicavallo, hand: int, pair: int) -> bool:
    """Tells whether two cards may go, by the words of 3.6 and A2 to A6."""
    if pair & variant.pack.five_point_mask:
        return False
    if not pair & TRUMP_MASK:
        return True
    rest = hand & ~pair
    if all(1 << card & (TRUMP_MASK | KING_MASK | MATTO_MASK) for card in cards_in(rest)):
        return True
    trumps = TRUMP_MASK | (MATTO_MASK if variant.matto_counts_as_trump_for_discard else 0)
    return variant.allow_voiding and not rest & trumps


def test_options_travel_with_the_observation() -> None:
    strict = get_variant("piedicavallo", {"allow_voiding": "false"})
    rest = [card for card in range(62) if not hand_with_two_trumps() >> card & 1]
    hands = [sum(1 << card for card in rest[place : place + 15]) for place in (0, 15, 30)]
    state = State.new(strict, 3, [*hands, hand_with_two_trumps()])
    observation = state.observe(3)
    assert observation.options == (("allow_voiding", "false"),)
    assert view(observation).variant == strict
    assert Discard(parse(["T12", "T7"]), 2) not in view(observation).legal_moves()


def play(state: State, seed: int) -> State:
    return play_states(state, random_choice(random.Random(seed)))[-1]


def test_four_deals_add_up_and_the_deal_passes() -> None:
    match = Match(FOUR, dealer=2)
    dealers, sums = [], [0.0, 0.0]
    while not match.is_over:
        dealers.append(match.dealer)
        state = play(new_deal(FOUR, 10 + match.standing.deals_played, match.dealer, match.standing), 3)
        assert state.observe(1).standing == match.standing
        score = state.score()
        sums = [total + side.total for total, side in zip(sums, score.sides, strict=True)]
        match = match.after(score)
    assert dealers == [2, 3, 0, 1]
    assert list(match.standing.scores) == sums
    assert sum(sums) == 456
    assert match.winner == (None if sums[0] == sums[1] else sums.index(max(sums)))
    with pytest.raises(ValueError, match="over"):
        match.after(score)


def test_a_draw_of_the_match_is_nobodys() -> None:
    assert Match(FOUR, 0, Standing((228.0, 228.0), 4)).winner is None
    with pytest.raises(ValueError, match="not over"):
        _ = Match(FOUR, 0, Standing((228.0, 114.0), 3)).winner


@pytest.mark.parametrize("name", VARIANTS)
def test_one_deal_goes_into_a_match_of_every_variant(name: str) -> None:
    variant: Variant = VARIANTS[name]
    match = Match(variant, 0).after(play(new_deal(variant, 1, 0), 1).score())
    assert match.is_over == (variant.match_deal_count == 1)
    assert match.dealer == 1
    assert match.standing.deals_played == 1


@pytest.mark.parametrize(
    ("standing", "path", "reason"),
    [
        (Standing((0.0, 0.0), -1), "standing.deals_played", "OUT_OF_RANGE"),
        (Standing((300.0, 156.0), 4), "standing.deals_played", "MATCH_OVER"),
        (Standing((120.0, 0.0), 1), "standing.scores[0]", "OUT_OF_RANGE"),
        (Standing((10.0, -1.0), 1), "standing.scores[1]", "OUT_OF_RANGE"),
        (Standing((float("nan"), 0.0), 1), "standing.scores[0]", "OUT_OF_RANGE"),
        (Standing((57.25, 56.75), 1), "standing.scores[0] standing.scores[1]", "OUT_OF_RANGE"),
        (Standing((57.0, 56.0), 1), "standing.scores", "SCORE_TOTAL"),
        (Standing((114.0, 115.0), 2), "standing.scores", "SCORE_TOTAL"),
        (Standing((114.0, 100.25), 2), "standing.scores[1]", "OUT_OF_RANGE"),
    ],
)
def test_an_impossible_standing_is_refused(standing: Standing, path: str, reason: str) -> None:
    with pytest.raises(InvalidDealError) as caught:
        new_deal(FOUR, 1, 0, standing)
    expected = [(one, reason) for one in path.split()]
    assert [(fault.path, fault.reason) for fault in caught.value.faults] == expected
    observation = new_deal(FOUR, 1, 0).observe(0)
    broken = type(observation)(**{**fields_of(observation), "standing": standing})
    with pytest.raises(InvalidObservationError) as refused:
        view(broken)
    assert [(fault.path, fault.reason) for fault in refused.value.faults] == expected


@pytest.mark.parametrize("name", VARIANTS)
def test_scores_are_what_the_variant_says(name: str) -> None:
    variant = VARIANTS[name]
    for seed in range(20):
        awards = play(new_deal(variant, seed), seed).score().awards
        assert all(points % variant.point_step == 0 for points in awards)
        assert variant.deal_points in (None, sum(awards))


def test_a_standing_in_a_single_deal_names_the_option_that_is_missing() -> None:
    for variant, remedy in (
        (PIEDICAVALLO, "leave the standing out, or set the option match=four_deals"),
        (VARIANTS["bolognese"], "leave the standing out"),
    ):
        with pytest.raises(InvalidDealError) as caught:
            new_deal(variant, 1, 0, Standing((57.0, 57.0), 1))
        (fault,) = caught.value.faults
        assert (fault.path, fault.reason) == ("standing.deals_played", "MATCH_OVER")
        assert fault.message.endswith(f": {remedy}")


def test_the_referee_knows_the_default_switches() -> None:
    """The referee has no switches: its verdict is that of the defaults."""
    rng = random.Random(5)
    for _ in range(20):
        _dealer, hands = naive.random_deal("piedicavallo", rng)
        hand = max(hands, key=len)
        legal = {frozenset(pair) for pair in naive.legal_discards("piedicavallo", hand)}
        assert legal == {
            frozenset(PIEDICAVALLO.pack.format_mask(cards)) for cards in PIEDICAVALLO.discards(parse(hand))
        }


def test_the_stock_waits_for_the_end_of_the_auction() -> None:
    """A gioco that is outbid takes no stock, and the table tells the highest call so far."""
    state = new_deal(VARIANTS["terziglio"], 1, 2).apply_move(Bid(Call.GIOCO))
    assert (state.table.contract, state.table.declarer, state.table.discarder) == (Call.GIOCO, 0, None)
    assert (state.aside, state.hands[0]) == (state.stock, state.dealt[0])
    solo = state.apply_move(Bid(Call.SOLO))
    assert (solo.table.contract, solo.table.declarer, solo.table.discarder) == (Call.SOLO, 1, None)
    assert (solo.aside, solo.hands) == (solo.stock, solo.dealt)
    gioco = state.apply_move(Bid(Call.PASS)).apply_move(Bid(Call.PASS))
    assert (gioco.aside, gioco.hands[0]) == (0, gioco.dealt[0] | gioco.stock)


def test_what_the_dealer_cannot_do_is_not_told_sooner_than_what_it_does_not() -> None:
    """The others see the same whether the dealer could have called itself out or not, until it lays cards away."""
    variant = get_variant("ottocento")
    for seed in range(40):
        seen = []
        for score in (0.0, 799.0):
            state = new_deal(variant, seed, dealer=0, standing=Standing((score, 790.0), 3))
            state = state.apply_move(Monte(False))
            if state.phase is Phase.CALL_OUT:
                waiting = [state.observe(seat).events for seat in (1, 2, 3)]
                state = state.apply_move(CallOut(0))
                assert waiting == [state.observe(seat).events for seat in (1, 2, 3)]
            seen.append([state.observe(seat).events for seat in (1, 2, 3)])
            assert state.observe(0).events[-1].move == CallOut(0)
        assert seen[0] == seen[1]
