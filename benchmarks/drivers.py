"""Drivers and their emulators, beside the physics twin in the same run: latency, jitter, throughput, path, and what is lost.

Each emulator has a process of its own, in which is noted when set-points come and where the motors are. Latency, jitter and path
are of whole cells; the burst is the driver's alone; lost and doubled set-points are counted at both ends of a driver in its host
while random proven motions are driven. --full moves for an hour on each; --minutes N for N; --only pmac,servo_frame chooses.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent))
from support.harness import Row, finish, options
from support.motor_sides import PATIENCE, SIDES, Emulator, MotorSide, Twin

from armillary.cell import Cell
from armillary.drivers import Command, Driver, Feedback
from armillary.drivers.registry import is_hosted
from armillary.errors import ArmillaryError
from armillary.model import Model
from armillary.motion import Trajectory, plan_joints, tool_pose
from armillary.runtime import Executor, Handover, State
from armillary.runtime.buffered_executor import BufferedExecutor
from armillary.runtime.driver_host import DriverHost
from armillary.runtime.guard import Tolerances
from armillary.runtime.hosted_driver import HostedDriver
from armillary.runtime.recording import Recording
from armillary.runtime.station_channels import StationChannels

Array = NDArray[np.float64]
BURST = 0.7  # s
MOST_STRETCHES = 50  # without a fault
SLOW = 2.0  # s that a slow motion lasts
_STOPS = 3  # in its middle


# Latency, jitter and path: of whole cells.


def in_cell(side: MotorSide, emulator: Emulator, seed: int, rounds: int) -> dict[str, float]:
    """Slowly to a random place and quickly back: latency and jitter [ms], distance from the path [mm]; then a stop [ms]."""
    rng, speeds = np.random.default_rng(seed), dict[int, str]()
    with tempfile.TemporaryDirectory() as folder:
        with Cell.open(
            side.robot, group=side.group, driver=side.name, options=side.options(emulator.address), start=side.home,
            recordings=folder, patience=PATIENCE,
        ) as cell:  # fmt: skip
            for _ in range(5 * rounds):
                time.sleep(0.2)
                try:
                    goal = side.goal(rng)
                    speed = min(plan_joints(side.model, side.home, goal).trajectory.duration / SLOW, 1.0)
                    speeds[cell.move_joints(goal, speed=speed).motion] = "slow"
                    time.sleep(0.2)
                    speeds[cell.move_joints(side.home).motion] = "quick"
                except ArmillaryError as error:  # a goal at which it would touch itself; or a fault
                    if cell.state.fault:
                        print(f"{side.name}: a fault: {error}")
                        cell.reset()
                        cell.move_joints(side.home, speed=0.3)
                if len(speeds) >= 2 * rounds:
                    break
            time.sleep(0.3)
            told = emulator.told()
            stops = list[float]()
            for _ in range(_STOPS + 5):
                stop = stopping(side, cell, emulator, rng) if len(stops) < _STOPS else None
                stops += [] if stop is None else [stop]
        recording = Recording.open(next(Path(folder).rglob("*.mcap")))
    return {**judged(side, recording, told, speeds), "stop": 1e3 * float(np.median(stops))}


def stopping(side: MotorSide, cell: Cell, emulator: Emulator, rng: np.random.Generator) -> float | None:
    """From an order to stop, in the middle of a slow motion, until the motors stand [s]; None where it could not be begun."""
    goal = side.goal(rng)
    try:
        speed = min(plan_joints(side.model, side.home, goal).trajectory.duration / SLOW, 1.0)
        cell.move_joints(goal, speed=speed, wait=False)
    except ArmillaryError:  # a goal at which it would touch itself
        return None
    time.sleep(0.5 * SLOW)
    begin = time.monotonic()
    cell.stop()
    time.sleep(1.5)
    told = emulator.told()
    q, moments = side.joints(told["places"]), told["moments"]
    away = np.flatnonzero(np.abs(q - q[-1]).max(axis=1) > 0.1 * side.moved)
    cell.move_joints(side.home, speed=0.5)
    time.sleep(0.2)
    emulator.told()
    return float(moments[min(int(away[-1]) + 1, len(moments) - 1)] - begin) if len(away) else None


def judged(side: MotorSide, recording: Recording, told: dict[str, Any], speeds: dict[int, str]) -> dict[str, float]:
    clock = (recording.start_ns - recording.about.epoch_ns) / 1e9 + recording.time
    moments, q = told["moments"], side.joints(told["places"])
    latencies, seen, gap, off = [], [], [np.zeros(0)], {"slow": [0.0], "quick": [0.0]}
    for piece in recording.pieces:
        if piece.motion not in speeds:
            continue
        speed, trajectory = speeds[piece.motion], piece.trajectory
        tick = int(np.argmax(recording.motion == piece.motion))
        begin, end = float(clock[tick]), float(clock[tick]) + trajectory.duration
        here = (moments >= begin) & (moments <= end + 0.3)
        off[speed].append(off_the_path(side.model, trajectory, q[here]))
        gap.append(gaps(side, told["times"], begin, end))
        if speed == "quick":
            before = q[int(np.searchsorted(moments, begin)) - 1]
            latencies.append(latency(side, trajectory, moments[here] - begin, q[here], before))
            measured = recording.measured_q[tick:]
            seen.append(latency(side, trajectory, clock[tick:] - begin, measured, measured[0]))
    gaps_found = np.concatenate(gap)
    if not latencies or not len(gaps_found):
        raise SystemExit(f"{side.name}: no motion was driven that can be judged; try another seed")
    return {
        "latency": 1e3 * float(np.median(latencies)), "seen": 1e3 * float(np.median(seen)),
        "jitter": 1e3 * float(np.percentile(gaps_found, 99)), "gap": 1e3 * float(gaps_found.max()),
        "off": 1e3 * max(off["slow"]), "off_quick": 1e3 * max(off["quick"]), "fewest": float(told["fewest"]),
    }  # fmt: skip


def latency(side: MotorSide, trajectory: Trajectory, moments: Array, q: Array, before: Array) -> float:
    """By how much later the motors have moved than the plan, of which the clock began when it was handed over [s]."""
    times = np.linspace(0.0, trajectory.duration, 20_000)
    plan = trajectory.sample(times)[:, 0]
    planned = times[int(np.argmax(np.abs(plan - plan[0]).max(axis=1) > side.asked))]
    return float(moments[int(np.argmax(np.abs(q - before).max(axis=1) > side.moved))] - planned)


def gaps(side: MotorSide, times: Array, begin: float, end: float) -> Array:
    """How far the gaps between set-points are from what they should be, without those that fill a buffer and end a motion [s]."""
    if side.buffered:
        begin, end = begin + 0.5, end - 1.0
    gap: Array = np.abs(np.diff(times[(times >= begin) & (times <= end)]) - side.interval)
    return gap


def off_the_path(model: Model, trajectory: Trajectory, q: Array) -> float:
    """How far the tool was from the planned path, wherever on it, at worst [m]."""
    plan = trajectory.sample(np.linspace(0.0, trajectory.duration, 1000))[:, 0]
    path = np.array([tool_pose(model, each)[:3, 3] for each in plan])
    steps = np.diff(path, axis=0)
    lengths = np.maximum((steps**2).sum(axis=1), 1e-30)
    worst = 0.0
    for each in q[:: max(len(q) // 1000, 1)]:
        away = tool_pose(model, each)[:3, 3] - path[:-1]
        share = np.clip((away * steps).sum(axis=1) / lengths, 0.0, 1.0)
        worst = max(worst, float(((away - share[:, None] * steps) ** 2).sum(axis=1).min()))
    return worst**0.5


# The burst: a driver alone.


def in_burst(side: MotorSide, emulator: Emulator) -> float:
    """Set-points that driver and emulator take each second, as fast as they go."""
    driver: Any = side.driver(emulator.address, **side.faster())
    driver.open()
    try:
        driver.enable()
        feedback, until = Feedback.of(side.model.n), time.monotonic() + 8.0
        while not feedback.enabled and time.monotonic() < until:
            driver.read(feedback)
            time.sleep(0.005)
        return fill(side, driver, emulator) if driver.capabilities.depth else pour(side, driver, emulator)
    finally:
        driver.close()


def fill(side: MotorSide, driver: Any, emulator: Emulator) -> float:
    """A buffer, held, filled to the brim."""
    driver.hold()
    command, feedback, number = Command.of(side.model.n), Feedback.of(side.model.n), 0
    before = emulator.told()["taken"].get(0, 0)
    begin = time.monotonic()
    while time.monotonic() - begin < BURST and (number == 0 or driver.room):
        if driver.room:
            number += 1
            command.number, command.q[:] = number, side.home + 1e-4 * (1.0 - np.cos(0.02 * number))
            command.v[:] = 1e-4
            driver.write(command)
        else:
            driver.read(feedback)
    driver.read(feedback)
    told = emulator.told()
    return float((told["taken"].get(0, 0) - before) / (told["times"][-1] - begin))


def pour(side: MotorSide, driver: Any, emulator: Emulator) -> float:
    """New set-points for a while, as fast as they go."""
    command, feedback, number = Command.of(side.model.n), Feedback.of(side.model.n), 0
    emulator.told()
    begin = time.monotonic()
    while time.monotonic() - begin < BURST:
        number += 1
        command.number, command.time, command.q[:] = number, time.monotonic(), side.home
        driver.write(command)
        driver.read(feedback)
        if side.pause:
            time.sleep(side.pause)
    times = emulator.told()["times"]
    return float((len(times) - 1) / (times[-1] - times[0]))


# What is lost or doubled: a driver in its host, and an executor that drives random proven motions.


class Rig:
    """An executor and a driver's host in one process, taking turns by the clock; the driver's own count can be read here.

    Attributes:
        motions: That were driven to their end.
    """

    def __init__(self, folder: Path, side: MotorSide, driver: Driver) -> None:
        n = side.model.n
        self.host = DriverHost(folder, driver, n) if is_hosted(side.name) else None
        seen: Driver = driver if self.host is None else HostedDriver(folder, n)
        kind = BufferedExecutor if seen.capabilities.depth else Executor
        # Both in one process, on a machine that others use too: pauses are no fault here.
        self.executor = kind(side.model, seen, tolerances=Tolerances(following=0.3, driver_silence=3.0, lateness=5.0))
        self._ticked, self._looked, self.motions = time.monotonic(), 0.0, 0

    def tick(self) -> None:
        now = time.monotonic()
        self._ticked = max(self._ticked, now - 0.01)  # more at once would be a leap, which drives refuse rightly
        while self._ticked < now:
            self._ticked += self.executor.period
            self.executor.tick(self._ticked)
        if self.host is not None and now - self._looked >= 0.004:
            self._looked = now
            self.host.look()
        time.sleep(0.0005)

    def until(self, holds: Callable[[], bool], most: float = 60.0) -> None:
        end = time.monotonic() + most
        while not holds():
            if self.executor.state == State.FAULTED or time.monotonic() > end:
                raise ArmillaryError(str(self.executor.fault or "it does not come to an end"))
            self.tick()

    def up(self) -> None:
        for _ in range(100):
            self.tick()
        self.executor.power_on()
        self.executor.initialise()
        self.until(lambda: self.executor.state == State.READY)


def at_both_ends(side: MotorSide, emulator: Emulator, seed: int, seconds: float) -> dict[str, float]:
    """Random proven motions for a while; what the driver has sent and what the emulator has taken.

    After a fault it is brought up anew: each stretch is counted by itself.
    """
    rng, until = np.random.default_rng(seed), time.monotonic() + seconds
    total = dict.fromkeys(("motions", "faults", "sent", "wrong"), 0.0)
    for _ in range(MOST_STRETCHES):
        before = emulator.told()
        with tempfile.TemporaryDirectory() as folder:
            channels, driver = StationChannels(Path(folder), side.model.n), side.driver(emulator.address)
            rig = Rig(Path(folder), side, driver)
            try:
                fault = ""
                drive_until(rig, side, emulator, rng, until)
            except ArmillaryError as error:
                fault = str(error)
                print(f"{side.name}: a fault after {rig.motions} motions: {fault}")
            driver.disable()
            sent = side.sent(driver)
            time.sleep(0.3)
            total["wrong"] += wrong_in(side, sent, before, emulator.told(), whole=not fault)
            total["sent"] += sent
            total["motions"] += rig.motions
            total["faults"] += bool(fault)
            driver.close()
            channels.close()
        if time.monotonic() >= until:
            break
    return total


def drive_until(rig: Rig, side: MotorSide, emulator: Emulator, rng: np.random.Generator, until: float) -> None:
    """Random motions, each planned and proven while the ticks go on."""
    rig.up()
    at = rig.executor.command.q.copy()
    with ThreadPoolExecutor(1) as planner:
        while time.monotonic() < until:
            goal = side.goal(rng)
            planned = planner.submit(plan_joints, side.model, at, goal)
            rig.until(planned.done)
            if isinstance(planned.exception(), ArmillaryError):
                continue  # it cannot go there: another goal
            plan = planned.result()
            rig.executor.run(Handover(plan.trajectory, plan.certificate))
            rig.until(lambda: rig.executor.state == State.MOVING)
            rig.until(lambda: rig.executor.state == State.READY and not rig.executor.moves)
            at, rig.motions = goal, rig.motions + 1
            emulator.told()  # its notes are kept short


def wrong_in(side: MotorSide, sent: int, before: dict[str, Any], after: dict[str, Any], *, whole: bool) -> float:
    """Set-points that were lost or doubled on the way, and those that a buffer got and did not play, where it could."""
    taken = [count - before["taken"].get(drive, 0) for drive, count in after["taken"].items()] or [0]
    wrong = max(abs(count - sent) for count in taken)
    if side.buffered and whole:  # what waited at a fault is thrown away, rightly
        wrong += abs(taken[0] - (after["played"] - before["played"]))
    return float(wrong)


METRICS = (
    ("latency", "command to motion", "ms"), ("seen", "command to motion seen in the feedback", "ms"),
    ("jitter", "jitter at the motor side, p99", "ms"), ("gap", "jitter at the motor side, worst", "ms"),
    ("stop", "command to rest, stopped on the path", "ms"),
    ("off", "tool off the planned path, slow, worst", "mm"), ("off_quick", "tool off the planned path, quick, worst", "mm"),
)  # fmt: skip


def rows_of(side: MotorSide, found: dict[str, float], twin: dict[str, float] | None) -> list[Row]:
    name = "" if twin is None else "twin"
    rows = [
        Row(f"{side.name}: {what}", unit, found[key], None if twin is None else twin[key], name, None)
        for key, what, unit in METRICS
        if key != "seen" or side.measures
    ]
    if side.buffered:
        rows.append(
            Row(f"{side.name}: fewest segments in its buffer when the next came", "segments", found["fewest"], None, "", None)
        )
    peer = None if twin is None else twin["burst"]
    rows.append(Row(f"{side.name}: taken in a burst", f"{side.what}/s", found["burst"], peer, name, None, False))
    return rows


def counted_rows(side: MotorSide, found: dict[str, float], seconds: float) -> list[Row]:
    span = f"{side.name}: {seconds / 60.0:.3g} min of random motion"
    return [
        Row(f"{span}: motions", "motions", found["motions"], None, "", None),
        Row(f"{span}: {side.what} sent", side.what, found["sent"], None, "", None),
        Row(f"{span}: lost or doubled", side.what, found["wrong"], None, "", 0.0),
        Row(f"{span}: faults", "faults", found["faults"], None, "", 0.0),
    ]


def own_options() -> argparse.Namespace:
    """Those that other benchmarks have not; they are taken out of what is left for them."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--minutes", type=float, default=0.0)
    parser.add_argument("--only", default="")
    own, rest = parser.parse_known_args()
    sys.argv[1:] = rest
    return own


def main() -> None:
    own = own_options()
    opts = options(__doc__ or "")
    chosen = [name for name in own.only.split(",") if name]
    seconds = 60.0 * own.minutes or (3600.0 if opts.full else 0.5)
    rows, counted, twin = list[Row](), list[Row](), None
    for kind in SIDES:
        if chosen and kind.name not in chosen and kind is not Twin:
            continue
        side = kind()
        try:
            with Emulator(side) as emulator:
                found = in_cell(side, emulator, opts.seed, 10 if opts.full else 1)
                found["burst"] = in_burst(side, emulator)
                rows += rows_of(side, found, twin)
                twin = twin or found
                if kind.name in chosen or (not chosen and kind is not Twin):
                    counted += counted_rows(side, at_both_ends(side, emulator, opts.seed, seconds), seconds)
        except ArmillaryError as error:
            print(f"{side.name} is left out: {error}")
    finish("drivers", opts.seed, rows + counted, opts.json)


if __name__ == "__main__":
    main()
