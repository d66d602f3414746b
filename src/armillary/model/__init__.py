"""What follows from a robot's description, exactly and fast: kinematics, dynamics, collision, actuation."""

from armillary.model.actuation import ActuatorLimits, Coupling, OneWay, coupling_from
from armillary.model.batch import frame_jacobian_batch, frame_pose_batch, inverse_dynamics_batch, split_rows, valid_batch
from armillary.model.collision import Contact, Nearest, Scene
from armillary.model.dynamics import (
    centre_of_mass,
    coriolis_matrix,
    forward_dynamics,
    gravity_torque,
    inverse_dynamics,
    kinetic_energy,
    mass_matrix,
    passive_torque,
    potential_energy,
)
from armillary.model.errors import (
    BadConfiguration,
    CollisionError,
    ModelError,
    SingularActuation,
    UnknownFrame,
    UnknownJoint,
    UnknownObstacle,
)
from armillary.model.kinematics import (
    Reference,
    frame_jacobian,
    frame_jacobian_rate,
    frame_pose,
    frame_poses,
    frame_twist,
    manipulability,
    singular_values,
)
from armillary.model.model import GRAVITY, Model, ModelSpec, build_model, cell_model, load_model
from armillary.model.pairs import PairSearch

__all__ = [
    "GRAVITY",
    "ActuatorLimits",
    "BadConfiguration",
    "CollisionError",
    "Contact",
    "Coupling",
    "Model",
    "ModelError",
    "ModelSpec",
    "Nearest",
    "OneWay",
    "PairSearch",
    "Reference",
    "Scene",
    "SingularActuation",
    "UnknownFrame",
    "UnknownJoint",
    "UnknownObstacle",
    "build_model",
    "cell_model",
    "centre_of_mass",
    "coriolis_matrix",
    "coupling_from",
    "forward_dynamics",
    "frame_jacobian",
    "frame_jacobian_batch",
    "frame_jacobian_rate",
    "frame_pose",
    "frame_pose_batch",
    "frame_poses",
    "frame_twist",
    "gravity_torque",
    "inverse_dynamics",
    "inverse_dynamics_batch",
    "kinetic_energy",
    "load_model",
    "manipulability",
    "mass_matrix",
    "passive_torque",
    "potential_energy",
    "singular_values",
    "split_rows",
    "valid_batch",
]
