"""The process that people and programs talk to. It hands on orders and motions, keeps the control lease, and never plans.

Clients of this machine come by a socket in the station's folder, which only its user can open. Everything takes turns in one
asyncio loop, in which nothing is slow: so a stop that comes in goes out at once.
"""

import asyncio
import contextlib
import itertools
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from armillary.errors import ArmillaryError
from armillary.runtime.board_kinds import LATCHED, LIFE, external_kind, jog_kind
from armillary.runtime.channel import Board, Pipe
from armillary.runtime.control_lease import ControlLease
from armillary.runtime.errors import RuntimeProblem
from armillary.runtime.message import Message
from armillary.runtime.orders import ORDERS, OWNED
from armillary.runtime.prepared import Prepared
from armillary.runtime.wire import receive, send, tell

__all__ = ["Front", "run"]

_BEAT = 0.01  # s between signs of life
_QUICK, _SLOW = 0.001, 0.01  # s between looks into the pipes, while an answer is awaited and otherwise
_PATIENCE = 5.0  # s for an answer of the executor
_PLANNING = 3600.0  # s for a plan, where who asks for it says nothing


class Declined(RuntimeProblem):
    """Something that is not done, for a reason that another process gave."""

    def __init__(self, text: str, kind: str = "Refused") -> None:
        super().__init__(text)
        self.kind = kind


class Front:
    """A station's front."""

    def __init__(self, folder: Path, prepared: Prepared) -> None:
        self.folder, self.prepared = folder, prepared
        n = prepared.model.n
        self.life, self.jog, self.external = (
            Board(folder / "life", LIFE), Board(folder / "jog", jog_kind(n)), Board(folder / "external", external_kind(n))
        )  # fmt: skip
        for board in (self.life, self.jog, self.external):  # what the one before said still holds
            board.read(board.value)
        self.orders, self.answers = Pipe(folder / "orders"), Pipe(folder / "answers")
        self.plans, self.planned = Pipe(folder / "plans"), Pipe(folder / "planned")
        self.planned.clear()
        self.lease = ControlLease()
        self.life.value["owner"] = 0
        self.life.value["front"] += 1
        self.granted = ""
        self._number = int(time.monotonic() * 1e6)  # above all that were before it
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._planning: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._handed: dict[int, Message] = {}
        self._clients: dict[int, asyncio.StreamWriter] = {}
        self._ids = itertools.count(self._number)  # nobody is taken for who had a number before
        self._parent = os.getppid()

    async def serve(self) -> None:
        """Until it is told to end."""
        path = self.folder / "front.sock"
        path.unlink(missing_ok=True)
        server = await asyncio.start_unix_server(self._client, path)
        ended = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
        async with server:
            tasks = [asyncio.create_task(self._beats()), asyncio.create_task(self._listens())]
            await ended.wait()
            for task in tasks:
                task.cancel()
        os._exit(0)  # clients that hang on must not hold it up

    # What clients ask for.

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = next(self._ids)
        self._clients[client] = writer
        tasks: set[asyncio.Task[None]] = set()
        try:
            while (message := await receive(reader)) is not None:
                # Each request in its own turn: one that waits for a plan does not hold up the stop behind it.
                task = asyncio.create_task(self._answer(client, message, writer))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
        except (ArmillaryError, ConnectionError) as error:
            with contextlib.suppress(ConnectionError):
                await send(writer, Message("refused", 0, time.monotonic(), {"to": 0, "text": str(error)}))
        finally:
            for task in tasks:
                task.cancel()
            del self._clients[client]
            if self.lease.holder == client:
                self.lease.give_back(client)
                self._give_control(0)
                self._stop(2)  # nobody watches over the motion any more
            writer.close()

    async def _answer(self, client: int, message: Message, writer: asyncio.StreamWriter) -> None:
        values: dict[str, Any] = {"to": message.number, "refused": "", "values": {}}
        try:
            values["values"] = await self._do(client, message) or {}
        except ArmillaryError as error:
            values["refused"], values["kind"] = str(error), getattr(error, "kind", type(error).__name__)
        except Exception as error:  # whatever a request does: it is answered, and the next one too
            values["refused"], values["kind"] = f"this request cannot be understood: {error}", "Refused"
        if message.values.get("quiet") and not values["refused"]:
            return
        with contextlib.suppress(ConnectionError):
            await send(writer, Message("answer", message.number, time.monotonic(), values))

    async def _do(self, client: int, message: Message) -> dict[str, Any] | None:
        kind, values = message.kind, message.values
        simple: dict[str, Callable[[], dict[str, Any] | None]] = {
            "hello": lambda: {"client": client, "granted": self.granted},
            "stop": lambda: self._stop(_category(values.get("category", 2)), latch=bool(values.get("latch", False))),
            "control": lambda: {"name": self.lease.name, "held": self.lease.holder != 0, "mine": self.lease.holder == client},
            "give_control": lambda: self._give_back(client),
            "finish": lambda: self._finish(),
            "press": lambda: self._press(client),
            "release": lambda: self._release(client),
            "jog": lambda: self._jog(client, message),
            "set_point": lambda: self._set_point(client, message),
            "override": lambda: self._override(client, float(values["rate"])),
            "tool_speed": lambda: self._bound_tool_speed(client, values.get("most")),
        }
        if kind in simple:
            return simple[kind]()
        if kind == "take_control":
            return self._take(client, str(values.get("name", "")), force=bool(values.get("force", False)))
        if kind == "statistics":
            return {**await self._order("statistics", {"clear": bool(values.get("clear", True))}), "granted": self.granted}
        if kind == "order" and values["order"] in ORDERS:
            order = str(values["order"])
            if order in OWNED:
                self._need_control(client)
            return await self._order(order, {"owner": client})
        if kind in ("set_output", "simulate_input"):
            self._need_control(client)
            said = {name: values.get(name) for name in ("index", "value", "analog")}
            return await self._order(kind, {**said, "owner": client})
        if kind == "move":
            self._need_control(client)
            return await self._move(client, message)
        raise Declined(f"there is no request '{kind}'")

    def _take(self, client: int, name: str, *, force: bool) -> dict[str, Any]:
        before = self.lease.holder
        self.lease.take(client, name, force=force)
        if before not in (0, client):
            self._stop(2)  # by force: what he moves is not ours to drive on
        self._give_control(client)
        return {}

    def _give_back(self, client: int) -> None:
        if self.lease.holder == client:
            self._stop(2)  # nobody watches over the motion any more
        self.lease.give_back(client)
        self._give_control(self.lease.holder)

    def _need_control(self, client: int) -> None:
        """Who asks first has it; nobody else while he has."""
        if self.lease.holder != client:
            self.lease.take(client, "")
            self._give_control(client)

    def _give_control(self, client: int) -> None:
        self.life.value["owner"] = client
        self._beat()

    def _stop(self, category: int, *, latch: bool = False) -> None:
        self.life.value["stops"][0][LATCHED if latch and category == 2 else category] += 1
        self.life.value["pressed"] = 0.0
        self.jog.value["kind"] = 0
        self.jog.write()
        self._beat()

    def _override(self, client: int, rate: float) -> None:
        self._need_control(client)
        if not 0.0 <= rate <= 2.0:
            raise ValueError(f"an override of {rate} is none; give 0 to 2")
        self.life.value["override"] = rate
        self._beat()

    def _bound_tool_speed(self, client: int, most: object) -> None:
        """How fast the tool may be at most [m/s], in all that is planned and jogged from now on; None for the cell's own bound.

        It is the station's, and not of who asked: it holds until somebody with control says otherwise.
        """
        if self.lease.holder not in (0, client):
            self._need_control(client)  # says who has it
        if most is not None and not (isinstance(most, int | float) and 0.0 < most < 100.0):
            raise ValueError(f"a tool speed of {most} m/s is none; give one above zero")
        self.jog.value["tool_speed"] = float(most) if most is not None else 0.0
        self.jog.write()

    def _finish(self) -> None:
        """Nothing more comes behind what is queued."""
        self._number += 1
        self.plans.send(Message("finish", self._number, time.monotonic()).encode())

    def _press(self, client: int) -> None:
        self._need_control(client)
        self.life.value["pressed"] = time.monotonic()
        self._beat()

    def _release(self, client: int) -> None:
        if self.lease.holder == client:
            self.life.value["pressed"] = 0.0
            self.jog.value["kind"] = 0
            self.jog.write()
            self._beat()

    def _jog(self, client: int, message: Message) -> None:
        """What is asked of a jog: holds for a tenth of a second, then it must be asked for again."""
        self._need_control(client)
        speeds = message.arrays["speeds"]
        value = self.jog.value
        value["kind"], value["frame"] = (
            int(message.values["kind"]),
            str(message.values.get("frame", "")).encode(errors="replace")[:64],
        )
        value["speeds"] = 0.0
        value["speeds"][0][: len(speeds)] = speeds
        value["time"] = self.life.value["pressed"] = time.monotonic()
        value["number"] += 1
        self.jog.write()
        self._beat()

    def _set_point(self, client: int, message: Message) -> None:
        """Another master's set-point."""
        self._need_control(client)
        value = self.external.value
        value["q"], value["v"] = message.arrays["q"], message.arrays["v"]
        value["time"] = value["since"] = time.monotonic()
        value["holds"], value["number"] = 0, value["number"] + 1
        self.external.write()

    async def _move(self, client: int, message: Message) -> dict[str, Any]:
        """Have a motion planned, and hand it on when it is proven."""
        self._number += 1
        number = self._number
        stops = int(self.life.value["stops"].sum())
        if int(message.values.get("stops", stops)) != stops:
            raise Declined("it was stopped since; nothing is moved")
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._planning[number] = future
        values = {**message.values, "owner": client, "stops": stops, "tool_speed": float(self.jog.value["tool_speed"][0])}
        try:
            while not self.plans.send(Message("move", number, time.monotonic(), values, message.arrays).encode()):
                await asyncio.sleep(_SLOW)
            patience = float(message.values.get("patience", _PLANNING))
            return {**await asyncio.wait_for(future, patience), "stops": stops}
        except TimeoutError:
            # What comes of it later is thrown away: nobody waits for it any more, and nothing moves unexpectedly.
            raise Declined(f"planning takes longer than {patience:g} s; nothing more of this is moved") from None
        finally:
            del self._planning[number]

    async def _order(self, kind: str, values: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        return await self._send(Message(kind, self._number, time.monotonic(), values))

    async def _send(self, message: Message) -> dict[str, Any]:
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[message.number] = future
        try:
            if not self.orders.send(message.encode()):
                raise Declined("the executor does not take orders: its pipe is full")
            return await asyncio.wait_for(future, _PATIENCE)
        except TimeoutError:
            raise Declined(f"the executor does not answer for {_PATIENCE:g} s") from None
        finally:
            del self._waiting[message.number]

    # What comes from the other processes.

    async def _beats(self) -> None:
        while True:
            self._beat()
            if os.getppid() != self._parent:
                os._exit(0)
            await asyncio.sleep(_BEAT)

    def _beat(self) -> None:
        self.life.value["time"] = time.monotonic()
        self.life.write()

    async def _listens(self) -> None:
        while True:
            while (data := self.answers.receive()) is not None:
                await self._heard(Message.decode(data))
            while (data := self.planned.receive()) is not None:
                await self._planned(Message.decode(data))
            await asyncio.sleep(_QUICK if self._waiting or self._planning else _SLOW)

    async def _heard(self, message: Message) -> None:
        """From the executor."""
        if message.kind == "answer":
            number = int(message.values["to"])
            _settle(self._waiting.get(number), message.values)
            if number in self._handed:
                await self._taken(self._handed.pop(number), str(message.values["refused"]))
        elif message.kind == "ready":
            self.granted = str(message.values["granted"])
            for run in self._handed.values():  # what one before was handed it has not taken
                await self._taken(run, "the executor had ended before it took the motion; ask again")
            self._handed.clear()
        elif message.kind == "happened":
            for writer in list(self._clients.values()):
                tell(writer, message)

    async def _planned(self, message: Message) -> None:
        """From the planner: parts of a motion, handed on, or why there is none."""
        request = int(message.values.get("request", 0))
        if message.kind == "started":
            said = {"refused": "the planner had ended while it planned; ask again", "kind": "Refused"}
            for waiting in list(self._planning.values()):
                _settle(waiting, said)
            return
        if message.kind == "done":
            _settle(self._planning.get(request), {"refused": "", "values": message.values["summary"]})
            return
        if message.kind == "failed":
            _settle(self._planning.get(request), {"refused": message.values["text"], "kind": message.values["kind"]})
            return
        if request and request not in self._planning:
            return  # who asked for it is gone
        self._number += 1
        if message.kind == "run":
            self._handed[self._number] = message
        data = Message(message.kind, self._number, time.monotonic(), message.values, message.arrays).encode()
        while not self.orders.send(data):
            await asyncio.sleep(_QUICK)

    async def _taken(self, run: Message, refused: str) -> None:
        """The executor has taken a motion, or not: the planner wants to know."""
        values = {"motion": run.values["motion"], "at": run.values["at"], "refused": refused}
        self._number += 1
        data = Message("accepted", self._number, time.monotonic(), values).encode()
        while not self.plans.send(data):
            await asyncio.sleep(_QUICK)


def _category(value: object) -> int:
    """Of a stop. Whatever cannot be understood is the strongest."""
    return value if isinstance(value, int) and value in (0, 1, 2) else 0


def _settle(future: "asyncio.Future[dict[str, Any]] | None", values: Any) -> None:
    """Answer who waits: with values, or with the reason why not."""
    if future is None or future.done():
        return
    if values["refused"]:
        future.set_exception(Declined(str(values["refused"]), str(values.get("kind", "Refused"))))
    else:
        future.set_result(dict(values["values"]))


def run(folder: Path, prepared: Prepared) -> None:
    """The front's process."""
    asyncio.run(Front(folder, prepared).serve())
