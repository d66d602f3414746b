"""Live motion over real sockets, from a suit that is not there."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from armillary.emulators.neuron_suit import BadSuit, NeuronSuit, SuitFaults
from armillary.imitation import (
    Bone,
    Capture,
    ImitationError,
    LiveMotion,
    MotionFrame,
    MotionSource,
    NeuronForm,
    Skeleton,
    neuron_skeleton,
    open_live,
    write_bvh,
)
from armillary.imitation.live import usual_rate
from armillary.protocols.neuron import NeuronHeader, write_neuron_frame
from tests.imitation.neuron_process import SuitProcess, SuitThread, frames_of

RATE = 120.0
LONG = 30.0  # s that a test waits at most for what comes at once


def free_udp_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def until(holds: Callable[[], object], source: MotionSource | None = None) -> None:
    end = time.monotonic() + LONG
    while not holds():
        assert time.monotonic() < end, f"it did not come to that: {source.statistics if source else ''}"
        time.sleep(0.01)


def whole(frame: MotionFrame) -> bool:
    """Whether all of its rotations belong to one frame."""
    turns = frame.values.reshape(59, 6)[:, 3:] if len(frame.values) == 354 else frame.values[3:]
    return bool(np.all(turns == turns.flat[0]))


def take(source: MotionSource, count: int) -> list[MotionFrame]:
    frames: list[MotionFrame] = []
    while len(frames) < count:
        frame = source.next(LONG)
        assert frame is not None, source.statistics
        frames.append(frame)
    return frames


@pytest.fixture
def opened() -> Iterator[Callable[..., LiveMotion]]:
    sources: list[LiveMotion] = []

    def open_(address: str, **options: Any) -> LiveMotion:
        sources.append(open_live(address, rate=RATE, wait=LONG, **options))
        return sources[-1]

    yield open_
    for source in sources:
        source.close()


def suit(form: NeuronForm = NeuronForm.NEWER, **options: Any) -> SuitThread:
    given = {"port": 0, "repeat": True} | options
    return SuitThread(NeuronSuit(frames_of(100, form), 1 / RATE, **given))


@pytest.mark.parametrize("form", NeuronForm)
@pytest.mark.parametrize("options", [
    {}, {"displacement": False}, {"reference": True}, {"displacement": False, "reference": True}, {"text": True},
    {"text": True, "displacement": False},
])  # fmt: skip
@pytest.mark.parametrize("wire", ["tcp", "udp", "udp in pieces"])
def test_frames_come_over_every_wire_in_every_layout(
    wire: str, form: NeuronForm, options: dict[str, bool], opened: Callable[..., LiveMotion]
) -> None:
    port = free_udp_port()
    datagrams: dict[str, Any] = {"port": None, "udp": ("127.0.0.1", port), "piece": 500 if wire.endswith("pieces") else 0}
    way: dict[str, Any] = {} if wire == "tcp" else datagrams
    with suit(form, **options, **way) as sender:
        source = opened(f"tcp://127.0.0.1:{sender.port}" if wire == "tcp" else f"udp://127.0.0.1:{port}", form=form)
        frames = take(source, 5)
    numbers = [frame.number for frame in frames]
    assert numbers == sorted(set(numbers)) and all(map(whole, frames))
    assert source.skeleton.channel_count == (180 if options.get("displacement") is False else 354)
    assert ("Spine3" in source.skeleton) is (form is NeuronForm.OLDER) and source.period == 1 / RATE
    assert all(frame.time <= time.monotonic() for frame in frames) and np.all(np.diff([frame.time for frame in frames]) >= 0)
    # Who begins to listen in the middle of a frame that comes in pieces has half of it.
    assert source.statistics.damaged <= wire.endswith("pieces") and source.statistics.senders_refused == 0


def test_the_rate_is_told_by_what_comes() -> None:
    with suit() as sender:
        source = open_live(f"tcp://127.0.0.1:{sender.port}", wait=LONG)
        try:
            take(source, 10)
            assert source.period > 0.0 and source.statistics.rate > 0.0 and source.statistics.connected
        finally:
            source.close()


@pytest.mark.parametrize(
    ("seen", "told"), [(118.0, 120.0), (123.0, 120.0), (58.1, 60.0), (99.0, 100.0), (40.0, 40.0), (0.2, 1.0)]
)
def test_a_rate_near_a_usual_one_is_it(seen: float, told: float) -> None:
    assert usual_rate(seen) == told


def test_whoever_does_not_ask_gets_the_newest_frame(opened: Callable[..., LiveMotion]) -> None:
    with suit() as sender:
        source = opened(f"tcp://127.0.0.1:{sender.port}")
        first = take(source, 1)[0]
        until(lambda: source.statistics.frames > 20, source)
        (late,) = take(source, 1)
        assert late.number >= first.number + 10 and source.statistics.skipped >= 10


@pytest.mark.parametrize("wire", ["tcp", "udp"])
@pytest.mark.parametrize("fault", ["cut", "lost", "doubled", "reordered", "nan", "delayed", "garbage"])
def test_what_goes_wrong_is_counted_and_no_wrong_frame_comes(wire: str, fault: str, opened: Callable[..., LiveMotion]) -> None:
    port, faults = free_udp_port(), SuitFaults()
    way: dict[str, Any] = {"port": None, "udp": ("127.0.0.1", port)} if wire == "udp" else {}
    with suit(faults=faults, **way) as sender:
        source = opened(f"tcp://127.0.0.1:{sender.port}" if wire == "tcp" else f"udp://127.0.0.1:{port}")
        take(source, 1)
        faults.put_in(f"{fault}=0.4")
        counted = {
            "cut": "damaged", "lost": "lost", "doubled": "doubled", "reordered": "late", "nan": "damaged", "delayed": "frames",
            "garbage": "resynchronised" if wire == "tcp" else "frames",
        }[fault]  # fmt: skip
        before = getattr(source.statistics, counted)
        frames: list[MotionFrame] = []
        end = time.monotonic() + LONG
        while getattr(source.statistics, counted) - before < 3 or len(frames) < 10:
            assert time.monotonic() < end, source.statistics
            if (frame := source.next(1.0)) is not None:
                frames.append(frame)
    numbers = [frame.number for frame in frames]
    assert numbers == sorted(set(numbers)) and all(map(whole, frames))


def test_a_second_sender_is_not_listened_to(opened: Callable[..., LiveMotion]) -> None:
    port, said = free_udp_port(), list[str]()
    to = ("127.0.0.1", port)
    with suit(port=None, udp=to) as first:
        source = opened(f"udp://127.0.0.1:{port}", say=said.append)
        take(source, 2)
        before = first.number
        other = np.full(354, 55.5)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as second:
            for k in range(30):
                second.sendto(write_neuron_frame(NeuronHeader(354, number=k), other), to)
        until(lambda: source.statistics.senders_refused == 1, source)
        frames = take(source, 10)
        assert first.number > before
    assert not any(np.any(frame.values == 55.5) for frame in frames)
    assert len([words for words in said if "second sender" in words]) == 1


def test_another_persons_avatar_is_not_listened_to(opened: Callable[..., LiveMotion]) -> None:
    port = free_udp_port()
    with suit(port=None, udp=("127.0.0.1", port), avatar="Ada", index=1):
        with pytest.raises(ImitationError, match=r"no frame came within 0\.3 s: .*'Bert'"):
            open_live(f"udp://127.0.0.1:{port}", avatar="Bert", wait=0.3)
        assert len(take(opened(f"udp://127.0.0.1:{port}", avatar="Ada"), 2)) == 2


@pytest.mark.slow
def test_a_sender_that_is_killed_falls_silent_and_is_found_again_when_it_is_back(
    tmp_path: Path, opened: Callable[..., LiveMotion]
) -> None:
    file = tmp_path / "wave.bvh"
    write_bvh(file, Capture(neuron_skeleton(displacement=True), frames_of(100), 1 / 60))
    sender, said = SuitProcess(file, "--repeat", "--rate", "120"), list[str]()
    try:
        source = opened(f"tcp://127.0.0.1:{sender.port}", say=said.append)
        take(source, 5)
        sender.kill()
        until(lambda: not source.statistics.connected, source)
        while source.next(0.5) is not None:
            pass
        assert source.next(0.05) is None and source.statistics.error and said
        last = source.statistics.frames
        sender = SuitProcess(file, "--repeat", "--rate", "120", port=sender.port)
        frames = take(source, 5)
        assert source.statistics.connected and source.statistics.frames > last and source.statistics.lost == 0
        assert frames[0].time > time.monotonic() - LONG and frames == sorted(frames, key=lambda each: each.number)
    finally:
        sender.close()


@pytest.mark.slow
def test_the_suit_ends_behind_its_file_and_says_what_it_cannot_wear(tmp_path: Path, opened: Callable[..., LiveMotion]) -> None:
    file = tmp_path / "wave.bvh"
    rows = frames_of(30).reshape(30, 59, 6)
    values = np.concatenate([rows[:, 0, :3], rows[:, :, 3:].reshape(30, 177)], axis=1)
    write_bvh(file, Capture(neuron_skeleton(NeuronForm.OLDER), values, 1 / 60))
    sender = SuitProcess(file, "--skeleton", "older", "--no-displacement")
    try:
        source = opened(f"tcp://127.0.0.1:{sender.port}", form="older")
        assert source.skeleton.channel_count == 180
        until(lambda: source.statistics.frames == 30, source)
        assert sender.process.wait(LONG) == 0
    finally:
        sender.close()
    nobody = tmp_path / "nobody.bvh"
    write_bvh(nobody, Capture(Skeleton((Bone("Box", -1, np.zeros(3), ("Xrotation",)),)), np.zeros((2, 1)), 0.1))
    failed = SuitProcess(nobody)
    assert failed.process.wait(LONG) == 1
    failed.close()


def test_nobody_there_is_said_with_what_to_do() -> None:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    with pytest.raises(ImitationError, match=rf"tcp://127\.0\.0\.1:{port}: no frame came within 0\.2 s: .*takes no connection"):
        open_live(f"tcp://127.0.0.1:{port}", wait=0.2)
    with pytest.raises(ImitationError, match=r"nothing has come to port"):
        open_live(f"udp://127.0.0.1:{free_udp_port()}", wait=0.2)


def test_who_talks_of_something_else_sends_no_frames() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()

        def talk() -> None:
            client, _ = listener.accept()
            with client:
                client.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 20)
                client.recv(10)

        talking = threading.Thread(target=talk)
        talking.start()
        with pytest.raises(ImitationError, match="sends nothing that is a frame"):
            open_live(f"tcp://127.0.0.1:{listener.getsockname()[1]}", wait=0.5)
        talking.join(LONG)


@pytest.mark.parametrize(
    "address", ["", "7001", "tcp://", "tcp://host", "http://host:1", "udp://:70000", "tcp://a b:1", "tcp://h:0"]
)
def test_addresses_that_are_none(address: str) -> None:
    with pytest.raises(ImitationError, match="no address of live motion"):
        open_live(address)
    with pytest.raises(ImitationError, match="older"):
        open_live("tcp://127.0.0.1:9", form="oldest")
    with pytest.raises(ImitationError, match="1 to 1000"):
        open_live("tcp://127.0.0.1:9", rate=0.0)


def test_a_port_that_is_taken_is_said() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        with pytest.raises(ImitationError, match="cannot be listened at"):
            open_live(f"udp://127.0.0.1:{one.getsockname()[1]}")


def test_who_waits_is_woken_when_it_is_closed(opened: Callable[..., LiveMotion]) -> None:
    with suit(repeat=False) as sender:
        source = opened(f"tcp://127.0.0.1:{sender.port}")
        until(lambda: sender.done)
        until(lambda: source.next(0.1) is None)
        got: list[object] = []
        waiting = threading.Thread(target=lambda: got.append(source.next(60.0)))
        waiting.start()
        source.close()
        waiting.join(LONG)
        assert got == [None]
        source.close()


@pytest.mark.parametrize("text", ["cut", "cut=2", "cut=-1", "cut=nan", "hot=0.5", "cut=0.1;lost=0.1"])
def test_faults_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(BadSuit, match="is no fault"):
        SuitFaults().put_in(text)


def test_a_suit_that_cannot_be_is_refused() -> None:
    with pytest.raises(BadSuit, match="354"):
        NeuronSuit(np.zeros((3, 180)), 0.01, port=0)
    with pytest.raises(BadSuit, match="nobody could hear it"):
        NeuronSuit(frames_of(1), 0.01)
    with SuitThread(NeuronSuit(frames_of(1), 0.01, port=0)) as one, pytest.raises(BadSuit, match="cannot be had"):
        NeuronSuit(frames_of(1), 0.01, port=one.port)
