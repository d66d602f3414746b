"""Inverse kinematics: random poses that can be reached, from random starts, one call a pose.

A pose is the forward kinematics of a configuration drawn evenly inside the limits; the start is another such draw. A pose counts
as solved where forward kinematics of the answer (`frame_pose`, for the peers' answers too) is within 1e-5 m and 1e-5 rad of
it, and the answer is inside the limits. Ours is the public `solve_ik` with `method="numeric"` and a budget of 20 ms.

Peers, on a URDF of the same chain with the same limits, and checked to have the same forward kinematics. Both are called below
their Python, at the compiled function itself, and only that call is timed:
- roboticstoolbox's `ik_LM` in C: Chan's damping with k = 0.1. Of its three (chan, wampler, sugihara, each with k through and
  below the range that its documentation names) no other is faster by more than the noise. As many are solved as by any, but
  for TIAGo: there sugihara with k = 1e-6 solves 99.9 % instead of 99.7 %, and takes 1.4 times as long. Its own limits of 30
  iterations and 100 searches, no budget of time; its tolerance 5e-11, which is 1e-5 m and 1e-5 rad. Constants multiplied out.
  With 15 iterations instead of 30 its median is the same, and its p99 on arms of six joints a third less.
- TRAC-IK (pytracik), Speed, 20 ms, limits given to it. Its eps bounds each component, so it is given 1e-5 / sqrt(3): with 1e-5,
  3 to 16 answers in 100 are further off than 1e-5, and it is no faster. It works on two threads.

Blocks of ours and theirs alternate. Ours solves all poses; the peers solve the first of each block: 4000 (ik_LM) and 1000
(TRAC-IK) of 10 000, 40 000 and 10 000 of 100 000 with --full. A call of ours or of ik_LM during which the kernel gave the
processor to others is made again: such a pause takes milliseconds, and would be the p99 of whoever takes longer. TRAC-IK's two
threads need both of two processors, so its times grow most where others work beside it: the first line says how much they did.

inmoov's arms have five joints: position and hand axis are asked for, which no peer can be. A tick of a jog must take less than a
tenth of the executor's millisecond.
"""

import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from armillary.description import JointType, Limits, Link, Pose, Robot, propose_groups, read_robot, write_urdf
from armillary.model import Model, build_model, frame_pose, load_model
from armillary.solvers import Hold, IkResult, Jog, solve_ik, solve_ik_batch
from armillary.spatial import inverse, rpy_from_rotation

sys.path.insert(0, str(Path(__file__).parent))
from support.harness import Peer, Row, finish, options

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Answer = TypeVar("Answer")

ROBOTS = {  # tip, and how the names of its joints begin
    "ur5": ("tool0", ""),
    "panda": ("panda_hand_tcp", ""),
    "tiago": ("arm_tool_link", "arm_"),
    "cobot6": ("tool0", ""),
    "industrial6": ("tool0", ""),
    "xarm7": ("", ""),
}
TOLERANCE = 1e-5  # m, rad
BUDGET = 0.02  # s
BLOCKS = 10
WARM = 300  # calls before the first block, so that every compiled function is loaded
TRIES = 3
SHOWN = 5

# What each peer is asked with, how far its forward kinematics may differ from ours, and its share of the poses.
PEERS: dict[str, tuple[dict[str, Any], float, float]] = {
    "ik_LM": ({"method": "chan", "k": 0.1, "ilimit": 30, "slimit": 100, "tolerance": TOLERANCE}, 1e-9, 0.4),
    "TRAC-IK": ({"type": "Speed", "timeout": BUDGET, "eps": TOLERANCE / 3**0.5}, 1e-6, 0.1),
}


@dataclass(frozen=True, eq=False)
class Questions:
    """Poses of a tip, shape (N, 4, 4), the configurations they were made from and the starts, shape (N, n)."""

    model: Model
    tip: str
    hold: Hold | None
    poses: Array
    made_from: Array
    starts: Array

    def ask(self, number: int, method: str = "numeric") -> IkResult:
        return solve_ik(
            self.model, self.poses[number], seed=self.starts[number], tip=self.tip, hold=self.hold, method=method, budget=BUDGET
        )

    def solved(self, numbers: range, answers: list[Array | None]) -> Flags:
        """Which of the answers put the tip there, inside the limits, by forward kinematics."""
        good = np.zeros(len(numbers), dtype=np.bool_)
        for i, (number, q) in enumerate(zip(numbers, answers, strict=True)):
            if q is None or not ((q >= self.model.lower - 1e-6) & (q <= self.model.upper + 1e-6)).all():
                continue
            T, wanted = frame_pose(self.model, q, self.tip), self.poses[number]
            metres = float(np.linalg.norm(T[:3, 3] - wanted[:3, 3]))
            radians = angle(T, wanted) if self.hold is None else axis_angle(T, wanted)
            good[i] = metres <= TOLERANCE and radians <= TOLERANCE
        return good


def angle(A: Array, B: Array) -> float:
    """Of the rotation between two poses [rad]."""
    R = A[:3, :3].T @ B[:3, :3]
    twice = (R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1])
    return float(np.arctan2(np.linalg.norm(twice), np.trace(R) - 1.0))


def axis_angle(A: Array, B: Array) -> float:
    """Between the z axes of two poses [rad]."""
    return float(np.arctan2(np.linalg.norm(np.cross(A[:3, 2], B[:3, 2])), A[:3, 2] @ B[:3, 2]))


def draw(model: Model, tip: str, hold: Hold | None, count: int, seed: int) -> Questions:
    # In pairs, so that pose i of a seed is the same however many there are.
    drawn = model.random(np.random.default_rng(seed), 2 * count)
    made_from, starts = drawn[::2].copy(), drawn[1::2].copy()
    poses = np.array([frame_pose(model, q, tip) for q in made_from])
    return Questions(model, tip, hold, poses, made_from, starts)


def arm(name: str) -> tuple[Model, str]:
    """A model of the joints up to the tip alone; whatever else moves is held."""
    robot = read_robot(name)
    tip, begins = ROBOTS[name]
    tip = tip or propose_groups(robot)[0].tip
    path = robot.path_from_root(tip)
    joints = [joint.name for joint in path if joint.type.is_single and joint.mimic is None and joint.name.startswith(begins)]
    return build_model(robot, joints=joints), tip


def write_chain(model: Model, tip: str, path: str) -> dict[str, Any]:
    """A URDF of nothing but the joints up to the tip, with what is held made fixed; what a peer is told of it."""
    robot = model.spec.robot
    # The model's own limits, and a full turn where there are none: the range that configurations are drawn from.
    lower = np.where(np.isfinite(model.lower), model.lower, -np.pi).tolist()
    upper = np.where(np.isfinite(model.upper), model.upper, np.pi).tolist()
    joints = []
    for joint in robot.path_from_root(tip):
        bare = replace(joint, limits=None, mimic=None, dynamics=None, safety=None, calibration=None)
        if joint.name in model.joints:
            column = model.column(joint.name)
            kind = JointType.PRISMATIC if joint.type is JointType.PRISMATIC else JointType.REVOLUTE
            limits = Limits(lower[column], upper[column], velocity=1.0, effort=1.0)
            joints.append(replace(bare, type=kind, limits=limits))
        elif joint.type is JointType.FIXED:
            joints.append(bare)
        else:
            joints.append(replace(bare, type=JointType.FIXED, pose=held(model, joint.parent, joint.child)))
    links = (Link(joints[0].parent), *(Link(joint.child) for joint in joints))
    Path(path).write_text(write_urdf(Robot(robot.name, links, tuple(joints))))
    return {"urdf": path, "base": joints[0].parent, "tip": tip, "lower": lower, "upper": upper}


def held(model: Model, parent: str, child: str) -> Pose:
    """T_parent_child of two links with a joint between them that does not move here."""
    q = model.zero()
    T = inverse(frame_pose(model, q, parent)) @ frame_pose(model, q, child)
    x, y, z = T[:3, 3].tolist()
    return Pose((x, y, z), rpy_from_rotation(T[:3, :3]))


def timed(call: Callable[[], Answer]) -> tuple[float, Answer]:
    """Seconds, and the answer; again where the kernel gave the processor to others meanwhile."""
    for _ in range(TRIES):
        before = resource.getrusage(resource.RUSAGE_THREAD).ru_nivcsw
        start = time.perf_counter()
        answer = call()
        seconds = time.perf_counter() - start
        if resource.getrusage(resource.RUSAGE_THREAD).ru_nivcsw == before:
            break
    return seconds, answer


class Tally:
    """Seconds of each call, and which poses were solved."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.good: list[bool] = []

    def add(self, seconds: list[float], good: Flags) -> None:
        self.seconds += seconds
        self.good += good.tolist()

    @property
    def median_us(self) -> float:
        return float(np.median(self.seconds)) * 1e6

    @property
    def p99_us(self) -> float:
        return float(np.quantile(self.seconds, 0.99)) * 1e6

    @property
    def rate(self) -> float:
        return sum(self.good) / len(self.good)


def ours(questions: Questions, numbers: range, tally: Tally, method: str = "numeric") -> None:
    seconds, answers = [], []
    for number in numbers:
        took, answer = timed(partial(questions.ask, number, method))
        seconds.append(took)
        answers.append(answer.q if answer.reached else None)
    tally.add(seconds, questions.solved(numbers, answers))


def theirs(peer: Peer, asked: dict[str, Any], questions: Questions, numbers: range, tally: Tally) -> None:
    part = slice(numbers.start, numbers.stop)
    answer = answered(peer, chain=asked, poses=questions.poses[part].tolist(), starts=questions.starts[part].tolist())
    found = [None if q is None else np.array(q) for q in answer["q"]]
    tally.add(answer["seconds"], questions.solved(numbers, found))


def answered(peer: Peer, **request: Any) -> dict[str, Any]:
    answer = peer.ask(**request)
    if "error" in answer:
        sys.exit(f"{request['chain']['peer']}: {answer['error']}")
    return answer


def agree(peer: Peer, asked: dict[str, Any], questions: Questions, tolerance: float) -> None:
    """End here where the peer's forward kinematics is not ours."""
    T = np.array(answered(peer, chain=asked, Q=questions.made_from[:5].tolist())["T"])
    off = float(np.abs(T - questions.poses[:5]).max())
    if not off <= tolerance:
        sys.exit(f"{asked['peer']} puts {asked['tip']} of {asked['urdf']} elsewhere than we do, by {off:.3g}")


def warm(questions: Questions, method: str = "numeric") -> None:
    for number in range(min(WARM, len(questions.poses))):
        questions.ask(number, method)


def tell_missed(case: str, seed: int, questions: Questions, tally: Tally) -> None:
    """What is needed to ask again for a pose that ours did not solve."""
    missed = [number for number, good in enumerate(tally.good) if not good]
    for number in missed[:SHOWN]:
        made_from, start = questions.made_from[number].tolist(), questions.starts[number].tolist()
        print(f"{case}: pose {number} of seed {seed} is not solved; made from {made_from}, started from {start}")
    if len(missed) > SHOWN:
        print(f"{case}: and {len(missed) - SHOWN} more")


def known_arm(name: str, count: int, seed: int, peer: Peer, folder: str, rows: list[Row]) -> None:
    model, tip = arm(name)
    questions = draw(model, tip, None, count, seed)
    chain = write_chain(model, tip, os.path.join(folder, f"{name}.urdf"))
    asked = {other: {"peer": other, **chain, **settings} for other, (settings, _, _) in PEERS.items()}
    for other, (_, tolerance, _) in PEERS.items():
        agree(peer, asked[other], questions, tolerance)
    warm(questions)
    mine, others = Tally(), {other: Tally() for other in PEERS}
    size = count // BLOCKS
    for begin in range(0, count, size):
        ours(questions, range(begin, begin + size), mine)
        for other, (_, _, share) in PEERS.items():
            theirs(peer, asked[other], questions, range(begin, begin + int(share * size)), others[other])
    tell_missed(name, seed, questions, mine)

    rows.append(Row(f"{name}: {count} poses", "solved", mine.rate, None, "", 1.0, smaller_is_better=False))
    for other, tally in others.items():
        target = 0.1 if other == "TRAC-IK" else 0.5 if model.n == 6 else 0.2
        shown = f"{other}, {len(tally.good)} poses"
        rows.append(Row(f"{name}: {model.n} joints, median", "us", mine.median_us, tally.median_us, shown, target))
        rows.append(Row(f"{name}: {model.n} joints, p99", "us", mine.p99_us, tally.p99_us, shown, target))
        rows.append(Row(f"{name}: solved", "solved", mine.rate, tally.rate, shown, 1.0, smaller_is_better=False))
    rows.append(Row(f"{name}: slowest of {count}", "us", max(mine.seconds) * 1e6, None, "", None))
    if model.n == 6:
        every = Tally()
        warm(questions, "auto")
        ours(questions, range(count // 10), every, "auto")
        tell_missed(f"{name} by auto", seed, questions, every)
        rows.append(Row(f"{name}: auto, all solutions, median", "us", every.median_us, None, "", None))
    solve_ik_batch(model, questions.poses[:10], seeds=questions.starts[:10], tip=tip)
    start = time.perf_counter()
    batch = solve_ik_batch(model, questions.poses, seeds=questions.starts, tip=tip)
    each = (time.perf_counter() - start) / count * 1e6
    rows.append(Row(f"{name}: batch of {count}, each", "us", each, mine.median_us, "one call a pose, median", None))
    rows.append(Row(f"{name}: batch of {count}", "solved", float(batch.reached.mean()), None, "", 1.0, smaller_is_better=False))


def inmoov_arm(group: str, count: int, seed: int, rows: list[Row]) -> None:
    model = load_model("inmoov", group=group)
    questions = draw(model, model.tip, Hold.axis("z"), count, seed)
    warm(questions)
    tally = Tally()
    ours(questions, range(count), tally)
    case = f"inmoov {group}, position and axis"
    tell_missed(case, seed, questions, tally)
    rows.append(Row(f"{case}: {count} poses", "solved", tally.rate, None, "", 1.0, smaller_is_better=False))
    rows.append(Row(f"{case}: median", "us", tally.median_us, None, "", None))
    rows.append(Row(f"{case}: p99", "us", tally.p99_us, None, "", None))
    rows.append(Row(f"{case}: slowest of {count}", "us", max(tally.seconds) * 1e6, None, "", None))


def jogging(name: str, rows: list[Row]) -> None:
    """Ticks of a jog, timed one by one: outwards from a bent posture until it stands at the edge of its reach, and back."""
    model, tip = arm(name)
    q = 0.5 * (np.maximum(model.lower, -np.pi) + np.minimum(model.upper, np.pi)) + 0.3
    q = np.clip(q, model.lower, model.upper)
    away = frame_pose(model, q, tip)[:3, 3]
    twist = np.concatenate([0.2 * away / np.linalg.norm(away), np.zeros(3)])
    jog = Jog(model, tip=tip)
    jog.step(q, np.zeros(6))
    for case, asked, ticks in (("free, then at the edge", twist, 8000), ("back", -twist, 2000)):
        seconds = []
        for _ in range(ticks):
            took, step = timed(partial(jog.step, q, asked))
            seconds.append(took)
            q = q + jog.dt * step.dq
        rows.append(Row(f"{name}: jog {case}, median tick", "us", float(np.median(seconds)) * 1e6, None, "", 100.0))
        rows.append(Row(f"{name}: jog {case}, p99 tick", "us", float(np.quantile(seconds, 0.99)) * 1e6, None, "", 100.0))


def used_by_others() -> float:
    """Seconds of all processors that neither idled nor worked for this process and those it has waited for, since the start."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, _idle, _wait, *more = (int(word) for word in file.readline().split()[1:])
    return (user + nice + system + sum(more[:3])) / os.sysconf("SC_CLK_TCK") - sum(os.times()[:4])


def main() -> None:
    opts = options(__doc__ or "")
    count = 100_000 if opts.full else 10_000
    begin, others = time.perf_counter(), used_by_others()
    rows: list[Row] = []
    peer = Peer("ik.py")
    with tempfile.TemporaryDirectory() as folder:
        for name in ROBOTS:
            known_arm(name, count, opts.seed, peer, folder, rows)
    peer.close()
    for group in ("right_arm", "left_arm"):
        inmoov_arm(group, count, opts.seed, rows)
    jogging("tiago", rows)
    took = time.perf_counter() - begin
    share = (used_by_others() - others) / took
    print(f"seed {opts.seed}, {took:.0f} s; others used {share:.2f} of {os.cpu_count()} processors meanwhile")
    finish("ik", opts.seed, rows, opts.json)


if __name__ == "__main__":
    main()
