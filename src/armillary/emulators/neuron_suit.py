"""A suit that is not there: broadcasts a person's motion as Axis Neuron does, over TCP or UDP, in binary or as text.

It takes frames and knows nothing of files: `armillary emulate neuron FILE.bvh` reads one and runs it.
"""

import select
import socket
import time
from dataclasses import dataclass, field
from random import Random

import numpy as np
from numpy.typing import NDArray

from armillary.errors import ArmillaryError
from armillary.protocols.neuron import BONES, REFERENCE_FLOATS, NeuronHeader, write_neuron_frame
from armillary.protocols.neuron_text import write_neuron_text

__all__ = ["FAULTS", "BadSuit", "NeuronSuit", "SuitFaults"]

Array = NDArray[np.float64]
FAULTS = ("cut", "lost", "doubled", "reordered", "nan", "delayed", "garbage")
_LOOK = 0.02  # s between looks while nothing is due
_MOST_HELD = 5  # frames that a delay lasts at most
_BACKLOG = 8


class BadSuit(ArmillaryError):
    """A broadcast that cannot be."""


@dataclass
class SuitFaults:
    """How often each thing goes wrong with a frame, 0 to 1, by its name."""

    shares: dict[str, float] = field(default_factory=lambda: dict.fromkeys(FAULTS, 0.0))

    def put_in(self, text: str) -> None:
        """`cut=0.1,lost=0.05`, `nan 1`, or `well` for none.

        Raises:
            BadSuit: There is no such fault.
        """
        if text.strip() == "well":
            self.shares = dict.fromkeys(FAULTS, 0.0)
            return
        for each in filter(None, (part.strip() for part in text.split(","))):
            name, _, share = each.replace("=", " ").partition(" ")
            try:
                value = float(share)
            except ValueError:
                value = -1.0
            if name not in FAULTS or not 0.0 <= value <= 1.0:
                raise BadSuit(f"{each!r} is no fault; write well, or one of {', '.join(FAULTS)} with a share of 0 to 1: cut=0.1")
            self.shares[name] = value


class NeuronSuit:
    """One avatar that broadcasts.

    Attributes:
        port: That TCP is served at; 0 with UDP alone.
        sent: Frames that were sent, faulty ones too. number: Of the next.
        done: Whether the last frame was sent.
    """

    def __init__(
        self, values: Array, period: float, *, displacement: bool = True, reference: bool = False, text: bool = False,
        avatar: str = "Char00", index: int = 0, host: str = "127.0.0.1", port: int | None = None,
        udp: tuple[str, int] | None = None, piece: int = 0, repeat: bool = False, faults: SuitFaults | None = None, seed: int = 1,
    ) -> None:  # fmt: skip
        """Args:
        values: Shape (frames, 354): of each bone its place and its rotation [cm, degree].
        period: Between two frames [s].
        port: To serve TCP at; 0 for any, None for not at all. udp: Where to send datagrams.
        piece: Bytes of a datagram at most; 0 for a whole frame.

        Raises:
            BadSuit: There is nothing to send, or no way to.
        """
        if values.ndim != 2 or values.shape[1] != 6 * BONES or not len(values):
            raise BadSuit(f"frames of shape {values.shape}; the suit has {6 * BONES} numbers a frame, and at least one frame")
        if port is None and udp is None:
            raise BadSuit("neither TCP nor UDP: nobody could hear it")
        rows = values if displacement else np.concatenate([values[:, :3], _rotations(values)], axis=1)
        front = np.zeros((len(rows), REFERENCE_FLOATS if reference else 0))
        self._values = np.concatenate([front, rows], axis=1).astype(np.float32)
        self._header = NeuronHeader(self._values.shape[1], displacement, reference, index, avatar)
        self._write = write_neuron_text if text else write_neuron_frame
        self._write(self._header, self._values[0])  # an avatar that cannot be written is known before anybody listens
        self._period, self._repeat, self._piece, self._to = period, repeat, piece, udp
        self.faults, self._random = faults or SuitFaults(), Random(seed)
        self.number = self.sent = 0
        self.done = False
        self._due: float | None = None if udp is None else time.monotonic()
        self._clients: dict[socket.socket, bytes] = {}
        self._kept = b""
        self._held: list[bytes] = []
        self._held_until = 0
        self._listener = None if port is None else _listener(host, port)
        self.port = 0 if self._listener is None else int(self._listener.getsockname()[1])
        self._sender = (
            None if udp is None else socket.socket(socket.AF_INET6 if ":" in udp[0] else socket.AF_INET, socket.SOCK_DGRAM)
        )

    def serve(self) -> None:
        """Wait a little, take who wants to hear, and send what is due; TCP begins with the first who hears."""
        now = time.monotonic()
        wait = _LOOK if self._due is None or self.done else min(max(self._due - now, 0.0), _LOOK)
        if self._listener is None:
            time.sleep(wait)
        elif select.select([self._listener], [], [], wait)[0]:
            self._accept(self._listener)
        while self._due is not None and not self.done and time.monotonic() >= self._due:
            self._send_next()
            self._due += self._period

    def _accept(self, listener: socket.socket) -> None:
        client, _ = listener.accept()
        client.setblocking(False)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._clients[client] = b""
        if self._due is None:
            self._due = time.monotonic()

    def _send_next(self) -> None:
        for data in self._with_faults(self._next_frame()):
            self._send(data)

    def _next_frame(self) -> bytes:
        values = self._values[self.number % len(self._values)]
        if self._happens("nan"):
            values = values.copy()
            values[self._random.randrange(len(values))] = self._random.choice((np.nan, np.inf, -np.inf))
        data = self._write(self._header._replace(number=self.number % 2**32), values)
        self.number += 1
        self.sent += 1
        self.done = not self._repeat and self.number >= len(self._values)
        return data

    def _happens(self, fault: str) -> bool:
        return self._random.random() < self.faults.shares[fault]

    def _with_faults(self, data: bytes) -> list[bytes]:
        """What goes out in place of a frame."""
        if self._happens("lost"):
            return []
        if self._happens("cut"):
            begin, end = sorted(self._random.randrange(len(data)) for _ in range(2))
            data = data[:begin] + data[end + 1 :]
        out = [data, data] if self._happens("doubled") else [data]
        if self._happens("garbage"):
            out.insert(0, self._random.randbytes(self._random.randrange(1, 200)))
        if self._kept:
            out, self._kept = [*out, self._kept], b""
        elif self._happens("reordered"):
            self._kept, out = out[-1], out[:-1]
        if not self._held and self._happens("delayed"):
            self._held_until = self.number + self._random.randrange(1, _MOST_HELD)
        if self.number < self._held_until and not self.done:
            self._held += out
            return []
        out, self._held = self._held + out, []
        return out

    def _send(self, data: bytes) -> None:
        if self._sender is not None and self._to is not None:
            size = self._piece or len(data)
            for begin in range(0, len(data), size):
                try:
                    self._sender.sendto(data[begin : begin + size], self._to)
                except OSError:  # nobody listens there: as on a real network, the suit does not mind
                    pass
        for client, waiting in list(self._clients.items()):
            self._send_to(client, waiting if len(waiting) > len(data) * _BACKLOG else waiting + data)

    def _send_to(self, client: socket.socket, data: bytes) -> None:
        """Who does not read misses whole frames, and is waited for by nobody."""
        try:
            self._clients[client] = data[client.send(data) :]
        except BlockingIOError:
            self._clients[client] = data
        except OSError:
            del self._clients[client]
            client.close()

    def close(self) -> None:
        for each in (self._listener, self._sender, *self._clients):
            if each is not None:
                each.close()
        self._clients.clear()


def _rotations(values: Array) -> Array:
    return values.reshape(len(values), BONES, 6)[:, :, 3:].reshape(len(values), 3 * BONES)


def _listener(host: str, port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise BadSuit(f"TCP port {port} cannot be had: {error.strerror or error}; give another with --port") from None
    listener.setblocking(False)
    return listener
