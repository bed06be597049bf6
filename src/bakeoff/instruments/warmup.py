"""Importing this has pytest load its installed plugins, for processes forked from this one to find them loaded.

pytest rewrites the assertions of its plugins as it imports them, and insists on doing so itself: imported in any other
way they would cause warnings, which many projects treat as errors. Those that come from outside of the interpreter's
own packages are left alone: they may be the project.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import sysconfig
import tempfile

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["plugins"]


def plugins() -> list[Any]:
    """The entry points of installed plugins."""
    points: Any = importlib.metadata.entry_points()
    return list(points.select(group="pytest11") if hasattr(points, "select") else points.get("pytest11", ()))


def _is_installed(module: str) -> bool:
    try:
        spec = importlib.util.find_spec(module.partition(".")[0])
    except (ImportError, ValueError):
        return False
    places = {sysconfig.get_path(name) + os.sep for name in ("purelib", "platlib")}
    return spec is not None and isinstance(spec.origin, str) and spec.origin.startswith(tuple(places))


def _load() -> None:
    names = [point.value.partition(":")[0] for point in plugins()]
    chosen = [option for name in names if _is_installed(name) for option in ("-p", name)]
    outer = os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        with tempfile.TemporaryDirectory() as folder:
            pytest.main([*chosen, "-p", "no:cacheprovider", f"--rootdir={folder}", "-c", os.devnull, "-q", folder])
    finally:
        del os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"]
        if outer is not None:
            os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = outer


_load()
