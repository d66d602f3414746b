"""What every driver finds wrong with a set-point."""

import numpy as np
import pytest

from armillary.drivers import Command
from armillary.drivers.set_point_check import SetPointCheck
from armillary.model import load_model
from armillary.motion import limits_of
from armillary.runtime.guard import Guard

JOINTS = ("a", "b")


@pytest.mark.parametrize("name", ["q", "v", "a"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_none_are_said(name: str, value: float) -> None:
    command = Command.of(2)
    assert SetPointCheck(JOINTS).wrong(command) == ""
    getattr(command, name)[1] = value
    assert "b: the command is no number" in SetPointCheck(JOINTS).wrong(command)


def test_a_position_outside_the_limits_is_said_with_its_joint_and_a_joint_without_limits_turns_for_ever() -> None:
    check, command = SetPointCheck(JOINTS, [-1.0, -np.inf], [2.0, np.inf]), Command.of(2)
    for a, b in ((-1.0, 1e3), (2.0, -1e3)):
        command.q[:] = a, b
        assert check.wrong(command) == ""
    for a in (-1.001, 2.001):
        command.q[0] = a
        assert f"a: the command's position {a:.4f} is outside its limits, -1.0000 to 2.0000" in check.wrong(command)


def test_analogue_outputs_that_are_no_numbers_are_said() -> None:
    command = Command.of(2)
    command.analog[1] = np.nan
    assert "analogue output 1" in SetPointCheck(JOINTS).wrong(command)


def test_what_the_executors_guard_lets_pass_a_driver_does_too() -> None:
    model = load_model("industrial6")
    guard, check = Guard(limits_of(model), model.effort), SetPointCheck(model.joints, model.lower, model.upper)
    for edge in (guard._low, guard._high):
        command = Command.of(model.n)
        command.q[:] = edge
        assert guard.check_command(command, 0.0) is None and check.wrong(command) == ""
