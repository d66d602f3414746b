"""A taught sequence as a program: robot commands as text, and G-code."""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, degrees, pi, radians, sqrt

import numpy as np
from numpy.typing import NDArray

from armillary.motion import BadMotion, arc_through
from armillary.motion.tool_piece import ArcPiece
from armillary.programs.commands import Three
from armillary.programs.surroundings import Point
from armillary.programs.teach.errors import TeachError
from armillary.programs.teach.sequence import TaughtMove
from armillary.spatial import inverse, rotation_from_rpy, rpy_from_rotation, transform_from_xyz_rpy

__all__ = ["to_gcode", "to_script"]

Array = NDArray[np.float64]
_UNITS = "(mm,deg,s)"
_AXES = ("G19", "G18", "G17")  # the planes whose normal is x, y, z
_CHORD = 1e-5  # m that straight pieces may be off an arc that no plane of G-code has
_TURN = radians(2.0)  # and how far the tool turns in one of them


def to_script(moves: Sequence[TaughtMove], *, slides: Sequence[bool] = (), first: int = 1) -> str:
    """Robot commands (docs/robot-commands.md): mm and degrees, one line a move, with the point's name behind it.

    Args:
        slides: Which joints move along their axis, as `Surroundings.slides`: their values are lengths.
        first: The number of the first command.
    """
    lines = []
    for number, move in enumerate(moves, first):
        words = [f"P{number:04d}", *_command(move, slides)]
        if move.blend:
            words += ["BLEND", _text(degrees(move.blend) if move.kind == "joints" else 1e3 * move.blend)]
        lines.append(" ".join(words) + f"  # {move.point.name}")
    return "\n".join(lines) + "\n"


def _command(move: TaughtMove, slides: Sequence[bool]) -> list[str]:
    point = move.point
    frame = f"{{{point.tool or 'TCP'}}}"
    if move.kind == "joints":
        long = tuple(slides) or (False,) * len(point.q)
        if len(long) != len(point.q):
            raise TeachError(f"point {point.name!r} has {len(point.q)} joints, and {len(long)} are said to slide or turn")
        values = [_text(1e3 * value if slide else degrees(value)) for value, slide in zip(point.q, long, strict=True)]
        return ["MOVEJ", *values, *([f"[{_text(100.0 * move.speed)} %]"] if move.speed else []), _UNITS]
    speed = [f"[{_text(1e3 * move.speed)} mm/s]"] if move.speed else []
    if move.via is not None:
        via = [_text(1e3 * value) for value in move.via.xyz]
        return ["MOVEC", frame, *via, ";", *_pose(point.xyz, point.rpy), *speed, _UNITS, "{B}"]
    return ["MOVEL", frame, *_pose(point.xyz, point.rpy), *speed, _UNITS, "{B}"]


def _pose(xyz: Three, rpy: Three) -> list[str]:
    return [_text(1e3 * value) for value in xyz] + [_text(degrees(value)) for value in rpy]


def to_gcode(moves: Sequence[TaughtMove], *, feed: float = 0.1, T_base_frame: Array | None = None) -> str:
    """G-code: mm, mm/min, and A B C with R = Rz(C) Ry(B) Rx(A), of the tool in what the arm stands on or in a frame.

    Moves by joints become G0 to the pose, which may be reached with other joint positions; a comment says so. Arcs across the
    planes of G-code become short straight pieces, within a hundredth of a millimetre.

    Args:
        feed: Of lines and arcs that have no speed of their own [m/s].
        T_base_frame: The frame that the cell's G-code is given in, (4, 4); what the arm stands on where left out.

    Raises:
        TeachError: A point of another tool than the first; or an arc that begins nowhere, or whose points lie on a line.
    """
    if not 0.0 < feed < float("inf"):
        raise TeachError(f"a feed of {feed} m/s is none; give one above zero")
    if len({move.point.tool for move in moves}) > 1:
        raise TeachError("the points were taught with several tools, and G-code names none; make a program of each")
    lines = ["(taught points; mm; the tool is turned by A about x, then B about y, then C about z)", "G21 G90 G94 G17 G40 G49"]
    before: Point | None = None
    angles: Three = (0.0, 0.0, 0.0)
    for move in moves if T_base_frame is None else [_in_frame(move, T_base_frame) for move in moves]:
        written, angles = _blocks(move, before, angles, feed)
        lines += written
        before = move.point
    return "\n".join([*lines, "M2"]) + "\n"


def _in_frame(move: TaughtMove, T_base_frame: Array) -> TaughtMove:
    """The same move, its poses given in a frame."""
    back = inverse(T_base_frame)

    def inside(point: Point) -> Point:
        T = back @ transform_from_xyz_rpy(point.xyz, point.rpy)
        x, y, z = T[:3, 3].tolist()
        return replace(point, xyz=(x, y, z), rpy=rpy_from_rotation(T[:3, :3]))

    return replace(move, point=inside(move.point), via=None if move.via is None else inside(move.via))


def _blocks(move: TaughtMove, before: Point | None, angles: Three, feed: float) -> tuple[list[str], Three]:
    """The lines of a move, and the angles that it ends with."""
    point = move.point
    # A blend is where a corner may be left, P how far it may be passed by: at a right angle a quarter of that.
    path = f"G64 P{_text(1e3 * 0.2 * move.blend)}" if move.blend and move.kind != "joints" else "G61"
    ends = _nearest_angles(point.rpy, angles)
    if move.kind == "joints":
        return [f"{path} G0 {_words(point.xyz, ends)} ({point.name}: taught by joints)"], ends
    rate = f"F{_text(60e3 * (move.speed or feed))}"
    if move.via is None:
        return [f"{path} G1 {_words(point.xyz, ends)} {rate} ({point.name})"], ends
    if before is None:
        raise TeachError(f"the arc to point {point.name!r} begins nowhere: let another move come first")
    return _arc(move, before, angles, f"{path} {{}} {rate}")


def _arc(move: TaughtMove, before: Point, angles: Three, form: str) -> tuple[list[str], Three]:
    assert move.via is not None
    point = move.point
    start, end = (transform_from_xyz_rpy(each.xyz, each.rpy) for each in (before, point))
    try:
        path = arc_through(start, move.via.xyz, end)
    except BadMotion as error:
        raise TeachError(f"the arc to point {point.name!r} through {move.via.name!r}: {error}") from None
    (piece,) = path.pieces
    assert isinstance(piece, ArcPiece)
    centre, axis = piece.centre, piece.axis
    normal = int(np.abs(axis).argmax())
    if abs(axis[normal]) > 1.0 - 1e-12:
        ends = _nearest_angles(point.rpy, angles)
        offsets = " ".join(f"{letter}{_text(1e3 * (centre[i] - before.xyz[i]))}" for i, letter in enumerate("IJK") if i != normal)
        word = f"{_AXES[normal]} {'G3' if axis[normal] > 0.0 else 'G2'} {_words(point.xyz, ends)} {offsets}"
        return [f"{form.format(word)} ({point.name}, through {move.via.name})"], ends
    step = 2.0 * sqrt(2.0 * _CHORD / max(piece.radius, _CHORD))  # r step^2 / 8 is how far its middle is off
    count = max(ceil(piece.angle / step), ceil(_turn(start, end) / _TURN), 2)
    poses = path.at(np.linspace(0.0, path.length, count + 1)[1:]).T
    lines = [f"(an arc across the planes, in {count} pieces: {point.name}, through {move.via.name})"]
    for T in poses:
        angles = _nearest_angles(rpy_from_rotation(T[:3, :3]), angles)
        lines.append(form.format(f"G1 {_words(tuple(T[:3, 3].tolist()), angles)}"))
    return lines, angles


def _turn(start: Array, end: Array) -> float:
    """How far two poses are turned from each other [rad]."""
    return float(np.arccos(np.clip((np.trace(start[:3, :3].T @ end[:3, :3]) - 1.0) / 2.0, -1.0, 1.0)))


def _nearest_angles(rpy: Three, near: Three) -> Three:
    """The same rotation in angles that are nearest to others: G-code turns each of them evenly, also through whole turns."""
    roll, pitch, yaw = rpy_from_rotation(rotation_from_rpy(rpy))
    choices = [(roll, pitch, yaw), (roll + pi, pi - pitch, yaw + pi)]
    found = [tuple(a + 2.0 * pi * round((b - a) / (2.0 * pi)) for a, b in zip(each, near, strict=True)) for each in choices]
    a, b, c = min(found, key=lambda each: max(abs(x - y) for x, y in zip(each, near, strict=True)))
    return (a, b, c)


def _words(xyz: Sequence[float], rpy: Three) -> str:
    values = [1e3 * value for value in xyz] + [degrees(value) for value in rpy]
    return " ".join(f"{letter}{_text(value)}" for letter, value in zip("XYZABC", values, strict=True))


def _text(value: float) -> str:
    """A number to a millionth, without noughts that say nothing."""
    text = f"{value:.6f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text
