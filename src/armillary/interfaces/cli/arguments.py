"""Arguments that several commands share."""

import argparse
from pathlib import Path

from armillary.errors import ArmillaryError

__all__ = [
    "BadPicture",
    "CellSaysIt",
    "add_json",
    "add_source",
    "packages_of",
    "picture_file",
    "refuse_source_options",
    "source_options",
    "xacro_args_of",
]

_PICTURES = (".png", ".svg", ".pdf", ".jpg", ".jpeg")


class BadPicture(ArmillaryError):
    """A picture's file whose ending names no format that is drawn."""


class CellSaysIt(ArmillaryError):
    """--arg, --package or --srdf beside a file that says these itself."""

    def __init__(self, source: str) -> None:
        super().__init__(f"{source} says itself how its robot is read; write --arg, --package and --srdf into its [robot]")


def add_source(parser: argparse.ArgumentParser) -> None:
    """A robot's file or name, and what is needed to read it."""
    parser.add_argument("source", metavar="ROBOT", help="a URDF, xacro, DH table or cell.toml, or a robot's name")
    parser.add_argument(
        "--arg", action="append", default=[], metavar="NAME:=VALUE", type=_xacro_arg,
        help="a value for a xacro argument (repeat for more)",
    )  # fmt: skip
    parser.add_argument(
        "--package", action="append", default=[], metavar="NAME=DIR", type=_package,
        help="where a package lies that the file names (repeat for more)",
    )  # fmt: skip
    parser.add_argument("--srdf", metavar="FILE", type=Path, help="groups and states; found by itself where it lies close")


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def picture_file(path: Path) -> Path:
    """The file of a picture that is to be drawn, looked at before anything is worked out for it.

    Raises:
        BadPicture: Nothing is drawn in the format that its ending names, or its folder is not there.
    """
    if path.suffix.lower() not in _PICTURES:
        raise BadPicture(f"{path}: no picture is called that; give a name that ends in {', '.join(_PICTURES)}")
    if not path.absolute().parent.is_dir():
        raise BadPicture(f"{path}: there is no folder {path.parent}; make it, or give another name")
    return path


def _xacro_arg(text: str) -> tuple[str, str]:
    name, separator, value = text.partition(":=")
    if not separator or not name:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME:=VALUE")
    return name, value


def _package(text: str) -> tuple[str, Path]:
    name, separator, folder = text.partition("=")
    if not separator or not name:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=DIR")
    if not Path(folder).is_dir():
        raise argparse.ArgumentTypeError(f"'{folder}' is not a folder")
    return name, Path(folder)


def xacro_args_of(options: argparse.Namespace) -> dict[str, str]:
    return dict(options.arg)


def packages_of(options: argparse.Namespace) -> dict[str, Path]:
    return dict(options.package)


def refuse_source_options(options: argparse.Namespace) -> None:
    """A cell says itself how its robot is read."""
    if options.arg or options.package or options.srdf:
        raise CellSaysIt(options.source)


def source_options(options: argparse.Namespace) -> dict[str, object]:
    """Keyword arguments for `read_robot` and its like."""
    if Path(options.source).suffix.lower() == ".toml":
        refuse_source_options(options)
    return {"args": xacro_args_of(options), "packages": packages_of(options), "srdf": options.srdf}
