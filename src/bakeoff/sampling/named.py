"""Requirements that are named by a text, as on the command line: what is meant, and whether it can be had.

    regex:PATTERN         the answer has a match of it
    json, schema:FILE     it is JSON, and fits
    ask:QUESTION          the model itself says yes to it
    module:function       a function takes the answer, in a worker, and says True, False, or what is wrong
    file.py:function

Everything is looked at before anything is asked of a model. What a user names is run in workers alone: it may well do
something with an answer that nobody has read.
"""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bakeoff.errors import UsageError
from bakeoff.sampling.requirements import Asked, Code, JsonSchema, Regex
from bakeoff.workers import Ending

if TYPE_CHECKING:
    from bakeoff.models import Model
    from bakeoff.sampling.requirements import Requirement
    from bakeoff.workers import ExecutorBackend

__all__ = ["Named"]

_KINDS: Final = ("regex", "json", "schema", "ask")
_HINT: Final = "give regex:PATTERN, json, schema:FILE, ask:QUESTION, module:function or file.py:function"
_LONGEST: Final = 60  # seconds that importing what a user names may take
_LOOK = """
import importlib


def module(name, function):
    return _look(importlib.import_module(name).__dict__, function)


def text(source, function):
    space = {"__name__": "<candidate>"}
    exec(compile(source, "<candidate>", "exec"), space)
    return _look(space, function)


def _look(space, function):
    if callable(space.get(function)):
        return ""
    known = [
        name
        for name, one in space.items()
        if callable(one) and not name.startswith("_") and getattr(one, "__module__", None) == space["__name__"]
    ]
    return "there is no function %r; it has %s" % (function, ", ".join(known) or "none")
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Makes requirements of their names. Functions run in `backend`; modules and files are looked for in `folder`. What
    `is_looked_at` already is not looked at again: that takes a call of a worker for each function."""

    backend: ExecutorBackend
    model: Model
    folder: Path
    is_looked_at: bool = False

    async def requirement(self, text: str) -> Requirement:
        """Raises UsageError for what nobody knows, or what cannot be read, imported or found."""
        kind, _, rest = text.partition(":")
        match kind:
            case "json" if not rest:
                return JsonSchema({}, name="JSON")
            case "schema" if rest:
                return self._schema(rest)
            case "regex" if rest:
                return Regex(rest, backend=self.backend)
            case "ask" if rest:
                return Asked(self.model, rest)
        return await self._function(text)

    def _schema(self, name: str) -> JsonSchema:
        try:
            schema = json.loads(self._read(name))
        except ValueError as error:
            raise UsageError(f"{name} is no JSON schema: {error}", hint="it has to be a file of JSON") from None
        return JsonSchema(schema, name=f"JSON that fits {Path(name).name}")

    async def _function(self, text: str) -> Code:
        place, _, function = text.rpartition(":")
        is_file = place.endswith(".py")
        is_module = all(part.isidentifier() for part in place.split(".")) and not (self.folder / place).is_file()
        if not place or not function.isidentifier() or not (is_file or is_module):
            raise _unknown(text)
        source = self._read(place) if is_file else None
        if not self.is_looked_at:
            how, where = ("module", place) if source is None else ("text", source)
            await self._look(text, how, where, function)
        return Code.named(text, backend=self.backend, folder=self.folder)

    async def _look(self, text: str, how: str, *arguments: str) -> None:
        """See that the function is there, in the same isolation that it will run in."""
        look = Code(backend=self.backend, source=_LOOK, function=how, path=(self.folder,), timeout=_LONGEST)
        outcome = await look.call(*arguments)
        if outcome.ending is Ending.OK and not outcome.value:
            return
        why = str(outcome.value)
        if outcome.ending is not Ending.OK:
            why = outcome.describe().splitlines()[0].removeprefix("builtins.")
        raise UsageError(f"--require {text} cannot be used: {why}", hint=_meant(text))

    def _read(self, name: str) -> str:
        try:
            return (self.folder / name).expanduser().read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            raise UsageError(f"{name} cannot be read: {why}", hint=_HINT) from None


def _unknown(text: str) -> UsageError:
    return UsageError(f"--require {text!r} is no requirement", hint=_meant(text))


def _meant(text: str) -> str:
    near = difflib.get_close_matches(text.partition(":")[0], _KINDS, n=1)
    return f"did you mean {near[0]}? {_HINT}" if near else _HINT
