"""The whole test suite of a project as a judge, and where its time goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from bakeoff.candidates import Change
from bakeoff.errors import BaselineFails, NoTests
from bakeoff.events import Verdict
from bakeoff.targets import Project
from bakeoff.verify import Suite
from bakeoff.workspaces import WorktreePool
from repositories import make_repository

pytestmark = pytest.mark.anyio

FILES = {
    "pkg/__init__.py": "",
    "pkg/mod.py": "def slow(n):\n    return sum(i * i for i in range(n))\n\n\ndef other():\n    return 1\n",
    "tests/test_slow.py": "from pkg.mod import slow\n\ndef test_it():\n    assert slow(50_000) > 0\n",
    "tests/test_other.py": "from pkg.mod import other, slow\n\ndef test_it():\n    assert other() == 1\n\n"
    "def test_both():\n    assert slow(3) == 5\n",
    "tests/test_apart.py": "SEEN = []\n\ndef test_first():\n    SEEN.append(1)\n\n"
    "def test_second():\n    assert SEEN\n\ndef test_fails():\n    assert 1 == 2\n",
}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_it_learns_judges_and_tells_where_the_time_goes(tmp_path: Path):
    folder = make_repository(tmp_path / "repository", FILES)
    async with WorktreePool(folder, size=1) as pool, Suite(pool, project=Project()) as suite:
        baseline = suite.baseline
        assert baseline.flaky == ("tests/test_apart.py::test_second",), "it comes after another"
        assert set(baseline.tests) == {
            "tests/test_apart.py::test_first",
            "tests/test_other.py::test_both",
            "tests/test_other.py::test_it",
            "tests/test_slow.py::test_it",
        }
        assert [line.split(":")[0] for line in baseline.failing] == ["tests/test_apart.py"]
        assert len(baseline.warnings) == 2
        spots = {(one.path, one.name): one for one in baseline.hotspots.functions}
        assert spots["pkg/mod.py", "slow"].by == ("tests/test_other.py", "tests/test_slow.py")
        assert spots["pkg/mod.py", "other"].by == ("tests/test_other.py",)
        assert spots["pkg/mod.py", "slow"].calls == 2
        assert 0 < baseline.hotspots.busy < 1.5
        fine = await suite.judge(Change())
        assert (fine.verdict, fine.evidence.tests) == (Verdict.VERIFIED, 4)
        broken = FILES["pkg/mod.py"].replace("return 1", "return 2").encode()
        wrong = await suite.judge(Change.of({"pkg/mod.py": broken}, base=pool.read))
        assert wrong.verdict is Verdict.WRONG
        assert [failure.id for failure in wrong.failures] == ["tests/test_other.py::test_it"]
        assert wrong.reason == "tests/test_other.py::test_it fails"
        crash = await suite.judge(Change.of({"pkg/mod.py": b"import os\nos.abort()\n"}, base=pool.read))
        assert crash.verdict in (Verdict.CRASHED, Verdict.WRONG)


@pytest.mark.parametrize(
    ("files", "error"),
    [
        ({"pkg.py": "X = 1\n"}, NoTests),
        ({"test_it.py": "import nothing_like_that\n"}, BaselineFails),
        ({"test_it.py": "def test_it():\n    assert 0\n"}, BaselineFails),
    ],
)
async def test_a_suite_that_says_nothing_is_told(tmp_path: Path, files: dict[str, str], error: type[Exception]):
    folder = make_repository(tmp_path / "repository", files)
    async with WorktreePool(folder, size=1) as pool:
        with pytest.raises(error):
            async with Suite(pool, project=Project()):
                pass
