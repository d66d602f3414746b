"""DDS as a cell's way to speak ROS 2: topics, services and actions with its names, types and qualities of service."""

import asyncio
import importlib
import time
from collections.abc import Callable, Mapping
from typing import Any

from armillary.errors import ArmillaryError
from armillary.interfaces.ros.wire import Hear, Say, Serve
from armillary.interfaces.ros2.dds_action import DdsAction
from armillary.interfaces.ros2.dds_types import NoDds, dds_type, from_ros2, name_in_ros2, to_ros2
from armillary.protocols.ros_types import message_type

__all__ = ["LOOPBACK", "DdsWire", "service_topics", "topic_name"]

# This machine alone, found without multicast: whoever hears DDS may also speak, and nobody is asked for a name.
LOOPBACK = """<CycloneDDS><Domain><General><Interfaces><NetworkInterface address="127.0.0.1"/></Interfaces>
<AllowMulticast>false</AllowMulticast></General><Discovery><ParticipantIndex>auto</ParticipantIndex>
<MaxAutoParticipantIndex>40</MaxAutoParticipantIndex><Peers><Peer address="127.0.0.1"/></Peers></Discovery>
</Domain></CycloneDDS>"""
_ROSOUT = "/rosout"
_DEPTHS = {"/tf": 100, "/tf_static": 1, "/robot_description": 1, _ROSOUT: 1000}
_DEPTH = 10
_SAID_FOR = 10  # s that a word on /rosout is kept for who comes later (rcl_qos_profile_rosout_default)
_PARTS = ("core", "domain", "pub", "sub", "topic", "qos")  # of cyclonedds
_LOOKS = 0.25  # s between looks at who hears


def topic_name(name: str) -> str:
    """A topic's name in DDS."""
    return f"rt/{name.strip('/')}"


def service_topics(name: str) -> tuple[str, str]:
    """The two topics of which ROS 2 makes a service: requests, and what is answered."""
    return f"rq/{name.strip('/')}Request", f"rr/{name.strip('/')}Reply"


class DdsWire:
    """A `RosWire` by DDS."""

    def __init__(self, loop: asyncio.AbstractEventLoop, domain: int, *, loopback: bool = True, hears: bool = True) -> None:
        """Args:
        loopback: This machine alone; otherwise as CYCLONEDDS_URI says, or anybody in the network.
        hears: Whether what others say is taken.

        Raises:
            NoDds: cyclonedds is not there, or the domain cannot be joined.
        """
        try:
            self._dds = {part: importlib.import_module(f"cyclonedds.{part}") for part in _PARTS}
        except ImportError as error:
            raise NoDds(f"cyclonedds cannot be imported ({error}); install it: pip install 'armillary[ros]'") from None
        self._loop, self._hears = loop, hears
        try:
            self._domain = self._dds["domain"].Domain(domain, LOOPBACK) if loopback else None
            self._participant = self._dds["domain"].DomainParticipant(domain)
        except Exception as error:  # cyclonedds raises its own, of which the text is all
            raise NoDds(f"domain {domain} of DDS cannot be joined: {error}") from None
        self._writers: dict[str, tuple[Any, Any, Any]] = {}
        self._wanted: dict[str, tuple[float, bool]] = {}
        self._readers: list[Any] = []
        self._works: set[asyncio.Task[None]] = set()

    def advertise(self, name: str, kind: str, *, latched: bool = False) -> None:
        kind = name_in_ros2(kind)
        of = dds_type(kind)
        self._writers[name] = self._writer(topic_name(name), of, self._quality(name, latched)), of, message_type(kind)

    def publish(self, name: str, message: Mapping[str, Any]) -> None:
        writer, of, kind = self._writers[name]
        writer.write(of.of(to_ros2(kind, message)))

    def wanted(self, name: str) -> bool:
        at, found = self._wanted.get(name, (-1.0, False))
        now = time.monotonic()
        if now - at > _LOOKS:
            found = bool(self._writers[name][0].get_matched_subscriptions())
            self._wanted[name] = now, found
        return found

    def subscribe(self, name: str, kind: str, hear: Hear) -> None:
        if self._hears:
            fields = message_type(name_in_ros2(kind))
            self._read(
                topic_name(name), dds_type(fields.name), self._quality(name, False),
                lambda sample: hear(from_ros2(fields, sample.values)),
            )  # fmt: skip

    def provide(self, name: str, kind: str, serve: Serve) -> None:
        package, _, what = kind.rpartition("/")
        asked, answered = (message_type(f"{package}/srv/{what}_{part}") for part in ("Request", "Response"))

        async def translated(request: dict[str, Any]) -> dict[str, Any]:
            return to_ros2(answered, await serve(from_ros2(asked, request)))

        self.provide_as_it_is(name, asked.name, answered.name, translated)

    def provide_as_it_is(self, name: str, asked: str, answered: str, serve: Serve) -> None:
        """A service in ROS 2's own messages."""
        if not self._hears:
            return
        requests, replies = service_topics(name)
        of, qos = dds_type(answered, numbered=True), self._quality(name, False)
        writer = self._writer(replies, of, qos)

        async def answer(request: Any) -> None:
            try:
                values = await serve(request.values)
            except ArmillaryError:
                values = {}  # ROS 2 has no other way to say no
            writer.write(of.of(values, request.number))

        def came(request: Any) -> None:
            task = self._loop.create_task(answer(request))
            self._works.add(task)
            task.add_done_callback(self._works.discard)

        self._read(requests, dds_type(asked, numbered=True), qos, came)

    def serve_action(self, name: str, kind: str, take: Hear, cancel: Hear) -> Say:
        return DdsAction(self, name, kind, take, cancel).say

    def advertise_as_it_is(self, name: str, kind: str, *, latched: bool = False) -> Callable[[Mapping[str, Any]], None]:
        """A topic in ROS 2's own messages; what is given back says one."""
        of = dds_type(kind)
        writer = self._writer(topic_name(name), of, self._quality(name, latched, depth=1 if latched else _DEPTH))
        return lambda message: writer.write(of.of(message))

    def set_parameter(self, name: str, value: str) -> None:
        """Not there: /robot_description is a topic in ROS 2."""

    def watch_leaving(self, gone: Callable[[str], None]) -> None:
        """A request says which client's it is, and nobody says that this one is gone."""

    def _writer(self, topic: str, of: Any, qos: Any) -> Any:
        return self._dds["pub"].DataWriter(
            self._participant, self._dds["topic"].Topic(self._participant, topic, of, qos=qos), qos=qos
        )

    def _read(self, topic: str, of: Any, qos: Any, hear: Callable[[Any], None]) -> None:
        """Pass on what comes, in the event loop."""
        loop, core = self._loop, self._dds["core"]

        class Came(core.Listener):  # type: ignore[misc, name-defined]
            def on_data_available(self, reader: Any) -> None:
                try:
                    for sample in reader.take(_DEPTH):
                        if hasattr(sample, "values"):
                            loop.call_soon_threadsafe(hear, sample)
                except ArmillaryError:
                    pass  # bytes that are no such message: nobody is there to be told

        made = self._dds["topic"].Topic(self._participant, topic, of, qos=qos)
        self._readers.append(self._dds["sub"].DataReader(self._participant, made, qos=qos, listener=Came()))

    def _quality(self, name: str, latched: bool, *, depth: int = 0) -> Any:
        qos, policy = self._dds["qos"].Qos, self._dds["qos"].Policy
        duration = importlib.import_module("cyclonedds.util").duration
        second = duration(seconds=1)
        kept, depth = latched or name == _ROSOUT, depth or _DEPTHS.get(name, _DEPTH)
        policies = [
            policy.Reliability.Reliable(second), policy.Durability.TransientLocal if kept else policy.Durability.Volatile,
            policy.History.KeepLast(depth),
            policy.DataRepresentation(use_cdrv0_representation=True),
        ]  # fmt: skip
        if kept:  # how many who comes later is given is its own policy, of one by itself
            policies.append(policy.DurabilityService(0, policy.History.KeepLast(depth), -1, -1, -1))
        if name == _ROSOUT:
            policies.append(policy.Lifespan(duration(seconds=_SAID_FOR)))
        return qos(*policies)
