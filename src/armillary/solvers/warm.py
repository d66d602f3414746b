"""Compile, or load, all that is compiled here before a motion needs it."""

from collections.abc import Callable

import numpy as np

from armillary.model import load_model
from armillary.model.compiled import is_compiled
from armillary.solvers.batch import solve_ik_batch
from armillary.solvers.chain import chain_between
from armillary.solvers.differential import Jog
from armillary.solvers.ik import solve_ik
from armillary.solvers.kernels import search
from armillary.solvers.path import solve_path
from armillary.solvers.target import Hold
from armillary.spatial import transform

__all__ = ["needs_compiling", "warm_up"]


def needs_compiling() -> bool:
    """Whether the solvers have never been compiled on this machine, so that the first use takes long."""
    return not is_compiled(search)


def warm_up(say: Callable[[str], None] | None = None) -> None:
    """Have every solver ready: the first time on a machine they are compiled (half a minute), later they are loaded (a second).

    Args:
        say: Told what is done next, for a line of progress.
    """
    model = load_model("cobot6")
    q = np.array([0.1, 1.2, -1.6, -1.1, -1.2, 0.3])
    chain = chain_between(model, "", model.tip)
    T = chain.pose(q)
    steps: list[tuple[str, Callable[[], object]]] = [
        ("the numeric solver", lambda: solve_ik(model, T, seed=q + 0.1, method="numeric")),
        ("poses held in part", lambda: [solve_ik(model, T, seed=q + 0.1, hold=Hold.axis(name)) for name in "xyz"]),
        ("the closed form", lambda: solve_ik(model, T, seed=q)),
        ("what holds a pose", lambda: solve_ik(model, transform(np.eye(3), (9.0, 0.0, 0.0)), seed=q, budget=0.002)),
        ("many poses at once", lambda: solve_ik_batch(model, T[None], seeds=q)),
        ("paths", lambda: solve_path(model, np.array([T, T]), seed=q)),
        ("jogging", lambda: Jog(model).step(q, np.array([0.1, 0.0, 0.0, 0.0, 0.0, 0.0]))),
    ]
    for number, (name, run) in enumerate(steps):
        if say is not None:
            say(f"getting the solvers ready, {number + 1} of {len(steps)}: {name}")
        run()
