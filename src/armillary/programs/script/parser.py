"""Lines to statements: blocks are closed, jumps lead somewhere, and all that is wrong is found at once."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from armillary.programs.script.errors import Fault, Place
from armillary.programs.script.expressions import Value
from armillary.programs.script.jumps import jump_faults
from armillary.programs.script.motion_reader import plain_motion, read_motion
from armillary.programs.script.reader import Reader
from armillary.programs.script.statement_reader import read_assignment, read_statement, unknown_statement
from armillary.programs.script.statements import Branch, Comment, For, If, Statement, Sub, While
from armillary.programs.script.tokens import CommandText, Token, command_texts, tokenise
from armillary.programs.script.words import KEYWORDS, motion_word

__all__ = ["read_flat", "read_statements"]

_OPENING = frozenset(("FOR", "IF", "SUB", "WHILE"))
_INNER = frozenset(("ELSE", "ELSEIF", "END"))
_DEEPEST = 50  # blocks inside blocks; keeps all that walks them clear of Python's own limit


def read_flat(lines: list[str], first: int) -> Iterator[Statement]:
    """The statements of a text without blocks, from a line (counted from 0) on, one at a time.

    Raises:
        Fault: The next one cannot be read.
    """
    parser = _Parser()
    for command in command_texts(lines, first):
        yield from parser.statements_of(command)


def read_statements(lines: list[str]) -> tuple[tuple[Statement, ...], list[Fault]]:
    """All statements of a text, and all that is wrong with it."""
    parser = _Parser()
    faults: list[Fault] = []
    for command in command_texts(lines):
        try:
            for statement in parser.statements_of(command):
                parser.add(statement)
        except Fault as fault:
            faults.append(fault)
    faults += [Fault(f"{block.word} is not closed", "expected END behind its last line", block.at) for block in parser.open]
    statements = _without_blank_end(parser.body)
    return statements, faults or list(jump_faults(statements))


@dataclass
class _Block:
    """A block that is open. statement: what it will be, without its body; None where its first line cannot be read."""

    word: str
    at: Place
    statement: Statement | None
    body: list[Statement] = field(default_factory=list)
    branches: list[Branch] = field(default_factory=list)  # those that are complete
    branch: Branch | None = None  # of an IF: the one that is being read, without its body

    def close_branch(self) -> None:
        if self.branch is not None:
            self.branches.append(replace(self.branch, body=_without_blank_end(self.body)))
        self.body = []

    def closed(self, comment: str) -> Statement | None:
        if isinstance(self.statement, If):
            self.close_branch()
            return replace(self.statement, branches=tuple(self.branches), end_comment=comment)
        if isinstance(self.statement, For | While | Sub):
            return replace(self.statement, body=_without_blank_end(self.body), end_comment=comment)
        return None


def _without_blank_end(body: list[Statement]) -> tuple[Statement, ...]:
    if body and _is_blank(body[-1]):
        body = body[:-1]
    return tuple(body)


def _is_blank(statement: Statement) -> bool:
    return isinstance(statement, Comment) and not statement.text


class _Parser:
    """Reads commands one after the other and knows which blocks are open."""

    def __init__(self) -> None:
        self.body: list[Statement] = []
        self.open: list[_Block] = []

    def add(self, statement: Statement) -> None:
        """A statement at the end of the innermost block; of empty lines one after the other, one is kept."""
        body = self.open[-1].body if self.open else self.body
        if not _is_blank(statement) or (body and not _is_blank(body[-1])):
            body.append(statement)

    def statements_of(self, command: CommandText) -> Iterator[Statement]:
        """The statements that a command ends: none where it opens a block, one with all that is in it where it closes one."""
        number, text = command.lines[0]
        if command.alone:
            yield Comment(at=(number, 1), text=text.strip())
            return
        plain = plain_motion(text, number) if len(command.lines) == 1 else None
        if plain is not None:
            yield plain
            return
        tokens, comments, trailing = tokenise(command)
        for comment in comments:
            yield Comment(at=(number, 1), text=comment)
        statement = self._statement(Reader(tokens), trailing)
        if statement is not None:
            yield statement

    def _statement(self, reader: Reader, comment: str) -> Statement | None:
        index, first = "", reader.next
        following = reader.tokens[min(reader.position + 1, len(reader.tokens) - 1)]
        if first.kind == "name" and first.text.upper() not in KEYWORDS:
            if following.text == "=":
                assignment = read_assignment(reader, comment)
                reader.finish()
                return assignment
            if following.kind == "name" and following.text.upper() in KEYWORDS:
                index = reader.name("a command's index").text
        if reader.next.kind != "name" or reader.next.text.upper() not in KEYWORDS:
            raise unknown_statement(reader)
        token = reader.take()
        word = token.text.upper()
        if word in _INNER:
            if index:
                raise Fault(f"an index before {word}", "leave it out: nothing is done here", first.at)
            return self._inner(word, token, reader, comment)
        if word in _OPENING:
            self._opening(word, token, reader, index, comment)
            return None
        read = read_motion if motion_word(word) else read_statement
        statement = read(word, token.at, reader, index, comment)
        reader.finish()
        return statement

    def _opening(self, word: str, token: Token, reader: Reader, index: str, comment: str) -> None:
        block = _Block(word, token.at, None)
        self.open.append(block)  # also where its line is wrong, so that its END is not wrong as well
        if len(self.open) > _DEEPEST:
            raise Fault(f"more than {_DEEPEST} blocks inside one another", "put some into a subroutine", token.at)
        if word == "IF":
            block.branch = Branch(condition=reader.expression(), body=(), comment=comment, at=token.at)
            block.statement = If(at=token.at, index=index, branches=())
        elif word == "WHILE":
            block.statement = While(at=token.at, index=index, comment=comment, condition=reader.expression(), body=())
        elif word == "FOR":
            block.statement = _read_for(reader, token.at, index, comment)
        else:
            if len(self.open) > 1:
                raise Fault("SUB stands inside a block", "expected it outside of all others", token.at)
            block.statement = _read_sub(reader, token.at, index, comment)
        if reader.is_sign("="):
            raise Fault("= inside an expression", "expected == to compare", reader.next.at)
        reader.finish()

    def _inner(self, word: str, token: Token, reader: Reader, comment: str) -> Statement | None:
        if not self.open or (word != "END" and self.open[-1].word != "IF"):
            what = "nothing is open" if not self.open else f"the block that is open is {self.open[-1].word}"
            before = "IF, FOR, WHILE or SUB" if word == "END" else "IF"
            raise Fault(f"{word} closes nothing: {what}", f"expected {before} before it", token.at)
        block = self.open[-1]
        if word == "END":
            self.open.pop()
            reader.finish()
            return block.closed(comment)
        if block.branch is not None and block.branch.condition is None:
            raise Fault(f"{word} behind ELSE", "expected ELSE once, and last", token.at)
        block.close_branch()
        block.branch = Branch(condition=None if word == "ELSE" else 0.0, body=(), comment=comment, at=token.at)
        if word == "ELSEIF":
            block.branch = replace(block.branch, condition=reader.expression())
        if reader.is_sign("="):
            raise Fault("= inside an expression", "expected == to compare", reader.next.at)
        reader.finish()
        return None


def _read_for(reader: Reader, at: Place, index: str, comment: str) -> For:
    name = reader.name("the counter").text
    reader.sign("=")
    first = reader.expression()
    if not reader.accept_word("TO"):
        raise reader.fault("TO and the last value")
    last = reader.expression()
    step: Value | None = reader.expression() if reader.accept_word("STEP") else None
    if step == 0.0:
        raise Fault("STEP 0 never ends", "expected a step above or below zero", at)
    return For(at=at, index=index, comment=comment, name=name, first=first, last=last, step=step, body=())


def _read_sub(reader: Reader, at: Place, index: str, comment: str) -> Sub:
    name, parameters = reader.name("the subroutine").text, []
    if reader.accept_sign("(") and not reader.accept_sign(")"):
        parameters.append(reader.name("a parameter").text)
        while reader.accept_sign(","):
            place = reader.next.at
            parameters.append(reader.name("a parameter").text)
            if parameters[-1] in parameters[:-1]:
                raise Fault(f"a second parameter {parameters[-1]}", "expected another name", place)
        reader.sign(")")
    return Sub(at=at, index=index, comment=comment, name=name, parameters=tuple(parameters), body=())
