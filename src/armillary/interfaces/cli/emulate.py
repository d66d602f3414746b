"""`armillary emulate`: a motor controller or a suit that is not there, honest enough to fail the way the real one fails."""

import argparse
import importlib
from typing import Any

__all__ = ["add_parser", "run"]

_EXAMPLES = """\
examples:
  armillary emulate pmac --port 1025 --motors 6     a Turbo PMAC on this machine's TCP port 1025
  armillary emulate cia402 --nodes 6                drives on a CAN bus that socketcand serves at 127.0.0.1:28600
  armillary emulate servo_boards                    an Arduino Mega with its four servo boards, on pseudo-terminals
  armillary emulate neuron walk.bvh                 a person in a suit, as Axis Neuron broadcasts on TCP port 7001

What stands behind the name goes to the emulator: armillary emulate pmac --help
"""
_EMULATORS = {
    "cia402": "armillary.emulators.cia402",
    "neuron": "armillary.interfaces.cli.emulate_neuron",
    "pmac": "armillary.emulators.pmac.__main__",
    "servo_boards": "armillary.emulators.servo_boards",
}


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "emulate", help="a motor controller or a suit that is not there", description=__doc__, epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("controller", choices=sorted(_EMULATORS), help="which one")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="of the emulator itself")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    main = importlib.import_module(_EMULATORS[options.controller]).main
    return int(main(options.arguments))
