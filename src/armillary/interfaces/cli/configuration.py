"""A robot's model, a configuration and a frame from the command line."""

import argparse
from math import isfinite
from typing import TYPE_CHECKING

from armillary.errors import ArmillaryError
from armillary.interfaces.cli.arguments import add_source, source_options

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from armillary.description import CellDescription
    from armillary.model import Model

__all__ = [
    "BadNumbers",
    "add_base",
    "add_configuration",
    "add_frame",
    "base_of",
    "cell_of",
    "configuration_of",
    "frame_of",
    "home_configuration",
    "in_units",
    "model_of",
    "numbers_of",
    "values_of",
]


_LARGEST = 1e30


class BadNumbers(ArmillaryError):
    """Joint values on the command line that cannot be taken."""


def add_configuration(parser: argparse.ArgumentParser) -> None:
    """ROBOT, --q, --at, --deg, --group."""
    add_source(parser)
    parser.add_argument("--q", metavar='"Q1 Q2 ..."', help="joint positions [rad or m]; home, or zero, where left out")
    parser.add_argument(
        "--at", action="append", default=[], metavar="JOINT=VALUE", help="one joint's position, over --q (repeat for more)"
    )
    parser.add_argument("--deg", action="store_true", help="angles of joints in degrees, in and out")
    parser.add_argument("--group", metavar="NAME", help="only the joints of this group of the cell")


def add_frame(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--frame", metavar="NAME", help="the frame; the tool, or the last link, where left out")


def add_base(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--base", metavar="NAME",
        help='the frame that poses are in, or "world"; the link that the cell\'s arm stands on, or the world, where left out',
    )  # fmt: skip


def base_of(options: argparse.Namespace, model: "Model") -> str:
    """The frame that poses are in; "" for the world."""
    if options.base is None:
        return model.reference
    if options.base == "world" and "world" not in model.frames:
        return ""
    model.frame_number(options.base)
    return str(options.base)


def model_of(options: argparse.Namespace) -> "Model":
    """The model of the robot named, of its cell where it has one."""
    from armillary.description import read_robot
    from armillary.model import build_model, load_model

    given = {key: value for key, value in source_options(options).items() if value}
    if given and options.group:
        raise BadNumbers("--group names a group of a cell, and with --arg, --package or --srdf the robot is read without one")
    if given:
        return build_model(read_robot(options.source, **given))  # type: ignore[arg-type]
    return load_model(options.source, group=options.group)


def cell_of(source: str) -> "CellDescription | None":
    """The cell of a robot, or None where it has none."""
    from armillary.description import open_cell
    from armillary.description.cell_fit import cell_file

    own = cell_file(source)
    return None if own is None else open_cell(own).cell


def configuration_of(options: argparse.Namespace, model: "Model") -> "NDArray[np.float64]":
    """The configuration asked for: --q, or the cell's home, with --at over it."""
    import numpy as np

    q = values_of(options.q, model, options.deg, "--q") if options.q is not None else home_configuration(options.source, model)
    for text in options.at:
        joint, separator, value = text.partition("=")
        if not separator:
            raise BadNumbers(f"--at {text} is not JOINT=VALUE")
        column = model.column(joint)
        q[column] = _number(value, f"--at {text}") * (_units(model, options.deg)[column])
    return np.asarray(q, dtype=float)


def numbers_of(text: str, what: str) -> list[float]:
    """The numbers of an option, separated by spaces or commas."""
    return [_number(part, what) for part in text.replace(",", " ").split()]


def in_units(q: "NDArray[np.float64]", model: "Model", degrees: bool) -> "NDArray[np.float64]":
    """Joint values as they are shown: in degrees where asked for and the joint turns."""
    return q / _units(model, degrees)


def values_of(text: str, model: "Model", degrees: bool, what: str) -> "NDArray[np.float64]":
    """n numbers of an option, separated by spaces or commas, in SI."""
    import numpy as np

    numbers = numbers_of(text, what)
    if len(numbers) != model.n:
        raise BadNumbers(
            f"{what} has {len(numbers)} numbers; {model.spec.robot.name} has {model.n} joints: {', '.join(model.joints)}"
        )
    return np.array(numbers) * _units(model, degrees)


def frame_of(options: argparse.Namespace, model: "Model") -> str:
    """The frame asked for, or the one that a person means: the tool, or the tip of the longest chain."""
    if options.frame:
        model.frame_number(options.frame)
        return str(options.frame)
    return model.tip


def _units(model: "Model", degrees: bool) -> "NDArray[np.float64]":
    import numpy as np

    robot = model.spec.robot
    return np.array([np.pi / 180 if degrees and robot.joint(name).unit == "rad" else 1.0 for name in model.joints])


def _number(text: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise BadNumbers(f"{what}: '{text}' is not a number") from None
    if not abs(value) < _LARGEST:
        if isfinite(value) or any(character.isdigit() for character in text):  # 1e400 is a number, and none that a float can be
            raise BadNumbers(f"{what}: {text} is beyond {_LARGEST:g}, more than any length, angle or speed of a robot")
        raise BadNumbers(f"{what}: {text} is not finite")
    return value


def home_configuration(source: str, model: "Model") -> "NDArray[np.float64]":
    """The cell's home, or zero."""
    from armillary.interfaces.cli.show import home_of

    q = model.zero()
    for joint, value in home_of(source, model.spec.robot).items():
        if joint in model.joints:
            q[model.column(joint)] = value
    return q
