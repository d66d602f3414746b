"""Reads Axis Neuron's frames out of bytes that come in pieces, and finds back into a stream that was damaged."""

from dataclasses import dataclass

import numpy as np

from armillary.protocols.neuron import HEADER_SIZE, TOKEN, NeuronFrame, NeuronHeader, read_neuron_header, values_fit

__all__ = ["NeuronCounts", "NeuronDatagramDecoder", "NeuronDecoder"]

_ALIKE = 10  # bytes that two headers of one sender share: token, version, count, flags
_TELLING = 3  # that are enough of them behind a number that is cut


@dataclass
class NeuronCounts:
    """What a decoder has come across.

    Attributes:
        frames: That were whole.
        cut: That another one began within.
        damaged: With a number that is none, or none of a person's.
        skipped: Bytes of no frame that was taken.
        resynchronised: How often a frame was found behind such bytes.
    """

    frames: int = 0
    cut: int = 0
    damaged: int = 0
    skipped: int = 0
    resynchronised: int = 0


class NeuronDecoder:
    """Frames from bytes in pieces of any size, each as soon as its last byte is there.

    A header is what has both tokens and a count that some skeleton has. A frame within which another header begins was cut. So
    whatever is damaged, lost or put in between: a frame that comes whole is found. What is kept waiting is never more than the
    longest frame.
    """

    def __init__(self) -> None:
        self.counts = NeuronCounts()
        self._buffer = bytearray()
        self._offset = 0  # of the buffer's begin in the stream
        self._searched = 0  # up to where the frame at the buffer's begin was looked through for another
        self._astray = False

    @property
    def waiting(self) -> int:
        """Bytes that are kept for more to come."""
        return len(self._buffer)

    def reset(self) -> None:
        """Forget what is waiting: what comes next is no continuation of it."""
        if self._buffer:
            self.counts.cut += read_neuron_header(self._buffer) is not None
            self._skip(len(self._buffer))
        self._drop(len(self._buffer))

    def feed(self, data: bytes) -> list[NeuronFrame]:
        """The frames that are whole with these bytes."""
        buffer = self._buffer
        buffer += data
        frames: list[NeuronFrame] = []
        begin = 0
        while True:
            at, header = self._next_header(begin)
            self._skip(at - begin)
            if at != begin:
                self._searched = 0
            begin = at
            if header is None:
                break
            end = at + HEADER_SIZE + 4 * header.floats
            inner = self._other_header(at, end)
            if inner:
                self.counts.cut += 1
                begin = self._passed(at, inner)
            elif end > len(buffer):
                break
            else:
                values = np.frombuffer(bytes(buffer[at + HEADER_SIZE : end]), dtype="<f4")
                if values_fit(values):
                    frames.append(self._taken(header, values, at))
                    begin, self._searched = end, 0
                else:
                    self.counts.damaged += 1
                    begin = self._passed(at, at + len(TOKEN))
        self._drop(begin)
        return frames

    def _next_header(self, begin: int) -> tuple[int, NeuronHeader | None]:
        """Where the next one begins; without it, up to where there is none for sure."""
        buffer, most = self._buffer, len(self._buffer)
        at = buffer.find(TOKEN, begin)
        while 0 <= at <= most - HEADER_SIZE:
            header = read_neuron_header(buffer, at)
            if header is not None:
                return at, header
            at = buffer.find(TOKEN, at + 1)
        if at < 0:
            at = most - 1 if most > begin and buffer[-1] == TOKEN[0] else most
        return at, None

    def _other_header(self, at: int, end: int) -> int:
        """Where another header begins within a frame; 0 where none does.

        One that reaches beyond the frame is known by its first bytes, which are those of the frame's own: there is no waiting for
        the rest of it.
        """
        buffer, most = self._buffer, len(self._buffer)
        stop = min(end, most)
        found = buffer.find(TOKEN, max(self._searched, at + len(TOKEN)), stop)
        while found >= 0:
            there = min(_ALIKE, stop - found)
            alike = there >= _TELLING and buffer[found : found + there] == buffer[at : at + there]
            # Before its frame is whole, a few bytes alike may be no more than a number: the rest of them will tell.
            if (alike and (stop == end or there == _ALIKE)) or read_neuron_header(buffer, found) is not None:
                return found
            found = buffer.find(TOKEN, found + 1, stop)
        self._searched = max(at + len(TOKEN), stop - HEADER_SIZE)
        return 0

    def _taken(self, header: NeuronHeader, values: "np.ndarray[tuple[int], np.dtype[np.float32]]", at: int) -> NeuronFrame:
        self.counts.frames += 1
        self.counts.resynchronised += self._astray
        self._astray = False
        return NeuronFrame(header, values, self._offset + at)

    def _passed(self, at: int, to: int) -> int:
        self._skip(to - at)
        self._searched = 0
        return to

    def _skip(self, count: int) -> None:
        self.counts.skipped += count
        self._astray |= count > 0

    def _drop(self, count: int) -> None:
        del self._buffer[:count]
        self._offset += count
        self._searched = max(self._searched - count, 0)


class NeuronDatagramDecoder:
    """Frames from datagrams: each carries one, several, or a piece of one; they may be lost, doubled, or in another order.

    A datagram that begins with a header begins a frame, whatever was waiting. A frame of several ends where a datagram ends, or
    where another frame begins. That tells all but pieces of the same length that were exchanged.
    """

    def __init__(self) -> None:
        self._stream = NeuronDecoder()
        self._sent = 0  # bytes before the next datagram

    @property
    def counts(self) -> NeuronCounts:
        return self._stream.counts

    @property
    def waiting(self) -> int:
        return self._stream.waiting

    def reset(self) -> None:
        """Forget what is waiting."""
        self._stream.reset()

    def feed(self, data: bytes) -> list[NeuronFrame]:
        """The frames that are whole with this datagram."""
        begins = data.startswith(TOKEN) and (len(data) < HEADER_SIZE or read_neuron_header(data) is not None)
        if begins and self._stream.waiting:
            self._stream.reset()
        begin = self._sent
        self._sent += len(data)
        frames = self._stream.feed(data)
        if frames and frames[0].offset < begin:  # it has pieces of earlier ones
            rest = data[frames[0].offset + HEADER_SIZE + 4 * frames[0].header.floats - begin :]
            if rest and not rest.startswith(TOKEN[: len(rest)]):
                counts = self._stream.counts
                counts.frames -= 1
                counts.cut += 1
                del frames[0]
        return frames
