"""What the command line prints of the games with an auction, a poll, signals, packets and a stock."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from google.protobuf import json_format
from rich.console import Console
from typer.testing import CliRunner, Result

from service_support import SEARCHED, UNSEARCHED, finished, observed, play_until, whole_deal
from tarocchi.solver.v1 import deal_pb2, solver_service_pb2
from tarocchi_engine import Bid, Call, Ending, Phase, Standing, State, get_variant, new_deal
from tarocchi_solver import examples
from tarocchi_solver.cli import app
from tarocchi_solver.cli.tables import print_recommendation
from tarocchi_solver.cli.wording import move_text
from tarocchi_solver.service.answers import variants_answer


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(app, list(arguments), input=stdin, env={"COLUMNS": "200"})


def replayed(state: State) -> str:
    result = run("replay", "-", stdin=json_format.MessageToJson(whole_deal(state)))
    assert result.exit_code == 0, result.output
    assert "unknown" not in result.output
    return result.stdout


def legal(state: State, seat: int | None = None) -> list[str]:
    result = run("legal", "-", stdin=json_format.MessageToJson(observed(state, seat)))
    assert result.exit_code == 0, result.output
    return result.stdout.splitlines()


def after_bids(*calls: Call) -> State:
    state = new_deal(get_variant("terziglio"), 5, dealer=0)
    for call in calls:
        state = state.apply_move(Bid(call))
    return state


MOVES: list[tuple[dict[str, Any], str]] = [
    ({"monte": {"throwsIn": True}}, "Monte"),
    ({"monte": {"throwsIn": False}}, "No monte"),
    ({"bid": {"call": "CALL_GIOCO"}}, "Gioco"),
    ({"bid": {"call": "CALL_PASS"}}, "Pass"),
    ({"callOut": {"cards": ["SK", "SQ", "SN"]}}, "Call out SK SQ SN"),
    ({"callOut": {}}, "No call-out"),
    ({"play": {"card": "T9", "signal": "SIGNAL_VOLO"}}, "Play T9 volo"),
    ({"play": {"card": "T9"}}, "Play T9"),
    ({"give": {"card": "S10"}}, "Give S10"),
    ({"declare": {}}, "Declare nothing"),
    ({"discard": {"cards": ["S6", "S7", "S8", "S9", "B6", "B7", "B8", "B9"]}}, "Discard S6 S7 S8 S9 B6 B7 B8 B9"),
    ({}, "no move"),
]


@pytest.mark.parametrize(("move", "text"), MOVES, ids=[text for _, text in MOVES])
def test_moves_in_words(move: dict[str, Any], text: str) -> None:
    assert move_text(json_format.ParseDict(move, deal_pb2.Move())) == text


def test_variants_tell_how_long_a_match_is() -> None:
    lines = {line.split()[0]: line for line in run("variants").stdout.splitlines() if line.strip()}
    assert " to 800 " in lines["ottocento"]
    assert " 9 deals " in lines["terziglio"]
    assert " 1 deal " in lines["bolognese"]


@pytest.mark.parametrize("name", ["ottocento", "terziglio"])
def test_a_deal_comes_back(name: str) -> None:
    text = run("deal", name, "--seed", "5", "--json").stdout
    deal = json.loads(text)["deal"]
    assert run("deal", name, "--seed", "5", "--json").stdout == text
    result = run("replay", "-", stdin=text)
    assert result.exit_code == 0, result.output
    first = (deal["dealer"] + 1) % len(deal["hands"])
    assert f"Seat {first} has to {'bid' if name == 'terziglio' else 'say monte or play'}." in result.stdout
    assert "unknown" not in result.output
    observation = json.loads(run("deal", name, "--seed", "5", "--seat", str(first)).stdout)
    assert set(observation["hand"]) == set(deal["hands"][first]["cards"][: 18 if name == "terziglio" else 5])


def test_a_deal_shows_packets_and_stock() -> None:
    lines = run("deal", "ottocento", "--seed", "5", "--dealer", "0").stdout.splitlines()
    assert [[len(packet.split()) for packet in line.partition(":")[2].split("|")] for line in lines[1:]] == [
        *[[5, 10, 2], [5, 10], [5, 10], [5, 10]]
    ]
    lines = run("deal", "terziglio", "--seed", "5").stdout.splitlines()
    assert lines[-1].startswith("stock: ")
    assert "|" not in lines[1]


def test_a_standing_may_be_given() -> None:
    text = run("deal", "ottocento", "--scores", "640,715", "--deals-played", "6", "--json").stdout
    assert json.loads(text)["deal"]["standing"] == {"scores": [640.0, 715.0], "dealsPlayed": 6}
    for given, message in (
        (["--scores", "1,x"], "--scores: '1,x' are no numbers"),
        (["--scores", "1,2,3"], "standing.scores: 3 scores given: give the points of side 0, then of side 1"),
        (["--scores", "900,2", "--deals-played", "4"], "the match is over"),
        (["--deals-played", str(2**40)], "are too many for a match"),
        (["--dealer", "4"], "there is no seat 4: seats are 0 to 3"),
    ):
        result = run("deal", "ottocento", *given)
        assert result.exit_code == 2
        assert message in result.output
    assert "seats are 0 to 2" in run("deal", "terziglio", "--dealer", "-1").output


def test_legal_moves() -> None:
    state = play_until("ottocento", 1, lambda state: state.phase is Phase.MONTE)
    assert legal(state) == ["No monte", "Monte"]
    assert legal(after_bids()) == ["Pass", "Gioco", "Solo"]
    assert legal(after_bids(Call.GIOCO)) == ["Pass", "Solo"]


def test_many_legal_discards() -> None:
    lines = legal(after_bids(Call.GIOCO, Call.PASS, Call.PASS))
    assert " legal discards: any 8 of " in lines[0]
    assert all(len(line.split()) == 9 for line in lines[1:])


@pytest.mark.parametrize("name", ["ottocento", "terziglio"])
def test_examples(name: str) -> None:
    result = run("legal", "-", stdin=examples.load(name))
    assert result.exit_code == 0, result.output
    assert all(line.startswith("Play ") for line in result.stdout.splitlines())


def test_a_replay_tells_auction_and_contract() -> None:
    lines = replayed(after_bids(Call.PASS, Call.GIOCO, Call.PASS)).splitlines()
    assert lines[:4] == ["seat 1:  Pass", "seat 2:  Gioco", "seat 0:  Pass", "Seat 2 plays gioco alone."]
    assert lines[-1] == "Seat 2 has to discard."
    text = replayed(after_bids(Call.PASS, Call.GIOCO))
    assert "stock: " in text
    assert "alone" not in text
    assert text.splitlines()[-1] == "Seat 0 has to bid."


def test_a_replay_tells_the_game() -> None:
    state = next(state for seed in range(9) if (state := finished("terziglio", seed)).table.ending is Ending.COUNT)
    text = replayed(state)
    game = state.score().game
    assert game is not None
    assert "Declarer" in text
    assert "Defenders" in text
    assert f" {game.game_points} game points (" in text
    assert "Match: 1 of 9 deals played; seat 0 has " in text.splitlines()[-1]


def test_a_replay_tells_signals() -> None:
    states = (finished("ottocento", seed) for seed in range(20))
    state = next(state for state in states if any(event.play.signal for event in whole_deal(state).events))
    assert any(f" {signal}, " in replayed(state) for signal in ("volo", "striscio", "busso"))


@pytest.mark.parametrize(
    ("ending", "text"),
    [
        (Ending.THROWN_IN, "All seats said monte: the cards are thrown in and nothing is scored."),
        (Ending.PASSED, "All seats passed: nothing is scored."),
        (Ending.CALL_OUT, "The dealer has called itself out, which ends the match."),
        (Ending.DECLARATION, "A declaration has reached the target, which ends the match."),
    ],
)
def test_a_replay_tells_the_ending(ending: Ending, text: str) -> None:
    variant = "terziglio" if ending is Ending.PASSED else "ottocento"
    standing = Standing((790.0, 780.0), 5) if ending in (Ending.CALL_OUT, Ending.DECLARATION) else Standing()
    states = (finished(variant, seed, standing=standing) for seed in range(200))
    printed = replayed(next(state for state in states if state.table.ending is ending))
    assert text in printed
    last = printed.splitlines()[-1]
    assert last.startswith("Match to 800: " if variant == "ottocento" else "Match: 1 of 9 deals played")
    assert last.endswith(" wins the match." if standing.deals_played else " deals next.")


def printed_recommendation(name: str) -> str:
    """Returns what is printed about an example, with numbers that no search has made."""
    observation = json_format.Parse(examples.load(name), deal_pb2.Observation())
    variant = next(entry for entry in variants_answer().variants if entry.name == name)
    answer = solver_service_pb2.RecommendMoveResponse(legal_move_count=30)
    for rank in range(1, 15):
        entry = answer.moves.add(rank=rank, match_win_probability=0.5)
        entry.move.play.card = "T9"
        entry.move.play.signal = deal_pb2.SIGNAL_BUSSO
    printed = io.StringIO()
    print_recommendation(Console(width=120, file=printed), observation, variant, answer)
    return printed.getvalue()


def test_a_recommendation_tells_auction_and_standing() -> None:
    text = printed_recommendation("terziglio")
    assert "Match:        deal 3; this seat has 13 game points, seat 0 7, seat 1 0" in text
    assert "Auction:      pass (seat 1), gioco (seat 2), pass (seat 0)" in text
    in_hand = next(line for line in text.splitlines() if line.startswith("In hand:"))
    assert len(in_hand.split()) == 2 + 26 - 8 - 3
    assert "Play T9 busso" in text
    assert "and 2 more moves, of 30 legal ones" in text
    assert "deal 3; own side has 365 of 800 points, other side 412" in printed_recommendation("ottocento")


def test_the_search_will_answer_all() -> None:
    assert {*SEARCHED, *UNSEARCHED} == {*examples.OBSERVATIONS}
