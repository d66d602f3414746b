"""What viewers of the pendant cost: the executor's punctuality with none and with a hundred of them, and the server's CPU.

The peer of the CPU is a bare server of the `websockets` library that broadcasts a state of the same length at the same rate to
as many viewers, in the same run. The viewers are on this machine too, and take a core of their own. Medians of three turns of
none and many, one after the other; --full runs longer.
"""

import asyncio
import multiprocessing
import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from support.harness import Row, finish, options
from support.viewers import enter, watch

from armillary.cell import Cell
from armillary.errors import ArmillaryError

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
        answer["rate"] = min(heard) / (seconds + 2.0)
    return answer


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
    alone, many = ({key: median(turn[key] for turn in each) for key in each[0]} for each in zip(*found, strict=True))
    for key, label, unit in (
        ("p99", "lateness, p99", "us"),
        ("p999", "lateness, p99.9", "us"),
        ("missed", "missed ticks", "ticks"),
    ):
        rows.append(Row(f"{label}, {viewers} viewers", unit, many[key], alone[key], "no viewers", None))
    rows.append(Row(f"faults, {viewers} viewers", "faults", many["faults"], None, "", 0.0))
    rows.append(Row("messages a second to the slowest viewer", "1/s", many["rate"], None, "", None))
    rows.append(Row("CPU of the server, no viewers", "% of a core", alone["cpu"], None, "", None))
    rows.append(Row(f"CPU of the server, {viewers} viewers", "% of a core", many["cpu"], bare(viewers, min(seconds, 8.0)),
                    "bare websockets broadcast", None))  # fmt: skip
    finish("pendant", opts.seed, rows, opts.json)


if __name__ == "__main__":
    main()
