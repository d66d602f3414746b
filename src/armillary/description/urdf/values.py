"""Numbers and names out of XML attributes, each oddity noted where it stands."""

from difflib import get_close_matches
from typing import overload

from armillary.description.document import Element
from armillary.description.geometry import Pose, Vector
from armillary.description.problem import Edit, Problems, Repair
from armillary.spatial import rotation_from_quaternion, rpy_from_rotation

__all__ = ["LARGEST", "Values", "format_number", "format_vector"]

ZERO: Vector = (0.0, 0.0, 0.0)
# Squares and products of three of these are still finite; nothing in a robot comes near it. NaN is not <= it.
LARGEST = 1e30
LARGEST_ANGLE = 6.3  # rad; an orientation needs no more than a turn


def format_number(value: float) -> str:
    """The shortest text that reads back as the same number; whole numbers without a point."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def format_vector(values: tuple[float, ...]) -> str:
    return " ".join(format_number(value) for value in values)


class Values:
    """Reads attributes of one description and notes what is wrong with them."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems

    @overload
    def number(self, element: Element, attribute: str, where: str, default: float) -> float: ...
    @overload
    def number(self, element: Element, attribute: str, where: str, default: None = None) -> float | None: ...
    def number(self, element: Element, attribute: str, where: str, default: float | None = None) -> float | None:
        """The attribute as a number; the default where it is missing or (noted) not one."""
        text = element.attributes.get(attribute)
        if text is None:
            return default
        return self._number(element, f'<{element.tag} {attribute}="{text[:60]}">', text, where, default)

    def _number(self, element: Element, shown: str, text: str, where: str, default: float | None) -> float | None:
        try:
            value = float(text)
        except ValueError:
            self.problems.add("not-a-number", where, shown, at=element)
            return default
        if not abs(value) <= LARGEST:
            self.problems.add("not-finite", where, shown, at=element)
            return default
        if "_" in text or not text.isascii():  # Python reads 1_000 and other scripts' digits, C does not
            self.problems.add("not-a-number", where, shown, at=element)
            return default
        return value

    def vector(self, element: Element, attribute: str, where: str, default: Vector) -> Vector:
        """Three numbers, separated by spaces."""
        values = self.numbers(element, attribute, where, 3)
        return default if values is None else (values[0], values[1], values[2])

    def numbers(self, element: Element, attribute: str, where: str, count: int) -> tuple[float, ...] | None:
        """So many numbers, separated by spaces; None where the attribute is missing or (noted) wrong."""
        text = element.attributes.get(attribute)
        if text is None:
            return None
        shown = f'<{element.tag} {attribute}="{text[:80]}">'
        parts = text.split()
        if "," in text:
            separated = text.replace(",", " ").split()
            if len(separated) == count:
                parts = separated
                fixed = " ".join(parts)
                repair = Repair(f"{attribute} = {fixed}", (Edit(element, attribute, fixed),), applied=True)
                self.problems.add("comma-separated", where, shown, at=element, repair=repair)
        if len(parts) != count:
            self.problems.add("wrong-count", where, f"{shown} has {len(parts)} numbers, not {count}", at=element)
            return None
        try:
            values = tuple([float(part) for part in parts])
        except ValueError:
            self.problems.add("not-a-number", where, shown, at=element)
            return None
        for value in values:
            if not abs(value) <= LARGEST:
                self.problems.add("not-finite", where, shown, at=element)
                return None
        if "_" in text or not text.isascii():
            self.problems.add("not-a-number", where, shown, at=element)
            return None
        return values

    def pose(self, parent: Element, where: str) -> Pose:
        """The <origin> of an element; the identity where there is none."""
        origin = parent.first("origin")
        if origin is None:
            return _IDENTITY
        self.only_attributes(origin, _ORIGIN, where)
        xyz = self.vector(origin, "xyz", where, ZERO)
        if "quat_xyzw" in origin.attributes:  # since URDF 1.2
            quaternion = self.numbers(origin, "quat_xyzw", where, 4)
            if quaternion is not None:
                x, y, z, w = quaternion
                if w * w + x * x + y * y + z * z > 0:
                    return Pose(xyz, rpy_from_rotation(rotation_from_quaternion((w, x, y, z))))
                self.problems.add("zero-axis", where, "quat_xyzw has length 0", at=origin)
        rpy = self.vector(origin, "rpy", where, ZERO)
        if max(abs(rpy[0]), abs(rpy[1]), abs(rpy[2])) > LARGEST_ANGLE:
            self.problems.add("degrees-smell", where, f"rpy {format_vector(rpy)} rad is more than a turn", at=origin)
        return Pose(xyz, rpy)

    def name(self, element: Element, kind: str) -> str | None:
        """The element's name; None (noted) where it has none."""
        name = element.attributes.get("name")
        if name is None or not name.strip():
            self.problems.add("missing-name", f"<{element.tag}>", f"a {kind} without a name", at=element)
            return None
        return name

    def only_attributes(self, element: Element, known: frozenset[str], where: str) -> None:
        """Note attributes that URDF does not know here; prefixed ones are somebody's extension."""
        if element.attributes.keys() <= known:
            return
        for attribute in sorted(element.attributes.keys() - known):
            if ":" not in attribute and not attribute.startswith("xmlns"):
                what = f"<{element.tag}> has no attribute '{attribute}' in URDF{_meant(attribute, known)}"
                self.problems.add("unknown-attribute", where, what, at=element)

    def only_children(self, element: Element, known: frozenset[str], where: str, inside: str) -> None:
        """Note elements that URDF does not know here, and known ones that stand twice; prefixed ones are extensions."""
        seen: set[str] = set()
        for child in element.children:
            if child.tag in known:
                if child.tag in seen:
                    self.problems.add("duplicate-element", where, f"a second <{child.tag}>", at=child)
                seen.add(child.tag)
            elif ":" not in child.tag:
                what = f"<{child.tag[:60]}> is not known in {inside}{_meant(child.tag, known)}"
                self.problems.add("unknown-element", where, what, at=child)


def _meant(name: str, known: frozenset[str]) -> str:
    """The known name that is spelled like this one, as a question; nothing where none is."""
    near = get_close_matches(name, sorted(known), n=1, cutoff=0.7) if len(name) < 60 else []
    return f"; is '{near[0]}' meant?" if near else ""


_IDENTITY = Pose()
_ORIGIN = frozenset({"xyz", "rpy", "quat_xyzw"})
