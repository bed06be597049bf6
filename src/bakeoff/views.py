"""What people can ask the store in SQL, beside its events: calls of models, cells of matrices and their metrics.

The views say the same as the folds of `events`, of all runs at once. They are made when a store is opened for
writing, and made anew where they are older than these; a view of somebody else's that has one of these names is left
as it is. What is joined is materialized, so that it gets an index: a join over JSON as it lies would be quadratic.
Written for SQLite 3.37, which has no `->>` yet.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import sqlite3

__all__ = ["VIEWS", "ensure_views"]

_VERSION: Final = 1
_MARK: Final = re.compile(r"-- a view of Bakeoff's, version (\d+)")


def _text(column: str, *fields: str) -> str:
    return ", ".join(f"json_extract({column}, '$.{field}') AS {field}" for field in fields)


_CALLS: Final = f"""
WITH began AS (
    SELECT run, sequence, time, {_text("body", "call", "attempt", "model", "purpose", "cell")}
    FROM events WHERE name GLOB 'call-began.*'
), ended AS MATERIALIZED (
    SELECT run, time, {_text("body", "call", "attempt", "end", "finish", "status", "error", "tokens_in", "tokens_out")},
        {_text("body", "tokens_cached", "is_estimate", "cost", "seconds", "queued", "backed_off")}
    FROM events WHERE name GLOB 'call-ended.*'
)
SELECT began.run, began.call, began.attempt, began.cell, began.model,
    substr(began.model, 1, instr(began.model, ':') - 1) AS provider, began.purpose, began.time AS began,
    ended.time AS ended, ended."end", ended.finish, ended.status, ended.error, ended.tokens_in, ended.tokens_out,
    ended.tokens_cached, ended.is_estimate, ended.cost, ended.seconds, ended.queued, ended.backed_off
FROM began LEFT JOIN ended
    ON ended.run = began.run AND ended.call = began.call AND ended.attempt IS began.attempt
"""  # noqa: S608 - made of constants

# A cell is done or failed as its last try that was not cancelled says; its scores are those that came after that.
_CELLS: Final = f"""
WITH plans AS (
    SELECT began.run, began.name, max(planned.sequence), planned.body
    FROM (
        SELECT run, max(sequence), {_text("body", "name", "digest")}
        FROM events WHERE name GLOB 'matrix-began.*' GROUP BY run
    ) AS began
    JOIN events AS planned ON planned.run = began.run AND planned.name GLOB 'cells-planned.*'
        AND json_extract(planned.body, '$.digest') = began.digest
    GROUP BY began.run
), planned AS MATERIALIZED (
    SELECT plans.run, plans.name AS matrix, json_extract(one.value, '$.cell') AS cell,
        json_extract(one.value, '$.coordinates') AS coordinates, json_extract(one.value, '$.repeat') AS repeat
    FROM plans, json_each(plans.body, '$.cells') AS one
), scored AS MATERIALIZED (
    SELECT run, sequence, json_extract(body, '$.cell') AS cell, body FROM events WHERE name GLOB 'cell-scored.*'
), tries AS MATERIALIZED (
    SELECT run, sequence, json_extract(body, '$.cell') AS cell, body, row_number() OVER (
        PARTITION BY run, json_extract(body, '$.cell')
        ORDER BY json_extract(body, '$.status') = 'cancelled', sequence DESC
    ) AS place
    FROM events WHERE name GLOB 'cell-ended.*'
), ended AS MATERIALIZED (
    SELECT tries.run, tries.cell, max(scored.sequence), coalesce(scored.body, tries.body) AS scores, tries.body
    FROM tries LEFT JOIN scored
        ON scored.run = tries.run AND scored.cell = tries.cell AND scored.sequence > tries.sequence
    WHERE tries.place = 1
    GROUP BY tries.run, tries.cell
), known AS (
    SELECT planned.run, planned.matrix, 1 AS is_current, planned.cell, planned.coordinates, planned.repeat,
        ended.body, ended.scores
    FROM planned LEFT JOIN ended ON ended.run = planned.run AND ended.cell = planned.cell
    UNION ALL
    SELECT ended.run, plans.name, 0, ended.cell, json_extract(ended.body, '$.coordinates'),
        json_extract(ended.body, '$.repeat'), ended.body, ended.scores
    FROM ended LEFT JOIN plans ON plans.run = ended.run
    LEFT JOIN planned ON planned.run = ended.run AND planned.cell = ended.cell
    WHERE planned.cell IS NULL
)
SELECT run, matrix, is_current, cell, {_text("coordinates", "model", "strategy", "task")}, repeat, coordinates,
    coalesce(json_extract(body, '$.status'), 'cancelled') AS status,
    iif(json_extract(body, '$.is_cached'), NULL, json_extract(body, '$.duration_ms')) AS duration_ms,
    {_text("body", "queue_ms", "backoff_ms", "attempts", "tokens_in", "tokens_out", "cost", "is_cached")},
    {_text("body", "tries", "kind", "error")}, json_extract(body, '$.answer.sha256') AS answer,
    iif(json_extract(body, '$.status') = 'done', json_extract(scores, '$.metrics'), '{{}}') AS metrics,
    iif(json_extract(body, '$.status') = 'done', json_extract(scores, '$.unscored'), '{{}}') AS unscored
FROM known
"""  # noqa: S608 - made of constants

_METRICS: Final = """
SELECT cells.run, cells.matrix, cells.is_current, cells.cell, cells.model, cells.strategy, cells.task, cells.repeat,
    cells.coordinates, one.key AS metric, one.value AS value, NULL AS reason
FROM cells, json_each(cells.metrics) AS one
UNION ALL
SELECT cells.run, cells.matrix, cells.is_current, cells.cell, cells.model, cells.strategy, cells.task, cells.repeat,
    cells.coordinates, one.key, NULL, one.value
FROM cells, json_each(cells.unscored) AS one
"""

VIEWS: Final = {
    name: f"CREATE VIEW {name} AS -- a view of Bakeoff's, version {_VERSION}{query.rstrip()}"
    for name, query in {"calls": _CALLS, "cells": _CELLS, "metrics": _METRICS}.items()
}


def ensure_views(connection: sqlite3.Connection) -> None:
    """Make the views that there are not, or that are older, within the transaction that is open."""
    found = dict(connection.execute("SELECT name, coalesce(sql, '') FROM sqlite_master").fetchall())
    for name, statement in VIEWS.items():
        mark = _MARK.search(found.get(name, ""))
        if name in found and (mark is None or int(mark[1]) >= _VERSION):
            continue  # somebody else's, or that of a newer Bakeoff
        if name in found:
            connection.execute(f"DROP VIEW {name}")
        connection.execute(statement)
