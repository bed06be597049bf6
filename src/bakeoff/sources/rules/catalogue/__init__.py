"""The rules: each is a module of this package with one `RULE`; modules with a leading underscore have none."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bakeoff.sources.rules.rewriting import Rule

__all__ = ["ALL"]


def _found() -> tuple[Rule, ...]:
    names = sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))
    return tuple(importlib.import_module(f"{__name__}.{name}").RULE for name in names)


ALL: tuple[Rule, ...] = _found()
