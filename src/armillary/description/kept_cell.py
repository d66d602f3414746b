"""The cell that a user has made of a robot without one: where it lies, and what it says at first."""

import os
from pathlib import Path

from armillary.description.library import known_robots
from armillary.description.proposal import propose_cell
from armillary.description.source import find_source, read_source

__all__ = ["bundled_cell", "kept_cell", "kept_cells", "kept_name", "new_cell_text", "with_kept_cell"]


def kept_cells() -> Path:
    """The user's folder for the cells of robots that came in the box: $XDG_STATE_HOME or ~/.local/state."""
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "armillary" / "cells"


def kept_cell(source: str) -> Path | None:
    """Where a user's own cell of a robot without one lies, whether it is there already or not.

    Of a robot that is known by name in the user's folder, of a description beside it; None for a table (.toml): beside that one
    a cell is not looked for.

    Raises:
        DescriptionError: There is no such robot.
    """
    path = find_source(source)
    if any(robot.name == source and robot.path == path for robot in known_robots()):
        return kept_cells() / source / "cell.toml"
    return path.resolve().parent / "cell.toml" if path.suffix.lower() != ".toml" else None


def kept_name(cell: Path) -> str:
    """The name of the robot in the box that a cell.toml is kept for, or ""."""
    return cell.parent.name if cell.resolve().parent.parent == kept_cells().resolve() else ""


def with_kept_cell(source: str) -> str:
    """What a user means by a robot's name: the own cell that was made of it, where there is one, else as it came."""
    if not any(robot.name == source for robot in known_robots()):
        return source
    own = kept_cells() / source / "cell.toml"
    return str(own) if own.is_file() else source


def new_cell_text(source: str, folder: Path) -> str:
    """A cell.toml for a robot, to lie in a folder: the one it came with, or one that is proposed.

    Raises:
        DescriptionError: The robot cannot be read.
    """
    path = find_source(source)
    reading = read_source(path)
    known = "" if Path(source).is_file() else source
    proposal = propose_cell(reading.unwrap(), path, problems=reading.problems, folder=folder, known=known)
    return bundled_cell(path, known) or proposal.text


def bundled_cell(description: Path, known: str) -> str | None:
    """The cell that a robot in the box already has, naming the robot instead of its file."""
    own = description.parent / "cell.toml"
    if not known or not own.is_file():
        return None
    return own.read_text(encoding="utf-8").replace(f'file = "{description.name}"', f'name = "{known}"')
