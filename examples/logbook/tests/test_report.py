from datetime import timedelta

import pytest
from logbook.__main__ import main
from logbook.report import clock, duration, number, report, table
from logs import as_text, at, some_entries


@pytest.mark.parametrize(("seconds", "wanted"), [(7, "7s"), (750, "12m 30s"), (3900, "1h 05m"), (0, "0s")])
def test_durations(seconds, wanted):
    assert duration(timedelta(seconds=seconds)) == wanted


def test_cells():
    assert [number(value) for value in ("a", 3, 2.0, 2.25, None)] == ["a", "3", "2", "2.2", ""]


def test_a_table():
    assert table(["name", "n"], [("Ada", 5), ("Bo", 12.5)]) == "name     n\n----  ----\nAda      5\nBo    12.5\n"


def test_a_table_of_text():
    assert table(["a", "b"], [("x", None), ("long", "y")]) == "a     b\n----  -\nx\nlong  y\n"


def test_an_empty_table():
    assert table(["name", "n"], []) == "name  n\n----  -\n"


def test_a_long_table():
    rows = [(f"row {n}", n * 1.5, n * n, None if n % 3 else "third") for n in range(45)]
    lines = table(["row", "half", "square", "note"], rows).splitlines()
    assert len(lines) == 47
    assert lines[-1] == "row 44    66    1936"
    assert lines[-2] == "row 43  64.5    1849"


def test_the_clock():
    assert clock([at(0), at(1), at(61)]) == "        #=              "
    assert clock([]) == " " * 24


def test_a_report():
    text = report(some_entries(200))
    assert text.startswith("200 entries, 29 errors, 9 sessions, 9 at once at 08:06\n\n[")
    assert "source     requests" in text


def test_the_command(tmp_path, capsys):
    log = tmp_path / "a.log"
    log.write_text(as_text(some_entries(50)) + "nothing\n")
    assert main([str(log), "level>=warn"]) == 1
    captured = capsys.readouterr()
    assert captured.out.startswith("14 entries, 7 errors")
    assert "line 51" in captured.err
    assert main([]) == 2
