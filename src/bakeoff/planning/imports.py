"""Who imports whom among Python files, found by looking at their import statements and nothing else.

No file is run, compiled or even parsed: a pattern finds the statements, so that a file with a syntax error, or a folder
without `__init__.py`, is as good as any other. What looks like an import inside of a text is one here, too, where it
names a module that there is; that is rare. Relative imports are resolved by place, absolute ones by the dotted names
that a file can have: from its package's folder, and from every folder above that.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["imports"]

_STATEMENT: Final = re.compile(
    # What is taken is not given back (`*+`), and only what a list of names can hold is followed to its end: no file,
    # whatever stands in it, takes more than its length.
    rb"^(?:\xef\xbb\xbf)?[ \t]*+(?:"
    rb"from(?=[ \t.])[ \t]*+(\.*+)[ \t]*+((?:(?!import\b)[\w.]++)?+)[ \t]*+import\b[ \t]*+"
    rb"(\((?:[\w\s,*\\]|#[^\n]*+)*+\)|(?:\\\r?\n|[^\n#;])*+)"
    rb"|import[ \t]++((?:\\\r?\n|[^\n#;])*+))",
    re.MULTILINE,
)
_COMMENT: Final = re.compile(rb"#[^\n]*")
_NAME: Final = re.compile(rb"[\w.]+")
_INIT: Final = "__init__"


def imports(contents: Mapping[str, bytes]) -> dict[str, frozenset[str]]:
    """For each path the paths that it imports, itself not among them. Paths have slashes; only Python is looked at."""
    modules = _Modules(path for path in contents if _is_python(path))
    return {
        path: frozenset(modules.meant(path, content)) if _is_python(path) else frozenset()
        for path, content in contents.items()
    }


class _Modules:
    """The files by the names that they may be imported by."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = frozenset(paths)
        self._packages = frozenset(path.rpartition("/")[0] for path in self._paths if _stem(path) == _INIT)
        # By a dotted name: the files, each with the folder that the name starts from.
        self._named: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for path in sorted(self._paths):
            for root, name in self._names(path):
                self._named[name].append((root, path))

    def _names(self, path: str) -> Iterator[tuple[str, str]]:
        """The folders that its name may start from, and its name there: the folder of its package, and those above."""
        parts = path.removesuffix(".py").split("/")
        if parts[-1] == _INIT:
            parts.pop()
        start = path.count("/")
        while start and "/".join(path.split("/")[:start]) in self._packages:
            start -= 1
        for count in range(start, -1, -1):
            if parts[count:]:
                yield "/".join(parts[:count]), ".".join(parts[count:])

    def meant(self, path: str, content: bytes) -> Iterator[str]:
        for dots, module, names, plain in _STATEMENT.findall(content):
            for found in self._of_statement(path, dots, module, names, plain):
                if found != path:
                    yield found

    def _of_statement(self, path: str, dots: bytes, module: bytes, names: bytes, plain: bytes) -> Iterator[str]:
        if plain:
            for part in plain.split(b","):
                found = _NAME.search(part)
                if found is not None:
                    yield from self._nearest(path, found[0].decode("utf-8", "replace"))
            return
        base = module.decode("utf-8", "replace")
        imported = [part.split() for part in _COMMENT.sub(b"", names).strip(b"() \t").split(b",")]
        # After the last name there may be a comma; where there is no name at all, it is the module.
        for words in list(filter(None, imported)) or [[b""]]:
            yield from self._of_from(path, len(dots), base, words[0].decode("utf-8", "replace"))

    def _of_from(self, path: str, dots: int, base: str, name: str) -> Iterator[str]:
        """The module of this name in that one, else that one."""
        if dots:
            folder = path.rsplit("/", dots)[0] if path.count("/") >= dots else ""
            place = "/".join(part for part in (folder, *base.split(".")) if part)
            yield from self._at(f"{place}/{name}".lstrip("/")) or self._at(place)
        else:
            yield from self._file(path, f"{base}.{name}") or self._nearest(path, base)

    def _at(self, place: str) -> list[str]:
        """The file that a module at this place would be."""
        for path in (f"{place}.py", f"{place}/{_INIT}.py".lstrip("/")):
            if path in self._paths:
                return [path]
        return []

    def _nearest(self, path: str, name: str) -> list[str]:
        """The module of this name, or the nearest package above it that there is a file of."""
        while name:
            found = self._file(path, name)
            if found:
                return found
            name = name.rpartition(".")[0]
        return []

    def _file(self, path: str, name: str) -> list[str]:
        """The one of several that is closest. A file that is in no package counts where its folder is above the
        other's: scripts are imported by their neighbours only."""
        known = self._named.get(name)
        if known is None:
            return []
        usable = [
            (root, file)
            for root, file in known
            if "." in name or _stem(file) == _INIT or not root or path.startswith(f"{root}/")
        ]
        if len(usable) > 1:
            return [max(usable, key=lambda one: _shared(one[1], path))[1]]
        return [file for _, file in usable]


def _is_python(path: str) -> bool:
    return path.endswith(".py")


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".py")


def _shared(one: str, other: str) -> int:
    count = 0
    for mine, theirs in zip(one.split("/"), other.split("/"), strict=False):
        if mine != theirs:
            break
        count += 1
    return count
