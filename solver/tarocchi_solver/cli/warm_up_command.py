"""The command that compiles all kernels beforehand, for an image or an installation that cannot be written."""

from __future__ import annotations

import typer

from tarocchi_solver.cli.inputs import FAILURE, fail
from tarocchi_solver.cli.waiting import Waiting


def warm_up() -> None:
    """Compile all kernels, test them, and keep them in the folder that TAROCCHI_CACHE_DIR names.

    Every command and server that finds them there starts within seconds, also where the folder can only be read. They
    serve the kind of processor on which they were compiled.
    """
    with Waiting("Testing the kernels; to compile what is not there takes up to a minute"):
        from tarocchi_engine.compilation import default_cache_root, keeps_kernels
        from tarocchi_solver.search.warm_up import SelfTestError
        from tarocchi_solver.search.warm_up import warm_up as warm_up_search

        try:
            warm_up_search()
        except SelfTestError as error:
            fail(f"the kernels fail their test: {error}", FAILURE)
    if not keeps_kernels():
        fail("the kernels work but could not all be kept: see the line above", FAILURE)
    typer.echo(f"All kernels are compiled and tested. They are kept in {default_cache_root().resolve()}")
