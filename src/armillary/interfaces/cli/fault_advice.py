"""What one can do about faults that came from the computer and not from the robot."""

import re
from collections.abc import Iterable

__all__ = ["advice_for"]

_TOO_LATE = re.compile(r"a tick was .* ms late|a command was .* ms old|no sign of life from the station|no command for .* ms")


def advice_for(faults: Iterable[str], *, simulated: bool, lock_step: bool = False) -> str:
    """What to do about faults, in words; "" where they say all that is to be said.

    Args:
        faults: In words, as they were reported.
        simulated: Whether the motor side is none of metal, and could wait for the computer.
        lock_step: Whether it waits already.
    """
    if not any(_TOO_LATE.search(text) for text in faults):
        return ""
    busy = "the computer was too busy to keep time, nothing is wrong with the robot: close other programs"
    if simulated and not lock_step:
        return (
            f"{busy}; or add --lock-step: the simulation then waits for the computer, and nothing can be late"
            " (from Python: Cell.open(..., pace='lock_step'), or more patience=)"
        )
    return f"{busy}, and let it have real-time priority (CAP_SYS_NICE or an rtprio limit; armillary status says what it has)"
