"""Waiting for a station that starts: as long as it gets on, however slow the computer is."""

import json
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

from armillary.runtime.errors import RuntimeProblem

__all__ = ["await_ready", "group_seconds"]

_QUIET = 180.0  # s without a word and without work, after which it is given up
_LONGEST = 3600.0  # s in all: what works so long works on nothing
_TELLS = 1.0  # s between two lines of progress
_LITTLE = 0.05  # s of a processor's time that are work


def await_ready(
    process: "subprocess.Popen[str]", progress: Callable[[str], None] | None, *, quiet: float = _QUIET, longest: float = _LONGEST
) -> None:
    """Hear what the supervisor says until it is ready. What it says later is thrown away, so that it never waits for a reader.

    Args:
        process: The supervisor, which leads a group of its own.
        progress: Told what it does, and for how long it has been starting.
        quiet: It may be silent and idle for so long [s].
        longest: And take so long in all [s].

    Raises:
        RuntimeProblem: It cannot start, has ended, or has not got on; says which. It is left to the caller to end it.
    """
    assert process.stdout is not None
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    ready = threading.Event()
    threading.Thread(target=_read, args=(process.stdout, lines, ready), name="station starts", daemon=True).start()
    began = heard = time.monotonic()
    worked, shown = group_seconds(process.pid), ""
    while True:
        try:
            line = lines.get(timeout=_TELLS)
        except queue.Empty:
            line = ""
        if line is None:
            raise RuntimeProblem(_ended(process))
        now = time.monotonic()
        if (work := group_seconds(process.pid)) - worked > _LITTLE or line:
            worked, heard = max(work, worked), now
        said = _said(line)
        if "ready" in said:
            ready.set()
            return
        if "error" in said:
            raise RuntimeProblem(str(said["error"]))
        shown = str(said.get("progress", shown))
        if now - heard > quiet or now - began > longest:
            did = f", and had done nothing for the last {now - heard:.0f} s" if now - heard > quiet else ""
            raise RuntimeProblem(
                f"the station had not started after {now - began:.0f} s{did}, and was ended"
                f"{f' ({shown})' if shown else ''}; run it again: what is compiled is kept"
            )
        if shown and progress is not None:
            progress(f"{shown} ({now - began:.0f} s)")


def group_seconds(group: int) -> float:
    """Processor time that a group of processes has used [s]; 0 where the system does not say."""
    ticks = 0
    try:
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit():
                try:
                    fields = (folder / "stat").read_text().rpartition(")")[2].split()
                except OSError:
                    continue  # it has ended meanwhile
                if int(fields[2]) == group:
                    ticks += sum(map(int, fields[11:15]))  # its own, and of its children that have ended
    except (OSError, ValueError, IndexError):
        return 0.0
    return ticks / 100.0  # USER_HZ, on every Linux


def _ended(process: "subprocess.Popen[str]") -> str:
    code = process.wait()
    if code < 0:
        name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
        why = f"the station was ended by {name} while it started"
        advice = "the computer may be out of memory" if -code == signal.SIGKILL else "somebody has ended it"
        return f"{why}: {advice}; run it again: what is compiled is kept"
    return f"the station ended while it started (exit {code}); what it said of it stands above"


def _said(line: str) -> dict[str, object]:
    try:
        said = json.loads(line)
    except ValueError:
        return {}  # a library's own words
    return said if isinstance(said, dict) else {}


def _read(stream: IO[str], lines: "queue.SimpleQueue[str | None]", ready: threading.Event) -> None:
    with stream:
        try:
            for line in stream:
                if not ready.is_set():
                    lines.put(line)
        except (OSError, ValueError):
            pass  # closed from outside
    lines.put(None)
