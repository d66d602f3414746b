"""Feeds G-code broken programs, the whole way to a robot's commands: each ends in commands or in one BadProgram.

    python tools/fuzz_gcode.py --count 100000 --seed 1 [--atheris]

Programs are made by a grammar, and from known ones by changing words, numbers and lines. What must not be is in
tools/program_fuzz.py; what fails is kept in build/fuzz/ for a test.
"""

import random
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tools.program_fuzz import Fuzz, instrumented, main, surroundings, take_commands

with instrumented("armillary.programs.gcode"):
    from armillary.programs.gcode import check
    from armillary.programs.gcode.language import GCODE, GcodeOnRobot
from armillary.programs import BadProgram
from tests.programs.gcode.made_programs import programs

NUMBERS = [
    "0", "1", "-1", ".5", "-.5", "2", "9", "1e3", "99999", "1.", "-", "", ".", "00012", "1..2", "9" * 40, "9" * 400, "0.00001",
    "-0",
]  # fmt: skip
CODES = [
    *(f"G{n}" for n in (*range(100), "10", "28.1", "30.1", "43.1", "43.2", "59.1", "59.2", "59.3", "61.1", "90.1", "91.1", "92.1",
                        "92.2", "92.3", "5.1", "38.2")),
    *(f"M{n}" for n in (*range(10), 19, 30, 48, 49, 50, 51, 52, 53, 60, 61, 62, 63, 64, 65, 66, 67, 68, 70, 71, 72, 73, 98, 99)),
]  # fmt: skip
OPERATORS = ["+", "-", "*", "/", "**", "MOD", "EQ", "NE", "GT", "GE", "LT", "LE", "AND", "OR", "XOR"]
FUNCTIONS = ["SIN", "COS", "TAN", "ASIN", "ACOS", "SQRT", "ABS", "LN", "EXP", "FIX", "FUP", "ROUND", "EXISTS", "SQTR"]
NASTY = [
    "\x00",
    "é",
    "\t",
    "\r",
    "%",
    ";",
    "(",
    ")",
    "[",
    "]",
    "#",
    "<",
    ">",
    "=",
    "/",
    "@",
    "^",
    "$",
    "o",
    "\u2028",
    "\ud800",
    "²",
    "１",
]
LETTERS = "XYZABCUVWIJKRPQLFSTHDEN@^$"


FITTING = [
    "G0 X_ Y_ Z_", "G1 X_ F100", "X_ Y_", "A_ B_ C_", "G2 X_ Y_ R_", "G3 I_ J_", "G2 X#5420 Y#5421 I5", "G91 G0 X_", "G90",
    "G20", "G21", "G17", "G18", "G19", "G10 L2 P1 X_ R_", "G10 L20 P2 Y_", "G10 L1 P1 Z_", "G92 X_", "G92.1", "G52 X_", "G54",
    "G55", "G59.3", "G28 Z_", "G28.1", "G30", "G43", "G43 H2", "G43.1 Z_", "G49", "G53 G0 X_", "G81 X_ Y_ Z-1 R2",
    "G83 X_ Z-3 R1 Q1", "G82 X_ Z-1 R_ P1", "G80", "G85 Z-1 R1 X_", "G86 X1 Z-1 R1 P1", "G98", "G99", "G93", "G94 F50", "G61",
    "G64 P0.1", "M3 S100", "M5", "T1 M6", "M7", "M9", "M62 P1", "M66 P0 L0", "M68 E0 Q_", "M70", "M72", "M73", "M50 P0",
    "G0 @_ ^_", "G4 P0.1", "F_", "S_", "M0", "G90.1", "G91.1", "N10 G0 X_",
]  # fmt: skip


def number(rng: random.Random) -> str:
    """Mostly one that is right."""
    return rng.choice(NUMBERS) if rng.random() < 0.04 else f"{rng.uniform(-9, 50):.{rng.randint(0, 4)}f}"


def value(rng: random.Random, depth: int = 0) -> str:
    """A number, a parameter or an expression."""
    kind = rng.random()
    if depth > 4 or kind < 0.5:
        return number(rng)
    if kind < 0.65:
        return rng.choice(
            [f"#{rng.choice([1, 2, 3, 30, 31, 5220, 5399, 5420, 5599, 0, 9999])}", "#<a>", "#<_b>", "#<_x>", "##1", "#[1+1]"]
        )
    if kind < 0.87:
        return f"{rng.choice(FUNCTIONS)}[{value(rng, depth + 1)}]"
    if kind < 0.89:
        return f"ATAN[{value(rng, depth + 1)}]/[{value(rng, depth + 1)}]"
    parts = [value(rng, depth + 1)]
    for _ in range(rng.randint(1, 3)):
        parts += [rng.choice(OPERATORS), value(rng, depth + 1)]
    return f"[{' '.join(parts)}]"


def line(rng: random.Random) -> str:
    """A line without an o-word."""
    kind = rng.random()
    if kind < 0.15:
        return f"{rng.choice(['#1', '#2', '#<a>', '#<_b>', '#5221', '#[#1+1]'])}={value(rng)}"
    if kind < 0.2:
        return rng.choice(
            ["(DEBUG,#1 #<a> %d #<_b>)", "(MSG,hello)", "(PRINT,#5420)", "(LOG,x)", "(LOGOPEN,x)", "; rest", "(open", "/G0 X1"]
        )
    if kind < 0.75:  # what is likely to be taken
        return re.sub("_", lambda _: value(rng), rng.choice(FITTING))
    words = rng.sample(CODES, rng.choice([0, 1, 1, 1, 2, 3]))
    words += [f"{letter}{value(rng)}" for letter in rng.sample(LETTERS, rng.randint(0, 5))]
    return " ".join(words)


def made(rng: random.Random, depth: int = 0) -> list[str]:
    """Lines, with o-words around some of them."""
    lines: list[str] = []
    for _ in range(rng.randint(1, 4)):
        kind, label = rng.random(), rng.choice(["1", "2", "3", "<f>", "#1", "[1+1]"])
        inner = made(rng, depth + 1) if depth < 3 and kind < 0.35 else []
        if kind < 0.06:
            lines += [f"o{label} sub", *inner, f"o{label} endsub [{value(rng)}]", f"o{label} call [{value(rng)}]"]
        elif kind < 0.12:
            lines += [f"o{label} while [{value(rng)}]", *inner, f"o{label} endwhile"]
        elif kind < 0.17:
            lines += [
                f"o{label} repeat [{rng.randint(-1, 4)}]",
                *inner,
                rng.choice([f"o{label} break", "", ""]),
                f"o{label} endrepeat",
            ]
        elif kind < 0.24:
            lines += [f"o{label} if [{value(rng)}]", *inner, f"o{label} else", line(rng), f"o{label} endif"]
        elif kind < 0.28:
            lines += [f"o{label} do", *inner, f"o{label} while [{value(rng)}]"]
        elif kind < 0.32:
            lines += [f"M98 P{rng.choice('123')} L{number(rng)}", "O1", *inner, "M99"]
        else:
            lines.append(line(rng))
    return lines


def mutate(text: str, rng: random.Random) -> str:
    """One to five changes to a program."""
    for _ in range(rng.choice([1, 1, 2, 4])):
        kind, lines = rng.randrange(8), text.split("\n")
        at = rng.randrange(len(lines))
        numbers = [found.span() for found in re.finditer(r"-?[0-9.]+", lines[at])]
        if kind == 0 and numbers:
            a, b = rng.choice(numbers)
            lines[at] = lines[at][:a] + value(rng) + lines[at][b:]
        elif kind == 1:
            lines[at] = line(rng)
        elif kind == 2:
            lines.insert(at, rng.choice(lines))
        elif kind == 3:
            del lines[at]
        elif kind == 4:
            place = rng.randrange(len(lines[at]) + 1)
            lines[at] = lines[at][:place] + rng.choice(NASTY) + lines[at][place:]
        elif kind == 5:
            lines[at] = f"{lines[at]} {rng.choice(CODES)}"
        elif kind == 6:
            lines[at:at] = made(rng, 2)
        else:
            place = rng.randrange(len(lines[at]) + 1)
            lines[at] = lines[at][:place] + lines[at][place + rng.randint(1, 3) :]
        text = "\n".join(lines) or "G0"
    return text


AROUND = surroundings()
OPTIONS: tuple[dict[str, object], ...] = (
    {},
    {"frame": "table", "spindle_speed": 1, "mist": 2, "flood": 3},
    {"axes": (("U", "joint_1"), ("C", "joint_6"))},
)


def attempt(text: str, patient: bool) -> str:
    """Check a program and run it on a robot."""
    for fault in check(text):
        assert str(fault).count("\n") == 2, f"badly said: {fault}"
    try:
        running = GCODE.run(text, AROUND, OPTIONS[len(text) % 3], start_line=3 if len(text) % 7 == 0 else 0)
        assert isinstance(running, GcodeOnRobot)
        if not patient:
            running.gcode.idle_budget = 3000
        take_commands(running, patient)
        assert running.shown().line <= text.count("\n") + 1
    except BadProgram as error:
        said = str(error)
    else:
        return "run"
    assert said.count("\n") in (0, 2), f"badly said: {said}"
    return "refused"


def make(rng: random.Random) -> str:
    """A new program."""
    return "F100 S100 M3\n" + "\n".join(made(rng))


FUZZ = Fuzz(
    "gcode", ".ngc", "armillary.programs.gcode", list(programs().values()), make, mutate, attempt,
    [*CODES, *OPERATORS, *FUNCTIONS, "while", "endwhile", "repeat", "endrepeat", "sub", "endsub", "call", "if", "endif"],
)  # fmt: skip

if __name__ == "__main__":
    sys.exit(main(FUZZ, __doc__))
