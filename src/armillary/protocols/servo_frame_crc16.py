"""Checksums of sixteen bits, by the table."""

from dataclasses import dataclass, field

__all__ = ["MODBUS", "Crc16"]


@dataclass(frozen=True)
class Crc16:
    """One of the many ways to reckon a CRC of sixteen bits that take each byte's lowest bit first.

    Attributes:
        polynomial: With its bits reversed.
        initial: What the register begins with.
        final: What the result is exclusive-ored with.
    """

    polynomial: int
    initial: int
    final: int = 0
    _table: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        table = []
        for byte in range(256):
            for _ in range(8):
                byte = byte >> 1 ^ (self.polynomial if byte & 1 else 0)
            table.append(byte)
        object.__setattr__(self, "_table", tuple(table))

    def __call__(self, data: bytes | bytearray | memoryview) -> int:
        """The checksum of some bytes."""
        crc, table = self.initial, self._table
        for byte in data:
            crc = crc >> 8 ^ table[(crc ^ byte) & 0xFF]
        return crc ^ self.final


MODBUS = Crc16(0xA001, 0xFFFF)  # x^16 + x^15 + x^2 + 1
