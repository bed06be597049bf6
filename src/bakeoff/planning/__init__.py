"""A big job over a code base as a tree of subplans, which are disjoint sets of files.

    selection = await select(repository, [Path("django")])
    plan = planned(selection, limits, split(selection.tokens, selection.imports, limits))
    results = await run_subplans(plan, work, max_parallel=10)

selection.py   which files there are to plan, what was left out and why; tokens
imports.py     who imports whom, without running or parsing anything
clusters.py    the limits, and files split into a tree of clusters that keep to them
partition.py   files moved between clusters, so that few imports go from one to another
plan.py        the values: a plan and its subplans, and the outline of one that people edit
outlines.py    such an outline as a file: written, read, and held against the files that there are
running.py     the subplans of a plan, many at a time
merging.py     what came of them, brought together and checked
ranking.py     which functions in its files are worth it, by the time they take
"""

from bakeoff.planning.clusters import Cluster, Limits, leaves, split
from bakeoff.planning.merging import Conflict, Dropped, Ground, Merged, Merging, Piece, Step
from bakeoff.planning.outlines import mistakes, read, restored, written
from bakeoff.planning.plan import Branch, Outline, Part, Plan, Subplan, narrowed, planned
from bakeoff.planning.ranking import Ranked, ranked
from bakeoff.planning.running import Ended, Record, Results, run_subplans
from bakeoff.planning.selection import LeftOut, Reason, Selection, select, tokens

__all__ = [
    "Branch",
    "Cluster",
    "Conflict",
    "Dropped",
    "Ended",
    "Ground",
    "LeftOut",
    "Limits",
    "Merged",
    "Merging",
    "Outline",
    "Part",
    "Piece",
    "Plan",
    "Ranked",
    "Reason",
    "Record",
    "Results",
    "Selection",
    "Step",
    "Subplan",
    "leaves",
    "mistakes",
    "narrowed",
    "planned",
    "ranked",
    "read",
    "restored",
    "run_subplans",
    "select",
    "split",
    "tokens",
    "written",
]
