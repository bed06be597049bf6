from __future__ import annotations

from pathlib import Path

import pytest

from bakeoff.events import CellStatus, State
from bakeoff.testing.provider import LoopbackProvider
from matrix.matrices import ended, matrix, ran, served, statuses

pytestmark = [pytest.mark.anyio, pytest.mark.filterwarnings("ignore:Async generator:ResourceWarning")]


async def test_all_cells_are_answered_and_scored(tmp_path: Path):
    async with LoopbackProvider(lambda asked: asked.text) as provider:
        found = await ran(matrix(served(openai=provider)), tmp_path)
    assert found.state is State.DONE
    assert statuses(found) == [CellStatus.DONE] * 6
    assert [one.metrics for one in ended(found)] == [{"exact": 1.0}] * 6
