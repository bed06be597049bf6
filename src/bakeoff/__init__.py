"""Many candidates in, one proven winner out."""

__version__ = "0.1.0"
