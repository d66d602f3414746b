"""What is in a recording: its topics, what it is of, and the layout of what is written in every tick."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields

import numpy as np

from armillary.drivers.driver import MOST_ANALOG
from armillary.protocols.cdr import FixedLayout

__all__ = [
    "METADATA", "POINT", "TOPICS", "RecordingAbout", "controller_state_layout", "inputs_outputs_layout", "tick_layout",
]  # fmt: skip


METADATA = "armillary"  # the name of the MCAP metadata that makes a file ours
TOPICS = {
    "/robot_description": "std_msgs/msg/String",
    "/tf_static": "tf2_msgs/msg/TFMessage",
    "/controller_state": "control_msgs/msg/JointTrajectoryControllerState",
    "/tick": "armillary_msgs/msg/Tick",
    "/joint_states": "sensor_msgs/msg/JointState",
    "/tf": "tf2_msgs/msg/TFMessage",
    "/diagnostics": "diagnostic_msgs/msg/DiagnosticArray",
    "/events": "armillary_msgs/msg/Event",
    "/joint_trajectory": "trajectory_msgs/msg/JointTrajectory",
    "/motion_pieces": "armillary_msgs/msg/MotionPiece",
    "/io": "armillary_msgs/msg/InputsOutputs",
}
POINT = ("positions", "velocities", "accelerations", "effort")


@dataclass(frozen=True)
class RecordingAbout:
    """What a recording is of.

    Attributes:
        robot: The robot's name. joints: The commanded joints, in the order of every q.
        digest: Of the model (`Model.digest`).
        description: The robot as URDF text.
        started_ns: When the recording was begun [ns, wall time].
        epoch_ns: When the clock of the records was zero [ns, wall time].
        period: Of the ticks [s].
        source, group: Of the model, as for `load_model`.
        lock_step: Whether time was counted and not measured.
        part: Which file of the run it is, from 0.
    """

    robot: str
    joints: tuple[str, ...]
    digest: str = ""
    description: str = ""
    started_ns: int = 0
    epoch_ns: int = 0
    period: float = 0.001
    source: str = ""
    group: str = ""
    lock_step: bool = False
    part: int = 0

    def values(self) -> dict[str, str]:
        """As MCAP's metadata: all but the description, each as JSON."""
        return {name: json.dumps(value) for name, value in asdict(self).items() if name != "description"}

    @classmethod
    def from_values(cls, values: Mapping[str, str], description: str = "") -> "RecordingAbout":
        """Raises:
        ValueError, TypeError: They are not from `values`.
        """
        names = {field.name for field in fields(cls)}
        found = {name: json.loads(text) for name, text in values.items() if name in names}
        return cls(**{**found, "joints": tuple(found["joints"]), "description": description})


def controller_state_layout(joints: Sequence[str]) -> FixedLayout:
    """/controller_state of a robot. What a controller puts out besides its reference is left empty."""
    point = {name: np.zeros(len(joints)) for name in POINT}
    example = {"joint_names": list(joints), "reference": point, "feedback": point, "error": point}
    return FixedLayout(TOPICS["/controller_state"], example)


def tick_layout(source: str) -> FixedLayout:
    """/tick, for one source line."""
    return FixedLayout(TOPICS["/tick"], {"source": source})


def inputs_outputs_layout() -> FixedLayout:
    """/io: digital ones bit by bit, analogue ones in their own units, NaN where there is none."""
    example = {"analog_inputs": np.zeros(MOST_ANALOG), "analog_outputs": np.zeros(MOST_ANALOG)}
    return FixedLayout(TOPICS["/io"], example)
