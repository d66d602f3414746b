"""Recordings as bags of ROS 1 and ROS 2, and back, by the rosbags package.

A bag has every message of a recording, at its time. What a recording says of itself beside that goes along as a message on a
topic of its own. Where ROS 1 has another type by the name of one of ours, it goes by our own package's name there.
"""

import importlib
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from mcap.records import Channel, Chunk, Metadata, Schema

from armillary.errors import ArmillaryError
from armillary.protocols.cdr import decode, encode
from armillary.protocols.mcap_file import LoggedMessage, McapFile, NoMcap, read_chunk, read_records
from armillary.protocols.ros_types import DEFINITIONS, full_name, schema_text
from armillary.regular_file import read_regular
from armillary.runtime.recording_format import METADATA

__all__ = ["ABOUT", "BadBag", "Converted", "LeftOut", "convert"]

ABOUT = "/armillary/about"  # what a recording says of itself, as JSON
_STRING = "std_msgs/msg/String"
_OURS = {"control_msgs/msg/JointTrajectoryControllerState": "armillary_msgs/msg/JointTrajectoryControllerState"}
_TOLD = 20_000  # messages between two words of progress


Unknown = Counter[tuple[str, str]]  # messages of types that are not known, by topic and type


class BadBag(ArmillaryError):
    """A bag or a recording that cannot be converted; says which and why."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{path}: {why}")


@dataclass(frozen=True)
class _Logged:
    """A message: its topic, type, time [ns], and bytes in CDR."""

    topic: str
    kind: str
    time_ns: int
    data: bytes


@dataclass(frozen=True)
class LeftOut:
    """Messages of a topic that could not be written: nothing here knows their type."""

    topic: str
    kind: str
    messages: int


@dataclass(frozen=True)
class Converted:
    """messages: How many were written. left_out: What was not, topic by topic."""

    messages: int
    left_out: tuple[LeftOut, ...] = ()


def convert(source: Path, target: Path, *, progress: Callable[[int], None] | None = None) -> Converted:
    """Write a recording as a bag, or a bag as a recording. What fails leaves nothing behind.

    Args:
        source, target: NAME.mcap is a recording, NAME.bag a bag of ROS 1, and any other name the folder of a bag of ROS 2.
        progress: Told how many messages are done, now and then.

    Raises:
        BadBag: One cannot be read or written, is there already, or both are the same kind.
    """
    if _kind(source) == _kind(target):
        raise BadBag(target, f"is a {_kind(target)} as {source} is; name a .mcap, a .bag or a folder")
    if target.exists():
        raise BadBag(target, "is there already; name another, or delete it first")
    if not source.exists():
        raise BadBag(source, "there is no such file or folder")
    try:
        return _convert(source, target, progress)
    except BaseException:  # Ctrl-C too
        if target.is_dir():
            shutil.rmtree(target, ignore_errors=True)
        else:
            target.unlink(missing_ok=True)
        raise


def _convert(source: Path, target: Path, progress: Callable[[int], None] | None) -> Converted:
    unknown = Counter[tuple[str, str]]()
    try:
        messages = {"recording": _from_recording, "bag of ROS 1": _from_bag1, "bag of ROS 2": _from_bag2}[_kind(source)](
            source, unknown
        )
        into = {"recording": _to_recording, "bag of ROS 1": _to_bag1, "bag of ROS 2": _to_bag2}[_kind(target)]
        count = into(_counted(messages, progress), target)
        return Converted(count, tuple(LeftOut(topic, kind, many) for (topic, kind), many in sorted(unknown.items())))
    except NoMcap as error:
        raise BadBag(source, str(error)) from None
    except OSError as error:
        raise BadBag(Path(error.filename or target), error.strerror or str(error)) from None
    except ArmillaryError:
        raise
    except Exception as error:  # whatever rosbags makes of a file that is none
        raise BadBag(source, f"cannot be converted: {error}") from None


def _kind(path: Path) -> str:
    return {".mcap": "recording", ".bag": "bag of ROS 1"}.get(path.suffix.lower(), "bag of ROS 2")


def _counted(messages: Iterator[_Logged], progress: Callable[[int], None] | None) -> Iterator[_Logged]:
    for count, message in enumerate(messages):
        if progress is not None and count % _TOLD == 0:
            progress(count)
        yield message


# Recordings.


def _from_recording(path: Path, unknown: Unknown) -> Iterator[_Logged]:
    schemas, channels = dict[int, str](), dict[int, tuple[str, str]]()
    about, found = "", list[_Logged]()

    def take(record: Any) -> None:
        nonlocal about
        if isinstance(record, Schema):
            schemas[record.id] = full_name(record.name)
        elif isinstance(record, Channel):
            channels[record.id] = record.topic, schemas.get(record.schema_id, "")
        elif isinstance(record, Metadata) and record.name == METADATA:
            about = json.dumps(dict(record.metadata))
        elif isinstance(record, Chunk):
            for inside in read_chunk(record):
                take(inside)
        elif isinstance(record, LoggedMessage):
            topic, kind = channels[record.channel]
            if kind in DEFINITIONS:
                found.append(_Logged(topic, kind, record.time_ns, record.data))
            else:
                unknown[topic, kind] += 1

    for record in read_records(memoryview(read_regular(path))):
        take(record)
    if not about:
        raise NoMcap("it is no recording of Armillary")
    found.sort(key=lambda message: message.time_ns)
    yield _Logged(ABOUT, _STRING, found[0].time_ns if found else 0, encode(_STRING, {"data": about}))
    yield from found


def _to_recording(messages: Iterator[_Logged], target: Path) -> int:
    count = 0
    with target.open("xb") as file:
        mcap, schemas, channels = McapFile(lambda data: _put(file, data)), dict[str, int](), dict[str, int]()
        for message in messages:
            if message.topic == ABOUT:
                mcap.metadata(METADATA, json.loads(decode(_STRING, message.data)["data"]))
                continue
            if message.kind not in schemas:
                schemas[message.kind] = mcap.schema(message.kind, schema_text(message.kind))
            if message.topic not in channels:
                channels[message.topic] = mcap.channel(message.topic, schemas[message.kind])
            mcap.message(channels[message.topic], message.time_ns, message.data)
            if mcap.pending > 1 << 20:
                mcap.close_chunk()
            count += 1
        mcap.finish()
    return count


def _put(file: BinaryIO, data: bytes) -> None:
    file.write(data)


# Bags of ROS 2.


def _rosbags(name: str) -> Any:
    try:
        return importlib.import_module(f"rosbags.{name}")
    except ImportError as error:
        raise ArmillaryError(f"rosbags cannot be imported ({error}); install it: pip install 'armillary[ros]'") from None


def _store(version: int) -> Any:
    """Types of a version of ROS, and ours, as rosbags has them."""
    types = _rosbags("typesys")
    store = types.get_typestore(types.Stores.ROS2_JAZZY if version == 2 else types.Stores.ROS1_NOETIC)
    for name, text in DEFINITIONS.items():
        named = _OURS.get(name, name) if version == 1 else name
        if named not in store.types:
            store.register(types.get_types_from_msg(_text_of(text, version), named))
    return store


def _text_of(text: str, version: int) -> str:
    """A definition as a version of ROS writes it: ROS 1 has its own times, and no defaults."""
    if version == 2:
        return text
    text = re.sub(r"\bbuiltin_interfaces/(Time|Duration)\b", lambda found: found[1].lower(), text)
    return re.sub(r"^(\S+ \w+) [\d.]+$", r"\1", text, flags=re.M)


def _to_bag2(messages: Iterator[_Logged], target: Path) -> int:
    bags, store = _rosbags("rosbag2"), _store(2)
    count, connections = 0, dict[str, Any]()
    with bags.Writer(target, version=9, storage_plugin=bags.StoragePlugin.MCAP) as bag:
        for message in messages:
            if message.topic not in connections:
                connections[message.topic] = bag.add_connection(message.topic, message.kind, typestore=store)
            bag.write(connections[message.topic], message.time_ns, message.data)
            count += message.topic != ABOUT
    return count


def _from_bag2(source: Path, unknown: Unknown) -> Iterator[_Logged]:
    with _rosbags("rosbag2").Reader(source) as bag:
        for connection, time_ns, data in bag.messages():
            kind = full_name(connection.msgtype)
            if kind in DEFINITIONS:
                yield _Logged(connection.topic, kind, time_ns, bytes(data))
            else:
                unknown[connection.topic, kind] += 1


# Bags of ROS 1.


def _to_bag1(messages: Iterator[_Logged], target: Path) -> int:
    store, bytes_of, count, connections = _store(1), _store(2).cdr_to_ros1, 0, dict[str, Any]()
    with _rosbags("rosbag1").Writer(target) as bag:
        for message in messages:
            kind = _OURS.get(message.kind, message.kind)
            if message.topic not in connections:
                latching = 1 if message.topic in ("/tf_static", "/robot_description", ABOUT) else None
                connections[message.topic] = bag.add_connection(
                    message.topic, kind, typestore=store, callerid="/armillary", latching=latching
                )
            bag.write(connections[message.topic], message.time_ns, bytes_of(message.data, message.kind))
            count += message.topic != ABOUT
    return count


def _from_bag1(source: Path, unknown: Unknown) -> Iterator[_Logged]:
    bytes_of, theirs = _store(2).ros1_to_cdr, {ours: name for name, ours in _OURS.items()}
    with _rosbags("rosbag1").Reader(source) as bag:
        for connection, time_ns, data in bag.messages():
            kind = theirs.get(connection.msgtype, connection.msgtype)
            if kind in DEFINITIONS:
                yield _Logged(connection.topic, kind, time_ns, bytes(bytes_of(data, kind)))
            else:
                unknown[connection.topic, kind] += 1
