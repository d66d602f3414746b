"""A person's motion: read, understood, and made a robot's."""

from armillary.imitation.bvh import BvhReader, parse_bvh, read_bvh
from armillary.imitation.bvh_writing import bvh_text, write_bvh
from armillary.imitation.capture import Capture, Poses, poses_of
from armillary.imitation.errors import ImitationError, InvalidBvh
from armillary.imitation.skeleton import Bone, Skeleton

__all__ = [
    "Bone", "BvhReader", "Capture", "ImitationError", "InvalidBvh", "Poses", "Skeleton", "bvh_text", "parse_bvh", "poses_of",
    "read_bvh", "write_bvh",
]  # fmt: skip
