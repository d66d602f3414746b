"""A program planned and proven as it would be run, without a robot: what each line needs, or where and why it cannot be done."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from armillary.errors import ArmillaryError
from armillary.motion import LookAhead, NoMotion, Plan, Segment
from armillary.programs import Command, Dwell, End, Move, SetOutput, Stop
from armillary.runtime.command_planning import CommandPlanner, going_somewhere, with_line

__all__ = ["DryRun", "LineNeeds", "dry_run"]

Array = NDArray[np.float64]
_AT_ONCE = 64  # commands that are looked at together, as when they are run
_REPORT = 0.2  # s between reports of progress


@dataclass
class LineNeeds:
    """What a line of a program needs.

    Attributes:
        source: File and line. what: The kind of command.
        times: How often it came.
        seconds: How long it takes in all [s].
        use: The largest share of a limit that it uses, and which; 0 and "" where nothing is moved.
        clearance: How near parts come to each other or to what stands around [m]; None where that was not looked at.
    """

    source: str
    what: str
    times: int = 0
    seconds: float = 0.0
    use: float = 0.0
    limit: str = ""
    clearance: float | None = None


@dataclass
class DryRun:
    """What came out of a dry run.

    Attributes:
        lines: By their source, in the order in which they came first.
        commands, moves: How many there were. seconds: How long all takes, at full rate [s].
        problem: What is wrong with the program on this robot, with its line; None where nothing is.
        whole: Whether it was gone through to its end; otherwise the budget was used up.
        end: Where the joints are then, shape (n,).
        listen: Told of each part of the motion.
        notes: What one should know of the motions, each with the line it came with first.
        until: When the budget is used up [s, monotonic].
    """

    end: Array
    lines: dict[str, LineNeeds] = field(default_factory=dict)
    commands: int = 0
    moves: int = 0
    seconds: float = 0.0
    problem: ArmillaryError | None = None
    whole: bool = False
    listen: Callable[[Plan], None] | None = field(default=None, repr=False)
    notes: dict[str, str] = field(default_factory=dict)
    until: float = field(default=float("inf"), repr=False)


class _BudgetUsedUp(Exception):
    """It has been looked at for long enough: all that was planned is good."""


def dry_run(
    planner: CommandPlanner, program: Iterable[Command], start: Array, *, commands: int = 100_000, budget: float = 300.0,
    progress: Callable[[str], None] | None = None, planned: Callable[[Plan], None] | None = None,
) -> DryRun:  # fmt: skip
    """Plan and prove a program from where the robot stands.

    Args:
        start: Shape (n,).
        commands: After so many it ends, and says that it did: a loop may be endless.
        budget: Likewise after so many seconds of planning.
        planned: Called with each part of the motion, in order; it ends the run by raising an error of ours.
    """
    found, begin, told = DryRun(np.array(start), listen=planned), time.monotonic(), 0.0
    found.until = begin + budget
    batch: list[Move] = []
    try:
        for command in program:
            if found.commands >= commands or time.monotonic() > found.until:
                break
            found.commands += 1
            if progress is not None and time.monotonic() - told > _REPORT:
                told = time.monotonic()
                progress(f"{command.source}: {found.commands} commands, {found.seconds:.0f} s of motion")
            if isinstance(command, Move):
                batch.append(command)
                if len(batch) < _AT_ONCE or (_open(planner, command) and len(batch) < 50 * _AT_ONCE):
                    continue
            elif isinstance(command, SetOutput) and command.with_motion:  # the motion goes on
                _line(found, command).times += 1
                continue
            _plan(planner, batch, found)
            batch = []
            if not isinstance(command, Move):
                _line(found, command).times += 1
            if isinstance(command, Dwell):
                found.seconds += command.seconds
                _line(found, command).seconds += command.seconds
            if isinstance(command, End | Stop):
                found.whole = True
                break
        else:
            found.whole = True
        _plan(planner, batch, found)
    except _BudgetUsedUp:
        found.whole = False
    except ArmillaryError as error:
        found.problem, found.whole = error, False
    return found


def _open(planner: CommandPlanner, last: Move) -> bool:
    """Whether a motion goes on behind a command: it is not parted there."""
    return last.rounds and planner.goes_on(last)


def _plan(planner: CommandPlanner, batch: list[Move], found: DryRun) -> None:
    """Plan commands one behind the other; those that go on without a stop as one motion."""
    moves, _ = going_somewhere(batch)
    found.moves += len(batch)
    for move in batch:
        _line(found, move).times += 1
    while moves:
        first = moves[0]
        try:
            if planner.is_there(first, found.end):
                moves = moves[1:]
            elif first.rounds and planner.goes_on(first):
                moves = _stream(planner, moves, found)
            else:
                _count(found, planner.plan(first, found.end), str(first.source))
                moves = moves[1:]
                if moves and time.monotonic() > found.until:
                    raise _BudgetUsedUp
        except ArmillaryError as error:
            raise with_line(error, first) from None


def _stream(planner: CommandPlanner, moves: list[Move], found: DryRun) -> list[Move]:
    """Plan a motion that goes on without a stop; the commands behind it."""
    count = 1
    while count < len(moves) and moves[count - 1].rounds and planner.goes_on(moves[count]):
        count += 1
    taken = 0

    def of_one_kind() -> Iterator[Segment]:
        nonlocal taken
        kind = None
        for segment, stands_for in planner.segments(moves[:count], found.end):
            if kind is not None and segment.by_tool != kind:
                return
            kind = segment.by_tool
            taken += stands_for
            yield segment

    for plan in LookAhead(planner.model, found.end, limits=planner.limits).stream(of_one_kind(), bounds=planner.bounds):
        _count(found, plan, str(moves[0].source))
        if time.monotonic() > found.until:
            raise _BudgetUsedUp
    return moves[taken:]


def _count(found: DryRun, plan: Plan, source: str) -> None:
    """Book a planned motion to its lines.

    Raises:
        ArmillaryError: It is not proven.
    """
    if not plan:
        raise NoMotion(f"this motion is not proven: {plan.certificate}")
    trajectory, use = plan.trajectory, plan.certificate.use
    limit = max(use, key=lambda name: use[name], default="")
    origins = trajectory.origins or (source,) * len(trajectory.durations)
    for origin, seconds in zip(origins, trajectory.durations.tolist(), strict=True):
        line = found.lines.setdefault(origin, LineNeeds(origin, "move"))
        line.seconds += seconds
    for origin in dict.fromkeys(origins):
        line = found.lines[origin]
        if limit and use[limit] > line.use:
            line.use, line.limit = use[limit], limit
        near = plan.certificate.clearance
        if near is not None and (line.clearance is None or near < line.clearance):
            line.clearance = near
    for note in plan.notes:
        found.notes.setdefault(note, origins[0])
    found.seconds += trajectory.duration
    found.end = trajectory.end.q.copy()
    if found.listen is not None:
        found.listen(plan)


def _line(found: DryRun, command: Command) -> LineNeeds:
    source = str(command.source)
    line = found.lines.setdefault(source, LineNeeds(source, type(command).__name__))
    line.what = type(command).__name__
    return line
