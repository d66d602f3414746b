"""The driver of servo boards, on a pseudo-terminal that the test reads; the clock is the test's."""

import math
import os
import tty
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from armillary.drivers import Command, Driver, DriverError, Feedback, Lifecycle
from armillary.drivers.registry import DriverRequest, is_hosted, make_driver
from armillary.drivers.servo_frame import ServoFrameDriver
from armillary.drivers.servo_frame_options import check_servos, read_options
from armillary.model import load_model
from armillary.protocols.servo_frame import FrameLayout, ServoFrame, ServoFrameDecoder

JOINTS = ("shoulder", "elbow", "wrist")
SERVOS = {"elbow": {"direction": -1, "offset": 100.0}, "wrist": {"ratio": 2.0, "lower": 20.0, "upper": 160.0}}


class Bench:
    """A driver of three joints in a frame of four, and what it sends."""

    def __init__(self, **options: Any) -> None:
        self.now = 100.0
        self.descriptor, other = os.openpty()
        tty.setraw(other)
        os.set_blocking(self.descriptor, False)
        given = {
            "port": os.ttyname(other),
            "joints": ["wrist", "", "shoulder", "elbow"],
            "servos": SERVOS,
            "boot": 0.5,
            **options,
        }
        self._other = other
        read = read_options(given, JOINTS)
        self.driver = ServoFrameDriver(read, JOINTS, np.zeros(3), clock=lambda: self.now)
        self.life = Lifecycle(self.driver)
        self.decoder = ServoFrameDecoder(read.layout)
        self.command, self.feedback = Command.of(3), Feedback.of(3)

    def frames(self) -> list[ServoFrame]:
        """What has come since the last call."""
        read = []
        try:
            while data := os.read(self.descriptor, 4096):
                read += self.decoder.feed(data)
        except OSError:
            pass
        return read

    def read(self, seconds: float = 0.0) -> Feedback:
        """Let time pass, reading every 10 ms, as the host does."""
        for _ in range(max(round(seconds / 0.01), 1)):
            self.now += 0.01 if seconds else 0.0
            self.life.read(self.feedback)
        return self.feedback

    def up(self) -> "Bench":
        self.life.open()
        self.life.enable()
        self.read(2.0)
        assert self.feedback.enabled and not self.feedback.fault
        self.frames()
        return self

    def write(self, *q: float, v: float = 0.0) -> None:
        self.command.q[:], self.command.v[:] = q, v
        self.command.number += 1
        self.life.write(self.command)

    def hang_up(self) -> None:
        os.close(self._other)
        os.close(self.descriptor)
        self._other = self.descriptor = -1

    def close(self) -> None:
        self.life.close()
        if self.descriptor >= 0:
            os.close(self.descriptor)
            os.close(self._other)


@pytest.fixture
def bench() -> Iterator[Bench]:
    bench = Bench()
    yield bench
    bench.close()


def test_it_keeps_the_contract_and_says_that_nothing_is_measured(bench: Bench) -> None:
    driver = bench.driver
    assert isinstance(driver, Driver)
    able = driver.capabilities
    assert able.feedback_rate == 0.0 and not able.measures_torque and able.depth == 0 and not able.simulated
    assert able.watchdog == 0.2 and able.outputs == able.inputs == 0
    bench.up()
    assert np.isnan(bench.feedback.torque).all() and np.isnan(bench.feedback.a).all()


def test_angles_directions_ratios_and_places_in_the_frame(bench: Bench) -> None:
    bench.up()
    bench.write(math.radians(30.0), math.radians(20.0), math.radians(-25.0))
    bench.read(0.5)
    (frame,) = bench.frames()
    assert frame.positions == (90 - 50, 90, 120, 100 - 20)
    assert bench.feedback.q == pytest.approx(np.radians([30.0, 20.0, -25.0]), abs=1e-9)


def test_positions_are_rounded_in_the_frame_and_not_in_the_feedback(bench: Bench) -> None:
    bench.up()
    bench.write(math.radians(10.4), 0.0, 0.0)
    bench.read(0.5)
    assert bench.frames()[0].positions[2] == 100
    assert bench.feedback.q[0] == pytest.approx(math.radians(10.4), abs=1e-9)


def test_finer_positions() -> None:
    bench = Bench(fine=True)
    try:
        bench.up()
        bench.write(math.radians(10.4), 0.0, 0.0)
        bench.read(0.5)
        assert bench.decoder.layout == FrameLayout(4, 2) and bench.frames()[0].positions[2] == 10_040
        assert bench.feedback.q[0] == pytest.approx(math.radians(10.4), abs=1e-9)
    finally:
        bench.close()


def test_nothing_is_sent_before_the_board_has_started_and_enabled_only_when_the_servos_must_be_there(bench: Bench) -> None:
    bench.life.open()
    bench.life.enable()
    bench.read(0.45)
    assert bench.frames() == [] and not bench.feedback.enabled
    bench.read(0.5)
    sent = bench.frames()
    assert sent and {frame.positions for frame in sent} == {(90, 90, 90, 100)} and not bench.feedback.enabled
    bench.read(0.3)  # 180 degrees at 300 degrees/s are 0.6 s
    assert bench.feedback.enabled


@pytest.mark.parametrize(("rate", "baud"), [(50, 115_200), (70, 115_200), (300, 500_000), (500, 500_000)])
def test_frames_go_at_their_rate_with_stamps_that_go_up(rate: int, baud: int) -> None:
    bench, random, frames = Bench(rate=rate, baud=baud).up(), np.random.default_rng(rate), list[ServoFrame]()
    begin = bench.now
    for k in range(1000):
        bench.now = begin + 0.001 * k + random.uniform(0.0, 0.0004)  # ticks are never quite even
        bench.write(0.0005 * k, 0.0, 0.0, v=0.5)
        if k % 10 == 0:
            bench.life.read(bench.feedback)
            frames += bench.frames()
    frames += bench.frames()
    bench.close()
    assert len(frames) == pytest.approx(rate, abs=2)
    assert all(0 < (after.stamp - before.stamp) % 65_536 < 100 for before, after in pairwise(frames))


def test_a_command_that_answers_something_new_goes_ahead_of_its_turn_and_the_rate_is_kept() -> None:
    bench, waits, frames = Bench(rate=50).up(), list[float](), list[float]()
    begin = bench.now
    for k in range(2000):
        bench.now = begin + 0.001 * k
        if k % 73 == 0:
            asked = bench.command.since = bench.now
        before = len(frames)
        bench.write(0.0002 * k, 0.0, 0.0, v=0.2)
        frames += [bench.now] * len(bench.frames())
        if len(frames) > before and asked:
            waits.append(bench.now - asked)
            asked = 0.0
    assert len(waits) == 28 and max(waits) < 0.0025, "a frame of 11 bytes is through the wire in a millisecond"
    assert len(frames) == pytest.approx(100, abs=3)
    assert max(after - before for before, after in pairwise(frames)) < 0.0415
    begin, count = bench.now, 0
    for k in range(1000):  # a master who has something new every millisecond does not fill the wire
        bench.now = bench.command.since = begin + 0.001 * k
        bench.write(0.4, 0.0, 0.0)
        count += len(bench.frames())
    bench.close()
    assert count == pytest.approx(50, abs=3)


def test_the_feedback_is_no_faster_than_the_servos(bench: Bench) -> None:
    bench.up()
    bench.write(math.radians(60.0), 0.0, 0.0)
    bench.read(0.1)
    assert math.degrees(bench.feedback.q[0]) == pytest.approx(30.0, abs=0.1)
    bench.read(0.2)
    assert math.degrees(bench.feedback.q[0]) == pytest.approx(60.0, abs=0.1)


def test_a_stop_is_sent_at_once_and_said_again(bench: Bench) -> None:
    bench.up()
    bench.write(math.radians(60.0), 0.0, 0.0, v=1.0)
    bench.read(0.1)
    bench.frames()
    bench.life.stop()
    held = bench.frames()
    assert len(held) == 1 and held[0].positions[2] == pytest.approx(120, abs=1), "where the servo should be by then"
    bench.write(math.radians(60.0), 0.0, 0.0, v=1.0)
    bench.read(0.2)
    again = bench.frames()
    assert len(again) >= 5 and {frame.positions for frame in again} == {held[0].positions}, "it follows nothing any more"
    bench.life.disable()
    bench.life.enable()
    bench.read(0.05)
    assert bench.feedback.enabled, "where the servos are is known: there is nothing to wait for"
    bench.write(math.radians(40.0), 0.0, 0.0)
    bench.read(0.5)
    assert bench.frames()[-1].positions[2] == 130


def test_a_stop_in_the_same_millisecond_as_a_frame_has_a_newer_stamp(bench: Bench) -> None:
    bench.up()
    bench.read(0.1)
    bench.write(0.5, 0.0, 0.0)
    bench.life.stop()
    stamps = [frame.stamp for frame in bench.frames()]
    assert len(stamps) == 2 and (stamps[1] - stamps[0]) % 65_536 == 1


def test_when_no_command_comes_nothing_is_sent_and_it_brakes_with_a_fault(bench: Bench) -> None:
    bench.up()
    bench.write(0.2, 0.0, 0.0, v=1.0)
    bench.frames()
    bench.read(0.15)
    assert bench.frames() == [] and not bench.feedback.fault
    bench.read(0.1)
    assert "no command for" in bench.feedback.fault
    bench.write(0.4, 0.0, 0.0, v=1.0)
    bench.read(0.1)
    assert {frame.positions[2] for frame in bench.frames()} == {round(90 + math.degrees(0.2))}


def test_one_that_stands_may_be_left_alone(bench: Bench) -> None:
    bench.up()
    bench.write(0.2, 0.0, 0.0)
    bench.read(3.0)
    assert not bench.feedback.fault


@pytest.mark.parametrize(
    ("q", "said"),
    [((math.nan, 0, 0), "no number"), ((0, 0, math.inf), "no number"), ((0, 0, 0.7), "wrist: its servo would be at")],
)
def test_a_command_that_cannot_be_brakes_and_says_why(bench: Bench, q: tuple[float, float, float], said: str) -> None:
    bench.up()
    bench.write(*q)
    bench.read(0.1)
    assert said in bench.feedback.fault
    assert {frame.positions for frame in bench.frames()} == {(90, 90, 90, 100)}


def test_analogue_outputs_that_are_no_numbers_are_a_fault(bench: Bench) -> None:
    bench.up()
    bench.command.analog[1] = math.nan
    bench.write(0.1, 0.0, 0.0)
    bench.read(0.1)
    assert "analogue output 1" in bench.feedback.fault


def test_no_command_is_taken_twice(bench: Bench) -> None:
    bench.up()
    bench.write(0.1, 0.0, 0.0)
    bench.command.number -= 1
    bench.write(0.9, 0.0, 0.0)
    bench.read(0.3)
    assert bench.frames()[-1].positions[2] == round(90 + math.degrees(0.1))


@pytest.mark.parametrize("when", ["open", "enabling", "enabled", "moving", "stopped", "disabled"])
def test_a_port_that_is_gone_is_said_in_every_stage(bench: Bench, when: str) -> None:
    bench.life.open()
    if when != "open":
        bench.life.enable()
        bench.read(0.1 if when == "enabling" else 2.0)
    if when == "moving":
        bench.write(0.1, 0.0, 0.0, v=1.0)
    if when == "stopped":
        bench.life.stop()
    if when == "disabled":
        bench.life.disable()
    bench.hang_up()
    for _ in range(5):
        bench.now += 0.02
        if when in ("enabled", "moving"):
            bench.write(0.2, 0.0, 0.0, v=1.0)
        bench.life.read(bench.feedback)
    assert "is lost" in bench.feedback.fault and not bench.feedback.enabled
    bench.life.stop()
    bench.life.close()
    bench.life.close()
    with pytest.raises(DriverError, match="cannot be opened"):
        bench.life.open()


def test_a_port_that_takes_nothing_is_a_fault_and_no_wait(bench: Bench) -> None:
    bench.up()
    for k in range(4000):
        bench.now += 0.02
        bench.write(0.001 * (k % 2), 0.0, 0.0, v=0.1)
        bench.life.read(bench.feedback)
        if bench.feedback.fault:
            break
    assert "takes nothing any more" in bench.feedback.fault


def test_after_opening_anew_nothing_is_replayed(bench: Bench) -> None:
    bench.up()
    bench.write(math.radians(60.0), 0.0, 0.0, v=1.0)
    bench.read(0.1)
    bench.life.close()
    bench.frames()
    bench.life.open()
    bench.read(1.0)
    assert bench.frames() == [], "open alone sends nothing"
    bench.life.enable()
    bench.read(1.0)
    assert {frame.positions[2] for frame in bench.frames()} == {120}, "where the servo was left, and not where it was to go"


def test_two_masters(bench: Bench) -> None:
    bench.life.open()
    options = read_options({"port": os.ttyname(bench._other), "joints": list(JOINTS)}, JOINTS)
    with pytest.raises(DriverError, match="somebody else drives it"):
        ServoFrameDriver(options, JOINTS, np.zeros(3)).open()
    bench.life.close()
    second = ServoFrameDriver(options, JOINTS, np.zeros(3))
    second.open()
    second.close()


def test_no_such_port() -> None:
    driver = ServoFrameDriver(read_options({"port": "/dev/no-such-port"}, JOINTS), JOINTS, np.zeros(3))
    with pytest.raises(DriverError, match="/dev/no-such-port cannot be opened: there is no such port"):
        driver.open()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"port": "p", "fine": 2}, "write true or false"),
        ({}, "port is missing"),
        ({"port": "p", "baud": 9600, "rate": 100}, "do not fit through 9600 baud"),
        ({"port": "p", "baud": "fast"}, "baud is 'fast'"),
        ({"port": "p", "rate": 10, "watchdog": 0.1}, "trips between frames"),
        ({"port": "p", "joints": ["shoulder", "elbow"]}, "'wrist' has no place in the frame"),
        ({"port": "p", "joints": ["shoulder", "elbow", "wrist", "wrist"]}, "'wrist' is there twice"),
        ({"port": "p", "joints": ["shoulder", "elbow", "wrist", "knee"]}, "'knee' is no joint of this robot"),
        ({"port": "p", "joints": "all"}, "is no list of names"),
        ({"port": "p", "servos": {"knee": {}}}, "'knee' is no joint"),
        ({"port": "p", "servos": {"wrist": {"speeed": 1}}}, "'speeed' is not known; there are: offset"),
        ({"port": "p", "servos": {"wrist": {"direction": 0.5}}}, "it is 1 or -1"),
        ({"port": "p", "servos": {"wrist": {"lower": 90, "upper": 80}}}, "is not below"),
        ({"port": "p", "servos": {"wrist": {"offset": math.nan}}}, "offset is nan"),
        ({"port": "p", "servos": [1]}, "servos is no table"),
        ({"port": "p", "joints": ["shoulder", "elbow", "wrist", *[""] * 118]}, "1 to 120"),
    ],
)
def test_options_that_cannot_be_are_refused_in_words(options: dict[str, Any], said: str) -> None:
    with pytest.raises(DriverError, match=said):
        read_options(options, JOINTS)


@pytest.mark.parametrize(("servo", "said"), [({"offset": 200.0}, "at the start wrist"), ({"speed": 20.0}, "would count as dead")])
def test_a_start_that_servos_cannot_take_is_refused(servo: dict[str, float], said: str) -> None:
    options = read_options({"port": "p", "servos": {"wrist": servo}}, JOINTS)
    with pytest.raises(DriverError, match=said):
        ServoFrameDriver(options, JOINTS, np.zeros(3))


def test_it_is_found_by_name_with_the_papers_joints() -> None:
    model = load_model("inmoov", group="controlled")
    assert model.n == 22 and is_hosted("servo_frame")
    middle = 0.5 * (model.lower + model.upper)
    servos = {joint: {"offset": 90.0 - math.degrees(q)} for joint, q in zip(model.joints, middle)}
    servos["head_pan_joint"] = {"offset": 94.5, "ratio": 0.9}  # 190 degrees by a servo of 180
    driver = make_driver("servo_frame", DriverRequest(model, middle, {"port": "/dev/no-such-port", "servos": servos}))
    assert isinstance(driver, ServoFrameDriver) and driver._options.layout.size == 29
    with pytest.raises(DriverError, match="'prot' is not known to this driver"):
        make_driver("servo_frame", DriverRequest(model, np.zeros(22), {"prot": "x"}))


def test_what_the_joints_may_do_the_servos_must_be_able_to() -> None:
    def check(lower: float, upper: float, velocity: float = 1.0, **servo: float) -> None:
        options = read_options({"port": "p", "servos": {"wrist": servo}}, ("wrist",))
        check_servos(options, ("wrist",), np.radians([lower]), np.radians([upper]), np.array([velocity]))

    check(-90.0, 90.0)
    with pytest.raises(DriverError, match=r"wrist: .* at -45.0 to 135.0 degrees.* offset = 135.0 would do"):
        check(-135.0, 45.0)
    check(-135.0, 45.0, offset=135.0)
    with pytest.raises(DriverError, match=r"offset = 45.0 would do"):
        check(-135.0, 45.0, direction=-1)
    with pytest.raises(DriverError, match="narrow the joint's limits"):
        check(-math.inf, math.inf)
    with pytest.raises(DriverError, match="at 344 degrees/s, and that does 300"):
        check(-10.0, 10.0, velocity=6.0)
