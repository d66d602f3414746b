"""How far our reading of robots agrees with other readers, on real files of other projects.

    python tools/conformance.py [--data DIR] [--json]

Three counts: what upstream tests assert of their broken files, what the real xacro made of its inputs, and
what comes of every file there is. A disagreement that docs/conformance.md does not explain fails the run.
"""

import argparse
import csv
import json
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from armillary.description import DescriptionError, Reading, read_source
from armillary.description.document import Element, parse_document
from armillary.description.xacro import expand_xacro

ROOT = Path(__file__).resolve().parents[1]
EXPLANATIONS = ROOT / "docs" / "conformance.md"


@dataclass(frozen=True)
class Outcome:
    """One comparison: what the other reader says, what we say."""

    file: str
    theirs: str
    ours: str
    agrees: bool


def expectation(text: str) -> str | None:
    """What an upstream test asserts of a file: accepted, refused, reported (a warning), or nothing."""
    text = text.strip()
    if not text:
        return None
    if text.startswith("raises") or "TakeError" in text or "urdf, nullptr" in text:
        return "refused"
    if "TakeWarning" in text or "EXPECT_PRED2" in text or text.startswith("logs error"):
        return "reported"
    return "accepted"


def upstream_tests(data: Path) -> list[Outcome]:
    folder = data / "urdf" / "_inline_from_upstream_tests"
    outcomes = []
    with open(folder / "EXPECTED.tsv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            theirs = expectation(row["expectation_in_test"] or "")
            if theirs is None:
                continue
            reading = read_source(folder / row["file"])
            grave = [p.kind.name for p in reading.problems]
            ours = "accepted" if reading.robot is not None else "refused"
            agrees = bool(grave) if theirs == "reported" else ours == theirs
            outcomes.append(Outcome(row["file"], theirs, f"{ours} ({', '.join(dict.fromkeys(grave))})", agrees))
    return outcomes


def expanded_xacro(data: Path) -> tuple[list[Outcome], list[str]]:
    """Our expansion against the real xacro's, and the inputs that are not here."""
    urdf = data / "urdf"
    with open(urdf / "SOURCES.tsv", encoding="utf-8", newline="") as file:
        places = {f"{r['repo'].replace('/', '+')}/{r['path']}": r["file"] for r in csv.DictReader(file, delimiter="\t")}
    outcomes: list[Outcome] = []
    absent: list[str] = []
    for line in (urdf / "_expanded_by_ros_xacro" / "COMMANDS.tsv").read_text().splitlines():
        name, command = line.split("\t")
        source, *args = command.split()
        reference = urdf / "_expanded_by_ros_xacro" / name
        if source not in places or not reference.exists():
            absent.append(name)
            continue
        path = urdf / places[source]
        given = dict(arg.split(":=", 1) for arg in args)
        try:
            ours = expand_xacro(path, args=given)
        except DescriptionError as error:
            if "No such file" in str(error):  # a part of the input is not among the test files
                absent.append(name)
                continue
            outcomes.append(Outcome(name, "expanded", f"failed: {error}".replace(str(data), "..."), False))
            continue
        theirs = parse_document(reference.read_bytes(), str(reference))
        difference = first_difference(ours.root, theirs.root)
        outcomes.append(Outcome(name, "expanded", difference or "the same", difference is None))
    return outcomes, absent


def first_difference(ours: Element | None, theirs: Element | None) -> str | None:
    """Where two trees first differ in elements, attributes (numbers as numbers) or text; None if nowhere."""
    if ours is None or theirs is None:
        return None if ours is theirs else "one is empty"
    stack = [(ours, theirs, "robot")]
    while stack:
        a, b, path = stack.pop()
        if a.tag != b.tag:
            return f"{path}: <{a.tag}> for <{b.tag}>"
        for name in sorted({*a.attributes, *b.attributes}):
            if name.startswith("xmlns"):
                continue
            x, y = a.attributes.get(name), b.attributes.get(name)
            if x is None or y is None or not _same(x, y):
                return f"{path}: {name}={x!r} for {y!r}"
        if not _same(a.text.strip(), b.text.strip()):
            return f"{path}: {a.text.strip()[:40]!r} for {b.text.strip()[:40]!r}"
        if len(a.children) != len(b.children):
            return f"{path}: {len(a.children)} elements for {len(b.children)}"
        for x_child, y_child in zip(a.children, b.children, strict=True):
            label = x_child.attributes.get("name", x_child.tag)
            stack.append((x_child, y_child, f"{path}/{label}"))
    return None


def _same(a: str, b: str) -> bool:
    if a == b:
        return True
    parts = list(zip(a.split(), b.split(), strict=False))
    if len(a.split()) != len(b.split()):
        return False
    try:
        return all(x == y or abs(float(x) - float(y)) <= 1e-9 * max(1.0, abs(float(y))) for x, y in parts)
    except ValueError:
        return False


def whole_corpus(data: Path) -> tuple[Counter[str], list[tuple[float, str]]]:
    """What comes of every file, and how long each took, slowest first."""
    verdicts: Counter[str] = Counter()
    times: list[tuple[float, str]] = []
    files = [p for p in (data / "urdf").rglob("*") if p.suffix.lower() in (".urdf", ".xacro")]
    for path in sorted(files):
        start = time.perf_counter()
        reading = read_source(path)
        times.append((time.perf_counter() - start, str(path.relative_to(data))))
        verdicts[_verdict(reading)] += 1
    return verdicts, sorted(times, reverse=True)


def _verdict(reading: Reading) -> str:
    if reading.robot is not None:
        return "usable"
    first = next(problem for problem in reading.problems if problem.is_error)
    return f"refused: {first.kind.name}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not (options.data / "urdf").is_dir():
        print(f"conformance: {options.data} is not there; give the folder of test files with --data")
        return 0
    explained = EXPLANATIONS.read_text(encoding="utf-8") if EXPLANATIONS.exists() else ""
    tests = upstream_tests(options.data)
    xacros, absent = expanded_xacro(options.data)
    verdicts, times = whole_corpus(options.data)
    unexplained = [o.file for o in (*tests, *xacros) if not o.agrees and f"`{o.file}`" not in explained]
    if options.json:
        print(json.dumps({
            "upstream_tests": {"agree": sum(o.agrees for o in tests), "of": len(tests)},
            "xacro": {"agree": sum(o.agrees for o in xacros), "of": len(xacros), "inputs_not_here": len(absent)},
            "corpus": dict(verdicts), "slowest_s": round(times[0][0], 3), "unexplained": unexplained,
        }))  # fmt: skip
        return 1 if unexplained else 0
    for title, outcomes in (("upstream tests", tests), ("expansions by the real xacro", xacros)):
        print(f"{title}: {sum(o.agrees for o in outcomes)} of {len(outcomes)} agree")
        for o in outcomes:
            if not o.agrees:
                print(f"  {o.file}\n    theirs: {o.theirs}; ours: {o.ours[:200]}")
    print(f"  ({len(absent)} expansions are there whose inputs are not, or not whole)")
    total = sum(verdicts.values())
    print(f"corpus: {total} files, slowest {times[0][0]:.2f} s ({times[0][1]}), all {sum(t for t, _ in times):.1f} s")
    for verdict, count in verdicts.most_common():
        print(f"  {count:4d}  {verdict}")
    if unexplained:
        print(f"not explained in docs/conformance.md: {', '.join(unexplained)}")
        return 1
    print("every disagreement is explained in docs/conformance.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
