"""The WebSocket: state out, jogs, presses and stops in. What is wrong with a message is told, and the link lives."""

import asyncio
import contextlib

import numpy as np
from fastapi import APIRouter, WebSocket
from starlette.websockets import WebSocketDisconnect

from armillary.errors import ArmillaryError
from armillary.interfaces.http.access import same_origin, session_of
from armillary.interfaces.http.broadcast import Broadcast, Viewer
from armillary.interfaces.http.desk import Desk
from armillary.interfaces.http.messages import (
    FROM_BROWSER,
    Focus,
    Jog,
    Notice,
    PersonFrame,
    Ping,
    Pong,
    Press,
    Release,
    StopNow,
)
from armillary.interfaces.http.roles import Role
from armillary.interfaces.http.wire import Message, decode

__all__ = ["router"]

router = APIRouter()
_KINDS = {kind.key: kind for kind in FROM_BROWSER}
_MOVES = (Jog, Press)  # what needs an operator


@router.websocket("/ws")
async def talk(socket: WebSocket) -> None:
    session = session_of(socket)
    if session is None or not same_origin(socket) or not socket.app.state.host_names.knows(socket):
        await socket.close(1008)
        return
    await socket.accept()
    broadcast: Broadcast = socket.app.state.broadcast
    viewer = Viewer(session)
    broadcast.join(viewer)
    telling = asyncio.create_task(_tell(socket, viewer))
    try:
        while True:
            _hear(await socket.receive_text(), viewer, broadcast.desk)
    except (WebSocketDisconnect, RuntimeError, KeyError):
        pass  # it is gone, or sent bytes that are no text
    finally:
        telling.cancel()
        broadcast.leave(viewer)
        # Nobody holds what this browser held. Its program goes on where the mode lets it.
        if broadcast.desk.lease.holder is session and not broadcast.links_of(session):
            with contextlib.suppress(ArmillaryError):
                broadcast.desk.release()


async def _tell(socket: WebSocket, viewer: Viewer) -> None:
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        while True:
            told = await viewer.next()
            if viewer.session.over:  # logged out, here or elsewhere
                await socket.close(4401)
                return
            for text in told:
                await socket.send_text(text)


def _hear(text: str, viewer: Viewer, desk: Desk) -> None:
    try:
        _do(decode(text, _KINDS), viewer, desk)
    except ArmillaryError as error:
        viewer.tell(Notice("refused", str(error)))


def _hold(message: Jog | Press, viewer: Viewer, desk: Desk) -> None:
    was_cut = viewer.pace.cut
    if viewer.pace.held(jogs=isinstance(message, Jog)):
        viewer.tell(Notice("slow", "this browser or its link is too slow for holding: the motion stops between two of its signs"))
    try:
        if isinstance(message, Press):
            desk.press(viewer.session)
        elif not viewer.pace.cut:
            desk.jog(viewer.session, message)
        elif not was_cut:
            viewer.tell(Notice("cut", "the jog was cut: the link was late; let go, and press again"))
    finally:
        viewer.pace.done()


def _do(message: Message, viewer: Viewer, desk: Desk) -> None:
    session = viewer.session
    if isinstance(message, Ping):
        viewer.tell(Pong(message.number))
    elif isinstance(message, StopNow):
        desk.stop(message.category, session.user)
    elif isinstance(message, Focus):
        viewer.seen = message.seen
        if not message.seen and desk.lease.holder is session:
            desk.release()
    elif isinstance(message, Release):
        viewer.pace.let_go()
        if desk.lease.holder is session:
            desk.release()
    elif session.locked or session.role < Role.OPERATOR:
        viewer.tell(Notice("refused", "this screen is locked" if session.locked else "this needs the role operator"))
    elif isinstance(message, Jog | Press):
        _hold(message, viewer, desk)
    elif isinstance(message, PersonFrame):
        desk.need_control(session)
        desk.take_frame(np.array(message.values, dtype=float))
