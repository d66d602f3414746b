"""The lines of a program, cut out of its text when they are asked for, so that a million of them cost no time at the start."""

from array import array

import numpy as np

__all__ = ["Lines"]


class Lines:
    """The lines of a text. Only a newline ends a line, as in LinuxCNC; they are counted from 0.

    Attributes:
        starts: Where each begins in the text; behind the last, where one more would.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        ends = np.flatnonzero(self._codes() == ord("\n"))
        if text and not text.endswith("\n"):
            ends = np.append(ends, len(text))
        self.starts = array("q", np.concatenate(([0], ends + 1)).astype(np.int64).tobytes())

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, index: int) -> str:
        """One line, without its newline."""
        return self.text[self.starts[index] : self.starts[index + 1] - 1]

    def between(self, first: int, last: int) -> str:
        """The text of the lines from one up to, and without, another."""
        return self.text[self.starts[first] : self.starts[last] - 1]

    def holding(self, characters: str) -> list[int]:
        """The lines that hold one of some characters, in order."""
        if not any(character in self.text for character in characters):
            return []
        codes = self._codes()
        places = np.flatnonzero(np.logical_or.reduce([codes == ord(character) for character in characters]))
        starts = np.frombuffer(self.starts, dtype=np.int64)
        found: list[int] = np.unique(np.searchsorted(starts, places, side="right") - 1).tolist()
        return found

    def _codes(self) -> np.ndarray:
        """The number of each character."""
        if self.text.isascii():
            return np.frombuffer(self.text.encode("ascii"), dtype=np.uint8)
        return np.frombuffer(self.text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
