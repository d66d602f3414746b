"""`armillary cert`: a certificate, so that tablets and other machines reach the pendant by https."""

import argparse
from typing import Any

from armillary.interfaces.cli.arguments import add_json
from armillary.interfaces.cli.terminal import bold, print_json

__all__ = ["add_parser", "run"]

_EXAMPLES = """\
examples:
  armillary cert --name robot.local --name 192.168.1.20    for all cells of this machine
  armillary cert cell.toml --name robot.local              for this one

It is signed by itself: each browser asks once whether to trust it. Compare the fingerprint that it shows with the one that is
printed here; then nobody is in between.
"""


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "cert", help="a certificate for the pendant", description=__doc__, epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("source", nargs="?", default="", metavar="ROBOT", help="only for this cell; for all where left out")
    parser.add_argument(
        "--name", action="append", default=[], metavar="HOST",
        help="a name or address that the machine is reached by, beside its own (repeat for more)",
    )  # fmt: skip
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from armillary.interfaces.http.certificate import machine_place, make_certificate
    from armillary.interfaces.http.server import pendant_place

    files = make_certificate(pendant_place(options.source) if options.source else machine_place(), tuple(options.name))
    if options.json:
        print_json({
            "certificate": str(files.certificate), "key": str(files.key), "names": files.names, "fingerprint": files.fingerprint,
            "until": files.until,
        })  # fmt: skip
        return 0
    print(f"{bold(str(files.certificate))}, and its key beside it, which nobody else may have")
    print(f"for {', '.join(files.names)}; until {files.until[:10]}")
    print(f"fingerprint (SHA-256): {files.fingerprint}")
    return 0
