"""A pytest plugin: which promises of docs/promises.md have a test, and which have none.

An id that the document does not know is a usage error, so that a typo cannot pass for a proof.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCUMENT = Path(__file__).parent.parent / "docs" / "promises.md"


def promised() -> list[str]:
    return re.findall(r"^- ([A-Z]\d+) ", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)


def order(identifier: str) -> tuple[str, int]:
    return identifier[0], int(identifier[1:])


class Promises:
    """Collects the marked ids of the whole session, on the controller as on the workers of xdist."""

    def __init__(self) -> None:
        self.known = promised()
        self.kept: set[str] = set()

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        unknown = []
        for item in items:
            for mark in item.iter_markers("promise"):
                unknown += [f"{item.nodeid}: {name}" for name in mark.args if name not in self.known]
                self.kept.update(mark.args)
        if unknown:
            raise pytest.UsageError("promises that docs/promises.md does not know:\n  " + "\n  ".join(unknown))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object) -> None:
        self.kept.update(getattr(node, "workeroutput", {}).get("promises", ()))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output["promises"] = sorted(self.kept)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        kept = sorted(self.kept & set(self.known), key=order)
        missing = [name for name in self.known if name not in self.kept]
        terminalreporter.section("promises")
        terminalreporter.write_line(f"with a test ({len(kept)}): {' '.join(kept) or 'none'}")
        terminalreporter.write_line(f"without one ({len(missing)}): {' '.join(missing) or 'none'}")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Promises(), "bakeoff-promises")
