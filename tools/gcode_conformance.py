"""How far our G-code interpreter agrees with LinuxCNC's own, `rs274 -g`, on LinuxCNC's cases, on real programs and on ours.

    python tools/gcode_conformance.py [--data DIR] [--json] [--only TEXT]

Compared are the canonical calls (motion, offsets, modes, messages) and whether, and at which line, a program ends in an error. A
difference that docs/conformance.md does not explain by the program's name in backquotes fails the run.
"""

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.programs.gcode.comparison import Case, Outcome, compare, ours, theirs
from tests.programs.gcode.made_programs import TOOL_TABLE, programs
from tests.programs.gcode.rs274 import RS274

ROOT = Path(__file__).resolve().parents[1]
EXPLANATIONS = ROOT / "docs" / "conformance.md"


def interpreter_cases(data: Path) -> Iterator[Case]:
    """LinuxCNC's own tests, each in all its ways."""
    offsets = "".join(f"{number}\t{2.0 if number == 5210 else 1.0}\n" for number in range(5210, 5220))
    for program in sorted((data / "linuxcnc-interp").rglob("*.ngc")):
        name = f"{program.parent.name}/{program.name}"
        table = program.parent / "test.tbl"
        tools = table.read_text() if table.exists() else ""
        if "g92-offset-persistence" in name:
            for kept in (True, False):
                ini = program.parent / ("persistent_g92_offset_true.ini" if kept else "persistent_g92_offset_false.ini")
                yield Case(f"{name} kept={kept}", program, parameters=offsets, ini=ini, keep_g92=kept)
        elif "disable-fanuc-subs" in name:
            for on in (True, False):
                ini = program.parent / ("test-fanuc.ini" if on else "test-no-fanuc.ini")
                yield Case(f"{name} fanuc={on}", program, ini=ini, plain_subroutines=on)
        else:
            inis = sorted(program.parent.glob("*.ini"))
            yield Case(name, program, tools, ini=inis[0] if len(inis) == 1 else None, tool=1 if tools else 0)


def real_programs(data: Path) -> Iterator[Case]:
    """Programs for mills and routers, from other projects."""
    folder = data / "gcode"
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".gcode", ".nc", ".ngc", ".tap"):
            yield Case(str(path.relative_to(folder)), path, "".join(f"T{n} P{n}\n" for n in range(1, 100)))


def own_programs(folder: Path) -> Iterator[Case]:
    """Ours, written into a folder."""
    for number, (name, text) in enumerate(programs().items()):
        path = folder / f"program{number}.ngc"
        path.write_text(text, encoding="utf-8")
        yield Case(name, path, TOOL_TABLE)


def outcomes(cases: list[Case], folder: Path) -> list[Outcome]:
    """Every case through both."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        all_told = list(pool.map(theirs, cases))
    return [compare(case.name, *ours(case, folder), told) for case, told in zip(cases, all_told, strict=True)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only", default="", help="cases whose name holds this")
    options = parser.parse_args()
    if RS274 is None:
        print("G-code conformance: rs274 is not there; run: make peers")
        return 0
    explained = EXPLANATIONS.read_text(encoding="utf-8") if EXPLANATIONS.exists() else ""
    unexplained: list[str] = []
    counts: dict[str, Counter[str]] = {}
    with tempfile.TemporaryDirectory(prefix="gcode-") as place:
        folder = Path(place)
        families = {
            "LinuxCNC's interpreter tests": list(interpreter_cases(options.data)),
            "programs of other projects": list(real_programs(options.data)),
            "our own programs": list(own_programs(folder)),
        }
        for title, cases in families.items():
            found = outcomes([case for case in cases if options.only in case.name], folder)
            counts[title] = Counter(outcome.verdict for outcome in found)
            if not options.json:
                print(f"{title}: {len(found)}: " + ", ".join(f"{n} {verdict}" for verdict, n in counts[title].most_common()))
            for outcome in found:
                if outcome.verdict in ("different", "in error at another line"):
                    known = f"`{outcome.name}`" in explained
                    unexplained += [] if known else [outcome.name]
                    if not options.json:
                        print(f"  {outcome.name}{' (explained)' if known else ''}\n    {outcome.detail[:400]}")
    if options.json:
        print(json.dumps({"counts": {title: dict(counter) for title, counter in counts.items()}, "unexplained": unexplained}))
    elif unexplained:
        print(f"not explained in docs/conformance.md: {', '.join(unexplained)}")
    else:
        print("every difference is explained in docs/conformance.md")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
