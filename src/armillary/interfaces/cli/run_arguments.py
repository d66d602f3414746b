"""What `armillary run` is asked for, looked at before anything is started."""

import argparse
import sys

from armillary.errors import ArmillaryError

__all__ = ["BadRun", "check_run"]

_FASTEST = 2.0  # of what a program says


class BadRun(ArmillaryError):
    """`armillary run` was asked for something that there is not."""


def check_run(options: argparse.Namespace, *, shows: bool) -> None:
    """That what was asked for is there and possible.

    Args:
        shows: Whether there will be a pendant, and so a port to listen at.

    Raises:
        ArmillaryError: It is not; nothing was started.
    """
    if options.exit and options.program is None:
        raise BadRun("--exit needs a --program that ends")
    if options.step and not sys.stdin.isatty():
        raise BadRun("--step needs a terminal, in which Enter goes on")
    if not 0.0 < options.override <= _FASTEST:
        raise BadRun(
            f"an override of {options.override:g} is none; give more than 0 up to {_FASTEST:g} (1 is the speed as it is)"
        )
    if options.start_line < 0:
        raise BadRun(f"there is no line {options.start_line}; a --start-line is 1 or more")
    for name, port in (("port", options.port), ("rosbridge", options.rosbridge)):
        if port is not None and not 0 <= port <= 65535:
            raise BadRun(f"there is no port {port}; give a --{name} of 1 to 65535, or 0 for any that is free")
    if options.rosbridge is not None and options.lock_step:
        raise BadRun("--rosbridge keeps the time of the clock, and --lock-step none; leave out one of them")
    if options.type:
        from armillary.programs.languages import language_named

        language_named(options.type)
    if options.driver:
        from armillary.drivers.registry import factory_of

        factory_of(options.driver)
    if shows:
        from armillary.interfaces.http.listening import listen

        listen(options.host, options.port).close()
