"""Answers that were given before: what a request to a model brought, in this run or in another one of the store.

The same request is often made several times on purpose: by the repeats of a cell, and by strategies that ask for many
answers. So answers are known by the model, where it is served, the request and the repeat, in the order in which they
were given, and a cell that asks the same again gets the next one. Two cells may share an answer; the two repeats of one
never do.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from bakeoff.events import CallBegan, CallEnd, CallEnded, CellsPlanned, MatrixBegan
from bakeoff.models import Completion, Finish
from bakeoff.models.model import request_text
from bakeoff.models.tally import Witness, witness

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bakeoff.events import Event, Text
    from bakeoff.models import Request
    from bakeoff.store import Store

__all__ = ["Memory", "remembered"]

_COMMAND: Final = "matrix"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """What answers are known by."""

    model: str
    served: str | None
    request: str
    repeat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """An answer, as it was recorded."""

    call: str
    answer: Text
    finish: str | None


class _Reader:
    """Follows the log of one run after another."""

    def __init__(self, store: Store) -> None:
        self.known: dict[_Place, list[_Known]] = defaultdict(list)
        self._store = store
        self._served: dict[str, str | None] = {}
        self._repeats: dict[str, int] = {}
        self._open: dict[str, _Place] = {}

    def add(self, event: Event) -> None:
        match event:
            case MatrixBegan():
                providers = json.loads(self._store.text(event.definition)).get("providers", {})
                self._served = {name: one.get("base_url") for name, one in providers.items()}
            case CellsPlanned():
                self._repeats |= {planned.cell: planned.repeat for planned in event.cells}
            case CallBegan(cell=str() as cell, attempt=1) if event.request is not None and cell in self._repeats:
                self._open[event.call] = _Place(
                    model=event.model,
                    served=self._served.get(event.model.partition(":")[0]),
                    request=event.request.sha256,
                    repeat=self._repeats[cell],
                )
            case CallEnded(end=CallEnd.DONE) if event.answer is not None and event.call in self._open:
                known = _Known(call=event.call, answer=event.answer, finish=event.finish)
                self.known[self._open.pop(event.call)].append(known)


def remembered(store: Store, *, repeats: Mapping[str, int], served: Mapping[str, str | None]) -> Memory:
    """The answers that runs of matrices in a store have had, for cells whose repeats these are, and for providers that
    are served there."""
    reader = _Reader(store)
    for run in reversed(store.runs()):
        if run.start is not None and run.start.command == _COMMAND:
            for recorded in store.events(run.id):
                reader.add(recorded.event)
    return Memory(store, known=reader.known, repeats=repeats, served=served)


@dataclass(slots=True, eq=False)
class _Asking:
    """What a cell has asked so far in this try."""

    seen: Witness
    asked: Counter[_Place] = field(default_factory=Counter)


class Memory:
    """What `Providers.model` can recall answers by. Only cells ask it: whoever scores always asks the model."""

    def __init__(
        self,
        store: Store,
        *,
        known: Mapping[_Place, Sequence[_Known]],
        repeats: Mapping[str, int],
        served: Mapping[str, str | None],
    ) -> None:
        self._store = store
        self._known = known
        self._repeats = repeats
        self._served = served
        self._asking: dict[str, _Asking] = {}

    def __call__(self, model: str, request: Request) -> Completion | None:
        """What the model answered, if it is known."""
        seen = witness()
        if seen is None or seen.cell not in self._repeats:
            return None
        asking = self._asking.get(seen.cell)
        if asking is None or asking.seen is not seen:
            asking = self._asking[seen.cell] = _Asking(seen)
        name = hashlib.sha256(request_text(request).encode("utf-8", "surrogatepass")).hexdigest()
        place = _Place(
            model=model,
            served=self._served.get(model.partition(":")[0]),
            request=name,
            repeat=self._repeats[seen.cell],
        )
        count = asking.asked[place]
        asking.asked[place] += 1
        answers = self._known.get(place, ())
        if count >= len(answers):
            return None
        known = answers[count]
        seen.recalled += 1
        text = self._store.text(known.answer)
        finish = Finish(known.finish) if known.finish is not None else Finish.STOP
        return Completion(call=known.call, model=model, text=text, finish=finish, cost=0.0, attempts=0)
