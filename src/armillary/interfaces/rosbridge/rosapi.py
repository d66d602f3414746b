"""rosapi: what there is, asked for by services: topics, types, services, nodes, parameters, the time."""

import json
import time
from collections.abc import Callable
from typing import Any

from armillary.interfaces.ros.graph import BadGraph, Graph, global_name
from armillary.protocols.ros1_types import full_text, ros1_type, service_types
from armillary.protocols.ros_json import empty_message, to_json
from armillary.protocols.ros_types import MessageType, Shape
from armillary.protocols.rosbridge import as_json

__all__ = ["NODE", "provide_rosapi"]

NODE = "/rosapi"
_LARGEST = 10_000_000  # characters of a parameter

Answer = Callable[[dict[str, Any]], dict[str, Any]]


def provide_rosapi(graph: Graph) -> None:
    """Have a graph tell of itself."""
    for name, answer in _Rosapi(graph).answers.items():
        kind = "GetActionServers" if name == "action_servers" else "".join(part.capitalize() for part in name.split("_"))
        graph.provide(NODE, f"/rosapi/{name}", f"rosapi/{kind}", _serving(answer))


def _serving(answer: Answer) -> Callable[[dict[str, Any]], Any]:
    async def serve(asked: dict[str, Any]) -> dict[str, Any]:
        return answer(asked)

    return serve


class _Rosapi:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.answers: dict[str, Answer] = {
            "topics": self._topics, "topic_type": self._topic_type, "topics_for_type": self._topics_for_type,
            "topics_and_raw_types": self._topics_and_raw_types, "publishers": self._publishers, "subscribers": self._subscribers,
            "services": lambda _: {"services": sorted(self._graph.services)}, "service_type": self._service_type,
            "services_for_type": self._services_for_type, "service_node": self._service_node,
            "nodes": lambda _: {"nodes": self._graph.nodes}, "node_details": self._node_details,
            "message_details": _message_details, "service_request_details": lambda asked: _service_details(asked, 0),
            "service_response_details": lambda asked: _service_details(asked, 1),
            "action_servers": self._action_servers, "get_time": _get_time,
            "get_param": self._get_param, "set_param": self._set_param, "has_param": self._has_param,
            "delete_param": self._delete_param, "search_param": self._search_param,
            "get_param_names": lambda _: {"names": self._graph.parameters.names},
        }  # fmt: skip

    # Topics, services, nodes.

    def _topics(self, _: dict[str, Any]) -> dict[str, Any]:
        topics = sorted(self._graph.topics.values(), key=lambda topic: topic.name)
        names, kinds = [topic.name for topic in topics], [topic.kind for topic in topics]
        return {"topics": names, "types": kinds}

    def _topics_and_raw_types(self, asked: dict[str, Any]) -> dict[str, Any]:
        found = self._topics(asked)
        return {**found, "typedefs_full_text": [full_text(kind) for kind in found["types"]]}

    def _topic_type(self, asked: dict[str, Any]) -> dict[str, Any]:
        topic = self._graph.topics.get(global_name(_text(asked, "topic")))
        return {"type": "" if topic is None else topic.kind}

    def _topics_for_type(self, asked: dict[str, Any]) -> dict[str, Any]:
        kind = _text(asked, "type")
        return {"topics": sorted(topic.name for topic in self._graph.topics.values() if topic.kind == kind)}

    def _publishers(self, asked: dict[str, Any]) -> dict[str, Any]:
        topic = self._graph.topics.get(global_name(_text(asked, "topic")))
        return {"publishers": [] if topic is None else sorted(topic.publishers)}

    def _subscribers(self, asked: dict[str, Any]) -> dict[str, Any]:
        topic = self._graph.topics.get(global_name(_text(asked, "topic")))
        return {"subscribers": [] if topic is None else sorted({node for node, _ in topic.subscribers})}

    def _service_type(self, asked: dict[str, Any]) -> dict[str, Any]:
        service = self._graph.services.get(global_name(_text(asked, "service")))
        return {"type": "" if service is None else service.kind}

    def _services_for_type(self, asked: dict[str, Any]) -> dict[str, Any]:
        kind = _text(asked, "type")
        return {"services": sorted(service.name for service in self._graph.services.values() if service.kind == kind)}

    def _service_node(self, asked: dict[str, Any]) -> dict[str, Any]:
        service = self._graph.services.get(global_name(_text(asked, "service")))
        return {"node": "" if service is None else service.node}

    def _node_details(self, asked: dict[str, Any]) -> dict[str, Any]:
        node, topics = _text(asked, "node"), self._graph.topics.values()
        return {
            "publishing": sorted(topic.name for topic in topics if node in topic.publishers),
            "subscribing": sorted(topic.name for topic in topics if any(each == node for each, _ in topic.subscribers)),
            "services": sorted(service.name for service in self._graph.services.values() if service.node == node),
        }

    def _action_servers(self, _: dict[str, Any]) -> dict[str, Any]:
        goals = (topic.name for topic in self._graph.topics.values() if topic.kind.endswith("ActionGoal"))
        return {"action_servers": sorted(name.removesuffix("/goal") for name in goals if name.endswith("/goal"))}

    # Parameters: their values are texts of JSON.

    def _get_param(self, asked: dict[str, Any]) -> dict[str, Any]:
        value = self._graph.parameters.get(global_name(_text(asked, "name")))
        given = asked.get("default")
        return {"value": given if value is None and isinstance(given, str) and given else as_json(value)}

    def _set_param(self, asked: dict[str, Any]) -> dict[str, Any]:
        name, text = global_name(_text(asked, "name")), asked.get("value")
        if not isinstance(text, str) or len(text) > _LARGEST:
            raise BadGraph(f"a parameter's value is text of JSON, of {_LARGEST} characters at most")
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = text  # as ROS's own does: what is no JSON is text
        self._graph.parameters.set(name, value)
        return {}

    def _has_param(self, asked: dict[str, Any]) -> dict[str, Any]:
        return {"exists": self._graph.parameters.has(global_name(_text(asked, "name")))}

    def _delete_param(self, asked: dict[str, Any]) -> dict[str, Any]:
        self._graph.parameters.delete(global_name(_text(asked, "name")))
        return {}

    def _search_param(self, asked: dict[str, Any]) -> dict[str, Any]:
        name = _text(asked, "name").strip("/")
        return {"global_name": next((key for key in self._graph.parameters.names if key.endswith(f"/{name}")), "")}


def _text(asked: dict[str, Any], name: str) -> str:
    """A field of what is asked; a list of arguments has it first."""
    value = asked.get(name, asked.get("0"))
    if not isinstance(value, str) or not value:
        raise BadGraph(f'"{name}" is needed, which is text')
    return value


def _get_time(_: dict[str, Any]) -> dict[str, Any]:
    now = time.time_ns()
    return {"time": {"secs": now // 1_000_000_000, "nsecs": now % 1_000_000_000}}


def _message_details(asked: dict[str, Any]) -> dict[str, Any]:
    return _details(ros1_type(_text(asked, "type")))


def _service_details(asked: dict[str, Any], which: int) -> dict[str, Any]:
    """What a service is asked (0), or answers (1)."""
    return _details(service_types(_text(asked, "type"))[which])


def _details(first: MessageType) -> dict[str, Any]:
    """A type and all that it consists of, each once."""
    waiting, found = [first], dict[str, dict[str, Any]]()
    while waiting:
        kind = waiting.pop(0)
        if kind.name in found:
            continue
        found[kind.name] = {
            "type": kind.name,
            "fieldnames": [field.name for field in kind.fields],
            "fieldtypes": [field.kind for field in kind.fields],
            "fieldarraylen": [-1 if field.shape == Shape.ONE else field.size for field in kind.fields],
            "examples": [json.dumps(value) for value in to_json(kind, empty_message(kind)).values()],
            "constnames": [name for name, _ in kind.constants],
            "constvalues": [value for _, value in kind.constants],
        }
        waiting += [ros1_type(field.kind) for field in kind.fields if "/" in field.kind]
    return {"typedefs": [*found.values()]}
