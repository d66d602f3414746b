"""One client of rosbridge: what it says is done, and what it is told waits in its outbox."""

import asyncio
from collections.abc import Callable, Mapping
from itertools import count
from time import monotonic
from typing import Any

from armillary.errors import ArmillaryError
from armillary.interfaces.ros.graph import Graph, global_name
from armillary.interfaces.ros.wire import CALLER
from armillary.interfaces.rosbridge.action_goals import ActionGoals, GoalUnderWay
from armillary.interfaces.rosbridge.outbox import Outbox
from armillary.interfaces.rosbridge.served_actions import ServedActions
from armillary.interfaces.rosbridge.subscription import Asked, Packer, Subscription
from armillary.protocols.ros1_definitions import SERVICES
from armillary.protocols.ros1_types import ros1_type, service_types
from armillary.protocols.ros_json import BadRosMessage, by_name, from_json, to_json
from armillary.protocols.rosbridge import Fragments, as_json, as_png, in_fragments, read_frame

__all__ = ["BadRequest", "RosbridgeSession"]

_LEVELS = ("none", "error", "warning", "info")  # of what is told of; each tells of those before it too
_ANSWERS = 60.0  # s that a client may take to answer a call
_CALLS = 100  # of a client, at once
_SUBSCRIPTIONS = 500  # of a client
_COMPRESSIONS = ("none", "png", "cbor", "cbor-raw")
_LOOKING = ("subscribe", "unsubscribe", "fragment", "set_level")
_ASKING, _CHANGING = ("/rosapi/", "/file_server/get_file"), ("/set_param", "/delete_param")


class BadRequest(ArmillaryError):
    """Something that a client asks for wrongly; it is told, and the connection lives."""


class RosbridgeSession:
    """Attributes:
    outbox: What is to be sent to it.
    """

    def __init__(
        self, graph: Graph, node: str, packer: Packer, *, level: str = "error", may_command: bool = True
    ) -> None:  # fmt: skip
        """Args:
        node: What it is called among the others.
        level: Of what it is told of by itself: roslibpy fails at the first status, so it gets none.
        may_command: Whether it may say and call anything; otherwise it only hears and asks.
        """
        self.outbox, self._may_command = Outbox(), may_command
        self._graph, self._node, self._packer, self._level = graph, node, packer, level
        self._fragments, self._numbers = Fragments(), count(1)
        self._subscriptions: dict[tuple[str, str], Subscription] = {}
        self._called: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._works: set[asyncio.Task[None]] = set()
        self._goals, self._served = ActionGoals(graph, node, self.outbox), ServedActions(graph, node, self.outbox)
        self._do: dict[str, Callable[[dict[str, Any]], None]] = {
            "advertise": self._advertise, "unadvertise": self._unadvertise, "publish": self._publish,
            "subscribe": self._subscribe, "unsubscribe": self._unsubscribe, "call_service": self._call,
            "advertise_service": self._provide, "unadvertise_service": self._withdraw, "service_response": self._answered,
            "fragment": self._join, "set_level": self._set_level,
            "send_action_goal": self._send_goal, "cancel_action_goal": self._cancel_goal, "auth": _accept,
            "advertise_action": lambda said: self._served.serve(_text(said, "action"), _kind(said)),
            "unadvertise_action": lambda said: self._served.end(_text(said, "action")),
            "action_feedback": lambda said: self._served.feedback(_text(said, "id"), said.get("values")),
            "action_result": lambda said: self._served.result(_text(said, "id"), said.get("values"), said.get("status")),
        }  # fmt: skip

    def receive(self, data: str | bytes) -> None:
        """Do what it says; what is wrong with that is told, if it wants to be."""
        key: Any = None
        try:
            said = read_frame(data)
            key = said.get("id")
            work = self._do.get(said["op"])
            if not self._may_command:
                _must_only_look(said)
            if work is None:
                raise BadRequest(f"there is no op '{said['op'][:40]}' here; there are: {', '.join(self._do)}")
            work(said)
        except ArmillaryError as error:
            self._tell("error", str(error), key)
        except Exception as error:  # whatever a client says: it is told, and the others do not notice
            self._tell("error", f"this cannot be understood: {error!r}"[:300], key)

    def close(self) -> None:
        """It is gone."""
        for subscription in self._subscriptions.values():
            subscription.end()
        self._served.close()
        self._graph.leave(self._node)
        for future in self._called.values():
            if not future.done():
                future.set_exception(BadRequest(f"{self._node}, which provides it, is gone"))
        for work in self._works:
            work.cancel()

    # Topics.

    def _advertise(self, said: dict[str, Any]) -> None:
        self._graph.advertise(self._node, _text(said, "topic"), _kind(said), latched=said.get("latch") is True)

    def _unadvertise(self, said: dict[str, Any]) -> None:
        self._graph.unadvertise(self._node, _text(said, "topic"))

    def _publish(self, said: dict[str, Any]) -> None:
        name = global_name(_text(said, "topic"))
        topic = self._graph.topics.get(name)
        if topic is not None and self._node not in topic.publishers:
            self._graph.advertise(self._node, name, topic.kind)  # others have said its type
        message = from_json(ros1_type(topic.kind), said.get("msg")) if topic is not None else {}
        self._graph.publish(self._node, name, message)

    def _subscribe(self, said: dict[str, Any]) -> None:
        name, key = global_name(_text(said, "topic")), _key(said)
        asked = _asked(said)
        if (name, key) not in self._subscriptions and len(self._subscriptions) >= _SUBSCRIPTIONS:
            raise BadRequest(f"a client has {_SUBSCRIPTIONS} subscriptions at most; end some first")
        made = Subscription(f"{name} {next(self._numbers)}", asked, self.outbox, self._packer, monotonic)
        self._graph.subscribe(self._node, name, made.deliver, kind=_kind(said, needed=False), key=key)
        if before := self._subscriptions.pop((name, key), None):
            before.end()
        self._subscriptions[name, key] = made

    def _unsubscribe(self, said: dict[str, Any]) -> None:
        name, key = global_name(_text(said, "topic")), _key(said)
        for each in [each for each in self._subscriptions if each[0] == name and (not key or each[1] == key)]:
            self._subscriptions.pop(each).end()
            self._graph.unsubscribe(self._node, name, each[1])

    # Services.

    def _call(self, said: dict[str, Any]) -> None:
        name = _text(said, "service")
        if len(self._works) >= _CALLS:
            raise BadRequest(f"{_CALLS} calls of this client are under way; wait for their answers")
        work = asyncio.get_running_loop().create_task(self._call_and_answer(name, said))
        self._works.add(work)
        work.add_done_callback(self._works.discard)

    async def _call_and_answer(self, name: str, said: dict[str, Any]) -> None:
        CALLER.set(self._node)  # of this task alone
        fragment, result = 0, False
        try:
            fragment = _whole(said, "fragment_size")
            values: Any = await self._graph.call(name, _arguments(said))
            result = True
        except ArmillaryError as error:
            values = str(error)
        except Exception as error:  # whatever fails in a service: who asks is answered
            values = f"{name} failed: {error!r}"[:300]
        answer = {"op": "service_response", "id": said.get("id"), "service": name, "values": values, "result": result}
        text = as_json({name: value for name, value in answer.items() if value is not None})
        if said.get("compression") == "png":
            text = as_json({"op": "png", "data": as_png(text)})
        self.outbox.put(*in_fragments(text, fragment or len(text), str(said.get("id"))))

    def _provide(self, said: dict[str, Any]) -> None:
        name, kind = global_name(_text(said, "service")), _kind(said)
        types = service_types(kind) if kind in SERVICES else None  # what is not known goes through as it is

        async def serve(asked: dict[str, Any]) -> dict[str, Any]:
            if types is not None:
                asked = to_json(types[0], from_json(types[0], by_name(types[0], asked)))
            key = f"call_service:{name}:{next(self._numbers)}"
            future = self._called[key] = asyncio.get_running_loop().create_future()
            self.outbox.put(as_json({"op": "call_service", "id": key, "service": name, "args": asked}))
            try:
                answer = await asyncio.wait_for(future, _ANSWERS)
                return answer if types is None else to_json(types[1], from_json(types[1], answer))
            except BadRosMessage as error:
                self._tell("error", f"what {name} answers is no {kind}: {error}", key)
                raise
            except TimeoutError:
                raise BadRequest(f"{self._node} has not answered {name} for {_ANSWERS:g} s") from None
            finally:
                self._called.pop(key, None)

        self._graph.provide(self._node, name, kind, serve)

    def _withdraw(self, said: dict[str, Any]) -> None:
        self._graph.withdraw(self._node, _text(said, "service"))

    def _answered(self, said: dict[str, Any]) -> None:
        future = self._called.get(str(said.get("id")))
        if future is None or future.done():
            raise BadRequest("this answers no call that waits")
        values = said.get("values")
        if said.get("result") is False:
            future.set_exception(BadRequest(f"the service failed: {str(values)[:200]}"))
        else:
            future.set_result(dict(values) if isinstance(values, Mapping) else {})

    # Actions, the way of ROS 2.

    def _send_goal(self, said: dict[str, Any]) -> None:
        values = said.get("args", said.get("goal"))
        action, key = _text(said, "action"), _text(said, "id")
        try:
            self._goals.send(action, key, values, feedback=said.get("feedback") is True)
        except GoalUnderWay:
            raise
        except ArmillaryError as error:  # who asks for no status waits for a result
            self._goals.refuse(action, key, str(error))

    def _cancel_goal(self, said: dict[str, Any]) -> None:
        self._goals.cancel(_text(said, "action"), _text(said, "id"))

    # The rest.

    def _join(self, said: dict[str, Any]) -> None:
        text = self._fragments.add(said)
        if text is None:
            return
        whole = read_frame(text)
        if whole["op"] == "fragment":
            raise BadRequest("fragments of fragments are none")
        self.receive(text)

    def _set_level(self, said: dict[str, Any]) -> None:
        level = said.get("level")
        if level not in _LEVELS:
            raise BadRequest(f"a level is one of {', '.join(_LEVELS)}")
        self._level = str(level)

    def _tell(self, level: str, text: str, key: Any) -> None:
        if _LEVELS.index(level) <= _LEVELS.index(self._level):
            status = {"op": "status", "level": level, "msg": text}
            self.outbox.put(as_json({**status, "id": key} if isinstance(key, str | int) else status))


def _must_only_look(said: Mapping[str, Any]) -> None:
    """Raises:
    BadRequest: It would say or change something.
    """
    service = global_name(str(said.get("service", "")))
    asks = said["op"] == "call_service" and service.startswith(_ASKING) and not service.endswith(_CHANGING)
    if said["op"] not in _LOOKING and not asks:
        raise BadRequest(f'"{said["op"][:40]}" needs an operator; you may look and ask')


def _accept(_: dict[str, Any]) -> None:
    """rosauth's op: who may connect was decided when he did, so whoever says it is in."""


def _text(said: Mapping[str, Any], name: str) -> str:
    value = said.get(name)
    if not isinstance(value, str) or not value:
        raise BadRequest(f'"{said["op"]}" needs "{name}", which is text')
    return value


def _kind(said: Mapping[str, Any], *, needed: bool = True) -> str:
    """A type's name; ROS 2's clients write "msg" in its middle."""
    if not needed and not said.get("type"):
        return ""
    package, _, rest = _text(said, "type").partition("/")
    return f"{package}/{rest.rpartition('/')[2]}"


def _key(said: Mapping[str, Any]) -> str:
    key = said.get("id")
    if key is not None and not isinstance(key, str | int):
        raise BadRequest('an "id" is text')
    return "" if key is None else str(key)


def _whole(said: Mapping[str, Any], name: str) -> int:
    value = said.get(name)
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
        raise BadRequest(f'"{name}" is {str(value)[:40]!r}; a number from 0 on is expected')
    return int(value)


def _asked(said: Mapping[str, Any]) -> Asked:
    compression = said.get("compression") or "none"
    if compression not in _COMPRESSIONS:
        raise BadRequest(f"compression is {str(compression)[:40]!r}; there are: {', '.join(_COMPRESSIONS)}")
    if compression == "cbor-raw":
        raise BadRequest("cbor-raw would be bytes of ROS 1 as they are on its wire; ask for cbor")
    return Asked(
        _whole(said, "throttle_rate") / 1e3, _whole(said, "queue_length"), _whole(said, "fragment_size"), str(compression)
    )


def _arguments(said: Mapping[str, Any]) -> dict[str, Any]:
    """What a service is asked, by names; a list is in the order of its fields, which only the service knows."""
    given = said.get("args")
    if given is None:
        return {}
    if isinstance(given, list):
        return {str(k): value for k, value in enumerate(given)}
    if not isinstance(given, dict):
        raise BadRequest('"args" is an object with the fields of what is asked')
    return given
