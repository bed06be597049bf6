"""Asks language models, many at once, and proposes what comes, as it comes.

    asks ──▶ messages ──▶ a model ──▶ text ──▶ Proposal, one for each alternative, or one that says why there is none

What makes messages and reads answers takes a thread, and time that nobody is timed in. A model that fails is given up,
and the others are asked; a budget that is spent ends the asking. What came until then is judged all the same.
"""

from __future__ import annotations

import ast
import itertools
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import anyio.to_thread

from bakeoff.candidates import Change
from bakeoff.errors import BudgetSpent, ChangeError, ClientMissing, KeyMissing, ProviderError, UsageError
from bakeoff.events import Descent, Warned
from bakeoff.fanout import fan_out
from bakeoff.models import Finish, Message, Role
from bakeoff.report.foreign import one_line
from bakeoff.sources.models import reviews
from bakeoff.sources.models.answers import Ground, NotUnderstood, changes
from bakeoff.sources.models.asks import Ask, History, fresh, later
from bakeoff.sources.models.context import context
from bakeoff.sources.models.pages import code
from bakeoff.sources.models.prompts import Prompts
from bakeoff.sources.models.texts import parsed
from bakeoff.sources.models.trees import bound
from bakeoff.sources.proposals import Proposal

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
    from pathlib import Path

    from bakeoff.candidates import File
    from bakeoff.candidates.tried import Tried
    from bakeoff.models import Completion, Model
    from bakeoff.sources.proposals import Brief

__all__ = ["ModelsOptions", "ModelsSource"]

_MOST_FAILURES = 2
_CONTEXT, _CANDIDATE, _PROBLEM = 0.55, 0.25, 0.2  # of the tokens, where there are candidates to be shown
_LEAST_TOKENS = 200
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsOptions:
    """How models are asked.

    `fresh` says how many ideas are asked for before what comes of them is worked on; where it is None, as many as
    there are places. A candidate that failed is asked about again at most `repair_rounds` times, one after the other.
    `context_tokens` bound what a model is shown, `max_tokens` its answer; without a `temperature` it is the provider's.
    `prompts` is a folder whose files replace ours by name. At most `at_once` asks are under way; how many calls are
    open is for each provider's limits to say. With `others` asked beside it, that nothing comes is a warning, too.
    """

    fresh: int | None = None
    repair_rounds: int = 2
    context_tokens: int = 12_000
    max_tokens: int = 8192
    temperature: float | None = None
    prompts: Path | None = None
    at_once: int = 16
    others: bool = False

    def __post_init__(self) -> None:
        if self.repair_rounds < 0 or (self.fresh is not None and self.fresh < 0):
            raise UsageError("there cannot be fewer than no ideas and no repairs", hint="give a whole number from 0 up")
        if self.at_once < 1 or self.max_tokens < 1:
            raise UsageError("models need room for an answer, and at least one has to be asked at a time")
        if self.context_tokens < _LEAST_TOKENS:
            raise UsageError(f"a model has to be shown something: at least {_LEAST_TOKENS} tokens of context")


class ModelsSource:
    """Candidates from language models. `open_models` is called when one is first needed, with the brief; several models
    take turns. Belongs to one run."""

    name = "models"

    def __init__(self, open_models: Callable[[Brief], Sequence[Model]], options: ModelsOptions | None = None) -> None:
        self._open_models = open_models
        self._options = options or ModelsOptions()
        self._prompts = Prompts.of(self._options.prompts)
        self._staff: _Staff | None = None
        self._contexts: dict[int, str] = {}

    async def propose(self, brief: Brief) -> AsyncGenerator[Proposal, None]:
        """See `Source`. Raises the ProviderError, or the BudgetSpent, because of which nothing has come at all."""
        for one in brief.earlier:
            yield one
        asks = _Asks(brief, self._options, self.name)
        has_come = bool(brief.earlier or asks.history.own)
        staff = self._staff
        if staff is not None:
            await self._tell(brief, staff, has_come=has_come)  # of a round that was cut short
        if not asks.has_any or (staff is not None and not staff.is_there):
            return
        if staff is None:
            staff = self._staff = _Staff(self._open_models(brief))
        await self._survey(brief, asks)
        async with fan_out(
            asks.begun(staff), partial(self._answered, brief, staff, asks), limit=self._options.at_once, fail_fast=True
        ) as outcomes:
            async for outcome in outcomes:
                if outcome.error is not None:
                    raise outcome.error
                for proposal in outcome.value or []:
                    has_come = True
                    yield proposal
        await self._tell(brief, staff, has_come=has_come)

    async def _tell(self, brief: Brief, staff: _Staff, *, has_come: bool) -> None:
        """What went wrong is a warning, unless nothing has come."""
        errors, staff.errors = staff.errors, []
        if errors and not has_come and not self._options.others:
            raise errors[0]
        if brief.log is not None:
            for message in dict.fromkeys(f"models: {error.message}" for error in errors):
                await brief.log.append(Warned(message=message))

    # -- asking ---------------------------------------------------------------------------------------------------

    async def _survey(self, brief: Brief, asks: _Asks) -> None:
        """What the base says does not change: it is put together once for all asks that are shown as much of it."""
        wanted = {self._room(descent) for descent in asks.descents} - self._contexts.keys()
        for tokens in sorted(wanted):
            async with brief.working():
                self._contexts[tokens] = await anyio.to_thread.run_sync(partial(context, brief, tokens=tokens))

    def _room(self, descent: Descent) -> int:
        whole = self._options.context_tokens
        return whole if descent is Descent.FRESH else int(whole * _CONTEXT)

    async def _answered(self, brief: Brief, staff: _Staff, asks: _Asks, ask: Ask) -> list[Proposal]:
        """What comes of an ask: nothing where no model could be asked."""
        async with brief.working():
            messages = self._messages(brief, ask)
        for model in staff.turn():
            completion = await self._completion(staff, model, ask, messages)
            if completion is not None:
                async with brief.working():
                    made = await anyio.to_thread.run_sync(_proposals, brief, ask, model.provider, completion)
                return asks.placed(made)
        return []

    async def _completion(
        self, staff: _Staff, model: Model, ask: Ask, messages: Sequence[Message]
    ) -> Completion | None:
        options = self._options
        purpose = f"{ask.purpose}, prompt {self._prompts[ask.descent.value]}, {self._prompts['system']}"
        try:
            completion = await model.complete(
                messages, max_tokens=options.max_tokens, temperature=options.temperature, purpose=purpose
            )
        except BudgetSpent as error:
            staff.close(error)
            return None
        except ProviderError as error:
            staff.failed(model, error)
            return None
        staff.answered(model)
        return completion

    # -- messages -------------------------------------------------------------------------------------------------

    def _messages(self, brief: Brief, ask: Ask) -> tuple[Message, ...]:
        scope = ", ".join(code(glob) for glob in brief.scope.globs)
        values = {"task": _task(brief), "context": self._contexts[self._room(ask.descent)], **self._shown(brief, ask)}
        return (
            Message(role=Role.SYSTEM, content=self._prompts["system"].filled(scope=scope)),
            Message(content=self._prompts[ask.descent.value].filled(**values)),
        )

    def _shown(self, brief: Brief, ask: Ask) -> dict[str, str]:
        whole = self._options.context_tokens
        match ask.descent:
            case Descent.FRESH:
                return {"angle": self._angle(ask.number), "attempt": str(ask.number)}
            case Descent.REPAIR:
                return {
                    "candidate": reviews.candidate(brief, ask.about[-1], int(whole * _CANDIDATE)),
                    "problem": reviews.problem(ask.about[-1], int(whole * _PROBLEM)),
                    "earlier": reviews.before(ask.about[:-1]),
                }
            case Descent.REFINEMENT:
                return {"candidates": reviews.candidates(brief, ask.about, int(whole * (_CANDIDATE + _PROBLEM)))}
            case Descent.ADAPTATION:
                return {"lineage": reviews.lineage(brief, ask.about, int(whole * (_CANDIDATE + _PROBLEM)))}

    def _angle(self, number: int) -> str:
        """From where to look at it, so that attempts are not all alike."""
        angles = self._prompts["angles"].points()
        return angles[(number - 1) % len(angles)] if angles else ""


def _task(brief: Brief) -> str:
    if brief.target is None:
        return "Make this code faster."
    return f"Make the function {code(brief.target.name)} in {code(brief.target.path)} faster."


# -- who is asked, and for what ----------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Staff:
    """The models that take turns, and what went wrong with them."""

    models: Sequence[Model]
    errors: list[ProviderError | BudgetSpent] = field(default_factory=list)
    _failures: dict[str, int] = field(default_factory=dict)
    _turns: Iterator[int] = field(default_factory=itertools.count)
    _is_closed: bool = False

    @property
    def is_there(self) -> bool:
        """Whether anybody can be asked."""
        return any(self._is_able(model) for model in self.models)

    def turn(self) -> Iterator[Model]:
        """Whom to ask, one after the other, until one answers."""
        start = next(self._turns)
        for number in range(len(self.models)):
            model = self.models[(start + number) % len(self.models)]
            if self._is_able(model):
                yield model

    def answered(self, model: Model) -> None:
        self._failures[model.name] = 0

    def failed(self, model: Model, error: ProviderError) -> None:
        """A model that cannot be reached at all is not tried again, nor is one that fails and fails."""
        self.errors.append(error)
        is_hopeless = isinstance(error, (KeyMissing, ClientMissing))
        self._failures[model.name] = _MOST_FAILURES if is_hopeless else self._failures.get(model.name, 0) + 1

    def close(self, error: BudgetSpent) -> None:
        if not self._is_closed:
            self.errors.append(error)
        self._is_closed = True

    def _is_able(self, model: Model) -> bool:
        return not self._is_closed and self._failures.get(model.name, 0) < _MOST_FAILURES


class _Asks:
    """What is asked in a round, as far as there are places for what may come of it."""

    def __init__(self, brief: Brief, options: ModelsOptions, source: str) -> None:
        self.history = History(brief.tried, source)
        self._later = later(self.history, repair_rounds=options.repair_rounds)
        self._places = brief.most - sum(one.descent is not Descent.REPAIR for one in brief.earlier)
        known = [one.candidate.name for one in self.history.of(Descent.FRESH)]
        known += [one.name for one in brief.earlier if one.descent is Descent.FRESH]
        others = sum(ask.descent is not Descent.REPAIR for ask in self._later)
        wanted = self._places if options.fresh is None else options.fresh - len(known)
        self._fresh = list(itertools.islice(fresh(known), max(0, min(wanted, self._places - others))))

    @property
    def has_any(self) -> bool:
        return bool(self.descents)

    @property
    def descents(self) -> set[Descent]:
        """The kinds of what is asked."""
        found = {ask.descent for ask in self._later if ask.descent is Descent.REPAIR or self._places > 0}
        return found | {ask.descent for ask in self._fresh}

    def begun(self, staff: _Staff) -> Iterator[Ask]:
        """One after the other, as they are begun; each has a place then for the first of what comes of it."""
        for ask in (*self._later, *self._fresh):
            if not staff.is_there:
                return
            if ask.descent is not Descent.REPAIR:
                if self._places < 1:
                    continue
                self._places -= 1
            yield ask

    def placed(self, proposals: Sequence[Proposal]) -> list[Proposal]:
        """The first of the alternatives, and those others for which there is a place that no ask has taken. A repair
        takes the place of what it repairs, so there is one."""
        first, *others = proposals
        count = 0 if first.descent is Descent.REPAIR else min(self._places, len(others))
        self._places -= count
        return [first, *others[:count]]


# -- from answers to proposals -----------------------------------------------------------------------------------------


def _proposals(brief: Brief, ask: Ask, provider: str, completion: Completion) -> list[Proposal]:
    name = ask.name or f"{provider}-{ask.number}"
    propose = partial(Proposal, log=completion.text, parents=ask.parents, descent=ask.descent, calls=(completion.call,))
    try:
        found = _understood(brief, ask, completion.text)
    except NotUnderstood as error:
        return [propose(name=name, change=None, problem=_problem(completion, str(error)))]
    note = _note(completion.text)
    letters = ["", *_LETTERS[1:]]
    return [
        propose(name=name + letter, change=change, note=note) for letter, change in zip(letters, found, strict=False)
    ]


def _problem(completion: Completion, why: str) -> str:
    if completion.finish is Finish.FILTERED:
        return f"the provider withheld the answer, or the model would not give one: {why}"
    if completion.finish is Finish.LENGTH:
        return f"the answer was cut off at the most tokens that it may have, so give less: {why}"
    return why if completion.text.strip() else "the answer is empty"


def _note(text: str) -> str:
    """The line that an answer begins with, where it is one that says something."""
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    is_prose = " " in first and not first.startswith(("`", "<", "~", "+++", "---", "@", "def ", "import ", "from "))
    return one_line(first.strip("#*_ "), 120) if is_prose else ""


def _understood(brief: Brief, ask: Ask, text: str) -> tuple[Change, ...]:
    """What an answer gives, read against the base. Where that leads nowhere, or leaves out what a candidate that it
    was shown had brought along, it is read against that candidate, which it may go on from without saying so."""
    ground = Ground(base=brief.pool.read, scope=brief.scope, target=brief.target)
    about = [one for one in reversed(ask.about) if one.candidate.change]
    try:
        found = changes(text, ground)
    except NotUnderstood:
        for one in about:
            try:
                return _on_top(brief, one, text)
            except NotUnderstood:
                continue
        raise
    for one in about:
        if any(_forgets(change, one.candidate.change) for change in found):
            try:
                return _on_top(brief, one, text)
            except NotUnderstood:
                continue
    return found


def _on_top(brief: Brief, tried: Tried, text: str) -> tuple[Change, ...]:
    """An answer as an edit of a candidate, as a change to the base."""
    mine = {edit.path: edit.after for edit in tried.candidate.change.edits}

    def base(path: str) -> File | None:
        return mine[path] if path in mine else brief.pool.read(path)

    found = changes(text, Ground(base=base, scope=brief.scope, target=brief.target))
    made = []
    for change in found:
        files = mine | {edit.path: edit.after for edit in change.edits}
        try:
            made.append(Change.of(files, base=brief.pool.read))
        except ChangeError as error:
            raise NotUnderstood(error.message) from None
    if not any(made):
        raise NotUnderstood("it leaves everything as it is")
    return tuple(change for change in made if change)


def _forgets(change: Change, earlier: Change) -> bool:
    """Whether it uses names of a module that an earlier change has brought there, and it does not."""
    after, before = change.contents, earlier.contents
    for path in after.keys() & before.keys():
        new, old = _tree(path, after[path]), _tree(path, before[path])
        if new is None or old is None:
            continue
        used = {one.id for one in ast.walk(new) if isinstance(one, ast.Name)}
        if used & (bound(old.body) - bound(new.body)):
            return True
    return False


def _tree(path: str, content: bytes | None) -> ast.Module | None:
    if content is None or not path.endswith(".py"):
        return None
    try:
        return parsed(content.decode("utf-8", "replace"))
    except NotUnderstood:
        return None
