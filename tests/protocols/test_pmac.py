"""PMAC's requests and replies: known bytes, round trips in any pieces, and what is refused."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armillary.protocols.pmac import (
    FIRST_LINE,
    LONGEST_COMMAND,
    LONGEST_WRITE,
    BadPmac,
    PmacReply,
    PmacRequest,
    ReplyDecoder,
    Request,
    RequestDecoder,
    RequestType,
    WriteResult,
    control_response,
    flush,
    get_buffer,
    get_response,
    pack_lines,
    read_ready,
    reply_of,
    send_control,
    send_line,
    split_lines,
    write_buffer,
    write_reply,
    write_result,
)
from armillary.protocols.pmac_error import ERRORS, error_words

COMMANDS = st.text(st.characters(min_codepoint=1, max_codepoint=127), max_size=LONGEST_COMMAND)
LINES = st.lists(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=LONGEST_COMMAND), min_size=1, max_size=40)


def test_requests_are_the_bytes_of_the_manual() -> None:
    assert get_response("ver") == b"\x40\xbf\0\0\0\0\0\x03ver"  # as dls-pmaclib writes it
    assert get_buffer(2048) == b"\xc0\xc5\0\0\0\0\x08\0"
    assert send_line("&1R") == b"\x40\xb0\0\0\0\0\0\x03&1R"
    assert flush() == b"\x40\xb3\0\0\0\0\0\0"
    assert read_ready() == b"\xc0\xc2\0\0\0\0\0\x02"
    assert control_response("^P") == b"\x40\xc4\0\x10\0\0\0\0"
    assert send_control("\x0b") == send_control("^K") == send_control("k") == b"\x40\xb6\0\x0b\0\0\0\0"
    assert write_buffer(["X1", "Y2"]) == b"\x40\xc6\0\0\0\0\0\x06X1\0Y2\0"


@given(commands=st.lists(COMMANDS, max_size=6), cuts=st.lists(st.integers(1, 60), max_size=30))
def test_requests_in_any_pieces_are_read_as_they_were_written(commands: list[str], cuts: list[int]) -> None:
    stream = b"".join(get_response(command) + read_ready() for command in commands)
    decoder, read, at = RequestDecoder(), [], 0
    for cut in [*cuts, len(stream)]:
        read += decoder.feed(stream[at : at + cut])
        at += cut
    texts = [request.data.decode("ascii") for request in read if request.request == Request.GETRESPONSE]
    assert texts == commands
    assert sum(request.request == Request.READREADY for request in read) == len(commands)


@given(data=st.binary(max_size=200))
def test_garbage_is_refused_or_waited_for_but_never_anything_else(data: bytes) -> None:
    try:
        requests = RequestDecoder().feed(data)
    except BadPmac:
        return
    assert b"".join(request.encode() for request in requests) == data[: sum(len(request.encode()) for request in requests)]


def test_a_request_that_claims_too_much_is_refused_before_it_has_come() -> None:
    with pytest.raises(BadPmac, match="1492"):
        RequestDecoder().feed(struct.pack(">BBHHH", 0x40, 0xBF, 0, 0, 1493))


@pytest.mark.parametrize(
    ("data", "reply"),
    [
        (b"\x06", PmacReply(())),
        (b"1.947\r\x06", PmacReply(("1.947",))),
        (b"1.947  \r\x06", PmacReply(("1.947",))),
        (b"1\r2\r\x06", PmacReply(("1", "2"))),
        (b"\x07ERR006\r", PmacReply((), 6)),
        (b"1\r\x07ERR003\r", PmacReply(("1",), 3)),
    ],
)
def test_a_whole_answer_is_read(data: bytes, reply: PmacReply) -> None:
    assert reply_of(data) == reply
    for cut in range(len(data)):
        decoder = ReplyDecoder()
        first = decoder.feed(data[:cut])
        assert first is None or (cut > 0 and data[cut - 1] == 7)  # a bell alone is an answer too (I6=0)
        if first is None:
            assert decoder.feed(data[cut:]) == reply


def test_what_follows_the_end_of_an_answer_is_refused() -> None:
    with pytest.raises(BadPmac, match="follow"):
        reply_of(b"1\r\x062\r\x06")


def test_an_answer_without_an_end_is_refused_in_the_end() -> None:
    decoder = ReplyDecoder(longest=100)
    assert decoder.feed(b"1234567\r" * 12) is None
    with pytest.raises(BadPmac, match="no end"):
        decoder.feed(b"1234567\r")
    assert decoder.feed(b"\x06") == PmacReply(())


@given(lines=LINES)
def test_lines_are_packed_in_order_into_requests_that_fit(lines: list[str]) -> None:
    groups = pack_lines(lines)
    assert [line for group in groups for line in group] == lines
    for group in groups:
        request = RequestDecoder().feed(write_buffer(group))[0]
        assert len(request.data) <= LONGEST_WRITE
        assert split_lines(request.data) == group


@given(line=st.integers(0, 65535), error=st.sampled_from([0, *ERRORS]))
def test_the_reply_to_lines_says_which_and_what(line: int, error: int) -> None:
    result = WriteResult(line, error)
    assert write_result(write_reply(result)) == result
    assert (result.words == "") == (error == 0)


def test_a_refused_line_is_little_endian_and_marked() -> None:
    assert write_reply(WriteResult(FIRST_LINE + 257, 6)) == bytes([(FIRST_LINE + 1), 1, 6, 0x80])


@pytest.mark.parametrize("reply", [b"", b"\0\0\0", b"\0\0\3\0", b"\0\0\0\x80", b"\0\0\3\x81"])
def test_a_reply_to_lines_that_contradicts_itself_is_refused(reply: bytes) -> None:
    with pytest.raises(BadPmac):
        write_result(reply)


@pytest.mark.parametrize("command", ["x" * 256, "Müller", "a\0b"])
def test_a_command_that_pmac_does_not_take_is_not_written(command: str) -> None:
    with pytest.raises(BadPmac):
        get_response(command)


def test_every_error_code_has_words_and_unknown_ones_say_so() -> None:
    assert "no room" in error_words(6)
    assert "ERR042" in error_words(42) and "no manual" in error_words(42)


def test_a_request_knows_its_type() -> None:
    assert RequestDecoder().feed(read_ready()) == [PmacRequest(RequestType.UPLOAD, Request.READREADY, length=2)]
