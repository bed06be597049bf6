KIND = "wrong"
FLAW = "recursion: a text with many revisions is too deep"
TARGET = "Revision.text"
WITNESS = '(__import__("functools").reduce(lambda last, n: last.insert(n, "x"), range(3000), Revision())).text()[:5]'
BASELINE = '''"""The history of a text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Revision:
    """A change to the text as it was before: some characters go at a place, others come there."""

    before: Revision | None = None
    place: int = 0
    removed: int = 0
    added: str = ""

    def insert(self, place: int, added: str) -> Revision:
        return Revision(self, place, 0, added)

    def delete(self, place: int, count: int = 1) -> Revision:
        return Revision(self, place, count, "")

    def text(self) -> str:
        """The text after this change and all before it; without any change it is empty."""
        changes: list[Revision] = []
        revision: Revision | None = self
        while revision is not None:
            changes.insert(0, revision)
            revision = revision.before
        text = ""
        for change in changes:
            if not 0 <= change.place <= len(text) - change.removed:
                raise IndexError(f"no {change.removed} characters at {change.place}")
            text = text[: change.place] + change.added + text[change.place + change.removed :]
        return text
'''
CANDIDATE = '''"""The history of a text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Revision:
    """A change to the text as it was before: some characters go at a place, others come there."""

    before: Revision | None = None
    place: int = 0
    removed: int = 0
    added: str = ""

    def insert(self, place: int, added: str) -> Revision:
        return Revision(self, place, 0, added)

    def delete(self, place: int, count: int = 1) -> Revision:
        return Revision(self, place, count, "")

    @cached_property
    def _text(self) -> str:
        text = "" if self.before is None else self.before._text
        place, removed = self.place, self.removed
        if not 0 <= place <= len(text) - removed:
            raise IndexError(f"no {removed} characters at {place}")
        return text[:place] + self.added + text[place + removed :]

    def text(self) -> str:
        """The text after this change and all before it; without any change it is empty."""
        return self._text
'''
TESTS = """import pytest

from project.module import Revision


def test_nothing_yet():
    assert Revision().text() == ""


def test_insertions():
    assert Revision().insert(0, "held").insert(2, "llo wor").text() == "hello world"


def test_deletions():
    draft = Revision().insert(0, "a good day")
    assert draft.delete(1, 5).text() == "a day"
    assert draft.text() == "a good day"


def test_two_ways_from_one_draft():
    draft = Revision().insert(0, "tea")
    assert draft.insert(3, "m").text() == "team"
    assert draft.insert(0, "s").text() == "stea"


def test_a_place_that_is_not_there():
    with pytest.raises(IndexError, match="at 4"):
        Revision().insert(0, "tea").insert(4, "!").text()


def test_too_much_goes():
    with pytest.raises(IndexError):
        Revision().insert(0, "tea").delete(2, 2).text()


def test_a_long_history():
    revision = Revision()
    for number in range(40):
        revision = revision.insert(number, str(number % 10))
    assert revision.text() == "0123456789" * 4
"""
