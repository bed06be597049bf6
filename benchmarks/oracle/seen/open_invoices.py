KIND = "wrong"
FLAW = "duplicates lost: one payment settles every invoice of that amount"
TARGET = "unpaid"
WITNESS = 'unpaid([Invoice("A", 500), Invoice("B", 500)], [500])'
BASELINE = '''"""Matching payments with invoices."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Invoice:
    number: str
    cents: int


def unpaid(invoices: list[Invoice], payments: list[int]) -> list[Invoice]:
    """The invoices that no payment settles. Each payment settles the first invoice of exactly its amount."""
    left = list(payments)
    still_open = []
    for invoice in invoices:
        if invoice.cents in left:
            left.remove(invoice.cents)
        else:
            still_open.append(invoice)
    return still_open
'''
CANDIDATE = '''"""Matching payments with invoices."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Invoice:
    number: str
    cents: int


def unpaid(invoices: list[Invoice], payments: list[int]) -> list[Invoice]:
    """The invoices that no payment settles. Each payment settles the first invoice of exactly its amount."""
    if not payments:
        return list(invoices)
    settled = set(payments)
    return [invoice for invoice in invoices if invoice.cents not in settled]
'''
TESTS = """from project.module import Invoice, unpaid

RENT = Invoice("2024-01", 95_000)
POWER = Invoice("2024-02", 12_050)
WATER = Invoice("2024-03", 4_300)


def test_everything_is_paid():
    assert unpaid([RENT, POWER], [12_050, 95_000]) == []


def test_what_is_open_keeps_its_order():
    assert unpaid([WATER, RENT, POWER], [95_000]) == [WATER, POWER]


def test_no_payments():
    invoices = [RENT, WATER]
    result = unpaid(invoices, [])
    assert result == invoices
    assert result is not invoices


def test_the_same_amount_twice():
    again = Invoice("2024-04", 95_000)
    assert unpaid([RENT, again, WATER], [95_000, 95_000]) == [WATER]


def test_a_payment_that_fits_nothing():
    assert unpaid([POWER], [12_000, 60]) == [POWER]


def test_payments_are_left_alone():
    payments = [95_000, 4_300]
    unpaid([RENT], payments)
    assert payments == [95_000, 4_300]
"""
