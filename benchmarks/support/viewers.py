"""People who look at a pendant, without browsers: so many links, each reading what it is told."""

import asyncio
import json
import time
from typing import Any

__all__ = ["enter", "watch"]


def watch(url: str, cookie: str, count: int, seconds: float, told: Any) -> None:
    """So many viewers for so long, in a process of their own; tells how many messages came."""
    import websockets

    async def one() -> int:
        heard = 0
        origin = url.replace("ws://", "http://").removesuffix("/ws")
        async with websockets.connect(url, additional_headers={"Cookie": cookie, "Origin": origin}, compression=None) as link:
            end = time.monotonic() + seconds
            while (left := end - time.monotonic()) > 0.0:
                try:
                    await asyncio.wait_for(link.recv(), left)
                    heard += 1
                except TimeoutError:
                    break
        return heard

    async def every() -> list[int]:
        return list(await asyncio.gather(*(one() for _ in range(count))))

    told.put(asyncio.run(every()))


def enter(address: str, link: str) -> str:
    """The cookie of a session, by the one-time link."""
    from urllib.request import Request, urlopen

    body = json.dumps({"link": link.partition("#link=")[2]}).encode()
    request = Request(f"{address}/api/enter", body, {"content-type": "application/json", "x-armillary": "1"})
    with urlopen(request) as answer:
        return str(answer.headers["set-cookie"]).split(";")[0]
