from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bakeoff.candidates import Change
from bakeoff.measure import Stopwatches, profile, profiles
from bakeoff.workers import WorkerConfig
from measure.arenas import QUICK, arena, call
from repositories import state_of

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.anyio

SOURCE = (
    "def helper(n):\n    return n * n\n\n\n"
    "def f(n):\n    total = 0\n    for i in range(n):\n        total += helper(i)\n    return total\n"
)


@pytest.mark.promise("E10")
async def test_lines_of_baseline_and_candidate_with_hits_and_shares_and_nothing_of_it_is_left(tmp_path: Path):
    async with arena(tmp_path, SOURCE, call(50), call(30)) as place:
        before = state_of(tmp_path / "repository")
        found = await profile(place.watches, place.pool, course=place.course, change=Change(), options=QUICK)
        assert found.problem is None
        names = [one.name.rpartition(".")[2] for one in found.functions]
        assert names == ["f", "helper"]
        lines = {line.text.strip(): line for line in found.functions[0].lines}
        assert lines["total += helper(i)"].hits == 80
        assert lines["total = 0"].hits == 2
        assert sum(line.share for line in lines.values()) == pytest.approx(1)
        assert found.functions[0].path == "pkg/mod.py"

        change = place.contender("c", SOURCE.replace("n * n", "n ** 2  # by power")).change
        changed = await profile(place.watches, place.pool, course=place.course, change=change, options=QUICK)
        assert "return n ** 2  # by power" in {line.text.strip() for one in changed.functions for line in one.lines}
        assert state_of(tmp_path / "repository") == before
        async with place.pool.slot() as slot:
            assert (slot.path / "pkg/mod.py").read_text() == SOURCE


KEEPS = """
_squares = {}


def table(n):
    for i in range(n):
        _squares[i] = i * i


def f(n):
    if not _squares:
        table(20)
    total = 0
    for i in range(n):
        total += _squares[i % 20]
    return total
"""


async def test_what_is_done_once_is_not_where_the_time_goes_but_what_is_kept_by_all_calls_is(tmp_path: Path):
    async with arena(tmp_path, KEEPS, call(50), call(40)) as place:
        found = await profile(place.watches, place.pool, course=place.course, change=Change(), options=QUICK)
        assert [one.name for one in found.functions] == ["f"]
        assert "table(20)" not in {line.text.strip() for line in found.functions[0].lines}
        keeps = KEEPS.replace("not _squares", "n not in _squares").replace("table(20)", "table(n + 1)")
        keeps = keeps[: keeps.index("    total")] + "    return _squares[n]\n"
        change = place.contender("keeps", keeps).change
        found = await profile(place.watches, place.pool, course=place.course, change=change, options=QUICK)
        assert {one.name for one in found.functions} == {"f", "table"}


@pytest.mark.promise("E10")
async def test_whatever_goes_wrong_is_a_reason_and_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    async with arena(tmp_path, SOURCE, call(50)) as place:
        course, pool = place.course, place.pool
        crash = place.contender("c", "import os\n\n\ndef f(n):\n    os._exit(0)\n").change
        found = await profile(place.watches, pool, course=course, change=crash, options=QUICK)
        assert found.problem
        slow = place.contender("s", "def f(n):\n    while True:\n        pass\n").change
        found = await profile(place.watches, pool, course=course, change=slow, options=replace(QUICK, patience=0.5))
        assert "ended after" in (found.problem or "")
        async with Stopwatches.of(WorkerConfig(preload=("no_such_module",))) as broken:
            found = await profile(broken, pool, course=course, change=Change(), options=QUICK)
            assert "no_such_module" in (found.problem or "")
            assert found.hint

        bare = tmp_path / "bare"
        bare.mkdir()
        monkeypatch.setattr(profiles, "_our_site", lambda: None)
        monkeypatch.setenv("PYTHONPATH", "")
        (bare / "python").symlink_to(sys.base_prefix + "/bin/python3")
        async with Stopwatches.of(WorkerConfig(python=bare / "python")) as plain:
            found = await profile(plain, pool, course=course, change=Change(), options=QUICK)
            assert "line_profiler" in (found.problem or "")
            assert "pip install" in (found.hint or "")
