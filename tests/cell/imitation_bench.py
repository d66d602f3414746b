"""A person who waves, a robot on an ideal motor side, and an imitation between them, in the test's own time."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.cell.imitation_session import ImitationSession
from armillary.drivers import IdealDriver
from armillary.imitation import Bone, GivenMotion, Imitator, MotionFrame, Person, Skeleton, match
from armillary.imitation.capture import poses_at_rest
from armillary.model import Model, load_model
from armillary.motion import limits_of
from armillary.runtime import Executor, Refused, State
from armillary.runtime.board_kinds import FOLLOWED, external_kind, state_kind
from armillary.runtime.channel import Board
from armillary.runtime.station_channels import StationChannels

__all__ = ["PERSON", "WAVES", "Bench", "BenchCell", "frame_of"]

Array = NDArray[np.float64]
_ARM = ("Zrotation", "Xrotation", "Yrotation")


def _person() -> Skeleton:
    """Hips to hands, arms stretched out, y up [cm]; only the upper arms tell of themselves beside the hips."""
    bones: list[Bone] = []
    for name, on, place, channels in (
        ("Hips", "", (0, 93, 0), ("Xposition", "Yposition", "Zposition", *_ARM)), ("Spine", "Hips", (0, 20, 0), ()),
        ("Neck", "Spine", (0, 30, 0), ()), ("Head", "Neck", (0, 9, 0), ()),
        ("LeftArm", "Spine", (17, 25, 0), _ARM), ("LeftForeArm", "LeftArm", (29, 0, 0), _ARM),
        ("LeftHand", "LeftForeArm", (25, 0, 0), ()),
        ("RightArm", "Spine", (-17, 25, 0), _ARM), ("RightForeArm", "RightArm", (-29, 0, 0), _ARM),
        ("RightHand", "RightForeArm", (-25, 0, 0), ()),
    ):  # fmt: skip
        parent = next((k for k, bone in enumerate(bones) if bone.name == on), -1)
        end = np.array((math.copysign(9.0, place[0]), 0.0, 0.0)) if name.endswith("Hand") else None
        bones.append(Bone(name, parent, np.array(place, dtype=float), tuple(channels), end))
    return Skeleton(tuple(bones))


PERSON = _person()
WAVES = 0.3  # Hz


def frame_of(time: float, *, raised: float = 0.0) -> Array:
    """A person's channels at a time [s]: both arms hang down, and swing forward and back. raised: Of the arms [degree]."""
    values = np.zeros(PERSON.channel_count)
    values[1] = 93.0
    swing = 25.0 * math.sin(2.0 * math.pi * WAVES * time)
    values[6:9], values[12:15] = (-70.0 + raised, swing, 0.0), (70.0 - raised, swing, 0.0)
    values[9:12], values[15:18] = (0.0, -20.0 - swing, 0.0), (0.0, 20.0 + swing, 0.0)
    return values


@dataclass
class _Settings:
    driver: str = "ideal"


class BenchCell:
    """As much of a cell and its station as an imitation needs, around an executor that is ticked by the test."""

    def __init__(self, folder: Path, model: Model, clock: "Bench") -> None:
        self.model, self.folder, self.settings, self.gone = model, folder, _Settings(), False
        self.station = self
        limits = limits_of(model)
        home = np.clip(np.zeros(model.n), limits.lower + 0.05, limits.upper - 0.05)
        self.executor = Executor(model, IdealDriver(home, limits.acceleration, clock=clock), limits=limits)
        self._external, self._followed = Board(folder / "external", external_kind(model.n)), Board(folder / "followed", FOLLOWED)
        self._clock, self._number = clock, 0

    @property
    def state(self) -> Any:
        record, executor = np.zeros(1, dtype=state_kind(self.model.n)), self.executor
        record["state"], record["q"], record["v"] = int(executor.state), executor.command.q, executor.command.v
        record["fault"] = str(executor.fault or "").encode()
        return record[0]

    def follow(self) -> None:
        self.executor.follow()

    def stop(self, category: int = 2) -> None:
        self.executor.stop(category)

    def tick(self) -> None:
        number, value = self._external.read()
        if not self.executor.certified:
            if number != self._number:
                self._number, said = number, self._followed.value
                said["since"], said["written"], said["taken"], said["sent"] = (
                    value["since"],
                    value["time"],
                    *[self._clock.now] * 2,
                )
                self._followed.write()
            age = self._clock.now - float(value["time"][0])
            self.executor.set_point(value["q"][0], value["v"][0], age, holds=bool(value["holds"][0]))
        self.executor.tick(self._clock.now)


class Bench:
    """Time, the person, the cell and the session."""

    def __init__(self, folder: Path, *, robot: str = "inmoov", rate: float = 60.0, **options: Any) -> None:
        self.now, self.rate, self.model = 100.0, rate, load_model(robot)
        self.channels = StationChannels(folder, self.model.n)
        cell: Any = BenchCell(folder, self.model, self)
        self.cell: Any = cell
        self.source = GivenMotion(PERSON, 1.0 / rate, "the suit")
        person = Person(match(PERSON), poses_at_rest(PERSON))
        self.imitator = Imitator(self.model, person, 1.0 / rate, **options)
        self.session = ImitationSession(cell, self.source, self.imitator, begin=False, clock=self)
        self.limits = limits_of(self.model)
        self.sends, self.raised, self.number = True, 0.0, 0
        self.path: list[Array] = []  # positions, velocities, accelerations of every tick, shape (3, n)
        self._due = self._looked = self.now
        executor = self.cell.executor
        executor.tick(self.now)
        executor.power_on()
        executor.initialise()
        self.tick(0.02)
        assert executor.state == State.READY

    def __call__(self) -> float:
        return self.now

    def tick(self, seconds: float) -> None:
        """Let time go on: frames come at their rate, the session looks, the executor ticks."""
        for _ in range(round(seconds / 0.001)):
            self.now += 0.001
            if self.sends and self.now >= self._due:
                self.give(frame_of(self.now, raised=self.raised))
            elif self.now - self._looked >= 0.02:
                self.session.round(None)
                self._looked = self.now
            self.cell.tick()
            command = self.cell.executor.command
            self.path.append(np.array([command.q, command.v, command.a]))
        assert self.cell.executor.state != State.FAULTED or self.cell.executor.fault is not None

    def give(self, values: Array) -> None:
        """A frame, whatever is in it."""
        self._due, self._looked = self.now + 1.0 / self.rate, self.now
        self.number += 1
        self.session.round(MotionFrame(self.number, self.now - 0.002, values))

    def keeps_limits(self) -> bool:
        """Whether every tick of all that was driven kept positions, velocities, accelerations and jerks."""
        q, v, a = np.moveaxis(np.array(self.path), 1, 0)
        limits, jerk = self.limits, np.abs(np.diff(a, axis=0)) / 0.001
        return bool(
            (q >= limits.lower - 1e-6).all() and (q <= limits.upper + 1e-6).all()
            and (np.abs(v) <= limits.velocity * (1 + 1e-6)).all() and (np.abs(a) <= limits.acceleration * (1 + 1e-6)).all()
            and (jerk <= limits.jerk * (1 + 1e-4)).all()
        )  # fmt: skip

    @property
    def speed(self) -> float:
        """Of the fastest joint, as a share of what it may [1]."""
        return float((np.abs(self.cell.executor.command.v) / self.limits.velocity).max())

    def refused(self, call: Any) -> str:
        try:
            call()
        except Refused as error:
            return str(error)
        return ""

    def close(self) -> None:
        self.session.close()
        self.channels.close()
