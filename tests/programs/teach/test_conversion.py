"""A taught sequence as commands, as robot commands in text, and as G-code; and back."""

from math import cos, radians, sin
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armillary.motion import arc_through
from armillary.programs.commands import Move, MoveArc, MoveJoints, MoveLine, Three
from armillary.programs.gcode import interpret
from armillary.programs.gcode.canon import ArcFeed, StraightFeed, StraightTraverse
from armillary.programs.script import ScriptRun, parse
from armillary.programs.surroundings import Point, Surroundings
from armillary.programs.teach import NoSuchName, TaughtMove, TeachError, read_sequence, sequence_commands, to_gcode, to_script
from armillary.spatial import rotation_from_rpy, transform_from_xyz_rpy

JOINTS = ("a", "b", "c")
AROUND = Surroundings(joints=JOINTS, slides=(False, False, True), tools=("gripper",))
three = st.tuples(*[st.floats(-2.0, 2.0)] * 3)
poses = st.builds(lambda name, q, xyz, rpy, tool: Point(name, q, xyz, rpy, tool), st.just("p"), three, three,
                  st.tuples(*[st.floats(-3.1, 3.1)] * 3), st.sampled_from(["", "gripper"]))  # fmt: skip
speeds = st.none() | st.floats(0.01, 1.0)
moves_of = st.one_of(
    st.builds(TaughtMove, poses, st.just("joints"), st.none(), speeds, st.just(0.0) | st.floats(0.001, 0.1)),
    st.builds(TaughtMove, poses, st.just("line"), st.none(), speeds, st.just(0.0) | st.floats(0.001, 0.1)),
    st.builds(TaughtMove, poses, st.just("arc"), poses, speeds, st.just(0.0) | st.floats(0.001, 0.1)),
)


def at(name: str, x: float, y: float, z: float, rpy: Three = (0.0, 0.0, 0.0), tool: str = "") -> Point:
    return Point(name, (0.1, 0.2, 0.3), (x, y, z), rpy, tool)


def same(one: Move, two: Move) -> None:
    """The same command to a millionth of a millimetre and of a degree, wherever it comes from."""
    assert type(one) is type(two)
    for name in vars(one):
        if name != "source":
            first, second = getattr(one, name), getattr(two, name)
            if isinstance(first, str) or first is None:
                assert first == second, name
            else:
                assert first == pytest.approx(second, abs=2e-8), name


@settings(max_examples=60, deadline=None)
@given(moves=st.lists(moves_of, min_size=1, max_size=6))
def test_robot_commands_say_what_the_sequence_is(moves: list[TaughtMove]) -> None:
    text = to_script(moves, slides=AROUND.slides)
    given_back = [command for command in ScriptRun(parse(text), AROUND) if isinstance(command, Move)]
    wanted = sequence_commands(moves)
    assert len(given_back) == len(wanted)
    for one, two in zip(given_back, wanted, strict=True):
        same(one, two)


def test_robot_commands_are_as_in_the_paper() -> None:
    moves = [TaughtMove(at("home", 0.0, 0.0, 0.0), speed=0.5), TaughtMove(at("pick", 0.3, -0.4, 0.2), "line", speed=0.25)]
    first, second = to_script(moves, slides=AROUND.slides).splitlines()
    assert first == "P0001 MOVEJ 5.729578 11.459156 300 [50 %] (mm,deg,s)  # home"
    assert second == "P0002 MOVEL {TCP} 300 -400 200 0 0 0 [250 mm/s] (mm,deg,s) {B}  # pick"


def test_commands_come_from_their_place_in_the_sequence() -> None:
    moves = [
        TaughtMove(at("a", 0, 0, 0)),
        TaughtMove(at("b", 1, 0, 0), "line"),
        TaughtMove(at("c", 2, 0, 0), "arc", at("v", 1, 1, 0)),
    ]
    commands = sequence_commands(moves, file="taught")
    assert [type(command) for command in commands] == [MoveJoints, MoveLine, MoveArc]
    assert [str(command.source) for command in commands] == ["taught:1", "taught:2", "taught:3"]


def positions(text: str) -> list[Any]:
    return [each for each in interpret(text) if isinstance(each, StraightTraverse | StraightFeed | ArcFeed)]


@settings(max_examples=60, deadline=None)
@given(moves=st.lists(moves_of.filter(lambda move: move.kind != "arc" and not move.point.tool), min_size=1, max_size=6))
def test_g_code_goes_to_the_same_poses(moves: list[TaughtMove]) -> None:
    found = positions(to_gcode(moves))
    assert [type(each) is StraightTraverse for each in found] == [move.kind == "joints" for move in moves]
    before = np.zeros(3)
    for each, move in zip(found, moves, strict=True):
        assert np.array(each.position[:3]) == pytest.approx(1e3 * np.array(move.point.xyz), abs=1e-5)
        turned = rotation_from_rpy([radians(angle) for angle in each.position[3:6]])
        assert turned == pytest.approx(rotation_from_rpy(move.point.rpy), abs=1e-6)
        # Angles go evenly in G-code: none goes round the long way where another writing of it is nearer.
        assert np.abs(np.array(each.position[3:6]) - before).max() <= 270.0 + 1e-6
        before = np.array(each.position[3:6])


def test_a_move_by_joints_is_a_rapid_and_says_so() -> None:
    text = to_gcode([TaughtMove(at("home", 0.1, 0.2, 0.3))])
    assert "G0 X100 Y200 Z300 A0 B0 C0 (home: taught by joints)" in text and text.startswith("(taught points; mm")


@pytest.mark.parametrize(("normal", "sign"), [(0, 1.0), (1, 1.0), (2, 1.0), (0, -1.0), (1, -1.0), (2, -1.0)])
def test_an_arc_in_a_plane_of_g_code_is_one_arc(normal: int, sign: float) -> None:
    def on(angle: float) -> Three:
        p = np.array([0.2, 0.3, 0.4])
        p[(normal + 1) % 3] += 0.1 * cos(sign * angle)
        p[(normal + 2) % 3] += 0.1 * sin(sign * angle)
        return (float(p[0]), float(p[1]), float(p[2]))

    start, via, end = (Point(name, (0.0,), on(angle), (0.0, 0.0, 0.0)) for name, angle in (("s", 0.0), ("v", 1.0), ("e", 4.0)))
    (_, arc) = positions(to_gcode([TaughtMove(start), TaughtMove(end, "arc", via, speed=0.05)]))
    assert isinstance(arc, ArcFeed) and arc.plane.value[2] == normal and arc.turns == sign
    assert arc.position[:3] == pytest.approx(tuple(1e3 * value for value in end.xyz), abs=1e-5)
    middle = [200.0, 300.0, 400.0]
    assert arc.centre == pytest.approx((middle[arc.plane.value[0]], middle[arc.plane.value[1]]), abs=1e-5)


def test_an_arc_across_the_planes_is_followed_in_pieces() -> None:
    start, via, end = at("s", 0.3, 0.0, 0.1), at("v", 0.4, 0.1, 0.25), at("e", 0.5, 0.05, 0.2, (0.3, 0.1, -0.2))
    text = to_gcode([TaughtMove(start), TaughtMove(end, "arc", via)])
    _, *pieces = positions(text)
    poses = np.array(
        [transform_from_xyz_rpy(1e-3 * np.array(each.position[:3]), np.radians(each.position[3:6])) for each in pieces]
    )
    ends = [transform_from_xyz_rpy(point.xyz, point.rpy) for point in (start, end)]
    path = arc_through(ends[0], via.xyz, ends[1])
    off, turned = path.deviation(poses)
    assert off.max() < 1e-6 and turned.max() < 1e-5 and len(pieces) >= 20 and "across the planes" in text
    corners = np.concatenate([[start.xyz], poses[:, :3, 3]])
    middles = 0.5 * (corners[:-1] + corners[1:])
    dense = path.at(np.linspace(0.0, path.length, 100_000)).T[:, :3, 3]
    assert max(np.linalg.norm(dense - middle, axis=1).min() for middle in middles) < 1.1e-5


def test_what_cannot_be_said_is_refused() -> None:
    a, b, c = at("a", 0, 0, 0), at("b", 1, 0, 0), at("c", 2, 0, 0)
    with pytest.raises(TeachError, match="begins nowhere"):
        to_gcode([TaughtMove(c, "arc", b)])
    with pytest.raises(TeachError, match="the arc to point 'c' through 'b'"):
        to_gcode([TaughtMove(a), TaughtMove(c, "arc", b)])
    with pytest.raises(TeachError, match="several tools"):
        to_gcode([TaughtMove(a), TaughtMove(at("d", 0, 0, 0, tool="gripper"))])
    with pytest.raises(TeachError, match="feed"):
        to_gcode([TaughtMove(a)], feed=0.0)
    with pytest.raises(TeachError, match="3 joints, and 2"):
        to_script([TaughtMove(a)], slides=(False, True))
    for wrong in ({"kind": "jump"}, {"kind": "arc"}, {"via": b}, {"speed": 2.0}, {"blend": -1.0}, {"kind": "line", "speed": 0.0}):
        with pytest.raises(TeachError, match="'a'"):
            TaughtMove(a, **wrong)


def test_a_sequence_in_words() -> None:
    points = {name: at(name, 0, 0, 0) for name in ("home", "pick", "over", "place")}
    moves = read_sequence(["home", "line:pick", "arc:over:place"], points)
    assert [(move.kind, move.point.name) for move in moves] == [("joints", "home"), ("line", "pick"), ("arc", "place")]
    assert moves[2].via == points["over"]
    assert [move.point.name for move in read_sequence([], points)] == list(points)
    with pytest.raises(NoSuchName, match="no point 'pik'; the nearest are pick"):
        read_sequence(["line:pik"], points)
    for wrong in ("jump:pick", "line:", "arc:pick", "line:a:b"):
        with pytest.raises(TeachError):
            read_sequence([wrong], points)
    with pytest.raises(TeachError, match="no point yet"):
        read_sequence([], {})
