"""What stands on the boards between the executor and the station."""

import numpy as np

__all__ = ["LIFE", "state_kind"]

# The station's sign of life, and the orders that wait behind nothing: a stop is seen in the next tick.
LIFE = np.dtype([("time", "f8"), ("stops", "u8"), ("category", "u1"), ("override", "f8")])


def state_kind(n: int) -> "np.dtype[np.void]":
    """What the executor says in every tick, for n joints."""
    return np.dtype([
        ("time", "f8"), ("state", "u1"), ("moves", "u1"), ("rate", "f8"), ("progress", "f8"), ("ticks", "u8"), ("overruns", "u8"),
        ("late", "f8"), ("latest", "f8"), ("work", "f8"), ("taken", "u8"), ("stops", "u8"),
        ("q", "f8", (n,)), ("v", "f8", (n,)), ("a", "f8", (n,)), ("torque", "f8", (n,)),
        ("measured_q", "f8", (n,)), ("measured_v", "f8", (n,)), ("measured_a", "f8", (n,)), ("measured_torque", "f8", (n,)),
        ("contacts", "u2"), ("certified", "u1"), ("round_trip", "f8"), ("inputs", "u4"), ("outputs", "u4"),
        ("origin", "S80"), ("fault", "S240"),
    ])  # fmt: skip
