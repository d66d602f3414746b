"""DH tables: both conventions against their own definition, and against URDF."""

from collections.abc import Callable
from math import pi
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from armillary.description import (
    DhRow,
    DhTable,
    InvalidCell,
    JointType,
    Limits,
    Pose,
    dh_transform,
    read_dh,
    read_robot,
    read_urdf_text,
    robot_from_dh,
    write_urdf,
)

Write = Callable[..., Path]
length = st.floats(-2, 2, allow_nan=False)
angle = st.one_of(st.floats(-pi, pi), st.sampled_from([0.0, pi / 2, -pi / 2, pi, -pi]))
row = st.builds(
    DhRow, st.just("j"), length, angle, length, angle,
    st.sampled_from([JointType.REVOLUTE, JointType.PRISMATIC]), st.just(Limits(-7.0, 7.0, 1.0, 1.0)),
)  # fmt: skip


@st.composite
def tables(draw: st.DrawFn) -> DhTable:
    rows = draw(st.lists(row, min_size=1, max_size=7))
    named = tuple(DhRow(f"joint_{i}", r.a, r.alpha, r.d, r.theta, r.type, r.limits) for i, r in enumerate(rows, 1))
    pose = st.builds(Pose, st.tuples(length, length, length), st.tuples(angle, angle, angle))
    return DhTable("t", draw(st.booleans()), named, draw(pose), draw(pose))


@given(table=tables(), data=st.data())
def test_a_dh_robot_and_its_urdf_stand_where_the_table_says(table: DhTable, data: st.DataObject) -> None:
    q = [data.draw(st.floats(-3, 3)) for _ in table.rows]
    T = table.base.matrix
    for r, value in zip(table.rows, q, strict=True):
        T = T @ dh_transform(r, value, modified=table.modified)
    T = T @ table.tool.matrix
    positions = {r.name: value for r, value in zip(table.rows, q, strict=True)}
    robot = robot_from_dh(table)
    assert np.abs(robot.poses(positions)["flange"] - T).max() < 1e-12
    exported = read_urdf_text(write_urdf(robot)).unwrap()
    assert exported == robot
    assert np.abs(exported.poses(positions)["flange"] - T).max() < 1e-12


PAPER_5 = """
name = "cobot"
convention = "modified"
""" + "".join(
    f'[[joints]]\nname = "joint_{i}"\na_mm = {a}\nalpha_deg = {alpha}\nd_mm = {d}\nlower_deg = -360.0\nupper_deg = 360.0\n'
    for i, (a, alpha, d) in enumerate(
        [(0, 0, 123.5), (0, 90, 0), (436, 0, 32.5), (436, 180, 136.4), (0, -90, 136.4), (0, 90, 86.4)], 1
    )
)


def test_the_bundled_cobot_is_paper_5s_table(write: Write) -> None:
    from_table = read_robot(write(PAPER_5, "cobot.toml"))
    cobot = read_robot("cobot6")
    rng = np.random.default_rng(0)
    for q in rng.uniform(-pi, pi, (50, 6)):
        positions = {f"joint_{i}": value for i, value in enumerate(q, 1)}
        T = cobot.poses(positions)
        T_base_tool = np.linalg.inv(T["base"]) @ T["tool0"]
        assert np.abs(T_base_tool - from_table.poses(positions)["flange"]).max() < 1e-12


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("modified", "modifed"), "nearest first: modified"),
        (('convention = "modified"', ""), "standard"),
        (("a_mm = 436", "a_m = 436"), "nearest known is 'a"),
        (("a_mm = 436", "a_mm = 436\na = 0.4"), "says it already"),
        (("a_mm = 436", "a_mm = nan"), "not a finite number"),
        (("a_mm = 436", 'a_mm = "436"'), "not a number"),
        (("lower_deg = -360.0", "lower_deg = 400.0"), "above upper"),
        (("lower_deg = -360.0\n", ""), "no range"),
        (('name = "joint_2"', 'name = "joint_1"'), "stands twice"),
        (("[[joints]]", "[[jonts]]"), "the nearest known is 'joints'"),
    ],
)
def test_a_wrong_table_is_refused_with_its_line(change: tuple[str, str], said: str, write: Write) -> None:
    path = write(PAPER_5.replace(*change), "t.toml")
    with pytest.raises(InvalidCell, match=said) as caught:
        read_dh(path)
    assert str(path) in str(caught.value)
