TARGET = "clashes"
SLOW = "times are parsed from text for each pair of appointments, and all pairs are looked at"
SOURCE = '''"""Appointments that cannot both be kept."""

from datetime import datetime, timedelta

FORMATS = ["%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%d.%m.%Y %H:%M", "%Y-%m-%d"]


def parse_time(text):
    for form in FORMATS:
        try:
            return datetime.strptime(text.strip(), form)
        except ValueError:
            continue
    raise ValueError("no date: %r" % text)


def span(event):
    start = parse_time(event["start"])
    if event.get("end"):
        end = parse_time(event["end"])
    else:
        end = start + timedelta(minutes=event.get("minutes", 60))
    return start, end


def people(event):
    return [name.strip().lower() for name in event.get("who", "").split(",") if name.strip()]


def overlap(a, b):
    return span(a)[0] < span(b)[1] and span(b)[0] < span(a)[1]


def clashes(events):
    """Pairs of titles, with the people who would have to be at both; appointments in order of their start."""
    result = []
    ordered = sorted(events, key=lambda event: (span(event)[0], event["title"]))
    for i, first in enumerate(ordered):
        for second in ordered[i + 1 :]:
            if overlap(first, second):
                both = [name for name in people(first) if name in people(second)]
                if both:
                    result.append((first["title"], second["title"], sorted(set(both))))
    return result
'''
TESTS = """import pytest

from project.module import clashes, parse_time


def event(title, start, who, **more):
    return {"title": title, "start": start, "who": who, **more}


def test_parse_time():
    assert parse_time("2021-05-03 10:30") == parse_time(" 03.05.2021 10:30")
    with pytest.raises(ValueError, match="'soon'"):
        parse_time("soon")


def test_clash():
    events = [
        event("b", "2021-05-03T10:30", "Bob, Ann , eve"),
        event("a", "2021-05-03 10:00", "ann,bob"),
    ]
    assert clashes(events) == [("a", "b", ["ann", "bob"])]


def test_one_after_the_other():
    events = [event("a", "2021-05-03 10:00", "ann", minutes=30), event("b", "2021-05-03 10:30", "ann")]
    assert clashes(events) == []


def test_other_people():
    assert clashes([event("a", "2021-05-03", "ann"), event("b", "2021-05-03", "bob")]) == []


def test_end_is_given():
    events = [event("a", "2021-05-03", "ann", end="2021-05-05"), event("b", "2021-05-04 08:00", "Ann")]
    assert clashes(events) == [("a", "b", ["ann"])]


def test_nothing():
    assert clashes([]) == []


def test_a_full_day():
    events = [event("e%02d" % n, "2021-05-03T%02d:%02d" % (8 + n // 3, n % 3 * 20), "ann,p%d" % n) for n in range(18)]
    result = clashes(events)
    assert len(result) == 17 + 16
    assert result[0] == ("e00", "e01", ["ann"])
"""
