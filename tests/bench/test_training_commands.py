"""The commands of `train`: the same options for the same things, in the cards of the data files too."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
import typer.main

from bench.command import run
from tarocchi_bench.training import shipping
from tarocchi_bench.training.commands import app
from tarocchi_bench.training.shipping import training_command

REPOSITORY = Path(__file__).resolve().parents[2]
DATA = REPOSITORY / shipping.SHIPPED_IN
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]


def test_every_command_names_its_folder_and_its_record() -> None:
    """No default, so that nothing that ships is replaced unasked."""
    assert set(COMMANDS) == {"play", "equity", "calibration", "levels"}
    for name, command in COMMANDS.items():
        required = {option for parameter in command.params if parameter.required for option in parameter.opts}
        assert {"--out", "--record-folder" if name == "levels" else "--record"} <= required, name


@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_is_played_without_a_folder(name: str, tmp_path: Path) -> None:
    told = {"play": "--variant bolognese --deals 2", "equity": "--deals 2", "calibration": "--variant bolognese"}
    kept = f"{'--record-folder' if name == 'levels' else '--record'} {tmp_path / 'kept'}"
    code, printed, said = run(f"train {name} {told.get(name, '--variant bolognese')} {kept}")
    assert (code, printed) == (2, "")
    assert "--out" in said
    assert not list(tmp_path.iterdir())


def check_command(words: list[str]) -> None:
    """Fails unless words are a command of `train` with all that it needs."""
    assert words[1:4] == ["-m", "tarocchi_bench", "train"]
    command = COMMANDS[words[4]]
    given = set(words[5::2])
    known = {option for parameter in command.params for option in parameter.opts}
    required = {parameter.opts[0] for parameter in command.params if parameter.required}
    assert required <= given <= known


@pytest.mark.parametrize("card", sorted(DATA.glob("*.json")), ids=str)
def test_cards_have_commands_that_can_be_typed(card: Path) -> None:
    words = shlex.split(json.loads(card.read_text("utf-8"))["command"])
    check_command(words)
    assert words[-2:] == ["--out", shipping.SHIPPED_IN]


def test_the_readme_has_commands_that_can_be_typed() -> None:
    text = (REPOSITORY / "README.md").read_text("utf-8").replace("\\\n", " ")
    found = re.findall(r"^    (\S+python -m tarocchi_bench train .*)$", text, re.MULTILINE)
    assert len(found) == len(COMMANDS)
    for line in found:
        check_command(shlex.split(line))


@pytest.mark.parametrize(
    ("out", "told"),
    [
        ("solver/tarocchi_solver/data", "solver/tarocchi_solver/data"),
        ("/somewhere/else/data", "data"),
        ("../data", "data"),
        (".", "."),
    ],
)
def test_commands_in_cards_name_no_place_of_this_machine(out: str, told: str) -> None:
    command = training_command("equity", record="deals.jsonl", out=Path(out))
    assert command == f"python -m tarocchi_bench train equity --record deals.jsonl --out {told}"
