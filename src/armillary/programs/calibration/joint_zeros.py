"""Where the joints' zeros are: by mechanical marks, or by touching one fixed point in many configurations.

An offset is what must be added to a joint's reading: the joint is at q + offset where the encoders say q.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.description.cell import Actuation
from armillary.model import Model, coupling_from, frame_jacobian_batch, frame_pose_batch, valid_batch
from armillary.programs.calibration.errors import BadCalibration, Undetermined
from armillary.programs.calibration.residuals import Residuals

__all__ = ["ZeroCalibration", "motor_zeros", "zeros_by_marks", "zeros_by_touching"]

Array = NDArray[np.float64]
_WEAK = 0.02  # of the best known direction: below it nothing is said of one
_LEAST = 0.01  # m per rad, or m per m, by which touches must go apart with an offset (RMS): below it nothing is said of it either
_MINE = 0.1  # share of a joint in directions that are not known, above which it is not known itself
_ROUNDS = 20
_LARGEST = 0.5  # rad or m: more than that is no offset but another robot


@dataclass(frozen=True, eq=False)
class ZeroCalibration:
    """Offsets of joints.

    Attributes:
        joints: Their names.
        offsets: What must be added to their readings, shape (n,) [rad or m]; 0 for those that are not known.
        determined: Which of them the measurements tell, shape (n,).
        uncertainty: Standard deviation of each by the residuals, shape (n,) [rad or m]; NaN where it is not known.
        before, after: How far the touches were from one point without the offsets, and with them; None by marks.
    """

    joints: tuple[str, ...]
    offsets: Array
    determined: NDArray[np.bool_]
    uncertainty: Array
    before: Residuals | None = None
    after: Residuals | None = None

    @property
    def unknown(self) -> tuple[str, ...]:
        """Joints that the measurements say nothing of."""
        return tuple(joint for joint, known in zip(self.joints, self.determined, strict=True) if not known)


def zeros_by_marks(model: Model, read: Array, marked: Array) -> ZeroCalibration:
    """Offsets from one known pose: the joints stand on their marks.

    Args:
        read: What the encoders say there, shape (n,) [rad or m].
        marked: Where the marks are, shape (n,).

    Raises:
        BadCalibration: They are further apart than any offset can be.
    """
    offsets = model.valid(marked, "the marks") - model.valid(read, "the reading")
    largest = int(np.abs(offsets).argmax())
    if abs(offsets[largest]) > _LARGEST:
        raise BadCalibration(
            f"{model.joints[largest]} reads {abs(offsets[largest]):.3g} away from its mark; bring it onto the mark first"
        )
    return ZeroCalibration(model.joints, offsets, np.ones(model.n, dtype=bool), np.full(model.n, np.nan))


def zeros_by_touching(model: Model, Q: Array, *, tip: str = "", tool_known: bool = True) -> ZeroCalibration:
    """Offsets with which the tip is at one point in every configuration, by least squares.

    What the touches do not tell stays 0: a joint about the robot's first axis never shows, nor does one whose axis goes through
    the tip.

    Args:
        Q: What the encoders said at each touch, shape (k, n), of one fixed point.
        tip: The frame that touched; the model's tool where left out.
        tool_known: Whether the tip's place on the last link is exact; otherwise it is looked for as well.

    Raises:
        BadCalibration: Too few configurations.
        Undetermined: They tell nothing of any joint, or no offsets bring them together.
    """
    Q = valid_batch(model, Q)
    tip, extra = tip or model.tip, 0 if tool_known else 3
    if 3 * (len(Q) - 1) < model.n + extra:
        least = 1 + -(-(model.n + extra) // 3)
        raise BadCalibration(f"{len(Q)} touches are too few for {model.n} joints; {least} at least, and better twice as many")
    nothing = np.zeros(model.n + 3)
    determined = _determined(_matrix(model, Q, tip, nothing, tool_known), model.n)
    moved = np.concatenate([determined, np.full(extra, True), np.full(3 - extra, False)])
    before, unknowns = _centred(_places(model, Q, tip, nothing)), nothing.copy()
    for _ in range(_ROUNDS):
        J = _matrix(model, Q, tip, unknowns, tool_known)[:, moved[: model.n + extra]]
        off = _centred(_places(model, Q, tip, unknowns))
        step = np.linalg.lstsq(J, -off.ravel(), rcond=None)[0]
        unknowns[moved] += step
        if not np.abs(unknowns).max() < _LARGEST:
            raise Undetermined("no offsets bring the touches together; look for one that touched another point, or slipped")
        if np.abs(step).max() < 1e-12:
            break
    after = _centred(_places(model, Q, tip, unknowns))
    freedom = max(after.size - 3 - int(moved.sum()), 1)
    spread = np.full(model.n + 3, np.nan)
    spread[moved] = np.sqrt(np.diag(np.linalg.pinv(J.T @ J)) * (after**2).sum() / freedom)
    return ZeroCalibration(
        model.joints, unknowns[: model.n], determined, spread[: model.n],
        Residuals(np.linalg.norm(before, axis=1)), Residuals(np.linalg.norm(after, axis=1)),
    )  # fmt: skip


def _determined(J: Array, n: int) -> NDArray[np.bool_]:
    """Which of the first n unknowns the measurements tell: those that have no part in a direction along which nothing changes."""
    _, sizes, V = np.linalg.svd(J, full_matrices=True)
    known = np.zeros(len(V), dtype=bool)
    known[: len(sizes)] = sizes > max(_WEAK * sizes[0], _LEAST * np.sqrt(len(J) / 3))
    found = np.sqrt((V[~known] ** 2).sum(axis=0))[:n] < _MINE
    if not found.any():
        raise Undetermined("the touches tell nothing of any joint; touch the point in configurations that differ much more")
    return np.asarray(found)


def _places(model: Model, Q: Array, tip: str, unknowns: Array) -> Array:
    """Where the tip is with offsets (n) and moved on its link by so much (3). Shape (k, 3) [m]."""
    T = frame_pose_batch(model, Q + unknowns[: model.n], tip)
    return np.asarray(T[:, :3, 3] + T[:, :3, :3] @ unknowns[model.n :])


def _centred(values: Array) -> Array:
    """Without what all share: the fixed point itself is not known."""
    return np.asarray(values - values.mean(axis=0))


def _matrix(model: Model, Q: Array, tip: str, unknowns: Array, tool_known: bool) -> Array:
    """How the places change with the unknowns, without what they share. Shape (3 k, n), or (3 k, n + 3) where the tip is one."""
    Q, shift = Q + unknowns[: model.n], unknowns[model.n :]
    whole, T = frame_jacobian_batch(model, Q, tip), frame_pose_batch(model, Q, tip)
    J = whole[:, :3] + np.cross(whole[:, 3:], (T[:, :3, :3] @ shift)[:, :, None], axis=1)
    if not tool_known:
        J = np.concatenate([J, T[:, :3, :3]], axis=2)
    return _centred(J).reshape(3 * len(Q), -1)


def motor_zeros(actuation: Actuation, joints: tuple[str, ...], offsets: Array) -> Array:
    """a0 of a = K Ja q + a0 with the offsets in it, shape (m,) [counts], in the order of the actuation.

    The counts stay what they are, and the joints are at q + offset: a0 becomes a0 - K Ja offset.

    Raises:
        BadCalibration: An offset of a joint that no motor of the cell moves.
    """
    given = dict(zip(joints, np.asarray(offsets, dtype=float), strict=True))
    lost = [joint for joint, value in given.items() if value != 0.0 and joint not in actuation.joints]
    if lost:
        raise BadCalibration(f"the cell's [actuation] does not name {', '.join(lost)}; name it there, with its counts")
    coupling = coupling_from(actuation)
    by = np.array([given.get(joint, 0.0) for joint in actuation.joints])
    return np.asarray(coupling.zero - coupling.matrix @ by)
