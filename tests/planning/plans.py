"""Plans made by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bakeoff.planning.clusters import Limits
from bakeoff.planning.plan import Branch, Plan, Subplan


def plan_of(after: Mapping[str, Sequence[str]] | int) -> Plan:
    """A plan of these subplans, each with those that it comes after; of so many that wait for nobody."""
    named = {f"s{number:04}": () for number in range(after)} if isinstance(after, int) else dict(after)
    leaves = tuple(
        Subplan(id=name, name=f"part {name}", files=(f"{name}.py",), tokens=1, after=tuple(names))
        for name, names in named.items()
    )
    branches = tuple(Branch(id=leaf.id, name=leaf.name) for leaf in leaves)
    root = branches[0] if len(branches) == 1 else Branch(id="root", name=".", children=branches)
    return Plan(paths=(".",), limits=Limits(), root=root, leaves=leaves)
