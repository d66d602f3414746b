"""Hardware in the loop: the round trip through TCP and physics, the physics itself, a cell's appetite, and motion that lasts.

The round trip is that of a bare client with the executor's priority, who waits for each answer; its peer is an echo without
physics. The twin answers with what it measures when a command comes, and then does what it was told: what the command led to is
in the answer to the next one, and that time is given too. --full moves for ten minutes as strictly as with motors, and for ten as
`armillary run` does with a simulated robot, which waits for half a second. How often the machine itself stood still meanwhile is
counted beside that.
"""

import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from support.harness import Row, finish, options

from armillary.cell import Cell
from armillary.drivers import Command, Feedback
from armillary.drivers.physics import PhysicsDriver
from armillary.errors import ArmillaryError
from armillary.model import inverse_dynamics, load_model
from armillary.runtime import State, Tolerances
from armillary.runtime.realtime import Ticker, take_priority
from armillary.runtime.recording import Recording
from armillary.twin import Physics, TwinSettings

HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
SIMULATED = 0.5  # s that a robot which is not real waits for a command, in `armillary run`
BORNE_US = 20_000  # us without a command: then motors are stopped
FRAME = b"x" * 260  # as long as a command of six joints


def in_child(function: Any, *arguments: Any) -> Any:
    """In a process of its own, which may take priority and is gone afterwards."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        os.write(writer, json.dumps(function(*arguments)).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        found = json.loads(stream.read() or "null")
    os.waitpid(pid, 0)
    return found


def quantiles(seconds: Any) -> list[float]:
    return [float(value) for value in np.percentile(seconds, [50, 99, 99.9]) * 1e6]


def echo(seconds: float) -> list[float]:
    """Round trips of frames through loopback, without physics [us]."""
    listener = socket.create_server(("127.0.0.1", 0))
    pid = os.fork()
    if pid == 0:
        take_priority(priority=70, core=0)
        with socket.create_connection(listener.getsockname()) as back:
            back.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while data := back.recv(4096):
                back.send(data)
        os._exit(0)
    forth, _ = listener.accept()
    forth.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    take_priority()
    ticker, times = Ticker(0.001), []
    for _ in range(int(seconds * 1000)):
        ticker.wait()
        begin = time.perf_counter()
        forth.send(FRAME)
        select.select([forth], [], [], 1.0)
        forth.recv(4096)
        times.append(time.perf_counter() - begin)
    forth.close()
    os.waitpid(pid, 0)
    return quantiles(times)


def round_trips(port: int, seconds: float) -> tuple[list[float], list[float]]:
    """Round trips of commands through TCP and physics, at 1 kHz, and until the state is heard that each has led to [us]."""
    model = load_model("cobot6")
    driver = PhysicsDriver(("127.0.0.1", port), model.joints, digest=model.digest)
    driver.open()
    driver.enable()
    command, feedback, times, effects, before = Command.of(6), Feedback.of(6), list[float](), list[float](), 0.0
    take_priority()
    ticker = Ticker(0.001)
    for k in range(int(seconds * 1000)):
        ticker.wait()
        s = 0.003 * k
        command.q[:], command.v[:], command.a[:] = HOME + 0.1 * (1 - np.cos(s)), 0.3 * np.sin(s), 0.9 * np.cos(s)
        command.torque[:] = inverse_dynamics(model, command.q, command.v, command.a)
        command.number, command.time = k + 1, time.monotonic()
        begin = time.perf_counter()
        driver.write(command)
        while not (driver.read(feedback) and feedback.number >= command.number) and time.perf_counter() - begin < 0.02:
            wire = driver._wire
            if wire is not None:
                select.select([wire.socket], [], [], 0.005)
        now = time.perf_counter()
        times.append(now - begin)
        if before:
            effects.append(now - before)
        before = begin
    driver.close()
    return quantiles(times), quantiles(effects)


def trip_rows(seconds: float) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        ready, job = Path(folder) / "ready", Path(folder) / "job.json"
        job.write_text(json.dumps({"source": "cobot6", "start": HOME.tolist(), "ready_file": str(ready)}))
        with subprocess.Popen([sys.executable, "-m", "armillary.twin.server", str(job)]) as twin:
            while not ready.exists():
                time.sleep(0.05)
            mine, effects = in_child(round_trips, json.loads(ready.read_text())["port"], seconds)
            twin.terminate()
    peer = in_child(echo, seconds)
    rows = []
    for name, value, target, bare in zip(("median", "p99", "p99.9"), mine, (None, 400.0, 1000.0), peer, strict=True):
        rows.append(Row(f"round trip through TCP and physics, {name}", "us", value, None, "", target))
        rows.append(Row(f"the same beside an echo, {name}", "us", value, bare, "TCP echo", None))
    for name, value in zip(("median", "p99", "p99.9"), effects, strict=True):
        rows.append(Row(f"from a command to the state that it led to, {name}", "us", value, None, "", None))
    return rows


def physics_row() -> Row:
    """A period of the twin beside MuJoCo's own steps of the same model."""
    import mujoco

    model = load_model("cobot6")
    physics = Physics(model, TwinSettings(contacts=False), HOME)
    mine, theirs = [], []
    for _ in range(3000):
        begin = time.perf_counter()
        physics.advance()
        middle = time.perf_counter()
        mujoco.mj_step(physics._mj, physics._data, nstep=physics.steps)
        theirs.append(time.perf_counter() - middle)
        mine.append(middle - begin)
    name = f"mj_step x {physics.steps}"
    ours, peer = 1e6 * float(np.median(mine)), 1e6 * float(np.median(theirs))
    return Row("a period of physics, cobot6, median", "us", ours, peer, name, None)


def appetite(seconds: float, low_power: bool) -> float:
    """CPU that a cell uses while its robot stands [% of a core]."""
    with Cell.open("cobot6", low_power=low_power, record=False) as cell:
        time.sleep(2.5)
        pids = [int(path.read_text()) for path in cell.station.folder.glob("*.pid")]
        before = sum(_ticks(pid) for pid in pids)
        time.sleep(seconds)
        used = sum(_ticks(pid) for pid in pids) - before
    return 100.0 * used / os.sysconf("SC_CLK_TCK") / seconds


def _ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def _memory(pid: int) -> float:
    """Of a process, not shared with others [MB]."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1024.0


def _memories(cell: Cell) -> dict[str, float]:
    """Of each process of a station [MB]."""
    return {name: _memory(int(process["pid"])) for name, process in cell.station.processes.items() if process["pid"]}


def _worst_following(folder: Path) -> tuple[float, float]:
    """The worst following error while the robot moves [rad], and the worst share of what is borne at the speed that it has."""
    borne, worst, share = Tolerances(), 0.0, 0.0
    for file in folder.glob("*.mcap"):
        recording = Recording.open(file)
        moves = recording.state == int(State.MOVING)
        if moves.any():
            off = np.abs(recording.q - recording.measured_q)[moves]
            allowed = borne.following + borne.following_time * np.abs(recording.v[moves])
            worst, share = max(worst, float(off.max())), max(share, float((off / allowed).max()))
    return worst, share


@contextmanager
def stalls(core: int) -> Iterator[list[float]]:
    """How often and how long the machine itself stood still meanwhile, as cyclictest sees it from above everything here [ms]."""
    found: list[float] = []
    if shutil.which("cyclictest") is None:
        yield found
        return
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        command = ["cyclictest", "-p90", "-i1000", "-t1", f"-a{core}", "-m", "-q", f"-h{BORNE_US}", f"--json={file.name}"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
            try:
                yield found
            finally:
                running.send_signal(signal.SIGINT)  # it writes down what it has seen
                running.wait(10.0)
        thread = json.loads(Path(file.name).read_text())["thread"]["0"]
    found += [float(thread["cycles"]) - sum(thread["histogram"].values()), 1e-3 * float(thread["max"])]


def lasting_rows(seconds: float, seed: int, patience: float) -> list[Row]:
    """Random proven motions in the twin, one after the other.

    Args:
        patience: How long the twin waits for a command [s]; 0 for its own 20 ms.
    """
    rng, faults, motions = np.random.default_rng(seed), 0, 0
    with (
        tempfile.TemporaryDirectory() as folder,
        Cell.open("cobot6", recordings=folder, patience=patience) as cell,
        stalls((os.cpu_count() or 1) - 1) as still,
    ):
        begin, memory = time.monotonic(), dict[str, float]()
        while time.monotonic() - begin < seconds:
            goal = HOME + rng.uniform(-0.8, 0.8, 6)
            try:
                cell.move_joints(goal)
                motions += 1
            except ArmillaryError as error:
                if cell.state.fault:
                    print(f"a fault: {error}")
                    faults += 1
                    cell.reset()
            if not memory and time.monotonic() - begin > 0.3 * seconds:
                memory = _memories(cell)
        after = _memories(cell)
        late = cell.statistics()["lateness"]
        cell.close()
        following, share = _worst_following(Path(folder))
    span = f"{seconds:.0f} s of random motion, {1e3 * (patience or 0.02):.0f} ms borne"
    rows = [
        Row(f"{span}: motions", "motions", float(motions), None, "", None),
        Row(f"{span}: faults", "faults", float(faults), None, "", 0.0),
        Row(f"{span}: following error, worst", "mrad", 1e3 * following, None, "", None),
        Row(
            f"{span}: following error, worst share of what is borne",
            "%",
            100.0 * share,
            None,
            "",
            100.0 if not patience else None,
        ),
        Row(f"{span}: lateness, p99", "us", 1e6 * late["p99"], None, "", None),
    ]
    for name in sorted(after):
        grown = max(after[name] - memory.get(name, after[name]), 0.0)
        target = 1.0 if name == "executor" else None
        rows.append(Row(f"{span}: memory of the {name}", "MB", after[name], None, "", None))
        rows.append(Row(f"{span}: memory of the {name} grown in the last 70 %", "MB", grown, None, "", target))
    if still:
        rows.append(Row(f"{span}: stalls of the machine over 20 ms", "stalls", still[0], None, "cyclictest", None))
        rows.append(Row(f"{span}: longest stall of the machine", "ms", still[1], None, "cyclictest", None))
    return rows


def main() -> None:
    opts = options(__doc__ or "")
    rows = trip_rows(20.0 if opts.full else 4.0)
    rows.append(physics_row())
    for low_power in (False, True):
        name = "low power" if low_power else "real time"
        used = appetite(10.0 if opts.full else 3.0, low_power)
        rows.append(Row(f"CPU of a cell whose robot stands, {name}", "% of a core", used, None, "", None))
    for patience in (0.0, SIMULATED):
        rows += lasting_rows(600.0 if opts.full else 6.0, opts.seed, patience)
    finish("hil", opts.seed, rows, opts.json)


if __name__ == "__main__":
    main()
