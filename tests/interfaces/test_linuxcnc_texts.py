"""What LinuxCNC is given: the DH table, INI and HAL of a robot, and the frames between it and us."""

import importlib.util
import struct
import time
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armillary.interfaces.chapters.hil_linuxcnc import JointHistory, compare_with_linuxcnc, history_of, paper_program
from armillary.interfaces.cli.main import main
from armillary.interfaces.linuxcnc import LinuxcncMissing, Machine, linuxcnc_program, machine_of, serial_table
from armillary.interfaces.linuxcnc import process as process_module
from armillary.interfaces.linuxcnc.errors import LinuxcncProblem
from armillary.interfaces.linuxcnc.failing_line import failing_line, line_said
from armillary.interfaces.linuxcnc.hal_text import hal_text
from armillary.interfaces.linuxcnc.ini_text import ini_text
from armillary.interfaces.linuxcnc.machine import safe_path
from armillary.interfaces.linuxcnc.process import LinuxcncProcess
from armillary.interfaces.linuxcnc.sample_frame import FrameReader, encode_feedback
from armillary.interfaces.linuxcnc.serial_table import NoSerialTable
from armillary.model import load_model
from armillary.motion import limits_of, tool_pose

_FOLDER = Path(process_module.__file__).parent


@pytest.fixture(scope="module")
def cobot() -> Machine:
    model = load_model("cobot6")
    return machine_of(model, limits_of(model), tool_speed=0.25)


@pytest.fixture(scope="module")
def component() -> ModuleType:
    """The script that LinuxCNC's Python runs, as a module: it imports LinuxCNC's own only when it runs."""
    spec = importlib.util.spec_from_file_location("hal_component", _FOLDER / "hal_component.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _sections(text: str) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for line in text.splitlines():
        if line.startswith("["):
            found[line.strip("[]")] = {}
        elif "=" in line and not line.startswith("#"):
            key, _, value = line.partition("=")
            list(found.values())[-1][key.strip()] = value.strip()
    return found


class TestTheTable:
    def test_the_cobots_table_is_the_papers(self) -> None:
        rows = serial_table(load_model("cobot6")).rows
        # The paper's own has d3 = 32.5 and d4 = 136.4 about antiparallel axes: together 103.9, as here.
        assert [row.a for row in rows] == pytest.approx([0, 0, 0.436, 0.436, 0, 0], abs=1e-12)
        assert [row.alpha for row in rows] == pytest.approx([0, np.pi / 2, 0, np.pi, -np.pi / 2, np.pi / 2], abs=1e-12)
        assert [row.d for row in rows] == pytest.approx([0.1235, 0, 0, 0.1039, 0.1364, 0.0864], abs=1e-12)

    def test_it_gives_the_models_tool_everywhere(self) -> None:
        model = load_model("cobot6")
        table = serial_table(model)
        for q in np.random.default_rng(5).uniform(-3.1, 3.1, (200, 6)):
            assert np.abs(table.forward(q) - tool_pose(model, q, base=model.reference)).max() < 1e-9

    def test_a_tool_that_no_table_reaches_is_refused_and_says_what_to_do(self) -> None:
        with pytest.raises(NoSerialTable, match="--joint-mode"):
            serial_table(load_model("industrial6"))

    def test_other_than_six_joints_are_refused(self) -> None:
        with pytest.raises(NoSerialTable, match="has 9"):
            serial_table(load_model("mobile6"))

    def test_what_has_no_table_is_moved_by_joints_and_says_why(self) -> None:
        model = load_model("industrial6")
        machine = machine_of(model, limits_of(model))
        assert machine.table is None
        assert "DH table" in machine.why_joints


class TestUnits:
    @settings(deadline=None)
    @given(st.lists(st.floats(-6.0, 6.0), min_size=6, max_size=6))
    def test_degrees_and_back(self, cobot: Machine, q: list[float]) -> None:
        there = cobot.to_linuxcnc(np.array(q))
        assert there == pytest.approx(np.rad2deg(q), abs=1e-9)
        assert cobot.to_ours(there) == pytest.approx(q, abs=1e-12)

    def test_sliding_joints_are_in_millimetres(self) -> None:
        model = load_model("mobile6")
        machine = machine_of(model, limits_of(model))
        slides = [joint.name for joint in machine.joints if not joint.turns]
        for k, joint in enumerate(machine.joints):
            assert machine.scale[k] == pytest.approx(180.0 / np.pi if joint.turns else 1000.0)
        assert slides, "the mobile robot's base slides"

    def test_a_robot_with_too_many_joints_is_refused(self) -> None:
        model = load_model("inmoov")
        with pytest.raises(LinuxcncProblem, match="9 axes"):
            machine_of(model, limits_of(model))


class TestTheIni:
    def test_joints_have_the_robots_limits_in_degrees(self, cobot: Machine) -> None:
        ini = _sections(ini_text(cobot, hal="machine.hal", display="./display.py"))
        assert ini["KINS"] == {"KINEMATICS": "genserkins", "JOINTS": "6"}
        assert float(ini["JOINT_2"]["MIN_LIMIT"]) == pytest.approx(-180.0)
        assert float(ini["JOINT_0"]["MAX_VELOCITY"]) == pytest.approx(180.0, rel=1e-6)
        assert float(ini["JOINT_3"]["MAX_ACCELERATION"]) == pytest.approx(0.1 * np.rad2deg(14.0), rel=1e-6), (
            "the rest is for its jerk"
        )
        assert ini["JOINT_5"]["HOME_ABSOLUTE_ENCODER"] == "2", "it is homed where it is: nothing moves for it"
        assert ini["TRAJ"]["COORDINATES"] == "X Y Z A B C"
        assert float(ini["TRAJ"]["MAX_LINEAR_VELOCITY"]) == pytest.approx(250.0)
        assert ini["DISPLAY"]["DISPLAY"] == "./display.py"

    def test_in_joint_mode_each_letter_is_a_joint(self) -> None:
        model = load_model("cobot6")
        machine = machine_of(model, limits_of(model), joint_mode=True)
        ini = _sections(ini_text(machine, hal="machine.hal", display="./display.py"))
        assert ini["KINS"]["KINEMATICS"] == "trivkins coordinates=xyzabc kinstype=BOTH"
        assert ini["AXIS_Z"]["MAX_LIMIT"] == ini["JOINT_2"]["MAX_LIMIT"] == "180"

    def test_a_pause_that_is_borne_is_no_following_error(self) -> None:
        model = load_model("cobot6")
        strict, patient = (machine_of(model, limits_of(model), patience=patience) for patience in (0.0, 0.5))
        assert patient.joints[0].following > strict.joints[0].following + 0.49 * strict.joints[0].velocity
        assert strict.joints[0].still < patient.joints[0].still


class TestTheHal:
    def test_the_whole_text(self, cobot: Machine) -> None:
        lines = hal_text(cobot, component="component 6").splitlines()
        assert lines == (Path(__file__).parent / "linuxcnc_cobot6.hal").read_text().splitlines()

    def test_every_pin_that_is_wired_to_us_is_one_of_the_components(self, cobot: Machine) -> None:
        script = (_FOLDER / "hal_component.py").read_text()
        for line in hal_text(cobot, component="component 6").splitlines():
            for word in line.split():
                if line.startswith("net") and word.startswith("armillary."):
                    assert f'"{word.split(".")[-1]}"' in script or f'.{word.split(".")[-1]}"' in script, word

    def test_joint_mode_has_no_table(self) -> None:
        model = load_model("cobot6")
        assert "genserkins." not in hal_text(machine_of(model, limits_of(model), joint_mode=True), component="component 6")


class TestFrames:
    @settings(deadline=None)
    @given(
        st.lists(st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=3), max_size=5), st.integers(0, 2**32 - 1),
        st.integers(0, 7), st.booleans(), st.integers(1, 40),
    )  # fmt: skip
    def test_what_the_component_sends_is_what_we_read_however_it_is_cut(
        self, component: ModuleType, joints: list[list[float]], first: int, late: int, enable: bool, cut: int
    ) -> None:
        data = component.encode(first, [[*row, 1.0] for row in joints], 3, late, enable) * 2
        reader = FrameReader(3)
        frames = [frame for k in range(0, len(data), cut) for frame in reader.feed(data[k : k + cut])]
        assert len(frames) == 2
        for frame in frames:
            assert frame.joints.tolist() == joints
            assert frame.enabled.all()
            assert (frame.first, frame.overruns, frame.following, frame.user_enable) == (first, 3, late, enable)

    def test_what_is_no_frame_is_said(self) -> None:
        with pytest.raises(ValueError, match="is none"):
            FrameReader(6).feed(b"\xff" * 16)
        with pytest.raises(ValueError, match="2 samples"):
            FrameReader(6).feed(struct.pack("<IIIIHBx", 16, 2, 0, 0, 0, 0))

    def test_what_the_robot_does_is_what_the_component_reads(self, component: ModuleType) -> None:
        data = encode_feedback(np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.array([5.0, np.nan]), ok=True, faults=2)
        assert component.FEEDBACK.unpack_from(data) == (1, 2)
        assert struct.unpack_from("<6d", data, component.FEEDBACK.size) == (1.0, 2.0, 3.0, 4.0, 5.0, 0.0)
        assert len(data) == component.FEEDBACK.size + 24 * 2


class TestMistakes:
    def test_without_linuxcnc_it_says_what_installs_it(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(LinuxcncMissing, match="make peers"):
            linuxcnc_program()

    def test_a_second_linuxcnc_is_refused(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cobot: Machine
    ) -> None:  # fmt: skip
        import shutil
        import subprocess

        monkeypatch.setattr(process_module, "linuxcnc_program", lambda: "linuxcnc")
        other = tmp_path / "milltask"  # what LinuxCNC's own process is called
        shutil.copy(shutil.which("sleep") or "/bin/sleep", other)
        with subprocess.Popen([str(other), "30"]) as running:
            try:
                while Path(f"/proc/{running.pid}/comm").read_text().strip() != "milltask":
                    time.sleep(0.001)  # a process has its name a moment after it is there
                with pytest.raises(LinuxcncProblem, match=f"process {running.pid}"):
                    LinuxcncProcess(cobot)
            finally:
                running.kill()

    def test_a_folder_that_hal_cannot_name_is_refused(self) -> None:
        with pytest.raises(LinuxcncProblem, match="spaces"):
            safe_path(Path("/tmp/my folder/x"))

    def test_the_line_that_linuxcnc_names_is_taken(self) -> None:
        problem = "Linear move on line 3 fails kinematicsInverse"
        assert failing_line(Path("part.ngc"), problem, environment={}) == 3

    def test_the_line_that_its_interpreter_stops_at_is_found_by_its_text(self) -> None:
        lines = ["G91", "G0 Z5", "", " G0 Q7 W1", "G0 Z5"]
        said = "executing\nBad character 'w' used\nG0 Q7 W1\n"
        assert line_said(said, "Bad character 'w' used", lines) == 4
        assert line_said(said, "another problem", lines) == 0
        assert line_said("no\nG0 Z5\n", "no", lines) == 0, "two lines are so"

    def test_the_scripts_need_nothing_of_ours(self) -> None:
        for name in ("hal_component.py", "display_script.py"):
            text = (_FOLDER / name).read_text()
            assert "import armillary" not in text
            assert "from armillary" not in text
            compile(text, name, "exec")


class TestTheComparison:
    def test_histories_that_differ_in_time_alone_are_the_same_way(self) -> None:
        goals = np.array([[0.0, 0.0], [1.0, 0.5], [0.2, 0.9]])

        def history(ticks: int, rest: int) -> JointHistory:
            legs = [np.repeat(goals[:1], rest, axis=0)]
            for begin, end in pairwise(goals):
                share = 0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, ticks))
                legs += [begin + share[:, None] * (end - begin), np.repeat(end[None], rest, axis=0)]
            q = np.concatenate(legs)
            return history_of(np.linspace(0.0, 0.001 * (len(q) - 1), len(q)), q, goals, "it")

        slow, fast = history(900, 50), history(300, 5)
        assert slow.at_poses == pytest.approx(goals)
        assert slow.durations.sum() > 2.0 * fast.durations.sum()
        for a, b in zip(slow.ways(), fast.ways(), strict=True):
            assert np.abs(a - b).max() < 1e-3

    def test_a_pose_that_is_never_reached_is_said(self) -> None:
        q = np.linspace([0.0, 0.0], [1.0, 0.0], 100)
        with pytest.raises(LinuxcncProblem, match="LinuxCNC never comes to pose 2"):
            history_of(np.linspace(0.0, 0.099, 100), q, np.array([[0.0, 0.0], [1.0, 0.5]]), "LinuxCNC")

    def test_the_program_has_the_papers_moves(self) -> None:
        text = paper_program(3)
        assert text.count("G0 ") == 8
        assert "G0 X-200 Y-450 Z-280 A30 B75 C-75" in text
        assert "LT 3" in text

    def test_without_linuxcnc_it_is_said_before_anything_moves(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(LinuxcncMissing, match="make peers"):
            compare_with_linuxcnc()


class TestTheCommand:
    def test_without_linuxcnc(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:  # fmt: skip
        monkeypatch.setenv("PATH", str(tmp_path))
        assert main(["linuxcnc", "cobot6"]) == 2
        assert "make peers" in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("more", "said"), [(["--program", "none.ngc"], "no such file"), (["--port", "70000"], "no port 70000")]
    )  # fmt: skip
    def test_what_cannot_be(
        self, more: list[str], said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr("armillary.interfaces.linuxcnc.linuxcnc_program", lambda: "linuxcnc")
        assert main(["linuxcnc", "cobot6", *more]) == 2
        assert said in capsys.readouterr().err
