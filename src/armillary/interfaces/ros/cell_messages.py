"""What a cell does, as ROS messages."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.interfaces.ros.tracked_base import BasePose
from armillary.model import Model
from armillary.runtime import State
from armillary.runtime.recording_frames import Frames
from armillary.spatial import quaternions_from_rotations

__all__ = ["CellMessages", "seconds", "time_message"]

Array = NDArray[np.float64]
Message = dict[str, Any]
_OK, _WARN, _ERROR = range(3)  # of diagnostics
_LOG_ERROR = 8
_ODOM = "odom"  # the frame in which a base moves


def time_message(seconds: float) -> dict[str, int]:
    """A time or a duration that is not negative, as ROS 1 has it."""
    nanoseconds = round(max(seconds, 0.0) * 1e9)
    return {"secs": nanoseconds // 1_000_000_000, "nsecs": nanoseconds % 1_000_000_000}


def seconds(message: Any) -> float:
    """A time of ROS [s]."""
    return float(message["secs"]) + 1e-9 * float(message["nsecs"])


class CellMessages:
    """Makes messages of the records that the executor writes."""

    def __init__(self, model: Model) -> None:
        self._model, self._frames = model, Frames(model)
        self._names = list(model.joints)
        self._seq = 0

    def stamp(self, record: Any) -> float:
        """When a record was made, as ROS counts time [s]."""
        return float(record["time"]) + time.time() - time.monotonic()

    def header(self, at: float, frame: str = "") -> Message:
        self._seq += 1
        return {"seq": self._seq & 0xFFFFFFFF, "stamp": time_message(at), "frame_id": frame}

    def measured(self, record: Any, at: float) -> Message:
        """JointState."""
        values = {"position": record["measured_q"], "velocity": record["measured_v"], "effort": record["measured_torque"]}
        return {"header": self.header(at), "name": self._names, **values}

    def commanded(self, record: Any, at: float) -> Message:
        """JointState."""
        values = {"position": record["q"], "velocity": record["v"], "effort": record["torque"]}
        return {"header": self.header(at), "name": self._names, **values}

    def feedback(self, record: Any, at: float, since: float = 0.0) -> Message:
        """FollowJointTrajectoryFeedback.

        Args:
            since: The beginning of the motion [s before now].
        """
        pairs = (("q", "measured_q"), ("v", "measured_v"), ("a", "measured_a"))
        desired, actual = ([record[pair[k]] for pair in pairs] for k in range(2))
        return {
            "header": self.header(at), "joint_names": self._names,
            "desired": _point(desired, since), "actual": _point(actual, since),
            "error": _point([a - b for a, b in zip(desired, actual, strict=True)], since),
        }  # fmt: skip

    def transforms(self, record: Any, at: float, base: BasePose | None = None) -> Message:
        """TFMessage of what moves: the root in "odom" too, where it has a base that does."""
        return self._tf(record["measured_q"], self._frames.moving, at, base)

    def static_transforms(self, at: float, base: BasePose | None = None) -> Message:
        """TFMessage of what does not: the root in "odom" too, where it stands."""
        return self._tf(np.zeros(self._model.n), self._frames.fixed, at, base)

    def odometry(self, at: float, base: BasePose, velocity: tuple[float, float] = (0.0, 0.0)) -> Message:
        """Odometry of the root.

        Args:
            base: Where it is. velocity: Forward [m/s] and turning [rad/s].
        """
        forward, turn = velocity
        twist = {"linear": _vector((forward, 0.0, 0.0)), "angular": _vector((0.0, 0.0, turn))}
        pose = {"position": _vector((base.x, base.y, 0.0)), "orientation": _heading(base)}
        return {
            "header": self.header(at, _ODOM), "child_frame_id": self._model.spec.robot.root.name,
            "pose": {"pose": pose, "covariance": np.zeros(36)}, "twist": {"twist": twist, "covariance": np.zeros(36)},
        }  # fmt: skip

    def clock(self, at: float) -> Message:
        return {"clock": time_message(at)}

    def diagnostics(self, record: Any, at: float, who: str, granted: str) -> Message:
        """DiagnosticArray.

        Args:
            who: Has control, or "". granted: What the executor got of real time.
        """
        state, fault = State(int(record["state"])), bytes(record["fault"]).decode(errors="replace")
        level = _ERROR if fault else _WARN if not record["certified"] else _OK
        said = fault or ("an external master moves it, uncertified" if level == _WARN else state.name.lower())
        values = {
            "state": state.name, "fault": fault, "control": who or "nobody", "certified": str(bool(record["certified"])).lower(),
            "override": f"{float(record['rate']):.3g}", "progress": f"{float(record['progress']):.3f}",
            "late_us": f"{1e6 * float(record['late']):.1f}", "latest_ms": f"{1e3 * float(record['latest']):.3f}",
            "overruns": str(int(record["overruns"])), "real_time": granted,
        }  # fmt: skip
        return {
            "header": self.header(at),
            "status": [{
                "level": level, "name": "armillary: cell", "message": said, "hardware_id": self._model.spec.robot.name,
                "values": [{"key": key, "value": value} for key, value in values.items()],
            }],
        }  # fmt: skip

    def robot_status(self, record: Any, at: float, automatic: bool | None = None) -> Message:
        """RobotStatus of ROS-Industrial: 1 yes, 0 no, -1 not known."""
        state = State(int(record["state"]))
        powered = state in (State.READY, State.MOVING, State.HOLDING)
        return {
            "header": self.header(at), "mode": {"val": -1 if automatic is None else 2 if automatic else 1},
            "e_stopped": {"val": -1},  # whatever stops the drives beside us is not known here
            "drives_powered": {"val": int(powered)}, "motion_possible": {"val": int(powered)},
            "in_motion": {"val": int(bool(record["moves"]))}, "in_error": {"val": int(state == State.FAULTED)},
            "error_code": int(state == State.FAULTED),
        }  # fmt: skip

    def person(self, record: Any) -> Message:
        """Float64MultiArray: the channels of a person's frame, as the suit sends them."""
        values = record["values"][: int(record["count"])].copy()
        dim = {"label": "channels", "size": len(values), "stride": len(values)}
        return {"layout": {"dim": [dim], "data_offset": 0}, "data": values}

    def log(self, text: str, name: str) -> Message:
        """Log, of something that went wrong."""
        return {
            "header": self.header(time.time()), "level": _LOG_ERROR, "name": name, "msg": text, "file": "", "function": "",
            "line": 0, "topics": [],
        }  # fmt: skip

    def _tf(self, q: Array, names: list[str], at: float, base: BasePose | None) -> Message:
        T = self._frames.poses(q, names)
        quaternions = quaternions_from_rotations(T[:, :3, :3])
        stamp = time_message(at)
        found = [
            {
                "header": {"seq": 0, "stamp": stamp, "frame_id": self._frames.parents[name]}, "child_frame_id": name,
                "transform": {"translation": _vector(pose[:3, 3]), "rotation": _turn(quaternion)},
            }
            for name, pose, quaternion in zip(names, T, quaternions, strict=True)
        ]  # fmt: skip
        if base is not None and self._model.spec.robot.root.name != _ODOM:  # which some descriptions begin with
            found.insert(0, {
                "header": {"seq": 0, "stamp": stamp, "frame_id": _ODOM}, "child_frame_id": self._model.spec.robot.root.name,
                "transform": {"translation": _vector((base.x, base.y, 0.0)), "rotation": _heading(base)},
            })  # fmt: skip
        return {"transforms": found}


def _point(values: Sequence[Array], since: float) -> Message:
    q, v, a = values
    return {
        "positions": q, "velocities": v, "accelerations": a, "effort": np.zeros(0), "time_from_start": time_message(since),
    }  # fmt: skip


def _vector(values: Sequence[float] | Array) -> dict[str, float]:
    return {name: float(value) for name, value in zip("xyz", values, strict=True)}


def _heading(base: BasePose) -> dict[str, float]:
    return {"x": 0.0, "y": 0.0, "z": float(np.sin(0.5 * base.heading)), "w": float(np.cos(0.5 * base.heading))}


def _turn(quaternion: Any) -> dict[str, float]:
    w, x, y, z = (float(value) for value in quaternion)
    return {"x": x, "y": y, "z": z, "w": w}
