"""ROS 1 message and service types: what their texts (`ros1_definitions`) say as fields, and the sums that peers compare."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from hashlib import md5

from armillary.errors import ArmillaryError
from armillary.protocols.ros1_definitions import MESSAGES, SERVICES
from armillary.protocols.ros_types import PRIMITIVES, Field, MessageType, parse_definition

__all__ = [
    "NUMBERS",
    "TIMES",
    "UnknownRos1Type",
    "full_text",
    "md5sum",
    "ros1_type",
    "service_md5sum",
    "service_types",
    "those_like",
]

TIMES = ("time", "duration")  # secs and nsecs, in one
NUMBERS = {**PRIMITIVES, "byte": "|i1"}  # NumPy's name of each primitive: a byte has a sign in ROS 1
_RULE = "=" * 80


class UnknownRos1Type(ArmillaryError):
    """A type that is not in the table."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"there is no ROS 1 type '{name[:60]}' here; {those_like(name, [*MESSAGES, *SERVICES])}")


def those_like(name: str, known: Iterable[str]) -> str:
    """Of the types that are known those of a name's package; the packages, where it is of none of them."""
    package = name.partition("/")[0]
    if alike := sorted(each for each in known if each.partition("/")[0] == package):
        return f"those known of {package} are: {', '.join(alike)}"
    return f"those known are of: {', '.join(sorted({each.partition('/')[0] for each in known}))}"


@cache
def ros1_type(name: str) -> MessageType:
    """A message type, by its name ("sensor_msgs/JointState"); its fields' kinds are primitives, "string", TIMES or such names.

    Raises:
        UnknownRos1Type: It is not there.
    """
    text = MESSAGES.get(name)
    if text is None:
        raise UnknownRos1Type(name)
    return _parsed(name, text)


@cache
def service_types(name: str) -> tuple[MessageType, MessageType]:
    """What a service is asked and answers.

    Raises:
        UnknownRos1Type: It is not there.
    """
    if name not in SERVICES:
        raise UnknownRos1Type(name)
    asked, answered = SERVICES[name]
    return _parsed(f"{name}Request", asked), _parsed(f"{name}Response", answered)


def _parsed(name: str, text: str) -> MessageType:
    found = parse_definition(name, text)
    return replace(found, name=name, fields=tuple(replace(field, kind=_kind(field)) for field in found.fields))


def _kind(field: Field) -> str:
    package, _, short = field.kind.partition("/msg/")
    if not short:
        return field.kind
    return short if short in TIMES else f"{package}/{short}"


def md5sum(name: str) -> str:
    """The sum by which two ends of a topic see that they mean the same.

    Raises:
        UnknownRos1Type: It, or a type that it consists of, is not there.
    """
    return md5(_summed(ros1_type(name)).encode()).hexdigest()


def service_md5sum(name: str) -> str:
    """Likewise of a service.

    Raises:
        UnknownRos1Type: As `md5sum`.
    """
    return md5("".join(_summed(each) for each in service_types(name)).encode()).hexdigest()


def full_text(name: str) -> str:
    """A definition, and behind it those of all types that it consists of, each once, as `gendeps --cat` writes them.

    Raises:
        UnknownRos1Type: As `md5sum`.
    """
    consists_of: list[str] = []

    def look_into(kind: str) -> None:
        for field in ros1_type(kind).fields:
            if field.kind in MESSAGES and field.kind not in consists_of:
                consists_of.append(field.kind)
                look_into(field.kind)

    look_into(name)
    parts = [f"{_RULE}\nMSG: {kind}\n{ros1_type(kind).text}" for kind in consists_of]
    return "\n".join([ros1_type(name).text, *parts])


def _summed(kind: MessageType) -> str:
    """The text that is summed up: constants first, no comments, and other messages by their own sums."""
    constants, fields = [], []
    for line in kind.text.splitlines():
        of, _, rest = line.strip().partition(" ")
        before, equals, value = rest.partition("=")
        if equals:
            constants.append(f"{of} {before.strip()}={value.strip()}")
        elif rest:
            fields.append((of, rest.strip()))
    for at, field in enumerate(kind.fields):
        if field.kind in MESSAGES:
            fields[at] = md5sum(field.kind), fields[at][1]
    return "\n".join([*constants, *(f"{of} {name}" for of, name in fields)])
