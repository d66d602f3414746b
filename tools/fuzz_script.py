"""Feeds robot commands (.arm) broken programs: each ends in commands or in one BadScript, and what parses prints as the same.

    python tools/fuzz_script.py --count 100000 --seed 1 [--atheris]

Programs are made by a grammar, and from known ones by changing words, numbers and lines. What must not be is in
tools/program_fuzz.py; what fails is kept in build/fuzz/ for a test.
"""

import random
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tools.program_fuzz import ROOT, Fuzz, instrumented, main, surroundings, take_commands

with instrumented("armillary.programs.script"):
    from armillary.programs.script import BadScript, ScriptRun, check, format_script, parse
    from armillary.programs.script.language import RunningScript
    from armillary.programs.script.words import KEYWORDS, RESERVED

NUMBERS = ["0", "1", "-1", ".5", "2", "9", "1e3", "1e-9", "1e308", "1e400", "-", "", ".", "00012", "1..2", "9" * 30, "9" * 400,
           "-0", "0x1", "1_0", "5e", "nan", "inf"]  # fmt: skip
NAMES = ["x", "y", "count", "P1", "P2", "home", "held", "nothing", "höhe", "e5", "m", "J1"]
FRAMES = ["TCP", "B", "BASE", "table", "base", "tool", "tool0", "link_6", "pedestal", "nothing", "", "a b", "IF"]
OPERATORS = ["+", "-", "*", "/", "%", "^", "==", "!=", "<", "<=", ">", ">=", "AND", "OR"]
FUNCTIONS = ["sin", "cos", "tan", "asin", "acos", "sqrt", "abs", "round", "floor", "ceil", "INPUT", "ANALOG"]
PARTS = ["x", "y", "z", "roll", "pitch", "yaw", "j1", "j6", "j7", "w"]
NASTY = ["\x00", "é", "\t", "\r", "%", ";", "(", ")", "[", "]", "{", "}", "#", "<", ">", "=", "/", "//", "^", "$", '"', "\\", ".",
         ",", "\u2028", "\x0c", "\x85", "²", "１", "ı", "ſ", "ß", "\ufeff", "\u00a0"]  # fmt: skip
# _ is a value, @ a variable, & a pose, ~ a base frame, ` a tool, | units; ? what may follow a motion of the tool, ! by joints.
FITTING = [
    "MOVEJ _ _ _ _ _ _!", "MOVEJ J1!", "MOVEJ &!", "MOVEJ_RPY _ _ _ _ _ _!", "MOVEL _ _ _ _ _ _?", "MOVEL {`} _ _ _ _ _ _?",
    "MOVEL &?", "DMOVE _ _ _ _ _ _?", "DMOVE _ _ _ _ _ _ {TCP}", "DMOVEJ _ _ _ _ _ _!", "MOVEC _ _ _; _ _ _ _ _ _?",
    "MOVEC &; &?", "MOVEJ_SPLINE J1; _ _ _ _ _ _", "MOVEL_SPLINE &; _ _ _ _ _ _;\n  _ _ _ _ _ _", "MOVEL_LSPB _ _ _ _ _ _",
    "MOVEJ_TOPT &", "MOVEJ_QUINTIC & [_ s]", "P7 MOVEL_JERK & [_](mm,deg,s)", "POINT P1 = _ _ _ _ _ _ | {~}",
    "POINT P1 = _ _ _ _ _ _",
    "JOINTS J1 = _ _ _ _ _ _ |", "@ = _", "@ = _", "x = x + 1", "DWELL _", "DWELL _ (ms)", "OUTPUT 3 ON", "OUTPUT 2 OFF",
    "OUTPUT 1 _", "WAIT 1 HIGH", "WAIT 2 RISE [_ s]", "WAIT 3 ABOVE _ [_] OPTIONAL", "TOOL `", "TOOL {`}", "FRAME ~", "FRAME {~}",
    "SPEED _ %", "SPEED _ mm/s", "SPEED _ % _ m/min", "UNITS |", "PAUSE", "PAUSE OPTIONAL", 'MESSAGE "a \\n \\" b" _',
    "MESSAGE _", "STOP", "RETURN", "CALL f(_, _)", "CALL g", "# said", "", "  # in",
]  # fmt: skip
BLOCKS = [
    "IF _",
    "ELSE",
    "ELSEIF _",
    "END",
    "WHILE _",
    "FOR @ = _ TO _",
    "SUB @(@)",
    "LABEL @",
    "GOTO @",
    "CALL @(_)",
    "MOVEC &; @?!",
]
MANNERS = {
    "?": ["", "", " [_]", " [_ s]", " [_ mm/s]", " (m,rad)", " BLEND _", " TOLERANCE _", " [_ mm/s] (in) BLEND _"],
    "!": ["", "", " [_]", " [_ s]", " [_ %]", " (m,rad)", " BLEND _"],
}
RIGHT = {
    "@": ["x", "y", "count"], "&": ["P1", "home", "held"], "~": ["B", "BASE", "table", "base", "pedestal"],
    "`": ["TCP", "tool", "tool0", "link_6"], "|": ["(mm)", "(mm,deg)", "(m,rad)", "(in)", "(rad)", "(cm)"],
}  # fmt: skip
UNIT_LISTS = ["(mm)", "(mm,deg)", "(m,rad)", "(in)", "(rad,s)", "(ms)", "(min,cm)", "(mm,m)", "(grad)", "()"]


def number(rng: random.Random) -> str:
    """Mostly one that is right."""
    return rng.choice(NUMBERS) if rng.random() < 0.01 else f"{rng.uniform(-2, 99):.{rng.choice([0, 0, 1, 3])}f}"


def expression(rng: random.Random, depth: int) -> str:
    """Values and what joins them; one comparison, as a comparison of comparisons is not taken."""
    parts = [value(rng, depth)]
    for _ in range(rng.choice([0, 1, 1, 2, 3])):
        parts += [rng.choice(OPERATORS if rng.random() < 0.02 else OPERATORS[:6]), value(rng, depth)]
    if rng.random() < 0.2:
        parts += [rng.choice(OPERATORS[6:]), value(rng, depth)]
    return rng.choice(["", "", "", "NOT ", "-", "+"]) + " ".join(parts)


def value(rng: random.Random, depth: int = 0) -> str:
    """A number, a name, a part of a point, a function or an expression."""
    kind = rng.random()
    if depth > 4 or kind < 0.7:
        return number(rng)
    if kind < 0.8:
        return rng.choice(["", "-"]) + rng.choice(NAMES if rng.random() < 0.03 else ["x", "y"])
    if kind < 0.84:
        return rng.choice([f"{rng.choice(NAMES)}.{rng.choice(PARTS)}", "P1.x", "home.z", "held.yaw", "J1.j2", "home.j6"])
    if kind < 0.92:
        return f"({expression(rng, depth + 1)})"
    if kind < 0.96:
        return f"{rng.choice(FUNCTIONS)}({expression(rng, depth + 1)})"
    one, two = expression(rng, depth + 2), expression(rng, depth + 2)
    return rng.choice(["CAME()", f"max({one}, {two})", f"min({one})", f"atan2({one}, {two})", f"max({one}, {two}, 3)"])


def named(kind: str, rng: random.Random) -> str:
    """What stands for a mark of a line; mostly one that is right."""
    if kind == "_":
        return value(rng)
    wrong = {"@": NAMES, "&": NAMES, "~": FRAMES, "`": FRAMES, "|": UNIT_LISTS}
    return rng.choice(wrong[kind] if rng.random() < 0.03 else RIGHT[kind])


def line(rng: random.Random) -> str:
    """A line that is likely to be taken."""
    text = rng.choice(BLOCKS if rng.random() < 0.004 else FITTING)
    text = re.sub(r"[?!]", lambda found: rng.choice(MANNERS[found[0]]), text)
    text = re.sub(r"_(?![A-Z])|[@&~`|]", lambda found: named(found[0], rng), text)
    return text.lower() if rng.random() < 0.01 else text


def body(rng: random.Random, depth: int = 0) -> list[str]:
    """Lines, with blocks around some of them."""
    lines: list[str] = []
    for _ in range(rng.randint(1, 4)):
        kind = rng.random()
        inner = [f"  {text}" for text in body(rng, depth + 1)] if depth < 3 and kind < 0.3 else []
        if kind < 0.1:
            bounds = rng.choice(["1 TO 3", "10 TO 0 STEP -2.5", f"{value(rng)} TO {value(rng)}", f"1 TO 2 STEP {value(rng)}"])
            lines += [f"FOR {rng.choice(['i', 'x', 'y'])} = {bounds}", *inner, "END"]
        elif kind < 0.2:
            lines += [f"IF {expression(rng, 0)}", *inner, rng.choice(["", "ELSE", f"ELSEIF {value(rng)}"]), line(rng), "END"]
        elif kind < 0.26:
            lines += [f"WHILE {rng.choice(['x < 3', expression(rng, 0)])}", *inner, "x = x + 1", "END"]
        elif kind < 0.3:
            top = f"top{rng.randrange(10_000)}"
            lines += [f"LABEL {top}", *inner, f"IF {expression(rng, 0)}", f"  GOTO {top}", "END"]
        else:
            lines.append(line(rng))
    return lines


def make(rng: random.Random) -> str:
    """A new program, with the subroutines that are called in it."""
    subroutines = ["SUB f(x, n)", line(rng), "END", "SUB g", *body(rng, 3), "END"]
    known = ["x = 1", "y = 2.5", "POINT P1 = 400 0 300 180 0 0", "JOINTS J1 = 0 10 20 30 40 50"]
    return "\n".join([*known, *body(rng), *(subroutines if rng.random() < 0.97 else [])])


def mutate(text: str, rng: random.Random) -> str:
    """One to four changes to a program."""
    for _ in range(rng.choice([1, 1, 2, 4])):
        kind, lines = rng.randrange(9), text.split("\n")
        at = rng.randrange(len(lines))
        pieces = [found.span() for found in re.finditer(r"-?[0-9][0-9.]*|\w+", lines[at])]
        place = rng.randrange(len(lines[at]) + 1)
        if kind <= 1 and pieces:
            a, b = rng.choice(pieces)
            new = rng.choice([value(rng), value(rng), rng.choice(NAMES), rng.choice(WORDS)])
            lines[at] = lines[at][:a] + new + lines[at][b:]
        elif kind == 2:
            lines[at] = line(rng)
        elif kind == 3:
            lines.insert(at, rng.choice(lines))
        elif kind == 4:
            del lines[at]
        elif kind == 5:
            lines[at] = lines[at][:place] + rng.choice(NASTY) + lines[at][place:]
        elif kind == 6:
            lines[at:at] = body(rng, 2)
        elif kind == 7:
            lines[at] = lines[at][:place] + "\n" + lines[at][place:]
        else:
            lines[at] = lines[at][:place] + lines[at][place + rng.randint(1, 3) :]
        text = "\n".join(lines) or "STOP"
    return text


def seeds() -> list[str]:
    """Programs of the documentation and the examples, and each kind of line by itself."""
    page = (ROOT / "docs" / "robot-commands.md").read_text()
    examples = [path.read_text() for path in sorted((ROOT / "examples").rglob("*.arm"))]
    return [*re.findall(r"```robot\n(.*?)```", page, re.S), *examples, *(line(random.Random(seed)) for seed in range(300))]


AROUND = surroundings()
WORDS = sorted(KEYWORDS | RESERVED)


def attempt(text: str, patient: bool) -> str:
    """Check a program, run it on a robot, and print it."""
    try:
        script = parse(text, "f.arm")
        printed = format_script(script)
        again = parse(printed)
        assert again == script, f"printed as another: {printed!r}"
        assert format_script(again) == printed, f"printed in two ways: {printed!r}"
        check(script, AROUND)
        start_line = 3 if len(text) % 7 == 0 and len(script.lines) > 2 else 0
        run = ScriptRun(script, AROUND, start_line=start_line) if patient else ScriptRun(
            script, AROUND, start_line=start_line, budget=3000
        )  # fmt: skip
        take_commands(run, patient)
        assert RunningScript(run).shown().line <= len(script.lines)
    except BadScript as error:
        refused = error
    else:
        return "run"
    assert refused.file == "f.arm", f"what was printed is refused: {refused}"
    assert all(1 <= problem.line <= text.count("\n") + text.count("\r") + 1 for problem in refused.problems)
    return "refused"


FUZZ = Fuzz("script", ".arm", "armillary.programs.script", seeds(), make, mutate, attempt, WORDS)

if __name__ == "__main__":
    sys.exit(main(FUZZ, __doc__))
