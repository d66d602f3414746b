"""BVH files, written."""

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from armillary.imitation.capture import Capture
from armillary.whole_file import write_whole

__all__ = ["bvh_text", "write_bvh"]

Array = NDArray[np.float64]


def bvh_text(capture: Capture) -> str:
    """A capture as a file's text, with LF and four blanks; every number is read back as the same double."""
    lines = ["HIERARCHY"]
    bones, children = capture.skeleton.bones, capture.skeleton.children
    waiting: list[tuple[int, int, bool]] = [(k, 0, True) for k in reversed(range(len(bones))) if bones[k].parent < 0]
    while waiting:
        k, depth, opens = waiting.pop()
        bone, pad = bones[k], "    " * depth
        if not opens:
            lines.append(f"{pad}}}")
            continue
        lines += [f"{pad}{'JOINT' if depth else 'ROOT'} {bone.name}", f"{pad}{{", f"{pad}    OFFSET {_figures(bone.offset)}"]
        lines.append(f"{pad}    CHANNELS {len(bone.channels)} {' '.join(bone.channels)}".rstrip())
        waiting.append((k, depth, False))
        waiting += [(child, depth + 1, True) for child in reversed(children[k])]
        if bone.end is not None:
            lines += [f"{pad}    End Site", f"{pad}    {{", f"{pad}        OFFSET {_figures(bone.end)}", f"{pad}    }}"]
    lines += ["MOTION", f"Frames: {len(capture)}", f"Frame Time: {_figure(capture.period)}"]
    lines += [_figures(row) for row in capture.values]
    return "\n".join(lines) + "\n"


def write_bvh(path: Path | str, capture: Capture) -> None:
    """Whole or not at all.

    Raises:
        CannotWrite: It cannot be written.
    """
    write_whole(Path(path), bvh_text(capture))


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
