"""What tests of several motor sides drive."""

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


@pytest.fixture
def cobot(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """cobot6's cell. With --full at 250 ticks a second, so that a thousand rounds can be driven on three motor sides at once."""
    source = find_source("cobot6")
    text = (source.parent / "cell.toml").read_text().replace('file = "cobot6.urdf"', f'file = "{source.parent / "cobot6.urdf"}"')
    own = tmp_path / "cell.toml"
    own.write_text(text + ("\n[station]\nrate_hz = 250\n" if request.config.getoption("--full") else ""))
    return own


@pytest.fixture
def paper_5(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Paper 5's program on cobot6: eight moves a round, ten rounds, and with --full the paper's thousand."""
    bundled, rounds = sample_programs("cobot6")["paper5.ngc"], 1000 if request.config.getoption("--full") else 10
    text = bundled.replace("LT 3", f"LT {rounds}")
    assert text != bundled
    program = tmp_path / "paper5.ngc"
    program.write_text(text)
    return program
