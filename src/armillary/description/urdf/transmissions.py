"""<transmission>: how motors drive joints, in the old form (PR2) and the new one."""

from armillary.description.document import Element
from armillary.description.problem import Problems
from armillary.description.robot import Actuator, Transmission, TransmissionJoint
from armillary.description.urdf.values import LARGEST

__all__ = ["TransmissionReader"]

_KNOWN = frozenset(
    {
        "type", "joint", "actuator", "mechanicalReduction", "mechanical_reduction", "hardwareInterface",
        "motorTorqueConstant", "compensator", "simulated_actuated_joint", "use_simulated_gripper_joint",
        "gap_joint", "passive_joint", "role", "rotorInertia", "rotor_inertia", "gear_ratio", "param",
    }
)  # fmt: skip


class TransmissionReader:
    """Reads the transmissions of one description."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems

    def read(self, element: Element) -> Transmission | None:
        """A transmission; None (noted) where it drives nothing."""
        name = element.attributes.get("name", "")
        where = f"transmission '{name}'" if name else "transmission"
        for child in element.children:
            if child.tag not in _KNOWN and ":" not in child.tag and not _names_an_end(child.tag):
                self.problems.add("unknown-element", where, f"<{child.tag}> is not known here; it is ignored", at=child)
        type_element = element.first("type")
        kind = element.attributes.get("type", "").strip()
        kind = kind or (type_element.text.strip() if type_element is not None else "")
        if not kind:
            self.problems.add("transmission-type", where, "no <type>", at=element)
        joints = tuple(filter(None, (self._joint(c, where) for c in element.children if _is_joint(c.tag))))
        actuators = tuple(filter(None, (self._actuator(c, element, where) for c in element.children if _is_actuator(c.tag))))
        if not joints:
            self.problems.add("transmission-joint", where, "it names no joint", at=element)
        if not actuators:
            self.problems.add("transmission-actuator", where, "it names no actuator", at=element)
        return Transmission(name, kind, joints, actuators) if joints and actuators and kind else None

    def _joint(self, element: Element, where: str) -> TransmissionJoint | None:
        name = element.attributes.get("name")
        if not name:
            self.problems.add("transmission-joint", where, f"<{element.tag}> without a name", at=element)
            return None
        return TransmissionJoint(
            name=name,
            interfaces=_interfaces(element),
            role=_role(element),
            reduction=self._reduction(element, where),
            offset=self._child_number(element, "offset", where),
        )

    def _actuator(self, element: Element, transmission: Element, where: str) -> Actuator | None:
        name = element.attributes.get("name")
        if not name:
            self.problems.add("transmission-actuator", where, f"<{element.tag}> without a name", at=element)
            return None
        reduction = self._reduction(element, where)
        if reduction is None:  # the old form has it beside the actuator
            reduction = self._reduction(transmission, where)
        return Actuator(name, _interfaces(element), _role(element), reduction)

    def _reduction(self, element: Element, where: str) -> float | None:
        for tag in ("mechanicalReduction", "mechanical_reduction"):
            child = element.first(tag)
            if child is not None and child.text.strip():
                value = self._number(child, where)
                if value == 0:
                    self.problems.add("transmission-zero-reduction", where, f"<{tag}> 0", at=child)
                    return 1.0
                return value
        return None

    def _child_number(self, element: Element, tag: str, where: str) -> float | None:
        child = element.first(tag)
        return self._number(child, where) if child is not None and child.text.strip() else None

    def _number(self, element: Element, where: str) -> float | None:
        """The element's text as a number; nothing here is needed to move, so a bad one is only noted."""
        text = element.text.strip()
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not abs(value) <= LARGEST:
            self.problems.add("transmission-number", where, f"<{element.tag}>{text[:60]}</{element.tag}>", at=element)
            return None
        return value


def _interfaces(element: Element) -> tuple[str, ...]:
    return tuple(child.text.strip() for child in element.all("hardwareInterface"))


def _role(element: Element) -> str:
    """`actuator1` of a differential, or the side that PR2's <leftActuator> names."""
    child = element.first("role")
    if child is not None:
        return child.text.strip()
    return "" if element.tag in ("joint", "actuator") else element.tag


def _is_joint(tag: str) -> bool:
    """<joint>, and PR2's <rollJoint>, <flexJoint>, <gap_joint>, ..."""
    return tag == "joint" or (tag.endswith(("Joint", "_joint")) and not tag.startswith(("use_", "simulated")))


def _is_actuator(tag: str) -> bool:
    return tag == "actuator" or tag.endswith(("Actuator", "_actuator"))


def _names_an_end(tag: str) -> bool:
    return _is_joint(tag) or _is_actuator(tag)
