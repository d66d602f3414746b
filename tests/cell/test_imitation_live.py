"""A person moves a robot's servos: by a suit that is not there, over the servo frame, to boards that are not there."""

import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from armillary.cell import Cell
from armillary.cell.imitation_session import ImitationSession
from armillary.cell.imitation_state import ImitationPhase
from armillary.imitation import GivenMotion, Imitator, Person, match
from armillary.imitation.capture import poses_at_rest
from armillary.runtime import State
from tests.cell.imitation_bench import PERSON, frame_of
from tests.drivers.test_servo_frame_boards import SERVOS
from tests.emulators.servo_boards_process import BoardsProcess

pytestmark = [pytest.mark.alone, pytest.mark.slow]


@contextlib.contextmanager
def waving(source: GivenMotion, rate: float) -> Iterator[None]:
    """Somebody who waves, so many frames a second."""
    done = threading.Event()

    def send() -> None:
        due = time.monotonic()
        while not done.wait(max(due - time.monotonic(), 0.0)):
            source.put(frame_of(time.monotonic()))
            due = max(due + 1.0 / rate, time.monotonic())

    thread = threading.Thread(target=send, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def until(session: ImitationSession, phase: ImitationPhase) -> None:
    deadline = time.monotonic() + 20.0
    while session.state.phase is not phase:
        if session.state.lost:  # a busy machine may be silent for longer than the executor bears: it stands, as it should
            with contextlib.suppress(Exception):
                session.engage()
        assert time.monotonic() < deadline, session.state
        time.sleep(0.02)


def test_a_person_moves_the_servos_of_the_humanoid(tmp_path: Path) -> None:
    boards, rate = BoardsProcess(tmp_path), 60.0
    source = GivenMotion(PERSON, 1.0 / rate, "somebody")
    try:
        with (
            Cell.open(
                "inmoov", group="controlled", driver="servo_frame", record=False, low_power=True, patience=0.5,
                options={"port": str(boards.port), "servos": SERVOS, "boot": 0.1},
            ) as cell,
            waving(source, rate),
        ):  # fmt: skip
            person = Person(match(PERSON), poses_at_rest(PERSON))
            imitator = Imitator(cell.model, person, source.period)
            imitator.step(frame_of(0.0))  # compiled before anything waits for it
            with ImitationSession(cell, source, imitator) as session:
                time.sleep(0.2)
                before = np.array(boards.until(lambda status: bool(status["frames"]))["angles"])
                session.engage()
                until(session, ImitationPhase.FOLLOWING)
                moved = boards.until(lambda status: bool(np.abs(np.array(status["angles"]) - before).max() > 5.0))
                assert moved["frames"]["out_of_range"] == moved["bytes"]["bad_sums"] == 0
                latency = session.state.latency
                assert {"decoded", "solved", "written", "executor", "servo frame", "all"} == set(latency)
                session.release()
                cell.station.wait(State.READY, timeout=10.0)
                assert cell.state.fault == ""
    finally:
        boards.close()
