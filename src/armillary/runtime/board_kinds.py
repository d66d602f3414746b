"""What stands on the boards between the processes of a station."""

import numpy as np

from armillary.drivers.driver import MOST_ANALOG

__all__ = [
    "FOLLOWED", "INPUTS_OUTPUTS", "LATCHED", "LIFE", "MOST_CHANNELS", "PANIC", "PERSON", "external_kind", "jog_kind",
    "state_kind",
]  # fmt: skip

# What goes in and out beside the motion, digital ones bit by bit. In a record they follow each other: a change of any is found
# by comparing one piece of its bytes.
INPUTS_OUTPUTS = ("inputs", "outputs", "analog_inputs", "analog_outputs")

LATCHED = 3  # among the stops: of category 2, and latched

# The front's sign of life, and the orders that wait behind nothing: a stop is seen in the next tick.
LIFE = np.dtype([
    ("time", "f8"), ("override", "f8"),
    ("stops", "u8", (LATCHED + 1,)),  # how many there were of each category, and of latched ones: none hides another
    ("front", "u4"),  # which front it is: counts up when one is started again
    ("owner", "u8"),  # who has control; 0 for nobody
    ("pressed", "f8"),  # when somebody was last known to hold to run
])  # fmt: skip

# The supervisor's own stop: it does not need the front.
PANIC = np.dtype([("stops", "u8"), ("category", "u1")])


# The newest of another master's set-points that the executor has taken, for who wants to know how long it was on its way: when
# that came in from outside which it answers, when it was written, when a tick took it, when that had sent its command [s].
FOLLOWED = np.dtype([("since", "f8"), ("written", "f8"), ("taken", "f8"), ("sent", "f8")])

# A person who is imitated, as the newest frame has it: how many channels there are, and their values (positions in the source's
# unit, rotations in degrees).
MOST_CHANNELS = 1024
PERSON = np.dtype([("number", "u8"), ("time", "f8"), ("count", "u4"), ("values", "f8", (MOST_CHANNELS,))])


def jog_kind(n: int) -> "np.dtype[np.void]":
    """What is asked of a jog of n joints: by joints, or by a twist of the tool. Old ones are not followed."""
    return np.dtype([
        ("time", "f8"), ("number", "u8"),
        ("kind", "u1"),  # 0 nothing, 1 joints, 2 twist along the base's axes, 3 twist along the tool's
        ("speeds", "f8", (max(n, 6),)),  # [rad/s or m/s], or linear [m/s] and angular [rad/s]
        ("frame", "S64"),  # whose axes are meant by a twist; "" for the base
        ("tool_speed", "f8"),  # of the tool at most [m/s]; 0 for no bound beside the cell's own
    ])  # fmt: skip


def external_kind(n: int) -> "np.dtype[np.void]":
    """Another master's set-point for n joints."""
    return np.dtype([
        ("time", "f8"), ("since", "f8"),  # when it was written, and when that came in which it answers
        ("number", "u8"), ("q", "f8", (n,)), ("v", "f8", (n,)),
        ("holds", "u1"),  # come to rest wherever that is soonest; q and v say nothing then
    ])  # fmt: skip


def state_kind(n: int) -> "np.dtype[np.void]":
    """What the executor says in every tick, for n joints."""
    return np.dtype([
        ("time", "f8"), ("state", "u1"), ("moves", "u1"), ("rate", "f8"), ("progress", "f8"), ("ticks", "u8"), ("overruns", "u8"),
        ("late", "f8"), ("latest", "f8"), ("work", "f8"), ("taken", "u8"), ("stops", "u8"),
        ("motion", "u8"), ("motion_time", "f8"), ("queued", "u4"),
        ("interval", "f8"),  # between the set-points of a motor side that plays a buffer [s]; 0 for others
        ("q", "f8", (n,)), ("v", "f8", (n,)), ("a", "f8", (n,)), ("torque", "f8", (n,)),
        ("measured_q", "f8", (n,)), ("measured_v", "f8", (n,)), ("measured_a", "f8", (n,)), ("measured_torque", "f8", (n,)),
        ("contacts", "u2"), ("certified", "u1"), ("round_trip", "f8"),
        ("inputs", "u4"), ("outputs", "u4"), ("analog_inputs", "f8", (MOST_ANALOG,)), ("analog_outputs", "f8", (MOST_ANALOG,)),
        ("counts", "u1", (4,)),  # how many of each of INPUTS_OUTPUTS the motor side has
        ("forced", "u4"), ("forced_analog", "u4"),  # which of the inputs are held at a value by somebody, bit by bit
        ("origin", "S80"), ("fault", "S240"),
    ])  # fmt: skip
