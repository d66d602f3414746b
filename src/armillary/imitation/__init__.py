"""A person's motion: read, understood, and made a robot's."""

from armillary.imitation.bvh import BvhReader, parse_bvh, read_bvh
from armillary.imitation.bvh_writing import bvh_text, write_bvh
from armillary.imitation.capture import Capture, Poses, poses_of
from armillary.imitation.errors import ImitationError, InvalidBvh, UnknownSkeleton
from armillary.imitation.file_motion import FileMotion
from armillary.imitation.given_motion import GivenMotion
from armillary.imitation.imitator import Imitated, Imitation, Imitator, imitate
from armillary.imitation.live import LiveMotion, open_live
from armillary.imitation.matching import Match, match, read_overrides
from armillary.imitation.motion_frame import MotionFrame
from armillary.imitation.motion_source import MotionSource, MotionStatistics
from armillary.imitation.moving_person import moving_person
from armillary.imitation.neuron_capture import neuron_capture
from armillary.imitation.neuron_skeleton import NeuronForm, neuron_skeleton
from armillary.imitation.paper_mapping import PaperMapping
from armillary.imitation.person import Person, Postures
from armillary.imitation.retarget import Followed, Retarget
from armillary.imitation.robot_body import RobotBody, body_of
from armillary.imitation.room import Room, sides_of_bones
from armillary.imitation.skeleton import Bone, Skeleton
from armillary.imitation.smoothing import Smoothing, delay_between
from armillary.imitation.stature import Stature

__all__ = [
    "Bone", "BvhReader", "Capture", "FileMotion", "Followed", "GivenMotion", "Imitated", "Imitation", "ImitationError",
    "Imitator", "InvalidBvh", "LiveMotion", "Match", "MotionFrame", "MotionSource", "MotionStatistics", "NeuronForm",
    "PaperMapping", "Person", "Poses", "Postures", "Retarget", "RobotBody", "Room", "Skeleton", "Smoothing", "Stature",
    "UnknownSkeleton", "body_of", "bvh_text", "delay_between", "imitate", "match", "moving_person", "neuron_capture",
    "neuron_skeleton", "open_live", "parse_bvh", "poses_of", "read_bvh", "read_overrides", "sides_of_bones", "write_bvh",
]  # fmt: skip
