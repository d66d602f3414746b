"""What is heard of drives on a bus: where they are, what they complain of, and who else gives orders."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from armillary.drivers.cia402_bus import BUS_ERROR
from armillary.drivers.cia402_options import Cia402Options
from armillary.protocols.cia402 import DriveState, Object, Status, meaning_of_state, state_of
from armillary.protocols.cia402_emergency import BadEmergency, Emergency, read_emergency
from armillary.protocols.cia402_pdo import EMERGENCY, HEARTBEAT, NETWORK, PDO_IDS, SDO_REQUEST, SYNC
from armillary.protocols.socketcand import BUS_OFF

__all__ = ["Cia402Nodes"]

Array = NDArray[np.float64]
_OPERATIONAL, _BOOT = 5, 0
_DOWNLOAD = 0x20  # of an SDO request: somebody writes
_ELSE = "see that only one drives it, then reset"


class Cia402Nodes:
    """Drives as they are heard, in the thread that hears them; read by others.

    Attributes:
        status: Status words. counts, velocity, torque: As the drives say them, shape (n,).
        heard: When each said where it is [s]; -inf before. beats: When each said that it lives.
        emergency: What each complains of, or None.
        other: What another master did, in words; bus_off: whether the bus is.
        garbage: Frames of our drives that were none.
    """

    def __init__(self, options: Cia402Options, names: Sequence[str], clock: Callable[[], float]) -> None:
        """Args:
        names: Of the joints that each node's motor moves.
        """
        n = len(options.nodes)
        self._options, self._names, self._clock = options, names, clock
        self._slots = {number: k for k, number in enumerate(options.nodes)}
        self.status = [0] * n
        self.counts, self.velocity, self.torque = np.zeros(n), np.full(n, np.nan), np.full(n, np.nan)
        self.heard, self.beats = np.full(n, -np.inf), np.full(n, -np.inf)
        self.emergency: list[Emergency | None] = [None] * n
        self.booted = [False] * n
        self.stopped = [False] * n
        self.other, self.bus_off, self.garbage = "", False, 0
        receive, transmit = options.eds.pdos("receive"), options.eds.pdos("transmit")
        self._pdos = {PDO_IDS["transmit"][pdo.number - 1]: pdo for pdo in transmit}
        self._orders = {PDO_IDS["receive"][pdo.number - 1] for pdo in receive}

    def hear(self, identifier: int, data: bytes) -> None:
        """A frame that somebody else sent."""
        if identifier == BUS_ERROR:
            self.bus_off = self.bus_off or bool(int.from_bytes(data, "little") & BUS_OFF)
        elif identifier == NETWORK:
            self._another(f"gives orders to the network ({data.hex()})")
        elif identifier == SYNC:
            self._another("sends SYNC")
        elif identifier == HEARTBEAT + self._options.master:
            self._another(f"has this one's node number, {self._options.master}")
        else:
            slot = self._slots.get(identifier & 0x7F)
            if slot is not None:
                self._hear_node(slot, identifier & 0x780, data)

    def _hear_node(self, slot: int, base: int, data: bytes) -> None:
        if base in self._orders:
            self._another(f"commands {self.name(slot)}")
        elif base == SDO_REQUEST and data and data[0] & 0xE0 == _DOWNLOAD:
            self._another(f"writes to {self.name(slot)}")
        elif base in self._pdos:
            self._report(slot, base, data)
        elif base == EMERGENCY:
            try:
                emergency = read_emergency(data)
            except BadEmergency:
                self.garbage += 1
            else:
                self.emergency[slot] = None if emergency.is_over else emergency
        elif base == HEARTBEAT:
            self._beat(slot, data)

    def _report(self, slot: int, base: int, data: bytes) -> None:
        values = self._pdos[base].read(data)
        if values is None:
            self.garbage += 1
            return
        if Object.STATUS_WORD in values:
            self.status[slot] = values[Object.STATUS_WORD]
        if Object.VELOCITY in values:
            self.velocity[slot] = values[Object.VELOCITY]
        if Object.TORQUE in values:
            self.torque[slot] = values[Object.TORQUE]
        if Object.POSITION in values:
            self.counts[slot], self.heard[slot] = values[Object.POSITION], self._clock()

    def _beat(self, slot: int, data: bytes) -> None:
        if len(data) != 1:
            self.garbage += 1
            return
        state = data[0] & 0x7F
        self.beats[slot] = self._clock()
        self.booted[slot] = self.booted[slot] or state == _BOOT
        self.stopped[slot] = state in (4, 127)

    def forget(self) -> None:
        """Begin anew: what was complained of before does not count."""
        self.emergency = [None] * len(self.emergency)
        self.booted, self.stopped = [False] * len(self.booted), [False] * len(self.stopped)

    def name(self, slot: int) -> str:
        """A node in words."""
        return f"{self._names[slot]} (node {self._options.nodes[slot]})"

    def state(self, slot: int) -> DriveState | None:
        return state_of(self.status[slot])

    def are(self, state: DriveState) -> bool:
        return all(self.state(slot) is state for slot in range(len(self.status)))

    def lost(self, now: float, since: float) -> str:
        """What is wrong with the bus or the nodes on it, whatever the drives do; "" for nothing. since: When all were started."""
        if self.bus_off:
            return (
                f"the CAN controller of {self._options.bus} is off the bus: too many errors; check the cable and its ends, reset"
            )
        if self.other:
            return self.other
        patience = self._options.watchdog
        for slot in range(len(self.status)):
            if self.booted[slot]:
                return f"{self.name(slot)} has started anew: did it lose its supply? Reset to set it up again"
            quiet = now - max(float(self.heard[slot]), since)
            if quiet > patience:
                return f"{self.name(slot)} has said nothing for {1e3 * quiet:.0f} ms; check its supply and the cable, then reset"
            quiet = now - max(float(self.beats[slot]), since)
            if quiet > 2.0 * patience:
                return f"the heartbeat of {self.name(slot)} is lost for {1e3 * quiet:.0f} ms; check the drive, then reset"
            if self.stopped[slot] and now - since > patience:
                return f"{self.name(slot)} is not operational any more; {_ELSE}"
        return ""

    def complaint(self, *, enabled: bool) -> str:
        """What the drives complain of; "" for nothing. enabled: They should follow now."""
        for slot in range(len(self.status)):
            emergency, state = self.emergency[slot], self.state(slot)
            if emergency is not None and (enabled or state is DriveState.FAULT):
                return f"{self.name(slot)}: {emergency}; then reset"
            if enabled and state is not DriveState.ENABLED:
                return f"{self.name(slot)}: {meaning_of_state(state)}; look at the drive, then reset"
            if enabled and self.status[slot] & Status.INTERNAL_LIMIT:
                return f"{self.name(slot)}: the drive's own position limit holds it; compare its 607Dh with the robot's limits"
        return ""

    def _another(self, what: str) -> None:
        self.other = self.other or f"another master on {self._options.bus} {what}; {_ELSE}"
