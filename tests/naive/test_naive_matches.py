"""Tests of the naive referee: the match to 800, Terziglio and the four deals of Piedicavallo.

Bolognese rules, sections 4, 6, 7 and 11; Piedicavallo rules, sections 3.6 and 3.10.
"""

from collections.abc import Callable
from functools import partial
from itertools import chain, combinations
from random import Random
from typing import Any

import pytest

from naive import BOLOGNESE, PACKS, PIEDICAVALLO, IllegalMoveError, NaiveDeal, combo, legal_discards, used
from naive.audit import audit_moves
from naive.bolognese import gift_choices
from naive.cards import FIVE_POINT_CARDS, MATTO, suit_of, value_of
from naive.combos import declaration_is_legal
from naive.deal import play_lopsided, play_random, random_deal
from naive.declarations import legal_declarations, random_declaration
from naive.discard import DiscardSwitches
from naive.full_deal import FullDeal, play_randomly
from naive.match import NaiveMatch, OttocentoMatch, PiedicavalloMatch, TerziglioSession, play_match
from naive.oracles import count_piedicavallo_discards
from naive.ottocento import OttocentoDeal, OttocentoOptions
from naive.shuffles import shuffle_ottocento, shuffle_terziglio, stack_ottocento, stack_terziglio
from naive.terziglio import TerziglioDeal, TerziglioOptions, TooManyMovesError

PACK = PACKS[BOLOGNESE]
TRUMPS = set(PACK[:21])
Played = list[tuple[FullDeal, dict[str, Any]]]


def play_all(deals: list[Any], rng: Random) -> Played:
    return [(deal, play_randomly(deal, rng)) for deal in deals]


@pytest.fixture(scope="module")
def ottocento_deals() -> Played:
    rng = Random("deals of the match")
    options = OttocentoOptions(monte=False)
    deals = []
    for shuffle in [shuffle_ottocento] * 40 + [stack_ottocento] * 40:
        dealer = rng.randrange(4)
        deals.append(OttocentoDeal(dealer, shuffle(rng, dealer), options=options))
    return play_all(deals, rng)


@pytest.fixture(scope="module", params=[18, 19])
def terziglio_deals(request: pytest.FixtureRequest) -> Played:
    size = request.param
    rng = Random(f"Terziglio with {size} cards")
    options = TerziglioOptions(hand_size=size)
    deals = []
    for number in range(80):
        dealer = rng.randrange(3)
        hands, stock = stack_terziglio(rng, size) if number % 2 else shuffle_terziglio(rng, dealer, size)
        deals.append(TerziglioDeal(dealer, hands, stock, options))
        if number % 3 == 0:
            deals[-1].apply(("bid", "gioco"))
            deals[-1].apply(("bid", "pass"))
            deals[-1].apply(("bid", "pass"))
    return play_all(deals, rng)


def restart(deal: FullDeal) -> FullDeal:
    if isinstance(deal, TerziglioDeal):
        return TerziglioDeal(deal.dealer, deal.dealt, deal.stock, deal.options)
    assert isinstance(deal, OttocentoDeal)
    return OttocentoDeal(deal.dealer, deal.dealt, deal.before, deal.options)


def check_course(finished: FullDeal) -> None:
    """Replays a deal and checks every move against the rules of the course."""
    deal = restart(finished)
    played, spoke = 0, []
    for seat, move in finished.moves:
        phase = deal.phase()
        assert (deal.turn(), phase) == (seat, move[0])
        assert deal.move_is_legal(move)
        if phase == "declare":
            assert len(deal.tricks) == 0
            assert move[1] <= set(deal.hands[seat])
            assert set(used(move[1])) == move[1]
            spoke.append(seat)
        elif phase == "discard":
            assert not move[1] & set(FIVE_POINT_CARDS[BOLOGNESE])
        else:
            legal = deal.legal_moves()
            assert move in legal
            assert len(legal) == len(set(legal))
        if phase == "play":
            played += 1
            cards = {card for _, card, _ in legal}
            assert cards <= set(deal.hands[seat])
            assert (MATTO in cards) == (MATTO in deal.hands[seat])
        deal.apply(move)
    assert deal.phase() == "end"
    assert deal.turn() is None
    assert deal.legal_moves() == []
    assert deal.score() == finished.score()
    assert spoke == deal.order()
    assert played == deal.seat_count * deal.trick_count


# --- whole deals


def test_ottocento_deals_follow_the_course(ottocento_deals: Played) -> None:
    for deal, score in ottocento_deals:
        assert score["ended_by"] == "count"
        check_course(deal)
        assert len([card for trick in deal.tricks for card in trick.cards]) == 60


def test_terziglio_deals_follow_the_course(terziglio_deals: Played) -> None:
    for deal, score in terziglio_deals:
        if score["contract"] is not None:
            check_course(deal)
            assert len([card for trick in deal.tricks for card in trick.cards]) == 3 * len(deal.dealt[0])


def test_ottocento_totals_agree_with_the_audit(ottocento_deals: Played) -> None:
    for deal, score in ottocento_deals:
        audit = audit_moves(deal.moves, {seat: seat % 2 for seat in range(4)}, deal.discard or (), str(deal.dealer))
        assert [2 * total for total in score["totals"]] == audit["halves"]
        assert score["scores"] == score["totals"]
        for side in (0, 1):
            assert set(score["piles"][side]) == {card for card, its in audit["owner"].items() if its == side}
            assert len(score["piles"][side]) % 2 == 0
        assert sum(score["card_points"]) + sum(score["last_trick"]) == 93


def test_terziglio_game_points_agree_with_the_audit(terziglio_deals: Played) -> None:
    for deal, score in terziglio_deals:
        if score["contract"] is None:
            assert score["award"] == [0, 0, 0]
            continue
        assert isinstance(deal, TerziglioDeal)
        declarer = score["declarer"]
        sides = {seat: int(seat != declarer) for seat in range(3)}
        aside = deal.stock if score["contract"] == "solo" else deal.discard or ()
        audit = audit_moves(deal.moves, sides, aside, "last" if score["contract"] == "solo" else str(declarer))
        assert [2 * total for total in score["totals"]] == audit["halves"]
        assert score["tricks"] == audit["tricks"]
        assert sum(score["card_points"]) + sum(score["last_trick"]) == 93
        assert sorted(chain(*score["piles"])) == sorted(PACK)
        # the game points once more, in whole half-points
        halves = audit["halves"]
        wins = halves[0] > halves[1] if not audit["sweep"] else audit["tricks"][1] == 0
        fifties, rest = divmod(halves[0] if wins else halves[1], 100)
        points = (fifties + (rest > 90)) * (2 if score["contract"] == "solo" else 1)
        points = 40 if audit["sweep"] else points
        assert score["award"] == [points if (seat == declarer) == wins else 0 for seat in range(3)]


def test_side_without_a_trick_keeps_its_declarations_alone(ottocento_deals: Played, terziglio_deals: Played) -> None:
    sweeps = [score for _, score in ottocento_deals + terziglio_deals if 0 in score.get("tricks", [])]
    assert len(sweeps) > 10
    for score in sweeps:
        loser = score["tricks"].index(0)
        assert score["piles"][loser] == []
        assert score["totals"][loser] == score["declared_points"][loser]
        assert score["totals"][1 - loser] == 939 + score["declared_points"][1 - loser]


def test_gift_is_any_card_of_the_lowest_value(ottocento_deals: Played, terziglio_deals: Played) -> None:
    chosen = 0
    for deal, score in ottocento_deals + terziglio_deals:
        if score["contract" if "contract" in score else "ended_by"] is None:
            continue
        matto = score["matto"]
        assert (deal.gift is None) == (deal.debtor() is None)
        assert matto["transferred_card"] == deal.gift
        if deal.gift is None:
            continue
        assert deal.turn() is None
        assert deal.moves[-1] == (matto["played_by"], ("give", deal.gift))
        pile = deal.piles()[deal.side_of(matto["played_by"])]
        lowest = min(value_of(BOLOGNESE, card) for card in pile - {MATTO})
        assert set(gift_choices(pile)) == {c for c in pile - {MATTO} if value_of(BOLOGNESE, c) == lowest}
        assert deal.default_gift() in deal.gift_choices()
        chosen += deal.gift != deal.default_gift()
    assert chosen > 10


def test_signals_come_with_leads_and_are_true(ottocento_deals: Played, terziglio_deals: Played) -> None:
    seen: set[tuple[str, str]] = set()
    for deal, _ in ottocento_deals + terziglio_deals:
        held = [set(hand) for hand in restart(deal).dealt]
        if isinstance(deal, TerziglioDeal) and deal.contract == "gioco" and deal.declarer is not None:
            held[deal.declarer] |= set(deal.stock)
        out: set[str] = set()
        for trick, signal in zip(deal.tricks, deal.signals, strict=True):
            lead = trick.cards[0]
            if signal is not None:
                assert lead != MATTO
                is_suit = lead not in TRUMPS
                suit = {card for card in PACK if suit_of(BOLOGNESE, card) == suit_of(BOLOGNESE, lead)}
                more = held[trick.leader] & suit - out - set(deal.discard or ()) - {lead}
                assert trick.leader != getattr(deal, "declarer", None)
                top = lead[0] + "K" in out if is_suit else deal.profile == "ottocento" or "ANG" in out
                assert top or (is_suit and deal.profile == "ottocento" and out >= TRUMPS)
                assert signal == "busso" or (signal == "striscio") == bool(more)
                seen.add((deal.profile, signal))
            out |= set(trick.cards)
    assert len(seen) == 6


def test_ottocento_counts_as_the_table_does() -> None:
    """A deal of the single-deal table is a deal of the match with all options off."""
    rng = Random("table and match")
    for number in range(40):
        record = (play_lopsided if number % 2 else play_random)(BOLOGNESE, rng)
        options = OttocentoOptions(target=10**6, monte=False, giver_chooses=False)
        deal = OttocentoDeal(record["dealer"], record["hands"], options=options)
        for _, move in record["moves"]:
            deal.apply((*move, None) if move[0] == "play" else move)
        score = deal.score()
        assert {name: score[name] for name in record["score"]} == record["score"]


# --- declarations


def test_legal_declarations_are_all_sets_that_use_themselves_up() -> None:
    rng = Random("declarations")
    number = 0
    for _ in range(15):
        rich = [card for card in PACK if card[-1] in "KQNJA" or card in ("BEG", MATTO, "MO1", "MO2", "MO3", "ANG")]
        hand = rng.sample(rich, 9)
        every = [frozenset(cards) for size in range(10) for cards in combinations(hand, size)]
        expected = {cards for cards in every if declaration_is_legal("ottocento", hand, cards)}
        legal = legal_declarations(hand)
        assert set(legal) == expected
        assert len(legal) == len(expected)
        assert max(map(combo, legal)) == combo(hand)
        number += len(legal)
    assert number > 60


def test_random_declarations_are_legal_and_reach_every_set() -> None:
    rng = Random("random declarations")
    hand = ["SK", "SQ", "SN", "SA", "BK", "CK", "T9", "T8", "D6"]
    assert {random_declaration(hand, rng) for _ in range(300)} == set(legal_declarations(hand))


# --- matches


def check_match(match: NaiveMatch, first_dealer: int, scores: list[dict[str, Any]]) -> None:
    assert match.over
    assert match.dealers == [(first_dealer + step) % match.seat_count for step in range(len(scores))]
    assert match.scores == [sum(points) for points in zip(*match.entries, strict=True)]
    with pytest.raises(ValueError, match="is over"):
        match.enter([0] * match.seat_count)


def test_random_matches_to_800_end() -> None:
    rng = Random("matches")
    ends: set[str] = set()
    for _ in range(25):
        first = rng.randrange(4)
        match = OttocentoMatch(first)
        shuffle = partial(rng.choice((shuffle_ottocento, stack_ottocento)), rng)
        scores = play_match(match, lambda dealer: [shuffle(dealer)], rng)  # noqa: B023
        check_match(match, first, scores)
        assert all(not score["over"] for score in scores[:-1])
        assert match.winner == scores[-1]["winner"] == (0 if match.scores[0] > match.scores[1] else 1)
        assert max(match.scores) >= 800
        ends |= {score["ended_by"] for score in scores}
        for score in scores:
            if score["ended_by"] == "monte":
                assert score["scores"] == score["before"]
    assert ends >= {"count", "declaration", "monte"}


def test_call_outs_happen_only_when_they_win() -> None:
    rng = Random("call-outs")
    offered = 0
    for _ in range(100):
        dealer = rng.randrange(4)
        before = [rng.randrange(740, 800) for _ in range(2)]
        deal = OttocentoDeal(dealer, shuffle_ottocento(rng, dealer), before, OttocentoOptions(monte=False))
        needed = 800 - before[dealer % 2]
        first = deal.dealt[dealer][:15]
        assert (deal.phase() == "call_out") == (combo(first) >= needed)
        if deal.phase() != "call_out":
            with pytest.raises(IllegalMoveError):
                deal.apply(("call_out", frozenset(used(first))))
            continue
        offered += 1
        legal = [shown for _, shown in deal.legal_moves()]
        assert legal[0] is None
        assert set(legal[1:]) == {shown for shown in legal_declarations(first) if combo(shown) >= needed}
        with pytest.raises(IllegalMoveError, match="do not win"):
            deal.apply(("call_out", frozenset()))
        twin = deal.copy()
        twin.apply(("call_out", None))
        assert twin.phase() == "discard"
        deal.apply(deal.legal_moves()[-1])
        assert deal.score()["winner"] == dealer % 2
        assert deal.score()["ended_by"] == "call_out"
    assert offered > 10


@pytest.mark.parametrize("options", [TerziglioOptions(), TerziglioOptions(hand_size=19, payment="zero_sum")])
def test_random_sessions_end(options: TerziglioOptions) -> None:
    rng = Random(f"sessions {options}")
    for _ in range(5):
        first = rng.randrange(3)
        session = TerziglioSession(first, options)
        scores = play_match(session, lambda dealer: shuffle_terziglio(rng, dealer, options.hand_size), rng)
        check_match(session, first, scores)
        assert len(scores) == 9
        assert [session.dealers.count(seat) for seat in range(3)] == [3, 3, 3]
        best = max(session.scores)
        assert session.winners == [seat for seat in range(3) if session.scores[seat] == best]
        assert session.winner == (session.winners[0] if len(session.winners) == 1 else "tie")
        if options.payment == "zero_sum":
            assert all(sum(entry) == 0 for entry in session.entries)


@pytest.mark.parametrize("switches", [DiscardSwitches(), DiscardSwitches(False, True)])
def test_random_village_games_end_after_four_deals(switches: DiscardSwitches) -> None:
    rng = Random(f"village {switches}")
    for _ in range(4):
        first = rng.randrange(4)
        match = PiedicavalloMatch(first, switches)

        def deal_out(dealer: int) -> list[Any]:
            pack = rng.sample(PACKS[PIEDICAVALLO], 62)
            return [[[pack.pop() for _ in range(17 if seat == dealer else 15)] for seat in range(4)]]

        scores = play_match(match, deal_out, rng)
        check_match(match, first, scores)
        assert len(scores) == 4
        assert sum(match.scores) == 456


def test_deals_must_be_closed_before_the_next() -> None:
    rng = Random(2)
    match = OttocentoMatch(1)
    with pytest.raises(ValueError, match="no deal"):
        match.close_deal()
    match.next_deal(shuffle_ottocento(rng, 1))
    with pytest.raises(ValueError, match="not closed"):
        match.next_deal(shuffle_ottocento(rng, 2))
    with pytest.raises(ValueError, match="not over"):
        match.close_deal()


# --- moves and deals that are refused


def test_illegal_moves_are_refused_and_change_nothing() -> None:
    deal = TerziglioDeal(0, *shuffle_terziglio(Random(4), 0))
    deal.apply(("bid", "gioco"))
    for move in (("bid", "gioco"), ("bid", "three"), ("play", "SK", None), ("bid", "pass", None)):
        with pytest.raises(IllegalMoveError):
            deal.apply(move)
    deal.apply(("bid", "pass"))
    deal.apply(("bid", "pass"))
    assert (deal.declarer, deal.turn(), deal.phase()) == (1, 1, "discard")
    assert len(deal.hands[1]) == 26
    free = [card for card in deal.hands[1] if value_of(BOLOGNESE, card) < 5]
    five = next(card for card in [*deal.hands[1], "SK"] if value_of(BOLOGNESE, card) == 5)
    for cards in (free[:7], [*free[:7], five], [*free[:7], deal.hands[0][0]], free[:9], [*free[:7], free[0]]):
        assert not deal.discard_is_legal(cards)
        with pytest.raises(IllegalMoveError):
            deal.apply(("discard", cards))
    with pytest.raises(TooManyMovesError, match="random_discard"):
        deal.legal_moves()
    assert len(free) >= 18
    assert all(deal.discard_is_legal(deal.random_discard(Random(seed))) for seed in range(20))
    deal.apply(("discard", frozenset(free[:8])))
    assert [len(hand) for hand in deal.hands] == [18, 18, 18]
    with pytest.raises(IllegalMoveError, match="combination"):
        deal.apply(("declare", frozenset(deal.hands[1][:1])))
    deal.apply(("declare", frozenset()))
    with pytest.raises(IllegalMoveError, match="no striscio"):
        deal.apply(("play", deal.hands[1][0], "striscio"))
    assert [seat for seat, _ in deal.moves] == [1, 2, 0, 1, 1]


def test_wrong_starts_are_refused() -> None:
    hands = shuffle_ottocento(Random(1), 2)
    three, stock = shuffle_terziglio(Random(1), 0)
    starts: list[Callable[[], Any]] = [
        lambda: OttocentoDeal(1, hands),
        lambda: OttocentoDeal(4, hands),
        lambda: OttocentoDeal(2, [*hands[:3], [*hands[3][:-1], hands[0][0]]]),
        lambda: OttocentoOptions(striscio_meaning="nothing"),
        lambda: TerziglioDeal(3, three, stock),
        lambda: TerziglioDeal(0, three, stock[:-1]),
        lambda: TerziglioDeal(0, three, stock, TerziglioOptions(hand_size=19)),
        lambda: TerziglioOptions(hand_size=17),
        lambda: TerziglioOptions(payment="never"),
        lambda: PiedicavalloMatch(4),
    ]
    for start in starts:
        with pytest.raises(ValueError, match=r"seat|sizes|pack|unknown|cards"):
            start()


# --- the switches of Piedicavallo


def test_switches_take_away_exactly_the_voiding_discards() -> None:
    rng = Random("switches")
    pack = PACKS[PIEDICAVALLO]
    plain = [card for card in pack if card[0] in "SBCD"]
    voiding = 0
    for number in range(40):
        trumps = rng.sample([f"T{k}" for k in range(2, 21)], number % 4)
        rest = [*trumps, MATTO] if number % 3 else trumps
        hand = rest + rng.sample(plain, 17 - len(rest))
        free = [card for card in hand if card in plain and card[1:] != "K"]
        full = set(legal_discards(PIEDICAVALLO, hand))
        strict = set(legal_discards(PIEDICAVALLO, hand, DiscardSwitches(allow_voiding=False)))
        matto = set(legal_discards(PIEDICAVALLO, hand, DiscardSwitches(matto_counts_as_trump_for_discard=True)))
        assert len(full) == count_piedicavallo_discards(hand)
        assert strict == {frozenset(pair) for pair in combinations(free, 2)}
        assert matto == (strict if MATTO in hand else full)
        voiding += len(full - strict)
    assert voiding > 50


def test_switches_reach_the_deal() -> None:
    hand = ["T9", "S5", "S6", "S7", "S8", "B5", "B6", "B7", "B8", "C3", "C4", "C5", "D2", "D3", "D4", "DK", MATTO]
    rest = [card for card in PACKS[PIEDICAVALLO] if card not in hand]
    hands = [hand, rest[:15], rest[15:30], rest[30:]]
    assert len(NaiveDeal(PIEDICAVALLO, 0, hands).legal_moves()) == 105
    deal = PiedicavalloMatch(0, DiscardSwitches(allow_voiding=False)).next_deal(hands)
    assert len(deal.legal_moves()) == 91
    with pytest.raises(IllegalMoveError, match="without_reason"):
        deal.apply(("discard", frozenset({"T9", "S5"})))
    dealer, hands = random_deal(BOLOGNESE, Random(1))
    switched = NaiveDeal(BOLOGNESE, dealer, hands, DiscardSwitches(False, True))
    assert switched.legal_moves() == NaiveDeal(BOLOGNESE, dealer, hands).legal_moves()
