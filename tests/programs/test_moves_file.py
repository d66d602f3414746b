"""A list of moves as TOML: units at the door, and what is wrong is said with its line."""

from math import pi
from pathlib import Path

import pytest

from armillary.programs import BadProgram, Dwell, MoveArc, MoveJoints, MoveLine, MovePose, read_moves

GOOD = """\
[[move]]
joints_deg = [90, 0, 0]
speed = 0.5

[[move]]
line = true
xyz_mm = [100, 200, 300]
rpy_deg = [180, 0, 0]
speed = 0.25
blend_mm = 20

[[move]]
via = [0.1, 0.0, 0.0]
xyz = [0.2, 0.0, 0.0]
rpy = [0.0, 0.0, 0.0]

[[move]]
xyz = [0.2, 0.0, 0.0]
rpy = [0.0, 0.0, 0.0]

[[move]]
dwell = 0.5
"""


def test_every_kind_of_move(tmp_path: Path) -> None:
    file = tmp_path / "moves.toml"
    file.write_text(GOOD)
    joints, line, arc, pose, dwell = read_moves(file)
    assert isinstance(joints, MoveJoints) and joints.goal == pytest.approx((pi / 2, 0.0, 0.0)) and joints.speed == 0.5
    assert isinstance(line, MoveLine) and line.xyz == pytest.approx((0.1, 0.2, 0.3)) and line.blend == pytest.approx(0.02)
    assert line.rpy[0] == pytest.approx(pi) and line.speed == 0.25 and str(line.source) == "moves.toml:6"
    assert isinstance(arc, MoveArc) and arc.via == (0.1, 0.0, 0.0) and arc.speed is None
    assert isinstance(pose, MovePose) and pose.speed == 1.0
    assert isinstance(dwell, Dwell) and dwell.seconds == 0.5


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no [[move]]"),
        ("[[move]]\nspeed = 1", "says nowhere to go"),
        ("[[move]]\njoint = [1, 2]", "joints"),
        ("[[move]]\njoints = [1, 2]\nspeed = 3", "more than the joints can do"),
        ("[[move]]\njoints = [1, nan]", "nan"),
        ("[[move]]\nxyz = [1, 2]\nrpy = [0, 0, 0]", "xyz"),
        ("[[move]]\nline = 1\nxyz = [1, 2, 3]\nrpy = [0, 0, 0]", "true"),
        ("[[move]]\ndwell = -1", "dwell"),
        ("[[move]\n", "moves.toml"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "moves.toml"
    file.write_text(text)
    with pytest.raises(BadProgram) as error:
        read_moves(file)
    assert said in str(error.value) and "moves.toml" in str(error.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(Exception, match=r"nothing\.toml"):
        read_moves(tmp_path / "nothing.toml")
