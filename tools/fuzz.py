"""Feeds the reader broken files: it must answer each with a robot or clear problems, never crash or hang.

    python tools/fuzz.py --count 100000 --seed 1

Files are made from real ones by cutting, repeating, swapping and replacing pieces, so that most get past the
XML parser and into the reader. What fails is kept in build/fuzz/ for a test.
"""

import argparse
import random
import re
import signal
import sys
import time
from pathlib import Path
from types import FrameType

from armillary.description import DescriptionError, Reading, read_source, repair_robot, write_urdf
from armillary.description.document import parse_document
from armillary.description.library import BUNDLED, find_robot
from armillary.description.packages import PackageFinder
from armillary.description.urdf.reader import is_xacro, read_document

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "build" / "fuzz"
HANG_S = 5
NASTY = [
    "nan", "inf", "-inf", "1e308", "-1e308", "1e-320", "0", "-0", "-1", "", " ", "1,2,3", "0x10", "1_000",
    "१", "a" * 5000, "${1}", "$(find x)", "../../../../x.stl", "package://", "package:///", "file://", "\u202e", "0 0",
    "0 0 0 0", "1e999 0 0",
    "&amp;", "&#0;", "&#55296;", "revolute", "floating", "continuous", "base_link", "<", "]]>", "--",
]  # fmt: skip
TAGS = [
    "link", "joint", "robot", "inertial", "mass", "inertia", "origin", "limit", "mimic", "axis", "parent", "child",
    "geometry", "mesh", "box", "visual", "collision", "material", "color", "transmission", "actuator", "type",
    "safety_controller", "dynamics", "calibration", "gazebo", "x:y", "xacro:macro",
]  # fmt: skip


class Hung(Exception):
    """A file took far longer than any should."""


def mutate(text: str, rng: random.Random) -> str:
    """One to six random changes to a text, most of them such that it stays XML."""
    for _ in range(rng.randint(1, 6)):
        kind = rng.choices(range(9), weights=(8, 6, 6, 1, 0.5, 5, 5, 0.5, 0.5))[0]
        at = rng.randrange(len(text) + 1) if text else 0
        values = [m.span(1) for m in re.finditer(r'="([^"]*)"', text)] if kind in (0, 1, 2) else []
        if kind == 0 and values:  # another value
            a, b = rng.choice(values)
            text = text[:a] + rng.choice(NASTY) + text[b:]
        elif kind == 1 and values:  # a value from elsewhere in the file
            (a, b), (c, d) = rng.choice(values), rng.choice(values)
            text = text[:a] + text[c:d] + text[b:]
        elif kind == 2 and values:  # an attribute less
            a, b = rng.choice(values)
            start = text.rfind(" ", 0, a)
            text = text[:start] + text[b + 1 :]
        elif kind == 3:  # another tag
            tags = list(re.finditer(r"</?([\w:]+)", text))
            if tags:
                match = rng.choice(tags)
                text = text[: match.start(1)] + rng.choice(TAGS) + text[match.end(1) :]
        elif kind == 4:  # a piece less
            text = text[:at] + text[at + rng.randint(1, 400) :]
        elif kind == 5:  # an element twice, or a piece moved
            pieces = list(re.finditer(r"<(\w+)[^<>]*/>|<(link|joint)\b.*?</\2>", text, re.S))
            if pieces:
                piece = rng.choice(pieces).group(0)
                where = rng.choice(pieces).start()
                text = text[:where] + piece * rng.choice([1, 1, 1, 50]) + text[where:]
        elif kind == 6:  # an element less
            pieces = list(re.finditer(r"<(\w+)[^<>]*/>|<(link|joint)\b.*?</\2>", text, re.S))
            if pieces:
                match = rng.choice(pieces)
                text = text[: match.start()] + text[match.end() :]
        elif kind == 7:  # a random character
            text = text[:at] + chr(rng.choice([0, 9, 34, 38, 60, 62, 233, 8232, 65279, 128512])) + text[at:]
        else:  # cut short
            if rng.random() < 0.2:
                text = text[:at]
    return text


def seeds() -> list[tuple[str, str]]:
    """Name and text of the files that are broken: our own robots, and small real files where they lie."""
    found = [(name, find_robot(name).read_text()) for name in BUNDLED]
    corpus = ROOT.parent / "shared" / "data" / "urdf"
    for path in sorted(corpus.rglob("*.urdf"))[::5] if corpus.is_dir() else []:
        if 0 < path.stat().st_size < 8000:
            found.append((str(path.relative_to(corpus)), path.read_text(encoding="utf-8", errors="replace")))
    small = [(name, text[: text.find("<link", 3000)] + "</robot>") for name, text in found[:3]]
    return [*small, *found[3:], *found]


def try_one(data: bytes, path: Path) -> str:
    """Read, write and (through a file, now and then) repair; the verdict in a word."""
    document = parse_document(data, str(path))
    if document.root is not None and is_xacro(document):
        path.write_bytes(data)
        return _verdict(read_source(path))
    reading = read_document(document, finder=PackageFinder(path))
    if reading.robot is not None:
        again = read_document(parse_document(write_urdf(reading.robot).encode(), "again"), finder=PackageFinder(path))
        if again.robot != reading.robot:
            raise AssertionError("written and read again it is another robot")
    if len(data) % 7 == 0 and document.fault is None and document.root is not None:
        path.write_bytes(data)
        repaired = repair_robot(path)
        if reading.robot is not None and repaired.reading.robot is None:
            raise AssertionError("repaired it is worse than before")
    return _verdict(reading)


def _verdict(reading: Reading) -> str:
    if reading.robot is None and not any(problem.is_error for problem in reading.problems):
        raise AssertionError("no robot, and no error says why")
    for problem in reading.problems:
        str(problem)
    return "usable" if reading.robot is not None else "refused"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()

    def hang(_signal: int, _frame: FrameType | None) -> None:
        raise Hung

    signal.signal(signal.SIGALRM, hang)
    KEPT.mkdir(parents=True, exist_ok=True)
    scratch = KEPT / f"current_{options.seed}.urdf"
    rng = random.Random(options.seed)
    texts = seeds()
    counts = {"usable": 0, "refused": 0}
    failed, slowest, start = 0, 0.0, time.monotonic()
    for number in range(options.count):
        name, text = rng.choice(texts)
        data = mutate(text, rng).encode("utf-8", "replace")
        begun = time.monotonic()
        signal.alarm(HANG_S)
        try:
            counts[try_one(data, scratch)] += 1
        except DescriptionError:
            counts["refused"] += 1
        except (Exception, Hung) as error:
            failed += 1
            kept = KEPT / f"failed_{options.seed}_{number}.urdf"
            kept.write_bytes(data)
            print(f"\n{kept} (from {name}): {type(error).__name__}: {error}")
        finally:
            signal.alarm(0)
        slowest = max(slowest, time.monotonic() - begun)
        if sys.stderr.isatty() and number % 200 == 0:
            print(f"\r{number}/{options.count}", end="", file=sys.stderr)
    scratch.unlink(missing_ok=True)
    seconds = time.monotonic() - start
    print(f"{options.count} files, seed {options.seed}: {counts['usable']} usable, {counts['refused']} refused, "
          f"{failed} failed; slowest {slowest:.2f} s, {seconds:.0f} s in all")  # fmt: skip
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
