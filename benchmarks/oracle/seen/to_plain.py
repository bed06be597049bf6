KIND = "wrong"
FLAW = "subclasses: types are looked up exactly"
TARGET = "to_plain"
WITNESS = 'to_plain(__import__("collections").OrderedDict(when=date(2024, 5, 1)))'
BASELINE = '''"""Values for an export to JSON."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any


def to_plain(value: Any) -> Any:
    """The value made of nothing but dicts, lists, text, numbers, truth values and None."""
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, dict):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted([to_plain(item) for item in value])
    if isinstance(value, (date, datetime)):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    raise TypeError(f"cannot export a {type(value).__name__}")
'''
CANDIDATE = '''"""Values for an export to JSON."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any


def to_plain(value: Any) -> Any:
    """The value made of nothing but dicts, lists, text, numbers, truth values and None."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    convert = _CONVERTERS.get(kind)
    if convert is None:
        raise TypeError(f"cannot export a {kind.__name__}")
    return convert(value)


def _table(value: dict[Any, Any]) -> dict[str, Any]:
    return {str(key): item if type(item) in _PLAIN else to_plain(item) for key, item in value.items()}


def _items(value: Any) -> list[Any]:
    return [item if type(item) in _PLAIN else to_plain(item) for item in value]


_PLAIN = frozenset({str, int, float, bool, type(None)})
_CONVERTERS: dict[type, Any] = {
    dict: _table,
    list: _items,
    tuple: _items,
    set: lambda value: sorted(_items(value)),
    frozenset: lambda value: sorted(_items(value)),
    date: date.isoformat,
    datetime: datetime.isoformat,
    Decimal: str,
}
'''
TESTS = """from datetime import date, datetime
from decimal import Decimal

import pytest

from project.module import to_plain


@pytest.mark.parametrize("value", ["text", 3, 2.5, True, None])
def test_plain_values_stay(value):
    assert to_plain(value) is value


def test_nested():
    order = {"lines": ({"sku": "a-1", "price": Decimal("9.90")},), 7: [1, [2, None]]}
    assert to_plain(order) == {"lines": [{"sku": "a-1", "price": "9.90"}], "7": [1, [2, None]]}


def test_dates_and_times():
    assert to_plain([date(2024, 2, 29), datetime(2024, 2, 29, 12, 30)]) == ["2024-02-29", "2024-02-29T12:30:00"]


def test_sets_are_sorted():
    assert to_plain({"tags": {"b", "c", "a"}}) == {"tags": ["a", "b", "c"]}


def test_the_value_is_left_alone():
    value = {"when": [date(2024, 1, 1)]}
    to_plain(value)
    assert value == {"when": [date(2024, 1, 1)]}


def test_what_cannot_be_exported():
    with pytest.raises(TypeError, match="cannot export a complex"):
        to_plain({"z": [1j]})
"""
