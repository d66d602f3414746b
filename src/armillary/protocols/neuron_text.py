"""Axis Neuron's older broadcast, as text: `index name v v v ... ||`.

Whether there are displacements and a reference is told by how many numbers there are. Frames have no number of their own.
"""

import re

import numpy as np
from numpy.typing import ArrayLike

from armillary.protocols.neuron import BONES, REFERENCE_FLOATS, BadNeuronFrame, NeuronFrame, NeuronHeader, values_fit
from armillary.protocols.neuron_decoder import NeuronCounts

__all__ = ["NeuronTextDecoder", "write_neuron_text"]

_END = b"||"
_LONGEST = 2**15  # bytes of a frame that is believed: 360 numbers of up to 90 characters
_NUMBER = re.compile(rb"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_INDEX = re.compile(rb"[0-9]{1,9}")
_LONGEST_NUMBER = 40
_LAYOUTS = {  # how many numbers: with displacement, with reference
    6 * BONES: (True, False),
    3 + 3 * BONES: (False, False),
    6 * BONES + REFERENCE_FLOATS: (True, True),
    3 + 3 * BONES + REFERENCE_FLOATS: (False, True),
}


def write_neuron_text(header: NeuronHeader, values: ArrayLike) -> bytes:
    """A frame as text.

    Args:
        values: Shape (header.floats,).

    Raises:
        BadNeuronFrame: There are more or fewer, or so many that nobody could tell what they are, or the name has blanks.
    """
    row = np.asarray(values, dtype=np.float32)
    if row.shape != (header.floats,) or _LAYOUTS.get(header.floats) != (header.displacement, header.reference):
        raise BadNeuronFrame(f"{row.size} numbers for a frame of {header.floats}; as text there are {sorted(_LAYOUTS)}")
    if not re.fullmatch(r"[^\s|]{1,31}", header.name) or _NUMBER.fullmatch(header.name.encode()):
        raise BadNeuronFrame(f"the avatar's name {header.name!r} is no single word without |")
    return f"{header.avatar} {header.name} {' '.join(f'{value:.6f}' for value in row.tolist())} ||".encode()


class NeuronTextDecoder:
    """Frames from text in pieces of any size, each as soon as its || is there.

    A frame whose end is lost takes the next one with it, unless that one's begin can be told.
    """

    def __init__(self) -> None:
        self.counts = NeuronCounts()
        self._buffer = bytearray()
        self._offset = 0
        self._searched = 0
        self._astray = False

    @property
    def waiting(self) -> int:
        return len(self._buffer)

    def reset(self) -> None:
        """Forget what is waiting."""
        self.counts.cut += bool(self._buffer.strip())
        self._skip(len(self._buffer))

    def feed(self, data: bytes) -> list[NeuronFrame]:
        """The frames that are whole with these bytes."""
        buffer = self._buffer
        buffer += data
        frames: list[NeuronFrame] = []
        begin = 0
        while (end := buffer.find(_END, max(begin, self._searched))) >= 0:
            if frame := self._read(bytes(buffer[begin:end]), self._offset + begin):
                frames.append(frame)
            begin, self._searched = end + len(_END), 0
        self._offset += begin
        del buffer[:begin]
        self._searched = max(len(buffer) - 1, 0)
        if len(buffer) > _LONGEST:  # the end of something that has none: a frame may begin in it
            self._skip(len(buffer) - _LONGEST // 2)
        return frames

    def _skip(self, count: int) -> None:
        del self._buffer[:count]
        self._offset += count
        self._searched = max(self._searched - count, 0)
        self.counts.skipped += count
        self._astray |= count > 0

    def _read(self, piece: bytes, offset: int) -> NeuronFrame | None:
        words = piece[-_LONGEST:].split()
        names = [k for k, word in enumerate(words) if k and not _NUMBER.fullmatch(word[: _LONGEST_NUMBER + 1])]
        at = names[-1] if names else 1
        layout = _LAYOUTS.get(len(words) - at - 1)
        if layout is None or not _INDEX.fullmatch(words[at - 1]):
            self.counts.cut += 1
            self._lost(len(piece))
            return None
        values = np.array([float(word) if len(word) <= _LONGEST_NUMBER else np.nan for word in words[at + 1 :]])
        if not values_fit(values):
            self.counts.damaged += 1
            self._lost(len(piece))
            return None
        if at > 1:
            self.counts.cut += 1
            self._lost(0)
        self.counts.frames += 1
        self.counts.resynchronised += self._astray
        self._astray = False
        name = words[at].decode("utf-8", "replace")
        header = NeuronHeader(len(values), *layout, int(words[at - 1]), name, -1)
        return NeuronFrame(header, values.astype(np.float32), offset)

    def _lost(self, count: int) -> None:
        self.counts.skipped += count
        self._astray = True
