"""Checking a description, and writing a repaired copy of it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from armillary.description.document import Element, write_document
from armillary.description.errors import UnreadableFile, XacroFailed
from armillary.description.limits import joint_limits, note_defaults
from armillary.description.packages import PackageFinder
from armillary.description.problem import Problem
from armillary.description.source import find_source, read_source
from armillary.description.urdf.reader import Reading, read_document

__all__ = ["Repaired", "check_robot", "repair_robot"]

_MAX_ROUNDS = 5  # a repair can bring another problem to light, but not for ever


@dataclass(frozen=True)
class Repaired:
    """A repaired copy of a description: its text, what was changed, and what is left to a person."""

    text: str
    repaired: tuple[Problem, ...]
    reading: Reading


def check_robot(
    source: str | Path, *, args: Mapping[str, str] | None = None, packages: Mapping[str, Path] | None = None,
    srdf: Path | None = None,
) -> Reading:  # fmt: skip
    """Every problem of a description in one pass: `problems`, gravest first, and the robot if it can be used.

    Beyond what reading notes, it says which limits nobody stated, since defaults will be used for them.

    Raises:
        DescriptionError: The file cannot be had at all.
    """
    reading = read_source(source, args=args, packages=packages, srdf=srdf)
    if reading.robot is None:
        return reading
    notes = note_defaults(joint_limits(reading.robot), reading.file)
    return replace(reading, problems=(*reading.problems, *notes))


def repair_robot(
    source: str | Path, *, args: Mapping[str, str] | None = None, packages: Mapping[str, Path] | None = None,
    folder: Path | None = None,
) -> Repaired:  # fmt: skip
    """A copy of a URDF in which everything that has one clear repair is repaired.

    Comments and layout are kept. Of a xacro file it is the expanded URDF that is repaired, since a macro is
    used in many places.

    Args:
        folder: Where the copy will lie; meshes that are named relative to the original are then named so that they are found.

    Raises:
        UnreadableFile: The file is no URDF or xacro, or not XML far enough to be written back.
        XacroFailed: A xacro that cannot be expanded.
    """
    path = find_source(source)
    if path.suffix.lower() == ".toml":
        raise UnreadableFile(path, "is not repaired: only URDF and xacro are", "mend it by what armillary check says")
    reading = read_source(path, args=args, packages=packages, keep_layout=True)
    document = reading.document
    for problem in reading.problems:
        if problem.kind.name == "xacro-failed":
            raise XacroFailed(problem.file, problem.what, "nothing was written", problem.line)
    if document is None or document.root is None or document.fault is not None:
        raise UnreadableFile(path, "cannot be repaired: it is not whole XML", "mend the first error by hand")
    finder = PackageFinder(path, packages)
    repaired: list[Problem] = []
    for _ in range(_MAX_ROUNDS):
        mended = [problem for problem in reading.problems if problem.repair is not None]
        if not mended:
            break
        for problem in mended:
            assert problem.repair is not None
            for edit in problem.repair.edits:
                edit.apply()
        repaired += mended
        document.undeclared_prefixes = {}
        document.skipped_before_root = ""
        reading = read_document(document, finder=finder, stem=path.name.split(".")[0])
    if folder is not None:
        _keep_meshes(document.root, finder, folder)
    return Repaired(write_document(document), tuple(repaired), reading)


def _keep_meshes(root: Element, finder: PackageFinder, folder: Path) -> None:
    """Name meshes so that they are found from another folder."""
    there = PackageFinder(folder / "robot.urdf")
    for element in root.walk():
        filename = element.attributes.get("filename", "").strip()
        if element.tag == "mesh" and filename:
            path = finder.mesh(filename).path
            if path is not None and there.mesh(filename).path != path:
                element.attributes["filename"] = f"file://{path}"
