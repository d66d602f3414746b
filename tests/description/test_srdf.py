from collections.abc import Callable
from pathlib import Path

from armillary.description import check_robot, read_robot, read_source, write_srdf

from ..conftest import ARM

Write = Callable[..., Path]

SRDF = """<robot name="arm">
  <virtual_joint name="fix" type="fixed" parent_frame="world" child_link="base"/>
  <group name="arm"><chain base_link="base" tip_link="upper"/></group>
  <group name="by_joint"><joint name="shoulder"/></group>
  <group name="both"><group name="arm"/><group name="by_joint"/></group>
  <group_state name="up" group="arm"><joint name="shoulder" value="0.5"/></group_state>
  <end_effector name="hand" group="by_joint" parent_link="upper" parent_group="arm"/>
  <passive_joint name="shoulder"/>
  <disable_collisions link1="base" link2="upper" reason="Adjacent"/>
</robot>
"""


def test_groups_states_and_pairs_are_read_from_the_file_that_lies_beside(write: Write) -> None:
    write(SRDF, "robot.srdf")
    semantics = read_robot(write(ARM)).semantics
    assert {group.name: group.joints for group in semantics.groups} == {
        "arm": ("shoulder",), "by_joint": ("shoulder",), "both": ("shoulder",),
    }  # fmt: skip
    assert (semantics.groups[0].base, semantics.groups[0].tip) == ("base", "upper")
    assert semantics.states[0].positions == (("shoulder", 0.5),)
    assert semantics.disabled_collisions == (("base", "upper", "Adjacent"),)
    assert semantics.end_effectors[0].parent_link == "upper"
    assert semantics.virtual_joints[0].child_link == "base"
    assert semantics.passive_joints == ("shoulder",)


def test_what_is_written_is_read_again(write: Write) -> None:
    robot = read_robot(write(ARM), srdf=write(SRDF, "x.srdf"))
    again = read_robot(write(ARM), srdf=write(write_srdf(robot), "y.srdf"))
    assert again == robot


def test_unknown_names_are_noted_and_left_out(write: Write) -> None:
    text = SRDF.replace('link1="base"', 'link1="bse"').replace('tip_link="upper"', 'tip_link="lower"')
    write(text, "robot.srdf")
    reading = read_source(write(ARM))
    unknown = [problem for problem in reading.problems if problem.kind.name == "srdf-unknown-name"]
    assert [problem.line for problem in unknown] == [3, 6, 9]  # the state then names a joint outside its group
    assert "the nearest is 'base'" in unknown[2].what
    assert reading.robot is not None and reading.robot.semantics.disabled_collisions == ()


def test_a_broken_srdf_is_an_error_where_it_was_asked_for(write: Write) -> None:
    broken = write("<robot><group", "broken.srdf")
    reading = check_robot(write(ARM), srdf=broken)
    assert reading.robot is None
    assert [problem.kind.name for problem in reading.problems] == ["srdf-broken"]


def test_a_group_of_itself_and_another_robots_srdf_are_noted(write: Write) -> None:
    text = '<robot name="other"><group name="a"><group name="b"/></group><group name="b"><group name="a"/></group></robot>'
    reading = read_source(write(ARM), srdf=write(text, "ring.srdf"))
    assert {problem.kind.name for problem in reading.problems} == {"srdf-broken", "srdf-other-robot"}
