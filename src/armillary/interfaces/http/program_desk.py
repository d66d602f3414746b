"""What browsers share of programs: the library, what looks through them, what was run, typed lines, the path being recorded."""

from typing import Annotated

from fastapi import Depends

from armillary.interfaces.http.desk import Desk
from armillary.interfaces.http.made_once import made_once
from armillary.interfaces.http.mdi_sessions import MdiSessions
from armillary.interfaces.http.path_recording import PathRecordings
from armillary.interfaces.http.program_check import ProgramCheck
from armillary.interfaces.http.program_library import ProgramLibrary
from armillary.interfaces.http.run_history import RunHistory
from armillary.interfaces.http.sample_programs import sample_programs

__all__ = ["HasPrograms", "ProgramDesk"]


class ProgramDesk:
    """Beside a cell's desk, once for all browsers."""

    def __init__(self, desk: Desk) -> None:
        self.library = ProgramLibrary(desk.place, sample_programs(desk.prepared.model.spec.robot.name))
        self.check = ProgramCheck(desk)
        self.history = RunHistory(desk.place)
        self.mdi = MdiSessions(desk.cell)
        self.recordings = PathRecordings(desk.cell)


HasPrograms = Annotated[ProgramDesk, Depends(made_once("programs", ProgramDesk))]
