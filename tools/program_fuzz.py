"""Fuzzing of a program language: what both tools/fuzz_gcode.py and tools/fuzz_script.py do.

Each input ends in commands or in one BadProgram. All else is kept in build/fuzz/ for a test: another error or a warning, a
command with a number that is not finite, five seconds of computing between two commands, half a gigabyte.

With --atheris, libFuzzer is led by the branches that an input takes (`pip install atheris`, which is not among what Armillary
needs); without it, one input in fifty is watched line by line, and those that reach new lines are changed further.
"""

import argparse
import importlib
import math
import random
import resource
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any

__all__ = ["Fuzz", "Hung", "Tally", "instrumented", "main", "surroundings", "take_commands"]

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "build" / "fuzz"
HANG_S = 20.0 if "--atheris" in sys.argv else 5.0  # of computing, between two commands; what tells its branches is slower
MOST_MEMORY = 3 << 30  # bytes in all
MOST_GROWTH = 500 << 10  # kB by one input
LONGEST = 2000  # characters
SMALL = 600  # characters of what is changed further: as much can be wrong with it, and more of it can be tried
PATIENT = 500  # one input in so many runs with the budgets that users have, and for more commands


class Hung(Exception):
    """A program took far longer than any should."""


@dataclass(frozen=True)
class Fuzz:
    """A language to be fuzzed.

    Attributes:
        name: For files and people. suffix: Of a file that is kept.
        package: Whose lines and branches lead the search.
        seeds: Programs to begin with.
        make: A new program. mutate: One that is like another.
        attempt: Runs a program and says how it ended, "run" or "refused"; raises what must not be. Patient or not.
        words: What libFuzzer puts into programs.
    """

    name: str
    suffix: str
    package: str
    seeds: Sequence[str]
    make: Callable[[random.Random], str]
    mutate: Callable[[str, random.Random], str]
    attempt: Callable[[str, bool], str]
    words: Sequence[str] = ()


def instrumented(package: str) -> AbstractContextManager[Any]:
    """Imports inside tell libFuzzer of their branches, where --atheris is asked for."""
    if "--atheris" not in sys.argv:
        return nullcontext()
    found: AbstractContextManager[Any] = importlib.import_module("atheris").instrument_imports(include=[package])
    return found


def surroundings() -> Any:
    """Those of the bundled cobot with a table and two taught points. Imported here, behind what is instrumented."""
    from armillary.cell import surroundings_of
    from armillary.model import load_model
    from armillary.programs import Point
    from armillary.spatial import transform_from_xyz_rpy

    model = load_model("cobot6")
    found = surroundings_of(model, start=model.zero())
    table = transform_from_xyz_rpy((0.4, 0.1, 0.2), (0.1, 0.2, 3.0))
    home = Point("home", found.q, (0.4, 0.1, 0.5), (3.1, 0.0, 0.2))
    held = Point("held", found.q, (0.3, 0.2, 0.4), (3.0, 0.1, 0.0), tool=found.tools[-1])
    return replace(found, frames={**found.frames, "table": table}, points={"home": home, "held": held})


def _hang(_signal: int, _frame: FrameType | None) -> None:
    raise Hung(f"more than {HANG_S:g} s of computing")


def _wind_up() -> None:
    """Begin to count the seconds again."""
    signal.setitimer(signal.ITIMER_VIRTUAL, HANG_S)


def _numbers(value: object) -> Iterable[float]:
    if isinstance(value, int | float):
        yield value
    elif isinstance(value, tuple):
        for inner in value:
            yield from _numbers(inner)


def take_commands(commands: Iterable[object], patient: bool) -> None:
    """Take the commands of a program, up to some thousands, and see that all their numbers are finite."""
    begin = time.process_time()
    for command in islice(commands, 3000 if patient else 200):
        _wind_up()
        if not all(math.isfinite(number) for value in vars(command).values() for number in _numbers(value)):
            raise AssertionError(f"a number that is not finite: {command}")
        if time.process_time() - begin > HANG_S:  # it goes on and on, but each command came in time
            break


@dataclass
class Tally:
    """What has been tried, and what came of it."""

    fuzz: Fuzz
    begin: float = field(default_factory=time.monotonic)
    verdicts: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0

    @property
    def count(self) -> int:
        return self.verdicts.total()

    def take(self, text: str) -> None:
        """Try a program. A failure is kept once for each place in the code that it comes from."""
        before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
        _wind_up()
        try:
            verdict = self.fuzz.attempt(text, self.count % PATIENT == 0)
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
            if grown > MOST_GROWTH:
                raise AssertionError(f"{grown >> 10} MB for one input")
        except (Exception, Hung) as error:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            verdict = "failed"
            self._keep(text, error)
        self.verdicts[verdict] += 1
        self.slowest = max(self.slowest, time.process_time() - start)

    def _keep(self, text: str, error: BaseException) -> None:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{type(error).__name__} at {Path(frame.filename).name}:{frame.lineno}"
        self.failures[place] += 1
        if self.failures[place] > 1:
            return
        kept = KEPT / f"{self.fuzz.name}_{len(self.failures)}_{int(time.time())}{self.fuzz.suffix}"
        kept.write_bytes(text.encode("utf-8", "surrogatepass"))
        print(f"{place}: {error}\n  kept in {kept}", flush=True)

    def __str__(self) -> str:
        ends = ", ".join(f"{number} {verdict}" for verdict, number in sorted(self.verdicts.items()))
        rate = self.count / max(time.monotonic() - self.begin, 1e-3)
        return f"{self.count} {self.fuzz.name} programs: {ends}; slowest {self.slowest:.2f} s, {rate:.0f} a second"


def _watched(tally: Tally, text: str, seen: set[tuple[str, int]]) -> bool:
    """Try a program, and say whether it reached lines of the language that none had reached before."""
    before, folder = len(seen), "/" + tally.fuzz.package.replace(".", "/") + "/"

    def trace(frame: FrameType, event: str, _argument: Any) -> Callable[..., Any] | None:
        if folder not in frame.f_code.co_filename:
            return None
        if event == "line":
            seen.add((frame.f_code.co_filename, frame.f_lineno))
        return trace

    sys.settrace(trace)
    try:
        tally.take(text)
    finally:
        sys.settrace(None)
    return len(seen) > before


def _by_lines(fuzz: Fuzz, tally: Tally, count: int, seed: int) -> None:
    """Without atheris; from what it has found before, where it has been run."""
    found = [path.read_bytes().decode("utf-8", "replace") for path in sorted((KEPT / f"{fuzz.name}_corpus").glob("*"))]
    small = [text for text in [*fuzz.seeds, *found] if len(text) < SMALL]
    rng, texts, seen = random.Random(seed), small, set[tuple[str, int]]()
    while tally.count < count:
        text = (fuzz.make(rng) if rng.random() < 0.3 else fuzz.mutate(rng.choice(texts), rng))[:LONGEST]
        if tally.count % 50 == 1:
            texts += [text] if _watched(tally, text, seen) and len(text) < SMALL else []
        else:
            tally.take(text)
        if tally.count % 20_000 == 0:
            print(f"{tally}; {len(seen)} lines reached", flush=True)


def _by_branches(fuzz: Fuzz, tally: Tally, count: int, seed: int) -> None:
    """With atheris. Ends the process."""
    atheris = importlib.import_module("atheris")
    corpus = KEPT / f"{fuzz.name}_corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for index, text in enumerate(fuzz.seeds):
        (corpus / f"seed_{index}").write_bytes(text[:LONGEST].encode("utf-8", "surrogatepass"))
    words = KEPT / f"{fuzz.name}_words"
    words.write_text("".join(f'"{word}"\n' for word in fuzz.words if word.isascii() and word.isalnum()))

    def change(data: bytes, most: int, number: int) -> bytes:
        rng = random.Random(number)
        kind, text = rng.random(), data.decode("utf-8", "replace")
        if kind < 0.25:
            changed: bytes = atheris.Mutate(data, most)
            return changed
        return (fuzz.make(rng) if kind < 0.4 else fuzz.mutate(text, rng)).encode("utf-8", "replace")[:most]

    def one(data: bytes) -> None:
        tally.take(data.decode("utf-8", "replace"))
        if tally.count % 20_000 == 0 or tally.count >= count:
            print(tally, flush=True)

    options = [f"-runs={count}", f"-seed={seed + 1}", f"-max_len={LONGEST}", f"-dict={words}", "-timeout=600", "-rss_limit_mb=0",
               "-print_final_stats=1", "-len_control=0", "-reload=0", "-verbosity=0"]  # fmt: skip
    atheris.Setup([sys.argv[0], *options, str(corpus)], one, custom_mutator=change)
    signal.signal(signal.SIGVTALRM, _hang)
    atheris.Fuzz()


def main(fuzz: Fuzz, description: str | None) -> int:
    """Fuzz a language as the command line says; 1 where something failed."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20_000, help="how many programs")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--atheris", action="store_true", help="be led by branches; needs atheris")
    options = parser.parse_args()
    KEPT.mkdir(parents=True, exist_ok=True)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    signal.signal(signal.SIGVTALRM, _hang)
    warnings.simplefilter("error")  # what NumPy warns of comes to nobody's mind on the way to a robot
    tally = Tally(fuzz)
    (_by_branches if options.atheris else _by_lines)(fuzz, tally, options.count, options.seed)
    print(tally)
    for place, number in tally.failures.most_common():
        print(f"{number} times {place}")
    return 1 if tally.failures else 0
