"""Makes the Python code of the contract from the .proto files; run it by `make proto`.

It writes, beside each .proto file, the messages with their type stubs and the gRPC code with type stubs of its own,
and `contract.json` here: digests of all sources and results, so that a test can tell without any compiler whether the
committed code belongs to the committed .proto files. `--baseline` records the contract as released: from then on v1
may only grow, which `find_breaking_changes` checks.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from google.protobuf import descriptor_pb2

ROOT = Path(__file__).resolve().parent
PACKAGE = ROOT / "tarocchi" / "solver" / "v1"
RECORD = ROOT / "contract.json"
BASELINE = ROOT / "baseline.binpb"


def source_paths() -> list[Path]:
    """Returns the .proto files in a fixed order."""
    return sorted(PACKAGE.glob("*.proto"))


def generated_paths() -> list[Path]:
    """Returns the generated files in a fixed order."""
    return sorted([*PACKAGE.glob("*_pb2*.py"), *PACKAGE.glob("*_pb2*.pyi")])


def digests(paths: list[Path]) -> dict[str, str]:
    """Returns the SHA-256 of each file by its name."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def descriptors_digest(contract: descriptor_pb2.FileDescriptorSet) -> str:
    """Returns the SHA-256 of the descriptors of our own files."""
    files = sorted(contract.file, key=lambda file: file.name)
    own = [file.SerializeToString(deterministic=True) for file in files if file.name.startswith("tarocchi/")]
    return hashlib.sha256(b"".join(own)).hexdigest()


def compile_contract() -> descriptor_pb2.FileDescriptorSet:
    """Runs protoc over the .proto files and returns their descriptors."""
    import grpc_tools
    from grpc_tools import protoc

    include = Path(grpc_tools.__file__).parent / "_proto"
    sources = [path.relative_to(ROOT).as_posix() for path in source_paths()]
    with tempfile.TemporaryDirectory() as folder:
        descriptors = Path(folder) / "contract.binpb"
        arguments = ["protoc", f"--proto_path={ROOT}", f"--proto_path={include}", *sources]
        outputs = [f"--{kind}_out={ROOT}" for kind in ("python", "pyi", "grpc_python")]
        if protoc.main([*arguments, *outputs, f"--descriptor_set_out={descriptors}"]):
            raise SystemExit("protoc failed; its message is above")
        contract = descriptor_pb2.FileDescriptorSet.FromString(descriptors.read_bytes())
    for file in contract.file:
        for _, message in messages_of(file):
            for field in message.field:
                field.ClearField("json_name")  # follows from the name; generated code does not carry it
    return contract


def messages_of(file: descriptor_pb2.FileDescriptorProto) -> Iterator[tuple[str, descriptor_pb2.DescriptorProto]]:
    """Yields the full name and the descriptor of every message, entries of maps included."""
    pending = [(f"{file.package}.{message.name}", message) for message in file.message_type]
    while pending:
        name, message = pending.pop(0)
        yield name, message
        pending += [(f"{name}.{inner.name}", inner) for inner in message.nested_type]


def service_stub(file: descriptor_pb2.FileDescriptorProto) -> str:
    """Returns the type stub of the gRPC code of one .proto file, whose methods all take one request."""
    module = Path(file.name).stem + "_pb2"
    lines = [
        "from collections.abc import Iterator",
        "from typing import Any",
        "",
        "import grpc",
        f"from {file.package} import {module}",
    ]
    for service in file.service:
        methods = [
            (
                method.name,
                *(f"{module}.{kind.rsplit('.', 1)[1]}" for kind in (method.input_type, method.output_type)),
                method.server_streaming,
            )
            for method in service.method
        ]
        lines += ["", f"class {service.name}Stub:", "    def __init__(self, channel: grpc.Channel) -> None: ..."]
        lines += [
            f"    {name}: grpc.Unary{'Stream' if streams else 'Unary'}MultiCallable[{asked}, {told}]"
            for name, asked, told, streams in methods
        ]
        lines += ["", f"class {service.name}Servicer:"]
        lines += [
            f"    def {name}(self, request: {asked}, context: grpc.ServicerContext) -> "
            f"{f'Iterator[{told}]' if streams else told}: ..."
            for name, asked, told, streams in methods
        ]
        arguments = f"servicer: {service.name}Servicer, server: grpc.Server"
        lines += ["", f"def add_{service.name}Servicer_to_server({arguments}) -> Any: ..."]
    return "\n".join(lines) + "\n"


def generate() -> None:
    """Writes all generated files and their record."""
    for path in generated_paths():
        path.unlink()
    contract = compile_contract()
    for file in contract.file:
        grpc_code = PACKAGE / f"{Path(file.name).stem}_pb2_grpc.py"
        if file.service:
            grpc_code.with_suffix(".pyi").write_text(service_stub(file))
        else:
            grpc_code.unlink(missing_ok=True)
    record = {
        "descriptors": descriptors_digest(contract),
        "sources": digests(source_paths()),
        "generated": digests(generated_paths()),
    }
    RECORD.write_text(json.dumps(record, indent=2) + "\n")
    if not BASELINE.exists():
        BASELINE.write_bytes(contract.SerializeToString(deterministic=True))


def find_breaking_changes(
    old: descriptor_pb2.FileDescriptorSet, new: descriptor_pb2.FileDescriptorSet
) -> Iterator[str]:
    """Yields everything in `old` that `new` lacks or has changed, so nothing if `new` only adds."""
    now = dict(_promises(new))
    for name, promise in _promises(old):
        if name not in now:
            yield f"{name} is gone"
        elif now[name] != promise:
            yield f"{name} was {promise} and is {now[name]}"


def _promises(contract: descriptor_pb2.FileDescriptorSet) -> Iterator[tuple[str, object]]:
    """Yields the name of each thing that clients rely on and what they rely on."""
    for file in contract.file:
        for service in file.service:
            for method in service.method:
                streams = (method.client_streaming, method.server_streaming)
                yield f"{file.package}.{service.name}.{method.name}", (method.input_type, method.output_type, streams)
        for enum in file.enum_type:
            for value in enum.value:
                yield f"{file.package}.{value.name}", (enum.name, value.number)
        for name, message in messages_of(file):
            yield name, "message"
            for field in message.field:
                group = message.oneof_decl[field.oneof_index].name if field.HasField("oneof_index") else None
                shape = (field.number, field.type, field.label, field.type_name, field.proto3_optional, group)
                yield f"{name}.{field.name}", shape


def current_contract() -> descriptor_pb2.FileDescriptorSet:
    """Returns the descriptors that the generated code carries."""
    from tarocchi.solver.v1 import deal_pb2, review_service_pb2, rules_service_pb2, solver_service_pb2

    contract = descriptor_pb2.FileDescriptorSet()
    for module in (deal_pb2, rules_service_pb2, solver_service_pb2, review_service_pb2):
        contract.file.add().ParseFromString(module.DESCRIPTOR.serialized_pb)
    return contract


def record_baseline() -> None:
    """Makes the present contract the one that later versions must keep."""
    sys.path.insert(0, str(ROOT))
    contract = current_contract()
    old = descriptor_pb2.FileDescriptorSet.FromString(BASELINE.read_bytes())
    if changes := list(find_breaking_changes(old, contract)):
        raise SystemExit("v1 changes by addition only:\n" + "\n".join(changes))
    BASELINE.write_bytes(contract.SerializeToString(deterministic=True))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--baseline", action="store_true", help="record the present contract as released")
    if parser.parse_args().baseline:
        record_baseline()
    else:
        generate()
