"""Streams of Axis Neuron's frames, whole and damaged, for the tests."""

import struct

import numpy as np
from numpy.typing import NDArray

from armillary.protocols.neuron import NeuronFrame, NeuronHeader, write_neuron_frame

__all__ = ["VECTOR", "damage", "frame_bytes", "same"]

# A frame without displacement, written by hand from the facts: tokens FF DD and FF EE, version 1.1.0.0, 180 floats, avatar 3,
# frame 0x01020304; the root at (1, 95.5, -2), its rotation (90, 0, -45), all else 0.
VECTOR = bytes.fromhex(
    "ffdd" "00000101" "b400" "00" "00" "03000000"
    + b"Char00".hex() + "00" * 26
    + "04030201" + "00" * 12 + "ffee"
    + "0000803f" "0000bf42" "000000c0" "0000b442" "00000000" "000034c2" + "00000000" * 174
)  # fmt: skip


def frame_bytes(number: int, *, displacement: bool = True, reference: bool = False, seed: int = 0) -> bytes:
    """A frame of numbers as a person's motion has."""
    random = np.random.default_rng((seed, number))
    floats = (354 if displacement else 180) + (6 if reference else 0)
    values = random.uniform(-180.0, 180.0, floats).astype(np.float32)
    return write_neuron_frame(NeuronHeader(floats, displacement, reference, 0, "Char00", number), values)


def same(frame: NeuronFrame, data: bytes) -> bool:
    return frame.values.tobytes() == data[64:] and struct.pack("<I", frame.header.number) == data[46:50]


def damage(data: bytes, random: np.random.Generator) -> bytes:
    """Cut, overwritten, doubled in part, or with something put in."""
    begin, end = sorted(int(k) for k in random.integers(0, len(data) + 1, 2))
    some: NDArray[np.uint8] = random.integers(0, 256, int(random.integers(1, 64)), dtype=np.uint8)
    kind = int(random.integers(0, 5))
    if kind == 0:
        return data[:begin] + data[end:]
    if kind == 1:
        return data[:begin] + some.tobytes() + data[begin:]
    if kind == 2:
        return data[:begin] + some.tobytes() + data[begin + len(some) :]
    if kind == 3:
        return data[:end] + data[begin:]
    at = int(random.integers(0, 64))  # of the header, where it hurts
    return data[:at] + bytes([int(random.integers(0, 256))]) + data[at + 1 :]
