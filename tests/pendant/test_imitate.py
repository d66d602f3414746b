"""A person is imitated from the pendant, in Chromium: seen beside the robot, and moving it while the clutch is closed."""

import numpy as np
import pytest

from tests.pendant.conftest import Pendant

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.alone]
BONES = "window.armillaryView.bones"


def test_a_person_is_seen_beside_the_robot_and_moves_it_while_the_clutch_is_closed(pendant: Pendant) -> None:
    page, cell = pendant.page, pendant.cell
    pendant.choose_mode("automatic")
    pendant.open("imitate")
    page.locator('[data-motion="somebody.bvh"]').click()
    assert "not proven" in page.locator("[data-not-proven-note]").inner_text()
    page.locator("[data-choose]").click()
    phase = page.locator("[data-phase]")
    pendant.until(lambda: phase.get_attribute("data-phase") == "released")
    pendant.until(lambda: page.evaluate(BONES) > 15)
    stood, drawn = pendant.q, page.evaluate("window.armillaryView.frames")
    pendant.until(lambda: page.evaluate("window.armillaryView.frames") > drawn + 2)
    assert (pendant.q == stood).all(), "the person moves, the robot does not"

    page.locator(".imitating .choice button", has_text="Touch").click()
    page.locator("[data-record]").click()
    page.locator("[data-clutch]").click()
    pendant.until(lambda: np.abs(pendant.q - stood).max() > 0.02)
    assert not bool(cell.station.state["certified"])
    page.locator("[data-not-proven]").wait_for()
    pendant.until(lambda: int(page.locator("[data-kept]").get_attribute("data-kept")) > 0)
    assert int(page.locator("[data-errors]").get_attribute("data-errors")) > 0
    page.locator("[data-freeze]").click()
    pendant.until(lambda: phase.get_attribute("data-phase") == "frozen" and not pendant.moves())
    stands = pendant.q
    page.wait_for_timeout(400)
    assert np.abs(pendant.q - stands).max() < 1e-5, "frozen is still"
    with page.expect_download() as given:
        page.locator('[data-get="program"]').click()
    assert given.value.suggested_filename == "imitation.py"

    page.locator("[data-end]").click()
    page.locator("[data-choose]").wait_for()
    pendant.until(lambda: page.evaluate(BONES) == 0)
    pendant.until(lambda: not cell.station.state["moves"])
