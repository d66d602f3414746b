"""The PMAC emulator over TCP: its own requests, an outside client that we did not write, and whatever else may come."""

import contextlib
import socket
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from armillary.emulators.pmac import Machine, NoPort, Server
from armillary.protocols.pmac import (
    ECHO,
    PmacReply,
    ReplyDecoder,
    control_response,
    flush,
    get_buffer,
    get_response,
    pack_lines,
    read_ready,
    send_control,
    send_line,
    write_buffer,
    write_result,
)

PATIENCE = 10.0  # s that a test waits for what must come


@pytest.fixture
def server() -> Iterator[Server]:
    """An emulator on any port, served by a thread of its own."""
    server = Server(Machine(4), port=0)
    ended = threading.Event()

    def serve() -> None:
        while not ended.is_set():
            server.serve()

    thread = threading.Thread(target=serve)
    thread.start()
    yield server
    ended.set()
    thread.join(PATIENCE)
    server.close()


class Client:
    """The smallest client."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE)

    def ask(self, request: bytes, size: int = 4096) -> bytes:
        self.socket.sendall(request)
        return self.socket.recv(size)

    def say(self, command: str) -> PmacReply:
        decoder, request = ReplyDecoder(), get_response(command)
        for _ in range(100):
            reply = decoder.feed(self.ask(request))
            if reply is not None:
                return reply
            request = get_buffer()
        raise AssertionError(f"no answer to {command}")


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    client = Client(server.port)
    assert client.say("I3=2 I6=1").error == 0
    with contextlib.closing(client.socket):
        yield client


def test_commands_are_answered_and_errors_have_words(client: Client) -> None:
    assert client.say("ver") == PmacReply(("1.947",))
    assert client.say("P1=2") == PmacReply(())
    assert client.say("P1") == PmacReply(("2",))
    reply = client.say("X10")
    assert reply.error == 5 and "open" in reply.words


def test_a_sent_line_is_fetched_later(client: Client) -> None:
    assert client.ask(send_line("P1=7 P1")) == ECHO
    assert client.ask(read_ready())[0] != 0
    assert client.ask(get_buffer()) == b"7\r\x06"
    assert client.ask(read_ready())[0] == 0
    assert client.ask(get_buffer()) == b"\0"
    assert client.ask(send_line("ver")) == ECHO
    assert client.ask(flush()) == ECHO
    assert client.ask(get_buffer()) == b"\0"


def test_a_long_answer_comes_in_pieces(client: Client) -> None:
    reply = client.say("P1000..1999")
    assert reply.lines == ("0",) * 1000


def test_control_characters_report_and_act(client: Client) -> None:
    assert client.say("#1J/#2J/#3J/#4J/").error == 0
    assert client.ask(control_response("^P")) == b"0 0 0 0\r\x06"
    assert client.ask(send_control("^K")) == ECHO
    assert client.say("#1?").lines[0][1] == "4"  # open loop, no amplifier


def test_lines_are_written_many_at_once_and_the_bad_one_is_named(client: Client) -> None:
    for command in ("&1#1->100X", "#1J/", "&1 DEFINE ROT 50", "&1B0", "OPEN ROT"):
        assert client.say(command).error == 0
    groups = pack_lines([f"X{k}" for k in range(49)])
    for group in groups:
        assert write_result(client.ask(write_buffer(group))).error == 0
    assert client.say("PR").lines == ("49",)
    result = write_result(client.ask(write_buffer(["X50", "X51", "X52"])))
    assert (result.line, result.error) == (2, 6) and "no room" in result.words
    assert write_result(client.ask(write_buffer(["CLEAR", "SPLNE1"]))) == (2, 3)


def test_garbage_closes_the_connection_and_nothing_else(server: Server, client: Client) -> None:
    other = Client(server.port)
    other.socket.sendall(b"GET / HTTP/1.1\r\n\r\n")
    with contextlib.closing(other.socket), contextlib.suppress(ConnectionResetError):
        assert other.socket.recv(100) == b""
    assert client.say("ver").lines == ("1.947",)


def test_a_client_that_goes_in_the_middle_leaves_the_buffer_open(server: Server) -> None:
    """As on a real unit: whoever comes next has to close it first."""
    first = Client(server.port)
    first.say("I3=2 I6=1")
    first.say("OPEN PLC 1 CLEAR")
    first.socket.sendall(get_response("P1=1")[:5])
    first.socket.close()
    second = Client(server.port)
    assert second.say("OPEN PLC 2").error == 7
    assert second.say("CLOSE").error == 0
    assert second.say("OPEN PLC 2 CLEAR CLOSE").error == 0
    second.socket.close()


def test_a_port_that_is_taken_is_told(server: Server) -> None:
    with pytest.raises(NoPort, match=str(server.port)):
        Server(Machine(1), port=server.port)


@pytest.mark.alone
def test_a_move_happens_in_real_time(client: Client) -> None:
    for command in ("&1#1->1000X", "#1J/", "DEFINE ROT 100", "B0", "OPEN ROT", "SPLINE1 TM50"):
        assert client.say(command).error == 0
    assert write_result(client.ask(write_buffer([f"X{k / 10}" for k in range(1, 11)]))).error == 0
    assert client.say("CLOSE").error == 0
    assert client.say("&1R").error == 0
    seen = []
    for _ in range(2000):
        seen.append(float(client.say("#1P").lines[0]))
        if seen[-1] == 1000.0:
            break
        time.sleep(0.005)
    assert seen[-1] == 1000.0
    assert sum(0.0 < position < 1000.0 for position in seen) > 3
    assert all(later >= earlier - 1.0 for earlier, later in pairwise(seen))


@pytest.fixture
def outside(server: Server) -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dls = pytest.importorskip("dls_pmaclib.dls_pmacremote", reason="dls-pmaclib is not installed: pip install dls-pmaclib")
    pmac = dls.PmacEthernetInterface(verbose=False, timeout=PATIENCE)
    pmac.setConnectionParams("127.0.0.1", server.port)
    assert pmac.connect() is None
    yield pmac
    pmac.disconnect()


def test_an_outside_client_finds_a_geo_brick_with_eight_axes(outside: Any) -> None:
    assert outside.getPmacModel() == "Geo Brick (3U Turbo PMAC2)"
    assert outside.isModelGeobrick() and outside.getShortModelName() == "Geobrick"
    assert outside.getNumberOfAxes() == 8
    assert not outside.isMacroStationAxis(3)


def test_an_outside_client_reads_and_writes_variables(outside: Any) -> None:
    assert outside.getAxisSetupIVars(1, [0, 8, 22]) == ["1", "96", "32"]
    outside.setAxisSetupIVar(1, 22, 10.5)
    assert outside.getAxisSetupIVars(1, [22]) == ["10.5"]
    assert outside.getOnboardAxisI7000PlusVars(1, [2]) == ["0"]
    outside.setVar("P5", 3)
    assert outside.sendCommand("P5") == ("3\r\x06", True)
    assert outside.sendCommand("nonsense") == ("\x07ERR003\r", True)
    assert outside.disableLimits(1, True)[2] is True
    assert outside.sendCommand("i124") == ("$20001\r\x06", True)


def test_an_outside_client_gets_long_answers_whole(outside: Any) -> None:
    """Not every one: it takes a piece that ends with a carriage return for the end, as 1400 bytes of "0" would."""
    outside.sendCommand("P1000..1999=12")
    answer, good = outside.sendCommand("P1000..1999")
    assert good and answer == "12\r" * 1000 + "\x06"


@pytest.mark.alone
def test_an_outside_client_jogs_a_motor(outside: Any) -> None:
    for variable, value in (("I122", 100), ("I119", 1), ("I121", 10)):
        outside.setVar(variable, value)
    assert outside.jogTo(1, 2500)[1:] == ("\x06", True)
    position = ""
    for _ in range(1000):
        position, good = outside.sendCommand("#1?PVF")
        assert good
        if position.split("\r")[1] == "2500":
            break
        time.sleep(0.01)
    assert position.split("\r")[1] == "2500"
    assert outside.jogInc(1, "neg", 500)[1:] == ("\x06", True)
    assert outside.jogStop(1)[1:] == ("\x06", True)
    assert outside.homeCommand(1)[1:] == ("\x06", True)


def test_an_outside_client_sends_a_program(outside: Any) -> None:
    lines = ["CLOSE", "&1#1->1000X", "#1J/", "OPEN PROG 10 CLEAR", "LINEAR TM100 TA50 TS0", "X1", "CLOSE", "&1B10R"]
    replies = list(outside.sendSeries(list(enumerate(lines))))
    assert [good for good, *_ in replies] == [True] * len(lines)
    bad = list(outside.sendSeries([(1, "OPEN PROG 0")]))
    assert bad[0][0] is False


def test_the_emulator_is_a_process_that_says_its_port() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "armillary.emulators.pmac", "--port", "0", "--motors", "2", "--faults"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        client = Client(int(process.stdout.readline()))
        client.say("I3=2 I6=1")
        assert client.say("#2J/").error == 0
        process.stdin.write("amplifier 2\nrubbish\n")
        process.stdin.flush()
        assert "is none; write status" in process.stderr.readline()
        assert any(int(client.say("#2?").lines[0][-1], 16) & 8 for _ in range(1000))
        client.socket.close()
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE)
    assert process.returncode == 0


def test_a_process_without_its_port_says_so(server: Server) -> None:
    command = [sys.executable, "-m", "armillary.emulators.pmac", "--port", str(server.port)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert result.returncode == 2 and "choose another" in result.stderr and "Traceback" not in result.stderr
