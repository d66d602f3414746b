"""rosbridge's process: a WebSocket server for roslibpy, roslibjs, ROS# and their like, beside the front.

Bound to loopback unless told otherwise; beyond it only with a password set and TLS, as the pendant.
"""

import asyncio
import http
import json
import os
import signal
import ssl
import sys
from contextlib import suppress
from itertools import count
from pathlib import Path
from weakref import WeakKeyDictionary

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from armillary.cell import Cell
from armillary.errors import ArmillaryError
from armillary.interfaces.http.roles import Role
from armillary.interfaces.http.server import may_listen, pendant_place
from armillary.interfaces.http.users import UserStore
from armillary.interfaces.ros.graph import Graph
from armillary.interfaces.ros.node_process import node_of
from armillary.interfaces.ros.robot_files import RobotFiles
from armillary.interfaces.ros.spoken import NODE
from armillary.interfaces.rosbridge.admission import Admission, NotAdmitted
from armillary.interfaces.rosbridge.file_server import provide_files
from armillary.interfaces.rosbridge.graph_wire import GraphWire
from armillary.interfaces.rosbridge.rosapi import provide_rosapi
from armillary.interfaces.rosbridge.session import RosbridgeSession
from armillary.interfaces.rosbridge.subscription import Packer
from armillary.protocols.ros1_definitions import MESSAGES
from armillary.runtime import RuntimeProblem, Station
from armillary.runtime.prepared import Prepared
from armillary.whole_file import write_whole

__all__ = ["PORT", "RosbridgeServer", "run"]

PORT = 9090
_READY = "rosbridge.json"
_MOST = 200  # clients
_LARGEST = 32 << 20  # bytes of a message
_CHECKS = 0.25  # s between looks whether who started it is still there
_FAIL_AT_STATUS = ("Autobahn", "websockets/")  # what roslibpy is made of: it raises on any status


class RosbridgeServer:
    """Clients of a graph."""

    def __init__(self, graph: Graph, admission: Admission) -> None:
        self._graph, self._admission = graph, admission
        self._packer, self._numbers, self._clients = Packer(), count(1), 0
        self._roles: WeakKeyDictionary[ServerConnection, Role] = WeakKeyDictionary()

    async def admit(self, connection: ServerConnection, request: Request) -> Response | None:
        """Before a connection is one: who may not have it is told why."""
        headers = request.headers
        try:
            if self._clients >= _MOST:
                raise NotAdmitted(f"{_MOST} clients are connected; end some first", 503)
            role = await asyncio.to_thread(
                self._admission.role_of, request.path, headers.get("Origin"), headers.get("Authorization")
            )
        except ArmillaryError as error:
            status = error.status if isinstance(error, NotAdmitted) else 401
            return connection.respond(http.HTTPStatus(status), f"{error}\n")
        self._roles[connection] = role
        return None

    async def serve(self, connection: ServerConnection) -> None:
        """One client, until it goes."""
        agent = connection.request.headers.get("User-Agent", "") if connection.request is not None else ""
        session = RosbridgeSession(
            self._graph, f"/rosbridge_client_{next(self._numbers)}", self._packer,
            level="none" if any(name in agent for name in _FAIL_AT_STATUS) else "error",
            may_command=self._roles.get(connection, Role.VIEWER) >= Role.OPERATOR,
        )  # fmt: skip
        self._clients += 1
        works = [asyncio.create_task(work) for work in (self._send(connection, session), self._let_go(connection, session))]
        try:
            async for data in connection:
                session.receive(data)
        except ConnectionClosed:
            pass
        finally:
            self._clients -= 1
            session.close()
            for work in works:
                work.cancel()

    async def _send(self, connection: ServerConnection, session: RosbridgeSession) -> None:
        with suppress(ConnectionClosed):
            while True:
                for frame in await session.outbox.next():
                    await connection.send(frame)

    async def _let_go(self, connection: ServerConnection, session: RosbridgeSession) -> None:
        """As soon as more waits for it than is borne."""
        await session.outbox.overflowed.wait()
        await connection.close(1008, session.outbox.why[:120])


def run(folder: Path, prepared: Prepared) -> None:
    """Until it is told to end, or who started it is gone.

    Raises:
        RuntimeProblem: It may not listen there, or cannot.
    """
    asyncio.run(_serve(folder, prepared))


async def _serve(folder: Path, prepared: Prepared) -> None:
    parent, settings, source = os.getppid(), prepared.settings.rosbridge, prepared.settings.source
    host, place = str(settings.get("host", "127.0.0.1")), pendant_place(source)
    users = UserStore(place)
    certificate = may_listen(host, place, users, source, "rosbridge")
    admission = Admission(users, host)
    graph = Graph(MESSAGES)
    provide_rosapi(graph)
    provide_files(graph, RobotFiles(prepared.model.spec.robot))
    cell = Cell(prepared.model, Station(folder, prepared.model.n))
    node = node_of(cell, GraphWire(graph, NODE), rate=float(settings.get("rate", 100.0)), files_here=False)
    server, secure = RosbridgeServer(graph, admission), None
    if certificate is not None:
        secure = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        secure.load_cert_chain(certificate.certificate, certificate.key)
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    try:
        listening = serve(
            server.serve, host, int(settings.get("port", PORT)), process_request=server.admit, ssl=secure, compression=None,
            max_size=_LARGEST, ping_interval=5.0, ping_timeout=10.0, close_timeout=1.0, server_header=None,
        )  # fmt: skip
        async with listening as bound:
            port = int(next(iter(bound.sockets)).getsockname()[1])
            shown = f"[{host}]" if ":" in host else host
            address = f"{'wss' if secure is not None else 'ws'}://{shown}:{port}"
            _tell(folder / _READY, {"address": address, "port": port, "token": admission.token})
            works = [asyncio.create_task(work) for work in (node.run(), _watch(parent), ended.wait())]
            done, _ = await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
            for work in done:
                if work.exception() is not None:
                    print(f"armillary rosbridge: {work.exception()}", file=sys.stderr)
    except OSError as error:
        said = (
            f"rosbridge cannot listen to {host} port {settings.get('port', PORT)}: {error.strerror or error}; give another port"
        )
        raise RuntimeProblem(said) from None
    else:
        os._exit(0)  # threads that wait for a robot must not hold it up


async def _watch(parent: int) -> None:
    while os.getppid() == parent:
        await asyncio.sleep(_CHECKS)


def _tell(path: Path, said: dict[str, object]) -> None:
    """Readable by who runs the cell alone: the token lets one in."""
    path.touch(mode=0o600)
    path.chmod(0o600)
    write_whole(path, json.dumps(said))
