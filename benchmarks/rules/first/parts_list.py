TARGET = "explode"
SLOW = "the parts of an assembly are worked out again wherever it is built in, and totals are found by scanning"
SOURCE = '''"""Bills of materials."""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Component:
    assembly: str
    part: str
    quantity: Fraction
    scrap: Fraction = Fraction(0)


class Recursive(ValueError):
    pass


def components_of(assembly, components):
    return [c for c in components if c.assembly == assembly]


def add(totals, part, quantity):
    for index, (name, amount) in enumerate(totals):
        if name == part:
            totals[index] = (name, amount + quantity)
            return totals
    return totals + [(part, quantity)]


def explode(article, components, quantity=1, path=()):
    """What has to be bought for so many of an article: (part, amount), in the order in which parts are first met."""
    if article in path:
        raise Recursive(" > ".join(path + (article,)))
    below = components_of(article, components)
    if not below:
        return [(article, Fraction(quantity))]
    totals = []
    for component in below:
        needed = Fraction(quantity) * component.quantity / (1 - component.scrap)
        for part, amount in explode(component.part, components, needed, path + (article,)):
            totals = add(totals, part, amount)
    return totals
'''
TESTS = """from fractions import Fraction

import pytest

from project.module import Component, Recursive, explode

TABLE = [
    Component("table", "top", Fraction(1)),
    Component("table", "leg", Fraction(4)),
    Component("leg", "screw", Fraction(2), Fraction(1, 5)),
    Component("top", "board", Fraction(3)),
    Component("top", "screw", Fraction(6)),
]


def test_plain_part():
    assert explode("screw", TABLE, 5) == [("screw", 5)]


def test_table():
    assert explode("table", TABLE) == [("board", 3), ("screw", 16)]


def test_several():
    assert dict(explode("leg", TABLE, Fraction(1, 2))) == {"screw": Fraction(5, 4)}


def test_recursive():
    components = [Component("a", "b", Fraction(1)), Component("b", "a", Fraction(1))]
    with pytest.raises(Recursive, match="a > b > a"):
        explode("a", components)


def test_used_in_many_places():
    components = []
    for level in range(6):
        for part in ("m%d" % (level + 1), "n%d" % (level + 1)):
            components.append(Component("m%d" % level, part, Fraction(2)))
            components.append(Component("n%d" % level, part, Fraction(1)))
    assert explode("m0", components) == [("m6", 486), ("n6", 486)]
"""
