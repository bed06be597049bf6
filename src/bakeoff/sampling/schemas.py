"""JSON schemas, as far as models are asked for data by them: the common part of draft 2020-12.

Known are: type, enum, const, properties, required, additionalProperties, minProperties, maxProperties, items,
prefixItems, minItems, maxItems, uniqueItems, minLength, maxLength, pattern, minimum, maximum, exclusiveMinimum,
exclusiveMaximum, multipleOf, allOf, anyOf, oneOf, not, and $ref to what stands under $defs or definitions of the same
schema. What only describes (title, description, default, examples, format and the like) is passed over. Any other word
is refused when the schema is made, so that none is silently not checked.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations, islice
from typing import Any, Final

from bakeoff.errors import UsageError

__all__ = ["Schema"]

_DESCRIBING: Final = frozenset(
    {"title", "description", "default", "examples", "format", "deprecated", "readOnly", "writeOnly", "discriminator"}
    | {"$schema", "$id", "$comment", "$defs", "definitions"}
)
_MOST_PROBLEMS: Final = 5
_LONGEST_QUOTE: Final = 60

_Problems = Iterator[str]
_Json = Any  # what JSON can hold, already checked
_Part = Any  # a schema within a schema: a mapping, True or False


class Schema:
    """A schema that data is held against. Raises UsageError for one that is not understood in full."""

    def __init__(self, source: Mapping[str, Any]) -> None:
        self.source = source
        self._check(source, "#")
        for where, part in self._definitions():
            self._check(part, where)
        for where, part in (("#", source), *self._definitions()):
            if self._leads_back(part, frozenset()):
                raise _refused(where, "it refers to itself without end")

    def problems(self, value: object) -> list[str]:
        """What is wrong with the value, the first few; none where it fits."""
        try:
            return list(islice(self._problems(self.source, value, ""), _MOST_PROBLEMS))
        except RecursionError:
            return ["it is nested too deeply"]

    # -- the schema itself ---------------------------------------------------------------------------------------------

    def _definitions(self) -> Iterator[tuple[str, _Part]]:
        for name in ("$defs", "definitions"):
            for key, part in _mapping(self.source.get(name, {}), f"#/{name}").items():
                yield f"#/{name}/{key}", part

    def _check(self, schema: _Part, where: str) -> None:
        """See that every word is known and that its value can be used."""
        if isinstance(schema, bool):
            return
        for word, given in _mapping(schema, where).items():
            if word in _DESCRIBING:
                continue
            check = _CHECKS.get(word)
            if check is None:
                raise _refused(where, f"{word!r} is not checked here", hint=f"known are: {', '.join(_CHECKS)}")
            check(self, given, f"{where}/{word}")

    def _check_all(self, given: object, where: str) -> None:
        if not isinstance(given, (list, tuple)) or not given:
            raise _refused(where, "it is no list of schemas")
        for number, part in enumerate(given):
            self._check(part, f"{where}/{number}")

    def _check_named(self, given: object, where: str) -> None:
        for name, part in _mapping(given, where).items():
            self._check(part, f"{where}/{name}")

    def _check_reference(self, given: object, where: str) -> None:
        if not isinstance(given, str) or (given != "#" and given not in dict(self._definitions())):
            raise _refused(where, f"there is no {given!r} in this schema", hint="put it under $defs")

    def _leads_back(self, schema: _Part, followed: frozenset[str]) -> bool:
        """Whether looking at one and the same value would never come to an end."""
        if isinstance(schema, bool):
            return False
        reference = schema.get("$ref")
        if reference in followed:
            return True
        inner = [part for word in ("allOf", "anyOf", "oneOf") for part in schema.get(word, ())]
        inner += [schema["not"]] if "not" in schema else []
        if any(self._leads_back(part, followed) for part in inner):
            return True
        return reference is not None and self._leads_back(self.meant(reference), followed | {reference})

    def meant(self, reference: str) -> _Part:
        """What a `$ref` stands for."""
        return self.source if reference == "#" else dict(self._definitions())[reference]

    # -- values --------------------------------------------------------------------------------------------------------

    def _problems(self, schema: _Part, value: object, where: str) -> _Problems:
        if schema is True:
            return
        if schema is False:
            yield f"{where or 'it'} must not be there"
            return
        for word, given in schema.items():
            find = _FINDERS.get(word)
            if find is not None:
                yield from find(self, given, value, where, schema)

    def fits(self, schema: _Part, value: object) -> bool:
        """Whether the value is as a part of this schema has it."""
        return next(self._problems(schema, value, ""), None) is None

    def within(self, schema: _Part, value: object, where: str) -> _Problems:
        """What is wrong with a part of the value by a part of this schema."""
        return self._problems(schema, value, where)


# -- how words may be given -------------------------------------------------------------------------------------------


def _refused(where: str, why: str, *, hint: str | None = None) -> UsageError:
    return UsageError(f"the JSON schema cannot be used: {why}", where=where, hint=hint)


def _mapping(given: object, where: str) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        raise _refused(where, "it is no object")
    return given


def _check_type(_: Schema, given: object, where: str) -> None:
    names = given if isinstance(given, (list, tuple)) else [given]
    if not names or any(name not in _KINDS for name in names):
        raise _refused(where, f"{given!r} is no type", hint=f"types are: {', '.join(_KINDS)}")


def _check_values(_: Schema, given: object, where: str) -> None:
    if not isinstance(given, (list, tuple)) or not given:
        raise _refused(where, "it is no list of values")


def _check_any(_: Schema, given: object, where: str) -> None:
    """Every value can be asked for."""


def _check_names(_: Schema, given: object, where: str) -> None:
    if not isinstance(given, (list, tuple)) or not all(isinstance(name, str) for name in given):
        raise _refused(where, "it is no list of names")


def _check_count(_: Schema, given: object, where: str) -> None:
    if not isinstance(given, int) or isinstance(given, bool) or given < 0:
        raise _refused(where, f"{given!r} is no count")


def _check_number(_: Schema, given: object, where: str) -> None:
    if not _is_number(given):
        raise _refused(where, f"{given!r} is no number")


def _check_step(schema: Schema, given: _Json, where: str) -> None:
    _check_number(schema, given, where)
    if given <= 0:
        raise _refused(where, "it is not above 0")


def _check_switch(_: Schema, given: object, where: str) -> None:
    if not isinstance(given, bool):
        raise _refused(where, "it is neither true nor false")


def _check_pattern(_: Schema, given: object, where: str) -> None:
    try:
        re.compile(given)  # type: ignore[call-overload]
    except (re.error, TypeError) as error:
        raise _refused(where, f"{given!r} is no pattern: {error}") from None


_CHECKS: Final[Mapping[str, Callable[[Schema, Any, str], None]]] = {
    "type": _check_type,
    "enum": _check_values,
    "const": _check_any,
    "properties": Schema._check_named,  # noqa: SLF001 (its own table)
    "required": _check_names,
    "additionalProperties": Schema._check,  # noqa: SLF001
    "minProperties": _check_count,
    "maxProperties": _check_count,
    "items": Schema._check,  # noqa: SLF001
    "prefixItems": Schema._check_all,  # noqa: SLF001
    "minItems": _check_count,
    "maxItems": _check_count,
    "uniqueItems": _check_switch,
    "minLength": _check_count,
    "maxLength": _check_count,
    "pattern": _check_pattern,
    "minimum": _check_number,
    "maximum": _check_number,
    "exclusiveMinimum": _check_number,
    "exclusiveMaximum": _check_number,
    "multipleOf": _check_step,
    "allOf": Schema._check_all,  # noqa: SLF001
    "anyOf": Schema._check_all,  # noqa: SLF001
    "oneOf": Schema._check_all,  # noqa: SLF001
    "not": Schema._check,  # noqa: SLF001
    "$ref": Schema._check_reference,  # noqa: SLF001
}


# -- what is wrong with a value ---------------------------------------------------------------------------------------


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _is_whole(value: object) -> bool:
    return _is_number(value) and (isinstance(value, int) or (isinstance(value, float) and value.is_integer()))


_KINDS: Final[Mapping[str, Callable[[object], bool]]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": _is_whole,
    "number": _is_number,
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


def _is_same(one: object, other: object) -> bool:
    """As JSON has it: 1 is 1.0, but true is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_is_same(one[key], other[key]) for key in one)
    return one == other


def _quoted(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST_QUOTE else f"{text[: _LONGEST_QUOTE - 1]}…"


def _at(where: str) -> str:
    return where or "it"


def _of_type(_: Schema, given: _Json, value: object, where: str, __: _Part) -> _Problems:
    names = [given] if isinstance(given, str) else list(given)
    if not any(_KINDS[name](value) for name in names):
        yield f"{_at(where)} is {_quoted(value)}, not of type {' or '.join(names)}"


def _of_enum(_: Schema, given: _Json, value: object, where: str, __: _Part) -> _Problems:
    if not any(_is_same(one, value) for one in given):
        yield f"{_at(where)} is {_quoted(value)}, not one of {_quoted(list(given))}"


def _of_const(_: Schema, given: _Json, value: object, where: str, __: _Part) -> _Problems:
    if not _is_same(given, value):
        yield f"{_at(where)} is {_quoted(value)}, not {_quoted(given)}"


def _of_properties(schema: Schema, given: _Json, value: object, where: str, __: _Part) -> _Problems:
    if isinstance(value, dict):
        for name, part in given.items():
            if name in value:
                yield from schema.within(part, value[name], f"{where}.{name}" if where else name)


def _of_required(_: Schema, given: _Json, value: object, where: str, __: _Part) -> _Problems:
    if isinstance(value, dict):
        yield from (f"{_at(where)} has no {name!r}" for name in given if name not in value)


def _of_additional(schema: Schema, given: _Json, value: object, where: str, around: _Part) -> _Problems:
    if not isinstance(value, dict):
        return
    for name in value.keys() - around.get("properties", {}).keys():
        if given is False:
            yield f"{_at(where)} has {name!r}, which is not asked for"
        else:
            yield from schema.within(given, value[name], f"{where}.{name}" if where else name)


def _of_prefix(schema: Schema, given: _Json, value: object, where: str, __: _Part) -> _Problems:
    if isinstance(value, list):
        for number, (part, item) in enumerate(zip(given, value, strict=False)):
            yield from schema.within(part, item, f"{where}[{number}]")


def _of_items(schema: Schema, given: _Json, value: object, where: str, around: _Part) -> _Problems:
    if isinstance(value, list):
        first = len(around.get("prefixItems", ()))
        for number, item in enumerate(value[first:], first):
            yield from schema.within(given, item, f"{where}[{number}]")


def _of_unique(_: Schema, given: _Json, value: object, where: str, __: _Part) -> _Problems:
    if given and isinstance(value, list):
        twice = next((one for one, other in combinations(value, 2) if _is_same(one, other)), _NOTHING)
        if twice is not _NOTHING:
            yield f"{_at(where)} has {_quoted(twice)} more than once"


def _of_pattern(_: Schema, given: _Json, value: object, where: str, __: _Part) -> _Problems:
    if isinstance(value, str) and re.search(given, value) is None:
        yield f"{_at(where)} is {_quoted(value)}, which does not match {given}"


def _of_step(_: Schema, given: _Json, value: _Json, where: str, __: _Part) -> _Problems:
    if _is_number(value) and not math.isclose(value / given, round(value / given), rel_tol=1e-12, abs_tol=1e-12):
        yield f"{_at(where)} is {value}, not a multiple of {given}"


def _of_all(schema: Schema, given: _Json, value: object, where: str, __: _Part) -> _Problems:
    for part in given:
        yield from schema.within(part, value, where)


def _of_any(schema: Schema, given: _Json, value: object, where: str, __: _Part) -> _Problems:
    if not any(schema.fits(part, value) for part in given):
        yield f"{_at(where)} is {_quoted(value)}, which is none of what it may be"


def _of_one(schema: Schema, given: _Json, value: object, where: str, __: _Part) -> _Problems:
    fitting = sum(schema.fits(part, value) for part in given)
    if fitting != 1:
        yield f"{_at(where)} is {_quoted(value)}, which fits {fitting} of the forms of which it must fit one"


def _of_not(schema: Schema, given: _Json, value: object, where: str, __: _Part) -> _Problems:
    if schema.fits(given, value):
        yield f"{_at(where)} is {_quoted(value)}, which it must not be"


def _of_reference(schema: Schema, given: _Json, value: object, where: str, __: _Part) -> _Problems:
    return schema.within(schema.meant(given), value, where)


_Finder = Callable[[Schema, Any, Any, str, Any], _Problems]


def _of_size(kind: type, what: str, *, least: bool) -> _Finder:
    """At least, or at most, so many of something."""

    def find(_: Schema, given: _Json, value: _Json, where: str, __: _Part) -> _Problems:
        if isinstance(value, kind) and (len(value) < given if least else len(value) > given):  # type: ignore[arg-type]
            yield f"{_at(where)} has {len(value)} {what}, {'at least' if least else 'at most'} {given}"  # type: ignore[arg-type]

    return find


def _of_bound(is_beyond: Callable[[float, float], bool], said: str) -> _Finder:
    def find(_: Schema, given: _Json, value: _Json, where: str, __: _Part) -> _Problems:
        if _is_number(value) and is_beyond(value, given):
            yield f"{_at(where)} is {value}, which is not {said} {given}"

    return find


_NOTHING: Final = object()
_FINDERS: Final[Mapping[str, _Finder]] = {
    "type": _of_type,
    "enum": _of_enum,
    "const": _of_const,
    "required": _of_required,
    "properties": _of_properties,
    "additionalProperties": _of_additional,
    "minProperties": _of_size(dict, "properties", least=True),
    "maxProperties": _of_size(dict, "properties", least=False),
    "prefixItems": _of_prefix,
    "items": _of_items,
    "minItems": _of_size(list, "items", least=True),
    "maxItems": _of_size(list, "items", least=False),
    "uniqueItems": _of_unique,
    "minLength": _of_size(str, "characters", least=True),
    "maxLength": _of_size(str, "characters", least=False),
    "pattern": _of_pattern,
    "minimum": _of_bound(lambda value, given: value < given, "at least"),
    "maximum": _of_bound(lambda value, given: value > given, "at most"),
    "exclusiveMinimum": _of_bound(lambda value, given: value <= given, "above"),
    "exclusiveMaximum": _of_bound(lambda value, given: value >= given, "below"),
    "multipleOf": _of_step,
    "allOf": _of_all,
    "anyOf": _of_any,
    "oneOf": _of_one,
    "not": _of_not,
    "$ref": _of_reference,
}
