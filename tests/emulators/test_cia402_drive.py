"""One emulated drive, without a bus: it moves, brakes and fails as the profile says."""

import math
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armillary.emulators.cia402_drive import Drive, MotorLimits
from armillary.protocols.cia402 import Control, DriveState, Mode, Status, state_of, steps_of

ON = 0x0F


def enabled(mode: Mode = Mode.CYCLIC_POSITION, *, at: float = 0.0, limits: MotorLimits | None = None) -> Drive:
    drive = Drive(at, limits)
    drive.settings.mode = mode
    for word in steps_of():
        drive.hear(word)
        drive.pass_time(0.03)
    assert drive.state is DriveState.ENABLED
    return drive


def moved(drive: Drive, speed: float, seconds: float) -> Drive:
    """Set-points with SYNC at a constant speed [counts/s]."""
    T = drive.settings.period
    for _ in range(round(seconds / T)):
        drive.target += speed * T
        drive.sync()
        drive.pass_time(T)
    return drive


def run_down(drive: Drive) -> Iterator[float]:
    while drive.velocity != 0.0 or drive.demand_velocity != 0.0:
        drive.pass_time(0.001)
        yield drive.position


def test_its_brake_lets_go_before_it_is_enabled() -> None:
    drive = Drive()
    drive.settings.mode = Mode.CYCLIC_POSITION
    for word in steps_of():
        drive.hear(word)
    assert state_of(drive.status) is DriveState.SWITCHED_ON
    drive.pass_time(0.03)
    assert state_of(drive.status) is DriveState.ENABLED


@pytest.mark.parametrize("cubic", [False, True])
def test_set_points_are_reached_one_period_later(cubic: bool) -> None:
    drive = enabled()
    drive.settings.cubic, T = cubic, drive.settings.period
    for k in range(1, 200):
        aim = 5e4 * (1.0 - math.cos(3.0 * k * T))
        assert abs(drive.demand - 5e4 * (1.0 - math.cos(3.0 * (k - 1) * T))) < 0.5
        drive.target = aim
        drive.sync(5e4 * 3.0 * math.sin(3.0 * k * T))
        drive.pass_time(T)
    assert abs(drive.following_error) < 20.0


def test_it_comes_to_rest_on_the_count() -> None:
    drive = moved(enabled(), 1e5, 0.5)
    moved(drive, 0.0, 0.5)
    assert drive.position == drive.target == pytest.approx(5e4) and drive.velocity == 0.0


def test_a_quick_stop_brakes_by_its_ramp_and_stays_stopped() -> None:
    drive = moved(enabled(), 1e5, 0.5)
    drive.settings.quick_stop = 1e6
    before = drive.position
    drive.hear(Control.ENABLE_VOLTAGE)
    assert drive.state is DriveState.QUICK_STOP
    way = [*run_down(drive)]
    assert way[-1] - before == pytest.approx(1e5**2 / 2e6, rel=0.05) and len(way) < 300
    drive.target += 1e4
    drive.sync()
    drive.pass_time(0.1)
    assert drive.position == pytest.approx(way[-1], abs=1.0) and drive.state is DriveState.QUICK_STOP


def test_without_power_its_brake_holds_it() -> None:
    drive = moved(enabled(), 1e5, 0.5)
    drive.hear(0)
    drive.pass_time(0.5)
    assert drive.state is DriveState.SWITCH_ON_DISABLED and drive.velocity == 0.0 and not drive.status & Status.VOLTAGE


def test_a_motor_that_is_stuck_is_a_following_error_that_only_a_reset_ends() -> None:
    drive = enabled()
    drive.friction = 1.0
    moved(drive, 1e5, 1.0)
    assert state_of(drive.status) is DriveState.FAULT and drive.error == 0x8611
    assert [emergency.code for emergency in drive.emergencies] == [0x8611]
    drive.hear(ON)
    assert state_of(drive.status) is DriveState.FAULT
    drive.friction = 0.0
    drive.hear(Control.FAULT_RESET)
    assert drive.state is DriveState.SWITCH_ON_DISABLED and drive.emergencies[-1].is_over and drive.error == 0


def test_a_set_point_faster_than_the_motor_is_not_followed() -> None:
    drive = moved(enabled(limits=MotorLimits(speed=5e4)), 2e5, 0.5)
    assert drive.error == 0x8611


def test_silence_where_sync_should_be_is_a_fault() -> None:
    drive = moved(enabled(), 1e5, 0.2)
    drive.pass_time(1.0)
    assert drive.state is DriveState.FAULT and drive.error == 0x8700


def test_its_own_limits_hold_it_and_are_told() -> None:
    drive = enabled()
    drive.settings.upper = 1e4
    moved(drive, 1e5, 0.5)
    assert drive.position == pytest.approx(1e4, abs=5.0) and drive.status & Status.INTERNAL_LIMIT


def test_an_error_while_it_moves_brakes_first_and_takes_the_power_then() -> None:
    drive = moved(enabled(), 1e5, 0.5)
    drive.fail(0x4310)
    assert drive.state is DriveState.FAULT_REACTION
    drive.pass_time(0.5)
    assert state_of(drive.status) is DriveState.FAULT and drive.velocity == 0.0


@pytest.mark.parametrize("relative", [False, True])
def test_profile_position_gets_there_and_says_so(relative: bool) -> None:
    drive = enabled(Mode.PROFILE_POSITION, at=1000.0)
    drive.target = 20000.0
    drive.hear(ON | Control.NEW_SET_POINT | (Control.RELATIVE if relative else 0))
    assert drive.status & Status.FOLLOWS and not drive.status & Status.TARGET_REACHED
    fastest = 0.0
    for _ in range(2000):
        drive.pass_time(0.001)
        fastest = max(fastest, abs(drive.velocity))
    drive.hear(ON)
    assert drive.position == pytest.approx(21000.0 if relative else 20000.0) and fastest <= 1.02 * drive.settings.speed
    assert drive.status & Status.TARGET_REACHED and not drive.status & Status.FOLLOWS


def test_profile_position_can_be_halted_and_given_another_goal_on_the_way() -> None:
    drive = enabled(Mode.PROFILE_POSITION)
    drive.target = 1e6
    drive.hear(ON | Control.NEW_SET_POINT)
    drive.pass_time(0.5)
    drive.hear(ON | Control.HALT)
    drive.pass_time(0.5)
    halted = drive.position
    assert drive.velocity == 0.0 and 1e4 < halted < 9e5
    drive.target = 2e4
    drive.hear(ON | Control.NEW_SET_POINT | Control.AT_ONCE)
    drive.pass_time(3.0)
    assert drive.position == pytest.approx(2e4)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 0x1FF), st.integers(-100000, 100000), st.booleans()), max_size=40))
def test_whatever_it_is_told_it_stays_a_drive(told: list[tuple[int, int, bool]]) -> None:
    """Any control words, targets and SYNCs: numbers stay numbers, what is not enabled does not move by itself."""
    drive = Drive()
    drive.settings.mode = Mode.CYCLIC_POSITION
    for word, target, sync in told:
        drive.target = float(target)
        drive.hear(word)
        if sync:
            drive.sync()
        drive.pass_time(0.01)
        assert np.isfinite([drive.position, drive.velocity, drive.demand, drive.torque]).all()
        assert abs(drive.velocity) <= drive.limits.speed and state_of(drive.status) is drive.state
    drive.hear(0)
    drive.pass_time(1.0)
    before = drive.position
    drive.pass_time(1.0)
    assert drive.position == before
