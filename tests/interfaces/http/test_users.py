"""Users: names, roles, passwords; there is always an administrator, and guessing takes long."""

import sqlite3
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from armillary.interfaces.http.roles import Role, role_named
from armillary.interfaces.http.users import BadLogin, BadUser, CannotKeepUsers, StoredUser, TooManyTries, UserStore

ADMINISTRATOR, SECRET = Role.ADMINISTRATOR, "correct horse"


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passwords that cost little: there are many of them here."""
    monkeypatch.setattr("armillary.interfaces.http.users._COST", (1, 64, 1))


@pytest.fixture
def users(tmp_path: Path) -> UserStore:
    return UserStore(tmp_path)


def test_who_was_added_can_log_in_and_nobody_else(users: UserStore) -> None:
    users.add("Ada", ADMINISTRATOR, SECRET)
    assert users.check("ada", SECRET).name == "Ada" and users.check("ADA", SECRET).role == ADMINISTRATOR
    for name, password in (("Ada", "wrong horse"), ("Eve", SECRET), ("", SECRET), ("Ada", ""), ("\ud800", "\ud800")):
        with pytest.raises(BadLogin):
            users.check(name, password)


def test_the_first_user_must_be_an_administrator(users: UserStore) -> None:
    with pytest.raises(BadUser, match="first user"):
        users.add("Otto", Role.OPERATOR, SECRET)
    assert not users.any()
    users.add("Ada", ADMINISTRATOR, SECRET)
    users.add("Otto", Role.OPERATOR, SECRET)
    assert [user.name for user in users.all()] == ["Ada", "Otto"]


def test_the_last_administrator_stays(users: UserStore) -> None:
    users.add("Ada", ADMINISTRATOR, SECRET)
    users.add("Otto", Role.OPERATOR, SECRET)
    with pytest.raises(BadUser, match="last administrator"):
        users.remove("ada")
    with pytest.raises(BadUser, match="last administrator"):
        users.set_role("Ada", Role.VIEWER)
    users.set_role("Otto", ADMINISTRATOR)
    users.remove("Ada")
    assert [user.role for user in users.all()] == [ADMINISTRATOR]


def test_two_administrators_who_remove_each_other_at_once_leave_one(users: UserStore) -> None:
    users.add("Ada", ADMINISTRATOR, SECRET)
    users.add("Eva", ADMINISTRATOR, SECRET)

    def remove(name: str) -> None:
        try:
            users.remove(name)
        except BadUser:
            pass

    threads = [threading.Thread(target=remove, args=(name,)) for name in ("Ada", "Eva")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(users.all()) == 1


@pytest.mark.parametrize("name", ["", " ", "_a", ".a", "a/b", "a\nb", "a" * 41, "<b>", "\ud800", "a\x00"])
def test_what_is_no_name_is_refused(users: UserStore, name: str) -> None:
    with pytest.raises(BadUser, match="no name"):
        users.add(name, ADMINISTRATOR, SECRET)


@pytest.mark.parametrize("password", ["", "short", "1234567", "x" * 257])
def test_what_is_no_password_is_refused(users: UserStore, password: str) -> None:
    with pytest.raises(BadUser, match="password"):
        users.add("Ada", ADMINISTRATOR, password)


@pytest.mark.parametrize("other", ["ada", "ADA", " Ada ", "ＡＤＡ"])
def test_names_that_look_the_same_are(users: UserStore, other: str) -> None:
    users.add("Ada", ADMINISTRATOR, SECRET)
    with pytest.raises(BadUser):
        users.add(other, Role.VIEWER, SECRET)
    found = users.named(other)
    assert found is not None and found.name == "Ada"


def test_a_password_is_the_same_however_a_keyboard_composes_it(users: UserStore) -> None:
    users.add("Änne", ADMINISTRATOR, "pässword")
    assert users.check("a\u0308nne", "pa\u0308ssword").name == "Änne"


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(password=st.text(min_size=8, max_size=40), other=st.text(max_size=40))
def test_only_the_password_itself_is_taken(tmp_path: Path, password: str, other: str) -> None:
    import unicodedata

    users = UserStore(tmp_path / "law")
    if not users.any():
        users.add("Ada", ADMINISTRATOR, "first one")
    users.set_password("Ada", password)
    assert users.check("Ada", password).name == "Ada"
    if unicodedata.normalize("NFC", other) != unicodedata.normalize("NFC", password):
        with pytest.raises(BadLogin):
            users.check("Ada", other)


def test_guessing_must_wait_and_others_need_not(users: UserStore) -> None:
    users.add("Ada", ADMINISTRATOR, SECRET)
    users.add("Otto", Role.OPERATOR, SECRET)
    for _ in range(5):
        with pytest.raises(BadLogin, match="go together"):
            users.check("Ada", "a guess")
    with pytest.raises(TooManyTries, match="wait"):
        users.check("ADA", SECRET)
    assert users.check("Otto", SECRET).name == "Otto"


def test_a_log_in_that_works_forgets_those_that_did_not(users: UserStore) -> None:
    users.add("Ada", ADMINISTRATOR, SECRET)
    for _ in range(2):
        for _ in range(3):
            with pytest.raises(BadLogin):
                users.check("Ada", "a guess")
        assert users.check("Ada", SECRET).name == "Ada"


def test_many_guesses_at_once_are_not_more_than_one_after_the_other(users: UserStore) -> None:
    users.add("Ada", ADMINISTRATOR, SECRET)
    said: list[str] = []

    def guess() -> None:
        try:
            users.check("Ada", "a guess")
        except BadLogin as error:
            said.append(str(error))

    threads = [threading.Thread(target=guess) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(said) == 20 and sum("go together" in each for each in said) <= 5


def test_the_file_is_its_owners_alone_and_has_no_password(users: UserStore, tmp_path: Path) -> None:
    users.add("Ada", ADMINISTRATOR, SECRET)
    file = tmp_path / "users.db"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert SECRET.encode() not in file.read_bytes() and b"$argon2id$" in file.read_bytes()


def test_users_are_known_by_another_store_of_the_same_place(users: UserStore, tmp_path: Path) -> None:
    users.add("Ada", ADMINISTRATOR, SECRET)
    assert UserStore(tmp_path).check("Ada", SECRET).name == "Ada"


def test_others_instead_of_these_are_all_taken_or_none(users: UserStore) -> None:
    users.add("Ada", ADMINISTRATOR, SECRET)
    before = users.stored()
    hashed = before[0].hash
    bad = (
        [StoredUser("Otto", Role.OPERATOR, hashed, "")],
        [StoredUser("Eva", ADMINISTRATOR, hashed, ""), StoredUser("eva", Role.VIEWER, hashed, "")],
        [StoredUser("Eva", ADMINISTRATOR, "plain text", "")],
        [StoredUser("../etc", ADMINISTRATOR, hashed, "")],
        [StoredUser("Eva", Role.NOBODY, hashed, "")],
    )
    for others in bad:
        with pytest.raises(BadUser):
            users.replace(others)
        assert users.stored() == before
    users.replace([StoredUser("Eva", ADMINISTRATOR, hashed, "2026")])
    assert users.check("Eva", SECRET).name == "Eva" and not users.has("Ada")


def test_a_damaged_file_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "users.db").write_bytes(b"not a database, but long enough to be taken for one" * 20)
    with pytest.raises(CannotKeepUsers, match="damaged"):
        UserStore(tmp_path)


def test_a_file_that_cannot_be_written_still_lets_people_in(tmp_path: Path) -> None:
    users = UserStore(tmp_path)
    users.add("Ada", ADMINISTRATOR, SECRET)
    holder = sqlite3.connect(tmp_path / "users.db")
    try:
        holder.execute("BEGIN IMMEDIATE")  # somebody else writes, for ever
        assert users.check("Ada", SECRET).name == "Ada"
    finally:
        holder.close()


def test_roles_have_names() -> None:
    assert role_named("operator") == Role.OPERATOR and role_named("nobody") is None and role_named("king") is None
