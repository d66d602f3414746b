"""Emergency messages of drives (EMCY): eight bytes, and what their codes mean."""

import struct
from dataclasses import dataclass

from armillary.errors import ArmillaryError

__all__ = ["BadEmergency", "Emergency", "read_emergency", "write_emergency"]

_LAYOUT = struct.Struct("<HB5s")
_MEANINGS: dict[int, tuple[str, str]] = {  # code: what, and what to do; those of whole groups end in 00
    0x0000: ("no error", ""),
    0x1000: ("an error that it does not name", "look at the drive's display"),
    0x2200: ("too much current", "look for a short circuit or a jammed axis"),
    0x2300: ("too much current at its output", "look for a short circuit or a jammed axis"),
    0x2310: ("too much current for too long", "lower the acceleration, or free the axis"),
    0x2320: ("short circuit at its output", "check the motor and its cable"),
    0x3100: ("mains supply", "check the supply"),
    0x3200: ("voltage inside it", "check the supply"),
    0x3210: ("too much voltage on its link", "brake more softly, or check the brake resistor"),
    0x3220: ("too little voltage on its link", "switch the motors' supply on"),
    0x4200: ("temperature of the device", "let it cool down"),
    0x4210: ("it is too hot", "let it cool down"),
    0x4310: ("the drive is too hot", "let it cool down"),
    0x5000: ("its hardware", "have it repaired"),
    0x5441: ("an emergency stop circuit is open", "release the emergency stop"),
    0x6000: ("its software", "start it anew"),
    0x6320: ("a parameter cannot be", "compare its parameters with its manual"),
    0x7121: ("the motor is blocked", "free the axis"),
    0x7300: ("a sensor", "check the encoder and its cable"),
    0x7305: ("its encoder", "check the encoder and its cable"),
    0x8100: ("communication", "check the cable and its terminating resistors"),
    0x8110: ("it lost messages", "lower the rate of set-points, or raise the bit rate"),
    0x8120: ("errors on the bus", "check the cable and its terminating resistors"),
    0x8130: ("it did not hear the master's heartbeat", "see that the controller runs, and the cable is whole"),
    0x8140: ("it was off the bus and is back", "check the cable and its terminating resistors"),
    0x8150: ("two devices send with one number", "give each node a number of its own"),
    0x8210: ("a message was too short", "let the mapping be written by the driver"),
    0x8220: ("a message was too long", "let the mapping be written by the driver"),
    0x8240: ("SYNC of a wrong length", "see that only one master is on the bus"),
    0x8300: ("torque control", "free the axis"),
    0x8400: ("speed control", "slow the motion down"),
    0x8500: ("position control", "slow the motion down"),
    0x8600: ("positioning", "slow the motion down"),
    0x8611: ("following error", "slow the motion down, or free the axis"),
    0x8612: ("a reference limit", "move it back into its range"),
    0x8700: ("SYNC was lost", "see that the controller runs, and is not kept waiting"),
    0x9000: ("an error outside of it", "look at its inputs"),
    0xFF00: ("an error of its maker's", "look the code up in its manual"),
}


class BadEmergency(ArmillaryError):
    """Bytes that are no emergency message."""


@dataclass(frozen=True)
class Emergency:
    """What a drive complains of.

    Attributes:
        code: Of the error; 0 for none any more.
        register: The error register, 1001h.
        details: Five bytes of the maker's.
    """

    code: int
    register: int = 0
    details: bytes = bytes(5)

    @property
    def is_over(self) -> bool:
        """Whether it says that there is no error any more."""
        return self.code & 0xFF00 == 0

    @property
    def meaning(self) -> str:
        return self._entry[0]

    @property
    def remedy(self) -> str:
        return self._entry[1]

    @property
    def _entry(self) -> tuple[str, str]:
        for mask in (0xFFFF, 0xFFF0, 0xFF00, 0xF000):  # the nearest group that is known
            if self.code & mask in _MEANINGS:
                return _MEANINGS[self.code & mask]
        return _MEANINGS[0x1000]

    def __str__(self) -> str:
        return f"{self.meaning} (code {self.code:04X}h)" + (f"; {self.remedy}" if self.remedy else "")


def read_emergency(data: bytes) -> Emergency:
    """Raises:
    BadEmergency: It has not eight bytes.
    """
    if len(data) != _LAYOUT.size:
        raise BadEmergency(f"an emergency message has {_LAYOUT.size} bytes; this one has {len(data)}")
    return Emergency(*_LAYOUT.unpack(data))


def write_emergency(emergency: Emergency) -> bytes:
    return _LAYOUT.pack(emergency.code, emergency.register, emergency.details)
