"""The kernel cache: never stale, never in the way, and healed when damaged.

A tiny package stands for the engine's sources. Importing it anew, with the cache folder looked up anew, is a
restart as far as kernels are concerned; one test runs whole processes on a copy of the engine.
"""

from __future__ import annotations

import importlib
import logging
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from numba.core.caching import IndexDataCacheFile

import tarocchi_engine
from tarocchi_engine import compilation

ENGINE = Path(tarocchi_engine.__file__).parent
CALLEE = """
from tarocchi_engine.compilation import kernel

FACTOR = {factor}

@kernel
def scale(number):
    return number * FACTOR
"""
CALLER = """
from tarocchi_probe.callee import scale
from tarocchi_engine.compilation import kernel

@kernel
def scaled_plus_one(number):
    return scale(number) + 1
"""


@dataclass
class Probe:
    """A package of two kernels in a folder of its own, one calling the other across files."""

    folder: Path
    cache: Path

    def write(self, factor: int) -> None:
        package = self.folder / "tarocchi_probe"
        package.mkdir(parents=True, exist_ok=True)
        (package / "__init__.py").write_text("", "utf-8")
        (package / "callee.py").write_text(CALLEE.format(factor=factor), "utf-8")
        (package / "caller.py").write_text(CALLER, "utf-8")

    def restart(self) -> ModuleType:
        forget_probe()
        return importlib.import_module("tarocchi_probe.caller")

    def files(self, suffix: str) -> list[Path]:
        return sorted(self.cache.rglob(f"*scaled_plus_one*{suffix}"))


def forget_probe() -> None:
    compilation.cache_folder.cache_clear()
    compilation._temporary_root.cache_clear()
    compilation._unstored.clear()
    importlib.invalidate_caches()
    for name in [name for name in sys.modules if name.startswith("tarocchi_probe")]:
        del sys.modules[name]


def hits_and_misses(kernel: Any) -> tuple[int, int]:
    return sum(kernel.stats.cache_hits.values()), sum(kernel.stats.cache_misses.values())


@pytest.fixture
def probe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Probe]:
    cache = tmp_path / "cache"
    monkeypatch.setenv(compilation.CACHE_DIR_VARIABLE, str(cache))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(tmp_path / "sources")
    result = Probe(tmp_path / "sources", cache)
    result.write(factor=2)
    yield result
    forget_probe()


def test_a_second_start_compiles_nothing(probe: Probe) -> None:
    first = probe.restart()
    assert first.scaled_plus_one(3) == 7
    assert hits_and_misses(first.scaled_plus_one) == (0, 1)
    second = probe.restart()
    assert second.scaled_plus_one is not first.scaled_plus_one
    assert second.scaled_plus_one(4) == 9
    assert hits_and_misses(second.scaled_plus_one) == (1, 0)


def test_what_a_kernel_calls_is_stored_as_well(probe: Probe) -> None:
    assert probe.restart().scaled_plus_one(3) == 7
    for file in [*probe.files(".nbi"), *probe.files(".nbc")]:
        file.unlink()
    module = probe.restart()
    assert module.scaled_plus_one(3) == 7
    assert hits_and_misses(module.scaled_plus_one) == (0, 1)
    assert hits_and_misses(module.scale.inner) == (1, 0)
    assert module.scale(5) == 10
    assert hits_and_misses(module.scale) == (0, 1)


def test_an_edit_in_another_file_is_seen(probe: Probe) -> None:
    assert probe.restart().scaled_plus_one(3) == 7
    probe.write(factor=5)
    assert probe.restart().scaled_plus_one(3) == 16
    assert len(list(probe.cache.glob("kernels-*"))) == 2


def test_settings_of_the_compiler_have_their_own_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    before = compilation.sources_digest(ENGINE)
    assert compilation.sources_digest(ENGINE) == before
    monkeypatch.setattr(compilation.config, "CPU_NAME", "generic")
    assert compilation.sources_digest(ENGINE) != before


@pytest.mark.parametrize("damage", ["truncated", "garbage"])
@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_damaged_files_heal(probe: Probe, caplog: pytest.LogCaptureFixture, suffix: str, damage: str) -> None:
    assert probe.restart().scaled_plus_one(3) == 7
    (file,) = probe.files(suffix)
    whole = file.read_bytes()
    damaged = {"truncated": whole[: len(whole) // 2], "garbage": b"\x93not a pickle\xff" * 40}[damage]
    file.write_bytes(damaged)
    with caplog.at_level(logging.WARNING):
        healed = probe.restart()
        assert healed.scaled_plus_one(3) == 7
    assert hits_and_misses(healed.scaled_plus_one) == (0, 1)
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "compiling it again" in caplog.text
    assert file.read_bytes() != damaged
    again = probe.restart()
    assert again.scaled_plus_one(3) == 7
    assert hits_and_misses(again.scaled_plus_one) == (1, 0)


def test_a_single_wrong_bit_is_noticed(probe: Probe, caplog: pytest.LogCaptureFixture) -> None:
    """Also where all else of the file is as it was: machine code with a wrong byte would be run."""
    assert probe.restart().scaled_plus_one(3) == 7
    files = [path for path in probe.cache.rglob("*.nbc") if "scaled_plus_one" in path.name or "scale." in path.name]
    whole = {file: file.read_bytes() for file in files}
    for file, content in whole.items():
        for share in (0.3, 0.5, 0.7, 0.9):
            place = int(len(content) * share)
            file.write_bytes(content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :])
            caplog.clear()
            module = probe.restart()
            if "inner" in file.name:
                # the outer form takes its place unless it is compiled anew
                for outer in [*probe.files(".nbi"), *probe.files(".nbc")]:
                    if "inner" not in outer.name:
                        outer.unlink()
            assert module.scaled_plus_one(3) == 7
            assert "compiling it again" in caplog.text, (file, share)
            file.write_bytes(content)


def test_swapped_files_of_two_signatures_heal(probe: Probe, caplog: pytest.LogCaptureFixture) -> None:
    """What two processes can leave behind that start at the same time on an empty cache."""
    first = probe.restart()
    assert first.scaled_plus_one(3) == 7
    assert first.scaled_plus_one(1.5) == 4.0
    one, two = probe.files(".nbc")
    swapped = one.read_bytes(), two.read_bytes()
    two.write_bytes(swapped[0])
    one.write_bytes(swapped[1])
    second = probe.restart()
    assert second.scaled_plus_one(3) == 7
    assert second.scaled_plus_one(1.5) == 4.0
    assert "compiling it again" in caplog.text
    third = probe.restart()
    assert (third.scaled_plus_one(3), third.scaled_plus_one(1.5)) == (7, 4.0)
    assert hits_and_misses(third.scaled_plus_one) == (2, 0)


def test_a_foreign_object_in_a_file_heals(probe: Probe, caplog: pytest.LogCaptureFixture) -> None:
    assert probe.restart().scaled_plus_one(3) == 7
    (file,) = probe.files(".nbc")
    file.write_bytes(pickle.dumps({"something": "else"}))
    assert probe.restart().scaled_plus_one(3) == 7
    assert "compiling it again" in caplog.text


def test_without_a_writable_place_a_temporary_one_serves(
    probe: Probe, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("", "utf-8")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setenv(compilation.CACHE_DIR_VARIABLE, str(blocked / "below"))
    assert probe.restart().scaled_plus_one(3) == 7
    # the engine's own folder and the probe's share the place and the line in the log
    engine_folder = compilation.cache_folder(ENGINE)
    assert engine_folder is not None
    assert engine_folder.is_relative_to(temporary)
    (record,) = caplog.records
    assert compilation.CACHE_DIR_VARIABLE in record.getMessage()
    assert str(blocked / "below") in record.getMessage()
    assert str(temporary) in record.getMessage()
    assert list(temporary.rglob("*.nbc"))


@pytest.fixture
def read_only(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Makes a folder one that cannot be written, for root as well."""

    def shut(folder: Path) -> None:
        real = tempfile.TemporaryFile

        def refuse(*args: Any, **options: Any) -> Any:
            if Path(options.get("dir", "/")).is_relative_to(folder):
                raise PermissionError(13, "Permission denied")
            return real(*args, **options)

        def refuse_index(self: Any, *_args: Any) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
        monkeypatch.setattr(IndexDataCacheFile, "save", refuse_index)

    return shut


def test_a_filled_folder_that_cannot_be_written_is_read(
    probe: Probe, read_only: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    assert probe.restart().scaled_plus_one(3) == 7
    read_only(probe.cache)
    module = probe.restart()
    assert module.scaled_plus_one(3) == 7
    assert hits_and_misses(module.scaled_plus_one) == (1, 0)
    assert compilation.keeps_kernels()
    assert not caplog.records
    # what is not there is compiled, and told once
    assert module.scaled_plus_one(1.5) == 4.0
    assert module.scaled_plus_one(True) == 3
    (record,) = caplog.records
    assert "cannot store kernel" in record.getMessage()
    assert not compilation.keeps_kernels()


def test_an_unfilled_folder_that_cannot_be_written_is_left(
    probe: Probe, read_only: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    read_only(probe.cache)
    assert probe.restart().scaled_plus_one(3) == 7
    assert not compilation.keeps_kernels()
    assert "cannot keep compiled kernels" in caplog.text


def test_without_any_writable_place_kernels_still_run(
    probe: Probe, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_args: object, **_options: object) -> str:
        raise FileNotFoundError("No usable temporary directory found")

    monkeypatch.setattr(tempfile, "mkdtemp", refuse)
    monkeypatch.setenv(compilation.CACHE_DIR_VARIABLE, "/dev/null/below")
    assert probe.restart().scaled_plus_one(3) == 7
    (record,) = caplog.records
    assert "nor anywhere else" in record.getMessage()


def test_a_place_lost_while_running_is_told_and_survived(probe: Probe, caplog: pytest.LogCaptureFixture) -> None:
    module = probe.restart()
    shutil.rmtree(probe.cache)
    probe.cache.write_text("now a file", "utf-8")
    assert module.scaled_plus_one(3) == 7
    assert caplog.records
    assert "cannot store kernel" in caplog.text


def test_only_own_unused_folders_are_deleted(probe: Probe) -> None:
    month_ago = time.time() - compilation.UNUSED_CACHE_SECONDS - 3600
    names = {
        "kernels-" + "0" * 20: month_ago,
        "kernels-" + "1" * 20: month_ago + 2 * 3600,
        "letters": month_ago,
        "0123456789abcdef0123": month_ago,
        "kernels-mine": month_ago,
    }
    for name, used in names.items():
        folder = probe.cache / name
        folder.mkdir(parents=True)
        (folder / "file").write_text("", "utf-8")
        os.utime(folder, (used, used))
    probe.restart()
    left = {folder.name for folder in probe.cache.iterdir()}
    assert set(names) - left == {"kernels-" + "0" * 20}


def test_the_folder_in_use_counts_as_used(probe: Probe) -> None:
    probe.restart()
    (folder,) = probe.cache.glob("kernels-*")
    os.utime(folder, (0, 0))
    probe.restart()
    assert folder.stat().st_mtime > compilation.UNUSED_CACHE_SECONDS


def test_the_place_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(compilation.CACHE_DIR_VARIABLE, str(tmp_path / "chosen"))
    assert compilation.default_cache_root() == tmp_path / "chosen"
    monkeypatch.delenv(compilation.CACHE_DIR_VARIABLE)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert compilation.default_cache_root() == tmp_path / "xdg" / "tarocchi-solver"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert compilation.default_cache_root() == tmp_path / ".cache" / "tarocchi-solver"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert compilation.default_cache_root() == tmp_path / "Library" / "Caches" / "tarocchi-solver"


SCRIPT = """
import numpy as np
from tarocchi_engine.play import legal_cards as kernel
legal = int(kernel(np.uint64(1 << 45 | 1 << 3), np.uint64(1 << 12)))
print(legal, sum(kernel.stats.cache_hits.values()), sum(kernel.stats.cache_misses.values()))
"""


def test_whole_processes_reuse_the_cache_and_see_an_edit_elsewhere(tmp_path: Path) -> None:
    """A constant of the layout is changed; the kernel that uses it, in a file not touched, plays by the new one."""
    shutil.copytree(ENGINE, tmp_path / "tarocchi_engine", ignore=shutil.ignore_patterns("__pycache__"))
    environment = os.environ | {"PYTHONPATH": str(tmp_path), compilation.CACHE_DIR_VARIABLE: str(tmp_path / "cache")}

    def run() -> list[int]:
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert done.stderr == ""
        return [int(word) for word in done.stdout.split()]

    assert run() == [1 << 45, 0, 1]
    assert run() == [1 << 45, 1, 0]
    layout = tmp_path / "tarocchi_engine" / "layout.py"
    source = layout.read_text("utf-8")
    assert source.count("np.uint64(TRUMP_MASK)") == 1
    layout.write_text(source.replace("np.uint64(TRUMP_MASK)", "np.uint64(0)"), "utf-8")
    assert run() == [1 << 45 | 1 << 3, 0, 1]
