"""Control is taken for what is asked, and given back when that has ended and not before."""

import asyncio
import time
from types import SimpleNamespace
from typing import Any

from armillary.interfaces.ros.mover import Mover
from armillary.runtime import State


class _Cell:
    """As much of a cell as switching needs; power takes a while, as a real drive's does."""

    def __init__(self) -> None:
        self.happened: list[str] = []
        self.station = SimpleNamespace(ask=self._ask)
        self.state = SimpleNamespace(state=State.OFF)

    def _ask(self, what: str) -> None:
        self.happened.append(what)

    def take_control(self, _: str) -> None:
        self.happened.append("take_control")

    def power_on(self) -> None:
        time.sleep(1.5)
        self.happened.append("power_on")


def test_control_is_kept_until_the_drives_are_on() -> None:
    cell: Any = _Cell()

    async def run() -> None:
        mover = Mover(cell)
        looks = asyncio.create_task(mover.look_after())
        await mover.power(True)
        looks.cancel()

    asyncio.run(run())
    assert cell.happened == ["take_control", "power_on", "give_control"]
