"""Sessions: by a secret, until they are over; the link of this machine, once."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armillary.interfaces.http import sessions as module
from armillary.interfaces.http.roles import Role
from armillary.interfaces.http.sessions import Sessions


@given(st.text(max_size=60))
def test_no_other_secret_is_a_session(secret: str) -> None:
    sessions = Sessions()
    own = sessions.begin("Ada", Role.ADMINISTRATOR)
    assert sessions.of(secret) is None or secret == own
    found = sessions.of(own)
    assert found is not None and found.user == "Ada" and sessions.of(None) is None


def test_the_link_lets_one_browser_in_once() -> None:
    sessions = Sessions()
    link = sessions.one_time_link()
    assert sessions.enter("another", "you") is None
    entered: list[str | None] = []
    threads = [threading.Thread(target=lambda: entered.append(sessions.enter(link, "you"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (secret,) = [each for each in entered if each is not None]
    session = sessions.of(secret)
    assert session is not None and session.local and session.role == Role.ADMINISTRATOR


def test_who_is_logged_out_can_do_nothing_with_what_he_still_holds() -> None:
    sessions = Sessions()
    secret = sessions.begin("Otto", Role.OPERATOR)
    session = sessions.of(secret)
    assert session is not None
    sessions.end(session)
    sessions.end(session)
    assert sessions.of(secret) is None and session.over and session.locked and session.role == Role.NOBODY


def test_a_person_is_logged_out_everywhere_but_here_and_others_are_not() -> None:
    sessions = Sessions()
    mine = [sessions.of(sessions.begin("Otto", Role.OPERATOR)) for _ in range(3)]
    local = sessions.of(sessions.enter(sessions.one_time_link(), "Otto"))
    ada = sessions.of(sessions.begin("Ada", Role.ADMINISTRATOR))
    ended = sessions.end_of("OTTO", but=mine[0])
    assert ended == mine[1:] and sessions.all() == [mine[0], local, ada]
    assert sessions.end_of("Otto") == [mine[0]]


def test_a_session_that_nobody_uses_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    sessions = Sessions()
    secret = sessions.begin("Otto", Role.OPERATOR)
    session = sessions.of(secret)
    assert session is not None
    session.used -= 12 * 3600.0 + 1.0
    assert sessions.of(secret) is None and session.over and sessions.all() == []


def test_there_are_never_more_than_so_many_and_the_oldest_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST", 3)
    sessions = Sessions()
    secrets = [sessions.begin(f"user {k}", Role.VIEWER) for k in range(3)]
    assert sessions.of(secrets[0]) is not None  # used last
    sessions.begin("another", Role.VIEWER)
    assert [session.user for session in sessions.all()] == ["user 0", "user 2", "another"]


def test_many_threads_come_and_go() -> None:
    sessions, errors = Sessions(), list[BaseException]()

    def come_and_go(k: int) -> None:
        try:
            for _ in range(50):
                session = sessions.of(sessions.begin(f"user {k}", Role.VIEWER))
                sessions.all()
                assert session is not None
                sessions.end_of(f"user {k}")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=come_and_go, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == [] and sessions.all() == []
