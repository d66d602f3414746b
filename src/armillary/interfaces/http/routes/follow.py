"""Following: another cell leads, this one goes with it while the clutch is closed."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends
from pydantic import BaseModel, Field

from armillary.interfaces.http.access import HasDesk, HasSession, needs
from armillary.interfaces.http.following_desk import FollowingDesk, leaders
from armillary.interfaces.http.made_once import made_once
from armillary.interfaces.http.roles import Role

__all__ = ["router"]

router = APIRouter(tags=["follow"])
HasFollowing = Annotated[FollowingDesk, Depends(made_once("following", FollowingDesk))]


class Leader(BaseModel):
    name: str  # by which it is chosen
    source: str  # its robot or cell
    driver: str


class FollowState(BaseModel):
    leader: str  # "" for none
    kind: Literal["joints", "tool"]
    scale: float
    engaged: bool
    lost: str  # why it let go by itself, or ""
    held_by: str  # what holds the robot at an edge, or ""
    rounds: int  # set-points that were sent


class Leaders(BaseModel):
    leaders: list[Leader]
    following: FollowState


class FollowOrder(BaseModel):
    leader: str = Field(min_length=1, max_length=200)
    kind: Literal["joints", "tool"] = "joints"
    scale: Annotated[float, Field(gt=0.0, le=10.0)] = 1.0


class ClutchOrder(BaseModel):
    engaged: bool


@router.get("/follow/leaders", dependencies=[needs(Role.VIEWER)])
def who_leads(desk: HasDesk, following: HasFollowing) -> Leaders:
    """The other cells that run on this machine, and what is followed now."""
    found = [Leader(name=name, source=each.source, driver=each.driver) for name, each in leaders(desk).items()]
    return Leaders(leaders=found, following=_state(following))


@router.post("/follow", dependencies=[needs(Role.OPERATOR, control=True)])
def follow(order: FollowOrder, desk: HasDesk, session: HasSession, following: HasFollowing) -> FollowState:
    """Choose a leader. Nothing moves until the clutch is closed."""
    desk.do(
        session,
        f"chooses {order.leader} to be followed by its {order.kind}, scaled by {order.scale:g}",
        lambda: following.choose(order.leader, order.kind, order.scale),
    )
    return _state(following)


@router.post("/follow/clutch", dependencies=[needs(Role.OPERATOR, control=True)])
def clutch(order: ClutchOrder, desk: HasDesk, session: HasSession, following: HasFollowing) -> FollowState:
    """Close the clutch or open it. In manual mode it opens when nobody holds to run."""
    if order.engaged:
        desk.do(session, f"follows {following.leader}", lambda: following.engage(session))
    else:
        following.disengage()  # behind nothing else that is being done
        desk.audit.note(session.user, "opens the clutch")
    return _state(following)


@router.post("/follow/end", dependencies=[needs(Role.OPERATOR, control=True)])
def end(desk: HasDesk, session: HasSession, following: HasFollowing) -> FollowState:
    """No leader any more."""
    following.end()
    desk.audit.note(session.user, "ends following")
    return _state(following)


def _state(following: FollowingDesk) -> FollowState:
    now = following.state
    kind: Literal["joints", "tool"] = "tool" if following.kind == "tool" else "joints"
    return FollowState(
        leader=following.leader, kind=kind, scale=following.scale, engaged=now is not None and now.engaged,
        lost=following.opened_by or (now.lost if now is not None else ""), held_by=now.held_by if now is not None else "",
        rounds=now.rounds if now is not None else 0,
    )  # fmt: skip
