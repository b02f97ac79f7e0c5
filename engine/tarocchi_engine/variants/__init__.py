"""The registry of variants: one line for each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tarocchi_engine.errors import UnknownVariantError
from tarocchi_engine.options import with_options
from tarocchi_engine.variant import Variant
from tarocchi_engine.variants.bolognese import Bolognese
from tarocchi_engine.variants.ottocento import Ottocento
from tarocchi_engine.variants.piedicavallo import Piedicavallo
from tarocchi_engine.variants.terziglio import Terziglio

VARIANTS: Final[dict[str, Variant]] = {
    variant.name: variant
    for variant in (
        Bolognese(),
        Ottocento(),
        Terziglio(),
        Piedicavallo(),
    )
}


def get_variant(name: str, options: Mapping[str, str] | None = None) -> Variant:
    """Returns the variant called `name` with the given rule options.

    Raises `UnknownVariantError`, which lists the known names, or `OptionError`.
    """
    try:
        variant = VARIANTS[name]
    except KeyError:
        known = ", ".join(VARIANTS)
        raise UnknownVariantError(f"no variant is called {name!r}; known are: {known}") from None
    return with_options(variant, options) if options else variant
