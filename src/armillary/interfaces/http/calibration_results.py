"""Calibrations as a browser sees them: figures, advice, and the lines for the cell.toml. The same as `armillary calibrate`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from armillary.description import CellDescription
from armillary.model import Model
from armillary.motion import tool_pose
from armillary.programs.calibration import (
    BadCalibration,
    CalibrationRecord,
    CalibrationStore,
    CellLines,
    calibrate_tool,
    frame_from_points,
    frame_lines,
    tip_poses,
    tool_lines,
    tool_rotation,
    zero_lines,
    zeros_by_marks,
    zeros_by_touching,
)
from armillary.programs.teach import checked_name
from armillary.spatial import rpy_from_rotation, transform, transform_from_xyz_rpy

__all__ = ["Result", "frame_result", "keep_result", "lines_of", "present_tool", "tool_result", "zero_result"]

Array = NDArray[np.float64]
_LITTLE = 0.2  # spread of orientations below which a better result is near at hand
_ALIKE = 0.05  # rad or m: configurations that differ less tell nothing of zeros


@dataclass(frozen=True)
class Result:
    """What was found.

    Attributes:
        kind: "tool", "frame" or "zero".
        value: As it is kept: xyz and rpy [m], [rad], or joints and offsets [rad or m].
        figures: How good it is.
        notes: What to do better, in words.
    """

    kind: Literal["tool", "frame", "zero"]
    value: dict[str, Any]
    figures: dict[str, Any]
    notes: tuple[str, ...] = ()


def touches_of(model: Model, rows: Sequence[Sequence[float]]) -> Array:
    """Configurations from a request, shape (k, n).

    Raises:
        BadCalibration: They are not n finite numbers each.
    """
    for number, row in enumerate(rows, 1):
        if len(row) != model.n or not np.isfinite(row).all():
            raise BadCalibration(f"touch {number} has {len(row)} values; {model.n} finite ones are needed, one a joint")
    return np.array(rows, dtype=float).reshape(-1, model.n)


def present_tool(model: Model) -> Array:
    """T_tip_tool as the cell has it now. Shape (4, 4)."""
    return next((np.asarray(pose.matrix) for name, _, pose in model.spec.frames if name == model.tip), np.eye(4))


def tool_result(model: Model, rows: Sequence[Sequence[float]], *, orientation: bool = False) -> Result:
    """The tool's tip from four touches of one point and more; how it is turned from two more, at the end.

    Raises:
        BadCalibration: They do not tell it; says what to do.
    """
    Q = touches_of(model, rows)
    if orientation and len(Q) < 6:
        raise BadCalibration(f"{len(Q)} touches, and four and the two of the orientation are needed; touch more")
    found = calibrate_tool(tip_poses(model, Q[:-2] if orientation else Q))
    R = tool_rotation(tip_poses(model, Q[-3:]), found.xyz) if orientation else present_tool(model)[:3, :3]
    notes = [f"touch {number + 1} does not belong to the others: leave it out, or touch again" for number in found.outliers]
    if found.spread < _LITTLE:
        notes.append(f"the orientations differ little ({found.spread:.2f} of 1); tilt the tool further for a better result")
    value = {"xyz": found.xyz.tolist(), "rpy": [float(each) for each in rpy_from_rotation(R)], "rms": found.residuals.rms}
    figures = {
        "residuals": found.residuals.each.tolist(), "worst": found.residuals.worst, "uncertainty": found.uncertainty.tolist(),
        "spread": found.spread, "outliers": list(found.outliers), "touched": found.touched.tolist(),
    }  # fmt: skip
    return Result("tool", value, figures, tuple(notes))


def frame_result(model: Model, rows: Sequence[Sequence[float]]) -> Result:
    """A frame from touches: its origin, a point on +x, and one or more in its plane, where y is above zero.

    Raises:
        BadCalibration: They do not tell it; says what to do.
    """
    Q = touches_of(model, rows)
    if len(Q) < 3:
        raise BadCalibration(f"{len(Q)} touches, and three are needed; touch the origin, one on +x, one where y is above zero")
    places = np.array([tool_pose(model, q, base=model.reference)[:3, 3] for q in Q])
    found = frame_from_points(places[0], places[1], places[2:])
    T = found.T_base_frame
    value = {
        "parent": model.reference or "world", "xyz": T[:3, 3].tolist(),
        "rpy": [float(each) for each in rpy_from_rotation(T[:3, :3])], "rms": found.residuals.rms,
    }  # fmt: skip
    figures = {"residuals": found.residuals.each.tolist(), "worst": found.residuals.worst, "outliers": list(found.outliers)}
    return Result("frame", value, figures)


def zero_result(model: Model, rows: Sequence[Sequence[float]], marks: Sequence[float] | None = None) -> Result:
    """The joints' zeros: from one configuration where all stand on their marks, or from touches of one point in many.

    Raises:
        BadCalibration: They do not tell them; says what to do.
    """
    Q = touches_of(model, rows)
    if marks is not None and not len(Q):
        raise BadCalibration("where the joints read is missing; bring them onto their marks first")
    if marks is None and np.ptp(Q, axis=0).max() < _ALIKE:
        raise BadCalibration("the configurations are all the same; touch the point in ones that differ as much as can be")
    found = zeros_by_marks(model, Q[0], touches_of(model, [marks])[0]) if marks is not None else zeros_by_touching(model, Q)
    notes = [f"{joint} is not told by these touches, and stays as it is" for joint in found.unknown]
    value = {"joints": list(found.joints), "offsets": found.offsets.tolist(), "determined": found.determined.tolist()}
    figures = {
        "uncertainty": [float(each) if np.isfinite(each) else None for each in found.uncertainty],
        "residuals": found.after.each.tolist() if found.after is not None else [],
        "rms": found.after.rms if found.after is not None else None,
        "rms_before": found.before.rms if found.before is not None else None,
    }
    return Result("zero", value, figures, tuple(notes))


def lines_of(kind: str, value: dict[str, Any], name: str, model: Model, cell: CellDescription | None) -> CellLines:
    """The lines of a cell.toml that say a result.

    Raises:
        BadCalibration, BadName: There is no such kind or name, or the cell has no motor for a joint.
    """
    if kind == "zero":
        offsets = np.array(value["offsets"], dtype=float)
        return zero_lines(cell.actuation if cell is not None else None, model.joints, offsets)
    T = transform_from_xyz_rpy(value["xyz"], value["rpy"])
    if kind == "tool":
        return tool_lines(transform(T[:3, :3], T[:3, 3]))
    return frame_lines(checked_name(name), T, parent=model.reference or "world")


def keep_result(
    store: CalibrationStore, kind: str, value: dict[str, Any], *, model: Model, cell: CellDescription | None, name: str,
    reason: str, by: str,
) -> CalibrationRecord:  # fmt: skip
    """Put a result on top of those before it; below the first what was there until now, so that one can go back to it."""
    if kind == "zero":
        value = {**value, "zero": _zeros(lines_of(kind, value, "", model, cell))}
    if store.newest(kind, name) is None and kind != "frame":
        store.keep(kind, _present(kind, model, cell), name=name, reason="as it was before the first calibration", by=by)
    return store.keep(kind, value, name=name, reason=reason, by=by)


def _present(kind: str, model: Model, cell: CellDescription | None) -> dict[str, Any]:
    if kind == "zero":
        nothing = {"joints": list(model.joints), "offsets": [0.0] * model.n}
        return {**nothing, "zero": _zeros(lines_of(kind, nothing, "", model, cell))}
    T = present_tool(model)
    return {"xyz": T[:3, 3].tolist(), "rpy": [float(each) for each in rpy_from_rotation(T[:3, :3])]}


def _zeros(lines: CellLines) -> list[float]:
    """a0 [counts], as it stands in the lines."""
    return [float(each) for each in dict(lines.keys)["zero"].strip("[]").split(",")]
