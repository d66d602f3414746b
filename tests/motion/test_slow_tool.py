"""Motions of the joints that a bound on the tool's speed slows down: slowed enough to be proven, wherever they begin and end."""

import numpy as np
import pytest

from armillary.model import load_model
from armillary.motion import Bounds, plan_joints

MODEL = load_model("cobot6")


@pytest.mark.parametrize("most", [0.05, 0.25, 1.0])
def test_every_motion_is_slowed_enough_to_be_proven(most: float) -> None:
    rng = np.random.default_rng(3)
    for _ in range(80):
        start, goal = MODEL.random(rng), MODEL.random(rng)
        near = start + rng.uniform(0.01, 1.0) * (goal - start)
        plan = plan_joints(MODEL, start, near, bounds=Bounds(tool_speed=most))
        assert plan, str(plan.certificate)
        assert plan.certificate.use["tool speed"] <= 1.0 + 1e-6
