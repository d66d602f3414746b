"""Paper 3's particle swarm: its schedule, its mended fitness, its limits, and ours that ends in a polish."""

import json
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from armillary.description.library import extra_robots_folder
from armillary.interfaces.cli.main import main
from armillary.model import Model, frame_pose_batch, load_model
from armillary.solvers import Chain, Hold, SolverError, Target, chain_between, solve_ik
from armillary.solvers.swarm import CLASSIC, IMPROVED, Generation, Schedule, Weighing, fitness, fly, swarm
from armillary.solvers.swarm_study import COARSE, FINE, study_swarms

Array = NDArray[np.float64]


def poses_of(model: Model, count: int, seed: int = 7) -> tuple[Chain, Array, Array]:
    """The chain, poses that it reaches, and a previous configuration for each."""
    rng = np.random.default_rng([seed, 1])
    chain = chain_between(model, "", model.tip)
    Q, seeds = model.random(rng, count), model.random(rng, count)
    return chain, frame_pose_batch(model, Q, model.tip), seeds


def flight(weighing: Weighing = Weighing.GENERATION, generations: int = 25) -> list[Generation]:
    """Every generation of three swarms on cobot6."""
    chain, poses, seeds = poses_of(load_model("cobot6"), 3)
    targets = [Target.of(T) for T in poses]
    found = fly(chain, targets, seeds, schedule=IMPROVED, particles=20, generations=generations, weighing=weighing, random=3)
    return [deepcopy(now) for now in found]


def test_the_schedule_begins_and_ends_as_printed_and_turns_back_nowhere() -> None:
    assert IMPROVED.at(0.0) == (0.9, 1.5, 2.5)
    assert IMPROVED.at(1.0) == pytest.approx((0.4, 2.5, 1.5))
    inertia, own, shared = np.array([IMPROVED.at(share) for share in np.linspace(0, 1, 101)]).T
    assert (np.diff(inertia) < 0).all() and (np.diff(own) > 0).all() and (np.diff(shared) < 0).all()
    assert np.isclose(IMPROVED.at(0.5)[0], 0.525)  # (10) is a parabola: three quarters of the way at half the time


def test_the_classic_swarm_keeps_its_weights() -> None:
    for share in (0.0, 0.37, 1.0):
        assert CLASSIC.at(share) == pytest.approx((0.7298, 1.49618, 1.49618))


def test_the_same_number_gives_the_same_flight_and_another_another() -> None:
    chain, poses, seeds = poses_of(load_model("cobot6"), 4)
    first, again = (swarm(chain, poses, seeds, generations=10, random=5) for _ in range(2))
    assert (first.q == again.q).all() and (first.history == again.history).all()
    assert (first.q != swarm(chain, poses, seeds, generations=10, random=6).q).any()


@pytest.mark.parametrize("weighing", Weighing)
def test_no_particle_ever_leaves_the_limits(weighing: Weighing) -> None:
    lower, upper = chain_between(load_model("cobot6"), "", load_model("cobot6").tip).limits[:2]
    for now in flight(weighing):
        for places in (now.x, now.best):
            assert (places >= lower).all() and (places <= upper).all()


def test_within_a_generation_every_place_old_and_new_is_weighed_alike() -> None:
    for now in flight():
        assert now.weights.shape == (3, 1, 3)
        assert np.allclose(now.weights[..., :2].sum(axis=-1), 1.0)
        here, best = fitness(now.terms, now.weights), fitness(now.best_terms, now.weights)
        assert (here == fitness(now.terms, now.weights)).all()
        assert (best <= here).all()  # nobody keeps a place that is worse than where it is
        assert (best[np.arange(3), now.leader] == best.min(axis=1)).all()


def test_weights_change_from_one_generation_to_the_next() -> None:
    drawn = np.array([now.weights[:, 0, 0] for now in flight()])
    assert len(np.unique(drawn)) == drawn.size


def test_to_the_letter_a_particle_keeps_what_it_once_drew() -> None:
    """The erratum: under any one weighing, some particles keep a place that is worse than where they are."""
    worse = 0
    for now in flight(Weighing.EVALUATION):
        alike = np.broadcast_to([0.5, 0.5, 1.0], (3, 1, 3))
        worse += int((fitness(now.best_terms, alike) > fitness(now.terms, alike)).sum())
    assert worse > 0


def test_the_terms_are_the_errors_and_the_rule() -> None:
    _, poses, seeds = poses_of(load_model("cobot6"), 3)
    now = flight(generations=1)[0]
    rule = np.array([1, 0.5, 0.5, 0.1, 0.1, 0.1])
    assert np.allclose(now.terms[..., 2], (((now.x - seeds[:, None]) * rule) ** 2).sum(axis=-1))
    T = frame_pose_batch(load_model("cobot6"), now.x[1], load_model("cobot6").tip)
    assert np.allclose(now.terms[1, :, 0], np.linalg.norm(T[:, :3, 3] - poses[1, :3, 3], axis=1))
    cosine = (np.einsum("nij,ij->n", T[:, :3, :3], poses[1, :3, :3]) - 1) / 2
    assert np.allclose(now.terms[1, :, 1], np.arccos(np.clip(cosine, -1, 1)))
    assert now.terms[..., 1].max() <= np.pi  # (7) with the absolute value: never more than half a turn


@pytest.mark.parametrize("schedule", [IMPROVED, CLASSIC], ids=["improved", "classic"])
def test_without_the_rule_most_swarms_come_within_centimetres(schedule: Schedule) -> None:
    chain, poses, seeds = poses_of(load_model("cobot6"), 20)
    found = swarm(chain, poses, seeds, schedule=schedule, generations=150, rule=0.0)
    assert np.median(found.errors[:, 0]) < 0.05
    assert np.median(found.errors[:, 1]) < 0.05
    assert np.median(found.history[-1], axis=0).max() < np.median(found.history[0], axis=0).max() / 5


def test_the_printed_rule_holds_the_arm_short_of_a_far_pose() -> None:
    """The least of (9) is not at the target when the previous configuration is far from it."""
    chain, poses, seeds = poses_of(load_model("cobot6"), 20)
    printed, free = (swarm(chain, poses, seeds, generations=100, rule=rule) for rule in (1.0, 0.0))
    assert np.median(printed.errors[:, 0]) > 5 * np.median(free.errors[:, 0])


def test_ours_reaches_every_pose_to_a_hundredth_of_a_millimetre() -> None:
    model = load_model("cobot6")
    chain, poses, seeds = poses_of(model, 50)
    for T, seed in zip(poses, seeds, strict=True):
        found = solve_ik(model, T, seed=seed, method="swarm")
        assert found.reached and found.method == "swarm"
        assert max(found.error) <= 1e-5
        assert (found.q >= chain.limits[0] - 1e-9).all() and (found.q <= chain.limits[1] + 1e-9).all()
        again = solve_ik(model, T, seed=seed, method="swarm")
        assert (again.q == found.q).all()


def test_ours_holds_a_position_alone() -> None:
    model = load_model("cobot6")
    _, poses, seeds = poses_of(model, 3)
    for T, seed in zip(poses, seeds, strict=True):
        assert solve_ik(model, T, seed=seed, method="swarm", hold=Hold.position()).reached


def test_ours_says_so_where_a_pose_is_out_of_reach() -> None:
    T = np.eye(4)
    T[0, 3] = 5.0
    found = solve_ik(load_model("cobot6"), T, method="swarm", budget=0.005)
    assert not found.reached and found.hindrance is not None and found.hindrance.kind == "reach"


def test_seeds_that_are_not_one_for_each_pose_are_refused() -> None:
    chain, poses, seeds = poses_of(load_model("cobot6"), 2)
    with pytest.raises(SolverError, match="6 joint values for each pose"):
        swarm(chain, poses, seeds[:1])
    with pytest.raises(SolverError, match="0 particles"):
        swarm(chain, poses, seeds, particles=0)


def test_the_study_measures_every_method_on_the_same_poses() -> None:
    told: list[str] = []
    study = study_swarms(load_model("cobot6"), poses=6, generations=8, tell=told.append)
    assert {trial.previous for trial in study.trials} == {"anywhere", "near"} == set(study.short)
    assert all(trial.errors.shape == (6, 2) and trial.moved.shape == (6,) and trial.seconds > 0 for trial in study.trials)
    assert study.trial("ours: swarm, polish", "near").success(FINE) == 1.0
    assert all(trial.success(COARSE) >= trial.success(FINE) for trial in study.trials)
    assert told and "6 poses" in told[0]


@pytest.mark.slow
@pytest.mark.skipif(extra_robots_folder() is None, reason="the extra 'robots' is not installed")
def test_papers_ik_prints_a_table_and_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["papers", "ik", "--poses", "6", "--generations", "12", "--out", str(tmp_path)]
    assert main(asked) == 0
    shown = capsys.readouterr().out
    assert "ours: swarm, polish" in shown and "- Schedule: " in shown
    assert (tmp_path / "3_swarm_ik.png").stat().st_size > 20_000
    assert main([*asked, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["poses"] == 6 and len(answer["words"]) == 5
    assert {trial["method"] for trial in answer["trials"]} >= {"classic", "improved", "numeric"}


def test_papers_ik_refuses_no_poses(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["papers", "ik", "--poses", "0"]) != 0
    assert "--poses takes 1 to" in capsys.readouterr().err
