"""A place in a command's tokens, and what can be taken from there on: signs, words and names."""

from collections.abc import Iterable

from armillary.programs.script.errors import Fault, Place, nearest
from armillary.programs.script.tokens import Token
from armillary.programs.script.words import RESERVED

__all__ = ["Cursor"]


class Cursor:
    """Goes through the tokens of one command from left to right. What must be there and is not, is a Fault."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens, self.position = tokens, 0

    @property
    def next(self) -> Token:
        """The token that comes now; of kind "end" behind the last."""
        return self.tokens[self.position]

    def at_end(self) -> bool:
        return self.next.kind == "end"

    def is_sign(self, *signs: str) -> bool:
        return self.next.kind == "sign" and self.next.text in signs

    def is_word(self, *words: str) -> bool:
        return self.next.kind == "name" and self.next.text.upper() in words

    def take(self) -> Token:
        token = self.next
        if token.kind != "end":
            self.position += 1
        return token

    def fault(self, expected: str) -> Fault:
        """Something else stands here than what was expected."""
        found = "the command ends here" if self.at_end() else f"there is {self.next.text}"
        return Fault(found, f"expected {expected}", self.next.at)

    def sign(self, sign: str) -> Place:
        """Go past a sign that must come now."""
        if not self.is_sign(sign):
            raise self.fault(sign)
        return self.take().at

    def accept_sign(self, sign: str) -> bool:
        found = self.is_sign(sign)
        self.position += found
        return found

    def accept_word(self, word: str) -> bool:
        found = self.is_word(word)
        self.position += found
        return found

    def choice(self, words: Iterable[str]) -> str:
        """One of some words, in upper case."""
        known = list(words)
        if self.next.kind != "name" or self.next.text.upper() not in known:
            hint = nearest(self.next.text, known) if self.next.kind == "name" else ""
            raise self.fault(" or ".join(known) + (f"; {hint}" if hint.startswith("perhaps") else ""))
        return self.take().text.upper()

    def finish(self) -> None:
        """Nothing may come any more."""
        if self.at_end():
            return
        if self.is_sign("/") and self.tokens[self.position + 1].text == "/":
            raise Fault("// begins no comment", "write # before a comment", self.next.at)
        raise self.fault("the end of the command")

    def name(self, what: str) -> Token:
        """A name of the program's own."""
        if self.next.kind != "name":
            raise self.fault(f"the name of {what}")
        if self.next.text.upper() in RESERVED:
            raise Fault(f"{self.next.text} is a word of the language", f"expected another name for {what}", self.next.at)
        return self.take()

    def frame(self) -> str:
        """A frame's name, in braces or without."""
        if self.next.kind == "brace":
            return self.take().text[1:-1].strip()
        if self.next.kind != "name":
            raise self.fault("the name of a frame")
        return self.take().text
