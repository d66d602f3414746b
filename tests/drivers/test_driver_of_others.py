"""The page on writing a driver: its code, as a package of its own, moves a whole cell."""

import os
import re
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from armillary.cell import Cell
from armillary.drivers import DriverError
from armillary.drivers.registry import DriverRequest, known_drivers, make_driver
from armillary.model import load_model
from armillary.runtime import RuntimeProblem

PAGE = Path(__file__).parents[2] / "docs" / "write-a-driver.md"
HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])


class LineController:
    """What the page says of the controller: lines in, lines out, and a brake of its own."""

    def __init__(self, q: np.ndarray) -> None:
        self.q, self.heard, self.numbers = q.copy(), 0.0, list[int]()
        self.enabled, self.over = False, False
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.listening.settimeout(0.05)
        self.port = self.listening.getsockname()[1]
        self.connection: socket.socket | None = None
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def serve(self) -> None:
        while not self.over:
            try:
                self.connection, _ = self.listening.accept()
            except TimeoutError:
                continue
            with self.connection as connection:
                self.talk(connection)

    def talk(self, connection: socket.socket) -> None:
        text = b""
        connection.settimeout(0.004)
        while not self.over:
            try:
                data = connection.recv(65536)
                if not data:
                    break
                text += data
            except TimeoutError:
                pass
            except OSError:
                break
            *lines, text = text.split(b"\n")
            for line in lines:
                self.do(line.split())
            if time.monotonic() - self.heard > 0.1:
                self.enabled = self.enabled and not self.numbers
            number = self.numbers[-1] if self.numbers else 0
            said = f"AT {number} {int(self.enabled)} {' '.join(f'{value:.9f}' for value in self.q)}\n"
            try:
                connection.sendall(said.encode())
            except OSError:
                break
        self.enabled = False

    def do(self, words: list[bytes]) -> None:
        if words[0] == b"ENABLE":
            self.enabled = True
            self.numbers.clear()
        elif words[0] in (b"STOP", b"OFF"):
            self.enabled = False
        elif words[0] == b"GO" and self.enabled:
            self.q[:] = [float(word) for word in words[2:]]
            self.numbers.append(int(words[1]))
        self.heard = time.monotonic()

    def close(self) -> None:
        self.over = True
        self.thread.join(5.0)
        self.listening.close()


@pytest.fixture
def line_drives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The page's code, installed as a package of another would be."""
    text = PAGE.read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    named = re.search(r'\[project\.entry-points\."armillary\.drivers"\]\n(.*?)```', text, re.DOTALL)
    assert code is not None and named is not None
    place = tmp_path / "packages"
    info = place / "line_drives-1.0.dist-info"
    info.mkdir(parents=True)
    (place / "line_drives.py").write_text(code[1])
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: line-drives\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[armillary.drivers]\n" + named[1].replace('"', ""))
    monkeypatch.syspath_prepend(str(place))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(place), os.environ.get("PYTHONPATH", "")]))  # of the driver's process
    yield
    sys.modules.pop("line_drives", None)


def until(happens: Callable[[], object]) -> None:
    end = time.monotonic() + 5.0
    while not happens():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_it_is_found_by_its_name_and_checks_its_options(line_drives: None) -> None:
    assert "line_drives" in known_drivers()
    model = load_model("cobot6")
    for options, said in (({}, "address is missing"), ({"adress": "a:1"}, "'adress' is not known")):
        with pytest.raises(DriverError, match=said):
            make_driver("line_drives", DriverRequest(model, HOME, options))


@pytest.mark.alone
@pytest.mark.slow
def test_it_moves_a_cell_and_says_when_the_drives_are_gone(line_drives: None) -> None:
    controller = LineController(HOME)
    options = {"address": f"127.0.0.1:{controller.port}"}
    try:
        with Cell.open("cobot6", driver="line_drives", options=options, low_power=True, record=False, patience=1.0) as cell:
            goal = HOME + np.array([0.3, 0.1, 0.0, 0.0, 0.2, 0.0])
            cell.move_joints(goal)
            until(lambda: np.abs(cell.state.measured - goal).max() < 1e-6)  # what it says is some milliseconds old
            assert controller.numbers == sorted(set(controller.numbers)), "none twice, none out of order"
            cell.move_joints(HOME, wait=False)
            time.sleep(0.2)
            assert controller.connection is not None
            controller.connection.shutdown(socket.SHUT_RDWR)
            with pytest.raises(RuntimeProblem, match="line drives"):
                cell.wait()
            cell.reset()
            cell.move_joints(HOME)
            until(lambda: np.abs(controller.q - HOME).max() < 1e-6)
    finally:
        controller.close()
