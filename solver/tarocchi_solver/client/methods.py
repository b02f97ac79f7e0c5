"""Makes methods of functions that build calls, so that arguments and documentation stand in one place."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])

_COPIED = ("__module__", "__name__", "__doc__")


def described_as(function: Callable[..., Any]) -> Callable[[Method], Method]:
    """Gives a method the name, the documentation and the arguments of a function, whose `table` is the method's own."""

    def describe(method: Method) -> Method:
        functools.update_wrapper(method, function, assigned=_COPIED)
        own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
        signature = inspect.signature(function)
        others = [parameter for name, parameter in signature.parameters.items() if name != "table"]
        signature = signature.replace(parameters=[own, *others], return_annotation=inspect.Signature.empty)
        method.__signature__ = signature  # type: ignore[attr-defined]
        return method

    return describe
