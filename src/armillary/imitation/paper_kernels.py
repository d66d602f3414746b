"""Paper 1's mapping, compiled: turns of bones into turns of joints, in closed form."""

import math

import numpy as np
from numpy.typing import NDArray

from armillary.imitation.pose_kernels import turn
from armillary.model.compiled import compiled

__all__ = ["map_frames", "three_turns", "two_turns"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
_LOST = 1e-7  # sine of the angle between two axes that are one: which of both turned cannot be told
_TURN = 2.0 * math.pi
# Sines of an elbow's bend between which the plane that it bends in is taken from the bone's own twist, and from the bend.
_STRAIGHT, _BENT = 0.12, 0.4


@compiled()
def _about(w: Array, angle: float, v: Array, out: Array) -> None:
    """A vector turned about a unit axis."""
    c, s = math.cos(angle), math.sin(angle)
    along = (w[0] * v[0] + w[1] * v[1] + w[2] * v[2]) * (1.0 - c)
    x = c * v[0] + s * (w[1] * v[2] - w[2] * v[1]) + along * w[0]
    y = c * v[1] + s * (w[2] * v[0] - w[0] * v[2]) + along * w[1]
    z = c * v[2] + s * (w[0] * v[1] - w[1] * v[0]) + along * w[2]
    out[0], out[1], out[2] = x, y, z


@compiled()
def _dot(a: Array, b: Array) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@compiled()
def _apply(R: Array, v: Array, out: Array) -> None:
    x = R[0, 0] * v[0] + R[0, 1] * v[1] + R[0, 2] * v[2]
    y = R[1, 0] * v[0] + R[1, 1] * v[1] + R[1, 2] * v[2]
    z = R[2, 0] * v[0] + R[2, 1] * v[1] + R[2, 2] * v[2]
    out[0], out[1], out[2] = x, y, z


@compiled()
def _times(A: Array, B: Array, out: Array) -> None:
    for i in range(3):
        for j in range(3):
            out[i, j] = A[i, 0] * B[0, j] + A[i, 1] * B[1, j] + A[i, 2] * B[2, j]


@compiled()
def _turned(w: Array, begin: Array, end: Array, before: float) -> float:
    """By which angle about an axis one vector comes to lie over another; as before where both are along the axis."""
    along, other = _dot(w, begin), _dot(w, end)
    c = _dot(begin, end) - along * other
    s = (
        w[0] * (begin[1] * end[2] - begin[2] * end[1])
        + w[1] * (begin[2] * end[0] - begin[0] * end[2])
        + w[2] * (begin[0] * end[1] - begin[1] * end[0])
    )
    if c * c + s * s < _LOST**4:  # both vectors are that near to the axis
        return before
    return math.atan2(s, c)


@compiled()
def _near(angle: float, before: float, lower: float, upper: float) -> float:
    """The same angle, as few turns as can be from before, inside the range where one of them is."""
    best = angle + _TURN * round((before - angle) / _TURN)
    if lower <= best <= upper:
        return best
    for k in (-1, 1):
        other = best + k * _TURN
        if lower <= other <= upper:
            return other
    return best


@compiled()
def _cost(value: float, before: float, lower: float, upper: float) -> float:
    """How unwelcome a solution is: outside its range much, far from the last one a little."""
    outside = max(lower - value, value - upper, 0.0)
    return 1e3 * outside + abs(value - before)


@compiled()
def _middle_turns(w1: Array, w2: Array, v: Array, goal: Array, out: Array) -> None:
    """Both angles about w2 after which a turn about w1 can bring v to lie over the goal; the nearest where none can."""
    twist, reach = _dot(w1, w2), _dot(w2, v)
    a = _dot(w1, v) - twist * reach
    b = w1[0] * (w2[1] * v[2] - w2[2] * v[1]) + w1[1] * (w2[2] * v[0] - w2[0] * v[2]) + w1[2] * (w2[0] * v[1] - w2[1] * v[0])
    size = math.sqrt(a * a + b * b)
    if size < 1e-12:
        out[0] = out[1] = 0.0
        return
    half = math.acos(min(max((_dot(w1, goal) - twist * reach) / size, -1.0), 1.0))
    middle = math.atan2(b, a)
    out[0], out[1] = middle + half, middle - half


@compiled()
def two_turns(axes: Array, v: Array, goal: Array, lower: Array, upper: Array, q: Array) -> None:
    """Angles of two joints, one on the other, that point v to a goal.

    Args:
        axes: Shape (2, 3), unit, with both at zero. v, goal: Unit.
        q: Where they were before, shape (2,); filled.
    """
    tried, other = np.empty(2), np.empty(3)
    _middle_turns(axes[0], axes[1], v, goal, tried)
    least, first, second = np.inf, q[0], q[1]
    for k in range(2):
        _about(axes[1], tried[k], v, other)
        one = _near(_turned(axes[0], other, goal, q[0]), q[0], lower[0], upper[0])
        two = _near(tried[k], q[1], lower[1], upper[1])
        cost = _cost(one, q[0], lower[0], upper[0]) + _cost(two, q[1], lower[1], upper[1])
        if cost < least:
            least, first, second = cost, one, two
    q[0], q[1] = first, second


@compiled()
def three_turns(axes: Array, goal: Array, lower: Array, upper: Array, q: Array) -> None:
    """Angles of three joints, one on the other, whose turns together are a rotation.

    Where the first and the last axis come to lie along each other, the first stays as it was and the last one does the rest.

    Args:
        axes: Shape (3, 3), unit rows, with all at zero; the second is along neither of the others.
        goal: Shape (3, 3). q: Where they were before, shape (3,); filled.
    """
    tried, there, other, across, image = np.empty(2), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    _apply(goal, axes[2], there)
    _middle_turns(axes[0], axes[1], axes[2], there, tried)
    # Something across the last axis: what the goal makes of it says how far that one has turned.
    least = abs(axes[2, 0])
    across[0], across[1], across[2] = 1.0, 0.0, 0.0
    if abs(axes[2, 1]) < least:
        least = abs(axes[2, 1])
        across[0], across[1] = 0.0, 1.0
    if abs(axes[2, 2]) < least:
        across[0], across[1], across[2] = 0.0, 0.0, 1.0
    cheapest = np.inf
    first, second, third = q[0], q[1], q[2]
    for k in range(2):
        _about(axes[1], tried[k], axes[2], other)
        one = _turned(axes[0], other, there, q[0])
        _apply(goal, across, image)
        _about(axes[0], -one, image, image)
        _about(axes[1], -tried[k], image, image)
        one, two = _near(one, q[0], lower[0], upper[0]), _near(tried[k], q[1], lower[1], upper[1])
        three = _near(_turned(axes[2], across, image, q[2]), q[2], lower[2], upper[2])
        cost = (
            _cost(one, q[0], lower[0], upper[0]) + _cost(two, q[1], lower[1], upper[1]) + _cost(three, q[2], lower[2], upper[2])
        )
        if cost < cheapest:
            cheapest, first, second, third = cost, one, two, three
    q[0], q[1], q[2] = first, second, third


@compiled()
def _arm_frame(upper: Array, fore: Array, own: Array, out: Array) -> None:
    """An upper arm's frame: z against it, its elbow bends towards x; by its own twist as long as it is straight."""
    across = out[:, 1]
    across[0] = fore[1] * upper[2] - fore[2] * upper[1]
    across[1] = fore[2] * upper[0] - fore[0] * upper[2]
    across[2] = fore[0] * upper[1] - fore[1] * upper[0]
    bend = math.sqrt(_dot(across, across))
    share = min(max((bend - _STRAIGHT) / (_BENT - _STRAIGHT), 0.0), 1.0)
    share = share * share * (3.0 - 2.0 * share)
    for i in range(3):
        across[i] = (share * across[i] / bend if bend > 1e-12 else 0.0) + (1.0 - share) * own[i, 1]
    along = -_dot(across, upper)
    size = 0.0
    for i in range(3):
        across[i] += along * upper[i]
        size += across[i] * across[i]
    size = math.sqrt(size)
    for i in range(3):
        across[i] = across[i] / size if size > 1e-9 else own[i, 1]
        out[i, 2] = -upper[i]
    out[0, 0] = out[1, 1] * out[2, 2] - out[2, 1] * out[1, 2]
    out[1, 0] = out[2, 1] * out[0, 2] - out[0, 1] * out[2, 2]
    out[2, 0] = out[0, 1] * out[1, 2] - out[1, 1] * out[0, 2]


@compiled()
def _follow_arm(
    upper: Array, fore: Array, own: Array, back: Array, has_back: bool,
    axes: Array, before: Array, after: Array, elbow: Array, wrist: Array, columns: Numbers, lower: Array, upper_end: Array,
    frame: Array, goal: Array, buffer: Array, q: Array,
) -> None:  # fmt: skip
    """Shoulder, elbow and wrist of one arm into q. All directions are seen from the chest.

    Args:
        axes: Of the shoulder, shape (3, 3). before, after: goal = before @ frame @ after, shape (3, 3) each.
        elbow: Angle when straight, sign of its bend, A and B in cos(bend) = A + B cos(angle - straight), and how far the forearm
            points across the plane it turns in.
        wrist: Angle of the back of the hand about the forearm with the joint at zero, and the joint's sense.
        columns: Of q: three of the shoulder, elbow, wrist or -1.
    """
    _arm_frame(upper, fore, own, frame)
    straight, sense, level, size, aside = elbow[0], elbow[1], elbow[2], elbow[3], elbow[4]
    bend = min(max(_dot(upper, fore), -1.0), 1.0)
    # A robot's forearm may stand a little aside of the plane that its elbow turns in: the shoulder's twist makes up for it.
    open_by = math.sqrt(1.0 - bend * bend)
    if open_by > abs(aside):
        share = min(max((open_by - abs(aside)) / _STRAIGHT, 0.0), 1.0)
        twist = share * math.asin(aside / open_by)
        c, s = math.cos(twist), math.sin(twist)
        for i in range(3):
            x, y = frame[i, 0], frame[i, 1]
            frame[i, 0], frame[i, 1] = c * x - s * y, s * x + c * y
    _times(before, frame, buffer)
    _times(buffer, after, goal)
    some, low, high = np.empty(3), np.empty(3), np.empty(3)
    for k in range(3):
        some[k], low[k], high[k] = q[columns[k]], lower[columns[k]], upper_end[columns[k]]
    three_turns(axes, goal, low, high, some)
    for k in range(3):
        q[columns[k]] = some[k]
    # Paper 1's eq. (4) to (6), with the right angle: what counts is the angle between upper arm and forearm.
    q[columns[3]] = straight + sense * math.acos(min(max((bend - level) / size, -1.0), 1.0))
    if columns[4] < 0 or not has_back:
        return
    # About the forearm, from the plane that the elbow bends in.
    side = frame[:, 1]
    c = _dot(side, back) - _dot(fore, side) * _dot(fore, back)
    s = (
        fore[0] * (side[1] * back[2] - side[2] * back[1])
        + fore[1] * (side[2] * back[0] - side[0] * back[2])
        + fore[2] * (side[0] * back[1] - side[1] * back[0])
    )
    if c * c + s * s > 1e-8:
        column = columns[4]
        angle = wrist[1] * (math.atan2(s, c) - wrist[0])
        q[column] = _near(angle, q[column], lower[column], upper_end[column])


@compiled()
def _bend(values: Array, channels: Numbers, first: int, last: int, half: Array) -> float:
    """By how much a bone is turned against the one it hangs on [rad], by its own channels."""
    w, x, y, z = 1.0, half[0], half[1], half[2]  # half holds zeros: an angle alone is asked
    for k in range(first, last):
        angle = 0.5 * math.radians(values[channels[k, 0]])
        c, s = math.cos(angle), math.sin(angle)
        axis = channels[k, 1]
        if axis == 0:
            w, x, y, z = w * c - x * s, x * c + w * s, y * c + z * s, z * c - y * s
        elif axis == 1:
            w, x, y, z = w * c - y * s, x * c - z * s, y * c + w * s, z * c + x * s
        else:
            w, x, y, z = w * c - z * s, x * c + y * s, y * c - x * s, z * c + w * s
    return 2.0 * math.atan2(math.sqrt(x * x + y * y + z * z), abs(w))


@compiled()
def map_frames(
    values: Array, parents: Numbers, begins: Numbers, channels: Numbers, chest: Array,
    parts: Numbers, aligned: Array, points: Array, mirrored: bool,
    arm_axes: Array, arm_before: Array, arm_after: Array, elbows: Array, wrists: Array, arm_columns: Numbers,
    head_axes: Array, head_before: Array, head_after: Array, head_columns: Numbers, facing: Array,
    finger_bones: Numbers, finger_table: Numbers, finger_ends: Array, lower: Array, upper: Array, q: Array, Q: Array,
) -> None:  # fmt: skip
    """Joint positions of frames.

    Args:
        values: Shape (frames, channels), turns in degrees.
        parents: Of the bones between chest and hands and head, by their place here; -1 hangs on the chest. begins: Where a bone's
            channels begin, shape (bones + 1,). channels: Shape (k, 2): a column of values, and the axis.
        chest: R_chest_body, the chest bone's alignment transposed, shape (3, 3).
        parts: Of left and right upper arm, forearm and hand, then the head: places here, or -1; shape (7,).
        aligned: Of upper arms, hands and head, shape (5, 3, 3). points: Of upper arms and forearms, in their bones, shape (4, 3).
        head_columns: Up to three; -1 for none. facing: What of the head looks ahead, shape (3,).
        finger_bones: Channels of each bone of a finger: first and last row of `channels`, and which finger, shape (k, 3).
        finger_table: Column of q and bit mask of the person's fingers (0 to 4 left, 5 to 9 right), shape (fingers, 2).
        finger_ends: Straight and bent, shape (fingers, 2).
        q: Before the first frame, shape (n,); the last one after it. Q: Shape (frames, n), filled.
    """
    bones = len(parents)
    R = np.empty((bones, 3, 3))
    turned, own, frame, goal, buffer = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    up, fore, back, zeros = np.empty(3), np.empty(3), np.empty(3), np.zeros(3)
    curls, counts = np.empty(10), np.empty(10)
    some, low, high = np.empty(3), np.empty(3), np.empty(3)
    for f in range(len(values)):
        row = values[f]
        for k in range(bones):
            if parents[k] >= 0:
                R[k] = R[parents[k]]
            else:
                R[k] = chest
            for c in range(begins[k], begins[k + 1]):
                turn(R[k], channels[c, 1], math.radians(row[channels[c, 0]]))
        for side in range(2):  # of the robot
            mine = 1 - side if mirrored else side
            a, b, h = parts[mine], parts[2 + mine], parts[4 + mine]
            if arm_columns[side, 0] < 0 or a < 0:
                continue
            _apply(R[a], points[mine], up)
            _apply(R[b if b >= 0 else a], points[2 + mine] if b >= 0 else points[mine], fore)
            _times(R[a], aligned[mine], own)
            has_back = h >= 0
            if has_back:
                _times(R[h], aligned[2 + mine], turned)
                back[0], back[1], back[2] = turned[0, 2], turned[1, 2], turned[2, 2]
            if mirrored:
                up[1], fore[1], back[1] = -up[1], -fore[1], -back[1]
                own[1, 0], own[1, 2], own[0, 1], own[2, 1] = -own[1, 0], -own[1, 2], -own[0, 1], -own[2, 1]
            _follow_arm(
                up, fore, own, back, has_back, arm_axes[side], arm_before[side], arm_after[side], elbows[side], wrists[side],
                arm_columns[side], lower, upper, frame, goal, buffer, q,
            )  # fmt: skip
        if parts[6] >= 0 and head_columns[0] >= 0:
            _times(R[parts[6]], aligned[4], turned)
            if mirrored:
                turned[1, 0], turned[1, 2] = -turned[1, 0], -turned[1, 2]
                turned[0, 1], turned[2, 1] = -turned[0, 1], -turned[2, 1]
            _times(head_before, turned, buffer)
            _times(buffer, head_after, goal)
            count = 3 if head_columns[2] >= 0 else 2
            for k in range(count):
                some[k], low[k], high[k] = q[head_columns[k]], lower[head_columns[k]], upper[head_columns[k]]
            if count == 3:
                three_turns(head_axes, goal, low, high, some)
            else:  # paper 1: three of a neck's turns become two
                _apply(goal, facing, up)
                two_turns(head_axes[:2], facing, up, low[:2], high[:2], some[:2])
            for k in range(count):
                q[head_columns[k]] = some[k]
        curls[:] = 0.0
        counts[:] = 0.0
        for k in range(len(finger_bones)):
            number = finger_bones[k, 2]
            curls[number] += _bend(row, channels, finger_bones[k, 0], finger_bones[k, 1], zeros)
            counts[number] += 0.5 * math.pi
        for k in range(len(finger_table)):
            value, whole = 0.0, 0.0
            for number in range(10):
                if finger_table[k, 1] >> ((number + 5) % 10 if mirrored else number) & 1:
                    value += curls[number]
                    whole += counts[number]
            if whole > 0.0:
                share = min(max(value / whole, 0.0), 1.0)
                q[finger_table[k, 0]] = finger_ends[k, 0] + share * (finger_ends[k, 1] - finger_ends[k, 0])
        for i in range(len(q)):
            q[i] = min(max(q[i], lower[i]), upper[i])
            Q[f, i] = q[i]
