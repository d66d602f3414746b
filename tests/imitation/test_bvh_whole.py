"""BVH files that are cut, odd or huge: what is taken of them is theirs, and where they break is said."""

from pathlib import Path

import numpy as np
import pytest

from armillary.imitation import (
    Bone,
    BvhReader,
    Capture,
    ImitationError,
    InvalidBvh,
    Skeleton,
    UnknownSkeleton,
    bvh_text,
    match,
    parse_bvh,
    read_bvh,
)  # fmt: skip
from tests.imitation.bodies import FAMILIES, body, motion

ROTATIONS = ("Zrotation", "Xrotation", "Yrotation")
HEAD = (
    b"HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n"
    b"MOTION\nFrames: 3\nFrame Time: 0.01\n"
)
LINES = HEAD.count(b"\n")


def breadth_first() -> Skeleton:
    """Hips, two legs, then what hangs on the legs: no bone is right behind its parent but the first."""
    offset = np.array([1.0, 0.0, 0.0])
    parents = {"hips": -1, "left": 0, "right": 0, "left_end": 1, "right_end": 2}
    return Skeleton(tuple(Bone(name, parent, offset, ROTATIONS) for name, parent in parents.items()))


def test_a_skeleton_in_any_order_is_written_with_its_numbers() -> None:
    skeleton = breadth_first()
    values = np.arange(15.0)[None]
    again = parse_bvh(bvh_text(Capture(skeleton, values, 0.01)).encode())
    assert again.skeleton.names == ("hips", "left", "left_end", "right", "right_end")
    for name in skeleton.names:
        before, after = 3 * skeleton.index(name), 3 * again.skeleton.index(name)
        assert np.array_equal(again.values[0, after : after + 3], values[0, before : before + 3]), name


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_no_number_is_not_written(value: float) -> None:
    values = np.zeros((2, 15))
    values[1, 4] = value
    with pytest.raises(ImitationError, match=r"frame 2 .*Xrotation of 'left'"):
        bvh_text(Capture(breadth_first(), values, 0.01))


def test_a_captures_values_are_its_own() -> None:
    values = np.zeros((2, 15))
    capture = Capture(breadth_first(), values, 0.01)
    values[0, 0] = 7.0
    assert capture.values[0, 0] == 0.0 and not capture.values.flags.writeable and values.flags.writeable


def test_the_frames_before_a_number_that_is_too_large_are_taken() -> None:
    data = HEAD + b"1 2 3\n4 5 1e999\n7 8 9\n"
    with pytest.raises(InvalidBvh, match=f":{LINES + 2}: 1e999 is too large"):
        parse_bvh(data)
    capture = parse_bvh(data, partial=True)
    assert capture.values.tolist() == [[1, 2, 3]]
    assert any("1e999" in note for note in capture.notes)


def test_no_frame_is_made_of_what_was_never_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A frame over several lines that begins in one block and breaks in the next."""
    monkeypatch.setattr("armillary.imitation.bvh._BLOCK", 64)
    path = tmp_path / "broken.bvh"
    path.write_bytes(HEAD + b"1\n2\n3\n4\n" + b" " * 5000 + b"\n5\nx\n")
    with BvhReader(path, partial=True) as reader:
        blocks = list(reader.blocks(_most=16))
    assert np.concatenate(blocks).tolist() == [[1, 2, 3]]
    assert read_bvh(path, partial=True).values.tolist() == [[1, 2, 3]]


@pytest.mark.parametrize("ends", [b"\n", b"\r\n", b"\r", b"mixed"])
@pytest.mark.parametrize("most", [7, 4096])
def test_lines_are_counted_whatever_ends_them(ends: bytes, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("armillary.imitation.bvh._BLOCK", 64)
    rows = [b"1 2 3"] * 1200 + [b"4 x 6"]
    cycle = [b"\n", b"\r\n", b"\r"] if ends == b"mixed" else [ends]
    data = HEAD.replace(b"\n", cycle[0]) + b"".join(row + cycle[k % len(cycle)] for k, row in enumerate(rows))
    with pytest.raises(InvalidBvh) as error:
        parse_bvh(data)
    assert error.value.line == LINES + 1201
    path = tmp_path / "lines.bvh"
    path.write_bytes(data)
    with BvhReader(path) as reader, pytest.raises(InvalidBvh) as error:
        list(reader.blocks(_most=most))
    assert error.value.line == LINES + 1201


def chain(count: int, branches: int = 1) -> Skeleton:
    """A trunk of bones without end, or many of them."""
    offset = np.array([0.0, 1.0, 0.0])
    parents = [-1, *(max(k - branches, 0) for k in range(1, count))]
    return Skeleton(tuple(Bone(f"b{k}", parent, offset, ROTATIONS) for k, parent in enumerate(parents)))


def test_ten_thousand_bones_are_looked_at_in_time() -> None:
    """Deeper than a stack is, and without comparing each with each."""
    with pytest.raises(UnknownSkeleton, match="no arm"):
        match(chain(10_000))
    for count, branches in ((9_999, 2), (9_001, 1000)):  # all of a length: the two longest are arms
        assert match(chain(count, branches)).has_arm("left")


def test_ten_thousand_fingers_are_looked_at_in_time() -> None:
    capture = motion(body(FAMILIES["noitom"]), [{}])
    bones = list(capture.skeleton.bones)
    hand = capture.skeleton.index("LeftHand")
    for k in range(9000):
        bones.append(Bone(f"LeftHandIndex{k}", hand if k == 0 else len(bones) - 1, np.ones(3), ROTATIONS))
    assert len(match(Skeleton(tuple(bones))).fingers["left_index"]) == 9000
