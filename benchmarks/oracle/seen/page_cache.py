KIND = "wrong"
FLAW = "a full cache evicts the oldest page instead of the least recently used"
TARGET = "PageCache.page"
WITNESS = '(c := PageCache(Archive(list("abcd")), size=2), [c.page(n) for n in (0, 1, 0, 2, 0)], c.archive.reads)[2]'
BASELINE = '''"""Pages of an archive, the recent ones at hand."""

from __future__ import annotations

from collections import OrderedDict


class Archive:
    """Pages that are slow to read; notes which were."""

    def __init__(self, pages: list[str]) -> None:
        self.pages = pages
        self.reads: list[int] = []

    def read(self, number: int) -> str:
        self.reads.append(number)
        return self.pages[number]


class PageCache:
    """Keeps the pages that were asked for most recently."""

    def __init__(self, archive: Archive, size: int = 4) -> None:
        if size < 0:
            raise ValueError("size must not be negative")
        self.archive = archive
        self.size = size
        self.kept: OrderedDict[int, str] = OrderedDict()

    def page(self, number: int) -> str:
        if number in list(self.kept):
            text = self.kept[number]
            del self.kept[number]
        else:
            text = self.archive.read(number)
        self.kept[number] = text
        while len(list(self.kept)) > self.size:
            oldest = list(self.kept)[0]
            del self.kept[oldest]
        return text
'''
CANDIDATE = '''"""Pages of an archive, the recent ones at hand."""

from __future__ import annotations

from collections import OrderedDict


class Archive:
    """Pages that are slow to read; notes which were."""

    def __init__(self, pages: list[str]) -> None:
        self.pages = pages
        self.reads: list[int] = []

    def read(self, number: int) -> str:
        self.reads.append(number)
        return self.pages[number]


class PageCache:
    """Keeps the pages that were asked for most recently."""

    def __init__(self, archive: Archive, size: int = 4) -> None:
        if size < 0:
            raise ValueError("size must not be negative")
        self.archive = archive
        self.size = size
        self.kept: OrderedDict[int, str] = OrderedDict()

    def page(self, number: int) -> str:
        try:
            text = self.kept[number]
        except KeyError:
            text = self.archive.read(number)
        self.kept[number] = text
        if len(self.kept) > self.size:
            self.kept.popitem(last=False)
        return text
'''
TESTS = """import pytest

from project.module import Archive, PageCache


@pytest.fixture
def archive():
    return Archive(["cover", "contents", "one", "two", "three"])


def test_a_page(archive):
    assert PageCache(archive).page(2) == "one"


def test_a_page_is_read_once(archive):
    cache = PageCache(archive)
    assert [cache.page(1), cache.page(1), cache.page(1)] == ["contents"] * 3
    assert archive.reads == [1]


def test_old_pages_are_dropped(archive):
    cache = PageCache(archive, size=2)
    for number in (0, 1, 2, 0):
        cache.page(number)
    assert archive.reads == [0, 1, 2, 0]
    assert list(cache.kept) == [2, 0]


def test_the_last_page_stays(archive):
    cache = PageCache(archive, size=2)
    for number in (3, 4, 4, 1, 4):
        cache.page(number)
    assert archive.reads == [3, 4, 1]


def test_a_cache_without_room(archive):
    cache = PageCache(archive, size=0)
    assert cache.page(0) == cache.page(0) == "cover"
    assert archive.reads == [0, 0]


def test_a_page_that_is_not_there(archive):
    cache = PageCache(archive)
    with pytest.raises(IndexError):
        cache.page(9)
    assert not cache.kept
"""
