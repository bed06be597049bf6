"""Asking requirements about a sample: cheap ones before dear ones, so many at once, none for ever."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

import anyio

from bakeoff.errors import BakeoffError
from bakeoff.fanout import Permits, collect
from bakeoff.sampling.requirements import Requirement, requirement_of
from bakeoff.sampling.samples import Sample, Validation, ValidationContext

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Judge", "Judging"]


@dataclass(frozen=True, slots=True)
class _Asked:
    place: int
    requirement: Requirement


class Judging:
    """What was found out about a sample so far; it can be read at any moment, also after a cancellation."""

    def __init__(self, requirements: int) -> None:
        self._validations: dict[int, Validation] = {}
        self._requirements = requirements
        self._is_over = False

    def add(self, place: int, validation: Validation) -> None:
        self._validations[place] = validation

    def end(self) -> None:
        self._is_over = True

    @property
    def validations(self) -> tuple[Validation, ...]:
        """In the order of the requirements."""
        return tuple(self._validations[place] for place in sorted(self._validations))

    @property
    def is_judged(self) -> bool:
        return self._is_over

    @property
    def is_valid(self) -> bool:
        return (
            self._is_over
            and len(self._validations) == self._requirements
            and all(validation.met for validation in self._validations.values())
        )


class Judge:
    """Asks the same requirements about any number of samples at once.

    Those of the lowest cost are asked first, all of them, side by side; the next ones when all of these are met. Over
    all samples, at most `at_once` are asked at a time. One that raises, or takes longer than `patience` seconds, fails
    the sample with that reason.
    """

    def __init__(
        self,
        requirements: Sequence[Requirement | Callable[..., Any]],
        *,
        at_once: int,
        patience: float,
        context: ValidationContext | None,
    ) -> None:
        asked = [_Asked(place, requirement_of(given)) for place, given in enumerate(requirements)]
        ordered = sorted(asked, key=_cost)
        self._tiers = [list(tier) for _, tier in groupby(ordered, key=_cost)]
        self._count = len(asked)
        self._permits = Permits(at_once)
        self._patience = patience
        self._context = context

    @property
    def names(self) -> tuple[str, ...]:
        """The requirements, in the order in which they were given."""
        asked = sorted((asked for tier in self._tiers for asked in tier), key=lambda asked: asked.place)
        return tuple(one.requirement.name for one in asked)

    def judging(self) -> Judging:
        """An empty sheet for a sample."""
        return Judging(self._count)

    async def judge(self, sample: Sample, judging: Judging) -> None:
        """Fill in the sheet."""
        context = self._context if self._context is not None else ValidationContext(messages=sample.messages)

        async def ask(asked: _Asked) -> Validation:
            validation = await self._ask(asked.requirement, sample, context)
            judging.add(asked.place, validation)
            return validation

        for tier in self._tiers:
            found = await collect(tier, ask, limit=len(tier))
            if not all(validation.met for validation in found.values):
                break
        judging.end()

    async def _ask(self, requirement: Requirement, sample: Sample, context: ValidationContext) -> Validation:
        async with self._permits.taken():
            began = anyio.current_time()
            found = await self._answer(requirement, sample, context)
            return replace(found, requirement=requirement.name, seconds=anyio.current_time() - began)

    async def _answer(self, requirement: Requirement, sample: Sample, context: ValidationContext) -> Validation:
        try:
            with anyio.fail_after(self._patience):
                return _checked(await requirement.validate(sample, context))
        except TimeoutError as error:
            reason = str(error) or f"no answer within {self._patience:g} s"
            return Validation(met=False, reason=reason, error=error)
        except Exception as error:  # noqa: BLE001 (foreign code; it becomes the reason, and is kept)
            return Validation(met=False, reason=_words(error), error=error)


def _cost(asked: _Asked) -> int:
    return asked.requirement.cost


def _checked(found: object) -> Validation:
    if not isinstance(found, Validation):
        raise TypeError(f"it gave {found!r}, where a Validation is wanted")
    return found


def _words(error: Exception) -> str:
    message = error.message if isinstance(error, BakeoffError) else str(error)
    return f"{type(error).__name__}: {message}" if message else type(error).__name__
