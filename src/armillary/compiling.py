"""Who wants to know that code is being compiled: the first use on a machine takes long by it, and nobody should wonder why."""

from collections.abc import Callable

__all__ = ["on_compiling", "tell_compiling"]

_TOLD: list[Callable[[str, bool], None]] = []


def on_compiling(told: Callable[[str, bool], None]) -> None:
    """Have somebody told of each function that is compiled from now on in this process, in the thread that does it.

    Args:
        told: Called with the function's name and True when it begins, False when it ends. Functions that it calls may be
            compiled in between.
    """
    _TOLD.append(told)


def tell_compiling(name: str, begins: bool) -> None:
    """Tell who wants to know that a function is now being compiled, or has been."""
    for told in _TOLD:
        told(name, begins)
