"""What bones are, by how they hang together, where their names say nothing.

A body has two pairs of limbs that are alike, each pair on one bone of the trunk. How long bones are does not change as the person
moves, so that limbs are found without a look at the pose; only which side is the left one needs it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.imitation.body_parts import ARM, LEG, SIDES, sided
from armillary.imitation.capture import Poses
from armillary.imitation.skeleton import Skeleton

__all__ = ["bones_below", "parts_by_structure"]

Array = NDArray[np.float64]
_ALIKE = 0.12  # of the longer one: how much two limbs of a person may differ in length
# How long the first long bone is, of the second; and what is behind them, of the second (hand and fingers, foot and toes).
_ARM_SHAPE, _LEG_SHAPE = (1.2, 0.6), (1.0, 0.5)
_STRAIGHT = 0.9  # cosine: a foot that points more nearly along its shin tells nothing
_MOST_LIMBS = 64  # on one bone that are compared: no body has more
_LIMB = 0.35  # of the longest limb: what is shorter is an ear, an eye or a finger


@dataclass(frozen=True)
class _Pair:
    """Two chains of bones that are alike, on one bone."""

    hub: int
    chains: tuple[tuple[int, ...], tuple[int, ...]]
    length: float


def parts_by_structure(skeleton: Skeleton, poses: Poses) -> dict[str, int]:
    """Bones of the parts that are found. poses: Of some frames, or at rest."""
    pairs = _pairs(skeleton)
    if not pairs:
        return {}
    longest = max(pair.length for pair in pairs)
    if not longest > 0.0:  # bones without a length say nothing
        return {}
    limbs = sorted((pair for pair in pairs if pair.length > _LIMB * longest), key=lambda pair: -pair.length)[:2]
    limbs.sort(key=lambda pair: len(_way(skeleton, pair.hub)))  # the legs hang nearer to the root
    legs, arms = (limbs[0], limbs[1]) if len(limbs) == 2 else (None, limbs[0])
    parts: dict[str, int] = {}
    for pair, names in ((legs, LEG), (arms, ARM)):
        if pair is None:
            continue
        left, right = _sides(skeleton, pair, legs, arms, poses)
        for side, chain in zip(SIDES, (left, right), strict=True):
            parts |= {sided(side, part): bone for part, bone in _limb(skeleton, chain, names).items()}
    parts["pelvis"] = legs.hub if legs is not None else _way(skeleton, arms.hub)[0]
    parts["chest"] = arms.hub
    parts |= _head(skeleton, arms, legs)
    return parts


def _pairs(skeleton: Skeleton) -> list[_Pair]:
    """Of every bone, the two longest chains that are alike; none within a limb that has been found nearer to the root."""
    found: list[_Pair] = []
    inside: set[int] = set()
    longest = _Longest(skeleton)
    for hub in range(len(skeleton)):
        children = [child for child in skeleton.children[hub] if longest.counts[child] >= 2]
        if len(children) < 2 or hub in inside:
            continue
        children = sorted(children, key=lambda child: -longest.lengths[child])[:_MOST_LIMBS]
        best: _Pair | None = None
        for k, one in enumerate(children):
            for other in children[k + 1 :]:
                long = min(longest.lengths[one], longest.lengths[other])
                if longest.counts[one] != longest.counts[other] or (best is not None and long <= best.length):
                    continue
                chains = longest.chain(one), longest.chain(other)
                if _alike(skeleton, *chains):
                    best = _Pair(hub, chains, long)
        if best is not None:
            found.append(best)
            for chain in best.chains:
                inside |= bones_below(skeleton, chain[0])
    return found


def _way(skeleton: Skeleton, bone: int) -> list[int]:
    """From the root to a bone."""
    way = [bone]
    while (parent := int(skeleton.parents[way[-1]])) >= 0:
        way.append(parent)
    return way[::-1]


def bones_below(skeleton: Skeleton, bone: int) -> set[int]:
    """A bone and all that hangs on it."""
    found, left = {bone}, [bone]
    while left:
        children = skeleton.children[left.pop()]
        found |= set(children)
        left += children
    return found


class _Longest:
    """The longest chain that hangs on each bone, with itself; found from the ends inwards, once for all bones.

    Attributes:
        lengths: Of each bone's chain. counts: How many bones it has.
    """

    def __init__(self, skeleton: Skeleton) -> None:
        bones = len(skeleton)
        self.lengths, self.counts, self._nexts = [0.0] * bones, [1] * bones, [-1] * bones
        for bone in reversed(range(bones)):
            following = max(skeleton.children[bone], key=self.lengths.__getitem__, default=-1)
            self._nexts[bone] = following
            if following >= 0:
                self.lengths[bone] = _reach(skeleton, following) + self.lengths[following]
                self.counts[bone] = 1 + self.counts[following]
            else:
                end = skeleton.bones[bone].end
                self.lengths[bone] = 0.0 if end is None else float(np.linalg.norm(end))

    def chain(self, bone: int) -> tuple[int, ...]:
        found = [bone]
        while (bone := self._nexts[bone]) >= 0:
            found.append(bone)
        return tuple(found)


def _reach(skeleton: Skeleton, bone: int) -> float:
    return float(np.linalg.norm(skeleton.offsets[bone]))


def _lengths(skeleton: Skeleton, chain: tuple[int, ...]) -> list[float]:
    """Of each bone of a chain, up to the next; of the last its end's."""
    lengths = [_reach(skeleton, bone) for bone in chain[1:]]
    end = skeleton.bones[chain[-1]].end if chain else None
    return [*lengths, 0.0 if end is None else float(np.linalg.norm(end))] if chain else []


def _alike(skeleton: Skeleton, one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    if len(one) != len(other):
        return False
    first, second = np.array(_lengths(skeleton, one)), np.array(_lengths(skeleton, other))
    apart = abs(_reach(skeleton, one[0]) - _reach(skeleton, other[0]))
    return bool(np.abs(np.append(first - second, apart)).max() <= _ALIKE * max(first.max(), second.max(), 1e-12))


def _limb(skeleton: Skeleton, chain: tuple[int, ...], names: tuple[str, ...]) -> dict[str, int]:
    """The two long bones of a limb are neighbours, as long as a person's are; what is before and behind them follows."""
    first = _first_long(np.array(_lengths(skeleton, chain)), *(_ARM_SHAPE if names == ARM else _LEG_SHAPE))
    if names == ARM:
        parts = {"upper_arm": chain[first], "forearm": chain[first + 1]} | ({"collar": chain[0]} if first > 0 else {})
        return parts | ({"hand": chain[first + 2]} if first + 2 < len(chain) else {})
    parts = {"thigh": chain[first], "shin": chain[first + 1]}
    for k, part in enumerate(("foot", "toes")):
        if first + 2 + k < len(chain):
            parts[part] = chain[first + 2 + k]
    return parts


def _first_long(lengths: Array, ratio: float, tail: float) -> int:
    """Which bone of a chain is a limb's first long one.

    Args:
        ratio: How long it is, of the second. tail: How long what is behind them is, of the second.
    """
    best, least = 0, np.inf
    for k in range(len(lengths) - 1):
        one, other, rest = lengths[k], lengths[k + 1], lengths[k + 2 :].sum()
        if min(one, other) < 0.4 * lengths.max():
            continue
        cost = abs(np.log(one / other / ratio)) + 0.35 * abs(np.log(max(rest, 0.1 * other) / other / tail))
        if cost < least:
            best, least = k, cost
    return best


def _sides(
    skeleton: Skeleton, pair: _Pair, legs: _Pair | None, arms: _Pair, poses: Poses
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Left and right, by where the toes point; a body whose feet tell nothing has its left along the trunk's own x."""
    places, trunk = poses.places, arms.hub if legs is None else legs.hub
    lefts = poses.rotations[:, trunk, :, 0]
    if legs is not None:
        ups = places[:, arms.hub] - places[:, legs.hub]
        forwards = sum(_toes(skeleton, chain, poses) for chain in legs.chains)
        across = np.cross(ups, forwards)
        if np.linalg.norm(across, axis=1).sum() > 0.05 * np.linalg.norm(ups, axis=1).sum() * legs.length:
            lefts = across
    one, other = pair.chains
    names = ARM if pair is arms else LEG
    begins = [_limb(skeleton, chain, names)["upper_arm" if pair is arms else "thigh"] for chain in (one, other)]
    return (one, other) if ((places[:, begins[0]] - places[:, begins[1]]) * lefts).sum() >= 0.0 else (other, one)


def _toes(skeleton: Skeleton, chain: tuple[int, ...], poses: Poses) -> Array:
    """From the ankle to where a leg ends, shape (frames, 3); nothing where that only goes on as the shin does."""
    limb, last = _limb(skeleton, chain, LEG), chain[-1]
    nothing = np.zeros((len(poses.places), 3))
    if "foot" not in limb:
        return nothing
    end, ankle = skeleton.bones[last].end, poses.places[:, limb["foot"]]
    tip = poses.places[:, last] + (0.0 if end is None else poses.rotations[:, last] @ end)
    toes, shin = np.asarray(tip - ankle), ankle - poses.places[:, limb["shin"]]
    along = (toes * shin).sum(axis=1) / np.maximum(np.linalg.norm(toes, axis=1) * np.linalg.norm(shin, axis=1), 1e-12)
    return toes if along.mean() < _STRAIGHT else nothing


def _head(skeleton: Skeleton, arms: _Pair, legs: _Pair | None) -> dict[str, int]:
    """What hangs on the chest beside the arms and does not lead to the legs."""
    taken = {chain[0] for chain in arms.chains}
    way = set(_way(skeleton, legs.hub)) if legs is not None else set()
    rest = [child for child in skeleton.children[arms.hub] if child not in taken and child not in way]
    if not rest:
        return {}
    longest = _Longest(skeleton)
    chain = longest.chain(max(rest, key=longest.lengths.__getitem__))
    if len(chain) > 2 and not np.any(skeleton.bones[chain[-1]].end):
        chain = chain[:-1]  # an end that is drawn as a bone
    head = next((bone for bone in chain if len(skeleton.children[bone]) > 1), chain[-1])  # where a face begins
    return {"head": head} | ({"neck": chain[0]} if chain[0] != head else {})
