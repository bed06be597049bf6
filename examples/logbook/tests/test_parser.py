from datetime import datetime

import pytest
from logbook.entries import Level
from logbook.parser import Malformed, entry, fields, parse, parse_leniently
from logs import as_text, some_entries

LINE = '2026-03-01T08:15:30 WARN web.api: slow answer | user=ada ms=532 note="late again"'


def test_a_line():
    found = entry(LINE)
    assert found.when == datetime(2026, 3, 1, 8, 15, 30)
    assert found.level is Level.WARN
    assert found.source == "web.api"
    assert found.message == "slow answer"
    assert found.fields == {"user": "ada", "ms": "532", "note": "late again"}
    assert found.user == "ada"
    assert found.milliseconds == 532


def test_a_line_without_fields():
    found = entry("2026-03-01T08:15:30 info cron: all is well")
    assert found.fields == {}
    assert found.user is None
    assert found.milliseconds is None


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", {}),
        ("a=1", {"a": "1"}),
        ("a=1  b=2 ", {"a": "1", "b": "2"}),
        ("done a=", {"done": "", "a": ""}),
        ("a=x=y", {"a": "x=y"}),
        ('a="b c" d=e', {"a": "b c", "d": "e"}),
        (r'a="say \"hi\"" b=1', {"a": 'say "hi"', "b": "1"}),
        ("a=1 a=2", {"a": "2"}),
        ("=1 b=2", {"b": "2"}),
    ],
)
def test_fields(text, wanted):
    assert fields(text) == wanted


def test_a_quote_that_is_not_closed():
    with pytest.raises(ValueError, match="not closed"):
        fields('a="b')


def test_many_fields():
    text = " ".join(f'key{n}="value number {n}" short{n}={n * n}' for n in range(80))
    found = fields(text)
    assert len(found) == 160
    assert found["key79"] == "value number 79"
    assert found["short12"] == "144"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("hello", "a time, a level"),
        ("2026-03-01T08:15:30 INFO web hello there", "a time, a level"),
        ("yesterday INFO web: hello there", "does not match"),
        ("2026-03-01T08:15:30 LOUD web: hello there", "no level 'LOUD'"),
        ('2026-03-01T08:15:30 INFO web: hello | a="', "not closed"),
    ],
)
def test_lines_that_are_no_entries(line, why):
    with pytest.raises(Malformed, match=why) as caught:
        parse(f"# a log\n{line}\n")
    assert caught.value.number == 2


def test_messages_of_several_lines():
    found = parse(f"{LINE}\n  Traceback\n\tKeyError: 3\n\n{LINE}\n")
    assert [one.message for one in found] == ["slow answer\nTraceback\nKeyError: 3", "slow answer"]


def test_what_can_be_read_is_read():
    found, errors = parse_leniently(f"  lost\n{LINE}\nnothing\n{LINE}\n")
    assert len(found) == 2
    assert [error.number for error in errors] == [1, 3]
    assert "no entry that it could go on with" in errors[0].why


def test_a_long_log():
    entries = some_entries(120)
    assert parse(as_text(entries)) == entries


def test_a_log_full_of_tracebacks():
    line = "2026-03-01T08:15:30 ERROR web: failed\n" + "  at some place\n" * 6
    found = parse(line * 40)
    assert len(found) == 40
    assert {one.message.count("\n") for one in found} == {6}
