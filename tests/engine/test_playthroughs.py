"""Whole deals against their golden texts, which show at a glance how each variant and contract is played."""

from __future__ import annotations

import difflib
from collections import Counter

import pytest

from playthroughs import FOLDER, PLAYTHROUGHS, Playthrough, path_of, play, tell
from tarocchi_engine.moves import Play
from tarocchi_engine.variant import Ending
from tarocchi_engine.variants import VARIANTS


@pytest.mark.parametrize("playthrough", PLAYTHROUGHS, ids=lambda playthrough: playthrough.name)
def test_the_deal_is_played_as_written(playthrough: Playthrough) -> None:
    """After a wanted change: `python tests/playthroughs.py` writes the texts anew."""
    written = path_of(playthrough).read_text("utf-8").splitlines()
    told = tell(play(playthrough)).splitlines()
    assert not list(difflib.unified_diff(written, told, "written", "played", lineterm=""))


def test_every_ending_and_contract_is_among_them() -> None:
    finals = [play(playthrough) for playthrough in PLAYTHROUGHS]
    assert {state.variant.name for state in finals} == set(VARIANTS)
    assert {state.score().ending for state in finals} == set(Ending)
    assert {str(state.table.contract) for state in finals} == {"None", "gioco", "solo"}
    signals = Counter(event.move.signal for state in finals for event in state.events if isinstance(event.move, Play))
    assert len(signals) == 4, "every signal, and none"
    assert any(state.table.given is not None for state in finals)
    assert any(state.table.discarder is None and state.stock for state in finals)
    assert {path.stem for path in FOLDER.glob("*.txt")} == {playthrough.name for playthrough in PLAYTHROUGHS}
