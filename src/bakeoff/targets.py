"""What is to be improved, and what was recorded of it: values that verification and measurement share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from bakeoff.errors import UsageError
from bakeoff.instruments import KIT

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["INSTRUMENTS", "Project", "RecordedCall", "Target", "instrument"]

# For `WorkerConfig.kits`.
INSTRUMENTS = Path(KIT)


def instrument(name: str) -> str:
    """The name of an instrument's function in a call, of `module:function`."""
    return f"_bakeoff_{INSTRUMENTS.name}.{name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """How a repository is imported: `roots` are the folders that imports start from, the first ones first; `tests` is
    where its tests are, empty for where its own configuration says."""

    roots: tuple[str, ...] = ("",)
    tests: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A function or method: the file it is in, relative to the repository, and its name in it (`Class.method`)."""

    path: str
    name: str
    root: str = ""

    def __post_init__(self) -> None:
        if not self.path.endswith(".py") or PurePosixPath(self.path).is_absolute() or not self.name:
            raise UsageError(f"{self} is not a target", hint="name a Python file and what is in it: pkg/mod.py::name")
        if "<locals>" in self.name:
            raise UsageError(f"{self} is a function in a function", hint="name the function around it")

    def __str__(self) -> str:
        return f"{self.path}::{self.name}"

    @property
    def module(self) -> str:
        """The name that its module is imported by, from its root."""
        inner = PurePosixPath(self.path).relative_to(self.root or ".").with_suffix("")
        parts = inner.parts[:-1] if inner.name == "__init__" else inner.parts
        return ".".join(parts)

    def imported_as(self, modules: Iterable[str]) -> Target:
        """The same target from the root that these names of its module begin at: without an `__init__.py`, only who
        imports it knows. The first of them that its path can have; itself where there is none."""
        own = PurePosixPath(self.path).with_suffix("").parts
        parts = own[:-1] if own[-1] == "__init__" else own
        for name in modules:
            inner = tuple(name.split("."))
            if parts[-len(inner) :] == inner:
                return replace(self, root="/".join(parts[: -len(inner)]))
        return self

    @classmethod
    def find(cls, text: str, folder: Path) -> Target:
        """The target that `pkg/mod.py::name` means in a repository: its root is where the packages around it begin."""
        path, _, name = text.partition("::")
        if not (folder / path).is_file():
            raise UsageError(f"there is no file {path!r} in {folder}", hint="name a file by its path in the repository")
        top = PurePosixPath(path).parent
        while top.name and (folder / top / "__init__.py").is_file():
            top = top.parent
        return cls(path=path, name=name, root="" if str(top) == "." else str(top))


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCall:
    """One call of the target, as tests made it. `arguments` are for its interpreter to read, never for us; `weight` is
    how many calls of its shape it stands for."""

    arguments: bytes
    shape: str
    weight: float = 1.0
    tests: tuple[str, ...] = ()
