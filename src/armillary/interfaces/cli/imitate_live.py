"""`armillary imitate --live`: a cell whose robot does what a person does now."""

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armillary.interfaces.cli.imitate import BadImitate, error_rows, error_values, print_matched
from armillary.interfaces.cli.terminal import bold, colour, print_json, progress, progress_done, table, waiting

if TYPE_CHECKING:
    from armillary.cell import Cell
    from armillary.cell.imitation_session import ImitationSession
    from armillary.cell.imitation_state import ImitationState
    from armillary.imitation import Imitator, MotionSource
    from armillary.model import Model

__all__ = ["run_live"]

_SIMULATED = 0.5  # s of lateness that a simulated motor side bears
_LOOK = 0.05  # s between two looks at what it does
_FIRST = 5.0  # s that a first frame is waited for
_RESTS = 5.0  # s that a robot may take to come to rest


def run_live(options: argparse.Namespace) -> int:
    """Raises:
    BadImitate: It cannot be begun.
    """
    from armillary.cell import Cell
    from armillary.cell.imitation_session import ImitationSession
    from armillary.model import load_model

    model = load_model(options.robot, group=options.group or None)
    source = _source(options)
    try:
        imitator = _imitator(options, model, source)
        if not options.json:
            print_matched(model, imitator.person.match, imitator.person)
        progress(f"starting {options.robot}")
        bridge = None if options.rosbridge is None else {"host": "127.0.0.1", "port": options.rosbridge}
        with Cell.open(
            options.robot, group=options.group, driver=options.driver, low_power=options.low_power, progress=waiting,
            patience=_SIMULATED if options.driver in ("", "physics", "ideal") else 0.0, rosbridge=bridge,
        ) as cell:  # fmt: skip
            progress_done()
            if not options.json:
                _greet(cell, source)
            with ImitationSession(cell, source, imitator) as session:
                errors = _drive(session, cell, options)
                state, file = session.state, cell.station.recording["file"]
                written = _write(session, options)
        return _report(options, state, errors, file, written)
    finally:
        progress_done()
        source.close()


def _source(options: argparse.Namespace) -> "MotionSource":
    from armillary.imitation import FileMotion, open_live, read_bvh

    if options.motion.lower().startswith(("tcp://", "udp://")):
        progress(f"listening to {options.motion}")
        return open_live(options.motion)
    return FileMotion(read_bvh(Path(options.motion)))


def _imitator(options: argparse.Namespace, model: "Model", source: "MotionSource") -> "Imitator":
    import numpy as np

    from armillary.imitation import Capture, FileMotion, Imitator, Person, match, read_bvh, read_overrides
    from armillary.imitation.capture import positions_are_displacements

    skeleton = source.skeleton
    if isinstance(source, FileMotion):
        capture = read_bvh(Path(options.motion))
        displaced, first = capture.displaced, capture.values[0]
    else:
        frame = source.next(_FIRST)
        if frame is None:
            raise BadImitate(f"{source.name}: no frame came in {_FIRST:g} s; is it sending?")
        capture = Capture(skeleton, np.zeros((0, skeleton.channel_count)), source.period, source.name)
        displaced, first = positions_are_displacements(skeleton, frame.values[None]), frame.values
    overrides = read_overrides(options.matching) if options.matching is not None else None
    matched = match(skeleton, capture.poses if len(capture) else None, overrides)
    imitator = Imitator(
        model, Person.of_capture(capture, matched), source.period, mapping=options.mapping, arm=options.arm,
        mirrored=options.mirror, speed=options.speed, displaced=displaced,
    )  # fmt: skip
    imitator.scale = options.scale
    imitator.step(first)  # what is compiled and loaded once does not wait until the robot moves
    imitator.q = None
    imitator.reset()
    return imitator


def _greet(cell: "Cell", source: "MotionSource") -> None:
    print(
        f"{bold(cell.model.spec.robot.name)} with '{cell.station.settings.driver}' imitates {source.name}, uncertified",
        flush=True,
    )
    if said := cell.station.rosbridge:
        print(f"{bold('rosbridge')}: {said['address']}", flush=True)


def _drive(session: "ImitationSession", cell: "Cell", options: argparse.Namespace) -> dict[str, Any]:
    """Engage, and watch until it is over; how far each part was off, as seen on the way."""
    import numpy as np

    seen: dict[str, list[float]] = {}
    try:
        deadline = time.monotonic() + _FIRST
        while session.state.frames == 0:
            if time.monotonic() > deadline:
                raise BadImitate(f"{session.source.name}: no frame came in {_FIRST:g} s; is it sending?")
            time.sleep(0.005)
        if options.record is not None or options.program is not None:
            session.record()
        session.engage()
        end = time.monotonic() + (options.seconds or float("inf"))
        while time.monotonic() < end and not getattr(session.source, "ended", False):
            state = session.state
            if not state.engaged:
                break
            for part, off in state.errors.items():
                seen.setdefault(part, []).append(off)
            progress(_status(state))
            time.sleep(_LOOK)
    except KeyboardInterrupt:
        pass
    progress_done()
    session.release()
    _come_to_rest(cell)
    return {part: np.array(off) for part, off in seen.items()}


def _come_to_rest(cell: "Cell") -> None:
    from armillary.runtime import State

    deadline = time.monotonic() + _RESTS
    while int(cell.station.state["state"]) == State.MOVING and time.monotonic() < deadline:
        time.sleep(0.01)


def _status(state: "ImitationState") -> str:
    worst = max(state.errors.items(), key=lambda each: each[1], default=("", 0.0))
    parts = [f"{state.phase.value:10}", f"{state.rate:3.0f} Hz", f"{state.frames} frames"]
    if worst[0]:
        parts.append(f"most off {worst[0].replace('_', ' ')} {57.29578 * worst[1]:.1f}°")
    if "all" in state.latency:
        parts.append(f"{1e3 * state.latency['all'].p50:.1f} ms, p99 {1e3 * state.latency['all'].p99:.1f}")
    return "  ".join([*parts, *filter(None, (state.held_by, state.said))])


def _write(session: "ImitationSession", options: argparse.Namespace) -> list[str]:
    """What was recorded, where that was asked for."""
    written: list[str] = []
    if options.record is None and options.program is None:
        return written
    made = session.recorded()
    if options.record is not None:
        made.write_person(options.record)
        written.append(str(options.record))
    if options.program is not None:
        made.write_program(options.program, options.robot, f"An imitation of {Path(session.source.name).name}")
        written.append(str(options.program))
    return written


def _report(options: argparse.Namespace, state: "ImitationState", errors: dict[str, Any], file: str, written: list[str]) -> int:
    if options.plot is not None and errors:
        from armillary.interfaces.plots.limb_error_plot import draw_limb_errors

        written.append(str(draw_limb_errors(errors, _LOOK, options.plot, title=f"{options.robot} imitates {options.motion}")))
    if options.json:
        print_json({
            "motion": options.motion, "robot": options.robot, "frames": state.frames, "refused": state.refused,
            "set_points": state.set_points, "lost": state.lost, "recording": file, "written": written,
            "errors": error_values(errors),
            "latency": {name: vars(stage) for name, stage in state.latency.items()},
        })  # fmt: skip
    else:
        print(f"{state.frames} frames in, {state.refused} of them refused, {state.set_points} set-points out")
        print(table(("off by", "median", "p95", "worst"), error_rows(errors), right=(1, 2, 3)))
        rows = [
            (name, str(stage.count), *(f"{1e3 * value:.2f} ms" for value in (stage.p50, stage.p99, stage.most)))
            for name, stage in state.latency.items()
        ]
        print(table(("latency", "frames", "p50", "p99", "most"), rows, right=(1, 2, 3, 4)))
        for each in (*written, *([file] if file else [])):
            print(f"{bold('written')}: {each}")
        if state.lost:
            print(colour(f"let go of: {state.lost}", "red"))
    return 1 if state.lost else 0
