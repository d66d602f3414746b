"""DDS as a cell's way to speak ROS 2: topics with its names, types and qualities of service.

Services and actions of ROS 2 are not spoken here; what only they could do is done over rosbridge.
"""

import asyncio
import importlib
import time
from collections.abc import Mapping
from typing import Any

from armillary.errors import ArmillaryError
from armillary.interfaces.ros.wire import Hear, Serve
from armillary.interfaces.ros2.dds_types import NoDds, dds_type, from_ros2, to_ros2
from armillary.protocols.ros_types import DEFINITIONS, full_name, message_type

__all__ = ["LOOPBACK", "DdsWire", "topic_name"]

# This machine alone, found without multicast: whoever hears DDS may also speak, and nobody is asked for a name.
LOOPBACK = """<CycloneDDS><Domain><General><Interfaces><NetworkInterface address="127.0.0.1"/></Interfaces>
<AllowMulticast>false</AllowMulticast></General><Discovery><ParticipantIndex>auto</ParticipantIndex>
<MaxAutoParticipantIndex>40</MaxAutoParticipantIndex><Peers><Peer address="127.0.0.1"/></Peers></Discovery>
</Domain></CycloneDDS>"""
_DEPTHS = {"/tf": 100, "/tf_static": 1, "/robot_description": 1}
_DEPTH = 10
_PARTS = ("core", "domain", "pub", "sub", "topic", "qos")  # of cyclonedds
_LOOKS = 0.25  # s between looks at who hears


def topic_name(name: str) -> str:
    """A topic's name in DDS."""
    return f"rt/{name.strip('/')}"


class DdsWire:
    """A `RosWire` by DDS. Types that ROS 2 has no definition of here are left out."""

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

    def advertise(self, name: str, kind: str, *, latched: bool = False) -> None:
        if full_name(kind) not in DEFINITIONS:
            return
        of, qos = dds_type(kind), self._quality(name, latched)
        topic = self._dds["topic"].Topic(self._participant, topic_name(name), of, qos=qos)
        self._writers[name] = self._dds["pub"].DataWriter(self._participant, topic, qos=qos), of, message_type(kind)

    def publish(self, name: str, message: Mapping[str, Any]) -> None:
        if name in self._writers:
            writer, of, kind = self._writers[name]
            writer.write(of.of(to_ros2(kind, message)))

    def wanted(self, name: str) -> bool:
        if name not in self._writers:
            return False
        at, found = self._wanted.get(name, (-1.0, False))
        now = time.monotonic()
        if now - at > _LOOKS:
            found = bool(self._writers[name][0].get_matched_subscriptions())
            self._wanted[name] = now, found
        return found

    def subscribe(self, name: str, kind: str, hear: Hear) -> None:
        if not self._hears or full_name(kind) not in DEFINITIONS:
            return
        qos, fields = self._quality(name, False), message_type(kind)
        topic = self._dds["topic"].Topic(self._participant, topic_name(name), dds_type(kind), qos=qos)
        loop, core = self._loop, self._dds["core"]

        class Came(core.Listener):  # type: ignore[misc, name-defined]
            def on_data_available(self, reader: Any) -> None:
                try:
                    for sample in reader.take(_DEPTH):
                        if hasattr(sample, "values"):
                            loop.call_soon_threadsafe(hear, from_ros2(fields, sample.values))
                except ArmillaryError:
                    pass  # bytes that are no such message: nobody is there to be told

        self._readers.append(self._dds["sub"].DataReader(self._participant, topic, qos=qos, listener=Came()))

    def provide(self, name: str, kind: str, serve: Serve) -> None:
        """Services of ROS 2 are not spoken."""

    def set_parameter(self, name: str, value: str) -> None:
        """ROS 2's parameters are services, which are not spoken; /robot_description is a topic there."""

    def _quality(self, name: str, latched: bool) -> Any:
        qos, policy = self._dds["qos"].Qos, self._dds["qos"].Policy
        second = importlib.import_module("cyclonedds.util").duration(seconds=1)
        return qos(
            policy.Reliability.Reliable(second), policy.Durability.TransientLocal if latched else policy.Durability.Volatile,
            policy.History.KeepLast(_DEPTHS.get(name, _DEPTH)), policy.DataRepresentation(use_cdrv0_representation=True),
        )  # fmt: skip
