"""The texts that a model is asked with: files of this package, any of which a user's folder may replace by name.

A file begins with its version (`version: 2`), which is recorded with each call, together with a digest of what was
really used. `{{name}}` stands for what is put there; which names there are depends on the file.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING

from bakeoff.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

__all__ = ["FIELDS", "Prompt", "Prompts"]

# What may stand in each of the files.
FIELDS: Mapping[str, frozenset[str]] = {
    "system": frozenset({"scope"}),
    "fresh": frozenset({"task", "context", "angle", "attempt"}),
    "repair": frozenset({"task", "context", "candidate", "problem", "earlier"}),
    "refinement": frozenset({"task", "context", "candidates"}),
    "adaptation": frozenset({"task", "context", "lineage"}),
    "angles": frozenset(),
}
_FIELD = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_VERSION = re.compile(r"version:[ \t]*(\S+)[ \t]*(?:\n|$)")
_LARGEST = 200_000
_SHORT = 8
_NO_PROMPT = frozenset({"readme.md"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One of the texts; a user's own need not have a version."""

    name: str
    version: str
    text: str
    digest: str

    @classmethod
    def of(cls, name: str, text: str, *, where: str) -> Prompt:
        """Raises UsageError for a field that nothing is put in for; `where` is the file."""
        plain = text.removeprefix("\ufeff").replace("\r\n", "\n")
        begin = _VERSION.match(plain)
        prompt = cls(
            name=name,
            version=begin[1] if begin is not None else "",
            text=plain[begin.end() if begin is not None else 0 :].strip("\n"),
            digest=hashlib.sha256(plain.encode()).hexdigest()[:_SHORT],
        )
        for field in _FIELD.findall(prompt.text):
            if field not in FIELDS[name]:
                known = ", ".join(sorted(FIELDS[name])) or "none"
                raise UsageError(f"{where}: there is no field {field!r}", hint=f"the fields of {name}.md: {known}")
        return prompt

    def __str__(self) -> str:
        return " ".join(part for part in (self.name, self.version, self.digest) if part)

    def filled(self, **values: str) -> str:
        """With these in their places. Where a line is nothing but a field without a value, it is left out."""
        lines = []
        for line in self.text.split("\n"):
            alone = _FIELD.fullmatch(line.strip())
            if alone is None or values[alone[1]]:
                lines.append(_FIELD.sub(lambda found: values[found[1]], line))
        return "\n".join(lines)

    def points(self) -> tuple[str, ...]:
        """The points of a list."""
        found = re.split(r"(?m)^[-*] ", self.text)
        return tuple(text for point in found[1:] if (text := " ".join(point.split())))


class Prompts:
    """All of them."""

    def __init__(self, prompts: Iterable[Prompt]) -> None:
        self._prompts = {prompt.name: prompt for prompt in prompts}

    @classmethod
    def of(cls, folder: Path | None = None) -> Prompts:
        """Those of this package, but for those that the folder has. Raises UsageError for what cannot be used there."""
        own = resources.files("bakeoff.sources.models") / "prompts"
        found = {name: Prompt.of(name, (own / f"{name}.md").read_text("utf-8"), where=f"{name}.md") for name in FIELDS}
        return cls((found | _replaced(folder)).values())

    def __getitem__(self, name: str) -> Prompt:
        return self._prompts[name]


def _replaced(folder: Path | None) -> dict[str, Prompt]:
    if folder is None:
        return {}
    files = [f"{name}.md" for name in FIELDS]
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix == ".md")
    except OSError as error:
        hint = f"give a folder with some of: {', '.join(files)}"
        raise UsageError(f"there is no folder of prompts {folder}: {error.strerror}", hint=hint) from None
    found = {}
    for path in paths:
        if path.name.lower() in _NO_PROMPT:
            continue
        if path.name not in files:
            raise UsageError(f"{path}: there is no prompt of this name", hint=f"there are: {', '.join(files)}")
        found[path.stem] = Prompt.of(path.stem, _text(path), where=str(path))
    return found


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _LARGEST:
            raise UsageError(f"{path} is too large for a prompt", hint=f"at most {_LARGEST} bytes are taken")
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}", hint="give a text file in UTF-8") from None
