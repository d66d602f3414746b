"""PMAC's on-line commands: what is answered, what goes into a buffer, and what is refused with which code."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armillary.emulators.pmac import Machine, OnlineCommands
from armillary.emulators.pmac.axis_definition import read_axis_definition
from armillary.emulators.pmac.expression import Scanner, expression
from armillary.emulators.pmac.port import framed
from armillary.emulators.pmac.refusal import Code, Refusal


class Unit:
    """A machine to talk to, whose time passes when it is told to."""

    def __init__(self, motors: int = 6) -> None:
        self.machine = Machine(motors)
        self.commands = OnlineCommands(self.machine)

    def __call__(self, text: str) -> list[str]:
        lines, code = self.commands.answer(text)
        assert code is None, (text, code)
        return lines

    def refused(self, text: str) -> int:
        _, code = self.commands.answer(text)
        assert code is not None, text
        return int(code)

    def wait(self, seconds: float) -> None:
        self.machine.advance(self.machine.now + seconds)

    def ready(self, size: int = 1000) -> None:
        """Two motors in coordinate system 1, a rotary buffer, power on."""
        for line in ("#1->100X", "#2->200Y", "#1J/#2J/", f"&1 DEFINE ROT {size}", "&1B0"):
            self(line)


@pytest.fixture
def unit() -> Unit:
    return Unit()


def test_what_dls_pmaclib_asks_first_is_answered(unit: Unit) -> None:
    assert unit("i6=1 i3=2 ver") == ["1.947"]
    assert unit("cid") == ["603382"]
    assert unit("i20 i21 i22 i23 ") == ["$0"] * 4


def test_variables_are_set_and_reported(unit: Unit) -> None:
    unit("P1=2.5 P2=P1*4 Q7=-3 M10=7 I122=50")
    assert unit("P1 P2 Q7 M10 I122") == ["2.5", "10", "-3", "7", "50"]
    assert unit("P1..3") == ["2.5", "10", "0"]
    unit("P5..8=1")
    assert unit("P5..8") == ["1"] * 4
    assert unit("I124") == ["$1"]
    unit("I124=$20001")
    assert unit("I124") == ["$20001"]


def test_q_variables_belong_to_a_coordinate_system(unit: Unit) -> None:
    unit("&1Q1=1")
    unit("&2Q1=2")
    assert unit("&1Q1 &2Q1") == ["1", "2"]


def test_m_variables_point_at_motor_positions(unit: Unit) -> None:
    assert unit("M162->") == ["D:$00008B"]
    assert unit("M261->") == ["D:$000108"]
    unit("M5->D:$8B")
    unit.machine.motors[1].position = 10.0
    assert unit("M5") == [str(10 * 96 * 32)]
    unit("M5->*")
    assert unit("M5") == ["0"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1+2*3", 7.0), ("(1+2)*3", 9.0), ("-2*3", -6.0), ("7%4", 3.0), ("$FF&$0F", 15.0), ("1|6", 7.0), ("5^1", 4.0),
        ("SIN(30)", 0.5), ("COS(60)", 0.5), ("ATAN(1)", 45.0), ("SQRT(2)*SQRT(2)", 2.0), ("ABS(-3)", 3.0), ("INT(2.7)", 2.0),
        ("LN(EXP(2))", 2.0), ("P(1+1)", 5.0), ("10/4-1.5", 1.0), ("2-3-4", -5.0), (".5+1.", 1.5),
    ],
)  # fmt: skip
def test_expressions_are_pmacs(unit: Unit, text: str, value: float) -> None:
    unit("P2=5")
    assert expression(Scanner(text))(unit.machine.variables) == pytest.approx(value)


@given(a=st.integers(-99, 99), b=st.integers(-99, 99), c=st.integers(1, 99))
def test_products_bind_before_sums(a: int, b: int, c: int) -> None:
    unit = Unit(1)
    unit(f"P1={a}+{b}*{c} P2=({a}+{b})*{c} P3={a}-{b}/{c}")
    p1, p2, p3 = (float(text) for text in unit("P1 P2 P3"))
    assert (p1, p2) == (a + b * c, (a + b) * c)
    assert p3 == pytest.approx(a - b / c, abs=1e-9)


@given(text=st.text(st.characters(min_codepoint=1, max_codepoint=127), max_size=60))
def test_whatever_is_sent_is_answered_and_never_breaks_it(text: str) -> None:
    unit = Unit(2)
    _, code = unit.commands.answer(text)
    assert code is None or code in Code
    unit.commands.answer("CLOSE ALL")
    assert unit.commands.answer("&1 I6")[1] is None


def test_a_line_can_hold_many_commands_without_spaces(unit: Unit) -> None:
    unit("#1J/#2J/#3J/")
    assert [unit.machine.motors[k].closed for k in (1, 2, 3, 4)] == [True, True, True, False]
    assert len(unit("#1?PVF")) == 4


@pytest.mark.parametrize(
    ("text", "scales", "offset"),
    [
        ("25532.8278X", {"X": 25532.8278}, 0.0),
        ("29308.7083Y + 29308.7083Z", {"Y": 29308.7083, "Z": 29308.7083}, 0.0),
        ("8660X-5000Y", {"X": 8660.0, "Y": -5000.0}, 0.0),
        ("X", {"X": 1.0}, 0.0), ("-X+12", {"X": -1.0}, 12.0), ("3333.333Z-666.667", {"Z": 3333.333}, -666.667),
        ("2000 A", {"A": 2000.0}, 0.0),
        ("0.5U+0.5V-10", {"U": 0.5, "V": 0.5}, -10.0),
    ],
)  # fmt: skip
def test_axis_definitions_are_read(text: str, scales: dict[str, float], offset: float) -> None:
    definition = read_axis_definition(text)
    assert (definition.scales, definition.offset) == (scales, offset)
    assert read_axis_definition(definition.text) == definition


@pytest.mark.parametrize("text", ["", "12", "X Y", "XX", "1X+2X", "X+U", "0.5B+0.5C", "X++Y", "1.2.3X"])
def test_axis_definitions_that_are_none_are_refused(text: str) -> None:
    """Two axes in one must be of X Y Z or of U V W: a differential on B and C is refused, as a real unit does."""
    with pytest.raises(Refusal) as refusal:
        read_axis_definition(text)
    assert refusal.value.code == Code.SYNTAX


def test_a_motor_is_in_one_coordinate_system_at_most(unit: Unit) -> None:
    unit("&1#1->100X")
    assert unit("#1->") == ["100X"]
    assert unit.refused("&2#1->100X") == 3
    unit("&1#1->0 &2#1->50Y")
    assert unit("&2#1->") == ["50Y"]
    unit("UNDEFINE ALL")
    assert unit("&2#1->") == ["0"]


def test_refusals_have_pmacs_codes(unit: Unit) -> None:
    assert unit.refused("nonsense") == 3
    assert unit.refused("X10") == 5
    assert unit.refused("SPLINE1") == 5
    assert unit.refused("CLEAR") == 5
    assert unit.refused("P1=" + "1" * 300) == 3
    assert unit.refused("P1=\xe4") == 4
    assert unit.refused("&1R") == 14
    assert unit.refused("P1=(1+") == 3
    assert unit.refused("#99J/") == 3


def test_a_program_is_not_run_before_everything_is_ready(unit: Unit) -> None:
    unit("#1->100X")
    assert unit.refused("&1R") == 12
    unit("#1J/")
    assert unit.refused("&1R") == 15
    unit("&1B0")
    assert unit.refused("&1R") == 15  # it points at a rotary buffer that is not there
    unit("DEFINE ROT 100")
    unit("I100=0")
    assert unit.refused("&1R") == 13
    unit("I100=1")
    unit.machine.motors[1].positive_switch = unit.machine.motors[1].negative_switch = True
    assert unit.refused("&1R") == 10
    unit.machine.motors[1].positive_switch = unit.machine.motors[1].negative_switch = False
    unit("#1J+")
    unit.wait(0.1)
    assert unit.refused("&1R") == 11
    unit("#1J/")
    unit.wait(5.0)
    unit("&1R")
    assert unit.refused("&1R") == 1


def test_buffers_are_opened_one_at_a_time(unit: Unit) -> None:
    unit.ready()
    unit("OPEN ROT")
    assert unit.refused("OPEN PLC 1") == 7
    assert unit.refused("OPEN ROT") == 7
    assert unit.refused("DELETE ROT") == 7
    unit("CLOSE")
    unit("OPEN PLC 1 CLEAR")
    unit("CLOSE ALL")
    unit("DELETE ROT")
    assert unit.refused("OPEN ROT") == 3


def test_a_rotary_buffer_holds_as_many_words_as_it_was_given(unit: Unit) -> None:
    unit.ready(size=10)
    unit("OPEN ROT")
    for k in range(5):
        unit(f"X{k}Y{k}")
    assert unit.refused("X9") == 6
    assert unit("PR") == ["5"]
    unit("CLEAR")
    assert unit("PR") == ["0"]
    unit("X1Y1")


def test_b0_in_an_open_buffer_is_a_move(unit: Unit) -> None:
    unit.ready()
    unit("OPEN ROT")
    unit("B0")
    assert unit("PR LIST ROT") == ["1", "B0"]


def test_a_gathering_buffer_and_a_lower_rotary_buffer_are_in_the_way(unit: Unit) -> None:
    unit("DEFINE GATHER 100")
    assert unit.refused("&1 DEFINE ROT 100") == 3
    unit("DELETE GATHER")
    unit("&2 DEFINE ROT 100")
    unit("&1 DEFINE ROT 100")
    assert unit.refused("&3 DEFINE ROT 100") == 3
    unit("DELETE ROT ALL")
    assert unit.refused("&3 DEFINE ROT 1000000") == 6


def test_branches_do_not_belong_into_a_rotary_buffer(unit: Unit) -> None:
    unit.ready()
    unit("OPEN ROT")
    assert unit.refused("IF (P1=1) X10") == 3


def test_a_plc_program_computes_when_i5_lets_it(unit: Unit) -> None:
    for line in ("OPEN PLC 3 CLEAR", "IF (P1>3)", "P2=P1*2", "ELSE", "P2=-1", "ENDIF", "P3=P3+1", "CLOSE"):
        unit(line)
    unit("ENABLE PLC 3")
    unit.wait(0.1)
    assert unit("P2 P3") == ["0", "0"]
    unit("I5=2")
    unit.wait(0.1)
    assert unit("P2") == ["-1"]
    unit("P1=4")
    unit.wait(0.1)
    assert unit("P2") == ["8"]
    unit("DISABLE PLC 3 P1=0")
    unit.wait(0.1)
    assert unit("P2") == ["8"]
    assert unit("LIST PLC 3")[0] == "IF (P1>3)"


def test_conditions_are_pmacs(unit: Unit) -> None:
    for line in (
        "OPEN PLC 1 CLEAR", "IF (P1!=0) P11=1", "IF (P1>1 ) AND (P1!>3) P12=1", "IF (P1=9) OR (P1=2) P13=1",
        "WHILE (P20<5)", "P20=P20+1", "ENDWHILE", "CLOSE", "I5=3 P1=2 ENABLE PLC 1",
    ):  # fmt: skip
        unit(line)
    for _ in range(10):
        unit.wait(0.1)
    assert unit("P11 P12 P13 P20") == ["1", "1", "1", "5"]


def test_a_branch_without_its_end_is_found_when_the_buffer_is_closed(unit: Unit) -> None:
    unit("OPEN PLC 1 CLEAR")
    unit("WHILE (P1=0)")
    assert unit.refused("CLOSE") == 9
    unit("OPEN PLC 1 CLEAR CLOSE")


def test_a_plc_program_can_give_commands(unit: Unit) -> None:
    unit.ready()
    for line in (
        "OPEN PLC 1 CLEAR",
        "IF (P1=1)",
        'CMD"#1J/#2J/"',
        "P1=0",
        "ENDIF",
        "CLOSE",
        "#1K#2K",
        "I5=2 ENABLE PLC 1",
        "P1=1",
    ):
        unit(line)
    unit.wait(0.01)
    assert unit.machine.motors[2].closed
    assert unit("P1") == ["0"]


def test_numbers_beyond_all_bounds_are_refused_and_nothing_breaks(unit: Unit) -> None:
    huge = "9" * 240
    unit(f"P1={huge}")
    unit("P1=P1*P1*P1")
    assert unit.refused("P1") == 3
    assert unit.refused("P2=P1&1") == 3
    assert unit.refused(f"#1J={huge}") == 3
    for line in ("OPEN PLC 1 CLEAR", "P3=P1&1", "CLOSE", "I5=2 ENABLE PLC 1"):
        unit(line)
    unit.wait(0.1)
    assert not unit.machine.plcs[1].enabled
    assert unit.refused("P1=" + "(" * 250) == 3


def test_answers_end_as_i3_and_i6_say() -> None:
    assert framed(["1"], None, 2, 1) == b"1\r\x06"
    assert framed([], None, 2, 1) == b"\x06"
    assert framed(["1"], None, 1, 1) == b"\n1\r\n"
    assert framed([], Code.NO_ROOM, 2, 1) == b"\x07ERR006\r"
    assert framed([], Code.NO_ROOM, 2, 0) == b"\x07"
    assert framed([], Code.NO_ROOM, 2, 2) == b""


def test_control_characters_act_wherever_they_stand(unit: Unit) -> None:
    unit("#1J/#2J/")
    unit("\x0b")
    assert not any(motor.closed for motor in unit.machine.motors.values())
    unit("\x01")
    assert all(motor.closed for motor in unit.machine.motors.values())
    assert unit("\x10") == ["0 0 0 0 0 0"]


def test_jogs_go_where_they_are_sent_and_no_further(unit: Unit) -> None:
    unit("#1J=5000")
    unit.wait(20.0)
    assert unit("#1P") == ["5000"]
    unit("#1J:-1000")
    unit.wait(20.0)
    assert unit("#1P") == ["4000"]
    unit("#1J+")
    unit.wait(1.0)
    unit("#1J/")
    unit.wait(5.0)
    assert 4000 < float(unit("#1P")[0]) < math.inf
    stood = unit("#1P")
    unit.wait(1.0)
    assert unit("#1P") == stood
    unit("#1HM")
    unit.wait(20.0)
    assert unit("#1P") == ["0"] and int(unit("#1?")[0][-3], 16) & 4


def test_user_timers_count_servo_cycles_down_and_on_below_zero() -> None:
    unit = Unit()
    unit("I5111=1000")
    unit.wait(0.221)  # nothing moves
    assert float(unit("I5111")[0]) == pytest.approx(500, abs=1)
    unit.ready()
    unit("#1J=100000")
    unit.wait(0.442)  # something does
    assert float(unit("I5111")[0]) == pytest.approx(-500, abs=4)  # its steps are of 1 ms
    assert unit("I5112") == ["0"], "one that nobody set stands"
    unit.wait(4000.0)
    assert unit("I5111") == ["-8388608"]
