"""Sources of other packages, found by entry point."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bakeoff.errors import UsageError
from bakeoff.sources.plugins import GROUP, plugin, plugins
from repositories import write_files

IDEAS = """
class Ideas:
    name = "ideas"

    async def propose(self, brief):
        return
        yield
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with two sources, one of which is broken."""
    write_files(
        tmp_path,
        {
            "ideas.py": IDEAS,
            "ideas-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: ideas\nVersion: 1.0\n",
            "ideas-1.0.dist-info/entry_points.txt": f"[{GROUP}]\nideas = ideas:Ideas\nbroken = ideas:Nothing\n",
        },
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("ideas", None)


def test_a_source_is_found_and_made(installed: Path):
    assert plugins() == ("broken", "ideas")
    assert plugin("ideas").name == "ideas"


def test_one_that_cannot_be_loaded_is_said_to_be_so(installed: Path):
    with pytest.raises(UsageError, match="'broken' cannot be loaded") as caught:
        plugin("broken")
    assert "ideas:Nothing" in (caught.value.hint or "")
