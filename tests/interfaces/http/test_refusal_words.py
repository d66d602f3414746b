"""The Chinese of what the cell says hangs on its English: every row of the pendant's tables is a text that is in the source.

A text that is worded anew loses its Chinese; here that fails, and says which row of web/src/texts/spoken_*.ts to change with it.
"""

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from itertools import islice, product
from pathlib import Path

import pytest

import armillary
from armillary.interfaces.http.alarms import _REMEDIES, remedy_of

TABLES = Path(__file__).parents[3] / "web" / "src" / "texts"
SOURCE = Path(armillary.__file__).parent
ROW = re.compile(r'^  \[("(?:[^"\\]|\\.)*"), ("(?:[^"\\]|\\.)*")\],$')
GAP = re.compile(r"\{\w+\}")
HOLE = "\0"  # what is put in, in a template
MOST = 64  # ways to read one text with choices in it
pytestmark = pytest.mark.skipif(not TABLES.is_dir(), reason="the page's sources are not here")


def rows() -> list[tuple[str, str]]:
    """English and Chinese of every row of the tables."""
    found = []
    for path in sorted(TABLES.glob("spoken_*.ts")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("  ["):
                row = ROW.match(line)
                assert row, f"{path.name}: one row a line, as two texts in double quotes: {line}"
                found.append((json.loads(row[1]), json.loads(row[2])))
    return found


def readings(node: ast.expr) -> list[str]:
    """All that an expression can be as a text, with holes where something is put in: choices and sums are followed."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.JoinedStr(values=values):
            return ["".join(each) for each in islice(product(*map(readings, values)), MOST)]
        case ast.FormattedValue(value=ast.IfExp() as choice, conversion=-1):
            return readings(choice)
        case ast.IfExp(body=one, orelse=other):
            return [*readings(one), *readings(other)]
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return ["".join(each) for each in islice(product(readings(left), readings(right)), MOST)]
        case _:
            return [HOLE]


def plain(template: str) -> str:
    """Holes side by side are one, and signs at the ends are those of what it is put into."""
    return re.sub(f"{HOLE}+", HOLE, template).strip(" ;:")


def texts_in(tree: ast.Module) -> Iterator[str]:
    """Every text of a module, docstrings left out."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value.value = None
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant | ast.JoinedStr | ast.BinOp):
            yield from map(plain, readings(node))


@cache
def said() -> frozenset[str]:
    """What the source can say."""
    return frozenset(
        text for path in SOURCE.rglob("*.py") for text in texts_in(ast.parse(path.read_text(encoding="utf-8"))) if text != HOLE
    )


def test_every_row_is_a_text_of_the_source() -> None:
    lost = [english for english, _ in rows() if plain(GAP.sub(HOLE, english)) not in said()]
    assert lost == [], "these are said otherwise by now, or nowhere"


def test_both_languages_have_the_same_gaps_and_no_text_comes_twice() -> None:
    assert [english for english, chinese in rows() if sorted(GAP.findall(english)) != sorted(GAP.findall(chinese))] == []
    assert len({english for english, _ in rows()}) == len(rows()) > 200
    assert [chinese for _, chinese in rows() if not re.search("[\u4e00-\u9fff]", GAP.sub("", chinese))] == []


def test_every_advice_against_an_alarm_is_said_in_chinese() -> None:
    known = {english for english, _ in rows()}
    assert [text for text in (*_REMEDIES.values(), remedy_of("what nobody knows")) if text not in known] == []


@pytest.mark.parametrize(
    ("code", "template"),
    [
        ("raise Bad(f'there is no {name!r}; give another')", "there is no \0; give another"),
        ('raise Bad(f\'a G code{f"; perhaps {near}" if near else ""}\')', "a G code; perhaps \0"),
        ("raise Bad(f'it is {state}' + (f' ({why}): reset it' if why else '; power it on'))", "it is \0; power it on"),
        ("raise Bad('one line '\n 'and the next')", "one line and the next"),
        ("text = f'{a}{b} is over'", "\0 is over"),
    ],
)
def test_templates_are_read_as_they_are_said(code: str, template: str) -> None:
    assert template in set(texts_in(ast.parse(code)))


def test_a_text_that_is_worded_anew_is_missed_and_docstrings_say_nothing() -> None:
    assert "there is no user \0; look at who there is, and how the name is written" in said()
    assert "there is no person \0" not in said()
    assert set(texts_in(ast.parse('def f():\n    """no text"""\n'))) <= {HOLE}


# Every failure says what to do: words that tell somebody to do something, or what is taken.
ADVICE = re.compile(
    r"\b(add|ask|begin|bring|check|choose|copy|delete|download|end it|edited elsewhere|"
    r"expected|export|finish|give|hold|install|keep|leave|log in|look|make|"
    r"measure|move|must|open|perhaps|point|power|press|put|read|remove|rename|run it|save|set|start|stop|switch|take|touch|"
    r"try|type|use|wait|write|are the most|at most|at least|come from the pendant's own page|needs)\b"
    r"|\b(there (is|are)|is one of|begins with one of|values): ?\0|; there are\b"
)
WHO_DID_IT_KNOWS = ("it was stopped since; nothing is moved", "it was stopped; nothing more is moved")
TAKEN_CARE_OF = ("NoSuchName", "_Enough")  # the one lists what there is, the other is caught


def refusals(tree: ast.Module) -> Iterator[str]:
    """The texts of what a module refuses; several arguments are one text."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and isinstance(node.exc.func, ast.Name):
            if node.exc.func.id in TAKEN_CARE_OF:
                continue
            for said_so in islice(product(*map(readings, node.exc.args)), MOST):
                text = re.sub(f"{HOLE}+", HOLE, "; ".join(said_so))
                if re.search("[a-z]", text):
                    yield text


def says_what_to_do(text: str) -> bool:
    """A text that ends in another's reason leaves it to that one."""
    return bool(ADVICE.search(text)) or text.endswith((f": {HOLE}", f"; {HOLE}")) or text in WHO_DID_IT_KNOWS


def test_every_refusal_of_the_pendant_says_what_to_do() -> None:
    silent = [
        f"{path.name}: {text}"
        for path in sorted((SOURCE / "interfaces" / "http").rglob("*.py"))
        for text in refusals(ast.parse(path.read_text(encoding="utf-8")))
        if not says_what_to_do(text)
    ]
    assert silent == [], "say behind it what the reader is to do"


@pytest.mark.parametrize(
    "code",
    ["raise Bad('this name and this password do not go together')", "raise Bad(f'there is no user {name!r}')",
     "raise Bad(f'{name!r} is too large when unpacked')", "raise Bad(path, 'it is damaged')"],
)  # fmt: skip
def test_a_refusal_without_advice_is_found(code: str) -> None:
    assert [says_what_to_do(text) for text in refusals(ast.parse(code))] == [False]
