"""The emulated suit for the tests: in a thread, or in a process of its own that can be killed."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from armillary.emulators.neuron_suit import NeuronSuit
from armillary.imitation.neuron_skeleton import NeuronForm, default_offsets

__all__ = ["SuitProcess", "SuitThread", "frames_of"]

Array = NDArray[np.float64]


def frames_of(count: int, form: NeuronForm = NeuronForm.NEWER) -> Array:
    """Frames whose rotations all are the frame's number, modulo 100: a mixed one shows. Shape (count, 354)."""
    numbers = np.broadcast_to((np.arange(count) % 100.0)[:, None, None], (count, 59, 3))
    return np.concatenate([np.broadcast_to(default_offsets(form), (count, 59, 3)), numbers], axis=2).reshape(count, 354)


class SuitThread:
    """A suit that broadcasts while this is open."""

    def __init__(self, suit: NeuronSuit) -> None:
        self.suit, self._ended = suit, threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        while not self._ended.is_set():
            self.suit.serve()

    def __enter__(self) -> NeuronSuit:
        self._thread.start()
        return self.suit

    def __exit__(self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None) -> None:
        self._ended.set()
        self._thread.join(20.0)
        self.suit.close()


class SuitProcess:
    """`armillary emulate neuron`, by itself.

    Attributes:
        port: That it serves.
    """

    def __init__(self, file: Path, *arguments: str, port: int = 0) -> None:
        command = [sys.executable, "-m", "armillary", "emulate", "neuron", str(file), "--port", str(port), *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        assert self.process.stdout is not None
        said = self.process.stdout.readline().strip()
        self.port = int(said) if said.isdigit() else 0

    def kill(self) -> None:
        os.kill(self.process.pid, signal.SIGKILL)
        self.close()

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(20.0)
        assert self.process.stdout is not None
        self.process.stdout.close()
