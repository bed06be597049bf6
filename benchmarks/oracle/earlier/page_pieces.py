KIND = "wrong"
FLAW = "order of output: a piece that was stored again under another tag is named last"
TARGET = "Pieces.drop"
WITNESS = (
    '(pieces := Pieces(), pieces.store("menu", "m", tags=["shop"]), pieces.store("news", "n", tags=["blog"]), '
    'pieces.store("menu", "m", tags=["blog"]), pieces.drop("blog"))[-1]'
)
BASELINE = '''"""Pieces of pages that are kept until something they show is changed."""

from __future__ import annotations

from collections.abc import Iterable


class Pieces:
    """Pieces by their names, with tags for what they show."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._tags: dict[str, set[str]] = {}

    def store(self, name: str, text: str, *, tags: Iterable[str] = ()) -> None:
        """Keeps a piece, in the place of the one with this name if there is one."""
        self._texts[name] = text
        self._tags[name] = set(tags)

    def get(self, name: str) -> str | None:
        return self._texts.get(name)

    def drop(self, tag: str) -> list[str]:
        """Forgets the pieces with this tag. Their names, in the order in which the pieces are kept."""
        dropped: list[str] = []
        for name in list(self._texts):
            if tag in self._tags[name]:
                del self._texts[name]
                del self._tags[name]
                dropped = dropped + [name]
        return dropped
'''
CANDIDATE = '''"""Pieces of pages that are kept until something they show is changed."""

from __future__ import annotations

from collections.abc import Iterable


class Pieces:
    """Pieces by their names, with tags for what they show."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._tags: dict[str, set[str]] = {}
        self._names: dict[str, dict[str, None]] = {}

    def store(self, name: str, text: str, *, tags: Iterable[str] = ()) -> None:
        """Keeps a piece, in the place of the one with this name if there is one."""
        known, wanted = self._tags.get(name, set()), set(tags)
        for tag in known - wanted:
            del self._names[tag][name]
        for tag in wanted - known:
            self._names.setdefault(tag, {})[name] = None
        self._texts[name] = text
        self._tags[name] = wanted

    def get(self, name: str) -> str | None:
        return self._texts.get(name)

    def drop(self, tag: str) -> list[str]:
        """Forgets the pieces with this tag. Their names, in the order in which the pieces are kept."""
        dropped = list(self._names.get(tag, ()))
        for name in dropped:
            del self._texts[name]
            for known in self._tags.pop(name):
                del self._names[known][name]
        return dropped
'''
TESTS = """import pytest

from project.module import Pieces


@pytest.fixture
def pieces():
    pieces = Pieces()
    pieces.store("basket", "3 things", tags=["shop", "user"])
    pieces.store("menu", "Home | Shop")
    pieces.store("offer", "Shoes", tags=["shop"])
    pieces.store("news", "Hello", tags=["blog"])
    return pieces


def test_what_is_kept(pieces):
    assert pieces.get("menu") == "Home | Shop"
    assert pieces.get("footer") is None


def test_drop(pieces):
    assert pieces.drop("shop") == ["basket", "offer"]
    assert [pieces.get(name) for name in ("basket", "menu", "offer", "news")] == [None, "Home | Shop", None, "Hello"]


def test_nothing_is_dropped_twice(pieces):
    assert pieces.drop("user") == ["basket"]
    assert pieces.drop("shop") == ["offer"]
    assert pieces.drop("shop") == []


def test_an_unknown_tag(pieces):
    assert pieces.drop("weather") == []


def test_a_piece_keeps_its_place(pieces):
    pieces.store("basket", "4 things", tags=["user", "shop"])
    assert pieces.get("basket") == "4 things"
    assert pieces.drop("shop") == ["basket", "offer"]


def test_other_tags(pieces):
    pieces.store("offer", "Hats", tags=["blog"])
    assert pieces.drop("shop") == ["basket"]
    assert pieces.get("offer") == "Hats"


def test_stored_after_it_was_dropped(pieces):
    pieces.drop("user")
    pieces.store("basket", "empty", tags=["shop"])
    assert pieces.drop("shop") == ["offer", "basket"]
"""
