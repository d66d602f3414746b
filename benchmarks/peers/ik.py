"""Peers for inverse kinematics, asked for many poses at a time and timed on each: roboticstoolbox's `ik_LM` and TRAC-IK.

Each reads the chain from the same URDF, once. Only the call that solves is timed: the poses are already in the form that it
takes, and what it returns is looked at after the clock has stopped. A call during which the kernel gave the processor to others
is made again, as ours is: such a pause lasts milliseconds, and would be the whole p99 of a busy machine. TRAC-IK works on
threads of its own, whose pauses are not seen.
"""

import json
import resource
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

warnings.simplefilter("ignore")

Array = np.ndarray[Any, np.dtype[np.float64]]
WARM = 3  # calls before each block, untimed
TRIES = 3


class Solver(NamedTuple):
    """A peer's solver of one chain.

    Attributes:
        fk: The tip's pose (4, 4) at a configuration.
        prepared: A pose (4, 4) as `solve` takes it.
        solve: From a prepared pose and a start to whatever the peer returns.
        solution: The configuration in that, or None where the peer says that it found none.
    """

    fk: Callable[[Array], Array]
    prepared: Callable[[Array], Any]
    solve: Callable[[Any, Array], Any]
    solution: Callable[[Any], Array | None]


def ik_lm(request: dict[str, Any]) -> Solver:
    """Levenberg-Marquardt in C, called below the interface in Python that only packs what it returns.

    Consecutive constant transforms are multiplied out beforehand (`compile`), which its FK is the faster for.
    """
    import roboticstoolbox as rtb
    from roboticstoolbox._fknm_c import IK_LM_c

    ets = rtb.Robot.URDF(request["urdf"]).ets(end=request["tip"]).compile()
    handle = ets._fknm
    if not np.allclose(ets.qlim, [request["lower"], request["upper"]], rtol=0, atol=1e-12):
        raise ValueError(f"ik_LM has the limits {ets.qlim.tolist()}")
    # E = e^T e / 2 at most this, so that neither the metres nor the radians of e are above the tolerance.
    tol = 0.5 * request["tolerance"] ** 2
    method, k, ilimit, slimit = request["method"], request["k"], request["ilimit"], request["slimit"]

    def solve(T: Array, start: Array) -> Any:
        return IK_LM_c(handle, T, start, ilimit, slimit, tol, True, None, k, method)

    return Solver(lambda q: np.asarray(ets.eval(q)), lambda T: T, solve, lambda found: np.asarray(found[0]) if found[1] else None)


def trac_ik(request: dict[str, Any]) -> Solver:
    """TRAC-IK's two solvers on their two threads, below the interface in Python, which makes a quaternion of each pose."""
    import pytracik

    with open(request["urdf"], encoding="utf-8") as file:
        text = file.read()
    kind = pytracik.SolveType.__members__[request["type"]]
    solver = pytracik.TRAC_IK(request["base"], request["tip"], text, request["timeout"], request["eps"], kind)
    pytracik.set_joint_limits(solver, request["lower"], request["upper"])
    held = pytracik.get_joint_lower_bounds(solver), pytracik.get_joint_upper_bounds(solver)
    if not np.allclose(held, [request["lower"], request["upper"]], rtol=0, atol=1e-6):
        raise ValueError(f"TRAC-IK has the limits {held}")

    def prepared(T: Array) -> Any:
        return *T[:3, 3].tolist(), *quaternion(T[:3, :3]).tolist()

    def solve(pose: Any, start: Array) -> Any:
        return pytracik.ik(solver, start, *pose)

    return Solver(
        lambda q: np.asarray(pytracik.fk(solver, q)), prepared, solve,
        lambda found: np.asarray(found[1:]) if found[0] >= 0 else None,
    )  # fmt: skip


def quaternion(R: Array) -> Array:
    """(x, y, z, w) of a rotation: the eigenvector of Bar-Itzhack's matrix, of which the lower triangle is enough."""
    (a, b, c), (d, e, f), (g, h, i) = R
    K = np.array([[a - e - i, 0, 0, 0], [b + d, e - a - i, 0, 0], [c + g, f + h, i - a - e, 0], [h - f, c - g, d - b, a + e + i]])
    return np.asarray(np.linalg.eigh(K)[1][:, 3])


PEERS: dict[str, Callable[[dict[str, Any]], Solver]] = {"ik_LM": ik_lm, "TRAC-IK": trac_ik}


def solved(solver: Solver, poses: Array, starts: Array) -> dict[str, Any]:
    """Seconds and configuration of each pose."""
    ready = [solver.prepared(T) for T in poses]
    for _ in range(WARM):
        solver.solve(ready[0], starts[0])
    seconds, found = [], []
    for pose, start in zip(ready, starts, strict=True):
        for _ in range(TRIES):
            before = resource.getrusage(resource.RUSAGE_THREAD).ru_nivcsw
            begin = time.perf_counter()
            answer = solver.solve(pose, start)
            took = time.perf_counter() - begin
            if resource.getrusage(resource.RUSAGE_THREAD).ru_nivcsw == before:
                break
        seconds.append(took)
        found.append(answer)
    solutions = [solver.solution(answer) for answer in found]
    return {"seconds": seconds, "q": [None if q is None else q.tolist() for q in solutions]}


def main() -> None:
    made: dict[str, Solver] = {}
    for line in sys.stdin:
        request = json.loads(line)
        key = json.dumps(request["chain"])
        try:
            if key not in made:
                made[key] = PEERS[request["chain"]["peer"]](request["chain"])
            solver = made[key]
            if "Q" in request:
                answer: dict[str, Any] = {"T": [solver.fk(np.array(q)).tolist() for q in request["Q"]]}
            else:
                answer = solved(solver, np.array(request["poses"]), np.array(request["starts"]))
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
