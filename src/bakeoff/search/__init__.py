"""What to try next.

rounds.py   ask the sources, judge and time what they propose, tell them what came of it, and ask again
"""

from bakeoff.search.rounds import Found, SearchOptions, search

__all__ = ["Found", "SearchOptions", "search"]
