"""A process beside the pendant's that reads recordings: a big one takes seconds, in which stops and jogs must not wait.

`python -m armillary.interfaces.http.signal_worker` answers a line of JSON with a line of JSON until nobody asks for a while. It
keeps what it read last, so that looking closer is quick.
"""

import contextlib
import json
import os
import select
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from armillary.errors import ArmillaryError
from armillary.runtime import RuntimeProblem
from armillary.runtime.recording import BadRecording

__all__ = ["SignalWorker"]

_IDLE = 120.0  # s without a question, after which the process ends: what it keeps is memory
_PATIENCE = 120.0  # s for an answer
_LARGEST = 400_000_000  # bytes of a recording; files of ours are closed at 256 MB


class SignalWorker:
    """Asks such a process; it is started with the first question. Safe for many threads, one after the other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None

    def signals(self, path: Path, *, begin: float | None, end: float | None, points: int) -> str:
        """As `signals_of` gives them, as JSON.

        Raises:
            BadRecording: It cannot be read.
            RuntimeProblem: The process does not answer.
        """
        try:
            size = path.stat().st_size
        except OSError as error:
            raise BadRecording(path, f"it cannot be read: {error.strerror}; choose another recording") from None
        if size > _LARGEST:
            raise BadRecording(path, f"it is larger than {_LARGEST / 1e6:.0f} MB; download it instead")
        question = json.dumps({"path": str(path), "begin": begin, "end": end, "points": points}) + "\n"
        with self._lock:
            answer = self._ask(question) or self._ask(question)  # one that has just ended is started again
        if not answer:
            raise RuntimeProblem("the recording cannot be read: its reader has ended; there may be too little memory")
        if answer.startswith('{"error"'):
            raise RuntimeProblem(str(json.loads(answer)["error"]))
        return answer

    def _ask(self, question: str) -> str:
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = subprocess.Popen(
                [sys.executable, "-m", "armillary.interfaces.http.signal_worker"], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, text=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            )  # fmt: skip
        assert self._process.stdin is not None and self._process.stdout is not None
        timer = threading.Timer(_PATIENCE, self._process.kill)
        timer.start()
        try:
            self._process.stdin.write(question)
            self._process.stdin.flush()
            return str(self._process.stdout.readline())
        except OSError:
            return ""
        finally:
            timer.cancel()

    def close(self) -> None:
        """End the process; it is started again when it is needed."""
        process, self._process = self._process, None
        if process is not None:
            for stream in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    if stream is not None:
                        stream.close()
            try:
                process.wait(2.0)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _answer(question: dict[str, Any], kept: dict[tuple[str, int, int], Any]) -> dict[str, Any]:
    from armillary.interfaces.http.recording_signals import signals_of
    from armillary.runtime.recording import Recording

    path = Path(question["path"])
    try:
        known = path.stat()
        key = (str(path), known.st_size, known.st_mtime_ns)
        if key not in kept:
            kept.clear()  # before the next is read: two would need twice the memory
            kept[key] = Recording.open(path)
        return signals_of(kept[key], begin=question["begin"], end=question["end"], points=int(question["points"]))
    except ArmillaryError as error:
        return {"error": str(error)}
    except (OSError, MemoryError, ValueError) as error:
        return {"error": f"{path.name} cannot be read: {error or 'too little memory'}"}


def main() -> None:
    """Answer until nobody asks any more."""
    os.nice(10)
    kept: dict[tuple[str, int, int], Any] = {}
    while select.select([sys.stdin], [], [], _IDLE)[0]:
        line = sys.stdin.readline()
        if not line:
            return
        print(json.dumps(_answer(json.loads(line), kept)), flush=True)


if __name__ == "__main__":
    main()
