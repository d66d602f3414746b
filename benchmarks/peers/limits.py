"""toppra as it comes: a spline through waypoints, its automatic grid, and what its own answer goes over."""

import json
import logging
import sys

import numpy as np

logging.disable(logging.CRITICAL)
import toppra as ta  # noqa: E402
import toppra.algorithm as algorithm  # noqa: E402
import toppra.constraint as constraint  # noqa: E402


def judged(points: np.ndarray, velocity: np.ndarray, acceleration: np.ndarray) -> tuple[float | None, float | None]:
    """By what share it goes over a limit, and how long it takes."""
    gaps = np.sqrt(np.linalg.norm(np.diff(points, axis=0), axis=1))
    path = ta.SplineInterpolator(np.concatenate([[0.0], np.cumsum(gaps)]), points)
    rules = [
        constraint.JointVelocityConstraint(np.column_stack([-velocity, velocity])),
        constraint.JointAccelerationConstraint(np.column_stack([-acceleration, acceleration])),
    ]
    planned = algorithm.TOPPRA(rules, path).compute_trajectory()
    if planned is None:
        return None, None
    times = np.linspace(0, planned.duration, 2000)
    v, a = np.abs(planned(times, 1)) / velocity, np.abs(planned(times, 2)) / acceleration
    return float(max(v.max(), a.max()) - 1.0), float(planned.duration)


for line in sys.stdin:
    request = json.loads(line)
    try:
        over, duration = judged(*(np.array(request[name]) for name in ("points", "velocity", "acceleration")))
    except Exception:
        over = duration = None
    print(json.dumps({"over": over, "duration": duration}), flush=True)
