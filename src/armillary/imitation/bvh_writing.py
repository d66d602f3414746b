"""BVH files, written."""

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from armillary.imitation.capture import Capture
from armillary.imitation.errors import ImitationError
from armillary.imitation.skeleton import POSITIONS, ROTATIONS
from armillary.whole_file import write_whole

__all__ = ["bvh_text", "write_bvh"]

Array = NDArray[np.float64]


def bvh_text(capture: Capture) -> str:
    """A capture as a file's text, with LF and four blanks; every number is read back as the same double.

    A file has each bone right behind what it hangs on, and its numbers in that order, whatever order the skeleton has.

    Raises:
        ImitationError: A number of it is none.
    """
    _must_be_numbers(capture)
    order: list[int] = []
    lines = ["HIERARCHY"]
    bones, children = capture.skeleton.bones, capture.skeleton.children
    waiting: list[tuple[int, int, bool]] = [(k, 0, True) for k in reversed(range(len(bones))) if bones[k].parent < 0]
    while waiting:
        k, depth, opens = waiting.pop()
        bone, pad = bones[k], "    " * depth
        if not opens:
            lines.append(f"{pad}}}")
            continue
        order.append(k)
        lines += [f"{pad}{'JOINT' if depth else 'ROOT'} {bone.name}", f"{pad}{{", f"{pad}    OFFSET {_figures(bone.offset)}"]
        lines.append(f"{pad}    CHANNELS {len(bone.channels)} {' '.join(bone.channels)}".rstrip())
        waiting.append((k, depth, False))
        waiting += [(child, depth + 1, True) for child in reversed(children[k])]
        if bone.end is not None:
            lines += [f"{pad}    End Site", f"{pad}    {{", f"{pad}        OFFSET {_figures(bone.end)}", f"{pad}    }}"]
    lines += ["MOTION", f"Frames: {len(capture)}", f"Frame Time: {_figure(capture.period)}"]
    firsts = np.cumsum([0, *(len(bone.channels) for bone in bones)])
    columns = np.array([column for k in order for column in range(firsts[k], firsts[k + 1])], dtype=np.int64)
    lines += [_figures(row) for row in capture.values[:, columns]]
    return "\n".join(lines) + "\n"


def write_bvh(path: Path | str, capture: Capture) -> None:
    """Whole or not at all.

    Raises:
        ImitationError: A number of it is none.
        CannotWrite: It cannot be written.
    """
    write_whole(Path(path), bvh_text(capture))


def _must_be_numbers(capture: Capture) -> None:
    for bone in capture.skeleton.bones:
        if not np.isfinite(bone.offset).all() or (bone.end is not None and not np.isfinite(bone.end).all()):
            raise ImitationError(f"{capture.source or 'the capture'}: where '{bone.name}' is has a number that is none")
    if not math.isfinite(capture.period):
        raise ImitationError(f"{capture.source or 'the capture'}: frames {capture.period} s apart cannot be written")
    broken = np.argwhere(~np.isfinite(capture.values))
    if len(broken):
        frame, column = broken[0]
        bone, what = capture.skeleton.channel_table[column]
        raise ImitationError(
            f"{capture.source or 'the capture'}: frame {frame + 1} has {capture.values[frame, column]} as "
            f"{(POSITIONS + ROTATIONS)[what]} of '{capture.skeleton.names[bone]}', which no file holds; mend it or leave it out"
        )


def _figures(values: Array) -> str:
    return " ".join(map(_figure, values.tolist()))


def _figure(value: float) -> str:
    return (
        repr(value)
        if value != int(value) or abs(value) >= 1e15
        else f"{int(value)}"
        if value or math.copysign(1.0, value) > 0
        else "-0.0"
    )
