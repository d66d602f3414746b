"""A port of the controller: what is addressed on it, which buffer is open on it, and how answers look on it."""

from dataclasses import dataclass

from armillary.emulators.pmac.refusal import Code

__all__ = ["OpenBuffer", "Port", "framed"]


@dataclass(frozen=True)
class OpenBuffer:
    """A buffer that is open for lines.

    Attributes:
        kind: ROT, PROG or PLC.
        number: Of the program; 0 for the rotary buffers, which are all open at once.
    """

    kind: str
    number: int = 0


@dataclass
class Port:
    """What is modal on a port.

    Attributes:
        motor, system: That commands go to.
        opened: The buffer that lines go to.
    """

    motor: int = 1
    system: int = 1
    opened: OpenBuffer | None = None


def framed(lines: list[str], error: Code | None, i3: float, i6: float) -> bytes:
    """An answer as bytes, as I3 (ends of lines, acknowledgement) and I6 (errors) say."""
    before = "\n" if int(i3) in (1, 3) else ""
    text = "".join(f"{before}{line}\r" for line in lines)
    if error is None:
        end = {0: "", 1: "\n"}.get(int(i3), "\x06")
    else:
        end = {0: "\x07", 2: "", 3: f"\x07\r\nERR{error:03d}\r"}.get(int(i6), f"\x07ERR{error:03d}\r")
    return (text + end).encode("latin-1")
