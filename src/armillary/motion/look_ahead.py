"""Segments that come one by one, for ever, driven as one motion.

What is known is a path with a law of time to its end, where the tool stops. When the next segment comes, the path goes on (the
corner between is rounded where a blend is asked for), and the law is made again from where it has got to. Of the law only what
has been handed out is fixed, so everything behind it may still become faster. And if no more comes, it stops: so the law says.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from armillary.model import Model, ModelError, frame_jacobian_batch
from armillary.motion import law_kernels
from armillary.motion.certificate import Bounds, certify
from armillary.motion.errors import BadMotion, MotionError
from armillary.motion.joint_path import JointPath, joint_polyline
from armillary.motion.law import Law, Road
from armillary.motion.limits import MotionLimits, limits_of
from armillary.motion.plan import Plan, held_in_words
from armillary.motion.resolve import check_beginning, followed, smooth_joints, with_speed
from armillary.motion.segment import Segment, goes_on, names_from, without_corners
from armillary.motion.timing import fit, over_limits
from armillary.motion.tool_path import Piece, ToolPath, rounded
from armillary.motion.trajectory import State, Trajectory
from armillary.solvers import Hold, chain_between

__all__ = ["LookAhead"]

Array = NDArray[np.float64]
_AIMED = (0.999, 0.995, 0.98)  # shares of velocity, acceleration and jerk limits that laws aim at; quintics need the rest
_FEED = 0.998  # of the feed is aimed at
_ROUNDS = 10
_BATCH = 8  # segments that are taken at once
_STEP = 2e-3  # s between looks at where on its path a motion is
_EDGE = 1e-3  # m or rad that the path keeps as it is ahead of what is fixed


@dataclass(frozen=True, eq=False)
class _Known:
    """A path from s = 0 to where it ends for now, and its law.

    Attributes:
        path: Of the joints; `speed` counts in shares of the feed.
        law: From a window before what was handed out last.
        given: The law's time up to which the motion was handed out [s].
        motion: From there to the stop, within the limits.
        last: The last piece, which the next segment may cut short: of the tool's path, or two configurations.
        last_at: s at which that piece begins.
        last_length: How long it was before its beginning was cut.
        tool: The pieces of the tool's path, and s at which each begins; none for a motion of the joints.
        segment: What it came from.
        origins: (s, origin) of the pieces.
    """

    path: JointPath
    law: Law
    given: float
    motion: Trajectory
    last: Piece | tuple[Array, Array]
    last_at: float
    last_length: float
    tool: tuple[tuple[float, Piece], ...]
    segment: Segment
    origins: tuple[tuple[float, str], ...]


class LookAhead:
    """Plans a motion from segments while it is driven.

    Memory does not grow with the number of segments: what was handed out is forgotten.
    """

    def __init__(
        self, model: Model, start: Array, *, tip: str = "", base: str = "", hold: Hold | None = None,
        limits: MotionLimits | None = None, horizon: float = 2.0,
    ) -> None:  # fmt: skip
        """Args:
        start: Where the robot stands.
        tip, base, hold: As for `solve_ik`.
        horizon: For how long ahead segments are asked for before a motion is handed out [s].
        """
        if not 0.0 < horizon < np.inf:
            raise BadMotion(f"a horizon of {horizon} s is none; give a time above zero")
        self.model, self.limits, self.horizon = model, limits or limits_of(model), horizon
        self.chain = chain_between(model, base, tip or model.tip)
        self.hold = hold or self.chain.holds
        self.q = model.valid(start, "start").copy()  # where the known path ends
        self._known: _Known | None = None
        self._base, self._end = base, State(self.q, np.zeros(model.n), np.zeros(model.n), np.zeros(model.n))
        speed, push, jerk = _AIMED
        self._aimed = replace(
            self.limits, velocity=speed * self.limits.velocity, acceleration=push * self.limits.acceleration,
            jerk=jerk * self.limits.jerk,
        )  # fmt: skip

    def stream(self, segments: Iterable[Segment], *, chunk: float = 0.5, bounds: Bounds | None = None) -> Iterator[Plan]:
        """Parts of the motion, each going on where the one before ends and proven, as segments are taken from the source.

        A segment is taken when the motion needs it, a few ahead.

        Args:
            chunk: How long each part lasts [s]; the last one before a stop may be shorter or a little longer.
            bounds: What else the parts are held to.

        Raises:
            NoMotion: A segment leaves what can be reached. What comes before it has been handed out by then, to its stop.
            BadMotion: A segment does not begin where the one before ends, or is no motion; likewise.
        """
        source, waiting, more = iter(segments), deque[Segment](), True
        at_once, failed = _BATCH, None
        while True:
            stop = False  # what is waiting can only begin after a stop
            while not stop and failed is None and (more or waiting) and self._left < self.horizon:
                while more and len(waiting) < _BATCH:
                    segment = next(source, None)
                    more = segment is not None
                    if segment is not None:
                        waiting.extend(without_corners(segment))
                if not waiting:
                    break
                try:
                    stop = not self._take(waiting, at_once)
                    at_once = _BATCH
                except (MotionError, ModelError) as error:
                    failed, at_once = (error, 1) if at_once == 1 else (None, 1)  # one by one, to find which
            if failed is not None or stop or not (more or waiting):
                yield from self._rest(chunk, bounds)
            else:
                yield self._next(chunk, bounds)
            if failed is not None:
                raise failed
            if self._known is None and not (more or waiting):
                return

    def add(self, segments: Iterable[Segment]) -> list[Segment]:
        """Let the known motion go on with segments, as many as it can; the others are returned.

        The first of those can only begin after a stop, or cannot be driven at all: given again as the first, it tells.

        Raises:
            NoMotion, BadMotion: The first segment cannot be driven; the known motion is as it was.
        """
        waiting = deque(part for segment in segments for part in without_corners(segment))
        at_once, some = _BATCH, False
        while waiting:
            try:
                if not self._take(waiting, at_once):
                    break
                some = True
            except (MotionError, ModelError):
                if at_once == 1 and not some:
                    raise
                if at_once == 1:
                    break
                at_once = 1  # one by one, to find which
        return list(waiting)

    def all(self, bounds: Bounds | None = None) -> Plan:
        """All of the known motion that was not passed over, to its stop, with its proof."""
        begin, known = perf_counter(), self._known
        if known is None:
            raise BadMotion("there is no motion yet; add a segment")
        motion = replace(known.motion, origins=self._named(known, known.motion), profile="look-ahead")
        return self._proven(known, motion, bounds or Bounds(), begin)

    def begins(self) -> list[tuple[float, str]]:
        """From which time of what `all` gives on [s] each piece of its path is driven, and its origin; 0 for what lies behind."""
        known = self._known
        if known is None:
            return []
        lasts = known.motion.duration
        times = np.linspace(0.0, lasts, int(lasts / _STEP) + 2)
        s = known.law.averaged(known.given + times)[:, 0]
        when = np.interp([at for at, _ in known.origins], s, times)
        return [(time, name) for time, (_, name) in zip(when.tolist(), known.origins, strict=True)]

    def pass_over(self, seconds: float) -> float:
        """What is to be driven in the next so many seconds is fixed from now on; how long that is, or 0 where nothing is left.

        It may be a little longer than asked for: it ends where a segment of the trajectory does.
        """
        known = self._known
        if known is None or seconds > known.motion.knots[-2]:
            return 0.0  # nothing would be left that could go on
        return self._cut(known, seconds)[1]

    @property
    def left(self) -> float:
        """How long the known motion lasts that was not passed over [s]."""
        return self._left

    @property
    def _left(self) -> float:
        """How long the known motion still lasts [s]."""
        return 0.0 if self._known is None else self._known.law.duration - self._known.given

    def _take(self, waiting: deque[Segment], most: int) -> bool:
        """Let the known path go on with waiting segments, as many as can be driven without a stop. False: none of them."""
        if self._known is not None and not goes_on(self._known.segment, waiting[0]):
            return False
        count = 1
        while count < min(len(waiting), most) and goes_on(waiting[count - 1], waiting[count]):
            count += 1
        batch = [waiting[i] for i in range(count)]
        known = self._along_tool(batch) if batch[0].by_tool else self._along_joints(batch)
        if known is None:
            return False
        self._known = known
        self.q = known.path.end
        for _ in range(count):
            waiting.popleft()
        return True

    def _along_tool(self, batch: list[Segment]) -> _Known | None:
        known = self._known
        pieces: list[Piece] = []
        names: list[tuple[tuple[float, str], ...]] = []  # of each piece: from which s on, and where that comes from
        ends: list[Segment] = []
        feeds: list[float] = []
        lengths: list[float] = []
        before: tuple[tuple[float, Piece], ...] = ()
        if known is not None:
            fixed = max(self._fixed(known) - known.last_at, 0.0)
            assert not isinstance(known.last, tuple)
            if known.last.length - fixed < 4.0 * _EDGE:
                return None
            pieces.append(known.last.part(fixed, known.last.length))
            names.append(names_from(known.segment, known.last_length - known.last.length + fixed))
            feeds.append(known.segment.feed or 0.0)
            ends.append(known.segment)
            lengths.append(known.last_length)
            before = known.tool[:-1]
            if fixed > 0.0:
                before = (*before, (known.last_at, known.last.part(0.0, fixed)))
        for segment in batch:
            assert isinstance(segment.to, ToolPath)
            pieces += segment.to.pieces
            own = segment.to.origins or ("",) * len(segment.to.pieces)
            names += [segment.names] if segment.names else [((0.0, segment.origin or name),) for name in own]
            feeds += [segment.feed or 0.0] * len(segment.to.pieces)
            ends += [segment] * len(segment.to.pieces)
            lengths += [piece.length for piece in segment.to.pieces]
        whole = ToolPath(tuple(pieces), tuple(str(i) for i in range(len(pieces))))
        whole = rounded(whole, blend=_cuts(whole, ends[:-1]), lengths=np.array(lengths))
        numbers = [int(name) for name in whole.origins]
        whole = replace(whole, origins=tuple(names[i][0][1] for i in numbers))
        if known is None:
            check_beginning(self.model, self.chain, whole, self.hold, self.q)
            begins, q, kept = None, self.q, None
        else:
            at = known.last_at + fixed
            state = known.path.sample([at])[0]
            begins, q, kept = (state[1], state[2]), state[0], known.path.part(0.0, at) if at > 0.0 else None
        s, Q, _ = followed(
            self.model, self.chain, whole, 0.0, whole, self.hold, q, q[self.chain.columns].copy(), 1e-6, begins
        )  # fmt: skip
        path = with_speed(smooth_joints(self.model, self.chain, q, s, Q, begins), whole, s)
        path = replace(path, speed=_in_shares(path.speed, whole, [feeds[i] for i in numbers]))
        start = kept.length if kept is not None else 0.0
        origins = tuple(
            (start + float(s) + at, name)
            for s, piece, i in zip(whole.starts, whole.pieces, numbers, strict=False)
            for at, name in names[i]
            if at < piece.length
        )
        tool = (*before, *((start + float(s), piece) for s, piece in zip(whole.starts, whole.pieces, strict=False)))
        last = (whole.pieces[-1], start + float(whole.starts[-2]), lengths[-1])
        return self._timed(kept, path, batch[-1], last, tool, origins)

    def _along_joints(self, batch: list[Segment]) -> _Known | None:
        known = self._known
        blends = [segment.blend for segment in batch[:-1]]
        goals = [self.model.valid(np.asarray(segment.to), "goal") for segment in batch]
        for goal, segment in zip(goals, batch, strict=True):
            said = self.model.outside(goal)
            if said:
                raise BadMotion(f"{segment.origin + ': ' if segment.origin else ''}the goal is outside its limits: {said[0]}")
        if known is None:
            points, kept, names = [self.q, *goals], None, [segment.origin for segment in batch]
        else:
            assert isinstance(known.last, tuple)
            fixed = max(self._fixed(known) - known.last_at, 0.0)
            begin, end = known.last
            length = float(np.linalg.norm(end - begin))
            if length - fixed < 4.0 * _EDGE:
                return None
            points = [begin + fixed / length * (end - begin), end, *goals]
            kept = known.path.part(0.0, known.last_at + fixed) if known.last_at + fixed > 0.0 else None
            names, blends = [known.segment.origin, *(segment.origin for segment in batch)], [known.segment.blend, *blends]
        path = joint_polyline(self.model.joints, np.array(points), blend=blends or 0.0)
        path = replace(path, speed=self._use_of_speed(path, np.array(points), [known.segment, *batch] if known else batch))
        start = kept.length if kept is not None else 0.0
        last_span = float(path.spans[-1])
        last = (points[-1] - last_span * _unit(points[-1] - points[-2]), points[-1])
        ends = np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))
        origins = tuple((start + float(s), name) for s, name in zip([0.0, *ends[:-1]], names, strict=True))
        return self._timed(kept, path, batch[-1], (last, start + path.length - last_span, last_span), (), origins)

    def _use_of_speed(self, path: JointPath, points: Array, segments: list[Segment]) -> Array:
        """How much of the speed that joints and tool may have is used per s of a motion of the joints; none where all is free."""
        shares = np.array([segment.share for segment in segments])
        feeds = np.array([segment.feed or np.inf for segment in segments])
        if shares.min() >= 1.0 and np.isinf(feeds).all():
            return np.array([[0.0, 0.0], [path.length, 0.0]])
        s = np.unique(np.concatenate([path.knots, np.linspace(0.0, path.length, 40 * len(path.spans) + 1)]))
        corners = np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))
        # Blends make the path a little shorter than its corners: a place is counted by its share of the whole.
        which = np.clip(np.searchsorted(corners / corners[-1], s / path.length, side="right"), 0, len(shares) - 1)
        at = path.sample(s)
        used = (np.abs(at[:, 1]) / self.limits.velocity).max(axis=1)
        used = np.where(shares[which] < 1.0, used / shares[which], 0.0)
        if not np.isinf(feeds).all():
            J = frame_jacobian_batch(self.model, np.ascontiguousarray(at[:, 0]), self.chain.tip)
            used = np.maximum(used, np.linalg.norm(np.einsum("nij,nj->ni", J[:, :3], at[:, 1]), axis=1) / feeds[which])
        return np.column_stack([s, used])

    def _timed(
        self, kept: JointPath | None, path: JointPath, segment: Segment, last: tuple[Piece | tuple[Array, Array], float, float],
        tool: tuple[tuple[float, Piece], ...], origins: tuple[tuple[float, str], ...],
    ) -> _Known | None:  # fmt: skip
        """The law for a path that has grown; None where none keeps the limits from where it has got to."""
        known = self._known
        whole = path if kept is None else kept + path
        feed = _FEED if len(whole.speed) and whole.speed[:, 1].any() else None
        if known is None:
            found = self._driven(Road(whole, self._aimed, feed), 0)
            if found is None:
                raise MotionError("no law of time keeps the limits on this path")
            gone = 0.0
        else:
            # Forget what is behind the mean; the law's own past is needed for a window more.
            place = float(known.law.averaged(np.array([known.given]))[0, 0])
            gone = float(whole.knots[max(int(np.searchsorted(whole.knots, place, side="right")) - 1, 0)])
            whole = whole.part(gone, whole.length) if gone > 0.0 else whole
            origins = _needed(tuple((s - gone, name) for s, name in (*known.origins, *origins)))
            found = self._driven_on(known, whole, gone, kept.length if kept is not None else 0.0, feed)
            if found is None:
                return None
        piece, at, length = last
        tool = tuple((s - gone, each) for s, each in tool if s + each.length > gone)
        return _Known(whole, *found, piece, at - gone, length, tool, segment, origins)

    def _driven_on(
        self, known: _Known, whole: JointPath, gone: float, same: float, feed: float | None
    ) -> tuple[Law, float, Trajectory] | None:
        """As `_driven`, from a motion that goes on; where it cannot change at once it goes on as it was for a little.

        Args:
            gone: How much of the known path was forgotten.
            same: s up to which the path has stayed the same.
        """
        law = known.law
        for delay in (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0):
            until = known.given + delay * law.window
            if until > law.t[-1] or (delay > 0.0 and law.place(until) > same):
                return None
            grid, x, now = law.before(known.given, until)
            found = self._driven(Road(whole, self._aimed, feed, past=(grid - gone, x)), now)
            if found is not None:
                return found
        return None

    def _driven(self, road: Road, now: int) -> tuple[Law, float, Trajectory] | None:
        """A law, the time at its grid point `now`, and the motion from there; None where nothing keeps the limits."""
        need = np.empty(len(road.grid))
        for _ in range(_ROUNDS):
            try:
                law = road.smooth(1.0015)
            except MotionError:
                return None
            if road.worst > 1.05:
                return None
            given = float(law.t[now])
            motion = fit(road.path, law, begin=given)
            over = over_limits(motion, self.limits, True)
            if over.max() <= 1.0:
                return law, given, motion
            law_kernels.blame(law.t, law.window, given + motion.knots, over * 1.002, need)
            road.lower(law, need)
        return None

    def _next(self, seconds: float, bounds: Bounds | None) -> Plan:
        """The next part of the known motion, with its proof."""
        begin, known = perf_counter(), self._known
        assert known is not None
        start = self._end
        cut, _ = self._cut(known, seconds)
        motion = replace(known.motion, origins=self._named(known, known.motion), profile="look-ahead")
        return self._proven(known, _segments(motion, 0, cut), bounds or Bounds(), begin, start)

    def _cut(self, known: _Known, seconds: float) -> tuple[int, float]:
        """Fix the next so many seconds; how many segments of the trajectory that is, and how long they last."""
        knots = known.motion.knots
        # At a knot: only there the motion is exactly what the law says.
        cut = int(np.clip(np.searchsorted(knots, seconds), 1, len(knots) - 1))
        self._end = _segments(known.motion, 0, cut).end if cut < len(knots) - 1 else known.motion.end
        if cut == len(knots) - 1:
            self._known = None
        else:
            rest = replace(_segments(known.motion, cut, len(knots) - 1), origins=())
            self._known = replace(known, given=known.given + float(knots[cut]), motion=rest)
        return cut, float(knots[cut])

    def _proven(self, known: _Known, part: Trajectory, bounds: Bounds, begin: float, start: State | None = None) -> Plan:
        path = None
        if known.tool and self.hold.constraints == 6 and not self._base:
            s = known.law.averaged(np.array([known.given, known.given + part.duration]))[:, 0]
            along = [(at, piece) for at, piece in known.tool if at < s[1] + 1e-9 and at + piece.length > s[0] - 1e-9]
            path = ToolPath(tuple(piece for _, piece in along))
            first, law, given = along[0][0], known.law, known.given
            bounds = replace(
                bounds, tool=path, tool_law=lambda times: law.averaged(given + times)[:, 0] - first, tip=self.chain.tip
            )  # fmt: skip
        bounds = replace(bounds, start=start or self._end)
        certificate = certify(part, self.model, limits=self.limits, bounds=bounds)
        notes = (held_in_words(self.hold, self.chain.n),) if known.tool and self.hold.constraints < 6 else ()
        if bounds.scene is not None and bounds.scene.unseen:
            notes = (*notes, bounds.scene.unseen)
        return Plan(part, certificate, path, perf_counter() - begin, notes)

    def _rest(self, chunk: float, bounds: Bounds | None) -> Iterator[Plan]:
        """All of the known motion, to its stop."""
        while self._known is not None:
            yield self._next(chunk, bounds)

    def _fixed(self, known: _Known) -> float:
        """s up to which the path stays as it is: where the law has got to, and a little."""
        return known.law.place(known.given) + _EDGE if known.given > 0.0 else 0.0

    def _named(self, known: _Known, part: Trajectory) -> tuple[str, ...]:
        starts, names = np.array([s for s, _ in known.origins]), [name for _, name in known.origins]
        if not any(names):
            return ()
        middles = known.given + 0.5 * (part.knots[:-1] + part.knots[1:])
        s = known.law.averaged(middles)[:, 0]
        return tuple(names[max(int(i) - 1, 0)] for i in np.searchsorted(starts, s, side="right"))


def _cuts(path: ToolPath, ends: list[Segment]) -> Array:
    """How far from the meetings of a path's pieces it may be left, by what the segments that end there allow."""
    blends, tolerances = np.array([end.blend for end in ends]), np.array([end.tolerance for end in ends])
    if not tolerances.any():
        return blends
    return np.where(tolerances > 0.0, path.cuts_within(tolerances), blends)


def _in_shares(speed: Array, path: ToolPath, feeds: list[float]) -> Array:
    """The tool's way per s, counted in the feed of each piece; nothing where there is none."""
    which = np.clip(np.searchsorted(path.starts, speed[:, 0], side="right") - 1, 0, len(feeds) - 1)
    rates = np.array([1.0 / feed if feed > 0.0 else 0.0 for feed in feeds])
    return np.column_stack([speed[:, 0], speed[:, 1] * rates[which]])


def _needed(origins: tuple[tuple[float, str], ...]) -> tuple[tuple[float, str], ...]:
    """Of names along the path those that are ahead, and the one that holds now; later entries replace earlier ones there."""
    kept: list[tuple[float, str]] = []
    for s, name in origins:
        while kept and kept[-1][0] >= s:
            kept.pop()
        kept.append((s, name))
    first = max((i for i, (s, _) in enumerate(kept) if s <= 0.0), default=0)
    return tuple(kept[first:])


def _segments(motion: Trajectory, first: int, behind: int) -> Trajectory:
    """Some segments of a motion."""
    durations, c = motion.durations[first:behind], motion.coefficients[first:behind]
    return replace(motion, durations=durations.copy(), coefficients=c.copy(), origins=motion.origins[first:behind])


def _unit(vector: Array) -> Array:
    return np.asarray(vector / np.linalg.norm(vector))
