"""Byte code for a whole tree, made once so that no candidate pays for it."""

from __future__ import annotations

import logging
import subprocess
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from bakeoff.errors import WorkerUnavailable

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["compile_tree"]

_FILES = "__pycache__/*.pyc"
_log = logging.getLogger(__name__)


async def compile_tree(python: Path, tree: Path) -> list[str]:
    """Compile every module below a folder with the interpreter that will run it, and list what was made.

    Files that do not parse stay out. Raises WorkerUnavailable for an interpreter that cannot be run.

    The byte code is checked against the source's content, not its time and size: those of an edit made within
    the same second can be equal, and the old code would run under the new one's name.
    """
    options = ["-q", "-q", "-j", "0", "--invalidation-mode", "checked-hash"]
    command = [str(python), "-I", "-m", "compileall", *options, str(tree)]
    try:
        done = await anyio.run_process(command, check=False, stderr=subprocess.PIPE)
    except OSError as error:
        raise WorkerUnavailable([str(python)], error.strerror or str(error)) from None
    if done.returncode not in (0, 1):
        _log.warning("byte code could not be made: %s", done.stderr.decode(errors="replace").strip())
    return [str(path.relative_to(tree)) for path in await anyio.to_thread.run_sync(lambda: list(tree.rglob(_FILES)))]
