"""Outputs that wait for the next move, which sets them as it begins."""

from dataclasses import replace
from typing import TypeVar

from armillary.programs.commands import Move

__all__ = ["MotionOutputs", "last_of_each", "setting_before"]

MotionOutputs = tuple[tuple[int, bool | float], ...]
_Moves = TypeVar("_Moves", bound=Move)


def last_of_each(*given: MotionOutputs) -> MotionOutputs:
    """Of outputs that are to be set together, in the order in which they were given, the last value of each."""
    found: dict[tuple[bool, int], bool | float] = {}
    for outputs in given:
        for index, value in outputs:
            found[isinstance(value, bool), index] = value  # a digital and an analogue one of the same index are two
    return tuple((index, value) for (_, index), value in found.items())


def setting_before(move: _Moves, outputs: MotionOutputs) -> _Moves:
    """A move that sets outputs which were waiting for it; where it sets one of them itself, that holds."""
    return replace(move, outputs=last_of_each(outputs, move.outputs)) if outputs else move
