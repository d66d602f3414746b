"""`armillary imitate` of files: what is said of them, what is written, and what cannot be."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from armillary.imitation import Capture, write_bvh
from armillary.interfaces.cli.main import main
from armillary.model import load_model
from armillary.programs.teach import RecordedPath, plan_playback
from tests.cell.imitation_bench import PERSON, frame_of

FRAMES = 90


@pytest.fixture(scope="module")
def wave(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Somebody who waves slowly for 1.5 s, as a file."""
    file = tmp_path_factory.mktemp("motion") / "wave.bvh"
    write_bvh(file, Capture(PERSON, np.array([frame_of(k / 60.0) for k in range(FRAMES)]), 1.0 / 60.0))
    return file


def asked(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, dict[str, Any]]:
    status = main(["imitate", *map(str, arguments), "--json"])
    return status, json.loads(capsys.readouterr().out)


def test_a_file_is_matched_followed_and_checked(wave: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, said = asked(capsys, wave, "--robot", "inmoov")
    assert status == 0 and said["limits_kept"] and said["frames"] == FRAMES and said["frames_per_second"] > 0.0
    assert said["unit"] == "cm" and said["matched"]["left_forearm"] == {"bones": "LeftForeArm", "by": "name"}
    arm = said["errors"]["right_upper_arm"]
    assert 0.0 <= arm["median"] <= arm["p95"] <= arm["worst"] < 3.2


def test_people_are_told_the_same(wave: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["imitate", str(wave), "--robot", "cobot6", "--arm", "left"]) == 0
    said = capsys.readouterr().out
    for words in ("LeftForeArm", "lengths are in cm", "left place", " mm", "limits kept", "frames/s"):
        assert words in said


def test_bones_can_be_named(wave: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bones.toml").write_text('head = ""\n')
    _, said = asked(capsys, wave, "--robot", "inmoov", "--matching", tmp_path / "bones.toml")
    assert "head" not in said["matched"]


def test_it_becomes_a_picture_and_a_program_that_is_proven(
    wave: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program, picture = tmp_path / "wave.py", tmp_path / "wave.png"
    status, said = asked(capsys, wave, "--robot", "cobot6", "--program", program, "--plot", picture)
    assert status == 0 and said["written"] == [str(picture), str(program)]
    assert picture.read_bytes().startswith(b"\x89PNG")
    text = program.read_text()
    found: dict[str, Any] = {}
    exec(compile(text.partition("# Smoothed")[0], str(program), "exec"), found)
    path = RecordedPath(found["JOINTS"], found["ROWS"][:, 0], found["ROWS"][:, 1:])
    assert path.duration == pytest.approx((FRAMES - 1) / 60.0, abs=1e-3)
    playback = plan_playback(load_model("cobot6"), path, tolerance=0.02, tool_tolerance=0.02)
    assert playback.certificate and playback.trajectory.duration >= path.duration - 1e-6
    compile(text, str(program), "exec")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--speed", "0"], "speed of 0"),
        (["--scale", "3"], "scale of 3"),
        (["--driver", "ideal"], "--live"),
        (["--record", "take.bvh"], "--live"),
        (["--program", "take.txt"], ".py"),
        (["--program", "nowhere/take.py"], "no folder"),
        (["--plot", "take.txt"], "no picture"),
        (["--live", "--seconds", "-1"], "seconds"),
        (["--matching", "nothing.toml"], "nothing.toml"),
    ],
)
def test_what_cannot_be_is_said_before_anything_begins(
    wave: Path,
    arguments: list[str],
    words: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["imitate", str(wave), "--robot", "inmoov", *arguments]) == 2
    said = capsys.readouterr().err
    assert words in said and "Traceback" not in said


@pytest.mark.parametrize("motion", ["nothing.bvh", "tcp://nowhere", "udp://127.0.0.1:99999"])
def test_motion_that_is_not_there_is_said(motion: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["imitate", motion, "--robot", "inmoov"]) in (1, 2)
    assert motion.removeprefix("tcp://") in capsys.readouterr().err


def test_a_file_without_a_frame_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_bvh(tmp_path / "empty.bvh", Capture(PERSON, np.zeros((0, PERSON.channel_count)), 0.01))
    assert main(["imitate", str(tmp_path / "empty.bvh"), "--robot", "inmoov"]) == 2
    assert "no frame" in capsys.readouterr().err
