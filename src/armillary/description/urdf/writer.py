"""Robot to URDF text. Numbers are written so that reading them gives the same bits."""

import os
from pathlib import Path

from armillary.description.document import Element, write_element
from armillary.description.geometry import Box, Capsule, Cylinder, Geometry, Material, Mesh, Pose, Sphere
from armillary.description.robot import Inertial, Joint, JointType, Link, Robot, Transmission
from armillary.description.urdf.values import format_number, format_vector

__all__ = ["write_urdf"]

_IDENTITY = Pose()


def write_urdf(robot: Robot, *, folder: Path | None = None) -> str:
    """The robot as URDF text; reading it again gives an equal robot.

    Args:
        folder: Where the text will be stored. Meshes named relative to the original file are then named by
            `file://` and their full path, unless they can be reached from this folder by the same name.
    """
    root = _element("robot", name=robot.name)
    for prefix, address in robot.namespaces:
        root.attributes[f"xmlns:{prefix}"] = address
    named = {material.name: material for material in robot.materials}
    for material in robot.materials:
        root.children.append(_material(material))
    for link in robot.links:
        root.children.append(_link(link, named, folder))
    for joint in robot.joints:
        root.children.append(_joint(joint))
    for transmission in robot.transmissions:
        root.children.append(_transmission(transmission))
    return _layout(root, robot.extensions)


def _element(tag: str, /, **attributes: str) -> Element:
    return Element(tag, attributes, 0, 0, "")


def _add(parent: Element, tag: str, /, **attributes: str) -> Element:
    child = _element(tag, **attributes)
    parent.children.append(child)
    return child


def _origin(parent: Element, pose: Pose) -> None:
    if pose != _IDENTITY:
        _add(parent, "origin", xyz=format_vector(pose.xyz), rpy=format_vector(pose.rpy))


def _material(material: Material) -> Element:
    element = _element("material", name=material.name)
    if material.rgba is not None:
        _add(element, "color", rgba=format_vector(material.rgba))
    if material.texture is not None:
        _add(element, "texture", filename=material.texture)
    return element


def _link(link: Link, named: dict[str, Material], folder: Path | None) -> Element:
    element = _element("link", name=link.name)
    if link.inertial is not None:
        element.children.append(_inertial(link.inertial))
    for tag, geometries in (("visual", link.visuals), ("collision", link.collisions)):
        for geometry in geometries:
            element.children.append(_geometry(tag, geometry, named, folder))
    return element


def _inertial(inertial: Inertial) -> Element:
    element = _element("inertial")
    _origin(element, inertial.pose)
    _add(element, "mass", value=format_number(inertial.mass))
    names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    moments = {name: format_number(value) for name, value in zip(names, inertial.moments, strict=True)}
    _add(element, "inertia", **moments)
    return element


def _geometry(tag: str, geometry: Geometry, named: dict[str, Material], folder: Path | None) -> Element:
    element = _element(tag)
    if geometry.name:
        element.attributes["name"] = geometry.name
    _origin(element, geometry.pose)
    container = _add(element, "geometry")
    shape = geometry.shape
    if isinstance(shape, Box):
        _add(container, "box", size=format_vector(shape.size))
    elif isinstance(shape, Sphere):
        _add(container, "sphere", radius=format_number(shape.radius))
    elif isinstance(shape, Cylinder | Capsule):
        kind = "cylinder" if isinstance(shape, Cylinder) else "capsule"
        _add(container, kind, radius=format_number(shape.radius), length=format_number(shape.length))
    else:
        mesh = _add(container, "mesh", filename=_mesh_name(shape, folder))
        if shape.scale != (1.0, 1.0, 1.0):
            mesh.attributes["scale"] = format_vector(shape.scale)
    material = geometry.material
    if material is not None:
        known = material.name and named.get(material.name) == material
        element.children.append(_element("material", name=material.name) if known else _material(material))
    return element


def _mesh_name(mesh: Mesh, folder: Path | None) -> str:
    if folder is None or mesh.path is None:
        return mesh.filename
    if "://" in mesh.filename and not mesh.filename.startswith("package://"):
        return mesh.filename
    if mesh.filename.startswith("package://"):
        from armillary.description.packages import PackageFinder

        same = PackageFinder(folder / "robot.urdf").mesh(mesh.filename).path
    else:
        same = os.path.normpath(folder / mesh.filename)
    return mesh.filename if same == mesh.path else f"file://{mesh.path}"


def _joint(joint: Joint) -> Element:
    element = _element("joint", name=joint.name, type=joint.type.value)
    _origin(element, joint.pose)
    _add(element, "parent", link=joint.parent)
    _add(element, "child", link=joint.child)
    if joint.type not in (JointType.FIXED, JointType.FLOATING):
        _add(element, "axis", xyz=format_vector(joint.axis))
    limits = joint.limits
    if limits is not None:
        values = {
            "lower": limits.lower, "upper": limits.upper, "effort": limits.effort,
            "velocity": limits.velocity, "acceleration": limits.acceleration, "jerk": limits.jerk,
        }  # fmt: skip
        _add(element, "limit", **{k: format_number(v) for k, v in values.items() if v is not None})
    if joint.mimic is not None:
        _add(
            element, "mimic", joint=joint.mimic.joint, multiplier=format_number(joint.mimic.multiplier),
            offset=format_number(joint.mimic.offset),
        )  # fmt: skip
    if joint.dynamics is not None:
        _add(
            element, "dynamics", damping=format_number(joint.dynamics.damping),
            friction=format_number(joint.dynamics.friction),
        )  # fmt: skip
    if joint.safety is not None:
        _add(
            element, "safety_controller", soft_lower_limit=format_number(joint.safety.soft_lower),
            soft_upper_limit=format_number(joint.safety.soft_upper),
            k_position=format_number(joint.safety.k_position), k_velocity=format_number(joint.safety.k_velocity),
        )  # fmt: skip
    if joint.calibration is not None:
        edges = {"rising": joint.calibration.rising, "falling": joint.calibration.falling}
        _add(element, "calibration", **{k: format_number(v) for k, v in edges.items() if v is not None})
    return element


def _transmission(transmission: Transmission) -> Element:
    element = _element("transmission", name=transmission.name)
    _text(element, "type", transmission.type)
    for joint in transmission.joints:
        child = _add(element, "joint", name=joint.name)
        _interfaces(child, joint.interfaces, joint.role, joint.reduction)
        if joint.offset is not None:
            _text(child, "offset", format_number(joint.offset))
    for actuator in transmission.actuators:
        child = _add(element, "actuator", name=actuator.name)
        _interfaces(child, actuator.interfaces, actuator.role, actuator.reduction)
    return element


def _interfaces(parent: Element, interfaces: tuple[str, ...], role: str, reduction: float | None) -> None:
    for interface in interfaces:
        _text(parent, "hardwareInterface", interface)
    if role:
        _text(parent, "role", role)
    if reduction is not None:
        _text(parent, "mechanicalReduction", format_number(reduction))


def _text(parent: Element, tag: str, text: str) -> None:
    _add(parent, tag).text = text


def _layout(root: Element, extensions: tuple[str, ...]) -> str:
    """Indented text of a tree without recursion deeper than a description has levels."""
    lines = ['<?xml version="1.0"?>']

    def write(element: Element, depth: int) -> None:
        indent = "  " * depth
        if not element.children:
            lines.append(indent + write_element(element))
            return
        lines.append(indent + write_element(Element(element.tag, element.attributes, 0, 0, ""))[:-2] + ">")
        for child in element.children:
            write(child, depth + 1)
        lines.append(f"{indent}</{element.tag}>")

    head = write_element(Element(root.tag, root.attributes, 0, 0, ""))[:-2] + ">"
    lines.append(head)
    for child in root.children:
        write(child, 1)
    lines += ["  " + extension for extension in extensions]
    lines.append("</robot>")
    return "\n".join(lines) + "\n"
