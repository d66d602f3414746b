"""The channels between a station's processes, and where each lies in its folder."""

import os
import shutil
import tempfile
from pathlib import Path

import numpy as np

from armillary.runtime.board_kinds import FOLLOWED, LIFE, PANIC, PERSON, external_kind, jog_kind, state_kind
from armillary.runtime.channel import Board, Pipe, memory_folder
from armillary.runtime.hosted_driver import command_kind, feedback_kind

__all__ = ["JOGGER", "PIPES", "PREFIX", "PROCESSES", "RECORDER", "StationChannels", "find_stations", "sweep"]

PROCESSES = np.dtype([("time", "f8"), ("text", "S16000")])  # what the supervisor says of each, as JSON
RECORDER = np.dtype([("written", "u8"), ("lost", "u8"), ("file", "S400"), ("problem", "S200"), ("time", "f8")])
JOGGER = np.dtype([("time", "f8"), ("held_by", "S240")])  # what slows or stops a jog
# Pipes by name: bytes that may be on their way. Together they stay under what small systems have of shared memory.
PIPES = {
    "orders": 1 << 21, "answers": 1 << 20, "history": 1 << 22, "plans": 1 << 21, "planned": 1 << 21, "jog_pieces": 1 << 20,
    "jog_answers": 1 << 16, "host_orders": 1 << 20,
}  # fmt: skip
PREFIX = "armillary-"


class StationChannels:
    """All channels of a station: made once, before its processes begin, and taken away at the end."""

    def __init__(self, folder: Path, n: int) -> None:
        kinds = {
            "state": state_kind(n), "life": LIFE, "panic": PANIC, "external": external_kind(n), "followed": FOLLOWED,
            "person": PERSON, "jog": jog_kind(n),
            "jogger": JOGGER, "processes": PROCESSES, "recorder": RECORDER, "host_command": command_kind(n),
            "host_feedback": feedback_kind(n),
        }  # fmt: skip
        self.boards: dict[str, Board] = {name: Board(folder / name, kind, create=True) for name, kind in kinds.items()}
        self.pipes = {name: Pipe(folder / name, size, create=True) for name, size in PIPES.items()}
        life = self.boards["life"]
        life.value["override"] = 1.0
        for board in self.boards.values():
            board.write()

    def close(self) -> None:
        for board in self.boards.values():
            board.close()
        for pipe in self.pipes.values():
            pipe.close()


def find_stations() -> list[Path]:
    """Folders of the stations that run on this machine and are this user's, newest first."""
    found = []
    for folder in _folders():
        try:
            pid = int((folder / "supervisor.pid").read_text())
            os.kill(pid, 0)
        except (OSError, ValueError):
            continue
        found.append(folder)
    return sorted(found, key=lambda folder: folder.stat().st_mtime, reverse=True)


def _folders() -> list[Path]:
    """Where stations may be: in shared memory, and where there was no room in it."""
    places = {memory_folder(), Path("/dev/shm"), Path(tempfile.gettempdir())}
    return [folder for place in places if place.is_dir() for folder in place.glob(f"{PREFIX}*")]


def sweep() -> None:
    """Take away what stations left behind that were killed: their memory is this machine's."""
    living = set(find_stations())
    for folder in _folders():
        pid = folder / "supervisor.pid"
        if folder not in living and pid.is_file() and os.access(folder, os.W_OK):
            shutil.rmtree(folder, ignore_errors=True)
