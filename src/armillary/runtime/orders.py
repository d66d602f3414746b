"""The orders that an executor follows, each by a method of this name, and which of them need control."""

__all__ = ["ORDERS", "OWNED"]

ORDERS = ("power_on", "initialise", "hold", "resume", "step", "reset", "power_off", "follow")
OWNED = frozenset((*ORDERS, "set_output", "simulate_input", "run")) - {"hold"}  # anybody may hold, as anybody may stop
