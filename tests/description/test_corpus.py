"""Every real file there is, and many broken ones: a robot or clear errors, never a crash."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from armillary.description import read_robot, read_source, read_urdf_text, write_urdf
from armillary.description.document import parse_document
from armillary.description.packages import PackageFinder
from armillary.description.urdf.reader import read_document

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_every_file_is_read_or_refused_with_a_line_and_none_hangs(shared_data: Path) -> None:
    files = sorted(p for p in (shared_data / "urdf").rglob("*") if p.suffix.lower() in (".urdf", ".xacro"))
    assert len(files) > 700
    usable = 0
    for path in files:
        start = time.monotonic()
        reading = read_source(path)
        assert time.monotonic() - start < 20, f"{path} hangs"
        if reading.robot is not None:
            usable += 1
            again = read_document(parse_document(write_urdf(reading.robot).encode(), "again"), finder=PackageFinder(path))
            assert again.robot is not None, path
            assert again.robot.joints == reading.robot.joints and again.robot.links == reading.robot.links, path
        else:
            errors = [problem for problem in reading.problems if problem.is_error]
            assert errors, path
            assert any(problem.line for problem in errors) or errors[0].kind.name == "xacro-failed", path
    assert usable > 380


@pytest.mark.slow
def test_every_disagreement_with_other_readers_is_explained(shared_data: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "conformance.py"), "--json", "--data", str(shared_data)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    result = json.loads(done.stdout)
    assert result["unexplained"] == []
    assert done.returncode == 0
    assert result["upstream_tests"]["agree"] >= 56
    assert result["xacro"]["agree"] == result["xacro"]["of"] >= 2


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_broken_files_never_crash_the_reader(seed: int) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "fuzz.py"), "--count", "3000", "--seed", str(seed)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "0 failed" in done.stdout


def test_the_public_inmoov_is_read_with_its_limits_mended(shared_data: Path) -> None:
    path = shared_data / "urdf" / "_expanded_by_ros_xacro" / "inmoov.urdf"
    reading = read_source(path)
    robot = reading.unwrap()
    kinds = [problem.kind.name for problem in reading.problems]
    assert kinds.count("swapped-limits") == 10
    assert kinds.count("zero-velocity") >= 29
    assert all(joint.range[0] <= joint.range[1] for joint in robot.movable)


def test_ours_has_the_names_and_ranges_of_the_public_inmoov(shared_data: Path) -> None:
    public = read_source(shared_data / "urdf" / "_expanded_by_ros_xacro" / "inmoov.urdf").unwrap()
    ours = read_robot("inmoov")
    # The left elbow is given the right one's range, so that a mirrored motion never asks for more.
    theirs = {joint.name: joint for joint in public.movable if "elbow" not in joint.name}
    for joint in ours.independent:
        if joint.name in theirs:
            assert joint.range == pytest.approx(theirs[joint.name].range, abs=1e-6), joint.name
    assert {joint.name for joint in ours.movable} <= {joint.name for joint in public.movable}


def test_reading_text_and_reading_a_file_agree(tmp_path: Path) -> None:
    from ..conftest import ARM

    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    assert read_urdf_text(ARM).unwrap() == read_robot(path)
