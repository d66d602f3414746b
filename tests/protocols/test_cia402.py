"""CiA 402 in words: states, orders, emergencies, process data, and frames as text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armillary.protocols.cia402 import (
    Control,
    DriveState,
    Object,
    Status,
    control_towards,
    next_drive_state,
    state_of,
    status_of,
    steps_of,
)
from armillary.protocols.cia402_emergency import BadEmergency, Emergency, read_emergency, write_emergency
from armillary.protocols.cia402_pdo import BadEds, Eds, Pdo, frame_bits, own_eds
from armillary.protocols.socketcand import BUS_OFF, CanFrame, SocketcandDecoder, write_error, write_frame

GOALS = (DriveState.ENABLED, DriveState.QUICK_STOP, DriveState.SWITCH_ON_DISABLED)
# What drives of many makers answer, by the table of the profile.
WORDS = {
    0x0000: DriveState.NOT_READY, 0x0250: DriveState.SWITCH_ON_DISABLED, 0x0231: DriveState.READY, 0x0233: DriveState.SWITCHED_ON,
    0x1637: DriveState.ENABLED, 0x0617: DriveState.QUICK_STOP, 0x021F: DriveState.FAULT_REACTION, 0x0208: DriveState.FAULT,
    0x0638: DriveState.FAULT,
}  # fmt: skip


@pytest.mark.parametrize("word", WORDS, ids=hex)
def test_status_words_tell_their_states(word: int) -> None:
    assert state_of(word) is WORDS[word]


@given(st.sampled_from(DriveState), st.integers(0, 0xFFFF))
def test_a_state_is_told_whatever_the_other_bits_are(state: DriveState, other: int) -> None:
    told = 0x6F | Status.VOLTAGE
    assert state_of(int(status_of(state)) | other & ~told & 0xFFFF) is state


def test_the_way_up_is_that_of_the_profile() -> None:
    assert [int(word) for word in steps_of()] == [0x06, 0x07, 0x0F]


@given(st.sampled_from(DriveState), st.sampled_from(GOALS))
def test_orders_lead_to_the_goal_from_everywhere_and_stay_there(start: DriveState, goal: DriveState) -> None:
    """States that a drive leaves by itself are left; a fault is reset only on the way up, and by an edge."""
    left = {DriveState.NOT_READY: DriveState.SWITCH_ON_DISABLED, DriveState.FAULT_REACTION: DriveState.FAULT}
    state, word = start, 0
    for _ in range(10):
        before, word = word, int(control_towards(state, goal, word))
        state = next_drive_state(left.get(state, state), word, before)
    if goal is DriveState.ENABLED:
        assert state is DriveState.ENABLED
    elif left.get(start, start) is DriveState.FAULT:
        assert state is DriveState.FAULT
    elif goal is DriveState.QUICK_STOP and start in (DriveState.ENABLED, DriveState.QUICK_STOP):
        assert state is DriveState.QUICK_STOP
    else:
        assert state is DriveState.SWITCH_ON_DISABLED


@given(st.sampled_from(DriveState), st.integers(0, 0xFFFF), st.integers(0, 0xFFFF))
def test_no_order_powers_a_drive_in_one_step_or_out_of_a_fault(state: DriveState, word: int, before: int) -> None:
    after = next_drive_state(state, word, before)
    if state is DriveState.FAULT:
        rises = word & Control.FAULT_RESET and not before & Control.FAULT_RESET
        assert after is (DriveState.SWITCH_ON_DISABLED if rises else DriveState.FAULT)
    elif after is DriveState.ENABLED:
        assert state in (DriveState.SWITCHED_ON, DriveState.ENABLED, DriveState.QUICK_STOP)
    if not word & Control.ENABLE_VOLTAGE:
        assert after in (DriveState.SWITCH_ON_DISABLED, DriveState.FAULT, DriveState.FAULT_REACTION, DriveState.NOT_READY)


def test_what_was_stopped_is_brought_up_by_way_of_no_power() -> None:
    assert control_towards(DriveState.QUICK_STOP, DriveState.ENABLED) == 0


@pytest.mark.parametrize(
    ("data", "code", "says"),
    [
        ("1186210000000000", 0x8611, "following error"),
        ("3081110000000000", 0x8130, "heartbeat"),
        ("1223010000000000", 0x2312, "too much current for too long"),  # 2310 is the nearest that is known
        ("34ff010102030405", 0xFF34, "maker"),
    ],
)
def test_emergencies_in_words(data: str, code: int, says: str) -> None:
    emergency = read_emergency(bytes.fromhex(data))
    assert emergency.code == code and says in str(emergency) and f"{code:04X}h" in str(emergency) and not emergency.is_over
    assert write_emergency(emergency) == bytes.fromhex(data)


@given(st.integers(0, 0xFFFF), st.integers(0, 255), st.binary(min_size=5, max_size=5))
def test_every_emergency_has_a_meaning_and_comes_back(code: int, register: int, details: bytes) -> None:
    emergency = Emergency(code, register, details)
    assert read_emergency(write_emergency(emergency)) == emergency and emergency.meaning


def test_bytes_that_are_no_emergency_are_refused() -> None:
    with pytest.raises(BadEmergency, match="has 7"):
        read_emergency(bytes(7))
    assert Emergency(0).is_over


def test_the_data_sheet_maps_orders_apart_from_set_points() -> None:
    eds = own_eds()
    assert [pdo.indices for pdo in eds.pdos("receive")] == [(0x6040,), (0x607A, 0x60B1)]
    assert [pdo.indices for pdo in eds.pdos("transmit")] == [(0x6041, 0x6064, 0x6077), (0x606C,)]
    assert eds.carrier("transmit", Object.POSITION).words == (0x60410010, 0x60640020, 0x60770010)
    assert all(pdo.size <= 8 for direction in ("receive", "transmit") for pdo in eds.pdos(direction))


@given(st.integers(0, 0xFFFF), st.integers(-(2**31), 2**31 - 1), st.integers(-(2**15), 2**15 - 1), st.binary(max_size=8))
def test_process_data_come_back_and_other_lengths_do_not(status: int, position: int, torque: int, other: bytes) -> None:
    pdo = own_eds_pdo
    values = {Object.STATUS_WORD: status, Object.POSITION: position, Object.TORQUE: torque}
    assert pdo.read(pdo.write({int(index): value for index, value in values.items()})) == values
    assert (pdo.read(other) is None) == (len(other) != 8)


own_eds_pdo = own_eds().carrier("transmit", Object.POSITION)


def test_process_data_lie_where_the_profile_has_them() -> None:
    assert own_eds_pdo.write({0x6041: 0x1637, 0x6064: -2, 0x6077: 100}).hex() == "3716feffffff6400"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("no sheet at all", "is it an EDS file"),
        ("[1A00]\n[1A00sub0]\nDefaultValue=1\n[1A00sub1]\nDefaultValue=0x60640020\n", "does not have"),
        (
            "[6064]\nDataType=0x4\n[1A00]\n[1A00sub0]\nDefaultValue=3\n"
            + "".join(f"[1A00sub{k}]\nDefaultValue=0x60640020\n" for k in (1, 2, 3)),
            "more than 8 bytes",
        ),
    ],
)
def test_sheets_that_cannot_be_are_refused_in_words(text: str, says: str) -> None:
    with pytest.raises(BadEds, match=says):
        Eds(text, "drive.eds").pdos("transmit")


def test_a_sheet_that_does_not_carry_what_is_needed_says_so() -> None:
    with pytest.raises(BadEds, match="6040h"):
        Eds("[FileInfo]\n").carrier("receive", Object.CONTROL_WORD)


def test_bits_of_frames_with_the_most_stuffing() -> None:
    assert frame_bits([8]) == 135 and frame_bits([0]) == 55 and frame_bits([0, 8]) == 190
    assert Pdo(1, ()).size == 0


def test_frames_as_socketcand_writes_them() -> None:
    assert write_frame(CanFrame(0x181, bytes([1, 0xAB])), 12.5) == b"< frame 181 12.500000 01AB >"
    assert write_frame(CanFrame(0x80), 1.0) == b"< frame 080 1.000000  >"
    assert write_error(BUS_OFF, 1.0) == b"< error 20000040 1.000000 >"


@given(st.lists(st.tuples(st.integers(0, 0x7FF), st.binary(max_size=8)), max_size=20), st.integers(1, 40))
def test_what_clients_send_comes_through_in_any_pieces(frames: list[tuple[int, bytes]], piece: int) -> None:
    text = b"< open can0 >< rawmode >"
    for number, data in frames:
        text += f"< send {number:03X} {len(data):X} {' '.join(f'{byte:x}' for byte in data)} >".encode()
    decoder, found = SocketcandDecoder(), list[CanFrame | str]()
    for at in range(0, len(text), piece):
        found += decoder.feed(text[at : at + piece])
    assert found == ["open", "rawmode", *(CanFrame(number, data) for number, data in frames)] and decoder.bad == 0


@given(st.lists(st.binary(max_size=60), max_size=20))
def test_garbage_is_counted_and_what_follows_is_taken(pieces: list[bytes]) -> None:
    decoder = SocketcandDecoder()
    for piece in pieces:
        decoder.feed(piece)
    assert decoder.feed(b" ><>< send 123 1 ff >")[-1] == CanFrame(0x123, b"\xff") and decoder.bad >= 1


@pytest.mark.parametrize(
    "bad", ["< send 800 0  >", "< send 123 2 ff >", "< send 123 1 100 >", "< send >", "< send xyz 0 >", "<>"]
)
def test_frames_that_cannot_be_are_none(bad: str) -> None:
    decoder = SocketcandDecoder()
    assert decoder.feed(bad.encode()) == [] and decoder.bad == 1
