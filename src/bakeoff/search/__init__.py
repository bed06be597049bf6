"""What to try next.

pipeline.py   ask the sources, judge and time what they propose as it comes, tell them what came of it, and ask again
"""

from bakeoff.search.pipeline import Found, SearchOptions, search

__all__ = ["Found", "SearchOptions", "search"]
