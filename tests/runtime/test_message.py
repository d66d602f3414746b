"""Messages: what goes in comes out, and what is none is refused."""

import contextlib
import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armillary.model import load_model
from armillary.motion import BadMotion, certify, join, limits_of, plan_joints
from armillary.motion.certificate import world_hash
from armillary.runtime import BadChannel
from armillary.runtime.handover import Handover
from armillary.runtime.inputs_outputs import Output, TimedOutput
from armillary.runtime.message import Assembly, Message, handover_messages

HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])


MODEL = load_model("cobot6")
WORLD = world_hash(MODEL, limits_of(MODEL), None)


def put_together(messages: list[Message]) -> Handover:
    assembly = Assembly()
    for message in messages[:-1]:
        assembly.take(message)
    return assembly.handover(messages[-1])


def test_a_motion_comes_out_as_it_went_in() -> None:
    plan = plan_joints(MODEL, HOME, HOME + 0.3, origin="line 3")
    parts = itertools.pairwise(np.linspace(0.0, plan.trajectory.duration, 150))
    long = join([plan.trajectory.part(*part) for part in parts])  # more than one message holds
    given = Handover(long, certify(long, MODEL), motion=5, at=0.25, until=0.5, while_pressed=True)
    messages = [Message.decode(each.encode()) for each in handover_messages(given, 7, 1.5, owner=3)]
    assert len(messages) > 3 and [each.number for each in messages] == list(range(7, 7 + len(messages)))
    found = put_together(messages)
    assert found.trajectory.digest == long.digest and found.trajectory.origins == long.origins
    assert (found.motion, found.at, found.until, found.while_pressed) == (5, 0.25, 0.5, True)
    assert found.refusal(WORLD) == "" and found.most == pytest.approx(given.most)
    assert "another" in found.refusal("elsewhere")


def test_its_outputs_come_with_it_in_their_order() -> None:
    plan = plan_joints(MODEL, HOME, HOME + 0.3)
    parts = itertools.pairwise(np.linspace(0.0, plan.trajectory.duration, 150))
    long = join([plan.trajectory.part(*part) for part in parts])
    times = [*np.linspace(0.2, 0.2 + long.duration, 400).tolist(), 99.0]
    values: list[bool | float] = [True, 2.5, False, -1.0]
    given = tuple(TimedOutput(time, Output(k % 7, values[k % 4]), k + 1) for k, time in enumerate(times))
    messages = handover_messages(Handover(long, certify(long, MODEL), at=0.25, outputs=given), 1, 0.0)
    assert max(len(message.values.get("outputs", ())) for message in messages) < 200, "no message holds up a tick with all"
    found = put_together([Message.decode(message.encode()) for message in messages]).outputs
    assert found == given and [type(each.output.value) for each in found[:2]] == [bool, float]


@pytest.mark.parametrize(
    "spoilt",
    [
        [[0.1, 2, True]],
        [[float("nan"), 2, True, 1]],
        [[0.1, 2.5, True, 1]],
        [[0.1, 2, "on", 1]],
        [7],
        ["abcd"],
        [[0.1, True, 1.0, 1]],
    ],
)
def test_an_output_that_is_none_is_refused(spoilt: list[object]) -> None:
    plan = plan_joints(MODEL, HOME, HOME + 0.3)
    messages = handover_messages(Handover(plan.trajectory, plan.certificate), 1, 0.0)
    bad = replace(messages[0], values={**messages[0].values, "outputs": spoilt})
    with pytest.raises(BadChannel):
        put_together([bad, *messages[1:]])


def test_a_motion_with_a_part_missing_is_refused() -> None:
    plan = plan_joints(MODEL, HOME, HOME + 0.3)
    parts = itertools.pairwise(np.linspace(0.0, plan.trajectory.duration, 150))
    long = join([plan.trajectory.part(*part) for part in parts])
    messages = handover_messages(Handover(long, certify(long, MODEL)), 1, 0.0)
    for left_out in range(len(messages) - 1):
        with pytest.raises(BadChannel, match="missing"):
            put_together(messages[:left_out] + messages[left_out + 1 :])
    with pytest.raises(BadChannel, match="missing"):
        Assembly().handover(messages[-1])


@settings(max_examples=300, deadline=None)
@given(data=st.binary(max_size=400))
def test_rubbish_is_refused_in_words(data: bytes) -> None:
    with contextlib.suppress(BadChannel):  # and nothing else comes out of it
        assert isinstance(Message.decode(data).kind, str)


@settings(max_examples=200, deadline=None)
@given(cut=st.integers(0, 4000), place=st.integers(0, 4000), value=st.integers(0, 255))
def test_a_spoilt_motion_is_refused_or_another_one(cut: int, place: int, value: int) -> None:
    """Whatever bytes are lost or changed: an error in words, or a motion that its proof does not cover."""
    plan = plan_joints(MODEL, HOME, HOME + 0.3)
    messages = handover_messages(Handover(plan.trajectory, plan.certificate), 1, 0.0)
    data = bytearray(messages[0].encode())
    data[min(place, len(data) - 1)] = value
    del data[cut:]
    try:
        found = put_together([Message.decode(bytes(data)), messages[1]])
    except (BadChannel, BadMotion):
        return
    assert found.trajectory.digest == plan.trajectory.digest or found.refusal(WORLD)
