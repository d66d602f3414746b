"""Draw the times of `python benchmarks/ik.py --json`, whose last line it reads from standard input, to a picture.

python benchmarks/ik.py --json | python tools/draw_ik_benchmark.py docs/pictures/ik_times.png
"""

import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

COLOURS = {"armillary": "#1f6f8b", "ik_LM": "#c9a227", "TRAC-IK": "#9a9a9a"}


def main() -> None:
    rows = json.loads(sys.stdin.read().strip().splitlines()[-1])["rows"]
    times: dict[str, dict[str, list[float]]] = {}  # robot, solver: median and p99
    for row in rows:
        case, _, what = row["case"].partition(": ")
        if row["metric"] != "us" or row["peer"] is None or not what.endswith(("median", "p99")) or " joints" not in what:
            continue
        solver = row["peer_name"].split(",")[0]
        times.setdefault(case, {}).setdefault(solver, []).append(row["peer"])
        mine = times[case].setdefault("armillary", [])
        if len(mine) < 2:
            mine.append(row["ours"])
    figure, axes = plt.subplots(figsize=(9, 3.6), constrained_layout=True)
    for place, robot in enumerate(times):
        for offset, solver in enumerate(COLOURS):
            median, p99 = times[robot][solver]
            x = place + 0.27 * (offset - 1)
            axes.bar(x, median, 0.24, color=COLOURS[solver], label=solver if place == 0 else None)
            axes.plot([x, x], [median, p99], color=COLOURS[solver], linewidth=1.2)
            axes.plot([x - 0.06, x + 0.06], [p99, p99], color=COLOURS[solver], linewidth=1.2)
            axes.annotate(
                f"{median:.0f}", (x, median), ha="center", va="bottom", fontsize=7, xytext=(6, 0), textcoords="offset points"
            )
    axes.set_yscale("log")
    axes.set_ylabel("µs a pose: median, and up to p99")
    axes.set_xticks(range(len(times)), list(times))
    axes.legend(frameon=False, ncols=3, loc="upper left")
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_ylim(3, 20_000)
    figure.savefig(sys.argv[1], dpi=130)


if __name__ == "__main__":
    main()
