"""Joint positions of measurements from a file: JSON or CSV, one row for each."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.model import Model
from armillary.programs.calibration.errors import BadCalibration
from armillary.regular_file import read_regular

__all__ = ["flange_of", "read_configurations", "tip_poses"]

Array = NDArray[np.float64]


def read_configurations(path: Path, model: Model, *, degrees: bool = False) -> Array:
    """The configurations of a file, shape (k, n) [rad or m], in the model's order.

    JSON: rows, or {"joints": [names], "unit": "deg", "q": rows}. CSV: rows of numbers, names of joints above them where
    the order is another.

    Args:
        degrees: Angles are in degrees, where the file does not say.

    Raises:
        BadCalibration: It cannot be read; says the row and what is wrong with it.
    """
    try:
        text = read_regular(path).decode("utf-8-sig")
    except OSError as error:
        raise BadCalibration(f"{path}: {error.strerror}; check the file's name") from None
    except UnicodeDecodeError:
        raise BadCalibration(f"{path}: it is not UTF-8; save it as JSON or CSV") from None
    names, unit, rows = _from_json(path, text) if text.lstrip()[:1] in ("[", "{") else _from_csv(path, text)
    names = names or list(model.joints)
    if sorted(names) != sorted(model.joints):
        raise BadCalibration(f"{path}: it names {', '.join(names)}, and the robot has {', '.join(model.joints)}; name these")
    found = np.array([_numbers(path, number, row, len(names)) for number, row in enumerate(rows, 1)]).reshape(-1, len(names))
    if not len(found):
        raise BadCalibration(f"{path}: there is no row of joint positions in it; write one for each measurement")
    found = found[:, [names.index(joint) for joint in model.joints]]
    robot = model.spec.robot
    scale = [np.pi / 180.0 if (unit == "deg" or (not unit and degrees)) and robot.joint(joint).unit == "rad" else 1.0
             for joint in model.joints]  # fmt: skip
    return np.asarray(found * scale)


def _from_json(path: Path, text: str) -> tuple[list[str], str, Sequence[Any]]:
    try:
        top = json.loads(text)
    except json.JSONDecodeError as error:
        raise BadCalibration(f"{path}:{error.lineno}:{error.colno}: it is not JSON: {error.msg}; mend it there") from None
    except (RecursionError, ValueError):
        raise BadCalibration(f"{path}: it is nested too deep, or a number is too long; write rows of numbers") from None
    if isinstance(top, list):
        top = {"q": top}
    unknown = [key for key in top if key not in ("joints", "unit", "q")]
    names, unit, rows = top.get("joints", []), top.get("unit", ""), top.get("q")
    if unknown or not isinstance(rows, list) or not isinstance(names, list):
        raise BadCalibration(f"{path}: {unknown[0] if unknown else 'q'!r}: write q (rows), and joints and unit where needed")
    if unit not in ("", "deg", "rad"):
        raise BadCalibration(f'{path}: unit {unit!r} is not known; write "deg" or "rad"')
    return [str(name) for name in names], unit, rows


def _from_csv(path: Path, text: str) -> tuple[list[str], str, Sequence[Any]]:
    separator = next((each for each in (",", ";", "\t") if each in text), " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    try:
        rows = [[cell.strip() for cell in row if cell.strip()] for row in csv.reader(lines, delimiter=separator)]
    except csv.Error as error:
        raise BadCalibration(f"{path}: it is not CSV: {error}; write rows of numbers") from None
    rows = [row for row in rows if row]
    if rows and not _is_number(rows[0][0]):
        return rows[0], "", rows[1:]
    return [], "", rows


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _numbers(path: Path, number: int, row: Any, n: int) -> list[float]:
    try:
        values = [float(value) for value in row]
    except (TypeError, ValueError, OverflowError):
        raise BadCalibration(f"{path}: row {number} is not numbers; write one for each joint") from None
    if len(values) != n or not np.isfinite(values).all():
        raise BadCalibration(f"{path}: row {number} has {len(values)} values, and {n} finite ones are needed")
    return values


def flange_of(model: Model) -> str:
    """The frame that the tool is bolted to: the arm's tip without it."""
    return next((link for name, link, _ in model.spec.frames if name == model.tip), model.tip)


def tip_poses(model: Model, Q: Array) -> Array:
    """T_base_tip of configurations, without the tool, in what the arm stands on. Shape (k, 4, 4)."""
    from armillary.motion import tool_pose

    return np.array([tool_pose(model, q, tip=flange_of(model), base=model.reference) for q in np.atleast_2d(Q)])
