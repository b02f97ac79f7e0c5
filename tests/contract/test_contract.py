"""The contract: generated code in step with its sources, additions only, and no way to send hidden cards."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from google.protobuf import descriptor_pb2
from google.protobuf.descriptor import Descriptor, FieldDescriptor

from tarocchi.solver.v1 import deal_pb2, review_service_pb2, rules_service_pb2, solver_service_pb2
from tarocchi_solver.client.json_form import is_repeated, map_value

PROTO = Path(__file__).resolve().parents[2] / "proto"
MODULES = (deal_pb2, rules_service_pb2, solver_service_pb2, review_service_pb2)


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("contract_generator", PROTO / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_generated_code_belongs_to_its_sources(generator: ModuleType) -> None:
    record = json.loads((PROTO / "contract.json").read_text())
    remedy = "run `make proto` and commit what it writes"
    assert generator.digests(generator.source_paths()) == record["sources"], remedy
    assert generator.digests(generator.generated_paths()) == record["generated"], remedy
    assert generator.descriptors_digest(generator.current_contract()) == record["descriptors"], remedy


def test_v1_changes_by_addition_only(generator: ModuleType) -> None:
    baseline = descriptor_pb2.FileDescriptorSet.FromString((PROTO / "baseline.binpb").read_bytes())
    assert list(generator.find_breaking_changes(baseline, generator.current_contract())) == []


def test_breaking_changes_are_found(generator: ModuleType) -> None:
    old = generator.current_contract()
    for break_it in (
        lambda new: discard(new).field[0].ClearField("label"),
        lambda new: discard(new).field.pop(),
        lambda new: new.file[0].enum_type[0].value.pop(),
        lambda new: new.file[1].service[0].method.pop(),
        lambda new: new.file[1].message_type.pop(),
        lambda new: setattr(discard(new).field[0], "number", 9),
        lambda new: setattr(discard(new).field[0], "name", "other"),
        lambda new: discard(new).field[1].ClearField("proto3_optional"),
        lambda new: setattr(entry_of_a_map(new).field[1], "type", FieldDescriptor.TYPE_BYTES),
    ):
        new = generator.current_contract()
        break_it(new)
        assert list(generator.find_breaking_changes(old, new))
    grown = generator.current_contract()
    grown.file[0].message_type.add(name="Novelty")
    discard(grown).field.add(name="more", number=99, type=5, label=1)
    assert list(generator.find_breaking_changes(old, grown)) == []


def discard(contract: descriptor_pb2.FileDescriptorSet) -> descriptor_pb2.DescriptorProto:
    return next(message for message in contract.file[0].message_type if message.name == "Discard")


def entry_of_a_map(contract: descriptor_pb2.FileDescriptorSet) -> descriptor_pb2.DescriptorProto:
    observation = next(message for message in contract.file[0].message_type if message.name == "Observation")
    return observation.nested_type[0]


def test_ranges_and_raw_scores_are_part_of_every_move() -> None:
    statistics, bounds = solver_service_pb2.MoveStatistics.DESCRIPTOR, solver_service_pb2.ScoreRange.DESCRIPTOR
    assert [field.name for field in bounds.fields] == ["low", "high", "probability"]
    assert statistics.fields_by_name["score_range"].message_type is bounds
    # a score of 0 that is safe differs from one that is not known
    assert statistics.fields_by_name["safe_score"].has_presence
    assert not statistics.fields_by_name["raw_score"].has_presence


def reachable(start: Descriptor) -> Iterator[Descriptor]:
    """Yields all kinds of messages that a message can contain, itself included."""
    seen = {start.full_name}
    pending = [start]
    while pending:
        message = pending.pop()
        yield message
        for field in message.fields:
            if field.message_type is not None and field.message_type.full_name not in seen:
                seen.add(field.message_type.full_name)
                pending.append(field.message_type)


def test_no_request_of_the_solver_can_hold_more_than_one_hand() -> None:
    service = solver_service_pb2.DESCRIPTOR.services_by_name["SolverService"]
    requests = [method.input_type for method in service.methods]
    assert requests
    for request in requests:
        kinds = {message.name: message for message in reachable(request)}
        assert not {"Deal", "Hand", "DealScore", "ReplayDealRequest", "ReplayDealResponse"} & set(kinds)
        holders = [
            field
            for message in kinds.values()
            for field in message.fields
            if "hand" in field.name or field.name == "stock"
        ]
        if "Observation" in kinds:
            assert [field.full_name for field in holders] == ["tarocchi.solver.v1.Observation.hand"]
            # and an observation stands in the request once
            uses = [
                field
                for message in kinds.values()
                for field in message.fields
                if field.message_type is not None and field.message_type.name == "Observation"
            ]
            assert len(uses) == 1
            assert not is_repeated(uses[0])
            # of a batch each request is a question of its own, with one observation
            assert (
                "RecommendMoveRequest" not in kinds
                or request.name.endswith("RecommendMovesRequest")
                or (request.name == "RecommendMoveRequest")
            )
        else:
            assert holders == []


def test_lists_of_cards_in_requests_of_the_solver_are_known() -> None:
    """A new list of cards in a request has to be thought about: may the seat know these cards?"""
    service = solver_service_pb2.DESCRIPTOR.services_by_name["SolverService"]
    lists = {
        field.full_name.removeprefix("tarocchi.solver.v1.")
        for method in service.methods
        for message in reachable(method.input_type)
        for field in message.fields
        if field.type == FieldDescriptor.TYPE_STRING and is_repeated(field)
    }
    assert lists == {"Observation.hand", "Discard.cards", "Declare.cards", "CallOut.cards"}


def test_no_maps_in_answers_of_the_solver() -> None:
    """Maps have no fixed order on the wire: an answer with one would not be the same bytes every time."""
    service = solver_service_pb2.DESCRIPTOR.services_by_name["SolverService"]
    for method in service.methods:
        assert not [message.full_name for message in reachable(method.output_type) if message.GetOptions().map_entry]


def test_only_rule_options_are_maps() -> None:
    maps = {
        field.full_name.removeprefix("tarocchi.solver.v1.")
        for module in MODULES
        for message in module.DESCRIPTOR.message_types_by_name.values()
        for field in message.fields
        if map_value(field) is not None
    }
    assert maps == {"Observation.options", "Deal.options", "NewDealRequest.options"}


def test_what_is_played_is_said_alike_everywhere() -> None:
    for message in (deal_pb2.Observation, rules_service_pb2.Deal, rules_service_pb2.NewDealRequest):
        fields = message.DESCRIPTOR.fields_by_name
        assert {"variant", "dealer", "options", "standing"} <= set(fields)
        assert fields["standing"].message_type.name == "MatchStanding"


def test_everything_is_documented() -> None:
    declaration = re.compile(
        r"\s*(message|enum|service|rpc|oneof|repeated|optional) |\s*(map<.+> |[\w.]+ )?\w+ = \d+;", re.ASCII
    )
    for path in sorted((PROTO / "tarocchi" / "solver" / "v1").glob("*.proto")):
        lines = path.read_text().splitlines()
        for above, line in zip(["", *lines], lines, strict=False):
            if declaration.match(line):
                assert above.strip().startswith("//"), f"{path.name}: {line.strip()}"


def test_names_follow_the_style() -> None:
    for module in MODULES:
        file = module.DESCRIPTOR
        for enum in file.enum_types_by_name.values():
            prefix = re.sub(r"(?<!^)(?=[A-Z])", "_", enum.name).upper()
            assert enum.values[0].name == f"{prefix}_UNSPECIFIED"
            assert all(value.name.startswith(f"{prefix}_") for value in enum.values)
        for service in file.services_by_name.values():
            assert service.name.endswith("Service")
            for method in service.methods:
                assert method.input_type.name == f"{method.name}Request"
                assert method.output_type.name == f"{method.name}Response"
        for message in file.message_types_by_name.values():
            assert all(re.fullmatch(r"[a-z][a-z0-9_]*", field.name) for field in message.fields)


def test_a_move_reads_like_an_event() -> None:
    move, event = deal_pb2.Move.DESCRIPTOR, deal_pb2.Event.DESCRIPTOR
    kinds = {field.name: field.number for field in move.fields}
    assert kinds == {field.name: field.number for field in event.fields if field.name != "seat"}
    for kind in (move, event):
        assert [oneof.name for oneof in kind.oneofs if len(oneof.fields) > 1] == ["action"]


def test_what_has_to_be_given_can_be_told_from_its_default() -> None:
    observation, deal = deal_pb2.Observation.DESCRIPTOR, rules_service_pb2.Deal.DESCRIPTOR
    for kind, name in (
        *[(observation, "seat"), (observation, "dealer"), (deal_pb2.Event.DESCRIPTOR, "seat"), (deal, "dealer")],
        (rules_service_pb2.NewDealRequest.DESCRIPTOR, "dealer"),
        (deal_pb2.Monte.DESCRIPTOR, "throws_in"),
    ):
        assert kind.fields_by_name[name].has_presence


def test_every_answer_tells_what_made_it() -> None:
    for module in MODULES:
        for service in module.DESCRIPTOR.services_by_name.values():
            for method in service.methods:
                names = {field.name for message in reachable(method.output_type) for field in message.fields}
                assert {"solver_version", "rules_revision"} <= names, method.full_name
