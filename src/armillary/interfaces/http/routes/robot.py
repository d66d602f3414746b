"""What the robot is, what it looks like, and what stands around it."""

from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Depends, HTTPException, Path, Request, Response
from pydantic import BaseModel

from armillary.description.geometry import Box, Capsule, Cylinder, Shape, Sphere
from armillary.interfaces.http.access import HasDesk, needs
from armillary.interfaces.http.desk import Desk
from armillary.interfaces.http.drawn_meshes import DrawnMeshes
from armillary.interfaces.http.made_once import made_once
from armillary.interfaces.http.robot_page import RobotPage, drawn_by_shapes, led_frame, named_states, notes_of
from armillary.interfaces.http.roles import Role
from armillary.model import frame_pose
from armillary.spatial import quaternion_from_rotation

__all__ = ["router"]

router = APIRouter(tags=["robot"])
_GLB = "model/gltf-binary"
Number = Annotated[int, Path(ge=0, le=100_000)]


def _bytes(media: str) -> dict[str, Any]:
    """How a route is declared that answers with something else than JSON."""
    return {"dependencies": [needs(Role.VIEWER)], "response_class": Response, "responses": {200: {"content": {media: {}}}}}


class JointInfo(BaseModel):
    """A joint that is commanded: its limits [rad or m], null where there is none."""

    name: str
    unit: Literal["rad", "m"]
    lower: float | None
    upper: float | None
    velocity: float


class NamedState(BaseModel):
    name: str
    q: list[float]


class RobotInfo(BaseModel):
    """What does not change while the cell runs."""

    name: str
    source: str
    joints: list[JointInfo]
    base: str  # the link that poses are given in; "world" for the world
    tip: str  # the link or frame that is led; "" for none
    tool: str
    frames: list[str]
    home: list[float]
    states: list[NamedState]
    driver: str
    assumptions: list[str]
    notes: list[str]
    by_shapes: bool  # it is drawn by what it collides with: its description shows nothing else that was found


class Placed(BaseModel):
    """A pose in the world [m], (w, x, y, z)."""

    xyz: list[float]
    quaternion: list[float]


class WorldThing(Placed):
    """Something that stands in the cell: edges of a box, radius of a sphere, radius and length of the others [m]."""

    name: str
    shape: Literal["box", "sphere", "cylinder", "capsule", "mesh"]
    size: list[float]
    mesh: str | None


class WorkspacePlane(BaseModel):
    point: list[float]
    normal: list[float]


class WorkspaceInfo(BaseModel):
    """Where the tool may be [m, world], and how fast it may go [m/s]; null where there is no bound."""

    box_min: list[float] | None = None
    box_max: list[float] | None = None
    planes: list[WorkspacePlane] = []
    tool_speed: float | None = None


class UserFrame(BaseModel):
    name: str
    parent: str
    xyz: list[float]
    rpy: list[float]


class WorldInfo(BaseModel):
    objects: list[WorldThing]
    workspace: WorkspaceInfo
    base: Placed
    frames: list[UserFrame]


HasPage = Annotated[RobotPage, Depends(made_once("robot_page", lambda desk: RobotPage(desk.prepared)))]


@router.get("/robot", dependencies=[needs(Role.VIEWER)])
def robot(desk: HasDesk) -> RobotInfo:
    prepared = desk.prepared
    model, description = prepared.model, prepared.description
    tip, states = led_frame(prepared), named_states(description, model, prepared.start)
    return RobotInfo(
        name=description.name if description is not None else model.spec.robot.name, source=prepared.settings.source,
        joints=[_joint(desk, column) for column in range(model.n)], base=model.reference or "world", tip=tip,
        tool=(description.tool.name if description is not None else tip) if tip else "",
        frames=[frame.name for frame in description.frames] if description is not None else [],
        home=prepared.start.tolist(), states=[NamedState(name=name, q=q.tolist()) for name, q in states],
        driver=prepared.settings.driver, assumptions=list(prepared.assumptions), notes=notes_of(prepared),
        by_shapes=drawn_by_shapes(model.spec.robot),
    )  # fmt: skip


@router.get("/robot/urdf", **_bytes("text/xml"))
def urdf(page: HasPage) -> Response:
    """For urdf-loader: its root stands in the world's origin; meshes are named relative to this address."""
    return Response(page.urdf, media_type="text/xml")


@router.get("/robot/mesh/{number}.glb", **_bytes(_GLB))
def robot_mesh(number: Number, request: Request, page: HasPage) -> Response:
    return _mesh(request, page.meshes, number)


@router.get("/world", dependencies=[needs(Role.VIEWER)])
def world(desk: HasDesk, page: HasPage) -> WorldInfo:
    description, model = desk.prepared.description, desk.prepared.model
    q = np.array(desk.cell.station.state["q"])
    q = q if np.isfinite(q).all() else desk.prepared.start
    base = _placed(frame_pose(model, q, model.reference) if model.reference else np.eye(4))
    if description is None:
        return WorldInfo(objects=[], workspace=WorkspaceInfo(), base=base, frames=[])
    space, things = description.workspace, []
    for thing in description.world:
        number, (kind, size), at = page.world_mesh(thing.shape), _shape(thing.shape), _placed(thing.pose.matrix)
        mesh = f"/api/world/mesh/{number}.glb" if number is not None else None
        things.append(WorldThing(name=thing.name, shape=kind, size=size, mesh=mesh, xyz=at.xyz, quaternion=at.quaternion))
    return WorldInfo(
        objects=things, base=base,
        workspace=WorkspaceInfo(
            box_min=_list(space.box_min), box_max=_list(space.box_max), tool_speed=space.tool_speed,
            planes=[WorkspacePlane(point=list(plane.point), normal=list(plane.normal)) for plane in space.planes],
        ),
        frames=[
            UserFrame(name=frame.name, parent=frame.parent, xyz=list(frame.pose.xyz), rpy=list(frame.pose.rpy))
            for frame in description.frames
        ],
    )  # fmt: skip


@router.get("/world/mesh/{number}.glb", **_bytes(_GLB))
def world_mesh(number: Number, request: Request, page: HasPage) -> Response:
    return _mesh(request, page.world_meshes, number)


def _mesh(request: Request, meshes: DrawnMeshes, number: int) -> Response:
    """A mesh, unless the browser has it already: it asks each time, since another cell may have the same address tomorrow."""
    if number >= len(meshes):
        raise HTTPException(404, f"there is no mesh {number}; there are {len(meshes)}, counted from 0")
    glb = meshes.glb(number)
    headers = {"ETag": f'"{glb.tag}"', "Cache-Control": "private, no-cache"}
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return Response(glb.data, media_type=_GLB, headers=headers)


def _joint(desk: Desk, column: int) -> JointInfo:
    model = desk.prepared.model
    lower, upper = float(model.lower[column]), float(model.upper[column])
    return JointInfo(
        name=model.joints[column], unit="m" if model.spec.robot.joint(model.joints[column]).unit == "m" else "rad",
        lower=lower if np.isfinite(lower) else None, upper=upper if np.isfinite(upper) else None,
        velocity=float(model.velocity[column]),
    )  # fmt: skip


def _list(values: tuple[float, ...] | None) -> list[float] | None:
    return None if values is None else list(values)


def _placed(T: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]") -> Placed:
    return Placed(xyz=T[:3, 3].tolist(), quaternion=[float(value) for value in quaternion_from_rotation(T[:3, :3])])


def _shape(shape: Shape) -> tuple[Literal["box", "sphere", "cylinder", "capsule", "mesh"], list[float]]:
    """A shape's kind and its size [m]; a mesh is served at its size."""
    if isinstance(shape, Box):
        return "box", list(shape.size)
    if isinstance(shape, Sphere):
        return "sphere", [shape.radius]
    if isinstance(shape, Cylinder):
        return "cylinder", [shape.radius, shape.length]
    if isinstance(shape, Capsule):
        return "capsule", [shape.radius, shape.length]
    return "mesh", [1.0, 1.0, 1.0]
