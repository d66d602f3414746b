"""Commands as plain values, and back."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armillary.programs import (
    BadProgram,
    Command,
    Dwell,
    End,
    MoveArc,
    MoveCircle,
    MoveJoints,
    MoveLine,
    MovePose,
    MoveSpline,
    Pause,
    Say,
    SetOutput,
    SourceLine,
    Stop,
    WaitInput,
)  # fmt: skip
from armillary.programs.command_values import command_from_values, values_of

numbers = st.floats(-1e3, 1e3)
three = st.tuples(numbers, numbers, numbers)
lines = st.builds(SourceLine, st.text(max_size=8), st.integers(0, 10**6))
outputs = st.lists(st.tuples(st.integers(0, 63), st.booleans() | numbers), max_size=3).map(tuple)
moves = {
    "blend": st.floats(0, 1), "tolerance": st.floats(0, 1), "duration": st.none() | st.floats(0.1, 9), "source": lines,
    "outputs": outputs,
}  # fmt: skip
COMMANDS: dict[type[Command], st.SearchStrategy[Command]] = {
    MoveJoints: st.builds(MoveJoints, goal=st.lists(numbers, max_size=7).map(tuple), relative=st.booleans(), **moves),
    MovePose: st.builds(MovePose, xyz=three, rpy=three, **moves),
    MoveLine: st.builds(MoveLine, xyz=three, rpy=three, speed=st.none() | numbers, rpy_from=st.none() | three, **moves),
    MoveArc: st.builds(MoveArc, via=three, xyz=three, rpy=three, **moves),
    MoveCircle: st.builds(MoveCircle, centre=three, axis=three, angle=numbers, xyz=three, rpy=three, **moves),
    MoveSpline: st.builds(MoveSpline, through=st.lists(st.tuples(numbers, numbers), max_size=4).map(tuple), **moves),
    Dwell: st.builds(Dwell, seconds=numbers, source=lines),
    SetOutput: st.builds(SetOutput, index=st.integers(0, 63), value=st.booleans() | numbers, source=lines),
    WaitInput: st.builds(WaitInput, index=st.integers(0, 63), timeout=st.none() | numbers, source=lines),
    Say: st.builds(Say, text=st.text(max_size=20)),
    Pause: st.builds(Pause, optional=st.booleans()),
    Stop: st.builds(Stop, source=lines),
    End: st.builds(End, source=lines),
}


@given(st.one_of(*COMMANDS.values()))
def test_a_command_comes_back_from_json(command: Command) -> None:
    assert command_from_values(json.loads(json.dumps(values_of(command)))) == command


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"command": "Fly"}, "there is no command 'Fly'"),
        ({"command": "Command"}, "there is no command"),
        ({}, "there is no command 'None'"),
        ({"command": "MoveLine", "xyz": [0, 0, 0]}, "needs rpy"),
        ({"command": "MoveLine", "xyz": [0, 0], "rpy": [0, 0, 0]}, "has 2 values; give 3"),
        ({"command": "MoveLine", "xyz": [0, 0, float("nan")], "rpy": [0, 0, 0]}, "finite"),
        ({"command": "MoveLine", "xyz": [0, 0, "1"], "rpy": [0, 0, 0]}, "finite"),
        ({"command": "MoveJoints", "goal": "abc"}, "give a list"),
        ({"command": "MoveJoints", "goal": [], "relative": 1}, "bool"),
        ({"command": "Dwell", "seconds": True}, "finite number"),
        ({"command": "Dwell", "seconds": 1.0, "colour": "red"}, "has no 'colour'"),
        ({"command": "Dwell", "seconds": 1.0, "source": "x"}, "source"),
    ],
)
def test_what_is_no_command_is_refused_by_name(values: dict[str, Any], said: str) -> None:
    with pytest.raises(BadProgram, match=said):
        command_from_values(values)
