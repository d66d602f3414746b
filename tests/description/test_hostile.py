"""Files made to break a reader: refused quickly and clearly, whatever they try."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from armillary.description import DescriptionError, UnreadableFile, XacroFailed, check_robot, read_robot
from armillary.description.urdf.tree import MAX_CHAIN
from armillary.description.xacro import expand_xacro

from ..conftest import ARM

Write = Callable[..., Path]


def kinds(path: Path) -> list[str]:
    start = time.monotonic()
    found = [problem.kind.name for problem in check_robot(path).problems if problem.kind.name != "default-limits"]
    assert time.monotonic() - start < 20  # a hang, not a benchmark
    return found


def test_an_entity_bomb_expands_nothing(write: Write) -> None:
    entities = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10 if i else "ha"}">' for i in range(12))
    path = write(f'<!DOCTYPE r [{entities}]><robot name="&e11;"><link name="a"/></robot>')
    assert kinds(path) == ["entity-declared"]


def test_an_external_entity_reads_no_file(write: Write) -> None:
    path = write('<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/hostname">]><robot name="&x;"><link name="a"/></robot>')
    assert kinds(path) == ["entity-declared"]
    path = write('<!DOCTYPE r SYSTEM "http://127.0.0.1:9/x.dtd"><robot name="x"><link name="a"/></robot>')
    assert kinds(path) == ["entity-declared"]


def test_entities_in_a_xacro_are_not_expanded_either(write: Write) -> None:
    path = write('<!DOCTYPE r [<!ENTITY x "y">]><robot name="&x;"/>', "r.xacro")
    assert kinds(path) == ["entity-declared"]
    inner = write('<!DOCTYPE r [<!ENTITY x "y">]><robot><link name="&x;"/></robot>', "inner.xacro")
    path = write(
        f'<robot name="a" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include filename="{inner}"/></robot>',
        "outer.xacro",
    )
    assert kinds(path) == ["xacro-failed"]


@pytest.mark.slow
def test_a_hundred_megabytes_of_junk_are_not_read(write: Write) -> None:
    path = write(b"\x00\xff<a>" * 20_000_000)
    with pytest.raises(UnreadableFile, match="100 MB"):
        check_robot(path)


def test_junk_below_the_size_limit_is_not_xml(write: Write) -> None:
    assert kinds(write(bytes(range(256)) * 40_000)) == ["not-xml"]


def test_a_chain_of_ten_thousand_joints_is_refused(write: Write) -> None:
    parts = ["<robot name='snake'><link name='l0'/>"]
    for i in range(1, 10_001):
        parts.append(f"<link name='l{i}'/><joint name='j{i}' type='fixed'><parent link='l{i - 1}'/><child link='l{i}'/></joint>")
    assert "chain-too-deep" in kinds(write("".join(parts) + "</robot>"))


def test_a_chain_as_long_as_allowed_is_read(write: Write) -> None:
    parts = ["<robot name='snake'><link name='l0'/>"]
    for i in range(1, MAX_CHAIN + 1):
        parts.append(f"<link name='l{i}'/><joint name='j{i}' type='fixed'><parent link='l{i - 1}'/><child link='l{i}'/></joint>")
    robot = read_robot(write("".join(parts) + "</robot>"))
    assert len(robot.path_from_root(f"l{MAX_CHAIN}")) == MAX_CHAIN
    assert len(list(robot.walk())) == MAX_CHAIN + 1


def test_elements_nested_ten_thousand_deep_are_refused(write: Write) -> None:
    assert kinds(write("<robot name='x'>" + "<a>" * 10_000 + "</a>" * 10_000 + "</robot>"))[0] == "too-large"


def test_half_a_million_elements_are_refused(write: Write) -> None:
    assert kinds(write("<robot name='x'>" + "<a/>" * 500_000 + "</robot>"))[0] == "too-large"


@pytest.mark.parametrize(
    "filename",
    [
        "package://evil/../../../../../../../../etc/a.stl",
        "../../../../../../../../../../../../../etc/a.stl",
        "meshes/../../../../../../../../../../etc/a.stl",
        "..\\..\\..\\..\\..\\..\\..\\..\\..\\..\\etc\\a.stl",
        "package://evil/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/a.stl",
    ],
)
def test_a_mesh_may_not_climb_out_of_its_package(filename: str, write: Write) -> None:
    write("<package><name>evil</name></package>", "package.xml")
    path = write(ARM.replace('<cylinder radius="0.05" length="0.2"/>', f'<mesh filename="{filename}"/>'))
    assert kinds(path) == ["path-escape"]


def test_a_package_name_may_not_be_a_path(write: Write) -> None:
    path = write(ARM.replace('<cylinder radius="0.05" length="0.2"/>', '<mesh filename="package://../a.stl"/>'))
    assert kinds(path) == ["missing-mesh"]


XACRO = '<robot name="a" xmlns:xacro="http://www.ros.org/wiki/xacro">{}</robot>'


@pytest.mark.parametrize(
    "inside",
    [
        '<link name="${9**9**9}"/>',
        '<link name="${[0]*10**10}"/>',
        '<xacro:macro name="m"><xacro:m/></xacro:macro><xacro:m/>',
        '<xacro:property name="a" value="${b}"/><xacro:property name="b" value="${a}"/><link name="${a}"/>',
        '<xacro:include filename="robot.xacro"/>',
        "<link name=\"${__import__('os').system('touch TRACE')}\"/>",
        '<link name="${().__class__.__bases__[0].__subclasses__()}"/>',
    ],
    ids=["power", "memory", "macro", "property", "include", "import", "subclasses"],
)
def test_a_xacro_that_does_not_end_or_reaches_out_is_refused(inside: str, write: Write, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    path = write(XACRO.format(inside.replace("TRACE", str(trace))), "robot.xacro")
    with pytest.raises(XacroFailed):
        expand_xacro(path, timeout=2.0)
    assert not trace.exists()


def test_after_a_killed_expansion_the_next_one_works(write: Write) -> None:
    bad = write(XACRO.format('<link name="${9**9**9}"/>'), "bad.xacro")
    with pytest.raises(DescriptionError, match=r"still expanding after 0\.5 s"):
        expand_xacro(bad, timeout=0.5)
    good = write(XACRO.format('<link name="${1+1}"/>'), "good.xacro")
    assert read_robot(good).links[0].name == "2"


@pytest.mark.parametrize("address", ["http://example.org/robot.urdf", "file:///etc/passwd", "ftp://x/y.xacro"])
def test_addresses_are_not_read(address: str) -> None:
    with pytest.raises(DescriptionError, match="only files on this machine"):
        check_robot(address)


def test_folders_devices_and_odd_names_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="is a folder"):
        check_robot(tmp_path)
    with pytest.raises(UnreadableFile, match="not a regular file"):
        check_robot(Path("/dev/zero"))
    with pytest.raises(DescriptionError):
        check_robot("a\0b.urdf")
    with pytest.raises(DescriptionError):
        check_robot("x" * 5000)
