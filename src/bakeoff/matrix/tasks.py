"""Tasks, from lists, from files, and from functions of the user's own."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bakeoff.errors import UsageError
from bakeoff.matrix.cases import Task
from bakeoff.matrix.fitting import Mistake
from bakeoff.matrix.imports import imported

if TYPE_CHECKING:
    from pathlib import Path

    from bakeoff.matrix.places import Place
    from bakeoff.matrix.shape import TaskSource

__all__ = ["tasks_of"]

_COLUMNS = {"id": "id", "prompt": "prompt", "expected": "expected"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """A task as it is written: what, and where."""

    table: object
    place: Place
    line: int | None = None
    file: str = ""

    def wrong(self, message: str, hint: str = "") -> Mistake:
        return Mistake(place=self.place, message=message, hint=hint, line=self.line, file=self.file)


def tasks_of(source: Iterable[object] | TaskSource, folder: Path, place: Place) -> tuple[list[Task], list[Mistake]]:
    """The tasks, and what is wrong with the others."""
    rows, columns = _rows(source, folder, place)
    tasks: dict[str, Task] = {}
    mistakes = []
    try:
        for count, row in enumerate(rows, 1):
            made = row.table if isinstance(row.table, Task) else _task(row, count, columns)
            if isinstance(made, Task) and made.name in tasks:
                made = row.wrong(f"another task is called {made.name!r}", "each has a name of its own: id")
            if isinstance(made, Mistake):
                mistakes.append(made)
            else:
                tasks[made.name] = made
    except UsageError as error:
        mistakes.append(Mistake(place=place, message=error.message, hint=error.hint or ""))
    if not tasks and not mistakes:
        mistakes.append(Mistake(place=place, message="there is no task"))
    return list(tasks.values()), mistakes


def _rows(
    source: Iterable[object] | TaskSource, folder: Path, place: Place
) -> tuple[Iterator[_Row], Mapping[str, str]]:
    if isinstance(source, Iterable):
        return (_Row(table=one, place=(*place, index)) for index, one in enumerate(source)), _COLUMNS
    columns = {"id": source.id, "prompt": source.prompt, "expected": source.expected}
    if source.function is not None and source.file is None:
        return _first(_of_function(source.function, folder, (*place, "function")), source.first), columns
    if source.file is not None and source.function is None:
        return _first(_of_file(folder, source.file, (*place, "file")), source.first), columns
    return _nothing("a file or a function is wanted, and one of them"), columns


def _first(rows: Iterator[_Row], most: int | None) -> Iterator[_Row]:
    for count, row in enumerate(rows):
        if most is not None and count >= most:
            return
        yield row


def _nothing(message: str) -> Iterator[_Row]:
    raise UsageError(message)
    yield


def _of_function(name: str, folder: Path, place: Place) -> Iterator[_Row]:
    function = imported(name, folder)
    try:
        found = list(function())
    except Exception as error:  # the user's own code
        raise UsageError(f"{name} gave no tasks: {type(error).__name__}: {error}") from error
    for one in found:
        yield _Row(table=one, place=place)


def _of_file(folder: Path, name: str, place: Place) -> Iterator[_Row]:
    path = (folder / name).expanduser()
    readers = {".csv": _of_csv, ".jsonl": _of_lines, ".json": _of_json}
    if path.suffix not in readers:
        raise UsageError(f"{name} is no table of tasks", hint=f"it ends with {', '.join(readers)}")
    try:
        for line, table in readers[path.suffix](path):
            yield _Row(table=table, place=place, line=line, file=name)
    except (OSError, UnicodeError, csv.Error) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise UsageError(f"{name} cannot be read: {why}") from None


def _of_csv(path: Path) -> Iterator[tuple[int, object]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file, strict=True)
        for row in reader:
            if None in row or None in row.values():
                yield reader.line_num, ValueError("it has not as many cells as there are columns")
            else:
                yield reader.line_num, row


def _of_lines(path: Path) -> Iterator[tuple[int, object]]:
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                try:
                    yield number, json.loads(line)
                except ValueError as error:
                    yield number, ValueError(f"it is no JSON: {error}")


def _of_json(path: Path) -> Iterator[tuple[None, object]]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise UsageError(f"{path.name} is no JSON: {error}") from None
    if not isinstance(found, list):
        raise UsageError(f"{path.name} is no list of tasks")
    for one in found:
        yield None, one


def _task(row: _Row, count: int, columns: Mapping[str, str]) -> Task | Mistake:
    table = row.table
    if isinstance(table, ValueError):
        return row.wrong(str(table))
    if isinstance(table, str):
        return Task(name=f"t{count}", prompt=table)
    if not isinstance(table, Mapping):
        return row.wrong(f"a task is a text, or a table with a prompt, not {table!r:.60}")
    fields: dict[str, Any] = dict(table)
    prompt, expected = fields.pop(columns["prompt"], None), fields.pop(columns["expected"], None)
    name = fields.pop(columns["id"], None)
    if prompt is None:
        return row.wrong(f"a task has no {columns['prompt']}", f"it has {', '.join(map(str, table)) or 'nothing'}")
    if not isinstance(prompt, str):
        return row.wrong(f"the {columns['prompt']} of a task is a text, not {prompt!r:.60}")
    return Task(name=f"t{count}" if name is None else str(name), prompt=prompt, expected=expected, fields=fields)
