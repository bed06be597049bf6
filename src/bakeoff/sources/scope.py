"""Which files a candidate may edit."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bakeoff.candidates import Change
    from bakeoff.targets import Target

__all__ = ["Scope"]

_TEST_FOLDERS = frozenset({"test", "tests"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The files that candidates may edit: those that match one of `globs`, and no test.

    `*` stands for any part of one name, `**` for any number of folders; a pattern that ends in `/` means all below a
    folder. `tests` are files and folders that are tests whatever they are called.
    """

    globs: tuple[str, ...] = ("**",)
    tests: tuple[str, ...] = ()

    @classmethod
    def of_target(cls, target: Target, *, tests: tuple[str, ...] = ()) -> Scope:
        """The package that the target is in, whole; its own file where it is in none."""
        inner = PurePosixPath(target.path).relative_to(target.root or ".")
        top = f"{(PurePosixPath(target.root) / inner.parts[0]).as_posix()}/**" if len(inner.parts) > 1 else target.path
        return cls(globs=(top,), tests=tests)

    def is_test(self, path: str) -> bool:
        """Whether it is one of the files that candidates are judged by."""
        pure = PurePosixPath(path)
        name = pure.name
        named = name == "conftest.py" or (
            name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py"))
        )
        places = (PurePosixPath(part.split("::")[0]) for part in self.tests)
        told = any(place.parts and pure.is_relative_to(place) for place in places)
        return named or told or bool(_TEST_FOLDERS.intersection(pure.parts[:-1]))

    def allows(self, path: str) -> bool:
        return not self.is_test(path) and any(_matches(path, glob) for glob in self.globs)

    def outside(self, change: Change) -> tuple[str, ...]:
        """The paths of a change that may not be edited."""
        return tuple(path for path in change.paths if not self.allows(path))


def _matches(path: str, glob: str) -> bool:
    pattern = f"{glob}**" if glob.endswith("/") else glob
    return _fits(PurePosixPath(path).parts, tuple(part for part in pattern.split("/") if part))


def _fits(parts: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    """Whether a path has this shape, part by part."""
    if not pattern:
        return not parts
    if pattern[0] == "**":
        return _fits(parts, pattern[1:]) or (bool(parts) and _fits(parts[1:], pattern))
    return bool(parts) and PurePosixPath(parts[0]).match(pattern[0]) and _fits(parts[1:], pattern[1:])
