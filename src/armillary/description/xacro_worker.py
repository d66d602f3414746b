"""Expands xacro in a process of its own: `python -P xacro_worker.py`, JSON lines in and out.

xacro evaluates expressions of the file. Here a runaway one (`${9**9**9}`, a macro that calls itself) meets a
memory limit or is killed by the caller, nothing can be written to disk, and xacro's global state stays out
of the caller. The script imports nothing of Armillary, so that it starts quickly.

Every element of the result carries the attribute `armillary-at`, an index into `places`: the file and line
it was written at, which macros and includes would otherwise hide.
"""

import ctypes
import json
import os
import re
import resource
import signal
import sys
import xml.dom.expatbuilder
import xml.dom.minidom
from typing import Any, TextIO
from xml.parsers import expat

import xacro
from xacro import substitution_args

AT = "armillary-at"
MEMORY_BYTES = 2 * 1024**3
CPU_SECONDS = 900  # of one worker's life; a new one is started when it is used up
MAX_FILE_BYTES = 32 * 1024**2
MAX_OUTPUT_CHARS = 64 * 1024**2


class Refused(Exception):
    """A file that is not even parsed."""


class _PlacingBuilder(xml.dom.expatbuilder.ExpatBuilder):
    """Builds a DOM without namespaces (undeclared prefixes pass) whose elements say where they stand."""

    def __init__(self, file: str, places: list[tuple[str, int]]) -> None:
        super().__init__()
        self._file = file
        self._places = places

    def start_element_handler(self, name: str, attributes: list[str]) -> None:
        super().start_element_handler(name, attributes)
        if not name.startswith("xacro:"):
            element: Any = self.curNode
            element.setAttribute(AT, str(len(self._places)))
            self._places.append((self._file, self.getParser().CurrentLineNumber))

    def start_doctype_decl_handler(self, _name: str, system: Any, public: Any, internal: Any) -> None:
        if system or public or internal:
            raise Refused("it has a DOCTYPE with entities or an outside document: nothing is expanded")


def _parse(data: bytes, file: str, places: list[tuple[str, int]]) -> xml.dom.minidom.Document:
    if len(data) > MAX_FILE_BYTES:
        raise Refused(f"{file} has {len(data) / 1e6:.0f} MB")
    try:
        return _PlacingBuilder(file, places).parseString(data)
    except expat.ExpatError as error:
        raise _Located(file, error.lineno, f"not XML: {expat.ErrorString(error.code)}") from None


class _Located(Exception):
    def __init__(self, file: str, line: int | None, what: str) -> None:
        self.file, self.line, self.what = file, line, what
        super().__init__(what)


def _expand(request: dict[str, Any], channel: "Channel") -> dict[str, Any]:
    places: list[tuple[str, int]] = []

    def parse(inp: Any, filename: str | None = None) -> Any:
        if inp is not None or filename is None:
            return inp
        path = os.path.join(xacro.root_dir, filename)
        if os.path.exists(path) and not os.path.isfile(path):
            raise xacro.XacroException(f"not a regular file: {filename}")
        try:
            with open(path, "rb") as file:
                data = file.read(MAX_FILE_BYTES + 1)
        except OSError as error:
            xacro.filestack.pop()
            raise xacro.XacroException(f"{error.strerror}: {filename}", exc=error) from None
        return _parse(data, filename, places)

    def find(package: str) -> str:
        answer = channel.ask({"find": package})
        if not answer.get("path"):
            raise _Located(xacro.filestack[-1], None, f"the package '{package}' was not found")
        return str(answer["path"])

    xacro.parse = parse
    substitution_args._eval_find = find
    substitution_args._eval_dict["find"] = find
    xacro.init_stacks(request["path"])
    xacro.verbosity = 0
    document = parse(None, request["path"])
    xacro.process_doc(document, mappings=dict(request["args"]))
    text = document.documentElement.toxml()
    if len(text) > MAX_OUTPUT_CHARS:
        raise Refused(f"it expands to {len(text) / 1e6:.0f} MB")
    return {"xml": text, "places": places}


def _failure(error: BaseException) -> dict[str, Any]:
    """What went wrong, where, in one line."""
    file = xacro.filestack[-1] if xacro.filestack else ""
    line: int | None = None
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, _Located):
            return {"error": cause.what, "file": cause.file, "line": cause.line}
        cause = getattr(cause, "exc", None) or cause.__cause__
    if isinstance(error, MemoryError):
        what = f"it needs more than {MEMORY_BYTES // 1024**3} GB"
    elif isinstance(error, RecursionError):
        what = "a macro, property or include uses itself without end"
    else:
        what = _in_one_line(str(error)) or type(error).__name__
    macros = [m.body.getAttribute("name") for m in (xacro.macrostack or [])]
    if macros:
        what += f" (in macro {' > '.join(macros[:5])})"
    return {"error": what[:500], "file": file, "line": line}


def _in_one_line(text: str) -> str:
    """xacro's message without colours, line breaks, and the second copy that the system's error makes."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    text = re.sub(r"(No such file or directory: \S+) \[Errno 2\] No such file.*", r"\1", text, flags=re.S)
    text = re.sub(r"\[Errno \d+\] ", "", text)
    return re.sub(r"\s*\n\s*", "; ", text).strip("; \n")


def _die_with_parent() -> None:
    """Have the kernel end this process when the one that asked ends, however it ends (Linux)."""
    try:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    except (OSError, AttributeError):
        pass


class Channel:
    """JSON lines to and from the process that asked."""

    def __init__(self, reader: TextIO, writer: TextIO) -> None:
        self.reader, self.writer = reader, writer

    def send(self, message: dict[str, Any]) -> None:
        self.writer.write(json.dumps(message) + "\n")
        self.writer.flush()

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        self.send(message)
        answer: dict[str, Any] = json.loads(self.reader.readline())
        return answer


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    _die_with_parent()
    # What the file prints (xacro's `python.print`, warnings) must not mix with the answers.
    channel = Channel(sys.stdin, os.fdopen(os.dup(1), "w"))
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    for line in sys.stdin:
        try:
            answer = _expand(json.loads(line), channel)
        except Exception as error:  # whatever the file's expressions raise
            answer = _failure(error)
        channel.send(answer)


if __name__ == "__main__":
    main()
