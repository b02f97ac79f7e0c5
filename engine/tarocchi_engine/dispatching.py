"""The two forms in which numba compiles a kernel: one for other kernels, one for Python.

A kernel that another one calls becomes a part of that one's machine code. A wrapper for Python and machine code of
its own would be thrown away, and to make them takes a third of all the time that compiling takes. So it is compiled to
the code of LLVM and no further; only what Python itself calls is compiled to the end.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any, Final

from llvmlite import binding
from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult, compile_result
from numba.core.registry import CPUDispatcher

_OPTIONS: Final = {"nopython": True, "nogil": True, "boundscheck": None}


class OuterDispatcher(CPUDispatcher):  # type: ignore[misc]
    """A kernel as Python calls it; kernels that call it get the inner form."""

    def __init__(self, function: Callable[..., Any]) -> None:
        """Compiles nothing yet."""
        super().__init__(function, targetoptions=dict(_OPTIONS))
        self.inner = InnerDispatcher(function)

    @property
    def _numba_type_(self) -> types.Dispatcher:
        return types.Dispatcher(self.inner)

    def add_overload(self, compiled: CompileResult) -> None:
        # those of kernels inside, which exist from here on
        for environment in compiled._find_referenced_environments():
            compiled.library.codegen.set_env(environment.env_name, environment)
        super().add_overload(compiled)


class InnerDispatcher(CPUDispatcher):  # type: ignore[misc]
    """A kernel as other kernels call it; Python never does."""

    def __init__(self, function: Callable[..., Any]) -> None:
        """Compiles nothing yet."""
        options = _OPTIONS | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        super().__init__(_copy_of(function), targetoptions=options, pipeline_class=_InnerCompiler)

    def add_overload(self, compiled: CompileResult) -> None:
        if compiled.entry_point is None:
            compiled = compiled._replace(entry_point=_EntryPoint())
            self.targetctx.insert_user_function(compiled.entry_point, compiled.fndesc, [compiled.library])
        # and nothing for calls from Python
        self.overloads[tuple(compiled.signature.args)] = compiled

    def __call__(self, *_args: Any, **_named: Any) -> Any:
        raise TypeError(f"{self.py_func.__qualname__}: Python cannot call the inner form of a kernel")


def reduced(compiled: CompileResult) -> tuple[Any, ...]:
    """Returns what is stored of an inner form."""
    bitcode = compiled.library._get_module_for_linking().as_bitcode()
    compiled.fndesc.typemap = compiled.fndesc.calltypes = None
    return bitcode, compiled.fndesc, compiled.environment, compiled.signature, compiled.reload_init


def rebuilt(target_context: Any, stored: tuple[Any, ...]) -> CompileResult:
    """Returns the inner form of which `reduced` has made `stored`."""
    bitcode, description, environment, signature, reload_init = stored
    for load in reload_init:
        load()
    library = _InnerLibrary(target_context.codegen(), description.qualname)
    library.take(binding.parse_bitcode(bitcode))
    return compile_result(
        typing_context=target_context.typing_context,
        target_context=target_context,
        entry_point=_EntryPoint(),
        signature=signature,
        objectmode=False,
        lifted=(),
        fndesc=description,
        library=library,
        environment=environment,
        reload_init=reload_init,
    )


def _copy_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns another function that does the same: numba takes one that calls itself for the same form twice."""
    copy = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    return functools.update_wrapper(copy, function)


class _EntryPoint:
    """Stands for the function that other forms have: numba finds code by its identity."""


class _InnerLibrary(JITCodeLibrary):  # type: ignore[misc]
    """LLVM's code of a kernel, of which no machine code is made."""

    def take(self, module: Any) -> None:
        """Takes over code that was stored."""
        self._final_module = module
        self._finalize_final_module()

    def _optimize_final_module(self) -> None:
        """Leaves it: all that a kernel calls is optimised together with it."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class _InnerCompiler(Compiler):  # type: ignore[misc]
    """The steps of numba's compiler without the last one."""

    def __init__(
        self, typingctx: Any, targetctx: Any, library: Any, args: Any, return_type: Any, flags: Any, locals: Any
    ) -> None:
        flags.no_compile = True
        super().__init__(typingctx, targetctx, library, args, return_type, flags, locals)
        self.state.library = _InnerLibrary(self.state.targetctx.codegen(), "inner")
