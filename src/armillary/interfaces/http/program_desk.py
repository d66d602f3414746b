"""What browsers share of programs: the library, what looks through them, what was run, typed lines, the path being recorded."""

import threading
from typing import Annotated

from fastapi import Depends
from starlette.requests import HTTPConnection

from armillary.interfaces.http.desk import Desk
from armillary.interfaces.http.mdi_sessions import MdiSessions
from armillary.interfaces.http.path_recording import PathRecordings
from armillary.interfaces.http.program_check import ProgramCheck
from armillary.interfaces.http.program_library import ProgramLibrary
from armillary.interfaces.http.run_history import RunHistory
from armillary.interfaces.http.sample_programs import sample_programs

__all__ = ["HasPrograms", "ProgramDesk", "program_desk_of"]

_making = threading.Lock()


class ProgramDesk:
    """Beside a cell's desk, once for all browsers."""

    def __init__(self, desk: Desk) -> None:
        self.library = ProgramLibrary(desk.place, sample_programs(desk.prepared.model.spec.robot.name))
        self.check = ProgramCheck(desk)
        self.history = RunHistory(desk.place)
        self.mdi = MdiSessions(desk.cell)
        self.recordings = PathRecordings(desk.cell)


def program_desk_of(connection: HTTPConnection) -> ProgramDesk:
    """The application's own; made when it is first asked for."""
    state = connection.app.state
    with _making:
        if not hasattr(state, "programs"):
            state.programs = ProgramDesk(state.desk)
    found: ProgramDesk = state.programs
    return found


HasPrograms = Annotated[ProgramDesk, Depends(program_desk_of)]
