"""Workspace limits as lines of a cell.toml, and a cell.toml with these in it and all else as it was."""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import replace

from armillary.description.cell import Workspace
from armillary.programs.calibration import BadCalibration, CellLines, with_lines

__all__ = ["with_workspace", "workspace_lines"]

_KEYS = ("box_min", "box_max", "planes", "tool_speed", "box_min_mm", "box_max_mm", "tool_speed_mm")
_PLANES = re.compile(r"\s*\[\[\s*workspace\s*\.\s*planes\s*\]\]\s*(#.*)?$")
_HEADER = re.compile(r"\s*\[")


def workspace_lines(workspace: Workspace) -> CellLines:
    """The [workspace] of a cell.toml [m, m/s]."""
    keys: list[tuple[str, str]] = []
    if workspace.box_min is not None and workspace.box_max is not None:
        keys += [("box_min", _row(workspace.box_min)), ("box_max", _row(workspace.box_max))]
    if workspace.tool_speed is not None:
        keys.append(("tool_speed", _number(workspace.tool_speed)))
    if workspace.planes:
        planes = [f"{{ point = {_row(plane.point)}, normal = {_row(plane.normal)} }}" for plane in workspace.planes]
        keys.append(("planes", f"[{', '.join(planes)}]"))
    return CellLines("workspace", tuple(keys), tuple(key for key in _KEYS if key not in dict(keys)))


def with_workspace(text: str, workspace: Workspace, *, same_planes: bool = False) -> str:
    """A cell.toml's text with other workspace limits. Comments, order and all other values stay; that is checked.

    Args:
        same_planes: Its planes are these already, and stay as they are written; otherwise what is said of them goes with them.

    Raises:
        BadCalibration: It is written in a way that this cannot change safely; the lines can be pasted.
    """
    lines = workspace_lines(workspace)
    if same_planes:
        keys = tuple((key, value) for key, value in lines.keys if key != "planes")
        return with_lines(text, replace(lines, keys=keys, replaced=tuple(key for key in lines.replaced if key != "planes")))
    bare = _without_planes(text)
    try:
        before, left = tomllib.loads(text), tomllib.loads(bare)
    except tomllib.TOMLDecodeError:
        before, left = {"": 0}, {}
    for table in (before, left):  # what is taken out are the planes alone
        if isinstance(table.get("workspace"), dict):
            table["workspace"].pop("planes", None)
        table["workspace"] = table.get("workspace") or {}
    if before != left:
        raise BadCalibration(f"the file cannot be changed without risk; write this into it yourself:\n{lines}")
    return with_lines(bare, lines)


def _without_planes(text: str) -> str:
    """Without its [[workspace.planes]]. Empty lines and comments before the next table are that one's."""
    kept: list[str] = []
    block: list[str] | None = None
    for row in text.splitlines():
        if _HEADER.match(row):
            kept += _tail(block)
            block = [] if _PLANES.match(row) else None
            if block is not None:
                while kept and kept[-1].lstrip().startswith("#"):  # what is said of a plane that goes
                    kept.pop()
                continue
        (kept if block is None else block).append(row)
    return "\n".join([*kept, *_tail(block)]) + "\n"


def _tail(block: list[str] | None) -> list[str]:
    if not block:
        return []
    last = max((number for number, row in enumerate(block, 1) if row.strip() and not row.lstrip().startswith("#")), default=0)
    return block[last:]


def _row(values: Sequence[float]) -> str:
    return "[" + ", ".join(_number(value) for value in values) + "]"


def _number(value: float) -> str:
    return repr(round(float(value), 6) + 0.0)
