"""What every benchmark shares: options, rounds interleaved with a peer in its own environment, table and JSON.

A peer is a script in benchmarks/peers/ that runs in `.venv-peers`. It reads JSON lines {"case": ..., ...} and
answers each with {"seconds": ...}. Rounds of ours and theirs alternate, so that a busy machine slows both.
"""

import argparse
import json
import math
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PEERS_PYTHON = ROOT / ".venv-peers" / "bin" / "python"


@dataclass(frozen=True)
class Row:
    """One line of the result. `target` bounds `ratio` where there is a peer, and `ours` where there is none."""

    case: str
    metric: str
    ours: float
    peer: float | None
    peer_name: str
    target: float | None
    smaller_is_better: bool = True

    @property
    def ratio(self) -> float | None:
        return None if self.peer is None or self.peer == 0 else self.ours / self.peer

    @property
    def met(self) -> bool | None:
        if self.target is None:
            return None
        value = self.ratio if self.peer is not None else self.ours
        if value is None or math.isnan(value):
            return False
        return value <= self.target if self.smaller_is_better else value >= self.target


def options(description: str) -> argparse.Namespace:
    """`--full`, `--seed` and `--json`, as every benchmark takes them."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="the long run")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="one last line of JSON")
    return parser.parse_args()


class Peer:
    """A peer's process; None of its libraries is imported here."""

    def __init__(self, script: str) -> None:
        if not PEERS_PYTHON.exists():
            sys.exit("the peers are not installed; run: make bench-peers")
        self.process = subprocess.Popen(
            [str(PEERS_PYTHON), str(ROOT / "benchmarks" / "peers" / script)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip

    def ask(self, **request: Any) -> dict[str, Any]:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"the peer ended at {request}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


def interleaved(
    ours: Callable[[], float], theirs: Mapping[str, Callable[[], float]], rounds: int
) -> tuple[float, dict[str, float]]:
    """Medians of several rounds, ours and each of theirs in turn."""
    mine: list[float] = []
    others: dict[str, list[float]] = {name: [] for name in theirs}
    for _ in range(rounds):
        mine.append(ours())
        for name, run in theirs.items():
            others[name].append(run())
    return statistics.median(mine), {name: statistics.median(values) for name, values in others.items()}


def finish(benchmark: str, seed: int, rows: list[Row], as_json: bool) -> None:
    """Print the table, and with `--json` the one last line."""
    head = ["case", "metric", "ours", "peer", "", "ratio", "target", "met"]
    lines = [head]
    for row in rows:
        lines.append([
            row.case, row.metric, f"{row.ours:.4g}", "-" if row.peer is None else f"{row.peer:.4g}", row.peer_name,
            "-" if row.ratio is None else f"{row.ratio:.2f}", "-" if row.target is None else f"{row.target:g}",
            {True: "yes", False: "NO", None: "-"}[row.met],
        ])  # fmt: skip
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
    if as_json:
        out = []
        for row in rows:
            values = asdict(row)
            values.pop("smaller_is_better")
            out.append({**values, "ratio": row.ratio, "met": row.met})
        print(json.dumps({"benchmark": benchmark, "seed": seed, "rows": out}))
