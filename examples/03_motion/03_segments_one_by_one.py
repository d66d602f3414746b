"""Segments from anywhere, one by one: blended into one motion that can always stop, in parts that are proven."""

from collections.abc import Iterator

import numpy as np

from armillary.model import load_model
from armillary.motion import LookAhead, Segment, line, tool_pose

cobot = load_model("cobot6")
here = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
start = tool_pose(cobot, here)


def zigzag(count: int) -> Iterator[Segment]:
    """A source that could as well be a file of a million lines, or a person."""
    last = start
    for i in range(1, count + 1):
        end = start.copy()
        end[:3, 3] += [0.02 * i, -0.08 * (i % 2), 0.0]
        yield Segment(line(last, end), blend=0.01, feed=0.2, origin=f"line {i}")
        last = end


for part in LookAhead(cobot, here).stream(zigzag(12)):
    motion = part.trajectory
    print(f"{motion.duration:.3f} s, {motion.origins[0]} to {motion.origins[-1]}: {part.certificate}")
    assert part
