"""A person's motion as it happens: the broadcast of Axis Neuron, over TCP or UDP."""

import re
import threading
import time
from collections.abc import Callable

from armillary.imitation.errors import ImitationError
from armillary.imitation.live_wire import TcpWire, UdpWire, Wire
from armillary.imitation.motion_frame import MotionFrame
from armillary.imitation.motion_source import MotionStatistics
from armillary.imitation.neuron_intake import NeuronIntake
from armillary.imitation.neuron_skeleton import NeuronForm
from armillary.imitation.skeleton import Skeleton

__all__ = ["LiveMotion", "open_live", "usual_rate"]

_ADDRESS = re.compile(r"(tcp|udp)://(?:\[([0-9A-Fa-f:.%]*)\]|([^:/\[\]\s]*)):(\d{1,5})/?")
_LOOK = 0.05  # s between looks whether it is still wanted
_STALE = 0.2  # s: a frame that nobody asked for is not given later than this
_ENOUGH = (8, 0.25)  # frames, and s that they span: from these the rate is told
_USUAL = (120.0, 100.0, 96.0, 90.0, 75.0, 60.0, 50.0, 30.0, 24.0)  # Hz
_NEAR = 0.08  # share: a rate that is so near to a usual one is it
_DEFAULT = 60.0  # Hz, where too few frames came to tell


def open_live(
    address: str,
    *,
    form: NeuronForm | str = NeuronForm.NEWER,
    avatar: str | None = None,
    rate: float | None = None,
    wait: float = 5.0,
    say: Callable[[str], None] | None = None,
) -> "LiveMotion":
    """Listen to a broadcast, and wait until it is known what it is.

    Args:
        address: `tcp://host:7001` to connect to, or `udp://:7002` to listen at (`udp://127.0.0.1:7002` for this machine alone).
        form: Which of Axis Neuron's two skeletons: "newer" or "older".
        avatar: Whose motion, by name; that of the first frame without.
        rate: Frames a second [Hz]; as they come, without.
        wait: For the first frame [s].
        say: Takes what there is to tell while it runs, in words.

    Raises:
        ImitationError: The address is none, or no frame came in time.
    """
    found = _ADDRESS.fullmatch(address.strip())
    if found is None or not 0 <= int(found[4]) < 65_536 or (found[1] == "tcp" and not int(found[4])):
        raise ImitationError(f"{address!r} is no address of live motion; write tcp://host:7001 or udp://:7002")
    try:
        form = NeuronForm(form)
    except ValueError:
        raise ImitationError(
            f"there is no skeleton {form!r}; there are: {', '.join(each.value for each in NeuronForm)}"
        ) from None
    if rate is not None and not 1.0 <= rate <= 1000.0:
        raise ImitationError(f"a rate of {rate:g} frames a second; give 1 to 1000")
    host, port = found[2] or found[3], int(found[4])
    wire: Wire
    if found[1] == "tcp":
        wire = TcpWire(host or "127.0.0.1", port)
    else:
        wire = UdpWire(host, port)
    source = LiveMotion(address, wire, form=form, avatar=avatar, say=say)
    try:
        source.wait_until_known(wait, rate)
    except BaseException:
        source.close()
        raise
    return source


class LiveMotion:
    """A motion source that is fed by a wire, in a thread of its own."""

    def __init__(
        self,
        name: str,
        wire: Wire,
        *,
        form: NeuronForm = NeuronForm.NEWER,
        avatar: str | None = None,
        say: Callable[[str], None] | None = None,
    ) -> None:
        self._name, self._wire, self._say = name, wire, say
        self._intake = NeuronIntake(datagrams=wire.datagrams, form=form, avatar=avatar, say=self._tell)
        self._came = threading.Condition()
        self._newest: MotionFrame | None = None
        self._skipped, self._period, self._error = 0, 1.0 / _DEFAULT, ""
        self._told: set[str] = set()
        self._closed = False
        self._thread = threading.Thread(target=self._listen, name=f"motion from {name}", daemon=True)
        self._thread.start()

    @property
    def name(self) -> str:
        return self._name

    @property
    def skeleton(self) -> Skeleton:
        skeleton = self._intake.skeleton
        assert skeleton is not None, "it is known before anybody gets the source"
        return skeleton

    @property
    def period(self) -> float:
        return self._period

    @property
    def statistics(self) -> MotionStatistics:
        intake, wire = self._intake, self._wire
        with self._came:
            return MotionStatistics(
                intake.frames, intake.order.lost, intake.order.doubled, intake.order.late, self._skipped, intake.damaged,
                intake.resynchronised, intake.refused, wire.connected and not self._closed, intake.arrivals.rate,
                intake.arrivals.jitter, wire.error or self._error,
            )  # fmt: skip

    def wait_until_known(self, timeout: float, rate: float | None) -> None:
        """Wait for the first frame, and for as many as tell the rate.

        Raises:
            ImitationError: None came in time [s].
        """
        intake, end = self._intake, time.monotonic() + timeout
        with self._came:
            if not self._came.wait_for(lambda: intake.frames > 0, timeout):
                why = self._wire.error or self._error or "it sends nothing that is a frame"
                raise ImitationError(
                    f"{self._name}: no frame came within {timeout:g} s: {why}; is BVH broadcast there, and at this port?"
                )
            if rate is None:
                left = max(end - time.monotonic(), 2.0 * _ENOUGH[1])
                self._came.wait_for(lambda: len(intake.arrivals) >= _ENOUGH[0] and intake.arrivals.span >= _ENOUGH[1], left)
                rate = usual_rate(intake.arrivals.rate) if len(intake.arrivals) >= _ENOUGH[0] else _DEFAULT
            self._period = 1.0 / rate

    def next(self, timeout: float) -> MotionFrame | None:
        with self._came:
            if self._newest is not None and time.monotonic() - self._newest.time > _STALE:
                self._newest = None  # nothing old is played behind a pause
                self._skipped += 1
            self._came.wait_for(lambda: self._newest is not None or self._closed, timeout)
            frame, self._newest = self._newest, None
            return None if self._closed else frame

    def close(self) -> None:
        with self._came:
            self._closed = True
            self._came.notify_all()
        if threading.current_thread() is not self._thread:
            self._thread.join(5.0)

    def _listen(self) -> None:
        try:
            while not self._closed:
                was = self._wire.connected
                new, came = self._wire.read(_LOOK)
                if new:
                    with self._came:
                        self._intake.begin_anew()
                if was and not self._wire.connected:
                    self._tell(self._wire.error)
                    self._told.clear()  # what happens again behind it is said again
                now = time.monotonic()
                for sender, data in came:
                    self._take(sender, data, now)
        finally:
            self._wire.close()

    def _take(self, sender: str, data: bytes, now: float) -> None:
        with self._came:
            frames = self._intake.take(sender, data, now)
            if frames:
                self._wire.went_well()
                self._skipped += len(frames) - 1 + (self._newest is not None)
                self._newest = frames[-1]
                self._came.notify_all()

    def _tell(self, words: str) -> None:
        self._error = words
        if words not in self._told and len(self._told) < 100:
            self._told.add(words)
            if self._say is not None:
                self._say(words)


def usual_rate(rate: float) -> float:
    """The rate that is sent at, of one that was seen [Hz]."""
    nearest = min(_USUAL, key=lambda each: abs(rate / each - 1.0))
    return nearest if abs(rate / nearest - 1.0) < _NEAR else max(rate, 1.0)
