"""CiA 402, the profile of drives on CANopen: its state machine, its words, its objects. Words alone, no bus.

A drive is moved from state to state by the bits of its control word and says where it is by those of its status word. A fault is
left by a rising edge of one bit; everything else is a level.
"""

from enum import Enum, IntEnum, IntFlag

__all__ = [
    "INTEGERS", "Control", "DriveState", "Mode", "Object", "Status", "control_towards", "meaning_of_state", "next_drive_state",
    "state_of", "status_of", "steps_of",
]  # fmt: skip


class Control(IntFlag):
    """Bits of the control word, 6040h."""

    SWITCH_ON = 0x0001
    ENABLE_VOLTAGE = 0x0002
    NO_QUICK_STOP = 0x0004  # a quick stop is ordered by taking it away
    ENABLE_OPERATION = 0x0008
    NEW_SET_POINT = 0x0010  # profile position
    AT_ONCE = 0x0020  # profile position: drop the present set-point
    RELATIVE = 0x0040  # profile position
    FAULT_RESET = 0x0080
    HALT = 0x0100


class Status(IntFlag):
    """Bits of the status word, 6041h."""

    READY_TO_SWITCH_ON = 0x0001
    SWITCHED_ON = 0x0002
    OPERATION_ENABLED = 0x0004
    FAULT = 0x0008
    VOLTAGE = 0x0010
    NO_QUICK_STOP = 0x0020
    SWITCH_ON_DISABLED = 0x0040
    WARNING = 0x0080
    REMOTE = 0x0200
    TARGET_REACHED = 0x0400
    INTERNAL_LIMIT = 0x0800
    FOLLOWS = 0x1000  # cyclic: follows its set-points; profile position: the new set-point is taken
    FOLLOWING_ERROR = 0x2000


class DriveState(Enum):
    """States of a drive."""

    NOT_READY = "not ready to switch on"
    SWITCH_ON_DISABLED = "switch on disabled"
    READY = "ready to switch on"
    SWITCHED_ON = "switched on"
    ENABLED = "operation enabled"
    QUICK_STOP = "quick stop active"
    FAULT_REACTION = "fault reaction active"
    FAULT = "fault"


class Mode(IntEnum):
    """Modes of operation, 6060h."""

    NONE = 0
    PROFILE_POSITION = 1
    CYCLIC_POSITION = 8


class Object(IntEnum):
    """Indices in a drive's object dictionary that are used here."""

    DEVICE_TYPE = 0x1000
    ERROR_REGISTER = 0x1001
    CYCLE_PERIOD = 0x1006  # us
    HEARTBEAT_CONSUMER = 0x1016
    HEARTBEAT_PRODUCER = 0x1017  # ms
    RECEIVE_PDO = 0x1400
    RECEIVE_MAPPING = 0x1600
    TRANSMIT_PDO = 0x1800
    TRANSMIT_MAPPING = 0x1A00
    ERROR_CODE = 0x603F
    CONTROL_WORD = 0x6040
    STATUS_WORD = 0x6041
    QUICK_STOP_OPTION = 0x605A
    MODE = 0x6060
    MODE_DISPLAY = 0x6061
    POSITION_DEMAND = 0x6062
    POSITION = 0x6064
    FOLLOWING_WINDOW = 0x6065
    FOLLOWING_TIME = 0x6066  # ms
    POSITION_WINDOW = 0x6067
    VELOCITY = 0x606C
    TORQUE = 0x6077  # thousandths of the rated one
    TARGET_POSITION = 0x607A
    POSITION_LIMITS = 0x607D
    PROFILE_VELOCITY = 0x6081
    PROFILE_ACCELERATION = 0x6083
    PROFILE_DECELERATION = 0x6084
    QUICK_STOP_DECELERATION = 0x6085
    VELOCITY_OFFSET = 0x60B1
    INTERPOLATION_MODE = 0x60C0
    INTERPOLATION_PERIOD = 0x60C2
    FOLLOWING_ERROR = 0x60F4
    MODES = 0x6502


# Data types of CiA 301 that are numbers: (bytes, signed).
INTEGERS = {0x02: (1, True), 0x03: (2, True), 0x04: (4, True), 0x05: (1, False), 0x06: (2, False), 0x07: (4, False)}

_ON, _VOLTAGE, _QUICK, _RUN = Control.SWITCH_ON, Control.ENABLE_VOLTAGE, Control.NO_QUICK_STOP, Control.ENABLE_OPERATION
_SHUTDOWN, _SWITCH_ON = _VOLTAGE | _QUICK, _VOLTAGE | _QUICK | _ON
_STATES = {  # bits of the status word that are looked at, and what they must be
    DriveState.NOT_READY: (0x4F, 0x00),
    DriveState.SWITCH_ON_DISABLED: (0x4F, 0x40),
    DriveState.READY: (0x6F, 0x21),
    DriveState.SWITCHED_ON: (0x6F, 0x23),
    DriveState.ENABLED: (0x6F, 0x27),
    DriveState.QUICK_STOP: (0x6F, 0x07),
    DriveState.FAULT_REACTION: (0x4F, 0x0F),
    DriveState.FAULT: (0x4F, 0x08),
}
_POWERED = (DriveState.SWITCHED_ON, DriveState.ENABLED, DriveState.QUICK_STOP, DriveState.FAULT_REACTION)
_UP = {  # the next order on the way to operation enabled
    DriveState.SWITCH_ON_DISABLED: _SHUTDOWN,
    DriveState.READY: _SWITCH_ON,
    DriveState.SWITCHED_ON: _SWITCH_ON | _RUN,
    DriveState.ENABLED: _SWITCH_ON | _RUN,
    DriveState.QUICK_STOP: Control(0),  # down first: what was stopped follows no set-point
}


def state_of(status: int) -> DriveState | None:
    """The state that a status word tells; None where it is none of them."""
    for state, (mask, value) in _STATES.items():
        if status & mask == value:
            return state
    return None


def status_of(state: DriveState) -> Status:
    """The bits of the status word that tell a state; power is among them where the state has it."""
    return Status(_STATES[state][1]) | (Status.VOLTAGE if state in _POWERED else Status(0))


def control_towards(state: DriveState | None, goal: DriveState, before: int = 0) -> Control:
    """The control word that brings a drive one step nearer to a goal.

    Args:
        state: That it is in.
        goal: ENABLED, QUICK_STOP (from which it follows nothing) or SWITCH_ON_DISABLED (without power).
        before: The control word that was sent last: a fault is reset by an edge.
    """
    if goal is DriveState.SWITCH_ON_DISABLED:
        return Control(0)
    if goal is DriveState.QUICK_STOP:
        return _VOLTAGE if state in (DriveState.ENABLED, DriveState.QUICK_STOP) else Control(0)
    if state is DriveState.FAULT:
        return Control(0) if before & Control.FAULT_RESET else Control.FAULT_RESET
    return _UP.get(state, Control(0)) if state is not None else Control(0)


def next_drive_state(state: DriveState, control: int, before: int = 0) -> DriveState:
    """The state that a drive goes to when it hears a control word, by the profile's table. One step.

    Args:
        before: The control word that it heard before.
    """
    if state is DriveState.FAULT:
        rises = control & Control.FAULT_RESET and not before & Control.FAULT_RESET
        return DriveState.SWITCH_ON_DISABLED if rises else state
    if state in (DriveState.NOT_READY, DriveState.FAULT_REACTION):
        return state  # these are left by themselves
    if not control & _VOLTAGE:
        return DriveState.SWITCH_ON_DISABLED
    if not control & _QUICK:
        enabled = state in (DriveState.ENABLED, DriveState.QUICK_STOP)
        return DriveState.QUICK_STOP if enabled else DriveState.SWITCH_ON_DISABLED
    on, run = bool(control & _ON), bool(control & _RUN)
    if state is DriveState.SWITCH_ON_DISABLED:
        return state if on else DriveState.READY
    if state is DriveState.QUICK_STOP:
        return DriveState.ENABLED if on and run else state
    if not on:
        return DriveState.READY
    if state is DriveState.READY:
        return DriveState.SWITCHED_ON
    return DriveState.ENABLED if run else DriveState.SWITCHED_ON


def steps_of(goal: DriveState = DriveState.ENABLED) -> tuple[Control, ...]:
    """The control words that bring a drive up from switch on disabled."""
    words: list[Control] = []
    state = DriveState.SWITCH_ON_DISABLED
    while state is not goal and len(words) < len(_UP):
        words.append(control_towards(state, DriveState.ENABLED))
        state = next_drive_state(state, words[-1])
    return tuple(words)


def meaning_of_state(state: DriveState | None) -> str:
    """In words, for those who must do something about it."""
    meanings = {
        None: "its status word is none of the profile",
        DriveState.NOT_READY: "it starts up",
        DriveState.SWITCH_ON_DISABLED: "it has no power (somebody or something switched it off)",
        DriveState.READY: "it waits to be switched on",
        DriveState.SWITCHED_ON: "it is on, but does not follow",
        DriveState.ENABLED: "it follows",
        DriveState.QUICK_STOP: "it has stopped by itself (quick stop)",
        DriveState.FAULT_REACTION: "it brakes for a fault",
        DriveState.FAULT: "it is in fault",
    }
    return meanings[state]
