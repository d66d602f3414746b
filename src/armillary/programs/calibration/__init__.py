"""Calibration: a tool's tip, a user's frame and the joints' zeros from what the robot touched; and where the results are kept."""

from armillary.programs.calibration.calibration_store import CalibrationRecord, CalibrationStore, newest_offsets
from armillary.programs.calibration.cell_lines import CellLines, frame_lines, tool_lines, with_lines, zero_lines
from armillary.programs.calibration.configurations import flange_of, read_configurations, tip_poses
from armillary.programs.calibration.errors import BadCalibration, Undetermined
from armillary.programs.calibration.joint_zeros import ZeroCalibration, motor_zeros, zeros_by_marks, zeros_by_touching
from armillary.programs.calibration.residuals import Residuals
from armillary.programs.calibration.tool_calibration import ToolCalibration, calibrate_tool, tool_rotation
from armillary.programs.calibration.user_frame import FrameCalibration, fit_frame, frame_from_points

__all__ = [
    "BadCalibration", "CalibrationRecord", "CalibrationStore", "CellLines", "FrameCalibration", "Residuals",
    "ToolCalibration", "Undetermined", "ZeroCalibration", "calibrate_tool", "fit_frame", "flange_of", "frame_from_points",
    "frame_lines", "motor_zeros", "newest_offsets", "read_configurations", "tip_poses", "tool_lines", "tool_rotation",
    "with_lines", "zero_lines", "zeros_by_marks", "zeros_by_touching",
]  # fmt: skip
