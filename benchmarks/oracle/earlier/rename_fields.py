KIND = "wrong"
FLAW = "order of a dict: renamed fields move to the end"
TARGET = "rename"
WITNESS = 'list(rename({"id": "17", "mail": "a@b.c", "city": "Bern"}, {"id": "number"}))'
BASELINE = '''"""Fields of records on their way from one system to another."""

from __future__ import annotations


class NameClash(ValueError):
    """Raised when two fields would have the same name."""


def rename(record: dict[str, str], names: dict[str, str], *, drop: tuple[str, ...] = ()) -> dict[str, str]:
    """The record with new names for its fields, which stay in their places; names that it lacks do not matter."""
    renamed: dict[str, str] = {}
    for field in list(record.keys()):
        if field in list(drop):
            continue
        name = field
        for old in names:
            if old == field:
                name = names[old]
        if name in list(renamed.keys()):
            raise NameClash("two fields of one name")
        renamed[name] = record[field]
    return renamed
'''
CANDIDATE = '''"""Fields of records on their way from one system to another."""

from __future__ import annotations


class NameClash(ValueError):
    """Raised when two fields would have the same name."""


def rename(record: dict[str, str], names: dict[str, str], *, drop: tuple[str, ...] = ()) -> dict[str, str]:
    """The record with new names for its fields, which stay in their places; names that it lacks do not matter."""
    left = record.keys() - drop
    renamed = {field: value for field, value in record.items() if field in left and field not in names}
    renamed.update({name: record[old] for old, name in names.items() if old in left})
    if len(renamed) < len(left):
        raise NameClash("two fields of one name")
    return renamed
'''
TESTS = """import pytest

from project.module import NameClash, rename


@pytest.fixture
def record():
    return {"id": "17", "mail": "ann@example.org", "city": "Bern"}


def test_one_field(record):
    assert rename(record, {"mail": "email"}) == {"id": "17", "email": "ann@example.org", "city": "Bern"}


def test_two_that_change_places(record):
    assert rename(record, {"id": "city", "city": "id"})["city"] == "17"


def test_a_field_that_is_not_there(record):
    assert rename(record, {"phone": "telephone"}) == record


def test_a_field_is_dropped(record):
    assert rename(record, {"id": "number"}, drop=("mail",)) == {"number": "17", "city": "Bern"}


def test_the_record_stays(record):
    rename(record, {"id": "number"})["number"] = "18"
    assert record == {"id": "17", "mail": "ann@example.org", "city": "Bern"}


def test_an_empty_record():
    assert rename({}, {"id": "number"}) == {}


def test_a_name_that_is_taken(record):
    with pytest.raises(NameClash):
        rename(record, {"mail": "city"})
    assert rename(record, {"mail": "city"}, drop=("city",)) == {"id": "17", "city": "ann@example.org"}
"""
