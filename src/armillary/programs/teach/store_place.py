"""Where the store of a cell lies: decided here and nowhere else."""

import hashlib
import os
from pathlib import Path

import armillary
from armillary.description.cell_fit import own_cell
from armillary.description.dh import is_dh
from armillary.description.kept_cell import kept_name
from armillary.description.library import known_robots
from armillary.description.settings import read_toml
from armillary.description.source import find_source

__all__ = ["store_place", "stores_folder"]


def stores_folder() -> Path:
    """The user's folder for stores of robots without a cell of their own: $XDG_STATE_HOME or ~/.local/state."""
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "armillary" / "taught"


def store_place(source: str | Path) -> Path:
    """The file that what is taught of a robot lies in, whether it is there already or not.

    Beside a cell.toml, with its name: cell.toml has cell.sqlite. For a robot that is only named, with or without a cell that was
    made of it on the pendant, and for a description without a cell, in `stores_folder`.

    Raises:
        ArmillaryError: There is no such robot.
    """
    path = find_source(source)
    if isinstance(source, str) and any(robot.name == source and robot.path == path for robot in known_robots()):
        return stores_folder() / f"{source}.sqlite"
    path = path.resolve()
    cell = path if path.suffix.lower() == ".toml" and not is_dh(read_toml(path)) else own_cell(path)
    if cell is not None and (name := kept_name(cell)):
        return stores_folder() / f"{name}.sqlite"  # what was taught before the robot had a cell of its own stays
    installed = Path(armillary.__file__).resolve().parent  # an installation is no place for a user's files
    if cell is not None and installed not in cell.parents:
        return cell.with_suffix(".sqlite")
    # Many descriptions are called robot.urdf: the folder tells them apart.
    return stores_folder() / f"{path.name.split('.')[0]}-{hashlib.sha256(str(path).encode()).hexdigest()[:8]}.sqlite"
