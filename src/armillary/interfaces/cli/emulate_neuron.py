"""`armillary emulate neuron`: a person in a suit who is not there, out of a BVH file."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from armillary.errors import ArmillaryError

__all__ = ["main"]

_EXAMPLES = """\
examples:
  armillary emulate neuron walk.bvh                              serves TCP at 127.0.0.1:7001, as Axis Neuron does
  armillary emulate neuron walk.bvh --rate 120 --repeat          at 120 frames a second, over and over
  armillary emulate neuron walk.bvh --udp 127.0.0.1:7002         sends datagrams
  armillary emulate neuron walk.bvh --faults cut=0.05,lost=0.1   goes wrong now and then; more by lines on standard input

Over TCP it begins with the first who connects. Without --repeat it ends behind the last frame.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Broadcast until it is ended. The first line of output is the port, or where datagrams go."""
    options = _parser().parse_args(arguments)
    try:
        return _broadcast(options)
    except ArmillaryError as error:
        print(error, file=sys.stderr)
        return 1 if error.answer_is_no else 2


def _broadcast(options: argparse.Namespace) -> int:
    from armillary.emulators.neuron_suit import NeuronSuit, SuitFaults
    from armillary.emulators.serving import serve_until_ended
    from armillary.imitation import NeuronForm, neuron_capture, read_bvh, read_overrides

    faults = SuitFaults()
    faults.put_in(options.faults or "")
    overrides = read_overrides(options.matching) if options.matching else None
    capture = neuron_capture(read_bvh(options.file), NeuronForm(options.skeleton), rate=options.rate, overrides=overrides)
    suit = NeuronSuit(
        capture.values,
        capture.period,
        displacement=not options.no_displacement,
        reference=options.reference,
        text=options.string,
        avatar=options.avatar,
        index=options.index,
        host=options.host,
        port=None if options.udp else options.port,
        udp=options.udp,
        piece=options.piece,
        repeat=options.repeat,
        faults=faults,
        seed=options.seed,
    )
    print(suit.port if not options.udp else f"{options.udp[0]}:{options.udp[1]}", flush=True)

    def serve() -> None:
        suit.serve()
        if suit.done:
            sys.exit(0)

    serve_until_ended(serve, suit.close, faults.put_in if options.faults is not None else None)
    return 0


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not port.isdigit() or not 0 < int(port) < 65_536:
        raise argparse.ArgumentTypeError(f"{text!r} is no HOST:PORT")
    return host.strip("[]") or "127.0.0.1", int(port)


def _rate(text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = 0.0
    if not 1.0 <= rate <= 1000.0:
        raise argparse.ArgumentTypeError(f"{text!r} is no rate; give 1 to 1000 frames a second")
    return rate


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="armillary emulate neuron",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", type=Path, help="a BVH file: of Axis Neuron's bones, or any that has arms")
    parser.add_argument("--port", type=int, default=7001, help="of TCP; 0 for any (default: %(default)s)")
    parser.add_argument("--host", default="127.0.0.1", help="that TCP is served at (default: %(default)s: this machine alone)")
    parser.add_argument("--udp", type=_address, metavar="HOST:PORT", help="send datagrams there instead")
    parser.add_argument("--piece", type=int, default=0, metavar="BYTES", help="of a datagram at most (default: a whole frame)")
    parser.add_argument("--rate", type=_rate, help="frames a second: 60 or 120 as the suit has (default: the file's)")
    parser.add_argument("--no-displacement", action="store_true", help="rotations only, and where the hips are")
    parser.add_argument("--reference", action="store_true", help="six numbers more in front")
    parser.add_argument("--string", action="store_true", help="as text, as older versions do")
    parser.add_argument("--skeleton", choices=("older", "newer"), default="newer", help="(default: %(default)s)")
    parser.add_argument("--avatar", default="Char00", metavar="NAME", help="(default: %(default)s)")
    parser.add_argument("--index", type=int, default=0, help="of the avatar (default: %(default)s)")
    parser.add_argument("--repeat", action="store_true", help="begin anew behind the last frame; frames are counted on")
    parser.add_argument("--matching", type=Path, metavar="FILE", help="which bones are which, where names do not tell")
    parser.add_argument(
        "--faults", nargs="?", const="", metavar="LIST",
        help="how often frames go wrong, 0 to 1: cut, lost, doubled, reordered, nan, delayed, garbage; more by lines on standard "
        "input, well for none",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=1, help="of what goes wrong (default: %(default)s)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
