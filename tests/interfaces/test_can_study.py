"""Paper 4's closed loop through drives on CAN: better set-points do more than more of them."""

import numpy as np
import pytest

from armillary.interfaces.chapters.can_study import METHODS, PERIODS, LoggedMotion, bus_load, study_can

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def found() -> dict[tuple[str, float], LoggedMotion]:
    from armillary.errors import ArmillaryError
    from armillary.motion.refinement_study import arc_robot

    try:
        model = arc_robot()
    except ArmillaryError as error:
        pytest.skip(f"the Panda is not installed: {error}")
    return {(each.method, each.period): each for each in study_can(model)}


def test_every_method_and_period_ends_where_it_should(found: dict[tuple[str, float], LoggedMotion]) -> None:
    assert {*found} == {(method, period) for method in METHODS for period in PERIODS}
    for each in found.values():
        assert np.abs(each.measured[-1] - each.commanded[-1]).max() < 2e-6  # two counts
        assert each.lag == pytest.approx(each.period, abs=0.002)


@pytest.mark.parametrize("period", PERIODS)
def test_ours_keeps_to_the_arc_and_linear_does_not(found: dict[tuple[str, float], LoggedMotion], period: float) -> None:
    off = {method: float(found[method, period].deviation.max()) for method in METHODS}
    assert off["linear"] > 1.4e-3 > off["backward"] > 0.8e-3  # as the refinement alone: 1.47 and 0.87 mm
    assert off["spline"] < 2e-5 and off["exact"] < 2e-5 and off["exact, velocities"] < 2e-6
    assert found["spline", period].following_error < 0.2 * found["linear", period].following_error


def test_chords_grow_with_the_square_of_the_period(found: dict[tuple[str, float], LoggedMotion]) -> None:
    off = {period: float(found["exact", period].deviation.max()) for period in (0.05, 0.02)}
    assert off[0.05] / off[0.02] == pytest.approx((0.05 / 0.02) ** 2, rel=0.15)


def test_seven_drives_every_millisecond_are_too_much_for_a_bus() -> None:
    assert bus_load(7, 0.001) > 1.0 > bus_load(7, 0.005) and bus_load(3, 0.001) < 1.0
