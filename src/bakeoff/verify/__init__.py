"""Is it still the same function? The oracle learns from the baseline, then judges candidates.

async with Oracle(pool, target, config=WorkerConfig(python=…)) as oracle:    # runs the tests, records calls
    judgement = await oracle.judge(change)                                    # tests, recorded calls, grown inputs
    judgement = await oracle.judge_whole(change, judgement)                   # and the rest of the suite

judgements.py   what is said of a candidate, as values
oracle.py       learning from the baseline and judging Python targets
testruns.py     the project's tests, run in a call
suite.py        the whole test suite as judge, and where its time goes
checks.py       any other command as judge, with JUnit reports where there are any
learning.py     what all of them have in common
"""

from bakeoff.verify.checks import Check, CheckOracle
from bakeoff.verify.judgements import (
    Difference,
    Evidence,
    Judgement,
    TestFailure,
    TestOutcome,
    TestResult,
    verdict_of,
)
from bakeoff.verify.oracle import Baseline, Oracle, OracleOptions
from bakeoff.verify.suite import Suite, SuiteBaseline, hotspots_of
from bakeoff.verify.testruns import Hotspot, Hotspots

__all__ = [
    "Baseline",
    "Check",
    "CheckOracle",
    "Difference",
    "Evidence",
    "Hotspot",
    "Hotspots",
    "Judgement",
    "Oracle",
    "OracleOptions",
    "Suite",
    "SuiteBaseline",
    "TestFailure",
    "TestOutcome",
    "TestResult",
    "hotspots_of",
    "verdict_of",
]
