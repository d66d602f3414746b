"""Teach and playback: points and paths that were taught, kept safely, played back proven, and made into programs."""

from armillary.programs.teach.conversion import to_gcode, to_script
from armillary.programs.teach.errors import BadName, BadStore, NameTaken, NoPlayback, NoSuchName, TeachError
from armillary.programs.teach.path_points import corners_of, fewest_points
from armillary.programs.teach.playback import Playback, plan_playback
from armillary.programs.teach.point_name import checked_name
from armillary.programs.teach.point_store import PointStore
from armillary.programs.teach.recorded_path import PathRecorder, PathStore, RecordedPath
from armillary.programs.teach.sequence import TaughtMove, read_sequence, sequence_commands
from armillary.programs.teach.store import Store
from armillary.programs.teach.store_place import store_place, stores_folder
from armillary.programs.teach.taught_point import PointChange, TaughtPoint, point_at

__all__ = [
    "BadName", "BadStore", "NameTaken", "NoPlayback", "NoSuchName", "PathRecorder", "PathStore", "Playback", "PointChange",
    "PointStore", "RecordedPath", "Store", "TaughtMove", "TaughtPoint", "TeachError", "checked_name", "corners_of",
    "fewest_points", "plan_playback", "point_at", "read_sequence", "sequence_commands", "store_place", "stores_folder",
    "to_gcode", "to_script",
]  # fmt: skip
