"""`bakeoff matrix check FILE`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from bakeoff.cli.matrix.definitions import defined
from bakeoff.cli.matrix.outlooks import outlook_document, outlook_table
from bakeoff.cli.output import Shared, Switch
from bakeoff.cli.waiting import finished
from bakeoff.errors import NotARepository, UsageError
from bakeoff.jobs.matrix import outlook
from bakeoff.jobs.records import find_store
from bakeoff.matrix.shape import json_schema
from bakeoff.report.documents import as_json

if TYPE_CHECKING:
    from bakeoff.store import Store

_SHARED = Shared()


def check(
    file: Path | None = None,
    /,
    *,
    schema: Switch = False,
    retry_failed: Switch = False,
    provider_concurrency: str | None = None,
    shared: Shared = _SHARED,
) -> None:
    """Tell what is wrong with a matrix, and what it will take. Nothing is run.

    Parameters
    ----------
    file
        The definition, a file of TOML.
    schema
        Print the JSON schema of such files, for editors.
    retry_failed
        Count cells that failed as missing.
    provider_concurrency
        How many calls of a provider may be open at once: 4, or one for each: anthropic=2,openai=8.
    """
    options = shared.begin(provider_concurrency=provider_concurrency).options
    if schema:
        shared.show(json_schema(), Text(as_json(json_schema())))
        return
    if file is None:
        raise UsageError("no matrix is named", hint="bakeoff matrix check FILE")
    definition = defined(file, options)
    found = outlook(definition, _store(options.store), retry_failed=retry_failed)
    shared.show(outlook_document(definition, found), outlook_table(definition, found))


def _store(named: Path | None) -> Store | None:
    """Where there are records, if there are any."""
    try:
        return finished(find_store, Path.cwd(), named)
    except NotARepository:
        return None
