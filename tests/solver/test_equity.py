"""The equity table that comes with the package, and what is said about data files that cannot be used."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from tarocchi_engine import get_variant
from tarocchi_solver.search.data_files import DataFileError, data_folder, load_arrays, save_arrays
from tarocchi_solver.search.equity import SCALE, equity_name, equity_table, race_chances

OTTOCENTO = get_variant("ottocento")
OTHER_DEALS, OWN_DEAL = (equity_table(OTTOCENTO, own_deal) for own_deal in (False, True))


def test_one_side_wins() -> None:
    assert np.all(OWN_DEAL[:800, :800] + OTHER_DEALS[:800, :800].T == SCALE)
    assert OWN_DEAL[800, 800] + OTHER_DEALS[800, 800] == SCALE


def test_every_point_helps() -> None:
    for table in (OWN_DEAL, OTHER_DEALS):
        assert np.all(np.diff(table[:800, :800], axis=0) >= 0)
        assert np.all(np.diff(table[:800, :800], axis=1) <= 0)
        assert 0 <= table[0, 799] < table[0, 0] < table[799, 0] <= SCALE
        assert table.dtype == np.int32


def test_to_deal_is_worth_something() -> None:
    """The dealer has two cards more; near the target it may also call itself out."""
    assert np.mean(OWN_DEAL[:800, :800] > OTHER_DEALS[:800, :800]) > 0.95
    assert 0.5 < OWN_DEAL[0, 0] / SCALE < 0.6


def test_the_edge_is_decided() -> None:
    own = np.array([800.0, 799.0, 900.0, 850.0, 850.0, 800.0])
    other = np.array([799.0, 800.0, 850.0, 900.0, 850.0, 800.0])
    chances = race_chances(own, other, OTTOCENTO, own_deal=True)
    assert chances[:4].tolist() == [1.0, 0.0, 1.0, 0.0]
    assert chances[4] == chances[5] == OWN_DEAL[800, 800] / SCALE


def test_the_card_tells_how_the_table_was_made() -> None:
    card = json.loads((data_folder() / f"{equity_name(OTTOCENTO)}.json").read_text("utf-8"))
    for part in ("train equity", f"--seed {card['seed']}", f"--deals {card['deals']}", "--agent"):
        assert part in card["command"]
    assert card["agent"] in card["command"]
    assert card["deals"] >= 500


# --- data files that cannot be used ---


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    save_arrays(tmp_path, "some", {"numbers": np.arange(3)}, {"command": "train some", "rules_revision": 4})
    return tmp_path


def test_what_was_saved_is_loaded(stored: Path) -> None:
    assert load_arrays("some", 4, stored)["numbers"].tolist() == [0, 1, 2]


def test_a_missing_file(stored: Path) -> None:
    with pytest.raises(DataFileError, match=r"other: a data file of the package cannot be read .* install it again"):
        load_arrays("other", 4, stored)
    (stored / "some.json").unlink()
    with pytest.raises(DataFileError, match="some: a data file"):
        load_arrays("some", 4, stored)


def test_a_changed_file(stored: Path) -> None:
    file = stored / "some.npz"
    file.write_bytes(file.read_bytes() + b"\0")
    with pytest.raises(DataFileError, match=r"some\.npz: not the file that some\.json tells of .* `train some`"):
        load_arrays("some", 4, stored)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"sha256": "00"}'])
def test_a_damaged_card(stored: Path, text: str) -> None:
    (stored / "some.json").write_text(text)
    with pytest.raises(DataFileError, match=r"some\.json: no card of a data file"):
        load_arrays("some", 4, stored)


def test_data_of_older_rules(stored: Path) -> None:
    with pytest.raises(DataFileError, match="revision 4 of the rules, and these are revision 5: make it again"):
        load_arrays("some", 5, stored)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no archive", b"text"])
def test_what_holds_no_arrays(stored: Path, content: bytes) -> None:
    (stored / "some.npz").write_bytes(content)
    card = json.loads((stored / "some.json").read_text())
    card["sha256"] = hashlib.sha256(content).hexdigest()
    (stored / "some.json").write_text(json.dumps(card))
    with pytest.raises(DataFileError, match=r"some\.npz: holds no arrays"):
        load_arrays("some", 4, stored)
