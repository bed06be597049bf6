"""A table held against a type, with everything that is wrong about it and not only the first thing."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from msgspec import NODEFAULT
from msgspec import inspect as types

from bakeoff.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bakeoff.matrix.places import Place

__all__ = ["MISFIT", "Fitting", "Mistake", "near"]


class _Misfit:
    """Stands for a value that could not be made; what is wrong with it was said."""


MISFIT: Final = _Misfit()


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """Something that is wrong in a definition: where, what, and what to do about it. Where it stands in another file,
    `file` and `line` are those."""

    place: Place
    message: str
    hint: str = ""
    line: int | None = None
    file: str = ""


def near(name: str, known: Iterable[str]) -> str:
    """What was meant by a name that nobody knows."""
    names = list(known)
    close = difflib.get_close_matches(name, names, n=1)
    return f"did you mean {close[0]}?" if close else f"known are: {', '.join(names)}" if names else ""


class Fitting:
    """Makes values of data, and keeps what is wrong with it."""

    def __init__(self) -> None:
        self.mistakes: list[Mistake] = []

    def wrong(self, place: Place, message: str, hint: str = "") -> _Misfit:
        """Keep a mistake."""
        self.mistakes.append(Mistake(place=place, message=message, hint=hint))
        return MISFIT

    def fit(self, value: object, kind: object, place: Place) -> Any:  # noqa: ANN401 (whatever the type makes)
        """The value as it is wanted, or MISFIT."""
        return self._fit(value, types.type_info(kind), place)

    def _fit(self, value: Any, kind: types.Type, place: Place) -> Any:  # noqa: ANN401, PLR0911 (a case for each type)
        match kind:
            case types.Metadata():
                return self._fit(value, kind.type, place)
            case types.AnyType():
                return value
            case types.UnionType():
                return self._one_of(value, kind, place)
            case types.StructType() | types.DataclassType():
                return self._table(value, kind, place)
            case types.DictType():
                return self._names(value, kind, place)
            case types.VarTupleType():
                return self._items(value, kind, place)
            case _:
                problem = _problem(value, kind)
                hint = _meant(value, kind)
                said = f"{problem} is wanted, not {_shown(value)}"
                return value if problem is None else self.wrong(place, said, hint)

    def _one_of(self, value: object, kind: types.UnionType, place: Place) -> object:
        """By what the value looks like; of tables, by their kind."""
        fitting = [one for one in kind.types if _looks_like(value, one)]
        tagged = [one for one in fitting if isinstance(one, types.StructType) and one.tag is not None]
        if tagged and isinstance(value, Mapping):
            known = {str(one.tag): one for one in tagged}
            said = value.get("kind")
            if said not in known:
                what = "it has no kind" if said is None else f"there is no kind {said!r}"
                where = place if said is None else (*place, "kind")
                return self.wrong(where, what, near(str(said or ""), known))
            return self._table(value, known[said], place)
        if not fitting:
            wanted = " or ".join(
                dict.fromkeys(_wanted(one) for one in kind.types if not isinstance(one, types.NoneType))
            )
            return self.wrong(place, f"{wanted} is wanted, not {_shown(value)}")
        return self._fit(value, fitting[0], place)

    def fields(self, value: Mapping[str, Any], kind: type, place: Place = ()) -> dict[str, Any]:
        """Those fields of a table that are as they are wanted; the others were told of."""
        info = types.type_info(kind)
        assert isinstance(info, types.StructType)
        made = self._fields(value, info, place)
        return {name: one for name, one in made.items() if one is not MISFIT}

    def _table(self, value: object, kind: types.StructType | types.DataclassType, place: Place) -> object:
        if not isinstance(value, Mapping):
            return self.wrong(place, f"a table is wanted, not {_shown(value)}")
        made = self._fields(value, kind, place)
        if MISFIT in made.values():
            return MISFIT
        try:
            return kind.cls(**made)
        except UsageError as error:
            return self.wrong(place, error.message, error.hint or "")

    def _fields(
        self, value: Mapping[str, Any], kind: types.StructType | types.DataclassType, place: Place
    ) -> dict[str, object]:
        fields = {field.name: field for field in kind.fields}
        tag = kind.tag_field if isinstance(kind, types.StructType) else None
        made: dict[str, object] = {}
        for key, one in value.items():
            name = str(key).replace("-", "_")
            if name in fields:
                made[name] = self._fit(one, fields[name].type, (*place, key))
            elif key != tag:
                self.wrong((*place, key), f"there is no key {key!r} here", near(name, fields))
                made[name] = MISFIT
        for field in kind.fields:
            if field.name not in made and field.default is NODEFAULT and field.default_factory is NODEFAULT:
                made[field.name] = self.wrong(place, f"{field.name!r} is missing")
        return made

    def _names(self, value: object, kind: types.DictType, place: Place) -> object:
        if not isinstance(value, Mapping):
            return self.wrong(place, f"a table is wanted, not {_shown(value)}")
        made = {key: self._fit(one, kind.value_type, (*place, key)) for key, one in value.items()}
        return {key: one for key, one in made.items() if one is not MISFIT}

    def _items(self, value: object, kind: types.VarTupleType, place: Place) -> object:
        if not _is_list(value):
            return self.wrong(place, f"a list is wanted, not {_shown(value)}")
        assert isinstance(value, Sequence)
        return tuple(self._fit(one, kind.item_type, (*place, index)) for index, one in enumerate(value))


def _looks_like(value: object, kind: types.Type) -> bool:  # noqa: PLR0911
    match kind:
        case types.Metadata():
            return _looks_like(value, kind.type)
        case types.UnionType():
            return any(_looks_like(value, one) for one in kind.types)
        case types.StructType() | types.DataclassType() | types.DictType():
            return isinstance(value, Mapping)
        case types.VarTupleType():
            return _is_list(value)
        case types.AnyType():
            return True
        case types.StrType() | types.LiteralType():
            return isinstance(value, str)
        case types.IntType() | types.FloatType():
            return isinstance(value, (int, float)) and not isinstance(value, bool)
        case types.BoolType():
            return isinstance(value, bool)
        case _:
            return value is None


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def _problem(value: object, kind: types.Type) -> str | None:
    """What is wanted instead; None where the value will do."""
    if isinstance(kind, types.LiteralType):
        return None if value in kind.values else " or ".join(map(str, kind.values))
    is_fit = _looks_like(value, kind) and not (isinstance(kind, types.IntType) and isinstance(value, float))
    if is_fit and isinstance(value, (int, float)) and isinstance(kind, (types.IntType, types.FloatType)):
        is_fit = (kind.ge is None or value >= kind.ge) and (kind.gt is None or value > kind.gt) and math.isfinite(value)
    if is_fit and isinstance(kind, types.StrType):
        is_fit = len(str(value)) >= (kind.min_length or 0)
    return None if is_fit else _wanted(kind)


def _meant(value: object, kind: types.Type) -> str:
    """Which of the few texts that can be was meant; nothing where none is near, since the message names all of them."""
    known = [str(one) for one in kind.values] if isinstance(kind, types.LiteralType) else []
    close = difflib.get_close_matches(str(value), known, n=1)
    return f"did you mean {close[0]}?" if close else ""


def _wanted(kind: types.Type) -> str:  # noqa: PLR0911
    match kind:
        case types.Metadata():
            return _wanted(kind.type)
        case types.UnionType():
            return " or ".join(dict.fromkeys(_wanted(one) for one in kind.types if not isinstance(one, types.NoneType)))
        case types.StrType():
            return "a text" if not kind.min_length else "a text that is not empty"
        case types.LiteralType():
            return " or ".join(map(str, kind.values))
        case types.IntType():
            return "a whole number" if kind.ge is None else f"a whole number from {kind.ge} up"
        case types.FloatType():
            return "a number" if kind.gt is None and kind.ge is None else _bounded(kind)
        case types.BoolType():
            return "true or false"
        case types.VarTupleType():
            return "a list"
        case _:
            return "a table"


def _bounded(kind: types.FloatType) -> str:
    return f"a number above {kind.gt:g}" if kind.gt is not None else f"a number from {kind.ge:g} up"


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
