"""What several tests need: the real files where they lie beside the project, and small robots on disk."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"

ARM = """<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0 0 0.1"/>
      <mass value="2"/>
      <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.004"/>
    </inertial>
    <collision><geometry><cylinder radius="0.05" length="0.2"/></geometry></collision>
  </link>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0 0.3" rpy="0 0 0"/>
    <parent link="base"/>
    <child link="upper"/>
    <axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="50" velocity="1.5"/>
  </joint>
</robot>
"""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="paper 5's program with its thousand rounds: an hour and a half each")


@pytest.fixture(scope="session", autouse=True)
def own_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What is taught, recorded and kept goes to a folder of the tests, never to the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture
def shared_data() -> Path:
    """Real files of other projects; tests that need them skip where they are not there."""
    if not SHARED_DATA.is_dir():
        pytest.skip("../shared/data is not there")
    return SHARED_DATA


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes a file below the test's own folder and returns its path."""

    def write_file(text: str | bytes, name: str = "robot.urdf") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write_file
