"""How the twin is to be: its time, its servo, and where it is to differ from the description."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from math import isfinite
from types import MappingProxyType
from typing import Any

from armillary.description.robot import nearest_first
from armillary.errors import ArmillaryError
from armillary.protocols.twin import Mode

__all__ = ["BadTwin", "TwinSettings"]

_NUMBERS = {
    "period": (1e-4, 0.02), "bandwidth_hz": (0.1, 100.0), "watchdog": (0.001, 10.0), "mass_scale": (0.1, 10.0),
}  # fmt: skip
_COUNTS = {"steps": (1, 100), "encoder_counts": (0, 2**32)}
_BY_JOINT = ("damping", "friction", "armature")


class BadTwin(ArmillaryError):
    """A twin that cannot be made as asked."""


@dataclass(frozen=True, kw_only=True)
class TwinSettings:
    """How the twin is to be.

    Attributes:
        period: Of a command [s].
        steps: Of the physics in a period, at least; more where a robot needs them.
        bandwidth_hz: Of the position servo of each joint, at most.
        mode: Whose time it keeps.
        watchdog: After this long without a command it brakes [s].
        damping: Of joints by name [N m s/rad or N s/m], where not that of the description.
        friction: Coulomb's, of joints by name [N m or N], where not that of the description.
        armature: Inertia of rotors as the joints feel it, by name [kg m^2 or kg]; none where left out.
        mass_scale: Masses and inertias are this much larger than described: an error that the controller does not know of.
        encoder_counts: Per turn (or metre) of each joint; 0 for measured values without error. With counts, velocity and
            acceleration are made from them as a drive does it.
        contacts: Whether bodies that touch push each other.
    """

    period: float = 0.001
    steps: int = 4
    bandwidth_hz: float = 25.0
    mode: Mode = Mode.REAL_TIME
    watchdog: float = 0.02
    damping: Mapping[str, float] = field(default_factory=dict)
    friction: Mapping[str, float] = field(default_factory=dict)
    armature: Mapping[str, float] = field(default_factory=dict)
    mass_scale: float = 1.0
    encoder_counts: int = 0
    contacts: bool = True

    def __post_init__(self) -> None:
        for name, (least, most) in _NUMBERS.items():
            _within(name, getattr(self, name), least, most)
        for name, (fewest, largest) in _COUNTS.items():
            if not isinstance(getattr(self, name), int) or isinstance(getattr(self, name), bool):
                raise BadTwin(f"{name} {getattr(self, name)!r} is no whole number; give {fewest} to {largest}")
            _within(name, getattr(self, name), fewest, largest)
        if not isinstance(self.mode, Mode):
            raise BadTwin(f"mode {self.mode!r} is none; give one of {', '.join(mode.name.lower() for mode in Mode)}")
        if not isinstance(self.contacts, bool):
            raise BadTwin(f"contacts {self.contacts!r} is neither true nor false")
        for name in _BY_JOINT:
            values = getattr(self, name)
            if not isinstance(values, Mapping):
                raise BadTwin(f"{name} {values!r} is no table of values by joint")
            for joint, value in values.items():
                _within(f"{name} of {joint}", value, 0.0, 1e6)
            object.__setattr__(self, name, MappingProxyType({str(joint): float(value) for joint, value in values.items()}))

    def to_json(self) -> dict[str, Any]:
        """As plain values; `from_json` makes the same settings of it."""
        values = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        return values | {name: dict(values[name]) for name in _BY_JOINT} | {"mode": self.mode.name.lower()}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "TwinSettings":
        """From plain values; what is left out is as by default.

        Raises:
            BadTwin: A key that there is none of, or a value that cannot be.
        """
        known = [entry.name for entry in fields(cls)]
        for key in values:
            if key not in known:
                raise BadTwin(f"twin settings have no '{key}'; the nearest is '{nearest_first(str(key), known)[0]}'")
        given = dict(values)
        if "mode" in given:
            modes = {mode.name.lower(): mode for mode in Mode}
            if given["mode"] not in modes:
                raise BadTwin(f"mode {given['mode']!r} is none; give one of {', '.join(modes)}")
            given["mode"] = modes[given["mode"]]
        return cls(**given)


def _within(name: str, value: object, least: float, most: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value) or not least <= value <= most:
        raise BadTwin(f"{name} is {value!r}; give {least:g} to {most:g}")
