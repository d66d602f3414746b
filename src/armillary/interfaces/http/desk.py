"""The pendant's hold on the cell: what people do there ends here, whichever browser they sit at.

One connection to the station serves all browsers, so the robot has one master; which browser may use it is the lease's to say.
Calls that wait are for threads; jogs, presses and stops are told without waiting.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from armillary.cell import Cell, ProgramRun, RunState
from armillary.errors import ArmillaryError
from armillary.interfaces.http.alarms import AlarmBook
from armillary.interfaces.http.audit import Audit
from armillary.interfaces.http.jog_words import jog_words, moved_by
from armillary.interfaces.http.manual_bounds import MANUAL_SPEED
from armillary.interfaces.http.messages import Jog
from armillary.interfaces.http.nearest_parts import NearestParts, PartsFound
from armillary.interfaces.http.pendant_lease import PendantLease
from armillary.interfaces.http.sessions import Session
from armillary.runtime import Refused, State, Station
from armillary.runtime.control_lease import NoControl
from armillary.runtime.prepared import Prepared

__all__ = ["NO_NAME", "TYPED_LINE", "Desk"]

TYPED_LINE = "a typed line"  # the name of its run; the page has its own words for it
NO_NAME = "somebody who said no name"  # has control; likewise
_SEES = 5.0  # s for the station to say who has control
_ANEW = 1.0  # s without a press after which a jog is another one
_STANDS = (State.OFF, State.STOPPED, State.READY, State.FAULTED)  # in which the mode may be changed
_GOES = (RunState.READY, RunState.RUNNING, RunState.WAITING)
_PRESSED = 0.15  # s after the last press until a program that is held to run pauses


class PartsLook(Protocol):
    """Looks at which parts are near or touch; or says what it found last, where it does so elsewhere."""

    def look(self, q: NDArray[np.float64], *, contacts: bool = False) -> PartsFound | None: ...


def _nobody() -> None:
    return None


def _refuse_frame(_: NDArray[np.float64]) -> None:
    raise Refused("nobody is chosen to be imitated; choose a source that is given frames first")


class Desk:
    """What browsers share.

    Attributes:
        cell: The robot. prepared: What its station was started with.
        lease: Which browser moves it.
        elsewhere: Who else on this machine has the robot, another program or master; "" for nobody.
        mode: "manual" or "automatic".
        run: The program that runs or ran last, with its name and when it was started.
        parts: Which of the cell's parts are near each other or touch.
        take_frame: Takes a frame of a person's motion that a page or a program sends, shape (channels,).
        person: Gives the bones of who is imitated, upright, shape (bones, 3) [m]; None where nobody is.
    """

    def __init__(self, folder: Path, prepared: Prepared, place: Path, parts: PartsLook | None = None) -> None:
        """Args:
        folder: The station's.
        place: Where this cell's programs, users and history are kept.
        parts: Who looks at which parts are near; it is done here where nobody is given.
        """
        self.folder, self.prepared, self.place = folder, prepared, place
        self.cell = Cell(prepared.model, Station(folder, prepared.model.n))
        self.lease, self.audit, self.alarms = PendantLease(), Audit(place), AlarmBook(place)
        self.parts: PartsLook = parts or NearestParts(prepared.model, prepared.scene)
        self.elsewhere, self._takings, self._taking = "", 0, threading.Lock()
        self.mode = "automatic"
        self.run: ProgramRun | None = None
        self.person: Callable[[], NDArray[np.float64] | None] = _nobody
        self.take_frame: Callable[[NDArray[np.float64]], None] = _refuse_frame
        self.run_name, self.run_began, self.run_lasted = "", 0.0, 0.0
        self._doing, self._beginning = threading.Lock(), threading.Lock()
        self._pressed, self._waits_for_press, self._acting, self._gives_back = 0.0, False, False, False
        self._jogged: frozenset[tuple[str, str]] = frozenset()  # in which axes, what was noted of the present jog
        self._hands = ThreadPoolExecutor(1, thread_name_prefix="hands")
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
            self.stop(2, session.user, latch=False)
            self.end_program()
        elif not self.lease.may_take(session):
            self.lease.take(session, links)  # says who has it, and lets him know
        # What else runs on this machine (a Python program, another master) is asked as any other; by force it is stopped.
        self.cell.take_control(session.user, force=force)
        with self._taking:
            self._takings += 1
            self.elsewhere = ""
            self.lease.take(session, links, force=force)
        self.audit.note(session.user, "takes control" + (" by force" if force else ""))

    def give_control(self, session: Session) -> None:
        if self.lease.give_back(session):
            self.release()
            self._gives_back = True  # as soon as no program runs
            self.look_after_lease()
            self.audit.note(session.user, "gives control back")

    def hand_over(self, session: Session, links_of: Callable[[Session], int]) -> None:
        """Give control to who asks for it and is still there, or back."""
        asker = self.lease.asker if self.lease.holder is session else None
        self.give_control(session)
        if asker is not None and (links := links_of(asker)):
            self.take_control(asker, links)

    def look_after_lease(self) -> None:
        """Let others on this machine have the robot when nobody holds it here; called often."""
        if self._gives_back and not self.program_runs:
            self._gives_back = False
            if self.lease.holder is None:
                self._hands.submit(self._give_to_station)

    def _give_to_station(self) -> None:
        with suppress(ArmillaryError):  # a station that is gone has nothing to be given
            self.cell.station.ask("give_control")

    def see_who_has_control(self) -> None:
        """Ask the station who else may have the robot: for a thread, and called again and again.

        Who has lost it to another, by force, does not have it here either.

        Raises:
            RuntimeProblem: The station does not answer.
        """
        before = self._takings
        said = self.cell.station.ask("control", timeout=_SEES)
        with self._taking:
            if before != self._takings:
                return  # somebody has it here since: the answer is older
            self.elsewhere = str(said["name"] or NO_NAME) if said["held"] and not said["mine"] else ""
            holder = self.lease.holder
            if self.elsewhere and holder is not None and self.lease.give_back(holder):
                self.audit.note(self.elsewhere, f"takes control from {holder.user}")

    def need_control(self, session: Session) -> None:
        """Raises:
        NoControl: This browser does not have it.
        """
        if self.lease.holder is not session:
            who = self.lease.holder.user if self.lease.holder is not None else self.elsewhere or "nobody"
            raise NoControl(f"{who} has control; take it first")

    # What waits behind nothing.

    def stop(self, category: int, who: str, *, latch: bool = True) -> None:
        """Stop the robot, and the program with it. Anybody's, always.

        Args:
            latch: Nothing moves it before somebody lets it, as behind a button that stays pressed.
        """
        self._pressed = 0.0
        self.cell.station.tell("stop", {"category": category if category in (0, 1, 2) else 0, "latch": latch})
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
        self._note_jog(session, asked)
        self._pressed = time.monotonic()
        if asked.kind == "joints":
            self.cell.jog_joints(asked.speeds)
        else:
            self.cell.jog_tool(asked.speeds, in_tool=asked.kind == "tool", frame=asked.frame if asked.kind == "frame" else "")

    def _note_jog(self, session: Session, asked: Jog) -> None:
        """Once, when it begins; and once for what it moves beside that later, as a stick does that is turned."""
        if time.monotonic() - self._pressed > _ANEW:
            self._jogged = frozenset()
        moved = frozenset((f"{asked.kind} {asked.frame}", each) for each in moved_by(asked, self.cell.model))
        if more := moved - self._jogged:
            self._jogged |= more
            self.audit.note(session.user, jog_words(asked, frozenset(each for _, each in more), self.cell.model))

    def press(self, session: Session) -> None:
        """Somebody holds what is held to run."""
        self.need_control(session)
        self._pressed = time.monotonic()
        self.cell.press()
        run = self.run
        if run is None or run.over or self.mode != "manual" or self._acting:
            return
        if self._waits_for_press:
            self._waits_for_press = False
            self._act(run.step if run.stepping else run.resume)
        elif run.state in _GOES and State(int(self.cell.station.state["state"])) == State.HOLDING:
            self._act(self.cell.resume)  # it was let go for a moment: the executor held it by itself

    def release(self) -> None:
        """Nobody does any more."""
        self._pressed = 0.0
        self.cell.release()
        self.look_after_press()

    def look_after_press(self) -> None:
        """Pause a program of manual mode that nobody holds; called often."""
        run = self.run
        if run is None or run.over or self.mode != "manual" or time.monotonic() - self._pressed <= _PRESSED:
            return
        self._waits_for_press = True
        if run.state in _GOES and not self._acting:
            self._act(run.pause)

    def _act(self, work: Callable[[], None]) -> None:
        """Pause or go on, one behind the other, in a thread: who presses and who stops waits for neither."""

        def act() -> None:
            try:
                with suppress(ArmillaryError):  # it has just ended, or was stopped: it is looked at again
                    work()
            finally:
                self._acting = False

        self._acting = True
        self._hands.submit(act)

    # What takes a moment: each with control, one after the other.

    @property
    def stops(self) -> int:
        """How many there were: what was asked for before one is not done after it."""
        return int(self.cell.station.state["stops"])

    def do(self, session: Session, what: str, work: Callable[[], Any], *, stops: int | None = None) -> Any:
        """Have something done by who has control, and note it.

        Args:
            stops: How many there were when it was asked for, if it moves something.

        Raises:
            Refused: It was stopped since.
            NoControl: This browser does not have control.
            ArmillaryError: What is wrong with it.
        """
        self.need_control(session)
        with self._doing:
            self.need_control(session)  # it may have gone to somebody else meanwhile
            if stops is not None and stops != self.stops:
                raise Refused("it was stopped since; nothing is moved")
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
        if self.program_runs or State(int(self.cell.station.state["state"])) not in _STANDS:
            raise Refused("the robot moves or is on hold, or a program runs; stop it before the mode is changed")
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

    def resume(self) -> None:
        """Go on from a hold; a program as it does by itself."""
        if self.program_runs:
            self.go_on(step=bool(self.run is not None and self.run.stepping))
        else:
            self.cell.resume()

    @property
    def program_runs(self) -> bool:
        return self.run is not None and not self.run.over

    def start_program(self, name: str, run: ProgramRun) -> None:
        """Run a program; in manual mode only while somebody holds to run.

        Raises:
            Refused: Another one runs, or the robot is not ready.
        """
        state = State(int(self.cell.station.state["state"]))
        if state != State.READY and not self.program_runs:
            raise Refused(f"the cell is {state.name}; it must be READY")
        # The first step comes with the next press.
        self._watch(name, run, waits=self.mode == "manual" and run.stepping)
        run.start()

    def watch_line(self, run: ProgramRun) -> None:
        """A line that was typed is about to run: paused, held and stopped as a program is.

        Raises:
            Refused: A program runs.
        """
        self._watch(TYPED_LINE, run, waits=False)

    def _watch(self, name: str, run: ProgramRun, *, waits: bool) -> None:
        with self._beginning:  # one of two that come at once is refused
            if self.program_runs:
                raise Refused(f"{self.run_name} runs; stop it first")
            self.run, self.run_name, self.run_began = run, name, time.monotonic()
            self._waits_for_press, self._pressed = waits, time.monotonic()

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

    def close(self) -> None:
        """Let go of the station; what is to be kept is on disk then."""
        self._hands.shutdown(wait=False, cancel_futures=True)
        self.cell.close()
        self.audit.flush()
        self.alarms.flush()
