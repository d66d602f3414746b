"""Servo boards on a serial port (paper 1): cyclic, one way, in whole degrees or hundredths.

Hobby servos say nothing of where they are, and the frame has no answer. So `Capabilities.feedback_rate` is 0: the feedback is not
measured. Its positions are the commands, approached at no more than the servos' speed; that they are sent only so many times a
second, and rounded, comes on top. Its velocities are the command's, and the rest is NaN. Whether a servo is stuck, unplugged or
too weak is not known here, and no following error can tell.
"""

from collections.abc import Callable
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from armillary.description.robot import JointType
from armillary.drivers.driver import Capabilities, Command, Feedback
from armillary.drivers.errors import DriverError
from armillary.drivers.registry import DriverRequest
from armillary.drivers.servo_frame_options import OPTIONS, ServoFrameOptions, check_servos, read_options
from armillary.drivers.servo_frame_wire import ServoFrameWire
from armillary.drivers.set_point_check import SetPointCheck
from armillary.protocols.servo_frame import STAMPS, stamp_of, write_servo_frame

__all__ = ["ServoFrameDriver", "make_servo_frame"]

Array = NDArray[np.float64]
_ENABLES = 4.5  # s: the executor gives drives up that are not enabled after 5
_PAUSE = 0.2  # of the time from frame to frame


class ServoFrameDriver:
    """Sends the newest set-point in a frame, so many times a second; earlier one that answers something new from outside, and
    the next one later by as much.

    Nobody knows where the servos are before the first frame. Enabling sends where they should be, the start, until they must be
    there by their speed from wherever they were; only then the drives are enabled. There is no order to switch servos off:
    disabled, nothing is sent any more, and the boards hold.

    Attributes:
        sent: Frames that went out since it was opened.
    """

    def __init__(
        self, options: ServoFrameOptions, joints: tuple[str, ...], start: Array, *, check: SetPointCheck | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:  # fmt: skip
        """Args:
        joints: Their names, in the order of q.
        check: Of set-points, with the joints' limits; without, servos' ranges alone bound them.
        start: Where the robot is put at first, shape (n,) [rad].
        clock: [s]; time stamps are of it.

        Raises:
            DriverError: A servo cannot be where the start wants it.
        """
        self._options, self._joints, self._clock = options, joints, clock
        self._check = check or SetPointCheck(joints)
        self._scale, self._offset = options.scale, options.of("offset")
        self._low, self._high, self._speed = options.of("lower"), options.of("upper"), options.of("speed")
        interval = 1.0 / options.rate
        # Looked after five times in the time of a frame: what that adds to a command's way is little beside the frame's own.
        self._capabilities = Capabilities(
            feedback_rate=0.0, interval=interval, watchdog=options.watchdog, pause=_PAUSE * interval
        )
        self._wire: ServoFrameWire | None = None
        self._goal = self._servo_angles(np.asarray(start, dtype=float))  # [degree]
        if problem := self._outside(self._goal):
            raise DriverError(f"driver.options: at the start {problem}; set its offset, direction or range")
        self._angle, self._v = self._goal.copy(), np.zeros(len(joints))  # of the servos by now [degree]; as commanded [rad/s]
        self._known, self._boots = False, clock()
        travel = float(((self._high - self._low) / self._speed).max())
        if options.boot + travel > _ENABLES:
            raise DriverError(
                f"driver.options: boot of {options.boot:g} s and {travel:.1f} s to turn from end to end are over {_ENABLES:g} s; "
                "the drives would count as dead: lower boot, or raise speed"
            )
        self._travel, self._goes_ahead = travel, options.watchdog >= 4.0 * interval
        self._reset()

    def _reset(self) -> None:
        self._enabled: bool = False
        self._enabling: bool = False
        self._stopped: bool = False
        self._moving: bool = False  # the last command had a velocity
        self._fault: str = ""
        self._lost: str = ""
        self._number: int = 0  # of the last command
        self._stamp: int = -1  # of the last frame
        self._due: float = -np.inf  # when the next frame is, by the rate
        self._since: float = 0.0  # when that came in from outside which the last command answers
        self._answers: bool = False  # no frame has gone out since with that
        self._heard: float = self._clock()
        self._moved: float = self._heard
        self._taken: float = self._heard  # when the port last took a frame

    @property
    def capabilities(self) -> Capabilities:
        return self._capabilities

    @property
    def sent(self) -> int:
        return 0 if self._wire is None else self._wire.sent

    def open(self) -> None:
        """Raises:
        DriverError: The port cannot be opened.
        """
        self.close()
        self._wire = ServoFrameWire(self._options.port, self._options.baud)
        self._known, self._boots = False, self._clock() + self._options.boot

    def enable(self) -> None:
        now = self._clock()
        self._reset()
        self._moved = self._heard = now
        self._enabling = True
        self._goal = self._angle.copy()  # nothing from before is replayed
        self._there = max(now, self._boots) + (0.0 if self._known else self._travel)

    def write(self, command: Command) -> None:
        now = self._pass_time()
        if not self._enabled or self._stopped or command.number <= self._number:
            return
        self._number, self._heard = command.number, now
        goal = self._servo_angles(command.q)
        if problem := self._check.wrong(command) or self._outside(goal):
            self._brake(problem)
            return
        self._goal[:] = np.clip(goal, self._low, self._high)
        self._v[:] = command.v
        self._moving = bool(np.abs(command.v).max() > 0.0)
        if command.since > self._since:
            self._since, self._answers = command.since, True
        self._send(now)

    def read(self, feedback: Feedback) -> bool:
        wire = self._wire
        if wire is None:
            return False
        now = self._pass_time()
        self._keep_on(wire, now)
        feedback.q[:] = (self._angle - self._offset) / self._scale
        feedback.v[:] = self._v
        feedback.number, feedback.time = self._number, now
        feedback.enabled, feedback.fault = self._enabled and not self._lost, self._lost or self._fault
        return True

    def stop(self) -> None:
        """The servos are told to stay where they should be now; frames go on saying so."""
        if self._enabled or self._enabling:
            self._pass_time()
            self._stand()

    def disable(self) -> None:
        self.stop()
        self._enabled = self._enabling = False

    def close(self) -> None:
        if self._wire is not None:
            self._wire.close()
        self._wire = None
        self._reset()

    def _keep_on(self, wire: ServoFrameWire, now: float) -> None:
        """What is done whether commands come or not."""
        if self._lost:
            return
        try:
            wire.look()
        except DriverError as error:
            self._lose(str(error))
            return
        quiet = now - self._heard
        if self._enabled and not self._stopped and self._moving and quiet > self._options.watchdog:
            self._brake(f"no command for {quiet * 1e3:.0f} ms")
        if self._stopped or (self._enabling and now >= self._boots):
            self._send(now)  # a frame may be lost on the way: it is said again
        if self._enabling and not self._stopped and now >= self._there:
            self._enabling, self._enabled, self._known, self._heard = False, True, True, now

    def _send(self, now: float, *, at_once: bool = False) -> None:
        """A frame with the goals, where it is time for one."""
        wire = self._wire
        if wire is None or self._lost or not (self._enabled or self._enabling):
            return
        stamp = stamp_of(now)
        if stamp == self._stamp and at_once:
            stamp = (stamp + 1) % STAMPS  # one of the same stamp would not be followed
        # One frame may go ahead of its turn, and is made up for: the rate is kept, with gaps of twice its time at most.
        ahead = max(self._due - 1.0 / self._options.rate, self._taken + self._options.wire_time)
        due = min(self._due, ahead) if self._answers and self._goes_ahead else self._due
        if stamp == self._stamp or (now < due and not at_once):
            return
        try:
            if not wire.free:
                if now - self._taken > self._options.watchdog:
                    self._lose(f"{self._options.port} takes nothing any more; do the boards run?")
                return
            wire.send(write_servo_frame(stamp, self._positions(), self._options.layout))
        except DriverError as error:
            self._lose(str(error))
            return
        # Counted from when it was due, not from now: ticks that come a little early or late change nothing of the rate.
        interval = 1.0 / self._options.rate
        self._stamp, self._due, self._taken = stamp, max(self._due, now - interval) + interval, now
        self._answers = False

    def _positions(self) -> list[int]:
        layout, options = self._options.layout, self._options
        return [layout.count_of(options.rest if slot < 0 else float(self._goal[slot])) for slot in options.slots]

    def _servo_angles(self, q: Array) -> Array:
        """Angles of the servos [degree] for positions of the joints [rad]."""
        angles: Array = q * self._scale + self._offset
        return angles

    def _outside(self, angles: Array) -> str:
        """Which servo would be outside its range, in words; what rounds to its edge is not."""
        half = 0.5 * self._options.layout.step
        inside = (angles >= self._low - half) & (angles <= self._high + half)
        if inside.all():
            return ""
        k = int(inside.argmin())
        return f"{self._joints[k]}: its servo would be at {angles[k]:.1f} degrees, outside {self._low[k]:g} to {self._high[k]:g}"

    def _pass_time(self) -> float:
        """Let the servos turn towards what was commanded, as far as they come until now [s]."""
        now = self._clock()
        passed, self._moved = now - self._moved, now
        if passed > 0.0:
            most = self._speed * passed
            self._angle += np.clip(self._goal - self._angle, -most, most)
        return now

    def _stand(self) -> None:
        self._goal[:], self._v[:] = self._angle, 0.0
        self._stopped, self._moving = True, False
        self._send(self._clock(), at_once=True)

    def _brake(self, why: str) -> None:
        self._fault = self._fault or why
        self._stand()

    def _lose(self, why: str) -> None:
        """The port is gone: the boards hold on silence, near where they should be now."""
        self._lost, self._moving, self._v[:] = why, False, 0.0
        self._goal[:] = self._angle


def make_servo_frame(request: DriverRequest) -> ServoFrameDriver:
    """The driver for what cell.toml says.

    Raises:
        DriverError: An option is missing or cannot be, or the robot has joints that servos do not turn.
    """
    request.only(*OPTIONS)
    model = request.model
    for joint in model.joints:
        if model.spec.robot.joint(joint).type is JointType.PRISMATIC:
            raise DriverError(f"driver 'servo_frame': joint '{joint}' slides; servos turn")
    options = read_options(request.options, model.joints)
    check_servos(options, model.joints, model.lower, model.upper, model.velocity)
    check = SetPointCheck(model.joints, model.lower, model.upper)
    return ServoFrameDriver(options, model.joints, request.start, check=check)
