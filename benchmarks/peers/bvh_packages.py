"""Reads BVH files with the packages of PyPI: {"peer", "path"} in, {"seconds", "frames", "channels"} out, or an error's words."""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import bvh
import bvhio
import numpy as np
import pybvh


def with_bvh(path: str) -> tuple[int, int]:
    with open(path) as file:
        read = bvh.Bvh(file.read())
    values = np.array(read.frames, dtype=float)  # it keeps words: numbers are what everybody else gives
    return values.shape[0], values.shape[1]


def with_bvhio(path: str) -> tuple[int, int]:
    read = bvhio.readAsBvh(path)
    return read.FrameCount, 0


def with_pybvh(path: str) -> tuple[int, int]:
    read: Any = pybvh.read_bvh_file(path)
    return read.frame_count, 0


PEERS: dict[str, Callable[[str], tuple[int, int]]] = {"bvh": with_bvh, "bvhio": with_bvhio, "pybvh": with_pybvh}

for line in sys.stdin:
    request = json.loads(line)
    begin = time.perf_counter()
    try:
        frames, channels = PEERS[request["peer"]](request["path"])
        answer: dict[str, Any] = {"seconds": time.perf_counter() - begin, "frames": frames, "channels": channels}
    except Exception as error:
        answer = {"seconds": None, "error": f"{type(error).__name__}: {error}"[:200]}
    print(json.dumps(answer), flush=True)
