"""What viewers of the pendant cost, and how soon it answers: the executor's punctuality with none and with a hundred of them, the
server's CPU, how long a word on the link waits (as a stop does) and how long what people press takes.

The peer of the CPU is a bare server of the `websockets` library that broadcasts a state of the same length at the same rate to
as many viewers, in the same run. The viewers are on this machine too, and take a core of their own. Medians of three turns of
none and many, one after the other; --full runs longer, and times in Chromium what is pressed before the twin.
"""

import asyncio
import multiprocessing
import os
import sys
import tempfile
import time
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from support.harness import Row, finish, options
from support.pressed import CHROMIUM, press_in_chromium
from support.viewers import ask, enter, listen, watch

from armillary.cell import Cell
from armillary.errors import ArmillaryError
from armillary.interfaces.http.app import PAGE

_HOME = [0.4, 1.83, -2.18, -1.92, -1.57, 0.0]
_AWAY = [1.6, 1.53, -1.78, -1.72, -1.27, 0.6]
_TICK = os.sysconf("SC_CLK_TCK")


def cpu(pid: int) -> float:
    """Seconds of CPU that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / _TICK


def measure(cell: Cell, cookie: str, viewers: int, seconds: float) -> dict[str, float]:
    """The executor's lateness and the server's CPU while the robot moves and so many watch."""
    pendant = cell.station.pendant
    pid, told = int(cell.station.processes["pendant"]["pid"]), multiprocessing.Queue()  # type: int, Any
    url = pendant["address"].replace("http://", "ws://") + "/ws"
    watching = multiprocessing.Process(target=watch, args=(url, cookie, viewers, seconds + 2.0, told))
    if viewers:
        watching.start()
        time.sleep(1.5)
    cell.statistics()
    used, begin, turn, faults = cpu(pid), time.monotonic(), 0, 0
    while time.monotonic() - begin < seconds:
        try:
            cell.move_joints((_AWAY, _HOME)[turn % 2])
            turn += 1
        except ArmillaryError as error:  # a machine whose host stops it for longer than is borne
            print(f"a fault: {error}")
            faults += 1
            cell.reset()
    lasted = time.monotonic() - begin
    found = cell.statistics()["lateness"]
    answer = {
        "p99": found["p99"] * 1e6, "p999": found["p999"] * 1e6, "missed": float(sum(found["bins"][54:])),
        "cpu": 100.0 * (cpu(pid) - used) / lasted, "faults": float(faults),
    }  # fmt: skip
    if viewers:
        heard = told.get(timeout=30.0)
        watching.join()
        answer["rate"] = min(heard)
    return answer


# What people press, and what the page asks for as it does: the answer is there within a tenth of a second.
_PRESSED: tuple[tuple[str, str, str, Any], ...] = (
    ("take control", "POST", "/control/take", {}),
    ("automatic mode", "POST", "/mode", {"mode": "automatic"}),
    ("manual mode", "POST", "/mode", {"mode": "manual"}),
    ("feed", "POST", "/override", {"rate": 1.0}),
    ("solutions of a pose", "POST", "/ik", {"xyz": [0.4, 0.1, 0.5], "rpy": [3.14, 0.0, 0.0]}),
    ("preview", "POST", "/preview", {"goal": {"joints": _AWAY}}),
    ("points", "GET", "/points", None),
    ("give control", "POST", "/control/give", {}),
)


def answers(cell: Cell, cookie: str, rounds: int) -> list[Row]:
    """How long each press waits for its answer, and a word on the link meanwhile."""
    pendant, told, taken = cell.station.pendant, multiprocessing.Queue(), dict[str, list[float]]()  # type: Any, Any, Any
    url = pendant["address"].replace("http://", "ws://") + "/ws"
    connection = HTTPConnection("127.0.0.1", int(pendant["port"]), timeout=60.0)
    listening = multiprocessing.Process(target=listen, args=(url, cookie, 0.5 * rounds, told))
    listening.start()
    for turn in range(rounds + 1):
        for name, method, path, body in _PRESSED:
            seconds = ask(connection, cookie, method, path, body)
            if turn:  # the first of each is warmed up by
                taken.setdefault(name, []).append(seconds)
        time.sleep(0.3)
    waits = [1e3 * wait for wait in told.get(timeout=60.0)]
    listening.join()
    rows = [Row(f"{name}, most of {rounds}", "ms", 1e3 * max(found), None, "", 100.0) for name, found in taken.items()]
    rows.append(Row("a word on the link and back, median", "ms", median(waits), None, "", 10.0))
    rows.append(Row("a word on the link and back, p99", "ms", sorted(waits)[int(0.99 * len(waits))], None, "", 50.0))
    return rows


def in_chromium(rounds: int) -> list[Row]:
    """What a person sees who presses, before a cell with its twin; nothing where there is no Chromium or no page."""
    if CHROMIUM is None or not (PAGE / "index.html").is_file():
        print("what is pressed in a browser is not timed: there is no Chromium (make peers), or no page (make page)")
        return []
    with Cell.open("cobot6", patience=5.0, record=False, pendant={"port": 0}) as cell:
        cell.station.ask("give_control")
        found = press_in_chromium(cell.station.pendant["link"], rounds)
    rows = list[Row]()
    for name, times in found.items():
        rows.append(Row(f"{name} in Chromium: the press is shown, median", "ms", median(times["first"]), None, "", 100.0))
        rows.append(Row(f"{name} in Chromium: it is done, median", "ms", median(times["shown"]), None, "", 100.0))
    return rows


def bare(viewers: int, seconds: float) -> float:
    """The CPU of a bare broadcast of 60 states a second [% of a core]."""
    ready, told = multiprocessing.Queue(), multiprocessing.Queue()  # type: Any, Any
    serving = multiprocessing.Process(target=_serve, args=(ready, seconds + 3.0))
    serving.start()
    port = ready.get(timeout=20.0)
    watching = multiprocessing.Process(target=watch, args=(f"ws://127.0.0.1:{port}/ws", "", viewers, seconds + 1.5, told))
    watching.start()
    time.sleep(1.0)
    used, begin = cpu(int(serving.pid or 0)), time.monotonic()
    time.sleep(seconds)
    share = 100.0 * (cpu(int(serving.pid or 0)) - used) / (time.monotonic() - begin)
    told.get(timeout=30.0)
    watching.join()
    serving.kill()
    serving.join()
    return share


def _serve(ready: Any, seconds: float) -> None:
    import websockets

    async def run() -> None:
        links: set[Any] = set()

        async def hold(link: Any) -> None:
            links.add(link)
            await link.wait_closed()
            links.discard(link)

        async with websockets.serve(hold, "127.0.0.1", 0, compression=None) as server:
            ready.put(next(iter(server.sockets)).getsockname()[1])
            text, end = "m" * 700, time.monotonic() + seconds
            while time.monotonic() < end:
                websockets.broadcast(links, text)
                await asyncio.sleep(1 / 60)

    asyncio.run(run())


def main() -> None:
    opts = options(__doc__ or "")
    seconds, turns, viewers = (15.0, 5, 100) if opts.full else (4.0, 3, 100)
    rows = list[Row]()
    with (
        tempfile.TemporaryDirectory() as folder,
        Cell.open("cobot6", driver="ideal", recordings=folder, pendant={"port": 0}) as cell,
    ):
        pendant = cell.station.pendant
        cookie = enter(pendant["address"], pendant["link"])
        cell.move_joints(_HOME)
        # One after the other, several times: what the machine's host does falls on both.
        found = [(measure(cell, cookie, 0, seconds), measure(cell, cookie, viewers, seconds)) for _ in range(turns)]
        cell.station.ask("give_control")
        pressed = answers(cell, cookie, 40 if opts.full else 15)
    alone, many = ({key: median(turn[key] for turn in each) for key in each[0]} for each in zip(*found, strict=True))
    # No worse by a hundredth of a period, and by no tick beyond what a host takes away now and then.
    later = many["p99"] - alone["p99"]
    rows.append(Row(f"lateness, p99, {viewers} viewers", "us", many["p99"], alone["p99"], "no viewers", None))
    rows.append(Row(f"lateness, p99, more with {viewers} viewers", "us", later, None, "", 10.0))
    rows.append(Row(f"lateness, p99.9, {viewers} viewers", "us", many["p999"], alone["p999"], "no viewers", None))
    rows.append(Row(f"missed ticks more with {viewers} viewers", "ticks", many["missed"] - alone["missed"], None, "", 1.0))
    rows.append(Row(f"faults, {viewers} viewers", "faults", many["faults"], None, "", 0.0))
    rows.append(Row("states a second to the slowest viewer", "1/s", many["rate"], None, "", 57.0, smaller_is_better=False))
    rows.append(Row("CPU of the server, no viewers", "% of a core", alone["cpu"], None, "", None))
    rows.append(Row(f"CPU of the server, {viewers} viewers", "% of a core", many["cpu"], bare(viewers, min(seconds, 8.0)),
                    "bare websockets broadcast", None))  # fmt: skip
    rows += pressed
    if opts.full:
        rows += in_chromium(10)
    finish("pendant", opts.seed, rows, opts.json)


if __name__ == "__main__":
    main()
