"""How inner loops are compiled: by numba, without the GIL, and kept on disk so that only the first run on a machine compiles."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numba
from numba import njit
from numba.core import event

from armillary.compiling import tell_compiling
from armillary.model.cache import cache_folder

__all__ = ["compiled", "is_compiled"]

R = TypeVar("R")
# All of fastmath but ninf: limits may be infinite.
_FAST = {"nnan", "nsz", "arcp", "contract", "afn", "reassoc"}


def _keep_by_content() -> None:
    """Keep compiled code in a folder named by the content of every file that is compiled.

    numba looks only at the file that a function stands in. A function that calls one of another file holds that one's code too,
    and would go on with the old one when it changes.
    """
    if os.environ.get("NUMBA_CACHE_DIR"):
        return
    package = Path(__file__).resolve().parents[1]
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted([*package.rglob("*kernels.py"), Path(__file__)]):
        digest.update(source.read_bytes())
    for parent in (package / "__pycache__", cache_folder()):
        folder = parent / f"compiled-{digest.hexdigest()[:16]}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            numba.config.CACHE_DIR = str(folder)
            return


class _Listener(event.Listener):  # type: ignore[misc]
    """Hears of what numba compiles: of functions of ours, not of its own inside them, nor of what it finds on the disk."""

    def on_start(self, event: event.Event) -> None:
        _tell(event, True)

    def on_end(self, event: event.Event) -> None:
        _tell(event, False)


def _tell(event: event.Event, begins: bool) -> None:
    function = event.data["dispatcher"].py_func
    if not function.__module__.startswith("numba."):
        tell_compiling(function.__name__, begins)


_keep_by_content()
event.register("numba:compile", _Listener())


def compiled(*, fast: bool = False) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Compile a function of numbers and arrays when it is first called.

    Args:
        fast: Take NaN as impossible and sums as free to reorder. Never for a function that has to tell NaN.
    """

    def wrap(function: Callable[..., R]) -> Callable[..., R]:
        options = {"nogil": True, "error_model": "numpy", "fastmath": _FAST if fast else False}
        try:
            return njit(cache=True, **options)(function)
        except RuntimeError:  # nowhere to keep it: neither beside the source nor in the user's cache
            return njit(**options)(function)

    return wrap


def is_compiled(function: Callable[..., object]) -> bool:
    """Whether a function of `compiled` has been compiled on this machine before, so that its first call is short."""
    folder = Path(function.stats.cache_path or "")  # type: ignore[attr-defined]
    return any(folder.glob(f"{function.__module__.rpartition('.')[2]}.{function.__name__}-*.nbi"))
