"""Messages: what goes in comes out, and what is none is refused."""

import contextlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armillary.model import load_model
from armillary.motion import BadMotion, plan_joints
from armillary.runtime import BadChannel
from armillary.runtime.message import Message, motion_message, motion_of

HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])


def test_a_motion_comes_out_as_it_went_in() -> None:
    plan = plan_joints(load_model("cobot6"), HOME, HOME + 0.3, origin="line 3")
    message = Message.decode(motion_message(7, 1.5, plan.trajectory, plan.certificate).encode())
    trajectory, certificate = motion_of(message)
    assert message.number == 7 and message.sent == 1.5
    assert trajectory.digest == plan.trajectory.digest and trajectory.origins == plan.trajectory.origins
    assert certificate.segments == plan.certificate.segments and certificate.bound_to == plan.certificate.bound_to
    assert certificate.holds and certificate.covers(trajectory, load_model("cobot6"))


@settings(max_examples=300, deadline=None)
@given(data=st.binary(max_size=400))
def test_rubbish_is_refused_in_words(data: bytes) -> None:
    with contextlib.suppress(BadChannel):  # and nothing else comes out of it
        assert isinstance(Message.decode(data).kind, str)


@settings(max_examples=200, deadline=None)
@given(cut=st.integers(0, 4000), place=st.integers(0, 4000), value=st.integers(0, 255))
def test_a_spoilt_motion_is_refused_or_another_one(cut: int, place: int, value: int) -> None:
    """Whatever bytes are lost or changed: an error in words, or a motion that its proof does not cover."""
    model = load_model("cobot6")
    plan = plan_joints(model, HOME, HOME + 0.3)
    data = bytearray(motion_message(1, 0.0, plan.trajectory, plan.certificate).encode())
    changed = data[min(place, len(data) - 1)] != value
    data[min(place, len(data) - 1)] = value
    if cut < len(data):
        del data[cut:]
        changed = True
    try:
        trajectory, certificate = motion_of(Message.decode(bytes(data)))
    except (BadChannel, BadMotion):
        return
    same = trajectory.digest == plan.trajectory.digest
    assert same or not certificate.covers(trajectory, model) or not changed


def test_a_motion_without_its_numbers() -> None:
    with pytest.raises(BadChannel, match="without"):
        motion_of(Message("run", 1, 0.0, {"joints": []}, {}))
