"""A robot that only speaks ROS 1, as a motor side: its joint states in, set-points out, by rospy in the driver host.

Set-points go out as short trajectories of one point, in the message that ros_control's joint_trajectory_controller takes: each is
meant to take the place of the one before, and when nothing more comes the last one ends at rest. Or as plain positions
(joint_group_position_controller's message). It was tried with a robot of our own on the real rospy that does so (trajectories);
with no controller of ros_control or ROS-Industrial: none could be had. There is no order of ROS to switch drives on or off:
disabled, nothing is sent.
"""

import importlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, fields
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.drivers.driver import Capabilities, Command, Feedback
from armillary.drivers.errors import DriverError
from armillary.drivers.registry import DriverRequest
from armillary.drivers.set_point_check import SetPointCheck
from armillary.errors import ArmillaryError
from armillary.protocols.ros1_types import ros1_type
from armillary.ros1 import MessagePackages, import_rospy, message_to, must_have_master, stay_on_this_machine

__all__ = ["Ros1Driver", "Ros1Options", "make_ros1"]

Array = NDArray[np.float64]
_FIRST = 4.0  # s for the first joint state: the executor gives drives up that are not enabled after 5
_OTHERS = 20  # joints of others that are named in an error
_TAKEN: set[str] = set()  # topics that drivers of this process command
_PUBLISHERS: dict[tuple[str, str], Any] = {}  # by topic and kind: kept, since rospy's subscribers lose one that comes and goes
_KINDS = {"trajectory": "trajectory_msgs/JointTrajectory", "positions": "std_msgs/Float64MultiArray"}


@dataclass(frozen=True)
class Ros1Options:
    """Attributes:
    states: The topic of its joint states. command: The topic of its set-points.
    kind: "trajectory" (JointTrajectory of one point) or "positions" (Float64MultiArray, in the order of the joints).
    rate: Set-points a second [Hz]. lead: How far ahead a trajectory's point lies [s].
    silence: Without a joint state after which that is a fault [s].
    """

    states: str = "/joint_states"
    command: str = "/joint_trajectory_controller/command"
    kind: str = "trajectory"
    rate: float = 100.0
    lead: float = 0.03
    silence: float = 0.2

    def __post_init__(self) -> None:
        if self.kind not in _KINDS:
            raise DriverError(f"driver.options: kind is {self.kind!r}; it is one of: {', '.join(_KINDS)}")
        for name, low, high in (("rate", 1.0, 1000.0), ("lead", 0.001, 1.0), ("silence", 0.01, 10.0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
                raise DriverError(f"driver.options: {name} is {value!r}; give {low:g} to {high:g}")
        for name in ("states", "command"):
            if not isinstance(getattr(self, name), str) or not getattr(self, name):
                raise DriverError(f"driver.options: {name} is a topic's name")


class Ros1Driver:
    """Attributes:
    sent: Set-points that went out since it was opened.
    """

    def __init__(
        self, options: Ros1Options, joints: tuple[str, ...], *, check: SetPointCheck | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:  # fmt: skip
        """Args:
        joints: Their names, in the order of q.
        check: Of set-points, with the joints' limits; without, none bound them.
        """
        self._options, self._joints, self._clock = options, joints, clock
        self._check = check or SetPointCheck(joints)
        behind = 1.0 / options.rate + options.lead
        self._capabilities = Capabilities(velocity=options.kind == "trajectory", interval=behind, watchdog=options.silence)
        self._lock = threading.Lock()
        self._publisher: Any = None
        self._subscriber: Any = None
        self._of: Any = None  # the class of its set-points
        self._reset()

    def _reset(self) -> None:
        n = len(self._joints)
        self._enabled, self._stopped, self._fault, self._number, self._due, self.sent = False, False, "", 0, -np.inf, 0
        self._q, self._v, self._torque = np.full(n, np.nan), np.full(n, np.nan), np.full(n, np.nan)
        self._heard = np.full(n, -np.inf)  # when each joint was last told of: several nodes may tell of some each
        self._others: dict[str, None] = {}  # joints that are told of and are none of ours, in their order

    @property
    def capabilities(self) -> Capabilities:
        return self._capabilities

    def open(self) -> None:
        """Raises:
        DriverError: There is no ROS 1, no master, or nothing that says where the joints are.
        """
        self.close()
        try:
            rospy, packages = import_rospy(), MessagePackages()
            stay_on_this_machine()
            must_have_master()
            state, command = packages.message("sensor_msgs/JointState"), _KINDS[self._options.kind]
            self._of = packages.message(command)
        except ArmillaryError as error:
            raise DriverError(str(error)) from None
        if not rospy.core.is_initialized():
            rospy.init_node("armillary_driver", anonymous=True, disable_signals=True)
        others = [node for node in _publishers_of(self._options.command) if node != rospy.get_name()]
        if self._options.command in _TAKEN:  # another driver of this process, which is one node
            others.append(rospy.get_name())
        if others:
            raise DriverError(f"{', '.join(others)} commands {self._options.command} already; end it first")
        _TAKEN.add(self._options.command)
        key = self._options.command, self._options.kind
        if key not in _PUBLISHERS:
            _PUBLISHERS[key] = rospy.Publisher(self._options.command, self._of, queue_size=1, tcp_nodelay=True)
        self._publisher = _PUBLISHERS[key]
        self._subscriber = rospy.Subscriber(self._options.states, state, self._hear, queue_size=1, tcp_nodelay=True)
        end = monotonic() + _FIRST
        while not (np.isfinite(self._heard).all() and self._publisher.get_num_connections()):
            if monotonic() > end:
                why = self._what_lacks()
                self.close()
                raise DriverError(why)
            threading.Event().wait(0.01)

    def _what_lacks(self) -> str:
        """Why it is not there after so long."""
        silent, states = self._silent(np.inf), self._options.states
        if not silent:
            return f"nobody hears {self._options.command} for {_FIRST:g} s; does the robot run?"
        if len(silent) == len(self._joints) and not self._others:
            return f"nothing is said on {states} for {_FIRST:g} s; does the robot run?"
        told = [joint for joint in self._joints if joint not in silent] + list(self._others)
        return f"{states} says nothing of {', '.join(silent)} for {_FIRST:g} s; it has: {', '.join(told)}"

    def _silent(self, quiet: float) -> list[str]:
        """The joints that were not told of for so long [s]."""
        now = self._clock()
        return [joint for joint, heard in zip(self._joints, self._heard, strict=True) if now - heard >= quiet]

    def enable(self) -> None:
        self._enabled, self._stopped, self._fault, self._number = True, False, "", 0

    def write(self, command: Command) -> None:
        if not self._enabled or self._stopped or command.number <= self._number:
            return
        self._number, now = command.number, self._clock()
        if problem := self._check.wrong(command):
            self._fault = self._fault or problem
            self.stop()
            return
        if now < self._due:
            return
        interval = 1.0 / self._options.rate
        self._due = max(self._due, now - interval) + interval
        lead = self._options.lead if self._options.kind == "trajectory" else 0.0
        self._send(command.q + lead * command.v, command.v)

    def read(self, feedback: Feedback) -> bool:
        if self._publisher is None:
            return False
        with self._lock:
            feedback.q[:], feedback.v[:], feedback.torque[:] = self._q, self._v, self._torque
            heard = float(self._heard.min())
            silent = self._silent(self._options.silence)
        if self._enabled and silent:
            of = "" if len(silent) == len(self._joints) else f" of {', '.join(silent)}"
            quiet = self._clock() - heard
            self._fault = self._fault or f"nothing was said{of} on {self._options.states} for {quiet * 1e3:.0f} ms"
        if self._enabled and not self._fault and self._publisher.get_num_connections() == 0:
            self._fault = f"nobody hears {self._options.command}"
        feedback.time, feedback.number = heard, self._number
        feedback.enabled, feedback.fault = self._enabled and not self._fault, self._fault
        return True

    def stop(self) -> None:
        """It is told to stay where it is."""
        if self._enabled and not self._stopped and self._publisher is not None:
            self._stopped = True
            self._send(self._q.copy(), np.zeros(len(self._joints)))

    def disable(self) -> None:
        self.stop()
        self._enabled = False

    def close(self) -> None:
        if self._subscriber is not None:
            self._subscriber.unregister()
        if self._publisher is not None:
            _TAKEN.discard(self._options.command)
        self._subscriber = self._publisher = None
        self._reset()

    def _send(self, q: Array, v: Array) -> None:
        if np.isfinite(q).all() and np.isfinite(v).all():
            self._publisher.publish(self._message(q, v))
            self.sent += 1
        else:
            self._fault = self._fault or "a command that is no number was not sent"

    def _message(self, q: Array, v: Array) -> Any:
        fields, lead = ros1_type(_KINDS[self._options.kind]), self._options.lead
        if self._options.kind == "positions":
            return message_to(fields, self._of, {"data": q})
        ahead = {"secs": int(lead), "nsecs": round(1e9 * (lead % 1.0))}
        point = {"positions": q, "velocities": v, "time_from_start": ahead}
        return message_to(fields, self._of, {"joint_names": list(self._joints), "points": [point]})

    def _hear(self, message: Any) -> None:
        """Of some of the joints, or all; in a thread of rospy's."""
        if len(message.position) != len(message.name):
            return  # it does not say where they are
        with self._lock:
            for k, name in enumerate(message.name):
                if name not in self._joints:
                    if len(self._others) < _OTHERS:
                        self._others[name] = None
                    continue
                j = self._joints.index(name)
                for values, into in ((message.position, self._q), (message.velocity, self._v), (message.effort, self._torque)):
                    into[j] = values[k] if len(values) == len(message.name) else np.nan
                self._heard[j] = self._clock()


def _publishers_of(topic: str) -> list[str]:
    """Which nodes say something there, by the master."""
    published, _, _ = importlib.import_module("rosgraph").Master("/armillary_driver").getSystemState()
    return [node for name, nodes in published if name == topic for node in nodes]


def make_ros1(request: DriverRequest) -> Ros1Driver:
    """Raises:
    DriverError: An option that is none.
    """
    names = [each.name for each in fields(Ros1Options)]
    request.only(*names)
    model = request.model
    check = SetPointCheck(model.joints, model.lower, model.upper)
    return Ros1Driver(Ros1Options(**request.options), model.joints, check=check, clock=request.clock)
