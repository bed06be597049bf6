"""Importing this has pytest load its installed plugins, for processes forked from this one to find them loaded. It also
reads what is known of installed packages, which every start of pytest wants to know.

pytest marks all modules of its plugins' distributions, to rewrite their assertions as they are imported, and complains
of those that were imported in any other way. So it is pytest that loads them. Plugins that come from outside of the
interpreter's own packages are left alone: they may be the project.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import importlib.util
import os
import sys
import sysconfig
import tempfile

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

__all__ = ["Shortcut"]


class Shortcut:
    """While it is on, who asks for all installed packages gets those that were there at the beginning, as they were
    read then, and only what is on the path since is looked at. To be off before foreign code runs."""

    def __init__(self) -> None:
        self._real = importlib.metadata.distributions

    def on(self) -> None:
        if all(path in sys.path for path in _places):
            importlib.metadata.distributions = self._distributions

    def off(self) -> None:
        importlib.metadata.distributions = self._real

    def _distributions(self, **wanted: Any) -> Iterable[Any]:
        return self._real(**wanted) if wanted else self._all()

    def _all(self) -> Iterator[Any]:
        yield from self._real(path=[path for path in sys.path if path not in _places])
        yield from _known


class _Known:
    """A distribution as it was; what is asked for most is kept."""

    def __init__(self, distribution: Any) -> None:
        self._distribution = distribution
        self.entry_points = list(distribution.entry_points)
        if self.plugins():
            self.files = [file for file in distribution.files or () if file.suffix == ".py"]
            with contextlib.suppress(Exception):  # foreign: where it cannot be read, those who ask see for themselves
                self.metadata = distribution.metadata
                self.version = distribution.version

    def __getattr__(self, name: str) -> Any:
        return getattr(self._distribution, name)

    def plugins(self) -> list[tuple[str, str]]:
        """The plugins in it: names, and the modules they are."""
        points = [point for point in self.entry_points if point.group == "pytest11"]
        return [(point.name, point.value.partition(":")[0].strip()) for point in points]


def _is_installed(module: str) -> bool:
    try:
        spec = importlib.util.find_spec(module.partition(".")[0])
    except (ImportError, ValueError):
        return False
    places = {sysconfig.get_path(name) + os.sep for name in ("purelib", "platlib")}
    return spec is not None and isinstance(spec.origin, str) and spec.origin.startswith(tuple(places))


def _load() -> None:
    points = [point for known in _known for point in known.plugins()]
    avoided = [option for name, module in points if not _is_installed(module) for option in ("-p", f"no:{name}")]
    with tempfile.TemporaryDirectory() as folder:
        pytest.main([*avoided, "-p", "no:cacheprovider", f"--rootdir={folder}", "-c", os.devnull, "-q", folder])


# What is not absolute means another folder in another process.
_places = [path for path in sys.path if os.path.isabs(path)]
_known = [_Known(distribution) for distribution in importlib.metadata.distributions(path=_places)]
_load()
