KIND = "wrong"
FLAW = "exceptions and state: the entries before a bad one are no longer made"
TARGET = "post"
WITNESS = "(book := {'cash': 5, 'bank': 0}, post_page(book, 'cash bank 2 \\n cash hank 1'))"
BASELINE = '''"""Entries into the books of a club."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, MutableMapping


class BadEntry(Exception):
    """An entry that cannot be made."""


def post(balances: MutableMapping[str, int], entries: Iterable[tuple[str, str, int]]) -> int:
    """Move each amount, in cents, from its first account to its second, and say how many were moved."""
    count = 0
    for source, target, cents in entries:
        if cents <= 0:
            raise BadEntry(f"nothing to move: {cents}")
        for account in (source, target):
            if account not in balances:
                raise BadEntry(f"no such account: {account}")
        balances[source] = balances[source] - cents
        balances[target] = balances[target] + cents
        count += 1
    return count


def post_page(balances: MutableMapping[str, int], page: str) -> str:
    """Make the entries of a page, one in a line: from, to, cents. Where one is bad, say so instead of how many."""
    entries = [line.split() for line in page.splitlines() if line.strip()]
    try:
        count = post(balances, ((source, target, int(cents)) for source, target, cents in entries))
    except (BadEntry, ValueError) as error:
        return f"stopped: {error}"
    return f"{count} entries"
'''
CANDIDATE = '''"""Entries into the books of a club."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, MutableMapping


class BadEntry(Exception):
    """An entry that cannot be made."""


def post(balances: MutableMapping[str, int], entries: Iterable[tuple[str, str, int]]) -> int:
    """Move each amount, in cents, from its first account to its second, and say how many were moved."""
    changes: defaultdict[str, int] = defaultdict(int)
    count = 0
    for source, target, cents in entries:
        if cents <= 0:
            raise BadEntry(f"nothing to move: {cents}")
        for account in (source, target):
            if account not in changes and account not in balances:
                raise BadEntry(f"no such account: {account}")
        changes[source] -= cents
        changes[target] += cents
        count += 1
    for account, change in changes.items():
        if change:
            balances[account] += change
    return count


def post_page(balances: MutableMapping[str, int], page: str) -> str:
    """Make the entries of a page, one in a line: from, to, cents. Where one is bad, say so instead of how many."""
    entries = [line.split() for line in page.splitlines() if line.strip()]
    try:
        count = post(balances, ((source, target, int(cents)) for source, target, cents in entries))
    except (BadEntry, ValueError) as error:
        return f"stopped: {error}"
    return f"{count} entries"
'''
TESTS = r"""import pytest

from project.module import BadEntry, post, post_page


@pytest.fixture
def balances():
    return {"cash": 10000, "bank": 50000, "dues": 0}


def test_one_entry(balances):
    assert post(balances, [("cash", "bank", 2500)]) == 1
    assert balances == {"cash": 7500, "bank": 52500, "dues": 0}


def test_there_and_back(balances):
    assert post(balances, [("cash", "bank", 2500), ("bank", "cash", 2500)]) == 2
    assert balances == {"cash": 10000, "bank": 50000, "dues": 0}


def test_an_account_may_go_below_nought(balances):
    post(balances, [("dues", "bank", 1), ("dues", "bank", 2)])
    assert balances["dues"] == -3


def test_no_entries(balances):
    assert post(balances, []) == 0


def test_an_unknown_account(balances):
    with pytest.raises(BadEntry, match="petty"):
        post(balances, [("cash", "petty", 100)])
    assert balances == {"cash": 10000, "bank": 50000, "dues": 0}


@pytest.mark.parametrize("cents", [0, -5])
def test_nothing_to_move(balances, cents):
    with pytest.raises(BadEntry, match="nothing to move"):
        post(balances, [("cash", "bank", cents)])


def test_a_page(balances):
    assert post_page(balances, "dues bank 1200\n\ndues cash 300\n") == "2 entries"
    assert balances == {"cash": 10300, "bank": 51200, "dues": -1500}


def test_a_page_with_a_slip(balances):
    assert post_page(balances, "dues bank 1200\ndues hank 300\n") == "stopped: no such account: hank"
"""
