"""How long motions last, and how long it takes to plan and prove them.

Durations: jerk-limited moves beside raw ruckig's on the same limits; splines beside toppra's, which knows no jerk limit, with
what the jerk limit costs. Times: a straight line of 1 m planned and proven, collisions with the whole body among it; a polyline
of 1000 lines with blends at once, and segment by segment through the look-ahead. --full takes more motions.
"""

import itertools
import sys
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent))
from support.harness import Peer, Row, finish, options
from support.random_motions import draw, solve
from support.raw_ruckig import raw_ruckig

from armillary.description import read_robot
from armillary.model import Model, PairSearch, Scene, build_model, load_model
from armillary.motion import (
    Bounds,
    LookAhead,
    NoMotion,
    Plan,
    Segment,
    ToolPath,
    joint_spline,
    line,
    plan_tool,
    polyline,
    time_path,
    tool_pose,
)

Array = NDArray[np.float64]
COBOT = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
PANDA = np.array([0.1, -0.5, 0.2, -2.0, 0.3, 1.8, 0.4])
TIAGO = np.array([0.15, 0.4, -0.4, -1.2, 1.6, 0.3, 0.4, 0.2])


def durations(begin: int, count: int, rows: list[Row]) -> None:
    """Against the peers' on the same problems; and nothing over a limit."""
    worst, over = 0.0, -1.0
    for seed in range(begin, begin + count):
        motion = solve(seed, "jerk")
        worst, over = max(worst, motion.trajectory.duration / raw_ruckig(seed)[1].duration), max(over, motion.over)
    rows.append(Row(f"jerk-limited moves: longest of {count}", "of its time", worst, 1.0, "raw ruckig", 1.02))
    rows.append(Row(f"jerk-limited moves: {count}", "over a limit", over, None, "", 1e-9))
    peer, few = Peer("limits.py"), max(count // 8, 20)
    stepping, smooth, over = [], [], -1.0
    for seed in range(begin, begin + few):
        limits, points = draw(seed, "spline")
        answer = peer.ask(points=points.tolist(), velocity=limits.velocity.tolist(), acceleration=limits.acceleration.tolist())
        if answer["duration"] is None:
            continue
        motion = solve(seed, "spline")
        path = joint_spline(limits.joints, points)
        stepping.append(time_path(path, limits, profile="time_optimal").duration / answer["duration"])
        smooth.append(motion.trajectory.duration / answer["duration"])
        over = max(over, motion.over)
    peer.close()
    rows.append(
        Row(f"splines without jerk limits: median of {few}", "of its time", float(np.median(stepping)), 1.0, "toppra", None)
    )
    rows.append(Row(f"splines with jerk limits: median of {few}", "of its time", float(np.median(smooth)), 1.0, "toppra", None))
    share = float(np.median((np.array(smooth) - np.array(stepping)) / np.array(smooth)))
    rows.append(Row(f"splines: the jerk limits' share, median of {few}", "of the time", share, None, "", None))
    rows.append(Row(f"splines with jerk limits: {few}", "over a limit", over, None, "", 1e-9))


def metre(model: Model, q: Array, seed: int) -> ToolPath:
    """A straight line of 1 m from a posture, in a direction that there is."""
    rng, T = np.random.default_rng(seed), tool_pose(model, q)
    for _ in range(3000):
        way = rng.normal(size=3)
        end = T.copy()
        end[:3, 3] += way / np.linalg.norm(way)
        try:
            plan = plan_tool(model, q, line(T, end), bounds=Bounds(scene=scene_of(model)))
        except NoMotion:
            continue
        if plan:
            return line(T, end)
    raise SystemExit(f"no free line of 1 m from here for {model.spec.robot.name}")


_SCENES: dict[int, Scene] = {}


def scene_of(model: Model) -> Scene:
    if id(model) not in _SCENES:
        _SCENES[id(model)] = Scene(model, search=PairSearch())
    return _SCENES[id(model)]


def best(run: Callable[[], Plan], times: int) -> float:
    """The median [ms]."""
    took = []
    for _ in range(times):
        begin = time.perf_counter()
        assert run()
        took.append((time.perf_counter() - begin) * 1e3)
    return float(np.median(took))


def lines(seed: int, rows: list[Row]) -> None:
    arm = [f"panda_joint{i}" for i in range(1, 8)]
    whole = ["torso_lift_joint", *(f"arm_{i}_joint" for i in range(1, 8))]
    for name, model, q, target in (
        ("cobot6", load_model("cobot6"), COBOT, 20.0),
        ("panda", build_model(read_robot("panda"), joints=arm, tip="panda_hand_tcp"), PANDA, 20.0),
        ("tiago, whole body checked", build_model(read_robot("tiago"), joints=whole, tip="arm_tool_link"), TIAGO, 200.0),
    ):
        path, bounds = metre(model, q, seed), Bounds(scene=scene_of(model))
        took = best(partial(plan_tool, model, q, path, bounds=bounds), 9)
        rows.append(Row(f"{name}: line of 1 m, planned and proven", "ms", took, None, "", target))


def corner(T: Array, i: int) -> Array:
    """Of a wavy way with short lines."""
    out = T.copy()
    out[:3, 3] += [0.12 * np.sin(0.12 * i) + 0.004 * (-1) ** i, -0.1 + 0.1 * np.cos(0.12 * i), 5e-5 * i]
    return out


def polylines(rows: list[Row]) -> None:
    model = load_model("cobot6")
    T = tool_pose(model, COBOT)
    poses = [T, *(corner(T, i) for i in range(1, 1001))]
    plan_tool(model, COBOT, polyline(poses[:4], blend=0.003), feed=0.1)
    begin = time.perf_counter()
    plan = plan_tool(model, COBOT, polyline(poses, blend=0.003), feed=0.1)
    took = time.perf_counter() - begin
    assert plan, str(plan.certificate)
    rows.append(Row("polyline of 1000 lines, planned and proven", "s", took, None, "", 1.0))
    peaks = []
    for count in (250, 500, 1000):
        tracemalloc.start()
        plan_tool(model, COBOT, polyline(poses[: count + 1], blend=0.003), feed=0.1)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    rows.append(Row("polyline of 1000 lines: memory", "of that of 500", peaks[2] / peaks[1], None, "", 2.2))
    segments = [Segment(line(a, b), blend=0.003, feed=0.1) for a, b in itertools.pairwise(poses)]
    begin = time.perf_counter()
    parts = list(LookAhead(model, COBOT).stream(segments))
    took = time.perf_counter() - begin
    assert all(parts)
    moved = sum(part.trajectory.duration for part in parts)
    rows.append(Row("the same through the look-ahead", "s of work for a s of motion", took / moved, None, "", 0.5))
    rows.append(Row("the same through the look-ahead", "of the plan's time", moved / plan.trajectory.duration, None, "", None))


def main() -> None:
    opts = options(__doc__ or "")
    rows: list[Row] = []
    durations(opts.seed * 10_000_000, 4000 if opts.full else 400, rows)
    lines(opts.seed, rows)
    polylines(rows)
    finish("motion", opts.seed, rows, opts.json)


if __name__ == "__main__":
    main()
