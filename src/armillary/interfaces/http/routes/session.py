"""Coming in and going out: the one-time link, log-in, log-out, the lock screen."""

from fastapi import APIRouter, HTTPException, Request, Response
from pydantic import BaseModel, Field

from armillary.interfaces.http.access import AnySession, HasDesk, HasSession, cookie_of, needs
from armillary.interfaces.http.roles import Role
from armillary.interfaces.http.users import BadLogin, TooManyTries
from armillary.programs.teach.store import user

__all__ = ["router"]

router = APIRouter(tags=["session"])
Secret = Field(min_length=1, max_length=256)


class Who(BaseModel):
    """Who sits at this browser."""

    user: str = ""
    role: str = ""
    session: str = ""
    local: bool = False
    locked: bool = False
    passwords: bool = False  # whether anybody can log in by name
    has_password: bool = False  # whether this person can


class Link(BaseModel):
    link: str = Secret


class Login(BaseModel):
    name: str = Field(min_length=1, max_length=64)
    password: str = Secret


class Password(BaseModel):
    password: str = Secret


@router.get("/session", dependencies=[needs(Role.NOBODY)])
def who(request: Request, session: AnySession) -> Who:
    users = request.app.state.users
    if session is None:
        return Who(passwords=users.any())
    return Who(
        user=session.user, role=session.role.name.lower(), session=session.number, local=session.local, locked=session.locked,
        passwords=users.any(), has_password=users.has(session.user),
    )  # fmt: skip


@router.post("/enter", dependencies=[needs(Role.NOBODY)])
def enter(link: Link, request: Request, response: Response, desk: HasDesk) -> None:
    """With the link that was printed where the cell was started; once."""
    name = user()  # the name that he is logged in with on this machine
    secret = request.app.state.sessions.enter(link.link, name)
    if secret is None:
        raise HTTPException(401, "this link has been used, or is of another start; take the one that was printed last, or log in")
    _remember(request, response, secret)
    desk.audit.note(name, "comes in by the link")


@router.post("/login", dependencies=[needs(Role.NOBODY)])
def login(given: Login, request: Request, response: Response, desk: HasDesk) -> None:
    """With name and password."""
    try:
        user = request.app.state.users.check(given.name, given.password)
    except TooManyTries:
        raise
    except BadLogin:
        desk.audit.note_of_stranger(given.name, "is not let in: name and password do not go together")
        raise
    _remember(request, response, request.app.state.sessions.begin(user.name, user.role))
    desk.audit.note(user.name, "logs in")


@router.post("/logout", dependencies=[needs(Role.NOBODY)])
def logout(request: Request, response: Response, desk: HasDesk, session: AnySession) -> None:
    if session is not None:
        desk.give_control(session)
        request.app.state.sessions.end(session)
        desk.audit.note(session.user, "logs out")
    response.delete_cookie(cookie_of(request))


@router.post("/lock", dependencies=[needs(Role.VIEWER)])
def lock(request: Request, desk: HasDesk, session: HasSession) -> None:
    """Lock this screen: it shows, and can stop; for more it wants the password."""
    if not request.app.state.users.has(session.user):
        raise HTTPException(409, "nobody could unlock it: you have no password yet; set one in Users")
    desk.give_control(session)
    session.locked = True
    desk.audit.note(session.user, "locks the screen")


@router.post("/unlock", dependencies=[needs(Role.NOBODY)])
def unlock(given: Password, request: Request, desk: HasDesk, session: AnySession) -> None:
    if session is None:
        raise HTTPException(401, "log in first")
    try:
        request.app.state.users.check(session.user, given.password)
    except TooManyTries:
        raise
    except BadLogin:
        desk.audit.note_of_stranger(session.user, "does not unlock the screen: the password is another")
        raise
    session.locked = False
    desk.audit.note(session.user, "unlocks the screen")


def _remember(request: Request, response: Response, secret: str) -> None:
    response.set_cookie(cookie_of(request), secret, httponly=True, samesite="strict", secure=request.app.state.secure, path="/")
