"""Reading robots and cells: URDF, xacro, SRDF, DH tables and cell.toml to plain values, every problem named."""

from armillary.description.cell import CellDescription
from armillary.description.cell_fit import FittedCell, fit_cell, open_cell
from armillary.description.cell_reader import read_cell
from armillary.description.check import Repaired, check_robot, repair_robot
from armillary.description.dh import DhRow, DhTable, dh_transform, read_dh, robot_from_dh
from armillary.description.errors import (
    DescriptionError,
    ExtraMissing,
    InvalidCell,
    InvalidRobot,
    UnknownName,
    UnknownRobot,
    UnreadableFile,
    UntrustedXacro,
    XacroFailed,
)
from armillary.description.geometry import Box, Capsule, Cylinder, Geometry, Material, Mesh, Pose, Sphere
from armillary.description.kinds import KINDS, Kind, Severity
from armillary.description.library import KnownRobot, find_robot, known_robots
from armillary.description.limits import JointLimits, joint_limits
from armillary.description.problem import Problem, Repair
from armillary.description.proposal import Proposal, propose_cell, propose_groups
from armillary.description.robot import Inertial, Joint, JointType, Limits, Link, Mimic, Robot
from armillary.description.semantics import Group, NamedState, Semantics
from armillary.description.source import read_robot, read_source
from armillary.description.srdf import read_srdf, write_srdf
from armillary.description.urdf.reader import Reading, read_urdf_text
from armillary.description.urdf.writer import write_urdf
from armillary.description.world import Obstacle, World, read_world

__all__ = [
    "KINDS",
    "Box",
    "Capsule",
    "CellDescription",
    "Cylinder",
    "DescriptionError",
    "DhRow",
    "DhTable",
    "ExtraMissing",
    "FittedCell",
    "Geometry",
    "Group",
    "Inertial",
    "InvalidCell",
    "InvalidRobot",
    "Joint",
    "JointLimits",
    "JointType",
    "Kind",
    "KnownRobot",
    "Limits",
    "Link",
    "Material",
    "Mesh",
    "Mimic",
    "NamedState",
    "Obstacle",
    "Pose",
    "Problem",
    "Proposal",
    "Reading",
    "Repair",
    "Repaired",
    "Robot",
    "Semantics",
    "Severity",
    "Sphere",
    "UnknownName",
    "UnknownRobot",
    "UnreadableFile",
    "UntrustedXacro",
    "World",
    "XacroFailed",
    "check_robot",
    "dh_transform",
    "find_robot",
    "fit_cell",
    "joint_limits",
    "known_robots",
    "open_cell",
    "propose_cell",
    "propose_groups",
    "read_cell",
    "read_dh",
    "read_robot",
    "read_source",
    "read_srdf",
    "read_urdf_text",
    "read_world",
    "repair_robot",
    "robot_from_dh",
    "write_srdf",
    "write_urdf",
]
