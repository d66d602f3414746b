"""A certificate of one's own, so that a tablet beside the robot talks to the pendant in secret."""

import datetime
import ipaddress
import os
import re
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from armillary.errors import ArmillaryError
from armillary.programs.teach import stores_folder

if TYPE_CHECKING:
    from cryptography.x509 import GeneralName

__all__ = ["CannotCertify", "CertificateFiles", "find_certificate", "machine_place", "make_certificate"]

_DAYS = 730  # tablets trust none that lasts longer than 825
_NAME = re.compile(r"(\*\.)?[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*")


class CannotCertify(ArmillaryError):
    """A certificate cannot be made, or not be used."""


@dataclass(frozen=True)
class CertificateFiles:
    """A certificate and its key.

    Attributes:
        names: What the machine is called in it.
        fingerprint: SHA-256 of the certificate: what a browser shows, to be compared.
        until: When it ends (UTC).
    """

    certificate: Path
    key: Path
    names: tuple[str, ...] = ()
    fingerprint: str = ""
    until: str = ""


def machine_place() -> Path:
    """Where a certificate of this machine lies that all its cells can use."""
    return stores_folder().parent / "certificate"


def find_certificate(place: Path) -> CertificateFiles | None:
    """The one of a cell's folder, or of this machine; None where there is none.

    Raises:
        CannotCertify: There is one that no browser would take: it has ended, or its key is another's.
    """
    for folder in (place, machine_place()):
        certificate, key = folder / "certificate.pem", folder / "key.pem"
        if certificate.is_file() and key.is_file():
            return _read(certificate, key)
    return None


def _read(certificate: Path, key: Path) -> CertificateFiles:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization

    again = "make another one: armillary cert"
    try:
        found = x509.load_pem_x509_certificate(certificate.read_bytes())
        secret = serialization.load_pem_private_key(key.read_bytes(), None)
        names = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except OSError as error:
        raise CannotCertify(f"{error.filename} cannot be read: {error.strerror}; check who may read it, or {again}") from None
    except (ValueError, TypeError, x509.ExtensionNotFound) as error:
        raise CannotCertify(f"{certificate} and {key.name} cannot be used ({error}); {again}") from None
    if secret.public_key() != found.public_key():
        raise CannotCertify(f"{key} is not the key of {certificate.name}; {again}")
    if found.not_valid_after_utc < datetime.datetime.now(datetime.UTC):
        raise CannotCertify(f"{certificate} has ended on {found.not_valid_after_utc:%Y-%m-%d}; {again}")
    return CertificateFiles(
        certificate, key, tuple(str(name.value) for name in names), found.fingerprint(hashes.SHA256()).hex(":"),
        found.not_valid_after_utc.isoformat(timespec="seconds"),
    )  # fmt: skip


def make_certificate(place: Path, names: tuple[str, ...] = ()) -> CertificateFiles:
    """A certificate for this machine, signed by itself: browsers ask once whether to trust it.

    Args:
        names: What the machine is called by those who connect: names and addresses, beside localhost and its own name.

    Raises:
        CannotCertify: A name is none, or the files cannot be written.
    """
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

    own = socket.gethostname()
    every = tuple(dict.fromkeys((*names, *((own,) if _NAME.fullmatch(own) else ()), "localhost", "127.0.0.1", "::1")))
    alternatives = [_alternative(name) for name in every]
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"Armillary on {every[0]}"[:64])])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder().subject_name(subject).issuer_name(subject).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=_DAYS))
        .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotCertify(f"{place} cannot be made: {error.strerror}; check the folder") from None
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )  # fmt: skip
    _write(place / "key.pem", secret, 0o600)
    _write(place / "certificate.pem", certificate.public_bytes(serialization.Encoding.PEM), 0o644)
    return _read(place / "certificate.pem", place / "key.pem")


def _alternative(name: str) -> "GeneralName":
    from cryptography.x509 import DNSName, IPAddress

    try:
        return IPAddress(ipaddress.ip_address(name))
    except ValueError:
        if len(name) > 253 or not _NAME.fullmatch(name):
            raise CannotCertify(
                f"{name[:60]!r} is no name of a machine; give one as robot.local, or an address as 192.168.1.20"
            ) from None
        return DNSName(name)


def _write(path: Path, data: bytes, mode: int) -> None:
    """With its mode from the beginning: nobody reads a key in between."""
    temporary = path.with_suffix(".new")
    try:
        temporary.unlink(missing_ok=True)
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(data)
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise CannotCertify(f"{path} cannot be written: {error.strerror}; check the folder") from None
