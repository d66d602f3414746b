"""The repository itself: exported names, pages that say what the code says, links that lead somewhere."""

import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = [".".join(path.parent.relative_to(ROOT / "src").parts) for path in sorted((ROOT / "src").rglob("__init__.py"))]
MODULES = [
    ".".join(path.with_suffix("").relative_to(ROOT / "src").parts)
    for path in sorted((ROOT / "src").rglob("*.py"))
    if path.name not in ("__init__.py", "xacro_worker.py")
]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("name", [*PACKAGES, *MODULES])
def test_every_exported_name_exists_and_the_list_is_sorted(name: str) -> None:
    module: ModuleType = importlib.import_module(name)
    exported = getattr(module, "__all__", [])
    # Constants, then classes, then functions, each by name: as ruff sorts it.
    kinds = [(not item.isupper(), item[0].islower(), item) for item in exported if not item.startswith("__")]
    assert kinds == sorted(kinds)
    assert all(hasattr(module, item) for item in exported)
    assert len(set(exported)) == len(exported)


def test_the_page_of_problems_says_what_the_code_says() -> None:
    from armillary.description.kinds import KINDS

    page = (ROOT / "docs" / "problems.md").read_text()
    rows = {match.group(1): match.group(0) for match in re.finditer(r"^\| `([\w-]+)` \|.*$", page, re.M)}
    expected = {
        kind.name: f"| `{kind.name}` | {kind.severity.value} | {kind.meaning} | {kind.remedy.replace('|', '/')} |"
        for kind in KINDS.values()
    }
    assert rows == expected, "write it again: python tools/write_docs.py"


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_package_has_its_page() -> None:
    for package in sorted(path.name for path in (ROOT / "src" / "armillary").iterdir() if (path / "__init__.py").exists()):
        assert (ROOT / "docs" / f"{package}.md").exists(), package


def test_commands_named_in_the_pages_exist() -> None:
    from armillary.interfaces.cli.main import parser

    top = parser()
    known: set[str] = set()
    for action in top._actions:
        if isinstance(action.choices, dict):
            known |= set(action.choices)
    for page in PAGES:
        for command in re.findall(r"^\s*(?:\$ )?armillary ([a-z][a-z0-9]*)", page.read_text(), re.M):
            assert command in known, f"{page.name}: armillary {command}"


def test_no_page_or_source_names_an_absolute_path_of_a_machine() -> None:
    for path in [*PAGES, *(ROOT / "src").rglob("*.py"), ROOT / "Makefile", ROOT / "pyproject.toml"]:
        text = path.read_text()
        assert "/work/" not in text and "/root/" not in text, path


def test_keys_of_cell_toml_are_all_explained() -> None:
    """Every key that the reader asks for stands in docs/cell.md."""
    source = (ROOT / "src" / "armillary" / "description" / "cell.py").read_text()
    keys = set(
        re.findall(
            r"\.(?:string|number|numbers|vector|matrix|strings|choice|boolean|table_at|tables|named|take)\(\s*\"(\w+)\"",
            source,
        )
    )
    page = (ROOT / "docs" / "cell.md").read_text()
    missing = {key for key in keys if not re.search(rf"\b{key}(_deg|_mm)?\b", page)}
    assert not missing
