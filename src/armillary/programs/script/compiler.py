"""A script compiled: a list of steps, with blocks as jumps among them."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from armillary.programs.script.collection import collection_put_off
from armillary.programs.script.errors import Fault
from armillary.programs.script.expressions import Value
from armillary.programs.script.memory import Call, Memory
from armillary.programs.script.scope import Scope
from armillary.programs.script.script import Script
from armillary.programs.script.statements import (
    Comment,
    For,
    Goto,
    If,
    Label,
    Return,
    Statement,
    Sub,
    SubCall,
    While,
)
from armillary.programs.script.steps import Step, compile_step, set_variable
from armillary.programs.script.values import compile_value, finite
from armillary.programs.surroundings import Surroundings

__all__ = ["END", "Code", "compile_script"]

END = -1  # where to go on when the program has ended
_DEEPEST = 200  # calls inside calls


@dataclass
class _Mark:
    """A place among the steps that is known later."""

    position: int = 0


class Code:
    """The steps of a script.

    Attributes:
        steps: What to do, each with its line.
        starts: The first step of each statement outside of all blocks, by its line, in order.
        work: Of each step, for the budget: one, and one more for every 16 characters of its command, as long ones take longer.
    """

    def __init__(self) -> None:
        self.work: list[int] = []
        self.steps: list[tuple[int, Step]] = []
        self.starts: list[tuple[int, int]] = []


def compile_script(script: Script, surroundings: Surroundings) -> Code:
    """The steps of a script.

    Raises:
        BadScript: All that can be known to be wrong before it runs.
    """
    compiler = _Compiler(script, surroundings)
    statements = script.statements
    with collection_put_off():
        compiler.program(statements)
    if compiler.faults:
        raise script.error(*compiler.faults)
    compiler.code.work = _work_of(compiler.code.steps, script.lines)
    return compiler.code


def _work_of(steps: list[tuple[int, Step]], lines: list[str]) -> list[int]:
    """Of each step; a command reaches to the line where the next begins."""
    begins = sorted({line for line, _ in steps if line > 0})
    found = {0: 1}
    for begin, end in zip(begins, [*begins[1:], len(lines) + 1], strict=False):  # none in a program of comments
        found[begin] = 1 + (sum(len(text) for text in lines[begin - 1 : end - 1] if text.lstrip()[:1] != "#") >> 4)
    return [found[line] for line, _ in steps]


class _Compiler:
    def __init__(self, script: Script, surroundings: Surroundings) -> None:
        self.scope = Scope(script.file, surroundings)
        self.code = Code()
        self.faults: list[Fault] = []
        self.labels: dict[str, _Mark] = {}
        self.subs: dict[str, tuple[Sub, _Mark]] = {}

    def program(self, statements: tuple[Statement, ...]) -> None:
        self.scope.declare(statements)
        self.subs = {statement.name: (statement, _Mark()) for statement in statements if isinstance(statement, Sub)}
        for statement in statements:
            if not isinstance(statement, Sub | Comment):
                self.code.starts.append((statement.at[0], len(self.code.steps)))
                self._body([statement])
        self._add(0, lambda _: END)
        for sub, mark in self.subs.values():
            mark.position, self.labels = len(self.code.steps), {}
            self.scope.parameters = frozenset(sub.parameters)
            self._guarded_names(sub)
            self._body(sub.body)
            self._add(sub.at[0], _return)
            self.scope.parameters = frozenset()

    def _guarded_names(self, sub: Sub) -> None:
        for parameter in sub.parameters:
            if parameter in self.scope.points:
                self.faults.append(Fault(f"{parameter} is a point", "expected another name for the parameter", sub.at))

    def _add(self, line: int, step: Step) -> None:
        self.code.steps.append((line, step))

    def _body(self, statements: Iterable[Statement]) -> None:
        for statement in statements:
            try:
                self._statement(statement)
            except Fault as fault:
                self.faults.append(fault)

    def _statement(self, statement: Statement) -> None:
        line = statement.at[0]
        if isinstance(statement, Comment):
            return
        if isinstance(statement, Label):
            self._label(statement.name).position = len(self.code.steps)
        elif isinstance(statement, Goto):
            self._jump(line, self._label(statement.name))
        elif isinstance(statement, If):
            self._if(statement)
        elif isinstance(statement, For):
            self._for(statement)
        elif isinstance(statement, While):
            self._while(statement)
        elif isinstance(statement, SubCall):
            self._call(statement)
        elif isinstance(statement, Return):
            self._add(line, _return)
        else:
            self._add(line, compile_step(statement, self.scope))

    def _label(self, name: str) -> _Mark:
        return self.labels.setdefault(name, _Mark())

    def _jump(self, line: int, mark: _Mark) -> None:
        self._add(line, lambda _: mark.position)

    def _unless(self, line: int, condition: Value, mark: _Mark) -> None:
        """Go to a mark where a condition does not hold."""
        value = compile_value(condition, self.scope)
        if callable(value):
            self._add(line, lambda memory: None if value(memory) else mark.position)
        elif not value:
            self._jump(line, mark)

    def _if(self, statement: If) -> None:
        end = _Mark()
        for branch in statement.branches:
            following = _Mark()
            if branch.condition is not None:
                self._condition(branch.at[0], branch.condition, following)
            self._body(branch.body)
            self._jump(branch.at[0], end)
            following.position = len(self.code.steps)
        end.position = len(self.code.steps)

    def _condition(self, line: int, condition: Value, mark: _Mark) -> None:
        try:
            self._unless(line, condition, mark)
        except Fault as fault:  # what is inside may be wrong as well, and is said too
            self.faults.append(fault)

    def _while(self, statement: While) -> None:
        line, start, end = statement.at[0], _Mark(len(self.code.steps)), _Mark()
        self._condition(line, statement.condition, end)
        self._body(statement.body)
        self._jump(line, start)
        end.position = len(self.code.steps)

    def _for(self, statement: For) -> None:
        line, end = statement.at[0], _Mark()
        try:
            begin = self._begin_for(statement)
        except Fault as fault:
            self.faults.append(fault)
            begin = None
        if begin is not None:
            self._add(line, begin)
        loop, store = len(self.code.steps), set_variable(statement.name, self.scope)

        def turn(memory: Memory) -> int | None:
            done, turns, first, step = memory.calls[-1].loops[loop]
            if done >= turns:
                return end.position
            store(memory, first + done * step)  # and not step by step, which would add up errors
            memory.calls[-1].loops[loop] = (done + 1, turns, first, step)
            return None

        self._add(line, turn)
        self._body(statement.body)
        self._jump(line, _Mark(loop))
        end.position = len(self.code.steps)

    def _begin_for(self, statement: For) -> Step:
        at, loop = statement.at, len(self.code.steps) + 1
        if statement.name not in self.scope.parameters:
            self.scope.new_variable(statement.name, at)
        values = [compile_value(value, self.scope) for value in (statement.first, statement.last, statement.step or 1.0)]

        def begin(memory: Memory) -> None:
            first, last, step = [finite(value(memory) if callable(value) else value, "a bound of FOR", at) for value in values]
            if step == 0.0:
                raise Fault("STEP is zero, so FOR would never end", "expected a step above or below zero", at)
            turns = (last - first) / step
            memory.calls[-1].loops[loop] = (0, math.floor(finite(turns, "the number of turns", at) + 1e-9) + 1, first, step)

        return begin

    def _call(self, statement: SubCall) -> None:
        line, at = statement.at[0], statement.at
        sub, mark = self.subs[statement.name]
        values = [compile_value(argument, self.scope) for argument in statement.arguments]
        back = len(self.code.steps) + 1

        def call(memory: Memory) -> int:
            if len(memory.calls) > _DEEPEST:
                raise Fault(
                    f"more than {_DEEPEST} calls inside one another", f"let {sub.name} return before it is called again", at
                )
            arguments = [finite(value(memory) if callable(value) else value, "an argument", at) for value in values]
            memory.calls.append(Call(sub.name, line, back, dict(zip(sub.parameters, arguments, strict=True))))
            return mark.position

        self._add(line, call)


def _return(memory: Memory) -> int:
    if len(memory.calls) == 1:
        return END
    return memory.calls.pop().back
