"""Tests of the naive referee: whole deals against the invariants of the rules.

Bolognese rules, section 11; Piedicavallo rules, sections 3.6 to 3.9.
"""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from naive import (
    BOLOGNESE,
    PACKS,
    PIEDICAVALLO,
    VARIANTS,
    IllegalMoveError,
    NaiveDeal,
    combo,
    play_lopsided,
    play_random,
    random_deal,
    side_of,
    used,
)
from naive.cards import FIVE_POINT_CARDS, MATTO, is_trump

PACK = PACKS[BOLOGNESE]
Record = dict[str, Any]


@pytest.fixture(scope="module", params=VARIANTS)
def records(request: pytest.FixtureRequest) -> list[Record]:
    rng = Random(f"deals of {request.param}")
    plain = [play_random(request.param, rng) for _ in range(200)]
    return plain + [play_lopsided(request.param, rng) for _ in range(150)]


def replay(record: Record) -> Iterator[tuple[NaiveDeal, int, Any]]:
    """Yields the deal before each move, the seat and the move."""
    deal = NaiveDeal(record["variant"], record["dealer"], record["hands"])
    for seat, move in record["moves"]:
        yield deal, seat, move
        deal.apply(move)
    assert deal.phase() == "end"
    assert deal.turn() is None
    assert deal.legal_moves() == []
    assert deal.score() == record["score"]


def test_points_of_the_two_sides_make_the_whole(records: list[Record]) -> None:
    for record in records:
        score = record["score"]
        whole = 93 if record["variant"] == BOLOGNESE else 114
        assert sum(score["card_points"]) + sum(score["last_trick"]) == whole


def test_totals_are_the_sum_of_the_items(records: list[Record]) -> None:
    for record in records:
        score = record["score"]
        for side in (0, 1):
            items = score["card_points"][side] + score["last_trick"][side] + score["declared_points"][side]
            combos = score["sets"][side]["total"] + score["sequences"][side]["total"]
            assert score["totals"][side] == items + combos


def test_result_names_the_higher_total(records: list[Record]) -> None:
    for record in records:
        first, second = record["score"]["totals"]
        assert record["score"]["result"] == (0 if first > second else 1 if second > first else "tie")


def test_piles_partition_the_pack(records: list[Record]) -> None:
    for record in records:
        first, second = record["score"]["piles"]
        assert sorted(first + second) == sorted(PACKS[record["variant"]])
        if record["variant"] == BOLOGNESE:
            assert len(first) % 2 == len(second) % 2 == 0


def test_legal_plays_are_some_of_the_hand_and_keep_the_matto(records: list[Record]) -> None:
    for record in records:
        played = 0
        for deal, seat, move in replay(record):
            assert deal.turn() == seat
            assert move in deal.legal_moves()
            if move[0] != "play":
                continue
            played += 1
            hand = deal.hands[seat]
            legal = [card for _, card in deal.legal_moves()]
            assert legal
            assert set(legal) <= set(hand)
            assert (MATTO in hand) == (MATTO in legal)
        assert played == 60


def test_trick_counts_and_winners_agree(records: list[Record]) -> None:
    for record in records:
        won = [0, 0]
        for winner in record["winners"]:
            won[side_of(winner)] += 1
        assert len(record["winners"]) == 15
        assert record["score"]["tricks"] == won
        last_side = side_of(record["winners"][-1])
        assert record["score"]["last_trick"][1 - last_side] == 0


def test_discards_are_legal_and_belong_to_a_side_with_a_trick(records: list[Record]) -> None:
    for record in records:
        seat, (kind, cards) = record["moves"][0]
        assert (seat, kind) == (record["dealer"], "discard")
        assert not cards & set(FIVE_POINT_CARDS[record["variant"]])
        score = record["score"]
        owner = score["discard"]["owner"]
        dealer_side = side_of(record["dealer"])
        assert owner == (dealer_side if score["tricks"][dealer_side] else 1 - dealer_side)
        # At Bologna one of the two may have been handed over for the Matto.
        transferred = {score["matto"]["transferred_card"]}
        assert set(cards) - transferred <= set(score["piles"][owner])


def test_announcement_counts_the_discarded_trumps(records: list[Record]) -> None:
    for record in records:
        trumps = [card for card in record["moves"][0][1][1] if is_trump(record["variant"], card)]
        expected = None if record["variant"] == BOLOGNESE else len(trumps)
        assert record["announced_trumps"] == expected


def test_declarations_stand_before_the_first_card_of_each_seat(records: list[Record]) -> None:
    for record in records:
        kinds = [(seat, move[0]) for seat, move in record["moves"][1:]]
        order = [(record["dealer"] + step) % 4 for step in (1, 2, 3, 4)]
        if record["variant"] == PIEDICAVALLO:
            assert all(kind == "play" for _, kind in kinds)
            continue
        opening = [(seat, kind) for seat in order for kind in ("declare", "play")]
        assert kinds[:8] == opening
        assert all(kind == "play" for _, kind in kinds[8:])
        for deal, seat, (kind, content) in replay(record):
            if kind == "declare":
                assert content <= set(deal.hands[seat])
                assert content in (frozenset(), frozenset(used(deal.hands[seat])))
                assert combo(content) in (0, combo(deal.hands[seat]))


def test_matto_stays_unless_its_side_has_no_trick(records: list[Record]) -> None:
    for record in records:
        score = record["score"]
        matto = score["matto"]
        side = side_of(matto["played_by"])
        swept = score["tricks"][side] == 0
        assert matto["kept_by"] == (1 - side if swept else side)
        assert MATTO in score["piles"][matto["kept_by"]]
        lost_trick = side_of(record["winners"][matto["trick"]]) != side
        owes = record["variant"] == BOLOGNESE and lost_trick and not swept
        assert (matto["transferred_card"] is not None) == owes
        assert matto["transferred_by"] == (side if owes else None)
        if owes:
            assert matto["transferred_card"] in score["piles"][1 - side]


def test_side_without_a_trick_ends_with_an_empty_pile(records: list[Record]) -> None:
    sweeps = [record for record in records if 0 in record["score"]["tricks"]]
    assert len(sweeps) > 20
    assert len({side_of(record["dealer"]) for record in sweeps}) == 2
    for record in sweeps:
        score = record["score"]
        loser = score["tricks"].index(0)
        assert score["piles"][loser] == []
        for side, points in ((loser, 0), (1 - loser, 939 if record["variant"] == BOLOGNESE else 114)):
            assert score["totals"][side] == points + score["declared_points"][side]


def test_random_deals_reach_the_rare_corners() -> None:
    """The generators must meet what the comparisons are for."""
    rng = Random(7)
    records = [play_random(BOLOGNESE, rng) for _ in range(150)]
    records += [play_lopsided(BOLOGNESE, rng) for _ in range(150)]
    scores = [record["score"] for record in records]
    assert any(score["matto"]["trick"] == 14 for score in scores)
    assert any(score["matto"]["transferred_card"] for score in scores)
    assert any(score["matto"]["kept_by"] != side_of(score["matto"]["played_by"]) for score in scores)
    assert any(
        score["discard"]["owner"] != side_of(record["dealer"]) for record, score in zip(records, scores, strict=True)
    )
    assert any(sum(score["declared_points"]) for score in scores)
    assert any(count["multiplier"] == 2 for score in scores for count in score["sets"])
    assert any(count["multiplier"] == 2 for score in scores for count in score["sequences"])


def test_deals_are_reproducible() -> None:
    for variant in VARIANTS:
        assert play_random(variant, Random(3)) == play_random(variant, Random(3))


def test_moves_out_of_turn_are_refused_and_change_nothing() -> None:
    dealer, hands = random_deal(BOLOGNESE, Random(11))
    deal = NaiveDeal(BOLOGNESE, dealer, hands)
    first = (dealer + 1) % 4
    with pytest.raises(IllegalMoveError, match="phase discard"):
        deal.apply(("play", hands[first][0]))
    with pytest.raises(ValueError, match="not over"):
        deal.score()
    deal.apply(deal.legal_moves()[0])
    with pytest.raises(IllegalMoveError, match="phase declare"):
        deal.apply(("play", hands[first][0]))
    with pytest.raises(IllegalMoveError, match="nothing nor everything"):
        deal.apply(("declare", frozenset(hands[dealer][:1])))
    deal.apply(("declare", frozenset()))
    with pytest.raises(IllegalMoveError, match="may not be played"):
        deal.apply(("play", hands[dealer][0]))
    assert deal.hands[first] == hands[first]
    assert [seat for seat, _ in deal.moves] == [dealer, first]


def test_copies_are_independent() -> None:
    dealer, hands = random_deal(PIEDICAVALLO, Random(5))
    deal = NaiveDeal(PIEDICAVALLO, dealer, hands)
    twin = deal.copy()
    twin.apply(twin.legal_moves()[0])
    assert deal.phase() == "discard"
    assert twin.phase() == "play"
    assert len(deal.hands[dealer]) == 17


def test_wrong_deals_are_refused() -> None:
    dealer, hands = random_deal(BOLOGNESE, Random(1))
    for variant, seat, wrong in (
        ("scarto", dealer, hands),
        (BOLOGNESE, 4, hands),
        (BOLOGNESE, (dealer + 1) % 4, hands),
        (PIEDICAVALLO, dealer, hands),
    ):
        with pytest.raises(ValueError, match=r"unknown|seat|sizes|pack"):
            NaiveDeal(variant, seat, wrong)


def test_declarations_of_partners_are_never_combined() -> None:
    """Partners with two sets each: four rows on the side, no doubling (A-19)."""
    mine = ["SK", "BK", "CK", "SQ", "BQ", "CQ"]
    partner = ["SN", "BN", "CN", "SJ", "BJ", "CJ"]
    pips = [suit + pip for pip in ("6", "7", "8", "9", "10") for suit in "SBCD"]
    rest = [card for card in PACK if card not in {*mine, *partner, *pips}]
    hands = [mine + pips[:9], [], partner + pips[9:18], []]
    rest += pips[18:]
    hands[1], hands[3] = rest[:15], rest[15:]
    deal = NaiveDeal(BOLOGNESE, 3, hands)
    assert combo(mine) == 31
    assert combo(partner) == 25
    while deal.phase() != "end":
        moves = deal.legal_moves()
        deal.apply(moves[-1] if deal.phase() == "declare" and side_of(deal.turn() or 0) == 0 else moves[0])
    assert deal.score()["declared_points"] == [56, 0]


def test_part_of_the_combinations_may_not_be_declared() -> None:
    """The four Kings alone would be legal in the match, not at the single-deal table (A-18)."""
    mine = ["SK", "BK", "CK", "DK", "SQ", "SN", "MO1", "MO2", "MO3", "T9", "T8", "D6", "D7", "C9", "B6"]
    rest = [card for card in PACK if card not in mine]
    deal = NaiveDeal(BOLOGNESE, 3, [mine, rest[:15], rest[15:30], rest[30:]])
    deal.apply(deal.legal_moves()[0])
    with pytest.raises(IllegalMoveError, match="nothing nor everything"):
        deal.apply(("declare", frozenset(mine[:4])))
    deal.apply(("declare", frozenset(mine[:9])))
    assert deal.declarations == {0: frozenset(mine[:9])}
