"""A person moves, the robot moves: frames from Python, the clutch, and what was recorded played again, proven."""

import math
import threading
import time

import numpy as np

from armillary.cell import Cell
from armillary.cell.imitation_session import ImitationSession
from armillary.imitation import Bone, Capture, GivenMotion, Imitator, Person, Skeleton, match
from armillary.motion import Bounds
from armillary.programs.teach import plan_playback

TURNS = ("Zrotation", "Xrotation", "Yrotation")


def skeleton() -> Skeleton:
    """A person of 1.7 m with stretched arms, y up [cm]; names are as Axis Neuron has them, others are found as well."""
    bones = [Bone("Hips", -1, np.array([0.0, 93.0, 0.0]), ("Xposition", "Yposition", "Zposition", *TURNS))]
    bones += [Bone("Spine", 0, np.array([0.0, 20.0, 0.0]), ()), Bone("Head", 1, np.array([0.0, 39.0, 0.0]), ())]
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        first = len(bones)
        bones += [
            Bone(f"{side}Arm", 1, np.array([17.0 * sign, 25.0, 0.0]), TURNS),
            Bone(f"{side}ForeArm", first, np.array([29.0 * sign, 0.0, 0.0]), TURNS),
            Bone(f"{side}Hand", first + 1, np.array([25.0 * sign, 0.0, 0.0]), (), np.array([9.0 * sign, 0.0, 0.0])),
        ]
    return Skeleton(tuple(bones))


def frame(seconds: float) -> np.ndarray:
    """Arms that hang and swing: one number for each channel, degrees."""
    swing = 20.0 * math.sin(2.0 * seconds)
    return np.array([0, 93, 0, 0, 0, 0, -70, swing, 0, 0, -20, 0, 70, swing, 0, 0, 20, 0], dtype=float)


def wave(source: GivenMotion, done: threading.Event) -> None:
    """Somebody in a suit: sixty frames a second. A real one: open_live("tcp://192.168.1.5:7001")."""
    begin = time.monotonic()
    while not done.wait(1.0 / 60.0):
        source.put(frame(time.monotonic() - begin))


person = skeleton()
source, done = GivenMotion(person, period=1.0 / 60.0, name="a person who waves"), threading.Event()
threading.Thread(target=wave, args=(source, done), daemon=True).start()

with Cell.open("inmoov", driver="ideal", low_power=True, record=False, patience=1.0) as cell:
    standing = Capture(person, np.zeros((0, person.channel_count)), source.period)
    imitator = Imitator(cell.model, Person.of_capture(standing, match(person)), source.period)
    imitator.step(frame(0.0))  # what is compiled at its first use is compiled now
    with ImitationSession(cell, source, imitator) as session:
        while session.state.frames == 0:
            time.sleep(0.01)
        session.speed = 0.8  # share of the joints' velocities
        session.record()
        session.engage()  # eases in from where the robot stands
        time.sleep(3.0)
        state = session.state
        print(state.phase.value, state.lost, f"{state.rate:.0f} frames a second")
        print({part: f"{math.degrees(off):.1f} degrees off" for part, off in state.errors.items()})
        print({stage: f"{1e3 * each.p50:.2f} ms" for stage, each in state.latency.items()})
        session.freeze()  # it stands; engage() goes on from there
        recorded = session.recorded()
    done.set()
    cell.wait()

    print(f"{len(recorded)} frames of the person, {recorded.path.duration:.1f} s of the robot")
    # Proven as any motion, and as slow as this cell's tool must be.
    playback = plan_playback(cell.model, recorded.path, tolerance=0.02, tool_tolerance=0.02, bounds=Bounds(tool_speed=0.25))
    cell.move_joints(playback.trajectory.start.q)
    cell.run_trajectory(playback.trajectory)
    print("played again:", playback.certificate)
