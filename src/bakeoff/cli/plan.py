"""`bakeoff plan PATH…`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from bakeoff.cli.output import Shared
from bakeoff.cli.waiting import finished
from bakeoff.errors import UsageError
from bakeoff.git import Repository
from bakeoff.jobs.plan import keep
from bakeoff.jobs.plan import plan as job
from bakeoff.report.foreign import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import RenderableType

    from bakeoff.jobs.plan import Planned
    from bakeoff.planning import Branch, Plan

_SHARED = Shared()
_TOLD = 5  # warnings; --verbose tells all


def plan(
    *path: Path,
    max_files: int | None = None,
    max_tokens: int | None = None,
    min_files: int | None = None,
    max_depth: int | None = None,
    out: Path | None = None,
    shared: Shared = _SHARED,
) -> None:
    """Split a code base into subplans: few files each, and few imports between them.

    Parameters
    ----------
    path
        Folders, whose source files are planned, and files.
    max_files
        How many files a subplan may have. Default: 25.
    max_tokens
        How many tokens its files may have together, about; a file with more stands alone.
    min_files
        How many files a subplan is to have at the least, where the other limits allow it. Default: 3.
    max_depth
        How many levels the tree may have. Default: 12.
    out
        Write the plan to this file, to be edited, and followed with `bakeoff sweep --plan FILE`. Where it holds a plan
        already, the new one goes on from it.
    """
    given = {"max_files": max_files, "subplan_tokens": max_tokens, "min_files": min_files, "max_depth": max_depth}
    options = shared.begin(**given).options
    if not path:
        raise UsageError("no path was given", hint="name folders or files; for the current folder: bakeoff plan .")
    limits = {
        "max_files": options.max_files,
        "max_tokens": options.subplan_tokens,
        "min_files": options.min_files,
        "max_depth": options.max_depth,
    }
    made = finished(_made, path, {name: limit for name, limit in limits.items() if limit is not None}, out)
    shared.show(document(made.plan), _rendered(made.plan, with_files=shared.verbose))
    for line in _talk(made.plan, whole=shared.verbose):
        shared.say(line)
    if made.same is not None:
        shared.say(f"{made.same} of {len(made.plan.leaves)} subplans are as they were in {out}")
    if out is not None:
        shared.say(f"plan: {out}")


async def _made(paths: tuple[Path, ...], limits: Mapping[str, int], out: Path | None) -> Planned:
    repository = await Repository.find(paths[0])
    made = await job(repository, paths, limits, earlier=out)
    if out is not None:
        await keep(made.plan, out)
    return made


def document(plan: Plan) -> dict[str, Any]:
    """The document of `bakeoff plan --json`."""
    return {
        "files": plan.files,
        "tokens": plan.tokens,
        "depth": plan.depth,
        "edges": plan.edges,
        "edges_cut": plan.edges_cut,
        "paths": plan.paths,
        "shared": plan.shared,
        "root": _branch(plan.root),
        "leaves": [
            {
                "id": leaf.id,
                "name": leaf.name,
                "files": leaf.files,
                "tokens": leaf.tokens,
                "imports": leaf.imports,
                "after": leaf.after,
            }
            for leaf in plan.leaves
        ],
        "left_out": [{"path": left.path, "reason": left.reason.value} for left in plan.left_out],
        "warnings": plan.warnings,
    }


def _branch(branch: Branch) -> dict[str, Any]:
    return {"id": branch.id, "name": branch.name, "children": [_branch(child) for child in branch.children]}


def _rendered(plan: Plan, *, with_files: bool) -> RenderableType:
    table = Table(box=None, pad_edge=False)
    table.add_column("subplan", overflow="fold")
    for column in ("files", "tokens", "imports from"):
        table.add_column(column, justify="right")
    is_ordered = any(leaf.after for leaf in plan.leaves)
    if is_ordered:
        table.add_column("after", overflow="fold")
    leaves = {leaf.id: leaf for leaf in plan.leaves}
    for branch, ahead, below in _lines(plan.root, "", ""):
        own = [leaves[place.id] for place in branch.leaves]
        row = [ahead + visible(branch.name), f"{sum(len(leaf.files) for leaf in own):,}"]
        row.append(f"{sum(leaf.tokens for leaf in own):,}")
        if not branch.children:
            row.append(f"{len(own[0].imports):,}" if own[0].imports else "")
            row.append(visible(", ".join(leaves[one].name for one in own[0].after)))
        table.add_row(*map(Text, row[: 4 + is_ordered]))
        if with_files and not branch.children:
            for path in own[0].files:
                table.add_row(Text(f"{below}  {visible(path)}", "dim"))
    return Group(table, Text(_summary(plan)))


def _lines(branch: Branch, ahead: str, below: str) -> Iterator[tuple[Branch, str, str]]:
    """What there is in the tree, from the top, each with what stands before it and before what is below it."""
    yield branch, ahead, below
    for child in branch.children:
        is_last = child is branch.children[-1]
        yield from _lines(child, below + ("└── " if is_last else "├── "), below + ("    " if is_last else "│   "))


def _summary(plan: Plan) -> str:
    count = len(plan.leaves)
    text = f"{count:,} subplan{'s' * (count != 1)}"
    if plan.depth:
        text += f", {plan.depth} level{'s' * (plan.depth != 1)}"
    if plan.depth and plan.edges:
        share = f" ({plan.edges_cut / plan.edges:.0%})"
        text += f"; {plan.edges_cut:,} of {plan.edges:,} imports{share} go from one to another"
    return text


def _talk(plan: Plan, *, whole: bool) -> Iterator[str]:
    """Warnings, and what was left out."""
    most = None if whole else _TOLD
    yield from (f"warning: {visible(warning)}" for warning in plan.warnings[:most])
    if not whole and len(plan.warnings) > _TOLD:
        yield f"and {len(plan.warnings) - _TOLD} warnings more (-v tells them)"
    if whole:
        yield from (f"left out: {visible(left.path)}: {left.reason}" for left in plan.left_out)
    elif plan.left_out:
        counts = Counter(left.reason for left in plan.left_out)
        yield f"left out (-v names them): {', '.join(f'{count} {reason}' for reason, count in counts.items())}"
