"""What people get wrong on the command line, and damaged or odd files: one clear answer each, and nothing lost."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from armillary.interfaces.cli.main import main
from tests.conftest import ARM
from tests.interfaces.conftest import run_json

Capture = pytest.CaptureFixture[str]
Write = Callable[..., Path]
SWAPPED = ARM.replace('lower="-2" upper="2"', 'lower="2" upper="-2"')
DH = 'name = "arm"\nconvention = "modified"\n' + "".join(
    f'[[joints]]\nname = "j{i}"\na = 0.3\nalpha_deg = 90.0\nlower = -1.0\nupper = 1.0\nvelocity = 1.0\neffort = 10.0\n'
    for i in (1, 2)
)

pytestmark = pytest.mark.usefixtures("own_cache")


def refused(capsys: Capture, *arguments: str, status: int = 2) -> str:
    """What a command says that it cannot be asked."""
    assert main(list(arguments)) == status
    shown = capsys.readouterr()
    assert "Traceback" not in shown.err and "fault of ours" not in shown.err
    return shown.err


# Repairs.


def test_a_repair_writes_over_nothing_unless_told_to(write: Write, capsys: Capture, tmp_path: Path) -> None:
    path, out = write(SWAPPED), tmp_path / "kept.urdf"
    out.write_text("precious")
    assert "is there already" in (said := refused(capsys, "check", str(path), "--fix", str(out))) and "--force" in said
    assert out.read_text() == "precious"
    assert main(["check", str(path), "--fix", str(out), "--force"]) == 0
    assert "1 repair written" in capsys.readouterr().out and "<robot" in out.read_text()


def test_nothing_to_repair_writes_nothing(write: Write, capsys: Capture, tmp_path: Path) -> None:
    path, out = write(ARM), tmp_path / "fixed.urdf"
    assert main(["check", str(path), "--fix", str(out)]) == 0
    assert "nothing was written" in capsys.readouterr().out and not out.exists()
    assert run_json(capsys, "check", str(path), "--fix", str(out))["out"] is None and not out.exists()


# Collision.


def test_a_dh_table_is_read_by_collide_as_by_the_others(write: Write, capsys: Capture) -> None:
    path = str(write(DH, "mydh.toml"))
    for command in ("fk", "collide", "torque", "show"):
        assert main([command, path]) == 0, command
        assert "version" not in (shown := capsys.readouterr()).err and shown.out


def test_collide_says_when_nothing_was_checked_and_why(write: Write, capsys: Capture) -> None:
    table = str(write(DH, "mydh.toml"))
    for line in ([table], [table, "--pairs"]):
        assert main(["collide", *line]) == 0
        out = capsys.readouterr().out
        assert "nothing was checked: none of the links has a shape: base, " in out and "free" not in out
    assert "none of the links has a shape" in run_json(capsys, "collide", table)["nothing_checked"]
    for line in ([str(write(ARM))], [str(write(ARM)), "--pairs"]):
        assert main(["collide", *line]) == 0
        assert "no two parts can meet; without a shape: base" in capsys.readouterr().out
    assert run_json(capsys, "collide", "cobot6")["nothing_checked"] == ""


# Pictures and stores.


@pytest.mark.parametrize("command", [["plan", "cobot6", "--to", "zero"], ["workspace", "cobot6"], ["compare", "a", "b"]])
def test_a_picture_of_no_known_format_is_refused_before_anything_is_done(capsys: Capture, command: list[str]) -> None:
    assert ".png, .svg, .pdf" in refused(capsys, *command, "--plot", "x.docx")
    assert "no folder nowhere" in refused(capsys, *command, "--plot", "nowhere/x.png")


TEACH_ON_A_FULL_DISK = """
import resource, signal, sys
from armillary.interfaces.cli.main import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.parametrize("room", [0, 5000])
def test_a_full_disk_is_one_clear_error_to_who_teaches(tmp_path: Path, room: int) -> None:
    line = ["points", "teach", "cobot6", "here", "--q", "0 0 0 0 0 0"]
    made = subprocess.run(
        [sys.executable, "-c", TEACH_ON_A_FULL_DISK, str(room), *line], capture_output=True, text=True, timeout=120,
        env={**os.environ, "XDG_STATE_HOME": str(tmp_path / "state"), "OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip
    assert made.returncode == 2 and "cannot be made" in made.stderr and "check the disk" in made.stderr
    assert "fault of ours" not in made.stderr and not [*(tmp_path / "state").rglob("*.sqlite*")]


# What `run` is asked for.


@pytest.fixture
def nothing_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A station that is started is a failure."""

    def start(*_: object, **__: object) -> None:
        pytest.fail("a station was started")

    monkeypatch.setattr("armillary.runtime.station.Station.start", start)


@pytest.mark.usefixtures("nothing_starts")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--override", "-3"], "an override of -3 is none; give more than 0 up to 2"),
        (["--override", "0"], "an override of 0 is none"),
        (["--override", "nan"], "an override of nan is none"),
        (["--override", "2.1"], "up to 2"),
        (["--port", "70000"], "there is no port 70000"),
        (["--port", "-1", "--headless"], "there is no port -1"),
        (["--driver", "hope"], "no driver 'hope'"),
        (["--type", "klingon"], "klingon"),
        (["--start-line", "-2"], "there is no line -2"),
        (["--exit"], "--exit needs a --program"),
    ],
)
def test_what_run_is_asked_for_is_looked_at_before_anything_is_started(capsys: Capture, arguments: list[str], said: str) -> None:
    assert said in refused(capsys, "run", "cobot6", *arguments)


@pytest.mark.usefixtures("nothing_starts")
def test_a_port_that_is_taken_is_said_before_anything_is_started(capsys: Capture) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert f"port {port}: Address already in use" in refused(capsys, "run", "cobot6", "--port", port)


@pytest.mark.parametrize("name", ["none.ngc", "none.arm"])
@pytest.mark.parametrize("text", ["", "\n \r\n\t\n"])
def test_an_empty_program_is_said_to_be_empty(write: Write, capsys: Capture, name: str, text: str) -> None:
    path = str(write(text, name))
    for more in ([], ["--robot", "cobot6"]):
        assert main(["check", path, *more]) == 0
        assert "the file is empty: nothing to run" in capsys.readouterr().err
        assert run_json(capsys, "check", path, *more)["warning"] == "the file is empty: nothing to run"
    assert run_json(capsys, "check", str(write("(a comment)\n", "one.ngc")))["warning"] == ""


def test_run_warns_of_an_empty_program_before_it_starts(write: Write, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    from armillary.runtime import RuntimeProblem

    def start(*_: object, **__: object) -> None:
        raise RuntimeProblem("not here")

    monkeypatch.setattr("armillary.runtime.station.Station.start", start)
    said = refused(capsys, "run", "cobot6", "--program", str(write("", "none.arm")), "--exit")
    assert said.index("the file is empty: nothing to run") < said.index("not here")


# Files that are none.


@pytest.mark.usefixtures("nothing_starts")
@pytest.mark.parametrize(
    "command",
    [
        ["check", "pipe.ngc"], ["check", "pipe.arm", "--robot", "cobot6"], ["interpret", "pipe.ngc"], ["fmt", "pipe.arm"],
        ["run", "cobot6", "--program", "pipe.ngc"], ["run", "cobot6", "--program", "pipe.py"], ["check", "pipe.urdf"],
        ["fk", "pipe.toml"], ["run", "cobot6", "--program", "pipe.toml"], ["plot", "pipe.mcap"], ["replay", "pipe.mcap"],
        ["plot", "pipe.mcap", "--repair"], ["compare", "pipe.mcap", "pipe.mcap"], ["check", "cobot6", "--srdf", "pipe.srdf"],
        ["plan", "cobot6", "--to", "zero", "--avoid", "pipe.toml"], ["points", "import", "cobot6", "pipe.json"],
    ],
)  # fmt: skip
def test_a_pipe_is_refused_where_a_file_is_expected(capsys: Capture, tmp_path: Path, command: list[str]) -> None:
    pipes = {word for word in command if word.startswith("pipe.")}
    for name in pipes:
        os.mkfifo(tmp_path / name)
    assert "not a regular file" in refused(capsys, *command)


def test_a_mesh_that_is_a_pipe_is_a_problem_of_the_robot(write: Write, capsys: Capture, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.stl")
    path = write(ARM.replace('<cylinder radius="0.05" length="0.2"/>', '<mesh filename="pipe.stl"/>'))
    (problem,) = [one for one in run_json(capsys, "check", str(path))["problems"] if one["kind"] == "missing-mesh"]
    assert problem["what"] == "pipe.stl is not a regular file"
    assert main(["collide", str(path)]) == 0


# Programs that are no text.


def test_g_code_that_is_no_text_is_one_error(write: Write, capsys: Capture) -> None:
    for number, data in enumerate((os.urandom(4000), b"G0 X1\n\0\0\0\n", b"\x7fELF" + bytes(range(1, 32)) * 20)):
        said = refused(capsys, "check", str(write(data, f"binary_{number}.ngc")))
        assert "it is no text; give a program" in said and len(said.splitlines()) == 1


def test_a_stray_character_of_g_code_is_an_error_of_its_line(write: Write, capsys: Capture) -> None:
    path = write(b"G0 X1\n" * 50 + b"\x01G0 X2\n" + "(Größe, 尺寸)\n".encode("gb18030", "replace") * 5, "odd.ngc")
    assert f"{path}:51" in refused(capsys, "check", str(path), status=1)
    path = write("(尺寸)\nG0 X1\n".encode("gb18030") * 20, "comments.ngc")
    assert main(["check", str(path)]) == 0


# What takes long the first time.


def test_compiling_is_said_once_it_takes_longer_than_a_moment(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    from armillary.interfaces.cli import getting_ready, terminal

    now = 100.0
    monkeypatch.setattr("armillary.interfaces.cli.getting_ready.time.monotonic", lambda: now)
    monkeypatch.setattr(terminal, "_said", float("-inf"))
    line = getting_ready.GettingReady()
    line.told("quick", True)
    line.told("quick", False)
    assert capsys.readouterr().err == ""
    line.told("outer", True)
    now += 0.6
    line.told("inner", True)
    assert capsys.readouterr().err == ""
    now += 0.6
    line.told("inner", False)
    line.told("other", True)
    assert "compiled (4 functions, now other, 1 s)" in capsys.readouterr().err
    line.told("other", False)
    line.told("outer", False)


FIRST_USE = """
import sys
import numpy as np
from armillary.compiling import on_compiling
from armillary.model.compiled import compiled

heard = []
on_compiling(lambda name, begins: heard.append((name, begins)))

@compiled()
def inner(x):
    return x + 1.0

@compiled()
def outer(x):
    return inner(x) * 2.0

assert outer(1.0) == 4.0 and outer(2.0) == 6.0
print(heard)
"""


def test_what_is_compiled_is_told_and_what_was_kept_is_not(tmp_path: Path) -> None:
    script = tmp_path / "first_use.py"
    script.write_text(FIRST_USE)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "numba")}
    heard = [
        subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True, timeout=300, env=environment)
        for _ in range(2)
    ]
    assert heard[0].stdout.strip() == "[('outer', True), ('inner', True), ('inner', False), ('outer', False)]"
    assert heard[1].stdout.strip() == "[]"


# Numbers and names.


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["plan", "cobot6", "--to", "zero", "--feed", "-1"], "a feed of -1 m/s is none"),
        (["plan", "cobot6", "--to", "zero", "--feed", "nan"], "a feed of nan m/s is none"),
        (["ik", "cobot6", "--pose", "1e300 0 0 0 0 0"], "1e300 is beyond 1e+30"),
        (["ik", "cobot6", "--pose", "1e400 0 0 0 0 0"], "1e400 is beyond 1e+30"),
        (["ik", "cobot6", "--pose", "inf 0 0 0 0 0"], "inf is not finite"),
        (["check", ""], "the name is empty"),
        (["show", ""], "the name is empty"),
        (["run", "", "--headless"], "the name is empty"),
    ],
)
def test_numbers_and_names_that_are_none_are_called_what_they_are(capsys: Capture, command: list[str], said: str) -> None:
    assert said in refused(capsys, *command)


def test_limits_that_are_assumed_are_written_in_round_figures(write: Write, capsys: Capture, tmp_path: Path) -> None:
    path = write(ARM.replace('velocity="1.5"', 'velocity="0.3"'))
    assert main(["new", str(path), "--out", str(tmp_path / "cell")]) == 0
    text = (tmp_path / "cell" / "cell.toml").read_text()
    assert "acceleration = 0.6 " in text and "jerk = 6.0 " in text and "999" not in text


@pytest.mark.parametrize(
    ("share", "said"),
    [(1.0, "100 %"), (0.997, "100 %"), (12.3456, "1235 %"), (0.0951, "10 %"), (0.05123, "5.1 %"), (0.0012, "0.12 %")],
)
def test_a_torque_residual_is_said_in_plain_figures(share: float, said: str) -> None:
    from armillary.interfaces.cli.run import _residual
    from armillary.runtime.run_summary import RunSummary

    summary = RunSummary(1.0, 1.0, 0.0, "j", 0.0, {"j": share, "k": share / 2}, 0.0, 0.0, 0, ())
    assert _residual(summary) == f"{said} of the torque (RMS) at worst (j)"


@pytest.mark.parametrize(
    "fault",
    [
        "a command was 156 ms old when it came", "a tick was 141.0 ms late; 100.0 ms are borne",
        "no sign of life from the station for 500 ms", "the twin: no command for 300 ms",
    ],
)  # fmt: skip
def test_a_busy_computer_is_named_with_what_helps(fault: str) -> None:
    from armillary.interfaces.cli.fault_advice import advice_for

    assert "close other programs" in (said := advice_for(["", fault], simulated=True)) and "--lock-step" in said
    assert "--lock-step" not in (said := advice_for([fault], simulated=False)) and "real-time priority" in said
    assert "--lock-step" not in advice_for([fault], simulated=True, lock_step=True)
    assert advice_for(["joint_2: it is 0.03 away from its command"], simulated=True) == ""
