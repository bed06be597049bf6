KIND = "wrong"
FLAW = "exception timing: part of an order is taken before the refusal"
TARGET = "Stock.reserve"
WITNESS = (
    '(s := Stock({"nut": 5, "bolt": 1}), __import__("unittest").TestCase().assertRaises(OutOfStock, '
    's.reserve, {"nut": 2, "bolt": 2}), s.on_hand)[2]'
)
BASELINE = '''"""What lies on the shelves."""

from __future__ import annotations


class OutOfStock(Exception):
    """Raised when there is less of an article than was ordered."""


class Stock:
    def __init__(self, on_hand: dict[str, int]) -> None:
        self.on_hand = dict(on_hand)
        self.reserved: dict[str, int] = {}

    def reserve(self, order: dict[str, int]) -> int:
        """Set the articles of an order aside, all or none of them; how many pieces that were."""
        for article, pieces in order.items():
            if pieces < 1:
                raise ValueError(f"{pieces} pieces of {article}")
            if self.on_hand.get(article, 0) < pieces:
                raise OutOfStock(article)
        for article, pieces in order.items():
            self.on_hand[article] -= pieces
        for article, pieces in order.items():
            self.reserved[article] = self.reserved.get(article, 0) + pieces
        return sum([pieces for pieces in order.values()])
'''
CANDIDATE = '''"""What lies on the shelves."""

from __future__ import annotations


class OutOfStock(Exception):
    """Raised when there is less of an article than was ordered."""


class Stock:
    def __init__(self, on_hand: dict[str, int]) -> None:
        self.on_hand = dict(on_hand)
        self.reserved: dict[str, int] = {}

    def reserve(self, order: dict[str, int]) -> int:
        """Set the articles of an order aside, all or none of them; how many pieces that were."""
        on_hand, reserved = self.on_hand, self.reserved
        total = 0
        for article, pieces in order.items():
            if pieces < 1:
                raise ValueError(f"{pieces} pieces of {article}")
            left = on_hand.get(article, 0) - pieces
            if left < 0:
                raise OutOfStock(article)
            on_hand[article] = left
            reserved[article] = reserved.get(article, 0) + pieces
            total += pieces
        return total
'''
TESTS = """import pytest

from project.module import OutOfStock, Stock


@pytest.fixture
def stock():
    return Stock({"bolt": 10, "nut": 4})


def test_pieces_are_set_aside(stock):
    assert stock.reserve({"bolt": 3, "nut": 4}) == 7
    assert stock.on_hand == {"bolt": 7, "nut": 0}
    assert stock.reserved == {"bolt": 3, "nut": 4}


def test_a_second_order_is_added(stock):
    stock.reserve({"bolt": 1})
    stock.reserve({"bolt": 2})
    assert stock.reserved == {"bolt": 3}


def test_an_empty_order(stock):
    assert stock.reserve({}) == 0


def test_too_many(stock):
    with pytest.raises(OutOfStock, match="nut"):
        stock.reserve({"nut": 5, "bolt": 1})
    assert stock.on_hand == {"bolt": 10, "nut": 4}
    assert stock.reserved == {}


def test_an_unknown_article(stock):
    with pytest.raises(OutOfStock, match="washer"):
        stock.reserve({"washer": 1})


def test_no_pieces(stock):
    with pytest.raises(ValueError, match="0 pieces of bolt"):
        stock.reserve({"bolt": 0})
"""
