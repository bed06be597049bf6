"""Rewrites of what makes Python slow: the source that needs no account, no key and no network.

catalogue/     the rules, one file each
rewriting.py   what a rule is, what it can ask of a function, how rewrites are put into a module
source.py      which rewrites are tried, and in which combinations

The catalogue is imported late: libcst takes a tenth of a second, and most commands have no use for it.
"""

from bakeoff.sources.rules.source import RulesSource

__all__ = ["RulesSource"]
