"""Motions from their tokens; and, in one step, the plain ones that long programs are made of."""

import re

from armillary.programs.script.errors import Fault, Place
from armillary.programs.script.expressions import Value
from armillary.programs.script.reader import Reader
from armillary.programs.script.statements import Motion, Timing, Units
from armillary.programs.script.words import KEYWORDS, motion_word

__all__ = ["plain_motion", "read_motion"]

_NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
_PLAIN = re.compile(
    r"[ \t]*(?:([A-Za-z_]\w*)[ \t]+)?(D?MOVE[A-Z_]*)[ \t]+(?:\{(\w+)\}[ \t]+)?"
    rf"({_NUMBER}(?:[ \t]+{_NUMBER})*)(?:[ \t]*\[({_NUMBER})\])?(?:[ \t]*\(((?:mm|m),(?:deg|rad)(?:,s)?)\))?"
    r"(?:[ \t]*\{(\w+)\})?[ \t]*$",
    re.ASCII,
).match
_LONGEST = 300  # characters; no number in so short a line is too large to be finite
_UNITS = {
    f"{length},{angle}{',s' * timed}": Units(length, angle, "s" * timed) for length in ("mm", "m") for angle in ("deg", "rad")
    for timed in (0, 1)
}  # fmt: skip
_GROUPS = {"MOVEC": (2, 2), "MOVEJ_SPLINE": (1, None), "MOVEL_SPLINE": (1, None)}  # how many; one for the others
_POSES = frozenset(("DMOVE", "MOVEC", "MOVEJ_RPY", "MOVEL", "MOVEL_SPLINE"))


def plain_motion(text: str, line: int) -> Motion | None:
    """The motion of a line that is nothing but one with plain numbers, as `read_motion` reads it; None for any other line."""
    found = _PLAIN(text)
    if found is None or len(text) > _LONGEST:
        return None
    index, word, moving, numbers, time, units, frame = found.groups()
    name = motion_word(word)
    values: tuple[Value, ...] = tuple([float(number) for number in numbers.split()])
    if name is None or name[0] in _GROUPS or (name[0] in _POSES and len(values) != 6) or (index and index.upper() in KEYWORDS):
        return None
    return Motion(
        at=(line, found.start(2) + 1), index=index or "", name=name[0], suffix=name[1], groups=(values,), moving=moving,
        timing=None if time is None else Timing(float(time)), units=None if units is None else _UNITS[units], frame=frame,
    )  # fmt: skip


def read_motion(word: str, at: Place, reader: Reader, index: str, comment: str) -> Motion:
    """What comes behind the name of a motion.

    Raises:
        Fault: It cannot be taken.
    """
    named = motion_word(word)
    assert named is not None
    name, suffix = named
    moving = reader.frame() if reader.next.kind == "brace" else None
    groups = [reader.row()]
    while reader.accept_sign(";"):
        groups.append(reader.row())
    timing: Timing | None = None
    units: Units | None = None
    frame: str | None = None
    extra: dict[str, Value] = {}
    while not reader.at_end():
        token = reader.next
        if reader.is_sign("[") and timing is None:
            timing = _bracket(reader)
        elif reader.at_units() and units is None:
            units = reader.units()
        elif token.kind == "brace" and frame is None:
            frame = reader.frame()
        elif reader.is_word("BLEND", "TOLERANCE") and not extra:
            kind = reader.take().text.lower()
            extra[kind] = reader.value()
        else:
            raise reader.fault("[time or speed], (units), {frame}, BLEND, TOLERANCE, each once, or the end of the command")
    _check_groups(name, groups, at)
    if extra and (suffix or (timing is not None and timing.unit in ("", "s", "ms", "min"))):
        said = "a law of time" if suffix else "a time"
        raise Fault(
            f"{word} has {said} and {next(iter(extra)).upper()}", "a motion with either goes from rest to rest; leave out one", at
        )
    if extra and name.endswith("SPLINE"):
        raise Fault(f"{next(iter(extra)).upper()} with {word}", "a spline goes from rest to rest; leave it out", at)
    if "tolerance" in extra and name.startswith(("MOVEJ", "DMOVEJ")):
        raise Fault(f"TOLERANCE with {word}", "it is for straight lines, arcs and splines of the tool; expected BLEND", at)
    return Motion(
        at=at, index=index, comment=comment, name=name, suffix=suffix, groups=tuple(groups), moving=moving, timing=timing,
        units=units, frame=frame, blend=extra.get("blend"), tolerance=extra.get("tolerance"),
    )  # fmt: skip


def _bracket(reader: Reader) -> Timing:
    reader.sign("[")
    timing = reader.timing()
    reader.sign("]")
    return timing


def _check_groups(name: str, groups: list[tuple[Value, ...]], at: Place) -> None:
    least, most = _GROUPS.get(name, (1, 1))
    if len(groups) < least or (most is not None and len(groups) > most):
        wanted = "two, a point on the way; and the end" if name == "MOVEC" else "one"
        raise Fault(f"{name} has {len(groups)} points", f"expected {wanted}", at)
    for position, group in enumerate(groups):
        on_the_way = name == "MOVEC" and position == 0
        counts = (1, 3, 6) if on_the_way else (6,) if name == "DMOVE" else (1, 6)
        if name in _POSES and len(group) not in counts:
            what = "x y z, x y z roll pitch yaw" if on_the_way else "x y z roll pitch yaw"
            raise Fault(f"{name} has {len(group)} values for a pose", f"expected {what}, or the name of a point", at)
