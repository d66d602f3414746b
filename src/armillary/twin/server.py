"""The twin as a process of its own: `python -m armillary.twin.server SETTINGS.json`. It listens on this machine alone.

One master at a time. Whatever a master sends, forgets to send or breaks, the robot in here ends at rest and the server lives on.
"""

import json
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from armillary.drivers.twin_wire import LostLink, TwinWire
from armillary.errors import ArmillaryError
from armillary.model import Coupling, Model, Scene, load_model
from armillary.protocols.twin import BadFrame, Frame, Hello, JointState, Kind, Mode, Welcome, command_of, hello_of
from armillary.runtime.prepared import Prepared
from armillary.runtime.realtime import go_first, take_priority
from armillary.runtime.starter import Starter
from armillary.twin.clock import TwinClock
from armillary.twin.job import TwinJob
from armillary.twin.physics import Physics
from armillary.twin.settings import BadTwin

__all__ = ["Server", "main", "run"]

_PRIORITY = 70  # below the executor's
_IDLE = 0.2  # s: that nobody is waited for at a time
_GONE_MS = 5000  # a master that takes nothing for so long is let go


class Server:
    """Physics behind a port.

    Attributes:
        port: That it listens on.
    """

    def __init__(self, physics: Physics, *, port: int = 0, clock: Callable[[], float] = time.monotonic) -> None:
        self.physics, self._now = physics, clock
        self._clock = TwinClock(physics.settings, clock())
        self._master: TwinWire | None = None
        self._greeted = False
        self._number = self._heard = 0
        try:
            self._listener = socket.create_server(("127.0.0.1", port), backlog=4)
        except OSError as error:
            raise BadTwin(f"the twin cannot listen on port {port}: {error.strerror}; choose another, or 0") from None
        self._listener.setblocking(False)
        self.port = int(self._listener.getsockname()[1])

    def serve(self) -> None:
        """Wait for what comes or is due next, and do it."""
        master = self._master
        rests = master is None and self.physics.stands
        timeout = _IDLE if rests else min(self._clock.wait(self._now()), _IDLE)
        readable, _, _ = select.select([self._listener] if master is None else [master.socket, self._listener], [], [], timeout)
        if rests:
            self._clock.begin(self._now())
        if master is not None and master.socket in readable:
            self._hear(master)
        if self._listener in readable:
            self._accept()
        self._pass_time()

    @property
    def driven(self) -> bool:
        """Whether somebody drives the robot, or it has not come to rest since."""
        return self._master is not None or not self.physics.stands

    def close(self) -> None:
        self._let_go("")
        self._listener.close()

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _GONE_MS)
            wire = TwinWire(connection)
        except OSError:
            return  # it went away again
        if self._master is not None:
            self._refuse(wire, "it has a master already; only one at a time")
            return
        self._master, self._greeted, self._number, self._heard = wire, False, 0, 0
        self._clock.begin(self._now())

    def _hear(self, master: TwinWire) -> None:
        try:
            for frame in master.receive():
                self._heard = frame.sequence
                if self._master is master:
                    self._obey(master, frame)
        except (LostLink, BadFrame) as error:
            self._let_go(str(error))

    def _obey(self, master: TwinWire, frame: Frame) -> None:
        physics = self.physics
        if not self._greeted or frame.kind == Kind.HELLO:
            self._greet(master, frame)
            return
        if frame.kind == Kind.COMMAND:
            self._command(frame)
            return
        if frame.kind == Kind.ENABLE:
            physics.enable()
            self._number = 0
            self._clock.begin(self._now())
        elif frame.kind == Kind.DISABLE:
            physics.disable()
        elif frame.kind == Kind.STOP:
            physics.brake()
        else:
            raise LostLink(f"a {frame.kind.name} is nothing that a master says")
        if physics.settings.mode == Mode.LOCK_STEP:
            self._clock.time = frame.time
        self._tell()

    def _command(self, frame: Frame) -> None:
        physics = self.physics
        command = command_of(frame, physics.model.n)
        if command.number <= self._number:
            self._tell()  # taken before: it is answered, and nothing happens
            return
        self._number = command.number
        due = self._clock.command(command.time, self._now())
        if due.fault and physics.enabled:
            physics.brake(due.fault)
        if due.followed:
            physics.follow(command)
        # What is measured now is answered at once; what the command does is worked out while the answer is on its way.
        self._tell()
        physics.advance(due.periods)

    def _greet(self, master: TwinWire, frame: Frame) -> None:
        physics, model = self.physics, self.physics.model
        if frame.kind != Kind.HELLO or self._greeted:
            self._drop(master, "it begins with HELLO, and says that once")
            return
        hello = hello_of(frame)
        if refusal := _refusal(model, hello):
            self._drop(master, refusal)
            return
        self._greeted = True
        settings = physics.settings
        welcome = Welcome(model.joints, physics.q, settings.period, settings.watchdog, settings.mode, model.digest)
        master.send(master.encoder.welcome(welcome, self._now()))

    def _pass_time(self) -> None:
        physics = self.physics
        due = self._clock.idle(self._now(), physics.follows)
        if due.fault:
            physics.brake(due.fault)
        if due.periods:
            physics.advance(due.periods)
        if (due.periods or due.fault) and self._greeted:
            self._tell()
        physics.prepare()

    def _tell(self) -> None:
        master, physics = self._master, self.physics
        if master is None:
            return
        try:
            if master.free:  # to one that does not listen the newest will do, later
                count, touches = physics.touches()
                state = JointState(
                    self._number, self._heard, self._clock.time, physics.enabled, physics.braking, physics.fault,
                    physics.q, physics.v, physics.a, physics.torque, physics.inputs, count, touches,
                    physics.analog,
                )  # fmt: skip
                master.send(master.encoder.state(state))
        except LostLink as error:
            self._let_go(str(error))

    def _refuse(self, wire: TwinWire, why: str) -> None:
        try:
            wire.send(wire.encoder.refused(why, self._now()))
            wire.socket.shutdown(socket.SHUT_WR)
            wire.receive()  # what it has sent is taken, or closing would reset the connection and lose the refusal
        except (LostLink, OSError):
            pass
        wire.close()

    def _drop(self, master: TwinWire, why: str) -> None:
        self._refuse(master, why)
        self._let_go(why)

    def _let_go(self, why: str) -> None:
        """The master is gone: the brakes fall in."""
        if self._master is None:
            return
        if why and self.physics.enabled:
            print(f"armillary twin: the master is let go: {why}", file=sys.stderr, flush=True)
        self._master.close()
        self._master, self._greeted = None, False
        self.physics.disable()
        self.physics.brake()


def _refusal(model: Model, hello: Hello) -> str:
    if hello.joints != model.joints:
        return f"it has other joints: {', '.join(model.joints)}"
    if hello.digest and hello.digest != model.digest:
        return "it is of another model; start both from the same files"
    return ""


def run(path: Path, prepared: Prepared) -> None:
    """The twin's process in a station, which has read the robot already."""
    bounds = prepared.bounds
    _serve(TwinJob.read(path), prepared.model, prepared.scene, bounds.coupling, real_time=prepared.settings.real_time)


def _serve(job: TwinJob, model: Model, scene: Scene | None, coupling: Coupling | None, *, real_time: bool) -> None:
    starter = Starter()
    ended: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: ended.append(number))
    physics = Physics(model, job.settings, np.array(job.start), scene=scene if job.settings.contacts else None, coupling=coupling)
    physics.advance(20)  # all is loaded and warm before time counts
    granted = ""
    if job.settings.mode == Mode.REAL_TIME and real_time:
        cores = sorted(os.sched_getaffinity(0))
        granted = str(take_priority(priority=_PRIORITY, core=cores[-2] if len(cores) > 1 else None))
    elif job.settings.mode == Mode.REAL_TIME:
        go_first()
    server = Server(physics, port=job.port)
    try:
        said = {"port": server.port, "pid": os.getpid(), "assumptions": list(physics.assumptions), "granted": granted}
        part = job.ready_file.with_name(f"{job.ready_file.name}.{os.getpid()}")
        part.write_text(json.dumps(said))
        os.replace(part, job.ready_file)
        while not ended and starter.lets_go_on(lambda: server.driven):
            server.serve()
    finally:
        server.close()


def main() -> None:
    if len(sys.argv) != 2:
        print("armillary twin: give one file: python -m armillary.twin.server SETTINGS.json", file=sys.stderr)
        raise SystemExit(2)
    try:
        job = TwinJob.read(Path(sys.argv[1]))
        model = load_model(job.source, group=job.group or None)
        _serve(job, model, job.scene(model), job.coupling(model), real_time=True)
    except KeyboardInterrupt:
        pass
    except (ArmillaryError, OSError) as error:
        print(f"armillary twin: {' '.join(str(error).split())}", file=sys.stderr)
        raise SystemExit(1) from None
    except Exception as error:  # a mistake of ours: nobody reads tracebacks of a process behind a port
        print(f"armillary twin: a mistake in the twin: {type(error).__name__}: {error}; please report it", file=sys.stderr)
        raise SystemExit(70) from None


if __name__ == "__main__":
    main()
