"""Text becomes values: files, environment and flags into one set of options, each with where it came from.

Flags win over `BAKEOFF_*` over `bakeoff.toml` or `[tool.bakeoff]` in pyproject.toml, the nearest one above the
folder where the search starts. A value that cannot be used is an error that names its origin.
"""

from __future__ import annotations

import difflib
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from bakeoff.errors import UsageError
from bakeoff.workspaces import SlotKind

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Configuration", "Options", "load"]

_PREFIX = "BAKEOFF_"


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What can be set. Field names are the flags, with underscores."""

    store: Path | None = None
    slots: SlotKind | None = None
    slots_directory: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """The options in force, and for each of them where its value came from."""

    options: Options
    origins: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Origin:
    """Where values were found, and the folder that relative paths among them start from."""

    name: str
    folder: Path
    values: Mapping[str, object]


def load(start: Path, *, environment: Mapping[str, str], flags: Mapping[str, object] | None = None) -> Configuration:
    """Read everything that applies to a folder. Flags that are None were not given."""
    values: dict[str, Any] = {}
    origins = dict.fromkeys(Options.__struct_fields__, "default")
    for origin in (*_from_files(start), *_from_environment(start, environment), *_from_flags(start, flags or {})):
        for name, value in origin.values.items():
            field = _field(name, origin)
            values[field] = _converted(field, value, origin)
            origins[field] = origin.name
    return Configuration(options=Options(**values), origins=origins)


def _from_files(start: Path) -> list[_Origin]:
    for folder in (start, *start.parents):
        own, project = folder / "bakeoff.toml", folder / "pyproject.toml"
        if own.is_file():
            return [_Origin(name=str(own), folder=folder, values=_parsed(own))]
        if project.is_file():
            tools = _parsed(project).get("tool")
            table = tools.get("bakeoff") if isinstance(tools, dict) else None
            if table is not None:
                name = f"{project} [tool.bakeoff]"
                if not isinstance(table, dict):
                    raise UsageError(f"{name} is not a table", hint="write settings below a line [tool.bakeoff]")
                return [_Origin(name=name, folder=folder, values=table)]
    return []


def _from_environment(start: Path, environment: Mapping[str, str]) -> list[_Origin]:
    names = {f"{_PREFIX}{field.upper()}": field for field in Options.__struct_fields__}
    return [
        _Origin(name=name, folder=start, values={field: environment[name]})
        for name, field in names.items()
        if environment.get(name)
    ]


def _from_flags(start: Path, flags: Mapping[str, object]) -> list[_Origin]:
    return [
        _Origin(name=f"--{_dashed(name)}", folder=start, values={name: value})
        for name, value in flags.items()
        if value is not None
    ]


def _parsed(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise UsageError(f"{path} cannot be read: {error}", hint="correct the file, or move it away") from None


def _field(name: str, origin: _Origin) -> str:
    field, known = name.replace("-", "_"), Options.__struct_fields__
    if field in known:
        return field
    near = difflib.get_close_matches(field, known, n=1)
    hint = f"did you mean {_dashed(near[0])}?" if near else f"known are: {', '.join(map(_dashed, sorted(known)))}"
    raise UsageError(f"{origin.name}: there is no setting {name!r}", hint=hint)


def _converted(field: str, value: object, origin: _Origin) -> object:
    def path(_: type, text: object) -> Path:
        if not isinstance(text, str):
            raise TypeError("a path is wanted")
        try:
            return origin.folder / Path(text).expanduser()
        except RuntimeError as error:
            raise ValueError(str(error)) from None

    types = {info.name: info.type for info in msgspec.structs.fields(Options)}
    try:
        return msgspec.convert(value, types[field], dec_hook=path)
    except msgspec.ValidationError as error:
        message = f"{origin.name}: {_dashed(field)} = {value!r} cannot be used: {error}"
        raise UsageError(message, hint=_choices(field)) from None


def _choices(field: str) -> str | None:
    return f"use one of: {', '.join(SlotKind)}" if field == "slots" else None


def _dashed(name: str) -> str:
    return name.replace("_", "-")
