"""Sampling language models: generate, validate, and try again, within two budgets.

    result = await sample(
        "Name a prime between 10 and 20.",
        model,
        [Regex(r"^\\d+$"), is_prime],
        strategy=RepairTemplate(),
        loop_budget=3,          # depth: tries, one after the other
        concurrency_budget=4,   # breadth: subsamples, side by side
    )

loop.py           `sample`: subsamples side by side, hooks, stopping, what came of it
strategies.py     what is asked next, when there is enough, which sample is chosen
requirements.py   what a sample has to be; schemas.py, answers.py: JSON and other texts as models write them
named.py          requirements that are named by a text
validation.py     requirements asked in order of their cost, many at once, none for ever
samples.py        the values
"""

from bakeoff.sampling.answers import canonical, exact
from bakeoff.sampling.loop import Beginning, Hooks, SamplingOptions, sample
from bakeoff.sampling.requirements import Asked, Check, Code, Cost, JsonSchema, Regex, Requirement
from bakeoff.sampling.samples import (
    Extent,
    Failure,
    NothingSampled,
    Sample,
    SamplingResult,
    Validation,
    ValidationContext,
)
from bakeoff.sampling.strategies import MajorityVote, MultiTurn, Rejection, RepairTemplate, Strategy

__all__ = [
    "Asked",
    "Beginning",
    "Check",
    "Code",
    "Cost",
    "Extent",
    "Failure",
    "Hooks",
    "JsonSchema",
    "MajorityVote",
    "MultiTurn",
    "NothingSampled",
    "Regex",
    "Rejection",
    "RepairTemplate",
    "Requirement",
    "Sample",
    "SamplingOptions",
    "SamplingResult",
    "Strategy",
    "Validation",
    "ValidationContext",
    "canonical",
    "exact",
    "sample",
]
