"""The model: one call, many at once, collision, loading.

Peers: raw Pinocchio calls that give the same result (in this process), raw coal on the same pairs, MuJoCo, roboticstoolbox
and ikpy on the same URDF without shapes. Rounds alternate; each figure is a median.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import coal
import numpy as np
import pinocchio as pin

from armillary.description import Link, Mesh, read_robot, write_urdf
from armillary.model import (
    PairSearch,
    Scene,
    build_model,
    frame_jacobian_batch,
    frame_pose,
    frame_pose_batch,
    inverse_dynamics,
    inverse_dynamics_batch,
)
from armillary.model.shapes import mesh_triangles, primitive_shape

sys.path.insert(0, str(Path(__file__).parent))
from support.harness import Peer, Row, finish, interleaved, options

ROBOTS = {"ur5": "tool0", "panda": "panda_hand_tcp", "tiago": "arm_tool_link"}


def timed(call: Callable[[], object], times: int) -> float:
    start = time.perf_counter()
    for _ in range(times):
        call()
    return (time.perf_counter() - start) / times


def single_calls(name: str, tip: str, rounds: int, peer: Peer, urdf: str, rows: list[Row]) -> None:
    model = build_model(read_robot(name))
    q, v = model.random(np.random.default_rng(0)), np.zeros(model.n)
    data, number = model.data, model.tree.frames[tip]

    def raw_fk() -> object:
        pin.forwardKinematics(model.pin, data, q if S is None else S @ q + model.tree.c)
        return pin.updateFramePlacement(model.pin, data, number).homogeneous

    S = model.tree.S

    def raw_rnea() -> object:
        if S is None:
            return pin.rnea(model.pin, data, q, v, v)
        return S.T @ pin.rnea(model.pin, data, S @ q + model.tree.c, S @ v, S @ v)

    cases = {
        "fk": (lambda: frame_pose(model, q, tip), raw_fk),
        "rnea": (lambda: inverse_dynamics(model, q, v, v), raw_rnea),
    }
    for what, (ours, raw) in cases.items():
        timed(ours, 2000), timed(raw, 2000)
        mine, others = interleaved(partial(timed, ours, 3000), {"raw": partial(timed, raw, 3000)}, rounds)
        rows.append(Row(f"{name}: one {what}, over raw pin", "us", (mine - others["raw"]) * 1e6, None, "pin", 2.0))
        for other in ("roboticstoolbox", "roboticstoolbox ETS in C", "mujoco", "ikpy"):
            answer = peer.ask(peer=other, urdf=urdf, tip=tip, what=what, q=q.tolist(), times=200 if other != "ikpy" else 50)
            if answer["seconds"] is not None:
                target = 0.2 if other.startswith("roboticstoolbox") else None
                rows.append(Row(f"{name}: one {what}", "us", mine * 1e6, answer["seconds"] * 1e6, other, target))


def batches(name: str, tip: str, rounds: int, seed: int, rows: list[Row]) -> None:
    model, N = build_model(read_robot(name)), 10_000
    rng = np.random.default_rng(seed)
    Q, V, A = model.random(rng, N), rng.normal(size=(N, model.n)), rng.normal(size=(N, model.n))
    S = model.tree.S
    full, full_v, full_a = model.full(Q), V if S is None else V @ S.T, A if S is None else A @ S.T
    data, number = model.data, model.tree.frames[tip]
    poses, jacobians, taus = np.empty((N, 4, 4)), np.empty((N, 6, model.pin.nv)), np.empty((N, model.pin.nv))

    def raw_fk() -> None:
        for i in range(N):
            pin.forwardKinematics(model.pin, data, full[i])
            poses[i] = pin.updateFramePlacement(model.pin, data, number).homogeneous

    def raw_jacobian() -> None:
        for i in range(N):
            jacobians[i] = pin.computeFrameJacobian(model.pin, data, full[i], number, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)

    def raw_rnea() -> None:
        for i in range(N):
            taus[i] = pin.rnea(model.pin, data, full[i], full_v[i], full_a[i])

    cases: tuple[tuple[str, Callable[[], object], Callable[[], None]], ...] = (
        ("fk", lambda: frame_pose_batch(model, Q, tip), raw_fk),
        ("jacobian", lambda: frame_jacobian_batch(model, Q, tip), raw_jacobian),
        ("rnea", lambda: inverse_dynamics_batch(model, Q, V, A), raw_rnea),
    )
    for what, ours, raw in cases:
        ours()  # compiled and loaded
        mine, others = interleaved(partial(timed, ours, 1), {"raw": partial(timed, raw, 1)}, rounds)
        rows.append(Row(f"{name}: 10 000 {what}", "ms", mine * 1e3, others["raw"] * 1e3, "loop of raw pin calls", 0.5))


def collisions(name: str, rounds: int, seed: int, rows: list[Row]) -> None:
    """Ours (hulls, then meshes) against coal on the meshes themselves, which gives the same answer, with the same pairs."""
    model = build_model(read_robot(name))
    at_rest = Scene(model).contacts(model.zero())  # shapes that overlap by design (TIAGo's box around its hand): ignored
    scene = Scene(model, search=PairSearch(), ignored=tuple((contact.first, contact.second) for contact in at_rest))
    Q = model.random(np.random.default_rng(seed), 400 if name == "tiago" else 1000)
    if name == "tiago":  # a whole body drawn at random always collides somewhere in its hand: hold what is not the arm
        arm = [model.column(joint) for joint in model.joints if joint.startswith(("arm_", "torso", "head_"))]
        held = np.tile(model.zero(), (len(Q), 1))
        held[:, arm] = Q[:, arm]
        Q = held
    geometry = _meshes(scene)
    data = geometry.createData()

    def raw() -> float:
        start = time.perf_counter()
        for q in Q:
            pin.updateGeometryPlacements(model.pin, model.data, geometry, data, model.full(q))
            pin.computeCollisions(geometry, data, True)
        return (time.perf_counter() - start) / len(Q)

    def ours() -> float:
        start = time.perf_counter()
        for q in Q:
            scene.free(q)
        return (time.perf_counter() - start) / len(Q)

    mine, others = interleaved(ours, {"raw": raw}, rounds)
    free = float(scene.free_batch(Q).mean())
    case = f"{name}: collision, {len(scene.pairs)} pairs, {free:.0%} free"
    rows.append(Row(case, "us", mine * 1e6, others["raw"] * 1e6, "raw coal on the same pairs", 1.0))
    if name == "tiago":
        rows.append(Row("tiago: collision checks", "1/s", 1 / mine, None, "", 2000.0, smaller_is_better=False))


def _meshes(scene: Scene) -> pin.GeometryModel:
    geometry = pin.GeometryModel()
    for index, part in enumerate(scene.parts):
        shape: coal.CollisionGeometry = (
            mesh_triangles(part.shape).shape if isinstance(part.shape, Mesh) else primitive_shape(part.shape)
        )
        placed = pin.GeometryObject(f"{part.owner}#{index}", part.carrier + 1, pin.SE3(part.T_carrier_shape), shape)
        geometry.addGeometryObject(placed)
    for first, second in sorted(scene.numbered_pairs):
        geometry.addCollisionPair(pin.CollisionPair(first, second))
    return geometry


def loading(rows: list[Row]) -> None:
    """A fresh process with everything cached; imports apart, which are the same for every robot."""
    for name, target in (("tiago", 1.0), ("cobot6", 0.2)):
        code = (
            "import time; from armillary.model import PairSearch, Scene, load_model; t = time.perf_counter();"
            f"Scene(load_model({name!r}), search=PairSearch()); print(time.perf_counter() - t)"
        )
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
        seconds = [
            float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
            for _ in range(3)
        ]
        rows.append(Row(f"{name}: loading model and scene, cached", "s", statistics.median(seconds), None, "", target))


def main() -> None:
    opts = options(__doc__ or "")
    rounds = 15 if opts.full else 5
    rows: list[Row] = []
    peer = Peer("model.py")
    with tempfile.TemporaryDirectory() as folder:
        for name, tip in ROBOTS.items():
            robot = read_robot(name)
            bare = replace(
                robot, links=tuple(Link(link.name, link.inertial) for link in robot.links), extensions=(), materials=()
            )
            urdf = os.path.join(folder, f"{name}.urdf")
            Path(urdf).write_text(write_urdf(bare))
            single_calls(name, tip, rounds, peer, urdf, rows)
    for name, tip in ROBOTS.items():
        batches(name, tip, rounds, opts.seed, rows)
    for name in ("cobot6", "ur5", "panda", "tiago"):
        collisions(name, 3, opts.seed, rows)
    loading(rows)
    peer.close()
    finish("model", opts.seed, rows, opts.json)


if __name__ == "__main__":
    main()
