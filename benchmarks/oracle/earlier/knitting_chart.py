KIND = "wrong"
FLAW = "aliasing of results: the rows of a repeat are one and the same list"
TARGET = "chart"
WITNESS = '(rows := chart(["2x k4"]), rows[0].__setitem__(1, "p"), rows)[2]'
BASELINE = '''"""Patterns for knitting."""

STITCHES = {"k": "knit", "p": "purl", "yo": "yarn over", "sl": "slip"}


def _row(line):
    row = []
    for part in line.split():
        stitch = part.rstrip("0123456789")
        if stitch not in STITCHES:
            raise ValueError(f"there is no stitch {stitch!r}")
        for _ in range(int(part[len(stitch) :] or 1)):
            row.append(stitch)
    return row


def chart(lines):
    """Rows of stitches, from the first one knitted; whoever draws the chart may put other stitches into them.

    A line is one row, such as "k2 yo p3", or several that are alike, such as "4x k2 yo p3".
    """
    rows = []
    for line in lines:
        times, repeated, rest = line.partition("x ")
        if not repeated:
            rows.append(_row(line))
            continue
        if int(times) < 1:
            raise ValueError(f"a row that is not knitted: {line!r}")
        for _ in range(int(times)):
            rows.append(_row(rest))
    for row in rows:
        if len(row) != len(rows[0]):
            raise ValueError(f"a row of {len(row)} stitches among rows of {len(rows[0])}")
    return rows
'''
CANDIDATE = '''"""Patterns for knitting."""

STITCHES = {"k": "knit", "p": "purl", "yo": "yarn over", "sl": "slip"}


def _row(line):
    row = []
    for part in line.split():
        stitch = part.rstrip("0123456789")
        if stitch not in STITCHES:
            raise ValueError(f"there is no stitch {stitch!r}")
        row += [stitch] * int(part[len(stitch) :] or 1)
    return row


def chart(lines):
    """Rows of stitches, from the first one knitted; whoever draws the chart may put other stitches into them.

    A line is one row, such as "k2 yo p3", or several that are alike, such as "4x k2 yo p3".
    """
    rows = []
    for line in lines:
        times, repeated, rest = line.partition("x ")
        if not repeated:
            rows.append(_row(line))
            continue
        count = int(times)
        if count < 1:
            raise ValueError(f"a row that is not knitted: {line!r}")
        rows += [_row(rest)] * count
    for row in rows:
        if len(row) != len(rows[0]):
            raise ValueError(f"a row of {len(row)} stitches among rows of {len(rows[0])}")
    return rows
'''
TESTS = """import pytest

from project.module import chart


def test_rows():
    assert chart(["k2 p", "p3"]) == [["k", "k", "p"], ["p", "p", "p"]]


def test_repeats():
    assert chart(["2x k yo", "p2"]) == [["k", "yo"], ["k", "yo"], ["p", "p"]]


def test_many_stitches():
    assert chart(["k12 sl"]) == [["k"] * 12 + ["sl"]]


def test_nothing_to_knit():
    assert chart([]) == []


def test_unknown_stitch():
    with pytest.raises(ValueError, match="no stitch 'q'"):
        chart(["k2 q2"])


def test_rows_of_different_length():
    with pytest.raises(ValueError, match="a row of 2 stitches among rows of 3"):
        chart(["3x k3", "p2"])


def test_not_knitted():
    with pytest.raises(ValueError, match="not knitted"):
        chart(["0x k3"])
"""
