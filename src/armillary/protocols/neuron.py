"""Axis Neuron's broadcast of a person's motion: one frame of a skeleton's numbers behind a header of 64 bytes.

All of it is little-endian. With displacement each bone has six numbers, its place on its parent and its rotation; without, only
the first has its place, and the others three. With reference, six numbers more stand in front. There is no checksum: what damages
a frame and leaves its numbers such as a person could have cannot be seen here.
"""

import struct
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armillary.errors import ArmillaryError

__all__ = [
    "BONES", "HEADER_SIZE", "LARGEST", "MOST_FLOATS", "REFERENCE_FLOATS", "TCP_PORT", "TOKEN", "UDP_PORT", "BadNeuronFrame",
    "NeuronFrame", "NeuronHeader", "bones_of", "read_neuron_header", "values_fit", "write_neuron_frame", "write_neuron_header",
]  # fmt: skip

Floats = NDArray[np.float32]
TCP_PORT, UDP_PORT = 7001, 7002
TOKEN = b"\xff\xdd"  # 0xDDFF, what a header begins with
END_TOKEN = b"\xff\xee"  # 0xEEFF, what it ends with
BONES = 59
REFERENCE_FLOATS = 6
VERSION = (1, 1, 0, 0)  # major, minor, revision, build
HEADER_SIZE = 64
MOST_FLOATS = 4096  # in a frame that is believed: no count makes a reader wait for more
# Degrees or centimetres: nothing that a person does is larger. A frame of such numbers has no two tokens of a header in it:
# wherever they stood, one of them would be the upper half of a number that is larger by far.
LARGEST = 1e6

_HEADER = struct.Struct("<2s4BHBBI32sI12s2s")
assert _HEADER.size == HEADER_SIZE
_NAME_SIZE = 32


class BadNeuronFrame(ArmillaryError):
    """Something that is no frame, or cannot be written as one."""


class NeuronHeader(NamedTuple):
    """What stands before a frame's numbers.

    Attributes:
        floats: How many numbers follow, those of the reference too.
        displacement, reference: Whether they have them.
        avatar, name: Whose motion it is.
        number: Of the frame, 0 to 2^32 - 1, then 0 again; -1 where nothing tells (string mode).
        version: Major, minor, revision, build.
    """

    floats: int
    displacement: bool = True
    reference: bool = False
    avatar: int = 0
    name: str = "Char00"
    number: int = 0
    version: tuple[int, int, int, int] = VERSION

    @property
    def bones(self) -> int:
        """How many that makes; 0 where the count is none of any skeleton."""
        return bones_of(self.floats, self.displacement, self.reference)


class NeuronFrame(NamedTuple):
    """A frame that was read.

    Attributes:
        values: All numbers, shape (header.floats,): degrees, and places in what looks like centimetres.
        offset: Where it begins in the stream [bytes].
    """

    header: NeuronHeader
    values: Floats
    offset: int = 0

    @property
    def motion(self) -> Floats:
        """The numbers of the bones alone, without the reference."""
        return self.values[REFERENCE_FLOATS:] if self.header.reference else self.values


def bones_of(floats: int, displacement: bool, reference: bool) -> int:
    """How many bones a frame of so many numbers has; 0 where it is none."""
    own = floats - (REFERENCE_FLOATS if reference else 0)
    if not 0 < floats <= MOST_FLOATS or own <= 0:
        return 0
    count, rest = divmod(own, 6) if displacement else divmod(own - 3, 3)
    return count if rest == 0 and count > 0 else 0


def values_fit(values: Floats) -> bool:
    """Whether all are numbers, and such as a person's motion has."""
    return bool(np.all(np.abs(values) <= LARGEST))  # NaN is not


def write_neuron_header(header: NeuronHeader) -> bytes:
    """The 64 bytes of a header.

    Raises:
        BadNeuronFrame: Its count is none of any skeleton, or something does not fit.
    """
    if not header.bones:
        raise BadNeuronFrame(
            f"{header.floats} numbers {'with' if header.displacement else 'without'} displacement are those of no skeleton; "
            f"{BONES} bones have {6 * BONES} with, {3 + 3 * BONES} without, and {REFERENCE_FLOATS} more with reference"
        )
    name = header.name.encode("utf-8")
    if len(name) >= _NAME_SIZE or b"\0" in name:
        raise BadNeuronFrame(f"the avatar's name {header.name!r} does not fit into {_NAME_SIZE - 1} bytes")
    if not 0 <= header.avatar < 2**32 or not 0 <= header.number < 2**32 or not all(0 <= part < 256 for part in header.version):
        raise BadNeuronFrame(f"avatar {header.avatar}, frame {header.number} or version {header.version} does not fit its field")
    return _HEADER.pack(
        TOKEN, *reversed(header.version), header.floats, header.displacement, header.reference, header.avatar, name,
        header.number, bytes(12), END_TOKEN,
    )  # fmt: skip


def write_neuron_frame(header: NeuronHeader, values: ArrayLike) -> bytes:
    """The bytes of a frame.

    Args:
        values: Shape (header.floats,).

    Raises:
        BadNeuronFrame: There are more or fewer, or the header cannot be. Numbers that are none are written as they are.
    """
    row = np.asarray(values, dtype="<f4")
    if row.shape != (header.floats,):
        raise BadNeuronFrame(f"{row.size} numbers for a frame of {header.floats}")
    return write_neuron_header(header) + row.tobytes()


def read_neuron_header(data: bytes | bytearray, at: int = 0) -> NeuronHeader | None:
    """The header that begins there; None where there is none that is whole and right."""
    if len(data) - at < HEADER_SIZE:
        return None
    token, build, revision, minor, major, floats, displacement, reference, avatar, name, number, _, end = _HEADER.unpack_from(
        data, at
    )
    if token != TOKEN or end != END_TOKEN or displacement > 1 or reference > 1:
        return None
    if not bones_of(floats, bool(displacement), bool(reference)):
        return None
    text = name.partition(b"\0")[0].decode("utf-8", "replace")
    return NeuronHeader(floats, bool(displacement), bool(reference), avatar, text, number, (major, minor, revision, build))
