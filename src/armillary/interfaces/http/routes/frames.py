"""Tool, user's frames and the joints' zeros: what they are, measured anew by touching, and kept in the cell.toml."""

from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field

from armillary.description import CellDescription
from armillary.errors import ArmillaryError
from armillary.interfaces.http.access import HasDesk, HasSession, needs
from armillary.interfaces.http.calibration_results import (
    Result,
    frame_result,
    keep_result,
    lines_of,
    present_tool,
    tool_result,
    zero_result,
)
from armillary.interfaces.http.desk import Desk
from armillary.interfaces.http.earlier_calibration import back_to, motors_of
from armillary.interfaces.http.own_cell_file import (
    changing_cell,
    could_be_made,
    make_own_cell,
    needs_own_cell,
    own_cell_file,
    written_cell,
)
from armillary.interfaces.http.roles import Role
from armillary.programs.calibration import BadCalibration, CalibrationStore, with_lines
from armillary.programs.teach import checked_name
from armillary.runtime.prepared import description_of
from armillary.spatial import rpy_from_rotation

__all__ = ["router"]

router = APIRouter(tags=["frames"])
Number = Annotated[float, Field(ge=-1e6, le=1e6)]
Joints = Annotated[list[Number], Field(max_length=64)]
Three = Annotated[list[Number], Field(min_length=3, max_length=3)]
Touches = Annotated[list[Joints], Field(min_length=1, max_length=200)]
_KEPT = 100  # calibrations that are shown


class FrameShown(BaseModel):
    name: str
    parent: str
    xyz: list[float]  # in its parent [m]
    rpy: list[float]  # [rad]


class Calibrated(BaseModel):
    """A calibration that was kept."""

    number: int
    kind: str
    name: str
    value: dict[str, Any]
    reason: str
    at: str  # UTC
    by: str


class Frames(BaseModel):
    tool: FrameShown  # on the arm's tip
    frames: list[FrameShown]
    calibrations: list[Calibrated]  # the newest first
    file: str  # the cell.toml that they are kept in; "" for none
    could: str  # where one would be made by request; "" where none can be
    restart: bool  # it says something else than what runs: the cell must be started again


class OwnCell(BaseModel):
    file: str


class TouchOrder(BaseModel):
    """Joint positions at each touch, in the model's order [rad or m]."""

    touches: Touches


class ToolOrder(TouchOrder):
    orientation: bool = False  # the last two say how the tool is turned: along its z, and towards its x


class ZeroOrder(TouchOrder):
    marks: Joints | None = None  # where the marks are that the joints stand on; else one point was touched in many ways


class Measured(BaseModel):
    kind: Literal["tool", "frame", "zero"]
    value: dict[str, Any]  # to be kept as it is
    xyz: list[float] | None = None
    rpy: list[float] | None = None
    offsets: list[float] | None = None
    residuals: list[float]  # of each touch [m]
    rms: float | None
    spread: float | None = None
    figures: dict[str, Any]
    notes: list[str]


class KeepOrder(BaseModel):
    """A result to be kept: xyz and rpy of a tool or a frame, or the offsets of all joints."""

    kind: Literal["tool", "frame", "zero"]
    name: str = Field(default="", max_length=64)  # of a frame
    xyz: Three | None = None  # [m]
    rpy: Three | None = None  # [rad]
    offsets: Joints | None = None  # [rad or m]
    reason: str = Field(default="", max_length=300)


class BackOrder(BaseModel):
    number: int = Field(ge=0, le=2**53)  # of a calibration that was kept


class Kept(BaseModel):
    number: int
    lines: str  # as they stand in the cell.toml now
    file: str
    restart: bool = True


@router.get("/frames", dependencies=[needs(Role.VIEWER)])
def frames(desk: HasDesk) -> Frames:
    """Tool and frames as they are in use, and what was measured."""
    model, source = desk.cell.model, desk.cell.station.settings.source
    T = present_tool(model)
    tool = _shown(model.tip, next((link for name, link, _ in model.spec.frames if name == model.tip), model.tip), T)
    shown = [_shown(name, parent, pose.matrix) for name, parent, pose in model.spec.frames if name != model.tip]
    cell = desk.prepared.description
    if cell is not None:
        shown = [_shown(frame.name, frame.parent, frame.pose.matrix) for frame in cell.frames]
    records = CalibrationStore.of(source).history()[-_KEPT:][::-1]
    file = own_cell_file(source)
    return Frames(
        tool=tool, frames=shown, file=str(file or ""), could=str(could_be_made(source) or ""), restart=_differs(desk),
        calibrations=[Calibrated.model_validate(record, from_attributes=True) for record in records],
    )  # fmt: skip


@router.post("/frames/own_cell", dependencies=[needs(Role.PROGRAMMER)])
def own_cell(desk: HasDesk, session: HasSession) -> OwnCell:
    """Make a cell.toml of one's own for a robot that came without: frames, tools and limits are kept in it."""
    path = make_own_cell(desk.cell.station.settings.source)
    desk.audit.note(session.user, f"makes {path}")
    return OwnCell(file=str(path))


@router.post("/calibrate/tool", dependencies=[needs(Role.PROGRAMMER)])
def calibrate_tool(order: ToolOrder, desk: HasDesk) -> Measured:
    """The tool's tip, from touching one point with the tool tilted to many sides. Nothing is kept yet."""
    return _measured(tool_result(desk.cell.model, order.touches, orientation=order.orientation))


@router.post("/calibrate/frame", dependencies=[needs(Role.PROGRAMMER)])
def calibrate_frame(order: TouchOrder, desk: HasDesk) -> Measured:
    """A frame, from touching its origin, a point on +x and points where y is above zero. Nothing is kept yet."""
    return _measured(frame_result(desk.cell.model, order.touches))


@router.post("/calibrate/zeros", dependencies=[needs(Role.PROGRAMMER)])
def calibrate_zeros(order: ZeroOrder, desk: HasDesk) -> Measured:
    """The joints' zeros, by marks, or from touching one point in many configurations. Nothing is kept yet."""
    return _measured(zero_result(desk.cell.model, order.touches, order.marks))


@router.post("/frames/keep", dependencies=[needs(Role.PROGRAMMER)])
def keep(order: KeepOrder, desk: HasDesk, session: HasSession) -> Kept:
    """Write a result into the cell.toml, and into the history. It holds when the cell is started again."""
    model, source = desk.cell.model, desk.cell.station.settings.source
    path = needs_own_cell(source)
    if order.kind == "frame":
        checked_name(order.name)
    name, value = order.name if order.kind == "frame" else "", _value(order, desk)
    cell = desk.prepared.description
    with changing_cell(path) as file:
        if order.kind == "zero":
            _same_motors(cell, description_of(str(path)))
        lines = lines_of(order.kind, value, name, model, cell)
        file.write(with_lines(file.text, lines))
    record = keep_result(
        CalibrationStore.of(source), order.kind, value, model=model, cell=cell, name=name, reason=order.reason, by=session.user
    )
    desk.audit.note(session.user, f"keeps the {order.kind} {name}".rstrip() + f" in {path.name}")
    return Kept(number=record.number, lines=str(lines), file=str(path))


@router.post("/frames/back", dependencies=[needs(Role.PROGRAMMER)])
def back(order: BackOrder, desk: HasDesk, session: HasSession) -> Kept:
    """Write a calibration that held before into the cell.toml again, and on top of the history. It holds likewise."""
    source, cell = desk.cell.station.settings.source, desk.prepared.description
    path, store = needs_own_cell(source), CalibrationStore.of(source)
    was, value, lines = back_to(store, order.number, desk.cell.model, cell)
    with changing_cell(path) as file:
        if was.kind == "zero":
            _same_motors(cell, description_of(str(path)))
        file.write(with_lines(file.text, lines))
    record = store.keep(was.kind, value, name=was.name, reason=f"back to number {was.number}", by=session.user)
    desk.audit.note(session.user, f"goes back to the {was.kind} {was.name}".rstrip() + f" of number {was.number} in {path.name}")
    return Kept(number=record.number, lines=str(lines), file=str(path))


def _same_motors(runs: CellDescription | None, written: CellDescription | None) -> None:
    """Offsets are of what runs: with other motors in the file they would mean something else."""
    one, other = (
        replace(cell.actuation, zero=()) if cell is not None and cell.actuation is not None else None for cell in (runs, written)
    )
    if one != other:
        raise BadCalibration("[actuation] of the cell.toml has been changed since the cell was started; start it again first")


def _value(order: KeepOrder, desk: Desk) -> dict[str, Any]:
    if order.kind == "zero":
        if order.offsets is None or len(order.offsets) != desk.cell.model.n:
            raise BadCalibration(f"give the offsets of all {desk.cell.model.n} joints [rad or m]")
        motors = motors_of(desk.cell.model, desk.prepared.description)
        return {"joints": list(desk.cell.model.joints), "offsets": order.offsets, "motors": motors}
    if order.xyz is None or order.rpy is None:
        raise BadCalibration(f"give xyz [m] and rpy [rad] of the {order.kind}")
    value: dict[str, Any] = {"xyz": order.xyz, "rpy": order.rpy}
    return {"parent": desk.cell.model.reference or "world", **value} if order.kind == "frame" else value


def _measured(result: Result) -> Measured:
    value, figures = result.value, result.figures
    return Measured(
        kind=result.kind, value=value, xyz=value.get("xyz"), rpy=value.get("rpy"), offsets=value.get("offsets"),
        residuals=figures["residuals"], rms=value.get("rms", figures.get("rms")), spread=figures.get("spread"), figures=figures,
        notes=list(result.notes),
    )  # fmt: skip


def _shown(name: str, parent: str, T: Any) -> FrameShown:
    return FrameShown(
        name=name,
        parent=parent,
        xyz=[float(each) for each in T[:3, 3]],
        rpy=[float(each) for each in rpy_from_rotation(T[:3, :3])],
    )


def _differs(desk: Desk) -> bool:
    """Whether the cell.toml says something else by now than what runs."""
    runs = desk.prepared.description
    try:
        written = written_cell(desk.cell.station.settings.source)
    except ArmillaryError:
        return True
    if written is None or runs is None:
        return written is not runs
    return replace(written, file=runs.file, robot=runs.robot) != runs  # a copy of what it came with is not something else
