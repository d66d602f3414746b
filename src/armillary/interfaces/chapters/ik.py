"""Paper 3's particle swarm on TIAGo's arm, beside the classic one, ours and the numeric solver."""

import argparse
from textwrap import fill
from typing import TYPE_CHECKING, Any

from armillary.interfaces.cli.terminal import print_json, progress, progress_done, table

if TYPE_CHECKING:
    from armillary.solvers.swarm_study import SwarmStudy, Trial

__all__ = ["run"]

_LEGEND = """\
Reached: within 1 mm and 0.01 rad; within 1e-5 m and 1e-5 rad. Moved: the root of (8), median.
"To the letter" draws the weights of (9) at each evaluation, "weights fixed" never; the others once a generation.
ms: processor time a pose. A hundred swarms fly at once; the last three methods are asked for one pose after another.
"""


def run(options: argparse.Namespace) -> int:
    from armillary.interfaces.cli.configuration import BadNumbers
    from armillary.interfaces.plots.swarm_plot import draw_swarms
    from armillary.solvers.swarm_study import study_swarms, tiago_arm

    for name, most in (("poses", 100_000), ("generations", 10_000)):
        if not 1 <= getattr(options, name) <= most:
            raise BadNumbers(f"--{name} takes 1 to {most}")
    if options.seed < 0:
        raise BadNumbers("--seed takes 0 or more")
    model = tiago_arm()
    options.out.mkdir(parents=True, exist_ok=True)
    try:
        study = study_swarms(model, poses=options.poses, generations=options.generations, random=options.seed, tell=progress)
    finally:
        progress_done()
    picture = draw_swarms(study, options.out / "3_swarm_ik.png")
    if options.json:
        print_json({
            "chapter": "ik", "poses": study.poses, "generations": study.generations, "seed": study.random,
            "trials": [_figures(trial) for trial in study.trials], "fitness_lower_off_target": study.short,
            "words": _words(study), "plot": str(picture),
        })  # fmt: skip
        return 0
    print(
        f"Paper 3's swarm on TIAGo's arm: {study.poses} poses of random configurations, 50 particles, "
        f"{study.generations} generations\n\n{_table(study)}\n\n{_LEGEND}"
    )
    for sentence in _words(study):
        print(fill(sentence, 120, initial_indent="- ", subsequent_indent="  "))
    print(f"\nplot: {picture}")
    return 0


def _figures(trial: "Trial") -> dict[str, Any]:
    """A trial in SI, for scripts."""
    import numpy as np

    from armillary.solvers.swarm_study import COARSE, FINE

    (metres, radians), (metres_95, radians_95) = trial.quantile(0.5), trial.quantile(0.95)
    return {
        "method": trial.method, "previous": trial.previous,
        "reached_1mm_0.01rad": trial.success(COARSE), "reached_1e-5": trial.success(FINE),
        "position": {"p50": metres, "p95": metres_95}, "rotation": {"p50": radians, "p95": radians_95},
        "seconds": trial.seconds, "moved": float(np.median(trial.moved)),
    }  # fmt: skip


def _table(study: "SwarmStudy") -> str:
    from math import degrees

    from armillary.solvers.swarm_study import NEAR

    head = [
        "previous", "method", "1 mm [%]", "1e-5 [%]", "median [mm]", "95 % [mm]", "median [°]", "95 % [°]", "ms", "moved [rad]",
    ]  # fmt: skip
    rows, last = [], ""
    for trial in study.trials:
        found = _figures(trial)
        position, rotation = found["position"], found["rotation"]
        where = {"anywhere": "anywhere", "near": f"within {NEAR:g} rad"}[trial.previous]
        rows.append([
            "" if where == last else where, trial.method,
            f"{100 * found['reached_1mm_0.01rad']:.1f}", f"{100 * found['reached_1e-5']:.1f}",
            *(_rounded(1e3 * position[share]) for share in ("p50", "p95")),
            *(_rounded(degrees(rotation[share])) for share in ("p50", "p95")),
            f"{1e3 * found['seconds']:.3g}", f"{found['moved']:.3f}",
        ])  # fmt: skip
        last = where
    return table(head, rows, right=range(2, len(head)))


def _rounded(value: float) -> str:
    return f"{value:.3g}" if value >= 1e-3 else "< 0.001"


def _words(study: "SwarmStudy") -> list[str]:
    """What the figures say; every verdict in it follows from them."""
    from armillary.solvers.swarm_study import COARSE, FINE, NEAR

    def reached(trial: "Trial", tolerance: tuple[float, float] = COARSE) -> str:
        return f"{100 * trial.success(tolerance):.3g} %"

    def of(*methods: str, previous: str) -> list["Trial"]:
        return [study.trial(method, previous) for method in methods]

    printed, free = of("improved", "improved, no rule", previous="anywhere")
    classic, improved, letter, fixed = of(
        "classic", "improved", "improved, to the letter", "improved, weights fixed", previous="near"
    )
    ours, scattered, numeric = of("ours: swarm, polish", "polish, no swarm", "numeric", previous="anywhere")
    near_ours, near_scattered, near_numeric = of("ours: swarm, polish", "polish, no swarm", "numeric", previous="near")
    short, near_short = study.short["anywhere"], study.short["near"]
    return [
        f"Rule: with the previous configuration anywhere, (9) as printed reaches {reached(printed)}, without its rule term "
        f"{reached(free)}. In at least {100 * short:.3g} % of the poses (9) is lower where the swarm ended than at every "
        f"configuration known to reach: there the fitness misleads, not the search. Within {NEAR:g} rad that is so in at least "
        f"{100 * near_short:.3g} %, and {reached(improved)} are reached.",
        f"Schedule: where the rule misleads least, (10) reaches {reached(improved)} and the classic swarm's constants "
        f"{reached(classic)}: (10) is {_compared(improved, classic, study.poses)} than they are.",
        f"Weights: drawn at each evaluation, to the letter, they reach {reached(letter)}, drawn once a generation "
        f"{reached(improved)}, fixed {reached(fixed)}. Once a generation is {_compared(improved, letter, study.poses)} than at "
        f"each evaluation, and {_compared(improved, fixed, study.poses)} than fixed.",
        f"Ours reaches {reached(ours, FINE)} to 1e-5 in {_time(ours)}; the same polish from as many random starts, without a "
        f"swarm, {reached(scattered, FINE)} in {_time(scattered)}; the numeric solver {reached(numeric, FINE)} in "
        f"{_time(numeric)}.",
        f"Moved by (8): ours {_further(ours, numeric)} than the numeric solver with the previous configuration anywhere, "
        f"{_further(near_ours, near_numeric)} within {NEAR:g} rad. Random starts in place of the swarm: "
        f"{_further(scattered, ours)} than ours anywhere, {_further(near_scattered, near_ours)} within {NEAR:g} rad.",
    ]


def _compared(first: "Trial", second: "Trial", poses: int) -> str:
    """Better or worse in poses reached, where it is by more than twice the standard error (Agresti and Caffo's)."""
    from armillary.solvers.swarm_study import COARSE

    a, b = ((trial.success(COARSE) * poses + 1) / (poses + 2) for trial in (first, second))
    if abs(a - b) <= 2 * ((a * (1 - a) + b * (1 - b)) / (poses + 2)) ** 0.5:
        return f"neither better nor worse, as far as {poses} poses tell,"
    return "better" if a > b else "worse"


def _further(first: "Trial", second: "Trial") -> str:
    import numpy as np

    change = float(np.median(first.moved) / max(np.median(second.moved), 1e-12)) - 1.0
    return f"{100 * abs(change):.2g} % {'more' if change > 0 else 'less'}"


def _time(trial: "Trial") -> str:
    return f"{1e3 * trial.seconds:.2g} ms"
