"""Process data of drives (PDO): which objects lie in which bytes, as an EDS file says it, and how many bits they are on a bus."""

import configparser
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files

from armillary.errors import ArmillaryError
from armillary.protocols.cia402 import INTEGERS, Object

__all__ = [
    "EMERGENCY", "HEARTBEAT", "NETWORK", "PDO_IDS", "SDO_ANSWER", "SDO_REQUEST", "SYNC", "BadEds", "Eds", "Pdo", "frame_bits",
    "own_eds", "read_eds",
]  # fmt: skip

NETWORK, SYNC, EMERGENCY, SDO_ANSWER, SDO_REQUEST, HEARTBEAT = 0x000, 0x080, 0x080, 0x580, 0x600, 0x700
PDO_IDS = {"transmit": (0x180, 0x280, 0x380, 0x480), "receive": (0x200, 0x300, 0x400, 0x500)}  # with the node's number added
_CODES = {(1, True): "b", (2, True): "h", (4, True): "i", (1, False): "B", (2, False): "H", (4, False): "I"}


class BadEds(ArmillaryError):
    """An EDS file that cannot be used."""


@dataclass(frozen=True)
class Pdo:
    """What lies in the bytes of one PDO.

    Attributes:
        number: From 1.
        entries: (index, sub-index, bytes, signed), in their order.
    """

    number: int
    entries: tuple[tuple[int, int, int, bool], ...]

    @cached_property
    def _layout(self) -> struct.Struct:
        return struct.Struct("<" + "".join(_CODES[size, signed] for _, _, size, signed in self.entries))

    @property
    def size(self) -> int:
        """Bytes."""
        return self._layout.size

    @property
    def indices(self) -> tuple[int, ...]:
        return tuple(index for index, *_ in self.entries)

    @property
    def words(self) -> tuple[int, ...]:
        """The entries as they stand in a drive's mapping object: index, sub-index and bits in 32 bits."""
        return tuple(index << 16 | sub << 8 | 8 * size for index, sub, size, _ in self.entries)

    def write(self, values: Mapping[int, int]) -> bytes:
        """The bytes of values, by index; what is not given is 0."""
        return self._layout.pack(*(values.get(index, 0) for index, *_ in self.entries))

    def read(self, data: bytes) -> dict[int, int] | None:
        """Values by index; None where the length is wrong."""
        if len(data) != self._layout.size:
            return None
        return dict(zip(self.indices, self._layout.unpack(data)))


class Eds:
    """An electronic data sheet: what a drive's objects are.

    Args:
        text: Of the file. name: For messages.

    Raises:
        BadEds: It is no such file.
    """

    def __init__(self, text: str, name: str = "the EDS file") -> None:
        self.name, self._file = name, configparser.RawConfigParser(strict=False)
        try:
            self._file.read_string(text)
        except configparser.Error as error:
            raise BadEds(f"{name}: {str(error).splitlines()[0]}; is it an EDS file?") from None
        self._sections = {section.lower(): section for section in self._file.sections()}

    def has(self, index: int) -> bool:
        return f"{index:04x}" in self._sections

    def value(self, index: int, sub: int | None = None) -> int | None:
        """The default value of an object, without its node's number; None where there is none."""
        text = self._entry(index, sub).get("defaultvalue", "").lower().replace("$nodeid", "").strip("+ ")
        return _whole(text)

    def kind(self, index: int, sub: int | None = None) -> tuple[int, bool] | None:
        """Bytes and sign of an object that is a whole number."""
        return INTEGERS.get(_whole(self._entry(index, sub).get("datatype", "")) or 0)

    def pdos(self, direction: str) -> tuple[Pdo, ...]:
        """The PDOs that the drive's sheet maps: "receive" or "transmit", as the drive sees it.

        Raises:
            BadEds: One maps what the sheet does not have, or more than eight bytes.
        """
        first = Object.RECEIVE_MAPPING if direction == "receive" else Object.TRANSMIT_MAPPING
        found = [self._pdo(first + k, k + 1) for k in range(4) if self.has(first + k)]
        return tuple(pdo for pdo in found if pdo.entries)

    def carrier(self, direction: str, index: int) -> Pdo:
        """The PDO that carries an object.

        Raises:
            BadEds: None does.
        """
        for pdo in self.pdos(direction):
            if index in pdo.indices:
                return pdo
        first = "1600" if direction == "receive" else "1A00"
        raise BadEds(f"{self.name}: no {direction} PDO carries object {index:04X}h; map it in [{first}]")

    def _pdo(self, mapping: int, number: int) -> Pdo:
        count = self.value(mapping, 0) or 0
        entries = []
        for sub in range(1, count + 1):
            word = self.value(mapping, sub) or 0
            index, inner, size = word >> 16, word >> 8 & 0xFF, (word & 0xFF) // 8
            kind = self.kind(index, inner) or self.kind(index)
            if kind is None or kind[0] != size:
                raise BadEds(f"{self.name}: [{mapping:04X}sub{sub}] maps {word:08X}h, which the sheet does not have in this size")
            entries.append((index, inner, size, kind[1]))
        if sum(size for _, _, size, _ in entries) > 8:
            raise BadEds(f"{self.name}: [{mapping:04X}] maps more than 8 bytes")
        return Pdo(number, tuple(entries))

    def _entry(self, index: int, sub: int | None) -> Mapping[str, str]:
        section = self._sections.get(f"{index:04x}" if sub is None else f"{index:04x}sub{sub:x}")
        return {} if section is None else self._file[section]


def read_eds(text: str, name: str = "the EDS file") -> Eds:
    return Eds(text, name)


def own_eds() -> Eds:
    """The sheet that comes with Armillary: what its emulated drives have, and what most drives of the profile understand."""
    return Eds(files("armillary.protocols").joinpath("cia402.eds").read_text(), "cia402.eds")


def frame_bits(sizes: Sequence[int]) -> int:
    """Bits on the bus of frames with so many bytes, 11-bit identifiers, with the most stuffing and the gap behind each."""
    return sum(47 + 8 * size + (34 + 8 * size - 1) // 4 for size in sizes)


def _whole(text: str) -> int | None:
    try:
        return int(text, 0)
    except ValueError:
        return None
