"""The twin behind its port: one master, nothing replayed, always at rest in the end."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from armillary.drivers.twin_wire import LostLink, TwinWire
from armillary.protocols.twin import Encoder, Frame, Hello, JointState, Kind, Mode, refusal_of, state_of, welcome_of
from armillary.twin.server import Server
from armillary.twin.settings import TwinSettings
from tests.twin.serving import model_of, physics_of, serving, twin_process, write_job

JOINTS = model_of("cobot6").joints
ZERO = np.zeros(6)
MASTERS: "list[Master]" = []


@pytest.fixture(autouse=True)
def no_master_is_left() -> Iterator[None]:
    yield
    while MASTERS:
        MASTERS.pop().wire.close()


class Master:
    """A bare client."""

    def __init__(self, port: int, server: Server | None = None) -> None:
        self.wire, self.server = TwinWire(socket.create_connection(("127.0.0.1", port), timeout=5.0)), server
        self._frames: list[Frame] = []
        MASTERS.append(self)

    def greet(self, joints: tuple[str, ...] = JOINTS, digest: str = "") -> Frame:
        self.wire.send(self.wire.encoder.hello(Hello(joints, digest), 0.0))
        return self.next()

    def next(self) -> Frame:
        """The next frame; a server that was given is served meanwhile."""
        end = time.monotonic() + 20.0
        while not self._frames:
            if self.server is not None:
                self.server.serve()
            self._frames += self.wire.receive()
            assert time.monotonic() < end, "no answer"
            time.sleep(0.0005)
        return self._frames.pop(0)

    def state(self) -> JointState:
        return state_of(self.next(), 6)

    def order(self, kind: Kind, time_: float = 0.0) -> JointState:
        self.wire.send(self.wire.encoder.order(kind, time_))
        return self.answered()

    def command(self, number: int, time_: float, q: np.ndarray = ZERO, v: np.ndarray = ZERO) -> JointState:
        self.wire.send(self.wire.encoder.command(number, time_, q, v, ZERO, ZERO))
        return self.answered()

    def answered(self) -> JointState:
        while (state := self.state()).heard < self.wire.encoder.sequence:
            pass
        return state

    def gone(self) -> bool:
        """Whether the server lets go."""
        try:
            while True:
                self.next()
        except LostLink:
            return True


class Clocked:
    """A server in real time with a clock that tests turn, and its master."""

    def __init__(self) -> None:
        self.now = 100.0
        self.physics = physics_of("cobot6")
        self.server = Server(self.physics, clock=lambda: self.now)
        self.master = Master(self.server.port, self.server)
        assert self.master.greet().kind == Kind.WELCOME
        assert self.master.order(Kind.ENABLE).enabled

    def drive(self, periods: int, speed: float = 0.1) -> JointState:
        for _ in range(periods):
            self.now += 0.001
            number = self.physics.number + 1
            v = np.array([speed, 0, 0, 0, 0, 0])
            state = self.master.command(number, self.now, self.physics.setpoint.q + 0.001 * v, v)
        return state

    def close(self) -> None:
        self.master.wire.close()
        self.server.close()


@pytest.fixture
def clocked() -> Iterator[Clocked]:
    made = Clocked()
    yield made
    made.close()


def test_a_master_is_welcomed_and_told_where_the_joints_are() -> None:
    with serving(physics_of("cobot6", mode=Mode.LOCK_STEP)) as server:
        welcome = welcome_of(Master(server.port).greet(digest=model_of("cobot6").digest), 6)
        assert welcome.joints == JOINTS and welcome.mode == Mode.LOCK_STEP and welcome.period == 0.001
        assert welcome.q == pytest.approx(model_of("cobot6").zero(), abs=1e-9)


def test_another_robot_is_refused_in_words() -> None:
    with serving(physics_of("cobot6", mode=Mode.LOCK_STEP)) as server:
        for joints, digest, said in ((("a",), "", "other joints"), (JOINTS, "0" * 64, "another model")):
            master = Master(server.port)
            assert said in refusal_of(master.greet(joints, digest)) and master.gone()


def test_a_second_master_is_refused_until_the_first_is_gone() -> None:
    with serving(physics_of("cobot6", mode=Mode.LOCK_STEP)) as server:
        first, second = Master(server.port), None
        assert first.greet().kind == Kind.WELCOME
        second = Master(server.port)
        frame = second.greet()
        assert frame.kind == Kind.REFUSED and "a master already" in refusal_of(frame) and second.gone()
        first.wire.close()
        assert Master(server.port).greet().kind == Kind.WELCOME


def test_a_new_connection_begins_disabled_and_numbers_begin_anew() -> None:
    with serving(physics_of("cobot6", mode=Mode.LOCK_STEP)) as server:
        for _ in range(2):
            master = Master(server.port)
            master.greet()
            state = master.command(1, 1.0)
            assert not state.enabled and state.number == 1
            assert master.order(Kind.ENABLE).number == 0
            assert master.command(7, 1.0).number == 7
            assert master.command(7, 1.0, np.full(6, 3.0)).fault == "", "taken before: nothing happens"
            master.wire.close()


@pytest.mark.parametrize("bad", [b"GET / HTTP/1.1\r\n\r\n" * 3, b"\0" * 64])
def test_what_is_no_frame_ends_the_connection_and_brakes_while_the_server_lives(bad: bytes) -> None:
    physics = physics_of("cobot6", mode=Mode.LOCK_STEP)
    with serving(physics) as server:
        master = Master(server.port)
        master.greet()
        master.order(Kind.ENABLE)
        master.command(1, 0.001)
        master.wire.send(bad)
        assert master.gone()
        assert not physics.enabled and physics.braking
        again = Master(server.port)
        assert again.greet().kind == Kind.WELCOME
        assert again.order(Kind.ENABLE).enabled


def test_commands_of_another_size_and_frames_out_of_place_end_the_connection() -> None:
    with serving(physics_of("cobot6", mode=Mode.LOCK_STEP)) as server:
        five = np.zeros(5)
        says: list[Callable[[Encoder], bytes]] = [
            lambda encoder: encoder.command(1, 0.0, five, five, five, five),
            lambda encoder: encoder.refused("no", 0.0),
            lambda encoder: encoder.hello(Hello(JOINTS), 0.0),
        ]
        for say in says:
            master = Master(server.port)
            master.greet()
            master.wire.send(say(master.wire.encoder))
            assert master.gone()
        silent = Master(server.port)
        silent.wire.send(silent.wire.encoder.order(Kind.ENABLE, 0.0))
        assert "HELLO" in refusal_of(silent.next()) and silent.gone()


def test_without_commands_it_brakes_after_its_watchdog(clocked: Clocked) -> None:
    assert clocked.drive(100).fault == ""
    clocked.now += 0.015
    assert clocked.master.state().fault == "", "not yet"
    clocked.now += 0.010
    clocked.server.serve()
    while not (state := clocked.master.state()).fault:
        pass
    assert "no command for 25 ms" in state.fault and state.braking and state.enabled
    for _ in range(500):
        clocked.now += 0.001
        clocked.server.serve()
    assert clocked.physics.stands
    after = clocked.master.command(101, clocked.now, clocked.physics.setpoint.q)
    assert after.braking and after.number == 101, "answered, not followed"
    assert not clocked.master.order(Kind.ENABLE).braking


def test_before_the_first_command_nothing_is_missed(clocked: Clocked) -> None:
    for _ in range(50):
        clocked.now += 0.001
        clocked.server.serve()
    assert clocked.physics.enabled and not clocked.physics.braking


def test_it_goes_on_by_the_clock_and_tells(clocked: Clocked) -> None:
    clocked.drive(20)
    clocked.now += 0.005
    clocked.server.serve()
    told = clocked.master.state()
    assert told.number == 20 and told.q[0] > 0.0 and clocked.now - told.time < 0.003


def test_an_old_command_is_not_followed(clocked: Clocked) -> None:
    clocked.drive(20)
    state = clocked.master.command(21, clocked.now - 0.05, clocked.physics.setpoint.q)
    assert "50 ms old" in state.fault and state.braking


def test_time_that_it_slept_is_skipped_and_it_brakes(clocked: Clocked) -> None:
    clocked.drive(100)
    before = clocked.physics.q.copy()
    clocked.now += 30.0
    clocked.server.serve()
    state = clocked.master.state()
    while not state.fault:
        state = clocked.master.state()
    assert "did not run for 30000 ms" in state.fault
    assert clocked.physics.q == pytest.approx(before, abs=1e-3), "thirty seconds were not simulated"


def test_jitter_of_the_commands_times_loses_no_period(clocked: Clocked) -> None:
    steps: list[int] = []
    advance = clocked.physics.advance

    def counted(periods: int = 1) -> None:
        steps.append(periods)
        advance(periods)

    clocked.physics.advance = counted  # type: ignore[method-assign]
    rng = np.random.default_rng(0)
    begin = clocked.now
    for k in range(1, 200):
        clocked.now = begin + k * 0.001 + rng.uniform(0.0, 0.0004)
        clocked.master.command(k, clocked.now)
    assert sum(steps) == 199


def test_time_in_lock_step_is_that_of_the_commands() -> None:
    """However far apart they are: each is one period, and nobody is missed meanwhile."""
    physics = physics_of("cobot6", mode=Mode.LOCK_STEP)
    with serving(physics) as server:
        master = Master(server.port)
        master.greet()
        master.order(Kind.ENABLE)
        for k in range(1, 50):
            state = master.command(k, 5000.0 + 0.001 * k)
        assert state.time == pytest.approx(5000.049) and state.fault == ""
        late = master.command(50, 5000.149)
        assert late.time == pytest.approx(5000.149) and late.fault == "" and not late.braking


@pytest.mark.slow
def test_equal_commands_give_equal_states_bit_for_bit_in_two_processes(tmp_path: Path) -> None:
    told: list[list[bytes]] = []
    for name in ("first", "second"):
        with twin_process(tmp_path / name) as twin:
            master, frames = Master(twin.port), []
            master.greet()
            master.wire.send(master.wire.encoder.order(Kind.ENABLE, 0.0))
            frames.append(master.next().payload)
            for k in range(1, 400):
                q = 0.3 * (1 - np.cos(0.005 * k)) * np.ones(6)
                v = 1.5 * np.sin(0.005 * k) * np.ones(6)
                master.wire.send(master.wire.encoder.command(k, 0.001 * k, q, v, ZERO, ZERO))
                frames.append(master.next().payload)
            told.append(frames)
    assert told[0] == told[1] and len(set(told[0])) == 400


@pytest.mark.slow
def test_a_process_in_real_time_survives_being_stopped_and_ends_when_told(tmp_path: Path) -> None:
    settings = TwinSettings(contacts=False, watchdog=0.5).to_json()
    with twin_process(tmp_path, settings=settings) as twin:
        assert twin.ready["pid"] == twin.process.pid and isinstance(twin.ready["assumptions"], list)
        master = Master(twin.port)
        master.greet()
        master.order(Kind.ENABLE)
        assert master.command(1, time.monotonic()).fault == ""
        os.kill(twin.process.pid, signal.SIGSTOP)
        time.sleep(1.5)
        os.kill(twin.process.pid, signal.SIGCONT)
        while not (state := master.state()).fault:
            pass
        assert state.braking and state.q == pytest.approx(ZERO, abs=1e-3)
        twin.process.terminate()
        assert twin.process.wait(timeout=20) == 0


@pytest.mark.slow
def test_it_ends_with_the_one_that_started_it(tmp_path: Path) -> None:
    job = write_job(tmp_path)
    start = (
        "import subprocess, sys, time, pathlib\n"
        f"p = subprocess.Popen([sys.executable, '-m', 'armillary.twin.server', {str(job)!r}])\n"
        f"while not pathlib.Path({str(tmp_path / 'ready')!r}).exists(): time.sleep(0.02)\n"
        "print(p.pid)\n"
    )
    found = subprocess.run([sys.executable, "-c", start], capture_output=True, text=True, timeout=60, check=True)
    pid, end = int(found.stdout), time.monotonic() + 20.0
    while Path(f"/proc/{pid}").exists() and "Z (" not in Path(f"/proc/{pid}/stat").read_text():
        assert time.monotonic() < end, "it lives on"
        time.sleep(0.05)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"source": "no_such_robot"}, "no_such_robot"),
        ({"start": [0.0] * 5}, "6 joints"),
        ({"sauce": 1}, "no such key: sauce"),
        ({"settings": {"steps": -1}}, "steps is -1"),
    ],
)
def test_what_cannot_be_started_says_so_in_one_line(tmp_path: Path, changes: dict[str, object], said: str) -> None:
    job = write_job(tmp_path, **changes)
    found = subprocess.run(
        [sys.executable, "-m", "armillary.twin.server", str(job)], capture_output=True, text=True, timeout=60, check=False
    )
    assert found.returncode == 1 and said in found.stderr
    assert len(found.stderr.strip().splitlines()) == 1 and "Traceback" not in found.stderr
