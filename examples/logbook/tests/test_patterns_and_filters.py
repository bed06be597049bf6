import pytest
from logbook.filters import Term, matching, terms
from logbook.patterns import fresh, template, templates
from logs import at, some_entries


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("", ""),
        ("all is well", "all is well"),
        ("took 12.5 s", "took <number> s"),
        ("from 10.0.0.1:443 to 10.0.0.2", "from <address> to <address>"),
        ("dropped 0xBEEF", "dropped <hex>"),
        ("job 9f1b7c2a-0000-4000-8000-00000000002a done", "job <id> done"),
        ("http2 is v3, x=4", "http2 is v3, x=<number>"),
    ],
)
def test_templates(message, wanted):
    assert template(message) == wanted


def test_counting_templates():
    found = templates(some_entries(90))
    assert sum(found.values()) == 90
    assert len(found) == 5


def test_fresh_templates():
    assert fresh([at(1)], some_entries(2)) == ["answered in <number> steps", "user <number> logged in from <address>"]


def test_terms():
    assert terms("level>=warn user=ada timeout -cache") == [
        Term("level", ">=", "warn"),
        Term("user", "=", "ada"),
        Term(None, "=", "timeout"),
        Term(None, "!=", "cache"),
    ]


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("", 210),
        ("level>=error", 30),
        ("level=info source=web.*", 65),
        ("user!=user1", 173),
        ("ms>500 ms<=600", 16),
        ("ORDER -paid", 0),
        ("order paid level!=debug", 36),
        ("cache", 42),
        ("user>5", 0),
    ],
)
def test_matching(query, count):
    entries = some_entries(210)
    assert len(list(matching(entries, query))) == count


def test_matching_goes_one_by_one():
    assert next(matching(iter([at(1), at(2)]), "hello")) == at(1)


def test_a_level_that_is_none():
    with pytest.raises(ValueError, match="no level"):
        list(matching([at(1)], "level>loud"))
