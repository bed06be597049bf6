"""The cells of a matrix for other programs: a line or a row for each, in the order of the plan.

As JSON lines a cell is one document, whose shape is a contract; as a table it is the same with the path of each number
as the name of its column (`cell.model`, `metrics.exact`), which is how pandas and others take documents apart.

A cell that is missing is there, too, as `cancelled`, with no more than was measured until then: a cell that was to be
run is not the same as one that was never meant to be.
"""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import msgspec

from bakeoff.errors import ParquetMissing
from bakeoff.events import CellStatus
from bakeoff.report.foreign import all_writable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from bakeoff.events import CellState, Run, Text

__all__ = ["FORMATS", "cell_document", "export"]

_REPEAT = "repeat"


def export(run: Run, kind: str, *, text: Callable[[Text], str] | None = None) -> bytes:
    """All cells of the definition that was run last. With `text`, which gives what the store keeps under a hash, their
    answers are in it, too. Raises ParquetMissing."""
    documents = [all_writable(cell_document(state, text=text)) for state in run.matrix.current]
    return FORMATS[kind](documents, all_writable(_columns(run, text)))


def cell_document(state: CellState, *, text: Callable[[Text], str] | None = None) -> dict[str, Any]:
    """A cell as a line of JSON. Its duration is null where there is none, or where the answer came from the cache."""
    planned, status, known = state.planned, state.status, state.ended
    scores = state.scores if status is CellStatus.DONE else None
    document: dict[str, Any] = {
        "cell": {**planned.coordinates, _REPEAT: planned.repeat},
        "status": (status or CellStatus.CANCELLED).value,
        "duration_ms": None if known is None or known.is_cached else known.duration_ms,
        "queue_ms": known.queue_ms if known is not None else 0.0,
        "backoff_ms": known.backoff_ms if known is not None else 0.0,
        "attempts": known.attempts if known is not None else 0,
        "tokens_in": known.tokens_in if known is not None else 0,
        "tokens_out": known.tokens_out if known is not None else 0,
        "cost": known.cost if known is not None else None,
        "metrics": {} if scores is None else dict(scores.metrics),
        "error": known.error if known is not None else None,
    }
    if text is not None:
        document["answer"] = text(known.answer) if known is not None and known.answer is not None else None
    return document


# ── Formats ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _columns(run: Run, text: Callable[[Text], str] | None) -> dict[str, type]:
    """The columns of a table, and what is in each: the axes as they were defined, the metrics by their names."""
    began = run.matrix.began
    axes = {} if began is None else dict.fromkeys(began.axes, str)
    found = {name for state in run.matrix.current if state.scores is not None for name in state.scores.metrics}
    return {
        **{f"cell.{axis}": str for axis in axes},
        f"cell.{_REPEAT}": int,
        "status": str,
        "duration_ms": float,
        "queue_ms": float,
        "backoff_ms": float,
        "attempts": int,
        "tokens_in": int,
        "tokens_out": int,
        "cost": float,
        **{f"metrics.{name}": float for name in sorted(found)},
        "error": str,
        **({"answer": str} if text is not None else {}),
    }


def _rows(documents: Sequence[Mapping[str, Any]], columns: Mapping[str, type]) -> Iterator[dict[str, Any]]:
    for document in documents:
        flat = {name: value for name, value in document.items() if not isinstance(value, dict)}
        flat |= {
            f"{part}.{name}": value
            for part, values in document.items()
            if isinstance(values, dict)
            for name, value in values.items()
        }
        yield {name: flat.get(name) for name in columns}


def _jsonl(documents: Sequence[Mapping[str, Any]], columns: Mapping[str, type]) -> bytes:
    return b"".join(msgspec.json.encode(document) + b"\n" for document in documents)


def _csv(documents: Sequence[Mapping[str, Any]], columns: Mapping[str, type]) -> bytes:
    """As RFC 4180 has it, but for the ends of lines; what is not known is empty."""
    file = io.StringIO()
    writer = csv.DictWriter(file, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(_rows(documents, columns))
    return file.getvalue().encode()


def _parquet(documents: Sequence[Mapping[str, Any]], columns: Mapping[str, type]) -> bytes:
    try:
        import pyarrow as pa  # noqa: PLC0415 (large, and an extra)
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError as error:
        raise ParquetMissing from error
    kinds = {str: pa.string(), int: pa.int64(), float: pa.float64()}
    schema = pa.schema([(name, kinds[kind]) for name, kind in columns.items()])
    table = pa.Table.from_pylist(list(_rows(documents, columns)), schema=schema)
    file = io.BytesIO()
    parquet.write_table(table, file)
    return file.getvalue()


FORMATS: dict[str, Callable[[Sequence[Mapping[str, Any]], Mapping[str, type]], bytes]] = {
    "jsonl": _jsonl,
    "csv": _csv,
    "parquet": _parquet,
}
