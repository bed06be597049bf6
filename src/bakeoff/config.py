"""Text becomes values: files, environment and flags into one set of options, each with where it came from.

Flags win over `BAKEOFF_*` over `bakeoff.toml` or `[tool.bakeoff]` in pyproject.toml, the nearest one above the
folder where the search starts. A value that cannot be used is an error that names its origin.
"""

from __future__ import annotations

import dataclasses
import difflib
import enum
import math
import re
import shlex
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from bakeoff.choices import Objective, Sampling, Sandbox, SlotKind
from bakeoff.errors import UsageError
from bakeoff.models.prices import Rates  # noqa: TC001 (msgspec reads it)
from bakeoff.models.settings import ProviderSettings  # noqa: TC001

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Caps", "Command", "Configuration", "Options", "Seconds", "Share", "load"]

_PREFIX = "BAKEOFF_"
_UNITS = {"": 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


class Seconds(float):
    """A time, written like `120s`, `2m`, `1h`, `500ms` or a plain number of seconds."""

    __slots__ = ()

    @classmethod
    def read(cls, value: object) -> Seconds:
        """Raises ValueError for what is no time, or none that can pass."""
        found = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([a-z]*)\s*", str(value).lower())
        if isinstance(value, bool) or found is None or found[2] not in _UNITS or not float(found[1]) > 0:
            raise ValueError("a time is wanted, like 120s or 2m")
        return cls(float(found[1]) * _UNITS[found[2]])


class Share(float):
    """A part of one, written like `5%` or `0.05`."""

    __slots__ = ()

    @classmethod
    def read(cls, value: object) -> Share:
        """Raises ValueError for what is none, or less than nothing."""
        text = str(value).strip()
        try:
            number = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        except ValueError:
            number = math.nan
        if isinstance(value, bool) or not 0 <= number < math.inf:
            raise ValueError("a part is wanted, like 5% or 0.05")
        return cls(number)


class Command(tuple[str, ...]):
    """A command line, as one text that is split as a shell would, or as a list."""

    __slots__ = ()

    @classmethod
    def read(cls, value: object) -> Command:
        """Raises ValueError for an empty one, and for quotes that do not close."""
        if isinstance(value, str):
            parts = shlex.split(value)
        elif isinstance(value, (list, tuple)) and all(isinstance(part, str) for part in value):
            parts = list(value)
        else:
            parts = []
        if not parts:
            raise ValueError("a command is wanted, as in a shell")
        return cls(parts)


class Caps(dict[str, int]):
    """How many calls of each provider may be open at once, written like `4`, or `anthropic=2,openai=8`; what holds for
    all that are not named is under the empty name."""

    @classmethod
    def read(cls, value: object) -> Caps:
        """Raises ValueError for what is no number from 1 up."""
        parts = value.items() if isinstance(value, dict) else (_pair(part) for part in str(value).split(","))
        caps = cls()
        for name, number in parts:
            is_whole = not isinstance(number, bool) and str(number).strip().isdecimal()
            if not is_whole or int(number) < 1 or str(name).strip() in caps:
                raise ValueError("a number from 1 up is wanted, like 4, or one for each: anthropic=2,openai=8")
            caps[str(name).strip()] = int(number)
        return caps

    def of(self, provider: str) -> int | None:
        """The cap of a provider; None where nothing was said."""
        return self.get(provider, self.get(""))


def _pair(part: str) -> tuple[str, str]:
    name, _, number = part.rpartition("=")
    return name, number


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What can be set. Field names are the flags, with underscores."""

    store: Path | None = None
    slots: SlotKind | None = None
    slots_directory: Path | None = None
    python: Path | None = None
    sandbox: Sandbox = Sandbox.AUTO
    source: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    check: Command | None = None
    junit: str | None = None
    bench: Command | None = None
    edit_scope: tuple[str, ...] = ()
    candidates: int | None = None
    parallel_candidates: int | None = None
    budget: Seconds | None = None
    timing: Seconds | None = None
    min_speedup: Share | None = None
    objective: Objective = Objective.TIME
    allow_untested: bool = False
    inputs: int | None = None
    rtol: float = 0.0
    any_dict_order: bool = False
    strict: bool = False
    agent: Command | None = None
    agent_attempts: int | None = None
    agent_time: Seconds | None = None
    agent_network: bool = False
    agent_environment: tuple[str, ...] = ()
    agent_folders: tuple[Path, ...] = ()
    model: tuple[str, ...] = ()
    base_url: str | None = None
    provider_concurrency: Caps | None = None
    providers: dict[str, ProviderSettings] = {}
    prices: dict[str, Rates] = {}
    max_cost: float | None = None
    max_tokens: int | None = None
    max_time: Seconds | None = None
    loop_budget: int | None = None
    concurrency_budget: int | None = None
    strategy: Sampling | None = None
    answer_tokens: int | None = None
    fresh: int | None = None
    repair_rounds: int | None = None
    context_tokens: int | None = None
    target_speedup: float | None = None
    prompts: Path | None = None
    top: int | None = None
    max_parallel: int | None = None
    profile: Command | None = None
    max_files: int | None = None
    subplan_tokens: int | None = None
    min_files: int | None = None
    max_depth: int | None = None


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
    def path(text: object) -> Path:
        if not isinstance(text, (str, Path)):
            raise TypeError("a path is wanted")
        try:
            return origin.folder / Path(text).expanduser()
        except RuntimeError as error:
            raise ValueError(str(error)) from None

    readers: dict[type, Callable[[object], object]] = {
        Path: path,
        Seconds: Seconds.read,
        Share: Share.read,
        Command: Command.read,
        Caps: Caps.read,
    }

    def hook(wanted: type, given: object) -> object:
        return readers[wanted](given)

    info = next(info for info in msgspec.structs.fields(Options) if info.name == field)
    if isinstance(value, dict) and isinstance(info.default_factory, type):
        value = {name: _table(field, str(name), table, info.type.__args__[1], origin) for name, table in value.items()}
    if isinstance(value, str) and isinstance(info.default, tuple):
        # In the environment, and where there is only one, a list is a text.
        value = [part.strip() for part in value.split(",") if part.strip()]
    try:
        # Texts of the environment stand for numbers, too; in files and flags they have their types.
        return msgspec.convert(value, info.type, dec_hook=hook, strict=not isinstance(value, str))
    except msgspec.ValidationError as error:
        message = f"{origin.name}: {_dashed(field)} = {value!r} cannot be used: {error}"
        raise UsageError(message, hint=_choices(info.type)) from None


def _table(field: str, name: str, table: object, kind: type, origin: _Origin) -> object:
    """A table of settings that go together, under the names of their fields."""
    if not isinstance(table, dict):
        return table
    known = [one.name for one in dataclasses.fields(kind)]
    named = {str(key).replace("-", "_"): value for key, value in table.items()}
    for key in named.keys() - set(known):
        near = difflib.get_close_matches(key, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known are: {', '.join(known)}"
        raise UsageError(f"{origin.name}: there is no setting {key!r} in {_dashed(field)}.{name}", hint=hint)
    return named


def _choices(kind: object) -> str:
    """What can be chosen, for a setting that is one of a few; where that is said, for others."""
    kinds = (kind, *getattr(kind, "__args__", ()))
    names = [str(choice) for one in kinds if isinstance(one, type) and issubclass(one, enum.Enum) for choice in one]
    return f"use one of: {', '.join(names)}" if names else "bakeoff --help and docs/cli.md say what it takes"


def _dashed(name: str) -> str:
    return name.replace("_", "-")
