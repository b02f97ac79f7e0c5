"""Compiles kernels with numba and keeps the machine code on disk.

numba's own cache looks at the file of the function alone: after an edit in a *callee* it would go on running the
old machine code. Here every kernel is stored in a folder named after a digest of all the sources that can flow
into it and of the compiler settings, so an edit anywhere starts from an empty folder. A folder that is there but
cannot be written, as in an image, is read alone. Where there is none and none can be made, a temporary one serves, or
none at all; a damaged file is compiled again. Each leaves one line in the log.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import logging
import os
import pickle
import platform
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import config, serialize
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.runtime import rtsys
from numba.core.sigutils import normalize_signature

from tarocchi_engine.dispatching import OuterDispatcher, rebuilt, reduced

log = logging.getLogger(__name__)

CACHE_DIR_VARIABLE = "TAROCCHI_CACHE_DIR"
UNUSED_CACHE_SECONDS = 30 * 24 * 3600

# Nothing else is ever deleted: the place chosen by a user may hold other things.
_FOLDER_PREFIX = "kernels-"
_FOLDER_NAME = re.compile(_FOLDER_PREFIX + "[0-9a-f]{20}")

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

_unstored: set[str] = set()
"""The folders in which something could not be stored."""

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compiles `function` with numba on its first call, without the interpreter lock, and caches the result."""
    if config.DISABLE_JIT:
        return function
    dispatcher = OuterDispatcher(function)
    if (folder := _folder_of(function)) is not None:
        dispatcher._cache = _KernelCache(function, _KernelCacheImpl(function, folder))
        dispatcher.inner._cache = _KernelCache(function, _InnerCacheImpl(function, folder, ".inner"))
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
def cache_folder(*roots: Path) -> Path | None:
    """Returns the folder for kernels made from the sources below `roots`: one to write, or one that has been filled.

    None if there is neither on this machine.
    """
    name = _FOLDER_PREFIX + sources_digest(*roots)
    folder = None
    try:
        root = default_cache_root()
        folder = root / name
        _make_writable(folder)
        _remove_unused(root, keep=folder)
    except (OSError, RuntimeError) as error:
        log.debug("kernel cache: %s", error)
        if folder is not None and any(folder.glob("*.nbi")):
            return folder
        temporary = _temporary_root()
        if temporary is None:
            return None
        folder = temporary / name
        _make_writable(folder)
    return folder


def keeps_kernels() -> bool:
    """Tells whether a later process finds all that this one has compiled."""
    return not _unstored and not _temporary_root.cache_info().currsize


def _make_writable(folder: Path) -> None:
    """Makes a folder if need be; raises `OSError` if it cannot be written."""
    folder.mkdir(parents=True, exist_ok=True)
    tempfile.TemporaryFile(dir=folder).close()
    os.utime(folder)


@functools.cache
def _temporary_root() -> Path | None:
    """Returns a folder that lives as long as this process, made on the first call; None if there can be none."""
    place = os.environ.get(CACHE_DIR_VARIABLE) or "the user's cache folder"
    remedy = f"set {CACHE_DIR_VARIABLE} to a writable folder"
    try:
        root = Path(tempfile.mkdtemp(prefix="tarocchi-"))
    except OSError:
        log.warning("cannot keep compiled kernels in %s nor anywhere else: %s", place, remedy)
        return None
    log.warning("cannot keep compiled kernels in %s: using %s for this process; %s", place, root, remedy)
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    return root


def _remove_unused(root: Path, keep: Path) -> None:
    """Deletes the caches of sources that nobody has started for a month."""
    oldest = time.time() - UNUSED_CACHE_SECONDS
    for folder in root.iterdir():
        with contextlib.suppress(OSError):
            if folder != keep and _FOLDER_NAME.fullmatch(folder.name) and folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)


def _folder_of(function: Callable[..., Any]) -> Path | None:
    own_root = Path(function.__code__.co_filename).resolve().parent
    return cache_folder(_ENGINE_ROOT) if own_root.is_relative_to(_ENGINE_ROOT) else cache_folder(_ENGINE_ROOT, own_root)


class _Locator:
    """Tells numba where the machine code of one function lies."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._py_file = str(Path(function.__code__.co_filename).resolve())
        self._line = function.__code__.co_firstlineno
        self._folder = folder

    def ensure_cache_path(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return f"{hashlib.sha256(self._py_file.encode()).hexdigest()[:8]}-{self._line}"


class _KernelCacheImpl(CompileResultCacheImpl):  # type: ignore[misc]
    """numba's way of storing a compiled function, with our place for it, and a digest that tells damage.

    Machine code in which a byte is wrong loads like any other, and then gives wrong answers or ends the process.
    """

    def __init__(self, function: Callable[..., Any], folder: Path, form: str = "") -> None:
        self._lineno = function.__code__.co_firstlineno
        self._locator = _Locator(function, folder)
        name = f"{Path(function.__code__.co_filename).stem}.{function.__qualname__}{form}"
        self._filename_base = self.get_filename_base(name, getattr(sys, "abiflags", ""))

    def reduce(self, compiled: Any) -> tuple[bytes, bytes]:
        content = serialize.dumps(self._parts(compiled))
        return hashlib.sha256(content).digest(), content

    def rebuild(self, target_context: Any, payload: tuple[bytes, bytes]) -> Any:
        digest, content = payload
        if hashlib.sha256(content).digest() != digest:
            raise ValueError("its content has changed since it was written")
        return self._from_parts(target_context, pickle.loads(content))

    def _parts(self, compiled: Any) -> Any:
        return super().reduce(compiled)

    def _from_parts(self, target_context: Any, parts: Any) -> Any:
        return super().rebuild(target_context, parts)


class _InnerCacheImpl(_KernelCacheImpl):
    """The same for the inner form of a function."""

    def _parts(self, compiled: Any) -> Any:
        return reduced(compiled)

    def _from_parts(self, target_context: Any, parts: Any) -> Any:
        return rebuilt(target_context, parts)


class _KernelCache(FunctionCache):  # type: ignore[misc]
    """A cache for which trouble on disk means compiling again, never an error."""

    def __init__(self, function: Callable[..., Any], storage: _KernelCacheImpl) -> None:
        # numba would make it from the function alone
        self._impl_class = lambda _function: storage
        super().__init__(function)

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        # numba would load first all that one might need to compile, SciPy included, which takes longer than everything
        # else before a first answer; stored machine code needs the runtime alone, and compiling loads the rest
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(signature, target_context)

    def _load_overload(self, signature: Any, target_context: Any) -> Any:
        try:
            result = super()._load_overload(signature, target_context)
            # Two processes that store different signatures of a function at the same time can swap their files.
            if result is not None and result.signature.args != normalize_signature(signature)[0]:
                raise ValueError(f"holds {result.signature.args} in place of {signature}")
        except Exception as error:
            # Whatever the damage (a cut pickle, a foreign object file), the remedy is the same.
            log.warning(
                "kernel cache entry %s in %s is damaged (%s): compiling it again", self._name, self.cache_path, error
            )
            with contextlib.suppress(OSError):
                self.flush()
            return None
        return result

    def save_overload(self, signature: Any, data: Any) -> None:
        try:
            super().save_overload(signature, data)
        except Exception as error:
            if self.cache_path not in _unstored:
                _unstored.add(self.cache_path)
                log.warning("cannot store kernel %s in %s: %s", self._name, self.cache_path, error)
