"""The pendant's hold on the cell: what people do there ends here, whichever browser they sit at.

One connection to the station serves all browsers, so the robot has one master; which browser may use it is the lease's to say.
Calls that wait are for threads; jogs, presses and stops are told without waiting.
"""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from armillary.cell import Cell, ProgramRun
from armillary.interfaces.http.alarms import AlarmBook
from armillary.interfaces.http.audit import Audit
from armillary.interfaces.http.messages import Jog
from armillary.interfaces.http.nearest_parts import NearestParts
from armillary.interfaces.http.pendant_lease import PendantLease
from armillary.interfaces.http.sessions import Session
from armillary.runtime import Refused, State, Station
from armillary.runtime.control_lease import NoControl
from armillary.runtime.prepared import Prepared

__all__ = ["MANUAL_SPEED", "Desk"]

MANUAL_SPEED = 0.25  # m/s of the tool at most in manual mode (ISO 10218-1, 5.7.3: reduced speed)
_PRESSED = 0.15  # s after the last press until a program that is held to run pauses


class Desk:
    """What browsers share.

    Attributes:
        cell: The robot. prepared: What its station was started with.
        lease: Which browser moves it.
        mode: "manual" or "automatic".
        run: The program that runs or ran last, with its name and when it was started.
        nearest_parts: Which of the cell's parts are near each other.
    """

    def __init__(self, folder: Path, prepared: Prepared, place: Path) -> None:
        """Args:
        folder: The station's.
        place: Where this cell's programs, users and history are kept.
        """
        self.folder, self.prepared, self.place = folder, prepared, place
        self.cell = Cell(prepared.model, Station(folder, prepared.model.n))
        self.lease, self.audit, self.alarms = PendantLease(), Audit(place), AlarmBook(place)
        self.nearest_parts = NearestParts(prepared.model, prepared.scene)
        self.mode = "automatic"
        self.run: ProgramRun | None = None
        self.run_name, self.run_began, self.run_lasted = "", 0.0, 0.0
        self._doing, self._pressed, self._waits_for_press = threading.Lock(), 0.0, False
        # Somebody else may drive it, as he thinks right: a pendant that comes later changes nothing.
        with suppress(Refused, NoControl):
            self.set_mode("manual")

    # Control.

    def take_control(self, session: Session, links: int, *, force: bool = False) -> None:
        """Let a browser move the robot.

        Raises:
            NoControl: Somebody else has control.
        """
        if force and not self.lease.may_take(session):
            self.stop(2, session.user)
            self.end_program()
        self.lease.take(session, links, force=force)
        # What else runs on this machine (a Python program, another master) is asked as any other would be.
        self.cell.take_control(session.user, force=force)
        self.audit.note(session.user, "takes control" + (" by force" if force else ""))

    def give_control(self, session: Session) -> None:
        if self.lease.give_back(session):
            self.release()
            if not self.program_runs:
                self.cell.station.ask("give_control")
            self.audit.note(session.user, "gives control back")

    def need_control(self, session: Session) -> None:
        """Raises:
        NoControl: This browser does not have it.
        """
        if self.lease.holder is not session:
            who = self.lease.holder.user if self.lease.holder is not None else "nobody"
            raise NoControl(f"{who} has control; take it first")

    # What waits behind nothing.

    def stop(self, category: int, who: str) -> None:
        """Stop the robot, and the program with it. Anybody's, always."""
        self._pressed = 0.0
        self.cell.station.tell("stop", {"category": category if category in (0, 1, 2) else 0})
        run = self.run
        if run is not None and not run.over:
            threading.Thread(target=run.stop, name="stop", daemon=True).start()
        self.audit.note(who, f"stops the robot, category {category}")

    def jog(self, session: Session, asked: Jog) -> None:
        """Raises:
        Refused: Not in this mode, or not possible; says why.
        """
        self.need_control(session)
        if self.mode != "manual":
            raise Refused("jogging is for manual mode; switch to it first")
        if self.program_runs:
            raise Refused("a program runs; stop it first")
        self._pressed = time.monotonic()
        if asked.kind == "joints":
            self.cell.jog_joints(asked.speeds)
        else:
            self.cell.jog_tool(asked.speeds, in_tool=asked.kind == "tool", frame=asked.frame if asked.kind == "frame" else "")

    def press(self, session: Session) -> None:
        """Somebody holds what is held to run."""
        self.need_control(session)
        self._pressed = time.monotonic()
        self.cell.press()
        run = self.run
        if self._waits_for_press and run is not None and not run.over:
            self._waits_for_press = False
            (run.step if run.stepping else run.resume)()

    def release(self) -> None:
        """Nobody does any more."""
        self._pressed = 0.0
        self.cell.release()
        self.look_after_press()

    def look_after_press(self) -> None:
        """Pause a program of manual mode that nobody holds; called often."""
        run = self.run
        if run is None or run.over or self.mode != "manual" or self._waits_for_press:
            return
        if time.monotonic() - self._pressed > _PRESSED:
            self._waits_for_press = True
            threading.Thread(target=run.pause, name="pause", daemon=True).start()

    # What takes a moment: each with control, one after the other.

    def do(self, session: Session, what: str, work: Callable[[], Any]) -> Any:
        """Have something done by who has control, and note it.

        Raises:
            NoControl: This browser does not have control.
            ArmillaryError: What is wrong with it.
        """
        self.need_control(session)
        with self._doing:
            done = work()
        self.audit.note(session.user, what)
        return done

    def set_mode(self, mode: str) -> None:
        """Manual or automatic, while the robot stands.

        Raises:
            Refused: There is no such mode, or something moves.
        """
        if mode not in ("manual", "automatic"):
            raise Refused(f"there is no mode '{mode}'; there are manual and automatic")
        if self.program_runs or bool(self.cell.station.state["moves"]):
            raise Refused("the robot moves, or a program runs; stop it before the mode is changed")
        self.cell.station.ask("tool_speed", {"most": MANUAL_SPEED if mode == "manual" else None})
        self.mode = mode

    def go_on(self, *, step: bool) -> None:
        """Let the program go on, whole or for one move; in manual mode with the next press."""
        run = self.run
        if run is None or run.over:
            raise Refused("no program runs; start one")
        if self.mode != "manual":
            (run.step if step else run.resume)()
            return
        run.go_by_steps(step)
        self._waits_for_press = True

    @property
    def program_runs(self) -> bool:
        return self.run is not None and not self.run.over

    def start_program(self, name: str, run: ProgramRun) -> None:
        """Run a program; in manual mode only while somebody holds to run.

        Raises:
            Refused: Another one runs, or the robot is not ready.
        """
        if self.program_runs:
            raise Refused(f"{self.run_name} runs; stop it first")
        if State(int(self.cell.station.state["state"])) != State.READY:
            raise Refused(f"the cell is {State(int(self.cell.station.state['state'])).name}; it must be READY")
        self.run, self.run_name, self.run_began = run, name, time.monotonic()
        self._waits_for_press = self.mode == "manual" and run.stepping  # its first step comes with the next press
        self._pressed = time.monotonic()
        run.start()

    def watch_line(self, run: ProgramRun) -> None:
        """A line that was typed is about to run: paused, held and stopped as a program is."""
        self.run, self.run_name, self.run_began = run, "a typed line", time.monotonic()
        self._waits_for_press, self._pressed = False, time.monotonic()

    def end_program(self) -> None:
        """Stop the program, and wait until it has ended."""
        run = self.run
        if run is not None and not run.over:
            run.stop()
            deadline = time.monotonic() + 5.0
            while not run.over and time.monotonic() < deadline:
                time.sleep(0.01)

    @property
    def ready(self) -> bool:
        return State(int(self.cell.station.state["state"])) == State.READY

    def where(self) -> np.ndarray:
        return self.cell.where()

    def close(self) -> None:
        """Let go of the station; what is to be kept is on disk then."""
        self.cell.close()
        self.audit.flush()
        self.alarms.flush()
