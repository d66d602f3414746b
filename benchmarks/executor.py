"""The executor's punctuality and the work of a tick, beside cyclictest (Debian's rt-tests) at the same period and priority.

Runs of both alternate. While the executor is measured it moves an ideal robot back and forth, and everything is recorded; then
the same with the pendant's server and viewers at it, and with robots of 7 and of 29 joints. The work of a tick is reading,
watching, sampling, checking and writing; that of a cycle also hears orders before it, and tells and records behind it. --full
runs longer.
"""

import json
import multiprocessing
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from support.harness import Row, finish, options
from support.viewers import enter, watch

from armillary.cell import Cell
from armillary.errors import ArmillaryError
from armillary.model import load_model

HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
AWAY = HOME + np.array([1.2, -0.3, 0.4, 0.2, 0.3, 0.6])
PANDA_ARM = """
version = 1
name = "panda without its fingers"
[robot]
name = "panda"
[groups.arm]
joints = ["panda_joint1", "panda_joint2", "panda_joint3", "panda_joint4", "panda_joint5", "panda_joint6", "panda_joint7"]
tip = "panda_link8"
"""
VIEWERS = 10  # of the pendant, each with 60 states a second


def cyclictest(seconds: float) -> dict[str, float]:
    """Latencies of C at the same period and priority, on the same core [us]."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        loops = int(seconds * 1000)
        command = ["cyclictest", "-p80", "-i1000", "-t1", "-a1", "-m", "-q", f"-l{loops}", "-h20000", f"--json={file.name}"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        thread = json.loads(Path(file.name).read_text())["thread"]["0"]
    counts = {int(us): int(count) for us, count in thread["histogram"].items()}
    total, seen, found = sum(counts.values()), 0, dict[str, float]()
    for us in sorted(counts):
        seen += counts[us]
        for name, share in (("p50", 0.5), ("p99", 0.99), ("p999", 0.999)):
            if name not in found and seen >= share * total:
                found[name] = float(us)
    late = sum(count for us, count in counts.items() if us >= 1000) + int(thread.get("cycles", total) - total)
    return {**found, "most": float(thread["max"]), "missed": float(late)}


def ours(source: str, seconds: float, *, load: bool = False, group: str = "") -> dict[str, Any]:
    """The executor's, while the robot moves and everything is recorded [us]. load: With a pendant that is looked at."""
    pendant = {"port": 0} if load else None
    with (
        tempfile.TemporaryDirectory() as folder,
        Cell.open(source, group=group, driver="ideal", recordings=folder, pendant=pendant) as cell,
    ):
        viewers, heard = None, multiprocessing.Queue()  # type: Any, Any
        if load:
            address = cell.station.pendant["address"]
            cookie = enter(address, cell.station.pendant["link"])
            url = address.replace("http://", "ws://") + "/ws"
            viewers = multiprocessing.Process(target=watch, args=(url, cookie, VIEWERS, seconds + 2.0, heard))
            viewers.start()
            time.sleep(1.5)
        try:
            q = cell.state.q
            goals = (HOME, AWAY) if source == "cobot6" else (q, _further(cell, q))
            cell.statistics()
            end, turn = time.monotonic() + seconds, 0
            faults = 0
            while time.monotonic() < end:
                try:
                    cell.move_joints(goals[turn % 2])
                    turn += 1
                except ArmillaryError as error:  # a virtual machine may be stopped by its host for longer than is borne
                    print(f"a fault: {error}")
                    faults += 1
                    cell.reset()
            return {**cell.statistics(), "faults": faults}
        finally:
            if viewers is not None:
                print(f"{VIEWERS} viewers heard at least {min(heard.get(timeout=30.0)):.0f} states a second")
                viewers.join()


def _further(cell: Cell, q: Any) -> Any:
    """A configuration near to where it stands, inside the limits, that it can go to without touching itself."""
    span = np.minimum(cell.model.upper - cell.model.lower, 1.0)
    return np.clip(q + 0.05 * span, cell.model.lower + 1e-3 * span, cell.model.upper - 1e-3 * span)


def compare(rounds: int, seconds: float, load: bool, have: bool) -> list[Row]:
    """Runs of both, one after the other: each alone on its core, neither in the other's way."""
    theirs, mine = [], []
    for _ in range(rounds):
        mine.append(ours("cobot6", seconds, load=load))
        if have:
            theirs.append(cyclictest(seconds))
    under = ", with viewers" if load else ""
    name, rows = "cyclictest" if have else "", list[Row]()
    for key, label in (("p50", "median"), ("p99", "p99"), ("p999", "p99.9"), ("most", "latest")):
        value = float(np.median([run["lateness"][key] for run in mine])) * 1e6
        peer = float(np.median([run[key] for run in theirs])) if have else None
        target = 1.0 if have and key == "p99" else None
        rows.append(Row(f"lateness{under}, {label}, median of {rounds} runs", "us", value, peer, name, target))
    missed = float(sum(sum(run["lateness"]["bins"][54:]) for run in mine))  # a millisecond and more
    peer = sum(run["missed"] for run in theirs) if have else None
    rows.append(Row(f"missed ticks{under} in {rounds} runs", "ticks", missed, peer, name, 1.0 if have else None))
    rows.append(Row(f"faults{under}", "faults", float(sum(run["faults"] for run in mine)), None, "", 0.0))
    if not load:
        print(mine[-1]["granted"])
        rows += work("6 joints", mine, 100.0)  # the target is that for seven
    return rows


def work(what: str, runs: list[dict[str, Any]], target: float) -> list[Row]:
    """The work of a tick, as a whole and by step."""
    rows = []
    for key, label in (("p50", "median"), ("p99", "p99"), ("p999", "p99.9")):
        value = float(np.median([run["work"][key] for run in runs])) * 1e6
        rows.append(Row(f"work of a tick, {what}, {label}", "us", value, None, "", target if key == "p99" else None))
    for key, label in (("p50", "median"), ("p99", "p99"), ("p999", "p99.9")):
        value = float(np.median([run["cycle"][key] for run in runs])) * 1e6
        rows.append(Row(f"work of a whole cycle, {what}, {label}", "us", value, None, "", None))
    for step in ("read", "guard", "sample", "limit", "write", "hear", "say"):
        value = float(np.median([run[step]["p99"] for run in runs])) * 1e6
        rows.append(Row(f"step '{step}', {what}, p99", "us", value, None, "", None))
    rows.append(Row(f"overruns, {what}", "ticks", float(sum(run["overruns"] for run in runs)), None, "", 0.0))
    return rows


def main() -> None:
    opts = options(__doc__ or "")
    seconds, rounds, loaded = (8.0, 5, 5) if opts.full else (1.5, 5, 1)
    have = shutil.which("cyclictest") is not None
    if not have:
        print("cyclictest is not installed (make peers): no peer")
    rows = compare(rounds, seconds, False, have)
    rows += compare(loaded, seconds, True, have)
    with tempfile.TemporaryDirectory() as folder:
        arm = Path(folder) / "cell.toml"
        arm.write_text(PANDA_ARM)
        for source, group, joints, target in ((str(arm), "arm", 7, 100.0), ("g1_29dof_rev_1_0", "", 29, 150.0)):
            try:
                found = load_model(source, group=group or None).n
            except ArmillaryError:
                print(f"no robot of {joints} joints is installed (the extra 'robots')")
                continue
            assert found == joints
            rows += work(f"{found} joints", [ours(source, seconds, group=group)], target)
    finish("executor", opts.seed, rows, opts.json)


if __name__ == "__main__":
    main()
