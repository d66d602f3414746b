"""A run that begins in the middle: what comes before is carried out for its modes, and nothing of it moves."""

from collections.abc import Callable, Iterator

from armillary.programs.gcode import canon
from armillary.programs.gcode.errors import LineFault

__all__ = ["from_line"]

_MOVES = (canon.StraightTraverse, canon.StraightFeed, canon.ArcFeed)
_LEFT_OUT = (
    *_MOVES, canon.Dwell, canon.Comment, canon.Message, canon.Print, canon.Log, canon.ProgramStop, canon.ShuttlePallet,
    canon.WaitInput, canon.SetDigitalOutput, canon.SetAnalogOutput,
)  # fmt: skip
_SWITCHES = (canon.StartSpindle, canon.StopSpindle, canon.Switch)


def from_line(commands: Iterator[canon.Canon], begun: Callable[[], bool]) -> Iterator[canon.Canon]:
    """The commands of a run from its start line on; before it only those that set modes, offsets, feed, tool and spindle.

    Args:
        begun: Whether the start line has been reached.

    Raises:
        LineFault: The first move is an arc, which needs the place that it begins from.
    """
    moved, switched = False, dict[str, canon.Canon]()
    for command in commands:
        if not begun():
            if isinstance(command, _SWITCHES):  # what they come to, and not every step on the way
                switched[getattr(command, "what", "spindle")] = command
                continue
            if isinstance(command, _LEFT_OUT):
                continue
        elif switched:
            yield from switched.values()
            switched = {}
        if not moved and isinstance(command, _MOVES):
            moved = True
            if isinstance(command, canon.ArcFeed):
                raise LineFault("the first move from the start line is an arc", "start at a line that moves straight")
        yield command
