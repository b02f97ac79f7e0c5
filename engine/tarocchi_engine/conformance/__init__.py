"""Worked cases of the rules, answered by the engine: does this engine play the game you know?

A file of cases holds one JSON object a line with `id`, `kind`, `input` and `expected`; what the kinds mean stands
with the functions that answer them, in the module of each variant. A file for each variant is shipped with the
engine. Their `source` fields name where a figure comes from: S000 and S002 are the rules of the single-deal Bolognese
table, S001 an encyclopaedia's account of the Bolognese games, S003 the rules of the Piedicavallo table.
"""

from tarocchi_engine.conformance.cases import CaseFileError, CaseResult
from tarocchi_engine.conformance.runner import run_cases, shipped_case_files

__all__ = ["CaseFileError", "CaseResult", "run_cases", "shipped_case_files"]
