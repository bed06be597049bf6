"""What all judges have in common: they learn from the baseline when they are opened."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

__all__ = ["Learning"]


class Learning(ABC):
    """A context. What learning has opened on the stack is closed with it, and where it fails."""

    def __init__(self) -> None:
        self._stack = AsyncExitStack()

    @abstractmethod
    async def _learn(self) -> None: ...

    async def __aenter__(self) -> Self:
        try:
            await self._learn()
        except BaseException:
            await self._stack.aclose()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()
