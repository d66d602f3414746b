"""The pendant's process: a web server for browsers beside the front, so that nothing that people look at delays a stop.

Bound to loopback unless told otherwise; beyond it only with a password set and TLS.
"""

import asyncio
import json
import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armillary.errors import ArmillaryError
from armillary.interfaces.http.app import make_app
from armillary.interfaces.http.broadcast import Broadcast
from armillary.interfaces.http.certificate import CertificateFiles, find_certificate
from armillary.interfaces.http.desk import Desk
from armillary.interfaces.http.listening import LOOPBACK, listen
from armillary.interfaces.http.nearest_parts import NearestParts
from armillary.interfaces.http.parts_process import PartsProcess
from armillary.interfaces.http.sessions import Sessions
from armillary.interfaces.http.users import UserStore
from armillary.programs.teach import store_place
from armillary.runtime import RuntimeProblem
from armillary.runtime.prepared import Prepared
from armillary.whole_file import write_whole

if TYPE_CHECKING:
    import uvicorn
    from fastapi import FastAPI

__all__ = ["may_listen", "pendant_place", "run", "web_server"]

_READY = "pendant.json"
_LOOKS = 1 / 60  # s between looks whether somebody still holds what is held to run
_CHECKS = 0.25  # s between looks whether who started it is still there


def pendant_place(source: str) -> Path:
    """Where a cell's programs, users and history are kept."""
    return store_place(source).with_suffix(".pendant")


def run(folder: Path, prepared: Prepared) -> None:
    """Until it is told to end, or who started it is gone.

    Raises:
        RuntimeProblem: It may not listen there, or cannot.
    """
    parts = PartsProcess(NearestParts(prepared.model, prepared.scene))  # before there are threads
    asyncio.run(_serve(folder, prepared, parts))


async def _serve(folder: Path, prepared: Prepared, parts: PartsProcess) -> None:
    parent, settings = os.getppid(), prepared.settings.pendant
    host, place = str(settings.get("host", "127.0.0.1")), pendant_place(prepared.settings.source)
    users, sessions = UserStore(place), Sessions()
    files = may_listen(host, place, users, prepared.settings.source, "the pendant")
    listening = listen(host, settings.get("port"))
    desk = Desk(folder, prepared, place, parts)
    names = (host, *files.names) if files is not None else (host,)
    app = make_app(desk, sessions, users, secure=files is not None, names=names)
    server = web_server(app, files)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, setattr, server, "should_exit", True)
    # Without one of these it is not to be trusted with a robot: it ends, the robot is stopped, and it is started again.
    broadcast: Broadcast = app.state.broadcast
    works = (broadcast.run(), broadcast.see_who_has_control(), _look_after(desk), _watch(parent, server))
    tasks = [asyncio.create_task(work) for work in works]
    for task in tasks:
        task.add_done_callback(lambda _: setattr(server, "should_exit", True))
    tasks.append(asyncio.create_task(asyncio.to_thread(app.state.motion_preview.warm_up)))
    port = int(listening.getsockname()[1])
    shown = f"[{host}]" if ":" in host else "127.0.0.1" if host in ("0.0.0.0", "localhost") else host
    address = f"{'https' if files is not None else 'http'}://{shown}:{port}"
    said: dict[str, Any] = {"address": address, "port": port, "link": f"{address}/#link={sessions.one_time_link()}"}
    _tell(folder / _READY, said)
    try:
        await server.serve(sockets=[listening])
    finally:
        for task in tasks:
            task.cancel()
        with suppress(ArmillaryError):
            desk.close()
        if hasattr(app.state, "programs"):
            app.state.programs.history.flush()
        os._exit(0)  # threads that wait for a robot must not hold it up


def web_server(app: "FastAPI", files: CertificateFiles | None) -> "uvicorn.Server":
    """What answers browsers, by TLS where there is a certificate."""
    import uvicorn

    config = uvicorn.Config(
        app, log_level="warning", access_log=False, ws_max_size=4096, ws_ping_interval=2.0, ws_ping_timeout=2.0,
        ws_per_message_deflate=False, timeout_graceful_shutdown=1, lifespan="off", server_header=False,
        ssl_certfile=str(files.certificate) if files is not None else None,
        ssl_keyfile=str(files.key) if files is not None else None,
    )  # fmt: skip
    return uvicorn.Server(config)


def may_listen(host: str, place: Path, users: UserStore, source: str, what: str) -> CertificateFiles | None:
    """The certificate to use, if one is needed.

    Raises:
        RuntimeProblem: Beyond this machine something is missing; says what and how it is made.
    """
    if host in LOOPBACK:
        return None
    if not users.any():
        raise RuntimeProblem(
            f"{what} listens to {host} only when somebody has a password: open the pendant on this machine first, "
            f"and add an administrator in Users (or: armillary users {source} add NAME --role administrator)"
        )
    files = find_certificate(place)
    if files is None:
        raise RuntimeProblem(f"{what} listens to {host} only by TLS: make a certificate first (armillary cert {source})")
    return files


async def _look_after(desk: Desk) -> None:
    """What must not wait for a person: who lets go of a button does not say so when his link is cut."""
    while True:
        desk.look_after_press()
        desk.look_after_lease()
        await asyncio.sleep(_LOOKS)


async def _watch(parent: int, server: Any) -> None:
    while os.getppid() == parent:
        await asyncio.sleep(_CHECKS)
    server.should_exit = True


def _tell(path: Path, said: dict[str, Any]) -> None:
    """Readable by who runs the cell alone: the link lets one in."""
    path.touch(mode=0o600)
    path.chmod(0o600)
    write_whole(path, json.dumps(said))
