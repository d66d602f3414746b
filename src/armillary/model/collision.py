"""Collision of a robot with itself and with what stands around it, and the distance left.

Hulls first, since they are fast and never miss what the mesh would find; then the meshes of the pairs whose hulls touch,
since a hull fills what is hollow. A primitive is exact by itself.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from armillary.description.geometry import Mesh, Shape
from armillary.model.batch import valid_batch
from armillary.model.errors import BadConfiguration, CollisionError, UnknownObstacle
from armillary.model.model import Model
from armillary.model.pairs import PairSearch, matching_pairs
from armillary.model.scene_part import Part, is_inside
from armillary.model.shapes import hull_shape, mesh_triangles, primitive_shape
from armillary.spatial import inverse, is_transform

__all__ = ["Contact", "Nearest", "Scene"]

Array = NDArray[np.float64]
_FEW = 4  # links that are named
_Broad = pin.BroadPhaseManager_DynamicAABBTreeCollisionManager
_Geometry = tuple[pin.GeometryModel, pin.GeometryData, pin.BroadPhaseManager_DynamicAABBTreeCollisionManager]


@dataclass(frozen=True, eq=False)
class Contact:
    """Two parts that collide."""

    first: str  # a link or an obstacle
    second: str
    depth: float  # how far their hulls overlap [m]


@dataclass(frozen=True, eq=False)
class Nearest:
    """The smallest distance, between which two parts, and where."""

    distance: float  # [m]; below zero is how far hulls overlap
    first: str
    second: str
    p_world_first: Array  # (3,) [m]
    p_world_second: Array  # (3,) [m]


class Scene:
    """A robot among obstacles. It has scratch of its own: one for each thread.

    Args:
        model: The robot.
        ignored: Pairs of links or obstacles that need no check, beside those found by `search`.
        checked: Pairs of links that are checked whatever `search` or the SRDF says.
        search: How pairs that matter are found; None checks all that are not fixed together or joined by a joint.
        progress: Called with a line of text while pairs are sampled.

    Attributes:
        pairs: The pairs of links that are checked.
        assumptions: Shapes that could not be used, or not as solids, in words.
        without_shape: Links with a look and no collision shape that could be used: collision with them is not seen.
    """

    def __init__(
        self, model: Model, *, ignored: tuple[tuple[str, str], ...] = (), checked: tuple[tuple[str, str], ...] = (),
        search: PairSearch | None = None,
        progress: Callable[[str], None] | None = None,
    ) -> None:  # fmt: skip
        self.model = model
        self._pool: pin.BroadPhaseManagerPool_DynamicAABBTreeCollisionManager | None = None
        self._exact: list[bool] = []
        self._hot: int | None = None  # the pair that collided last
        self._meshes: _Geometry | None = None  # the same pairs as triangles
        self._parts: list[Part] = []
        self._obstacles: dict[str, list[Part]] = {}
        self.without_shape: list[str] = []
        self.assumptions: list[str] = []
        self._add_robot()
        self._ignored = {frozenset(pair) for pair in ignored}
        disabled = {frozenset(pair[:2]) for pair in model.spec.robot.semantics.disabled_collisions}
        candidates = self._link_pairs(self._ignored | disabled)
        self._build(candidates)
        if search is not None:
            candidates = matching_pairs(self, candidates, search, progress)
        known = {frozenset(pair) for pair in candidates}
        wanted = tuple(pair for pair in checked if frozenset(pair) not in known)
        if search is not None or wanted:
            self._build((*candidates, *wanted))

    # What is in it

    def add(self, name: str, shape: Shape, T_world_object: Array) -> None:
        """Put an obstacle into the world.

        Raises:
            BadConfiguration: The name is taken, or the pose is no rigid transform.
        """
        if name in self._obstacles or name in self.model.frames:
            raise BadConfiguration(f"'{name}' is taken; give the obstacle another name")
        self._obstacles[name] = [self._part(name, shape, -1, _pose(T_world_object, name))]
        self._build(self.pairs)

    def move(self, name: str, T_world_object: Array) -> None:
        """Put an obstacle elsewhere in the world; one that was attached is let go."""
        for part in self._obstacle(name):
            part.carrier, part.T_carrier_shape = -1, _pose(T_world_object, name)
        self._build(self.pairs)

    def remove(self, name: str) -> None:
        """Take an obstacle out of the world."""
        self._obstacle(name)
        del self._obstacles[name]
        self._build(self.pairs)

    def attach(self, name: str, frame: str, q: Array) -> None:
        """Fix an obstacle to a frame as the two stand at q: from now on it moves along. It no longer collides with that link."""
        from armillary.model.kinematics import frame_pose

        carrier, T_carrier_frame = self.model.tree.carriers[self._frame(frame)]
        T_world_carrier = frame_pose(self.model, q, frame) @ inverse(T_carrier_frame)
        for part in self._obstacle(name):
            T_world_shape = self._world(part, q)
            part.carrier = carrier
            part.T_carrier_shape = inverse(T_world_carrier) @ T_world_shape
        self._build(self.pairs)

    def detach(self, name: str, q: Array) -> None:
        """Leave an attached obstacle in the world where it is at q."""
        for part in self._obstacle(name):
            part.T_carrier_shape = self._world(part, q)
            part.carrier = -1
        self._build(self.pairs)

    @property
    def obstacles(self) -> tuple[str, ...]:
        return tuple(self._obstacles)

    @property
    def unseen(self) -> str:
        """What nobody should think is checked: which links have no shape, or that nothing can be; "" where all is."""
        if not self._parts:
            return "collisions are not checked: no link has a collision shape"
        if not self.pairs and not self._obstacles:
            return "collisions are not checked: no two of its parts that have a shape can meet"
        if self.without_shape:
            names = list(dict.fromkeys(self.without_shape))
            few = ", ".join(names[:_FEW]) + (f" and {len(names) - _FEW} more" if len(names) > _FEW else "")
            return f"collisions with {few} are not seen: they have no collision shape"
        return ""

    # Questions

    def free(self, q: Array, *, inflation: float = 0.0, clearance: float = 0.0) -> bool:
        """Whether nothing collides at q.

        Args:
            inflation: Every part is grown by half of this, the robot's own among each other too [m].
            clearance: Obstacles are kept this much further away [m].
        """
        model = self.model
        full = model.full(model.valid(q))
        if len(self._exact) == 0:
            return True
        grown = self._set_margins(inflation, clearance)
        if self._hot is not None:
            # What collided last often collides again, on a path or in a bad corner; one look tells.
            pin.updateGeometryPlacements(model.pin, model.data, self._geometry, self._data, full)
            if pin.computeCollision(self._geometry, self._data, self._hot) and self._confirmed(self._hot):
                return False
        # Boxes around the parts, grown with them, sort out most pairs.
        if not pin.computeCollisions(model.pin, model.data, self._broad, full, True):
            return True
        if self._all_exact:
            return False
        if not grown:
            _, _, broad = self._triangles()
            if pin.computeCollisions(model.pin, model.data, broad, full, True):
                return False
        self._place(q, inflation, clearance)
        pin.computeCollisions(self._geometry, self._data, False)
        if not grown:  # no surfaces cross; what is left is one part wholly inside another
            return not any(self._contained(k) for k in self._touching() if not self._exact[k])
        self._hot = next((k for k in self._touching() if self._confirmed(k)), None)
        return self._hot is None

    def contacts(self, q: Array, *, inflation: float = 0.0, clearance: float = 0.0) -> tuple[Contact, ...]:
        """Every pair that collides at q, deepest first. Arguments as of `free`."""
        self._place(q, inflation, clearance)
        if not pin.computeCollisions(self._geometry, self._data, False):
            return ()
        found: dict[tuple[str, str], float] = {}
        for k in self._touching():
            if self._confirmed(k):
                names = self._names(k)
                depth = -float(pin.computeDistance(self._geometry, self._data, k).min_distance)
                found[names] = max(found.get(names, -np.inf), depth)
        ordered = sorted(found.items(), key=lambda item: -item[1])
        return tuple(Contact(first, second, depth) for (first, second), depth in ordered)

    def nearest(self, q: Array, *, but: frozenset[int] = frozenset()) -> Nearest | None:
        """The smallest distance between any two parts that are checked (of their hulls); None where there are none.

        Args:
            but: Numbers of pairs that are left out as long as they do not meet.
        """
        self._place(q, 0.0)
        if len(self._geometry.collisionPairs) == 0:
            return None
        k = int(pin.computeDistances(self._geometry, self._data))
        if k in but and self._data.distanceResults[k].min_distance > 0.0:
            others = [i for i in range(len(self._geometry.collisionPairs)) if i not in but]
            if not others:
                return None
            k = min(others, key=lambda i: self._data.distanceResults[i].min_distance)
        result = self._data.distanceResults[k]
        first, second = self._names(k)
        return Nearest(
            float(result.min_distance),
            first,
            second,
            result.getNearestPoint1().copy(),
            result.getNearestPoint2().copy(),
        )

    def free_batch(self, Q: Array, *, inflation: float = 0.0) -> NDArray[np.bool_]:
        """Whether nothing collides, for N configurations on all cores. Shape (N,)."""
        import os

        model = self.model
        Q = valid_batch(model, Q)
        full = model.full(Q)
        if len(self._geometry.collisionPairs) == 0:
            return np.ones(len(Q), dtype=bool)
        threads = os.cpu_count() or 1
        if inflation > 0.0:
            return np.array([self.free(q, inflation=inflation) for q in Q], dtype=bool)
        if self._pool is None:
            self._pool = pin.BroadPhaseManagerPool_DynamicAABBTreeCollisionManager(model.pin, self._geometry, threads)
        hits = np.array(pin.computeCollisionsInParallel(threads, self._pool, full.T.copy(order="F"), True), dtype=bool)
        if not self._all_exact:
            for row in np.flatnonzero(hits):
                hits[row] = not self.free(Q[row], inflation=inflation)
        return ~hits

    @property
    def parts(self) -> tuple[Part, ...]:
        """Every shape of the scene."""
        return tuple(self._everything)

    @property
    def numbered_pairs(self) -> tuple[tuple[int, int], ...]:
        """The pairs of `parts` that are checked, in the order in which they are."""
        return tuple((pair.first, pair.second) for pair in self._geometry.collisionPairs)

    def radius(self, part: Part) -> float:
        """No point of a part is further from its shape's origin than this [m]."""
        shape = primitive_shape(part.shape) or hull_shape(part.shape).shape
        shape.computeLocalAABB()
        box = shape.aabb_local
        return float(np.linalg.norm(np.maximum(np.abs(box.min_), np.abs(box.max_))))

    def distances(self, q: Array, pairs: list[int]) -> list[float]:
        """Distances of some of the `numbered_pairs` at q [m]; zero or less where they meet.

        Of hulls; where hulls meet and the meshes within them do not, of the meshes.
        """
        self._place(q, 0.0)
        found = []
        for k in pairs:
            distance = float(pin.computeDistance(self._geometry, self._data, k).min_distance)
            if distance <= 1e-3 and not self._exact[k]:
                geometry, data, _ = self._triangles()
                pin.updateGeometryPlacements(self.model.pin, self.model.data, geometry, data)
                between = float(pin.computeDistance(geometry, data, k).min_distance)
                distance = distance if self._contained(k) else max(distance, between)
            found.append(distance)
        return found

    def pair_names(self, pair: int) -> tuple[str, str]:
        """The two owners of one of the `numbered_pairs`."""
        return self._names(pair)

    # For the search of pairs

    def mesh_paths(self) -> list[str]:
        """Files of the meshes in use."""
        return [part.shape.path for part in self._everything if isinstance(part.shape, Mesh) and part.shape.path]

    def count_meetings(
        self, search: PairSearch, progress: Callable[[str], None] | None
    ) -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]:
        """In how many of the samples each pair of links came within the margin, and in how many it met."""
        near: Counter[tuple[str, str]] = Counter()
        met: Counter[tuple[str, str]] = Counter()
        rng = np.random.default_rng(search.seed)
        for number, q in enumerate(self.model.random(rng, search.samples)):
            if progress is not None and number % 50 == 0:
                progress(f"finding pairs that can collide: {number}/{search.samples}")
            for counts, inflation in ((near, search.margin), (met, 0.0)):
                self._place(q, inflation)
                pin.computeCollisions(self._geometry, self._data, False)
                counts.update({self._names(k) for k in self._touching()})
        return near, met

    # Inside

    def _add_robot(self) -> None:
        for link in self.model.spec.robot.links:
            carrier, T_carrier_link = self.model.tree.carriers[link.name]
            for geometry in link.collisions:
                if isinstance(geometry.shape, Mesh) and geometry.shape.path is None:
                    continue
                try:
                    part = self._part(link.name, geometry.shape, carrier, T_carrier_link @ geometry.pose.matrix)
                except CollisionError as error:
                    self.assumptions.append(f"link '{link.name}': {error}; until then it is not seen")
                    continue
                self._parts.append(part)
                if isinstance(geometry.shape, Mesh) and not hull_shape(geometry.shape).closed:
                    what = f"link '{link.name}': {geometry.shape.filename} is not closed; it has a surface and no inside"
                    self.assumptions.append(what)
            if (link.visuals or link.collisions) and not any(part.owner == link.name for part in self._parts):
                self.without_shape.append(link.name)

    def _part(self, owner: str, shape: Shape, carrier: int, T: Array) -> Part:
        exact = hull_shape(shape).exact if isinstance(shape, Mesh) else True
        return Part(owner, shape, carrier, T, exact)

    def _link_pairs(self, ignored: set[frozenset[str]]) -> tuple[tuple[str, str], ...]:
        """Pairs of links that can move against each other and are not joined by one joint."""
        tree = self.model.tree
        carriers = {part.owner: part.carrier for part in self._parts}
        names = list(carriers)
        pairs = []
        for i, first in enumerate(names):
            for second in names[i + 1 :]:
                a, b = carriers[first], carriers[second]
                joined = (a >= 0 and tree.moving[a].parent == b) or (b >= 0 and tree.moving[b].parent == a)
                if a != b and not joined and frozenset((first, second)) not in ignored:
                    pairs.append((first, second))
        return tuple(pairs)

    def _build(self, pairs: tuple[tuple[str, str], ...]) -> None:
        """Pinocchio's geometry for these pairs of links, and of each obstacle with every link and other obstacle."""
        self.pairs = pairs
        geometry = pin.GeometryModel()
        everything = [*self._parts, *(part for parts in self._obstacles.values() for part in parts)]
        numbers: dict[str, list[int]] = {}
        for index, part in enumerate(everything):
            shape = primitive_shape(part.shape)
            if shape is None:
                assert isinstance(part.shape, Mesh)
                shape = hull_shape(part.shape).shape
            named = pin.GeometryObject(f"{part.owner}#{index}", part.carrier + 1, pin.SE3(part.T_carrier_shape), shape)
            numbers.setdefault(part.owner, []).append(geometry.addGeometryObject(named))
        numbered = [
            (a, b)
            for first, second in (*pairs, *self._obstacle_pairs())
            for a in numbers.get(first, ())
            for b in numbers.get(second, ())
        ]
        # Those that need no second look come first: a check that may stop at the first hit then mostly stops for good.
        numbered.sort(key=lambda pair: not (everything[pair[0]].exact and everything[pair[1]].exact))
        for a, b in numbered:
            geometry.addCollisionPair(pin.CollisionPair(a, b))
        self._everything = everything
        self._geometry = geometry
        self._data = geometry.createData()
        for request in self._data.distanceRequests:
            request.enable_signed_distance = True
        self._margins = 0.0, 0.0
        names = set(self._obstacles)
        self._with_obstacle = [everything[a].owner in names or everything[b].owner in names for a, b in numbered]
        self._pool = None
        self._broad = _Broad(self.model.pin, geometry, self._data)
        self._exact = [everything[a].exact and everything[b].exact for a, b in numbered]
        self._all_exact = all(self._exact)
        self._hot = None
        self._meshes = None

    def _obstacle_pairs(self) -> list[tuple[str, str]]:
        pairs = []
        links = {part.owner: part.carrier for part in self._parts}
        names = list(self._obstacles)
        for i, name in enumerate(names):
            carrier = self._obstacles[name][0].carrier
            for other, own in (*links.items(), *((n, self._obstacles[n][0].carrier) for n in names[i + 1 :])):
                if own != carrier and frozenset((name, other)) not in self._ignored:
                    pairs.append((other, name))
        return pairs

    def _place(self, q: Array, inflation: float = 0.0, clearance: float = 0.0) -> None:
        model = self.model
        self._set_margins(inflation, clearance)
        pin.updateGeometryPlacements(model.pin, model.data, self._geometry, self._data, model.full(model.valid(q)))

    def _set_margins(self, inflation: float, clearance: float) -> bool:
        """How far apart pairs are to be; whether that is anything at all."""
        if (inflation, clearance) != self._margins:
            for what, value in (("inflation", inflation), ("clearance", clearance)):
                if not 0.0 <= value < 10.0:
                    raise BadConfiguration(f"{what} {value} m; give 0 or a few centimetres")
            self._margins = inflation, clearance
            for k, request in enumerate(self._data.collisionRequests):
                request.security_margin = inflation + (clearance if self._with_obstacle[k] else 0.0)
            # The tree of boxes is grown where parts are placed, and they must be placed somewhere.
            model = self.model
            pin.updateGeometryPlacements(model.pin, model.data, self._geometry, self._data, model.full(model.zero()))
            self._broad.update(True)
        return inflation > 0.0 or clearance > 0.0

    def _touching(self) -> list[int]:
        return [k for k, result in enumerate(self._data.collisionResults) if result.isCollision()]

    def _names(self, k: int) -> tuple[str, str]:
        pair = self._geometry.collisionPairs[k]
        return self._everything[pair.first].owner, self._everything[pair.second].owner

    def _confirmed(self, k: int) -> bool:
        """Whether a pair whose hulls touch where they are placed touches with its meshes too."""
        if self._exact[k]:
            return True
        geometry, data, _ = self._triangles()
        pair = self._geometry.collisionPairs[k]
        for number in (pair.first, pair.second):
            data.oMg[number] = self._data.oMg[number]
        request = data.collisionRequests[k]
        request.security_margin = self._data.collisionRequests[k].security_margin
        touches = pin.computeCollision(geometry, data, k)
        request.security_margin = 0.0
        return bool(touches) or self._contained(k)

    def _contained(self, k: int) -> bool:
        """Whether one of a pair lies wholly inside the other, where their surfaces do not cross."""
        pair = self._geometry.collisionPairs[k]
        first, second = self._everything[pair.first], self._everything[pair.second]
        places = self._data.oMg[pair.first], self._data.oMg[pair.second]
        return is_inside(second, places[1], first, places[0]) or is_inside(first, places[0], second, places[1])

    def _triangles(self) -> _Geometry:
        """The same parts and pairs with meshes as triangles, built when first needed."""
        if self._meshes is None:
            geometry = pin.GeometryModel()
            for index, part in enumerate(self._everything):
                exact = part.exact or not isinstance(part.shape, Mesh)
                shape = self._geometry.geometryObjects[index].geometry if exact else mesh_triangles(part.shape).shape
                geometry.addGeometryObject(
                    pin.GeometryObject(f"{part.owner}#{index}", part.carrier + 1, pin.SE3(part.T_carrier_shape), shape)
                )
            for pair in self._geometry.collisionPairs:
                geometry.addCollisionPair(pair)
            data = geometry.createData()
            broad = _Broad(self.model.pin, geometry, data)
            self._meshes = geometry, data, broad
        return self._meshes

    def _world(self, part: Part, q: Array) -> Array:
        if part.carrier < 0:
            return part.T_carrier_shape
        model = self.model
        pin.forwardKinematics(model.pin, model.data, model.full(model.valid(q)))
        T: Array = model.data.oMi[part.carrier + 1].homogeneous
        return T @ part.T_carrier_shape

    def _obstacle(self, name: str) -> list[Part]:
        if name not in self._obstacles:
            raise UnknownObstacle(name, list(self._obstacles))
        return self._obstacles[name]

    def _frame(self, name: str) -> str:
        self.model.frame_number(name)
        return name


def _pose(T: Array, name: str) -> Array:
    T = np.asarray(T, dtype=float)
    if not is_transform(T, 1e-6):
        raise BadConfiguration(f"the pose of '{name}' is no rigid transform; give a rotation and a position")
    return T
