"""Packages of ours that calls can import, though they are nowhere on the interpreter's path.

A kit is a folder that is a package of plain Python. It is imported as `_bakeoff_` and its folder's name, so that it can
neither hide a module of the project nor be hidden by one.

Plain Python ≥ 3.9, standard library only.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

__all__ = ["PREFIX", "offer"]

PREFIX = "_bakeoff_"


class _Finder:
    """Finds kits, and nothing else."""

    def __init__(self, folders: Iterable[str]) -> None:
        self._folders = {PREFIX + os.path.basename(folder): folder for folder in folders}

    def find_spec(self, name: str, _path: Any = None, _target: Any = None) -> importlib.machinery.ModuleSpec | None:  # noqa: ANN401
        folder = self._folders.get(name)
        if folder is None:
            return None
        start = os.path.join(folder, "__init__.py")
        return importlib.util.spec_from_file_location(name, start, submodule_search_locations=[folder])


def offer(folders: Iterable[str]) -> None:
    """Make kits importable from now on, here and in what is forked from here."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Finder)]
    sys.meta_path.insert(0, _Finder(folders))
