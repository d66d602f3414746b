"""Power, stop, mode, override, and who has control."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from armillary.interfaces.http.access import AnySession, HasDesk, HasSession, needs
from armillary.interfaces.http.roles import Role

__all__ = ["router"]

router = APIRouter(tags=["control"])
_STOPPING = ThreadPoolExecutor(4, thread_name_prefix="stop")  # threads that nothing else can take


class StopOrder(BaseModel):
    category: Literal[0, 1, 2] = 2


class TakeOrder(BaseModel):
    force: bool = False


class ModeOrder(BaseModel):
    mode: Literal["manual", "automatic"]


class OverrideOrder(BaseModel):
    rate: float = Field(ge=0.0, le=1.0)


@router.post("/stop", dependencies=[needs(Role.NOBODY)])
async def stop(order: StopOrder, desk: HasDesk, session: AnySession) -> None:
    """Stop the robot. Anybody may; it waits behind nothing that others have asked for."""
    who = session.user if session is not None else ""
    await asyncio.get_running_loop().run_in_executor(_STOPPING, desk.stop, order.category, who)


@router.post("/control/take", dependencies=[needs(Role.OPERATOR)])
def take(order: TakeOrder, request: Request, desk: HasDesk, session: HasSession) -> None:
    """Be the one who moves the robot. By force it stops first; that is an administrator's."""
    force = order.force and session.role == Role.ADMINISTRATOR
    desk.take_control(session, request.app.state.broadcast.links_of(session), force=force)


@router.post("/control/give", dependencies=[needs(Role.OPERATOR)])
def give(request: Request, desk: HasDesk, session: HasSession) -> None:
    """Have control no longer: who asks for it has it then, or nobody."""
    desk.hand_over(session, request.app.state.broadcast.links_of)


@router.post("/power/on", dependencies=[needs(Role.OPERATOR, control=True)])
def power_on(desk: HasDesk, session: HasSession) -> None:
    """Reach the motors and enable the drives."""
    desk.do(session, "powers the robot on", desk.cell.power_on)


@router.post("/power/off", dependencies=[needs(Role.OPERATOR, control=True)])
def power_off(desk: HasDesk, session: HasSession) -> None:
    desk.do(session, "powers the robot off", desk.cell.power_off)


@router.post("/reset", dependencies=[needs(Role.OPERATOR, control=True)])
def reset(desk: HasDesk, session: HasSession) -> None:
    """Leave a fault, and be ready again."""
    desk.do(session, "resets a fault", desk.cell.reset)
    desk.alarms.acknowledge()


@router.post("/mode", dependencies=[needs(Role.OPERATOR, control=True)])
def mode(order: ModeOrder, desk: HasDesk, session: HasSession) -> None:
    desk.do(session, f"switches to {order.mode} mode", lambda: desk.set_mode(order.mode))


@router.post("/override", dependencies=[needs(Role.OPERATOR, control=True)])
def override(order: OverrideOrder, desk: HasDesk, session: HasSession) -> None:
    """The share of their speed at which motions run."""
    desk.need_control(session)
    desk.cell.override(order.rate)
    desk.audit.note_last(session.user, f"sets the feed to {100 * order.rate:.0f} %", "feed")


@router.post("/hold", dependencies=[needs(Role.OPERATOR)])
def hold(desk: HasDesk, session: HasSession) -> None:
    """Stop on the path, to go on later."""
    desk.cell.hold()
    desk.audit.note(session.user, "holds the motion")


@router.post("/resume", dependencies=[needs(Role.OPERATOR, control=True)])
def resume(desk: HasDesk, session: HasSession) -> None:
    """Go on from a hold; a program in manual mode with the next press."""
    desk.do(session, "lets the motion go on", desk.resume)
