"""A drive as a CANopen node: its object dictionary, process data, heartbeats and emergencies."""

from collections.abc import Callable
from importlib import import_module
from importlib.resources import as_file, files
from typing import Any

from armillary.emulators.cia402_drive import Drive
from armillary.emulators.cia402_network import DriveNetwork
from armillary.protocols.cia402 import INTEGERS, Mode, Object
from armillary.protocols.cia402_emergency import write_emergency
from armillary.protocols.cia402_pdo import EMERGENCY, HEARTBEAT, NETWORK, PDO_IDS, SYNC, Pdo
from armillary.protocols.socketcand import CanFrame

__all__ = ["DriveNode"]

_MASTER_GONE, _BUS = 0x8130, 0x8100
_PRESENT: dict[int, Callable[[Drive], float]] = {  # objects that tell how the drive is now
    Object.STATUS_WORD: lambda drive: drive.status, Object.POSITION: lambda drive: round(drive.position),
    Object.VELOCITY: lambda drive: round(drive.velocity), Object.TORQUE: lambda drive: round(drive.torque),
    Object.POSITION_DEMAND: lambda drive: round(drive.demand), Object.ERROR_CODE: lambda drive: drive.error,
    Object.FOLLOWING_ERROR: lambda drive: round(drive.following_error), Object.MODE_DISPLAY: lambda drive: drive.settings.mode,
    Object.ERROR_REGISTER: lambda drive: bool(drive.error), Object.CONTROL_WORD: lambda drive: drive.control,
}  # fmt: skip
_MODES = (Mode.NONE, Mode.PROFILE_POSITION, Mode.CYCLIC_POSITION)


class DriveNode:
    """A canopen LocalNode whose objects are a drive's.

    Attributes:
        id: Its number. drive: Itself. node: canopen's. refused: Frames of wrong length that were not taken.
    """

    def __init__(self, number: int, drive: Drive, bus: DriveNetwork) -> None:
        self.id, self.drive, self.refused = number, drive, 0
        self._bus = bus
        canopen: Any = import_module("canopen")
        with as_file(files("armillary.protocols").joinpath("cia402.eds")) as path:
            self.node: Any = canopen.LocalNode(number, canopen.import_od(str(path), number))
        self.node.add_read_callback(self._read)
        self.node.add_write_callback(self._write)
        bus.network.add_node(self.node)
        bus.network.subscribe(NETWORK, self._on_network)
        bus.network.subscribe(SYNC, self._on_sync)
        for k, base in enumerate(PDO_IDS["receive"][:2]):
            bus.network.subscribe(base + number, lambda _id, data, _time, k=k: self._on_pdo(k, bytes(data)))
        self._master_heard: float | None = None
        self._watched, self._now, self._patience, self._offset = 0, 0.0, 0.0, 0.0
        self.start()

    def start(self) -> None:
        """Power on: everything as the sheet says, and the boot-up message."""
        self.drive.reset()
        self.node.nmt.stop_heartbeat()
        self.node.data_store.clear()
        self._pending: dict[int, int] = {}
        self._listen_to(0)
        self._next_event, self._offset = [0.0, 0.0], 0.0
        self._pdos = {"receive": self._pdos_of("receive"), "transmit": self._pdos_of("transmit")}
        self.node.nmt.on_command(0, bytes([128, self.id]), 0.0)
        self._bus.put(CanFrame(HEARTBEAT + self.id, b"\0"))

    @property
    def is_operational(self) -> bool:
        return bool(self.node.nmt.state == "OPERATIONAL")

    def turn(self, now: float) -> None:
        """What is to be said without being asked, and what must be heard from time to time [s]."""
        self._now = now
        if self._master_heard is not None and self._patience and now - self._master_heard > self._patience:
            self._master_heard = None
            if self.drive.settings.mode != Mode.NONE and self.drive.status & 0x04 and self.is_operational:
                self.drive.fail(_MASTER_GONE)
        while self.drive.emergencies:
            self._bus.put(CanFrame(EMERGENCY + self.id, write_emergency(self.drive.emergencies.popleft())))
        for k, (kind, timer) in enumerate(self._kinds):
            if kind >= 254 and timer and now >= self._next_event[k] and self.is_operational:
                self._next_event[k] = max(self._next_event[k] + timer, now)
                self._transmit(k)

    def _on_network(self, _id: int, data: bytearray, _time: float) -> None:
        if len(data) != 2 or data[1] not in (0, self.id) or self.id in self._bus.dead:
            return
        if data[0] in (129, 130):
            self.start()
        elif data[0] in (2, 128) and self.drive.status & 0x04 and self.drive.error == 0:
            self.drive.fail(_BUS)  # it is enabled, and will hear no more set-points

    def _on_sync(self, _id: int, _data: bytearray, _time: float) -> None:
        if not self.is_operational or self.id in self._bus.dead:
            return
        for index, value in self._pending.items():
            self._take(index, value)
        self._pending.clear()
        self.drive.sync(self._offset)
        for k, (kind, _) in enumerate(self._kinds):
            if 1 <= kind <= 240:
                self._transmit(k)

    def _on_pdo(self, k: int, data: bytes) -> None:
        if not self.is_operational or self.id in self._bus.dead or k >= len(self._pdos["receive"]):
            return
        values = self._pdos["receive"][k].read(data)
        if values is None:
            self.refused += 1
        elif self._value(Object.RECEIVE_PDO + k, 2) <= 240:
            self._pending.update(values)  # with the next SYNC
        else:
            for index, value in values.items():
                self._take(index, value)

    def _on_heartbeat(self, _id: int, _data: bytearray, _time: float) -> None:
        self._master_heard = self._now

    def _transmit(self, k: int) -> None:
        if k < len(self._pdos["transmit"]):
            pdo = self._pdos["transmit"][k]
            data = pdo.write({index: self._present(index) or 0 for index in pdo.indices})
            self._bus.put(CanFrame(PDO_IDS["transmit"][k] + self.id, data))

    def _take(self, index: int, value: int) -> None:
        if index == Object.CONTROL_WORD:
            self.drive.hear(value)
        elif index == Object.TARGET_POSITION:
            self.drive.target = float(value)
        elif index == Object.VELOCITY_OFFSET:
            self._offset = float(value)

    def _present(self, index: int) -> int | None:
        """What an object is now; None for one that is only stored."""
        read = _PRESENT.get(index)
        return None if read is None else int(read(self.drive))

    def _read(self, *, index: int, subindex: int, **_: object) -> int | None:
        return self._present(index) if subindex == 0 else None

    def _write(self, *, index: int, subindex: int, od: Any, data: bytes) -> None:
        kind = INTEGERS.get(od.data_type)
        value = int.from_bytes(data, "little", signed=kind[1]) if kind else 0
        if index == Object.MODE and value not in [*map(int, _MODES)]:
            raise import_module("canopen").SdoAbortedError(0x06090030)
        self._take(index, value)
        self._set(index, subindex, value)
        if index == Object.HEARTBEAT_CONSUMER:
            self._listen_to(value)
        if index & 0xFF00 in (0x1600, 0x1800, 0x1A00):
            self.node.data_store.setdefault(index, {})[subindex] = bytes(data)
            self._pdos = {"receive": self._pdos_of("receive"), "transmit": self._pdos_of("transmit")}

    def _set(self, index: int, sub: int, value: int) -> None:
        """What a master writes into the drive's settings."""
        settings, number = self.drive.settings, float(value)
        names = {
            Object.FOLLOWING_WINDOW: "following", Object.POSITION_WINDOW: "window", Object.PROFILE_VELOCITY: "speed",
            Object.PROFILE_ACCELERATION: "acceleration", Object.PROFILE_DECELERATION: "deceleration",
            Object.QUICK_STOP_DECELERATION: "quick_stop",
        }  # fmt: skip
        if index == Object.MODE:
            self.drive.choose(value)
        elif index == Object.FOLLOWING_TIME:
            settings.following_time = number / 1000.0
        elif index == Object.POSITION_LIMITS and sub in (1, 2):
            setattr(settings, "lower" if sub == 1 else "upper", number)
        elif index == Object.INTERPOLATION_MODE:
            settings.cubic = value < 0
        elif index == Object.INTERPOLATION_PERIOD and sub in (1, 2):
            units = value if sub == 1 else self._value(Object.INTERPOLATION_PERIOD, 1)
            power = value if sub == 2 else self._value(Object.INTERPOLATION_PERIOD, 2)
            settings.period = max(units, 1) * 10.0**power
        elif index in [*map(int, names)]:
            setattr(settings, names[Object(index)], max(number, 1.0))

    def _listen_to(self, consumer: int) -> None:
        """Whose heartbeat must be heard, and how often: the node's number and milliseconds in one word."""
        network, master = self._bus.network, consumer >> 16 & 0x7F
        self._patience = (consumer & 0xFFFF) / 1000.0
        self.drive.settings.sync_patience = max(0.1, self._patience)  # who allows for one silence does for the other
        if self._watched:
            network.unsubscribe(HEARTBEAT + self._watched, self._on_heartbeat)
        self._watched, self._master_heard = master, None
        if master:
            network.subscribe(HEARTBEAT + master, self._on_heartbeat)

    def _value(self, index: int, sub: int = 0) -> int:
        od = self.node.object_dictionary[index]
        kind = INTEGERS[(od[sub] if sub or hasattr(od, "subindices") else od).data_type]
        return int.from_bytes(self.node.get_data(index, sub), "little", signed=kind[1])

    def _pdos_of(self, direction: str) -> tuple[Pdo, ...]:
        """As they are mapped now."""
        first = Object.RECEIVE_MAPPING if direction == "receive" else Object.TRANSMIT_MAPPING
        found = []
        for k in range(2):
            words = [self._value(first + k, sub) for sub in range(1, self._value(first + k) + 1)]
            entries = []
            for word in words:
                size, signed = INTEGERS[self.node.object_dictionary[word >> 16].data_type]
                entries.append((word >> 16, word >> 8 & 0xFF, size, signed))
            found.append(Pdo(k + 1, tuple(entries)))
        if direction == "transmit":
            self._kinds = [self._kind(k) for k in range(2)]
        return tuple(found)

    def _kind(self, k: int) -> tuple[int, float]:
        """Of a transmit PDO: its type, 0 where it is switched off, and its timer [s]."""
        off = self._value(Object.TRANSMIT_PDO + k, 1) >> 31
        kind, timer = self._value(Object.TRANSMIT_PDO + k, 2), self._value(Object.TRANSMIT_PDO + k, 5)
        return (0 if off else kind), timer / 1000.0
