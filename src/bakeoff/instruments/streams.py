"""Generators among the arguments of a call: they cannot be written down before the call, but what they give can.

The target gets others in their place, which pass on what is asked of them and note what comes. When all is over, the
call is written down with an iterator over that: `OneShot`, or `Stream` where it is asynchronous. What nobody asked for
is not known, and missing. Plain Python ≥ 3.9, standard library only.
"""

from __future__ import annotations

import functools
import types

from . import recordings
from .values import OneShot, Stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator, Iterator
    from typing import Any

__all__ = ["Streams", "are_among"]

_KINDS = (types.GeneratorType, types.AsyncGeneratorType)
# Of one generator, and of all of one call.
_MOST_ITEMS, _MOST_BYTES = 1000, 1 << 20


def are_among(arguments: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    return any(type(value) in _KINDS for _, value in _slots(arguments, keywords))


class Streams:
    """Those of one call. `size` is how many bytes their items take, as long as these are known."""

    def __init__(
        self,
        arguments: tuple[Any, ...],
        keywords: dict[str, Any],
        take: Callable[[int], bool],
        unnoticed: Callable[[Any], Any],
    ) -> None:
        """`take` says whether there is room for so many bytes more (fewer, when they are given back); `unnoticed` is
        done to the functions of ours that stand between a generator and the target."""
        self._take = take
        self.size = 0
        self._is_known = True
        # From then on, one that goes away takes nothing with it: it is not the target that closes it.
        self._is_over = False
        self._taken: dict[int | str, list[bytes]] = {}
        self._taps: dict[int | str, Any] = {}
        self._kinds: dict[int | str, type] = {}
        for slot, value in _slots(arguments, keywords):
            if type(value) in _KINDS:
                is_plain = type(value) is types.GeneratorType
                self._taken[slot] = []
                self._kinds[slot] = OneShot if is_plain else Stream
                tap = unnoticed(self._tap()) if is_plain else unnoticed(self._async_tap())
                self._taps[slot] = tap(value, self._taken[slot])

    def tapped(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with those in their places that note what they give."""
        return _replaced(arguments, keywords, self._taps)

    def standing(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with empty iterators in their places."""
        return _replaced(arguments, keywords, {slot: kind(()) for slot, kind in self._kinds.items()})

    def filled(self, blob: bytes) -> bytes:
        """The arguments as bytes with what was taken, of those with empty iterators; raises Uncopyable."""
        if not self._is_known:
            raise recordings.Uncopyable("what a generator gave cannot be written down, or is too much")
        (arguments, keywords), *behind = recordings.loads_each(blob)
        made = {slot: self._kinds[slot](map(recordings.loads, taken)) for slot, taken in self._taken.items()}
        return b"".join(map(recordings.dumps, (_replaced(arguments, keywords, made), *behind)))

    def forget(self) -> None:
        """What was noted is of no use, and what comes will be of none."""
        self._take(-self.size)
        self._is_known, self.size = False, 0
        for taken in self._taken.values():
            taken.clear()

    def end(self) -> None:
        """Nothing is noted from now on."""
        self._is_over = True
        self._taps = {}

    def _note(self, item: Any, taken: list[bytes]) -> None:
        if self._is_over or not self._is_known:
            return
        try:
            blob = recordings.dumps(item, _MOST_BYTES)
        except recordings.Uncopyable:
            self.forget()
            return
        if len(taken) >= _MOST_ITEMS or self.size + len(blob) > _MOST_BYTES or not self._take(len(blob)):
            self.forget()
            return
        self.size += len(blob)
        taken.append(blob)

    def _tap(self) -> Callable[..., Generator[Any, Any, Any]]:
        def tap(items: Generator[Any, Any, Any], taken: list[bytes]) -> Generator[Any, Any, Any]:
            step: Callable[[], Any] = functools.partial(next, items)
            while True:
                try:
                    item = step()
                except StopIteration as end:
                    return end.value
                self._note(item, taken)
                try:
                    sent = yield item
                except GeneratorExit:
                    if not self._is_over:
                        items.close()
                    raise
                except BaseException as error:
                    step = functools.partial(items.throw, error)
                else:
                    step = functools.partial(items.send, sent)

        return tap

    def _async_tap(self) -> Callable[..., AsyncGenerator[Any, Any]]:
        async def tap(items: AsyncGenerator[Any, Any], taken: list[bytes]) -> AsyncGenerator[Any, Any]:
            step = items.__anext__()
            while True:
                try:
                    item = await step
                except StopAsyncIteration:
                    return
                self._note(item, taken)
                try:
                    sent = yield item
                except GeneratorExit:
                    if not self._is_over:
                        await items.aclose()
                    raise
                except BaseException as error:
                    step = items.athrow(error)
                else:
                    step = items.asend(sent)

        return tap


def _slots(arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Iterator[tuple[int | str, Any]]:
    yield from enumerate(arguments)
    yield from keywords.items()


def _replaced(
    arguments: tuple[Any, ...], keywords: dict[str, Any], others: dict[int | str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    positional = tuple([others.get(number, value) for number, value in enumerate(arguments)])
    return positional, {name: others.get(name, value) for name, value in keywords.items()}
