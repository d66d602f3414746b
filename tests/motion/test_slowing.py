"""A trajectory that is too fast is made slower by as little as needed; what no slowness cures stays refused."""

import numpy as np
import pytest

from armillary.model import load_model
from armillary.motion import Bounds, certify, limits_of, plan_joints
from armillary.motion.slowing import slowed_until_it_holds

MODEL = load_model("cobot6")
LIMITS = limits_of(MODEL)
HOME = np.array([0.0, 1.83, -2.18, -1.92, -1.57, 0.0])


@pytest.mark.parametrize("faster", [1.0, 1.5, 4.0])
def test_by_as_little_as_needed(faster: float) -> None:
    made = plan_joints(MODEL, HOME, HOME + 0.4).trajectory.slowed(1.0 / faster)
    slowed, certificate, factor = slowed_until_it_holds(made, lambda each: certify(each, MODEL, limits=LIMITS), 1000.0)
    assert certificate.holds and 1.0 <= factor <= faster * 1.001
    assert slowed.end.q == pytest.approx(made.end.q) and slowed.duration == pytest.approx(made.duration * factor)
    if factor > 1.0:
        assert not certify(made.slowed(0.999 * factor), MODEL, limits=LIMITS).holds


def test_for_the_tools_speed_too() -> None:
    made, bounds = plan_joints(MODEL, HOME, HOME + 0.4).trajectory, Bounds(tool_speed=0.1)
    _, certificate, factor = slowed_until_it_holds(made, lambda each: certify(each, MODEL, limits=LIMITS, bounds=bounds), 1000.0)
    assert certificate.holds and factor > 1.5


def test_not_beyond_what_is_allowed_nor_where_it_does_not_help() -> None:
    made = plan_joints(MODEL, HOME, HOME + 0.4).trajectory.slowed(0.25)
    _, certificate, factor = slowed_until_it_holds(made, lambda each: certify(each, MODEL, limits=LIMITS), 2.0)
    assert not certificate.holds and factor <= 2.0
    outside = plan_joints(MODEL, HOME, HOME + 0.4).trajectory
    lower = limits_of(MODEL)
    lower.upper[0] = 0.1
    slowed, certificate, factor = slowed_until_it_holds(outside, lambda each: certify(each, MODEL, limits=lower), 1000.0)
    assert not certificate.holds and factor == 1.0 and slowed is outside
