"""A robot follows a person inside its limits, whatever comes in."""

import dataclasses

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from armillary.imitation import (
    Capture,
    ImitationError,
    Imitator,
    Person,
    Poses,
    Retarget,
    Smoothing,
    delay_between,
    imitate,
    match,
)
from armillary.imitation.rate_kernels import allowed_speed, stopping_distance
from armillary.imitation.self_collision import SelfCollision
from armillary.model import BadConfiguration, Model, load_model
from armillary.motion import limits_of
from armillary.spatial import axis_angle_rotation
from tests.imitation.bodies import FAMILIES, body, motion

Array = NDArray[np.float64]
X, Y, Z = np.eye(3)
PERIOD = 1 / 60
SKELETON = body(FAMILIES["noitom"])


@pytest.fixture(scope="module")
def inmoov() -> Model:
    return load_model("inmoov")


def gestures(frames: int, period: float = PERIOD, speed: float = 1.0) -> Capture:
    """Both arms wave, cross in front of the body and go through it, the head looks around."""
    t = speed * period * np.arange(frames)
    made = [
        {
            "left_upper_arm": axis_angle_rotation(Z, -0.9 + 0.5 * np.sin(2.1 * x)) @ axis_angle_rotation(Y, -0.9 - np.sin(x)),
            "right_upper_arm": axis_angle_rotation(Z, 0.9 - 0.5 * np.sin(1.7 * x)) @ axis_angle_rotation(Y, 0.9 + np.sin(x)),
            "left_forearm": axis_angle_rotation(Y, -0.8 - 0.7 * np.sin(1.3 * x)),
            "right_forearm": axis_angle_rotation(Y, 0.8 + 0.7 * np.sin(1.9 * x)),
            "head": axis_angle_rotation(Y, 0.6 * np.sin(x)) @ axis_angle_rotation(X, 0.2 * np.sin(2.0 * x)),
        }
        for x in t
    ]
    return Capture(SKELETON, motion(SKELETON, made).values, period)


def person() -> Person:
    capture = motion(SKELETON, [{}])
    return Person.of_capture(capture, match(SKELETON))


def assert_kept(model: Model, Q: Array, period: float, begin: Array, speed: float = 1.0) -> None:
    """Position, velocity and acceleration as differences between frames, from rest."""
    limits = limits_of(model)
    places = np.vstack([begin, begin, Q])
    V = np.diff(places, axis=0) / period
    A = np.diff(V, axis=0) / period
    assert np.isfinite(Q).all()
    assert (limits.lower <= Q).all() and (limits.upper >= Q).all()
    assert (np.abs(V) <= speed * limits.velocity).all()
    assert (np.abs(A) <= limits.acceleration * (1.0 + 1e-9)).all()


@pytest.mark.parametrize("period", [1 / 240, 1 / 60, 1 / 10])
@pytest.mark.parametrize("speed", [1.0, 0.3])
def test_limits_are_kept_and_no_part_meets_another(inmoov: Model, period: float, speed: float) -> None:
    capture = gestures(round(6.0 / period), period, speed=3.0)
    made = imitate(inmoov, capture, begin=inmoov.zero(), speed=speed)
    assert_kept(inmoov, made.q, period, inmoov.zero(), speed)
    scene = SelfCollision(inmoov).scene
    assert all(scene.free(q) for q in made.q)
    assert np.allclose(np.diff(made.q, axis=0), made.v[1:] * period, atol=1e-12)


def test_parts_that_would_meet_are_what_holds_it(inmoov: Model) -> None:
    """Without the look at its parts the same motion goes through the robot."""
    capture = gestures(600, 1 / 60)
    scene = SelfCollision(inmoov).scene
    through = imitate(inmoov, capture, begin=inmoov.zero(), collision=False)
    assert not all(scene.free(q) for q in through.q)
    made = imitate(inmoov, capture, begin=inmoov.zero())
    assert all(scene.free(q) for q in made.q)
    assert any(" and " in said for said in made.held_by)
    assert_kept(inmoov, made.q, capture.period, inmoov.zero())


@pytest.mark.parametrize("collision", [True, False])
def test_frame_by_frame_is_all_at_once(inmoov: Model, collision: bool) -> None:
    capture = gestures(150, speed=2.0)
    whole = Imitator(inmoov, person(), PERIOD, collision=collision).run(capture.values)
    stream = Imitator(inmoov, person(), PERIOD, collision=collision)
    single = [stream.step(values) for values in capture.values]
    assert np.array_equal(np.array([each.q for each in single]), whole.q)
    assert [each.held_by for each in single] == list(whole.held_by)
    for name, off in whole.errors.items():
        assert np.array_equal([each.errors[name] for each in single], off)
    assert np.array_equal(np.array([each.places for each in single]), whole.places)
    parts = Imitator(inmoov, person(), PERIOD, collision=collision)
    split = np.vstack([parts.run(capture.values[:70]).q, parts.run(capture.values[70:]).q])
    assert np.array_equal(split, whole.q)


def test_a_retarget_gives_frame_by_frame_what_it_gives_at_once(inmoov: Model) -> None:
    """Also the configuration that it tries beside, where a limit has led it astray."""
    postures = person().postures(gestures(200, speed=4.0).poses)
    retarget = Retarget(inmoov)
    memory = retarget.memory()
    names = ("chest", "waist", "head", "upper_arms", "forearms", "hands", "curls")
    single = [
        retarget.follow(
            dataclasses.replace(postures, **{name: getattr(postures, name)[f : f + 1] for name in names}), None, memory
        )
        for f in range(len(postures))
    ]
    assert np.array_equal(np.vstack([each.q for each in single]), retarget.follow(postures).q)


def test_the_robot_eases_from_where_it_stands(inmoov: Model) -> None:
    still = np.tile(gestures(1).values, (400, 1))
    imitator = Imitator(inmoov, person(), PERIOD)
    begin = inmoov.zero()
    begin[inmoov.column("head_pan_joint")] = -1.2
    imitator.begin(begin)
    made = imitator.run(still)
    assert_kept(inmoov, made.q, PERIOD, begin)
    assert np.abs(made.q[-1] - made.goals[-1]).max() < 1e-6, "it arrives, and stays"
    first = np.abs(np.diff(made.q[:20], axis=0)).max(axis=0) / PERIOD
    assert (first <= 0.5 * limits_of(inmoov).velocity).all(), "slowly at first"


def test_a_goal_is_reached_without_running_past_it(inmoov: Model) -> None:
    """A jump in what comes in: every joint comes up to it from one side."""
    jump = np.vstack([np.tile(gestures(1).values, (200, 1)), np.tile(gestures(90, speed=1.0).values[-1], (400, 1))])
    imitator = Imitator(inmoov, person(), PERIOD, collision=False, smoothing=None)
    made = imitator.run(jump)
    # The same goal again and again: one that is solved drifts by a millionth where nothing else is asked of a joint.
    start, goal = made.goals[0], made.goals[-1]
    imitator.begin(start)
    after, _, _ = imitator._limit(np.tile(goal, (400, 1)))
    assert ((goal - after) * np.sign(goal - start) >= -1e-9).all()
    assert np.abs(after[-1] - goal).max() < 1e-6
    assert np.abs(made.q[-1] - goal).max() < 1e-6


GARBAGE = st.one_of(
    st.just(float("nan")), st.just(float("inf")), st.just(-float("inf")), st.floats(-1e308, 1e308), st.floats(-720.0, 720.0)
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_comes_in_limits_are_kept(inmoov: Model, data: st.DataObject) -> None:
    """Nonsense, jumps, lost frames, another speed and a calibration in between."""
    imitator = Imitator(inmoov, person(), PERIOD)
    begin = inmoov.zero()
    imitator.begin(begin)
    usual = gestures(40, speed=5.0).values
    limits = limits_of(inmoov)
    first = imitator.step(usual[0])
    q, v = first.q, first.v
    for number in range(25):
        kind = data.draw(st.sampled_from(["usual", "garbage", "spoilt", "far", "lost", "speed", "calibrate"]))
        frame, periods = usual[data.draw(st.integers(0, 39))].copy(), 1
        if kind == "garbage":
            frame = np.array(data.draw(st.lists(GARBAGE, min_size=1, max_size=len(frame))) * len(frame))[: len(frame)]
        elif kind == "spoilt":
            frame[data.draw(st.integers(0, len(frame) - 1))] = data.draw(GARBAGE)
        elif kind == "far":
            frame = np.random.default_rng(number).uniform(-180.0, 180.0, len(frame))
        elif kind == "lost":
            periods = data.draw(st.integers(2, 60))
        elif kind == "speed":
            imitator.speed = data.draw(st.floats(0.05, 1.0))
        elif kind == "calibrate":
            poses = gestures(3).poses
            imitator.calibrate(Poses(poses.rotations, poses.places))
        made = imitator.step(frame, periods=periods)
        assert (limits.lower <= made.q).all() and (made.q <= limits.upper).all()
        steps = min(periods, 25)
        assert (np.abs(made.q - q) <= steps * PERIOD * limits.velocity).all()
        assert (np.abs(made.v - v) <= steps * PERIOD * limits.acceleration * (1 + 1e-9)).all()
        q, v = made.q, made.v
    assert imitator.collision is not None and imitator.collision.scene.free(q)


def test_a_frame_that_is_none_slows_the_robot_down_where_it_is(inmoov: Model) -> None:
    capture = gestures(60)
    imitator = Imitator(inmoov, person(), PERIOD, collision=False)
    imitator.begin(inmoov.zero())
    imitator.run(capture.values)
    lost = capture.values[0].copy()
    lost[5] = np.nan
    made = [imitator.step(lost) for _ in range(240)]
    assert all(each.held_by == "no frame that could be used" for each in made)
    assert np.abs(made[-1].v).max() < 1e-9
    assert np.isfinite(made[-1].places).all() and all(np.isfinite(off) for off in made[-1].errors.values())


def test_before_any_frame_there_is_nothing_to_hold_to(inmoov: Model) -> None:
    imitator = Imitator(inmoov, person(), PERIOD, collision=False)
    nothing = np.full(SKELETON.channel_count, np.nan)
    with pytest.raises(ImitationError, match="no frame has come yet"):
        imitator.step(nothing)
    values = np.vstack([nothing, gestures(3).values])
    assert np.isfinite(imitator.run(values).q).all()


def test_calibrated_anew_the_robot_does_not_jump(inmoov: Model) -> None:
    """A sensor that has slipped by 30 degrees: after a second of standing the arm points where the person's does."""
    slipped = axis_angle_rotation(X, 0.5)
    stands = [{"left_upper_arm": slipped, "head": axis_angle_rotation(Y, 0.4)}] * 60
    noise = np.random.default_rng(2).normal(0.0, 0.3, (60, SKELETON.channel_count))
    noise[:, :3] = 0.0
    standing = Capture(SKELETON, motion(SKELETON, stands).values + noise, PERIOD)
    imitator = Imitator(inmoov, person(), PERIOD, smoothing=None)
    imitator.begin(inmoov.zero())
    before = imitator.run(np.tile(standing.values, (3, 1)))
    wrong = before.wanted.head[-1][:, 0]
    imitator.calibrate(standing.poses)
    after = imitator.run(np.tile(standing.values, (4, 1)))
    assert_kept(inmoov, np.vstack([before.q, after.q]), PERIOD, inmoov.zero())
    assert wrong[0] < 0.95 and after.wanted.head[:, 0, 0].min() > 0.999, "it looks ahead, as the person does"
    assert imitator.person.said == "a calibration"
    with pytest.raises(ImitationError, match="no frame"):
        imitator.calibrate(Poses(np.zeros((0, len(SKELETON), 3, 3)), np.zeros((0, len(SKELETON), 3))))


def test_in_a_mirror_left_is_right(inmoov: Model) -> None:
    raised = motion(SKELETON, [{"left_upper_arm": axis_angle_rotation(Y, -1.0)}] * 300)
    column = {side: inmoov.column(f"{side}_shoulder_lift_joint") for side in "lr"}
    plain = imitate(inmoov, raised)
    mirror = imitate(inmoov, raised, mirrored=True)
    assert np.allclose(plain.q[-1][column["l"]], mirror.q[-1][column["r"]], atol=1e-3)
    assert abs(plain.q[-1][column["l"]] - plain.q[-1][column["r"]]) > 0.3


def test_through_half_a_turn_and_gimbal_lock_nothing_jumps() -> None:
    """A whole turn on the spot, bowing through 90 degrees: channels jump by 360 degrees, the robot does not see any of it."""
    turns = [
        {
            "pelvis": axis_angle_rotation(Y, a) @ axis_angle_rotation(X, 1.7 * np.sin(a)),
            "left_upper_arm": axis_angle_rotation(Z, -0.7),
        }
        for a in np.linspace(0.0, 4.0 * np.pi, 600)
    ]
    capture = motion(SKELETON, turns)
    assert np.abs(np.diff(capture.values, axis=0)).max() > 170.0, "the file does jump"
    model = load_model("inmoov")
    made = imitate(model, capture, smoothing=None)
    arms = [model.column(name) for name in model.joints if "shoulder" in name or "elbow" in name or "arm_roll" in name]
    assert np.abs(np.diff(made.goals[:, arms], axis=0)).max() < 1e-3
    # An arm that turns round through +-180 degrees about its own axis.
    spin = [{"head": axis_angle_rotation(Y, a)} for a in np.linspace(-1.4, 1.4, 400)]
    goals = imitate(model, motion(SKELETON, spin), smoothing=None).goals
    assert np.abs(np.diff(goals, axis=0)).max() < 0.05


def test_what_cannot_be_is_refused_in_words(inmoov: Model) -> None:
    for chosen, what in (
        ({"arm": "x"}, "no arm 'x'"),
        ({"mapping": "magic"}, "no mapping 'magic'"),
        ({"speed": 0.0}, "no share"),
        ({"speed": 1.5}, "no share"),
    ):
        with pytest.raises(ImitationError, match=what):
            Imitator(inmoov, person(), PERIOD, collision=False, **chosen)
    with pytest.raises(ImitationError, match="are no motion"):
        Imitator(inmoov, person(), 0.0)
    imitator = Imitator(inmoov, person(), PERIOD, collision=False)
    with pytest.raises(BadConfiguration, match="begin"):
        imitator.begin(np.zeros(3))
    with pytest.raises(BadConfiguration, match="begin"):
        imitator.begin(np.full(inmoov.n, np.nan))
    with pytest.raises(ImitationError, match="move it back first"):
        imitator.begin(inmoov.upper + 1.0)
    with pytest.raises(BadConfiguration, match="begin"):
        Retarget(inmoov).follow(person().postures(gestures(2).poses), np.zeros(2))
    with pytest.raises(ImitationError, match="channels"):
        imitator.step(np.zeros(4))
    with pytest.raises(ImitationError, match="channels"):
        imitator.run(np.zeros(4))
    with pytest.raises(ImitationError, match="cutoff"):
        Smoothing(cutoff=0.0)


def test_played_at_its_pace_a_motion_is_followed_all_the_way(inmoov: Model) -> None:
    """What limits of velocity and acceleration cost is gone when the person is as much slower as is said."""
    capture = gestures(600, speed=3.0)
    made = imitate(inmoov, capture, collision=False, smoothing=None)
    pace = made.pace(inmoov, 1.0)
    assert pace > 2.0 and np.abs(made.q - made.goals).max() > 0.1
    slower = imitate(inmoov, dataclasses.replace(capture, period=capture.period * pace), collision=False, smoothing=None)
    assert slower.pace(inmoov, 1.0) == pytest.approx(1.0) and np.abs(slower.q - slower.goals)[60:].max() < 1e-6
    assert set(slower.held_by[60:]) == {""}


def test_no_frames_are_no_motion(inmoov: Model) -> None:
    made = imitate(inmoov, Capture(SKELETON, np.zeros((0, SKELETON.channel_count)), PERIOD), matching=match(SKELETON))
    assert len(made) == 0 and made.q.shape == (0, inmoov.n)


# Speeds


@settings(deadline=None)
@given(distance=st.floats(1e-9, 10.0), acceleration=st.floats(0.1, 100.0), dt=st.floats(1e-3, 0.1))
def test_a_joint_stops_exactly_where_it_has_to(distance: float, acceleration: float, dt: float) -> None:
    speed = allowed_speed(distance, acceleration, dt)
    assert speed * dt + stopping_distance(speed, acceleration, dt) == pytest.approx(distance, rel=1e-9, abs=1e-12)
    gone, v = 0.0, speed
    while v > 0.0:
        gone, v = gone + v * dt, v - acceleration * dt
    assert gone == pytest.approx(distance, rel=1e-6, abs=1e-9)


# Smoothing


def test_smoothing_stills_what_rests_and_is_late_by_little() -> None:
    """At 60 Hz, a wave of a hand with the noise of a sensor: less than 25 ms later, and at rest a fraction of the noise."""
    t = PERIOD * np.arange(1200)
    clean = 0.6 * np.sin(2 * np.pi * 0.7 * t)[:, None]
    noise = np.random.default_rng(1).normal(0.0, 0.004, clean.shape)
    smoothing = Smoothing()
    wave = smoothing.smooth(clean + noise, PERIOD, smoothing.state(1))
    delay = delay_between(clean, wave, PERIOD)
    assert 0.0 < delay < 0.025
    rest = smoothing.smooth(noise, PERIOD, smoothing.state(1))
    assert np.diff(rest[60:], axis=0).std() < 0.45 * np.diff(noise[60:], axis=0).std()
    late = np.interp(t - 3.4 * PERIOD, t, clean[:, 0])[:, None]
    assert delay_between(clean, late, PERIOD) == pytest.approx(3.4 * PERIOD, abs=0.1 * PERIOD)
    quick = 0.3 * np.sin(2 * np.pi * 2.0 * t)[:, None]
    assert 0.0 <= delay_between(quick, smoothing.smooth(quick, PERIOD, smoothing.state(1)), PERIOD) < 0.025, "not one turn later"
    assert np.isnan(delay_between(np.zeros((9, 1)), np.zeros((9, 1)), PERIOD))
