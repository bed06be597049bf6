"""Matrices on a provider of this machine, run by the job, by the real client libraries."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bakeoff.events import CellEnded, CellStatus, Run
from bakeoff.jobs.matrix import Wanted, run
from bakeoff.matrix import Definition, definition_of
from bakeoff.store import Store

if TYPE_CHECKING:
    from bakeoff.testing.provider import LoopbackProvider

KEYS = dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "MISTRAL_API_KEY"), "the-key-of-a-test")


def served(**providers: LoopbackProvider) -> dict[str, Any]:
    """The table of providers that are on this machine, with no waiting between attempts."""
    return {name: {"base_url": one.url, "concurrency": 4, "backoff": 0.0} for name, one in providers.items()}


def matrix(providers: dict[str, Any], tasks: int | list[Any] = 6, *, folder: Path = Path(), **said: Any) -> Definition:
    """Tasks that ask for their own numbers, by one model of each provider, unless something else is said."""
    if isinstance(tasks, int):
        tasks = [{"id": f"t{n}", "prompt": f"{n}", "expected": n} for n in range(tasks)]
    axes = {"model": [f"{name}:m" for name in providers], "task": tasks} | said.pop("axes", {})
    scorers = {"exact": {"kind": "exact"}}
    document = {"name": "m", "axes": axes, "scorers": scorers, "providers": providers} | said
    return definition_of(document, folder=folder)


async def ran(definition: Definition, folder: Path, *, ending: Any = None, watch: Any = None, **how: Any) -> Run:
    """What is recorded of the run, once it has ended."""
    store = Store(folder / "store.sqlite")
    await run(Wanted(definition=definition, **how), store=store, environment=KEYS, ending=ending, watch=watch)
    return newest_run(folder)


def newest_run(folder: Path) -> Run:
    store = Store(folder / "store.sqlite")
    return Run.of(store.events(store.runs()[0].id))


def ended(run: Run) -> list[CellEnded]:
    """What came of the cells of the definition, in its order."""
    return [state.ended for state in run.matrix.current if state.ended is not None]


def statuses(run: Run) -> list[CellStatus | None]:
    return [state.status for state in run.matrix.current]
