"""Motion from files that are played, and from who brings it."""

import threading

import numpy as np
import pytest

from armillary.imitation import Bone, Capture, FileMotion, GivenMotion, ImitationError, MotionFrame, MotionSource, Skeleton
from armillary.imitation.arrivals import Arrivals

BONE = Skeleton((Bone("Hips", -1, np.zeros(3), ("Xposition", "Yrotation")),))


class Clock:
    """A time that goes on when somebody waits."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += seconds


def capture(frames: int) -> Capture:
    return Capture(BONE, np.arange(2.0 * frames).reshape(frames, 2), 0.01, "walk.bvh")


def played(frames: int, *, speed: float = 1.0, repeat: bool = False) -> tuple[FileMotion, Clock]:
    clock = Clock()
    return FileMotion(capture(frames), speed=speed, repeat=repeat, clock=clock, wait=clock.wait), clock


def test_a_file_is_played_frame_by_frame_at_its_own_pace() -> None:
    source, clock = played(5)
    frames = [source.next(1.0) for _ in range(5)]
    assert [frame.number for frame in frames if frame] == [0, 1, 2, 3, 4]
    assert [frame.time for frame in frames if frame] == pytest.approx([1000.0 + 0.01 * k for k in range(5)])
    assert [frame.values.tolist() for frame in frames if frame] == capture(5).values.tolist()
    assert source.ended and clock.now == pytest.approx(1000.04, abs=1e-3)
    assert source.next(0.5) is None and clock.now == pytest.approx(1000.54, abs=1e-3)
    assert source.statistics.frames == 5 and not source.statistics.connected


def test_whoever_comes_late_gets_the_frame_of_now() -> None:
    source, clock = played(100)
    assert (first := source.next(0.1)) is not None and first.number == 0
    clock.now += 0.255
    frame = source.next(0.1)
    assert frame is not None and frame.number == 25 and source.statistics.skipped == 24


def test_a_frame_that_is_not_due_within_the_time_does_not_come() -> None:
    source, _ = played(3)
    assert source.next(0.004) is not None
    assert source.next(0.004) is None
    assert source.next(0.02) is not None


def test_speed_and_repetition() -> None:
    source, clock = played(3, speed=2.0, repeat=True)
    numbers = [frame.number for _ in range(7) if (frame := source.next(1.0))]
    assert numbers == list(range(7)) and not source.ended
    assert clock.now == pytest.approx(1000.0 + 6 * 0.005, abs=1e-3) and source.period == 0.005
    last = source.next(1.0)
    assert last is not None and last.values.tolist() == capture(3).values[7 % 3].tolist()


def test_nothing_and_no_speed_are_not_played() -> None:
    with pytest.raises(ImitationError, match=r"walk\.bvh has no frame"):
        FileMotion(capture(0))
    for speed in (0.0, -1.0, float("nan")):
        with pytest.raises(ImitationError, match=r"0\.01 to 100"):
            FileMotion(capture(2), speed=speed)


def test_what_was_put_in_comes_out_and_the_newest_wins() -> None:
    source = GivenMotion(BONE, 0.01)
    assert source.next(0.0) is None
    source.put([1.0, 2.0])
    source.put([3.0, 4.0], time=12.5)
    frame = source.next(0.0)
    assert frame is not None and frame.values.tolist() == [3.0, 4.0] and (frame.number, frame.time) == (1, 12.5)
    assert source.next(0.0) is None
    assert (source.statistics.frames, source.statistics.skipped) == (2, 1)


@pytest.mark.parametrize("values", [
    [1.0], [1.0, 2.0, 3.0], [[1.0, 2.0]], 1.0, [], ["a", "b"], [1.0, float("nan")], [float("inf"), 0.0], [1e9, 0.0], None,
    [[1.0], 2.0],
])  # fmt: skip
def test_what_is_no_frame_is_refused_and_nothing_comes(values: object) -> None:
    source = GivenMotion(BONE, 0.01, "the glove")
    with pytest.raises(ImitationError, match=r"the glove: .* frame"):
        source.put(values)  # type: ignore[arg-type]
    assert source.next(0.0) is None and source.statistics.damaged == 1 and source.statistics.error


def test_a_frame_is_nobody_elses() -> None:
    values = np.array([1.0, 2.0])
    source = GivenMotion(BONE, 0.01)
    source.put(values)
    values[0] = 9.0
    frame = source.next(0.0)
    assert isinstance(frame, MotionFrame) and frame.values.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        frame.values[0] = 5.0


@pytest.mark.parametrize("make", [lambda: GivenMotion(BONE, 0.01), lambda: FileMotion(capture(1))])
def test_who_waits_is_woken_when_it_is_closed(make: object) -> None:
    source: MotionSource = make()  # type: ignore[operator]
    source.next(0.0)
    got: list[MotionFrame | None] = []
    waiting = threading.Thread(target=lambda: got.append(source.next(60.0)))
    waiting.start()
    source.close()
    source.close()
    waiting.join(20.0)
    assert got == [None] and not source.statistics.connected and source.next(0.0) is None


def test_the_rate_counts_lost_frames_and_begins_anew_behind_a_gap() -> None:
    arrivals = Arrivals()
    for k in range(0, 600, 3):
        arrivals.take(k, k / 120.0)
    assert arrivals.rate == pytest.approx(120.0) and arrivals.jitter == pytest.approx(0.0, abs=1e-9) and arrivals.span < 2.1
    arrivals.take(10_000, 100.0)
    assert len(arrivals) == 1 and arrivals.rate == 0.0
    for k in range(1, 1000):
        arrivals.take(10_000 + k, 100.0 + (k + (0.25 if k % 2 else -0.25)) / 60.0)
    assert arrivals.rate == pytest.approx(60.0, rel=0.01) and arrivals.jitter == pytest.approx(0.5 / 60.0, rel=0.05)
