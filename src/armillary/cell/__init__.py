"""A cell: one robot with its tool, its world and its motor side, moved from Python, by itself or by programs."""

from armillary.cell.async_cell import AsyncCell
from armillary.cell.cell import Cell
from armillary.cell.cell_state import CellState, Moved
from armillary.cell.program_run import ProgramRun, RunState
from armillary.cell.surroundings import surroundings_of

__all__ = ["AsyncCell", "Cell", "CellState", "Moved", "ProgramRun", "RunState", "surroundings_of"]
