"""`armillary status`: the cells that run on this machine: their processes, how punctual they are, what is wrong."""

import argparse
import sys
from typing import TYPE_CHECKING, Any

from armillary.interfaces.cli.arguments import add_json
from armillary.interfaces.cli.terminal import bold, colour, print_json, table

if TYPE_CHECKING:
    from armillary.cell import Cell

__all__ = ["add_parser", "run"]

_STEPS = ("lateness", "work", "read", "guard", "sample", "limit", "write", "hear", "say", "cycle")


def add_parser(commands: Any) -> None:
    parser = commands.add_parser("status", help="the cells that run here, and how punctual they are", description=__doc__)
    parser.add_argument("cell", nargs="?", default="", metavar="CELL", help="only this one: its source")
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from armillary.cell import Cell
    from armillary.errors import ArmillaryError
    from armillary.runtime.station_channels import find_stations

    found = []
    for folder in find_stations():
        try:
            cell = Cell.connect(folder.name)
        except (ArmillaryError, OSError) as error:  # one that is just starting or ending does not hide the others
            print(f"armillary: {folder.name} does not answer: {error}", file=sys.stderr)
            continue
        try:
            if options.cell in ("", cell.station.settings.source, folder.name):
                found.append(_said(cell))
        finally:
            cell.close()
    if options.json:
        print_json({"cells": found})
    for each in [] if options.json else found:
        _print(each)
    if not found and not options.json:
        print("no cell runs here; start one: armillary run cobot6")
    return 0 if found else 1


def _said(cell: "Cell") -> dict[str, Any]:
    state, record, settings = cell.state, cell.station.state, cell.station.settings
    return {
        "cell": settings.source, "robot": cell.model.spec.robot.name, "driver": settings.driver,
        "folder": str(cell.station.folder), "state": state.state.name, "fault": state.fault,
        "rate": state.rate, "progress": state.progress, "q": state.q.tolist(),
        "certified": state.certified, "ticks": int(record["ticks"]), "overruns": int(record["overruns"]),
        "round_trip": float(record["round_trip"]), "processes": cell.station.processes, "recording": cell.station.recording,
        "statistics": cell.statistics(clear=False), "assumptions": cell.station.assumptions,
    }  # fmt: skip


def _print(said: dict[str, Any]) -> None:
    state = colour(said["state"], "red" if said["fault"] else "green")
    print(
        f"{bold(said['robot'])} ({said['cell']}, driver '{said['driver']}'): {state}"
        + (f": {said['fault']}" if said["fault"] else "")
    )
    statistics = said["statistics"]
    print(f"{statistics['granted']}; {said['ticks']} ticks, {said['overruns']} overruns")
    rows = []
    for name in _STEPS:
        times = statistics[name]
        rows.append([name, *(f"{1e6 * times[key]:.1f}" for key in ("p50", "p99", "p999", "most")), _bars(times["bins"])])
    print(table(["[us]", "median", "p99", "p99.9", "most", "0.1 us to 1 s, logarithmic"], rows, right=(1, 2, 3, 4)))
    for name, process in said["processes"].items():
        again = f", started again {process['restarts']} times: {process['said']}" if process["restarts"] else ""
        print(f"  {name}: process {process['pid'] or colour('ended', 'red')}{again}")
    recording = said["recording"]
    if recording["file"]:
        lost = f", {recording['lost']} records lost" if recording["lost"] else ""
        print(f"  recording: {recording['file']} ({recording['written'] / 1e6:.1f} MB{lost})")
    if recording["problem"]:
        print(colour(f"  recorder: {recording['problem']}", "red"))
    print()


def _bars(bins: list[int]) -> str:
    """A histogram as a line of blocks, four bins each."""
    from math import log10

    sums = [sum(bins[i : i + 4]) for i in range(0, len(bins), 4)]
    most = max(sums) or 1
    shown = [" ▁▂▃▄▅▆▇█"[min(8, 1 + round(7 * log10(1 + count) / log10(1 + most)))] if count else " " for count in sums]
    return "".join(shown).rstrip()
