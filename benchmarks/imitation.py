"""Imitation: how many frames a second each mapping makes, beside mink with the same tasks; how exact, and how late.

The person is made up (51 bones, arms, head and fingers in motion). The general mapping is timed whole, as it drives a robot: from
channels to joint positions, smoothed, inside position, velocity, acceleration and self-collision limits. mink has the same
directions as tasks and the joints' ranges and velocities as limits, in a model of the same joints and nothing else.
"""

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.imitation import Imitator, PaperMapping, Person, Retarget, delay_between, match, moving_person, poses_of
from armillary.imitation.retarget_kernels import POSITION
from armillary.model import Model, load_model

sys.path.insert(0, str(Path(__file__).parent))
from support.harness import Peer, Row, finish, options

Array = NDArray[np.float64]
RATE = 60.0  # frames a second, of the person
LATER = 0.1  # weight of what is solved in a second stage, for a peer that has none
PAPER, GENERAL, OVER_MINK = 200_000.0, 1000.0, 10.0  # what is asked for


def mjcf_of(model: Model, used: list[int]) -> str:
    """The joints that limbs use, each a body with nothing but a little mass."""
    moving = model.tree.moving

    def body(k: int) -> str:
        joint = moving[k]
        T = joint.T_parent_joint
        below = "".join(body(j) for j in used if moving[j].parent == k)
        column = joint.driver
        axes = " ".join(f"{value:.12g}" for value in [*T[:3, 0], *T[:3, 1]])
        at, axis = (" ".join(f"{value:.12g}" for value in values) for values in (T[:3, 3], joint.axis))
        ends = f"{model.lower[column]:.12g} {model.upper[column]:.12g}"
        return (
            f'<body name="{joint.name}" pos="{at}" xyaxes="{axes}"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
            f'<joint name="{joint.name}" axis="{axis}" limited="true" range="{ends}"/>{below}</body>'
        )

    roots = "".join(body(k) for k in used if moving[k].parent not in used)
    return f'<mujoco><compiler angle="radian"/><worldbody>{roots}</worldbody></mujoco>'


def asked_of_mink(model: Model, retarget: Retarget, wanted: Any, period: float) -> dict[str, Any]:
    """The same tasks for the peer, and what they are to be in each frame. For robots whose chest does not move."""
    moving = model.tree.moving
    used: list[int] = []
    tasks: list[list[Any]] = []
    goals: list[Array] = []
    for name, limb in retarget.limbs():
        columns = set(limb.columns.tolist())
        used += [k for k, joint in enumerate(moving) if joint.driver in columns and joint.name in model.joints]
        of_limb = retarget.goals(name, limb, wanted)
        for k, task in enumerate(limb.tasks):
            assert task.kind != POSITION
            first, second = (("world" if point.joint < 0 else moving[point.joint].name) for point in (task.first, task.second))
            weight = task.weight if task.stage == 0 else LATER * task.weight  # ours has stages: the arm first, then the hand
            tasks.append([first, task.first.place.tolist(), second, task.second.place.tolist(), weight])
            goals.append(of_limb[:, k])
    used = sorted(set(used))
    order = [moving[k].driver for k in used]
    return {
        "mjcf": mjcf_of(model, used), "tasks": tasks, "goals": np.stack(goals, axis=1).tolist(), "period": period,
        "velocity": {moving[k].name: float(model.velocity[moving[k].driver]) for k in used},
        "begin": np.clip(0.0, model.lower, model.upper)[order].tolist(),
    }  # fmt: skip


def timed_paper(model: Model, person: Person, values: Array) -> float:
    """Frames a second, from channels to joint positions."""
    mapping = PaperMapping(model, person)
    mapping.follow(values[:10])
    best = np.inf
    for _ in range(5):
        begin = time.perf_counter()
        mapping.follow(values)
        best = min(best, time.perf_counter() - begin)
    return len(values) / best


def main() -> None:
    asked = options(__doc__)
    frames = 3000 if asked.full else 600
    rows: list[Row] = []
    capture = moving_person(frames, RATE, asked.seed)
    found = match(capture.skeleton, capture.poses)
    person = Person.of_capture(capture, found)
    model = load_model("inmoov", group="controlled")
    many = np.tile(capture.values, (max(1, 60_000 // frames), 1))
    rows.append(
        Row("inmoov, 22 joints: paper 1's mapping, batched", "frames/s", timed_paper(model, person, many), None, "", PAPER, False)
    )
    retarget = Retarget(model)
    wanted = person.postures(poses_of(capture.skeleton, capture.values))
    peer = Peer("mink_follow.py")
    request = asked_of_mink(model, retarget, wanted, capture.period)
    speeds: list[float] = []
    theirs: list[float] = []
    errors: dict[str, Array] = {}
    for _ in range(3):
        imitator = Imitator(model, person, capture.period)
        imitator.run(capture.values[:30])
        imitator = Imitator(model, person, capture.period)
        begin = time.perf_counter()
        made = imitator.run(capture.values)
        speeds.append(frames / (time.perf_counter() - begin))
        errors = made.errors
        answer = peer.ask(**request)
        theirs.append(frames / answer["seconds"])
    case = "inmoov, 22 joints: general, limits and collisions kept"
    rows.append(Row(case, "frames/s", float(np.median(speeds)), None, "", GENERAL, False))
    rows.append(Row(case, "frames/s", float(np.median(speeds)), float(np.median(theirs)), "mink", OVER_MINK, False))
    names = [task.name for _, limb in retarget.limbs() for task in limb.tasks]
    for part in ("upper_arm", "forearm"):
        mine = np.degrees(np.median([np.median(errors[f"{side}_{part}"]) for side in ("left", "right")]))
        mink = np.degrees(np.median([answer["errors"][names.index(f"{side}_{part}")] for side in ("left", "right")]))
        rows.append(Row(f"the same: {part.replace('_', ' ')} off, median", "deg", float(mine), float(mink), "mink", None))
    late = delay_between(retarget.follow(wanted).q, made.q, capture.period)
    rows.append(Row("the same: later by smoothing and limits", "ms", 1e3 * late, None, "", 60.0))
    whole = load_model("inmoov")
    imitator = Imitator(whole, person, capture.period)
    imitator.run(capture.values[:30])
    imitator.reset()
    begin = time.perf_counter()
    imitator.run(capture.values)
    rows.append(
        Row("inmoov, all 29 joints: general", "frames/s", frames / (time.perf_counter() - begin), None, "", GENERAL, False)
    )
    peer.close()
    finish("imitation", asked.seed, rows, asked.json)


if __name__ == "__main__":
    main()
