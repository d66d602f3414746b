"""SRDF: groups, named states and pairs of links that need no collision check."""

from dataclasses import replace
from pathlib import Path

from armillary.description.document import Document, Element, parse_document, read_bytes
from armillary.description.problem import Problem, Problems
from armillary.description.robot import Robot, nearest_first
from armillary.description.semantics import EndEffector, Group, NamedState, Semantics, VirtualJoint
from armillary.description.urdf.values import Values

__all__ = ["find_srdf", "read_srdf", "read_srdf_document", "write_srdf"]

_FOREIGN = frozenset(
    {"link_sphere_approximation", "joint_property", "disable_default_collisions", "enable_collisions", "gripper",
     "handle", "contact", "specificities", "rotor_params", "center_of_mass", "position"}
)  # fmt: skip


def find_srdf(urdf: Path) -> Path | None:
    """The SRDF that lies with a URDF: beside it, or in the package's srdf/ or config/ folder."""
    stem = urdf.name.split(".")[0]
    for folder in (urdf.parent, urdf.parent.parent / "srdf", urdf.parent.parent / "config"):
        path = folder / f"{stem}.srdf"
        if path.is_file():
            return path
    return None


def read_srdf(path: Path, robot: Robot) -> tuple[Robot, tuple[Problem, ...]]:
    """The robot with what an SRDF says of it, and the problems found in the SRDF.

    Names that the robot does not have are noted and left out.
    """
    return read_srdf_document(parse_document(read_bytes(path), str(path)), robot)


def read_srdf_document(document: Document, robot: Robot) -> tuple[Robot, tuple[Problem, ...]]:
    problems = Problems(document.file)
    if document.fault is not None:
        problems.add("srdf-broken", "", document.fault.what, line=document.fault.line)
        return robot, problems.sorted()
    root = document.root
    if root is None or root.tag != "robot":
        problems.add("srdf-broken", "", "the root element is not <robot>", at=root)
        return robot, problems.sorted()
    name = root.get("name")
    if name and name != robot.name:
        what = f"it is for '{name}', the robot is '{robot.name}'"
        problems.add("srdf-other-robot", "", what, at=root)
    semantics = _Reader(robot, problems).read(root)
    return replace(robot, semantics=semantics), problems.sorted()


class _Reader:
    def __init__(self, robot: Robot, problems: Problems) -> None:
        self.robot = robot
        self.problems = problems
        self.values = Values(problems)
        self.links = [link.name for link in robot.links]
        self.joints = [joint.name for joint in robot.joints]
        self.groups: dict[str, Group] = {}
        self.group_elements: dict[str, Element] = {}
        self.states: set[tuple[str, str]] = set()
        self.virtual: set[str] = set()

    def read(self, root: Element) -> Semantics:
        virtual = tuple(filter(None, (self._virtual(e) for e in root.all("virtual_joint"))))
        virtual_names = self.virtual = {joint.name for joint in virtual}
        for element in root.all("group"):
            name = self.values.name(element, "group")
            if name is None:
                continue
            if name in self.group_elements:
                self.problems.add("srdf-broken", f"group '{name}'", "a group of this name stands before", at=element)
            self.group_elements.setdefault(name, element)
        for name in self.group_elements:
            self._group(name, (), virtual_names)
        for element in root.children:
            known = ("group", "group_state", "disable_collisions", "end_effector", "virtual_joint", "passive_joint")
            if element.tag not in known and element.tag not in _FOREIGN and ":" not in element.tag:
                self.problems.add("unknown-element", "", f"<{element.tag}> is not known in an SRDF", at=element)
        return Semantics(
            groups=tuple(self.groups.values()),
            states=tuple(filter(None, (self._state(e) for e in root.all("group_state")))),
            disabled_collisions=tuple(filter(None, (self._pair(e) for e in root.all("disable_collisions")))),
            end_effectors=tuple(filter(None, (self._end_effector(e) for e in root.all("end_effector")))),
            virtual_joints=virtual,
            passive_joints=tuple(
                e.attributes["name"] for e in root.all("passive_joint") if self._known(e, "name", self.joints, "joint")
            ),
        )

    def _known(self, element: Element, attribute: str, names: list[str], kind: str) -> str | None:
        """The attribute's value if it names something there; otherwise it is noted."""
        name = element.get(attribute)
        if name is None:
            self.problems.add("missing-name", f"<{element.tag}>", f'no {attribute}="..."', at=element)
            return None
        if name in names:
            return name
        near = nearest_first(name, names)[:1]
        hint = f"; the nearest is '{near[0]}'" if near else ""
        what = f"the robot has no {kind} '{name}'{hint}"
        self.problems.add("srdf-unknown-name", f"<{element.tag}>", what, at=element)
        return None

    def _group(self, name: str, above: tuple[str, ...], virtual: set[str]) -> Group | None:
        if name in self.groups:
            return self.groups[name]
        element = self.group_elements[name]
        if name in above:
            self.problems.add("srdf-broken", f"group '{name}'", f"it contains itself: {' > '.join(above)}", at=element)
            return None
        joints: list[str] = []
        base = tip = ""
        for child in element.children:
            if child.tag == "joint":
                if child.get("name") not in virtual and self._known(child, "name", self.joints, "joint"):
                    joints.append(child.attributes["name"])
            elif child.tag == "link":
                link = self._known(child, "name", self.links, "link")
                if link and link in self.robot.parent_joints:
                    joints.append(self.robot.parent_joints[link].name)
            elif child.tag == "chain":
                first = self._known(child, "base_link", self.links, "link")
                last = self._known(child, "tip_link", self.links, "link")
                if first and last:
                    base, tip = first, last
                    joints += self._chain(child, first, last, name)
            elif child.tag == "group":
                inner = self._known(child, "name", list(self.group_elements), "group")
                found = self._group(inner, (*above, name), virtual) if inner else None
                joints += found.joints if found else ()
            else:
                self.problems.add("unknown-element", f"group '{name}'", f"<{child.tag}> is not known in a group", at=child)
        unique = tuple(dict.fromkeys(joints))
        self.groups[name] = Group(name, unique, base, tip)
        return self.groups[name]

    def _chain(self, element: Element, base: str, tip: str, group: str) -> list[str]:
        path = self.robot.path_from_root(tip)
        above = [path[0].parent, *(joint.child for joint in path)] if path else [tip]
        if base not in above:
            what = f"'{base}' is not above '{tip}'"
            self.problems.add("srdf-unknown-name", f"group '{group}'", what, at=element)
            return []
        return [joint.name for joint in path[above.index(base) :] if joint.type.dof > 0]

    def _state(self, element: Element) -> NamedState | None:
        name = self.values.name(element, "group_state")
        group = self._known(element, "group", list(self.group_elements), "group")
        if name is None or group is None:
            return None
        if (group, name) in self.states:
            self.problems.add("srdf-broken", f"state '{name}'", "a state of this name stands before", at=element)
            return None
        self.states.add((group, name))
        positions: list[tuple[str, float]] = []
        for child in element.all("joint"):
            position = self._position(child, f"state '{name}'", group)
            if position is not None:
                positions.append(position)
        return NamedState(name, group, tuple(positions))

    def _position(self, element: Element, where: str, group: str) -> tuple[str, float] | None:
        if element.get("name") in self.virtual:
            return None  # how the root stands in the world is not commanded
        joint = self._known(element, "name", self.joints, "joint")
        if joint is None:
            return None
        if not self.robot.joint(joint).type.is_single:
            return None
        if "value" not in element.attributes:
            self.problems.add("srdf-unknown-name", where, f"joint '{joint}' without a value", at=element)
            return None
        value = self.values.number(element, "value", f"{where} joint '{joint}'")
        if value is None:
            return None
        if joint not in self.groups[group].joints:
            self.problems.add("srdf-unknown-name", where, f"joint '{joint}' is not in group '{group}'", at=element)
        lower, upper = self.robot.joint(joint).range
        if not lower - 1e-6 <= value <= upper + 1e-6:
            what = f"joint '{joint}' at {value:.4g} is outside {lower:.4g} to {upper:.4g}"
            self.problems.add("srdf-unknown-name", where, what, at=element)
        return joint, value

    def _pair(self, element: Element) -> tuple[str, str, str] | None:
        first = self._known(element, "link1", self.links, "link")
        second = self._known(element, "link2", self.links, "link")
        if first is not None and first == second:
            self.problems.add("srdf-unknown-name", "<disable_collisions>", f"'{first}' with itself", at=element)
            return None
        return (first, second, element.get("reason") or "") if first and second else None

    def _end_effector(self, element: Element) -> EndEffector | None:
        name = self.values.name(element, "end_effector")
        parent = self._known(element, "parent_link", self.links, "link")
        group = self._known(element, "group", list(self.group_elements), "group")
        if name is None or parent is None or group is None:
            return None
        return EndEffector(name, group, parent, element.get("parent_group") or "")

    def _virtual(self, element: Element) -> VirtualJoint | None:
        name = self.values.name(element, "virtual_joint")
        child = self._known(element, "child_link", self.links, "link")
        if name is None or child is None:
            return None
        return VirtualJoint(name, element.get("type") or "fixed", element.get("parent_frame") or "world", child)


def write_srdf(robot: Robot) -> str:
    """The robot's groups, states and disabled pairs as SRDF text."""
    from armillary.description.document import write_element
    from armillary.description.urdf.values import format_number

    def element(tag: str, children: list[Element] | None = None, /, **attributes: str) -> Element:
        made = Element(tag, attributes, 0, 0, "")
        made.children = children or []
        return made

    semantics = robot.semantics
    parts: list[Element] = [
        element("virtual_joint", name=v.name, type=v.type, parent_frame=v.parent_frame, child_link=v.child_link)
        for v in semantics.virtual_joints
    ]
    for group in semantics.groups:
        chain = [joint.name for joint in robot.chain(group.base, group.tip) if joint.type.dof > 0] if group.tip else []
        if group.tip and tuple(chain) == group.joints:
            inside = [element("chain", base_link=group.base, tip_link=group.tip)]
        else:
            inside = [element("joint", name=joint) for joint in group.joints]
        parts.append(element("group", inside, name=group.name))
    for state in semantics.states:
        inside = [element("joint", name=joint, value=format_number(q)) for joint, q in state.positions]
        parts.append(element("group_state", inside, name=state.name, group=state.group))
    for effector in semantics.end_effectors:
        more = {"parent_group": effector.parent_group} if effector.parent_group else {}
        parts.append(element("end_effector", name=effector.name, group=effector.group, parent_link=effector.parent_link, **more))
    parts += [element("passive_joint", name=joint) for joint in semantics.passive_joints]
    for first, second, reason in semantics.disabled_collisions:
        more = {"reason": reason} if reason else {}
        parts.append(element("disable_collisions", link1=first, link2=second, **more))
    head = write_element(element("robot", name=robot.name))[:-2]
    body = "\n".join("  " + write_element(part) for part in parts)
    return f'<?xml version="1.0"?>\n{head}>\n{body}\n</robot>\n'
