from datetime import timedelta

import pytest
from logbook.entries import Entry, Level
from logbook.statistics import Burst, Latency, bursts, busiest, error_share, hourly, latencies, percentile
from logs import START, at, some_entries


def request(source, milliseconds):
    return Entry(START, Level.INFO, source, "answered", {"ms": str(milliseconds)})


def error(seconds):
    return Entry(START + timedelta(seconds=seconds), Level.ERROR, "web", "failed")


@pytest.mark.parametrize(("share", "wanted"), [(0, 1), (0.5, 3), (1, 5), (0.25, 2), (0.9, 4.6)])
def test_percentiles(share, wanted):
    assert percentile([5, 1, 4, 2, 3], share) == pytest.approx(wanted)


def test_the_percentile_of_nothing():
    with pytest.raises(ValueError, match="no values"):
        percentile([], 0.5)


def test_latencies():
    entries = [request("mail", 10), request("web", 30), request("web", 50), request("mail", 20), at(3)]
    assert latencies(entries) == [Latency("web", 2, 40, 49, 50), Latency("mail", 2, 15, 19.5, 20)]


def test_latencies_of_nothing():
    assert latencies([]) == []
    assert latencies([at(1)]) == []


def test_latencies_of_many():
    found = latencies(some_entries(1200))
    assert sum(row.count for row in found) == 900
    assert [row.median for row in found] == sorted((row.median for row in found), reverse=True)
    assert max(row.worst for row in found) == 910


def test_the_busiest():
    entries = [at(n, user="ada" if n % 3 else "bo") for n in range(9)]
    assert busiest(entries) == [("ada", 6), ("bo", 3)]
    assert busiest(entries, limit=1) == [("ada", 6)]


def test_nobody_is_busy():
    assert busiest([]) == []
    assert busiest([at(1), at(2)]) == []


def test_the_busiest_of_many():
    entries = [at(n, user=f"user{person}") for person in range(60) for n in range(person)]
    entries.sort(key=lambda entry: entry.when)
    assert busiest(entries, limit=3) == [("user59", 59), ("user58", 58), ("user57", 57)]


def test_hours():
    entries = some_entries(600)
    assert sum(hourly(entries)) == 600
    assert hourly(entries)[8:12] == [180, 180, 180, 60]
    assert sum(hourly(entries, Level.ERROR)) == 86


def test_the_share_of_errors():
    assert error_share([error(1), at(1), at(2)]) == {"web": 1, "web.api": 0}


def test_a_burst():
    entries = [error(0), at(0.1), error(100), error(104), error(109), at(5), error(400)]
    start = START + timedelta(seconds=100)
    assert bursts(entries, timedelta(seconds=10), least=3) == [Burst(start, start + timedelta(seconds=9), 3)]


def test_bursts_that_touch_are_one():
    (found,) = bursts([error(n * 4) for n in range(10)], timedelta(seconds=10), least=3)
    assert found.count == 10


def test_no_bursts():
    assert bursts([], timedelta(seconds=10), least=1) == []
    assert bursts([error(0), error(60)], timedelta(seconds=10), least=2) == []


def test_many_bursts():
    found = bursts(some_entries(250, seconds=7), timedelta(seconds=50), least=2)
    assert len(found) == 1
    assert found[0].count == 36
