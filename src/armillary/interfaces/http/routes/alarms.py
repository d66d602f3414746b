"""Alarms: what went wrong, and what to do."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel

from armillary.interfaces.http.access import HasDesk, HasSession, needs
from armillary.interfaces.http.roles import Role

__all__ = ["router"]

router = APIRouter(tags=["alarms"])


class AlarmShown(BaseModel):
    """As the message of the same name that is told on the link."""

    key: Literal["alarm"] = "alarm"
    number: int
    at: str  # UTC
    cause: str
    joint: str
    value: float | None
    limit: float | None
    text: str
    remedy: str


@router.get("/alarms", dependencies=[needs(Role.VIEWER)])
def history(desk: HasDesk, most: Annotated[int, Query(ge=1, le=5000)] = 200) -> list[AlarmShown]:
    """The newest first."""
    return [AlarmShown.model_validate(alarm, from_attributes=True) for alarm in desk.alarms.history(most)]


@router.post("/alarms/seen", dependencies=[needs(Role.OPERATOR)])
def seen(desk: HasDesk, session: HasSession) -> None:
    """Somebody has seen them all."""
    if desk.alarms.unseen:
        desk.audit.note(session.user, f"has seen {desk.alarms.unseen} alarms")
    desk.alarms.acknowledge()
