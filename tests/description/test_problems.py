"""Each kind of problem, in the smallest file that has it: found, at its line, with its repair."""

from pathlib import Path

import pytest

from armillary.description import KINDS, Severity, check_robot, read_source, repair_robot

from ..conftest import ARM


def with_arm(old: str, new: str) -> str:
    assert old in ARM, old
    return ARM.replace(old, new)


LIMIT = '<limit lower="-2" upper="2" effort="50" velocity="1.5"/>'
INERTIA = '<inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.004"/>'
CYLINDER = '<cylinder radius="0.05" length="0.2"/>'
TWO_LINKS = '<link name="a"/><link name="b"/>'
END = "</robot>"


def joint(name: str, parent: str, child: str, kind: str = "fixed", inside: str = "") -> str:
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


def more(text: str) -> str:
    """The arm with something added before its end (line 19)."""
    return ARM.replace(END, text + "\n" + END)


ROD = """<link name="{0}"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>"""


def follower(name: str, mimic: str, limit: str = LIMIT) -> str:
    axis = '<axis xyz="0 0 1"/>'
    return ROD.format(f"l_{name}") + joint(name, "base", f"l_{name}", "revolute", axis + limit + mimic)


def transmission(*, kind: str = "<type>x</type>", drives: str = "shoulder", by: str = '<actuator name="a"/>') -> str:
    named = f'<joint name="{drives}"/>' if drives else ""
    return more(f'<transmission name="t">{kind}{named}{by}</transmission>')


def geared(ratio: str) -> str:
    return f'<actuator name="a"><mechanicalReduction>{ratio}</mechanicalReduction></actuator>'


def red(rgba: str = "1 0 0 1") -> str:
    return f'<material name="m"><color rgba="{rgba}"/></material>'


SHAPE = f"<geometry>{CYLINDER}</geometry>"
SOFT = '<safety_controller k_velocity="1" soft_lower_limit="-3" soft_upper_limit="1"/>'
FOLLOWS = '<mimic joint="shoulder"/>'
FIXED = ROD.format("x") + joint("fix", "base", "x")
MASSLESS = f"<link name='x'><collision>{SHAPE}</collision></link>" + joint("j", "base", "x")

# kind, file, line (None: anywhere)
CASES: list[tuple[str, str | bytes, int | None]] = [
    ("empty-file", "", 1),
    ("empty-file", "  \n\n", 1),
    ("not-xml", "<robot name='a'>\n<link name='b'>\n</robot>", 3),
    ("not-xml", ARM[:400], None),
    ("not-xml", "what is this", 1),
    ("not-xml", ARM.replace("arm", "arm\xe9", 1).encode("latin-1"), 2),
    ("entity-declared", '<!DOCTYPE r [<!ENTITY a "b">]>\n<robot name="x"><link name="&a;"/></robot>', 1),
    ("too-large", "<robot name='a'>" + "<a>" * 300, 1),
    ("space-before-declaration", "\n  " + ARM, 1),
    ("undeclared-prefix", more("<foo:bar/>"), 19),
    ("not-a-robot", "<sdf version='1.6'/>", 1),
    ("missing-robot-name", with_arm('<robot name="arm">', "<robot>"), 2),
    ("bad-version", with_arm('name="arm"', 'name="arm" version="1.0.0"'), 2),
    ("unknown-version", with_arm('name="arm"', 'name="arm" version="3.0"'), 2),
    ("unknown-element", more("<jiont/>"), 19),
    ("duplicate-element", with_arm(LIMIT, LIMIT + LIMIT), 17),
    ("duplicate-element", with_arm('<axis xyz="0 1 0"/>', '<axis xyz="0 1 0"/><axis xyz="0 0 1"/>'), 16),
    ("duplicate-element", with_arm("</inertial>", "</inertial><inertial/>"), 9),
    ("unknown-element", with_arm("<limit ", "<limits "), 17),
    ("not-a-number", with_arm('mass value="2"', 'mass value="٢"'), 7),
    ("unknown-attribute", with_arm('<mass value="2"/>', '<mass value="2" unit="kg"/>'), 7),
    ("extension-ignored", with_arm("<robot ", "<robot xmlns:d='urn:d' ").replace(END, "<d:thing/></robot>"), 19),
    ("not-a-number", with_arm('mass value="2"', 'mass value="two"'), 7),
    ("not-a-number", with_arm('mass value="2"', 'mass value="2_0"'), 7),
    ("not-a-number", with_arm('xyz="0 0 0.3"', 'xyz="0 0 0,3 "'), 13),
    ("not-finite", with_arm('mass value="2"', 'mass value="nan"'), 7),
    ("not-finite", with_arm('xyz="0 0 0.3"', 'xyz="0 0 inf"'), 13),
    ("not-finite", with_arm('upper="2"', 'upper="1e999"'), 17),
    ("wrong-count", with_arm('xyz="0 0 0.3"', 'xyz="0 0"'), 13),
    ("comma-separated", with_arm('xyz="0 0 0.3"', 'xyz="0, 0, 0.3"'), 13),
    ("no-links", "<robot name='x'/>", 1),
    ("missing-name", with_arm('<link name="base"/>', "<link/>"), 3),
    ("duplicate-link", with_arm('<link name="base"/>', '<link name="base"/><link name="base"/>'), 3),
    ("duplicate-joint", more(joint("shoulder", "base", "x")), 19),
    ("missing-parent", with_arm('<parent link="base"/>', ""), 12),
    ("missing-child", with_arm('<child link="upper"/>', '<child lnk="upper"/>'), 15),
    ("unknown-link", with_arm('<parent link="base"/>', '<parent link="bse"/>'), 14),
    ("misnamed-child", with_arm('<child link="upper"/>', '<child link="uper"/>'), 15),
    ("two-parents", more(joint("again", "base", "upper")), 19),
    ("cycle", f"<robot name='x'><link name='r'/>{TWO_LINKS}{joint('j', 'a', 'b')}{joint('k', 'b', 'a')}</robot>", 1),
    ("cycle", f"<robot name='x'>{TWO_LINKS}{joint('j', 'a', 'a')}</robot>", 1),
    ("no-root", f"<robot name='x'>{TWO_LINKS}{joint('j', 'a', 'b')}{joint('k', 'b', 'a')}</robot>", 1),
    ("many-roots", more('<link name="alone"/>'), 2),
    ("implicit-world", f"<robot name='x'><link name='a'/>\n{joint('j', 'world', 'a')}</robot>", 2),
    ("missing-joint-type", with_arm(' type="revolute"', ""), 12),
    ("unknown-joint-type", with_arm('type="revolute"', 'type="hinge"'), 12),
    ("missing-limit", with_arm(LIMIT, ""), 12),
    ("missing-range", with_arm('lower="-2" upper="2" ', ""), 17),
    ("swapped-limits", with_arm('lower="-2" upper="2"', 'lower="2" upper="-2"'), 17),
    ("zero-range", with_arm('lower="-2" upper="2"', 'lower="1" upper="1"'), 17),
    ("missing-velocity", with_arm(' velocity="1.5"', ""), 17),
    ("zero-velocity", with_arm('velocity="1.5"', 'velocity="0"'), 17),
    ("negative-velocity", with_arm('velocity="1.5"', 'velocity="-1.5"'), 17),
    ("missing-effort", with_arm(' effort="50"', ""), 17),
    ("zero-effort", with_arm('effort="50"', 'effort="0"'), 17),
    ("negative-effort", with_arm('effort="50"', 'effort="-50"'), 17),
    ("zero-acceleration", with_arm('velocity="1.5"', 'velocity="1.5" acceleration="0"'), 17),
    ("negative-acceleration", with_arm('velocity="1.5"', 'velocity="1.5" acceleration="-5"'), 17),
    ("zero-jerk", with_arm('velocity="1.5"', 'velocity="1.5" jerk="0"'), 17),
    ("negative-jerk", with_arm('velocity="1.5"', 'velocity="1.5" jerk="-1"'), 17),
    ("degrees-smell", with_arm('velocity="1.5"', 'velocity="180"'), 17),
    ("degrees-smell", with_arm('rpy="0 0 0"', 'rpy="90 0 180"'), 13),
    ("missing-limit", with_arm('lower="-2" upper="2"', 'lower="1"'), 17),
    ("missing-range", with_arm('lower="-2" upper="2"', 'lower="-1"'), 17),
    ("missing-velocity", with_arm('type="revolute"', 'type="continuous"').replace(LIMIT, ""), 12),
    ("degrees-smell", with_arm('lower="-2" upper="2"', 'lower="-170" upper="170"'), 17),
    ("range-on-continuous", with_arm('type="revolute"', 'type="continuous"'), 17),
    ("missing-axis", with_arm('<axis xyz="0 1 0"/>', ""), 12),
    ("zero-axis", with_arm('<axis xyz="0 1 0"/>', '<axis xyz="0 0 0"/>'), 16),
    ("axis-not-unit", with_arm('<axis xyz="0 1 0"/>', '<axis xyz="0 2 0"/>'), 16),
    ("mimic-no-joint", more(follower("f", "<mimic/>")), None),
    ("mimic-unknown", more(follower("f", '<mimic joint="nobody"/>')), None),
    ("mimic-prefix", more(follower("L_f", '<mimic joint="g"/>') + follower("L_g", "") + follower("R_g", "")), None),
    ("mimic-zero", more(follower("f", '<mimic joint="shoulder" multiplier="0"/>')), None),
    ("mimic-of-fixed", more(FIXED.replace("fixed", "floating") + follower("f", '<mimic joint="fix"/>')), None),
    ("mimic-unknown", more(follower("f", '<mimic joint="g"/>') + follower("g", '<mimic joint="zzz"/>')), None),
    ("mimic-self", more(follower("f", '<mimic joint="f"/>')), None),
    ("mimic-cycle", more(follower("f", '<mimic joint="g"/>') + follower("g", '<mimic joint="f"/>')), None),
    ("mimic-of-mimic", more(follower("f", '<mimic joint="g"/>') + follower("g", FOLLOWS)), None),
    ("mimic-of-fixed", more(FIXED + follower("f", '<mimic joint="fix"/>')), None),
    ("mimic-on-fixed", more(ROD.format("x") + joint("fix", "base", "x", inside=FOLLOWS)), None),
    ("mimic-unlike", more(follower("f", '<mimic joint="shoulder"/>').replace("revolute", "prismatic")), None),
    ("mimic-out-of-range", more(follower("f", '<mimic joint="shoulder" multiplier="2"/>')), None),
    ("safety-outside", with_arm(LIMIT, LIMIT + SOFT), 17),
    ("safety-outside", with_arm(LIMIT, LIMIT + SOFT.replace("-3", "1.5")), 17),
    ("safety-incomplete", with_arm(LIMIT, LIMIT + "<safety_controller/>"), 17),
    ("negative-damping", with_arm(LIMIT, LIMIT + '<dynamics damping="-1"/>'), 17),
    ("no-inertial", more(MASSLESS), 19),
    ("missing-mass", with_arm('<mass value="2"/>', ""), 5),
    ("zero-mass", with_arm('mass value="2"', 'mass value="0"'), 7),
    ("massless-frame", more('<link name="x"><inertial><mass value="0"/></inertial></link>' + joint("j", "base", "x")), 19),
    ("negative-mass", with_arm('mass value="2"', 'mass value="-2"'), 7),
    ("missing-inertia", with_arm(INERTIA, ""), 5),
    ("zero-inertia", with_arm(INERTIA, INERTIA.replace("0.02", "0").replace("0.004", "0")), 8),
    ("inertia-not-positive", with_arm('ixx="0.02"', 'ixx="-0.02"'), 8),
    ("inertia-not-positive", with_arm('ixy="0"', 'ixy="0.03"'), 8),
    ("inertia-triangle", with_arm('izz="0.004"', 'izz="0.5"'), 8),
    ("joint-carries-no-mass", with_arm('mass value="2"', 'mass value="0"'), 12),
    ("missing-geometry", with_arm(f"<geometry>{CYLINDER}</geometry>", ""), 10),
    ("unknown-geometry", with_arm(CYLINDER, '<torus radius="1"/>'), 10),
    ("not-positive-size", with_arm(CYLINDER, '<mesh filename="a.stl" scale="0 1 1"/>'), 10),
    ("not-positive-size", with_arm('length="0.2"', 'length="-0.2"'), 10),
    ("capsule", with_arm("<cylinder", "<capsule"), 10),
    ("missing-mesh", with_arm(CYLINDER, '<mesh filename="package://nowhere/a.stl"/>'), 10),
    ("missing-mesh", with_arm(CYLINDER, '<mesh filename="a.stl"/>'), 10),
    ("missing-mesh", with_arm(CYLINDER, '<mesh filename="http://example.org/a.stl"/>'), 10),
    ("mesh-format", with_arm(CYLINDER, '<mesh filename="file:///etc/passwd"/>'), 10),
    ("path-escape", with_arm(CYLINDER, '<mesh filename="../../../../../../../../../../etc/a.stl"/>'), 10),
    ("undefined-material", with_arm("<collision>", f'<visual>{SHAPE}<material name="m"/></visual><collision>'), 10),
    ("empty-material", more('<material name="m"/>'), 19),
    ("duplicate-material", more(red() + red()), 19),
    ("conflicting-material", more(red() + red("0 0 0 1")), 19),
    ("colour-range", more(red("255 0 0 1")), 19),
    ("transmission-type", transmission(kind=""), 19),
    ("transmission-joint", transmission(drives=""), 19),
    ("transmission-actuator", transmission(by=""), 19),
    ("transmission-unknown-joint", transmission(drives="no"), 19),
    ("transmission-number", transmission(by=geared("n")), 19),
    ("transmission-zero-reduction", transmission(by=geared("0")), 19),
    ("mass-units", with_arm('mass value="2"', 'mass value="2000"').replace("0.02", "2").replace("0.004", "0.4"), 7),
    ("inertia-units", with_arm(INERTIA, INERTIA.replace("0.02", "20000").replace("0.004", "4000")), 8),
    ("length-units", with_arm('xyz="0 0 0.3"', 'xyz="0 0 300"'), 12),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "text", "line"), CASES, ids=[f"{i}-{case[0]}" for i, case in enumerate(CASES)])
def test_a_problem_is_found_at_its_line(kind: str, text: str | bytes, line: int | None, tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    reading = check_robot(path)
    found = [problem for problem in reading.problems if problem.kind.name == kind]
    assert found, [str(problem) for problem in reading.problems]
    if line is not None:
        assert found[0].line == line
    assert (reading.robot is None) == any(problem.is_error for problem in reading.problems)


def test_every_kind_that_urdf_can_have_is_tried_above() -> None:
    elsewhere = {  # tried in the tests of what makes them
        "chain-too-deep", "too-many-problems", "mesh-units", "mesh-broken", "xacro-failed", "default-limits",
        "srdf-unknown-name", "srdf-broken", "srdf-other-robot",
    }  # fmt: skip
    assert {case[0] for case in CASES} == set(KINDS) - elsewhere


def test_the_arm_itself_has_no_problems(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(ARM)
    assert read_source(path).problems == ()
    (note,) = check_robot(path).problems
    assert note.kind.name == "default-limits" and "shoulder" in note.what


@pytest.mark.parametrize(("kind", "text", "line"), CASES, ids=[f"{i}-{case[0]}" for i, case in enumerate(CASES)])
def test_a_repaired_copy_no_longer_has_what_was_repaired(kind: str, text: str | bytes, line: int | None, tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    before = check_robot(path)
    mendable = {problem.kind.name for problem in before.problems if problem.repair is not None}
    if not mendable or (before.document is not None and before.document.fault is not None):
        return
    repaired = repair_robot(path)
    copy = tmp_path / "fixed.urdf"
    copy.write_text(repaired.text)
    after = check_robot(copy)
    assert mendable.isdisjoint(problem.kind.name for problem in after.problems)
    if before.robot is not None:  # what was read as if repaired is what the repaired copy says
        assert after.robot is not None
        assert after.robot.joints == before.robot.joints


def test_swapped_limits_are_read_swapped_and_said(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(with_arm('lower="-2" upper="2"', 'lower="2" upper="-2"'))
    reading = check_robot(path)
    assert reading.robot is not None
    assert reading.robot.joint("shoulder").range == (-2.0, 2.0)
    problem = reading.problems[0]
    assert problem.repair is not None and problem.repair.applied


def test_a_mimic_of_a_mimic_follows_the_first_joint_with_both_ratios(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    first = follower("g", '<mimic joint="shoulder" multiplier="0.5" offset="0.1"/>')
    second = follower("f", '<mimic joint="g" multiplier="-2" offset="0.3"/>')
    path.write_text(more(first + second))
    robot = check_robot(path).robot
    assert robot is not None
    mimic = robot.joint("f").mimic
    assert mimic is not None
    assert (mimic.joint, mimic.multiplier) == ("shoulder", -1.0)
    assert mimic.offset == pytest.approx(-2 * 0.1 + 0.3)


def test_all_problems_are_found_in_one_pass_gravest_first(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    text = with_arm('velocity="1.5"', 'velocity="0"').replace('mass value="2"', 'mass value="-1"')
    path.write_text(text.replace('<axis xyz="0 1 0"/>', '<axis xyz="0 0 0"/>'))
    problems = check_robot(path).problems
    assert [p.kind.name for p in problems] == ["negative-mass", "zero-axis", "zero-velocity"]
    assert [p.kind.severity for p in problems] == [Severity.ERROR, Severity.ERROR, Severity.WARNING]


def test_a_repair_keeps_comments_and_layout(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    text = with_arm('lower="-2" upper="2"', 'lower="2" upper="-2"').replace(
        '<link name="base"/>', '<!-- the base -->\n\n  <link name="base"/>'
    )
    path.write_text(text)
    expected = text.replace('lower="2" upper="-2"', 'lower="-2" upper="2"')
    assert repair_robot(path).text.split() == expected.split()


def test_what_stands_before_an_xml_error_is_checked_too(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(with_arm('mass value="2"', 'mass value="nan"').replace("</robot>", "</robt>"))
    kinds = [problem.kind.name for problem in check_robot(path).problems]
    assert "not-xml" in kinds and "not-finite" in kinds


def test_an_unreadable_joint_is_reported_once_and_not_as_a_broken_tree(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(with_arm('type="revolute"', 'type="ball"'))
    assert [problem.kind.name for problem in check_robot(path).problems] == ["unknown-joint-type"]


def test_ten_thousand_problems_are_cut_off_and_said(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text("<robot name='x'>" + "<link/>" * 10_000 + "</robot>")
    problems = check_robot(path).problems
    assert len(problems) < 3000
    assert any(problem.kind.name == "too-many-problems" for problem in problems)


def test_a_robot_of_tonnes_smells_of_grams(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(with_arm('mass value="2"', 'mass value="2000"').replace("<collision>" + SHAPE + "</collision>", ""))
    (problem,) = [p for p in check_robot(path).problems if p.kind.name == "mass-units"]
    assert "weighs 2000 kg and is 0.3 m across" in problem.what


def test_a_misspelt_limit_is_not_repaired_into_none(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(with_arm("<limit ", "<limits "))
    reading = check_robot(path)
    assert reading.robot is None
    assert any("is 'limit' meant?" in problem.what for problem in reading.problems)
    assert repair_robot(path).reading.robot is None


def test_a_lost_child_is_only_taken_for_the_orphan_where_the_names_are_alike(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(with_arm('<child link="upper"/>', '<child link="zz"/>'))
    assert "unknown-link" in [problem.kind.name for problem in check_robot(path).problems]


def test_what_follows_from_another_problem_is_not_reported_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(more('<link name="x"/>' + joint("shoulder", "base", "x")))
    assert [problem.kind.name for problem in check_robot(path).problems] == ["duplicate-joint"]


def test_the_same_file_is_answered_in_the_same_order(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(with_arm('<mass value="2"/>', '<mass value="2" a="1" b="2" c="3" d="4" e="5"/>'))
    said = [problem.what for problem in check_robot(path).problems if problem.kind.name == "unknown-attribute"]
    assert said == sorted(said) and len(said) == 5


def test_a_repaired_copy_in_another_folder_still_finds_its_meshes(tmp_path: Path) -> None:
    (tmp_path / "part.stl").write_bytes(b"solid x\nvertex 0 0 0\nvertex 0.1 0 0\nvertex 0 0.1 0.1\nendsolid")
    path = tmp_path / "robot.urdf"
    text = with_arm(CYLINDER, '<mesh filename="part.stl"/>').replace('lower="-2" upper="2"', 'lower="2" upper="-2"')
    path.write_text(text)
    out = tmp_path / "out"
    out.mkdir()
    (out / "fixed.urdf").write_text(repair_robot(path, folder=out).text)
    assert [problem.kind.name for problem in check_robot(out / "fixed.urdf").problems] == ["default-limits"]


def test_a_xacro_is_repaired_as_the_urdf_it_makes_in_readable_lines(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf.xacro"
    head = '<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="p" value="2"/>'
    body = with_arm('lower="-2" upper="2"', 'lower="${p}" upper="-2"').split("\n", 2)[2]
    path.write_text(head + body)
    repaired = repair_robot(path)
    assert 'lower="-2" upper="2"' in repaired.text
    assert len(repaired.text.splitlines()) > 15
