from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["promises"]

settings.register_profile(
    "bakeoff", deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow], derandomize=False
)
settings.register_profile("ci", parent=settings.get_profile("bakeoff"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "bakeoff")


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    """Everything asynchronous is tested on both (F11)."""
    return request.param
