"""People who may log in, their roles and passwords; and who did what."""

from typing import Annotated, Literal

from fastapi import APIRouter, HTTPException, Query, Request
from pydantic import BaseModel, Field

from armillary.interfaces.http.access import HasDesk, HasSession, needs
from armillary.interfaces.http.desk import Desk
from armillary.interfaces.http.roles import Role, role_named
from armillary.interfaces.http.sessions import Session
from armillary.interfaces.http.users import BadUser, UserStore, checked_name

__all__ = ["router"]

router = APIRouter(tags=["users"])
Name = Annotated[str, Field(min_length=1, max_length=64)]
Secret = Annotated[str, Field(min_length=1, max_length=256)]
RoleName = Literal["viewer", "operator", "programmer", "administrator"]


class Person(BaseModel):
    """Somebody who can log in."""

    name: str
    role: RoleName
    since: str  # UTC
    here: int  # browsers that he is logged in at


class NewPerson(BaseModel):
    name: Name
    role: RoleName
    password: Secret


class NewRole(BaseModel):
    name: Name
    role: RoleName


class NewPassword(BaseModel):
    """A password for somebody; one's own with the one before."""

    name: Name
    password: Secret
    old: Secret | None = None


class AuditEntry(BaseModel):
    at: str  # UTC
    who: str
    what: str


@router.get("/users", dependencies=[needs(Role.ADMINISTRATOR)])
def everybody(request: Request) -> list[Person]:
    """Who can log in."""
    here = [session.user.casefold() for session in request.app.state.sessions.all()]
    return [
        Person(name=user.name, role=user.role.name.lower(), since=user.since, here=here.count(user.name.casefold()))
        for user in request.app.state.users.all()
    ]


@router.post("/users", dependencies=[needs(Role.ADMINISTRATOR)])
def add(person: NewPerson, request: Request, desk: HasDesk, session: HasSession) -> None:
    """Let somebody log in. The first must be an administrator."""
    request.app.state.users.add(person.name, _role(person.role), person.password)
    desk.audit.note(session.user, f"adds the user {checked_name(person.name)} as {person.role}")


@router.patch("/users", dependencies=[needs(Role.ADMINISTRATOR)])
def change_role(change: NewRole, request: Request, desk: HasDesk, session: HasSession) -> None:
    """Give somebody another role; he logs in anew."""
    name = _known(request, change.name)
    request.app.state.users.set_role(name, _role(change.role))
    desk.audit.note(session.user, f"makes {name} {change.role}")
    _log_out(request, desk, name)


@router.delete("/users", dependencies=[needs(Role.ADMINISTRATOR)])
def remove(
    name: Annotated[str, Query(min_length=1, max_length=64)], request: Request, desk: HasDesk, session: HasSession
) -> None:
    """Let somebody log in no more; he is logged out at once."""
    name = _known(request, name)
    request.app.state.users.remove(name)
    desk.audit.note(session.user, f"removes the user {name}")
    _log_out(request, desk, name)


@router.post("/users/password", dependencies=[needs(Role.VIEWER)])
def change_password(change: NewPassword, request: Request, desk: HasDesk, session: HasSession) -> None:
    """One's own with the one before, anybody's by an administrator. Who came by this machine's link becomes who he names."""
    users: UserStore = request.app.state.users
    if session.local and not users.has(change.name):
        users.add(change.name, Role.ADMINISTRATOR, change.password)
        session.user, session.local = checked_name(change.name), False
        desk.audit.note(session.user, "sets a first password, as who came by the link of this machine")
        return
    name = _known(request, change.name)
    own = name == session.user and not session.local
    if own:
        if change.old is None:
            raise BadUser("give your present password too, as 'old'")
        users.check(session.user, change.old)
    elif session.role < Role.ADMINISTRATOR:
        raise HTTPException(403, "another's password is an administrator's to set; ask one")
    users.set_password(name, change.password)
    desk.audit.note(session.user, "sets another password" + ("" if own else f" for {name}"))
    _log_out(request, desk, name, but=session)


@router.get("/audit", dependencies=[needs(Role.ADMINISTRATOR)])
def audit(desk: HasDesk, most: Annotated[int, Query(ge=1, le=5000)] = 200) -> list[AuditEntry]:
    """Who did what; the newest first."""
    return [AuditEntry(at=entry.at, who=entry.who, what=entry.what) for entry in desk.audit.newest(most)]


def _known(request: Request, name: str) -> str:
    """A name as it is kept: sessions know people by it."""
    user = request.app.state.users.named(name)
    if user is None:
        raise BadUser(f"there is no user {name!r}; look at who there is, and how the name is written")
    return str(user.name)


def _role(name: str) -> Role:
    found = role_named(name)
    assert found is not None  # the request has been held to the names there are
    return found


def _log_out(request: Request, desk: Desk, name: str, *, but: Session | None = None) -> None:
    """Everywhere: what he had in hand he has no more, and the robot stops where he moved it."""
    for ended in request.app.state.sessions.end_of(name, but=but):
        desk.give_control(ended)
