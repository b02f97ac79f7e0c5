"""The commands, run inside this process."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format
from typer.testing import CliRunner, Result

import tarocchi_engine.conformance
from service_support import FOUR_DEALS, SEARCHED, finished, in_the_middle, observed, running, whole_deal
from tarocchi.solver.v1 import deal_pb2, rules_service_pb2, solver_service_pb2
from tarocchi_engine import VARIANTS, Standing, compilation, options_of
from tarocchi_engine.conformance import run_cases, shipped_case_files
from tarocchi_solver import examples
from tarocchi_solver.cli import app
from tarocchi_solver.search.warm_up import SelfTestError
from tarocchi_solver.service import server
from tarocchi_solver.service.config import ServerConfig


def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(app, list(arguments), input=stdin)


def wrong(result: Result) -> str:
    """Returns the message of a command that was given wrong input."""
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output
    assert not isinstance(result.exception, Exception) or isinstance(result.exception, SystemExit)
    return " ".join(result.output.split())


@pytest.fixture
def example(tmp_path: Path) -> Path:
    path = tmp_path / "observation.json"
    path.write_text(examples.load("bolognese"))
    return path


@pytest.fixture
def value() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(examples.load("bolognese"))
    return loaded


@pytest.mark.parametrize("name", SEARCHED)
def test_recommend_prints_a_table_and_a_sentence(name: str) -> None:
    result = run("recommend", "-", "--iterations", "500", "--seed", "1", stdin=examples.load(name))
    assert result.exit_code == 0, result.output
    assert "Score ± error" in result.stdout
    assert "On the table:" in result.stdout
    sentence = next(line for line in result.stdout.splitlines() if "to win the deal" in line)
    assert sentence.startswith("Play ")
    assert sentence.endswith(".")
    assert "seed 1" in result.stdout


def test_recommend_prints_one_json_document(example: Path) -> None:
    options = ("--iterations", "500", "--seed", "18446744073709551615", "--json")
    one, two = (run("recommend", str(example), *options, "--threads", threads) for threads in ("1", "2"))
    assert one.exit_code == 0
    assert one.stdout == two.stdout
    answer = json_format.Parse(one.stdout, solver_service_pb2.RecommendMoveResponse())
    assert answer.diagnostics.seed == 2**64 - 1
    assert answer.moves[0].rank == 1
    assert list(json.loads(one.stdout)) == ["move", "moves", "exact", "diagnostics", "legalMoveCount"]


def test_recommend_takes_a_whole_request(value: dict[str, Any]) -> None:
    for seed in (5, "5"):
        request = json.dumps({"observation": value, "seed": seed, "budget": {"iterations": 300}})
        answer = json.loads(run("recommend", "-", "--json", stdin=request).stdout)
        assert answer["diagnostics"]["seed"] == "5"
        assert answer["diagnostics"]["budget"] == {"iterations": 300}
        answer = json.loads(run("recommend", "-", "--json", "--worlds", "10", "--seed", "6", stdin=request).stdout)
        assert answer["diagnostics"]["seed"] == "6"
        assert answer["diagnostics"]["budget"] == {"worlds": 10}


def test_recommend_needs_the_address_of_a_server(example: Path) -> None:
    assert "--server: '' is no address: give host and port" in wrong(run("recommend", str(example), "--server", ""))


def test_recommend_within_a_time(example: Path) -> None:
    result = run("recommend", str(example), "--time-ms", "20", "--json")
    facts = json.loads(result.stdout)["diagnostics"]
    assert facts["stopReason"] == "STOP_REASON_TIME"
    assert facts["budget"] == {"duration": "0.020s"}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running(concurrent_searches=1) as (server, _):
        yield server.address


class TestServer:
    def test_gives_the_same_answer(self, address: str, example: Path) -> None:
        options = (str(example), "--iterations", "500", "--seed", "3", "--json")
        assert run("recommend", "--server", address, *options).stdout == run("recommend", *options).stdout

    def test_prints_the_same_table(self, address: str, example: Path) -> None:
        options = (str(example), "--iterations", "500", "--seed", "3")
        assert run("recommend", "--server", address, *options).stdout == run("recommend", *options).stdout

    def test_its_refusals_are_sentences(self, address: str, value: dict[str, Any]) -> None:
        value["events"][4]["play"] = {"card": "T77"}
        local, remote = (
            wrong(run("recommend", "-", *options, stdin=json.dumps(value))) for options in ([], ["--server", address])
        )
        assert local == remote
        assert "events[4].play.card: 'T77' is not a card" in local

    def test_has_its_own_threads(self, address: str, example: Path) -> None:
        assert "--threads" in wrong(run("recommend", str(example), "--server", address, "--threads", "2"))

    def test_may_not_be_there(self, example: Path) -> None:
        result = run("recommend", str(example), "--server", "127.0.0.1:1")
        assert result.exit_code == 1
        assert "no answer from 127.0.0.1:1" in result.output
        assert "Traceback" not in result.output


BAD_TEXTS: dict[str, tuple[str | bytes, str]] = {
    "nothing": ("", "no JSON, line 1 column 1"),
    "no JSON": ('{"variant": bolognese}', "no JSON, line 1 column 13"),
    "a list": ("[]", "a JSON object is needed, this is a list"),
    "a number": ("1.5", "a JSON object is needed, this is a number"),
    "a truth": ("true", "a JSON object is needed, this is true"),
    "a string": ('"SK"', "a JSON object is needed, this is a text"),
    "a key twice": ('{"variant": "bolognese", "seat": 1, "seat": 2}', 'the key "seat" stands twice in one object'),
    "a key twice inside": ('{"standing": {"scores": [], "scores": []}}', 'the key "scores" stands twice'),
    "a field by both names": (
        '{"standing": {"dealsPlayed": 1, "deals_played": 2}}',
        "standing.deals_played: this field stands here twice",
    ),
    "no text": (b"\xff\xfe\x00", "not a text in UTF-8"),
    "an empty object": ("{}", "variant: the name of the variant is missing"),
    "a wrong type": ('{"variant": "bolognese", "seat": "two"}', "seat"),
    "a nesting without end": ('{"a":' * 100_000, "no JSON"),
    "a large text": ('{"variant": "' + "x" * 10_000_000 + '"}', "larger than"),
    "a whole deal": (examples.load("bolognese_deal"), "this is a whole deal"),
    "half a character": ('{"variant": "bolognese", "hand": ["\\ud800"]}', "hand[0]: the text has half of a character"),
    "half a character in a key": ('{"\\ud800": 1}', "the key '\\ud800' has half of a character"),
    "half a character in an option": (
        '{"options": {"\\udfff": "true"}}',
        "options: the key '\\udfff' has half of a character",
    ),
    "a null": ("null", "a JSON object is needed, this is null"),
    "not a number": ('{"variant": "bolognese", "seat": NaN}', "seat"),
}


@pytest.mark.parametrize("text", BAD_TEXTS)
@pytest.mark.parametrize("command", ["recommend", "legal"])
def test_bad_texts(command: str, text: str) -> None:
    given, message = BAD_TEXTS[text]
    assert message in wrong(run(command, "-", stdin=given))


def test_a_file_that_is_not_there() -> None:
    assert "cannot be read: No such file" in wrong(run("recommend", "/no/such/file.json"))
    assert "cannot be read" in wrong(run("replay", "/"))
    for command in ("recommend", "legal", "replay"):
        assert "the name of the file is empty" in wrong(run(command, ""))
        assert "is no name of a file" in wrong(run(command, "a\0b"))


def change(value: dict[str, Any], path: list[str | int], new: object) -> str:
    inner: Any = value
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = new
    return json.dumps(value)


BAD_VALUES: list[tuple[list[str | int], object, str]] = [
    (["seat"], 7, "seat: there is no seat 7"),
    (["hand", 0], "LUN", "hand[1]: card 'LUN' stands twice"),
    (["hand", 0], "XX", "hand[0]: 'XX' is not a card of the bolognese pack"),
    (["hand", 0], "sk", "did you mean 'SK'?"),
    (["hand"], ["SK"], "hand: 1 cards: the dealer is dealt 17"),
    (["events", 1, "seat"], 0, "events[1].seat: seat 0 moves but it is the turn of seat 3"),
    (["events", 1, "declare", "cards"], ["D8"], "D8 scores nothing"),
    (["events", 8, "play", "card"], "DK", "events[8].play.card: DK does not follow: play one of MON LUN"),
    (["events", 10, "play", "card"], "DK", "events[10].play.card"),
    (["dealer"], -1, "dealer: there is no seat -1"),
    (["events", 4, "declare"], {}, "events[4]: play and declare exclude each other"),
    (["events", 4, "seat"], "two", 'events[4].seat: a whole number is needed, not "two"'),
    (["seat"], 2**31, "seat: 2147483648 is out of range"),
    (["hand", 3], 5, "hand[3]: a text in quotation marks is needed, not 5"),
    (["hand"], "SK", 'hand: a list in brackets is needed, not "SK"'),
    (["events", 4, "play"], "SK", 'events[4].play: an object in braces is needed, not "SK"'),
    (["options"], [], "options: an object in braces is needed, not []"),
    (["options"], {"match": 4}, "options[match]: a text in quotation marks is needed, not 4"),
    (["options"], {"match": None}, "options[match]: a text in quotation marks is needed, not null"),
    (["options"], {"match": "four_deals"}, "options[match]: 'match' is no rule option here; known are: none"),
    (["standing"], 5, "standing: an object in braces is needed, not 5"),
    (["standing"], {"scores": [True, 1]}, "standing.scores[0]: a number is needed, not true"),
    (["standing"], {"scores": [1, "many"]}, 'standing.scores[1]: a number is needed, not "many"'),
    (["standing"], {"scores": [float("nan"), 1]}, "standing.scores[0]: a number is needed, not NaN"),
    (["standing"], {"scores": [10**400, 1]}, "standing.scores[0]: a number is needed, not 1000"),
    (["standing"], {"scores": [1.5]}, "standing.scores: 1 scores given: give the points of side 0, then of side 1"),
    (["standing"], {"scores": [1.5, "2e1"], "dealsPlayed": 1}, "no deal is left to play"),
]


@pytest.mark.parametrize(("path", "new", "message"), BAD_VALUES, ids=[str(case[0]) for case in BAD_VALUES])
def test_bad_values(value: dict[str, Any], path: list[str | int], new: object, message: str) -> None:
    result = run("recommend", "-", stdin=change(value, path, new))
    text = wrong(result)
    assert text.startswith("tarocchi: standard input")
    assert message in text


def test_all_faults_are_listed(value: dict[str, Any]) -> None:
    value["hand"][0] = "XX"
    value["events"][2] = {"seat": 3}
    lines = run("recommend", "-", stdin=json.dumps(value)).output.splitlines()
    assert lines[0] == "tarocchi: standard input: 2 faults:"
    assert lines[1].startswith("  hand[0]: ")
    assert lines[2].startswith("  events[2]: ")


@pytest.mark.parametrize(
    "options",
    [
        ["--iterations", "-5"],
        ["--iterations", "0"],
        ["--time-ms", "-1"],
        ["--worlds", "x"],
        ["--seed", "-1"],
        ["--seed", str(2**64)],
        ["--threads", "0"],
        ["--colour"],
    ],
)
def test_bad_options(example: Path, options: list[str]) -> None:
    wrong(run("recommend", str(example), *options))


def test_unknown_fields_are_told_and_ignored(value: dict[str, Any]) -> None:
    value["comment"] = "from the club's evening"
    result = run("legal", "-", stdin=json.dumps(value))
    assert result.exit_code == 0
    assert "unknown fields are ignored, the first is 'comment'" in result.output
    assert "Play MON" in result.stdout
    del value["comment"]
    value["events"][2]["play"] = {"card": value["events"][2]["play"]["card"], "by": "trump"}
    for given in (value, {"observation": value}):
        result = run("legal", "-", stdin=json.dumps(given))
        assert "unknown fields are ignored, the first is 'events[2].play.by'" in result.output


def test_another_seat_has_to_move() -> None:
    state = in_the_middle()
    assert state.turn is not None
    text = json_format.MessageToJson(observed(state, (state.turn + 1) % 4))
    assert f"seat {state.turn} has to play" in wrong(run("recommend", "-", stdin=text))
    result = run("legal", "-", stdin=text)
    assert result.exit_code == 0
    assert f"it is the turn of seat {state.turn}" in result.stdout
    assert "the deal is over" in wrong(run("recommend", "-", stdin=json_format.MessageToJson(observed(finished(), 0))))


def test_legal_lists_moves(example: Path) -> None:
    assert run("legal", str(example)).stdout.splitlines() == [
        *["Play MON", "Play T15", "Play T12", "Play MO1", "Play MO3", "Play BEG"]
    ]
    answer = json_format.Parse(run("legal", str(example), "--json").stdout, rules_service_pb2.ListLegalMovesResponse())
    assert len(answer.moves) == 6


def test_variants() -> None:
    result = run("variants")
    assert all(name in result.stdout for name in VARIANTS)
    for name, variant in VARIANTS.items():
        assert (f"Rule options of {name}" in result.stdout) == bool(options_of(variant))
        for option in options_of(variant):
            assert f" {option.name} " in result.stdout
            assert all(value in result.stdout for value in option.values)
    answer = json_format.Parse(run("variants", "--json").stdout, rules_service_pb2.ListVariantsResponse())
    assert [variant.name for variant in answer.variants] == list(VARIANTS)


def test_warm_up_tells_where_the_kernels_are(monkeypatch: pytest.MonkeyPatch) -> None:
    result = run("warm-up")
    assert result.exit_code == 0, result.output
    assert str(compilation.default_cache_root().resolve()) in "".join(result.stdout.split("\n"))
    monkeypatch.setattr(compilation, "keeps_kernels", lambda: False)
    result = run("warm-up")
    assert result.exit_code == 1
    assert "could not all be kept" in result.stderr


def test_warm_up_tells_that_the_kernels_are_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise SelfTestError("bolognese: 61 cards counted instead of 62")

    # the package has the function under the name of its module
    monkeypatch.setattr(sys.modules[SelfTestError.__module__], "warm_up", fail)
    result = run("warm-up")
    assert result.exit_code == 1
    assert "fail their test: bolognese: 61 cards" in result.stderr


def test_deal_can_be_replayed_and_asked_about() -> None:
    first, second = (run("deal", "piedicavallo", "--seed", "7", "--json").stdout for _ in range(2))
    assert first == second
    result = run("replay", "-", stdin=first)
    assert result.exit_code == 0
    assert "has to discard" in result.stdout
    assert "unknown" not in result.output
    dealer = json.loads(first)["deal"]["dealer"]
    text = run("deal", "piedicavallo", "--seed", "7", "--seat", str(dealer)).stdout
    assert json_format.Parse(text, deal_pb2.Observation()).dealer == dealer
    assert "Discard " in run("recommend", "-", "--iterations", "200", stdin=text).stdout
    assert "seat 3: " in run("deal", "piedicavallo", "--seed", "7").stdout


def in_a_match(seat: int, **standing: Any) -> dict[str, Any]:
    """Returns the observation of a seat of a deal in a match of Piedicavallo dealt by seat 0."""
    options = ("--option", "match=four_deals", "--option", "allow_voiding=false")
    text = run("deal", "piedicavallo", "--seed", "3", "--dealer", "0", "--seat", str(seat), *options).stdout
    observation: dict[str, Any] = json.loads(text)
    return observation | ({"standing": standing} if standing else {})


def test_options_of_a_deal() -> None:
    options = ("--seed", "3", "--option", "match=four_deals", "--option", "allow_voiding=false")
    text = run("deal", "piedicavallo", "--json", *options).stdout
    deal = json.loads(text)["deal"]
    assert list(deal["options"].items()) == [("allow_voiding", "false"), ("match", "four_deals")]
    first_line = run("deal", "piedicavallo", *options).stdout.splitlines()[0]
    assert first_line == f"piedicavallo, allow_voiding=false, match=four_deals, seed 3, dealer {deal['dealer']}"
    result = run("replay", "-", stdin=text)
    assert "has to discard" in result.stdout
    assert "unknown" not in result.output
    assert in_a_match(0)["options"] == deal["options"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["speed"], "--option: 'speed' is no rule option: write NAME=VALUE"),
        (["=true"], "--option: '=true' is no rule option"),
        (["match=a", "match=b"], "--option: match is given twice"),
        (["speed=fast"], "options[speed]: 'speed' is no rule option here; known are: allow_voiding"),
        (["match=many"], "options[match]: 'many' is no value of match; give one of: single_deal, four_deals"),
    ],
)
def test_bad_rule_options(given: list[str], message: str) -> None:
    arguments = [part for text in given for part in ("--option", text)]
    assert message in wrong(run("deal", "piedicavallo", *arguments))


def test_recommend_tells_the_match() -> None:
    for seat, standing, told in (
        (0, {}, "first deal"),
        (0, {"scores": [130, "98"], "dealsPlayed": 2}, "deal 3; own side has 130 points, other side 98"),
        (1, {"scores": [50, 64], "deals_played": 1}, "deal 2; own side has 64 points, other side 50"),
    ):
        observation = in_a_match(seat, **standing)
        if seat == 1:
            observation["events"] = [{"seat": 0, "discard": {"announcedTrumpCount": 0}}]
        result = run("recommend", "-", "--iterations", "200", "--seed", "1", stdin=json.dumps(observation))
        assert result.exit_code == 0, result.output
        lines = result.stdout.splitlines()
        assert lines[1] == "Options:      allow_voiding=false, match=four_deals"
        assert lines[2] == f"Match:        {told}"
        assert " Win   Match   Visits" in result.stdout
        assert "to win the deal, " in result.stdout
        assert "% to win the match" in result.stdout


def test_a_single_deal_does_not_speak_of_a_match(example: Path) -> None:
    assert "match" not in run("recommend", str(example), "--iterations", "200").stdout.lower()
    assert "match" not in run("replay", "-", stdin=examples.load("bolognese_deal")).stdout.lower()


def test_replay_tells_the_match() -> None:
    totals = [side.total for side in finished("piedicavallo", 3).score().sides]
    for before, played, outcome in (
        ((0.0, 0.0), 0, "Seat {next} deals next."),
        ((342.0, 0.0), 3, "Side 0 wins the match."),
        ((228 - totals[0], 228 - totals[1]), 3, "The match is a draw."),
    ):
        state = finished("piedicavallo", 3, options=FOUR_DEALS, standing=Standing(before, played))
        result = run("replay", "-", stdin=json_format.MessageToJson(whole_deal(state)))
        assert result.exit_code == 0, result.output
        first, second = (points + total for points, total in zip(before, totals, strict=True))
        standing = f"Match: {played + 1} of 4 deals played; side 0 has {first:g}, side 1 has {second:g}."
        expected = f"{standing} {outcome.format(next=(state.table.dealer + 1) % 4)}"
        assert result.stdout.splitlines()[-1] == expected


def test_bad_deals() -> None:
    assert "no variant is called 'whist'; known are: bolognese" in wrong(run("deal", "whist"))
    for dealer in ("7", "-1", str(2**40)):
        message = f"dealer: there is no seat {dealer}: seats are 0 to 3"
        assert message in wrong(run("deal", "bolognese", "--dealer", dealer))
    assert "2147483647" not in run("deal", "--help").output
    assert "there is no seat 4" in wrong(run("deal", "bolognese", "--seat", "4"))


def test_replay_counts_the_example() -> None:
    text = examples.load("bolognese_deal")
    result = run("replay", "-", stdin=text)
    assert result.exit_code == 0, result.output
    assert "Total" in result.stdout
    assert "wins the deal" in result.stdout
    answer = json_format.Parse(run("replay", "-", "--json", stdin=text).stdout, rules_service_pb2.ReplayDealResponse())
    assert answer.HasField("score")
    half = json.loads(text)
    del half["events"][20:]
    result = run("replay", "-", stdin=json.dumps(half))
    assert "On the table:" in result.stdout
    assert "has to play" in result.stdout


@pytest.mark.parametrize("is_played", [True, False])
def test_a_replay_takes_a_deal_alone_with_or_without_moves(is_played: bool) -> None:
    whole = json.loads(examples.load("bolognese_deal"))
    bare, wrapped = dict(whole["deal"]), {"deal": whole["deal"]}
    if is_played:
        bare["events"] = wrapped["events"] = whole["events"]
    result = run("replay", "-", "--json", stdin=json.dumps(bare))
    assert result.exit_code == 0, result.output
    assert result.stdout == run("replay", "-", "--json", stdin=json.dumps(wrapped)).stdout
    assert not result.stderr


def test_a_replay_of_an_observation_says_what_it_needs(example: Path) -> None:
    assert "this is what one seat knows; give the whole deal" in wrong(run("replay", str(example)))


@pytest.mark.parametrize(
    ("break_it", "message"),
    [
        (lambda deal: deal["deal"]["hands"][0]["cards"].pop(), "14 cards: this seat is dealt 15"),
        (lambda deal: deal["deal"]["hands"][0]["cards"].append("D6"), "16 cards: this seat is dealt 15"),
        (lambda deal: deal["deal"]["hands"][0]["cards"].append("T11"), "card 'T11' stands twice"),
        (lambda deal: deal["events"].pop(2), "events[2].seat: seat 0 moves but it is the turn of seat 3"),
        (lambda deal: deal["events"].append({"seat": 0, "play": {"card": "D6"}}), "the deal has ended"),
        (lambda deal: deal.pop("deal"), "deal: the deal is missing"),
        (lambda deal: deal["events"][0]["discard"].update(cards=["DK", "D6"]), "never discarded"),
    ],
)
def test_bad_replays(break_it: Any, message: str) -> None:
    deal = json.loads(examples.load("bolognese_deal"))
    break_it(deal)
    assert message in wrong(run("replay", "-", stdin=json.dumps(deal)))


def test_a_tie_and_a_deal_of_the_other_variant_print() -> None:
    request = whole_deal(finished("piedicavallo", 2))
    result = run("replay", "-", stdin=json_format.MessageToJson(request))
    assert result.exit_code == 0, result.output
    assert "Cards" in result.stdout


def test_conformance(tmp_path: Path) -> None:
    cases = [json.loads(line) for path in shipped_case_files() for line in path.read_text().splitlines()]
    points = next(case for case in cases if case["kind"] == "points")
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_text(json.dumps(points) + "\n")
    result = run("conformance", str(good))
    assert (result.exit_code, result.stdout) == (0, "1 passed, 0 failed, 0 unsupported\n")
    unknown = {**points, "id": "x-1", "kind": "juggling"}
    failing = {**points, "id": "x-2", "expected": {"points": 1000}}
    bad.write_text("\n".join(json.dumps(case) for case in (points, unknown, failing)) + "\n")
    result = run("conformance", str(bad))
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[-1] == "1 passed, 1 failed, 1 unsupported"
    assert lines[0].startswith("unsupported x-1 (juggling): ")
    assert lines[1].startswith("failed x-2 (points): ")
    assert "there is no such file" in wrong(run("conformance", "/no/such/file.jsonl"))
    bad.write_text("{\n")
    wrong(run("conformance", str(bad)))
    assert "this is a folder" in wrong(run("conformance", str(tmp_path)))
    bad.write_text("\n")
    for files in ([str(bad)], [str(good), str(bad)]):
        assert "bad.jsonl: no case in it" in wrong(run("conformance", *files))


def test_conformance_of_what_is_shipped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    counts = Counter(result.status for result in run_cases(shipped_case_files()))
    assert counts["passed"] > 100
    more = f"; {counts['unsupported']} more belong to games or conventions that this version does not play"
    result = run("conformance")
    expected = f"{counts['passed']} passed, 0 failed{more if counts['unsupported'] else ''}\n"
    assert (result.exit_code, result.stdout) == (0, expected)
    case = next(case for line in shipped_case_files()[0].open() if (case := json.loads(line))["kind"] == "points")
    failing = tmp_path / "failing.jsonl"
    failing.write_text(json.dumps({**case, "expected": {"points": 1000}}))
    monkeypatch.setattr(tarocchi_engine.conformance, "shipped_case_files", lambda: (failing,))
    result = run("conformance")
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (1, "0 passed, 1 failed")


def test_demo_starts_asks_and_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examples, "OBSERVATIONS", tuple(SEARCHED))
    result = run("demo", "--iterations", "300")
    assert result.exit_code == 0, result.output
    assert result.stdout.count("Score ± error") == len(SEARCHED)
    assert result.stdout.rstrip().endswith("The service has stopped.")


@pytest.mark.parametrize("address", ["0.0.0.0:50051", "example.org:1", "[::]:50051"])
def test_serve_stays_on_this_machine(address: str) -> None:
    text = wrong(run("serve", "--address", address))
    assert f"--address: {address} is not this machine alone" in text
    assert "allow_plaintext" in text


@pytest.mark.parametrize("port", ["65536", "99999", "1" * 30])
def test_serve_on_a_port_that_cannot_be(port: str) -> None:
    assert "a port is a number from 0 to 65535" in wrong(run("serve", "--address", f"127.0.0.1:{port}"))


def test_serve_on_an_empty_address() -> None:
    assert "--address: it is empty: give a text such as 127.0.0.1:50051" in wrong(run("serve", "--address", ""))


@pytest.mark.parametrize("address", ["foo", "localhost", "127.0.0.1:http"])
def test_serve_on_what_is_no_address(address: str) -> None:
    assert f"--address: {address!r} is no address: give host and port" in wrong(run("serve", "--address", address))


@pytest.mark.parametrize("grace", ["nan", "inf", "3601", "-1"])
def test_serve_with_a_grace_that_cannot_be(grace: str) -> None:
    assert f"--grace: {float(grace)} is out of range: give a number from 0 to 3,600" in wrong(
        run("serve", "--grace", grace)
    )


def test_serve_has_a_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    configs: list[ServerConfig] = []

    class Server:
        def __init__(self, config: ServerConfig) -> None:
            configs.append(config)

        def run_until_signal(self, received: list[int]) -> bool:
            return True

    monkeypatch.setattr(server, "SolverServer", Server)
    for options in ([], ["--grace", "0.5"]):
        assert run("serve", *options).exit_code == 0
    assert [config.grace_seconds for config in configs] == [ServerConfig().grace_seconds, 0.5]
    assert ServerConfig().grace_seconds == 5


def test_examples_are_valid() -> None:
    for name in examples.OBSERVATIONS:
        observation = json_format.Parse(examples.load(name), deal_pb2.Observation())
        assert observation.variant == name
    assert {*examples.OBSERVATIONS} == {*VARIANTS}
    for name in examples.DEALS:
        json_format.Parse(examples.load(name), rules_service_pb2.ReplayDealRequest())


def test_version() -> None:
    assert run("--version").stdout.startswith("tarocchi-solver ")


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        ({"duration": 5}, 'budget.duration: a duration such as "1.5s" is needed, not 5'),
        ({"duration": "-1s"}, "budget.duration: -1 s is no duration"),
        ({"duration": "0s"}, "budget.duration: 0 s is no duration"),
        ({"iterations": -3}, "budget.iterations: -3 is no cap"),
        ({"worlds": 1.5}, "budget.worlds: a whole number is needed, not 1.5"),
        ([], "budget: an object in braces is needed"),
    ],
)
def test_bad_budgets(value: dict[str, Any], budget: object, message: str) -> None:
    assert message in wrong(run("recommend", "-", stdin=json.dumps({"observation": value, "budget": budget})))
