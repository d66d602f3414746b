"""Commands a second of the G-code interpreter, beside LinuxCNC's own in C++ (`rs274 -g`, its output to a file) in the same run.

Both produce the same canonical commands, which is checked by their number; ours are taken from the iterator. The time of rs274 is
that of the process less that of an empty program. Rounds alternate, the median counts. --full makes the files ten times as long.
"""

import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from support.harness import Row, finish, options

from armillary.programs.gcode import GcodeRun, check, interpret

RS274 = "/usr/bin/rs274"
ROUNDS = 7
PAPER = ((100, 10), (0, 10), (-100, 20), (-200, 30), (-100, 20), (100, 0), (200, 10), (200, 10))


def paper_loop(count: int) -> str:
    """The loop of paper 5: rounds of eight moves."""
    moves = "".join(f"G0 X{x} Y-450 Z{-180 if i == 6 else -280} A{a} B75 C-75\n" for i, (x, a) in enumerate(PAPER))
    return f"#1=0\no101 while [#1 LT {count}]\n{moves}#1=[#1+1]\no101 endwhile\nM2\n"


def arithmetic_loop(count: int) -> str:
    """A loop that computes each of its moves."""
    return (
        f"F100\n#1=0\no1 while [#1 LT {count}]\n#2=[#1*2.5+SIN[#1]]\n#3=[#2-[#1/3]]\n#4=[SQRT[ABS[#3]]+#2*#2]\n"
        "o2 if [#4 GT 100]\n#5=[#5+1]\no2 endif\nG1 X[#1*.1] Y[SIN[#1]*10] Z[#3/100+1]\n#1=[#1+1]\no1 endwhile\nM2\n"
    )


def flat_lines(count: int, seed: int) -> str:
    """Short moves, as a CAM program writes them."""
    rng = random.Random(seed)
    lines = (f"G1 X{rng.uniform(-99, 99):.3f} Y{rng.uniform(-99, 99):.3f} Z{rng.uniform(-9, 9):.3f}\n" for _ in range(count))
    return f"G21 G90 F1000\n{''.join(lines)}M2\n"


def arcs(count: int) -> str:
    """Arcs and moves by turns."""
    return "F900\n" + "G2 X10 Y0 I5 J0\nG1 X12.5 Y1 Z-.5\nG3 X0 Y0 I-6.25 J-.5\n" * (count // 3) + "M2\n"


def our_seconds(path: Path) -> tuple[float, int]:
    """The time to take all commands of a program, and their number."""
    begin, count = time.perf_counter(), 0
    for _ in interpret(path):
        count += 1
    return time.perf_counter() - begin, count


def their_seconds(path: Path, home: Path) -> tuple[float, int]:
    """The time of rs274 for a program, and the number of its calls."""
    command = [RS274, "-g", "-v", str(home / "rs274.var"), str(path)]
    with open(home / "calls", "w", encoding="utf-8") as out:
        begin = time.perf_counter()
        subprocess.run(
            command, env={"HOME": str(home), "PATH": "/usr/bin:/bin"}, stdout=out, stderr=subprocess.DEVNULL, check=False
        )
        seconds = time.perf_counter() - begin
    lines = (home / "calls").read_text().splitlines()
    return seconds, sum("ON_RESET" not in line and line.strip() not in ("", "executing") for line in lines)


def rate(case: str, path: Path, home: Path, target: float | None) -> Row:
    """Our commands a second beside theirs."""
    (home / "empty.ngc").write_text("M2\n")
    mine, theirs = [], []
    for _ in range(ROUNDS):
        seconds, count = our_seconds(path)
        mine.append(seconds)
        other, calls = their_seconds(path, home)
        theirs.append(max(1e-9, other - their_seconds(home / "empty.ngc", home)[0]))
        if count != calls:
            sys.exit(f"{case}: {count} commands of ours, {calls} of rs274: they do not do the same")
    return Row(case, "commands/s", count / statistics.median(mine), count / statistics.median(theirs), "rs274", target, False)


def of_one_long_file(path: Path) -> list[Row]:
    """A million lines: how soon the first command comes, and how much memory the rest takes."""
    begin = time.perf_counter()
    stream = iter(GcodeRun(path))
    for _ in range(9):  # up to the first move
        next(stream)
    first = time.perf_counter() - begin
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in stream:
        pass
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    return [
        Row("a million lines", "s to the first move", first, None, "", 0.3),
        Row("a million lines", "MB more at the end", grown, None, "", 5.0),
    ]


def main() -> None:
    opts = options(__doc__ or "")
    if not os.access(RS274, os.X_OK):
        sys.exit("rs274 is not there; run: make peers")
    times = 10 if opts.full else 1
    with tempfile.TemporaryDirectory(prefix="gcode-") as place:
        home = Path(place)
        programs = {
            "paper 5: 1000 rounds of 8 moves": (paper_loop(1000 * times), 3.0),
            "20 000 rounds of arithmetic": (arithmetic_loop(20_000 * times), 3.0),
            "200 000 flat moves": (flat_lines(200_000 * times, opts.seed), 1.0),
            "30 000 arcs and moves": (arcs(30_000 * times), None),
        }
        rows = []
        for name, (text, target) in programs.items():
            path = home / "program.ngc"
            path.write_text(text)
            rows.append(rate(name, path, home, target))
        path.write_text(flat_lines(1_000_000, opts.seed))
        rows += of_one_long_file(path)
        path.write_text(flat_lines(200_000, opts.seed))
        begin = time.perf_counter()
        assert not check(path)
        rows.append(Row("check of 200 000 lines", "s", time.perf_counter() - begin, None, "", 1.0))
    finish("gcode", opts.seed, rows, opts.json)


if __name__ == "__main__":
    main()
