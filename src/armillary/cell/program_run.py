"""A program while a cell runs it: read ahead of the motion, planned and proven ahead of the motion, and driven without pauses."""

import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from typing import TYPE_CHECKING, Any

from armillary.drivers import Capabilities
from armillary.errors import ArmillaryError
from armillary.programs import BadProgram, Command, Dwell, End, Keep, Move, Pause, Say, SetOutput, Stop, WaitInput
from armillary.programs.command_values import values_of
from armillary.programs.languages import Keeper, Running, Shown
from armillary.programs.outputs_with_motion import MotionOutputs, last_of_each, setting_before
from armillary.runtime import Refused, RuntimeProblem, State
from armillary.runtime.inputs_outputs import checked_output

if TYPE_CHECKING:
    from armillary.cell.cell import Cell

__all__ = ["ProgramRun", "RunState"]

_HORIZON = 4.0  # s of motion that are planned ahead at most
_LEAN = 1.5  # s of motion ahead, below which what has been read is handed over at once
_MOST = 64  # commands that are handed over together
_SOON = 0.05  # s before the end of a motion at which what is said behind it is said, where it goes on
_LOOK = 0.004  # s between looks at the robot


class RunState(Enum):
    """What a program does."""

    READY = "ready"
    RUNNING = "running"
    PAUSED = "paused"
    WAITING = "waiting"
    ENDED = "ended"
    STOPPED = "stopped"
    FAILED = "failed"


class ProgramRun:
    """One run of a program on a cell.

    Attributes:
        state: What it does. error: Why it failed, or None.
        commands, moves: How many there were so far.
        said: What the program has said, newest last.
        outputs: That the next move sets as it begins; where none comes they are not set.
    """

    def __init__(
        self, cell: "Cell", program: Running, *, step: bool = False, optional_pauses: bool = False, pauses: bool = True,
        listen: Callable[[str], None] | None = None, outputs: MotionOutputs = (), held: bool = False,
    ) -> None:  # fmt: skip
        """Args:
        step: Pause before every move.
        pauses: Whether the program may pause by itself; lines that are typed have nobody who would let them go on.
        optional_pauses: Pause also where the program leaves that to the operator (M1).
        listen: Called with what the program says.
        outputs: That wait for its first move.
        held: It moves only while somebody holds it to run (`Cell.press`), and holds on its path otherwise.
        """
        self.cell, self.program = cell, program
        self.state, self.error = RunState.READY, None  # type: RunState, ArmillaryError | None
        self.commands, self.moves, self.outputs = 0, 0, outputs
        self.said: deque[str] = deque(maxlen=1000)
        self._step, self._optional, self._pauses, self._listen = step, optional_pauses, pauses, listen
        self._within: tuple[int, str] | None = None  # the move that is to be driven to its end, and no further
        self._held = held
        self._batch: list[Move] = []
        self._size = 1  # of a batch: the first are small, so that it moves soon
        self.notes: dict[str, None] = {}  # what one should know of its motions, each once
        self._notes: deque[tuple[int, float, Say | Keep]] = deque()  # behind which motion, and which time of it, each is due
        self._ahead: deque[tuple[int, float]] = deque()  # motions that were handed over, and how long each lasts
        self._stop, self._go = threading.Event(), threading.Event()
        self._stops, self._runs_in = 0, 0
        self._thread: threading.Thread | None = None
        self._lock_step = cell.station.settings.pace == "lock_step"
        self._go.set()

    # From outside, in any thread.

    def start(self) -> "ProgramRun":
        """Run it in a thread of its own."""
        self._thread = threading.Thread(target=self._run_quietly, name="program", daemon=True)
        self._thread.start()
        return self

    def run(self) -> None:
        """Run it to its end.

        Raises:
            ArmillaryError: What it failed of, with its line. What came before has been driven.
        """
        try:
            self._run_quietly()
        except BaseException:  # Ctrl-C: nobody waits for it any more
            self.stop()
            raise
        if self.error is not None:
            raise self.error

    def wait(self, timeout: float | None = None) -> None:
        """Wait until it has ended.

        Raises:
            ArmillaryError: What it failed of.
        """
        if self._thread is not None:
            self._thread.join(timeout)
        if self.error is not None:
            raise self.error

    def pause(self) -> None:
        """Hold the motion on its path, and read no further."""
        self._go.clear()
        if State(int(self.cell.station.state["state"])) == State.MOVING:
            try:
                self.cell.hold()
            except Refused:
                pass  # it has just come to its end
        if self.state in (RunState.RUNNING, RunState.WAITING):
            self.state = RunState.PAUSED

    def resume(self) -> None:
        """Go on from a pause; not one move at a time any more."""
        self._step, self._within = False, None
        self._let_go()

    def step(self) -> None:
        """Go on from a pause for one move; from a pause within a move to its end, and to a stop as soon as the path allows it."""
        self._step = True
        self._within = self._place if State(int(self.cell.station.state["state"])) == State.HOLDING else None
        self._let_go()

    def go_by_steps(self, steps: bool) -> None:
        """Whether it goes one move at a time when it is next let go; it stays paused, or runs, as it does."""
        self._step = steps

    def stop(self) -> None:
        """Stop the motion on its path, and the program with it."""
        self._stop.set()
        self.cell.stop()
        self._go.set()
        self.program.stop()

    @property
    def line(self) -> str:
        """The line that is being moved, as file:line; "" where none is."""
        return bytes(self.cell.station.state["origin"]).decode(errors="replace")

    @property
    def shown(self) -> Shown:
        """Where it is read, its variables, calls and modes."""
        return self.program.shown()

    @property
    def stepping(self) -> bool:
        """Whether it goes one move at a time."""
        return self._step

    @property
    def over(self) -> bool:
        return self.state in (RunState.ENDED, RunState.STOPPED, RunState.FAILED)

    @property
    def _place(self) -> tuple[int, str]:
        """Which move is being driven: moves that flow into each other are one motion, in which the line tells them apart."""
        return int(self.cell.station.state["motion"]), self.line

    def _let_go(self) -> None:
        if State(int(self.cell.station.state["state"])) == State.HOLDING:
            self.cell.resume()
        if not self.over:
            self.state = RunState.RUNNING
        self._go.set()

    # In the thread that runs it.

    def _run_quietly(self) -> None:
        self.state, self._runs_in = RunState.RUNNING, threading.get_ident()
        self._stops = int(self.cell.station.state["stops"])
        self.cell.inputs.arrive = self._arrive
        try:
            if self._step:
                self._pause()
            for command in self.program:
                self.commands += 1
                self._do(command)
                if isinstance(command, End | Stop):
                    break
            self._hand_over()
            self._drain()
            self._do_what_is_due()
            self.state = RunState.ENDED
        except _Stopped:
            self.state = RunState.STOPPED
        except ArmillaryError as error:
            record = self.cell.station.state
            if self._stop.is_set():  # what was being planned then is refused
                self.state = RunState.STOPPED
            elif int(record["stops"]) != self._stops and int(record["state"]) != State.FAULTED:
                self.error, self.state = Refused("the program was stopped"), RunState.STOPPED
            else:
                self._fail(error)
        except Exception as error:  # whatever a language from elsewhere does: it is told, and nothing more is moved
            self._fail(BadProgram(f"the program's language failed: {error!r}"))
        finally:
            self.cell.inputs.arrive = None

    def _fail(self, error: ArmillaryError) -> None:
        """What is wrong comes behind what has been read and is being moved: that is driven to its end first."""
        try:
            self._hand_over()
            self._drain()
        except (_Stopped, ArmillaryError) as other:
            if isinstance(other, ArmillaryError):
                error = other
        self.error, self.state = error, RunState.FAILED

    def _do(self, command: Command) -> None:
        self._must_run()
        if not self._go.is_set():
            self._wait_to_go()
        if isinstance(command, Move):
            self._move(command)
        elif isinstance(command, SetOutput) and command.with_motion:
            self._must_have(command)
            self.outputs = last_of_each(self.outputs, ((command.index, command.value),))
        elif isinstance(command, Say | Keep):
            self._hand_over()
            self._notes.append((*(self._ahead[-1] if self._ahead else (0, 0.0)), command))
            self._do_what_is_due()
        elif not isinstance(command, Pause) or (self._pauses and (self._optional or not command.optional)):
            self._hand_over()
            self._drain()
            _DO[type(command)](self, command)

    def _move(self, command: Move) -> None:
        self.moves += 1
        self._batch.append(setting_before(command, self.outputs))
        self.outputs = ()
        if self._step:
            self._hand_over()
            self._drain()
            self._pause()
        elif self._lock_step:
            self._hand_over()
            if not command.rounds:
                self._drain()
        elif len(self._batch) >= self._size or (self.moves % 8 == 0 and self._left() < _LEAN):
            self._hand_over()

    def _arrive(self) -> None:
        """The program is about to look at an input: that counts where the robot has come to the line."""
        if threading.get_ident() == self._runs_in:
            self._hand_over()
            self._drain()

    def _hand_over(self) -> None:
        """Have what has been read planned and driven, as soon as there is room ahead."""
        batch, self._batch = self._batch, []
        if not batch:
            return
        # In lock-step time waits for what comes next: nothing is ahead of it.
        while (self._left() > _HORIZON and not self._lock_step) or not self._go.is_set():
            self._look()
        self._size = min(2 * self._size, _MOST)
        self._must_run()
        # With the stops that it knows of: one that came while it read on is not passed over.
        asked: dict[str, Any] = {
            "what": "commands", "commands": [values_of(command) for command in batch], "stops": self._stops,
            "while_pressed": self._held, "resumable": self._held,
        }  # fmt: skip
        said = self.cell.station.ask("move", asked, timeout=3600.0)
        self.notes.update(dict.fromkeys(note for note in said["notes"] if note != "it is there already"))
        if not self._go.is_set() and State(int(self.cell.station.state["state"])) == State.MOVING:
            with suppress(Refused):  # it has just come to its end
                self.cell.hold()  # somebody paused while it was being planned
        # Moves that had nothing to do have not set theirs.
        self.outputs = last_of_each(tuple((index, value) for index, value in said["outputs"]), self.outputs)
        for motion, lasts in said["motions"]:
            while self._ahead and self._ahead[-1][0] == motion:
                self._ahead.pop()
            self._ahead.append((int(motion), float(lasts)))

    def _left(self) -> float:
        """How much motion lies ahead of the robot [s]."""
        record = self.cell.station.state
        now = int(record["motion"])
        if not record["moves"] and not record["queued"] and int(record["state"]) != State.HOLDING:
            self._ahead.clear()
        while self._ahead and self._ahead[0][0] < now:
            self._ahead.popleft()
        total = sum(lasts for _, lasts in self._ahead)
        return total - float(record["motion_time"]) if self._ahead and self._ahead[0][0] == now else total

    def _drain(self) -> None:
        """Wait until all that was handed over has been driven."""
        self.cell.finish()
        while True:
            state = self._look()
            if state not in (State.MOVING, State.HOLDING) and not int(self.cell.station.state["queued"]):
                return

    def _look(self) -> State:
        """Let a moment pass, and see whether the robot still runs the program."""
        time.sleep(_LOOK)
        return self._must_run()

    def _must_run(self) -> State:
        """What the robot does, if it still runs the program.

        Raises:
            RuntimeProblem: A fault.
            Refused: Somebody has stopped it.
        """
        if self._stop.is_set():
            raise _Stopped
        record = self.cell.station.state
        state = State(int(record["state"]))
        if state == State.FAULTED:
            raise RuntimeProblem(self.cell.state.fault)
        if int(record["stops"]) != self._stops:
            raise Refused("the program was stopped")
        if state not in (State.READY, State.MOVING, State.HOLDING):
            raise Refused(f"the program cannot go on: the cell is {state.name}")
        if self._notes:
            self._do_what_is_due()
        if self._within is not None and state == State.MOVING and self._place != self._within:
            self._within = None
            self.pause()
        if self.cell.station.gone:
            raise RuntimeProblem("the station is gone; what of the program was done is not known")
        return state

    def _pause(self) -> None:
        """The program's own pause."""
        self._go.clear()
        self._wait_to_go()

    def _wait_to_go(self) -> float:
        """Wait until somebody lets it go on; how long that took [s]."""
        begin, before = time.monotonic(), self.state
        self.state = RunState.PAUSED
        while not self._go.is_set():
            self._look()
        if self._stop.is_set():
            raise _Stopped
        self.state = before if before != RunState.PAUSED else RunState.RUNNING
        return time.monotonic() - begin

    def _do_what_is_due(self) -> None:
        """Say and keep what the robot has come to, to some tenths of a second where it goes on without a stop."""
        record = self.cell.station.state
        now, at = int(record["motion"]), float(record["motion_time"])
        stands = not record["moves"] and not record["queued"] and int(record["state"]) != State.HOLDING
        while self._notes and (stands or (now, at + _SOON) >= self._notes[0][:2]):
            command = self._notes.popleft()[2]
            if isinstance(command, Say):
                self._say(command.text)
            elif isinstance(self.program, Keeper):
                self.program.keep(command.note)

    def _say(self, text: str) -> None:
        self.said.append(text)
        if self._listen is not None:
            self._listen(text)

    # What the robot stands still for.

    def _dwell(self, command: Dwell) -> None:
        if self.cell.station.settings.steps:  # where time is counted in ticks there is none to wait for
            return
        end = time.monotonic() + command.seconds
        while time.monotonic() < end:
            if not self._go.is_set():
                end += self._wait_to_go()  # a pause does not count
            self._look()

    def _must_have(self, command: SetOutput) -> None:
        """Look at an output that is to be set later.

        Raises:
            Refused: The motor side has none such.
        """
        _, digital, _, analog = (int(count) for count in self.cell.station.state["counts"])
        try:
            checked_output(Capabilities(outputs=digital, analog_outputs=analog), command.index, command.value)
        except Refused as error:
            where = str(command.source)
            raise Refused(f"{where}: {error}" if where else str(error)) from None

    def _output(self, command: SetOutput) -> None:
        self.cell.set_output(command.index, command.value)

    def _wait_input(self, command: WaitInput) -> None:
        inputs = self.cell.inputs
        begin, before = time.monotonic(), inputs.sensed(command)
        self.state = RunState.WAITING
        while True:
            now = inputs.sensed(command)
            if inputs.is_so(command, before, now):
                inputs.note(True)
                break
            if command.timeout is not None and time.monotonic() - begin >= command.timeout:
                inputs.note(False)
                if command.required:
                    kind = "analogue input" if command.analog else "input"
                    raise BadProgram(
                        f"{command.source}: {kind} {command.index} did not become {command.condition} in {command.timeout:g} s"
                    )
                break
            before = now
            if not self._go.is_set():
                begin += self._wait_to_go()  # a pause does not count
            self._look()
        self.state = RunState.RUNNING


class _Stopped(Exception):
    """The program was stopped by who runs it: no error."""


_DO: dict[type[Command], Callable[[ProgramRun, Any], None]] = {
    Dwell: ProgramRun._dwell,
    SetOutput: ProgramRun._output,
    WaitInput: ProgramRun._wait_input,
    Pause: lambda run, _: run._pause(),
    Stop: lambda _, __: None,  # it stands: nothing comes behind
    End: lambda _, __: None,
}
