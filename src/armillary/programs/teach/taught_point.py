"""A point that was taught, and its text in stores and files."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.model import Model
from armillary.motion import tool_pose
from armillary.programs.surroundings import Point
from armillary.programs.teach.errors import TeachError
from armillary.programs.teach.point_name import checked_name
from armillary.spatial import rpy_from_rotation

__all__ = [
    "PointChange", "TaughtPoint", "checked_point", "ordered", "parsed", "point_at", "points_from", "points_text", "taught_from",
    "value_text",
]  # fmt: skip

Array = NDArray[np.float64]


@dataclass(frozen=True)
class TaughtPoint:
    """A point and how it came about.

    Attributes:
        point: Where it is.
        joints: Names of the joints, in the order of its q; empty where nobody said.
        at: When it was taught or touched up last (UTC, ISO 8601).
        by: Who did that.
    """

    point: Point
    joints: tuple[str, ...] = ()
    at: str = ""
    by: str = ""


@dataclass(frozen=True)
class PointChange:
    """Something that was done to a point.

    Attributes:
        what: "taught", "touched up", "renamed", "deleted" or "imported".
        name: Its name from then on, or the last one where it was deleted.
        before: What it was until then; None where it was not there.
        at, by: When (UTC, ISO 8601) and by whom.
    """

    what: str
    name: str
    before: TaughtPoint | None = None
    at: str = ""
    by: str = ""


def point_at(model: Model, q: Sequence[float] | Array, name: str, *, tool: str = "", frame: str = "") -> Point:
    """The point where a robot is.

    Args:
        q: Joint positions, shape (n,) [rad or m].
        tool: The frame that is taught; "" for the model's tool.
        frame: The frame that people think of it in; the pose is given in what the arm stands on all the same.
    """
    q = model.valid(np.asarray(q, dtype=float))
    T = tool_pose(model, q, tip=tool, base=model.reference)
    x, y, z = (float(value) for value in T[:3, 3])
    return Point(checked_name(name), tuple(q.tolist()), (x, y, z), rpy_from_rotation(T[:3, :3]), tool, frame)


def ordered(taught: TaughtPoint, joints: Sequence[str]) -> Point:
    """The point with its q in the order of these joints; as it was taught where there are none, or nobody said which.

    Raises:
        TeachError: It lacks one of them, or has another number.
    """
    point = taught.point
    if not joints or tuple(joints) == taught.joints:
        return point
    if not taught.joints and len(point.q) == len(joints):
        return point
    missing = [joint for joint in joints if joint not in taught.joints]
    if missing:
        raise TeachError(
            f"point {point.name!r} has no value for {missing[0]}: it was taught with {', '.join(taught.joints) or len(point.q)}; "
            "touch it up with this robot"
        )
    return replace(point, q=tuple(point.q[taught.joints.index(joint)] for joint in joints))


def value_text(taught: TaughtPoint) -> str:
    """All of a point but its name; JSON gives every float back to the last bit."""
    value = {key: item for key, item in asdict(taught.point).items() if key != "name"}
    return json.dumps({**value, "joints": taught.joints})


def parsed(text: str) -> dict[str, Any]:
    """What `value_text` wrote; nothing where it is damaged."""
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def taught_from(name: str, value: dict[str, Any], at: str, by: str, where: str) -> TaughtPoint:
    """A point out of what `value_text` wrote, or a file.

    Raises:
        TeachError: Something of it is missing or no number; says where.
    """
    try:
        q, joints = tuple(float(each) for each in value["q"]), tuple(str(each) for each in value.get("joints", ()))
        (x, y, z), (roll, pitch, yaw) = (map(float, value[key]) for key in ("xyz", "rpy"))
        point = Point(name, q, (x, y, z), (roll, pitch, yaw), str(value.get("tool", "")), str(value.get("frame", "")))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise TeachError(f"{where}: point {name!r} is no point; it needs q, xyz and rpy, numbers all") from None
    return TaughtPoint(point, joints, at, by)


def checked_point(taught: TaughtPoint) -> TaughtPoint:
    """The point itself, where it has a name and a place.

    Raises:
        BadName, TeachError: It has none.
    """
    point = taught.point
    checked_name(point.name)
    if not all(isfinite(value) for value in (*point.q, *point.xyz, *point.rpy)):
        raise TeachError(f"point {point.name!r} has a value that is not finite; teach it where the robot is")
    if len(point.xyz) != 3 or len(point.rpy) != 3 or (taught.joints and len(taught.joints) != len(point.q)):
        raise TeachError(f"point {point.name!r} needs a value for each joint, three lengths and three angles")
    return taught


def points_text(points: Sequence[TaughtPoint]) -> str:
    """Points as JSON, in SI units, for other cells."""
    rows = [{**asdict(each.point), "joints": each.joints, "at": each.at, "by": each.by} for each in points]
    return json.dumps({"version": 1, "kind": "armillary points", "points": rows}, indent=2) + "\n"


def points_from(text: str) -> list[TaughtPoint]:
    """The points of an exported text.

    Raises:
        TeachError: It is none; says where.
    """
    try:
        top = json.loads(text)
    except json.JSONDecodeError as error:
        raise TeachError(
            f"line {error.lineno}, column {error.colno}: it is not JSON: {error.msg}; give a file of export"
        ) from None
    except (RecursionError, ValueError):
        raise TeachError("it is nested too deep, or a number is too long; give a file that export wrote") from None
    if not isinstance(top, dict) or top.get("kind") != "armillary points" or not isinstance(top.get("points"), list):
        raise TeachError("it has no points; give a file that export wrote")
    if top.get("version") != 1:
        raise TeachError(f"it has version {top.get('version')!r}, and this release reads 1; use a newer release")
    found = []
    for number, value in enumerate(top["points"], 1):
        if not isinstance(value, dict) or not isinstance(value.get("name"), str):
            raise TeachError(f"point {number} has no name; give a file that export wrote")
        found.append(taught_from(value["name"], value, "", "", f"point {number}"))
    return found
