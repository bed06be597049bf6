"""The options that commands share which ask language models, from flags to values."""

from __future__ import annotations

import difflib
import math
import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from bakeoff.cli.output import MANY
from bakeoff.errors import UsageError
from bakeoff.models import Budget, Providers, ProviderSettings
from bakeoff.models.prices import Prices
from bakeoff.models.vendors import KNOWN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bakeoff.config import Options

__all__ = ["Asking", "budget", "most_tokens", "providers", "settings_of"]


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Asking:
    """Options of commands that ask language models."""

    model: Annotated[tuple[str, ...], MANY] = ()
    """A language model, PROVIDER:MODEL, like openai:gpt-5; may be given several times."""

    base_url: str | None = None
    """Where the provider is, if not at its usual address, like http://127.0.0.1:8080/v1."""

    provider_concurrency: str | None = None
    """How many calls of a provider may be open at once: 4, or one for each: anthropic=2,openai=8."""

    max_cost: float | None = None
    """Dollars that may be spent; no call is made that might go beyond."""

    max_tokens: int | None = None
    """Tokens that may be spent, in and out together."""

    max_time: str | None = None
    """After so long no call is begun any more, like 10m."""

    answer_tokens: int | None = None
    """The most tokens of one answer. Default: 4096 of a sample, 8192 of a candidate."""

    def flags(self) -> dict[str, object]:
        """What was given of it, for the configuration."""
        given = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {name: value for name, value in given.items() if value not in (None, ())}


def providers(options: Options) -> Providers:
    """All that the calls of this command share. Raises UsageError for a provider that nobody knows."""
    asked = {name.partition(":")[0] for name in options.model}
    settings = settings_of(options, {})
    if options.base_url is not None:
        settings |= {name: replace(settings[name], base_url=options.base_url) for name in asked & KNOWN.keys()}
    return Providers(settings, environment=os.environ, prices=Prices(options.prices))


def settings_of(options: Options, first: Mapping[str, ProviderSettings]) -> dict[str, ProviderSettings]:
    """What is said of each provider; of caps, what is said of them alone wins. Raises UsageError for a provider that
    nobody knows."""
    caps = options.provider_concurrency
    for name in {*options.providers, *(caps or ())} - {"", *KNOWN}:
        near = difflib.get_close_matches(name, KNOWN, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known are: {', '.join(KNOWN)}"
        raise UsageError(f"there is no provider {name!r}", hint=hint)
    settings = {name: first.get(name, options.providers.get(name, ProviderSettings())) for name in KNOWN}
    if caps is not None:
        settings |= {name: replace(one, concurrency=caps.of(name) or one.concurrency) for name, one in settings.items()}
    return settings


def budget(options: Options) -> Budget:
    """What may be spent on calls. Raises UsageError for what is nothing."""
    for name, most in (("max-cost", options.max_cost), ("max-tokens", options.max_tokens)):
        if most is not None and not 0 < most < math.inf:
            raise UsageError(f"--{name} = {most} is no budget", hint="give a number above 0, or leave it out")
    seconds = None if options.max_time is None else float(options.max_time)
    return Budget(cost=options.max_cost, tokens=options.max_tokens, seconds=seconds)


def most_tokens(options: Options, usual: int) -> int:
    """Of one answer. Raises UsageError where that leaves no room for any."""
    tokens = usual if options.answer_tokens is None else options.answer_tokens
    if tokens < 1:
        raise UsageError(f"--answer-tokens = {tokens} leaves no room for an answer", hint="give a number above 0")
    return tokens
