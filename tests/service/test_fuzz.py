"""Whatever bytes come in: an answer goes out, or a refusal that machines and people can read."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from google.protobuf.message import Message
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service_support import in_the_middle, observed, warm_up_once
from tarocchi.solver.v1 import rules_service_pb2
from tarocchi.solver.v1 import solver_service_pb2 as pb
from tarocchi_bench.fuzz.fuzzing import Fuzzer, findings_of
from tarocchi_bench.fuzz.mutations import mutated
from tarocchi_bench.fuzz.paths import is_path
from tarocchi_bench.fuzz.real_requests import real_requests
from tarocchi_bench.fuzz.request_path import RequestPath
from tarocchi_bench.records import RecordError
from tarocchi_engine import VARIANTS
from tarocchi_solver.service import requests, rules_service

FUZZING = "tarocchi_bench.fuzz.fuzzing"
EXAMPLES = settings(
    max_examples=250, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None
)
METHODS = [
    *("RecommendMove", "BatchRecommendMoves", "AnalyzePosition", "GetBeliefs", "GetServerInfo", "ListVariants"),
    *("ListLegalMoves", "ValidateObservation", "NewDeal", "ReplayDeal", "ReviewDeal"),
]


@pytest.fixture(scope="module")
def path() -> Iterator[RequestPath]:
    warm_up_once()
    path = RequestPath()
    yield path
    path.close()


@cache
def real() -> dict[str, list[bytes]]:
    """Returns requests of every method, about a deal of every variant."""
    found: dict[str, list[bytes]] = {method: [] for method in METHODS}
    draw = random.Random(1)
    for variant in VARIANTS:
        for method, message in real_requests(draw, variant):
            found[method].append(message.SerializeToString())
    return found


def test_every_method_is_tried(path: RequestPath) -> None:
    assert sorted(path.requests) == sorted(METHODS)


@pytest.mark.parametrize("method", METHODS)
def test_real_requests_are_answered(path: RequestPath, method: str) -> None:
    # of deals that are broken off a few ask a seat that is not to move
    codes = {path.outcome(method, data).code for data in real()[method]}
    assert "OK" in codes
    assert codes <= {"OK", "FAILED_PRECONDITION"}


@EXAMPLES
@given(method=st.sampled_from(METHODS), data=st.binary(max_size=200))
def test_any_bytes(path: RequestPath, method: str, data: bytes) -> None:
    assert path.outcome(method, data).complaint == ""


@EXAMPLES
@given(method=st.sampled_from([*METHODS[:1], *METHODS[6:10] * 3]), seed=st.integers(0, 2**32))
def test_any_mutated_request(path: RequestPath, method: str, seed: int) -> None:
    draw = random.Random(seed)
    data = draw.choice(real()[method])
    for _ in range(draw.randint(1, 3)):
        data = mutated(draw, path.requests[method], data, real()[draw.choice(METHODS)])
    assert path.outcome(method, data).complaint == ""


@pytest.mark.parametrize(
    "field",
    [
        *("observation", "observation.hand", "observation.hand[3]", "observation.events[7].play.card"),
        *("observation.options", "observation.options[a.b]]", "observation.standing.scores", "budget.duration"),
    ],
)
def test_a_path_of_a_field(field: str) -> None:
    assert is_path(pb.RecommendMoveRequest.DESCRIPTOR, field)


@pytest.mark.parametrize(
    "field",
    [
        *("", "hand", "observation.", "observation.cards", "observation[0]", "observation.events.seat"),
        *("observation.seat.card", "observation.options[", "observation.hand[x]", "observation.events[-1]"),
    ],
)
def test_no_path_of_a_field(field: str) -> None:
    assert not is_path(pb.RecommendMoveRequest.DESCRIPTOR, field)


# what the fuzzer itself would notice


def test_a_crash_is_a_finding_that_can_be_replayed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = tmp_path / "fuzz.jsonl"

    def crash(*args: object) -> None:
        raise IndexError("out of cards")

    with monkeypatch.context() as broken:
        broken.setattr(rules_service, "parse_variant", crash)
        broken.setattr(f"{FUZZING}.real_requests", only_new_deals)
        broken.setattr(f"{FUZZING}.warm_up", lambda: None)
        fuzzer = Fuzzer(1, record, lines=False)
        report = fuzzer.run(30)
        fuzzer.close()
    assert not report.is_clean
    assert "NewDeal: INTERNAL because of IndexError('out of cards')" in report.findings
    found = findings_of(record)
    assert len(found) == len(report.findings)
    fuzzer = Fuzzer(1)
    assert fuzzer.replay(found).is_clean
    fuzzer.close()


def only_new_deals(draw: random.Random, variant: str) -> Iterator[tuple[str, Message]]:
    for method in METHODS:
        yield method, rules_service_pb2.NewDealRequest(variant=variant)


def only_quick_methods(draw: random.Random, variant: str) -> Iterator[tuple[str, Message]]:
    for method, message in real_requests(draw, variant):
        if method in ("ReviewDeal", "GetBeliefs", "BatchRecommendMoves", "AnalyzePosition"):
            message.Clear()
        yield method, message


def test_a_field_that_is_none_is_a_finding(path: RequestPath, monkeypatch: pytest.MonkeyPatch) -> None:
    request = pb.RecommendMoveRequest(observation=observed(in_the_middle()))
    request.observation.hand[0] = "XX"
    data = request.SerializeToString()
    assert path.outcome("RecommendMove", data).told[0] == ("observation.hand[0]", "UNKNOWN_CARD")
    real_reader = requests.parse_cards

    def astray(pack: object, ids: object, faults: object, path: str) -> int | None:
        return real_reader(pack, ids, faults, path.replace("hand", "cards"))  # type: ignore[arg-type]

    monkeypatch.setattr(requests, "parse_cards", astray)
    assert "no field of the request: 'observation.cards[0]'" in path.outcome("RecommendMove", data).complaint


def test_a_run_goes_on_from_its_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{FUZZING}._FIRST_DEALS", 1)
    monkeypatch.setattr(f"{FUZZING}.real_requests", only_quick_methods)
    monkeypatch.setattr(f"{FUZZING}.BLOCK", 20)
    monkeypatch.setattr(f"{FUZZING}.warm_up", lambda: None)
    record = tmp_path / "fuzz.jsonl"
    fuzzer = Fuzzer(3, record)
    first = fuzzer.run(20)
    fuzzer.close()
    assert first.is_clean
    assert first.messages == 20
    assert 0 < first.lines_reached <= first.lines_known
    kept = first.kept
    fuzzer = Fuzzer(3, record)
    both = fuzzer.run(40)
    fuzzer.close()
    assert both.messages == 40
    assert both.kept >= kept
    kinds = [json.loads(line)["kind"] for line in record.read_text("utf-8").splitlines()]
    assert kinds.count("done") == 2
    assert kinds.count("kept") == both.kept
    with pytest.raises(RecordError, match="its seed is 3, not 4"):
        Fuzzer(4, record)
