"""xacro files to URDF documents whose elements remember the xacro file and line they came from."""

import atexit
import json
import os
import re
import select
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from armillary.description.document import Document, parse_document, read_bytes
from armillary.description.errors import UnreadableFile, UntrustedXacro, XacroFailed
from armillary.description.packages import PackageFinder

__all__ = ["TIMEOUT", "expand_xacro"]

TIMEOUT = 10.0  # s; the largest real robots take under one
_AT = "armillary-at"


def expand_xacro(
    path: Path, *, args: Mapping[str, str] | None = None, finder: PackageFinder | None = None,
    timeout: float = TIMEOUT, keep_layout: bool = False,
) -> Document:  # fmt: skip
    """Expand a local xacro file.

    xacro evaluates expressions found in the file, so only local files are taken: never call this for
    something that came over the network.

    Args:
        path: A file on this machine.
        args: Values for its <xacro:arg>s.
        finder: Where its $(find PACKAGE) are looked for.
        timeout: After so many seconds the expansion is given up [s].
        keep_layout: Keep comments and white space of what it expands to.

    Raises:
        XacroFailed: It could not be expanded; says in which file and line, and what to do.
        UntrustedXacro: `path` is an address, not a local file.
    """
    if "://" in str(path) or not isinstance(path, Path):
        raise UntrustedXacro(str(path))
    read_bytes(path)  # says clearly what is wrong with the file itself
    finder = finder or PackageFinder(path)
    request = {"path": os.path.abspath(path), "args": {k: str(v) for k, v in (args or {}).items()}}
    with _LOCK:
        answer = _worker().expand(request, finder, timeout)
    if "error" in answer:
        raise _failure(str(path), answer)
    document = parse_document(answer["xml"].encode(), str(path), keep_layout=keep_layout)
    _place(document, answer["places"], os.path.abspath(path), str(path))
    return document


def _place(document: Document, places: list[tuple[str, int]], absolute: str, shown: str) -> None:
    """Give every element the file and line it was written at, and take the mark away again."""
    if document.root is None:
        return
    stack = [(document.root, shown, 1)]
    while stack:
        element, file, line = stack.pop()
        mark = element.attributes.pop(_AT, None)
        if mark is not None:
            file, line = places[int(mark)]
            file = shown if file == absolute else file
        element.file, element.line = file, line
        stack.extend((child, file, line) for child in element.children)


# What xacro says, what to do about it, and the text to look for in the file to find its line.
_FAILURES: tuple[tuple[str, str, str], ...] = (
    (r"the package '([^']+)' was not found", "say where it is: --package {0}=DIR", "$(find {0})"),
    (r"Undefined substitution argument (\S+)", "give it a value: --arg {0}:=VALUE", "$(arg {0})"),
    (r"No such file or directory: '?([^';]+)", "mend the name, or put the file there", "{name}"),
    (
        r"(?:division by zero|invalid syntax|unexpected|never closed).*expression '(.+?)'(?: |;|$)",
        "mend the expression",
        "${{{0}}}",
    ),
    (r"when evaluating expression '(.+?)'(?: |;|$)", "define it, or expand the file that uses this one", "${{{0}}}"),
    (r"unknown macro name: (\S+)", "define or include the macro", "<{0}"),
    (r"Undefined parameters? \[([^\],]+)", "give the macro this parameter", "{0}"),
)


def _failure(path: str, answer: dict[str, Any]) -> XacroFailed:
    what = str(answer["error"])
    file = str(answer.get("file") or path)
    line: int | None = answer.get("line")
    remedy = "mend the xacro there"
    for pattern, advice, needle in _FAILURES:
        match = re.search(pattern, what)
        if match:
            name = os.path.basename(match.group(1))
            remedy = advice.format(match.group(1))
            line = line or _line_of(file, needle.format(match.group(1), name=name))
            break
    return XacroFailed(path if os.path.abspath(path) == file else file, what, remedy, line)


def _line_of(file: str, needle: str) -> int | None:
    """The line of a file's first occurrence of a text; xacro itself does not say lines."""
    try:
        text = read_bytes(Path(file)).decode("utf-8", "replace")
    except UnreadableFile:
        return None
    position = text.find(needle)
    return text.count("\n", 0, position) + 1 if position >= 0 else None


class _Worker:
    """The process that expands, kept for the next file: starting it costs more than most files do."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        script = Path(__file__).with_name("xacro_worker.py")
        # -P: a file named xacro.py in the user's folder must not be imported in xacro's place.
        self.process = subprocess.Popen(
            [sys.executable, "-P", str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._buffer = b""

    def expand(self, request: dict[str, Any], finder: PackageFinder, timeout: float) -> dict[str, Any]:
        deadline = time.monotonic() + timeout
        self._send(request)
        while True:
            answer = self._receive(deadline)
            if answer is None:
                self.stop()
                timed_out = time.monotonic() >= deadline
                ended = f"it was still expanding after {timeout:g} s" if timed_out else "the expansion ended by itself"
                return {"error": f"{ended}: an expression or a macro that does not end"}
            if "find" not in answer:
                return answer
            folder = finder.package(str(answer["find"]))
            self._send({"path": str(folder) if folder else None})

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # it died; reading says so

    def _receive(self, deadline: float) -> dict[str, Any] | None:
        """The next message, or None at the deadline or when the process has ended."""
        assert self.process.stdout is not None
        descriptor = self.process.stdout.fileno()
        while b"\n" not in self._buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([descriptor], [], [], left)[0]:
                return None
            data = os.read(descriptor, 1 << 20)
            if not data:
                return None
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        message: dict[str, Any] = json.loads(line)
        return message

    def stop(self) -> None:
        if self.owner != os.getpid():
            return  # a forked child must not end its parent's process
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    pass


_LOCK = threading.Lock()
_current: _Worker | None = None


def _worker() -> _Worker:
    global _current
    if _current is None or _current.owner != os.getpid() or _current.process.poll() is not None:
        _current = _Worker()
    return _current


def _stop_worker() -> None:
    if _current is not None:
        _current.stop()


atexit.register(_stop_worker)
