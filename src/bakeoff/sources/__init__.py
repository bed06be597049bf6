"""Where candidates come from.

    for each round:  source.propose(brief) ──▶ Proposal, Proposal, …      brief.tried says what came of those before

proposals.py   what a source is told and what it answers; the protocol
scope.py       which files a candidate may edit
patches.py     patch files, folders of them, standard input, and git refs
agents.py      any command that edits files, run in a slot of its own
rules/         rewrites of what makes Python slow
plugins.py     sources of other packages, by entry point
"""

from bakeoff.sources.proposals import Brief, Proposal, Source
from bakeoff.sources.scope import Scope

__all__ = ["Brief", "Proposal", "Scope", "Source"]
