"""A bad wire for servo frames, and an exact account of what came through it.

    python -m tests.protocols.servo_frame_noise --frames 1000000

Each frame may be lost, doubled, swapped with the next, or damaged in one of many ways. What was sent where is known, so every
frame that a decoder gives is right, or restored by chance, or wrong; and every frame that was whole and not given is lost.
"""

import argparse
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from armillary.protocols.servo_frame import ORIGINAL, STAMPS, FrameLayout, ServoFrame, ServoFrameDecoder, write_servo_frame

__all__ = ["DAMAGES", "Account", "Damage", "Wire", "account_of"]

Damage = Callable[[random.Random, bytes, FrameLayout], bytes]


def _bit(chance: random.Random, frame: bytes, _layout: FrameLayout) -> bytes:
    return _bits(chance, frame, 1)


def _few_bits(chance: random.Random, frame: bytes, _layout: FrameLayout) -> bytes:
    return _bits(chance, frame, chance.randint(2, 5))


def _bits(chance: random.Random, frame: bytes, count: int) -> bytes:
    value = int.from_bytes(frame, "big")
    for bit in chance.sample(range(8 * len(frame)), count):
        value ^= 1 << bit
    return value.to_bytes(len(frame), "big")


def _burst(chance: random.Random, frame: bytes, _layout: FrameLayout) -> bytes:
    """Neighbouring bytes, all else."""
    length = chance.randint(1, len(frame))
    begin = chance.randint(0, len(frame) - length)
    return frame[:begin] + chance.randbytes(length) + frame[begin + length :]


def _new_body(chance: random.Random, frame: bytes, layout: FrameLayout) -> bytes:
    """All but the header: the hardest, since only the checksum can tell."""
    return layout.header + chance.randbytes(len(frame) - len(layout.header))


def _lost_bytes(chance: random.Random, frame: bytes, _layout: FrameLayout) -> bytes:
    length = chance.randint(1, 5)
    begin = chance.randint(0, len(frame) - length)
    return frame[:begin] + frame[begin + length :]


def _new_bytes(chance: random.Random, frame: bytes, _layout: FrameLayout) -> bytes:
    at = chance.randint(1, len(frame) - 1)
    return frame[:at] + chance.randbytes(chance.randint(1, 10)) + frame[at:]


def _cut(chance: random.Random, frame: bytes, _layout: FrameLayout) -> bytes:
    return frame[: chance.randint(0, len(frame) - 1)]


def _header_inside(chance: random.Random, frame: bytes, layout: FrameLayout) -> bytes:
    """A header in the middle: what begins there reaches into the next frame."""
    at = chance.randint(1, len(frame) - len(layout.header))
    return frame[:at] + layout.header + frame[at + len(layout.header) :]


DAMAGES: tuple[Damage, ...] = (_bit, _few_bits, _burst, _new_body, _lost_bytes, _new_bytes, _cut, _header_inside)


@dataclass
class Wire:
    """Bytes with damage, and where the frames that are whole begin in them.

    Attributes:
        data: The stream. whole: The sent frame's number, by offset. hurt: Where damaged frames begin, by what was sent.
        sent: All frames, in the order in which they were written.
        lost, doubled, swapped, damaged: How many were.
    """

    data: bytearray = field(default_factory=bytearray)
    whole: dict[int, int] = field(default_factory=dict)
    hurt: dict[bytes, list[int]] = field(default_factory=dict)
    sent: list[bytes] = field(default_factory=list)
    lost: int = 0
    doubled: int = 0
    swapped: int = 0
    damaged: int = 0

    @classmethod
    def of(cls, frames: int, seed: int, *, damage: float = 0.3, layout: FrameLayout = ORIGINAL) -> "Wire":
        """So many frames, 20 ms apart, of which the given share is damaged, and 2 % each are lost, doubled and swapped."""
        chance, wire = random.Random(seed), cls()
        top = round(180 / layout.step)
        late: list[int] = []
        for k in range(frames):
            positions = [chance.randint(0, top) for _ in range(layout.joints)]
            wire.sent.append(write_servo_frame(20 * k % STAMPS, positions, layout))
            fate = chance.random()
            if fate < 0.02:
                wire.lost += 1
            elif fate < 0.04 and not late:
                wire.swapped += 1
                late.append(k)  # it goes behind the next
                continue
            else:
                wire._put(k, chance, damage, layout)
                if fate < 0.06:
                    wire.doubled += 1
                    wire._put(k, chance, damage, layout)
            while late:
                wire._put(late.pop(), chance, damage, layout)
        return wire

    def _put(self, k: int, chance: random.Random, damage: float, layout: FrameLayout) -> None:
        frame = self.sent[k]
        self.put(k, chance.choice(DAMAGES)(chance, frame, layout) if chance.random() < damage else frame)

    def put(self, k: int, came: bytes) -> None:
        """Append what became of a sent frame."""
        frame, offset = self.sent[k], len(self.data)
        if came == frame:  # damage may have changed nothing
            self.whole[offset] = k
        else:
            self.damaged += 1
            if came:
                self.hurt.setdefault(frame, []).append(offset)
        self.data += came

    def pieces(self, seed: int) -> Iterator[bytes]:
        """The stream in pieces of any size."""
        chance, at = random.Random(seed), 0
        while at < len(self.data):
            length = chance.choice((1, 7, 29, 64, 300, 4096))
            yield bytes(self.data[at : at + length])
            at += length


@dataclass
class Account:
    """What a decoder made of a wire.

    Attributes:
        right: Whole frames that it gave. restored: Damaged ones that lost bytes or were given some and were whole all the same,
            by what came before, in between or after: one in 256 where it is one byte at an end.
        wrong: Frames that it gave and nobody sent there. wrong_at: Where they begin.
        missed: Whole frames that it did not give, though nothing that it gave overlaps them.
        covered: Whole frames that it did not give since one that it took (wrong or restored) overlaps them.
        checked: How often a checksum was compared with bytes that were not a whole frame.
        expected: How many of those sixteen bits let through, if all were random.
    """

    right: int = 0
    restored: int = 0
    wrong: int = 0
    missed: int = 0
    covered: int = 0
    checked: int = 0
    wrong_at: list[int] = field(default_factory=list)

    @property
    def expected(self) -> float:
        return self.checked / 65_536


def account_of(wire: Wire, given: list[ServoFrame], decoder: ServoFrameDecoder) -> Account:
    """The exact account of what was given."""
    account, layout = Account(), decoder.layout
    taken, by_chance = {frame.offset for frame in given}, list[int]()
    for frame in given:
        as_bytes = write_servo_frame(frame.stamp, frame.positions, layout)
        if frame.offset in wire.whole:
            assert as_bytes == wire.sent[wire.whole[frame.offset]], "what came whole was read as something else"
            account.right += 1
            continue
        by_chance.append(frame.offset)
        if any(abs(at - frame.offset) <= layout.size for at in wire.hurt.get(as_bytes, ())):
            account.restored += 1
        else:
            account.wrong += 1
            account.wrong_at.append(frame.offset)
    covers = {at + k for at in by_chance for k in range(-layout.size + 1, layout.size)}
    for offset in wire.whole:
        if offset not in taken:
            if offset in covers:
                account.covered += 1
            else:
                account.missed += 1
    account.checked = decoder.counts.bad_sums + account.wrong + account.restored
    return account


def main() -> None:
    """Print the account of many frames."""
    parser = argparse.ArgumentParser(description="many servo frames over a bad wire")
    parser.add_argument("--frames", type=int, default=1_000_000)
    parser.add_argument("--damage", type=float, default=0.3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    wire = Wire.of(options.frames, options.seed, damage=options.damage)
    decoder, given = ServoFrameDecoder(), list[ServoFrame]()
    for piece in wire.pieces(options.seed):
        given += decoder.feed(piece)
    account = account_of(wire, given, decoder)
    print(f"sent {options.frames}: lost {wire.lost}, doubled {wire.doubled}, swapped {wire.swapped}, damaged {wire.damaged}")
    print(f"came whole {len(wire.whole)}: right {account.right}, missed {account.missed}, covered {account.covered}")
    print(
        f"checksums that had to refuse: {account.checked}, of which CRC16 lets through {account.expected:.1f} if all are random"
    )
    print(f"wrong {account.wrong}, whole by chance {account.restored}")


if __name__ == "__main__":
    main()
