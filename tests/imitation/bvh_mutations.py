"""BVH files that somebody has damaged: mutations of valid ones."""

from random import Random

import numpy as np

from armillary.imitation import NeuronForm, bvh_text, neuron_skeleton
from armillary.imitation.capture import Capture
from tests.imitation.bodies import FAMILIES, any_turns, body, motion
from tests.imitation.test_bvh import SMALL

__all__ = ["mutated", "valid_files"]

_WORDS = (
    b"HIERARCHY", b"ROOT", b"JOINT", b"End Site", b"{", b"}", b"OFFSET", b"CHANNELS", b"MOTION", b"Frames:", b"Frame Time:",
    b"Xposition", b"Zrotation", b"3", b"6", b"0", b"-1", b"nan", b"inf", b"1e308", b"1e400", b"-1e308", b"1e-400", b"99999999999",
    b"\0", b"\xff\xfe", b"\n", b"\r", b"\t", b"LeftArm", b"RightForeArm", b"Hips", b"Head", b"LeftHand", b".", b"-", b"+", b"e",
)  # fmt: skip


def valid_files() -> list[bytes]:
    """Small ones: of several families of names, one of the suit, one of two bones."""
    x = np.eye(3)
    files = [SMALL.encode()]
    for seed, family in enumerate(("noitom", "cmu", "biped", "nothing")):
        turned = any_turns(seed) if seed % 2 else None
        files.append(bvh_text(motion(body(FAMILIES[family], turned=turned), [{"head": x}] * 3, turned=turned)).encode())
    skeleton = neuron_skeleton(NeuronForm.OLDER)
    files.append(bvh_text(Capture(skeleton, np.random.default_rng(2).normal(0.0, 20.0, (2, 180)).round(3), 0.01)).encode())
    return files


def mutated(data: bytes, random: Random) -> bytes:
    """One to four things are done to it."""
    for _ in range(min(random.randint(1, 4), random.randint(1, 4))):
        data = random.choice(_WAYS)(data, random)
    return data[:100_000]


def _byte(data: bytes, random: Random) -> bytes:
    at = random.randrange(len(data) + 1)
    return data[:at] + bytes([random.randrange(256)]) + data[at + random.randrange(2) :]


def _cut(data: bytes, random: Random) -> bytes:
    begin = random.randrange(len(data) + 1)
    return data[:begin] + data[begin + random.randrange(1, 400) :]


def _end(data: bytes, random: Random) -> bytes:
    return data[: random.randrange(len(data) + 1)]


def _doubled(data: bytes, random: Random) -> bytes:
    begin = random.randrange(len(data) + 1)
    return data[: begin + random.randrange(1, 400)] + data[begin:]


def _word(data: bytes, random: Random) -> bytes:
    """A word in place of another."""
    words = data.split(b" ")
    words[random.randrange(len(words))] = random.choice(_WORDS)
    return b" ".join(words)


def _lines(data: bytes, random: Random) -> bytes:
    """Two lines exchanged, or one taken out."""
    lines = data.split(b"\n")
    one, other = random.randrange(len(lines)), random.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    if random.random() < 0.3:
        del lines[one]
    return b"\n".join(lines)


def _offset(data: bytes, random: Random) -> bytes:
    """A bone of another length, or of none."""
    lines = data.split(b"\n")
    places = [k for k, line in enumerate(lines) if b"OFFSET" in line]
    if places:
        value = random.choice((b"0 0 0", b"1e300 0 0", b"1e-300 0 0", b"-1e200 1e200 1e200", b"1 1 1", b"5e-324 0 0"))
        for place in random.sample(places, random.randint(1, len(places))):
            lines[place] = b"OFFSET " + value
    return b"\n".join(lines)


def _number(data: bytes, random: Random) -> bytes:
    """A number of the frames."""
    head, motion_, rest = data.partition(b"Frame Time:")
    words = rest.split(b" ")
    words[random.randrange(len(words))] = random.choice((b"1e300", b"-1e308", b"nan", b"1e9", b"5e-324", b"1e20", b"x"))
    return head + motion_ + b" ".join(words)


_WAYS = (_byte, _byte, _cut, _end, _doubled, _word, _word, _lines, _offset, _number)
