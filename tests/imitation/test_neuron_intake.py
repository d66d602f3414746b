"""What is made of a broadcast's bytes, without a wire: order, senders, avatars, layouts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from armillary.imitation import NeuronForm
from armillary.imitation.frame_order import Came, FrameOrder
from armillary.imitation.neuron_intake import NeuronIntake
from armillary.imitation.neuron_skeleton import default_offsets
from armillary.protocols.neuron import NeuronHeader, write_neuron_frame
from armillary.protocols.neuron_text import write_neuron_text

PERIOD = 1 / 60


def rows(number: int) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]]":
    return np.concatenate([default_offsets(), np.full((59, 3), float(number % 100))], axis=1)


def frame(number: int, *, displacement: bool = True, reference: bool = False, name: str = "Char00", avatar: int = 0) -> bytes:
    table = rows(number)
    values = table.ravel() if displacement else np.concatenate([table[0, :3], table[:, 3:].ravel()])
    values = np.concatenate([np.full(6, 7.0), values]) if reference else values
    return write_neuron_frame(NeuronHeader(len(values), displacement, reference, avatar, name, number), values)


def intake(**options: object) -> tuple[NeuronIntake, list[str]]:
    said: list[str] = []
    return NeuronIntake(datagrams=True, say=said.append, **options), said  # type: ignore[arg-type]


# Order.


def test_frames_in_order_are_new() -> None:
    order = FrameOrder()
    assert [order.take(k) for k in (2**32 - 2, 2**32 - 1, 0, 1)] == [Came.NEW] * 4
    assert (order.lost, order.doubled, order.late) == (0, 0, 0)


def test_lost_doubled_and_late_frames_are_told_apart() -> None:
    order = FrameOrder()
    came = [order.take(k) for k in (1, 2, 2, 5, 4, 4, 6)]
    assert came == [Came.NEW, Came.NEW, Came.DOUBLED, Came.NEW, Came.LATE, Came.DOUBLED, Came.NEW]
    assert (order.lost, order.doubled, order.late) == (1, 2, 1)


def test_a_sender_that_counts_anew_is_followed() -> None:
    order = FrameOrder()
    for k in range(1000, 1010):
        order.take(k)
    assert order.take(0) is Came.ANEW and order.take(1) is Came.NEW
    order = FrameOrder()
    for k in range(20):
        order.take(k)
    assert Came.ANEW in [order.take(k) for k in range(10)] and order.take(10) is Came.NEW


@given(st.lists(st.integers(0, 40), max_size=60))
def test_numbers_that_are_used_always_rise(numbers: list[int]) -> None:
    order = FrameOrder()
    last = -1
    for number in numbers:
        came = order.take(number)
        if came is Came.NEW:
            assert number > last
        if came in (Came.NEW, Came.ANEW):
            last = number
    assert min(order.lost, order.doubled, order.late) >= 0


@given(st.integers(0, 2**32 - 1), st.lists(st.sampled_from(["sent", "lost", "doubled"]), min_size=1, max_size=80))
def test_the_account_is_exact_where_nothing_is_reordered(first: int, fate: list[str]) -> None:
    order = FrameOrder()
    sent = [
        (first + k) % 2**32
        for k, what in enumerate(["sent", *fate, "sent"])
        for _ in range({"lost": 0, "sent": 1, "doubled": 2}[what])
    ]
    assert all(order.take(number) in (Came.NEW, Came.DOUBLED) for number in sent)
    assert (order.lost, order.doubled, order.late) == (fate.count("lost"), fate.count("doubled"), 0)


# Frames.


@pytest.mark.parametrize("displacement", [True, False])
@pytest.mark.parametrize("reference", [True, False])
def test_frames_become_the_skeletons_channels(displacement: bool, reference: bool) -> None:
    taking, _ = intake()
    frames = [
        each
        for k in range(3)
        for each in taking.take("a:1", frame(k, displacement=displacement, reference=reference), k * PERIOD)
    ]
    assert taking.skeleton is not None and taking.skeleton.channel_count == (354 if displacement else 180)
    assert [each.number for each in frames] == [0, 1, 2] and [each.time for each in frames] == [0.0, PERIOD, 2 * PERIOD]
    wanted = rows(2) if displacement else np.concatenate([rows(2)[0, :3], rows(2)[:, 3:].ravel()])
    assert np.allclose(frames[2].values, wanted.ravel(), atol=1e-4)


def test_lengths_come_with_the_displacements() -> None:
    taking, _ = intake(form=NeuronForm.OLDER)
    table = rows(0)
    table[:, :3] *= 1.25
    taking.take("a:1", write_neuron_frame(NeuronHeader(354), table.ravel()), 0.0)
    assert taking.skeleton is not None and np.allclose(taking.skeleton.offsets, default_offsets() * 1.25, atol=1e-4)
    assert "Spine3" in taking.skeleton


def test_displacements_that_are_all_zero_tell_no_lengths() -> None:
    taking, _ = intake()
    table = rows(3)
    table[1:, :3] = 0.0
    (made,) = taking.take("a:1", write_neuron_frame(NeuronHeader(354), table.ravel()), 0.0)
    assert taking.skeleton is not None and taking.skeleton.channel_count == 180 and len(made.values) == 180
    assert np.array_equal(taking.skeleton.offsets, default_offsets())


def test_a_sender_that_is_set_otherwise_meanwhile_is_understood() -> None:
    for first in (True, False):
        taking, _ = intake()
        (one,) = taking.take("a:1", frame(5, displacement=first), 0.0)
        (two,) = taking.take("a:1", frame(6, displacement=not first), PERIOD)
        (again,) = taking.take("a:1", frame(7, displacement=first), 2 * PERIOD)
        assert len(one.values) == len(two.values) == len(again.values) and taking.retold == 1
        assert np.allclose(two.values[np.abs(again.values) == 7.0], 6.0)


def test_text_is_recognised_and_numbered() -> None:
    taking, _ = intake()
    data = [write_neuron_text(NeuronHeader(354), rows(k).ravel()) for k in range(3)]
    frames = [each for k, text in enumerate(data) for each in taking.take("a:1", text, k * PERIOD)]
    assert [each.number for each in frames] == [0, 1, 2] and taking.damaged == 0


def test_frames_of_other_skeletons_are_left_out_with_words() -> None:
    taking, said = intake()
    assert taking.take("a:1", write_neuron_frame(NeuronHeader(126), np.zeros(126)), 0.0) == []
    assert taking.damaged == 1 and "21 bones" in said[0]


def test_doubled_and_late_frames_are_not_given() -> None:
    taking, _ = intake()
    numbers = [each.number for k, n in enumerate((0, 1, 1, 4, 3, 5)) for each in taking.take("a:1", frame(n), k * PERIOD)]
    assert numbers == [0, 1, 4, 5] and (taking.order.lost, taking.order.doubled, taking.order.late) == (1, 1, 1)


# Senders.


def test_a_second_sender_is_refused_and_said_once() -> None:
    taking, said = intake()
    given_ = 0
    for k in range(50):
        given_ += len(taking.take("a:1", frame(k), k * PERIOD))
        assert taking.take("b:2", frame(k + 500), k * PERIOD) == []
    assert given_ == 50 and taking.refused == 1 and len(said) == 1 and "b:2" in said[0]


def test_another_sender_is_heard_when_the_first_is_silent() -> None:
    taking, said = intake()
    taking.take("a:1", frame(100), 0.0)
    assert taking.take("b:2", frame(3), 0.9) == []
    (made,) = taking.take("b:2", frame(4), 1.1)
    assert made.number == 1 and "fell silent" in said[-1]
    assert taking.take("a:1", frame(101), 1.2) == []


def test_garbage_makes_nobody_a_sender() -> None:
    taking, _ = intake()
    for k in range(100):
        assert taking.take(f"evil:{k}", bytes(range(200)), k * 0.001) == []
    assert len(taking.take("a:1", frame(0), 1.0)) == 1


def test_another_avatar_is_refused_and_said_once() -> None:
    taking, said = intake()
    for k in range(20):
        assert len(taking.take("a:1", frame(k), k * PERIOD)) == 1
        assert taking.take("a:1", frame(k, name="Char01", avatar=1), k * PERIOD) == []
    assert taking.refused == 1 and len(said) == 1 and "Char01" in said[0] and taking.order.doubled == 0
    assert taking.take("a:1", frame(99, name="Char01", avatar=1), 100.0) == []  # another person, however long the first is gone


def test_an_avatar_that_was_asked_for_is_waited_for() -> None:
    taking, _ = intake(avatar="Char01")
    assert taking.take("a:1", frame(0), 0.0) == []
    assert len(taking.take("a:1", frame(0, name="Char01", avatar=1), 0.0)) == 1


def test_pieces_that_are_far_apart_are_not_put_together() -> None:
    taking, _ = intake()
    assert taking.take("a:1", frame(0)[:700], 0.0) == []
    assert taking.take("a:1", frame(1)[700:], 0.5) == [] and taking.damaged == 1
    assert len(taking.take("a:1", frame(2), 0.6)) == 1


def test_a_new_connection_goes_on_with_nothing_of_the_one_before() -> None:
    taking = NeuronIntake(datagrams=False)
    taking.take("a:1", frame(500) + frame(501)[:1000], 0.0)
    taking.begin_anew()
    (made,) = taking.take("a:1", frame(3), 5.0)
    assert made.number == 1 and made.values[3] == 3.0 and taking.order.lost == 0


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 60), st.integers(1, 1480)), max_size=60))
def test_whatever_comes_numbers_rise_and_nothing_breaks(pieces: list[tuple[int, int, int]]) -> None:
    taking, _ = intake()
    last = -1
    for k, (sender, number, size) in enumerate(pieces):
        for made in taking.take(f"s:{sender}", frame(number)[:size] if size % 3 else frame(number), k * 0.3):
            assert made.number > last and np.all(np.isfinite(made.values))
            last = made.number
