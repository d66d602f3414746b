"""The contract: one order up and down, whatever is asked."""

import itertools
from typing import Any

import numpy as np
import pytest

from armillary.drivers import Capabilities, Command, Driver, Feedback, IdealDriver, Lifecycle, Stage, WrongOrder


class Heard:
    """A driver that writes down what it is told."""

    capabilities = Capabilities()

    def __init__(self) -> None:
        self.calls: list[str] = []

    def __getattr__(self, name: str) -> Any:
        def call(*_: object) -> bool:
            self.calls.append(name)
            return True

        return call


ORDERS = ("open", "enable", "write", "read", "stop", "disable", "close")


@pytest.mark.parametrize("orders", list(itertools.product(ORDERS, repeat=3)))
def test_every_order_of_three(orders: tuple[str, ...]) -> None:
    """Nothing reaches a driver that its stage does not allow; closing is always possible."""
    driver = Heard()
    life = Lifecycle(driver)
    for order in orders:
        before = life.stage
        arguments = {"write": (Command.of(2),), "read": (Feedback.of(2),)}.get(order, ())
        try:
            getattr(life, order)(*arguments)
        except WrongOrder:
            assert life.stage == before
    life.close()
    life.close()
    assert life.stage == Stage.CLOSED
    opened = enabled = False
    for call in driver.calls:
        if call == "open":
            assert not opened
            opened = True
        elif call == "enable":
            assert opened and not enabled
            enabled = True
        elif call == "disable":
            enabled = False
        elif call == "close":
            assert opened and not enabled
            opened = False
        elif call == "write":
            assert enabled
        else:
            assert opened


def test_a_driver_whose_disable_fails_is_closed_all_the_same() -> None:
    class Broken(Heard):
        def disable(self) -> None:
            raise OSError("the wire is cut")

    driver = Broken()
    life = Lifecycle(driver)
    life.open()
    life.enable()
    with pytest.raises(OSError, match="cut"):
        life.close()
    assert life.stage == Stage.CLOSED and driver.calls[-1] == "close"


def test_an_ideal_robot_follows_and_takes_no_command_twice() -> None:
    now = [0.0]
    robot = IdealDriver(np.zeros(2), np.ones(2), clock=lambda: now[0])
    assert isinstance(robot, Driver)
    life = Lifecycle(robot)
    life.open()
    life.enable()
    command, feedback = Command.of(2), Feedback.of(2)
    command.q[:], command.v[:], command.number = (0.1, 0.2), (0.5, 0.0), 1
    life.write(command)
    command.q[:] = 9.0
    life.write(command)  # the same number: heard before
    assert life.read(feedback) and feedback.q == pytest.approx([0.1, 0.2]) and feedback.number == 1
    now[0] = 0.02 + 0.5 + 0.001  # watchdog, then v / a
    life.read(feedback)
    assert feedback.v == pytest.approx([0.0, 0.0]) and feedback.q == pytest.approx([0.1 + 0.125, 0.2])
    assert "no command" in feedback.fault
    command.number = 2
    life.write(command)
    life.read(feedback)
    assert feedback.q[0] < 1.0, "what braked by itself follows only after it was enabled again"
