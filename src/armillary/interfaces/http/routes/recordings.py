"""Recordings: which there are, to download, to look at, to delete."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, BinaryIO

from fastapi import APIRouter, Query
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel

from armillary.errors import ArmillaryError
from armillary.interfaces.http.access import HasDesk, HasSession, needs
from armillary.interfaces.http.desk import Desk
from armillary.interfaces.http.roles import Role
from armillary.interfaces.http.signal_worker import SignalWorker
from armillary.runtime.recording_folder import NoRecording, RecordingFolder, is_being_written

__all__ = ["folder_of", "router"]

router = APIRouter(tags=["recordings"])
FileName = Annotated[str, Query(min_length=1, max_length=200)]
_PIECE = 1 << 20  # bytes that are read at once
_SHOWN = 500  # recordings that are listed
_worker = SignalWorker()  # one reader for all: reading two at once would take twice the memory


class CannotDelete(ArmillaryError):
    """A recording that must stay, or cannot be taken away."""


class RecordingShown(BaseModel):
    name: str
    robot: str
    size: int  # bytes
    at: str  # when it was begun (UTC)
    written: bool  # it is being written


def folder_of(desk: Desk) -> RecordingFolder:
    """Where this cell's recordings are."""
    return RecordingFolder(desk.cell.station.settings.recordings or None)


@router.get("/recordings", dependencies=[needs(Role.VIEWER)])
def recordings(desk: HasDesk) -> list[RecordingShown]:
    """The newest first."""
    found = []
    for path in reversed(folder_of(desk).recordings()[-_SHOWN:]):
        try:
            size = path.stat().st_size
            begun = datetime.strptime(path.name[:19], "%Y%m%d-%H%M%S-%f").replace(tzinfo=UTC)
        except (OSError, ValueError):
            continue  # the recorder has just made room; or a name that is no time: none of ours
        found.append(
            RecordingShown(
                name=path.name, robot=path.stem.partition("_")[2], size=size, at=begun.isoformat(timespec="milliseconds"),
                written=is_being_written(path),
            )
        )  # fmt: skip
    return found


@router.get("/recordings/file", dependencies=[needs(Role.VIEWER)], response_class=StreamingResponse)
def download(name: FileName, desk: HasDesk) -> StreamingResponse:
    """The file itself (MCAP: Foxglove, PlotJuggler and ROS 2 read it)."""
    path = _named(desk, name)
    try:
        file = path.open("rb")
        size = os.fstat(file.fileno()).st_size  # of one that is being written: as far as it is now
    except OSError as error:
        raise NoRecording(f"{name} cannot be read: {error.strerror}; check the folder") from None
    headers = {"content-length": str(size), "content-disposition": f'attachment; filename="{path.name}"'}
    return StreamingResponse(_pieces(file, size), media_type="application/octet-stream", headers=headers)


@router.get("/recordings/signals", dependencies=[needs(Role.VIEWER)])
def signals(
    name: FileName, desk: HasDesk,
    begin: Annotated[float | None, Query(alias="from", ge=0.0, le=1e9)] = None,
    end: Annotated[float | None, Query(alias="to", ge=0.0, le=1e9)] = None,
    points: Annotated[int, Query(ge=10, le=5000)] = 1500,
) -> Response:  # fmt: skip
    """What is drawn of a recording: lines of at most so many points, with every peak."""
    said = _worker.signals(_named(desk, name), begin=begin, end=end, points=points)
    return Response(said, media_type="application/json")


@router.delete("/recordings", dependencies=[needs(Role.PROGRAMMER)])
def delete(name: FileName, desk: HasDesk, session: HasSession) -> None:
    path = _named(desk, name)
    if is_being_written(path):
        raise CannotDelete(f"{name} is being written; wait until the next one is begun")
    try:
        path.unlink()
    except OSError as error:
        raise CannotDelete(f"{name} cannot be deleted: {error.strerror}; check the folder") from None
    desk.audit.note(session.user, f"deletes the recording {name}")


def _named(desk: Desk, name: str) -> Path:
    """A recording by its name: one of those that are listed, so that no name leads elsewhere."""
    folder = folder_of(desk)
    path = next((path for path in folder.recordings() if path.name == name), None)
    if path is None or not path.is_file() or path.is_symlink():
        raise NoRecording(
            f"{folder.path}: there is no recording {name!r}; it may have made room for newer ones; look at the list"
        )
    return path


def _pieces(file: BinaryIO, size: int) -> Iterator[bytes]:
    with file:
        while size > 0 and (piece := file.read(min(_PIECE, size))):
            size -= len(piece)
            yield piece
