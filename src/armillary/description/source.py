"""Any robot's description, by file or by name, to one Robot."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from armillary.description.dh import is_dh, read_dh, robot_from_dh, smell_dh
from armillary.description.document import Document, parse_document, read_bytes
from armillary.description.errors import InvalidCell, UnreadableFile, XacroFailed
from armillary.description.kinds import KINDS, Severity
from armillary.description.library import find_robot, known_robots
from armillary.description.packages import PackageFinder
from armillary.description.problem import Problem
from armillary.description.robot import Robot
from armillary.description.settings import read_toml
from armillary.description.srdf import find_srdf, read_srdf
from armillary.description.urdf.reader import Reading, is_xacro, read_document
from armillary.description.xacro import expand_xacro

if TYPE_CHECKING:
    from armillary.description.cell import CellDescription

__all__ = ["find_source", "read_cell_robot", "read_robot", "read_source"]


def find_source(source: str | Path) -> Path:
    """The file that a user means: a path as it stands, or the name of a known robot.

    Raises:
        UnreadableFile: It looks like a file and is not there.
        UnknownRobot: It is neither a file nor a known name.
        ExtraMissing: It is the name of a robot that an extra brings.
    """
    text = str(source)
    if source == "":
        raise UnreadableFile("the name", "is empty", "give a robot's file or name")
    if "://" in text:
        raise UnreadableFile(text, "is an address; only files on this machine are read", "save it to a file first")
    path = Path(source)
    named = isinstance(source, str) and any(robot.name == text for robot in known_robots())
    try:
        # A folder may bear a robot's name (`armillary new cobot6` makes one); it is the robot that is meant.
        there = path.is_file() if named else path.exists()
    except (OSError, ValueError):
        there = False
    if there:
        return path
    if not named and (isinstance(source, Path) or os.sep in text or path.suffix):
        raise UnreadableFile(path, "does not exist", "check the name and the folder")
    return find_robot(text)


def read_robot(
    source: str | Path, *, args: Mapping[str, str] | None = None, packages: Mapping[str, Path] | None = None,
    srdf: Path | None = None,
) -> Robot:  # fmt: skip
    """The robot of a URDF, xacro, DH table or cell file, or of a known name.

    Args:
        source: A file on this machine, or a name such as `cobot6`.
        args: Values for a xacro's arguments.
        packages: Folders of packages by name, for `package://` and `$(find)`.
        srdf: Groups and states; where left out, the SRDF that lies with the file is taken, if there is one.

    Raises:
        InvalidRobot: The file describes no usable robot; the message lists what is wrong, line by line.
        DescriptionError: It could not be read at all.
    """
    return read_source(source, args=args, packages=packages, srdf=srdf).unwrap()


def read_source(
    source: str | Path, *, args: Mapping[str, str] | None = None, packages: Mapping[str, Path] | None = None,
    srdf: Path | None = None, keep_layout: bool = False,
) -> Reading:  # fmt: skip
    """Like `read_robot`, but what is wrong with the description is part of the result, not an exception.

    Args:
        keep_layout: Keep comments and white space, so that the document can be repaired and written back.
    """
    path = find_source(source)
    if srdf is not None and not Path(srdf).exists():
        raise UnreadableFile(srdf, "does not exist", "check the name of the SRDF")
    if path.suffix.lower() == ".toml":
        return _read_toml(path)
    finder = PackageFinder(path, packages)
    document = parse_document(read_bytes(path), str(path), keep_layout=keep_layout)
    try:
        document = _expanded(document, path, args, finder, keep_layout)
    except XacroFailed as error:
        problem = Problem(KINDS["xacro-failed"], error.file, error.line, "", f"{error.what}; {error.remedy}")
        return Reading(str(path), None, (problem,), document)
    reading = read_document(document, finder=finder, stem=path.name.split(".")[0])
    semantics = Path(srdf) if srdf else find_srdf(path)
    if reading.robot is None or semantics is None:
        return reading
    robot, problems = read_srdf(semantics, reading.robot)
    if srdf is None:
        # Nobody asked for it: what is wrong with it is worth knowing, and keeps nobody from the robot.
        problems = tuple(_softened(problem) for problem in problems)
    usable = None if any(problem.is_error for problem in problems) else robot
    return replace(reading, robot=usable, problems=(*reading.problems, *problems))


def _softened(problem: Problem) -> Problem:
    return replace(problem, kind=replace(problem.kind, severity=Severity.WARNING)) if problem.is_error else problem


def _expanded(
    document: Document, path: Path, args: Mapping[str, str] | None, finder: PackageFinder, keep_layout: bool
) -> Document:
    """The document itself, or what its macros make of it."""
    if path.suffix.lower() != ".xacro" and not is_xacro(document):
        return document
    if document.fault is not None and document.fault.kind != "not-xml":
        return document  # refused for what it is: nothing of it is evaluated
    return expand_xacro(path, args=args, finder=finder, keep_layout=keep_layout)


def read_cell_robot(cell: "CellDescription") -> Reading:
    """The robot of a cell.

    Raises:
        InvalidCell: The cell names another cell as its robot.
    """
    robot = cell.robot
    path = find_robot(robot.name) if robot.name else robot.file
    if path.suffix.lower() == ".toml" and path.is_file() and not is_dh(read_toml(path)):
        what = f"robot.file: {path.name} is a cell, not a robot"
        raise InvalidCell(
            cell.file, cell.settings.line("robot") if cell.settings else None, what, "name a URDF, xacro or DH table"
        )
    return read_source(path, args=dict(robot.args), packages=dict(robot.packages), srdf=robot.srdf)


def _read_toml(path: Path) -> Reading:
    settings = read_toml(path)
    if is_dh(settings):
        table = read_dh(path)
        return Reading(str(path), robot_from_dh(table), smell_dh(table, settings))
    from armillary.description.cell_reader import read_cell

    return read_cell_robot(read_cell(path))
