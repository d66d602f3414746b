"""Who may ask for what: a session by its cookie, a role by the session, control by the lease; and from no page but ours."""

from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import Depends, HTTPException, Request
from starlette.requests import HTTPConnection

from armillary.interfaces.http.desk import Desk
from armillary.interfaces.http.roles import Role
from armillary.interfaces.http.sessions import COOKIE, Session

__all__ = ["AnySession", "HasDesk", "HasSession", "cookie_of", "needs", "same_origin", "session_of"]

HEADER = "x-armillary"  # that a form of another page cannot send: with the cookie's SameSite it keeps others' requests out


# Asynchronous, though they wait for nothing: others would take a thread each, which a stop might have to wait for.


async def desk_of(connection: HTTPConnection) -> Desk:
    found: Desk = connection.app.state.desk
    return found


def cookie_of(connection: HTTPConnection) -> str:
    """The name of the session's cookie: browsers keep one for all ports, and there may be several cells on a machine."""
    port = (connection.scope.get("server") or ("", 0))[1]
    return f"{COOKIE}_{port}"


def session_of(connection: HTTPConnection) -> Session | None:
    found: Session | None = connection.app.state.sessions.of(connection.cookies.get(cookie_of(connection)))
    return found


async def _session_of(connection: HTTPConnection) -> Session | None:
    return session_of(connection)


HasDesk = Annotated[Desk, Depends(desk_of)]
AnySession = Annotated[Session | None, Depends(_session_of)]


def same_origin(connection: HTTPConnection) -> bool:
    """Whether a page of ours asks. Programs that are no browsers send no origin."""
    origin = connection.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == connection.headers.get("host", "")


def needs(role: Role, *, control: bool = False) -> Any:
    """What a route needs: a role at least, and control of the robot."""

    async def check(request: Request, session: AnySession, desk: HasDesk) -> Session | None:
        if request.method not in ("GET", "HEAD") and (not same_origin(request) or HEADER not in request.headers):
            raise HTTPException(403, f"requests that change something come from the pendant's own page, with the header {HEADER}")
        if role == Role.NOBODY:
            return session
        if session is None:
            raise HTTPException(401, "log in first")
        if session.locked:
            raise HTTPException(423, "this screen is locked; give your password")
        if session.role < role:
            raise HTTPException(403, f"this needs the role {role.name.lower()}; {session.user} is {session.role.name.lower()}")
        if control:
            desk.need_control(session)
        return session

    return Depends(check)


HasSession = Annotated[Session, Depends(_session_of)]
