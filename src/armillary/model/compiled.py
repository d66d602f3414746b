"""How inner loops are compiled: by numba, without the GIL, and kept on disk so that only the first run on a machine compiles."""

from collections.abc import Callable
from typing import TypeVar

from numba import njit

__all__ = ["compiled"]

R = TypeVar("R")
# All of fastmath but ninf: limits may be infinite.
_FAST = {"nnan", "nsz", "arcp", "contract", "afn", "reassoc"}


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
