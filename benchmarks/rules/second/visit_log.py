TARGET = "sessions"
SLOW = "every line is matched against all sessions so far, and dates are parsed by strptime"
SOURCE = '''"""Visits to the site, from the access log."""

import re
from datetime import datetime, timedelta

LINE = r'^(\\S+) \\S+ \\S+ \\[([^\\]]+)\\] "(\\S+) (\\S+)[^"]*" (\\d{3}) (\\d+|-)'
GAP = timedelta(minutes=30)


class Session:
    def __init__(self, address, started):
        self.address = address
        self.started = started
        self.last = started
        self.paths = []
        self.sent = 0

    def __repr__(self):
        return "<Session %s %s>" % (self.address, self.started.isoformat())


def parse_line(line):
    match = re.match(LINE, line)
    if not match:
        return None
    address, stamp, method, path, status, size = match.groups()
    when = datetime.strptime(stamp, "%d/%b/%Y:%H:%M:%S %z")
    return {
        "address": address,
        "when": when,
        "method": method,
        "path": path,
        "status": int(status),
        "size": 0 if size == "-" else int(size),
    }


def sessions(lines):
    """Group the requests of one address that are less than half an hour apart."""
    found = []
    for line in lines:
        entry = parse_line(line.strip())
        if entry is None or entry["status"] >= 500:
            continue
        current = None
        for session in found:
            if session.address == entry["address"] and entry["when"] - session.last < GAP:
                current = session
        if current is None:
            current = Session(entry["address"], entry["when"])
            found.append(current)
        current.last = entry["when"]
        current.paths.append(entry["path"])
        current.sent += entry["size"]
    return found
'''
TESTS = """from project.module import parse_line, sessions


def line(address, time, path="/", status=200, size="100"):
    return '%s - - [12/Mar/2021:%s +0000] "GET %s HTTP/1.1" %d %s\\n' % (address, time, path, status, size)


def test_parse_line():
    entry = parse_line(line("10.0.0.1", "10:00:05", "/a", 404, "-"))
    assert (entry["address"], entry["path"], entry["status"], entry["size"]) == ("10.0.0.1", "/a", 404, 0)
    assert entry["when"].second == 5


def test_bad_lines_are_ignored():
    assert sessions(["", "nonsense", line("10.0.0.1", "10:00:00", status=502)]) == []


def test_one_session():
    (session,) = sessions([line("a", "10:00:00", "/"), line("a", "10:10:00", "/b", size="50")])
    assert session.paths == ["/", "/b"]
    assert session.sent == 150
    assert session.last.minute == 10


def test_a_long_gap_starts_a_new_one():
    found = sessions([line("a", "10:00:00"), line("a", "10:30:00"), line("a", "10:59:59")])
    assert [len(session.paths) for session in found] == [1, 2]


def test_addresses_are_apart():
    found = sessions([line("a", "10:00:00"), line("b", "10:00:01"), line("a", "10:00:02")])
    assert [session.address for session in found] == ["a", "b"]


def test_a_day():
    lines = []
    for minute in range(0, 240, 2):
        for visitor in range(3):
            address = "10.0.%d.%d" % (minute // 10, visitor)
            lines.append(line(address, "%02d:%02d:%02d" % (minute // 60, minute % 60, visitor), "/p%d" % minute))
    found = sessions(lines)
    assert len(found) == 72
    assert sum(len(session.paths) for session in found) == len(lines)
"""
