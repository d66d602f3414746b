"""A calibration as lines of a cell.toml, and a cell.toml with these lines in it and all else as it was."""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.description.cell import Actuation
from armillary.programs.calibration.errors import BadCalibration
from armillary.programs.calibration.joint_zeros import motor_zeros
from armillary.spatial import rpy_from_rotation

__all__ = ["CellLines", "frame_lines", "tool_lines", "with_lines", "zero_lines"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class CellLines:
    """Keys of one table of a cell.toml.

    Attributes:
        table: Its name, as "frames.table_1".
        keys: Each key's name and value, as TOML.
        replaced: Keys that say the same in other units, and go.
    """

    table: str
    keys: tuple[tuple[str, str], ...]
    replaced: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join([f"[{self.table}]", *(f"{key} = {value}" for key, value in self.keys)])


def tool_lines(T_tip_tool: Array) -> CellLines:
    """The [tool] of a cell.toml."""
    return CellLines("tool", _pose(T_tip_tool), ("xyz", "rpy", "xyz_mm", "rpy_deg"))


def frame_lines(name: str, T_parent_frame: Array, *, parent: str = "base") -> CellLines:
    """A user's frame in a cell.toml."""
    keys = (("parent", f'"{parent}"'), *_pose(T_parent_frame))
    return CellLines(f"frames.{name}", keys, ("xyz", "rpy", "xyz_mm", "rpy_deg"))


def zero_lines(actuation: Actuation | None, joints: Sequence[str], offsets: Array) -> CellLines:
    """The `zero` of [actuation] with offsets in it; all of [actuation], with counts of one rad or m, where the cell has none."""
    if actuation is not None and actuation.joints:
        return CellLines("actuation", (("zero", _row(motor_zeros(actuation, tuple(joints), offsets))),))
    names = "[" + ", ".join(f'"{joint}"' for joint in joints) + "]"
    ones = _row(np.ones(len(joints)))
    keys = (("joints", names), ("counts_per_unit", ones), ("zero", _row(-np.asarray(offsets, dtype=float))))
    return CellLines("actuation", keys)


def _pose(T: Array) -> tuple[tuple[str, str], ...]:
    return (("xyz_mm", _row(1e3 * T[:3, 3])), ("rpy_deg", _row(np.degrees(rpy_from_rotation(T[:3, :3])))))


def _row(values: Array | Sequence[float]) -> str:
    return "[" + ", ".join(repr(round(float(value), 6) + 0.0) for value in values) + "]"


def with_lines(text: str, lines: CellLines) -> str:
    """A cell.toml's text with some lines in it. Comments, order and all other values stay as they are; that is checked.

    Raises:
        BadCalibration: It is written in a way that this cannot change safely; nothing is lost, the lines can be pasted.
    """
    try:
        wanted = _merged(tomllib.loads(text), lines)
        changed = _edited(text, lines)
        same = tomllib.loads(changed) == wanted
    except (tomllib.TOMLDecodeError, AttributeError, TypeError):
        same = False
    if not same:
        raise BadCalibration(f"the file cannot be changed without risk; write this into it yourself:\n{lines}")
    return changed


def _merged(top: dict[str, Any], lines: CellLines) -> dict[str, Any]:
    table = top
    for name in lines.table.split("."):
        table = table.setdefault(name, {})
    for key in lines.replaced:
        table.pop(key, None)
    table.update(tomllib.loads("\n".join(f"{key} = {value}" for key, value in lines.keys)))
    return top


def _edited(text: str, lines: CellLines) -> str:
    rows = _statements(text.splitlines())  # so that a row of a matrix is not taken for the head of a table
    header = re.compile(rf"\s*\[\s*{re.escape(lines.table)}\s*\]\s*(#.*)?$")
    begin = next((number for number, row in enumerate(rows) if header.match(row)), None)
    if begin is None:
        return "\n".join([*rows, "", str(lines)]) + "\n"
    end = next((number for number in range(begin + 1, len(rows)) if re.match(r"\s*\[", rows[number])), len(rows))
    body, left = rows[begin + 1 : end], dict(lines.keys)
    # Empty lines and comments before the next table are that one's.
    last = max((number for number, row in enumerate(body, 1) if row.strip() and not row.lstrip().startswith("#")), default=0)
    kept: list[str] = []
    for row in body[:last]:
        found = re.match(r"\s*([A-Za-z0-9_-]+)\s*=", row)
        key = found.group(1) if found else ""
        if key in left:
            comment = _comment(row)
            kept.append(f"{key} = {left.pop(key)}" + (f"    {comment}" if comment else ""))
        elif key not in lines.replaced:
            kept.append(row)
    added = [f"{key} = {value}" for key, value in left.items()]
    return "\n".join([*rows[: begin + 1], *kept, *added, *body[last:], *rows[end:]]) + "\n"


def _statements(rows: Sequence[str]) -> list[str]:
    """Rows, those of a value over several lines as one."""
    found: list[str] = []
    open_brackets = 0
    for row in rows:
        bare = re.sub(r'"[^"]*"|#.*', "", row)
        if open_brackets > 0:
            found[-1] += "\n" + row
        else:
            found.append(row)
        open_brackets += bare.count("[") - bare.count("]")
    return found


def _comment(row: str) -> str:
    """The comment behind a value on one line, or ""."""
    found = re.search(r"#.*$", re.sub(r'"[^"]*"', lambda text: "_" * len(text.group(0)), row))
    return row[found.start() :] if found and "\n" not in row else ""
