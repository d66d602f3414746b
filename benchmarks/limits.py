"""Whether limits hold: random motions of every profile, each judged by the exact extrema of its polynomials.

Ours may exceed no limit by more than 1e-9 of it. Beside it, on the same problems, what the libraries that others use as they
come go over: raw ruckig (judged by its own positions, 1 ms apart, differentiated) and raw toppra with its automatic grid (its own
velocity and acceleration, 2000 samples a path). --full makes a million motions, the default 4000.
"""

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from support.harness import Peer, Row, finish, options
from support.random_motions import PROFILES, draw, solve
from support.raw_ruckig import raw_ruckig

# Of a thousand motions: those that are made fastest are made most often.
SHARES = {"quintic": 400, "lspb": 250, "jerk": 200, "line": 75, "time_optimal": 50, "spline": 12, "polyline": 13}
ALLOWED = 1e-9


def judge(task: tuple[str, int, int]) -> tuple[str, int, float, float, list[str]]:
    """A run of motions of one profile: how many, what was exceeded most, what was missed most, and what went wrong."""
    profile, first, count = task
    over = missed = -1.0
    wrong = []
    for seed in range(first, first + count):
        try:
            motion = solve(seed, profile)
        except Exception as error:  # whatever it is, it is to be counted
            wrong.append(f"{profile}, seed {seed}: {type(error).__name__}: {error}")
            continue
        over, missed = max(over, motion.over), max(missed, motion.missed)
        if not motion.over <= ALLOWED or not motion.missed < 1e-6:
            wrong.append(f"{profile}, seed {seed}: over by {motion.over:.3g}, missed by {motion.missed:.3g}")
    return profile, count, over, missed, wrong


def over_by_ruckig(seeds: range) -> float:
    """What raw ruckig goes over a limit by at most, on the problems of "jerk"; relative."""
    worst = 0.0
    for seed in seeds:
        limits, planned = raw_ruckig(seed)
        for t in np.linspace(0, planned.duration, 200):
            _, v, a = planned.at_time(float(t))
            worst = max(worst, float((np.abs(v) / limits.velocity).max()) - 1, float((np.abs(a) / limits.acceleration).max()) - 1)
    return worst


def main() -> None:
    opts = options(__doc__ or "")
    total = 1_000_000 if opts.full else 4000
    begin = opts.seed * 10_000_000
    tasks = []
    for profile in PROFILES:
        count = total * SHARES[profile] // 1000
        size = max(1, min(500, count // 8))
        tasks += [(profile, begin + first, min(size, count - first)) for first in range(0, count, size)]
    counts, over, missed, wrong = dict.fromkeys(PROFILES, 0), dict.fromkeys(PROFILES, -1.0), dict.fromkeys(PROFILES, 0.0), []
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for done, (profile, count, most, gap, bad) in enumerate(pool.map(judge, tasks)):
            counts[profile] += count
            over[profile], missed[profile] = max(over[profile], most), max(missed[profile], gap)
            wrong += bad
            if opts.full and sys.stderr.isatty():
                print(f"\r{done + 1} of {len(tasks)} runs", end="", file=sys.stderr)
    for text in wrong[:20]:
        print(text)
    rows = [
        Row(f"{profile}: {counts[profile]} motions", "over a limit", over[profile], None, "", ALLOWED) for profile in PROFILES
    ]
    rows.append(Row("all: went wrong", "motions", float(len(wrong)), None, "", 0.0))
    sample = 400 if opts.full else 40
    rows.append(
        Row("jerk", "over a limit", over["jerk"], over_by_ruckig(range(begin, begin + sample)), f"raw ruckig, {sample}", None)
    )
    peer = Peer("limits.py")
    worst, failed = 0.0, 0
    for seed in range(begin, begin + sample):
        limits, points = draw(seed, "spline")
        answer = peer.ask(points=points.tolist(), velocity=limits.velocity.tolist(), acceleration=limits.acceleration.tolist())
        failed += answer["over"] is None
        worst = max(worst, answer["over"] or 0.0)
    peer.close()
    name = f"raw toppra, {sample} ({failed} without an answer)"
    rows.append(Row("spline", "over a limit", over["spline"], worst, name, None))
    finish("limits", opts.seed, rows, opts.json)


if __name__ == "__main__":
    main()
