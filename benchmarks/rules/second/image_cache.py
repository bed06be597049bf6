TARGET = "ImageCache.load_all"
SLOW = "what to drop is found by looking at all entries, sizes are added up after every step"
SOURCE = '''"""Keeps scaled images at hand, up to a total size."""

from collections import namedtuple

Image = namedtuple("Image", "name width height")


class Entry:
    def __init__(self, key, image, order):
        self.key = key
        self.image = image
        self.used = order

    def size(self):
        return self.image.width * self.image.height * 4


class ImageCache:
    def __init__(self, loader, limit):
        self.loader = loader
        self.limit = limit
        self.entries = []
        self.ticks = 0
        self.misses = 0

    def find(self, key):
        for entry in self.entries:
            if entry.key == key:
                return entry
        return None

    def total(self):
        return sum(entry.size() for entry in self.entries)

    def shrink(self):
        while self.total() > self.limit and len(self.entries) > 1:
            oldest = sorted(self.entries, key=lambda entry: entry.used)[0]
            self.entries = [entry for entry in self.entries if entry.key != oldest.key]

    def load(self, name, width):
        self.ticks += 1
        entry = self.find((name, width))
        if entry is None:
            self.misses += 1
            entry = Entry((name, width), self.scaled(self.loader(name), width), self.ticks)
            self.entries.append(entry)
            self.shrink()
        else:
            entry.used = self.ticks
        return entry.image

    def scaled(self, image, width):
        if image.width <= width:
            return image
        return Image(image.name, width, max(1, image.height * width // image.width))

    def load_all(self, requests):
        """The images for pairs of a name and a width, in this order; the least recently used ones are dropped."""
        return [self.load(name, width) for name, width in requests]
'''
TESTS = """import pytest

from project.module import Image, ImageCache


def loader(name):
    if name.startswith("no"):
        raise FileNotFoundError(name)
    return Image(name, 100, 50)


def test_scaled():
    cache = ImageCache(loader, 10**6)
    assert cache.load_all([("a", 10), ("a", 200)]) == [Image("a", 10, 5), Image("a", 100, 50)]


def test_hits():
    cache = ImageCache(loader, 10**6)
    cache.load_all([("a", 10), ("b", 10), ("a", 10)])
    assert cache.misses == 2
    assert [entry.used for entry in cache.entries] == [3, 2]


def test_least_recently_used_is_dropped():
    cache = ImageCache(loader, 400)
    cache.load_all([("a", 10), ("b", 10), ("a", 10), ("c", 10)])
    assert [entry.key for entry in cache.entries] == [("a", 10), ("c", 10)]
    assert cache.total() == 400


def test_one_is_always_kept():
    cache = ImageCache(loader, 1)
    cache.load_all([("a", 10), ("b", 10)])
    assert [entry.key for entry in cache.entries] == [("b", 10)]


def test_missing_image():
    cache = ImageCache(loader, 1000)
    with pytest.raises(FileNotFoundError):
        cache.load_all([("a", 10), ("nothing", 10)])
    assert [entry.key for entry in cache.entries] == [("a", 10)]


def test_a_gallery():
    cache = ImageCache(loader, 60 * 200)
    images = cache.load_all([("i%d" % (n * 7 % 90), 10) for n in range(270)])
    assert len(images) == 270
    assert cache.misses == 270
    assert len(cache.entries) == 60
"""
