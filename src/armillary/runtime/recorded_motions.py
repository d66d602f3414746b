"""The motions of a recording: where each begins and ends, and each as a trajectory that can be driven again."""

import itertools
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from armillary.motion import BadMotion, Trajectory, join, quintic_through
from armillary.motion.trajectory import hermite_coefficients
from armillary.runtime.errors import RuntimeProblem
from armillary.runtime.recording import Recording
from armillary.runtime.states import State

__all__ = ["NoReplay", "Span", "motion_spans", "motions_of", "rest_to_rest"]

Array = NDArray[np.float64]
_REST = (1e-9, 1e-6)  # speed and acceleration below which a joint stands [rad/s], [rad/s^2]
_BROKEN_OFF = 0.05  # rad/s in the last tick of a motion: what ends so was not brought to rest
_EXACT = 1e-8  # rad or m between what was planned and what was commanded: rounding
_KEEPS = 1e-5  # rad or m from every recorded sample
_STEPS = (0.02, 0.005, 0.001)  # of a joint's largest jerk: what it must step by for a knot; the best of these is taken


class NoReplay(RuntimeProblem):
    """A recorded motion that cannot be driven again; says why."""

    answer_is_no = True


@dataclass(frozen=True)
class Span:
    """Ticks of a recording, from the one at rest before a motion to the one at rest behind it.

    Attributes:
        first, last: Their numbers, the last included.
        begins, ends: Whether it is there from its begin, and to its end: otherwise the file begins or ends in the middle.
    """

    first: int
    last: int
    begins: bool = True
    ends: bool = True

    @property
    def ticks(self) -> slice:
        return slice(self.first, self.last + 1)


def motion_spans(recording: Recording) -> list[Span]:
    """The motions as they were ordered: a hold in the middle is part of one, and those of a queue are one each."""
    state, rests = recording.state, _rests(recording)
    inside = np.isin(state, (State.MOVING, State.HOLDING)) | ~rests
    # One of a queue follows in the same state: its progress begins anew, at rest.
    anew = np.zeros(len(rests), dtype=bool)
    anew[1:] = (np.diff(recording.progress) < -1e-9) & rests[1:] & inside[1:] & inside[:-1]
    spans = []
    for span in _runs(inside):
        cuts = [span.first, *(np.flatnonzero(anew[span.first + 2 : span.last]) + span.first + 2).tolist(), span.last]
        parts = list(itertools.pairwise(cuts))
        for i, (first, last) in enumerate(parts):
            spans.append(Span(first, last, span.begins or i > 0, span.ends or i < len(parts) - 1))
    return [span for span in spans if not rests[span.ticks].all()]


def rest_to_rest(recording: Recording) -> list[Span]:
    """The stretches in which something was moved, each from rest to rest."""
    return _runs(~_rests(recording))


def motions_of(recording: Recording) -> list[Trajectory]:
    """Each stretch from rest to rest as a trajectory, in the recorded time.

    What was driven at one rate from begin to end is there exactly, as it was planned. Otherwise (the override was changed, a hold
    parts a motion in two) it is made of the commanded samples, within 1e-5 rad (or m) of each.

    Raises:
        NoReplay: A motion was uncertified, was broken off, or is only there in part.
    """
    found = []
    for span in rest_to_rest(recording):
        _must_be_whole(recording, span)
        found.append(_as_planned(recording, span) or _fitted_motion(recording, span))
    return found


def _as_planned(recording: Recording, span: Span) -> Trajectory | None:
    """What was driven, from the pieces that were taken; None where what was commanded is something else.

    Of a queue one motion may begin in the tick in which the one before ends: no tick is at rest then, and they are one.
    """
    numbers = recording.motion[span.first + 1 : span.last]
    cuts = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
    parts = [_one_as_planned(recording, slice(span.first + 1 + i, span.first + 1 + k)) for i, k in itertools.pairwise(cuts)]
    try:
        return join([part for part in parts if part is not None]) if all(part is not None for part in parts) else None
    except BadMotion:
        return None


def _one_as_planned(recording: Recording, inside: slice) -> Trajectory | None:
    """The motion of some ticks that carry one number, as it was planned; None where it was not driven so."""
    numbers, rates = recording.motion[inside], recording.rate[inside]
    if not len(numbers) or np.abs(rates - rates[0]).max() > 1e-9 or not rates[0] > 0.0:
        return None
    # What waited behind another motion and was given again with more behind it was never driven: the later one counts.
    pieces = list({piece.at: piece for piece in recording.pieces if piece.motion == numbers[0]}.values())
    if not pieces or pieces[0].at != 0.0 or pieces[0].trajectory.joints != recording.about.joints:
        return None
    parts: list[Trajectory] = []
    for piece, behind in itertools.zip_longest(pieces, pieces[1:]):
        lasts = piece.trajectory.duration if behind is None else min(behind.at - piece.at, piece.trajectory.duration)
        if lasts <= 0.0:
            return None  # one that was taken behind the end of another: this is not what was driven
        parts.append(piece.trajectory.part(0.0, lasts))
    try:
        whole = join(parts)
    except BadMotion:
        return None
    at = recording.motion_time[inside]
    if np.abs(whole.sample(at)[:, 0] - recording.q[inside]).max() > _EXACT:
        return None
    return whole if abs(rates[0] - 1.0) < 1e-9 else whole.slowed(1.0 / float(rates[0]))


def _rests(recording: Recording) -> NDArray[np.bool_]:
    """Whether nothing is commanded to move, for each tick; what is no number is no rest."""
    if not recording.q.shape[1]:
        return np.ones(len(recording.time), dtype=bool)
    slow = np.abs(recording.v).max(axis=1) <= _REST[0]
    return np.asarray(slow & (np.abs(recording.a).max(axis=1) <= _REST[1]))


def _runs(inside: NDArray[np.bool_]) -> list[Span]:
    """Where something is so, each with the tick before and the tick behind it."""
    steps = np.diff(np.concatenate([[0], inside.astype(np.int8), [0]]))
    begins, ends = np.flatnonzero(steps == 1), np.flatnonzero(steps == -1)
    last = len(inside) - 1
    return [
        Span(max(int(begin) - 1, 0), min(int(end), last), int(begin) > 0, int(end) <= last)
        for begin, end in zip(begins, ends, strict=True)
    ]


def _fitted_motion(recording: Recording, span: Span) -> Trajectory:
    q, v, a = (np.array(values[span.ticks]) for values in (recording.q, recording.v, recording.a))
    v[[0, -1]] = a[[0, -1]] = 0.0
    times = np.concatenate([[0.0], np.cumsum(_durations(q, v, a, recording.about.period))])
    found = _fitted(recording.about.joints, _Samples(times, q, v, a))
    if found is None:
        raise NoReplay(f"{_named(recording, span)} cannot be made into a trajectory: its commands do not fit together")
    source = recording.source[span.ticks]
    if any(source):
        middles = np.searchsorted(times, 0.5 * (found.knots[1:] + found.knots[:-1]))
        found = replace(found, origins=tuple(source[i] for i in np.minimum(middles, len(source) - 2)))
    return found


def _named(recording: Recording, span: Span) -> str:
    return f"the motion at {recording.time[span.first]:.3f} s"


def _must_be_whole(recording: Recording, span: Span) -> None:
    where, ticks = _named(recording, span), span.ticks
    if not all(np.isfinite(values[ticks]).all() for values in (recording.q, recording.v, recording.a)):
        raise NoReplay(f"{where} has commands that are no numbers; it cannot be driven again")
    if not recording.certified[ticks].all():
        raise NoReplay(f"{where} was uncertified (set-points of another master); only what was proven is driven again")
    if not (span.begins and span.ends):
        side = "begins" if not span.begins else "ends"
        raise NoReplay(f"{where} is not there as a whole: the recording {side} in the middle of it")
    if np.abs(recording.v[span.last - 1]).max() > _BROKEN_OFF:
        end = recording.time[span.last]
        why = next((event.text or event.kind for event in recording.events if abs(event.time - end) < 0.1), "")
        raise NoReplay(f"{where} was broken off at speed" + (f" ({why})" if why else "") + "; it has no end to be driven to")


def _fitted(joints: tuple[str, ...], samples: "_Samples") -> Trajectory | None:
    """The smoothest of several through the samples, or None where none keeps near them."""
    most = np.abs(np.diff(samples.a, axis=0) / np.diff(samples.times)[:, None]).max(axis=0) + 1e-9
    weight = np.maximum(most, 0.2 * most.max())  # those that hardly move decide nothing
    best, least = None, np.inf
    for knots in (*(_ended(_thinned(_with_knots(samples, step * weight), samples)) for step in _STEPS), samples):
        if best is not None and knots is samples:
            break  # a knot at every tick: only where nothing else will do
        try:
            found = quintic_through(joints, knots.times, knots.q, knots.v, knots.a, profile="recorded")
        except BadMotion:
            continue
        jerk = float((np.abs(found.extrema.values[3]).max(axis=1) / weight).max())
        if jerk < least and np.abs(found.sample(samples.times)[:, 0] - samples.q).max() <= _KEEPS:
            best, least = found, jerk
    return best


def _durations(q: Array, v: Array, a: Array, period: float) -> Array:
    """How long from each sample to the next, by what was moved: a tick that came late moved no further for it."""
    speed = 0.5 * (v[1:] + v[:-1]) - np.diff(a, axis=0) * period / 12.0
    square = (speed**2).sum(axis=1)
    ticks = np.ones(len(square))
    fast = square > 1e-8  # below, a tick more or less cannot be told, and does not matter
    ticks[fast] = np.round((np.diff(q, axis=0) * speed).sum(axis=1)[fast] / square[fast] / period)
    return np.asarray(np.maximum(ticks, 1.0) * period)


@dataclass(frozen=True, eq=False)
class _Samples:
    """Positions, velocities and accelerations (k, n) at times (k,)."""

    times: Array
    q: Array
    v: Array
    a: Array


def _at(c: Array, t: float, order: int) -> Array:
    """The derivative of polynomials (..., 6) at a time."""
    total = np.zeros(c.shape[:-1])
    for i in range(order, 6):
        total = total + c[..., i] * float(np.prod([i - k for k in range(order)])) * t ** (i - order)
    return total


def _with_knots(samples: _Samples, allowed: Array) -> _Samples:
    """The samples, and the moments between ticks at which a joint's jerk steps by more than is allowed, shape (n,).

    A quintic through the samples at both sides of such a moment has up to 1.4 times the jerk: a motion at its limits would not be
    proven again. How far the polynomial before it has been left by the next tick tells when, and by how much.
    """
    T, (k, n) = np.diff(samples.times), samples.q.shape
    ends = tuple(values[1:] for values in (samples.q, samples.v, samples.a))
    c = np.zeros((k + 1, n, 6))  # one interval each, and rest before and behind
    c[0, :, 0], c[-1, :, 0] = samples.q[0], samples.q[-1]
    c[1:-1] = hermite_coefficients(T, (samples.q[:-1], samples.v[:-1], samples.a[:-1]), (ends[0], ends[1], ends[2]))
    spans = np.concatenate([[0.0], T, [0.0]])
    begin = 6.0 * c[:, :, 3]
    end = begin + 24.0 * c[:, :, 4] * spans[:, None] + 60.0 * c[:, :, 5] * spans[:, None] ** 2
    steps = np.zeros((k + 1, n), dtype=bool)
    allowed = allowed + 1e-3  # rounding
    steps[1:-1] = (np.abs(begin[1:-1] - end[:-2]) > allowed) & (np.abs(end[1:-1] - begin[2:]) > allowed)
    rows: list[tuple[float, Array]] = []
    for i in np.flatnonzero(steps.any(axis=1)).tolist():
        near = slice(i - 1, i + 2)
        rows += [
            (float(samples.times[i - 1]) + t, state) for t, state in _knots_within(c[near], spans[near], steps[near], allowed)
        ]
    if not rows:
        return samples
    times = np.concatenate([samples.times, [row[0] for row in rows]])
    order = np.argsort(times, kind="stable")
    q, v, a = (np.concatenate([getattr(samples, name), [row[1][i] for row in rows]])[order] for i, name in enumerate("qva"))
    return _Samples(times[order], q, v, a)


def _knots_within(c: Array, spans: Array, steps: NDArray[np.bool_], allowed: Array) -> list[tuple[float, Array]]:
    """Moments of an interval at which a jerk steps, from its begin [s], and positions, velocities, accelerations there (3, n).

    Args:
        c: Polynomials of the interval before, of itself and of the one behind, shape (3, n, 6), each from its own begin.
        spans: How long they last [s].
        steps: Whether the jerk steps within, shape (3, n), by more than is allowed, shape (n,).
    """
    before, T = float(spans[0]), float(spans[1])
    found = {
        j: meeting
        for j in np.flatnonzero(steps[1]).tolist()
        if (meeting := _meeting(c[:, j], before, T, steps[:, j], float(allowed[j])))
    }
    moments = np.sort([when for when, _, _ in found.values()])
    rows = []
    for t in moments[np.diff(moments, prepend=-1.0) > 1e-5].tolist():  # nearer ones belong together
        state = np.array([_at(c[1], t, order) for order in range(3)])
        for j, (when, step, side) in found.items():
            beyond = 0.0
            if side == 1:
                side = 0 if t <= when else 2
            elif (t > when) == (side == 0):
                beyond = t - when
            other = before + t if side == 0 else t - T
            for order, share in enumerate((beyond**3 / 6.0, beyond**2 / 2.0, beyond)):
                state[order, j] = float(_at(c[side, j], other, order)) + step * share
        rows.append((t, state))
    return rows


def _meeting(c: Array, before: float, T: float, steps: NDArray[np.bool_], allowed: float) -> tuple[float, float, int] | None:
    """When one joint's jerk steps in an interval, by how much, and which neighbour goes on up to there (1: both)."""
    if not steps[0] and not steps[2]:  # both are known: it is where their accelerations meet
        gap, gap_end = (float(_at(c[0], before + t, 2) - _at(c[2], t - T, 2)) for t in (0.0, T))
        t = T * gap / (gap - gap_end) if gap != gap_end else -1.0
        if 1e-6 < t < T - 1e-6 and abs(float(_at(c[0], before + t, 1) - _at(c[2], t - T, 1))) < 1e-3 * abs(gap - gap_end) * T:
            return t, 0.0, 1
    for side, own, other in ((0, T, before + T), (2, 0.0, -T)):
        if not steps[side]:  # what a step J left of it by the next tick: J t, J t^2 / 2 and J t^3 / 6
            position, speed, gap = (float(_at(c[1], own, order) - _at(c[side], other, order)) for order in range(3))
            since = 2.0 * speed / gap if gap else np.inf
            if (
                abs(gap) > allowed * abs(since)
                and 1e-6 < abs(since) < T - 1e-6
                and abs(position - gap * since**2 / 6.0) < 0.02 * abs(position) + 1e-13
            ):
                return own - since, gap / since, side
    return None


def _thinned(knots: _Samples, samples: _Samples) -> _Samples:
    """As few of the knots as the samples need: one polynomial goes as far as it is the same."""
    borne = (1e-9, 1e-8, 1e-6 * float(np.abs(samples.a).max(initial=0.0)) + 2e-8)
    keep, here, last = [0], 0, len(knots.times) - 1
    while here < last:
        good, stride = here + 1, 1
        while good < last and _reaches(knots, here, min(good + stride, last), borne):
            good, stride = min(good + stride, last), stride * 2
        while stride > 1:  # between what reaches and what does not
            stride //= 2
            if good + stride <= last and _reaches(knots, here, good + stride, borne):
                good += stride
        keep.append(good)
        here = good
    return _Samples(knots.times[keep], knots.q[keep], knots.v[keep], knots.a[keep])


def _ended(knots: _Samples) -> _Samples:
    """Without what stands at the end: a motion ends between two ticks, and the robot stands for the rest of the last."""
    moved = [np.abs(values[-2] - values[-1]).max() for values in (knots.q, knots.v, knots.a)]
    if len(knots.times) < 3 or moved[0] > 1e-9 or moved[1] > 1e-7 or moved[2] > 1e-4:
        return knots
    keep = [*range(len(knots.times) - 2), len(knots.times) - 1]
    times = knots.times[keep].copy()
    times[-1] = knots.times[-2]
    return _Samples(times, knots.q[keep], knots.v[keep], knots.a[keep])


def _reaches(knots: _Samples, first: int, last: int, borne: tuple[float, float, float]) -> bool:
    """Whether one quintic from a knot to another passes through all between them."""
    ends = [tuple(values[i : i + 1] for values in (knots.q, knots.v, knots.a)) for i in (first, last)]
    T = knots.times[last] - knots.times[first]
    c = hermite_coefficients(np.array([T]), (ends[0][0], ends[0][1], ends[0][2]), (ends[1][0], ends[1][1], ends[1][2]))[0]
    t = (knots.times[first + 1 : last] - knots.times[first])[:, None]
    for order, (values, allowed) in enumerate(zip((knots.q, knots.v, knots.a), borne, strict=True)):
        total = np.zeros((len(t), c.shape[0]))
        for i in range(order, 6):
            total += c[:, i] * float(np.prod([i - k for k in range(order)])) * t ** (i - order)
        if np.abs(total - values[first + 1 : last]).max(initial=0.0) > allowed:
            return False
    return True
