"""What a robot that is behind its command may be, and what not."""

import numpy as np
import pytest

from armillary.drivers import Command, Feedback
from armillary.model import load_model
from armillary.motion import limits_of
from armillary.runtime.guard import Fault, Guard

MODEL = load_model("cobot6")
PERIOD, SPEED = 0.001, 1.5  # s, rad/s


def drive(guard: Guard, behind: float, *, stopped: bool = False, seconds: float = 1.0) -> Fault | None:
    """The first joint turns and stops again; the robot does the same so much later, or has stopped for good at the beginning."""
    command, feedback = Command.of(MODEL.n), Feedback.of(MODEL.n)
    feedback.torque[:] = np.nan
    home = np.array([0.0, 1.8, -2.2, -1.9, -1.6, 0.0])
    for tick in range(int(1.5 * seconds / PERIOD)):
        time = tick * PERIOD
        command.q[:], command.v[:] = home, 0.0
        command.q[0], command.v[0] = SPEED * min(time, seconds), SPEED * (time < seconds)
        feedback.q[:], feedback.time = home, time
        feedback.q[0] = 0.0 if stopped else SPEED * np.clip(time - behind, 0.0, seconds)
        fault = guard.check_command(command, time) or guard.check_feedback(command, feedback, time)
        if fault is not None:
            return fault
    return None


@pytest.mark.parametrize("behind", [0.0, 0.01, 0.2, 0.45])
def test_one_that_is_late_as_a_whole_is_borne_where_pauses_are(behind: float) -> None:
    patient, usual = (Guard(limits_of(MODEL), MODEL.effort) for _ in range(2))
    patient.bear_pauses(0.5, PERIOD)
    assert drive(patient, behind) is None
    fault = drive(usual, behind)
    assert (fault is not None and fault.kind == "following") == (behind > 0.1), "0.02 rad are borne at rest"


def test_one_that_is_held_up_or_later_still_is_not_borne() -> None:
    for behind, stopped in ((0.0, True), (0.7, False)):
        guard = Guard(limits_of(MODEL), MODEL.effort)
        guard.bear_pauses(0.5, PERIOD)
        fault = drive(guard, behind, stopped=stopped)
        assert fault is not None and fault.kind == "following" and fault.joint == "joint_1"


@pytest.mark.parametrize("too_far", [0.0, 0.05])
def test_one_that_has_carried_on_through_a_pause_of_the_executor_is_borne_where_pauses_are(too_far: float) -> None:
    """The executor goes on where it was; the motor side, left alone at speed, has gone on by the pause meanwhile."""
    guard = Guard(limits_of(MODEL), MODEL.effort)
    guard.bear_pauses(0.5, PERIOD)
    command, feedback, pause = Command.of(MODEL.n), Feedback.of(MODEL.n), 0.12
    command.v[0] = SPEED
    assert guard.check_command(command, 0.0) is None
    command.q[0], time = SPEED * PERIOD, pause
    feedback.q[:], feedback.time, feedback.torque[:] = 0.0, time, np.nan
    feedback.q[0] = SPEED * pause + too_far
    fault = guard.check_command(command, time) or guard.check_feedback(command, feedback, time)
    assert (fault is not None and fault.kind == "following") == (too_far > 0.0)


def test_torque_is_watched_while_it_is_behind() -> None:
    guard = Guard(limits_of(MODEL), MODEL.effort)
    guard.bear_pauses(0.5, PERIOD)
    command, feedback = Command.of(MODEL.n), Feedback.of(MODEL.n)
    assert guard.check_command(command, 0.0) is None
    command.q[0], feedback.q[:], feedback.torque[:] = 0.2, 0.0, 0.0
    feedback.torque[3] = 2.0 * MODEL.effort[3]
    fault = guard.check_feedback(command, feedback, 0.0)
    assert fault is not None and fault.kind == "torque" and fault.joint == "joint_4"


@pytest.mark.parametrize(
    ("kind", "part", "value", "limit"),
    [
        ("position", "q", 6.5, MODEL.upper[3]), ("position", "q", -6.5, MODEL.lower[3]),
        ("velocity", "v", 3.7, MODEL.velocity[3]), ("velocity", "v", -3.7, MODEL.velocity[3]),
        ("number", "q", np.nan, 0.0), ("number", "v", np.inf, 0.0),
        ("number", "a", np.nan, 0.0),
    ],
)  # fmt: skip
def test_a_command_that_must_not_be_sent_says_joint_value_limit_and_time(
    kind: str, part: str, value: float, limit: float
) -> None:
    guard, command = Guard(limits_of(MODEL), MODEL.effort), Command.of(MODEL.n)
    assert guard.check_command(command, 12.5) is None
    getattr(command, part)[3] = value
    fault = guard.check_command(command, 12.5)
    assert fault is not None and (fault.kind, fault.joint, fault.time) == (kind, "joint_4", 12.5)
    if kind != "number":
        assert fault.value == value and fault.limit == limit
    assert not fault.on_path and "joint_4" in fault.text and (kind == "number" or f"{value:.4g}" in fault.text)
