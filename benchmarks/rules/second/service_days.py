TARGET = "due_date"
SLOW = "steps through calendar one day at a time, and works out the holidays of the year at each step"
SOURCE = '''"""Due dates by the service contract: days that are neither weekend nor holiday."""

from datetime import date, timedelta

FIXED = [(1, 1, "New Year"), (5, 1, "Labour Day"), (10, 3, "Unity"), (12, 25, "Christmas"), (12, 26, "Boxing Day")]
AROUND_EASTER = [(-2, "Good Friday"), (1, "Easter Monday"), (39, "Ascension"), (50, "Whit Monday")]


def easter(year):
    a = year % 19
    b, c = divmod(year, 100)
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    l = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 22 * l) // 451
    month, day = divmod(h + l - 7 * m + 114, 31)
    return date(year, month, day + 1)


def holidays(year):
    found = {}
    for month, day, name in FIXED:
        found[date(year, month, day)] = name
    for offset, name in AROUND_EASTER:
        found[easter(year) + timedelta(days=offset)] = name
    return found


def is_service_day(day, closed=()):
    if day.weekday() in (5, 6):
        return False
    if day in holidays(day.year).keys():
        return False
    return day not in closed


def due_date(received, days, closed=()):
    """The day by which an answer is due; a negative number of days counts backwards."""
    step = timedelta(days=1 if days >= 0 else -1)
    left = abs(days)
    current = received
    while left > 0:
        current = current + step
        if is_service_day(current, closed):
            left = left - 1
    return current
'''
TESTS = """from datetime import date

from project.module import due_date, easter, holidays, is_service_day


def test_easter():
    assert easter(2021) == date(2021, 4, 4)
    assert easter(2024) == date(2024, 3, 31)


def test_holidays():
    names = holidays(2022)
    assert names[date(2022, 4, 15)] == "Good Friday"
    assert len(names) == 9


def test_service_days():
    assert is_service_day(date(2022, 3, 4))
    assert not is_service_day(date(2022, 3, 5))
    assert not is_service_day(date(2022, 3, 4), closed=[date(2022, 3, 4)])


def test_no_days():
    assert due_date(date(2022, 3, 5), 0) == date(2022, 3, 5)


def test_over_the_weekend():
    assert due_date(date(2022, 3, 4), 1) == date(2022, 3, 7)
    assert due_date(date(2022, 3, 7), -1) == date(2022, 3, 4)


def test_over_easter():
    assert due_date(date(2022, 4, 14), 2, closed=[date(2022, 4, 19)]) == date(2022, 4, 21)


def test_long_contract():
    assert due_date(date(2020, 1, 15), 500) == date(2021, 12, 30)
"""
