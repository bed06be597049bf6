"""Split a code base, or follow a plan that was written down."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from bakeoff.errors import OutputFailed, PlanRefused, UsageError
from bakeoff.planning import Limits, mistakes, planned, read, restored, select, split, written

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from bakeoff.git import Repository
    from bakeoff.planning import Outline, Plan

__all__ = ["Planned", "follow", "keep", "plan"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A plan, and how many of its subplans are those of an earlier one, where it goes on from one."""

    plan: Plan
    same: int | None = None


async def plan(
    repository: Repository, paths: Sequence[Path], limits: Mapping[str, int], *, earlier: Path | None = None
) -> Planned:
    """Split the files at these paths. Limits are those of `Limits`, by name.

    Where there is a plan in the file `earlier`, it goes on from that: subplans keep their files, their names and what
    they come after, as far as they can, and limits that are not given are those of the file.
    """
    outline = await _outline(earlier) if earlier is not None and await anyio.Path(earlier).exists() else None
    if outline is not None and earlier is not None and (wrong := mistakes(outline)):
        raise PlanRefused(str(earlier), wrong)
    within = replace(outline.limits, **limits) if outline is not None else Limits(**limits)
    selection = await select(repository, paths)
    cluster = await anyio.to_thread.run_sync(
        lambda: split(
            selection.tokens,
            selection.imports,
            within,
            earlier=outline.cluster() if outline is not None else None,
        )
    )
    made = planned(selection, within, cluster, earlier=outline)
    if outline is None:
        return Planned(plan=made)
    before = {frozenset(part.files) for part in outline.parts}
    return Planned(plan=made, same=sum(frozenset(leaf.files) in before for leaf in made.leaves))


async def follow(repository: Repository, file: Path) -> Plan:
    """The plan in a file, as it stands there. Raises PlanRefused where it cannot be followed."""
    outline = await _outline(file)
    selection = await select(repository, [repository.root / path for path in outline.paths])
    return restored(outline, selection, name=str(file))


async def keep(plan: Plan, file: Path) -> None:
    """Write the plan to a file, for people to edit and `follow` to read. What is there already is replaced whole, or
    not at all."""
    try:
        place = await anyio.Path(file).resolve()
        beside = place.with_name(f".{place.name}.new")
        await beside.write_text(written(plan), encoding="utf-8")
        await beside.replace(place)
    except OSError as error:
        raise OutputFailed(f"{file}: {error.strerror}") from error


async def _outline(file: Path) -> Outline:
    try:
        text = await anyio.Path(file).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise PlanRefused(str(file), ["it is not UTF-8"]) from None
    except OSError as error:
        raise UsageError(
            f"{file} cannot be read: {error.strerror}", hint="`bakeoff plan PATH… --out FILE` writes a plan"
        ) from None
    return read(text, name=str(file))
