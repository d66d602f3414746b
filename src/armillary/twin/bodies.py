"""The robot as MuJoCo holds it, built from the model's own tree, so that both have the same dynamics."""

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from armillary.description.geometry import Box, Capsule, Cylinder, Mesh, Sphere
from armillary.model import Model, Scene
from armillary.model.shapes import hull_shape
from armillary.spatial import quaternion_from_rotation
from armillary.twin.settings import BadTwin, TwinSettings
from armillary.twin.tuning import Tuning

__all__ = ["Bodies", "bodies_that_start_free", "build_bodies"]

Array = NDArray[np.float64]
_LEAST_MASS = 1e-9  # kg: MuJoCo moves nothing that has none
_LEAST_MOMENT = 1e-12  # kg m^2
_STICKS = 0.004  # s: in which friction stops a joint that it can; MuJoCo's 0.02 lets it creep like honey
_HARD = 0.9999  # of 1: softer, friction of a light joint would be a damper that gives way up to some tenths of a rad/s


@dataclass(frozen=True, eq=False)
class Bodies:
    """MuJoCo's model of a robot: one body, one joint of one coordinate for each moving joint, one motor for each commanded one.

    Attributes:
        model: MuJoCo's.
        owners: Of each shape: the link or obstacle that it is of.
        assumptions: What is not as the description says, in words.
    """

    model: mujoco.MjModel
    owners: tuple[str, ...]
    assumptions: tuple[str, ...]


def build_bodies(
    model: Model, settings: TwinSettings, tuning: Tuning, scene: Scene | None, left_out: frozenset[tuple[int, int]] = frozenset()
) -> Bodies:
    """The robot in MuJoCo.

    Args:
        scene: The shapes and the pairs of them that may touch; None for bodies that pass through each other.
        left_out: Pairs of the scene's parts that may touch all the same.
    """
    spec = mujoco.MjSpec()
    spec.modelname = model.spec.robot.name
    _set_options(spec, model, settings, tuning)
    said: list[str] = []
    carriers = _add_joints(spec, model, settings, tuning, said)
    _add_motors(spec, model, tuning.coupling, said)
    _add_mimics(spec, model)
    if scene is not None:
        _add_shapes(spec, scene, carriers, left_out)
    try:
        compiled = spec.compile()
    except ValueError as error:
        raise BadTwin(f"MuJoCo does not take {model.spec.robot.name}: {str(error).splitlines()[0]}") from None
    order = tuple(compiled.joint(i).name for i in range(compiled.njnt))
    if order != tuple(moving.name for moving in model.tree.moving):
        raise BadTwin(f"MuJoCo put the joints of {model.spec.robot.name} in another order: {', '.join(order)}")
    owners = tuple(part.owner for part in scene.parts) if scene is not None else ()
    return Bodies(compiled, owners, tuple(said))


def bodies_that_start_free(
    model: Model, settings: TwinSettings, tuning: Tuning, start: Array, scene: Scene | None
) -> tuple[Bodies, list[str]]:
    """The bodies, without contact of the shapes that touch where it starts: hulls fill what is hollow, and would push."""
    if not settings.contacts or scene is None:
        return build_bodies(model, settings, tuning, None), []
    left_out: set[tuple[int, int]] = set()
    said = [*scene.assumptions]
    for _ in range(5):
        bodies = build_bodies(model, settings, tuning, scene, frozenset(left_out))
        data = mujoco.MjData(bodies.model)
        data.qpos[:] = model.full(start)
        mujoco.mj_forward(bodies.model, data)
        touching = {
            tuple(sorted(int(geom) for geom in contact.geom)) for contact in data.contact[: data.ncon] if contact.dist < 0
        }
        numbers = {bodies.model.geom(geom).name: geom for geom in range(bodies.model.ngeom)}
        found = [
            pair
            for pair in scene.numbered_pairs
            if pair not in left_out and tuple(sorted(numbers[f"shape {part}"] for part in pair)) in touching
        ]
        if not found:
            return bodies, said
        for pair in found:
            left_out.add(pair)
            first, second = (bodies.owners[part] for part in pair)
            said.append(f"{first} and {second} touch where it starts (as hulls); they pass through each other here")
    raise BadTwin(f"{model.spec.robot.name}: shapes that touch at the start cannot be told apart; turn contacts off")


def _set_options(spec: mujoco.MjSpec, model: Model, settings: TwinSettings, tuning: Tuning) -> None:
    spec.compiler.degree = False
    spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE
    spec.compiler.balanceinertia = False
    option = spec.option
    option.timestep = settings.period / tuning.steps
    option.gravity = model.spec.gravity
    option.integrator = mujoco.mjtIntegrator.mjINT_EULER
    # Sums that are reported are sums that were integrated: nothing is damped on the side.
    option.disableflags = mujoco.mjtDisableBit.mjDSBL_EULERDAMP | mujoco.mjtDisableBit.mjDSBL_AUTORESET
    option.iterations = 30


def _add_joints(
    spec: mujoco.MjSpec, model: Model, settings: TwinSettings, tuning: Tuning, said: list[str]
) -> list[mujoco.MjsBody]:
    """One body a moving joint; the world first."""
    bodies = [spec.worldbody]
    for row, moving in enumerate(model.tree.moving):
        T = moving.T_parent_joint
        body = bodies[moving.parent + 1].add_body(
            name=f"body {moving.name}", pos=T[:3, 3], quat=quaternion_from_rotation(T[:3, :3])
        )
        kind = mujoco.mjtJoint.mjJNT_SLIDE if moving.prismatic else mujoco.mjtJoint.mjJNT_HINGE
        body.add_joint(
            name=moving.name, type=kind, axis=moving.axis, limited=False, armature=tuning.armature[row],
            damping=[tuning.damping[row], 0.0, 0.0], frictionloss=tuning.friction[row],
            solref_friction=[_STICKS, 1.0], solimp_friction=[_HARD, _HARD, 0.001, 0.5, 2.0],
        )  # fmt: skip
        _set_inertia(body, model, row, settings.mass_scale, said)
        bodies.append(body)
    return bodies


def _set_inertia(body: mujoco.MjsBody, model: Model, row: int, scale: float, said: list[str]) -> None:
    inertia, name = model.pin.inertias[row + 1], model.tree.moving[row].name
    moments, axes = np.linalg.eigh(inertia.inertia)
    if np.linalg.det(axes) < 0:
        axes[:, 0] *= -1.0
    least = max(_LEAST_MOMENT, 1e-9 * float(moments[2]))
    sound = np.maximum(moments, least)
    sound[2] = min(sound[2], sound[0] + sound[1])  # a plate's: rounding may break the rule of triangles
    mass = max(float(inertia.mass), _LEAST_MASS)
    if mass > inertia.mass:
        said.append(f"what {name} carries has no mass; {mass:.0e} kg is used")
    elif np.abs(sound - moments).max() > 1e-9 * max(float(moments[2]), 1e-9):
        said.append(f"what {name} carries is a point or a line; moments of {least:.0e} kg m^2 at least are used")
    body.explicitinertial = True
    body.mass, body.ipos = mass * scale, inertia.lever
    body.inertia, body.iquat = sound * scale, quaternion_from_rotation(axes)


def _add_motors(spec: mujoco.MjSpec, model: Model, coupling: Array | None, said: list[str]) -> None:
    """Motors whose torque is ctrl + bias, the bias linear in position and velocity: the servo's gains are set as it runs.

    A motor of a linkage or a differential pulls at several joints: at a tendon over all of them.
    """
    for column, (joint, effort) in enumerate(zip(model.joints, model.effort, strict=True)):
        row = np.eye(model.n)[column] if coupling is None else coupling[column]
        if np.array_equal(row, np.eye(model.n)[column]):
            motor = spec.add_actuator(name=f"motor {joint}", target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        else:
            tendon = spec.add_tendon(name=f"linkage {joint}")
            for other in np.flatnonzero(row):
                tendon.wrap_joint(model.joints[other], float(row[other]))
            motor = spec.add_actuator(name=f"motor {joint}", target=tendon.name, trntype=mujoco.mjtTrn.mjTRN_TENDON)
        motor.gaintype, motor.biastype = mujoco.mjtGain.mjGAIN_FIXED, mujoco.mjtBias.mjBIAS_AFFINE
        motor.gainprm[0] = 1.0
        motor.ctrllimited = False
        if np.isfinite(effort) and effort <= 0.0:
            said.append(f"{joint}: an effort limit of {effort:g} would never move it; it has none here")
        limited = bool(np.isfinite(effort) and effort > 0.0)
        motor.forcelimited = limited
        motor.forcerange = [-effort, effort] if limited else [0.0, 0.0]


def _add_mimics(spec: mujoco.MjSpec, model: Model) -> None:
    """Equalities: for the forces of contact on what follows; that it follows exactly is seen to where it is integrated."""
    for moving in model.tree.moving:
        driver = model.joints[moving.driver]
        if moving.name == driver:
            continue
        equality = spec.add_equality(
            name=f"mimic {moving.name}",
            type=mujoco.mjtEq.mjEQ_JOINT,
            objtype=mujoco.mjtObj.mjOBJ_JOINT,
            name1=moving.name,
            name2=driver,
        )
        equality.data[:5] = [moving.offset, moving.multiplier, 0.0, 0.0, 0.0]
        equality.solimp[:3] = [0.9999, 0.9999, 0.001]


def _add_shapes(spec: mujoco.MjSpec, scene: Scene, bodies: list[mujoco.MjsBody], left_out: frozenset[tuple[int, int]]) -> None:
    """Shapes on the bodies. Only the pairs that the scene looks at touch; more things can be given bits of their own."""
    meshes: dict[Mesh, str] = {}
    for number, part in enumerate(scene.parts):
        T = part.T_carrier_shape
        geom = bodies[part.carrier + 1].add_geom(
            name=f"shape {number}", pos=T[:3, 3], quat=quaternion_from_rotation(T[:3, :3]), contype=0, conaffinity=0
        )
        shape = part.shape
        if isinstance(shape, Mesh):
            geom.type, geom.meshname = mujoco.mjtGeom.mjGEOM_MESH, _mesh(spec, meshes, shape)
        elif isinstance(shape, Box):
            geom.type, geom.size = mujoco.mjtGeom.mjGEOM_BOX, np.array(shape.size) / 2.0
        elif isinstance(shape, Sphere):
            geom.type, geom.size = mujoco.mjtGeom.mjGEOM_SPHERE, [shape.radius, 0.0, 0.0]
        else:
            assert isinstance(shape, Capsule | Cylinder)
            capsule = isinstance(shape, Capsule)
            geom.type = mujoco.mjtGeom.mjGEOM_CAPSULE if capsule else mujoco.mjtGeom.mjGEOM_CYLINDER
            geom.size = [shape.radius, shape.length / 2.0, 0.0]
    for first, second in scene.numbered_pairs:
        if (first, second) not in left_out:
            spec.add_pair(name=f"{first} {second}", geomname1=f"shape {first}", geomname2=f"shape {second}")


def _mesh(spec: mujoco.MjSpec, meshes: dict[Mesh, str], shape: Mesh) -> str:
    if shape not in meshes:
        meshes[shape] = f"hull {len(meshes)}"
        mesh = spec.add_mesh(name=meshes[shape], inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX)
        mesh.uservert = np.array(hull_shape(shape).shape.points(), dtype=np.float32).ravel()
    return meshes[shape]
