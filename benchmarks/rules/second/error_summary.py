TARGET = "summarize"
SLOW = "nothing much"
SOURCE = '''"""Sums up the errors of a log."""

import re
from collections import Counter, defaultdict
from heapq import nsmallest

LINE = re.compile(r"(\\d{4}-\\d\\d-\\d\\d)[T ]\\S+ (ERROR|FATAL) \\[([\\w.]+)\\] (.*)")
VARIABLE = re.compile(r"0x[0-9a-f]+|\\d+|'[^']*'")


def shape(message):
    """The message without what differs from case to case."""
    return VARIABLE.sub("#", message)


def summarize(lines, top=3):
    """(count, logger, shape of the message, days) of the most frequent errors."""
    counts = Counter()
    days = defaultdict(set)
    for line in lines:
        match = LINE.match(line)
        if match is None:
            continue
        day, _, logger, message = match.groups()
        key = logger, shape(message)
        counts[key] += 1
        days[key].add(day)
    most = nsmallest(top, counts.items(), key=lambda item: (-item[1], item[0]))
    return [(count, *key, len(days[key])) for key, count in most]
'''
TESTS = """from project.module import shape, summarize


def test_shape():
    assert shape("no 'user' with id 12 at 0xff1a") == "no # with id # at #"


def test_summary():
    lines = [
        "2021-01-01T10:00:00 ERROR [db.pool] timeout after 30 s",
        "2021-01-01 10:00:01 INFO [db.pool] timeout after 30 s",
        "2021-01-02 10:00:00 FATAL [db.pool] timeout after 31 s",
        "2021-01-02 10:00:00 ERROR [web] oops",
    ]
    assert summarize(lines) == [(2, "db.pool", "timeout after # s", 2), (1, "web", "oops", 1)]


def test_nothing():
    assert summarize([]) == []
    assert summarize(["", "Traceback (most recent call last):"]) == []


def test_top():
    lines = ["2021-01-01 10:00:00 ERROR [%s] x" % name for name in "cab"]
    assert summarize(lines, top=2) == [(1, "a", "x", 1), (1, "b", "x", 1)]


def test_lines_may_come_one_by_one():
    lines = ("2021-01-%02d 1:00 ERROR [app.m%d] no file '%d'" % (n % 28 + 1, n % 7, n) for n in range(700))
    assert summarize(lines, top=1) == [(100, "app.m0", "no file #", 4)]
"""
