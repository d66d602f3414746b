"""The PMAC driver's lifecycle against the emulator, and against peers that say what a PMAC never would."""

import contextlib
import itertools
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from armillary.drivers import BufferedDriver, DriverError, Feedback
from armillary.drivers.pmac import PmacDriver, PmacState
from armillary.drivers.pmac_wire import PmacRefused, PmacWire
from armillary.drivers.registry import DriverRequest, known_drivers, make_driver
from armillary.emulators.pmac import Server
from armillary.protocols.pmac import PmacRequest, Request, RequestDecoder, get_response
from tests.drivers.pmac_bench import COUPLING, HOME, MODEL, driver_at, emulator_thread, told
from tests.drivers.rig import command

COUNT = 1.0 / np.abs(COUPLING.matrix).max(axis=1).min()
Reply = Callable[[PmacRequest, int], bytes | None]


@pytest.fixture
def server() -> Iterator[Server]:
    with emulator_thread() as server:
        yield server


@contextlib.contextmanager
def opened(server: Server) -> Iterator[PmacDriver]:
    driver = driver_at(server.port)
    try:
        driver.open()
        yield driver
    finally:
        driver.close()


def say(server: Server, line: str) -> None:
    with socket.create_connection(("127.0.0.1", server.port), 5.0) as other:
        other.sendall(get_response(line))
        other.recv(4096)


def test_it_is_a_buffered_driver_that_is_found_by_name(server: Server) -> None:
    driver = driver_at(server.port)
    assert isinstance(driver, BufferedDriver) and "pmac" in known_drivers()
    able = driver.capabilities
    assert able.depth == 32 and able.interval == 0.05 and able.own_hold and able.own_time_base and able.watchdog == 2.0


def test_it_is_brought_up_where_the_robot_is_and_powers_only_when_enabled(server: Server) -> None:
    motors = server.machine.motors.values()
    with opened(server) as driver:
        assert driver.state == PmacState.STOP and driver.room == 0 and not any(motor.closed for motor in motors)
        driver.enable()
        assert driver.state.value == "init" and driver.room == 1 and all(motor.closed for motor in motors)
        heard = told(driver, lambda feedback: feedback.enabled)
        assert heard.q == pytest.approx(HOME, abs=COUNT) and heard.fault == ""
        driver.disable()
        assert not any(motor.closed for motor in motors) and not told(driver, lambda _: True).enabled
        driver.enable()
        assert all(motor.closed for motor in motors)


def test_buffered_orders_before_and_after_a_motion_do_no_harm(server: Server) -> None:
    driver = driver_at(server.port)
    for verb in (driver.hold, driver.resume, driver.clear, driver.stop, driver.disable, lambda: driver.time_base(0.5)):
        verb()
    driver.open()
    driver.enable()
    for verb in (driver.hold, driver.resume, driver.clear, lambda: driver.time_base(0.5), lambda: driver.time_base(7.0)):
        verb()
    assert told(driver, lambda feedback: feedback.enabled).fault == ""
    told(driver, lambda _: server.machine.systems[1].percent == 100.0)  # never faster than what is proven
    driver.stop()
    driver.write(command(1, HOME))
    assert driver.room == 0 and told(driver, lambda _: True).left == 0, (
        "after a stop nothing is followed until it is enabled anew"
    )
    driver.close()


def test_a_second_master_is_refused_and_the_first_goes_on(server: Server) -> None:
    with opened(server) as first:
        first.enable()
        told(first, lambda feedback: feedback.enabled)
        ended = threading.Event()

        def keep_on() -> None:
            feedback = Feedback.of(6)
            while not ended.is_set():
                first.read(feedback)
                time.sleep(0.005)

        thread = threading.Thread(target=keep_on)
        thread.start()
        try:
            with pytest.raises(DriverError, match="somebody else drives"):
                driver_at(server.port).open()
        finally:
            ended.set()
            thread.join(10.0)
        assert told(first, lambda _: True).enabled
    with opened(server) as second:
        second.enable()


def test_a_master_who_was_killed_is_no_hindrance(server: Server) -> None:
    first = driver_at(server.port)
    first.open()
    first.enable()
    assert first._session is not None
    first._session._wire._socket.close()  # it ended without a word
    with opened(server) as second:
        second.enable()
        assert told(second, lambda feedback: feedback.enabled).q == pytest.approx(HOME, abs=COUNT)


def test_one_who_sets_it_up_for_himself_is_found(server: Server) -> None:
    with opened(server) as driver:
        driver.enable()
        told(driver, lambda feedback: feedback.enabled)
        say(server, "P100=1")
        assert "another master" in told(driver, lambda feedback: bool(feedback.fault)).fault


@pytest.mark.parametrize(
    ("line", "said"),
    [("#4K", r"motor 4 \(joint_4\): it has no power"), ("$$$***", "no answer"), ("$$$***I3=2", "another master")],
)
def test_one_who_powers_motors_off_or_resets_it_is_found(server: Server, line: str, said: str) -> None:
    with opened(server) as driver:
        driver.enable()
        told(driver, lambda feedback: feedback.enabled)
        say(server, line)
        assert re.search(said, told(driver, lambda feedback: bool(feedback.fault)).fault)


@pytest.mark.parametrize(("q", "v", "number", "said"), [
    (np.nan, 0.0, 1, "no number"), (0.0, np.inf, 1, "no number"), (0.0, 0.0, 3, "set-points 1 to 2 are missing"),
    (0.9, 0.0, 1, "begins 0.9"),
])  # fmt: skip
def test_commands_that_cannot_be_followed_brake_with_words(server: Server, q: float, v: float, number: int, said: str) -> None:
    with opened(server) as driver:
        driver.enable()
        there = HOME.copy()
        there[2] += q
        driver.write(command(number, there, np.full(6, v)))
        assert said in told(driver, lambda feedback: bool(feedback.fault)).fault
        assert driver.state == PmacState.STOP and driver.room == 0


def test_no_set_point_is_taken_twice(server: Server) -> None:
    with opened(server) as driver:
        driver.enable()
        for number in (1, 1, 2, 1, 2):
            driver.write(command(number, HOME, np.full(6, 1e-3)))
        assert told(driver, lambda _: True).left == 2


def test_a_motor_in_another_coordinate_system_is_said(server: Server) -> None:
    say(server, "&2#3->100X")
    with opened(server) as driver, pytest.raises(DriverError, match="another coordinate system"):
        driver.enable()


def test_a_buffer_that_somebody_left_open_is_closed(server: Server) -> None:
    say(server, "OPEN PLC 7")
    with opened(server) as driver:
        driver.enable()
        assert told(driver, lambda feedback: feedback.enabled).fault == ""


def test_where_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(DriverError, match="no PMAC at"):
        driver_at(port).open()


@contextlib.contextmanager
def peer(reply: Reply) -> Iterator[int]:
    """Somebody who answers requests, counted from 0; None hangs up."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(10.0)

    def serve() -> None:
        with contextlib.suppress(OSError):
            wire, _ = listener.accept()
            wire.settimeout(10.0)
            decoder, count = RequestDecoder(), 0
            with wire:
                while data := wire.recv(4096):
                    for request in decoder.feed(data):
                        answer = reply(request, count)
                        count += 1
                        if answer is None:
                            return
                        wire.sendall(answer)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield int(listener.getsockname()[1])
    finally:
        listener.close()
        thread.join(15.0)


@pytest.mark.parametrize(("answer", "said"), [
    (b"\x06\x06\x06", "no answer"), (b"", "no answer to 'CLOSE"), (b"HTTP/1.1 400 Bad Request\r\n", "no answer to"),
    (None, "closed the connection"), (b"\x07ERR003\r", "ERR003: not a command"), (b"\xff" * 5000, "no answer"),
])  # fmt: skip
def test_one_who_is_no_pmac_is_told_from_one(answer: bytes | None, said: str) -> None:
    with peer(lambda *_: answer) as port:
        driver = driver_at(port, answers=0.3)
        with pytest.raises(DriverError, match=said):
            driver.open()
        driver.close()


class Between:
    """Stands between the driver and the emulator, and changes an answer when it is told to."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.change: Callable[[bytes], bytes | None] = lambda data: data
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        self._listener.settimeout(0.1)
        while not self._ends.is_set():
            try:
                near, _ = self._listener.accept()
            except TimeoutError:
                continue
            far = socket.create_connection(("127.0.0.1", self._target))
            with near, far, contextlib.suppress(OSError):
                near.settimeout(0.1)
                far.settimeout(5.0)
                while not self._ends.is_set():
                    try:
                        data = near.recv(65536)
                    except TimeoutError:
                        continue
                    if not data:
                        break
                    far.sendall(data)
                    answer = self.change(far.recv(65536))
                    if answer is None:
                        break
                    near.sendall(answer)

    def close(self) -> None:
        self._ends.set()
        self._thread.join(10.0)
        self._listener.close()


@pytest.fixture
def between(server: Server) -> Iterator[Between]:
    between = Between(server.port)
    yield between
    between.close()


PATIENCE = 2.0
"""Longer than a busy computer takes to answer: what is late here is late on purpose."""


def late(data: bytes) -> bytes:
    time.sleep(PATIENCE + 0.5)
    return data


@pytest.mark.parametrize(("change", "said"), [
    (lambda data: None, "closed the connection"), (lambda data: data[:-1] + b"\r1234\r\x06", "is lost"),
    (lambda data: b"nonsense\r\x06", "is lost"), (lambda data: data + data, "is lost"), (late, "no answer"),
    (lambda data: data.replace(b"\r", b"\rnan\r", 1), "is lost"),
])  # fmt: skip
def test_garbage_and_late_answers_end_the_link_and_a_new_one_is_made(
    between: Between, change: Callable[[bytes], bytes | None], said: str
) -> None:
    driver = driver_at(between.port, answers=PATIENCE)
    driver.open()
    driver.enable()
    told(driver, lambda feedback: feedback.enabled)
    between.change = change
    heard = told(driver, lambda feedback: bool(feedback.fault))
    assert said in heard.fault and not heard.enabled and driver.room == 0
    stays = told(driver, lambda _: True)
    assert stays.fault == heard.fault, "it stays until it is opened anew"
    between.change = lambda data: data
    driver.close()
    time.sleep(PATIENCE + 1.0)  # what was late has come, to nobody
    driver.open()
    driver.enable()
    assert told(driver, lambda feedback: feedback.enabled).fault == ""
    driver.close()


@pytest.mark.slow
@pytest.mark.parametrize("step", range(0, 60, 5))
def test_a_link_that_breaks_at_any_step_of_bringing_it_up(between: Between, step: int) -> None:
    count = itertools.count()
    between.change = lambda data: None if next(count) == step else data
    driver = driver_at(between.port)
    with contextlib.suppress(DriverError):
        driver.open()
        driver.enable()
        told(driver, lambda feedback: bool(feedback.fault))
    driver.close()
    driver.open()
    driver.enable()
    assert told(driver, lambda feedback: feedback.enabled).q == pytest.approx(HOME, abs=COUNT)
    driver.close()


def test_the_wire_says_what_was_refused(server: Server) -> None:
    wire = PmacWire("127.0.0.1", server.port, 2.0)
    wire.ask("I3=2 I6=1")
    with pytest.raises(PmacRefused, match=r"refuses '&1R': ERR014: there are no motors"):
        wire.ask("&1R")
    assert wire.ask("TYPE") == ("TURBO2, X4",), "and goes on"
    wire.write(["OPEN PLC 9", "NO SUCH LINE", "CLOSE"])
    with pytest.raises(PmacRefused, match="line 2: ERR003"):
        wire.settle()
    wire.close()


@pytest.mark.parametrize(("options", "said"), [
    ({}, "where the PMAC is"), ({"address": "host:x"}, "where the PMAC is"), ({"address": "h", "port": 3}, "'port' is not known"),
    ({"address": "h"}, "actuation"),
    ({"address": "h", "segment": 0.0505}, "whole milliseconds"),
    ({"address": "h", "ahead": 8, "ramp": 0.5}, "ahead = 20"),
    ({"address": "h", "motors": "1"}, "motors = "),
    ({"address": "h", "plc": 0}, "plc is 0"),
    ({"address": "h", "watchdog": True}, "watchdog is True"),
])  # fmt: skip
def test_options_that_cannot_be_are_named(options: dict[str, object], said: str) -> None:
    with pytest.raises(DriverError, match=said):
        make_driver("pmac", DriverRequest(MODEL, HOME, options))


def test_requests_are_of_the_three_kinds_that_are_answered_at_once(server: Server) -> None:
    """GETRESPONSE and WRITEBUFFER alone: each answer's end is known."""
    kinds: set[Request] = set()
    answer = server._answer

    def noted(connection: object, request: PmacRequest) -> bytes:
        kinds.add(request.request)
        return answer(connection, request)  # type: ignore[arg-type]

    server._answer = noted  # type: ignore[method-assign]
    with opened(server) as driver:
        driver.enable()
    assert kinds == {Request.GETRESPONSE, Request.WRITEBUFFER}
