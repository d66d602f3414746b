"""The servo frame: exact bytes, laws of reading, and what comes through a bad wire."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armillary.protocols.servo_frame import (
    CRC,
    HEADER,
    ORIGINAL,
    STAMPS,
    BadServoFrame,
    FrameLayout,
    ServoFrame,
    ServoFrameDecoder,
    is_newer,
    stamp_of,
    write_servo_frame,
)
from armillary.protocols.servo_frame_crc16 import MODBUS, Crc16
from tests.protocols.servo_frame_noise import DAMAGES, Damage, Wire, account_of

LAYOUTS = [ORIGINAL, FrameLayout(6), FrameLayout(22, 2), FrameLayout(24, 2), FrameLayout(1)]
layouts = st.sampled_from(LAYOUTS)


@st.composite
def frames(draw: st.DrawFn, layout: FrameLayout) -> bytes:
    positions = draw(st.lists(st.integers(0, layout.most), min_size=layout.joints, max_size=layout.joints))
    return write_servo_frame(draw(st.integers(0, STAMPS - 1)), positions, layout)


def bit_by_bit(data: bytes) -> int:
    """Modbus's checksum as its specification words it."""
    crc = 0xFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ 0xA001 if crc & 1 else crc >> 1
    return crc


def test_published_checksums() -> None:
    """The check values of the catalogue of CRCs, each of "123456789"."""
    assert MODBUS(b"123456789") == 0x4B37
    assert Crc16(0xA001, 0x0000)(b"123456789") == 0xBB3D  # ARC
    assert Crc16(0x8408, 0xFFFF, 0xFFFF)(b"123456789") == 0x906E
    assert MODBUS(bytes.fromhex("010402000a")) == int.from_bytes(bytes.fromhex("3937"), "little")


@given(st.binary(max_size=80))
def test_the_table_reckons_as_the_specification_does(data: bytes) -> None:
    assert MODBUS(data) == bit_by_bit(data)


def test_the_original_frame_byte_by_byte() -> None:
    frame = write_servo_frame(0x1234, list(range(22)))
    assert len(frame) == ORIGINAL.size == 29
    assert frame[:3] == HEADER and frame[3:5] == bytes((0x12, 0x34)) and frame[5:27] == bytes(range(22))
    assert frame[27] | frame[28] << 8 == bit_by_bit(frame[:27])
    assert frame.hex() == "faf5fc1234000102030405060708090a0b0c0d0e0f101112131415" + frame[27:].hex()


def test_other_layouts_leave_the_original_alone() -> None:
    fine = FrameLayout(22, 2)
    assert fine.size == 51 and fine.step == 0.01 and fine.count_of(90.25) == 9025
    headers = {FrameLayout(joints, size).header for joints in range(1, 121) for size in (1, 2)}
    assert len(headers) == 240 and FrameLayout(22).header == HEADER
    for header in headers:
        assert header[:1] not in header[1:], "a header that overlaps itself could hide another"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_frames_of_other_layouts_are_not_even_looked_at(layout: FrameLayout) -> None:
    chance = random.Random(3)
    decoder = ServoFrameDecoder(layout)
    for other in LAYOUTS:
        if other != layout:
            for k in range(200):
                positions = [chance.randint(0, round(180 / other.step)) for _ in range(other.joints)]
                assert decoder.feed(write_servo_frame(k, positions, other)) == []
    assert decoder.counts.bad_sums == 0


@given(st.data(), layouts)
def test_what_is_written_is_read_in_pieces_of_any_size(data: st.DataObject, layout: FrameLayout) -> None:
    sent = [
        (data.draw(st.integers(0, STAMPS - 1)), data.draw(st.lists(st.integers(0, layout.most), min_size=layout.joints,
                                                                   max_size=layout.joints)))
        for _ in range(data.draw(st.integers(0, 4)))
    ]  # fmt: skip
    stream = b"".join(write_servo_frame(stamp, positions, layout) for stamp, positions in sent)
    decoder, read = ServoFrameDecoder(layout), list[ServoFrame]()
    while stream:
        length = data.draw(st.integers(1, len(stream)))
        read += decoder.feed(stream[:length])
        stream = stream[length:]
    assert [(frame.stamp, list(frame.positions)) for frame in read] == sent
    assert decoder.counts.bad_sums == decoder.counts.skipped == 0


@given(st.data(), st.binary(max_size=100))
def test_a_whole_frame_behind_anything_is_found_with_its_last_byte(data: st.DataObject, before: bytes) -> None:
    """However it began: noise, part of a frame, or a header that leads nowhere."""
    before += data.draw(st.sampled_from([b"", HEADER, HEADER[:2], write_servo_frame(1, [7] * 22)[:20]]))
    frame = data.draw(frames(ORIGINAL))
    decoder = ServoFrameDecoder()
    early = [each.offset for each in decoder.feed(before + frame[:-1])]
    late = [each.offset for each in decoder.feed(frame[-1:])]
    # Noise that reads as a frame by chance may cover it: one in 65536 that hypothesis would have to find.
    assert late == [len(before)] or any(offset + ORIGINAL.size > len(before) for offset in early)


@given(st.data())
def test_damage_of_up_to_sixteen_neighbouring_bits_is_always_found(data: st.DataObject) -> None:
    """And any odd number of bits: what this polynomial promises. So nothing wrong may be read at all."""
    frame = data.draw(frames(ORIGINAL))
    pattern = data.draw(st.integers(1, 0xFFFF))
    value = int.from_bytes(frame, "little") ^ pattern << data.draw(st.integers(0, 8 * 29 - 16))
    after = write_servo_frame(5, [90] * 22)
    read = ServoFrameDecoder().feed(value.to_bytes(29, "little") + after)
    assert [each.offset for each in read] == [29]


@given(st.lists(st.integers(0, 8 * 29 - 1), min_size=1, max_size=9, unique=True).filter(lambda bits: len(bits) % 2 == 1))
def test_an_odd_number_of_wrong_bits_is_always_found(bits: list[int]) -> None:
    frame = write_servo_frame(900, list(range(60, 82)))
    value = int.from_bytes(frame, "big")
    for bit in bits:
        value ^= 1 << bit
    assert ServoFrameDecoder().feed(value.to_bytes(29, "big")) == []


@pytest.mark.parametrize("damage", [*DAMAGES, None])
@pytest.mark.parametrize("layout", [ORIGINAL, FrameLayout(22, 2)])
def test_no_more_is_lost_than_is_damaged(damage: Damage | None, layout: FrameLayout) -> None:
    """Every second frame is damaged in the same way: each one that is whole must come, unless the checksum itself was fooled."""
    chance, wire = random.Random(11), Wire()
    for k in range(600):
        wire.sent.append(write_servo_frame(k, [chance.randint(0, 180) for _ in range(layout.joints)], layout))
        wire.put(k, damage(chance, wire.sent[k], layout) if damage is not None and k % 2 == 0 else wire.sent[k])
    decoder, read = ServoFrameDecoder(layout), list[ServoFrame]()
    for piece in wire.pieces(5):
        read += decoder.feed(piece)
    account = account_of(wire, read, decoder)
    assert account.missed == 0 and account.right + account.covered == len(wire.whole)
    assert account.wrong == 0 and account.covered <= account.restored


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_many_frames_over_a_bad_wire(seed: int, request: pytest.FixtureRequest) -> None:
    """30 000, and with --full a million: the account must be exact."""
    wire = Wire.of(1_000_000 if request.config.getoption("--full") else 30_000, seed)
    decoder, read = ServoFrameDecoder(), list[ServoFrame]()
    for piece in wire.pieces(seed):
        read += decoder.feed(piece)
    account = account_of(wire, read, decoder)
    assert wire.damaged > 5_000 and wire.lost > 100 and wire.doubled > 100 and wire.swapped > 100
    assert account.missed == 0, "a frame that came whole was lost"
    assert account.covered <= account.wrong + account.restored
    for offset in account.wrong_at:  # nothing wrong but what has the right checksum, by another reckoning of it
        window = bytes(wire.data[offset : offset + 29])
        assert bit_by_bit(window[:27]) == window[27] | window[28] << 8
    assert account.wrong <= account.expected + 6.0 * math.sqrt(account.expected) + 3.0, "more than sixteen bits must let through"


@given(st.integers(0, STAMPS - 1), st.integers(0, STAMPS - 1))
def test_of_two_time_stamps_one_at_most_is_newer(one: int, other: int) -> None:
    assert not (is_newer(one, other) and is_newer(other, one))
    assert is_newer((one + 1) % STAMPS, one) and not is_newer(one, one)


def test_time_stamps_begin_anew() -> None:
    assert stamp_of(65.537) == 1 and is_newer(stamp_of(65.537), stamp_of(65.5))


@pytest.mark.parametrize("positions", [[90] * 21, [90] * 23, [256] + [90] * 21, [-1] + [90] * 21])
def test_what_does_not_fit_is_not_written(positions: list[int]) -> None:
    with pytest.raises(BadServoFrame):
        write_servo_frame(0, positions)


@pytest.mark.parametrize("angle", [math.nan, math.inf, -1.0, 255.6])
def test_an_angle_that_does_not_fit_is_refused(angle: float) -> None:
    with pytest.raises(BadServoFrame):
        ORIGINAL.count_of(angle)


@pytest.mark.parametrize("wrong", [(0, 1), (121, 1), (22, 3)])
def test_layouts_that_cannot_be(wrong: tuple[int, int]) -> None:
    with pytest.raises(BadServoFrame):
        FrameLayout(*wrong)


@settings(max_examples=300)
@given(st.binary(max_size=400))
def test_garbage_of_any_kind_is_skipped_or_right(data: bytes) -> None:
    """Every byte is skipped, in a frame, or kept for a header that may still become one."""
    decoder = ServoFrameDecoder()
    read = decoder.feed(data)
    kept = len(data) - decoder.counts.skipped - 29 * len(read)
    assert 0 <= kept < 29 and all(CRC(data[each.offset : each.offset + 29]) == 0 for each in read)
