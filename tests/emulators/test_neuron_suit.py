"""The suit that is not there, by itself: what it sends, and what it says to mistakes."""

import socket
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from armillary.emulators.neuron_suit import FAULTS, NeuronSuit, SuitFaults
from armillary.interfaces.cli.emulate_neuron import main
from armillary.protocols.neuron import NeuronFrame
from armillary.protocols.neuron_decoder import NeuronDecoder

VALUES = np.arange(5.0 * 354).reshape(5, 354)


def heard(suit: NeuronSuit, clients: int = 1) -> list[bytes]:
    """All that each of some clients hears until the suit is done."""
    wires = [socket.create_connection(("127.0.0.1", suit.port), timeout=20.0) for _ in range(clients)]
    came = [b""] * clients
    end = time.monotonic() + 30.0
    while not suit.done and time.monotonic() < end:
        suit.serve()
        for k, wire in enumerate(wires):
            wire.setblocking(False)
            try:
                came[k] += wire.recv(1 << 20)
            except BlockingIOError:
                pass
    suit.close()
    for k, wire in enumerate(wires):
        wire.settimeout(20.0)
        while data := wire.recv(1 << 20):
            came[k] += data
        wire.close()
    return came


def frames(data: bytes) -> list[NeuronFrame]:
    return NeuronDecoder().feed(data)


@pytest.mark.parametrize(("options", "floats"), [
    ({}, 354), ({"displacement": False}, 180), ({"reference": True}, 360), ({"displacement": False, "reference": True}, 186),
])  # fmt: skip
def test_a_file_goes_out_frame_by_frame(options: dict[str, Any], floats: int) -> None:
    (data,) = heard(NeuronSuit(VALUES, 0.002, port=0, avatar="Ada", index=3, **options))
    sent = frames(data)
    assert [frame.header.number for frame in sent] == [0, 1, 2, 3, 4] and len(data) == 5 * (64 + 4 * floats)
    assert all((frame.header.name, frame.header.avatar, frame.header.floats) == ("Ada", 3, floats) for frame in sent)
    if options.get("displacement", True):
        assert np.array_equal([frame.motion for frame in sent], VALUES)
    else:
        assert np.array_equal(sent[1].motion[:9], VALUES[1, [0, 1, 2, 3, 4, 5, 9, 10, 11]])


def test_everybody_who_was_there_from_the_begin_hears_the_same() -> None:
    suit = NeuronSuit(np.tile(VALUES, (40, 1)), 0.001, port=0)
    came = heard(suit, clients=3)
    last = {frame.header.number for frame in frames(came[0])}
    assert 199 in last and all({frame.header.number for frame in frames(data)} & last for data in came)


def test_it_begins_with_the_first_who_connects() -> None:
    suit = NeuronSuit(VALUES, 0.001, port=0)
    for _ in range(5):
        suit.serve()
    assert suit.sent == 0 and not suit.done
    assert len(frames(heard(suit)[0])) == 5


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_does_what_it_is_called(fault: str) -> None:
    faults = SuitFaults()
    faults.put_in(f"{fault}=1")
    decoder = NeuronDecoder()
    came = decoder.feed(heard(NeuronSuit(np.tile(VALUES, (4, 1)), 0.001, port=0, faults=faults))[0])
    numbers = [frame.header.number for frame in came]
    counts = decoder.counts
    assert {
        "cut": counts.cut + counts.damaged > 5,
        "lost": numbers == [],
        "doubled": numbers == sorted([*range(20)] * 2),
        "reordered": numbers == [k ^ 1 for k in range(20)],
        "nan": counts.damaged == 20 and numbers == [],
        "delayed": numbers == [*range(20)],
        "garbage": numbers == [*range(20)] and counts.resynchronised == 20,
    }[fault]
    faults.put_in("well")
    assert not any(faults.shares.values())


def test_mistakes_are_told_with_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "none.bvh")]) == 2
    assert "cannot be read" in capsys.readouterr().err
    assert main([str(tmp_path / "none.bvh"), "--faults", "hot=1"]) == 2
    assert "is no fault" in capsys.readouterr().err
    (tmp_path / "broken.bvh").write_text("HIERARCHY\nROOT\n")
    assert main([str(tmp_path / "broken.bvh")]) == 1
    assert "broken.bvh:2" in capsys.readouterr().err
    for wrong in (["--udp", "nowhere"], ["--udp", "host:0"], ["--rate", "0"], ["--rate", "fast"], ["--skeleton", "oldest"]):
        with pytest.raises(SystemExit) as left:
            main([str(tmp_path / "none.bvh"), *wrong])
        assert left.value.code == 2 and wrong[1] in capsys.readouterr().err
