"""Workspace limits: where the tool may be, and how fast it may go."""

from typing import Annotated

import numpy as np
from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from armillary.description.cell import Plane, Workspace
from armillary.errors import ArmillaryError
from armillary.interfaces.http.access import HasDesk, HasSession, needs
from armillary.interfaces.http.desk import Desk
from armillary.interfaces.http.own_cell_file import changing_cell, needs_own_cell, own_cell_file, written_cell
from armillary.interfaces.http.roles import Role
from armillary.interfaces.http.users import BadLogin
from armillary.interfaces.http.workspace_lines import with_workspace, workspace_lines
from armillary.motion import tool_pose
from armillary.runtime import Refused
from armillary.runtime.prepared import description_of

__all__ = ["router"]

router = APIRouter(tags=["workspace"])
Metres = Annotated[float, Field(ge=-1000.0, le=1000.0)]
Three = Annotated[list[Metres], Field(min_length=3, max_length=3)]


class PlaneShown(BaseModel):
    """A half space: the tool stays on the side that the normal points to."""

    point: Three  # [m, world]
    normal: Three


class WorkspaceShown(BaseModel):
    box_min: Three | None = None  # [m, world]
    box_max: Three | None = None
    planes: Annotated[list[PlaneShown], Field(max_length=50)] = Field(default_factory=list)
    tool_speed: Annotated[float, Field(gt=0.0, le=100.0)] | None = None  # [m/s]


class WorkspaceState(BaseModel):
    running: WorkspaceShown  # what motions are held to now
    kept: WorkspaceShown  # what the cell.toml says: it holds when the cell is started again
    file: str  # "" for none
    restart: bool  # the two differ


class WorkspaceOrder(WorkspaceShown):
    password: str | None = Field(default=None, max_length=256)  # the administrator's own, as soon as anybody has one


class WorkspaceKept(BaseModel):
    lines: str
    file: str
    restart: bool
    notes: list[str]


@router.get("/workspace", dependencies=[needs(Role.VIEWER)])
def workspace(desk: HasDesk) -> WorkspaceState:
    source, cell = desk.cell.station.settings.source, desk.prepared.description
    running = cell.workspace if cell is not None else Workspace()
    try:
        now = written_cell(source)
        kept = now.workspace if now is not None else Workspace()
    except ArmillaryError:
        kept = running  # a file that somebody is writing, or has broken, says nothing
    file = own_cell_file(source)
    return WorkspaceState(running=_shown(running), kept=_shown(kept), file=str(file or ""), restart=running != kept)


@router.put("/workspace", dependencies=[needs(Role.ADMINISTRATOR)])
def change(order: WorkspaceOrder, request: Request, desk: HasDesk, session: HasSession) -> WorkspaceKept:
    """Write other limits into the cell.toml. They hold when the cell is started again."""
    users = request.app.state.users
    if users.any():
        if not users.has(session.user):  # who came by the link of this machine: others have passwords for a reason
            raise BadLogin("workspace limits are changed with a password, and you have none; log in by name as an administrator")
        if order.password is None:
            raise BadLogin("workspace limits are changed with your password; give it too")
        users.check(session.user, order.password)
    wanted = _wanted(order)
    path = needs_own_cell(desk.cell.station.settings.source)
    with changing_cell(path) as file:
        now = description_of(str(path))
        same = now is not None and now.workspace.planes == wanted.planes
        written = file.write(with_workspace(file.text, wanted, same_planes=same)).workspace  # where it can be read back
    desk.audit.note(
        session.user, f"changes the workspace limits in {path.name}: {' '.join(str(workspace_lines(wanted)).split())}"
    )
    before = desk.prepared.description
    return WorkspaceKept(
        lines=str(workspace_lines(wanted)), file=str(path), restart=before is None or written != before.workspace,
        notes=_notes(desk, written),
    )  # fmt: skip


def _wanted(order: WorkspaceShown) -> Workspace:
    if (order.box_min is None) != (order.box_max is None):
        raise Refused("box_min and box_max go together; give both, or neither")
    if order.box_min is not None and order.box_max is not None:
        for axis, low, high in zip("xyz", order.box_min, order.box_max, strict=True):
            if not high - low >= 1e-3:
                raise Refused(f"the box has no room along {axis}: {low:g} to {high:g} m; give box_max above box_min")
    planes = []
    for number, plane in enumerate(order.planes, 1):
        length = float(np.linalg.norm(plane.normal))
        if length < 1e-6:
            raise Refused(f"plane {number} has a normal of length 0; point it to the allowed side")
        normal = [value / length for value in plane.normal]
        planes.append(Plane(point=_three(plane.point), normal=_three(normal)))
    box_min, box_max = (None if each is None else _three(each) for each in (order.box_min, order.box_max))
    return Workspace(box_min=box_min, box_max=box_max, planes=tuple(planes), tool_speed=order.tool_speed)


def _notes(desk: Desk, space: Workspace) -> list[str]:
    """What a person will wonder about."""
    found = ["the cell must be started again before these limits hold"]
    p = tool_pose(desk.cell.model, np.array(desk.cell.station.state["q"]))[:3, 3]
    inside = space.box_min is None or space.box_max is None or bool(((p >= space.box_min) & (p <= space.box_max)).all())
    inside &= all(float(np.dot(p - plane.point, plane.normal)) >= 0.0 for plane in space.planes)
    if not inside:
        found.append("the tool is outside of them where it is now: move it inside before the cell is started again")
    return found


def _three(values: list[float]) -> tuple[float, float, float]:
    x, y, z = values
    return (x, y, z)


def _shown(space: Workspace) -> WorkspaceShown:
    planes = [PlaneShown(point=list(plane.point), normal=list(plane.normal)) for plane in space.planes]
    low, high = (None if each is None else list(each) for each in (space.box_min, space.box_max))
    return WorkspaceShown(box_min=low, box_max=high, planes=planes, tool_speed=space.tool_speed)
