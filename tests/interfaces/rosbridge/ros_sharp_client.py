"""A client as ROS# is, byte for byte: no name, no Origin, everything said in binary frames, nothing read but ASCII."""

import json
import time
from collections.abc import Callable
from typing import Any

from websockets.sync.client import ClientConnection, connect

__all__ = ["call", "hear", "ros_sharp", "said_of", "say", "until"]


def ros_sharp(address: str) -> ClientConnection:
    return connect(address, user_agent_header=None, max_size=None)


def say(client: ClientConnection, **said: Any) -> None:
    client.send(json.dumps(said).encode())


def hear(client: ClientConnection, op: str, timeout: float = 10.0) -> dict[str, Any]:
    """The next that is said with an op; what comes before it is passed over."""
    while True:
        data = client.recv(timeout)
        text = data if isinstance(data, str) else data.decode("ascii")
        assert text.isascii(), "ROS# reads nothing else"
        said: dict[str, Any] = json.loads(text)
        if said["op"] == op:
            return said


def call(client: ClientConnection, service: str, **asked: Any) -> dict[str, Any]:
    """What a service answers."""
    key = f"{service} {time.monotonic()}"
    say(client, op="call_service", id=key, service=service, args=asked)
    while (answer := hear(client, "service_response", 30.0)).get("id") != key:
        pass
    return dict(answer["values"])


def said_of(client: ClientConnection, topic: str, timeout: float = 30.0) -> dict[str, Any]:
    """The next message of a topic."""
    while (said := hear(client, "publish", timeout))["topic"] != topic:
        pass
    return dict(said["msg"])


def until(true: Callable[[], Any], seconds: float = 30.0) -> Any:
    deadline = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < deadline, "it does not come"
        time.sleep(0.01)
    return found
