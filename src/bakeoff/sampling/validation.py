"""Asking requirements about a sample: cheap ones before dear ones, so many at once, none for ever."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

import anyio

from bakeoff.errors import BakeoffError, StoreError
from bakeoff.fanout import Permits, collect
from bakeoff.sampling.requirements import Requirement, requirement_of
from bakeoff.sampling.samples import Sample, Validation, ValidationContext

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Judge", "Judging"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A requirement at its place; what it is called and costs is asked once, before anything is generated."""

    place: int
    requirement: Requirement
    name: str
    cost: int

    @classmethod
    def of(cls, place: int, given: Requirement | Callable[..., Any]) -> _Asked:
        requirement = requirement_of(given)
        return cls(place=place, requirement=requirement, name=requirement.name, cost=requirement.cost)


class Judging:
    """What was found out about a sample so far; it can be read at any moment, also after a cancellation."""

    def __init__(self, requirements: int) -> None:
        self.is_judged = False
        self._validations: dict[int, Validation] = {}
        self._requirements = requirements

    def add(self, place: int, validation: Validation) -> None:
        self._validations[place] = validation

    @property
    def validations(self) -> tuple[Validation, ...]:
        """In the order of the requirements."""
        return tuple(self._validations[place] for place in sorted(self._validations))

    @property
    def is_valid(self) -> bool:
        return (
            self.is_judged
            and len(self._validations) == self._requirements
            and all(validation.met for validation in self._validations.values())
        )


class Judge:
    """Asks the same requirements about any number of samples at once.

    Those of the lowest cost are asked first, all of them, side by side; the next ones when all of these are met. Over
    all samples, at most `at_once` are asked at a time. One that raises, or takes longer than `patience` seconds, fails
    the sample with that reason; only what the store raises is not about the sample, and comes out.
    """

    def __init__(
        self,
        requirements: Sequence[Requirement | Callable[..., Any]],
        *,
        at_once: int,
        patience: float,
        context: ValidationContext | None,
    ) -> None:
        asked = [_Asked.of(place, given) for place, given in enumerate(requirements)]
        ordered = sorted(asked, key=_cost)
        self.names = tuple(one.name for one in asked)
        self._tiers = [list(tier) for _, tier in groupby(ordered, key=_cost)]
        self._permits = Permits(at_once)
        self._patience = patience
        self._context = context

    def judging(self) -> Judging:
        """An empty sheet for a sample."""
        return Judging(len(self.names))

    async def judge(self, sample: Sample, judging: Judging) -> None:
        """Fill in the sheet."""
        context = self._context if self._context is not None else ValidationContext(messages=sample.messages)

        async def ask(asked: _Asked) -> Validation:
            validation = await self._ask(asked, sample, context)
            judging.add(asked.place, validation)
            return validation

        try:
            for tier in self._tiers:
                found = await collect(tier, ask, limit=len(tier), fail_fast=True)
                if not all(validation.met for validation in found.values):
                    break
        except ExceptionGroup as group:
            raise group.exceptions[0] from None
        judging.is_judged = True

    async def _ask(self, asked: _Asked, sample: Sample, context: ValidationContext) -> Validation:
        async with self._permits.taken():
            began = anyio.current_time()
            found = await self._answer(asked.requirement, sample, context)
            return replace(found, requirement=asked.name, seconds=anyio.current_time() - began)

    async def _answer(self, requirement: Requirement, sample: Sample, context: ValidationContext) -> Validation:
        try:
            with anyio.move_on_after(self._patience):
                return _checked(await requirement.validate(sample, context))
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 (foreign code; it becomes the reason, and is kept)
            return Validation(met=False, reason=_words(error), error=error)
        except anyio.get_cancelled_exc_class():
            if anyio.current_effective_deadline() == -math.inf:
                raise
            # On asyncio it may have waited for something else that was cancelled; nobody has cancelled us.
            return Validation(met=False, reason="it was cancelled", error=RuntimeError("cancelled, but not by us"))
        reason = f"no answer within {self._patience:g} s"
        return Validation(met=False, reason=reason, error=TimeoutError(reason))


def _cost(asked: _Asked) -> int:
    return asked.cost


def _checked(found: object) -> Validation:
    if not isinstance(found, Validation):
        raise TypeError(f"it gave {found!r}, where a Validation is wanted")
    return found


def _words(error: Exception) -> str:
    message = error.message if isinstance(error, BakeoffError) else str(error)
    return f"{type(error).__name__}: {message}" if message else type(error).__name__
