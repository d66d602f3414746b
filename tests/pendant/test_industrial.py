"""The industrial robot of paper 2, and that paper's commands, run from the page."""

import numpy as np
import pytest

from tests.pendant.conftest import Pendant

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.alone]


@pytest.fixture(scope="module")
def robot() -> str:
    return "industrial6"


def test_paper_twos_commands_are_run_from_the_page(pendant: Pendant) -> None:
    pendant.choose_mode("automatic")
    pendant.open_program("paper2.arm")
    lines = pendant.run_to_the_end(120.0)
    assert {"2", "3"} <= lines, "both moves were driven"
    assert np.abs(pendant.q).max() < 1e-3, "the spline ends with all joints at zero"
    pendant.shot("paper2")
