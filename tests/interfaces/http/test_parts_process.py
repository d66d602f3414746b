"""Looking for near parts in a process of its own: the same is found, nobody waits for it, and one that ends is not missed."""

import os
import signal
import time
from collections.abc import Iterator

import numpy as np
import pytest

from armillary.interfaces.http.nearest_parts import NearestParts, PartsFound
from armillary.interfaces.http.parts_process import PartsProcess
from armillary.model import Scene
from tests.model.robots import configurations, model_of

MODEL = model_of("cobot6")


@pytest.fixture
def looking() -> Iterator[PartsProcess]:
    made = PartsProcess(NearestParts(MODEL, Scene(MODEL)))
    yield made
    made.close()


def found_at(looking: PartsProcess, q: np.ndarray) -> PartsFound:
    """What is found there, asked as often as it takes."""
    before, end = looking.look(q), time.monotonic() + 30.0
    while (found := looking.look(q)) is None or found is before:
        assert time.monotonic() < end
        time.sleep(0.005)
    return found


def test_what_it_finds_is_what_is_there(looking: PartsProcess) -> None:
    here = NearestParts(MODEL, Scene(MODEL))
    for q in configurations(MODEL, 20, seed=4):
        found_at(looking, q)  # what was asked before it may come first
        found, right = found_at(looking, q), here.look(q)
        assert found.touching == right.touching
        assert found.nearest is not None and right.nearest is not None
        assert (found.nearest.first, found.nearest.second) == (right.nearest.first, right.nearest.second)
        assert found.nearest.distance == pytest.approx(right.nearest.distance, abs=1e-9)
        assert found.nearest.p_world_first == pytest.approx(right.nearest.p_world_first, abs=1e-9)


def test_nobody_waits_for_one_that_is_busy(looking: PartsProcess) -> None:
    first, second = configurations(MODEL, 2, seed=4)
    known: PartsFound | None = found_at(looking, first)
    os.kill(looking.pid, signal.SIGSTOP)  # it computes, for ever
    try:
        while looking.look(second) is not known:  # an answer that was on its way
            known = looking.look(second)
        assert all(looking.look(second) is known for _ in range(50))
    finally:
        os.kill(looking.pid, signal.SIGCONT)


def test_one_that_has_ended_leaves_the_work_here(looking: PartsProcess) -> None:
    first, second = configurations(MODEL, 2, seed=4)
    found_at(looking, first)
    os.kill(looking.pid, signal.SIGKILL)
    right = NearestParts(MODEL, Scene(MODEL)).look(second)
    end = time.monotonic() + 30.0
    while (found := looking.look(second)) is None or found.nearest is None or right.nearest is None or (
        found.nearest.distance != pytest.approx(right.nearest.distance, abs=1e-9)
    ):  # fmt: skip
        assert time.monotonic() < end
        time.sleep(0.01)


def test_it_ends_with_who_asked(looking: PartsProcess) -> None:
    pid = looking.pid
    looking.close()
    end = time.monotonic() + 30.0
    while True:
        try:
            if os.waitpid(pid, os.WNOHANG)[0]:
                break
        except ChildProcessError:
            break
        assert time.monotonic() < end
        time.sleep(0.01)
