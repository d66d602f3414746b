"""Figures that smell of another unit: millimetres for metres, grams for kilograms.

Each test is far from what real machines have (the bounds stand beside it), so that it speaks only when
something is some hundred times off.
"""

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from armillary.description.document import Element
from armillary.description.errors import UnreadableFile
from armillary.description.geometry import Geometry, Mesh
from armillary.description.inertia import principal_moments
from armillary.description.mesh import load_mesh, mesh_damage, sampled_extents
from armillary.description.problem import Edit, Problems, Repair
from armillary.description.robot import Link, Robot

__all__ = ["smell_units"]

Array = NDArray[np.float64]

_LONGEST_LINK = 12.0  # m; the largest arms (Canadarm2) have links of 7 m
_LARGEST_MESH = 12.0  # m; more is a floor or a hall, and heavy or massless
_HEAVY_LINK = 2000.0  # kg
_DENSEST = 200_000.0  # kg/m^3 of the box around it; tungsten has 19 300
_HEAVY = 500.0  # kg; below it a robot is not judged as a whole
_DENSEST_ROBOT = 1000.0  # kg/m^3 of the cube of its largest extent; the heaviest arms have about 100
_LARGEST_RADIUS = 10.0  # times the link's size; a body's radius of gyration is at most half of it


def smell_units(robot: Robot, link_elements: dict[str, Element], joint_elements: dict[str, Element], problems: Problems) -> None:
    """Note lengths, masses and inertias that look as if written in another unit."""
    for joint in robot.joints:
        distance = sqrt(sum(value * value for value in joint.pose.xyz))
        if distance > _LONGEST_LINK:
            what = f"its origin lies {distance:.4g} m from its parent's"
            problems.add("length-units", f"joint '{joint.name}'", what, at=joint_elements[joint.name])
    _smell_total(robot, link_elements, problems)
    extents = _Extents()
    for link in robot.links:
        _smell_link(link, link_elements[link.name], problems, extents)


def _smell_total(robot: Robot, link_elements: dict[str, Element], problems: Problems) -> None:
    """A robot that would be denser than water if it filled the cube it stands in: grams for kilograms."""
    if robot.mass < _HEAVY:
        return
    origins = np.array([T[:3, 3] for T in robot.poses().values()])
    reach = float(np.ptp(origins, axis=0).max())
    if reach > 0 and robot.mass / reach**3 > _DENSEST_ROBOT:
        heaviest = max(robot.links, key=lambda link: link.inertial.mass if link.inertial else 0.0)
        what = f"the robot weighs {robot.mass:.4g} kg and is {reach:.3g} m across"
        problems.add("mass-units", f"link '{heaviest.name}'", what, at=_inside(link_elements[heaviest.name], "mass"))


class _Extents:
    """Sizes of shapes; a mesh that is used twice is looked into once."""

    def __init__(self) -> None:
        self._meshes: dict[str, Array | None] = {}

    def of(self, geometry: Geometry) -> Array | None:
        """Edge lengths of the box around a shape [m]; None where a mesh's is not known."""
        shape = geometry.shape
        if not isinstance(shape, Mesh):
            return np.array(shape.extents)
        if shape.path is None:
            return None
        if shape.path not in self._meshes:
            self._meshes[shape.path] = sampled_extents(shape.path)
        extents = self._meshes[shape.path]
        return None if extents is None else extents * np.abs(shape.scale)

    def whole(self, mesh: Mesh) -> Array | None:
        """The size of a mesh read whole [m]; None where it cannot be."""
        if mesh.path is None:
            return None
        key = f"{mesh.path} {mesh.scale}"
        if key not in self._meshes:
            try:
                self._meshes[key] = np.asarray(load_mesh(mesh.path, scale=mesh.scale).extents)
            except UnreadableFile:
                self._meshes[key] = None
        return self._meshes[key]


def _too_large(link: Link, extents: Array) -> bool:
    mass = link.inertial.mass if link.inertial else 0.0
    return bool((extents.max() > _LARGEST_MESH and 0 < mass < _HEAVY_LINK) or extents.max() > 10 * _LARGEST_MESH)


def _smell_link(link: Link, element: Element, problems: Problems, known: _Extents) -> None:
    size = _size(link, element, problems, known)
    unseen = any(isinstance(g.shape, Mesh) and g.shape.path is None for g in (*link.collisions, *link.visuals))
    if link.inertial is None or link.inertial.mass <= 0 or size is None or unseen:
        return  # without its real shape there is nothing to judge by
    mass = link.inertial.mass
    diagonal = float(np.linalg.norm(size))
    # A plate has no thickness to speak of: never less than a hundredth of its diagonal.
    volume = float(np.prod(np.maximum(size, diagonal / 100)))
    where = f"link '{link.name}'"
    if volume > 0 and mass / volume > _DENSEST and mass > 10.0:
        what = f"{mass:.4g} kg in a box of {_shown(size)} m is {mass / volume:.3g} kg/m^3"
        problems.add("mass-units", where, what, at=_inside(element, "mass"))
    largest = max(abs(value) for value in link.inertial.moments)
    if largest > mass * (_LARGEST_RADIUS * diagonal) ** 2:
        radius = sqrt(principal_moments(link.inertial.moments)[2] / mass) if largest > 0 else 0.0
        what = f"its radius of gyration is {radius:.3g} m, its shape {diagonal:.3g} m across"
        problems.add("inertia-units", where, what, at=_inside(element, "inertia"))


def _size(link: Link, element: Element, problems: Problems, known: _Extents) -> Array | None:
    """Edge lengths of the largest shape of a link [m]; meshes that look like millimetres are noted."""
    largest: Array | None = None
    noted: set[str] = set()
    for geometry in (*link.collisions, *link.visuals):
        extents = known.of(geometry)
        shape = geometry.shape
        if extents is None:
            damage = mesh_damage(shape.path) if isinstance(shape, Mesh) and shape.path else ""
            if isinstance(shape, Mesh) and damage and shape.filename not in noted:
                noted.add(shape.filename)
                problems.add("mesh-broken", f"link '{link.name}'", f"{shape.filename} {damage}", at=element)
            continue
        if isinstance(shape, Mesh) and _too_large(link, extents):
            # The sample does not know of scales inside the file; before a word is said the mesh is read whole.
            whole = known.whole(shape)
            if whole is None or not _too_large(link, whole):
                extents = extents if whole is None else whole
            else:
                if shape.filename not in noted:
                    noted.add(shape.filename)
                    _note_mesh(link, shape, whole, element, problems)
                extents = whole / 1000
        if largest is None or extents.max() > largest.max():
            largest = extents
    return largest


def _note_mesh(link: Link, mesh: Mesh, extents: Array, element: Element, problems: Problems) -> None:
    uses = [e for e in element.walk() if e.tag == "mesh" and e.attributes.get("filename", "").strip() == mesh.filename]
    scale = " ".join(f"{value / 1000:g}" for value in mesh.scale)
    repair = Repair(f"scale = {scale}", tuple(Edit(use, "scale", scale) for use in uses))
    what = f"{mesh.filename} is {extents.max():.4g} m across"
    problems.add("mesh-units", f"link '{link.name}'", what, at=uses[0] if uses else element, repair=repair)


def _inside(element: Element, tag: str) -> Element:
    inertial = element.first("inertial")
    return (inertial.first(tag) if inertial is not None else None) or element


def _shown(size: Array) -> str:
    return " x ".join(f"{value:.3g}" for value in size)
