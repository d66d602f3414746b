"""Robots known by name: those in the box, and those of the extra `robots` (example-robot-data)."""

import importlib.util
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from armillary.description.errors import ExtraMissing, UnknownRobot
from armillary.description.robot import nearest_first

__all__ = ["BUNDLED", "KnownRobot", "extra_robots_folder", "find_robot", "known_robots"]

_ROBOTS = Path(__file__).parent / "robots"
EXTRA = "robots"

# What each bundled robot is, for lists; the description itself is its file.
BUNDLED = {
    "cobot6": "6-axis cobot on a pedestal (paper 5)",
    "industrial6": "6-axis industrial arm with a parallel linkage (paper 2)",
    "mobile6": "tracked base with a 6-axis arm and a wrist differential (paper 2)",
    "inmoov": "the InMoov humanoid's upper body, 29 degrees of freedom (paper 1)",
}
# Names that the extra's own file names do not give: the robot people mean by them.
_EXTRA_ALIASES = {"tiago": "tiago_description/robots/tiago.urdf"}
_EXTRA_NOTES = {"tiago": "TIAGo with the Hey5 hand (paper 3)"}


@dataclass(frozen=True)
class KnownRobot:
    """A robot that can be named instead of a file."""

    name: str
    path: Path | None  # None where the extra that brings it is not installed
    source: str  # "bundled" or the extra's name
    note: str = ""


@cache
def extra_robots_folder() -> Path | None:
    """The folder of example-robot-data's robots, or None where the extra is not installed."""
    candidates = [Path(entry) / "cmeel.prefix" for entry in sys.path if entry.endswith("site-packages")]
    spec = importlib.util.find_spec("cmeel")
    if spec is not None and spec.origin:
        candidates.append(Path(spec.origin).parents[1] / "cmeel.prefix")
    for prefix in candidates:
        folder = prefix / "share" / "example-robot-data" / "robots"
        if folder.is_dir():
            return folder
    return None


def known_robots() -> list[KnownRobot]:
    """Every robot that can be named, those in the box first."""
    robots = [KnownRobot(name, _bundled_file(name), "bundled", note) for name, note in BUNDLED.items()]
    extra = _extra_robots()
    for name in _EXTRA_ALIASES:
        if name not in extra:
            robots.append(KnownRobot(name, None, EXTRA, _EXTRA_NOTES.get(name, "")))
    first = sorted(extra, key=lambda name: (name not in _EXTRA_ALIASES, name))
    robots += [KnownRobot(name, extra[name], EXTRA, _EXTRA_NOTES.get(name, "")) for name in first]
    return robots


def find_robot(name: str) -> Path:
    """The description file of a robot known by name.

    Raises:
        ExtraMissing: The extra that brings it is not installed; the message has the command to run.
        UnknownRobot: There is none of this name; the message lists the nearest.
    """
    if name in BUNDLED:
        return _bundled_file(name)
    extra = _extra_robots()
    if name in extra:
        return extra[name]
    if not extra and name in _EXTRA_ALIASES:
        raise ExtraMissing(f"the robot '{name}'", EXTRA)
    hint = "" if extra else f" (and those of example-robot-data with: pip install 'armillary[{EXTRA}]')"
    raise UnknownRobot(name, nearest_first(name, [robot.name for robot in known_robots()]), hint)


def _bundled_file(name: str) -> Path:
    for suffix in (".urdf", ".urdf.xacro", ".toml"):
        path = _ROBOTS / name / f"{name}{suffix}"
        if path.exists():
            return path
    raise UnknownRobot(name, sorted(BUNDLED))


@cache
def _extra_robots() -> dict[str, Path]:
    folder = extra_robots_folder()
    if folder is None:
        return {}
    found = {path.stem: path for path in sorted(folder.glob("*/**/*.urdf"))}
    # ur5_robot.urdf is what people call ur5; ur5.urdf, where there is one, holds only macros.
    found |= {name.removesuffix("_robot"): path for name, path in found.items() if name.endswith("_robot")}
    for alias, relative in _EXTRA_ALIASES.items():
        if (folder / relative).exists():
            found[alias] = folder / relative
    return found
