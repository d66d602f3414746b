"""The wire to the twin keeps the contract of every driver, and a broken wire is a fault in words."""

import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import numpy as np
import pytest

from armillary.drivers import Command, Driver, DriverError, Feedback, Lifecycle, Stage
from armillary.drivers.physics import PhysicsDriver
from armillary.protocols.twin import Mode
from armillary.twin.physics import Physics
from tests.twin.serving import model_of, physics_of, serving

JOINTS = model_of("cobot6").joints


class Proxy:
    """Between driver and twin: passes bytes on, changed, late or not at all."""

    def __init__(self, port: int) -> None:
        self._to, self._listener = port, socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.answers: Callable[[bytes], bytes] = lambda data: data
        self.delay = 0.0
        self._cut = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def cut(self) -> None:
        self._cut.set()
        self._thread.join()

    def _run(self) -> None:
        with self._listener:
            while not self._cut.is_set():
                if not select.select([self._listener], [], [], 0.01)[0]:
                    continue
                near, _ = self._listener.accept()
                with near, socket.create_connection(("127.0.0.1", self._to)) as far, suppress(OSError):
                    self._pass(near, far)

    def _pass(self, near: socket.socket, far: socket.socket) -> None:
        while not self._cut.is_set():
            for one in select.select([near, far], [], [], 0.01)[0]:
                data = one.recv(65536)
                if not data:
                    return
                time.sleep(self.delay)
                (far if one is near else near).sendall(data if one is near else self.answers(data))


@contextmanager
def twin(mode: Mode = Mode.LOCK_STEP, watchdog: float = 0.02) -> Iterator[tuple[Physics, Proxy]]:
    physics = physics_of("cobot6", mode=mode, watchdog=watchdog)
    with serving(physics) as server:
        proxy = Proxy(server.port)
        try:
            yield physics, proxy
        finally:
            proxy.cut()


def driver_of(port: int, *, lock_step: bool = True) -> PhysicsDriver:
    return PhysicsDriver(("127.0.0.1", port), JOINTS, digest=model_of("cobot6").digest, lock_step=lock_step)


def told(driver: Driver, feedback: Feedback, wanted: Callable[[Feedback], bool]) -> Feedback:
    """Read until something is told."""
    end = time.monotonic() + 20.0
    while not (driver.read(feedback) and wanted(feedback)):
        assert time.monotonic() < end, f"it was never told: {feedback}"
        time.sleep(0.001)
    return feedback


def test_it_is_a_driver_that_follows_and_takes_no_command_twice() -> None:
    with twin() as (_, proxy):
        driver = driver_of(proxy.port)
        assert isinstance(driver, Driver) and driver.capabilities.measures_torque
        life, command, feedback = Lifecycle(driver), Command.of(6), Feedback.of(6)
        life.open()
        assert driver.welcome is not None and driver.welcome.joints == JOINTS
        life.enable()
        assert life.read(feedback) and feedback.enabled and feedback.number == 0
        for k in range(1, 101):
            command.number, command.time, command.outputs = k, 0.001 * k, 5
            command.q[0] += 1e-4
            command.v[0] = 0.1
            life.write(command)
            assert life.read(feedback) and feedback.number == k and feedback.time == command.time
        assert feedback.q[0] > 0.005 and feedback.inputs == 5 and np.isfinite(feedback.torque).all() and feedback.fault == ""
        assert driver.round_trip > 0.0
        command.q[:] = 9.0
        life.write(command)  # the same number: heard before
        assert not life.read(feedback) and feedback.fault == ""
        life.close()
        assert life.stage == Stage.CLOSED


def test_a_stop_is_final_until_it_is_enabled_anew() -> None:
    with twin() as (physics, proxy):
        life, command, feedback = Lifecycle(driver_of(proxy.port)), Command.of(6), Feedback.of(6)
        life.open()
        life.enable()
        life.stop()
        command.number, command.q[:] = 1, 0.001
        life.write(command)
        assert life.read(feedback) and physics.braking and physics.setpoint.q == pytest.approx(np.zeros(6), abs=1e-9)
        life.disable()
        life.enable()
        assert life.read(feedback) and feedback.enabled and not physics.braking
        life.close()


def test_it_can_be_opened_again_after_it_was_closed() -> None:
    with twin() as (physics, proxy):
        driver, feedback = driver_of(proxy.port), Feedback.of(6)
        for _ in range(3):
            driver.open()
            driver.enable()
            assert driver.read(feedback) and feedback.enabled
            driver.close()
            driver.close()
            assert not driver.read(feedback)
            driver.write(Command.of(6))
            driver.stop()
        end = time.monotonic() + 20.0
        while physics.enabled:
            assert time.monotonic() < end, "left alone, and still enabled"


def test_what_cannot_be_opened_says_why() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = int(silent.getsockname()[1])
        with pytest.raises(DriverError, match="does not answer"):
            driver_of(port).open()
    with pytest.raises(DriverError, match="cannot be reached"):
        driver_of(port).open()
    with twin() as (_, proxy):
        with pytest.raises(DriverError, match="other joints"):
            PhysicsDriver(("127.0.0.1", proxy.port), ("one", "two"), lock_step=True).open()
        with pytest.raises(DriverError, match="another model"):
            PhysicsDriver(("127.0.0.1", proxy.port), JOINTS, digest="00", lock_step=True).open()
        with pytest.raises(DriverError, match="keeps time by lock_step"):
            driver_of(proxy.port, lock_step=False).open()


def test_a_second_master_is_refused() -> None:
    with serving(physics_of("cobot6", mode=Mode.LOCK_STEP)) as server:
        first, second = driver_of(server.port), driver_of(server.port)
        first.open()
        with pytest.raises(DriverError, match="a master already"):
            second.open()
        first.close()


@pytest.mark.parametrize("mode", [Mode.LOCK_STEP, Mode.REAL_TIME])
def test_a_link_that_is_cut_is_a_fault_that_stays(mode: Mode) -> None:
    with twin(mode, watchdog=2.0) as (physics, proxy):
        driver, feedback = driver_of(proxy.port, lock_step=mode == Mode.LOCK_STEP), Feedback.of(6)
        driver.open()
        driver.enable()
        told(driver, feedback, lambda told: told.enabled)
        proxy.cut()
        command = Command.of(6)
        command.number, command.time = 1, time.monotonic()
        driver.write(command)
        assert "the twin's link is lost" in told(driver, feedback, lambda told: bool(told.fault)).fault
        assert not feedback.enabled
        for _ in range(3):
            driver.write(command)
            driver.stop()
            assert driver.read(feedback) and "link is lost" in feedback.fault
        driver.close()
        end = time.monotonic() + 20.0
        while physics.enabled:
            assert time.monotonic() < end, "without a master, and still enabled"


def test_garbage_is_a_fault_that_says_where() -> None:
    with twin() as (_, proxy):
        driver, feedback = driver_of(proxy.port), Feedback.of(6)
        driver.open()
        proxy.answers = lambda data: data[:30] + bytes([data[30] ^ 4]) + data[31:]
        driver.enable()
        assert driver.read(feedback)
        assert "the twin's link is lost: a bad frame at byte" in feedback.fault and "damaged" in feedback.fault
        driver.close()


def test_in_real_time_reading_never_waits_and_late_answers_still_count() -> None:
    with twin(Mode.REAL_TIME, watchdog=5.0) as (_, proxy):
        driver, command, feedback = driver_of(proxy.port, lock_step=False), Command.of(6), Feedback.of(6)
        driver.open()
        assert driver.capabilities.watchdog == 5.0
        driver.enable()
        told(driver, feedback, lambda told: told.enabled)
        proxy.delay = 0.02
        command.number, command.time = 1, time.monotonic()
        driver.write(command)
        told(driver, feedback, lambda told: told.number == 1)
        assert driver.round_trip > 0.02 and feedback.fault == ""
        driver.close()


def test_what_was_told_before_an_order_is_not_about_what_follows_it() -> None:
    with twin(Mode.REAL_TIME, watchdog=0.5) as (_, proxy):
        driver, command, feedback = driver_of(proxy.port, lock_step=False), Command.of(6), Feedback.of(6)
        driver.open()
        driver.enable()
        command.number, command.time, command.q[1] = 1, time.monotonic(), np.nan
        driver.write(command)
        assert "position is nan" in told(driver, feedback, lambda told: bool(told.fault)).fault
        time.sleep(0.05)  # many states that complain are on their way
        driver.disable()
        driver.enable()
        told(driver, feedback, lambda told: told.enabled)
        assert feedback.fault == ""
        driver.close()


def test_what_is_said_before_it_is_closed_is_heard(capsys: pytest.CaptureFixture[str]) -> None:
    """States that nobody has read would reset the connection, and the order to disable would be lost with it."""
    physics, feedback = physics_of("cobot6", mode=Mode.REAL_TIME, watchdog=2.0), Feedback.of(6)
    with serving(physics) as server:
        for _ in range(10):
            driver = driver_of(server.port, lock_step=False)
            driver.open()
            driver.enable()
            told(driver, feedback, lambda feedback: feedback.enabled)
            time.sleep(0.02)
            driver.disable()
            driver.close()
            assert not physics.enabled
    assert "is let go" not in capsys.readouterr().err
