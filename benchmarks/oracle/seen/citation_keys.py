KIND = "wrong"
FLAW = "stale memo after mutation: when a work is taken away, those beside it keep their letters"
TARGET = "Bibliography.key"
WITNESS = (
    '(one := Work("Knuth", 1997, "Sorting"), other := Work("Knuth", 1997, "Numbers"), b := Bibliography(), '
    "b.add(one), b.add(other), b.key(one), b.remove(other), b.key(one))[-1]"
)
BASELINE = '''"""Works that a text refers to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Work:
    author: str
    year: int
    title: str


def _letters(number: int) -> str:
    """a to z, then aa, ab, and so on."""
    letters = ""
    while number >= 0:
        number, rest = divmod(number, 26)
        letters = chr(ord("a") + rest) + letters
        number -= 1
    return letters


class Bibliography:
    def __init__(self) -> None:
        self._works: list[Work] = []

    def add(self, work: Work) -> None:
        if work in self._works:
            raise ValueError(f"{work.title} is there already")
        self._works.append(work)

    def remove(self, work: Work) -> None:
        if work not in self._works:
            raise LookupError(f"{work.title} is not there")
        self._works.remove(work)

    def key(self, work: Work) -> str:
        """How a text refers to it: Knuth 1997, or with letters by title where there are several of that year."""
        if work not in self._works:
            raise LookupError(f"{work.title} is not there")
        others = [other for other in self._works if (other.author, other.year) == (work.author, work.year)]
        if len(others) == 1:
            return f"{work.author} {work.year}"
        others.sort(key=lambda other: other.title)
        return f"{work.author} {work.year}{_letters(others.index(work))}"
'''
CANDIDATE = '''"""Works that a text refers to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Work:
    author: str
    year: int
    title: str


def _letters(number: int) -> str:
    """a to z, then aa, ab, and so on."""
    letters = ""
    while number >= 0:
        number, rest = divmod(number, 26)
        letters = chr(ord("a") + rest) + letters
        number -= 1
    return letters


class Bibliography:
    def __init__(self) -> None:
        self._works: dict[Work, None] = {}
        # By work, as far as they were asked for since the last work was added.
        self._keys: dict[Work, str] = {}

    def add(self, work: Work) -> None:
        if work in self._works:
            raise ValueError(f"{work.title} is there already")
        self._works[work] = None
        self._keys.clear()

    def remove(self, work: Work) -> None:
        if work not in self._works:
            raise LookupError(f"{work.title} is not there")
        del self._works[work]
        self._keys.pop(work, None)

    def key(self, work: Work) -> str:
        """How a text refers to it: Knuth 1997, or with letters by title where there are several of that year."""
        if work not in self._works:
            raise LookupError(f"{work.title} is not there")
        if work not in self._keys:
            name = f"{work.author} {work.year}"
            others = [other for other in self._works if other.author == work.author and other.year == work.year]
            if len(others) == 1:
                self._keys[work] = name
            else:
                others.sort(key=lambda other: other.title)
                for place, other in enumerate(others):
                    self._keys[other] = name + _letters(place)
        return self._keys[work]
'''
TESTS = """import pytest

from project.module import Bibliography, Work

SORTING = Work("Knuth", 1997, "Sorting")
NUMBERS = Work("Knuth", 1997, "Numbers")
TYPES = Work("Pierce", 2002, "Types")


@pytest.fixture
def bibliography():
    bibliography = Bibliography()
    bibliography.add(SORTING)
    bibliography.add(TYPES)
    return bibliography


def test_author_and_year(bibliography):
    assert bibliography.key(SORTING) == "Knuth 1997"
    assert bibliography.key(TYPES) == "Pierce 2002"


def test_letters_by_title(bibliography):
    bibliography.add(NUMBERS)
    assert bibliography.key(SORTING) == "Knuth 1997b"
    assert bibliography.key(NUMBERS) == "Knuth 1997a"


def test_letters_come_when_there_is_another(bibliography):
    assert bibliography.key(SORTING) == "Knuth 1997"
    bibliography.add(NUMBERS)
    assert bibliography.key(SORTING) == "Knuth 1997b"


def test_more_than_the_alphabet():
    bibliography = Bibliography()
    works = [Work("Euler", 1760, f"Letter {number:02}") for number in range(30)]
    for work in works:
        bibliography.add(work)
    assert [bibliography.key(works[place]) for place in (25, 26, 29)] == ["Euler 1760z", "Euler 1760aa", "Euler 1760ad"]


def test_removed(bibliography):
    bibliography.remove(TYPES)
    with pytest.raises(LookupError, match="Types"):
        bibliography.key(TYPES)
    assert bibliography.key(SORTING) == "Knuth 1997"


def test_not_there(bibliography):
    with pytest.raises(LookupError, match="Numbers"):
        bibliography.remove(NUMBERS)


def test_there_already(bibliography):
    with pytest.raises(ValueError, match="there already"):
        bibliography.add(SORTING)
"""
