"""Motion: paths of joints and tool, their timing, ways around obstacles, and the proof that a trajectory keeps its limits."""

from armillary.motion.cell_bounds import bounds_of, scene_of
from armillary.motion.certificate import Bounds, Certificate, Violation, certify
from armillary.motion.errors import BadMotion, MotionError, NoMotion
from armillary.motion.joint_path import JointPath, joint_line, joint_polyline, joint_spline
from armillary.motion.limits import MotionLimits, limits_of
from armillary.motion.look_ahead import LookAhead
from armillary.motion.pace import Pace
from armillary.motion.plan import (
    Plan,
    Profile,
    known_profiles,
    plan_around,
    plan_joints,
    plan_spline,
    plan_to_pose,
    plan_tool,
    retarget,
    tool_pose,
)
from armillary.motion.planners import FreePath, find_free_path, known_planners
from armillary.motion.profiles import jerk_limited_to
from armillary.motion.refine import ESTIMATES, refine
from armillary.motion.resolve import ResolvedPath, resolve
from armillary.motion.segment import Segment
from armillary.motion.set_point_filter import SetPointFilter
from armillary.motion.timing import time_path
from armillary.motion.tool_path import ToolPath, arc_about, arc_through, circle_through, line, moved, polyline, rounded, spline
from armillary.motion.trajectory import Extrema, State, Trajectory, join, quintic_through

__all__ = [
    "ESTIMATES",
    "BadMotion",
    "Bounds",
    "Certificate",
    "Extrema",
    "FreePath",
    "JointPath",
    "LookAhead",
    "MotionError",
    "MotionLimits",
    "NoMotion",
    "Pace",
    "Plan",
    "Profile",
    "ResolvedPath",
    "Segment",
    "SetPointFilter",
    "State",
    "ToolPath",
    "Trajectory",
    "Violation",
    "arc_about",
    "arc_through",
    "bounds_of",
    "certify",
    "circle_through",
    "find_free_path",
    "jerk_limited_to",
    "join",
    "joint_line",
    "joint_polyline",
    "joint_spline",
    "known_planners",
    "known_profiles",
    "limits_of",
    "line",
    "moved",
    "plan_around",
    "plan_joints",
    "plan_spline",
    "plan_to_pose",
    "plan_tool",
    "polyline",
    "quintic_through",
    "refine",
    "resolve",
    "retarget",
    "rounded",
    "scene_of",
    "spline",
    "time_path",
    "tool_pose",
]
