"""Sources of other packages: those that register a factory as an entry point of `bakeoff.sources`."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from bakeoff.errors import UsageError

if TYPE_CHECKING:
    from bakeoff.sources.proposals import Source

__all__ = ["GROUP", "plugin", "plugins"]

GROUP = "bakeoff.sources"


def plugins() -> tuple[str, ...]:
    """The names of the sources that are installed beside ours."""
    return tuple(sorted(point.name for point in entry_points(group=GROUP)))


def plugin(name: str) -> Source:
    """Make the source that another package registered by this name: its entry point is called without arguments."""
    (point, *others) = entry_points(group=GROUP, name=name)
    if others:
        raise UsageError(f"several packages register a source {name!r}", hint="uninstall all but one of them")
    try:
        source: Source = point.load()()
    except Exception as error:  # the code of another package
        raise UsageError(f"the source {name!r} cannot be loaded: {error!r}", hint=f"it is {point.value}") from error
    return source
