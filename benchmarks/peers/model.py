"""Peers for kinematics and dynamics, timed on request: roboticstoolbox, ikpy, MuJoCo, all on the same URDF without shapes."""

import json
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

warnings.simplefilter("ignore")


def roboticstoolbox(urdf: str, tip: str) -> dict[str, Callable[[np.ndarray], Any]]:
    import roboticstoolbox as rtb

    robot = rtb.Robot.URDF(urdf)
    return {"fk": lambda q: robot.fkine(q, end=tip), "rnea": lambda q: robot.rne(q, 0 * q, 0 * q)}


def roboticstoolbox_ets(urdf: str, tip: str) -> dict[str, Callable[[np.ndarray], Any]]:
    """Its chain of elementary transforms, evaluated in C to a bare matrix: the fastest way it has, below its own interface."""
    import roboticstoolbox as rtb

    return {"fk": rtb.Robot.URDF(urdf).ets(end=tip).eval}


def ikpy(urdf: str, _tip: str) -> dict[str, Callable[[np.ndarray], Any]]:
    from ikpy.chain import Chain

    chain = Chain.from_urdf_file(urdf, base_elements=["world"])
    n = len(chain.links)

    def fk(q: np.ndarray) -> Any:
        full = np.zeros(n)
        full[1 : 1 + len(q)] = q
        return chain.forward_kinematics(full)

    return {"fk": fk}


def mujoco(urdf: str, tip: str) -> dict[str, Callable[[np.ndarray], Any]]:
    import mujoco as mj

    with open(urdf, encoding="utf-8") as file:
        text = file.read().replace("</robot>", '<mujoco><compiler fusestatic="false"/></mujoco></robot>')
    model = mj.MjModel.from_xml_string(text)
    data = mj.MjData(model)
    body = model.body(tip).id

    def fk(q: np.ndarray) -> Any:
        data.qpos[:] = q
        mj.mj_kinematics(model, data)
        return data.xpos[body].copy(), data.xmat[body].copy()

    def rnea(q: np.ndarray) -> Any:
        data.qpos[:], data.qvel[:], data.qacc[:] = q, 0, 0
        mj.mj_inverse(model, data)
        return data.qfrc_inverse.copy()

    return {"fk": fk, "rnea": rnea}


PEERS: dict[str, Callable[[str, str], dict[str, Callable[[np.ndarray], Any]]]] = {
    "roboticstoolbox": roboticstoolbox,
    "roboticstoolbox ETS in C": roboticstoolbox_ets,
    "ikpy": ikpy,
    "mujoco": mujoco,
}


def main() -> None:
    made: dict[tuple[str, str], dict[str, Callable[..., Any]]] = {}
    for line in sys.stdin:
        request = json.loads(line)
        key = (request["peer"], request["urdf"])
        try:
            if key not in made:
                made[key] = PEERS[key[0]](key[1], request["tip"])
            call = made[key][request["what"]]
            q = np.array(request["q"])
            call(q)
            start = time.perf_counter()
            for _ in range(request["times"]):
                call(q)
            print(json.dumps({"seconds": (time.perf_counter() - start) / request["times"]}), flush=True)
        except Exception as error:
            print(json.dumps({"seconds": None, "error": f"{type(error).__name__}: {error}"}), flush=True)


if __name__ == "__main__":
    main()
