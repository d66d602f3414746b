"""The application: what every answer carries."""

import pytest
from fastapi import FastAPI

from tests.interfaces.http.conftest import Browser


@pytest.mark.parametrize("path", ["/api/session", "/"])
def test_the_pages_policy_lets_nothing_inline_and_nothing_be_evaluated(app: FastAPI, path: str) -> None:
    policy = Browser(app).get(path).headers["content-security-policy"]
    assert "unsafe" not in policy
    assert {"script-src 'self'", "style-src 'self'", "object-src 'none'"} <= {each.strip() for each in policy.split(";")}
