from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import CannotMeasure
from bakeoff.events import Decision
from bakeoff.measure import Clock, FaultKind, measure_commands
from bakeoff.measure.commands import metrics_of
from bakeoff.workers import Ending
from measure.arenas import QUICK, arena

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.anyio

COMMAND = [sys.executable, "-I", "-S", "pkg/mod.py"]
SLOW = "n = sum(i * i for i in range(1_500_000))\n"
FAST = "n = 0\n"
METRIC = (
    'print(\'{"metric": "rate", "value": %s, "better": "higher"}\')\nprint("not one")\n'
    'print(\'{"metric": "size", "value": %s, "better": "lower"}\')\n'
)
QUIET = replace(QUICK, budget=0.1, least=8)


async def test_a_command_that_takes_less_time_wins(tmp_path: Path):
    async with arena(tmp_path, SLOW) as place:
        fast, bad = place.contender("fast", FAST), place.contender("bad", "raise SystemExit(3)\n")
        found = await measure_commands(
            place.watches, place.pool, command=COMMAND, contenders=[fast, bad], options=replace(QUIET, clock=Clock.CPU)
        )
        assert found.winner == "fast"
        assert found.clock is Clock.CPU
        fault = found.measurements["bad"].fault
        assert fault is not None
        assert (fault.kind, fault.ending) == (FaultKind.ENDED, Ending.ERROR)
        assert found.alternating


async def test_a_metric_that_it_prints_counts_instead_and_the_time_is_told_beside_it(tmp_path: Path):
    async with arena(tmp_path, METRIC % (10, 5)) as place:
        more, mute = place.contender("more", METRIC % (20, 6)), place.contender("mute", FAST)
        found = await measure_commands(
            place.watches, place.pool, command=COMMAND, contenders=[more, mute], options=QUIET
        )
        assert found.winner == "more"
        one = found.measurements["more"]
        assert one.speedup is not None
        assert one.speedup.estimate == pytest.approx(2)
        assert [shape.shape for shape in one.shapes] == ["rate", "size", "time"]
        assert "size" in one.mixed
        fault = found.measurements["mute"].fault
        assert fault is not None
        assert "rate" in fault.text


async def test_a_command_that_changes_nothing_is_no_winner(tmp_path: Path):
    async with arena(tmp_path, METRIC % (10, 5)) as place:
        same = place.contender("same", METRIC % (10, 5) + "\n# the same\n")
        found = await measure_commands(place.watches, place.pool, command=COMMAND, contenders=[same], options=QUIET)
        assert found.measurements["same"].decision is Decision.NO_DIFFERENCE


async def test_a_command_that_fails_on_the_baseline_is_told_as_that(tmp_path: Path):
    async with arena(tmp_path, "raise SystemExit(1)\n") as place:
        with pytest.raises(CannotMeasure, match="fails on the baseline"):
            await measure_commands(place.watches, place.pool, command=COMMAND, contenders=[], options=QUIET)


def test_lines_that_are_metrics_are_read_in_their_order():
    output = (
        'hello\n{"metric": "a", "value": 2, "better": "lower"}\n  {"metric": "b", "value": 4.0, "better": "higher"}\n'
        '{"metric": "c"}\n{"metric": "d", "value": "x", "better": "lower"}\n{broken\n[1]\n'
        '{"metric": "e", "value": 0, "better": "lower"}\n{"metric": "f", "value": true, "better": "lower"}\n'
        '{"metric": "g", "value": 1, "better": "best"}\n{"metric": "h", "value": 1e999, "better": "lower"}\n'
    )
    assert list(metrics_of(output).items()) == [("a", 2.0), ("b", 0.25)]


@given(st.text())
def test_whatever_a_command_prints_can_be_read(output: str):
    assert all(value > 0 for value in metrics_of("{" + output).values())
