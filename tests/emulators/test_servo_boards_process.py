"""The servo boards on their wires: with pyserial on the one side, and with a Modbus master that we did not write on the other."""

import os
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from pymodbus.client import ModbusSerialClient

from armillary.emulators.servo_boards import main
from armillary.protocols.servo_frame import stamp_of, write_servo_frame
from tests.emulators.servo_boards_process import BoardsProcess

serial: Any = import_module("serial")


@pytest.fixture
def boards(tmp_path: Path) -> Iterator[BoardsProcess]:
    boards = BoardsProcess(tmp_path)
    yield boards
    boards.close()


def send(port: Any, *angles: int) -> None:
    port.write(write_servo_frame(stamp_of(time.monotonic()), [*angles, *[90] * (22 - len(angles))]))


def test_frames_over_the_serial_port_turn_the_servos(boards: BoardsProcess) -> None:
    with serial.Serial(str(boards.port), 115_200) as port:
        for _ in range(40):
            send(port, 120, 60)
            time.sleep(0.02)
        status = boards.until(lambda status: status["frames"]["taken"] >= 40)
        assert status["angles"][:3] == [120.0, 60.0, 90.0]
        assert status["frames"] == {"taken": 40, "stale": 0, "ahead": 0, "out_of_range": 0} and status["bytes"]["skipped"] == 0
        assert set(status["answered"]) == {"1", "2", "3", "4"} and status["unanswered"] == {"1": 0, "2": 0, "3": 0, "4": 0}
        held = boards.until(lambda status: all(status["held"]))
        assert held["angles"] == status["angles"]


def test_what_must_not_be_followed_is_counted(boards: BoardsProcess) -> None:
    with serial.Serial(str(boards.port), 115_200) as port:
        send(port, 100)
        frame = bytearray(write_servo_frame(stamp_of(time.monotonic()) + 1 & 0xFFFF, [120] * 22))
        frame[9] ^= 1
        port.write(frame)
        port.write(write_servo_frame(stamp_of(time.monotonic() - 5.0), [120] * 22))
        time.sleep(0.05)
        send(port, 181)
        port.write(os.urandom(300))
        boards.until(lambda status: status["frames"]["out_of_range"] == 1 and status["frames"]["stale"] == 1)
        time.sleep(0.05)
        send(port, 100)
        status = boards.until(lambda status: status["frames"]["taken"] == 2)
        assert status["bytes"]["bad_sums"] >= 1 and status["goals"] == [100.0, *[90.0] * 21]


def test_who_opens_the_port_anew_begins_anew(boards: BoardsProcess) -> None:
    """As a real one: it restarts when its port is opened. So an older clock is followed at once."""
    with serial.Serial(str(boards.port), 115_200) as port:
        port.write(write_servo_frame(30_000, [100] * 22))
        boards.until(lambda status: status["frames"]["taken"] == 1)
    boards.until(lambda status: not status["open"])
    with serial.Serial(str(boards.port), 115_200) as port:
        boards.until(lambda status: status["resets"] == 2)
        port.write(write_servo_frame(10, [101] * 22))
        boards.until(lambda status: status["frames"]["taken"] == 2)


@pytest.fixture
def nanos(tmp_path: Path) -> Iterator[BoardsProcess]:
    boards = BoardsProcess(tmp_path, "--nanos-only", "--silence", "5", "--deaf", "3")
    yield boards
    boards.close()


def test_the_slaves_answer_a_modbus_master_that_we_did_not_write(nanos: BoardsProcess) -> None:
    client: Any = ModbusSerialClient(str(nanos.bus), baudrate=115_200, timeout=1.0, retries=0)
    assert client.connect()
    try:
        for address in (1, 2, 4):
            written = client.write_registers(0, [9_000 + 100 * address] * 6, device_id=address)
            assert not written.isError()
            assert client.read_holding_registers(0, count=6, device_id=address).registers == [9_000 + 100 * address] * 6
        assert client.write_registers(0, [20_000], device_id=1).exception_code == 3
        assert client.read_input_registers(2, count=5, device_id=1).exception_code == 2
        assert client.read_coils(0, device_id=1).exception_code == 1
        nanos.until(lambda status: status["angles"][18:22] == [94.0] * 4)
        with pytest.raises(Exception, match="No response"):
            client.read_holding_registers(0, count=6, device_id=3)
        assert not client.write_register(1, 9_700, device_id=4).isError(), "and the next is asked as if nothing had been"
    finally:
        client.close()


def test_the_links_go_with_the_boards_and_a_name_that_is_taken_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    boards = BoardsProcess(tmp_path)
    assert boards.port.is_symlink() and boards.said["port"] == os.readlink(boards.port)
    boards.close()
    assert boards.process.returncode == 0 and not boards.port.is_symlink() and not boards.bus.is_symlink()
    (tmp_path / "taken").write_text("")
    assert main(["--port", str(tmp_path / "taken")]) == 2
    assert "cannot get this name" in capsys.readouterr().err
