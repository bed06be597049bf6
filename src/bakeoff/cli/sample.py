"""`bakeoff sample PROMPT --model M`."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

from rich.text import Text

from bakeoff.choices import Sampling, Sandbox
from bakeoff.cli import STDIN
from bakeoff.cli.asking import Asking, budget, most_tokens, providers
from bakeoff.cli.output import MANY, Shared, talk
from bakeoff.cli.running import run_job
from bakeoff.cli.waiting import INTERRUPTED, finished
from bakeoff.errors import RepositoryError, UsageError
from bakeoff.events import Run
from bakeoff.git import Repository
from bakeoff.jobs.records import find_store
from bakeoff.jobs.sample import STRATEGIES, Wanted
from bakeoff.jobs.sample import sample as job
from bakeoff.models import Message, Role
from bakeoff.report.foreign import cut, visible, writable
from bakeoff.report.sampling import chosen_text, sampling_document, sampling_table
from bakeoff.sampling import Extent, SamplingOptions
from bakeoff.workers import WorkerConfig, project_python

if TYPE_CHECKING:
    from collections.abc import Callable

    from bakeoff.cli.running import Ran
    from bakeoff.config import Options
    from bakeoff.events import Recorded
    from bakeoff.store import Store

_SHARED, _ASKING = Shared(), Asking()
_LONGEST_ARGUMENT = 500
_LINES, _CHARACTERS = 20, 2000  # of an answer that is not valid
_ANSWER_TOKENS = 4096
T = TypeVar("T")


def sample(
    prompt: str,
    /,
    *,
    require: Annotated[tuple[str, ...], MANY] = (),
    loop_budget: int | None = None,
    concurrency_budget: int | None = None,
    strategy: Sampling | None = None,
    system: str | None = None,
    temperature: float | None = None,
    seed: int | None = None,
    python: Path | None = None,
    sandbox: Sandbox | None = None,
    asking: Asking = _ASKING,
    shared: Shared = _SHARED,
) -> int:
    """Ask a language model until an answer is valid. The answer goes to stdout, all else to stderr.

    Parameters
    ----------
    prompt
        What is asked: a text, @FILE, or - for standard input (@@ for a text that begins with @).
    require
        What an answer has to be: regex:PATTERN, json, schema:FILE, ask:QUESTION (the model judges itself),
        module:function or file.py:function (run in a worker; it says True, False, or what is wrong); may be given
        several times.
    loop_budget
        How often is asked at the most, one time after another, until the answer is valid. Default: 1.
    concurrency_budget
        How many such loops go on side by side, until one answer is valid. The two budgets multiply, and so does the
        cost: what is cancelled is paid for, too. So many calls are open at once, mind the provider's rate limits; and
        which is first is chance, so that two runs may give different answers. Default: 1.
    strategy
        What is asked after an answer that is not valid. rejection: the same; repair: with what was wrong; multi-turn:
        as a conversation. majority: all loops end, and the answer that most give is taken. Default: rejection.
    system
        What the model is told before: a text, or @FILE.
    temperature
        How much is left to chance.
    seed
        Where the provider heeds it, answers can be had again.
    python
        The interpreter that functions run in. Default: the repository's .venv, else the active one, else Bakeoff's own.
    sandbox
        auto: as much as there is; require: at least tier 2; off: limits only.
    """
    own = {
        "loop_budget": loop_budget,
        "concurrency_budget": concurrency_budget,
        "strategy": strategy,
        "python": python,
        "sandbox": sandbox,
    }
    options = shared.begin(**asking.flags(), **own).options
    if not shared.debug:
        # What it warns of is an event as well, and told as such.
        logging.getLogger("bakeoff.sampling").setLevel(logging.ERROR)
    asked = Wanted(
        prompt=_messages(prompt, system),
        model=_model(options),
        requirements=require,
        strategy=STRATEGIES[options.strategy or Sampling.REJECTION],
        extent=_extent(options),
        options=_sampling_options(options, temperature=temperature, seed=seed),
        budget=budget(options),
        config=WorkerConfig(python=options.python or _python(), sandbox=options.sandbox),
        folder=Path.cwd(),
        arguments=tuple(map(_short, sys.argv[2:])),
    )
    shared_calls = providers(options)
    store = finished(find_store, Path.cwd(), options.store)

    async def ask(watch: Callable[[Recorded], None]) -> None:
        await job(asked, providers=shared_calls, store=store, watch=watch)

    return _finish(run_job(ask, shared), store, shared)


def _finish(ran: Ran, store: Store, shared: Shared) -> int:
    for name in ran.runs:
        _show(Run.of(store.events(name)), store, shared)
    if ran.is_interrupted:
        return INTERRUPTED
    if ran.error is not None:
        raise ran.error
    return 0


def _show(run: Run, store: Store, shared: Shared) -> None:
    if (talk.is_terminal or shared.verbose) and not shared.quiet and run.samples:
        talk.print(sampling_table(run))
    answer = chosen_text(run, text=store.text)
    if shared.json:
        shared.show(sampling_document(run, text=store.text), "")
    elif answer is not None:
        line = writable(answer if answer.endswith("\n") else f"{answer}\n")
        shared.show(None, Text(visible(line.removesuffix("\n"))), exact=line.encode())
    elif (nearest := chosen_text(run, text=store.text, is_valid=False)) is not None:
        kept, left = cut(nearest, lines=_LINES, characters=_CHARACTERS)
        more = f"\n… {left:,} more characters: bakeoff show {run.id}" if left else ""
        shared.say(f"the nearest is this:\n{visible(kept.rstrip())}{more}")


# -- from options to values --------------------------------------------------------------------------------------------


def _messages(prompt: str, system: str | None) -> tuple[Message, ...]:
    before = () if system is None else (Message(role=Role.SYSTEM, content=_text("--system", system)),)
    return (*before, Message(content=_text("the prompt", prompt)))


def _text(what: str, given: str) -> str:
    """A text, what stands in @FILE, or what comes on standard input."""
    try:
        if given == STDIN:
            text = sys.stdin.buffer.read().decode()
        elif given.startswith("@") and not given.startswith("@@"):
            text = Path(given[1:]).expanduser().read_text(encoding="utf-8")
        else:
            text = given[1:] if given.startswith("@@") else given
            text.encode()
    except UnicodeError:
        raise UsageError(f"{what} is not UTF-8", hint="only text can be sent") from None
    except OSError as error:
        hint = "@FILE is a file; write @@ for a text that begins with @"
        raise UsageError(f"{given[1:]} cannot be read: {error.strerror}", hint=hint) from None
    if not text.strip():
        raise UsageError(f"{what} is empty", hint="say what is to be asked: a text, @FILE, or - for standard input")
    return text


def _model(options: Options) -> str:
    if len(options.model) != 1:
        many = f"several models are named: {', '.join(options.model)}" if options.model else "no model is named"
        raise UsageError(many, hint="name one, PROVIDER:MODEL, like --model openai:gpt-5")
    return options.model[0]


def _extent(options: Options) -> Extent:
    loop, breadth = options.loop_budget, options.concurrency_budget
    return _usable(
        lambda: Extent(loop_budget=1 if loop is None else loop, concurrency_budget=1 if breadth is None else breadth)
    )


def _sampling_options(options: Options, *, temperature: float | None, seed: int | None) -> SamplingOptions:
    return SamplingOptions(max_tokens=most_tokens(options, _ANSWER_TOKENS), temperature=temperature, seed=seed)


def _usable(made: Callable[[], T]) -> T:
    try:
        return made()
    except ValueError as error:
        raise UsageError(str(error), hint="both are 1 where nothing is said") from None


def _python() -> Path:
    try:
        folder = finished(Repository.find, Path.cwd()).root
    except RepositoryError:
        folder = Path.cwd()
    return project_python(folder, os.environ)


def _short(argument: str) -> str:
    """An argument as it is recorded: a prompt is in the requests, whole."""
    text = writable(argument)
    return text if len(text) <= _LONGEST_ARGUMENT else f"{text[: _LONGEST_ARGUMENT - 1]}…"
