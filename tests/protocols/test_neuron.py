"""Axis Neuron's broadcast: its bytes, and that a decoder finds every whole frame whatever else comes."""

import itertools
import struct
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armillary.protocols.neuron import (
    HEADER_SIZE,
    LARGEST,
    MOST_FLOATS,
    TOKEN,
    BadNeuronFrame,
    NeuronHeader,
    bones_of,
    read_neuron_header,
    write_neuron_frame,
    write_neuron_header,
)  # fmt: skip
from armillary.protocols.neuron_decoder import NeuronDatagramDecoder, NeuronDecoder
from armillary.protocols.neuron_text import NeuronTextDecoder, write_neuron_text
from tests.protocols.neuron_stream import VECTOR, damage, frame_bytes, same

LONGEST = HEADER_SIZE + 4 * MOST_FLOATS


def pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    return [data[begin:end] for begin, end in itertools.pairwise(edges)]


# What frames look like.


def test_a_frame_written_by_hand_is_read_and_written() -> None:
    assert len(VECTOR) == 64 + 720
    (frame,) = NeuronDecoder().feed(VECTOR)
    header = NeuronHeader(180, False, False, 3, "Char00", 0x01020304, (1, 1, 0, 0))
    assert frame.header == header and frame.header.bones == 59
    assert frame.values[:6].tolist() == [1.0, 95.5, -2.0, 90.0, 0.0, -45.0] and not frame.values[6:].any()
    assert write_neuron_frame(header, frame.values) == VECTOR


def test_a_frame_with_displacement_has_1480_bytes() -> None:
    data = frame_bytes(7)
    assert len(data) == 1480 and data[:10] == bytes.fromhex("ffdd00000101620101 00")
    assert data[62:64] == b"\xff\xee" and struct.unpack_from("<H", data, 6) == (354,)


@pytest.mark.parametrize(("floats", "displacement", "reference", "bones"), [
    (354, True, False, 59), (180, False, False, 59), (360, True, True, 59), (186, False, True, 59), (6, True, False, 1),
    (6, False, False, 1), (12, True, True, 1), (126, True, False, 21), (355, True, False, 0), (181, False, False, 0),
    (0, True, False, 0), (3, False, False, 0), (6, True, True, 0), (9, False, True, 0), (6000, True, False, 0),
])  # fmt: skip
def test_how_many_bones_a_count_makes(floats: int, displacement: bool, reference: bool, bones: int) -> None:
    assert bones_of(floats, displacement, reference) == bones
    header = NeuronHeader(floats, displacement, reference)
    if bones:
        assert read_neuron_header(write_neuron_header(header)) == header
    else:
        with pytest.raises(BadNeuronFrame, match="no skeleton"):
            write_neuron_header(header)


def test_the_reference_stands_in_front() -> None:
    values = np.arange(360.0)
    (frame,) = NeuronDecoder().feed(write_neuron_frame(NeuronHeader(360, True, True), values))
    assert frame.motion.tolist() == values[6:].tolist()


@pytest.mark.parametrize("header", [
    NeuronHeader(354, name="x" * 32), NeuronHeader(354, avatar=-1), NeuronHeader(354, number=2**32),
    NeuronHeader(354, version=(1, 1, 0, 256)), NeuronHeader(354, name="a\0b"),
])  # fmt: skip
def test_what_does_not_fit_is_not_written(header: NeuronHeader) -> None:
    with pytest.raises(BadNeuronFrame, match="fit"):
        write_neuron_header(header)
    with pytest.raises(BadNeuronFrame, match="354"):
        write_neuron_frame(NeuronHeader(354), np.zeros(353))


# Streams.


@given(
    layout=st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=4),
    cuts=st.lists(st.integers(0, 10**4), max_size=12),
)
def test_the_same_frames_come_however_the_stream_is_split(layout: list[tuple[bool, bool]], cuts: list[int]) -> None:
    sent = [frame_bytes(k, displacement=one, reference=other) for k, (one, other) in enumerate(layout)]
    decoder = NeuronDecoder()
    frames = [frame for piece in pieces(b"".join(sent), cuts) for frame in decoder.feed(piece)]
    assert len(frames) == len(sent) and all(map(same, frames, sent))
    assert decoder.waiting == 0 and decoder.counts.skipped == 0 and decoder.counts.resynchronised == 0
    assert [frame.offset for frame in frames] == np.cumsum([0, *map(len, sent)])[:-1].tolist()


def test_byte_by_byte_each_frame_comes_with_its_last_byte() -> None:
    decoder, data = NeuronDecoder(), frame_bytes(0) + frame_bytes(1)
    came = [k for k in range(len(data)) for _ in decoder.feed(data[k : k + 1])]
    assert came == [1479, 2959]


@settings(max_examples=200)
@given(seed=st.integers(0, 2**32 - 1))
def test_damage_loses_only_what_was_damaged(seed: int) -> None:
    random = np.random.default_rng(seed)
    sent = [frame_bytes(k, displacement=bool(random.integers(2)), seed=seed) for k in range(8)]
    hurt = {int(k) for k in random.integers(0, 8, 3)}
    stream = b"".join(damage(data, random) if k in hurt else data for k, data in enumerate(sent))
    cuts = [int(k) for k in random.integers(0, len(stream), 5)]
    decoder = NeuronDecoder()
    frames = [frame for piece in pieces(stream, cuts) for frame in decoder.feed(piece)]
    left = iter(frames)
    for k, data in enumerate(sent):
        if k not in hurt:
            assert any(same(frame, data) for frame in left), f"frame {k} is lost, and only {sorted(hurt)} were damaged"
    assert decoder.waiting <= LONGEST


@pytest.mark.parametrize("missing", range(1, 200))
def test_a_frame_that_lacks_bytes_is_never_filled_up_with_those_of_the_next(missing: int) -> None:
    for place in (70, 700, 1480 - missing):
        first, second = frame_bytes(0), frame_bytes(1)
        decoder = NeuronDecoder()
        frames = decoder.feed(first[:place] + first[place + missing :])
        for k in range(0, len(second), 97):
            frames += decoder.feed(second[k : k + 97])
        assert len(frames) == 1 and same(frames[0], second)
        assert decoder.counts.cut + decoder.counts.damaged == 1 and decoder.counts.resynchronised == 1


def test_the_next_frame_does_not_wait_behind_a_count_that_lies() -> None:
    first = bytearray(frame_bytes(0))
    struct.pack_into("<H", first, 6, 4092)
    decoder = NeuronDecoder()
    (frame,) = decoder.feed(bytes(first) + frame_bytes(1))
    assert same(frame, frame_bytes(1)) and decoder.counts.cut == 1


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf"), 1.1 * LARGEST, -1e30])
@pytest.mark.parametrize("place", [0, 100, 353])
def test_a_number_that_is_none_makes_the_frame_none(bad: float, place: int) -> None:
    values = np.zeros(354)
    values[place] = bad
    decoder = NeuronDecoder()
    frames = decoder.feed(write_neuron_frame(NeuronHeader(354), values) + frame_bytes(1))
    assert len(frames) == 1 and same(frames[0], frame_bytes(1)) and decoder.counts.damaged == 1


@given(st.integers(0, 2**32 - 1), st.integers(0, 290 * 4 - 64))
def test_numbers_of_a_person_never_hold_both_tokens(seed: int, at: int) -> None:
    """Wherever one writes the two, one of the numbers they fall on is none any more."""
    data = bytearray(np.random.default_rng(seed).uniform(-LARGEST, LARGEST, 290).astype("<f4").tobytes())
    data[at : at + 2], data[at + 62 : at + 64] = TOKEN, b"\xff\xee"
    assert not np.all(np.abs(np.frombuffer(bytes(data), "<f4")) <= LARGEST)


def test_garbage_is_passed_over_and_counted() -> None:
    random = np.random.default_rng(5)
    garbage = random.integers(0, 256, 10_000, dtype=np.uint8).tobytes() + TOKEN * 50
    decoder = NeuronDecoder()
    frames = decoder.feed(garbage + frame_bytes(0) + b"xyz" + frame_bytes(1))
    assert [frame.header.number for frame in frames] == [0, 1]
    assert decoder.counts.skipped == len(garbage) + 3 and decoder.counts.resynchronised == 2


# Datagrams.


@pytest.mark.parametrize("size", [1480, 1024, 740, 500, 64, 63, 10])
def test_a_frame_in_several_datagrams_is_put_together(size: int) -> None:
    decoder = NeuronDatagramDecoder()
    sent = [frame_bytes(k) for k in range(4)]
    frames = [frame for data in sent for k in range(0, 1480, size) for frame in decoder.feed(data[k : k + size])]
    assert len(frames) == 4 and all(map(same, frames, sent)) and decoder.counts.cut == 0


@settings(max_examples=200)
@given(seed=st.integers(0, 2**32 - 1), size=st.sampled_from([500, 600, 1000, 1400]))
def test_a_datagram_lost_or_doubled_costs_its_own_frame_alone(seed: int, size: int) -> None:
    random = np.random.default_rng(seed)
    sent = [frame_bytes(k, seed=seed) for k in range(12)]
    decoder, frames, hurt = NeuronDatagramDecoder(), [], set()
    for number, data in enumerate(sent):
        parts = [data[k : k + size] for k in range(0, len(data), size)]
        if number - 1 not in hurt and random.random() < 0.4:
            hurt.add(number)
            place = int(random.integers(len(parts)))
            parts[place : place + 1] = [] if random.random() < 0.5 else [parts[place]] * 2
        for part in parts:
            frames += decoder.feed(part)
    left = iter(frames)
    assert all(any(same(frame, data) for frame in left) for k, data in enumerate(sent) if k not in hurt)
    # What comes of the others is not put together of pieces that do not belong together, unless two in a row were hurt.
    whole = {data[64:] for data in sent}
    assert all(frame.values.tobytes() in whole for frame in frames)


def test_datagrams_of_the_same_frame_may_come_in_another_order_and_cost_it() -> None:
    data = frame_bytes(0)
    decoder = NeuronDatagramDecoder()
    frames = [frame for part in (data[1000:], data[:1000]) for frame in decoder.feed(part)]
    assert frames == [] and [frame.header.number for frame in decoder.feed(frame_bytes(1))] == [1]


# Text.


def text_frame(number: int, floats: int = 354) -> bytes:
    values = np.random.default_rng(number).uniform(-180.0, 180.0, floats).astype(np.float32)
    header = NeuronHeader(floats, floats in (354, 360), floats in (360, 186), 2, "Char01", -1)
    return write_neuron_text(header, values)


def test_text_written_by_hand_is_read() -> None:
    data = b"0 Char00 1 95.5 -2e0 90.0 0 -45 " + b"0.000 " * 174 + b"||"
    (frame,) = NeuronTextDecoder().feed(data)
    assert frame.header == NeuronHeader(180, False, False, 0, "Char00", -1)
    assert frame.values[:6].tolist() == [1.0, 95.5, -2.0, 90.0, 0.0, -45.0]


@given(
    counts=st.lists(st.sampled_from([354, 180, 360, 186]), min_size=1, max_size=4),
    cuts=st.lists(st.integers(0, 20_000), max_size=8),
)
def test_text_gives_the_same_frames_however_it_is_split(counts: list[int], cuts: list[int]) -> None:
    sent = [text_frame(k, count) for k, count in enumerate(counts)]
    decoder = NeuronTextDecoder()
    frames = [frame for piece in pieces(b"\r\n".join(sent), cuts) for frame in decoder.feed(piece)]
    assert [frame.header.floats for frame in frames] == counts
    for k, frame in enumerate(frames):
        wanted = np.random.default_rng(k).uniform(-180.0, 180.0, counts[k])
        assert np.abs(frame.values - wanted).max() < 2e-5 and (frame.header.avatar, frame.header.name) == (2, "Char01")


@pytest.mark.parametrize(
    "word", [b"nan", b"inf", b"-INF", b"1_0", b"0x10", b"1e9", b"1e400", b"--1", b"1.2.3", b"1" * 50, b"1,5", b"\xff"]
)
def test_text_with_a_number_that_is_none_is_no_frame(word: bytes) -> None:
    words = text_frame(0).split()
    words[200] = word
    decoder = NeuronTextDecoder()
    frames = decoder.feed(b" ".join(words) + text_frame(1))
    assert len(frames) == 1 and decoder.counts.damaged + decoder.counts.cut == 1 and decoder.counts.resynchronised == 1


@pytest.mark.parametrize("data", [
    b"||", b"|| || ||", b"0 Char00 1 2 3 ||", b"Char00 " + b"0 " * 354 + b"||", b"-1 Char00 " + b"0 " * 354 + b"||",
    b"0 " + b"0 " * 354 + b"||", b"0 Char00 " + b"0 " * 355 + b"||",
])  # fmt: skip
def test_text_of_something_else_is_no_frame(data: bytes) -> None:
    assert NeuronTextDecoder().feed(data) == []


def test_text_that_was_cut_costs_no_more_than_its_own_frame_where_the_next_can_be_told() -> None:
    decoder = NeuronTextDecoder()
    (frame,) = decoder.feed(text_frame(0)[:1000] + b" " + text_frame(1))
    assert frame.values.tolist() == NeuronTextDecoder().feed(text_frame(1))[0].values.tolist() and decoder.counts.cut == 1


def test_text_without_end_is_not_kept() -> None:
    decoder = NeuronTextDecoder()
    for _ in range(50):
        decoder.feed(b"1.0 " * 2000)
        assert decoder.waiting <= 2**15
    assert len(decoder.feed(b"|| " + text_frame(1))) == 1


@pytest.mark.parametrize("name", ["", "a b", "a|b", "12", "x" * 32])
def test_a_name_that_text_cannot_tell_is_not_written(name: str) -> None:
    with pytest.raises(BadNeuronFrame, match="name"):
        write_neuron_text(NeuronHeader(354, name=name), np.zeros(354))


# All that can come.


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["stream", "datagrams", "text"])
def test_fuzzed_packets_never_break_a_decoder_nor_make_it_grow(kind: str, request: pytest.FixtureRequest) -> None:
    """9000, and with --full a million in all three: no error, no growth, and a whole frame is always found afterwards."""
    random = np.random.default_rng(11)
    count = 333_334 if request.config.getoption("--full") else 3_000
    decoder: NeuronDecoder | NeuronDatagramDecoder | NeuronTextDecoder = NeuronDecoder()
    if kind != "stream":
        decoder = NeuronDatagramDecoder() if kind == "datagrams" else NeuronTextDecoder()
    make = text_frame if kind == "text" else frame_bytes
    whole = [make(k) for k in range(16)]
    found = fed = 0
    tracemalloc.start()
    before = 0
    for k in range(count):
        if k == 1000:
            before = tracemalloc.get_traced_memory()[0]
        data = damage(whole[k % 16], random)
        while random.random() < 0.3:
            data = damage(data, random) if data else data
        for frame in decoder.feed(data):
            assert np.all(np.abs(frame.values) <= LARGEST) and frame.header.bones > 0
        assert decoder.waiting <= max(LONGEST, 2**15)
        if k % 100 == 99:
            fed += 1
            decoder.feed(b"||" if kind == "text" else whole[0])
            found += any(frame.values.tobytes() == make_values(whole[1], kind) for frame in decoder.feed(whole[1]))
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert found == fed and after - before < 200_000


def make_values(data: bytes, kind: str) -> bytes:
    if kind == "text":
        return NeuronTextDecoder().feed(data)[0].values.tobytes()
    return data[64:]
