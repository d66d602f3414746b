"""A person's motion: read, understood, and made a robot's."""

from armillary.imitation.bvh import BvhReader, parse_bvh, read_bvh
from armillary.imitation.bvh_writing import bvh_text, write_bvh
from armillary.imitation.capture import Capture, Poses, poses_of
from armillary.imitation.errors import ImitationError, InvalidBvh, UnknownSkeleton
from armillary.imitation.matching import Match, match, read_overrides
from armillary.imitation.person import Person, Postures
from armillary.imitation.skeleton import Bone, Skeleton
from armillary.imitation.stature import Stature

__all__ = [
    "Bone", "BvhReader", "Capture", "ImitationError", "InvalidBvh", "Match", "Person", "Poses", "Postures", "Skeleton", "Stature",
    "UnknownSkeleton", "bvh_text", "match", "parse_bvh", "poses_of", "read_bvh", "read_overrides", "write_bvh",
]  # fmt: skip
