"""The Mega and its Nanos without wires: what they follow, what they refuse, and that they hold."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pymodbus.framer import FramerRTU
from pymodbus.pdu import DecodePDU
from pymodbus.pdu.register_message import (
    ReadHoldingRegistersRequest,
    ReadInputRegistersRequest,
    WriteMultipleRegistersRequest,
    WriteSingleRegisterRequest,
)

from armillary.emulators.servo_boards_mega import FrameGate, MegaBoard
from armillary.emulators.servo_boards_nano import NanoBoard, NanoBus, Servo
from armillary.protocols.servo_frame import STAMPS, FrameLayout, ServoFrame, write_servo_frame
from tests.protocols.servo_frame_noise import Wire

CLIENT = FramerRTU(DecodePDU(False))


class Boards:
    """A Mega and four Nanos on a wire that takes no time; the clock is the test's."""

    def __init__(self, layout: FrameLayout | None = None, **options: Any) -> None:
        self.mega = MegaBoard(layout or FrameLayout())
        self.bus = NanoBus({address: NanoBoard() for address in self.mega.addresses}, **options)
        self.now = 0.0

    def pass_time(self, seconds: float, step: float = 0.005) -> None:
        for _ in range(round(seconds / step)):
            self.now += step
            self.exchange()
            self.bus.advance(self.now)

    def exchange(self) -> None:
        while request := self.mega.request(self.now):
            if answer := self.bus.feed(request, self.now):
                self.mega.hear(answer)

    def send(self, data: bytes) -> None:
        self.mega.feed(data, self.now)

    def send_angles(self, *angles: int) -> None:
        """A frame with these angles first and 90 behind."""
        self.send(write_servo_frame(round(self.now * 1000) % STAMPS, [*angles, *[90] * (22 - len(angles))]))

    @property
    def angles(self) -> list[float]:
        return [servo.angle for board in self.bus.boards.values() for servo in board.servos]

    @property
    def goals(self) -> list[float]:
        return [servo.goal for board in self.bus.boards.values() for servo in board.servos]


def test_a_frame_turns_the_servos_of_four_boards() -> None:
    boards = Boards()
    wanted = [60 + 2 * k for k in range(22)]
    for _ in range(20):
        boards.send_angles(*wanted)
        boards.pass_time(0.02)
    assert boards.angles[:22] == pytest.approx(wanted) and boards.angles[22:] == [90.0, 90.0]
    assert list(boards.mega.answered.values()) == [20] * 4 and boards.mega.gate.counts.taken == 20


def test_positions_of_two_bytes_lose_nothing() -> None:
    layout = FrameLayout(22, 2)
    boards = Boards(layout)
    for k in range(20):
        boards.send(write_servo_frame(20 * k, [9_025] * 22, layout))
        boards.pass_time(0.02)
    assert boards.goals[:22] == pytest.approx([90.25] * 22) and boards.angles[0] == 90.0, "a quarter degree is in the dead-band"


def test_a_servo_is_no_faster_than_it_is() -> None:
    servo = Servo(speed=100.0, dead_band=0.5)
    servo.goal = 120.0
    servo.advance(0.1)
    assert servo.angle == pytest.approx(100.0)
    servo.advance(1.0)
    assert servo.angle == pytest.approx(120.0)


def test_inside_its_dead_band_a_servo_stays() -> None:
    servo = Servo(dead_band=0.5)
    servo.goal = 90.4
    servo.advance(1.0)
    assert servo.angle == 90.0 and servo.output == pytest.approx(90.4)
    servo.goal = 90.6
    servo.advance(1.0)
    assert servo.angle == pytest.approx(90.6), "once it turns it turns all the way"


@given(st.lists(st.tuples(st.floats(0.0, 180.0), st.floats(0.0, 0.2)), max_size=20), st.floats(0.0, 5.0))
def test_a_servo_at_rest_is_within_its_dead_band(steps: list[tuple[float, float]], dead_band: float) -> None:
    servo = Servo(speed=300.0, dead_band=dead_band)
    for goal, seconds in steps:
        before, servo.goal = servo.angle, goal
        servo.advance(seconds)
        assert abs(servo.angle - before) <= 300.0 * seconds + 1e-9
    for _ in range(3):
        servo.advance(1.0)
    assert abs(servo.angle - servo.goal) <= dead_band + 1e-9


def test_on_silence_all_hold_where_they_are() -> None:
    boards = Boards()
    boards.send_angles(180)
    boards.pass_time(0.1)
    boards.send(b"\x00" * 500)  # noise is no sign of life
    boards.pass_time(1.0)
    held = boards.angles
    assert 90.0 < held[0] < 180.0 and held[0] == pytest.approx(90.0 + 300.0 * 0.2, abs=3.0)
    boards.pass_time(5.0)
    assert boards.angles == held and all(board.held for board in boards.bus.boards.values())
    boards.send_angles(180)
    boards.pass_time(0.1)
    assert boards.angles[0] > held[0] + 20.0, "it follows again when frames come again"


def test_how_often_the_boards_are_looked_at_does_not_matter() -> None:
    """A busy computer must not make the emulated boards brake later."""
    rarely, often = NanoBoard(), NanoBoard()
    for board in (rarely, often):
        board.write(0, [18_000], 0.0)
    for k in range(1, 1001):
        often.advance(0.001 * k)
    rarely.advance(1.0)
    assert rarely.servos[0].output == pytest.approx(often.servos[0].output, abs=0.31)


@pytest.mark.parametrize("damage", range(29))
def test_a_damaged_frame_is_not_followed(damage: int) -> None:
    boards = Boards()
    frame = bytearray(write_servo_frame(10, [120] * 22))
    frame[damage] ^= 0x21
    boards.send(bytes(frame))
    boards.pass_time(0.1)
    assert boards.angles == [90.0] * 24 and boards.mega.gate.counts.taken == 0


def test_stale_frames_are_refused_also_where_time_stamps_begin_anew() -> None:
    gate, now = FrameGate(), 65.0
    for stamp, taken in [
        (65_000, True),
        (65_000, False),
        (64_990, False),
        (65_535, True),
        (4, True),
        (65_535, False),
        (3, False),
    ]:
        now += 0.01
        assert gate.takes(ServoFrame(stamp, (90,) * 22), now) == taken, stamp
    assert (gate.counts.taken, gate.counts.stale) == (3, 4)


def test_a_stamp_from_the_future_does_not_shut_out_those_behind_it() -> None:
    gate = FrameGate()
    assert gate.takes(ServoFrame(1000, (90,) * 22), 1.0)
    assert not gate.takes(ServoFrame(31_000, (90,) * 22), 1.02) and gate.counts.ahead == 1
    assert gate.takes(ServoFrame(1040, (90,) * 22), 1.04)


def test_after_silence_another_sender_is_followed() -> None:
    gate = FrameGate()
    assert gate.takes(ServoFrame(30_000, (90,) * 22), 1.0)
    assert not gate.takes(ServoFrame(10, (90,) * 22), 2.0)
    assert gate.takes(ServoFrame(10, (90,) * 22), 3.5)


@pytest.mark.parametrize("angle", [181, 255])
def test_a_frame_with_one_angle_out_of_range_is_refused_whole(angle: int) -> None:
    boards = Boards()
    boards.send_angles(100, angle)
    boards.pass_time(0.1)
    assert boards.angles == [90.0] * 24 and boards.mega.gate.counts.out_of_range == 1


def test_a_board_that_does_not_answer_stops_no_other() -> None:
    boards = Boards(deaf=frozenset({2}))
    for _ in range(20):
        boards.send_angles(*[100] * 22)
        boards.pass_time(0.1)
    assert boards.angles[:6] == pytest.approx([100.0] * 6) and boards.angles[6:12] == [90.0] * 6
    assert boards.angles[12:22] == pytest.approx([100.0] * 10)
    assert boards.mega.unanswered[2] > 10 and boards.mega.unanswered[1] == 0


def test_over_a_bad_wire_each_frame_is_followed_once_and_in_order(request: pytest.FixtureRequest) -> None:
    """Lost, doubled, swapped and damaged ones: what is followed is a part of what was sent, in its order.

    3000, and with --full a million, of which sixteen bits of checksum must let a few wrong ones through: these are counted.
    """
    wire = Wire.of(1_000_000 if request.config.getoption("--full") else 3000, 7)
    mega, followed = MegaBoard(), list[ServoFrame]()
    stream = bytes(wire.data)
    now = 0.0
    for at in range(0, len(stream), 29):
        now += 0.02
        followed += mega.feed(stream[at : at + 29], now)
    numbers = {frame: k for k, frame in enumerate(wire.sent)}
    found = [numbers.get(write_servo_frame(frame.stamp, frame.positions)) for frame in followed]
    order = [number for number in found if number is not None]
    assert order == sorted(set(order)), "none twice, none before one that came earlier"
    expected = wire.damaged / 65536.0  # a decoder tries a few places in each
    assert len(found) - len(order) <= 3.0 * expected + 6.0 * expected**0.5, (
        "no more wrong ones than sixteen bits must let through"
    )
    counts = mega.gate.counts
    assert counts.stale >= 0.9 * (1.0 - 0.3) ** 2 * wire.doubled, "doubled and swapped ones are refused"
    assert counts.stale >= 30 and counts.out_of_range == 0
    assert counts.taken + counts.stale + counts.ahead == mega.decoder.counts.frames
    assert len(followed) >= 0.97 * len(set(wire.whole.values())), "swapped ones apart, what came whole is followed"


# The slaves, asked by pymodbus itself.


def ask(bus: NanoBus, request: Any, now: float = 0.0) -> Any:
    answer = bus.feed(CLIENT.buildFrame(request), now)
    return CLIENT.handleFrame(answer, 0, 0)[1] if answer else None


def test_slaves_are_written_to_and_read() -> None:
    bus = NanoBus({address: NanoBoard() for address in (1, 2)})
    answer = ask(bus, WriteMultipleRegistersRequest(address=1, registers=[1000, 2000], dev_id=2))
    assert answer.dev_id == 2 and answer.count == 2 and not answer.isError()
    assert ask(bus, WriteSingleRegisterRequest(address=5, registers=[3000], dev_id=2)).registers == [3000]
    assert ask(bus, ReadHoldingRegistersRequest(count=6, dev_id=2)).registers == [9000, 1000, 2000, 9000, 9000, 3000]
    assert ask(bus, ReadInputRegistersRequest(count=6, dev_id=2)).registers == [9000] * 6, "time has not passed"
    assert ask(bus, ReadHoldingRegistersRequest(count=6, dev_id=1)).registers == [9000] * 6
    assert ask(bus, ReadHoldingRegistersRequest(count=6, dev_id=3)) is None, "there is no board 3"
    assert ask(bus, WriteMultipleRegistersRequest(registers=[10] * 6, dev_id=0)) is None, "to all of them: nobody answers"
    assert all(servo.goal == 0.1 for board in bus.boards.values() for servo in board.servos)


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (WriteMultipleRegistersRequest(address=4, registers=[9000] * 3, dev_id=1), 2),
        (WriteMultipleRegistersRequest(address=0, registers=[9000, 18_001], dev_id=1), 3),
        (ReadHoldingRegistersRequest(address=3, count=4, dev_id=1), 2),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(request_: Any, code: int) -> None:
    bus = NanoBus({1: NanoBoard()})
    answer = ask(bus, request_)
    assert answer.isError() and answer.exception_code == code
    assert all(servo.goal == 90.0 for servo in bus.boards[1].servos)


@given(st.lists(st.binary(min_size=1, max_size=40), max_size=12))
def test_garbage_on_the_bus_changes_no_servo_for_long(garbage: list[bytes]) -> None:
    """Whatever comes: no exception, and behind a pause the next request is answered."""
    bus = NanoBus({1: NanoBoard()})
    for k, data in enumerate(garbage):
        bus.feed(data, 0.001 * k)
    answer = ask(bus, WriteMultipleRegistersRequest(address=0, registers=[100] * 6, dev_id=1), now=1.0)
    assert answer is not None and not answer.isError()


@given(st.lists(st.binary(min_size=1, max_size=40), max_size=12))
def test_garbage_to_the_master_does_not_stop_it(garbage: list[bytes]) -> None:
    boards = Boards()
    boards.send_angles(100)
    for data in garbage:
        boards.mega.request(boards.now)
        boards.mega.hear(data)
    boards.pass_time(0.5)
    boards.send_angles(100)
    boards.pass_time(0.1)
    assert boards.goals[0] == 100.0


def test_random_traffic_of_two_senders_is_not_mixed() -> None:
    """Two that do not know of each other: the one whose stamps are behind is shut out, its frames never in between."""
    mega, chance = MegaBoard(), random.Random(1)
    now, taken = 0.0, list[int]()
    for k in range(1, 200):
        now += 0.01
        mine = chance.random() < 0.5
        stamp = 20_000 + 10 * k if mine else 5_000 + 10 * k
        taken += [frame.stamp for frame in mega.feed(write_servo_frame(stamp, [90] * 22), now)]
    assert len({stamp >= 20_000 for stamp in taken[1:]}) == 1
