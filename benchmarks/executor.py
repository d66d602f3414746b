"""The executor's punctuality and the work of a tick, beside cyclictest (Debian's rt-tests) at the same period and priority.

Runs of both alternate. While the executor is measured it moves an ideal robot back and forth. --full runs longer.
"""

import json
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

from armillary.model import load_model
from armillary.motion import plan_joints
from armillary.runtime import Link, State

HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
AWAY = HOME + np.array([1.2, -0.3, 0.4, 0.2, 0.3, 0.6])


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


def ours(link: Link, seconds: float) -> dict[str, Any]:
    """The executor's, while the robot moves [us]."""
    model = link.model
    link.statistics()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        here = link.state["q"].copy()
        goal = AWAY if np.abs(here - HOME).max() < 0.1 else HOME
        plan = plan_joints(model, here, goal)
        link.run(plan.trajectory, plan.certificate)
        link.wait(State.MOVING)
        link.wait(State.READY)
    return link.statistics()


def main() -> None:
    opts = options(__doc__ or "")
    seconds, rounds = (20.0, 5) if opts.full else (3.0, 5)
    have = shutil.which("cyclictest") is not None
    rows: list[Row] = []
    theirs, mine = [], []
    model = load_model("cobot6")
    for _ in range(rounds):  # one after the other, each alone on its core: neither is in the other's way
        with Link("cobot6", model, HOME) as link:
            granted = link.granted
            link.order("power_on")
            link.order("initialise")
            link.wait(State.READY)
            mine.append(ours(link, seconds))
        if have:
            theirs.append(cyclictest(seconds))
    print(granted)
    name = "cyclictest" if have else ""
    if not have:
        print("cyclictest is not installed (make peers): no peer")
    for key, label in (("p50", "median"), ("p99", "p99"), ("p999", "p99.9"), ("most", "latest")):
        value = float(np.median([run["lateness"][key] for run in mine])) * 1e6
        peer = float(np.median([run[key] for run in theirs])) if have else None
        target = 1.0 if have and key == "p99" else None
        rows.append(Row(f"lateness of a tick, {label}, median of {rounds} runs", "us", value, peer, name, target))
    missed = float(sum(sum(run["lateness"]["bins"][54:]) for run in mine))  # a millisecond and more
    rows.append(
        Row(f"missed ticks in {rounds} runs", "ticks", missed, sum(run["missed"] for run in theirs) if have else None, name, None)
    )
    for key, label in (("p50", "median"), ("p99", "p99"), ("p999", "p99.9")):
        value = float(np.median([run["work"][key] for run in mine])) * 1e6
        rows.append(Row(f"work of a tick, 6 joints, {label}", "us", value, None, "", 100.0 if key == "p99" else None))
    for step in ("read", "guard", "sample", "limit", "write"):
        value = float(np.median([run[step]["p99"] for run in mine])) * 1e6
        rows.append(Row(f"step '{step}', p99", "us", value, None, "", None))
    rows.append(Row("overruns", "ticks", float(sum(run["overruns"] for run in mine)), None, "", 0.0))
    finish("executor", opts.seed, rows, opts.json)


if __name__ == "__main__":
    main()
