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


class NothingSkipped:
    """In CI a skipped test is a failure: what is not run there is run nowhere."""

    def __init__(self) -> None:
        self.skipped: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):
            self.skipped.append(report.nodeid)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.skipped and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.skipped:
            terminalreporter.write_line(f"skipped, which CI does not allow: {' '.join(self.skipped)}", red=True)


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: many tests wait, for a process to end or a time to pass."""
    return (os.cpu_count() or 1) + 1


def pytest_configure(config: pytest.Config) -> None:
    if os.environ.get("CI") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(NothingSkipped())


# Where every test starts processes, or makes repositories. On trio they belong to the long ones: what differs between
# event loops is in `fanout`, `store` and `models`, whose tests are run on both each time.
HEAVY = (
    "workers/",
    "sources/",
    "measure/",
    "test_workspaces",
    "test_harvest",
    "test_handover",
    "test_git",
    "test_refe",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what cannot apply to this Python or this user; unlike a skip, it is another machine's to run."""
    for item in items:
        loop = getattr(item, "callspec", None) and item.callspec.params.get("anyio_backend")
        if loop == "trio" and item.nodeid.removeprefix("tests/").startswith(HEAVY):
            item.add_marker("soak")
    foreign = [item for item in items if not all(mark.args[0] for mark in item.iter_markers("applies"))]
    if foreign:
        config.hook.pytest_deselected(items=foreign)
        items[:] = [item for item in items if item not in foreign]


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    """Everything asynchronous is tested on both (F11)."""
    return request.param
