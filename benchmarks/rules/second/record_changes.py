TARGET = "changes"
SLOW = "records are searched by their key for each one, and fields by the names of both"
SOURCE = '''"""What changed between two exports of the same table."""

from datetime import date

IGNORED = ["modified", "etag", "row"]


class DuplicateKey(ValueError):
    pass


def key_of(record, keys):
    return tuple(str(record[key]).strip().lower() for key in keys)


def find(records, key, keys):
    matching = [record for record in records if key_of(record, keys) == key]
    if len(matching) > 1:
        raise DuplicateKey("%s: %d records" % ("/".join(key), len(matching)))
    return matching[0] if matching else None


def equal(a, b):
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) < 1e-9
    if isinstance(a, date) or isinstance(b, date):
        return str(a) == str(b)
    return a == b


def changed_fields(old, new):
    names = []
    for name in list(old) + list(new):
        if name not in names and name not in IGNORED:
            names.append(name)
    return [(name, old.get(name), new.get(name)) for name in names if not equal(old.get(name), new.get(name))]


def changes(before, after, keys=("id",)):
    """(kind, key, fields) for each record that was added, removed or changed, in order of the key."""
    result = []
    for record in before:
        key = key_of(record, keys)
        if find(before, key, keys) is not None and find(after, key, keys) is None:
            result.append(("removed", key, []))
    for record in after:
        key = key_of(record, keys)
        find(after, key, keys)
        old = find(before, key, keys)
        if old is None:
            result.append(("added", key, []))
        elif changed_fields(old, record):
            result.append(("changed", key, changed_fields(old, record)))
    return sorted(result, key=lambda change: (change[1], change[0]))
'''
TESTS = """from datetime import date

import pytest

from project.module import DuplicateKey, changes


def test_same():
    assert changes([{"id": 1, "a": 2}], [{"a": 2, "id": "1 "}], keys=["id"]) == [
        ("changed", ("1",), [("id", 1, "1 ")]),
    ]
    assert changes([{"id": 1, "a": 2}], [{"id": 1, "a": 2}]) == []


def test_kinds():
    before = [{"id": 1, "a": 1}, {"id": 2, "a": 1}]
    after = [{"id": 3, "a": 1}, {"id": 2, "a": 5, "b": None}]
    assert changes(before, after) == [
        ("removed", ("1",), []),
        ("changed", ("2",), [("a", 1, 5)]),
        ("added", ("3",), []),
    ]


def test_ignored_fields():
    assert changes([{"id": 1, "etag": "x"}], [{"id": 1, "row": 7}]) == []


def test_nearly_equal():
    before = [{"id": 1, "price": 0.3, "day": date(2020, 1, 2)}]
    after = [{"id": 1, "price": 0.1 + 0.2, "day": "2020-01-02"}]
    assert changes(before, after) == []


def test_several_keys():
    before = [{"a": "X", "b": 1, "c": 1}]
    assert changes(before, [{"a": "x", "b": 1, "c": 2}], keys=("a", "b"))[0][1] == ("x", "1")


def test_duplicates():
    with pytest.raises(DuplicateKey, match="1: 2 records"):
        changes([{"id": 1}, {"id": 1}], [])


def test_missing_key():
    with pytest.raises(KeyError):
        changes([{"name": "x"}], [])


def test_a_table():
    before = [{"id": n, "name": "n%d" % n, "size": n * 2} for n in range(45)]
    after = [{"id": n, "name": "n%d" % n, "size": n * 2 if n % 10 else 0} for n in range(3, 48)]
    found = changes(before, after)
    assert [kind for kind, _, _ in found].count("changed") == 4
    assert len(found) == 3 + 3 + 4
"""
