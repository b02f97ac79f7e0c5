"""Tests of the naive referee: sets, sequences, card points and the settlement card of Bologna."""

from collections.abc import Iterator
from itertools import combinations, product
from random import Random

import pytest

from naive import (
    BOLOGNESE,
    PACKS,
    combo,
    declaration_is_legal,
    sequence_length,
    sequences,
    sets,
    table_declarations,
    used,
)
from naive.bolognese import GIVE_ORDER, card_points, settlement_card
from naive.cards import MATTO, value_of
from naive.combos import FAMILIES, ROWS, sequence_run
from naive.oracles import (
    barilli_sets,
    best_grande_by_placement,
    pisarri_grande,
)

PACK = PACKS[BOLOGNESE]
GRANDE_TRUMPS = ["MON", "SOL", "LUN", *[f"T{number}" for number in range(16, 4, -1)], "BEG", MATTO]
MOORS = ["MO1", "MO2", "MO3", "MO4"]


def random_card_sets(seed: str, number: int) -> Iterator[set[str]]:
    """Yields sets of all sizes, half of them rich in trumps."""
    rng = Random(seed)
    for index in range(number):
        share = rng.random()
        if index % 2:
            yield {card for card in PACK if rng.random() < (0.9 if card in GRANDE_TRUMPS else share)}
        else:
            yield {card for card in PACK if rng.random() < share}


def test_grande_walk_agrees_with_pisarri_and_with_the_best_placement() -> None:
    scoring = 0
    for cards in random_card_sets("grande", 8000):
        cards.add("ANG")
        walk = sequences(cards).get("grande", 0)
        assert walk == pisarri_grande(cards) == best_grande_by_placement(cards)
        scoring += walk > 0
    assert scoring > 4000


def test_no_grande_without_the_angel() -> None:
    for cards in random_card_sets("no angel", 200):
        cards.discard("ANG")
        assert "grande" not in sequences(cards)
        assert pisarri_grande(cards) == best_grande_by_placement(cards) == 0


@pytest.mark.exhaustive
def test_grande_walk_agrees_with_pisarri_on_all_655360_combinations() -> None:
    count = 0
    for held in product((False, True), repeat=len(GRANDE_TRUMPS)):
        trumps = ["ANG", *[card for card, here in zip(GRANDE_TRUMPS, held, strict=True) if here]]
        for moors in range(5):
            cards = trumps + MOORS[:moors]
            length = sequence_length(cards, "grande")
            assert pisarri_grande(cards) == (5 * (length - 1) if length else 0)
            count += 1
    assert count == 655_360


def test_set_points_agree_with_barilli() -> None:
    for cards in random_card_sets("barilli", 3000):
        assert sum(sets(cards).values()) == barilli_sets(cards)


def test_barilli_identity_for_every_holding_of_each_row() -> None:
    rest = set(PACK) - {card for members, _ in ROWS.values() for card in members}
    for members, _ in ROWS.values():
        for size in range(5):
            for held in combinations(members, size):
                cards = rest | set(held)
                assert sum(sets(cards).values()) == barilli_sets(cards)


def test_combo_never_falls_when_a_card_is_added() -> None:
    rng = Random("growth")
    for _ in range(60):
        order = rng.sample(PACK, len(PACK))
        held: set[str] = set()
        before = 0
        for card in order:
            held.add(card)
            after = combo(held)
            assert before <= after <= 846
            before = after
        assert before == 846


def test_cards_of_no_combination_are_worth_nothing() -> None:
    pips = {suit + pip for suit in "SBCD" for pip in ("6", "7", "8", "9", "10")}
    for cards in random_card_sets("pips", 300):
        assert combo(cards | pips) == combo(cards - pips)
        assert not set(used(cards)) & pips


def test_used_cards_score_the_same_and_use_themselves_up() -> None:
    for cards in random_card_sets("used", 2000):
        exposed = used(cards)
        assert combo(exposed) == combo(cards)
        assert used(exposed) == exposed
        for profile in ("table", "ottocento", "terziglio"):
            assert declaration_is_legal(profile, cards, exposed)
            assert declaration_is_legal(profile, cards, [])


def test_every_used_card_is_needed() -> None:
    """Taking away a used card always costs points: nothing idle is exposed."""
    for cards in random_card_sets("needed", 400):
        for card in used(cards):
            assert combo(cards - {card}) < combo(cards)


def test_unused_cards_are_worth_nothing() -> None:
    for cards in random_card_sets("idle", 400):
        idle = cards - set(used(cards))
        assert all(combo(cards - {card}) == combo(cards) for card in idle)


@pytest.mark.parametrize("family", FAMILIES)
def test_longest_sequence_of_each_family(family: str) -> None:
    lengths = {"mori": 6, "assi": 6, "grande": 22}
    assert sequence_length(PACK, family) == lengths.get(family, 7)


def test_unknown_family_and_profile_are_refused() -> None:
    with pytest.raises(ValueError, match="family"):
        sequence_run(PACK, "pips")
    with pytest.raises(ValueError, match="profile"):
        declaration_is_legal("monte", [], [])


def test_declaration_must_lie_in_the_hand() -> None:
    assert not declaration_is_legal("ottocento", ["SK", "BK"], ["SK", "BK", "CK"])
    assert table_declarations(["SK", "BK", "S6"]) == [frozenset()]


def test_card_points_of_a_pile_and_its_complement_make_87() -> None:
    for cards in random_card_sets("points", 300):
        assert card_points(cards) + card_points(set(PACK) - cards) == 87


def test_settlement_card_is_cheapest_and_of_lowest_value() -> None:
    rng = Random("settlement")
    for _ in range(60):
        pack = rng.sample([card for card in PACK if card != MATTO], 61)
        cut = rng.randrange(1, 60)
        giver, receiver = {MATTO, *pack[:cut]}, set(pack[cut:])
        given = settlement_card(giver, receiver)

        def swing(card: str, giver: set[str] = giver, receiver: set[str] = receiver) -> int:
            return combo(giver - {card}) - combo(receiver | {card})

        lowest = min(value_of(BOLOGNESE, card) for card in giver - {MATTO})
        rivals = [card for card in giver - {MATTO} if value_of(BOLOGNESE, card) == lowest]
        assert given in rivals
        assert swing(given) == max(swing(card) for card in rivals)
        best = [card for card in GIVE_ORDER if card in rivals and swing(card) == swing(given)]
        assert given == best[0]


@pytest.mark.parametrize(
    ("giver", "receiver", "given"),
    [
        # A plain pip before any trump, Swords first, the ten first of all.
        (["MAT", "T9", "D6", "S9", "S10"], ["B6"], "S10"),
        # Of the trumps the lowest number.
        (["MAT", "T9", "T5", "MO1", "SA"], ["B6"], "T5"),
        # The third Moor would complete a sequence of the receiver, so the Ace goes.
        (["MAT", "MO1", "SA"], ["MO2", "MO3"], "SA"),
        # Both cost nothing to the giver; the Ace would complete the receiver's Aces.
        (["MAT", "LUN", "SA"], ["BA", "CA"], "LUN"),
        # Without a one-point card the Fanti before the Cavalli, Swords first.
        (["MAT", "BJ", "SN", "CJ"], ["B6"], "BJ"),
    ],
)
def test_settlement_card_examples(giver: list[str], receiver: list[str], given: str) -> None:
    assert settlement_card(giver, receiver) == given
