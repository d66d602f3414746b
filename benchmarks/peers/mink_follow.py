"""Follows directions with mink: {"mjcf", "tasks", "goals", "period", "velocity", "begin"} in, {"seconds", "errors"} out.

Each task is where a line between two points of the robot is to point: [body, place, body, place, weight]. In every frame up to
ten steps are made, as GMR does, fewer where another gains nothing.
"""

import json
import sys
import time
from typing import Any

import mink
import mujoco
import numpy as np

_STEPS, _GAINS = 10, 1e-3


class DirectionTask(mink.Task):
    """A line between two points of the robot, and where it is to point."""

    def __init__(self, model: Any, first: tuple[int, list[float]], second: tuple[int, list[float]], weight: float) -> None:
        super().__init__(cost=np.full(3, weight), gain=1.0, lm_damping=1e-6)
        self._model, self._ends = model, [(body, np.array(place)) for body, place in (first, second)]
        self.goal = np.array([1.0, 0.0, 0.0])

    def _line(self, configuration: Any) -> tuple[Any, Any, float]:
        data, places, slopes = configuration.data, [], []
        for body, place in self._ends:
            at = data.xpos[body] + data.xmat[body].reshape(3, 3) @ place
            J = np.zeros((3, self._model.nv))
            mujoco.mj_jac(self._model, data, J, None, at, body)
            places.append(at)
            slopes.append(J)
        way = places[1] - places[0]
        length = float(np.linalg.norm(way))
        return way / length, slopes[1] - slopes[0], length

    def compute_error(self, configuration: Any) -> Any:
        return self._line(configuration)[0] - self.goal

    def compute_jacobian(self, configuration: Any) -> Any:
        way, J, length = self._line(configuration)
        return (np.eye(3) - np.outer(way, way)) @ J / length


def follow(asked: dict[str, Any]) -> dict[str, Any]:
    model = mujoco.MjModel.from_xml_string(asked["mjcf"])
    number = {mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, k): k for k in range(model.nbody)}
    tasks = [
        DirectionTask(model, (number[first], at), (number[second], to), weight)
        for first, at, second, to, weight in asked["tasks"]
    ]
    configuration = mink.Configuration(model)
    configuration.update(np.array(asked["begin"]))
    limits = [mink.ConfigurationLimit(model), mink.VelocityLimit(model, asked["velocity"])]
    posture = mink.PostureTask(model, cost=1e-4)
    posture.set_target(np.array(asked["begin"]))
    goals, period, errors = np.array(asked["goals"]), asked["period"], []
    begin = time.perf_counter()
    for frame in goals:
        for task, goal in zip(tasks, frame, strict=True):
            task.goal = goal
        before = np.inf
        for _ in range(_STEPS):
            velocity = mink.solve_ik(configuration, [*tasks, posture], period, "daqp", 1e-9, limits=limits)
            configuration.integrate_inplace(velocity, period)
            left = sum(float(np.linalg.norm(task.compute_error(configuration))) for task in tasks)
            if before - left < _GAINS:
                break
            before = left
        errors.append([2.0 * np.arcsin(min(0.5 * np.linalg.norm(task.compute_error(configuration)), 1.0)) for task in tasks])
    return {"seconds": time.perf_counter() - begin, "errors": np.median(errors, axis=0).tolist()}


for line in sys.stdin:
    print(json.dumps(follow(json.loads(line))), flush=True)
