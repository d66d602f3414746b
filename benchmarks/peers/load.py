"""Peer readers of URDF, timed on request: yourdfpy, urdf_parser_py and Pinocchio's own reader."""

import json
import sys
import time
import warnings
from collections.abc import Callable

import pinocchio
import yourdfpy
from urdf_parser_py.urdf import URDF

warnings.simplefilter("ignore")


def with_yourdfpy(path: str) -> None:
    # Everything in the file, with the kinematic graph; meshes named but not opened, as ours.
    yourdfpy.URDF.load(path, load_meshes=False, load_collision_meshes=False, build_collision_scene_graph=False)


def with_urdf_parser_py(path: str) -> None:
    URDF.from_xml_file(path)


def with_pinocchio(path: str) -> None:
    pinocchio.buildModelFromUrdf(path)


READERS: dict[str, Callable[[str], None]] = {
    "yourdfpy": with_yourdfpy,
    "urdf_parser_py": with_urdf_parser_py,
    "pin": with_pinocchio,
}


def main() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        read = READERS[request["reader"]]
        failed = 0
        start = time.perf_counter()
        for path in request["files"]:
            for _ in range(request.get("times", 1)):
                try:
                    read(path)
                except Exception:
                    failed += 1
        print(json.dumps({"seconds": time.perf_counter() - start, "failed": failed}), flush=True)


if __name__ == "__main__":
    main()
