"""The audit trail: nobody pushes out what others did, and what is set again and again is one entry."""

import pytest
from fastapi import FastAPI

from armillary.interfaces.http.roles import Role
from tests.interfaces.http.conftest import Browser

SECRET = "correct horse"


def trail(app: FastAPI) -> list[tuple[str, str]]:
    """Who did what, the oldest first."""
    return [(each.who, each.what) for each in app.state.desk.audit.newest(500)][::-1]


def test_strangers_who_stop_again_and_again_leave_one_entry(app: FastAPI, operator: Browser) -> None:
    stranger = Browser(app)
    for _ in range(40):
        assert stranger.post("/api/stop", json={}).status_code == 200
    stops = [who for who, what in trail(app) if what.startswith("stops the robot")]
    assert stops == ["somebody who is not logged in"]
    operator.post("/api/stop", json={})
    operator.post("/api/stop", json={})
    assert [who for who, what in trail(app) if what.startswith("stops the robot")][1:] == ["Olga", "Olga"]


def test_a_feed_that_is_drawn_along_is_noted_once_where_it_ends(app: FastAPI, operator: Browser) -> None:
    for rate in range(100, 39, -5):
        assert operator.post("/api/override", json={"rate": rate / 100}).status_code == 200
    assert float(app.state.desk.cell.station.state["rate"]) <= 1.0
    assert [what for _, what in trail(app) if "feed" in what] == ["sets the feed to 40 %"]
    operator.post("/api/override", json={"rate": 0.7})
    operator.post("/api/mode", json={"mode": "automatic"})  # what is done next is noted behind it
    assert [what for _, what in trail(app)][-2:] == ["sets the feed to 70 %", "switches to automatic mode"]


def test_the_feed_is_who_has_controls_to_set(app: FastAPI, operator: Browser) -> None:
    other = Browser(app, "Otto", Role.OPERATOR)
    assert other.post("/api/override", json={"rate": 0.1}).status_code == 403
    assert [what for _, what in trail(app) if "feed" in what] == []


def test_locking_and_unlocking_a_screen_is_noted(app: FastAPI) -> None:
    app.state.users.add("Ada", Role.ADMINISTRATOR, SECRET)
    browser = Browser(app)
    assert browser.post("/api/login", json={"name": "Ada", "password": SECRET}).status_code == 200
    assert browser.post("/api/lock").status_code == 200
    assert browser.post("/api/unlock", json={"password": "wrong horse"}).status_code == 401
    assert browser.post("/api/unlock", json={"password": SECRET}).status_code == 200
    assert [what for who, what in trail(app) if who == "Ada"] == [
        "logs in", "locks the screen", "does not unlock the screen: the password is another", "unlocks the screen",
    ]  # fmt: skip


@pytest.mark.parametrize("path", ["/api/session", "/"])
def test_the_pages_policy_lets_nothing_inline_and_nothing_be_evaluated(app: FastAPI, path: str) -> None:
    policy = Browser(app).get(path).headers["content-security-policy"]
    assert "unsafe" not in policy
    assert {"script-src 'self'", "style-src 'self'", "object-src 'none'"} <= {each.strip() for each in policy.split(";")}
