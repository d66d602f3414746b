"""ROS#'s file server: the robot's meshes by their names, and no other files."""

import asyncio
import base64
from typing import Any

from armillary.interfaces.ros.graph import BadGraph, Graph
from armillary.interfaces.ros.robot_files import RobotFiles

__all__ = ["provide_files"]

_NODE = "/file_server"


def provide_files(graph: Graph, files: RobotFiles) -> None:
    """Serve /file_server/get_file, and refuse to save."""

    async def get(asked: dict[str, Any]) -> dict[str, Any]:
        name = asked.get("name", asked.get("0"))
        if not isinstance(name, str):
            raise BadGraph('/file_server/get_file needs "name": a package://... of robot_description')
        data = await asyncio.to_thread(files.read, name)
        return {"value": base64.b64encode(data).decode()}

    async def save(_: dict[str, Any]) -> dict[str, Any]:
        raise BadGraph("nothing is saved here: a robot's files are its owner's to change")

    graph.provide(_NODE, "/file_server/get_file", "file_server/GetBinaryFile", get)
    graph.provide(_NODE, "/file_server/save_file", "file_server/SaveBinaryFile", save)
