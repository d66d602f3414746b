"""What a browser can ask for, one file for each kind of thing."""

from armillary.interfaces.http.routes import (
    alarms,
    control,
    follow,
    frames,
    imitation,
    io,
    motion,
    points,
    programs,
    recordings,
    robot,
    runs,
    session,
    system,
    users,
    workspace,
)

__all__ = ["ROUTERS"]

ROUTERS = tuple(
    part.router
    for part in (
        session,
        control,
        robot,
        motion,
        programs,
        runs,
        points,
        io,
        frames,
        workspace,
        follow,
        imitation,
        recordings,
        alarms,
        system,
        users,
    )
)
