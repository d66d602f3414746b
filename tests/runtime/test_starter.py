"""Who outlives the process that started it goes on only while that is needed."""

import pytest

from armillary.runtime.starter import Starter


def test_what_is_needed_goes_on_after_its_starter_and_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    starter, now = Starter(), [50.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    assert not starter.gone and starter.lets_go_on(lambda: False), "while he lives nothing is asked"
    monkeypatch.setattr("os.getppid", lambda: 1)
    assert starter.gone and starter.lets_go_on(lambda: True) and not starter.lets_go_on(lambda: False)
    now[0] += 9.0
    assert starter.lets_go_on(lambda: True)
    now[0] += 2.0
    assert not starter.lets_go_on(lambda: True)
