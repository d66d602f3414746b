"""Going back to a calibration that held before: what it says of the cell that runs now, and its lines for the cell.toml."""

from typing import Any

import numpy as np

from armillary.description import CellDescription
from armillary.model import Model
from armillary.model.actuation import coupling_from
from armillary.programs.calibration import (
    BadCalibration,
    CalibrationRecord,
    CalibrationStore,
    CellLines,
    frame_lines,
    tool_lines,
)
from armillary.programs.teach import NoSuchName
from armillary.spatial import transform_from_xyz_rpy

__all__ = ["back_to", "motors_of"]


def motors_of(model: Model, cell: CellDescription | None) -> dict[str, Any]:
    """What counts of zeros are of: the motors' joints, their coupling Ja, and counts per rad or m. Kept with zeros."""
    actuation = cell.actuation if cell is not None else None
    if actuation is None or not actuation.joints:  # as zero_lines writes it: a count is a rad or a metre
        n = model.n
        return {"joints": list(model.joints), "coupling": np.eye(n).tolist(), "counts_per_unit": [1.0] * n}
    return {
        "joints": list(actuation.joints), "coupling": [list(row) for row in actuation.coupling],
        "counts_per_unit": list(actuation.counts_per_unit),
    }  # fmt: skip


def back_to(
    store: CalibrationStore, number: int, model: Model, cell: CellDescription | None
) -> tuple[CalibrationRecord, dict[str, Any], CellLines]:
    """A calibration by its number; its value as it is to be kept anew; and its lines.

    Raises:
        NoSuchName: There is none of this number.
        BadCalibration: Zeros of other motors than the cell has now.
    """
    history = store.history()
    place = next((place for place, each in enumerate(history) if each.number == number), None)
    if place is None:
        raise NoSuchName(str(number), [str(each.number) for each in history], "calibration with the number")
    record = history[place]
    if record.kind == "zero":
        # What was there before the first calibration is kept together with it, and of the same motors.
        then = next((each for each in history[place : place + 2] if each.kind == "zero" and "motors" in each.value), record)
        value, lines = _zeros_back(record, then.value.get("motors"), model, cell)
        return record, value, lines
    T = transform_from_xyz_rpy(record.value["xyz"], record.value["rpy"])
    parent = str(record.value.get("parent", model.reference or "world"))
    return record, record.value, tool_lines(T) if record.kind == "tool" else frame_lines(record.name, T, parent=parent)


def _zeros_back(
    record: CalibrationRecord, then: dict[str, Any] | None, model: Model, cell: CellDescription | None
) -> tuple[dict[str, Any], CellLines]:
    """The a0 [counts] that was written then is written again. Offsets are of what runs, and become others:

    a = K Ja q + a0, and the counts stay: K Ja offset = a0 of what runs - a0 of then.
    """
    motors = motors_of(model, cell)
    zero = np.array(record.value.get("zero", ()), dtype=float)
    if zero.shape != (len(motors["joints"]),) or (then is not None and then != motors):
        raise BadCalibration(
            f"calibration {record.number} is of other motors than [actuation] of the cell.toml has now; measure the zeros anew"
        )
    actuation = cell.actuation if cell is not None else None
    has = actuation is not None and bool(actuation.joints)
    offsets = -zero
    if actuation is not None and has:
        coupling = coupling_from(actuation)
        offsets = np.linalg.solve(coupling.matrix, coupling.zero - zero)
    by = dict(zip(motors["joints"], offsets.tolist(), strict=True))
    value = {
        "joints": list(model.joints), "offsets": [by.get(joint, 0.0) + 0.0 for joint in model.joints], "zero": zero.tolist(),
        "motors": motors,
    }  # fmt: skip
    row = f"[{', '.join(repr(each) for each in zero.tolist())}]"
    named = "[" + ", ".join(f'"{joint}"' for joint in motors["joints"]) + "]"
    first = () if has else (("joints", named), ("counts_per_unit", repr(motors["counts_per_unit"])))
    return value, CellLines("actuation", (*first, ("zero", row)))
