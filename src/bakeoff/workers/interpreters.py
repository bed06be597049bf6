"""Which interpreter a project runs in."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["project_python"]

_PROGRAMS = ("bin/python", "bin/python3", "Scripts/python.exe")


def project_python(repository: Path, variables: Mapping[str, str]) -> Path:
    """The interpreter of a repository: that of its `.venv`, else of the active virtual environment, else our own."""
    active = variables.get("VIRTUAL_ENV")
    environments = [repository / ".venv", *([Path(active)] if active else [])]
    for environment in environments:
        for program in _PROGRAMS:
            path = environment / program
            if os.access(path, os.X_OK):
                return path
    return Path(sys.executable)
