KIND = "wrong"
FLAW = "rounding of floats: a running total is off in its last digit, and gives an alarm at the limit itself"
TARGET = "first_overdose"
WITNESS = "first_overdose([0.1, 0.1, 0.4, 0.3], limit=0.8, span=3)"
BASELINE = '''"""Doses that a pump gives."""


def first_overdose(doses, limit, span=6):
    """The place of the first dose with which the last `span` doses come to more than the limit, or None.

    Doses are in millilitres. The limit itself may be given.
    """
    if span < 1:
        raise ValueError("a limit for no doses")
    for dose in doses:
        if not 0 <= dose < 1000:
            raise ValueError(f"a dose of {dose} ml")
    for last in range(len(doses)):
        total = 0.0
        for place in range(max(0, last + 1 - span), last + 1):
            total = total + doses[place]
        if total > limit:
            return last
    return None


def report(doses, limit, span=6):
    """What the display says."""
    place = first_overdose(doses, limit, span)
    if place is None:
        return "OK"
    return f"STOP at dose {place + 1}: more than {limit:g} ml with {min(span, place + 1)} doses"
'''
CANDIDATE = '''"""Doses that a pump gives."""


def first_overdose(doses, limit, span=6):
    """The place of the first dose with which the last `span` doses come to more than the limit, or None.

    Doses are in millilitres. The limit itself may be given.
    """
    if span < 1:
        raise ValueError("a limit for no doses")
    for dose in doses:
        if not 0 <= dose < 1000:
            raise ValueError(f"a dose of {dose} ml")
    total = 0.0
    for last in range(len(doses)):
        total += doses[last]
        if last >= span:
            total -= doses[last - span]
        if total > limit:
            return last
    return None


def report(doses, limit, span=6):
    """What the display says."""
    place = first_overdose(doses, limit, span)
    if place is None:
        return "OK"
    return f"STOP at dose {place + 1}: more than {limit:g} ml with {min(span, place + 1)} doses"
'''
TESTS = """import pytest

from project.module import first_overdose, report


def test_too_much():
    assert first_overdose([1, 1, 2, 3, 1], limit=5, span=3) == 3


def test_the_limit_may_be_given():
    assert first_overdose([0.5, 0.25, 0.25, 0.5], limit=1, span=3) is None


def test_old_doses_do_not_count():
    assert first_overdose([2.5, 0, 0, 2.5, 0, 0, 2.5], limit=3, span=3) is None


def test_a_single_dose():
    assert first_overdose([0.1, 0.2, 1.5], limit=1, span=1) == 2


def test_the_display():
    assert report([0.1, 0.1], limit=2) == "OK"
    assert report([1.5, 1.5], limit=2.5) == "STOP at dose 2: more than 2.5 ml with 2 doses"


def test_no_doses():
    assert first_overdose([], limit=1) is None


@pytest.mark.parametrize("dose", [-0.5, 1000, float("nan")])
def test_impossible_doses(dose):
    with pytest.raises(ValueError, match="a dose of"):
        first_overdose([1, dose], limit=5)
"""
