"""Back-up and restore: everything is checked before anything is written, and all of it comes back, or nothing."""

import io
import json
import shutil
import sqlite3
import stat
import zipfile
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from armillary.description.library import find_robot
from armillary.errors import ArmillaryError
from armillary.interfaces.http import backup, backup_contents
from armillary.interfaces.http.backup import BadBackup, Keepsakes, make_backup, restore_backup
from armillary.interfaces.http.roles import Role
from armillary.interfaces.http.users import UserStore
from armillary.programs import Point
from armillary.programs.gcode.parameter_file import read_parameters
from armillary.programs.teach import PointStore
from armillary.whole_file import CannotWrite, write_whole

JOINTS = tuple(f"joint_{k}" for k in range(1, 7))


def point(name: str) -> Point:
    return Point(name=name, q=(0.0,) * 6, xyz=(0.1, 0.2, 0.3), rpy=(0.0, 0.0, 0.0))


@pytest.fixture
def keepsakes(tmp_path: Path) -> Keepsakes:
    """A cell of the test's own, with something of everything."""
    folder = tmp_path / "cell"
    folder.mkdir()
    for name in ("cobot6.urdf", "cell.toml"):
        shutil.copy(find_robot("cobot6").parent / name, folder / name)
    found = Keepsakes.of(str(folder / "cell.toml"), folder / "cell.pendant", UserStore(folder / "cell.pendant"))
    (found.programs / "parts").mkdir(parents=True)
    (found.programs / "draw.ngc").write_text("G1 X10 F100\n")
    (found.programs / "parts" / "pick.arm").write_text("MoveJ home\n")
    found.users.add("Ada", Role.ADMINISTRATOR, "correct horse")
    PointStore.of(str(folder / "cell.toml")).teach(point("pick"), joints=JOINTS)
    found.parameters.write_text("5221\t12.5\n")
    return found


def everything(keepsakes: Keepsakes) -> object:
    """All that a back-up is of, to be compared."""
    assert keepsakes.cell is not None
    programs = {
        path.relative_to(keepsakes.programs): path.read_bytes() for path in keepsakes.programs.rglob("*") if path.is_file()
    }
    points = [(each.point, each.at) for each in PointStore(keepsakes.taught).all()]
    parameters = keepsakes.parameters.read_text() if keepsakes.parameters.is_file() else None
    return programs, keepsakes.users.stored(), points, parameters, keepsakes.cell.read_text()


def change_all(keepsakes: Keepsakes) -> None:
    assert keepsakes.cell is not None
    (keepsakes.programs / "draw.ngc").write_text("G1 X99 F100\n")
    (keepsakes.programs / "new.ngc").write_text("M2\n")
    shutil.rmtree(keepsakes.programs / "parts")
    keepsakes.users.set_password("Ada", "another horse")
    keepsakes.users.add("Otto", Role.OPERATOR, "correct horse")
    store = PointStore(keepsakes.taught)
    store.delete("pick")
    store.teach(point("place"), joints=JOINTS)
    keepsakes.parameters.write_text("5221\t1.0\n")
    keepsakes.cell.write_text(keepsakes.cell.read_text() + "# changed\n")


def packed(data: bytes, **changes: bytes | None) -> bytes:
    """A back-up with some files changed, added or (None) taken out; `__` stands for a slash, `_DOT_` for a dot."""
    plain = {name.replace("__", "/").replace("_DOT_", "."): part for name, part in changes.items()}
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            if entry.filename not in plain:
                new.writestr(entry.filename, old.read(entry))
        for name, part in plain.items():
            if part is not None:
                new.writestr(name, part)
    return out.getvalue()


def test_what_was_backed_up_comes_back_and_what_was_there_is_kept(keepsakes: Keepsakes) -> None:
    before, data = everything(keepsakes), make_backup(keepsakes)
    change_all(keepsakes)
    changed = everything(keepsakes)
    done = restore_backup(keepsakes, data)
    assert everything(keepsakes) == before and done.restart and len(done.restored) == 5
    assert keepsakes.users.check("Ada", "correct horse").name == "Ada"
    assert done.kept.parent == keepsakes.place and stat.S_IMODE(done.kept.stat().st_mode) == 0o600
    restore_backup(keepsakes, done.kept.read_bytes())
    assert everything(keepsakes) == changed
    assert not list(keepsakes.place.glob(".*"))


def test_a_store_that_is_being_used_is_restored_too(keepsakes: Keepsakes) -> None:
    data = make_backup(keepsakes)
    with closing(sqlite3.connect(keepsakes.taught)) as reader:
        assert reader.execute("SELECT count(*) FROM points").fetchone()[0] == 1
        change_all(keepsakes)
        restore_backup(keepsakes, data)
        assert reader.execute("SELECT name FROM points").fetchall() == [("pick",)]


def test_a_cell_without_anything_has_a_back_up_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    place = tmp_path / "pendant"
    bare = Keepsakes.of("cobot6", place, UserStore(place))
    assert bare.cell is None
    done = restore_backup(bare, make_backup(bare))
    assert not done.restart and PointStore(bare.taught).all() == [] and not bare.users.any()


def test_users_of_a_cell_are_not_lost_by_a_back_up_without_any(keepsakes: Keepsakes) -> None:
    restore_backup(keepsakes, packed(make_backup(keepsakes), users_DOT_json=b"[]"))
    assert keepsakes.users.check("Ada", "correct horse").name == "Ada"


EVIL_NAMES = [
    "../evil", "programs/../../evil", "/etc/passwd", "programs//a", "programs/a\\b", "programs/.hidden", "programs/a/../b",
    "programs/", "programs/C:evil", "evil.txt", "programs/" + "a" * 300, "programs/a\nb", "programs/" + "a/" * 20 + "b",
    "programs/nul\x00", "Users.json/a",
]  # fmt: skip


@pytest.mark.parametrize("name", EVIL_NAMES)
def test_a_name_that_leads_elsewhere_is_refused_and_nothing_is_written(keepsakes: Keepsakes, name: str) -> None:
    before, files = everything(keepsakes), sorted(keepsakes.place.parent.rglob("*"))
    out = io.BytesIO(make_backup(keepsakes))
    with zipfile.ZipFile(out, "a") as file:
        entry = zipfile.ZipInfo("x")
        entry.filename = name
        file.writestr(entry, b"evil")
    if name.endswith("/"):
        restore_backup(keepsakes, out.getvalue())  # a folder is nothing
        return
    try:
        restore_backup(keepsakes, out.getvalue())
    except BadBackup:
        assert sorted(keepsakes.place.parent.rglob("*")) == files
    else:
        assert name == "programs/nul\x00"  # zipfile cuts it at the zero
        return
    assert everything(keepsakes) == before


def test_a_link_in_it_is_refused(keepsakes: Keepsakes) -> None:
    out = io.BytesIO(make_backup(keepsakes))
    with zipfile.ZipFile(out, "a") as file:
        entry = zipfile.ZipInfo("programs/link")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        file.writestr(entry, b"/etc/passwd")
    with pytest.raises(BadBackup, match="no plain file"):
        restore_backup(keepsakes, out.getvalue())


def test_two_files_of_one_name_are_refused(keepsakes: Keepsakes) -> None:
    data = packed(make_backup(keepsakes), programs__DRAW_DOT_NGC=b"M2\n")
    with pytest.raises(BadBackup, match="two files"):
        restore_backup(keepsakes, data)


def test_a_bomb_is_not_unpacked(keepsakes: Keepsakes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backup_contents, "_LARGEST_ALL", 1 << 20)
    data = packed(make_backup(keepsakes), programs__bomb_DOT_ngc=bytes(2 << 20))
    assert len(data) < 1 << 20
    with pytest.raises(BadBackup, match="unpacked"):
        restore_backup(keepsakes, data)
    monkeypatch.setattr(backup_contents, "_LARGEST_ALL", 64 << 20)
    monkeypatch.setattr(backup_contents, "_LARGEST_FILE", 1 << 20)
    with pytest.raises(BadBackup, match="too large"):
        restore_backup(keepsakes, data)
    monkeypatch.setattr(backup_contents, "_MOST_FILES", 2)
    with pytest.raises(BadBackup, match="are the most"):
        restore_backup(keepsakes, data)
    monkeypatch.setattr(backup, "LARGEST", 100)
    with pytest.raises(BadBackup, match="are the most"):
        restore_backup(keepsakes, data)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"armillary_DOT_json": None}, "says what it is"),
        ({"armillary_DOT_json": b'{"format": 9}'}, "format 9"),
        ({"users_DOT_json": b'[{"name": "Eve"}]'}, "users.json"),
        ({"users_DOT_json": b"no json"}, "users.json"),
        ({"users_DOT_json": b'[{"name": "Eve", "role": "king", "hash": "$argon2id$", "since": ""}]'}, "role"),
        ({"users_DOT_json": b'[{"name": "Eve", "role": "viewer", "hash": "$argon2id$", "since": ""}]'}, "administrator"),
        ({"taught_DOT_sqlite": b"nothing of the kind" * 20}, "taught.sqlite"),
        ({"taught_DOT_sqlite": b""}, "taught.sqlite"),
        ({"parameters_DOT_var": b"5221 twelve\n"}, "no parameter"),
        ({"parameters_DOT_var": b"\xff\xfe"}, "no text"),
        ({"cell_DOT_toml": b"[robot]\nfile = 'other.urdf'\n"}, r"cell\.toml"),
        ({"cell_DOT_toml": b"this is no toml ["}, r"cell\.toml"),
    ],
)
def test_a_part_that_is_not_sound_is_refused_and_nothing_is_written(
    keepsakes: Keepsakes, changes: dict[str, bytes | None], why: str
) -> None:
    before, files = everything(keepsakes), sorted(keepsakes.place.parent.rglob("*"))
    with pytest.raises(ArmillaryError, match=why):
        restore_backup(keepsakes, packed(make_backup(keepsakes), **changes))
    assert everything(keepsakes) == before and sorted(keepsakes.place.parent.rglob("*")) == files


def test_a_store_with_something_of_somebody_elses_in_it_is_refused(keepsakes: Keepsakes, tmp_path: Path) -> None:
    data = make_backup(keepsakes)
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        (tmp_path / "evil.sqlite").write_bytes(file.read("taught.sqlite"))
    with closing(sqlite3.connect(tmp_path / "evil.sqlite")) as evil, evil:
        evil.execute("CREATE TRIGGER evil AFTER INSERT ON points BEGIN DELETE FROM paths; END")
    with pytest.raises(BadBackup, match="not made as ours"):
        restore_backup(keepsakes, packed(data, taught_DOT_sqlite=(tmp_path / "evil.sqlite").read_bytes()))


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300), st.integers(0, 10_000), st.integers(1, 300))
def test_bytes_that_are_no_back_up_are_refused_in_words(keepsakes: Keepsakes, data: bytes, at: int, cut: int) -> None:
    with pytest.raises(BadBackup):
        backup_contents.read_contents(data)
    whole = make_backup(keepsakes)
    at %= len(whole)
    try:  # damaged: refused, or what was hit says nothing (a date)
        backup_contents.read_contents(whole[:at] + bytes(len(whole[at : at + cut])) + whole[at + cut :])
    except BadBackup as error:
        text = str(error)
    else:
        text = "sound"
    assert text


@pytest.mark.parametrize("failing", ["cell.toml", "cell.var", "taught", "users"])
def test_where_writing_fails_all_is_undone(keepsakes: Keepsakes, failing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = make_backup(keepsakes)
    change_all(keepsakes)
    changed, broken = everything(keepsakes), [True]

    def write_or_fail(path: Path, text: str) -> None:
        if broken[0] and path.name == failing:
            broken[0] = False
            raise CannotWrite(path, "no space left on device")
        write_whole(path, text)

    monkeypatch.setattr(backup, "write_whole", write_or_fail)
    if failing == "taught":

        def into_or_fail(path: Path, given: bytes) -> None:
            if broken[0]:
                broken[0] = False
                raise BadBackup("no space left on device")
            backup_contents.taught_into(path, given)

        monkeypatch.setattr(backup, "taught_into", into_or_fail)
    if failing == "users":

        def put(users: object) -> None:
            raise BadBackup("no space left on device")

        monkeypatch.setattr(keepsakes.users, "replace", put)
    with pytest.raises(BadBackup, match=r"no space left on device.*; nothing has changed; mend that, and bring it back again$"):
        restore_backup(keepsakes, data)
    assert everything(keepsakes) == changed


def test_only_the_newest_of_what_was_before_are_kept(keepsakes: Keepsakes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backup, "_KEPT", 2)
    data = make_backup(keepsakes)
    kept = [restore_backup(keepsakes, data).kept for _ in range(3)]
    assert sorted(keepsakes.place.glob("before-restore-*.zip")) == kept[1:]


def test_a_back_up_says_what_it_is(keepsakes: Keepsakes) -> None:
    with zipfile.ZipFile(io.BytesIO(make_backup(keepsakes))) as file:
        about = json.loads(file.read("armillary.json"))
        assert about["format"] == 1 and file.testzip() is None
        assert set(file.namelist()) == {
            "armillary.json", "users.json", "taught.sqlite", "parameters.var", "cell.toml", "programs/draw.ngc",
            "programs/parts/pick.arm",
        }  # fmt: skip
    assert read_parameters(keepsakes.parameters).numbers[5221] == 12.5
