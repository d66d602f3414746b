"""Damaged BVH files give a person or one clear error: never anything else, and never slowly."""

import faulthandler
from collections import Counter
from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from armillary.imitation import Capture, ImitationError, InvalidBvh, Person, match, parse_bvh
from tests.imitation.bvh_mutations import mutated, valid_files

LONGEST = 60.0  # s: a file that takes as long hangs, and all is ended with the place where it did


def read(data: bytes) -> Capture | None:
    """A capture, or None for a file that is refused with its place."""
    try:
        capture = parse_bvh(data, "fuzzed.bvh")
    except InvalidBvh as error:
        lines = data.count(b"\n") + data.count(b"\r") + 1
        if not str(error).startswith("fuzzed.bvh") or not 0 <= error.line <= lines:
            raise AssertionError(f"{error}: the file has {lines} lines") from error
        return None
    assert np.all(np.isfinite(capture.values)) and capture.period > 0.0 and np.all(np.isfinite(capture.skeleton.offsets))
    return capture


def read_only(data: bytes) -> str:
    return "refused" if read(data) is None else "read"


def understood(data: bytes) -> str:
    """All that is done with a file; what came of it."""
    capture = read(data)
    if capture is None:
        return "refused"
    try:
        person = Person.of_capture(capture, match(capture.skeleton, capture.poses))
        postures = person.postures(capture.poses)
    except ImitationError:
        return "nobody"
    assert all(np.all(np.isfinite(each)) for each in (postures.chest, postures.upper_arms, postures.forearms, postures.head))
    return "a person"


def tried(use: Callable[[bytes], str], count: int) -> Counter[str]:
    random, files = Random(12), valid_files()
    came: Counter[str] = Counter()
    for k in range(count):
        data = mutated(files[k % len(files)], random)
        faulthandler.dump_traceback_later(LONGEST, exit=True)
        try:
            came[use(data)] += 1
        except Exception as error:
            raise AssertionError(f"file {k}: {type(error).__name__}: {error}: {data[:300]!r}...") from error
        finally:
            faulthandler.cancel_dump_traceback_later()
    return came


@pytest.mark.slow
def test_damaged_files_are_read_or_refused(request: pytest.FixtureRequest) -> None:
    """3000, and with --full a hundred thousand."""
    came = tried(read_only, 100_000 if request.config.getoption("--full") else 3_000)
    assert min(came["refused"], came["read"]) > 100, came


@pytest.mark.slow
def test_damaged_files_give_a_person_or_one_error(request: pytest.FixtureRequest) -> None:
    """3000, and with --full a hundred thousand."""
    came = tried(understood, 100_000 if request.config.getoption("--full") else 3_000)
    assert min(came["refused"], came["nobody"], came["a person"]) > 20, came
