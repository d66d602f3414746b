"""One block carried out: its words and codes in LinuxCNC's order, to canonical commands."""

from dataclasses import dataclass, replace

from armillary.programs.commands import SourceLine
from armillary.programs.gcode import canon
from armillary.programs.gcode.codes import AXES, AXIS_USERS, CYCLES, G_GROUPS, LARGEST, M_GROUPS, WORDS_OF_G, WORDS_OF_M, g_name
from armillary.programs.gcode.compiler import Block, Setting, resolve
from armillary.programs.gcode.errors import LineFault
from armillary.programs.gcode.expressions import evaluate, parameter_number
from armillary.programs.gcode.machine import Machine, Modes
from armillary.programs.gcode.messages import comment_command
from armillary.programs.gcode.moves import move, offsets
from armillary.programs.gcode.polar import POLAR, without_polar
from armillary.programs.gcode.spindle import end_program, io_step, m_steps
from armillary.programs.gcode.switches import g_steps, restore

__all__ = ["Execution", "apply_settings"]


def apply_settings(settings: list[Setting], machine: Machine) -> None:
    """Set parameters, all from the values before the line."""
    parameters = machine.parameters
    found: list[tuple[str | int, float, int]] = []
    for setting in settings:
        value, target = evaluate(setting.value, parameters), setting.target
        if not isinstance(target, str):
            number = parameter_number(evaluate(target, parameters), setting.column)
            if number in parameters.live:
                raise LineFault(f"#{number} is the machine's own", "expected a parameter that can be set", setting.column)
            found.append((number, value, setting.column))
        elif target in parameters.answers:
            raise LineFault(f"#<{target}> is the machine's own", "expected a parameter that can be set", setting.column)
        else:
            found.append((target, value, setting.column))
    for where, value, _ in found:
        if isinstance(where, int):
            parameters.numbers[where] = value
        elif where.startswith("_"):
            parameters.shared[where] = value
        else:
            parameters.names[where] = value


@dataclass(frozen=True)
class _Context:
    """What M70 or M73 saved. by_itself: whether it comes back when the subroutine ends."""

    modes: Modes
    tool_offset: list[float]
    g92_on: bool
    by_itself: bool


def _place(fault: LineFault, block: Block, g: dict[int, tuple[int, int]], m: dict[int, tuple[int, int]]) -> int | None:
    """The column of a fault: of its word, of the code that is at work, or of the first word."""
    if fault.letter in block.words:
        return block.words[fault.letter].column
    for codes in (g, m):
        for group in (1, 0):
            if group in codes:
                return codes[group][1]
    columns = [word.column for word in (*block.words.values(), *block.g, *block.m)]
    return min(columns, default=None)


class Execution:
    """Carries out blocks on one machine. contexts: what M70 and M73 saved, one place for each level of calls."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.contexts: list[_Context | None] = [None]

    def run(self, block: Block, source: SourceLine) -> list[canon.Canon]:
        """The commands of a block. M98 is the interpreter's, not this."""
        machine, parameters = self.machine, self.machine.parameters
        machine.line = source.line
        words = {letter: evaluate(word.value, parameters) for letter, word in block.words.items()}
        for letter, number in words.items():
            if not abs(number) < LARGEST:
                raise LineFault(f"{letter.upper()} is {number:g}", f"expected less than {LARGEST:g}", block.words[letter].column)
        g, m = block.codes, block.m_codes
        if g is None:
            g = resolve(block.g, [evaluate(word.value, parameters) for word in block.g], G_GROUPS, "g")
        if m is None:
            m = resolve(block.m, [evaluate(word.value, parameters) for word in block.m], M_GROUPS, "m")
        try:
            return self._run(block, words, g, m, source)
        except LineFault as fault:
            fault.column = _place(fault, block, g, m) if fault.column is None else fault.column
            raise

    def _run(
        self,
        block: Block,
        words: dict[str, float],
        g: dict[int, tuple[int, int]],
        m: dict[int, tuple[int, int]],
        source: SourceLine,
    ) -> list[canon.Canon]:
        machine, parameters = self.machine, self.machine.parameters
        motion, motion_needed = self._motion(g, words, block)
        self._check_words(block, words, g, m, motion if motion_needed else None)
        apply_settings(block.settings, machine)
        commands: list[canon.Canon] = []
        if block.comments:
            said = comment_command(block.comments[-1], parameters, source)
            commands.extend([said] if said else [])
        commands += g_steps(machine, g, words, source, before=True)
        commands += m_steps(machine, m, words, source)
        commands += self._context(m, source)
        commands += io_step(machine, m, source, words)
        commands += g_steps(machine, g, words, source, before=False)
        zero = g.get(0, (-1, 0))[0]
        if zero not in (-1, 40, 530):
            commands += offsets(machine, zero, words, source)
        if 15 in g:
            commands += offsets(machine, g[15][0], words, source)
        if motion_needed and motion not in CYCLES and any(letter in words for letter in POLAR):
            words = without_polar(machine, words, in_machine=zero == 530)
        if motion_needed:
            commands += move(machine, motion, words, source, in_machine=zero == 530)
        if 4 in m:
            commands += end_program(machine, m[4][0], source)
        return commands

    def _motion(self, g: dict[int, tuple[int, int]], words: dict[str, float], block: Block) -> tuple[int, bool]:
        """The motion that applies, and whether the line has one."""
        axes = [letter for letter in AXES + POLAR if letter in words]
        for letter in axes:
            if letter in AXES and letter.upper() not in self.machine.settings.axes.upper():
                column = block.words[letter].column if letter in block.words else 0
                raise LineFault(
                    f"the machine has no axis {letter.upper()}", f"expected {self.machine.settings.axes.upper()}", column
                )
        if words.get("$", 0.0) not in (0.0, -1.0):
            raise LineFault("the machine has one spindle", "expected $0, or leave it out", letter="$")
        users = [code for code, _ in g.values() if code in AXIS_USERS and not (code == 432 and "h" in words)]
        if self.machine.modes.plane is not canon.Plane.XY and any(letter in words for letter in POLAR):
            raise LineFault(
                "polar coordinates outside the plane of X and Y", "expected G17 before it", letter="@" if "@" in words else "^"
            )
        if users and any(letter in words for letter in POLAR):
            raise LineFault(f"polar coordinates with {g_name(users[0])}", "expected X and Y", letter="@" if "@" in words else "^")
        if 1 in g:
            code = g[1][0]
            if users and code != 800:
                raise LineFault(f"{g_name(users[0])} and {g_name(code)} both take the axis words", "expected one a line", g[1][1])
            return code, True
        if users or (
            not axes and not ("i" in words or "j" in words or "k" in words or ("r" in words and not block.m and 0 not in g))
        ):
            return self.machine.modes.motion, False
        return self.machine.modes.motion, bool(axes) or self.machine.modes.motion in (20, 30)

    def _check_words(
        self,
        block: Block,
        words: dict[str, float],
        g: dict[int, tuple[int, int]],
        m: dict[int, tuple[int, int]],
        motion: int | None,
    ) -> None:
        allowed = set("fst$" + AXES + POLAR)
        for code, _ in g.values():
            allowed |= set(WORDS_OF_G.get(code, ""))
        for code, _ in m.values():
            allowed |= set(WORDS_OF_M.get(code, ""))
        if motion is not None:
            allowed |= set(WORDS_OF_G.get(motion, ""))
        for letter in words:
            if letter not in allowed:
                takers = [g_name(code) for code, taken in WORDS_OF_G.items() if letter in taken]
                takers += [f"M{code}" for code, taken in WORDS_OF_M.items() if letter in taken]
                expected = f"expected one of {', '.join(takers)}" if takers else f"remove {letter.upper()}"
                raise LineFault(f"{letter.upper()} with no code that takes it", expected, block.words[letter].column)

    def _context(self, m: dict[int, tuple[int, int]], source: SourceLine) -> list[canon.Canon]:
        code = m.get(10, (0, 0))[0]
        if code in (70, 73):
            self.contexts[-1] = _Context(
                replace(self.machine.modes),
                list(self.machine.tool_offset),
                bool(self.machine.parameters.numbers[5210]),
                code == 73,
            )
        elif code == 71:
            self.contexts[-1] = None
        elif code == 72:
            saved = self.contexts[-1]
            if saved is None:
                raise LineFault("M72 with nothing saved", "expected M70 or M73 before it in this subroutine", m[10][1])
            return restore(self.machine, saved.modes, saved.tool_offset, saved.g92_on, source)
        return []

    def leave(self, source: SourceLine) -> list[canon.Canon]:
        """The end of a subroutine: what M73 saved comes back."""
        saved = self.contexts.pop()
        return restore(self.machine, saved.modes, saved.tool_offset, saved.g92_on, source) if saved and saved.by_itself else []
