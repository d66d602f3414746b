"""The physics twin as a motor side: the same robot in a simulator, in a process of its own, over TCP."""

import select
import socket
from collections.abc import Sequence
from time import monotonic

from armillary.drivers.driver import MOST_ANALOG, MOST_DIGITAL, Capabilities, Command, Feedback
from armillary.drivers.errors import DriverError
from armillary.drivers.twin_wire import LostLink, TwinWire
from armillary.errors import ArmillaryError
from armillary.protocols.twin import Hello, JointState, Kind, Mode, Touch, Welcome, refusal_of, state_of, welcome_of

__all__ = ["PhysicsDriver"]

_CONNECT = 1.0  # s
_FINISH = 0.05  # s: in which the twin reads what was said last
_ANSWER = 5.0  # s: for which an answer is awaited in lock step
_REMEMBERED = 64  # commands whose time of writing is known


class PhysicsDriver:
    """The wire to a twin.

    Attributes:
        welcome: What the twin said of itself when it was opened, or None.
        round_trip: From writing a command to its answer, as it was read last [s]; 0 before the first.
        touches: Which bodies touch, as far as told.
    """

    def __init__(
        self,
        address: tuple[str, int],
        joints: Sequence[str],
        *,
        digest: str = "",
        lock_step: bool = False,
        watchdog: float = 0.02,
    ) -> None:
        """Args:
        address: Host and port.
        joints: Their names, in the order of q.
        digest: Of the model; the twin must be of the same. Any is taken where left out.
        lock_step: The twin takes one period for each command, and `read` waits for its answer.
        watchdog: That is promised until the twin has said its own [s].
        """
        self._address, self._joints, self._digest, self._lock_step = address, tuple(joints), digest, lock_step
        self._capabilities = self._able(watchdog)
        self._wire: TwinWire | None = None
        self._lost = ""
        self._asked = 0  # sequence number of the last order: states from before it are not about what follows it
        self._awaited = 0  # the same of the last frame that has an answer
        self._number = 0  # of the last command
        self._time = 0.0  # of the last command
        self._written = [0.0] * _REMEMBERED
        self.welcome: Welcome | None = None
        self.round_trip = 0.0
        self.touches: tuple[Touch, ...] = ()

    @property
    def capabilities(self) -> Capabilities:
        return self._capabilities

    def open(self) -> None:
        """Reach the twin.

        Raises:
            DriverError: It cannot be reached, is another robot's, or has another master; says which.
        """
        self.close()
        place = f"the twin at {self._address[0]}:{self._address[1]}"
        try:
            connection = socket.create_connection(self._address, timeout=_CONNECT)
        except OSError as error:
            raise DriverError(f"{place} cannot be reached: {error.strerror or error}; is it started?") from None
        wire = TwinWire(connection)
        try:
            self.welcome = self._greet(wire, place)
        except ArmillaryError:
            wire.close()
            raise
        self._capabilities = self._able(self.welcome.watchdog)
        self._wire, self._lost, self._number, self._asked, self._time = wire, "", 0, 0, 0.0
        self._awaited = wire.encoder.sequence

    def enable(self) -> None:
        self._order(Kind.ENABLE)
        self._number = 0

    def stop(self) -> None:
        self._order(Kind.STOP)

    def disable(self) -> None:
        self._order(Kind.DISABLE)

    def write(self, command: Command) -> None:
        wire = self._wire
        if wire is None or self._lost or command.number <= self._number:
            return
        try:
            if not wire.free:
                return  # the twin does not listen; more set-points would only be old when it does
            self._number, self._time = command.number, command.time
            wire.send(
                wire.encoder.command(
                    command.number, command.time, command.q, command.v, command.a, command.torque, command.outputs, command.analog
                )
            )
            self._awaited = wire.encoder.sequence
            self._written[command.number % _REMEMBERED] = monotonic()
        except ArmillaryError as error:
            self._lose(str(error))

    def read(self, feedback: Feedback) -> bool:
        if self._wire is None:
            return False
        state = None
        if not self._lost:
            try:
                state = self._newest(self._wire)
                if self._lock_step:
                    state = self._answer(self._wire, state)
            except ArmillaryError as error:
                self._lose(str(error))
        if self._lost:
            feedback.enabled, feedback.fault = False, self._lost
            return True
        if state is None:
            return False
        self._fill(feedback, state)
        return True

    def close(self) -> None:
        if self._wire is not None:
            if not self._lost:
                self._wire.finish(_FINISH)
            self._wire.close()
        self._wire, self._lost = None, ""

    def _greet(self, wire: TwinWire, place: str) -> Welcome:
        wire.send(wire.encoder.hello(Hello(self._joints, self._digest), monotonic()))
        end = monotonic() + _CONNECT
        while (left := end - monotonic()) > 0.0:
            _wait(wire, left)
            for frame in wire.receive():
                if frame.kind == Kind.REFUSED:
                    raise DriverError(f"{place} refuses: {refusal_of(frame)}")
                if frame.kind == Kind.WELCOME:
                    welcome = welcome_of(frame, len(self._joints))
                    self._check(welcome, place)
                    return welcome
        raise DriverError(f"{place} does not answer; is it a twin?")

    def _check(self, welcome: Welcome, place: str) -> None:
        if welcome.joints != self._joints:
            raise DriverError(f"{place} has other joints: {', '.join(welcome.joints)}; here are: {', '.join(self._joints)}")
        if self._digest and welcome.digest != self._digest:
            raise DriverError(f"{place} is of another model; start it from the same files")
        if self._lock_step != (welcome.mode == Mode.LOCK_STEP):
            raise DriverError(f"{place} keeps time by {welcome.mode.name.lower()}; start it in the mode that is meant here")

    def _able(self, watchdog: float) -> Capabilities:
        return Capabilities(
            velocity=True, acceleration=True, torque=True, measures_torque=True, inputs=MOST_DIGITAL, outputs=MOST_DIGITAL,
            watchdog=watchdog, analog_inputs=MOST_ANALOG, analog_outputs=MOST_ANALOG, simulated=True,
        )  # fmt: skip

    def _order(self, kind: Kind) -> None:
        wire = self._wire
        if wire is None or self._lost:
            return
        try:
            wire.send(wire.encoder.order(kind, max(self._time, monotonic())))
            self._asked = self._awaited = wire.encoder.sequence
        except ArmillaryError as error:
            self._lose(str(error))

    def _newest(self, wire: TwinWire) -> JointState | None:
        """The newest state that has come and is not from before the last order."""
        for frame in reversed(wire.receive()):
            if frame.kind == Kind.STATE:
                state = state_of(frame, len(self._joints))
                return state if state.heard >= self._asked else None
            if frame.kind == Kind.REFUSED:
                raise LostLink(refusal_of(frame))
        return None

    def _answer(self, wire: TwinWire, state: JointState | None) -> JointState | None:
        """The answer to what was asked last: in lock step it always comes."""
        if self._awaited == 0:
            return state
        end = monotonic() + _ANSWER
        while state is None or state.heard < self._awaited:
            left = end - monotonic()
            if left <= 0.0:
                raise LostLink(f"no answer for {_ANSWER:.0f} s")
            wire.send(b"")
            _wait(wire, left)
            state = self._newest(wire)
        self._awaited = 0
        return state

    def _fill(self, feedback: Feedback, state: JointState) -> None:
        now = monotonic()
        feedback.q[:], feedback.v[:], feedback.a[:], feedback.torque[:] = state.q, state.v, state.a, state.torque
        feedback.time = state.time if self._lock_step else now
        feedback.enabled, feedback.fault, feedback.inputs = state.enabled, state.fault, state.inputs
        feedback.analog[:], feedback.contacts, self.touches = state.analog, state.contacts, state.touches
        slot = state.number % _REMEMBERED
        if self._number - _REMEMBERED < state.number and self._written[slot]:
            self.round_trip, self._written[slot] = now - self._written[slot], 0.0
        feedback.number = state.number

    def _lose(self, why: str) -> None:
        self._lost = f"the twin's link is lost: {why}"


def _wait(wire: TwinWire, timeout: float) -> None:
    select.select([wire.socket], [], [], timeout)
