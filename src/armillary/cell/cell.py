"""A cell: one robot with its tool, its world and its motor side, ready to be moved from Python."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from armillary.cell.cell_inputs import CellInputs
from armillary.cell.cell_settings import settings_of
from armillary.cell.cell_state import CellState, Moved
from armillary.cell.given_values import Values, check_move, given_numbers, given_share, given_six, given_three
from armillary.cell.jog_step import stepped
from armillary.cell.program_run import ProgramRun
from armillary.cell.surroundings import options_for, surroundings_of
from armillary.model import Model, load_model
from armillary.motion import Trajectory, tool_pose
from armillary.programs import Command, Move, MoveArc, MoveJoints, MoveLine, MovePose, SourceLine, Surroundings
from armillary.programs.command_values import values_of
from armillary.programs.languages import Language, Running, RunningCommands, language_of
from armillary.runtime import Refused, RuntimeProblem, State, Station, StationSettings
from armillary.runtime.jog_frame import frame_axes
from armillary.runtime.prepared import description_of
from armillary.runtime.station_channels import find_stations
from armillary.spatial import rpy_from_rotation

if TYPE_CHECKING:
    from armillary.cell.async_cell import AsyncCell
    from armillary.cell.mdi import TypedLines

__all__ = ["Cell"]

Array = NDArray[np.float64]
Program = Path | str | Iterable[Command] | Running
_PLANNING = 120.0  # s that a plan may take; what comes later is not moved
_PRESS = 0.03  # s between signs that somebody still holds to run


class Cell:
    """A robot that can be moved: `Cell.open(...)`, in a `with`.

    Every motion is planned and proven by a worker, and driven by an executor in a process of its own. Calls that move wait until
    the motion is done, unless told otherwise. `cell.asynchronous` has the same calls to be awaited.
    """

    def __init__(self, model: Model, station: Station) -> None:
        self.model, self.station = model, station

    @cached_property
    def asynchronous(self) -> "AsyncCell":
        """The calls that wait, to be awaited."""
        from armillary.cell.async_cell import AsyncCell

        return AsyncCell(self)

    @classmethod
    def open(
        cls, source: str, *, group: str = "", driver: str = "", low_power: bool = False, pace: str = "real", record: bool = True,
        recordings: str = "", start: Values | None = None, twin: dict[str, Any] | None = None,
        options: dict[str, Any] | None = None, patience: float = 0.0, pendant: dict[str, Any] | None = None,
        rosbridge: dict[str, Any] | None = None, progress: Callable[[str], None] | None = None,
    ) -> "Cell":  # fmt: skip
        """A cell, powered and ready to move.

        Args:
            source: A robot's name, its description or its cell.toml.
            driver: The motor side; what the cell says where left out, and the physics twin where it says nothing.
            low_power: Sleep between ticks instead of taking a core for real time.
            pace: "real", "fast" (as fast as it goes; no real motors) or "lock_step" (fast, and time stands still while nothing
                moves: the same program gives the same recording).
            record: Whether everything is recorded, into the folder `recordings` or the usual one.
            start: Where a robot that is not real begins; the cell's home where left out.
            twin: Settings of the physics twin, over those of the cell.
            options: What the driver is told, over what the cell says.
            patience: How late a tick may be before that is a fault, and how long a simulated motor side waits for one [s]; 0.02
                where left out, 0.1 with `low_power`. For busy machines without motors: a robot that is where it was commanded
                to be so long ago, at most half a second, is no following error then.
            pendant: Open a teach pendant for browsers: the host and port that it listens to; `station.pendant` says its address.
            rosbridge: Open a rosbridge for ROS's clients: host and port likewise, and the rate of the joints' states [Hz];
                `station.rosbridge` says its address.
            progress: Called with a line of text where starting takes long.

        Raises:
            RuntimeProblem: It cannot be started.
        """
        model = load_model(source, group=group or None)
        settings = settings_of(
            source, group=group, driver=driver, options=options, twin=twin, start=start, recordings=recordings, pace=pace,
            real_time=not low_power, record=record, patience=patience, pendant=dict(pendant or {}),
            rosbridge=dict(rosbridge or {}),
        )  # fmt: skip
        cell = cls(model, Station.start(settings, model.n, progress=progress))
        try:
            cell.power_on()
        except BaseException:
            cell.close()
            raise
        return cell

    @classmethod
    def connect(cls, name: str = "") -> "Cell":
        """A cell that runs already on this machine: the one of a name, or the only one. It goes on when this one is closed.

        Raises:
            RuntimeProblem: There is none, or there are several that could be meant.
        """
        found = [folder for folder in find_stations() if name in ("", StationSettings.read(folder).source, folder.name)]
        if not found:
            raise RuntimeProblem(f"no cell{f' {name!r}' if name else ''} runs on this machine; start one: armillary run")
        if len(found) > 1:
            named = ", ".join(f"{folder.name} ({StationSettings.read(folder).source})" for folder in found)
            raise RuntimeProblem(f"{len(found)} cells run on this machine; say which: {named}")
        settings = StationSettings.read(found[0])
        model = load_model(settings.source, group=settings.group or None)
        return cls(model, Station(found[0], model.n))

    @property
    def state(self) -> CellState:
        """What it does now."""
        return CellState.of(self.station.state, self.model)

    def where(self) -> Array:
        """Where the joints are, shape (n,): as measured, or as commanded where the motor side does not say.

        Raises:
            Refused: It is not known: the drives are off, and what was heard last may be old.
        """
        state = self._driven_state()
        return state.measured if np.isfinite(state.measured).all() else state.q

    def place(self) -> Array:
        """Where the joints are commanded to be, shape (n,): going there brings the robot here again.

        Raises:
            Refused: They are not: the drives are off.
        """
        return self._driven_state().q

    def _driven_state(self) -> CellState:
        state = self.state
        if state.state not in (State.READY, State.MOVING, State.HOLDING):
            raise Refused(f"where the robot is is not known: it is {state.state.name}; power it on, or reset it")
        return state

    # Up and down.

    def power_on(self) -> None:
        """Reach the motors, enable the drives, be ready."""
        if self.station.state["state"] == State.OFF:
            self.station.order("power_on")
        self.station.order("initialise")
        self._become_ready()

    def power_off(self) -> None:
        """Power off a robot that stands."""
        self.station.order("power_off")

    def reset(self) -> None:
        """Leave a fault and be ready again."""
        self.station.order("reset")
        self.station.order("initialise")
        self._become_ready()

    def take_control(self, name: str = "", *, force: bool = False) -> None:
        """Be the one who moves the robot."""
        self.station.ask("take_control", {"name": name, "force": force})

    # Motion.

    def move_joints(
        self, goal: Values, *, speed: float = 1.0, blend: float = 0.0, wait: bool = True, held: bool = False, origin: str = ""
    ) -> Moved:
        """To joint positions [rad or m], as fast as the joints allow or at a share of that.

        Args:
            blend: How far before its end the next motion may be begun [rad and m together]; for a queue of motions that are not
                waited for.
            held: Only while `press` is called again and again: it stops a tenth of a second after the last.
        """
        values = tuple(self.model.valid(given_numbers(goal, "goal"), "goal").tolist())
        return self._run(MoveJoints(goal=values, speed=given_share(speed), blend=blend, source=SourceLine(origin)), wait, held)

    def move_pose(
        self, xyz: Values, rpy: Values, *, speed: float = 1.0, around: bool = False, blend: float = 0.0, wait: bool = True,
        held: bool = False, origin: str = "",
    ) -> Moved:  # fmt: skip
        """By joints to a pose of the tool, in what the arm stands on [m], [rad]; around obstacles where asked."""
        command = MovePose(
            xyz=given_three(xyz, "xyz"), rpy=given_three(rpy, "rpy"), speed=given_share(speed), blend=blend,
            source=SourceLine(origin),
        )  # fmt: skip
        return self._run(command, wait, held, around=around)

    def move_line(
        self, xyz: Values, rpy: Values, *, speed: float | None = None, blend: float = 0.0, wait: bool = True, held: bool = False,
        origin: str = "",
    ) -> Moved:  # fmt: skip
        """Straight with the tool to a pose, in what the arm stands on [m], [rad].

        Args:
            speed: Of the tool at most [m/s].
            blend: How far before its end the next motion may be begun [m]; for a queue of motions that are not waited for.
        """
        command = MoveLine(
            xyz=given_three(xyz, "xyz"), rpy=given_three(rpy, "rpy"), speed=speed, blend=blend, source=SourceLine(origin)
        )
        return self._run(command, wait, held)

    def move_arc(
        self, via: Values, xyz: Values, rpy: Values, *, speed: float | None = None, blend: float = 0.0, wait: bool = True,
        held: bool = False, origin: str = "",
    ) -> Moved:  # fmt: skip
        """Along an arc through a point to a pose, in what the arm stands on [m], [rad]."""
        command = MoveArc(
            via=given_three(via, "via"), xyz=given_three(xyz, "xyz"), rpy=given_three(rpy, "rpy"), speed=speed, blend=blend,
            source=SourceLine(origin),
        )  # fmt: skip
        return self._run(command, wait, held)

    def run_trajectory(
        self, trajectory: Trajectory, *, wait: bool = True, held: bool = False, slower: float = 1.0
    ) -> Moved:  # fmt: skip
        """Along a finished trajectory. It is proven anew, for this cell, and must begin where the robot is, or will be.

        Args:
            slower: How many times slower it may be made where it is too fast for the cell.
        """
        values = {
            "slower": float(slower),
            "joints": list(trajectory.joints), "continuity": trajectory.continuity, "origins": list(trajectory.origins),
            "profile": trajectory.profile,
        }  # fmt: skip
        arrays = {"durations": trajectory.durations, "coefficients": trajectory.coefficients}
        with self._held(held and wait):
            return self._move("trajectory", arrays, wait, while_pressed=held, **values)

    def run(self, program: Program, /, **options: Any) -> None:
        """Run a program to its end: a file, commands, or what a language made of a text. Moves that blend are driven as one.

        Args:
            options: As for `start`.

        Raises:
            ArmillaryError: It failed; says the line. What came before has been driven.
        """
        self.program(program, **options).run()

    def start(self, program: Program, /, **options: Any) -> ProgramRun:
        """Run a program in the background: it can be watched, paused, stepped through and stopped.

        Args:
            options: start_line: Where it begins. step: Pause before each move. optional_pauses: Pause also where that is left to
                the operator. listen: Called with what it says.
        """
        return self.program(program, **options).start()

    def program(self, program: Program, /, *, start_line: int = 0, **options: Any) -> ProgramRun:
        """A run of a program, not begun yet; see `start`.

        Raises:
            BadProgram: It cannot be begun; says the line.
        """
        if isinstance(program, str | Path):
            path = Path(program)
            language = language_of(path)
            running = language.run(path, self.surroundings(), self.options_of(language), start_line)
        elif isinstance(program, Iterable) and not hasattr(program, "shown"):
            running = RunningCommands(program)
        else:
            running = program  # type: ignore[assignment]
        return ProgramRun(self, running, **options)

    def surroundings(self) -> Surroundings:
        """What a program can name here, from where the robot stands."""
        return surroundings_of(self.model, self.station.settings.source, start=self.state.q, inputs=self.inputs)

    def options_of(self, language: Language, *, keep: bool = True) -> dict[str, Any]:
        """What the cell says of a language; parameters outlast a program where they are to be kept."""
        source = self.station.settings.source
        return options_for(description_of(source), language, source, keep=keep)

    def typed_lines(self, language: str = "gcode") -> "TypedLines":
        """A session of lines that are typed one by one, each run at once."""
        from armillary.cell.mdi import TypedLines

        return TypedLines(self, language)

    @cached_property
    def inputs(self) -> CellInputs:
        """What the motor side senses."""
        return CellInputs(self.station)

    def statistics(self, *, clear: bool = True) -> dict[str, Any]:
        """How punctual the executor was since it was asked last, and how long its work took: quantiles and bins, by step [s]."""
        return self.station.ask("statistics", {"clear": clear})

    def retarget(self, goal: Values, *, wait: bool = True) -> Moved:
        """Go to other joint positions instead, from the motion that is being driven, without a stop."""
        goal = self.model.valid(given_numbers(goal, "goal"), "goal")
        return self._move("retarget", {"goal": goal}, wait)

    def jog_joints(self, speeds: Values) -> None:
        """Move with velocities of the joints [rad/s or m/s]. Holds for a tenth of a second: call it again and again."""
        self._jog(1, self.model.valid(given_numbers(speeds, "speeds"), "speeds"))

    def jog_tool(self, twist: Values, *, in_tool: bool = False, frame: str = "") -> None:
        """Move with a velocity of the tool: linear [m/s], angular [rad/s]. Holds for a tenth of a second, as for the joints.

        Args:
            in_tool: Along the tool's own axes; otherwise along those of what the arm stands on, or of a frame.
        """
        values = given_six(twist, "twist", "three of m/s and three of rad/s")
        self._jog(3 if in_tool else 2, values, frame)

    def jog_joints_by(self, by: Values, *, speed: float = 0.2, wait: bool = True, held: bool = False) -> Moved:
        """Move the joints by so much [rad or m], and stand: a jog in steps."""
        by = self.model.valid(given_numbers(by, "by"), "by")
        return self.move_joints(self.state.q + by, speed=speed, wait=wait, held=held)

    def jog_tool_by(
        self, by: Values, *, in_tool: bool = False, frame: str = "", speed: float = 0.05, wait: bool = True, held: bool = False
    ) -> Moved:
        """Move the tool straight by so much: three lengths [m], and a turn as three angles times an axis [rad]; a jog in steps.

        Args:
            in_tool: Along the tool's own axes; otherwise along those of what the arm stands on, or of a frame.
            frame: A link, a frame of the cell, or "world".
            speed: Of the tool at most [m/s].
        """
        values = given_six(by, "way to go by", "three lengths [m] and three angles [rad]")
        if frame and not in_tool:
            values = np.concatenate(values.reshape(2, 3) @ frame_axes(self.model, self.state.q, frame).T)
        T = stepped(tool_pose(self.model, self.state.q, base=self.model.reference), values, in_tool=in_tool)
        return self.move_line(T[:3, 3], rpy_from_rotation(T[:3, :3]), speed=speed, wait=wait, held=held)

    def press(self) -> None:
        """Somebody still holds to run."""
        self.station.tell("press")

    def release(self) -> None:
        """Nobody holds to run any more: a jog, or what is held, stops."""
        self.station.tell("release")

    def follow(self) -> None:
        """Follow `set_point`s from now on, uncertified, through a filter that keeps the limits."""
        self.station.order("follow")

    def set_point(self, q: Values, v: Values | None = None) -> None:
        """Where the joints are to be now, and how fast; for `follow`. Must come at least every tenth of a second."""
        q = self.model.valid(given_numbers(q, "q"), "q")
        arrays = {"q": q, "v": np.zeros_like(q) if v is None else self.model.valid(given_numbers(v, "v"), "v")}
        self.station.tell("set_point", arrays=arrays)

    def override(self, rate: float) -> None:
        """Let motions run at a share of their speed, 0 to 2."""
        self.station.ask("override", {"rate": float(rate)})

    def set_output(self, index: int, value: bool | float) -> None:
        """Set an output, from 0 on: a digital one for a bool, an analogue one for a number, in its own unit.

        It goes out with the next tick, and stays when motion stops and without power; at a fault too, unless the cell says
        `outputs_off_on_fault`.

        Raises:
            Refused: There is no such output, or the value is none; nothing has changed.
        """
        self.station.ask("set_output", {"index": index, "value": value})

    def input(self, index: int) -> bool:
        """A digital input, from 0 on, as it was last heard."""
        return bool(self.inputs.heard("inputs", index))

    def analog_input(self, index: int) -> float:
        """An analogue input, from 0 on, as it was last heard, in its own unit; NaN where nothing was heard yet."""
        return float(self.inputs.heard("analog_inputs", index))

    def simulate_input(self, index: int, value: bool | float | None, *, analog: bool = False) -> None:
        """Hold an input of a motor side that is not real at a value: a digital one for a bool, an analogue one for a number.

        Args:
            value: None lets it go again.
            analog: Which kind None lets go.

        Raises:
            Refused: The motor side is real, there is no such input, or the value is none.
        """
        self.station.ask("simulate_input", {"index": index, "value": value, "analog": analog})

    def hold(self) -> None:
        """Stop on the path, to go on later."""
        self.station.order("hold")

    def resume(self) -> None:
        """Go on from a hold."""
        self.station.order("resume")

    def step(self) -> None:
        """Go on from a hold to the end of the present motion, and hold again there."""
        self.station.order("step")

    def stop(self, category: int = 2, *, latch: bool = False) -> None:
        """Stop: 2 on the path, 1 on the path and then power off, 0 power off at once.

        Args:
            latch: With 2: nothing moves it before `power_on`, as behind the pendant's STOP.
        """
        self.station.ask("stop", {"category": category, "latch": latch})

    def wait(self, *, timeout: float = 3600.0) -> None:
        """Wait until it stands.

        Raises:
            RuntimeProblem: It came to a fault on the way; says which.
        """
        self.finish()
        came = self.station.wait(State.READY, State.HOLDING, State.FAULTED, State.OFF, State.STOPPED, timeout=timeout)
        if came == State.FAULTED:
            raise RuntimeProblem(self.state.fault)

    def close(self) -> None:
        """Stop on the path, power off, end. Possible at any time."""
        self.station.close()

    def __enter__(self) -> "Cell":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _become_ready(self) -> None:
        came = self.station.wait(State.READY, State.FAULTED, timeout=10.0)
        if came == State.FAULTED:
            raise RuntimeProblem(self.state.fault)

    def finish(self) -> None:
        """Nothing more comes for now: where time waits for what comes next, in lock-step, it goes on."""
        if self.station.settings.pace == "lock_step":
            self.station.ask("finish")

    def _jog(self, kind: int, speeds: Array, frame: str = "") -> None:
        self.station.tell("jog", {"kind": kind, "frame": frame}, {"speeds": speeds})

    def _run(self, command: Move, wait: bool, held: bool, *, around: bool = False) -> Moved:
        check_move(command)
        if held:
            self.press()
        with self._held(held and wait):
            return self._move("commands", {}, wait, commands=[values_of(command)], while_pressed=held, around=around)

    @contextmanager
    def _held(self, held: bool) -> Iterator[None]:
        """Hold to run from a thread, for a program that waits and means it."""
        done = threading.Event()

        def press() -> None:
            while not done.wait(_PRESS):
                self.press()

        if held:
            threading.Thread(target=press, daemon=True).start()
        try:
            yield
        finally:
            done.set()

    def _move(self, what: str, arrays: dict[str, Array], wait: bool, **values: Any) -> Moved:
        said = self.station.ask("move", {"what": what, "patience": _PLANNING, **values}, arrays, timeout=_PLANNING + 10.0)
        stops = int(said["stops"])  # when it was asked for: none since is missed
        moved = Moved(int(said["motion"]), float(said["duration"]), tuple(said["notes"]), float(said["planned_in"]))
        if wait and moved.motion:
            self._wait_for(moved.motion, stops)
        return moved

    def _wait_for(self, motion: int, stops: int) -> None:
        """Until a motion is over: the robot stands, or drives another. A hold is waited through.

        Raises:
            Refused: It was stopped before it was done.
            RuntimeProblem: A fault, or the station is gone.
        """
        self.finish()
        while True:
            record = self.station.state
            state = State(int(record["state"]))
            if int(record["stops"]) != stops:
                raise Refused("it was stopped before it was done")
            if state not in (State.MOVING, State.HOLDING) or int(record["motion"]) > motion:
                break
            if self.station.gone:
                raise RuntimeProblem("the station is gone; whether the motion was done is not known")
            time.sleep(0.001)
        if state == State.FAULTED:
            raise RuntimeProblem(self.state.fault)
        if state not in (State.READY, State.MOVING):
            raise Refused(f"it was not done: the cell is {state.name}")
