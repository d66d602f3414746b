"""Shared memory: values are whole or not seen, messages come in order, and what is broken is said."""

import multiprocessing
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armillary.runtime import BadChannel, Board, Pipe, memory_folder

KIND = np.dtype([("number", "u8"), ("values", "f8", (150,)), ("last", "u8")])
SPAWN = multiprocessing.get_context("spawn")


@pytest.fixture
def path() -> Iterator[Path]:
    place = memory_folder() / f"armillary-test-{os.getpid()}-{time.monotonic_ns()}"
    yield place
    place.unlink(missing_ok=True)


def write_for_ever(path: Path) -> None:
    board = Board(path, KIND)
    n = 0
    while True:
        n += 1
        value = board.value
        value["number"], value["values"], value["last"] = n, n, n
        board.write()


def is_whole(value: np.ndarray) -> bool:
    n = int(value["number"][0])
    return int(value["last"][0]) == n and bool((value["values"] == n).all())


@pytest.mark.parametrize("killed", [False, True])
def test_a_value_is_never_seen_half_written(path: Path, killed: bool) -> None:
    """Another process writes as fast as it can; it is stopped, let go and killed at any moment."""
    board = Board(path, KIND, create=True)
    writer = SPAWN.Process(target=write_for_ever, args=(path,), daemon=True)
    writer.start()
    try:
        deadline, seen, last = time.monotonic() + 60.0, 0, 0
        while seen < 20_000 and time.monotonic() < deadline:
            number, value = board.read()
            if number == 0:
                continue
            assert is_whole(value) and number >= last
            seen, last = seen + 1, number
        assert seen == 20_000 and last > 100
        if killed and writer.pid is not None:
            os.kill(writer.pid, signal.SIGKILL)
            writer.join()
            for _ in range(100):
                number, value = board.read()
                assert is_whole(value) and number >= last
    finally:
        writer.kill()
        writer.join()
        board.close()
    assert not path.exists()


def test_a_slot_that_was_left_half_written_is_passed_over(path: Path) -> None:
    board = Board(path, KIND, create=True)
    for n in (1, 2, 3):
        value = board.value
        value["number"], value["values"], value["last"] = n, n, n
        board.write()
    begin = 64 + (3 % 8) * board._slot
    board._memory.bytes[begin + 40 : begin + 48] = b"rubbish!"
    number, value = board.read()
    assert number == 2 and is_whole(value)
    board.close()


def test_before_anything_was_written(path: Path) -> None:
    board = Board(path, KIND, create=True)
    assert board.read()[0] == 0
    board.close()


def test_a_writer_that_comes_again_goes_on_counting(path: Path) -> None:
    keeper = Board(path, KIND, create=True)
    for n in range(1, 4):
        writer = Board(path, KIND)
        writer.value["number"] = n
        assert writer.write() == n
        writer.close()
    assert keeper.read()[0] == 3
    keeper.close()


@settings(max_examples=60, deadline=None)
@given(messages=st.lists(st.binary(max_size=300), max_size=40), size=st.integers(320, 2000))
def test_messages_come_whole_and_in_order(messages: list[bytes], size: int) -> None:
    place = memory_folder() / f"armillary-test-{os.getpid()}-{time.monotonic_ns()}"
    one = Pipe(place, size, create=True)
    two = Pipe(place)
    try:
        sent: list[bytes] = []
        got: list[bytes] = []
        for message in messages:
            while not one.send(message):
                received = two.receive()
                assert received is not None, "full, and nothing in it"
                got.append(received)
            sent.append(message)
        while (received := two.receive()) is not None:
            got.append(received)
        assert got == sent
    finally:
        two.close()
        one.close()


def echo(there: Path, back: Path) -> None:
    incoming, outgoing = Pipe(there), Pipe(back)
    while True:
        message = incoming.receive()
        if message == b"end":
            return
        if message is not None:
            while not outgoing.send(message):
                pass


def test_between_two_processes(path: Path) -> None:
    there, back = Pipe(path, 4000, create=True), Pipe(path.with_suffix(".back"), 4000, create=True)
    other = SPAWN.Process(target=echo, args=(there.path, back.path), daemon=True)
    other.start()
    rng = np.random.default_rng(0)
    try:
        waiting: list[bytes] = []
        done, deadline = 0, time.monotonic() + 60.0
        while done < 3000 and time.monotonic() < deadline:
            message = rng.bytes(int(rng.integers(1, 900)))
            if len(waiting) < 50 and there.send(message):
                waiting.append(message)
            answer = back.receive()
            if answer is not None:
                assert answer == waiting.pop(0)
                done += 1
        assert done == 3000
    finally:
        other.kill()
        other.join()
        there.close()
        back.close()


def test_a_message_that_was_spoilt_is_refused(path: Path) -> None:
    pipe = Pipe(path, 1000, create=True)
    pipe.send(b"hello world")
    pipe._memory.bytes[128 + 8 + 2] ^= 0xFF
    with pytest.raises(BadChannel, match="checksum"):
        pipe.receive()
    assert pipe.clear() > 0 and pipe.receive() is None
    with pytest.raises(BadChannel, match="does not fit"):
        pipe.send(bytes(2000))
    pipe.close()


def test_what_is_no_channel_is_refused(path: Path, tmp_path: Path) -> None:
    with pytest.raises(BadChannel, match="cannot be opened"):
        Board(path, KIND)
    (tmp_path / "other").write_bytes(b"x" * 20_000)
    with pytest.raises(BadChannel, match="no channel"):
        Board(tmp_path / "other", KIND)
    with pytest.raises(BadChannel, match="no channel"):
        Pipe(tmp_path / "other")
    board = Board(path, KIND, create=True)
    with pytest.raises(BadChannel, match="another version"):
        Board(path, np.dtype([("x", "f8", (2000,))]))
    with pytest.raises(BadChannel, match="cannot be made"):
        Board(path, KIND, create=True)
    with pytest.raises(BadChannel, match=r"no room|cannot be made"):
        Pipe(path.with_suffix(".big"), 1 << 46, create=True)
    path.with_suffix(".big").unlink(missing_ok=True)
    board.close()
