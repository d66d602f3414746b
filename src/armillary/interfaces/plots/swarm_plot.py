"""Paper 3's swarm: how it converges, and how often each method reaches."""

from pathlib import Path
from typing import Any

import numpy as np

from armillary.solvers.swarm import PARTICLES
from armillary.solvers.swarm_study import COARSE, FINE, NEAR, SwarmStudy, Trial

__all__ = ["draw_swarms"]

_BLUE, _ORANGE, _GREEN, _GREY = "#1f6fb4", "#e07b1a", "#2f9e5b", "#8a8f98"
# Method, previous configuration, colour, line.
_CURVES = (
    ("improved", "anywhere", _ORANGE, "-"),
    ("improved, no rule", "anywhere", _GREEN, "-"),
    ("improved", "near", _BLUE, "-"),
    ("classic", "near", _GREY, "--"),
)


def draw_swarms(study: SwarmStudy, out: Path) -> Path:
    """Errors over the generations, and the share of poses reached. Returns the file written."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (position, rotation, bars) = plt.subplots(1, 3, figsize=(16, 6.2), width_ratios=(1, 1, 1.3), constrained_layout=True)
    _converge(position, study, 0, 1e3, "position error", "mm")
    _converge(rotation, study, 1, float(np.rad2deg(1.0)), "rotation error", "degrees")
    _reached(bars, study)
    curves, names = position.get_legend_handles_labels()
    figure.legend(curves, names, loc="outside lower left", ncols=4, fontsize=9.5, frameon=False, columnspacing=1.6)
    figure.suptitle(
        f"Paper 3's particle swarm on TIAGo's arm: {study.poses} poses, {PARTICLES} particles, {study.generations} generations",
        fontsize=13,
    )
    try:
        figure.savefig(out, dpi=120)
    finally:
        plt.close(figure)
    return out


def _converge(ax: Any, study: SwarmStudy, part: int, scale: float, what: str, unit: str) -> None:
    generation = np.arange(1, study.generations + 1)
    for method, previous, colour, line in _CURVES:
        history = study.trial(method, previous).history
        assert history is not None
        low, middle, high = np.quantile(history[:, :, part] * scale, (0.1, 0.5, 0.9), axis=1)
        ax.fill_between(generation, low, high, color=colour, alpha=0.11, linewidth=0)
        ax.plot(generation, middle, line, color=colour, linewidth=2, label=f"{method} (previous {_where(previous)})")
    wanted = COARSE[part] * scale
    ax.axhline(wanted, color="#444444", linewidth=1, linestyle=":")
    note = {"xytext": (4, -3), "textcoords": "offset points", "va": "top", "fontsize": 9, "color": "#444444"}
    ax.annotate(f"wanted: {wanted:.2g} {unit}", (1, wanted), **note)
    ax.set_yscale("log")
    ax.set_xlim(1, max(study.generations, 2))
    ax.set_xlabel("generation")
    ax.set_ylabel(f"{what} [{unit}]")
    ax.set_title(f"{what}: median, and 10 to 90 % of the poses", fontsize=10.5)
    ax.grid(alpha=0.25)


def _reached(ax: Any, study: SwarmStudy) -> None:
    """Two bars a method, grouped by where the previous configuration was; the time behind them."""
    place, places, names = 0.0, [], []
    group = study.trials[0].previous
    heads = [(place, group)]
    for trial in study.trials:
        if trial.previous != group:
            group, place = trial.previous, place + 1.1
            heads.append((place, group))
        coarse, fine = 100 * trial.success(COARSE), 100 * trial.success(FINE)
        ax.barh(place - 0.19, coarse, 0.36, color=_BLUE, alpha=0.45)
        ax.barh(place + 0.19, fine, 0.36, color=_BLUE)
        ax.text(
            coarse + 1.5, place, f"{coarse:.1f} / {fine:.1f} %  ·  {_time(trial)}", va="center", fontsize=8.5, color="#333333"
        )
        places.append(place)
        names.append(trial.method)
        place += 1.0
    for at, previous in heads:
        ax.text(
            0, at - 0.72, f"previous configuration {_where(previous)}", fontsize=9, color="#444444", style="italic", va="center"
        )
    ax.set_yticks(places, names)
    ax.set_ylim(place - 0.4, -1.1)
    ax.set_xlim(0, 160)
    ax.set_xticks(range(0, 101, 20))
    ax.set_xlabel("poses reached [%]")
    ax.set_title("reached within 1 mm, 0.01 rad (light) / 1e-5 m, 1e-5 rad (dark) · time a pose", fontsize=10.5, loc="right")
    ax.tick_params(axis="y", length=0)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.spines["bottom"].set_bounds(0, 100)


def _where(previous: str) -> str:
    return f"within {NEAR:g} rad" if previous == "near" else previous


def _time(trial: Trial) -> str:
    return f"{trial.seconds * 1e3:.2g} ms" if trial.seconds < 1.0 else f"{trial.seconds:.2g} s"
