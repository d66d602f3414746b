"""What manual mode allows: never more than the cell does, never more than reduced speed."""

from dataclasses import replace

import pytest

from armillary.interfaces.http.manual_bounds import MANUAL_SPEED, manual_bounds
from armillary.motion import Bounds


@pytest.mark.parametrize(("own", "most"), [(None, MANUAL_SPEED), (2.0, MANUAL_SPEED), (0.1, 0.1)])
def test_the_slower_of_the_cells_own_and_manual_speed_holds(own: float | None, most: float) -> None:
    bounds = Bounds(tool_speed=own)
    assert manual_bounds(bounds).tool_speed == most
    assert vars(replace(manual_bounds(bounds), tool_speed=own)) == vars(bounds)  # and nothing else is changed
