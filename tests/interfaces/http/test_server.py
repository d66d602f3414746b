"""The pendant's own process: it answers whoever has read its link, by TLS beyond this machine, and ends with its cell."""

import asyncio
import getpass
import io
import json
import socket
import ssl
import threading
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

import pytest
from fastapi import FastAPI
from websockets.sync.client import connect

from armillary.cell import Cell
from armillary.interfaces.cli.users import BadPassword, ask_first_password
from armillary.interfaces.http.app import make_app
from armillary.interfaces.http.certificate import make_certificate
from armillary.interfaces.http.listening import listen
from armillary.interfaces.http.roles import Role
from armillary.interfaces.http.server import may_listen, pendant_place, web_server
from armillary.interfaces.http.users import UserStore
from armillary.runtime import RuntimeProblem
from tests.interfaces.http.conftest import HEADERS

SECRET = "correct horse"


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.mark.slow
def test_who_has_read_the_link_is_answered_at_once_and_it_ends_with_the_cell() -> None:
    with Cell.open("cobot6", driver="ideal", low_power=True, record=False, patience=5.0, pendant={"port": 0}) as cell:
        address = cell.station.pendant["address"]
        with urlopen(f"{address}/api/session", timeout=30.0) as answer:
            assert answer.status == 200
    end = time.monotonic() + 20.0
    while True:
        try:
            urlopen(f"{address}/api/session", timeout=5.0).close()
        except (URLError, ConnectionError):
            break
        assert time.monotonic() < end, "it still answers"


@pytest.mark.slow
def test_beyond_this_machine_a_password_is_wanted_first() -> None:
    with pytest.raises(RuntimeProblem, match="only when somebody has a password"):
        Cell.open("cobot6", driver="ideal", low_power=True, record=False, pendant={"host": "0.0.0.0", "port": 0})


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.20", "::", "robot.local"])
def test_beyond_this_machine_a_certificate_is_wanted_too(tmp_path: Path, host: str) -> None:
    users = UserStore(tmp_path)
    users.add("Ada", Role.ADMINISTRATOR, SECRET)
    with pytest.raises(RuntimeProblem, match=r"only by TLS: make a certificate first \(armillary cert cobot6\)"):
        may_listen(host, tmp_path, users, "cobot6", "the pendant")
    made = make_certificate(tmp_path)
    assert may_listen(host, tmp_path, users, "cobot6", "the pendant") == made
    assert may_listen("127.0.0.1", tmp_path, users, "cobot6", "the pendant") is None


def test_by_tls_the_page_its_link_and_a_cookie_for_tls_alone(app: FastAPI, tmp_path: Path) -> None:
    files = make_certificate(tmp_path / "certificate")
    state = app.state
    secure = make_app(state.desk, state.sessions, state.users, secure=True, names=files.names)
    listening = listen("127.0.0.1", 0)
    port = listening.getsockname()[1]
    server = web_server(secure, files)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        trusting = ssl.create_default_context(cafile=str(files.certificate))
        body = json.dumps({"link": state.sessions.one_time_link()}).encode()
        enter = Request(f"https://127.0.0.1:{port}/api/enter", body, {"content-type": "application/json", **HEADERS})
        with urlopen(enter, timeout=30.0, context=trusting) as answer:
            cookie = str(answer.headers["set-cookie"])
        assert {"Secure", "HttpOnly", "SameSite=strict"} <= {part.strip() for part in cookie.split(";")}
        link = {"Cookie": cookie.split(";")[0], "Origin": f"https://127.0.0.1:{port}"}
        with connect(f"wss://127.0.0.1:{port}/ws", ssl=trusting, additional_headers=link, compression=None) as heard:
            heard.send('["ping",7]')
            assert json.loads(heard.recv(timeout=30.0)) == ["pong", 7]
        with pytest.raises(URLError, match="CERTIFICATE_VERIFY_FAILED"):  # who does not trust it sends nothing
            urlopen(f"https://127.0.0.1:{port}/api/session", timeout=30.0)
        with pytest.raises((URLError, ConnectionError, OSError)):  # and without TLS nobody is answered
            urlopen(f"http://127.0.0.1:{port}/api/session", timeout=30.0)
    finally:
        server.should_exit = True
        thread.join(20.0)
        listening.close()


def test_answers_are_not_held_back_until_there_is_more_to_say() -> None:
    """Nagle's algorithm and delayed acknowledgements would put 40 ms on every answer."""

    async def link() -> int:
        told: asyncio.Queue[int] = asyncio.Queue()

        def linked(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            told.put_nowait(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        listening = listen("127.0.0.1", 0)
        async with await asyncio.start_server(linked, sock=listening):
            _, writer = await asyncio.open_connection(*listening.getsockname())
            delayed = await told.get()
            writer.close()
        return delayed

    assert asyncio.run(link()) != 0


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def typed(monkeypatch: pytest.MonkeyPatch, name: str, *passwords: str) -> None:
    hidden = iter(passwords)
    monkeypatch.setattr("sys.stdin", Terminal(f"{name}\n"))
    monkeypatch.setattr(getpass, "getpass", lambda *_: next(hidden))


def test_who_sits_at_a_terminal_is_asked_for_the_first_password(monkeypatch: pytest.MonkeyPatch) -> None:
    typed(monkeypatch, "Ada", SECRET, SECRET)
    ask_first_password("cobot6", "0.0.0.0")
    users = UserStore(pendant_place("cobot6"))
    assert users.check("Ada", SECRET).role == Role.ADMINISTRATOR
    typed(monkeypatch, "Eve")  # nobody is asked again
    ask_first_password("cobot6", "0.0.0.0")
    assert [user.name for user in users.all()] == ["Ada"]


def test_two_passwords_that_differ_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    typed(monkeypatch, "Ada", SECRET, "wrong horse")
    with pytest.raises(BadPassword, match="not the same"):
        ask_first_password("cobot6", "0.0.0.0")
    assert not UserStore(pendant_place("cobot6")).any()


@pytest.mark.parametrize(("host", "terminal"), [("127.0.0.1", True), ("localhost", True), ("0.0.0.0", False)])
def test_on_this_machine_and_without_a_terminal_nothing_is_asked(
    monkeypatch: pytest.MonkeyPatch, host: str, terminal: bool
) -> None:
    def asked(*_: object) -> str:
        raise AssertionError("somebody is asked")

    monkeypatch.setattr("sys.stdin", Terminal() if terminal else io.StringIO())
    monkeypatch.setattr(getpass, "getpass", asked)
    monkeypatch.setattr("builtins.input", asked)
    ask_first_password("cobot6", host)
    assert not UserStore(pendant_place("cobot6")).any()
