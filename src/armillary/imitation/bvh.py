"""BVH files, read: the skeleton by its words, the numbers by a compiled loop, long files block by block."""

import math
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NoReturn

import numpy as np
from numpy.typing import NDArray

from armillary.imitation.bvh_kernels import NOT_A_NUMBER, WRONG_COUNT, read_numbers
from armillary.imitation.capture import Capture
from armillary.imitation.errors import ImitationError, InvalidBvh
from armillary.imitation.skeleton import POSITIONS, ROTATIONS, Bone, Skeleton
from armillary.regular_file import must_be_regular

__all__ = ["BvhReader", "parse_bvh", "read_bvh"]

Array = NDArray[np.float64]
_CHANNELS = {name.lower(): name for name in POSITIONS + ROTATIONS}
_MOST_BONES = 10_000
_LONGEST_HEADER = 16 * 2**20  # bytes
_BLOCK = 4 * 2**20  # bytes that are read at once
_MOTION = re.compile(rb"(?:^|[\r\n])[ \t]*MOTION[ \t]*(?=[\r\n]|$)", re.IGNORECASE)
_FRAME_LINES = 4096  # bytes behind MOTION in which the two lines stand that tell of the frames
_FIGURE = re.compile(r"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$")
_LONGEST_NUMBER = 2000  # digits and all
_USUAL = 1.0 / 30.0  # s between frames, where a file with no more than one says nothing


@dataclass(frozen=True)
class _Header:
    """What stands before the numbers.

    Attributes:
        frames: As the file says.
        lines: How many lines stand before the numbers. end: Where they begin, in bytes.
    """

    skeleton: Skeleton
    frames: int
    period: float
    lines: int
    end: int
    notes: tuple[str, ...]


def read_bvh(path: Path | str, *, partial: bool = False) -> Capture:
    """A whole file.

    Args:
        partial: Take the whole frames of a file that was cut off within one, or breaks off in nonsense.

    Raises:
        InvalidBvh: It is broken; says where.
        ImitationError: It cannot be read at all.
    """
    with BvhReader(path, partial=partial) as reader:
        blocks = list(reader.blocks(_most=None))
        values = (
            blocks[0] if len(blocks) == 1 else np.concatenate(blocks) if blocks else np.zeros((0, reader.skeleton.channel_count))
        )
        values.setflags(write=False)
        return Capture(reader.skeleton, values, reader.period, str(path), reader.notes)


def parse_bvh(data: bytes, name: str = "BVH", *, partial: bool = False) -> Capture:
    """A file's content.

    Raises:
        InvalidBvh: It is broken; says where.
    """
    header = _read_header(data, name)
    block = _Block(name, header, partial)
    values = block.read(data[header.end :], last=True)
    values.setflags(write=False)
    return Capture(header.skeleton, values, header.period, name, (*header.notes, *block.end_notes()))


class BvhReader:
    """A file that is read block by block: a day of motion needs no day's memory.

    Attributes:
        skeleton: Whose motion it is.
        frames: How many there are, as the file says.
        period: Between two [s].
        notes: What is odd; of the frames, when they have been read.
    """

    def __init__(self, path: Path | str, *, partial: bool = False) -> None:
        """Raises:
        InvalidBvh: What stands before the frames is broken.
        ImitationError: The file cannot be read.
        """
        self._path = Path(path)
        try:
            self._file: BinaryIO = open(self._path, "rb", opener=_without_waiting)  # noqa: SIM115 - it is closed by `close`
        except OSError as error:
            raise ImitationError(f"{path} cannot be read: {error.strerror or error}; give a BVH file") from None
        try:
            must_be_regular(self._file.fileno(), self._path)
            self._rest = self._read_header()
        except OSError as error:
            self._file.close()
            raise ImitationError(f"{path} cannot be read: {error.strerror or error}; give a BVH file") from None
        except InvalidBvh:
            self._file.close()
            raise
        self.skeleton, self.frames, self.period = self._header.skeleton, self._header.frames, self._header.period
        self._block = _Block(str(path), self._header, partial)

    def __enter__(self) -> "BvhReader":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()

    @property
    def notes(self) -> tuple[str, ...]:
        return (*self._header.notes, *self._block.end_notes())

    def _read_header(self) -> bytes:
        data = self._file.read(_BLOCK)
        while True:
            found = _MOTION.search(data)
            if found is not None and len(data) - found.end() > _FRAME_LINES:
                break
            more = self._file.read(_BLOCK) if len(data) < _LONGEST_HEADER else b""
            if not more:
                break
            data += more
        self._header = _read_header(data, str(self._path))
        return data[self._header.end :]

    def blocks(self, *, _most: int | None = _BLOCK) -> Iterator[Array]:
        """The frames, some at a time, shape (some, channels).

        Raises:
            InvalidBvh: A frame is broken; those before it have been given.
        """
        waiting = self._rest
        self._rest = b""
        while True:
            try:
                more = self._file.read(_most or max(os.fstat(self._file.fileno()).st_size, 1))
            except OSError as error:
                raise ImitationError(f"{self._path} cannot be read on: {error.strerror or error}") from None
            data = waiting + more
            cut = len(data) if not more else max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
            waiting = data[cut:]
            values = self._block.read(data[:cut], last=not more)
            if len(values):
                yield values
            if not more:
                return


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)


# What stands before the numbers.


class _Words:
    """A header's words, each with its line."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        lines = text.replace("{", " { ").replace("}", " } ").split("\n")
        self._words = [(word, number) for number, line in enumerate(lines, 1) for word in line.split()]
        self._at = 0

    @property
    def line(self) -> int:
        return self._words[min(self._at, len(self._words) - 1)][1] if self._words else 1

    def peek(self) -> str:
        return self._words[self._at][0] if self._at < len(self._words) else ""

    def next(self, wanted: str) -> str:
        if self._at >= len(self._words):
            self.refuse(f"the file ends where {wanted} is expected: it was cut off", at=self.line)
        word = self._words[self._at][0]
        self._at += 1
        return word

    def rest_of_line(self) -> str:
        """Words up to a brace or the line's end."""
        line, found = self._words[self._at - 1][1], []
        while self._at < len(self._words) and self._words[self._at][1] == line and self.peek() not in ("{", "}"):
            found.append(self.next(""))
        return " ".join(found)

    def number(self, what: str) -> float:
        word = self.next(what)
        if not _FIGURE.match(word) or not math.isfinite(value := float(word)):
            self.refuse(f"'{word[:40]}' is no number; {what} is expected", at=self._words[self._at - 1][1])
        return value

    def refuse(self, what: str, *, at: int = 0) -> NoReturn:
        raise InvalidBvh(self.name, at or self._words[max(self._at - 1, 0)][1], what)


def _read_header(data: bytes, name: str) -> _Header:
    if not data.strip():
        raise InvalidBvh(name, 0, "the file is empty; a BVH file begins with HIERARCHY")
    found = _MOTION.search(data)
    head = data[: found.end() + _FRAME_LINES if found is not None else _LONGEST_HEADER]
    plain = head.replace(b"\r\n", b" \n").replace(b"\r", b"\n")  # of the same length: places stay
    head = plain[: found.start()] if found is not None else plain
    if b"\0" in head[:4096]:
        raise InvalidBvh(name, 1, "this is no text; a BVH file begins with HIERARCHY")
    notes: list[str] = []
    try:
        text = head.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = head.decode("latin-1")
        notes.append("names are not in UTF-8; they were read as Latin-1")
    words = _Words(name, text)
    if (first := words.next("HIERARCHY")).upper() != "HIERARCHY":
        words.refuse(f"it begins with '{first[:40]}'; a BVH file begins with HIERARCHY")
    skeleton = _read_bones(words, notes)
    if found is None:
        words.refuse("there is no MOTION behind the skeleton; the file was cut off", at=text.count("\n") + 1)
    frames, period, lines, end = _read_frame_lines(plain, found.end(), name, notes)
    return _Header(skeleton, frames, period, lines, end, tuple(notes))


@dataclass
class _OpenBone:
    """A bone of which not all has been read."""

    name: str
    parent: int
    offset: Array | None = None
    channels: tuple[str, ...] = ()
    end: Array | None = None

    def closed(self) -> Bone:
        assert self.offset is not None, "it was looked for at its closing brace"
        return Bone(self.name, self.parent, self.offset, self.channels, self.end)


def _read_bones(words: _Words, notes: list[str]) -> Skeleton:
    bones: list[_OpenBone] = []
    names: dict[str, int] = {}
    open_: list[int] = []  # bones whose braces are open; -1 for an end
    while word := words.peek():
        words.next("")
        kind = word.upper()
        if kind in ("ROOT", "JOINT"):
            if (kind == "ROOT") != (not open_):
                words.refuse(f"{kind} {'inside a bone' if open_ else 'outside of any'}; a ROOT stands outside, a JOINT inside")
            if open_ and open_[-1] < 0:
                words.refuse("a JOINT inside an End Site, which has none")
            given = words.rest_of_line() or (words.next("a name") if words.peek() != "{" else "")
            name = given or f"bone_{len(bones) + 1}"
            names[name] = names.get(name, 0) + 1
            if names[name] > 1:
                notes.append(f"{names[name]} bones are called '{name}'; the later one is '{name}#{names[name]}' here")
                name = f"{name}#{names[name]}"
            if len(bones) >= _MOST_BONES:
                words.refuse(f"there are more than {_MOST_BONES} bones")
            bones.append(_OpenBone(name, open_[-1] if open_ else -1))
            _open(words, name)
            open_.append(len(bones) - 1)
        elif kind == "END" and open_ and open_[-1] >= 0:
            words.rest_of_line()
            _open(words, "the End Site")
            open_.append(-1)
        elif kind == "OFFSET" and open_:
            offset = np.array([words.number(f"the {axis} of an OFFSET") for axis in "xyz"])
            if open_[-1] >= 0:
                bones[open_[-1]].offset = offset
            else:
                bones[open_[-2]].end = offset
        elif kind == "CHANNELS" and open_ and open_[-1] >= 0:
            bones[open_[-1]].channels = _read_channels(words)
        elif word == "}" and open_:
            at = open_.pop()
            if at >= 0 and bones[at].offset is None:
                words.refuse(f"'{bones[at].name}' has no OFFSET")
        else:
            words.refuse(
                f"'{word[:40]}' has no meaning here; {'OFFSET, CHANNELS, JOINT, End Site or }' if open_ else 'ROOT'} is expected"
            )
    if open_:
        words.refuse("a brace is not closed; the file was cut off, or a } is missing", at=words.line)
    if not bones:
        words.refuse("there is no ROOT behind HIERARCHY", at=words.line)
    return Skeleton(tuple(bone.closed() for bone in bones))


def _open(words: _Words, of: str) -> None:
    if (word := words.next("{")) != "{":
        words.refuse(f"'{word[:40]}' where the {{ of {of} is expected")


def _read_channels(words: _Words) -> tuple[str, ...]:
    count = words.number("how many CHANNELS")
    if count != int(count) or not 0 <= count <= 6:
        words.refuse(f"{count:g} CHANNELS; a bone has 0 to 6")
    found: list[str] = []
    for _ in range(int(count)):
        word = words.next("a channel")
        if word.lower() not in _CHANNELS:
            words.refuse(f"there is no channel '{word[:40]}'; there are: {', '.join(POSITIONS + ROTATIONS)}")
        if _CHANNELS[word.lower()] in found:
            words.refuse(f"{word} is there twice")
        found.append(_CHANNELS[word.lower()])
    if words.peek().lower() in _CHANNELS:
        words.refuse(f"there are more channels than the {int(count)} that it says")
    return tuple(found)


def _read_frame_lines(plain: bytes, at: int, name: str, notes: list[str]) -> tuple[int, float, int, int]:
    """How many frames, how far apart, how many lines up to here, and where the numbers begin."""
    line, found = plain.count(b"\n", 0, at) + 1, dict[str, float]()
    for wanted in ("Frames:", "Frame Time:"):
        text = ""
        while not text:
            begin = plain.find(b"\n", at) + 1
            if not begin:
                raise InvalidBvh(name, line, f"the file ends where '{wanted}' is expected: it was cut off")
            line += 1
            at = plain.find(b"\n", begin)
            at = len(plain) if at < 0 else at
            text = plain[begin : min(at, begin + 200)].decode("latin-1").strip()
        key, _, value = text.partition(":")
        if " ".join(key.lower().split()) != wanted[:-1].lower():
            raise InvalidBvh(name, line, f"'{text[:40]}' where '{wanted}' is expected")
        if not _FIGURE.match(value.strip()) or not math.isfinite(number := float(value)):
            raise InvalidBvh(name, line, f"'{value.strip()[:40]}' is no number; {wanted} needs one")
        found[wanted] = number
        if wanted == "Frames:" and (number != int(number) or number < 0):
            raise InvalidBvh(name, line, f"{value.strip()} frames cannot be; a whole number is expected")
    frames, period = int(found["Frames:"]), found["Frame Time:"]
    if period <= 0.0:
        if frames > 1:
            raise InvalidBvh(name, line, f"a Frame Time of {period:g} s cannot be; write how far two frames are apart")
        notes.append(f"a Frame Time of {period:g} s cannot be; 1/30 s was taken")
        period = _USUAL
    return frames, period, line, min(at + 1, len(plain))


# The numbers.


class _Block:
    """Reads the frames of a file, block by block, and knows where it is."""

    def __init__(self, name: str, header: _Header, partial: bool) -> None:
        self._name, self._header, self._partial = name, header, partial
        self._line, self._read, self._over = header.lines + 1, 0, False
        self._wrapped = False  # whether a frame goes over several lines
        self._left = np.zeros(0)  # numbers of a frame that has only begun
        self._notes: list[str] = []
        self._split = False  # whether the last block ended with a CR, which a LF may follow
        self._stopped = False  # at what is broken, where the part before it is wanted

    def end_notes(self) -> tuple[str, ...]:
        said = self._header.frames
        if self._over and self._read != said:
            return (*self._notes, f"it says {said} frames and has {self._read}; those that are there were taken")
        return tuple(self._notes)

    def read(self, data: bytes, *, last: bool) -> Array:
        """Frames, shape (some, channels)."""
        channels = self._header.skeleton.channel_count
        if self._stopped:
            return np.zeros((0, channels))
        if not channels:
            return self._read_nothing(data, last)
        values = self._numbers(data, channels)
        if len(self._left):
            values = np.concatenate([self._left, values])
        whole = len(values) // channels
        self._left = np.zeros(0) if self._stopped else values[whole * channels :]
        self._read += whole
        self._line += self._lines_before(data, len(data))
        self._split = data.endswith(b"\r")
        if last:
            self._over = True
            if len(self._left):
                what = f"the last frame has {len(self._left)} of its {channels} numbers: the file was cut off"
                if not self._partial:
                    raise InvalidBvh(
                        self._name, self._line, f"{what} ({self._read} whole frames are before it; partial takes them)"
                    )
                self._notes.append(f"{what}; it was left out")
        return values[: whole * channels].reshape(whole, channels)

    def _read_nothing(self, data: bytes, last: bool) -> Array:
        self._over = last
        if data.strip():
            raise InvalidBvh(self._name, self._line, "there are numbers, and no bone has a channel")
        return np.zeros((0, 0))

    def _numbers(self, data: bytes, channels: int) -> Array:
        buffer = np.frombuffer(data, dtype=np.uint8)
        lines = data.count(b"\n") + data.count(b"\r") + 1
        room = len(data) // 2 + 1
        while True:
            out = np.empty(room if self._wrapped else min(room, lines * channels + 1))
            hard = np.empty((len(out), 2), dtype=np.int64)
            count, noted, ended, at = read_numbers(buffer, 0, len(buffer), 0 if self._wrapped else channels, out, hard)
            short = ended == WRONG_COUNT and not self._wrapped and self._on_line(data, at) < channels
            if not short or self._read or not self._goes_over_lines(data, channels):
                break
            self._wrapped = True
        for start, index in hard[:noted].tolist():
            word = data[start : start + _LONGEST_NUMBER].split(None, 1)[0]
            out[index] = float(word) if len(word) < _LONGEST_NUMBER else math.inf
            if not math.isfinite(out[index]):
                return self._broken(data, start, f"{word[:40].decode()} is too large for a number", out, index, channels)
        if ended == NOT_A_NUMBER:
            return self._broken(data, at, f"'{_word(data, at)[:40].decode('latin-1')}' is no number", out, count, channels)
        if ended == WRONG_COUNT:
            cut_off = data.find(b"\n", at) < 0 and data.find(b"\r", at) < 0
            if cut_off and self._on_line(data, at) < channels:
                return out[:count]  # whoever takes the last block says so
            what = f"a frame has {self._on_line(data, at)} numbers; there are {channels} channels"
            return self._broken(data, at, what, out, count, channels)
        return out[:count]

    def _broken(self, data: bytes, at: int, what: str, out: Array, count: int, channels: int) -> Array:
        if not self._partial:
            self._refuse(data, at, what)
        line = self._line + self._lines_before(data, at)
        whole = (len(self._left) + count) // channels
        self._notes.append(f"line {line}: {what}; what is behind was left out")
        self._stopped = self._over = True
        return out[: max(whole * channels - len(self._left), 0)]

    def _refuse(self, data: bytes, at: int, what: str) -> NoReturn:
        raise InvalidBvh(self._name, self._line + self._lines_before(data, at), what)

    def _lines_before(self, data: bytes, at: int) -> int:
        """Ends of lines in a block up to a place: LF, CR, or both as one, also where the block before ended between them."""
        ends = data.count(b"\n", 0, at) + data.count(b"\r", 0, at) - data.count(b"\r\n", 0, at)
        return ends - (1 if self._split and at > 0 and data.startswith(b"\n") else 0)

    @staticmethod
    def _on_line(data: bytes, at: int) -> int:
        ends = [end for end in (data.find(b"\n", at), data.find(b"\r", at)) if end >= 0]
        return len(data[at : min(ends, default=len(data))].split())

    @staticmethod
    def _goes_over_lines(data: bytes, channels: int) -> bool:
        """Whether the first lines are too short and make up a frame together, as no broken file's do."""
        total = 0
        for line in data.splitlines():
            total += len(line.split())
            if total >= channels:
                break
        return total == channels


def _word(data: bytes, at: int) -> bytes:
    """The one that something is in."""
    before = data[max(at - 400, 0) : at]
    begun = before.split()[-1] if before.split() and not before[-1:].isspace() else b""
    return begun + (data[at : at + 400].split(None, 1) or [b""])[0]
