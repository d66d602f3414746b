"""Every statement of the robot commands, and what it ends in."""

from math import pi, radians

import numpy as np
import pytest

from armillary.model import load_model
from armillary.programs import (
    Command,
    Dwell,
    End,
    Move,
    MoveArc,
    MoveJoints,
    MoveLine,
    MovePose,
    MoveSpline,
    Pause,
    Point,
    Say,
    SetOutput,
    SourceLine,
    Stop,
    Surroundings,
    WaitInput,
)
from armillary.programs.script import ScriptRun, parse
from armillary.spatial import rotation_from_rpy, transform_from_xyz_rpy

T_BASE_TABLE = transform_from_xyz_rpy((0.5, 0.0, 0.2), (0.0, 0.0, pi / 2))
AROUND = Surroundings(
    joints=("a", "b", "c"),
    slides=(False, False, True),
    frames={"table": T_BASE_TABLE},
    tools=("gripper",),
    points={
        "home": Point("home", (0.1, 0.2, 0.3), (0.4, 0.5, 0.6), (0.0, 0.0, pi / 2)),
        "held": Point("held", (0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.0, 0.0, 0.0), tool="gripper"),
    },
)
PAPER = """\
P0001 MOVEJ_RPY_LSPB {TCP} 0.00 1174.40 1176.00 0.00
0.00 0.00 [20] (mm,deg,s) {B}
P0002 MOVEJ_SPLINE_LSPB {TCP} 0.00 0.00 0.00 0.00 0.00
0.00; 30.00 15.00 30.00 -15.00 20.00 15.00; 0.00
0.00 0.00 0.00 0.00 0.00 [20] (mm,deg,s) {B}
P0003 STOP
"""


def commands(text: str, around: Surroundings = AROUND) -> list[Command]:
    return list(ScriptRun(parse(text, "t"), around))


def only(text: str) -> Command:
    """The one command of a text, behind which it ends."""
    *before, last = commands(text)
    assert len(before) == 1 and isinstance(last, End)
    return before[0]


def test_the_three_commands_of_the_paper_as_printed() -> None:
    model = load_model("industrial6")
    one, two, three = commands(PAPER, Surroundings(joints=tuple(model.joints)))
    assert isinstance(one, MovePose) and one.xyz == pytest.approx((0.0, 1.1744, 1.176))
    assert one == MovePose(source=SourceLine("t", 1), xyz=one.xyz, rpy=(0.0, 0.0, 0.0), duration=20.0, profile="lspb")
    bend = tuple(radians(angle) for angle in (30, 15, 30, -15, 20, 15))
    assert isinstance(two, MoveSpline) and not two.by_tool and two.duration == 20.0 and two.profile == "lspb" and two.tip == ""
    assert np.allclose(two.through, ((0.0,) * 6, bend, (0.0,) * 6), rtol=1e-15) and two.source == SourceLine("t", 3)
    assert three == Stop(source=SourceLine("t", 6))


@pytest.mark.parametrize(
    ("suffix", "profile"), [("", ""), ("_LSPB", "lspb"), ("_QUINTIC", "quintic"), ("_TOPT", "time_optimal"), ("_JERK", "jerk")]
)
@pytest.mark.parametrize(
    "motion",
    ["DMOVEJ {} 1 2 3", "DMOVE {} 1 2 3 4 5 6", "MOVEJ {} 1 2 3", "MOVEJ_RPY {} 1 2 3 4 5 6", "MOVEL {} 1 2 3 4 5 6",
     "MOVEC {} 1 2 3; 4 5 6 0 0 0", "MOVEJ_SPLINE {} 1 2 3; 4 5 6", "MOVEL_SPLINE {} home; 1 2 3 4 5 6"],
)  # fmt: skip
def test_every_motion_takes_every_law_of_time(motion: str, suffix: str, profile: str) -> None:
    name, values = motion.split(" {} ")
    command = only(f"{name}{suffix} {values} [4]")
    assert isinstance(command, Move) and command.profile == profile and command.duration == 4.0


def test_joint_values_are_angles_and_for_sliding_joints_lengths() -> None:
    command = only("MOVEJ 90 -180 250")
    assert isinstance(command, MoveJoints) and command.goal == pytest.approx((pi / 2, -pi, 0.25)) and not command.relative
    command = only("DMOVEJ 1 2 3 (cm,rad)")
    assert isinstance(command, MoveJoints) and command.goal == pytest.approx((1.0, 2.0, 0.03)) and command.relative


def test_a_straight_line_to_a_pose() -> None:
    command = only("MOVEL 100 200 300 180 0 90")
    assert isinstance(command, MoveLine) and command.relative == "" and command.speed is None
    assert command.xyz == pytest.approx((0.1, 0.2, 0.3)) and command.rpy == pytest.approx((pi, 0.0, pi / 2))


@pytest.mark.parametrize(("units", "length", "angle"), [("m,rad", 1.0, 1.0), ("cm", 0.01, pi / 180), ("in", 0.0254, pi / 180),
                                                        ("rad", 0.001, 1.0), ("s,deg,mm", 0.001, pi / 180)])  # fmt: skip
def test_units_of_a_command(units: str, length: float, angle: float) -> None:
    command = only(f"MOVEL 1 2 3 0.1 0.2 0.3 ({units})")
    assert isinstance(command, MoveLine) and command.xyz == pytest.approx((length, 2 * length, 3 * length))
    assert command.rpy == pytest.approx((0.1 * angle, 0.2 * angle, 0.3 * angle))


def test_units_in_force_hold_until_others_are_chosen_and_one_commands_own_are_its_alone() -> None:
    first, second, third, _ = commands("UNITS (m,ms)\nMOVEL 1 0 0 0 0 90 [500]\nMOVEL 1 0 0 0 0 0 (mm)\nMOVEL 1 0 0 0 0 0")
    assert isinstance(first, MoveLine) and first.xyz[0] == 1.0 and first.rpy[2] == pytest.approx(pi / 2) and first.duration == 0.5
    assert isinstance(second, MoveLine) and second.xyz[0] == 0.001
    assert isinstance(third, MoveLine) and third.xyz[0] == 1.0


def test_a_pose_in_a_frame_is_given_in_what_the_arm_stands_on() -> None:
    for text in ("MOVEL 100 0 0 0 0 0 {table}", "FRAME table\nMOVEL 100 0 0 0 0 0", "FRAME B\nMOVEL 100 0 0 0 0 0 {table}"):
        command = only(text)
        assert isinstance(command, MoveLine) and command.xyz == pytest.approx((0.5, 0.1, 0.2))
        assert command.rpy == pytest.approx((0.0, 0.0, pi / 2))


def test_a_step_goes_along_the_axes_of_a_frame_or_of_the_tool() -> None:
    command = only("DMOVE 100 0 0 30 0 0 {table}")
    assert isinstance(command, MoveLine) and command.relative == "base" and command.xyz == pytest.approx((0.0, 0.1, 0.0))
    turn_about_y = rotation_from_rpy((0.0, radians(30), 0.0))  # the table's x is the base's y
    assert np.allclose(rotation_from_rpy(command.rpy), turn_about_y)
    own = only("DMOVE 100 0 0 30 0 0 {TCP}")
    assert isinstance(own, MoveLine) and own.relative == "tool" and own.xyz == (0.1, 0.0, 0.0)
    base = only("DMOVE 100 0 0 30 0 0")
    assert isinstance(base, MoveLine) and base.relative == "base" and base.rpy == pytest.approx((radians(30), 0.0, 0.0))


def test_the_frame_that_is_moved() -> None:
    stated, chosen, back, _ = commands(
        "MOVEL {gripper} 1 2 3 0 0 0\nTOOL gripper\nMOVEL 1 2 3 0 0 0\nTOOL TCP\nMOVEL 1 2 3 0 0 0"
    )
    assert [command.tip for command in (stated, chosen, back) if isinstance(command, Move)] == ["gripper", "gripper", ""]


def test_arcs_and_splines_of_the_tool() -> None:
    arc = only("MOVEC 100 0 0; 0 100 0 0 0 90 [250 mm/s]")
    assert isinstance(arc, MoveArc) and arc.via == (0.1, 0.0, 0.0) and arc.xyz == (0.0, 0.1, 0.0) and arc.speed == 0.25
    spline = only("MOVEL_SPLINE 100 0 0 0 0 0; home")
    assert isinstance(spline, MoveSpline) and spline.by_tool
    assert np.allclose(spline.through, ((0.1, 0, 0, 0, 0, 0), (0.4, 0.5, 0.6, 0, 0, pi / 2)))


def test_speeds_blends_and_tolerances() -> None:
    joints, line, near = commands(
        "MOVEJ 1 2 3 [50 %] BLEND 2\nMOVEL 1 2 3 0 0 0 [6 m/min] BLEND 5\nMOVEL 1 2 3 0 0 0 TOLERANCE 0.5"
    )[:3]
    assert isinstance(joints, MoveJoints) and joints.speed == 0.5 and joints.blend == pytest.approx(radians(2))
    assert isinstance(line, MoveLine) and line.speed == pytest.approx(0.1) and line.blend == pytest.approx(0.005)
    assert isinstance(near, MoveLine) and near.tolerance == pytest.approx(0.0005)


def test_speeds_in_force() -> None:
    text = "SPEED 25 % 100 mm/s\nMOVEJ home\nMOVEL home\nSPEED 50 %\nMOVEJ home\nMOVEL home [20]\nMOVEJ_SPLINE home"
    share, speed, half, timed, spline, _ = commands(text)
    assert isinstance(share, MoveJoints) and share.speed == 0.25
    assert isinstance(speed, MoveLine) and speed.speed == pytest.approx(0.1)
    assert isinstance(half, MoveJoints) and half.speed == 0.5
    assert isinstance(timed, MoveLine) and timed.speed is None and timed.duration == 20.0
    assert isinstance(spline, MoveSpline) and spline.speed == 0.5


def test_taught_points_by_name() -> None:
    joints, pose, line, held = commands("MOVEJ home\nMOVEJ_RPY home\nMOVEL home\nMOVEL held")[:4]
    assert isinstance(joints, MoveJoints) and joints.goal == (0.1, 0.2, 0.3)
    assert isinstance(pose, MovePose) and pose.xyz == (0.4, 0.5, 0.6)
    assert isinstance(line, MoveLine) and line.rpy == (0.0, 0.0, pi / 2)
    assert isinstance(held, MoveLine) and held.tip == "gripper"  # the tool that it was taught with


def test_points_that_the_program_declares() -> None:
    text = "POINT pick = 100 0 0 180 0 0 {table}\nJOINTS rest = 90 0 100\n"
    text += "MOVEL pick\nMOVEJ rest\nMOVEJ pick\nMOVEJ_SPLINE rest; home"
    line, joints, pose, spline, _ = commands(text)
    assert isinstance(line, MoveLine) and line.xyz == pytest.approx((0.5, 0.1, 0.2))
    assert isinstance(joints, MoveJoints) and joints.goal == pytest.approx((pi / 2, 0.0, 0.1))
    assert isinstance(pose, MovePose) and pose.xyz == line.xyz
    assert isinstance(spline, MoveSpline) and spline.through == (joints.goal, (0.1, 0.2, 0.3))


@pytest.mark.parametrize("before", ["", "FRAME table\n", "UNITS (m,rad)\n", "FRAME table\nUNITS (in)\n"])
def test_a_pose_written_with_the_parts_of_a_point_is_that_point(before: str) -> None:
    command = only(f"{before}MOVEL home.x home.y (home.z + 0) home.roll home.pitch home.yaw")
    assert isinstance(command, MoveLine) and command.xyz == pytest.approx((0.4, 0.5, 0.6))
    assert np.allclose(rotation_from_rpy(command.rpy), rotation_from_rpy((0.0, 0.0, pi / 2)))
    command = only(f"{before}MOVEJ home.j1 home.j2 home.J3")
    assert isinstance(command, MoveJoints) and command.goal == pytest.approx((0.1, 0.2, 0.3))


def test_dwells_outputs_waits_pauses_and_messages() -> None:
    text = """\
DWELL 0.5
DWELL 500 (ms)
OUTPUT 3 ON
OUTPUT (1 + 1) OFF
OUTPUT 4 2.5
WAIT 1 HIGH
WAIT 2 FALL [5]
WAIT 3 ABOVE 1.5 [200 ms] OPTIONAL
PAUSE
PAUSE OPTIONAL
MESSAGE "say \\"x\\" = " (1 / 4) "."
"""
    given = [(type(command), command) for command in commands(text)]
    source = [SourceLine("t", line) for line in range(1, 13)]
    assert [command for _, command in given] == [
        Dwell(seconds=0.5, source=source[0]), Dwell(seconds=0.5, source=source[1]),
        SetOutput(index=3, value=True, source=source[2]), SetOutput(index=2, value=False, source=source[3]),
        SetOutput(index=4, value=2.5, source=source[4]), WaitInput(index=1, source=source[5]),
        WaitInput(index=2, condition="fall", timeout=5.0, source=source[6]),
        WaitInput(index=3, condition="above", value=1.5, analog=True, timeout=0.2, required=False, source=source[7]),
        Pause(source=source[8]), Pause(optional=True, source=source[9]), Say(text='say "x" = 0.25.', source=source[10]),
        End(source=source[11]),
    ]  # fmt: skip


def test_words_of_the_language_may_be_small_letters() -> None:
    assert only('message "a" # said') == Say(text="a", source=SourceLine("t", 1))
    assert isinstance(only("p1 MoveL_lspb 1 2 3 0 0 0 [20] (MM,Deg,S) {b}"), MoveLine)


def test_a_command_goes_on_over_lines_that_begin_with_its_values() -> None:
    whole = only("MOVEL 1 2 -3 0 0 0 [20] (mm) {table}")
    for text in ("MOVEL 1 2\n-3 0 0 0\n[20]\n(mm)\n{table}", "MOVEL 1 2 # why\n\n# not\n  -3 0 0\n 0 [20]\n (mm) {table} # end"):
        assert only(text) == whole
