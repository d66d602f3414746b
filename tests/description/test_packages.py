from collections.abc import Callable
from pathlib import Path

import pytest

from armillary.description.packages import PackageFinder

Write = Callable[..., Path]


def test_a_package_is_found_by_folder_by_manifest_beside_and_in_a_repository_beside(write: Write, tmp_path: Path) -> None:
    robot = write("", "ws/src/arm_repo/arm_description/urdf/arm.urdf")
    write("<package><name>renamed</name></package>", "ws/src/arm_repo/arm_description/package.xml")
    write("", "ws/src/arm_repo/arm_gripper/x")
    write("", "ws/src/other_repo/other_pkg/x")
    write("", "ws/src/same/same/x")
    finder = PackageFinder(robot)
    src = tmp_path / "ws" / "src"
    assert finder.package("arm_description") == src / "arm_repo" / "arm_description"
    assert finder.package("renamed") == src / "arm_repo" / "arm_description"
    assert finder.package("arm_gripper") == src / "arm_repo" / "arm_gripper"
    assert finder.package("other_pkg") == src / "other_repo" / "other_pkg"
    assert finder.package("same") == src / "same" / "same"
    assert finder.package("nowhere_to_be_found") is None


def test_the_environment_of_ros_is_searched(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("", "ros/pkg_one/x")
    write("", "ament/share/pkg_two/x")
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path / "ros"))
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "ament"))
    finder = PackageFinder(write("", "deep/er/robot.urdf"))
    assert finder.package("pkg_one") == tmp_path / "ros" / "pkg_one"
    assert finder.package("pkg_two") == tmp_path / "ament" / "share" / "pkg_two"


def test_meshes_are_found_by_every_way_of_naming_them(write: Write) -> None:
    mesh = write("x", "pkg/meshes/a b.stl")
    finder = PackageFinder(write("", "pkg/urdf/robot.urdf"))
    for name in ("package://pkg/meshes/a b.stl", "package://pkg/meshes/a%20b.stl", "../meshes/a b.stl",
                 f"file://{mesh}", str(mesh), "..\\meshes\\a b.stl", "model://pkg/meshes/a b.stl"):  # fmt: skip
        assert finder.mesh(name).path == str(mesh), name


def test_a_name_in_the_wrong_case_is_hinted_at(write: Write) -> None:
    write("x", "pkg/meshes/Arm.STL")
    found = PackageFinder(write("", "pkg/urdf/robot.urdf")).mesh("package://pkg/meshes/arm.stl")
    assert found.path is None and "'Arm.STL' is" in found.what
