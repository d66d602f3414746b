"""Axis definitions and the feedback program follow from the actuation model, on the emulator that knows nothing of it."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from armillary.drivers import DriverError
from armillary.drivers.pmac_axes import PmacAxes, axes_of, letters_of
from armillary.drivers.pmac_options import read_options
from armillary.drivers.pmac_setup import POSITIONS, PmacSetup
from armillary.emulators.pmac import Machine, OnlineCommands
from armillary.emulators.pmac.axis_definition import read_axis_definition
from armillary.model import Coupling, load_model
from armillary.motion import limits_of
from tests.drivers.pmac_bench import coupling_of

Array = NDArray[np.float64]
ROBOTS = [("industrial6", None), ("mobile6", "arm")]


def axes_for(robot: str, group: str | None) -> PmacAxes:
    return axes_of(coupling_of(robot), load_model(robot, group=group).joints, [False] * 6)


def counts_by_definitions(axes: PmacAxes, q: Array) -> Array:
    """Motor positions as the emulator makes them of what is sent."""
    values = dict(zip(axes.letters, axes.to_axes(q)))
    counts = []
    for row in range(len(axes.motors)):
        read = read_axis_definition(axes.definition(row).partition("->")[2])
        counts.append(read.offset + sum(scale * values[axis] for axis, scale in read.scales.items()))
    return np.array(counts)


def test_the_industrial_robot_has_the_definitions_of_paper_2s_listing() -> None:
    axes = axes_for("industrial6", None)
    assert [axes.definition(row) for row in range(6)] == [
        "#1->25532.8278X", "#2->25667.875Y", "#3->29308.7083Y+29308.7083Z", "#4->7110.1274A", "#5->13285.5409B",
        "#6->11104.5417C",
    ]  # fmt: skip


def test_the_differential_is_put_on_axes_that_may_be_coupled() -> None:
    axes = axes_for("mobile6", "arm")
    assert axes.letters == ("X", "Y", "Z", "A", "U", "V")
    assert re.fullmatch(r"#6->568\.888888888\dU-568\.888888888\dV", axes.definition(5))
    assert axes.joints_of(4) == "joint_5, joint_6"


@pytest.mark.parametrize(("robot", "group"), ROBOTS)
def test_the_plc_program_gives_back_where_the_joints_are(robot: str, group: str | None) -> None:
    """Unlike paper 2's own line."""
    model, axes, coupling = load_model(robot, group=group), axes_for(robot, group), coupling_of(robot)
    q = np.array([0.2, 0.35, -0.61, 0.7, -0.26, 1.57])
    machine = Machine(6, positions=[*coupling.to_motors(q)])
    online = OnlineCommands(machine)
    options = read_options({"address": "host"})
    setup = PmacSetup(options, axes, limits_of(model), 32, 3713707.0)
    for line in ("I5=2", *setup.variables(), *setup.definitions(), *setup.plc(), "ENABLE PLC 1"):
        assert online.answer(line)[1] is None, line
    machine.advance(0.1)
    first = options.variables + POSITIONS
    said = np.array([float(line) for line in online.answer(f"P{first}..{first + 11}")[0]])
    assert axes.to_joints(said[:6]) == pytest.approx(q, abs=1.0 / np.abs(coupling.matrix).max(axis=1).min())
    assert axes.to_joints(said[6:]) == pytest.approx(q, abs=1.0 / np.abs(coupling.matrix).max(axis=1).min())


numbers = st.floats(-2.0, 2.0).map(lambda value: round(value, 3))


@given(
    blocks=st.permutations([1, 1, 2, 2]), values=st.lists(numbers, min_size=36, max_size=36), order=st.permutations(range(6)),
    q=st.lists(numbers, min_size=6, max_size=6), zero=st.lists(st.floats(-1e5, 1e5), min_size=6, max_size=6),
)  # fmt: skip
@settings(max_examples=80, deadline=None)
def test_any_coupling_by_pairs_is_right_both_ways(
    blocks: list[int], values: list[float], order: list[int], q: list[float], zero: list[float]
) -> None:
    matrix, at = np.zeros((6, 6)), 0
    for size in blocks:
        block = np.array(values).reshape(6, 6)[at : at + size, at : at + size]
        matrix[at : at + size, at : at + size] = block + 5.0 * np.eye(size)
        at += size
    names = tuple(f"j{k}" for k in order)
    coupling = Coupling(names, matrix, np.linspace(1e5, 2e6, 6), np.round(zero, 3))
    joints = tuple(f"j{k}" for k in range(6))
    axes = axes_of(coupling, joints, [False] * 6)
    here = np.array(q)
    counts = coupling.to_motors(here[list(order)])
    assert counts_by_definitions(axes, here) == pytest.approx(counts, abs=0.01)
    back = axes.to_joints(axes.back @ (counts - axes.zero))
    assert back == pytest.approx(here, abs=1e-9)


def test_a_slide_is_in_millimetres() -> None:
    coupling = Coupling(("slide",), np.eye(1), np.array([2e6]), np.zeros(1))
    assert axes_of(coupling, ("slide",), [True]).definition(0) == "#1->2000X"


def test_what_pmac_cannot_couple_is_refused() -> None:
    with pytest.raises(DriverError, match="share motors: a, b, c, d"):
        letters_of(np.ones((4, 4), dtype=bool), "abcd")
    with pytest.raises(DriverError, match="10 joints"):
        letters_of(np.eye(10, dtype=bool), "abcdefghij")
    pairs = np.kron(np.eye(3), np.ones((2, 2))).astype(bool)
    with pytest.raises(DriverError, match="a, b; c, d; e, f"):
        letters_of(pairs, "abcdef")
    assert letters_of(pairs[:4, :4], "abcd") == ("X", "Y", "U", "V")


def test_a_robot_whose_motors_nobody_knows_is_refused() -> None:
    with pytest.raises(DriverError, match=r"\[actuation\]"):
        axes_of(None, ("a", "b"), [False, False])
    with pytest.raises(DriverError, match="motors is"):
        axes_of(coupling_of("industrial6"), load_model("industrial6").joints, [False] * 6, motors=(1, 1, 2, 3, 4, 5))
