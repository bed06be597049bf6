"""How a sampling goes on from a sample that is not valid, when it has enough, and which sample it gives back."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from bakeoff.errors import UsageError
from bakeoff.models import Message, Role
from bakeoff.sampling.answers import canonical, exact

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from bakeoff.sampling.samples import Sample

__all__ = ["MajorityVote", "MultiTurn", "Rejection", "RepairTemplate", "Strategy", "most_met"]


class Strategy(Protocol):
    """How to sample. It keeps nothing of a call: one object may serve many calls at once. Its methods are called on the
    event loop, so they have to be quick; what they raise ends the call and comes out as it is.

    `ask` gives what is asked next in a subsample, by the prompt and the samples that it has had so far, none of them
    valid. `has_enough` is asked whenever a subsample has ended, by all valid samples so far and the number of
    subsamples that are still at it; once it says yes those are cancelled. `select` chooses among the valid samples,
    `select_from_failure` among all where none is valid; both are given at least one, sorted by (subsample, iteration),
    and give an index.
    """

    def ask(self, prompt: Sequence[Message], earlier: Sequence[Sample]) -> Sequence[Message]: ...

    def has_enough(self, valid: Sequence[Sample], *, still: int) -> bool: ...

    def select(self, valid: Sequence[Sample]) -> int: ...

    def select_from_failure(self, samples: Sequence[Sample]) -> int: ...


def most_met(samples: Sequence[Sample]) -> int:
    """The index of the sample that meets the most requirements; the first of several."""
    met = [sum(validation.met for validation in sample.validations) for sample in samples]
    return met.index(max(met))


@dataclass(frozen=True, slots=True)
class Rejection:
    """Asks the same again. The first valid sample is enough. To be inherited from by strategies that ask otherwise."""

    def ask(self, prompt: Sequence[Message], earlier: Sequence[Sample]) -> Sequence[Message]:
        """See `Strategy`."""
        return prompt

    def has_enough(self, valid: Sequence[Sample], *, still: int) -> bool:
        """See `Strategy`."""
        return bool(valid)

    def select(self, valid: Sequence[Sample]) -> int:
        """See `Strategy`."""
        return 0

    def select_from_failure(self, samples: Sequence[Sample]) -> int:
        """See `Strategy`."""
        return most_met(samples)


_FIELD = re.compile(r"\{(\w*)\}")
_REPAIR = """An earlier answer to this was refused:

{answer}

These requirements were not met:
{reasons}

Answer again, so that all of them are met."""
_SILENCE = "(no answer)"
_AGAIN = """These requirements are not met:
{reasons}

Answer again, so that all of them are met."""


def _checked(template: str) -> None:
    unknown = set(_FIELD.findall(template)) - {"answer", "reasons"}
    if unknown:
        names = ", ".join(sorted(f"{{{name}}}" for name in unknown))
        raise UsageError(f"the template has {names}", hint="its fields are {answer} and {reasons}")


def _filled(template: str, sample: Sample) -> str:
    reasons = "\n".join(f"- {reason}" for reason in sample.reasons) or "- it was not valid"
    fields = {"answer": sample.text, "reasons": reasons}
    # In one pass: an answer may have braces of its own.
    return _FIELD.sub(lambda found: fields[found[1]], template)


@dataclass(frozen=True, slots=True)
class RepairTemplate(Rejection):
    """Asks anew each time: the prompt, and after it what was wrong with the last sample. The template's fields are
    `{answer}` and `{reasons}`."""

    template: str = _REPAIR

    def __post_init__(self) -> None:
        _checked(self.template)

    def ask(self, prompt: Sequence[Message], earlier: Sequence[Sample]) -> Sequence[Message]:
        """See `Strategy`."""
        if not earlier:
            return prompt
        *before, last = prompt
        added = _filled(self.template, earlier[-1])
        if last.role is not Role.USER:
            return [*prompt, Message(content=added)]
        return [*before, replace(last, content=f"{last.content}\n\n{added}")]


@dataclass(frozen=True, slots=True)
class MultiTurn(Rejection):
    """Goes on with the conversation: the last sample was the model's turn, and what is wrong with it is said in the
    next one. The template's fields are `{answer}` and `{reasons}`."""

    template: str = _AGAIN

    def __post_init__(self) -> None:
        _checked(self.template)

    def ask(self, prompt: Sequence[Message], earlier: Sequence[Sample]) -> Sequence[Message]:
        """See `Strategy`."""
        if not earlier:
            return prompt
        last = earlier[-1]
        return [
            *last.messages,
            # A turn without a word is refused by some providers.
            Message(role=Role.ASSISTANT, content=last.text if last.text.strip() else _SILENCE),
            Message(content=_filled(self.template, last)),
        ]


@dataclass(frozen=True, slots=True)
class MajorityVote:
    """Lets every subsample come to a valid sample and takes the answer that most of them give; of equally many, the one
    that comes first. Answers count as one where `key` gives the same for them: `exact`, `canonical`, or any function of
    the text. It has enough as soon as no other answer can win any more. `each` says how a subsample asks."""

    key: Callable[[str], Hashable] = exact
    each: Strategy = field(default_factory=Rejection)

    @classmethod
    def of_canonical(cls) -> MajorityVote:
        """Answers count as one where they mean the same; see `canonical`."""
        return cls(key=canonical)

    def ask(self, prompt: Sequence[Message], earlier: Sequence[Sample]) -> Sequence[Message]:
        """See `Strategy`."""
        return self.each.ask(prompt, earlier)

    def has_enough(self, valid: Sequence[Sample], *, still: int) -> bool:
        """See `Strategy`."""
        counts = [count for _, count in self._votes(valid).most_common(2)]
        first, second = (*counts, 0, 0)[:2]
        return first > second + still

    def select(self, valid: Sequence[Sample]) -> int:
        """See `Strategy`."""
        keys = [self.key(sample.text) for sample in valid]
        # max takes the first of equals, and these stand in the order of the samples.
        return keys.index(max(dict.fromkeys(keys), key=keys.count))

    def select_from_failure(self, samples: Sequence[Sample]) -> int:
        """See `Strategy`."""
        return self.each.select_from_failure(samples)

    def _votes(self, valid: Sequence[Sample]) -> Counter[Hashable]:
        return Counter(self.key(sample.text) for sample in valid)
