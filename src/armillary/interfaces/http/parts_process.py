"""A process beside the pendant's that looks for parts which are near or touch.

Distances are computed in one go that lets no other thread of a process run; on the loop that hears stops and the release of jogs
nobody should wait for a picture.
"""

import contextlib
import json
import os
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.interfaces.http.nearest_parts import NearestParts, PartsFound
from armillary.model.collision import Nearest

__all__ = ["PartsProcess"]

Array = NDArray[np.float64]


class PartsProcess:
    """Asks such a process, one question at a time, and waits for no answer. One that has ended leaves the work to its asker.

    It is forked: to be made before a process has threads.
    """

    def __init__(self, parts: NearestParts) -> None:
        self._parts = parts
        self._asked = False
        self._found: PartsFound | None = None
        here, there = Pipe()
        self.pid = os.fork()
        if self.pid == 0:
            here.close()
            _answer(there, parts)
        there.close()
        self._link: Connection | None = here

    def look(self, q: Array, *, contacts: bool = False) -> PartsFound | None:
        """What was found last, and the question for the next time; None before anything was found. As `NearestParts.look`."""
        link = self._link
        if link is None:
            return self._parts.look(q, contacts=contacts)
        try:
            if self._asked and link.poll():
                self._found, self._asked = _read(link.recv_bytes()), False
            if not self._asked:
                link.send_bytes(json.dumps([q.tolist(), contacts]).encode())
                self._asked = True
        except (EOFError, OSError):
            self.close()
        return self._found

    def close(self) -> None:
        """Let it end."""
        if self._link is not None:
            self._link.close()
            self._link = None
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self.pid, os.WNOHANG)


def _answer(link: Connection, parts: NearestParts) -> None:
    """Never returns: until nobody asks any more."""
    try:
        os.nice(5)
        while True:
            q, contacts = json.loads(link.recv_bytes())
            link.send_bytes(_written(parts.look(np.array(q), contacts=contacts)))
    except (EOFError, OSError):
        os._exit(0)
    finally:
        os._exit(1)


def _written(found: PartsFound) -> bytes:
    near = found.nearest
    told: list[Any] = []
    if near is not None:
        told = [near.distance, near.first, near.second, near.p_world_first.tolist(), near.p_world_second.tolist()]
    return json.dumps([told, found.touching]).encode()


def _read(data: bytes) -> PartsFound:
    told, touching = json.loads(data)
    nearest = None
    if told:
        distance, first, second, p_first, p_second = told
        nearest = Nearest(distance, first, second, np.array(p_first), np.array(p_second))
    return PartsFound(nearest, tuple((first, second) for first, second in touching))
