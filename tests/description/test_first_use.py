"""What people stumble over when they first use the whole: names, folders, pipes, terminals, large broken files."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from armillary.description import InvalidCell, check_robot, open_cell, propose_groups, read_robot, read_source, repair_robot
from armillary.description.library import extra_robots_folder
from armillary.interfaces.cli.main import main

from ..conftest import ARM

Write = Callable[..., Path]
Capture = pytest.CaptureFixture[str]
needs_extra = pytest.mark.skipif(extra_robots_folder() is None, reason="the extra 'robots' is not installed")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_folder_of_a_robots_name_does_not_hide_the_robot(here: Path) -> None:
    assert main(["new", "cobot6"]) == 0
    assert main(["check", "cobot6/cell.toml"]) == 0
    assert main(["show", "cobot6"]) == 0
    # The robot in the box has a cell already: its home and limits are taken over.
    fitted = open_cell(here / "cobot6" / "cell.toml")
    assert fitted.cell.robot.name == "cobot6" and fitted.limits[0].acceleration == 7.0


def test_a_cell_made_from_a_relative_name_is_read_from_anywhere(
    here: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(ARM, "ok.urdf")
    assert main(["new", "./ok.urdf", "--out", "cell"]) == 0
    assert 'file = "../ok.urdf"' in (here / "cell" / "cell.toml").read_text()
    monkeypatch.chdir("/")
    assert open_cell(here / "cell" / "cell.toml").robot.name == "arm"


@needs_extra
def test_a_mesh_that_is_scaled_inside_its_file_is_not_taken_for_millimetres() -> None:
    assert "mesh-units" not in [problem.kind.name for problem in check_robot("anymal-kinova").problems]


@needs_extra
def test_talos_finds_its_meshes_behind_three_slashes() -> None:
    kinds = [problem.kind.name for problem in check_robot("talos_full_v2").problems]
    assert "missing-mesh" not in kinds


def test_a_cell_of_itself_is_refused(write: Write) -> None:
    path = write('version = 1\n[robot]\nfile = "self.toml"\n', "self.toml")
    with pytest.raises(InvalidCell, match="is a cell, not a robot"):
        open_cell(path)
    assert main(["show", str(path)]) == 1


def test_a_robot_named_by_dots_writes_below_the_folder(here: Path, write: Write) -> None:
    inner = here / "inner"
    inner.mkdir()
    os.chdir(inner)
    write(ARM.replace('name="arm"', 'name=".."'), "inner/dots.urdf")
    assert main(["new", "dots.urdf"]) == 0
    assert not (here / "cell.toml").exists() and (inner / "robot" / "cell.toml").exists()


def test_links_and_pipes_are_written_through(here: Path, write: Write) -> None:
    source = write(ARM)
    target = here / "real.urdf"
    target.write_text("old")
    link = here / "link.urdf"
    link.symlink_to(target)
    assert main(["export", str(source), "--out", str(link)]) == 0
    assert link.is_symlink() and target.read_text().startswith("<?xml")
    pipe = here / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(
        [sys.executable, "-c", f"print(len(open({str(pipe)!r}).read()))"], stdout=subprocess.PIPE, text=True
    )
    assert main(["export", str(source), "--out", str(pipe)]) == 0
    assert int(reader.communicate(timeout=20)[0]) > 100
    assert not pipe.is_file()


def test_a_file_is_not_exported_over_itself(write: Write) -> None:
    path = write(ARM)
    assert main(["export", str(path), "--out", str(path)]) == 2
    assert path.read_text() == ARM


def joints(count: int, parent: Callable[[int], str], inside: str = "") -> str:
    text = "".join(
        f'<link name="link_number_{i}"/><joint name="j{i}" type="fixed"><parent link="{parent(i)}"/>'
        f'<child link="link_number_{i}"/>{inside.format(i=i, before=i - 1)}</joint>'
        for i in range(1, count)
    )
    return f'<robot name="r"><link name="link_number_0"/>{text}</robot>'


TRANSMISSION = '<transmission name="t"><type>x</type><joint name="no"/><actuator name="a"/></transmission>'
RING = """<link name="a{i}"/><link name="b{i}"/>
<joint name="j{i}" type="fixed"><parent link="a{i}"/><child link="b{i}"/></joint>
<joint name="k{i}" type="fixed"><parent link="b{i}"/><child link="a{i}"/></joint>"""


@pytest.mark.parametrize(
    "text",
    [
        joints(1900, lambda i: f"lnk_number_{i - 1}"),
        joints(900, lambda _: "link_number_0", '<mimic joint="j{before}"/>').replace("fixed", "continuous"),
        '<robot name="r"><link name="l"/>' + TRANSMISSION * 15_000 + "</robot>",
        '<robot name="r"><link name="l"/><gazebo>' + "text \n" * 4_000_000 + "</gazebo></robot>",
        '<robot name="r"><link name="root"/>' + "".join(RING.format(i=i) for i in range(3000)) + "</robot>",
    ],
    ids=["misspelt parents", "mimic chain", "transmissions", "text", "rings"],
)  # fmt: skip
def test_large_broken_files_are_answered_in_seconds(text: str, write: Write) -> None:
    path = write(text)
    start = time.monotonic()
    assert check_robot(path).file == str(path)
    assert time.monotonic() - start < 8  # each took from 6 to over 100 s before


def test_the_process_that_expands_xacro_ends_with_the_one_that_asked(write: Write) -> None:
    code = "import sys, armillary.description.xacro as x; w = x._worker(); print(w.process.pid, flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        time.sleep(1.0)  # until the worker has asked the kernel
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    for _ in range(100):
        if not Path(f"/proc/{worker}").exists() or "zombie" in Path(f"/proc/{worker}/status").read_text():
            return
        time.sleep(0.1)
    pytest.fail("the worker outlived its parent")


def test_an_include_of_a_pipe_does_not_hang(write: Write, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.xacro")
    path = write(
        '<robot name="a" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include filename="pipe.xacro"/></robot>', "a.xacro"
    )
    (problem,) = check_robot(path).problems
    assert "not a regular file" in problem.what


def test_a_package_name_as_long_as_a_book_is_a_missing_mesh(write: Write) -> None:
    path = write(ARM.replace('<cylinder radius="0.05" length="0.2"/>', f'<mesh filename="package://{"a" * 300}/x.stl"/>'))
    assert "missing-mesh" in [problem.kind.name for problem in check_robot(path).problems]


def test_tables_and_cells_are_not_repaired_and_nothing_is_written(here: Path, write: Write, capsys: Capture) -> None:
    broken = write('<robot name="a" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="${x}"/></robot>', "b.xacro")
    table = write('convention = "standard"\n[[joints]]\nlower = -1\nupper = 1\n', "t.toml")
    for source, status in ((broken, 1), (table, 2)):
        assert main(["check", str(source), "--fix", "out.urdf"]) == status
        assert not (here / "out.urdf").exists()
    assert "is not repaired" in capsys.readouterr().err


NARROW = "[limits.joint_1]\nlower = -1.0\nupper = 1.0\n"
CELL = 'version = 1\n[robot]\nname = "cobot6"\n'


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ('[groups.arm]\njionts = ["joint_1"]\n', "the nearest known is 'joints'"),
        ('[driver]\nname = "phisics"\n', "nearest first, there are: physics"),
        ('[groups.a]\njoints = ["joint_1"]\nbase = "link_3"\n', "lies before the base"),
        ('[limits.joint_1]\nupper_mm = 5.0\n', "is not measured in mm"),
        (NARROW + '[groups.a]\njoints = ["joint_1"]\n[states.s]\ngroup = "a"\nq = [2.0]\n', "outside -1 to 1"),
        ('[actuation]\njoints = ["joint_1", "joint_2"]\ncoupling = [[1.0, 1.0], [1.0, 1.0]]\n', "condition number"),
        ('[actuation]\njoints = ["joint_1", "joint_1"]\n', "stands twice"),
        ('[[world]]\nname = "link_1"\nshape = "sphere"\nradius = 1.0\n', "the robot has a link 'link_1'"),
        ('[[world]]\nname = "a"\nshape = "sphere"\nradius = 1.0\n[[world]]\nname = "b"\nshape = "sphere"\n', ":8: world.radius"),
        ('[[world]]\nname = "m"\nshape = "mesh"\nfile = "cell.toml"\n', "is not a mesh"),
        ('[tool]\ninertia = [1.0, 0.0, 0.0, 1.0, 0.0, 1.0]\n', "it has no mass"),
    ],
)  # fmt: skip
def test_mistakes_in_a_cell_that_slipped_through(more: str, said: str, write: Write) -> None:
    with pytest.raises(InvalidCell, match=said):
        open_cell(write(CELL + more, "cell.toml"))


def test_a_mistake_in_a_row_of_a_table_is_reported_at_that_row(write: Write) -> None:
    rows = 'convention = "standard"\n[[joints]]\nlower = -1\nupper = 1\n[[joints]]\nname = "b"\nlower = 3\nupper = 1\n'
    with pytest.raises(InvalidCell, match=r"t\.toml:7: joints\.lower: joint 'b'"):
        read_source(write(rows, "t.toml"))


def test_a_table_in_millimetres_and_degrees_is_smelt(write: Write) -> None:
    path = write('convention = "standard"\n[[joints]]\na = 425\nalpha = 90\nlower = -180\nupper = 180\n', "t.toml")
    found = {problem.kind.name: problem.line for problem in check_robot(path).problems}
    assert found["length-units"] == 3 and "degrees-smell" in found


GROUP = '<group name="g"><joint name="shoulder"/></group>'


@pytest.mark.parametrize(
    "inside",
    [
        '<group name="g"><joint name="shoulder"/></group><group name="g"><joint name="shoulder"/></group>',
        "<group><joint name='shoulder'/></group>",
        '<group name="g"><jont name="shoulder"/></group>',
        GROUP + '<group_state name="s" group="g"><joint name="elbow" value="0"/></group_state>',
        GROUP + '<group_state name="s" group="g"><joint name="shoulder" value="9"/></group_state>',
        GROUP + '<group_state name="s" group="g"><joint name="shoulder"/></group_state>',
        '<disable_collisions link1="base" link2="base"/>',
    ],
)  # fmt: skip
def test_mistakes_in_an_srdf_that_slipped_through(inside: str, write: Write) -> None:
    write(f'<robot name="arm">{inside}</robot>', "robot.srdf")
    reading = check_robot(write(ARM))
    assert [problem for problem in reading.problems if problem.kind.name != "default-limits"]
    assert reading.robot is not None  # nobody asked for the SRDF: it keeps nobody from the robot


def test_undeclared_prefixes_are_declared_when_written(write: Write) -> None:
    from armillary.description import write_urdf

    robot = read_robot(write(ARM.replace("</robot>", "<foo:bar/></robot>")))
    assert 'xmlns:foo="' in write_urdf(robot)


@pytest.mark.parametrize("arguments", [["show"], ["check"], ["fk"]])
def test_json_is_answered_when_the_answer_is_no(arguments: list[str], write: Write, capsys: Capture) -> None:
    import json

    bad = write(ARM.replace('mass value="2"', 'mass value="-2"'))
    assert main([*arguments, str(bad), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)


def test_odd_terminals_get_an_answer() -> None:
    command = f"{sys.executable} -m armillary.interfaces.cli.main show mobile6"
    closed = subprocess.run(["bash", "-c", f"{command} >&-"], capture_output=True, text=True, check=False)
    assert "a fault of ours" not in closed.stderr
    narrow = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, check=False, env={**os.environ, "PYTHONIOENCODING": "ascii"}
    )
    assert narrow.returncode == 0 and narrow.stdout


def test_a_name_with_mathematics_in_it_is_drawn(write: Write, tmp_path: Path) -> None:
    path = write(ARM.replace('name="arm"', 'name="$x^{$"'))
    assert main(["show", str(path), "--plot", str(tmp_path / "x.png")]) == 0


def test_a_cell_beside_it_does_not_pose_another_robot(write: Write, here: Path) -> None:
    write(CELL + '[groups.a]\njoints = ["joint_1"]\n[states.home]\ngroup = "a"\nq = [0.9]\n', "cell.toml")
    assert main(["fk", str(write(ARM)), "--frame", "upper"]) == 0


def test_options_that_a_cell_says_itself_are_refused(write: Write, capsys: Capture) -> None:
    cell = write(CELL, "cell.toml")
    assert main(["check", str(cell), "--srdf", "nothing.srdf"]) == 2
    assert "says itself" in capsys.readouterr().err
    assert main(["check", str(write(ARM)), "--srdf", "nothing.srdf"]) == 2


@needs_extra
def test_groups_are_named_after_what_they_are() -> None:
    romeo = propose_groups(read_robot("romeo"))
    assert sum(len(group.joints) for group in romeo) >= 30  # the SRDF leaves half of them out
    assert all("hand" not in group.name for group in propose_groups(read_robot("go2")))


def test_words_inside_words_are_no_fingers() -> None:
    from armillary.description.proposal import _is_hand

    assert not _is_hand(("steering_joint", "spring_joint"))
    assert _is_hand(("r_index1_joint", "RightThumbJoint"))


def test_a_comment_behind_the_robot_is_kept_by_a_repair(write: Write) -> None:
    text = ARM.replace('lower="-2" upper="2"', 'lower="2" upper="-2"') + "<!-- the end -->\n"
    assert repair_robot(write(text)).text.rstrip().endswith("<!-- the end -->")
