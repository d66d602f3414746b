"""BVH files: what they may look like, what is wrong with broken ones, and that every number is read right."""

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armillary.imitation import BvhReader, Capture, ImitationError, InvalidBvh, bvh_text, parse_bvh, read_bvh, write_bvh

SHARED = Path(__file__).parents[3] / "shared" / "data" / "bvh"
SMALL = """HIERARCHY
ROOT Hips
{
    OFFSET 0.0 90.0 0.0
    CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
    JOINT Left Arm:1
    {
        OFFSET 10 0 0
        CHANNELS 3 Yrotation Xrotation Zrotation
        End Site
        {
            OFFSET 25 0 0
        }
    }
}
MOTION
Frames: 2
Frame Time: 0.01
0 90 0 0 0 0 0 0 0
1.5 90 -0.5 10 20 30 40 50 60
"""


def broken(old: str, new: str) -> str:
    assert SMALL.count(old) >= 1
    return SMALL.replace(old, new, 1)


def test_what_a_small_file_says() -> None:
    capture = parse_bvh(SMALL.encode())
    skeleton = capture.skeleton
    assert skeleton.names == ("Hips", "Left Arm:1") and skeleton.parents.tolist() == [-1, 0]
    assert skeleton.bones[1].channels == ("Yrotation", "Xrotation", "Zrotation") and skeleton.bones[1].end is not None
    assert capture.values.shape == (2, 9) and capture.period == 0.01 and capture.duration == pytest.approx(0.01)
    assert capture.values[1].tolist() == [1.5, 90.0, -0.5, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0] and capture.notes == ()


@pytest.mark.parametrize("text", [
    SMALL.replace("\n", "\r\n"), SMALL.replace("\n", "\r"), SMALL.replace("    ", "\t"), SMALL.rstrip("\n"), "\ufeff" + SMALL,
    SMALL.replace("\n{", " {"), SMALL.replace("ROOT", "Root").replace("MOTION", "Motion").replace("Frame Time", "frame time"),
    SMALL.replace("0 90 0 0 0 0 0 0 0", "0 90 0 0 0 0 0 0 0 "),
    SMALL.replace("0 90 0 0 0 0 0 0 0", "0e0 9.0E1 0 0 0 +0 -0.0 .0 0."),
    SMALL.replace("1.5 90 -0.5", "1.5\n90 -0.5").replace("0 90 0 0", "0\n90 0 0"), SMALL + "\n\n  \n",
    SMALL.replace("Frames: 2", "Frames:\t2").replace("Frame Time: 0.01", "Frame Time:\t.01"),
])  # fmt: skip
def test_it_may_be_written_in_many_ways(text: str) -> None:
    capture = parse_bvh(text.encode())
    assert np.array_equal(capture.values, parse_bvh(SMALL.encode()).values)
    assert capture.skeleton.names == ("Hips", "Left Arm:1") and capture.period == 0.01


@pytest.mark.parametrize(("text", "line", "said"), [
    ("", 0, "empty"), ("\0\0\0\0", 1, "no text"), ("hello\n", 1, "begins with 'hello'"), ("HIERARCHY\n", 1, "there is no ROOT"),
    (broken("ROOT", "JOINT"), 2, "a ROOT stands outside"), (broken("OFFSET 0.0 90.0 0.0", ""), 15, "'Hips' has no OFFSET"),
    (broken("90.0", "high"), 4, "'high' is no number"), (broken("90.0", "nan"), 4, "'nan' is no number"),
    (broken("CHANNELS 6", "CHANNELS 7"), 5, "7 CHANNELS"), (broken("CHANNELS 6", "CHANNELS 5"), 5, "more channels than the 5"),
    (broken("Zposition", "Wposition"), 5, "no channel 'Wposition'"), (broken("Zposition", "Xposition"), 5, "twice"),
    (broken("CHANNELS 3 Yrotation", "CHANNELS 3"), 10, "no channel 'End'"),
    (broken("    }\n}", "    }\n"), 14, "brace is not closed"),
    (broken("JOINT Left", "BONE Left"), 6, "'BONE' has no meaning"), (SMALL[: SMALL.index("MOTION")], 16, "no MOTION"),
    (SMALL[: SMALL.index("Frames")], 17, "'Frames:' is expected"), (broken("Frames: 2", "Frames: two"), 17, "'two' is no number"),
    (broken("Frames: 2", "Frames: 2.5"), 17, "whole number"), (broken("Frame Time: 0.01", "Frame Time: 0"), 18, "cannot be"),
    (broken("Frame Time: 0.01", ""), 19, "'Frame Time:' is expected"),
    (broken("10 20 30", "10 x 30"), 20, "'x' is no number"), (broken("10 20 30", "10 nan 30"), 20, "'nan' is no number"),
    (broken("10 20 30", "10 1e 30"), 20, "'1e' is no number"), (broken("10 20 30", "10 1,5 30"), 20, "'1,5' is no number"),
    (broken("10 20 30", "10 1e999 30"), 20, "too large"), (broken("10 20 30", "10 20 30 99"), 20, "10 numbers; there are 9"),
    (broken("0 90 0 0 0 0 0 0 0", "0 90 0 0 0 0 0 0"), 19, "8 numbers; there are 9"),
    (broken(" 50 60\n", ""), 20, "the file was cut off"),
])  # fmt: skip
def test_what_is_broken_is_said_with_its_line(text: str, line: int, said: str) -> None:
    with pytest.raises(InvalidBvh) as caught:
        parse_bvh(text.encode(), "walk.bvh")
    assert said in str(caught.value) and caught.value.line == line, str(caught.value)
    assert str(caught.value).startswith(f"walk.bvh:{line}: " if line else "walk.bvh: ")


def test_the_whole_part_of_a_broken_file_can_be_had() -> None:
    cut = parse_bvh(broken(" 50 60\n", "").encode(), partial=True)
    assert len(cut) == 1 and "cut off" in cut.notes[0] and "says 2 frames and has 1" in cut.notes[1]
    odd = parse_bvh(broken("10 20 30", "10 x 30").encode(), partial=True)
    assert len(odd) == 1 and "'x' is no number" in odd.notes[0]


def test_what_is_odd_is_noted_and_taken() -> None:
    more = parse_bvh(broken("Frames: 2", "Frames: 9").encode())
    assert len(more) == 2 and more.notes == ("it says 9 frames and has 2; those that are there were taken",)
    none = parse_bvh(SMALL[: SMALL.index("0 90 0")].replace("Frames: 2", "Frames: 0").encode())
    assert len(none) == 0 and none.values.shape == (0, 9) and none.notes == ()
    twice = parse_bvh(SMALL.replace("Left Arm:1", "Hips").encode())
    assert twice.skeleton.names == ("Hips", "Hips#2") and "2 bones are called 'Hips'" in twice.notes[0]
    latin = parse_bvh(SMALL.replace("Left Arm:1", "Hüfte").encode("latin-1"))
    assert latin.skeleton.names[1] == "Hüfte" and "Latin-1" in latin.notes[0]
    still = parse_bvh(broken("Frame Time: 0.01", "Frame Time: 0").replace("Frames: 2", "Frames: 1").encode())
    assert still.period == pytest.approx(1 / 30) and "1/30 s was taken" in still.notes[0]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr), st.decimals(-1000, 1000, places=6).map(str),
    st.from_regex(r"\A[-+]?[0-9]{1,25}(\.[0-9]{0,25})?([eE][-+]?[0-9]{1,2})?\Z"),
), min_size=9, max_size=9))  # fmt: skip
def test_every_number_is_read_as_python_reads_it(words: list[str]) -> None:
    text = SMALL.replace("0 90 0 0 0 0 0 0 0", " ".join(words))
    assert parse_bvh(text.encode()).values[0].tolist() == [float(word) for word in words]


@settings(max_examples=300, deadline=None)
@given(st.integers(0, len(SMALL)), st.integers(0, 40), st.binary(max_size=12))
def test_whatever_is_done_to_a_file_gets_a_capture_or_one_error(at: int, gone: int, put: bytes) -> None:
    data = SMALL.encode()
    data = data[:at] + put + data[at + gone :]
    said = ""
    try:
        capture = parse_bvh(data)
        assert np.isfinite(capture.values).all()
    except InvalidBvh as error:
        said = str(error)
    assert "\n" not in said


def same(one: Capture, other: Capture) -> bool:
    bones = zip(one.skeleton.bones, other.skeleton.bones, strict=True)
    return np.array_equal(one.values, other.values) and all(
        (a.name, a.parent, a.channels, a.offset.tolist()) == (b.name, b.parent, b.channels, b.offset.tolist())
        and (a.end is None) == (b.end is None)
        for a, b in bones
    )


def test_it_is_written_back_the_same(tmp_path: Path) -> None:
    capture = parse_bvh(SMALL.encode())
    write_bvh(tmp_path / "out.bvh", capture)
    assert same(read_bvh(tmp_path / "out.bvh"), capture)
    assert bvh_text(read_bvh(tmp_path / "out.bvh")) == (tmp_path / "out.bvh").read_text()


def test_a_long_file_is_read_block_by_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("armillary.imitation.bvh._BLOCK", 2048)
    capture = parse_bvh(SMALL.encode())
    values = np.random.default_rng(0).uniform(-180, 180, (500, 9))
    path = tmp_path / "long.bvh"
    write_bvh(path, Capture(capture.skeleton, values, 0.01))
    with BvhReader(path) as reader:
        blocks = list(reader.blocks(_most=2048))
        assert reader.frames == 500 and reader.notes == ()
    assert len(blocks) > 10 and np.array_equal(np.concatenate(blocks), values)


def test_what_is_no_file_is_said(tmp_path: Path) -> None:
    for path in (tmp_path / "none.bvh", tmp_path):
        with pytest.raises(ImitationError, match="cannot be read"):
            read_bvh(path)


def test_poses_are_those_of_the_matrices() -> None:
    capture = parse_bvh(SMALL.encode())
    poses = capture.poses

    def turned(axis: int, degrees: float) -> np.ndarray:
        c, s, R = np.cos(np.radians(degrees)), np.sin(np.radians(degrees)), np.eye(3)
        a, b = (axis + 1) % 3, (axis + 2) % 3
        R[a, a] = R[b, b] = c
        R[a, b], R[b, a] = -s, s
        return R

    R = turned(2, 10) @ turned(0, 20) @ turned(1, 30)
    assert poses.rotations[1, 0] == pytest.approx(R) and poses.places[1, 0] == pytest.approx([1.5, 90.0, -0.5])
    assert poses.rotations[1, 1] == pytest.approx(R @ turned(1, 40) @ turned(0, 50) @ turned(2, 60))
    assert poses.places[1, 1] == pytest.approx(poses.places[1, 0] + R @ [10.0, 0.0, 0.0])


@pytest.mark.skipif(not SHARED.is_dir(), reason="the files of others are not here (../shared/data/bvh)")
def test_files_of_others_have_the_joints_channels_and_frames_that_they_have() -> None:
    with (SHARED / "PROFILE.tsv").open() as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert len(rows) > 20
    for row in rows:
        path = SHARED / row["file"]
        if row["frames"] == "None":
            with pytest.raises(InvalidBvh, match="cut off"):
                read_bvh(path)
            continue
        capture = read_bvh(path)
        skeleton = capture.skeleton
        ends = sum(bone.end is not None for bone in skeleton.bones)
        found = (len(skeleton), ends, skeleton.channel_count, len(capture))
        assert found == tuple(int(row[key]) for key in ("joints", "end_sites", "channels", "frames")), row["file"]
        assert capture.period == float(row["frame_time"])
        data = path.read_bytes()
        numbers = np.array(data[data.index(b"\n", data.index(b"Frame Time")) :].split(), dtype=float)
        assert np.array_equal(capture.values.ravel(), numbers), row["file"]
        assert same(parse_bvh(bvh_text(capture).encode()), capture), row["file"]
