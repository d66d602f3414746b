"""<link>: its inertia, its looks and its collision shapes."""

from armillary.description.document import Element
from armillary.description.geometry import (
    Box,
    Capsule,
    Cylinder,
    Geometry,
    Material,
    Mesh,
    Shape,
    Sphere,
)
from armillary.description.inertia import (
    breaks_triangle_rule,
    is_positive_definite,
    nearest_sound_moments,
    principal_moments,
)
from armillary.description.packages import PackageFinder
from armillary.description.problem import Edit, Problems, Repair
from armillary.description.robot import Inertial, Link
from armillary.description.urdf.values import Values, format_number, format_vector

__all__ = ["LinkReader"]

_NAME = frozenset({"name"})
_MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
_ALLOWED = {
    "mass": frozenset({"value"}),
    "inertia": frozenset(_MOMENTS),
    "box": frozenset({"size"}),
    "cylinder": frozenset({"radius", "length"}),
    "capsule": frozenset({"radius", "length"}),
    "sphere": frozenset({"radius"}),
    "mesh": frozenset({"filename", "scale"}),
    "color": frozenset({"rgba"}),
    "texture": frozenset({"filename"}),
}
_IN_LINK = frozenset({"inertial", "visual", "collision"})
# Elements of other tools inside a link; they change nothing here and are no spelling mistakes.
_FOREIGN_IN_LINK = frozenset({"contact", "sensor", "audio_source", "verbose", "gravity", "self_collide"})
_IN_INERTIAL = frozenset({"origin", "mass", "inertia"})
_IN_VISUAL = frozenset({"origin", "geometry", "material"})
_IN_COLLISION = frozenset({"origin", "geometry", "verbose", "material", "contact_coefficients"})


class LinkReader:
    """Reads the links and materials of one description."""

    def __init__(self, problems: Problems, finder: PackageFinder | None) -> None:
        self.problems = problems
        self.values = Values(problems)
        self.finder = finder
        self.materials: dict[str, Material] = {}
        self._declared: dict[str, Element] = {}  # those below <robot>
        # A visual may use a material that is defined further down, so colours are looked up at the end.
        self._unresolved: dict[str, Element] = {}

    def declare_material(self, element: Element, robot: Element) -> None:
        """A <material> below <robot>."""
        name = self.values.name(element, "material")
        if name is None:
            return
        if name in self._declared:
            what = f"it is declared at line {self._declared[name].line} already"
            repair = Repair("the second is removed", (Edit(robot, remove=element),), applied=True)
            self.problems.add("duplicate-material", f"material '{name}'", what, at=element, repair=repair)
        self._declared.setdefault(name, element)
        material = self._material(element, f"material '{name}'")
        if material.rgba is None and material.texture is None:
            self.problems.add("empty-material", f"material '{name}'", "neither colour nor texture", at=element)
        else:
            self._remember(material, element)

    def read(self, element: Element) -> Link | None:
        """A link, whatever is wrong inside it; None only where it has no name."""
        name = self.values.name(element, "link")
        if name is None:
            return None
        where = f"link '{name}'"
        self.values.only_attributes(element, _NAME, where)
        inertial: Inertial | None = None
        visuals: list[Geometry] = []
        collisions: list[Geometry] = []
        for child in element.children:
            tag = child.tag
            if tag == "visual":
                geometry = self._geometry(child, f"{where} visual", _IN_VISUAL)
                if geometry:
                    visuals.append(geometry)
            elif tag == "collision":
                geometry = self._geometry(child, f"{where} collision", _IN_COLLISION)
                if geometry:
                    collisions.append(geometry)
            elif tag == "inertial":
                if inertial is not None:
                    self.problems.add("duplicate-element", where, "a second <inertial>", at=child)
                else:
                    inertial = self._inertial(child, where, any(c.tag in ("visual", "collision") for c in element.children))
            elif ":" not in tag and tag not in _FOREIGN_IN_LINK:
                self.values.only_children(_alone(child), _IN_LINK, where, "a link")
        return Link(name, inertial, tuple(visuals), tuple(collisions))

    # Inertia

    def _inertial(self, element: Element, where: str, has_shape: bool) -> Inertial:
        values, problems = self.values, self.problems
        values.only_children(element, _IN_INERTIAL, where, "<inertial>")
        pose = values.pose(element, f"{where} inertial")
        mass = 0.0
        mass_element = element.first("mass")
        if mass_element is None or "value" not in mass_element.attributes:
            problems.add("missing-mass", where, '<inertial> without <mass value="..."/>', at=mass_element or element)
        else:
            values.only_attributes(mass_element, _ALLOWED["mass"], where)
            before = len(problems.found)
            mass = values.number(mass_element, "value", where, 0.0)
            if mass < 0:
                problems.add("negative-mass", where, f"mass {mass:g} kg", at=mass_element)
            elif mass == 0 and len(problems.found) == before:
                kind = "zero-mass" if has_shape else "massless-frame"
                problems.add(kind, where, "mass 0 kg", at=mass_element)
        tensor = element.first("inertia")
        if tensor is None:
            if mass > 0:
                problems.add("missing-inertia", where, f"mass {mass:g} kg without <inertia>", at=element)
            return Inertial(mass, pose)
        values.only_attributes(tensor, _ALLOWED["inertia"], where)
        before = len(problems.found)
        ixx, ixy, ixz, iyy, iyz, izz = (values.number(tensor, moment, where, 0.0) for moment in _MOMENTS)
        moments = (ixx, ixy, ixz, iyy, iyz, izz)
        if len(problems.found) == before and mass >= 0:
            self._check_moments(mass, moments, tensor, where)
        return Inertial(mass, pose, moments)

    def _check_moments(
        self, mass: float, moments: tuple[float, float, float, float, float, float], at: Element, where: str
    ) -> None:
        if moments == (0.0, 0.0, 0.0, 0.0, 0.0, 0.0):
            if mass > 0:
                self.problems.add("zero-inertia", where, f"mass {mass:g} kg with an inertia of 0", at=at)
            return
        positive = is_positive_definite(moments)
        if positive and not breaks_triangle_rule(moments):
            return
        sound = nearest_sound_moments(moments)
        edits = tuple(
            Edit(at, name, format_number(float(f"{new:.9g}")))
            for name, old, new in zip(_MOMENTS, moments, sound, strict=True)
            if old != new
        )
        principal = ", ".join(f"{value:.4g}" for value in principal_moments(moments))
        after = ", ".join(f"{value:.4g}" for value in principal_moments(sound))
        repair = Repair(f"principal moments {principal} become {after} kg m^2", edits) if edits else None
        kind = "inertia-triangle" if positive else "inertia-not-positive"
        self.problems.add(kind, where, f"principal moments {principal} kg m^2", at=at, repair=repair)

    # Shapes

    def _geometry(self, element: Element, where: str, known: frozenset[str]) -> Geometry | None:
        self.values.only_attributes(element, _NAME, where)
        self.values.only_children(element, known, where, f"<{element.tag}>")
        pose = self.values.pose(element, where)
        container = element.first("geometry")
        shapes = [c for c in container.children if ":" not in c.tag] if container is not None else []
        material_element = element.first("material")
        material = self._material(material_element, where) if material_element is not None else None
        if material is not None and material_element is not None:
            if material.rgba is not None or material.texture is not None:
                if material.name:
                    self._remember(material, material_element)
            elif material.name:
                self._unresolved.setdefault(material.name, material_element)
        if not shapes:
            if container is None or not container.children:
                self.problems.add("missing-geometry", where, "no shape", at=element)
            return None
        if len(shapes) > 1:
            what = f"{len(shapes)} shapes in one <geometry>; the first, <{shapes[0].tag}>, is taken"
            self.problems.add("unknown-element", where, what, at=shapes[1])
        shape = self._shape(shapes[0], where)
        if shape is None:
            return None
        return Geometry(shape, pose, element.attributes.get("name", ""), material)

    def _shape(self, element: Element, where: str) -> Shape | None:
        values = self.values
        tag = element.tag
        if tag in _ALLOWED:
            values.only_attributes(element, _ALLOWED[tag], where)
        if tag == "mesh":
            return self._mesh(element, where)
        if tag == "box":
            size = values.vector(element, "size", where, (0.0, 0.0, 0.0))
            return Box(size) if self._sized(element, where, size, "size") else None
        if tag == "sphere":
            radius = values.number(element, "radius", where, 0.0)
            return Sphere(radius) if self._sized(element, where, (radius,), "radius") else None
        if tag in ("cylinder", "capsule"):
            radius = values.number(element, "radius", where, 0.0)
            length = values.number(element, "length", where, 0.0)
            if not self._sized(element, where, (radius, length), "radius, length"):
                return None
            if tag == "capsule":
                self.problems.add("capsule", where, "<capsule>", at=element)
                return Capsule(radius, length)
            return Cylinder(radius, length)
        self.problems.add("unknown-geometry", where, f"<{tag}> is no shape of URDF", at=element)
        return None

    def _sized(self, element: Element, where: str, sizes: tuple[float, ...], names: str) -> bool:
        if all(size > 0 for size in sizes):
            return True
        shown = " ".join(f"{size:g}" for size in sizes)
        self.problems.add("not-positive-size", where, f"<{element.tag}> with {names} {shown}", at=element)
        return False

    def _mesh(self, element: Element, where: str) -> Mesh | None:
        filename = element.attributes.get("filename", "").strip()
        scale = self.values.vector(element, "scale", where, (1.0, 1.0, 1.0))
        if 0.0 in scale:
            self.problems.add("not-positive-size", where, f"<mesh> with scale {format_vector(scale)}", at=element)
            return None
        if not filename:
            self.problems.add("missing-mesh", where, "<mesh> without a filename", at=element)
            return None
        if self.finder is None:
            return Mesh(filename, None, scale)
        found = self.finder.mesh(filename)
        if found.problem:
            self.problems.add(found.problem, where, found.what, at=element)
        return Mesh(filename, found.path, scale)

    # Materials

    def _material(self, element: Element, where: str) -> Material:
        name = element.attributes.get("name", "").strip()
        rgba: tuple[float, float, float, float] | None = None
        colour = element.first("color")
        if colour is not None:
            self.values.only_attributes(colour, _ALLOWED["color"], where)
            numbers = self.values.numbers(colour, "rgba", where, 4)
            if numbers is not None:
                clamped = tuple(min(max(value, 0.0), 1.0) for value in numbers)
                if clamped != numbers:
                    shown = " ".join(f"{value:g}" for value in numbers)
                    self.problems.add("colour-range", where, f"rgba {shown}", at=colour)
                rgba = (clamped[0], clamped[1], clamped[2], clamped[3])
        texture = element.first("texture")
        return Material(name, rgba, texture.attributes.get("filename") if texture is not None else None)

    def _remember(self, material: Material, element: Element) -> None:
        known = self.materials.setdefault(material.name, material)
        if known != material:
            what = f"'{material.name}' has been given another colour before"
            self.problems.add("conflicting-material", f"material '{material.name}'", what, at=element)

    def coloured(self, link: Link) -> Link:
        """The link with the colours of materials that it only names."""
        visuals = tuple(self._coloured(geometry) for geometry in link.visuals)
        collisions = tuple(self._coloured(geometry) for geometry in link.collisions)
        return Link(link.name, link.inertial, visuals, collisions)

    def _coloured(self, geometry: Geometry) -> Geometry:
        material = geometry.material
        if material is None or material.rgba is not None or material.texture is not None:
            return geometry
        known = self.materials.get(material.name, material)
        return Geometry(geometry.shape, geometry.pose, geometry.name, known)

    def note_undefined_materials(self) -> None:
        for name, element in self._unresolved.items():
            if name not in self.materials:
                self.problems.add("undefined-material", f"material '{name}'", "it is declared nowhere", at=element)


def _alone(child: Element) -> Element:
    """An element with this one child, to ask of it alone whether it is known."""
    parent = Element("link", {}, child.line, child.column, child.file)
    parent.children = [child]
    return parent
