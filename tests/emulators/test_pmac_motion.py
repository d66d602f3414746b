"""What PMAC's motors do: splines and lines as the manual has them, holds and stops on the path or off it, faults that kill."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from armillary.emulators.pmac import Machine, MotorLimits, OnlineCommands, put_in
from armillary.emulators.pmac.fault import BadFault
from armillary.protocols.pmac_spline import spline_positions, spline_velocities
from armillary.protocols.pmac_status import (
    CoordinateStatus,
    MotorStatus,
    coordinate_faults,
    coordinate_status,
    motor_faults,
    motor_status,
)

Array = NDArray[np.float64]
MS = 0.001


class Unit:
    """Two motors of 1000 and 500 counts a unit, joined: motor 2 follows X and Y."""

    def __init__(self, *, size: int = 4000, limits: MotorLimits | None = None) -> None:
        self.machine = Machine(2, limits=limits)
        self.commands = OnlineCommands(self.machine)
        for line in ("I3=2 I6=1", "&1#1->1000X", "#2->500X+500Y", "#1J/#2J/", f"DEFINE ROT {size}", "B0", "OPEN ROT"):
            self(line)

    def __call__(self, text: str) -> list[str]:
        lines, code = self.commands.answer(text)
        assert code is None, (text, code)
        return lines

    def wait(self, seconds: float) -> None:
        self.machine.advance(self.machine.now + seconds)

    def record(self, seconds: float) -> tuple[Array, Array]:
        """Commanded and actual positions each millisecond, shape (k, 2) [counts]."""
        motors = self.machine.motors.values()
        rows = []
        for _ in range(round(seconds / MS)):
            self.wait(MS * 1.0000001)
            rows.append([[motor.desired, motor.position] for motor in motors])
        data = np.array(rows)
        return data[:, :, 0], data[:, :, 1]

    @property
    def system(self) -> CoordinateStatus:
        return coordinate_status(self("&1??")[0])

    def motor(self, number: int) -> MotorStatus:
        return motor_status(self(f"#{number}?")[0])


def counts(points: Array) -> Array:
    return np.stack([1000 * points[:, 0], 500 * points[:, 0] + 500 * points[:, 1]], axis=1)


@settings(max_examples=15, deadline=None)
@given(points=st.lists(st.tuples(st.floats(-3, 3), st.floats(-3, 3)), min_size=1, max_size=12), time=st.sampled_from([20, 50]))
def test_a_spline_is_the_manuals_curve(points: list[tuple[float, float]], time: int) -> None:
    unit = Unit()
    unit("I111=0 I211=0")
    unit(f"SPLINE1 TM{time}")
    for x, y in points:
        unit(f"X{x:.6f}Y{y:.6f}")
    unit("R")
    commanded, _ = unit.record((len(points) + 2) * time / 1000 + 0.02)
    path = counts(np.round(np.array([(0.0, 0.0), *points]), 6))
    times = (np.arange(len(commanded)) + 1) * MS
    np.testing.assert_allclose(commanded, spline_positions(path, time / 1000, times), atol=0.51)
    np.testing.assert_allclose(commanded[-1], path[-1], atol=1e-6)


def test_a_spline_whose_buffer_runs_dry_comes_to_rest_and_goes_on_from_there() -> None:
    unit = Unit()
    unit("SPLINE1 TM50")
    for k in range(1, 6):
        unit(f"X{k}")
    unit("R")
    commanded, _ = unit.record(0.5)
    assert commanded[-1, 0] == pytest.approx(5000) and CoordinateStatus.PROGRAM_RUNNING in unit.system
    for k in range(6, 11):
        unit(f"X{k}")
    commanded, _ = unit.record(0.5)
    assert commanded[-1, 0] == pytest.approx(10000)
    assert (np.diff(commanded[:, 0]) >= -1e-9).all()


def test_lines_that_come_in_time_are_one_spline() -> None:
    unit = Unit()
    unit("SPLINE1 TM50")
    path = np.array([[3 * np.sin(k / 10), np.cos(k / 7) - 1] for k in range(61)])
    rows = []
    for k, (x, y) in enumerate(path[1:], 1):
        unit(f"X{x:.9f}Y{y:.9f}")
        if k == 6:
            unit("R")
        if k >= 6:
            rows.append(unit.record(0.05)[0])
    rows.append(unit.record(0.5)[0])
    commanded = np.concatenate(rows)
    times = (np.arange(len(commanded)) + 1) * MS
    np.testing.assert_allclose(commanded, spline_positions(counts(path), 0.05, times), atol=2.0)
    rotary = unit.machine.systems[1].rotary
    assert rotary is not None and rotary.taken == rotary.calculated == 61


def test_a_change_of_segment_time_stops_between() -> None:
    unit = Unit()
    for line in ("SPLINE1 TM50", "X1", "X2", "X3", "TM20", "X4", "X5", "X6"):
        unit(line)
    unit("R")
    commanded, _ = unit.record(1.0)
    speed = np.abs(np.diff(commanded[:, 0]))
    stops = np.flatnonzero((speed[1:] < 1e-6) & (speed[:-1] >= 1e-6))
    moving = np.flatnonzero(speed > 1.0)
    at_3 = np.abs(commanded[:, 0] - 3000) < 1.0
    assert commanded[-1, 0] == pytest.approx(6000)
    assert speed[at_3[:-1]].min() < 1.0 and moving.size and stops.size >= 1


def test_a_linear_move_takes_its_time_and_its_acceleration() -> None:
    unit = Unit()
    for line in ("I116=0 I216=0", "LINEAR TA100 TS0 TM400", "X4", "X8", "R"):
        unit(line)
    commanded, _ = unit.record(1.0)
    x = commanded[:, 0]
    speed = np.diff(x) / MS
    assert x[-1] == pytest.approx(8000)
    assert speed.max() == pytest.approx(10_000, rel=1e-3)
    moving = np.flatnonzero(speed > 1.0)
    assert (moving[-1] - moving[0]) * MS == pytest.approx(0.9, abs=0.01)
    assert np.abs(np.diff(speed)).max() / MS == pytest.approx(1e5, rel=0.05)  # 10 000 counts/s in 100 ms, and no step


def test_a_feed_rate_is_of_the_distance_of_x_y_and_z() -> None:
    unit = Unit()
    for line in ("I116=0 I216=0", "LINEAR TA50 TS0 F5", "X3Y4", "R"):
        unit(line)
    commanded, _ = unit.record(1.5)
    moving = np.flatnonzero(np.diff(commanded[:, 0]) > 1e-3)
    assert len(moving) * MS == pytest.approx(1.05, abs=0.01)


def test_a_dwell_waits_and_incremental_moves_add_up() -> None:
    unit = Unit()
    for line in ("I116=0", "INC LINEAR TA20 TS0 TM100", "X1", "DWELL 200", "X1", "DWELL 10", "ABS X0", "R"):
        unit(line)
    commanded, _ = unit.record(1.0)
    x = commanded[:, 0]
    assert x.max() == pytest.approx(2000) and x[-1] == pytest.approx(0.0)
    assert np.sum(np.abs(x - 1000) < 1e-6) >= 195


def test_a_fixed_program_loops_and_computes() -> None:
    unit = Unit()
    for line in ("CLOSE", "I116=0", "OPEN PROG 7 CLEAR", "LINEAR TA10 TS0 TM20", "P1=0", "WHILE (P1<3)", "X(P1+1)",
                 "P1=P1+1", "ENDWHILE", "DWELL 10", "X0", "CLOSE", "B7R"):  # fmt: skip
        unit(line)
    commanded, _ = unit.record(1.0)
    assert commanded[:, 0].max() == pytest.approx(3000) and commanded[-1, 0] == pytest.approx(0)
    assert unit("P1") == ["3"] and CoordinateStatus.PROGRAM_RUNNING not in unit.system


def test_motors_follow_with_an_error_that_goes_away() -> None:
    unit = Unit()
    unit("SPLINE1 TM50")
    for k in range(1, 21):
        unit(f"X{k * 0.5}")
    unit("R")
    commanded, actual = unit.record(1.5)
    off = np.abs(commanded - actual)
    assert 1.0 < off.max() < 500.0
    assert off[-1].max() == 0.0
    assert CoordinateStatus.IN_POSITION in unit.system
    assert MotorStatus.IN_POSITION | MotorStatus.AMPLIFIER_ON | MotorStatus.DESIRED_VELOCITY_ZERO in unit.motor(1)


def test_a_hold_stays_on_the_path_and_goes_on() -> None:
    unit = Unit()
    unit("I5195=16440 SPLINE1 TM50")
    path = np.array([[2 * np.sin(k / 8), 1 - np.cos(k / 8)] for k in range(41)])
    for x, y in path[1:]:
        unit(f"X{x:.9f}Y{y:.9f}")
    unit("R")
    first, _ = unit.record(0.8)
    unit("H")
    held, _ = unit.record(0.5)
    assert np.abs(held[-1] - held[-2]).max() == 0.0
    assert CoordinateStatus.PROGRAM_RUNNING in unit.system
    unit("R")
    rest, _ = unit.record(3.0)
    curve = spline_positions(counts(path), 0.05, np.linspace(0.0, 2.1, 20001))
    for row in np.concatenate([first, held, rest])[::7]:
        assert np.abs(curve - row).max(axis=1).min() < 2.0
    np.testing.assert_allclose(rest[-1], counts(path)[-1], atol=1e-6)


def test_after_a_hold_a_motor_that_was_jogged_away_is_in_the_way() -> None:
    unit = Unit()
    unit("I5195=16440 SPLINE1 TM50")
    for k in range(1, 30):
        unit(f"X{k}")
    unit("R")
    unit.wait(0.3)
    unit("H")
    unit.wait(0.5)
    unit("#1J:50")
    unit.wait(2.0)
    assert unit.commands.answer("&1R")[1] == 17


def test_the_time_base_slows_the_same_path_down() -> None:
    unit = Unit()
    unit("I5194=16440 SPLINE1 TM50 %50")
    for k in range(1, 11):
        unit(f"X{k}")
    unit.wait(1.0)
    unit("R")
    commanded, _ = unit.record(1.3)
    path = np.array([[k, 0.0] for k in range(11)])
    times = (np.arange(len(commanded)) + 1) * MS * 0.5
    np.testing.assert_allclose(commanded, spline_positions(counts(path), 0.05, times), atol=1.0)
    assert unit("%") == ["50"]


def test_an_abort_brakes_by_ixx15_and_leaves_the_buffer_as_it_is() -> None:
    unit = Unit()
    unit("I115=0.1 I215=0.1 SPLINE1 TM50")
    for k in range(1, 41):
        unit(f"X{k * 0.5}")
    unit("R")
    unit.wait(1.0)
    before = unit.machine.motors[1].desired
    left = int(unit("PR")[0])
    unit("A")
    assert MotorStatus.ABORTING in unit.motor(1) and CoordinateStatus.PROGRAM_RUNNING not in unit.system
    commanded, _ = unit.record(0.5)
    assert commanded[-1, 0] - before == pytest.approx(10_000**2 / (2 * 0.1e6), rel=0.02)
    assert int(unit("PR")[0]) == left > 0


def test_a_killed_motor_coasts_and_a_running_one_is_not_killed_alone() -> None:
    unit = Unit()
    unit("SPLINE1 TM50")
    for k in range(1, 21):
        unit(f"X{k}")
    unit("R")
    unit.wait(0.5)
    assert unit.commands.answer("#1K")[1] == 1
    unit("\x0b")
    assert MotorStatus.OPEN_LOOP in unit.motor(1) and CoordinateStatus.PROGRAM_RUNNING not in unit.system
    speed = unit.machine.motors[1].velocity
    unit.wait(1.0)
    assert speed > 0.0 and unit.machine.motors[1].velocity == 0.0


def test_a_stuck_motor_is_a_fatal_following_error_and_kills_all() -> None:
    unit = Unit()
    unit("SPLINE1 TM50")
    for k in range(1, 21):
        unit(f"X{k}")
    put_in(unit.machine, "stuck 1")
    unit("R")
    unit.wait(1.0)
    assert MotorStatus.FOLLOWING_FATAL in unit.motor(1) and MotorStatus.AMPLIFIER_ON not in unit.motor(2)
    assert "following error" in motor_faults(unit.motor(1))[0]
    assert CoordinateStatus.FOLLOWING_FATAL in unit.system and coordinate_faults(unit.system)
    put_in(unit.machine, "well 1")
    unit("#1J/")
    assert MotorStatus.FOLLOWING_FATAL not in unit.motor(1)


def test_a_command_beyond_what_the_motor_can_is_not_followed() -> None:
    unit = Unit(limits=MotorLimits(speed=5_000.0, acceleration=1e6))
    unit("SPLINE1 TM50")
    for k in range(1, 21):
        unit(f"X{k}")
    unit("R")
    unit.wait(1.5)
    assert MotorStatus.FOLLOWING_FATAL in unit.motor(1)


def test_a_broken_amplifier_kills_all() -> None:
    unit = Unit()
    put_in(unit.machine, "amplifier 2")
    unit.wait(0.01)
    assert MotorStatus.AMPLIFIER_FAULT in unit.motor(2) and MotorStatus.OPEN_LOOP in unit.motor(1)
    unit("#2J/")
    assert MotorStatus.OPEN_LOOP in unit.motor(2)


@pytest.mark.parametrize("kind", ["software", "switch"])
def test_a_limit_stops_the_coordinate_system_and_lets_it_back(kind: str) -> None:
    unit = Unit()
    unit("I115=1 I215=1 SPLINE1 TM50" + (" I113=3000" if kind == "software" else ""))
    for k in range(1, 21):
        unit(f"X{k * 0.5}")
    unit("R")
    unit.wait(0.45)
    if kind == "switch":
        put_in(unit.machine, "plus 1")
    unit.wait(1.5)
    assert unit.machine.motors[1].position < 6000
    assert MotorStatus.POSITIVE_LIMIT | MotorStatus.STOPPED_ON_LIMIT in unit.motor(1)
    assert CoordinateStatus.LIMIT_STOP in unit.system and CoordinateStatus.PROGRAM_RUNNING not in unit.system
    unit("CLEAR")
    unit("#1J=0")
    unit.wait(20.0)
    assert unit.machine.motors[1].position == 0.0


def test_it_says_where_the_motors_are_and_which_have_power() -> None:
    unit = Unit()
    unit.machine.motors[1].kill()
    assert put_in(unit.machine, "status") == "positions 0.000 0.000 powered 2"


def test_a_fault_that_there_is_none_of_is_told() -> None:
    with pytest.raises(BadFault, match="stuck"):
        put_in(Unit().machine, "tired 1")
    with pytest.raises(BadFault, match="1 to 2"):
        put_in(Unit().machine, "stuck 9")


def test_a_move_beyond_the_registers_is_a_run_time_error() -> None:
    unit = Unit()
    unit("SPLINE1 TM50")
    for line in ("X1", "X2", "X" + "9" * 200, "X3"):
        unit(line)
    unit("R")
    unit.wait(1.0)
    assert CoordinateStatus.RUN_TIME_ERROR in unit.system and CoordinateStatus.PROGRAM_RUNNING not in unit.system
    assert abs(unit.machine.motors[1].position) < 3000 and unit.machine.motors[1].closed


def test_quitting_runs_out_at_the_end_of_what_is_calculated() -> None:
    unit = Unit()
    unit("SPLINE1 TM50")
    for k in range(1, 21):
        unit(f"X{k * 0.5}")
    unit("R")
    unit.wait(0.5)
    unit("Q")
    commanded, _ = unit.record(0.5)
    assert CoordinateStatus.PROGRAM_RUNNING not in unit.system
    assert commanded[-1, 0] % 500 == pytest.approx(0.0, abs=1e-6) and commanded[-1, 0] < 10_000


def test_velocity_reported_is_that_of_the_curve() -> None:
    unit = Unit()
    unit("SPLINE1 TM50")
    path = np.array([[np.sin(k / 10), 0.0] for k in range(41)])
    for x, _ in path[1:]:
        unit(f"X{x:.9f}")
    unit("R")
    unit.wait(1.0000001)
    expected = spline_velocities(counts(path), 0.05, [1.0])[0, 0]
    assert unit.machine.motors[1].desired_velocity == pytest.approx(expected, rel=1e-3)


def test_the_same_commands_at_the_same_times_are_the_same_motion() -> None:
    def run() -> Array:
        unit = Unit()
        unit("SPLINE1 TM50")
        for k in range(1, 9):
            unit(f"X{k}Y{-k}")
        unit("R")
        return unit.record(0.6)[1]

    np.testing.assert_array_equal(run(), run())


ANYTHING = [
    "&1R", "&1A", "&1H", "&1Q", "&1S", "%50", "%100", "%0", "#1J/#2J/", "#1J+", "#2J-", "#1J=0", "#1K", "#2K", "\x0b", "\x01",
    "\x0f", "CLEAR", "CLOSE", "OPEN ROT", "B0", "SPLINE1 TM50", "SPLINE1 TM20", "LINEAR TA20 TM60", "RAPID", "DWELL 30", "INC",
    "ABS", "X1Y2", "X-2", "Y3", "X0Y0", "F10", "M1=1", "I113=900", "I113=0", "DELETE ROT", "DEFINE ROT 40", "#1->0", "#1->1000X",
    "STOP", "HM", "&1??", "#1?", "PR", "F", "&2", "&1", "$$$", "OPEN PROG 1", "B1", 'CMD"A"', "I111=100", "I111=32000",
]  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(orders=st.lists(st.tuples(st.sampled_from(ANYTHING), st.sampled_from([0.0, 0.003, 0.05, 0.4])), max_size=40))
def test_whatever_is_ordered_it_ends_at_rest_when_it_is_aborted(orders: list[tuple[str, float]]) -> None:
    unit = Unit()
    for text, pause in orders:
        unit.commands.answer(text)
        unit.wait(pause)
        for motor in unit.machine.motors.values():
            assert np.isfinite([motor.position, motor.velocity, motor.desired, motor.desired_velocity]).all()
            assert motor.closed or motor.desired_velocity == 0.0
    unit("\x01")
    unit.wait(30.0)
    assert not unit.machine.running
    for motor in unit.machine.motors.values():
        assert motor.rests and motor.velocity == 0.0
