"""The robot and its world as a browser draws them: URDF text for urdf-loader, with every mesh as GLB.

What is written is for drawing alone. Its root is the world; joints that are not commanded are fixed where they are held; joints
have no limits, since a drawing must not hold back what the robot does; and the cell's frames and its tool are links too.
"""

import itertools
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from armillary.description import CellDescription
from armillary.description.geometry import Capsule, Geometry, Material, Mesh, Pose, Shape
from armillary.description.robot import Joint, JointType, Limits, Link, Robot
from armillary.description.urdf import write_urdf
from armillary.interfaces.http.drawn_meshes import DrawnMesh, DrawnMeshes
from armillary.model import Model, ModelSpec
from armillary.runtime.prepared import Prepared
from armillary.spatial import axis_angle_rotation, rpy_from_rotation, transform

__all__ = ["RobotPage", "drawn_by_shapes", "drawn_robot", "led_frame", "named_states", "notes_of"]

Array = NDArray[np.float64]
_ANYWHERE = Limits(lower=-1000.0, upper=1000.0)  # m: urdf-loader holds a sliding joint without limits at zero
_FEW = 5  # names in a note


class RobotPage:
    """What a cell looks like.

    Attributes:
        urdf: The robot as URDF text; meshes are named "mesh/0.glb" and so on.
        meshes: Of the robot. world_meshes: Of what stands around it.
    """

    def __init__(self, prepared: Prepared) -> None:
        self.prepared, self.meshes, self.world_meshes = prepared, DrawnMeshes(), DrawnMeshes()
        for thing in prepared.description.world if prepared.description is not None else ():
            self.world_mesh(thing.shape)  # numbers do not depend on what is asked for first
        self.urdf = write_urdf(drawn_robot(prepared.model.spec, self.meshes))

    def world_mesh(self, shape: Shape) -> int | None:
        """The number of an object's mesh, its scale applied; None for what browsers draw by themselves."""
        return self.world_meshes.number(DrawnMesh(shape, scale=shape.scale)) if isinstance(shape, Mesh) else None


def led_frame(prepared: Prepared) -> str:
    """The frame that these joints lead: the tool; "" where they lead none (a hand)."""
    model, description = prepared.model, prepared.description
    group = prepared.settings.group
    if group and description is not None and not any(each.tip for each in description.groups if each.name == group):
        return ""
    carriers, base = model.tree.carriers, model.reference
    still = carriers[base][0] if base else -1
    return model.tip if carriers[model.tip][0] != still else ""


def named_states(description: CellDescription | None, model: Model, home: Array) -> list[tuple[str, Array]]:
    """The cell's configurations with a name, shape (n,) each; joints of other groups are at home."""
    if description is None:
        return []
    groups, found = {group.name: group for group in description.groups}, []
    for state in description.states:
        q = home.copy()
        given = dict(zip(groups[state.group].joints, state.q, strict=True))
        for column, joint in enumerate(model.joints):
            q[column] = given.get(joint, q[column])
        if set(given) & set(model.joints):
            found.append((state.name, q))
    return found


def notes_of(prepared: Prepared) -> list[str]:
    """What a person at this robot should know."""
    model, scene = prepared.model, prepared.scene
    said = list(scene.assumptions)
    if scene.without_shape:
        said.append(f"{_listed(scene.without_shape)}: no collision shape; collisions with these are not seen")
    lost = [link.name for link in model.spec.robot.links for each in link.visuals if _is_lost(each.shape)]
    if lost:
        said.append(f"{_listed(lost)}: a mesh was not found; these are not drawn whole")
    free = [joint for joint, low, high in zip(model.joints, model.lower, model.upper, strict=True) if not np.isfinite(high - low)]
    if free:
        said.append(f"{_listed(free)}: no limits; these turn or slide without end")
    guessed = [each.joint for each in model.spec.limits if each.joint in model.joints and "velocity" in each.defaulted]
    if guessed:
        said.append(f"{_listed(guessed)}: nobody stated a speed; 1 rad/s or 0.1 m/s is taken (limits in cell.toml)")
    if not led_frame(prepared):
        said.append("these joints lead no tool: they are moved by joints alone")
    return said


def _listed(names: list[str]) -> str:
    names = list(dict.fromkeys(names))
    return ", ".join(names[:_FEW]) + (f" and {len(names) - _FEW} more" if len(names) > _FEW else "")


def _is_lost(shape: Shape) -> bool:
    return isinstance(shape, Mesh) and shape.path is None


def drawn_by_shapes(robot: Robot) -> bool:
    """Whether a robot is drawn by what it collides with: it has no looks, or none of their meshes was found."""
    return all(_is_lost(each.shape) for link in robot.links for each in link.visuals)


def drawn_robot(spec: ModelSpec, meshes: DrawnMeshes) -> Robot:
    """A robot to draw, standing in the world; its meshes are given numbers."""
    robot = spec.robot
    seen = not drawn_by_shapes(robot)
    links = [_drawn_link(link, link.visuals if seen else link.collisions, meshes) for link in robot.links]
    joints = [_drawn_joint(joint, spec) for joint in robot.joints]
    names, taken = {link.name for link in links}, {joint.name for joint in joints}
    for name, parent, pose in spec.frames:
        links.append(Link(name))
        joints.append(Joint(_free_name(f"{name}_frame", taken), JointType.FIXED, parent, name, pose))
    if spec.base != Pose():
        world = _free_name("world", names)
        links.append(Link(world))
        joints.append(Joint(_free_name("world_frame", taken), JointType.FIXED, world, robot.root.name, spec.base))
    return Robot(robot.name, tuple(links), tuple(joints), tuple(_plain(material) for material in robot.materials))


def _free_name(wanted: str, taken: set[str]) -> str:
    name = next(name for name in itertools.chain([wanted], (f"{wanted}_{k}" for k in itertools.count(2))) if name not in taken)
    taken.add(name)
    return name


def _drawn_link(link: Link, geometries: tuple[Geometry, ...], meshes: DrawnMeshes) -> Link:
    return Link(link.name, visuals=tuple(_drawn(each, meshes) for each in geometries if not _is_lost(each.shape)))


def _drawn(geometry: Geometry, meshes: DrawnMeshes) -> Geometry:
    shape, material = geometry.shape, geometry.material
    if isinstance(shape, Mesh | Capsule):
        scale = shape.scale if isinstance(shape, Mesh) else (1.0, 1.0, 1.0)
        drawn = replace(shape, scale=(1.0, 1.0, 1.0)) if isinstance(shape, Mesh) else shape
        number = meshes.number(DrawnMesh(drawn, material.rgba if material is not None else None))
        shape = Mesh(f"mesh/{number}.glb", None, scale)
    return replace(geometry, shape=shape, material=_plain(material) if material is not None else None)


def _plain(material: Material) -> Material:
    """Without the picture: its file is not served."""
    return replace(material, texture=None)


def _drawn_joint(joint: Joint, spec: ModelSpec) -> Joint:
    """As the model moves it: freely where it is commanded or follows one that is, and fixed where it is held otherwise."""
    driver = joint.mimic.joint if joint.mimic is not None else joint.name
    bare = Joint(joint.name, JointType.FIXED, joint.parent, joint.child, joint.pose)
    if joint.type.is_single and driver in spec.commanded:
        slides = joint.type is JointType.PRISMATIC
        kind = JointType.PRISMATIC if slides else JointType.CONTINUOUS
        return replace(bare, type=kind, axis=joint.axis, limits=_ANYWHERE if slides else None, mimic=joint.mimic)
    held = dict(spec.locked).get(driver, 0.0)
    if joint.mimic is not None:
        held = joint.mimic.multiplier * held + joint.mimic.offset
    if not joint.type.is_single or held == 0.0:
        return bare
    axis = np.array(joint.axis)
    T_joint_held = (
        transform(np.eye(3), axis * held)
        if joint.type is JointType.PRISMATIC
        else transform(axis_angle_rotation(axis, held), (0.0, 0.0, 0.0))
    )
    T = joint.pose.matrix @ T_joint_held
    x, y, z = T[:3, 3].tolist()
    return replace(bare, pose=Pose((x, y, z), rpy_from_rotation(T[:3, :3])))
