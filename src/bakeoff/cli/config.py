"""`bakeoff config show`."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from bakeoff.cli.output import Shared

_SHARED = Shared()


def show(*, shared: Shared = _SHARED) -> None:
    """Print each setting and where it came from."""
    configuration = shared.begin()
    document = {
        name.replace("_", "-"): {"value": getattr(configuration.options, name), "from": origin}
        for name, origin in configuration.origins.items()
    }
    table = Table(box=None, pad_edge=False)
    for column in ("setting", "value", "from"):
        table.add_column(column, overflow="fold")
    for name, entry in document.items():
        table.add_row(name, Text("–" if entry["value"] is None else str(entry["value"])), Text(entry["from"]))
    shared.show(document, table)
