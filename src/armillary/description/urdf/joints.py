"""<joint>: how two links are connected, how far, how fast and how hard it may move."""

from dataclasses import replace
from math import sqrt

from armillary.description.document import Element
from armillary.description.geometry import Vector
from armillary.description.problem import Edit, Problems, Repair
from armillary.description.robot import (
    Calibration,
    Joint,
    JointDynamics,
    JointType,
    Limits,
    Mimic,
    SafetyController,
)
from armillary.description.urdf.values import Values, format_number, format_vector

__all__ = ["JointReader"]

_TYPES = {kind.value: kind for kind in JointType}
_JOINT = frozenset({"name", "type"})
_IN_JOINT = frozenset({"origin", "parent", "child", "axis", "limit", "mimic", "dynamics", "safety_controller", "calibration"})
_LINK_NAME = frozenset({"link"})
_LIMIT = frozenset({"lower", "upper", "velocity", "effort", "acceleration", "deceleration", "jerk"})
_MIMIC = frozenset({"joint", "multiplier", "offset"})
_DYNAMICS = frozenset({"damping", "friction"})
_SAFETY = frozenset({"soft_lower_limit", "soft_upper_limit", "k_position", "k_velocity"})
_CALIBRATION = frozenset({"rising", "falling", "reference_position"})
_AXIS = frozenset({"xyz"})
# Four turns and more: more than a cable allows, less than most ranges written in degrees.
_DEGREES_FROM = 26.0
_DEGREES_A_SECOND = 60.0  # a geared joint turns at 20 rad/s at most
_X: Vector = (1.0, 0.0, 0.0)


class JointReader:
    """Reads the joints of one description, and what they say of each other."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.values = Values(problems)
        self.elements: dict[str, Element] = {}  # where each joint stands, for later checks
        # Ends of joints that could not be read: what they connect is no part without connection.
        self.broken_ends: list[tuple[str, str]] = []
        self.lost_end = False  # a joint did not even say what it connects

    def read(self, element: Element) -> Joint | None:
        """A joint; None (noted) where what it connects or how it moves is not known."""
        values = self.values
        name = values.name(element, "joint")
        if name is None:
            return None
        where = f"joint '{name}'"
        values.only_attributes(element, _JOINT, where)
        values.only_children(element, _IN_JOINT, where, "a joint")
        kind = self._type(element, where)
        parent = self._end(element, "parent", where)
        child_link = self._end(element, "child", where)
        if parent is None or child_link is None:
            self.lost_end = True
        elif kind is None:
            self.broken_ends.append((parent, child_link))
        if kind is None:
            return None
        joint = Joint(
            name=name,
            type=kind,
            parent=parent or "",
            child=child_link or "",
            pose=values.pose(element, where),
            axis=self._axis(element, kind, where),
            limits=self._limits(element, kind, where),
            mimic=self._mimic(element, name, kind, where),
            dynamics=self._dynamics(element, where),
            safety=self._safety(element, where),
            calibration=self._calibration(element, where),
        )
        self._check_safety(joint, element)
        return joint if parent and child_link else None

    def _type(self, element: Element, where: str) -> JointType | None:
        text = element.attributes.get("type")
        if text is None:
            self.problems.add("missing-joint-type", where, "<joint> without a type", at=element)
            return None
        kind = _TYPES.get(text)
        if kind is None and text.strip().lower() in _TYPES:
            kind = _TYPES[text.strip().lower()]
            repair = Repair(f"type = {kind.value}", (Edit(element, "type", kind.value),), applied=True)
            what = f"type '{text}' is written '{kind.value}'"
            self.problems.add("unknown-attribute", where, what, at=element, repair=repair)
        elif kind is None:
            self.problems.add("unknown-joint-type", where, f"type '{text[:60]}'", at=element)
        return kind

    def _end(self, element: Element, tag: str, where: str) -> str | None:
        end = element.first(tag)
        link = end.attributes.get("link") if end is not None else None
        if not link:
            what = f"no <{tag}>" if end is None else f'<{tag}> without link="..."'
            self.problems.add(f"missing-{tag}", where, what, at=end or element)
            return None
        assert end is not None
        self.values.only_attributes(end, _LINK_NAME, where)
        return link

    def _axis(self, element: Element, kind: JointType, where: str) -> Vector:
        axis_element = element.first("axis")
        if kind in (JointType.FIXED, JointType.FLOATING):
            return _X
        if axis_element is None or "xyz" not in axis_element.attributes:
            self.problems.add("missing-axis", where, "no <axis>", at=element)
            return _X
        self.values.only_attributes(axis_element, _AXIS, where)
        x, y, z = axis = self.values.vector(axis_element, "xyz", where, _X)
        length = sqrt(x * x + y * y + z * z)
        if abs(length - 1.0) < 1e-12:
            return axis
        if not length > 1e-9:
            self.problems.add("zero-axis", where, f"axis {format_vector(axis)}", at=axis_element)
            return _X
        unit = (x / length, y / length, z / length)
        # Rounding to a few digits is no fault; the axis is made exact all the same.
        if abs(length - 1.0) > 1e-3:
            repair = Repair(
                f"axis {format_vector(axis)} = {format_vector(unit)}",
                (Edit(axis_element, "xyz", format_vector(unit)),),
                applied=True,
            )
            what = f"axis {format_vector(axis)} has length {length:.6g}"
            self.problems.add("axis-not-unit", where, what, at=axis_element, repair=repair)
        return unit

    # Limits

    def _limits(self, element: Element, kind: JointType, where: str) -> Limits | None:
        limit = element.first("limit")
        needs_range = kind in (JointType.REVOLUTE, JointType.PRISMATIC)
        if limit is None:
            if needs_range:
                self.problems.add("missing-limit", where, f"{kind.value} without <limit>", at=element)
            elif kind is JointType.CONTINUOUS:
                self.problems.add("missing-velocity", where, "continuous without <limit>", at=element)
            return None
        values = self.values
        values.only_attributes(limit, _LIMIT, where)
        before = len(self.problems.found)
        lower = values.number(limit, "lower", where)
        upper = values.number(limit, "upper", where)
        if kind.is_single and len(self.problems.found) == before:
            lower, upper = self._range(limit, lower, upper, kind, where)
        velocity = self._magnitude(limit, "velocity", kind, where)
        effort = self._magnitude(limit, "effort", kind, where)
        acceleration = self._magnitude(limit, "acceleration", kind, where)
        jerk = self._magnitude(limit, "jerk", kind, where)
        if kind in (JointType.REVOLUTE, JointType.CONTINUOUS):
            self._smell_degrees(limit, lower, upper, velocity if kind is JointType.REVOLUTE else None, where)
        return Limits(lower, upper, velocity, effort, acceleration, jerk)

    def _range(
        self, limit: Element, lower: float | None, upper: float | None, kind: JointType, where: str
    ) -> tuple[float | None, float | None]:
        if kind is JointType.CONTINUOUS:
            if lower is not None and upper is not None and lower != upper:
                what = f"range {lower:g} to {upper:g} on a continuous joint"
                self.problems.add("range-on-continuous", where, what, at=limit)
            return None, None
        low, high = lower or 0.0, upper or 0.0  # URDF: what is left out is 0
        missing = " and ".join(name for name, value in (("lower", lower), ("upper", upper)) if value is None)
        if missing and low > high:
            what = f"<limit> without {missing}, which then is 0: {low:.6g} to {high:.6g} is no range"
            self.problems.add("missing-limit", where, what, at=limit)
            return None, None
        if missing:
            self.problems.add("missing-range", where, f"<limit> without {missing}", at=limit)
        elif low > high:
            edits = (Edit(limit, "lower", format_number(high)), Edit(limit, "upper", format_number(low)))
            repair = Repair(f"lower = {high:.6g}, upper = {low:.6g}", edits, applied=True)
            what = f"lower {low:.6g} is above upper {high:.6g}"
            self.problems.add("swapped-limits", where, what, at=limit, repair=repair)
            return high, low
        elif low == high:
            self.problems.add("zero-range", where, f"lower and upper are both {low:.6g}", at=limit)
        return low, high

    def _magnitude(self, limit: Element, attribute: str, kind: JointType, where: str) -> float | None:
        """A limit on speed, effort and the like: above zero, or None where the file does not say it."""
        if kind is JointType.FIXED:
            return None
        if attribute not in limit.attributes:
            if kind.is_single and attribute in ("velocity", "effort"):
                self.problems.add(f"missing-{attribute}", where, f"<limit> without {attribute}", at=limit)
            return None
        value = self.values.number(limit, attribute, where)
        if value is None:
            return None
        if value < 0:
            edit = Edit(limit, attribute, format_number(-value))
            repair = Repair(f"{attribute} = {-value:g}", (edit,), applied=True)
            what = f"{attribute} {value:g}"
            self.problems.add(f"negative-{attribute}", where, what, at=limit, repair=repair)
            return -value
        if value == 0:
            if kind.is_single:
                self.problems.add(f"zero-{attribute}", where, f"{attribute} 0", at=limit)
            return None
        return value

    def _smell_degrees(
        self, limit: Element, lower: float | None, upper: float | None, velocity: float | None, where: str
    ) -> None:
        widest = max(abs(lower or 0.0), abs(upper or 0.0))
        # 1e3 and more stands for "no limit" in many files, and is no number of degrees either.
        if _DEGREES_FROM <= widest < 1000 and widest == round(widest, 1):
            what = f"range {lower or 0:g} to {upper or 0:g} rad is {widest / 6.2832:.0f} turns"
            self.problems.add("degrees-smell", where, what, at=limit)
        elif velocity is not None and _DEGREES_A_SECOND <= velocity < 1000 and velocity == round(velocity):
            what = f"velocity {velocity:g} rad/s is {velocity / 6.2832:.0f} turns a second"
            self.problems.add("degrees-smell", where, what, at=limit)

    # What a joint says of others

    def _mimic(self, element: Element, name: str, kind: JointType, where: str) -> Mimic | None:
        mimic = element.first("mimic")
        if mimic is None:
            return None
        self.values.only_attributes(mimic, _MIMIC, where)
        followed = mimic.attributes.get("joint")
        if not followed:
            self.problems.add("mimic-no-joint", where, '<mimic> without joint="..."', at=mimic)
            return None
        if followed == name:
            self.problems.add("mimic-self", where, "it mimics itself", at=mimic)
            return None
        if kind is JointType.FIXED:
            self.problems.add("mimic-on-fixed", where, "<mimic> on a fixed joint", at=mimic)
            return None
        multiplier = self.values.number(mimic, "multiplier", where, 1.0)
        return Mimic(followed, multiplier, self.values.number(mimic, "offset", where, 0.0))

    def _dynamics(self, element: Element, where: str) -> JointDynamics | None:
        dynamics = element.first("dynamics")
        if dynamics is None:
            return None
        self.values.only_attributes(dynamics, _DYNAMICS, where)
        damping = self._not_negative(dynamics, "damping", where)
        return JointDynamics(damping, self._not_negative(dynamics, "friction", where))

    def _not_negative(self, element: Element, attribute: str, where: str) -> float:
        value = self.values.number(element, attribute, where, 0.0)
        if value < 0:
            repair = Repair(f"{attribute} = 0", (Edit(element, attribute, "0"),), applied=True)
            self.problems.add("negative-damping", where, f"{attribute} {value:g}", at=element, repair=repair)
            return 0.0
        return value

    def _safety(self, element: Element, where: str) -> SafetyController | None:
        safety = element.first("safety_controller")
        if safety is None:
            return None
        values = self.values
        values.only_attributes(safety, _SAFETY, where)
        if "k_velocity" not in safety.attributes:
            self.problems.add("safety-incomplete", where, "no k_velocity", at=safety)
        return SafetyController(
            soft_lower=values.number(safety, "soft_lower_limit", where, 0.0),
            soft_upper=values.number(safety, "soft_upper_limit", where, 0.0),
            k_position=values.number(safety, "k_position", where, 0.0),
            k_velocity=values.number(safety, "k_velocity", where, 0.0),
        )

    def _check_safety(self, joint: Joint, element: Element) -> None:
        safety, limits = joint.safety, joint.limits
        if safety is None or limits is None or limits.lower is None or limits.upper is None:
            return
        if safety.soft_lower == safety.soft_upper == 0:  # the defaults: no soft limits
            return
        if safety.soft_lower > safety.soft_upper:
            what = f"soft lower {safety.soft_lower:g} is above soft upper {safety.soft_upper:g}"
            self.problems.add("safety-outside", f"joint '{joint.name}'", what, at=element.first("safety_controller"))
        elif safety.soft_lower < limits.lower - 1e-9 or safety.soft_upper > limits.upper + 1e-9:
            what = (
                f"soft limits {safety.soft_lower:g} to {safety.soft_upper:g} reach outside {limits.lower:g} to {limits.upper:g}"
            )
            self.problems.add("safety-outside", f"joint '{joint.name}'", what, at=element.first("safety_controller"))

    def _calibration(self, element: Element, where: str) -> Calibration | None:
        calibration = element.first("calibration")
        if calibration is None:
            return None
        self.values.only_attributes(calibration, _CALIBRATION, where)
        rising = self.values.number(calibration, "rising", where)
        return Calibration(rising, self.values.number(calibration, "falling", where))

    def resolve_mimics(self, joints: list[Joint]) -> list[Joint]:
        """Joints with every mimic naming a joint that really moves; what cannot be so is noted."""
        by_name = {joint.name: joint for joint in joints}
        for joint in joints:
            if joint.mimic is not None and joint.mimic.joint not in by_name:
                by_name[joint.name] = self._named(joint, joint.mimic, by_name)
        roots: dict[str, tuple[str, float, float] | None] = {}
        return [
            self._resolve_mimic(by_name[joint.name], by_name, roots) if by_name[joint.name].mimic else by_name[joint.name]
            for joint in joints
        ]

    def _named(self, joint: Joint, mimic: Mimic, by_name: dict[str, Joint]) -> Joint:
        """The joint with a mimic that names a joint that is there, or (noted) with none."""
        at = self.elements[joint.name].first("mimic")
        repaired = self._with_prefix(joint, mimic, by_name, at)
        if repaired is not None:
            return repaired
        what = f"it mimics '{mimic.joint}', which is not there"
        self.problems.add("mimic-unknown", f"joint '{joint.name}'", what, at=at)
        return replace(joint, mimic=None)

    def _resolve_mimic(self, joint: Joint, by_name: dict[str, Joint], roots: dict[str, tuple[str, float, float] | None]) -> Joint:
        mimic = joint.mimic
        assert mimic is not None
        where = f"joint '{joint.name}'"
        at = self.elements[joint.name].first("mimic")
        root = _root_of(joint.name, by_name, roots)
        if root is None:
            self.problems.add("mimic-cycle", where, f"following '{mimic.joint}' leads back to it", at=at)
            return replace(joint, mimic=None)
        name, multiplier, offset = root
        followed = by_name[name]
        if not followed.type.is_single:
            self.problems.add("mimic-of-fixed", where, f"it mimics '{followed.name}', which is {followed.type.value}", at=at)
            return replace(joint, mimic=None)
        if multiplier == 0:
            self.problems.add("mimic-zero", where, f"it mimics '{followed.name}' times 0", at=at)
        if mimic.joint != name and at is not None:
            edits = (
                Edit(at, "joint", name),
                Edit(at, "multiplier", format_number(multiplier)),
                Edit(at, "offset", format_number(offset)),
            )
            repair = Repair(f"it follows '{name}' x {multiplier:g} + {offset:g}", edits, applied=True)
            what = f"it mimics '{mimic.joint}', which is a mimic itself"
            self.problems.add("mimic-of-mimic", where, what, at=at, repair=repair)
        self._check_mimic_units(joint, followed, at)
        self._check_mimic_range(joint, followed, multiplier, offset, at)
        return replace(joint, mimic=Mimic(name, multiplier, offset))

    def _with_prefix(self, joint: Joint, mimic: Mimic, by_name: dict[str, Joint], at: Element | None) -> Joint | None:
        """The joint following the one that bears its own prefix, where the file forgot it.

        A hand that was given a prefix for each side often keeps the old names in <mimic>: Left_index_q2
        then mimics index_q1, which can only be Left_index_q1.
        """
        meant = [
            name
            for name in by_name
            if name.endswith(mimic.joint) and joint.name.startswith(name.removesuffix(mimic.joint)) and name != joint.name
        ]
        if len(meant) != 1 or at is None:
            return None
        repair = Repair(f"it mimics '{meant[0]}'", (Edit(at, "joint", meant[0]),), applied=True)
        what = f"it mimics '{mimic.joint}', which is not there; '{meant[0]}' is"
        self.problems.add("mimic-prefix", f"joint '{joint.name}'", what, at=at, repair=repair)
        return replace(joint, mimic=replace(mimic, joint=meant[0]))

    def _check_mimic_units(self, joint: Joint, followed: Joint, at: Element | None) -> None:
        if (joint.type is JointType.PRISMATIC) != (followed.type is JointType.PRISMATIC):
            what = f"a {joint.type.value} joint mimics '{followed.name}', which is {followed.type.value}"
            self.problems.add("mimic-unlike", f"joint '{joint.name}'", what, at=at)

    def _check_mimic_range(self, joint: Joint, followed: Joint, multiplier: float, offset: float, at: Element | None) -> None:
        lower, upper = joint.range
        ends = sorted(multiplier * end + offset for end in followed.range if abs(end) != float("inf"))
        if not ends or lower == upper:
            return
        slack = 1e-3 * max(1.0, abs(ends[0]), abs(ends[-1]))
        if ends[0] < lower - slack or ends[-1] > upper + slack:
            what = (
                f"following '{followed.name}' it goes from {ends[0]:.4g} to {ends[-1]:.4g}, "
                f"outside its own {lower:.4g} to {upper:.4g}"
            )
            self.problems.add("mimic-out-of-range", f"joint '{joint.name}'", what, at=at)


def _root_of(
    name: str, by_name: dict[str, Joint], roots: dict[str, tuple[str, float, float] | None]
) -> tuple[str, float, float] | None:
    """The joint at the end of a chain of mimics, with the multiplier and offset to it; None where there is no end.

    Each joint is looked at once however long the chains are: what is found is kept in `roots`.
    """
    trail: list[str] = []
    seen: set[str] = set()
    while name not in roots and name not in seen and by_name[name].mimic is not None:
        trail.append(name)
        seen.add(name)
        mimic = by_name[name].mimic
        assert mimic is not None
        name = mimic.joint
    end = None if name in seen else roots.get(name, (name, 1.0, 0.0))
    for joint in reversed(trail):
        mimic = by_name[joint].mimic
        assert mimic is not None
        if end is not None:
            # q = m1 q1 + o1 and q1 = m2 q2 + o2, so q = m1 m2 q2 + (m1 o2 + o1)
            end = (end[0], mimic.multiplier * end[1], mimic.multiplier * end[2] + mimic.offset)
        roots[joint] = end
    return roots[trail[0]] if trail else end
