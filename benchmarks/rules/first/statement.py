TARGET = "statement"
SLOW = "the balance of an account is computed anew from all bookings for every line"
SOURCE = '''"""Account statements from the journal."""

from dataclasses import dataclass
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")


@dataclass(frozen=True)
class Booking:
    day: str
    debit: str
    credit: str
    amount: str
    text: str = ""

    def date(self) -> date:
        return datetime.strptime(self.day, "%Y-%m-%d").date()

    def value(self) -> Decimal:
        return Decimal(self.amount).quantize(CENT, rounding=ROUND_HALF_UP)


def balance(journal, account, until):
    total = Decimal("0.00")
    for booking in journal:
        if booking.date() > until:
            continue
        if booking.debit == account:
            total += booking.value()
        if booking.credit == account:
            total -= booking.value()
    return total


def statement(journal, account, first, last):
    """The days with bookings of the account: (day, texts, change, balance at its end)."""
    ordered = sorted(journal, key=lambda booking: booking.date())
    days = []
    for booking in ordered:
        if account in (booking.debit, booking.credit) and first <= booking.date() <= last:
            if booking.date() not in days:
                days.append(booking.date())
    result = []
    for day in days:
        texts = [b.text for b in ordered if b.date() == day and account in (b.debit, b.credit)]
        before = balance(journal, account, date.fromordinal(day.toordinal() - 1))
        after = balance(journal, account, day)
        result.append((day.isoformat(), ", ".join(text for text in texts if text), after - before, after))
    return result
'''
TESTS = """from datetime import date
from decimal import Decimal

from project.module import Booking, balance, statement

JOURNAL = [
    Booking("2021-01-05", "bank", "sales", "100.005", "invoice 1"),
    Booking("2021-01-02", "bank", "capital", "1000", "start"),
    Booking("2021-01-05", "rent", "bank", "300", "January"),
    Booking("2021-02-05", "rent", "bank", "300"),
]
FIRST, LAST = date(2021, 1, 3), date(2021, 12, 31)


def test_balance():
    assert balance(JOURNAL, "bank", date(2021, 1, 2)) == Decimal("1000.00")
    assert balance(JOURNAL, "sales", LAST) == Decimal("-100.01")


def test_statement():
    assert statement(JOURNAL, "bank", FIRST, LAST) == [
        ("2021-01-05", "invoice 1, January", Decimal("-199.99"), Decimal("800.01")),
        ("2021-02-05", "", Decimal("-300.00"), Decimal("500.01")),
    ]


def test_unknown_account():
    assert statement(JOURNAL, "x", FIRST, LAST) == []


def test_empty_journal():
    assert statement([], "bank", FIRST, LAST) == []


def test_a_booking_to_itself():
    journal = [Booking("2021-05-05", "bank", "bank", "5", "?")]
    assert statement(journal, "bank", FIRST, LAST) == [("2021-05-05", "?", Decimal("0.00"), Decimal("0.00"))]


def test_a_month():
    journal = [Booking("2021-03-%02d" % (n % 8 + 1), "bank", "sales", "%d.10" % n, "i%d" % n) for n in range(40)]
    lines = statement(journal, "bank", FIRST, LAST)
    assert len(lines) == 8
    assert lines[-1][3] == Decimal("784.00")
"""
