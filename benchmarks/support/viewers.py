"""People who look at a pendant, without browsers: so many links, each reading what it is told; and one who waits for answers."""

import asyncio
import json
import time
from typing import Any

__all__ = ["ask", "enter", "listen", "watch"]

_MOTION = '["motion",'
_EVERY = 0.02  # s between two words on a link that is listened to


def watch(url: str, cookie: str, count: int, seconds: float, told: Any) -> None:
    """So many viewers for so long, in a process of their own; tells how many states (messages `motion`) each heard a second."""

    async def one() -> float:
        heard = 0
        async with _link(url, cookie) as link:
            begin = time.monotonic()
            while (left := begin + seconds - time.monotonic()) > 0.0:
                try:
                    heard += str(await asyncio.wait_for(link.recv(), left)).startswith(_MOTION)
                except TimeoutError:
                    break
            return heard / (time.monotonic() - begin)

    async def every() -> list[float]:
        return list(await asyncio.gather(*(one() for _ in range(count))))

    told.put(asyncio.run(every()))


def listen(url: str, cookie: str, seconds: float, told: Any) -> None:
    """How long a word on the link waits for its answer, again and again, in a process of its own [s]; a stop waits so too."""

    async def run() -> list[float]:
        waits = []
        async with _link(url, cookie) as link:
            end, number = time.monotonic() + seconds, 0
            while time.monotonic() < end:
                number += 1
                begin, answer = time.perf_counter(), f'["pong",{number}]'
                await link.send(f'["ping",{number}]')
                while await link.recv() != answer:
                    pass
                waits.append(time.perf_counter() - begin)
                await asyncio.sleep(_EVERY)
        return waits

    told.put(asyncio.run(run()))


def _link(url: str, cookie: str) -> Any:
    import websockets

    origin = url.replace("ws://", "http://").removesuffix("/ws")
    return websockets.connect(url, additional_headers={"Cookie": cookie, "Origin": origin}, compression=None)


def enter(address: str, link: str) -> str:
    """The cookie of a session, by the one-time link."""
    from urllib.request import Request, urlopen

    body = json.dumps({"link": link.partition("#link=")[2]}).encode()
    request = Request(f"{address}/api/enter", body, {"content-type": "application/json", "x-armillary": "1"})
    with urlopen(request) as answer:
        return str(answer.headers["set-cookie"]).split(";")[0]


def ask(connection: Any, cookie: str, method: str, path: str, body: Any = None) -> float:
    """How long a request takes on a connection (http.client) that stays open, as a browser's does [s]."""
    headers = {"Cookie": cookie, "x-armillary": "1"} | ({} if body is None else {"content-type": "application/json"})
    begin = time.perf_counter()
    connection.request(method, f"/api{path}", None if body is None else json.dumps(body), headers)
    answer = connection.getresponse()
    said = answer.read()
    if answer.status != 200:
        raise RuntimeError(f"{method} {path}: {answer.status} {said[:200]!r}")
    return time.perf_counter() - begin
