"""Compiles kernels with numba and keeps the machine code on disk.

numba's own cache looks at the file of the function alone: after an edit in a *callee* it would go on running the
old machine code. Here every kernel is stored in a folder named after a digest of all the sources that can flow
into it and of the compiler settings, so an edit anywhere starts from an empty folder. A folder that cannot be
written falls back to a temporary one, and a damaged file is compiled again; both leave one line in the log.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import logging
import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import config
from numba.core.caching import CompileResultCacheImpl, FunctionCache

log = logging.getLogger(__name__)

CACHE_DIR_VARIABLE = "TAROCCHI_CACHE_DIR"
UNUSED_CACHE_SECONDS = 30 * 24 * 3600

_ENGINE_ROOT = Path(__file__).resolve().parent
_SETTINGS = (
    "CPU_NAME",
    "CPU_FEATURES",
    "OPT",
    "BOUNDSCHECK",
    "LOOP_VECTORIZE",
    "SLP_VECTORIZE",
    "DISABLE_JIT",
)

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compiles `function` with numba on its first call, without the interpreter lock, and caches the result."""
    dispatcher = numba.njit(nogil=True)(function)
    if not config.DISABLE_JIT:
        dispatcher._cache = _KernelCache(function)
    return cast(F, dispatcher)


def sources_digest(*roots: Path) -> str:
    """Returns a digest of every Python file below `roots` and of the compiler settings that shape the code."""
    digest = hashlib.sha256()
    for root in roots:
        for path in sorted(root.rglob("*.py")):
            digest.update(path.relative_to(root).as_posix().encode())
            digest.update(path.read_bytes())
    settings = [f"{name}={getattr(config, name, None)}" for name in _SETTINGS]
    digest.update("\n".join([numba.__version__, sys.version, platform.machine(), *settings]).encode())
    return digest.hexdigest()[:20]


def default_cache_root() -> Path:
    """Returns the folder that holds all kernel caches: `TAROCCHI_CACHE_DIR`, or the user's cache folder."""
    if chosen := os.environ.get(CACHE_DIR_VARIABLE):
        return Path(chosen)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "tarocchi-solver"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "tarocchi-solver"


@functools.cache
def cache_folder(*roots: Path) -> Path:
    """Returns the folder for kernels made from the sources below `roots`, made and known to be writable."""
    digest = sources_digest(*roots)
    try:
        root = default_cache_root()
        folder = root / digest
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        os.utime(folder)
        _remove_unused(root, keep=folder)
    except (OSError, RuntimeError) as error:
        folder = Path(tempfile.mkdtemp(prefix="tarocchi-kernels-"))
        log.warning(
            "no writable kernel cache (%s): compiling into %s for this process; set %s to a writable folder",
            error,
            folder,
            CACHE_DIR_VARIABLE,
        )
    return folder


def _remove_unused(root: Path, keep: Path) -> None:
    """Deletes the caches of sources that nobody has started for a month."""
    oldest = time.time() - UNUSED_CACHE_SECONDS
    for folder in root.iterdir():
        with contextlib.suppress(OSError):
            if folder != keep and folder.is_dir() and folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)


class _Locator:
    """Tells numba where the machine code of one function lies."""

    def __init__(self, function: Callable[..., Any]) -> None:
        file = Path(function.__code__.co_filename).resolve()
        self._py_file = str(file)
        self._line = function.__code__.co_firstlineno
        own_root = file.parent
        inside = own_root.is_relative_to(_ENGINE_ROOT)
        self._folder = cache_folder(_ENGINE_ROOT) if inside else cache_folder(_ENGINE_ROOT, own_root)

    def ensure_cache_path(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return f"{hashlib.sha256(self._py_file.encode()).hexdigest()[:8]}-{self._line}"


class _KernelCacheImpl(CompileResultCacheImpl):  # type: ignore[misc]
    """numba's way of storing a compiled function, with our place for it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._locator = _Locator(function)
        name = f"{Path(function.__code__.co_filename).stem}.{function.__qualname__}"
        self._filename_base = self.get_filename_base(name, getattr(sys, "abiflags", ""))


class _KernelCache(FunctionCache):  # type: ignore[misc]
    """A cache for which trouble on disk means compiling again, never an error."""

    _impl_class = _KernelCacheImpl

    def _load_overload(self, signature: Any, target_context: Any) -> Any:
        try:
            return super()._load_overload(signature, target_context)
        except Exception as error:
            # Whatever the damage (a cut pickle, a foreign object file), the remedy is the same.
            log.warning("kernel cache entry %s is damaged (%s): compiling it again", self._name, error)
            with contextlib.suppress(OSError):
                self.flush()
            return None

    def save_overload(self, signature: Any, data: Any) -> None:
        try:
            super().save_overload(signature, data)
        except OSError as error:
            log.warning("cannot store kernel %s in %s: %s", self._name, self.cache_path, error)
