"""Arrays learned from self-play that the package brings along, each with a card that says where it comes from.

`NAME.npz` holds the arrays. `NAME.json` holds the command that makes them again, what went into it, the revision of
the rules, and the SHA-256 of the arrays, which is checked whenever they are read.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Arrays = dict[str, npt.NDArray[Any]]


class DataFileError(Exception):
    """Says which data file of the package cannot be used, why, and what helps."""


def data_folder() -> Traversable:
    """Returns the folder of the package's data files."""
    return files("tarocchi_solver") / "data"


def load_arrays(name: str, rules_revision: int, folder: Traversable | None = None) -> Arrays:
    """Returns the arrays of data file `name`; raises `DataFileError` if it is missing, damaged or out of date.

    Args:
        name: of the files, without an ending.
        rules_revision: of the game that the arrays are about; they have to be made for the same.
        folder: where the files lie, the package's own folder if None.
    """
    folder = data_folder() if folder is None else folder
    arrays_file, card_file = folder / f"{name}.npz", folder / f"{name}.json"
    try:
        content = arrays_file.read_bytes()
        text = card_file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataFileError(f"{name}: a data file of the package cannot be read ({error}): install it again") from error
    try:
        card = json.loads(text)
        digest, revision, command = card["sha256"], card["rules_revision"], card["command"]
    except (ValueError, KeyError, TypeError) as error:
        raise DataFileError(f"{card_file.name}: no card of a data file ({error}): install the package again") from error
    if digest != hashlib.sha256(content).hexdigest():
        raise DataFileError(
            f"{arrays_file.name}: not the file that {card_file.name} tells of (its SHA-256 differs): install the "
            f"package again, or make both again by `{command}`"
        )
    if revision != rules_revision:
        raise DataFileError(
            f"{arrays_file.name}: made for revision {revision} of the rules, and these are revision {rules_revision}: "
            f"make it again by `{command}`"
        )
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as stored:
            return {key: stored[key] for key in stored.files}
    except (ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise DataFileError(f"{arrays_file.name}: holds no arrays ({error}): make it again by `{command}`") from error


def save_arrays(folder: Path, name: str, arrays: Arrays, card: dict[str, Any]) -> None:
    """Writes a data file and its card, which has to hold `command` and `rules_revision`; the hash is added here."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    content = buffer.getvalue()
    (folder / f"{name}.npz").write_bytes(content)
    whole = {**card, "sha256": hashlib.sha256(content).hexdigest()}
    (folder / f"{name}.json").write_text(json.dumps(whole, indent=2) + "\n", "utf-8")
