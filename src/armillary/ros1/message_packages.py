"""Python packages of the messages that this ROS lacks, made by its own generator from our definitions of the same names."""

import contextlib
import fcntl
import hashlib
import importlib
import importlib.util
import io
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from armillary import __version__
from armillary.errors import ArmillaryError
from armillary.protocols.ros1_definitions import MESSAGES, SERVICES
from armillary.protocols.ros1_types import md5sum, service_md5sum
from armillary.whole_file import write_whole

__all__ = ["BadPackages", "MessagePackages"]

_ROSBRIDGES = ("file_server", "rosapi")  # of its own services: no node of ROS 1 asks ours for them


class BadPackages(ArmillaryError):
    """Messages that cannot be made."""


class MessagePackages:
    """Attributes:
    folder: Where the packages are; a client puts it on its PYTHONPATH to import them.
    made: Names of those that were lacking.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Make what is missing, once.

        Args:
            folder: Where; in the cache of this user where left out.

        Raises:
            BadPackages: The folder cannot be written, or the generator fails.
        """
        self.folder = _cache() if folder is None else folder.resolve()
        packages = sorted({name.partition("/")[0] for name in (*MESSAGES, *SERVICES)})
        self.made = [package for package in packages if package not in _ROSBRIDGES and not _is_there(package)]
        try:
            if not self._is_made():
                self.folder.mkdir(parents=True, exist_ok=True)
                # A node and a driver may start together: one makes them, the other waits and finds them made.
                with (self.folder / ".lock").open("w") as lock:
                    fcntl.flock(lock, fcntl.LOCK_EX)
                    if not self._is_made():
                        self._make()
        except OSError as error:
            raise BadPackages(f"{self.folder}: messages cannot be made there: {error.strerror}") from None
        if self.made and str(self.folder) not in sys.path:
            sys.path.append(str(self.folder))
            importlib.invalidate_caches()

    def message(self, kind: str) -> Any:
        """The class of a message type.

        Raises:
            BadPackages: ROS has another one of this name, with other fields.
        """
        return _checked(kind, "msg", md5sum(kind))

    def service(self, kind: str) -> Any:
        """Likewise of a service."""
        return _checked(kind, "srv", service_md5sum(kind))

    @property
    def _made_of(self) -> str:
        return f"{_digest()} {' '.join(self.made)}"

    def _is_made(self) -> bool:
        done = self.folder / ".made"
        return done.is_file() and done.read_text() == self._made_of

    def _make(self) -> None:
        """Beside what is there, and put in its place when it is whole."""
        new = Path(tempfile.mkdtemp(prefix=".new-", dir=self.folder))
        try:
            self._generate(new)
            (self.folder / ".made").unlink(missing_ok=True)
            for made in sorted(new.iterdir()):
                shutil.rmtree(self.folder / made.name, ignore_errors=True)
                made.rename(self.folder / made.name)
            write_whole(self.folder / ".made", self._made_of)
        finally:
            shutil.rmtree(new, ignore_errors=True)

    def _generate(self, folder: Path) -> None:
        generator = importlib.import_module("genpy.generator")
        texts = folder / "definitions"
        for name, text in MESSAGES.items():
            _write(texts, name, "msg", text)
        for name, (asked, answered) in SERVICES.items():
            _write(texts, name, "srv", f"{asked}---\n{answered}")
        search = {each.name: [str(each / "msg")] for each in texts.iterdir()}
        for package in self.made:
            for part, make in (("msg", generator.MsgGenerator()), ("srv", generator.SrvGenerator())):
                files = sorted(str(file) for file in (texts / package / part).glob(f"*.{part}"))
                if not files:
                    continue
                out = folder / package / part
                out.mkdir(parents=True, exist_ok=True)
                said = io.StringIO()
                with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
                    failed = make.generate_messages(package, files, str(out), search)
                if failed:
                    raise BadPackages(f"ROS's generator cannot make {package}: {said.getvalue().strip()[-300:]}")
                modules = [f"from ._{Path(file).stem} import *" for file in files]
                (out / "__init__.py").write_text("\n".join(modules) + "\n")
            (folder / package / "__init__.py").write_text("")


def _is_there(package: str) -> bool:
    """Whether ROS itself has it; one that we have made is not ROS's."""
    spec = importlib.util.find_spec(package)
    origin = "" if spec is None or spec.origin is None else spec.origin
    return spec is not None and str(_cache()) not in origin


def _checked(kind: str, part: str, sum_: str) -> Any:
    package, _, name = kind.partition("/")
    found = getattr(importlib.import_module(f"{package}.{part}"), name)
    if found._md5sum != sum_:
        raise BadPackages(f"ROS's {kind} has the sum {found._md5sum}, and {sum_} is the one published; its fields are others")
    return found


def _write(folder: Path, name: str, part: str, text: str) -> None:
    package, _, short = name.partition("/")
    path = folder / package / part / f"{short}.{part}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _digest() -> str:
    return hashlib.sha256(repr((__version__, sys.version_info[:2], MESSAGES, SERVICES)).encode()).hexdigest()[:16]


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "armillary" / f"ros1-{_digest()}"
