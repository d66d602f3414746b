"""Which of a six-joint arm's postures a configuration is: shoulder, elbow, wrist.

Each is the sign of a quantity that is zero exactly where that part is singular, so that a motion which passes no singularity
keeps its branch. They are told from where the axes are, and so are the same for a spherical wrist and for three parallel axes:

shoulder  front or back: the crossing of the last two axes lies before or behind the plane of axes 1 and 2
elbow     up or down: axis 3 lies above or below the line from axis 2 to the wrist, as seen when the arm reaches forward
wrist     plain or flipped: the side to which axis 5 bends axis 6 out of axis 4
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.solvers.chain import Chain
from armillary.solvers.errors import SolverError

__all__ = ["Branch", "branch_of", "has_branches"]

Array = NDArray[np.float64]
_CLOSE = 1e-6
_NAMES = (("front", "back"), ("up", "down"), ("plain", "flipped"))


@dataclass(frozen=True)
class Branch:
    """Shoulder ("front" or "back"), elbow ("up" or "down") and wrist ("plain" or "flipped")."""

    shoulder: str
    elbow: str
    wrist: str

    @staticmethod
    def read(text: str) -> "Branch":
        """As it is printed: "front, up, plain"."""
        words = text.replace(",", " ").split()
        if len(words) != 3 or any(word not in names for word, names in zip(words, _NAMES, strict=True)):
            raise SolverError(f"'{text}' is no branch; give front or back, up or down, plain or flipped: \"front, up, plain\"")
        return Branch(*words)

    def __str__(self) -> str:
        return f"{self.shoulder}, {self.elbow}, {self.wrist}"


def has_branches(chain: Chain) -> bool:
    """Whether the names mean something: six turning joints, axes 2 and 3 parallel, 5 and 6 crossing, 4 parallel or crossing."""
    if chain.n != 6 or not chain.plain or chain.kind[:, 0].any():
        return False
    z, p = chain.axes(np.array([0.3, 0.5, 0.7, 0.4, 0.6, 0.2]))
    across = np.cross(z[4], z[5])
    if np.linalg.norm(across) < 0.1:
        return False
    centre = _crossing(p[4], z[4], p[5], z[5])
    spherical = np.linalg.norm(np.cross(centre - p[3], z[3])) < _CLOSE  # axis 4 passes the crossing of 5 and 6
    parallel = np.abs(np.cross(z[2], z[3])).max() < _CLOSE
    if not (spherical or parallel):
        return False
    return bool(
        np.abs(np.cross(z[1], z[2])).max() < _CLOSE
        and np.linalg.norm(np.cross(z[0], z[1])) > 0.5
        and abs(np.dot(p[5] - p[4], across)) < _CLOSE
    )


def branch_of(chain: Chain, q: Array) -> Branch:
    """The branch of a configuration of the chain, shape (6,); `has_branches` must be true of it."""
    z, p = chain.axes(q)
    centre = _crossing(p[4], z[4], p[5], z[5])
    wrist_at = p[3] if np.abs(np.cross(z[2], z[3])).max() < _CLOSE else centre
    ahead = np.cross(z[0], z[1])
    front = float(np.dot(centre - p[0], ahead)) >= 0
    towards = ahead if front else -ahead
    # In the plane of the arm, across axis 2: which side of the line to the wrist the elbow is on.
    line, elbow = wrist_at - p[1], p[2] - p[1]
    rise = (line @ towards) * (elbow @ z[0]) - (line @ z[0]) * (elbow @ towards)
    bend = float(np.dot(np.cross(z[3], z[5]), z[4]))
    return Branch("front" if front else "back", "up" if rise >= 0 else "down", "plain" if bend >= 0 else "flipped")


def _crossing(p: Array, u: Array, q: Array, v: Array) -> Array:
    """Where two lines that are not parallel cross: the point of the first that is nearest to the second."""
    gap, b = q - p, u @ v
    t = (gap @ u - b * (gap @ v)) / (1.0 - b * b)
    return p + t * u
