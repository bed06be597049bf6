TARGET = "best_coupons"
SLOW = "all orders of all subsets are tried, though most cannot be combined, with prices added up for each"
SOURCE = '''"""Which coupons of a customer save most on a cart."""

from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Optional


@dataclass(frozen=True)
class Coupon:
    code: str
    percent: int = 0
    cents: int = 0
    category: Optional[str] = None
    minimum: int = 0
    alone: bool = False


@dataclass(frozen=True)
class Item:
    name: str
    cents: int
    count: int = 1
    category: str = ""


def subtotal(items, category=None):
    return sum(item.cents * item.count for item in items if category is None or item.category == category)


def price(items, coupons):
    """What is to be paid when the coupons are used in this order; None if they cannot be."""
    total = subtotal(items)
    for coupon in coupons:
        if coupon.alone and len(coupons) > 1:
            return None
        if subtotal(items) < coupon.minimum:
            return None
        share = subtotal(items, coupon.category)
        if share == 0:
            return None
        if coupon.percent:
            total -= min(total, share) * coupon.percent // 100
        total = max(0, total - coupon.cents)
    return total


def best_coupons(items, coupons, most=3):
    """The lowest price and the codes for it, as few as will do."""
    best = (subtotal(items), ())
    for count in range(1, most + 1):
        for chosen in combinations(sorted(coupons, key=lambda c: c.code), count):
            for order in permutations(chosen):
                total = price(items, order)
                if total is not None and total < best[0]:
                    best = (total, tuple(coupon.code for coupon in order))
    return best
'''
TESTS = """from project.module import Coupon, Item, best_coupons, price, subtotal

CART = [Item("tea", 500, 2, "food"), Item("cup", 1000)]


def test_subtotal():
    assert subtotal(CART) == 2000
    assert subtotal(CART, "food") == 1000


def test_price():
    assert price(CART, [Coupon("A", percent=10)]) == 1800
    assert price(CART, [Coupon("A", cents=5000)]) == 0
    assert price(CART, [Coupon("A", percent=50, category="food")]) == 1500
    assert price(CART, [Coupon("A", cents=5, minimum=2001)]) is None


def test_order_matters():
    coupons = [Coupon("A", cents=1000), Coupon("B", percent=50)]
    assert best_coupons(CART, coupons) == (0, ("B", "A"))


def test_alone():
    coupons = [Coupon("A", cents=900, alone=True), Coupon("B", cents=500), Coupon("C", cents=300)]
    assert best_coupons(CART, coupons) == (1100, ("A",))


def test_nothing_helps():
    assert best_coupons(CART, []) == (2000, ())
    assert best_coupons([], [Coupon("A", cents=5)]) == (0, ())


def test_at_most_so_many():
    coupons = [Coupon(code, cents=100) for code in "ABCD"]
    assert best_coupons(CART, coupons, most=2) == (1800, ("A", "B"))


def test_a_drawer_of_coupons():
    categories = ["food", None, "toys"]
    coupons = [Coupon("C%02d" % n, percent=n, category=categories[n % 3], minimum=n * 200) for n in range(12)]
    total, codes = best_coupons(CART, coupons)
    assert codes == ("C07", "C10", "C09")
    assert total == 1584
"""
