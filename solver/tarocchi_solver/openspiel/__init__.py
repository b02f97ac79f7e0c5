"""The games as games of OpenSpiel, so that its algorithms can play them and play against the solver.

Importing this package registers `tarocchi_bolognese`, `tarocchi_ottocento`, `tarocchi_terziglio` and
`tarocchi_piedicavallo` with pyspiel. It needs the extra `openspiel`.
"""

from __future__ import annotations

try:
    import pyspiel
except ModuleNotFoundError as error:
    if error.name != "pyspiel":
        raise
    raise ModuleNotFoundError(
        "tarocchi_solver.openspiel needs OpenSpiel: pip install 'tarocchi-solver[openspiel]'", name="pyspiel"
    ) from error

from tarocchi_solver.openspiel.bots import SolverBot
from tarocchi_solver.openspiel.game import GAME_NAMES, TarocchiGame, TarocchiState, dealt_state, game_of, register_games

__all__ = ["GAME_NAMES", "SolverBot", "TarocchiGame", "TarocchiState", "dealt_state", "game_of"]

assert pyspiel
register_games()
