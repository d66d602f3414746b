"""What tests of several motor sides drive."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from armillary.description.source import find_source
from armillary.interfaces.http.sample_programs import sample_programs
from armillary.runtime.station_channels import StationChannels


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A station's folder, with the channels of six joints."""
    channels = StationChannels(tmp_path, 6)
    yield tmp_path
    channels.close()


# A motor for each joint, some of them the other way round and none at zero.
_ACTUATION = """
[actuation]
joints = ["joint_1", "joint_2", "joint_3", "joint_4", "joint_5", "joint_6"]
coupling = [
    [1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
]
counts_per_deg = [11000.0, 11000.0, 11000.0, 9000.0, 9000.0, -9000.0]
zero = [100.0, 0.0, -5000.0, 0.0, 0.0, 0.0]
"""


@pytest.fixture
def cobot(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """cobot6's cell with motors, and nobody beside it: its tool may go four times as fast, with three times the acceleration and
    jerk, so that ten rounds take half the time.

    With --full at 250 ticks a second, so that a thousand rounds can be driven on several motor sides at once.
    """
    source = find_source("cobot6")
    bundled = (
        (source.parent / "cell.toml").read_text().replace('file = "cobot6.urdf"', f'file = "{source.parent / "cobot6.urdf"}"')
    )
    text = bundled.replace("tool_speed = 0.25", "tool_speed = 1.0")
    assert text != bundled
    text = re.sub(r"(?m)^(acceleration|jerk) = (\S+)$", lambda found: f"{found[1]} = {3.0 * float(found[2])}", text)
    own = tmp_path / "cell.toml"
    own.write_text(text + _ACTUATION + ("\n[station]\nrate_hz = 250\n" if request.config.getoption("--full") else ""))
    return own


@pytest.fixture
def paper_2(tmp_path: Path) -> Path:
    """Paper 2's commands on industrial6, as printed but for their times: 3 s and 6 s for 20, near the least."""
    program, text = tmp_path / "paper2.arm", sample_programs("industrial6")["paper2.arm"]
    assert text.count("[20]") == 2
    program.write_text(text.replace("[20]", "[3]", 1).replace("[20]", "[6]"))
    return program


@pytest.fixture
def paper_5(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Paper 5's program on cobot6: eight moves a round, ten rounds, and with --full the paper's thousand."""
    bundled, rounds = sample_programs("cobot6")["paper5.ngc"], 1000 if request.config.getoption("--full") else 10
    text = bundled.replace("LT 3", f"LT {rounds}")
    assert text != bundled
    program = tmp_path / "paper5.ngc"
    program.write_text(text)
    return program
