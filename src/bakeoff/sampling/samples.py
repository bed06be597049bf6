"""What a sampling is made of: samples with their places and validations, and what came of all of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from bakeoff.models import Usage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bakeoff.models import Completion, Message

__all__ = [
    "Extent",
    "Failure",
    "NothingSampled",
    "Sample",
    "SamplingResult",
    "Validation",
    "ValidationContext",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """The most that is generated: so many iterations, one after the other (`loop_budget`, the depth), in each of so
    many subsamples, side by side (`concurrency_budget`, the breadth). Raises ValueError for less than one."""

    loop_budget: int = 1
    concurrency_budget: int = 1

    def __post_init__(self) -> None:
        for name in ("loop_budget", "concurrency_budget"):
            budget = getattr(self, name)
            if not isinstance(budget, int) or isinstance(budget, bool) or budget < 1:
                raise ValueError(f"{name} must be a whole number from 1 up, not {budget!r}")

    @property
    def most(self) -> int:
        """How many samples there can be."""
        return self.loop_budget * self.concurrency_budget


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """What a requirement says of a sample. A `reason` says what is wrong, in words that the model may be given.

    `error` is what the requirement raised instead of an answer, a TimeoutError included; the sample counts as not
    valid then. `requirement` and `seconds` are filled in by whoever asked.
    """

    met: bool
    reason: str = ""
    requirement: str = ""
    error: Exception | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationContext:
    """What a requirement may look at beside the sample: the conversation, and facts of the caller's own."""

    messages: tuple[Message, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """An answer, with its place and what was found out about it.

    Subsamples and iterations count from 1. `parent` is the sample before it in its subsample, whose failure led to it.
    `messages` is what was asked. `validations` are those that were made, in the order of the requirements: once a cheap
    one fails, dearer ones are not. Where another sample ended the call first, it may not have been judged to the end;
    then `is_judged` is False.
    """

    id: str
    subsample: int
    iteration: int
    parent: str | None
    messages: tuple[Message, ...]
    completion: Completion
    validations: tuple[Validation, ...] = ()
    is_judged: bool = False
    is_valid: bool = False

    @property
    def text(self) -> str:
        """What the model wrote."""
        return self.completion.text

    @property
    def reasons(self) -> tuple[str, ...]:
        """What is wrong with it, by requirement."""
        return tuple(
            f"{validation.requirement}: {validation.reason}" if validation.reason else validation.requirement
            for validation in self.validations
            if not validation.met
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A generation that raised, and with it ended its subsample."""

    subsample: int
    iteration: int
    error: Exception


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingResult:
    """What came of a sampling; `samples` are sorted by (subsample, iteration), whatever the order of their arrival.

    `sample` is the one that was chosen: with `success` a valid one, else the strategy's choice among those that are
    not. `generated` counts the generations: each was `completed`, or was cut off at the provider and so `cancelled`, or
    is in `failures`. (What was cancelled before it was sent is none, and costs nothing.) `usage` and `cost` are of all
    calls, those of models that judge included; the cost, in dollars, is None where a price is not known, and
    `known_cost` is the part that is.
    """

    extent: Extent
    sample: Sample | None
    success: bool
    samples: tuple[Sample, ...]
    failures: tuple[Failure, ...] = ()
    generated: int = 0
    completed: int = 0
    cancelled: int = 0
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    known_cost: float = 0.0

    @property
    def text(self) -> str:
        """What the chosen sample says; nothing where there is none."""
        return self.sample.text if self.sample is not None else ""


class NothingSampled(ExceptionGroup[Exception]):
    """Raised when every subsample was ended by an error: holds all of them, and the result as far as it came."""

    result: SamplingResult

    def __new__(cls, causes: Sequence[Exception], result: SamplingResult) -> Self:
        group = super().__new__(cls, f"no sample came through: {causes[0]}", causes)
        group.result = result
        return group

    def __init__(self, causes: Sequence[Exception], result: SamplingResult) -> None:
        """What `__new__` was given."""

    def derive(self, causes: Sequence[Exception], /) -> NothingSampled:  # type: ignore[override]
        """The same of some of the causes, for `except*`."""
        return NothingSampled(causes, self.result)
