"""CAN frames as lines of text over TCP, as socketcand writes them: `< frame 181 12.5 0102 >`, `< send 181 2 1 2 >`."""

from dataclasses import dataclass

__all__ = ["BUS_OFF", "CanFrame", "SocketcandDecoder", "write_error", "write_frame"]

BUS_OFF = 0x40  # Linux's error class: the controller has left the bus
_ERROR = 0x20000000
_LONGEST = 200  # characters of a message


@dataclass(frozen=True)
class CanFrame:
    """A frame with an 11-bit identifier."""

    id: int
    data: bytes = b""


def write_frame(frame: CanFrame, time: float) -> bytes:
    """A frame as the server says it. time: [s]."""
    return f"< frame {frame.id:03X} {time:.6f} {frame.data.hex().upper()} >".encode()


def write_error(kind: int, time: float) -> bytes:
    """An error frame as the server says it."""
    return f"< error {_ERROR | kind:08X} {time:.6f} >".encode()


class SocketcandDecoder:
    """What a client says, in pieces of any size.

    Attributes:
        bad: Messages that were none.
    """

    def __init__(self) -> None:
        self._rest, self.bad = "", 0

    def feed(self, data: bytes) -> list[CanFrame | str]:
        """Frames to be sent, and orders (`open`, `rawmode`, `echo`) by their names."""
        self._rest += data.decode("ascii", "replace")
        found: list[CanFrame | str] = []
        while (end := self._rest.find(">")) >= 0:
            message, self._rest = self._rest[:end], self._rest[end + 1 :]
            words = message[message.rfind("<") + 1 :].split()
            if "<" not in message or not words:
                self.bad += 1
            elif words[0] != "send":
                found.append(words[0])
            elif (frame := _frame(words[1:])) is not None:
                found.append(frame)
            else:
                self.bad += 1
        if len(self._rest) > _LONGEST:
            self._rest, self.bad = "", self.bad + 1
        return found


def _frame(words: list[str]) -> CanFrame | None:
    try:
        number, size, data = int(words[0], 16), int(words[1], 16), bytes(int(word, 16) for word in words[2:])
    except (ValueError, IndexError):
        return None
    return CanFrame(number, data) if len(data) == size <= 8 and 0 <= number <= 0x7FF else None
