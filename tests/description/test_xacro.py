"""xacro: macros, properties, arguments and includes, with every problem at its place in the sources."""

from collections.abc import Callable
from pathlib import Path

import pytest

from armillary.description import UntrustedXacro, XacroFailed, check_robot, read_robot
from armillary.description.xacro import expand_xacro

Write = Callable[..., Path]
NS = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'

MACRO = f"""<robot {NS}>
  <xacro:macro name="wheel" params="side mass:=1.0">
    <link name="${{side}}_wheel">
      <inertial>
        <mass value="${{mass}}"/>
        <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
      </inertial>
    </link>
    <joint name="${{side}}_joint" type="continuous">
      <parent link="base"/>
      <child link="${{side}}_wheel"/>
      <axis xyz="0 1 0"/>
    </joint>
  </xacro:macro>
</robot>
"""
TOP = f"""<robot name="cart" {NS}>
  <xacro:arg name="mass" default="2"/>
  <xacro:property name="sides" value="${{['left', 'right']}}"/>
  <xacro:include filename="wheel.xacro"/>
  <link name="base"/>
  <xacro:wheel side="left" mass="$(arg mass)"/>
  <xacro:wheel side="${{sides[1]}}" mass="${{2 * 3}}"/>
</robot>
"""


def test_macros_arguments_properties_and_includes_are_expanded(write: Write) -> None:
    write(MACRO, "wheel.xacro")
    path = write(TOP, "cart.urdf.xacro")
    robot = read_robot(path)
    assert [joint.name for joint in robot.joints] == ["left_joint", "right_joint"]
    assert robot.mass == 8.0
    assert read_robot(path, args={"mass": "5"}).mass == 11.0


def test_a_problem_inside_a_macro_is_reported_in_the_macros_file(write: Write) -> None:
    inner = write(MACRO.replace('ixx="1"', 'ixx="-1"'), "wheel.xacro")
    found = [p for p in check_robot(write(TOP, "cart.xacro")).problems if p.kind.name == "inertia-not-positive"]
    assert [(problem.file, problem.line) for problem in found] == [(str(inner), 6), (str(inner), 6)]


def test_xacro_inside_a_file_named_urdf_is_expanded_too(write: Write) -> None:
    write(MACRO, "wheel.xacro")
    assert read_robot(write(TOP, "cart.urdf")).mass == 8.0


def test_packages_are_found_by_their_folder_name_and_by_what_the_user_says(write: Write, tmp_path: Path) -> None:
    write(MACRO, "robots/my_parts/urdf/wheel.xacro")
    top = write(TOP.replace('"wheel.xacro"', '"$(find my_parts)/urdf/wheel.xacro"'), "robots/cart/urdf/cart.xacro")
    assert read_robot(top).mass == 8.0
    other = tmp_path / "elsewhere" / "under_another_name"
    (other / "urdf").mkdir(parents=True)
    (other / "urdf" / "wheel.xacro").write_text(MACRO.replace("mass:=1.0", "mass:=1.0 x:=1"))
    assert read_robot(top, packages={"my_parts": other}).mass == 8.0


@pytest.mark.parametrize(
    ("inside", "line", "said"),
    [
        ("\n<link name='$(arg nobody)'/>", 2, "--arg nobody:=VALUE"),
        ("\n\n<xacro:include filename='$(find no_such_package)/x.xacro'/>", 3, "--package no_such_package=DIR"),
        ("\n<xacro:include filename='not_there.xacro'/>", 2, "not_there.xacro"),
        ("\n<link name='${1 + nothing}'/>", 2, "nothing"),
        ("\n<xacro:no_such_macro/>", 2, "no_such_macro"),
    ],
)
def test_a_failure_says_file_line_and_what_to_do(inside: str, line: int, said: str, write: Write) -> None:
    path = write(f"<robot name='x' {NS}>{inside}</robot>", "robot.xacro")
    with pytest.raises(XacroFailed) as caught:
        expand_xacro(path)
    assert caught.value.line == line
    assert said in str(caught.value) and str(path) in str(caught.value)
    (problem,) = check_robot(path).problems
    assert (problem.kind.name, problem.line) == ("xacro-failed", line)


def test_only_local_files_are_expanded() -> None:
    with pytest.raises(UntrustedXacro):
        expand_xacro("http://example.org/a.xacro")  # type: ignore[arg-type]


def test_a_library_of_macros_is_told_so(write: Write) -> None:
    (problem,) = check_robot(write(MACRO.replace("<robot", "<robot name='lib'"), "lib.xacro")).problems
    assert problem.kind.name == "no-links" and "library" in problem.kind.remedy


def test_a_file_named_xacro_py_in_the_users_folder_is_not_run(
    write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import armillary.description.xacro as module

    module._stop_worker()
    write("raise SystemExit(3)", "xacro.py")
    monkeypatch.chdir(tmp_path)
    assert read_robot(write(f"<robot name='x' {NS}><link name='${{1}}'/></robot>", "a.xacro")).links[0].name == "1"
