"""The pendant's certificate: for this machine's names, its key nobody else's; one that no browser takes is not used."""

import datetime
import json
import socket
import ssl
import stat
import threading
from pathlib import Path

import pytest
from cryptography import x509

from armillary.interfaces.cli import cert
from armillary.interfaces.http import certificate as module
from armillary.interfaces.http.certificate import CannotCertify, find_certificate, machine_place, make_certificate


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_a_browser_that_trusts_it_reaches_the_machine_by_its_names(tmp_path: Path) -> None:
    files = make_certificate(tmp_path, ("robot.local", "192.168.1.20"))
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(files.certificate, files.key)
    for name in ("robot.local", "192.168.1.20", "localhost", "127.0.0.1"):
        near, far = socket.socketpair()
        accepted: list[ssl.SSLSocket] = []
        thread = threading.Thread(
            target=lambda far=far, accepted=accepted: accepted.append(server.wrap_socket(far, server_side=True))
        )
        thread.start()
        client = ssl.create_default_context(cafile=str(files.certificate))
        with client.wrap_socket(near, server_hostname=name) as link:
            assert link.version() in ("TLSv1.3", "TLSv1.2")
            thread.join()
        accepted[0].close()


def test_its_key_is_its_owners_alone(tmp_path: Path) -> None:
    files = make_certificate(tmp_path)
    assert stat.S_IMODE(files.key.stat().st_mode) == 0o600
    make_certificate(tmp_path)  # over one that is there
    assert stat.S_IMODE(files.key.stat().st_mode) == 0o600 and len(list(tmp_path.glob("*.new"))) == 0


def test_it_lasts_no_longer_than_tablets_trust(tmp_path: Path) -> None:
    made = x509.load_pem_x509_certificate(make_certificate(tmp_path).certificate.read_bytes())
    assert made.not_valid_after_utc - made.not_valid_before_utc < datetime.timedelta(days=825)


@pytest.mark.parametrize("name", ["", "http://robot", "two words", "röbot", "a" * 300, "-a", "a..b", "robot.local:8080"])
def test_what_is_no_name_is_refused_and_nothing_is_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(CannotCertify, match="no name of a machine"):
        make_certificate(tmp_path / "here", (name,))
    assert not (tmp_path / "here").exists()


def test_a_machine_with_an_odd_name_gets_one_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "Jürgens Rechner")
    assert make_certificate(tmp_path).names == ("localhost", "127.0.0.1", "::1")


def test_one_of_the_cell_goes_before_one_of_the_machine(tmp_path: Path) -> None:
    place = tmp_path / "cell"
    assert find_certificate(place) is None
    of_machine = make_certificate(machine_place())
    found = find_certificate(place)
    assert found == of_machine
    of_cell = make_certificate(place, ("robot.local",))
    assert find_certificate(place) == of_cell != of_machine


def test_one_that_has_ended_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_certificate(tmp_path)
    monkeypatch.setattr(module, "_DAYS", -0.5)
    with pytest.raises(CannotCertify, match="has ended"):
        make_certificate(tmp_path)
    with pytest.raises(CannotCertify, match="armillary cert"):
        find_certificate(tmp_path)


def test_a_key_of_another_is_found_out(tmp_path: Path) -> None:
    files, other = make_certificate(tmp_path / "one"), make_certificate(tmp_path / "two")
    files.key.write_bytes(other.key.read_bytes())
    with pytest.raises(CannotCertify, match="is not the key"):
        find_certificate(tmp_path / "one")
    files.key.write_bytes(b"nothing of the kind")
    with pytest.raises(CannotCertify, match="cannot be used"):
        find_certificate(tmp_path / "one")


def test_a_folder_that_cannot_be_made_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotCertify, match="cannot be made"):
        make_certificate(tmp_path / "file" / "inside")


def test_the_command_makes_one_for_all_cells_of_the_machine(capsys: pytest.CaptureFixture[str]) -> None:
    import argparse

    top = argparse.ArgumentParser()
    cert.add_parser(top.add_subparsers())
    options = top.parse_args(["cert", "--name", "robot.local", "--json"])
    assert options.run(options) == 0
    said = json.loads(capsys.readouterr().out)
    assert "robot.local" in said["names"] and Path(said["certificate"]).parent == machine_place()
    options = top.parse_args(["cert", "cobot6"])
    assert options.run(options) == 0 and "fingerprint" in capsys.readouterr().out
