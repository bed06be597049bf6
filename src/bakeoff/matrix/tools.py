"""What strategies and scorers work with, beside what they are given: workers, and models of their own."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping
    from typing import Any

    from bakeoff.matrix.cases import Answered, Case
    from bakeoff.models import Model
    from bakeoff.workers import ExecutorBackend

__all__ = ["Tools"]

T = TypeVar("T")


class Tools:
    """A matrix is read, and may be looked at, where none of these is there yet; they are at hand in `ready`.

    What a user names is looked for in `folder`. `optimized` runs a whole optimization of the target that is the prompt
    of a case, with the options of its strategy.
    """

    def __init__(self, folder: Path = Path()) -> None:
        self.folder = folder
        self._models: Callable[[str], Model] | None = None
        self._backend: ExecutorBackend | None = None
        self._optimized: Callable[[Case, Mapping[str, Any]], Awaitable[Answered]] | None = None

    @contextmanager
    def ready(
        self,
        *,
        models: Callable[[str], Model],
        backend: ExecutorBackend,
        optimized: Callable[[Case, Mapping[str, Any]], Awaitable[Answered]] | None = None,
    ) -> Iterator[None]:
        """These are at hand while the block runs."""
        self._models, self._backend, self._optimized = models, backend, optimized
        try:
            yield
        finally:
            self._models = self._backend = self._optimized = None

    def model(self, name: str) -> Model:
        """The model of this name."""
        return _there(self._models)(name)

    @property
    def backend(self) -> ExecutorBackend:
        """Where functions of the user's own are run."""
        return _there(self._backend)

    @property
    def optimized(self) -> Callable[[Case, Mapping[str, Any]], Awaitable[Answered]]:
        """What optimizes."""
        return _there(self._optimized)


def _there(tool: T | None) -> T:
    if tool is None:
        raise RuntimeError("the tools of a matrix are at hand only while it is run or scored")
    return tool
