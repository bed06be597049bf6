"""What a user can choose of how things are done, by name.

These belong to the rooms that follow them, and can be had there; they stand here so that who only reads settings
need not load an engine.
"""

from __future__ import annotations

import enum

__all__ = ["Goal", "Objective", "Sampling", "Sandbox", "SlotKind"]


class Goal(enum.StrEnum):
    """What is done with each target of a sweep."""

    OPTIMIZE = "optimize"


class SlotKind(enum.StrEnum):
    """How a slot keeps its files apart from the others'."""

    WORKTREE = "worktree"
    OVERLAY = "overlay"


class Sandbox(enum.StrEnum):
    """Whether isolation is wanted: as much as there is, at least tier 2 or nothing runs, or none."""

    AUTO = "auto"
    REQUIRE = "require"
    OFF = "off"


class Sampling(enum.StrEnum):
    """What is asked after an answer that is not valid: the same, the same and why it is not, or that in the same
    conversation; or all are asked, and the answer that most of them give is taken."""

    REJECTION = "rejection"
    REPAIR = "repair"
    MULTI_TURN = "multi-turn"
    MAJORITY = "majority"


class Objective(enum.StrEnum):
    """What is to become less."""

    TIME = "time"
    MEMORY = "memory"
