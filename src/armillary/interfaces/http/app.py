"""The pendant's web application: requests, the WebSocket, and the page itself."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

import armillary
from armillary.errors import ArmillaryError
from armillary.interfaces.http.access import session_of
from armillary.interfaces.http.broadcast import Broadcast
from armillary.interfaces.http.desk import Desk
from armillary.interfaces.http.host_names import HostNames
from armillary.interfaces.http.motion_preview import MotionPreview
from armillary.interfaces.http.routes import ROUTERS
from armillary.interfaces.http.sessions import Sessions
from armillary.interfaces.http.socket import router as socket
from armillary.interfaces.http.users import BadLogin, TooManyTries, UserStore
from armillary.runtime.control_lease import NoControl

__all__ = ["PAGE", "make_app"]

PAGE = Path(__file__).parent / "page"  # what web/ is built into
_LARGEST = 32 << 20  # bytes of a request
_STRANGERS = 64 << 10  # of one who is not logged in: what is read before it is refused must hold nobody up, least of all a stop
_POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; worker-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_STATUSES = ((NoControl, 403), (TooManyTries, 429), (BadLogin, 401))
_HEADERS = {
    "Content-Security-Policy": _POLICY, "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}  # fmt: skip


class Refusal(BaseModel):
    """What every request is answered that is not done."""

    detail: str
    kind: str = ""  # of the error


def make_app(
    desk: Desk, sessions: Sessions, users: UserStore, *, secure: bool = False, names: tuple[str, ...] = ()
) -> FastAPI:  # fmt: skip
    """The application for a cell.

    Args:
        secure: It is reached by TLS: cookies are sent in no other way.
        names: By which it is reached, beside this machine's own.
    """
    app = FastAPI(
        title="Armillary", version=armillary.__version__, docs_url=None, redoc_url=None, openapi_url="/api/openapi.json",
        responses={"4XX": {"model": Refusal, "description": "What is wrong, where, and what to do"}},
    )  # fmt: skip
    app.state.desk, app.state.sessions, app.state.users, app.state.secure = desk, sessions, users, secure
    app.state.host_names = HostNames(names)
    app.state.broadcast, app.state.motion_preview = Broadcast(desk), MotionPreview(desk.prepared)
    for router in ROUTERS:
        app.include_router(router, prefix="/api")
    app.include_router(socket)
    app.add_exception_handler(ArmillaryError, _refused)
    app.add_exception_handler(RequestValidationError, _misunderstood)
    app.middleware("http")(_guarded)
    if PAGE.is_dir():
        app.mount("/", StaticFiles(directory=PAGE, html=True))
    return app


async def _guarded(request: Request, answer: Callable[[Request], Awaitable[Response]]) -> Response:
    """Bounds on what comes in, and what a browser may do with what goes out."""
    if not request.app.state.host_names.knows(request):
        asked = request.headers.get("host", "")[:100]
        said = f"this pendant is not called {asked!r}; open it by its address, or by a name of its certificate (armillary cert)"
        return JSONResponse({"detail": said, "kind": "UnknownHost"}, 421, _HEADERS)
    length, most = request.headers.get("content-length", "0"), _LARGEST if session_of(request) is not None else _STRANGERS
    if not length.isdecimal() or len(length) > 20 or int(length) > most or ("transfer-encoding" in request.headers):
        return JSONResponse({"detail": f"{most >> 10} kB with a stated length are the most"}, 413, _HEADERS)
    response = await answer(request)
    if request.method not in ("GET", "HEAD"):
        request.app.state.broadcast.soon = True  # what was changed is shown at once: a person waits for it
    response.headers.update(_HEADERS)
    if request.url.path.startswith("/api"):
        response.headers.setdefault("Cache-Control", "no-store")
    return response


async def _refused(_: Request, error: Exception) -> Response:
    """Errors of ours say what, where and what to do: they are told as they are."""
    status = next((status for kind, status in _STATUSES if isinstance(error, kind)), 409)
    return JSONResponse({"detail": str(error), "kind": type(error).__name__}, status)


async def _misunderstood(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:])
    return JSONResponse({"detail": f"{where or 'the request'}: {first['msg']}", "kind": "BadRequest"}, 422)
