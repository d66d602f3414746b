"""A twin behind a port, in a thread or in a process, for tests."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from armillary.model import Model, load_model
from armillary.protocols.twin import Mode
from armillary.twin.physics import Physics
from armillary.twin.server import Server
from armillary.twin.settings import TwinSettings


@cache
def model_of(name: str) -> Model:
    return load_model(name)


def physics_of(name: str = "cobot6", start: np.ndarray | None = None, **settings: Any) -> Physics:
    model = model_of(name)
    return Physics(model, TwinSettings(**{"contacts": False, **settings}), model.zero() if start is None else start)


@contextmanager
def serving(physics: Physics) -> Iterator[Server]:
    """A server that runs in a thread."""
    server, ended, failed = Server(physics), threading.Event(), []

    def run() -> None:
        try:
            while not ended.is_set():
                server.serve()
        except Exception as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield server
    finally:
        ended.set()
        thread.join()
        server.close()
    assert not failed, failed


@dataclass
class TwinProcess:
    """A server in a process of its own."""

    process: "subprocess.Popen[str]"
    port: int
    ready: dict[str, Any]


def write_job(folder: Path, **changes: Any) -> Path:
    job = {
        "source": "cobot6", "start": [0.0] * 6, "ready_file": str(folder / "ready"),
        "settings": TwinSettings(contacts=False, mode=Mode.LOCK_STEP).to_json(),
    }  # fmt: skip
    path = folder / "job.json"
    path.write_text(json.dumps(job | changes))
    return path


@contextmanager
def twin_process(folder: Path, **changes: Any) -> Iterator[TwinProcess]:
    folder.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "armillary.twin.server", str(write_job(folder, **changes))]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        end = time.monotonic() + 60.0
        while not (folder / "ready").exists():
            assert process.poll() is None and time.monotonic() < end, process.stderr and process.stderr.read()
            time.sleep(0.02)
        ready = json.loads((folder / "ready").read_text())
        yield TwinProcess(process, ready["port"], ready)
    finally:
        if process.poll() is None:
            os.kill(process.pid, 18)  # SIGCONT: one that was stopped hears nothing
            process.terminate()
        process.communicate(timeout=20)
