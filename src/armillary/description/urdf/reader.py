"""URDF text to Robot, in one pass that notes every problem instead of stopping at the first."""

import re
from dataclasses import dataclass, replace
from difflib import get_close_matches

from armillary.description.document import Document, Element, parse_document, write_element
from armillary.description.errors import InvalidRobot, UntrustedXacro
from armillary.description.packages import PackageFinder
from armillary.description.problem import Edit, Problem, Problems, Repair
from armillary.description.robot import Joint, Link, Robot, Transmission
from armillary.description.units import smell_units
from armillary.description.urdf.joints import JointReader
from armillary.description.urdf.links import LinkReader
from armillary.description.urdf.transmissions import TransmissionReader
from armillary.description.urdf.tree import check_tree

__all__ = ["Reading", "is_xacro", "read_document", "read_urdf_text"]

_ROBOT = frozenset({"name", "version"})
# Elements of other tools below <robot>: no spelling mistakes, and kept for export.
_FOREIGN = frozenset(
    {"gazebo", "ros2_control", "mujoco", "sensor", "group", "loop_joint", "constraint", "verbose", "dynamic_interface"}
)
_IN_ROBOT = ("link", "joint", "material", "transmission")
XACRO_PREFIX = "xacro"


@dataclass(frozen=True)
class Reading:
    """What came of reading a description: the robot, if it can be used, and every problem found."""

    file: str
    robot: Robot | None
    problems: tuple[Problem, ...]
    document: Document | None = None

    def unwrap(self) -> Robot:
        """The robot.

        Raises:
            InvalidRobot: It has problems that keep it from being used; the message lists them.
        """
        if self.robot is None:
            raise InvalidRobot(self.file, self.problems)
        return self.robot


def read_urdf_text(text: str | bytes, *, name: str = "robot description") -> Reading:
    """Read URDF that came as text, over the network for instance: no file is opened, nothing is evaluated.

    Meshes are kept by name and not looked for.

    Args:
        text: The URDF.
        name: What to call it in messages.

    Raises:
        UntrustedXacro: The text is xacro, which is read from local files only.
    """
    data = text.encode("utf-8", "replace") if isinstance(text, str) else text
    document = parse_document(data, name, encoding="utf-8" if isinstance(text, str) else None)
    if is_xacro(document):
        raise UntrustedXacro(name)
    return read_document(document, finder=None)


def is_xacro(document: Document) -> bool:
    """Whether a document is xacro: it declares the prefix or uses an element of it."""
    root = document.root
    if root is None:
        return False
    if XACRO_PREFIX in document.prefixes:
        return True
    return f"xmlns:{XACRO_PREFIX}" in root.attributes and document.has_expressions


def read_document(document: Document, *, finder: PackageFinder | None, stem: str = "robot") -> Reading:
    """Read a parsed URDF.

    Args:
        document: The XML, as far as it could be parsed.
        finder: Finds meshes; None leaves them unresolved and unreported.
        stem: Name for a robot that has none.
    """
    problems = Problems(document.file)
    if document.fault is not None:
        fault = document.fault
        problems.add(fault.kind, "", fault.what, line=fault.line)
        if fault.kind != "not-xml":  # refused for what it is; a cut file is still read as far as it goes
            return Reading(document.file, None, problems.sorted(), document)
    if document.skipped_before_root:
        repair = Repair("the space is removed", applied=True)
        problems.add("space-before-declaration", "", "white space before <?xml", line=1, repair=repair)
    root = document.root
    if root is None:
        return Reading(document.file, None, problems.sorted(), document)
    if root.tag != "robot":
        what = f"the root element is <{root.tag[:60]}>, not <robot>"
        problems.add("not-a-robot", "", what, at=root)
        return Reading(document.file, None, problems.sorted(), document)
    robot = _Assembly(problems, finder, document, stem).read(root)
    return Reading(document.file, None if problems.any_error else robot, problems.sorted(), document)


class _Assembly:
    """One robot being put together from its elements."""

    def __init__(self, problems: Problems, finder: PackageFinder | None, document: Document, stem: str) -> None:
        self.problems = problems
        self.finder = finder
        self.document = document
        self.stem = stem
        self.link_reader = LinkReader(problems, finder)
        self.joint_reader = JointReader(problems)
        self.transmission_reader = TransmissionReader(problems)
        self.links: dict[str, Link] = {}
        self.link_elements: dict[str, Element] = {}
        self.joints: list[Joint] = []
        self.joint_names: dict[str, Element] = {}
        self.transmissions: list[Transmission] = []
        self.extensions: list[str] = []

    def read(self, root: Element) -> Robot | None:
        name = self._head(root)
        for element in root.children:
            self._child(element, root)
        self.link_reader.note_undefined_materials()
        self._note_prefixes(root)
        self.joints = self.joint_reader.resolve_mimics(self.joints)
        # A file cut short would be told that half its tree is missing; it knows already.
        if self.document.fault is None:
            self._declare_world(root)
            self._mend_child()
            check_tree(self.links, self.joints, self.joint_reader, self.problems, root)
        self._check_transmissions(root)
        if self.problems.any_error:
            return None
        robot = Robot(
            name=name,
            links=tuple(self.link_reader.coloured(link) for link in self.links.values()),
            joints=tuple(self.joints),
            materials=tuple(self.link_reader.materials.values()),
            transmissions=tuple(self.transmissions),
            extensions=tuple(self.extensions),
            namespaces=(*_namespaces(root), *((p, _urn(p)) for p in sorted(self.document.undeclared_prefixes))),
        )
        self._check_masses(robot)
        smell_units(robot, self.link_elements, self.joint_reader.elements, self.problems)
        return robot

    def _head(self, root: Element) -> str:
        name = root.attributes.get("name", "").strip()
        if not name:
            repair = Repair(f"name = {self.stem}", (Edit(root, "name", self.stem),), applied=True)
            self.problems.add("missing-robot-name", "", "<robot> without a name", at=root, repair=repair)
            name = self.stem
        version = root.attributes.get("version")
        if version is not None and not re.fullmatch(r"\d+\.\d+", version):
            self.problems.add("bad-version", "", f"version '{version[:40]}' is not like 1.0", at=root)
        elif version is not None and version not in ("1.0", "1.1", "1.2"):
            self.problems.add("unknown-version", "", f"version {version}", at=root)
        self.link_reader.values.only_attributes(root, _ROBOT, "robot")
        return name

    def _child(self, element: Element, root: Element) -> None:
        tag = element.tag
        if tag == "link":
            self._link(element)
        elif tag == "joint":
            self._joint(element)
        elif tag == "material":
            self.link_reader.declare_material(element, root)
        elif tag == "transmission":
            transmission = self.transmission_reader.read(element)
            if transmission is not None:
                self.transmissions.append(transmission)
        else:
            self.extensions.append(write_element(element))
            if ":" in tag or tag in _FOREIGN:
                if tag != "gazebo":  # in nearly every file of the ROS world
                    self.problems.add("extension-ignored", "", f"<{tag}>", at=element)
            else:
                near = get_close_matches(tag, _IN_ROBOT, n=1, cutoff=0.7) if len(tag) < 60 else []
                meant = f"; is '{near[0]}' meant?" if near else ""
                self.problems.add("unknown-element", "", f"<{tag[:60]}> is not known in a robot{meant}", at=element)

    def _link(self, element: Element) -> None:
        link = self.link_reader.read(element)
        if link is None:
            return
        if link.name in self.links:
            what = f"a link of this name stands at line {self.link_elements[link.name].line}"
            self.problems.add("duplicate-link", f"link '{link.name}'", what, at=element)
            return
        self.links[link.name] = link
        self.link_elements[link.name] = element

    def _joint(self, element: Element) -> None:
        name = element.attributes.get("name", "")
        if name and name in self.joint_names:
            what = f"a joint of this name stands at line {self.joint_names[name].line}"
            self.problems.add("duplicate-joint", f"joint '{name}'", what, at=element)
            self.joint_reader.lost_end = True  # what it connects is not looked at
            return
        if name:
            self.joint_names[name] = element
        if not name.strip():
            self.joint_reader.lost_end = True
        joint = self.joint_reader.read(element)
        if joint is not None:
            self.joint_reader.elements[joint.name] = element
            self.joints.append(joint)

    def _declare_world(self, root: Element) -> None:
        """A joint may hang from `world` without declaring it: Drake and Gazebo know that link by itself."""
        users = [j for j in self.joints if j.parent == "world"]
        if "world" in self.links or not users:
            return
        at = self.joint_reader.elements[users[0].name]
        element = Element("link", {"name": "world"}, root.line, 1, root.file)
        repair = Repair('<link name="world"/> is added', (Edit(root, add=element),), applied=True)
        what = f"joint '{users[0].name}' hangs from 'world', which is not declared"
        self.problems.add("implicit-world", "link 'world'", what, at=at, repair=repair)
        self.links = {"world": Link("world"), **self.links}
        self.link_elements["world"] = element

    def _mend_child(self) -> None:
        """One joint whose child is not there, and one part that hangs from nothing: they belong together."""
        lost = [(i, joint) for i, joint in enumerate(self.joints) if joint.child not in self.links]
        if len(lost) != 1 or self.joint_reader.lost_end or self.joint_reader.broken_ends:
            return
        hanging = {joint.child for joint in self.joints}
        index, joint = lost[0]
        above = joint.parent
        parents = {j.child: j.parent for j in self.joints}
        for _ in self.joints:
            above = parents.get(above, above)
        orphans = [name for name in self.links if name not in hanging and name != above]
        if len(orphans) != 1 or above not in self.links:
            return
        alike = get_close_matches(joint.child, orphans, n=1, cutoff=0.6) or orphans[0] in joint.name
        if not alike:
            return
        at = self.joint_reader.elements[joint.name]
        child = at.first("child") or at
        repair = Repair(f"child = {orphans[0]}", (Edit(child, "link", orphans[0]),), applied=True)
        what = f"its child '{joint.child}' is not there; '{orphans[0]}' is meant, the only part that hangs from nothing"
        self.problems.add("misnamed-child", f"joint '{joint.name}'", what, at=child, repair=repair)
        self.joints[index] = replace(joint, child=orphans[0])

    def _note_prefixes(self, root: Element) -> None:
        for prefix, element in self.document.undeclared_prefixes.items():
            address = _urn(prefix)
            edit = Edit(root, f"xmlns:{prefix}", address)
            repair = Repair(f"xmlns:{prefix} = {address}", (edit,), applied=True)
            what = f"the prefix '{prefix}:' is not declared"
            self.problems.add("undeclared-prefix", "", what, at=element, repair=repair)

    def _check_transmissions(self, root: Element) -> None:
        if self.document.fault is not None:
            return
        elements = {element.get("name"): element for element in root.all("transmission")}
        for transmission in self.transmissions:
            for joint in transmission.joints:
                if joint.name not in self.joint_names:
                    where = f"transmission '{transmission.name}'"
                    what = f"it drives '{joint.name}', which is no joint of this file"
                    self.problems.add("transmission-unknown-joint", where, what, at=elements.get(transmission.name, root))

    def _check_masses(self, robot: Robot) -> None:
        """Links that are moved and weigh nothing, and joints with no mass at all behind them."""
        carried: dict[str, float] = {}
        for link, _ in reversed(list(robot.walk())):
            own = link.inertial.mass if link.inertial else 0.0
            carried[link.name] = own + sum(carried[joint.child] for joint in robot.child_joints[link.name])
        for link in robot.links:
            if link.inertial is None and (link.visuals or link.collisions) and link.name in robot.parent_joints:
                at = self.link_elements[link.name]
                self.problems.add("no-inertial", f"link '{link.name}'", "it has a shape and no <inertial>", at=at)
        for joint in robot.movable:
            if carried[joint.child] <= 0:
                at = self.joint_reader.elements[joint.name]
                what = f"nothing behind this {joint.type.value} joint has a mass"
                self.problems.add("joint-carries-no-mass", f"joint '{joint.name}'", what, at=at)


def _namespaces(root: Element) -> tuple[tuple[str, str], ...]:
    return tuple((name.partition(":")[2], value) for name, value in root.attributes.items() if name.startswith("xmlns:"))


def _urn(prefix: str) -> str:
    """An address for a prefix that the file forgot to declare."""
    return f"urn:undeclared:{prefix}"
