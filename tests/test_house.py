"""The layout of the house, enforced by reading the files: imports run one way only, files stay readable."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
ROOTS = {"tarocchi_engine": "engine", "tarocchi_solver": "solver", "tarocchi": "proto", "tarocchi_bench": "bench"}
MAX_LINES = 400
MAX_TEST_LINES = 600
# The packages, the parts of the solver with a door of their own, the contract between them, the referee, the examples.
FOLDERS_OF_PACKAGES = {"engine", "solver", "proto", "bench", "search", "service", "client", "cli", "openspiel"}
TEST_FOLDERS = FOLDERS_OF_PACKAGES | {"contract", "naive", "examples"}
TEXT_SUFFIXES = {".py", ".md", ".toml", ".proto", ".jsonl", ".json", ".yml", ".yaml", ".txt", ".cfg", ""}
SKIPPED_FOLDERS = {
    "dist",
    "build",
    "bench-results",
    ".git",
    ".venv",
    "node_modules",
    "__pycache__",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".hypothesis",
}

# The layers of the engine, lowest first; a module imports from its own layer or a lower one.
# A folder stands for all its modules.
ENGINE_LAYERS = (
    ("dispatching",),
    ("compilation", "cards", "errors"),
    ("moves",),
    ("options", "selection"),
    ("bits", "layout"),
    ("rng", "combinations"),
    ("scoring",),
    ("play",),
    ("variant",),
    ("bolognese_rules", "match"),
    ("variants",),
    ("record",),
    ("evidence",),
    ("table",),
    ("legality", "position"),
    ("observation",),
    ("facts", "state"),
    ("conformance",),
)


def module_name(path: Path) -> str:
    for package, root in ROOTS.items():
        if path.is_relative_to(REPOSITORY / root / package):
            parts = path.relative_to(REPOSITORY / root).with_suffix("").parts
            return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    raise ValueError(f"{path} lies in no package")


def nodes_that_run(tree: ast.AST) -> Iterator[ast.AST]:
    """Yields the nodes of a file, without what only type checkers read."""
    if isinstance(tree, ast.If) and isinstance(tree.test, ast.Name) and tree.test.id == "TYPE_CHECKING":
        return
    yield tree
    for child in ast.iter_child_nodes(tree):
        yield from nodes_that_run(child)


def imports_of(path: Path) -> Iterator[str]:
    """Yields the full names of all modules that a file imports, wherever in the file, but for types alone."""
    package = module_name(path).split(".")
    if path.stem != "__init__":
        package = package[:-1]
    for node in nodes_that_run(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            yield origin
            yield from (f"{origin}.{alias.name}" for alias in node.names)


MODULES = {
    module_name(path): path
    for package, root in ROOTS.items()
    for path in sorted((REPOSITORY / root / package).rglob("*.py"))
}
IMPORTS = {name: set(imports_of(path)) for name, path in MODULES.items()}


def below(name: str, *packages: str) -> bool:
    """Tells whether a module is one of the packages or lies in one."""
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def offences(importer: str, *forbidden: str, allowed: tuple[str, ...] = ()) -> list[str]:
    """Returns "module imports other" for every forbidden import below `importer`."""
    return [
        f"{name} imports {other}"
        for name, others in IMPORTS.items()
        if below(name, importer) and not below(name, *allowed)
        for other in sorted(others)
        if below(other, *forbidden)
    ]


def test_the_reader_sees_imports() -> None:
    assert "tarocchi_engine.table" in IMPORTS["tarocchi_engine.observation"]
    assert "tarocchi_engine.record.Phase" in IMPORTS["tarocchi_engine.observation"]
    assert offences("tarocchi_engine", "numba")


def test_the_engine_knows_nothing_of_what_is_built_on_it() -> None:
    wire = ("grpc", "grpc_health", "grpc_reflection", "google", "asyncio")
    assert offences("tarocchi_engine", "tarocchi_solver", "tarocchi_bench", "tarocchi", *wire, "typer", "rich") == []


def test_search_knows_nothing_of_the_wire() -> None:
    wire = ("grpc", "grpc_health", "grpc_reflection", "grpc_status", "google", "asyncio", "tarocchi")
    doors = ("tarocchi_solver.service", "tarocchi_solver.client", "tarocchi_solver.cli", "tarocchi_bench")
    assert offences("tarocchi_solver.search", *wire, *doors, "typer", "rich") == []


def test_the_service_does_not_know_its_callers() -> None:
    assert offences("tarocchi_solver.service", "tarocchi_solver.cli", "tarocchi_solver.client", "tarocchi_bench") == []


def test_the_client_needs_neither_search_nor_service() -> None:
    assert offences("tarocchi_solver.client", "tarocchi_solver.search", "tarocchi_solver.service", "numba") == []


def test_openspiel_is_met_in_its_adapter_alone() -> None:
    adapter = "tarocchi_solver.openspiel"
    assert offences("tarocchi_engine", "pyspiel", "open_spiel") == []
    assert offences("tarocchi_solver", "pyspiel", "open_spiel", adapter, allowed=(adapter,)) == []
    match, peer = "tarocchi_bench.openspiel_match", "tarocchi_bench.speed.openspiel_peer"
    assert offences("tarocchi_bench", "pyspiel", "open_spiel", adapter, allowed=(match, peer)) == []
    assert offences("tarocchi_bench.speed", "open_spiel", adapter, "tarocchi_solver.openspiel") == []


def test_nothing_imports_the_bench() -> None:
    for package in ("tarocchi_engine", "tarocchi_solver", "tarocchi"):
        assert offences(package, "tarocchi_bench") == []


def test_generated_code_is_met_only_at_the_doors() -> None:
    doors = ("tarocchi_solver.service", "tarocchi_solver.client", "tarocchi_solver.cli")
    assert offences("tarocchi_solver", "tarocchi", allowed=doors) == []
    assert offences("tarocchi", "tarocchi_engine", "tarocchi_solver") == []


def test_variants_do_not_know_each_other() -> None:
    package = "tarocchi_engine.variants"
    variants = [name for name in MODULES if name.startswith(f"{package}.")]
    assert len(variants) >= 2
    assert [offence for name in variants for offence in offences(name, package)] == []


def engine_layer(name: str) -> int:
    part = name.split(".")[1]
    for layer, parts in enumerate(ENGINE_LAYERS):
        if part in parts:
            return layer
    raise AssertionError(f"{name} belongs to no layer: give it a place in ENGINE_LAYERS")


def test_the_engine_is_layered() -> None:
    modules = [name for name in MODULES if name.startswith("tarocchi_engine.")]
    upward = [
        f"{name} imports {other}"
        for name in modules
        for other in sorted(IMPORTS[name])
        if other.startswith("tarocchi_engine.") and engine_layer(other) > engine_layer(name)
    ]
    assert upward == []
    assert [name for name in modules if "tarocchi_engine" in IMPORTS[name]] == [], "modules import the package's face"


def test_no_module_imports_itself_in_a_circle() -> None:
    graph = {
        name: {other for other in others if other in MODULES and other != name} for name, others in IMPORTS.items()
    }
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " -> ".join((*path, name))
        if name not in done:
            for other in sorted(graph[name]):
                # a module may name the package that it lies in
                if not below(name, other):
                    visit(other, (*path, name))
            done.add(name)

    for name in sorted(graph):
        visit(name, ())


# --- files


def own_files(*suffixes: str) -> list[Path]:
    return [
        path
        for path in sorted(REPOSITORY.rglob("*"))
        if path.is_file()
        and path.suffix in suffixes
        and not SKIPPED_FOLDERS & set(path.relative_to(REPOSITORY).parts)
        and not any(part.endswith(".egg-info") for part in path.parts)
    ]


def is_generated(path: Path) -> bool:
    return path.is_relative_to(REPOSITORY / "proto")


@pytest.mark.parametrize("path", own_files(".py"), ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_files_are_documented_and_short(path: Path) -> None:
    """A longer file says in its docstring why it is long."""
    if is_generated(path):
        return
    text = path.read_text("utf-8")
    docstring = ast.get_docstring(ast.parse(text)) or ""
    if text.strip():
        assert docstring, "no module docstring"
    limit = MAX_TEST_LINES if path.is_relative_to(REPOSITORY / "tests") else MAX_LINES
    if text.count("\n") > limit:
        assert re.search(r"\blong\b", docstring), f"over {limit} lines and no word on why it is so long"


def test_no_text_holds_a_path_of_somebodys_machine() -> None:
    private = re.compile(r"(?<![\w.])/(?:home|root|Users|work|tmp|var/folders|mnt)/\w|\b[A-Z]:\\\w")
    found = []
    for path in own_files(*TEXT_SUFFIXES):
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.split("\n"), start=1):
            if private.search(line) and path != Path(__file__).resolve():
                found.append(f"{path.relative_to(REPOSITORY)}:{number}: {line.strip()[:80]}")
    assert found == []


def test_tests_mirror_the_packages() -> None:
    folders = {path.name for path in (REPOSITORY / "tests").iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders <= TEST_FOLDERS
    assert {"engine", "naive"} <= folders


def test_packages_say_that_they_are_typed() -> None:
    for package in ("tarocchi_engine", "tarocchi_solver"):
        assert (REPOSITORY / ROOTS[package] / package / "py.typed").exists()
