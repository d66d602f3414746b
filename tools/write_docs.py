"""Writes the pages that follow from the code: docs/problems.md. A test compares them with what the code says."""

from pathlib import Path

from armillary.description.kinds import KINDS

ROOT = Path(__file__).resolve().parents[1]
HEAD = """# Problems

Everything `armillary check` can say of a robot's file, from one table in the code
(`armillary/description/kinds.py`; this page is written from it by `python tools/write_docs.py`).

An *error* keeps the robot from being used; a *warning* lets it be used, and something will not be as the file's
author thinks; a *note* is worth knowing. Where a repair is unambiguous (swapped limits, an axis that has not
length 1, a mimic of a mimic, ...) the robot is read as if repaired, and the check says so.
`armillary check FILE --fix OUT` writes these repairs, and those that are a matter of judgement (an impossible
inertia, a mesh in millimetres), into a copy.

| kind | severity | what it means for control | what to do |
|---|---|---|---|
"""


def main() -> None:
    rows = [
        f"| `{kind.name}` | {kind.severity.value} | {kind.meaning} | {kind.remedy.replace('|', '/')} |" for kind in KINDS.values()
    ]
    (ROOT / "docs" / "problems.md").write_text(HEAD + "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
