"""What is made of the bytes of an Axis Neuron broadcast: one person's frames, in order, whoever else sends.

No wires here: bytes and the time they came at go in, frames come out.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from armillary.imitation.arrivals import Arrivals
from armillary.imitation.frame_order import Came, FrameOrder
from armillary.imitation.motion_frame import MotionFrame
from armillary.imitation.neuron_skeleton import NeuronForm, neuron_skeleton
from armillary.imitation.skeleton import Skeleton
from armillary.protocols.neuron import BONES, NeuronFrame
from armillary.protocols.neuron_decoder import NeuronCounts, NeuronDatagramDecoder, NeuronDecoder
from armillary.protocols.neuron_text import NeuronTextDecoder

__all__ = ["NeuronIntake"]

Array = NDArray[np.float64]
_SILENCE = 1.0  # s without a frame behind which another sender is listened to
_APART = 0.1  # s: datagrams that are further apart are no pieces of one frame
_CANDIDATES = 8  # senders that are listened to at once before one has sent a whole frame
_REMEMBERED = 64  # senders that were refused
_NUMBERS = 2**32


class _Ear:
    """Reads what one sender sends: in binary or as text, which the first whole frame tells."""

    def __init__(self, datagrams: bool) -> None:
        self._decoder: NeuronDecoder | NeuronDatagramDecoder | NeuronTextDecoder
        self._decoder = NeuronDatagramDecoder() if datagrams else NeuronDecoder()
        self._text: NeuronTextDecoder | None = NeuronTextDecoder()
        self._datagrams, self._heard = datagrams, 0.0

    @property
    def counts(self) -> NeuronCounts:
        return self._decoder.counts

    def feed(self, data: bytes, now: float) -> list[NeuronFrame]:
        if self._datagrams and now - self._heard > _APART and self._decoder.waiting:
            self._decoder.reset()
        self._heard = now
        frames = self._decoder.feed(data)
        if self._text is not None:
            words = [] if frames else self._text.feed(data)
            if words:
                self._decoder, frames = self._text, words
            if frames:
                self._text = None
        return frames


class NeuronIntake:
    """The frames of one person.

    Attributes:
        skeleton: Theirs; None before the first frame, which tells whether there are displacements, and which.
        frames: That came in order. refused: Senders, and avatars, that are not listened to.
        order, arrivals: What is known of numbers and times.
        retold: Frames with displacement turned to a skeleton without, or the other way: the sender was set otherwise meanwhile.
    """

    def __init__(
        self, *, datagrams: bool, form: NeuronForm = NeuronForm.NEWER, avatar: str | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:  # fmt: skip
        """Args:
        avatar: Whose frames are taken, by name; the first one's that come without.
        say: Takes what there is to tell, in words.
        """
        self.skeleton: Skeleton | None = None
        self.order, self.arrivals = FrameOrder(), Arrivals()
        self.frames = self.refused = self.retold = self._unfit = 0
        self._datagrams, self._form, self._say = datagrams, form, say
        self._wanted = avatar
        self._avatar: tuple[int, str] | None = None
        self._sender: str | None = None
        self._ears: dict[str, _Ear] = {}
        self._others: set[object] = set()
        self._heard = -np.inf  # when a frame came
        self._number, self._last = -1, 0
        self._counted = NeuronCounts()  # of ears that are gone

    @property
    def damaged(self) -> int:
        return (
            self._counted.damaged
            + self._counted.cut
            + self._unfit
            + sum(ear.counts.damaged + ear.counts.cut for ear in self._ears.values())
        )

    @property
    def resynchronised(self) -> int:
        return self._counted.resynchronised + sum(ear.counts.resynchronised for ear in self._ears.values())

    def begin_anew(self) -> None:
        """A new connection: nothing of the one before goes on."""
        for sender in list(self._ears):
            self._forget(sender)
        self.order.restart()
        self.arrivals.restart()
        self._sender = None

    def take(self, sender: str, data: bytes, now: float) -> list[MotionFrame]:
        """The new frames that are whole with these bytes, the newest last.

        Args:
            sender: Whose bytes they are. now: When they came, by time.monotonic() [s].
        """
        if self._sender not in (None, sender) and now - self._heard < _SILENCE:
            self._refuse(sender, f"a second sender, {sender}, is not listened to; {self._sender} is")
            return []
        if sender not in self._ears and len(self._ears) >= _CANDIDATES:
            self._forget(next(each for each in self._ears if each != self._sender))
        frames: list[MotionFrame] = []
        for frame in self._ears.setdefault(sender, _Ear(self._datagrams)).feed(data, now):
            if self._fits(frame) and (made := self._in_order(sender, frame, now)) is not None:
                frames.append(made)
        return frames

    def _fits(self, frame: NeuronFrame) -> bool:
        header = frame.header
        who = (header.avatar, header.name)
        if (self._wanted is not None and header.name != self._wanted) or self._avatar not in (None, who):
            wanted = self._wanted if self._avatar is None else self._avatar[1]
            self._refuse(who, f"frames of avatar {header.avatar}, {header.name!r}, are not taken; those of {wanted!r} are")
            return False
        if header.bones != BONES:
            self._unfit += 1
            self._say(f"a frame of {header.bones} bones was left out; Axis Neuron's skeleton has {BONES}")
            return False
        self._avatar = who
        return True

    def _in_order(self, sender: str, frame: NeuronFrame, now: float) -> MotionFrame | None:
        if self._sender != sender:
            if self._sender is not None:
                self._say(f"{self._sender} fell silent; {sender} is listened to now")
            self.order.restart()
            self.arrivals.restart()
            self._sender = sender
            self._forget_candidates()
        number = frame.header.number
        self._heard = now
        if number >= 0:
            came = self.order.take(number)
            if came in (Came.DOUBLED, Came.LATE):
                return None
            step = (number - self._last) % _NUMBERS if came is Came.NEW and len(self.arrivals) else 1
            if came is Came.ANEW:
                self.arrivals.restart()
            self._number, self._last = self._number + step, number
        else:
            self._number += 1
        self.frames += 1
        self.arrivals.take(self._number, now)
        return MotionFrame(self._number, now, self._values(frame))

    def _values(self, frame: NeuronFrame) -> Array:
        """A frame's numbers as the skeleton's channels."""
        values, told = frame.motion.astype(float), frame.header.displacement
        if self.skeleton is None:
            offsets = values.reshape(BONES, 6)[:, :3] if told else None
            if offsets is not None and not np.abs(offsets[1:]).max() > 1e-3:  # it says so and tells none
                offsets, told = None, False
            self.skeleton = neuron_skeleton(self._form, displacement=told, offsets=offsets)
        told = len(values) == 6 * BONES
        if len(values) == self.skeleton.channel_count:
            return values
        self.retold += 1
        if told:
            return np.concatenate([values[:3], values.reshape(BONES, 6)[:, 3:].ravel()])
        rows = np.concatenate([self.skeleton.offsets, values[3:].reshape(BONES, 3)], axis=1)
        rows[0, :3] = values[:3]
        return np.asarray(rows.ravel())

    def _refuse(self, who: object, words: str) -> None:
        if who in self._others or len(self._others) >= _REMEMBERED:
            return
        self._others.add(who)
        self.refused += 1
        self._say(words)

    def _forget_candidates(self) -> None:
        for sender in [each for each in self._ears if each != self._sender]:
            self._forget(sender)

    def _forget(self, sender: str) -> None:
        counts = self._ears.pop(sender).counts
        self._counted.damaged += counts.damaged
        self._counted.cut += counts.cut
        self._counted.resynchronised += counts.resynchronised
