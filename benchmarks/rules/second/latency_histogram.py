TARGET = "Histogram.add_all"
SLOW = "the bucket is searched from the first one on, and the summary is brought up to date at each value"
SOURCE = '''"""Histograms of response times."""


def exponential_bounds(first, factor, count):
    bounds = []
    for power in range(count):
        bounds.append(round(first * factor**power, 6))
    return bounds


class Histogram:
    def __init__(self, bounds):
        if list(bounds) != sorted(set(bounds)):
            raise ValueError("bounds must rise")
        self.bounds = list(bounds)
        self.counts = [0] * (len(self.bounds) + 1)
        self.values = []
        self.slowest = []
        self.mean = None

    def bucket(self, value):
        for index in range(len(self.bounds)):
            if value <= self.bounds[index]:
                return index
        return len(self.bounds)

    def add(self, value, label=None):
        if value < 0:
            raise ValueError("negative: %r" % value)
        self.counts[self.bucket(value)] += 1
        self.values.append(value)
        self.mean = sum(self.values) / len(self.values)
        self.slowest.append((value, label))
        self.slowest = sorted(self.slowest, key=lambda pair: -pair[0])[:5]

    def add_all(self, samples):
        """Samples are numbers, or pairs of a number and a label."""
        for sample in samples:
            if isinstance(sample, tuple):
                value, label = sample
            else:
                value, label = sample, None
            self.add(value, label)
        return self

    def quantile(self, share):
        """The upper bound of the bucket in which this share of the values is reached."""
        wanted = share * sum(self.counts)
        for index in range(len(self.counts)):
            if sum(self.counts[: index + 1]) >= wanted:
                return self.bounds[index] if index < len(self.bounds) else float("inf")
'''
TESTS = """import pytest

from project.module import Histogram, exponential_bounds


def test_bounds():
    assert exponential_bounds(0.1, 2, 4) == [0.1, 0.2, 0.4, 0.8]
    with pytest.raises(ValueError, match="rise"):
        Histogram([2, 1])


def test_counts():
    histogram = Histogram([1, 5, 10]).add_all([1, 0.5, 5, 7, 11, 100])
    assert histogram.counts == [2, 1, 1, 2]
    assert histogram.mean == pytest.approx(20.75)


def test_slowest():
    histogram = Histogram([1]).add_all([(1, "a"), (9, "b"), 3, (9, "c"), 2, 4])
    assert histogram.slowest == [(9, "b"), (9, "c"), (4, None), (3, None), (2, None)]


def test_negative_values():
    histogram = Histogram([1])
    with pytest.raises(ValueError, match="negative: -1"):
        histogram.add_all([2, -1, 3])
    assert histogram.counts == [0, 1]


def test_quantile():
    histogram = Histogram([1, 5, 10]).add_all([1, 2, 3, 20])
    assert histogram.quantile(0.5) == 5
    assert histogram.quantile(1) == float("inf")


def test_many():
    histogram = Histogram(exponential_bounds(1, 1.2, 30))
    histogram.add_all([(n * 37 % 400, "r%d" % n) for n in range(600)])
    assert sum(histogram.counts) == 600
    assert histogram.slowest[0] == (399, "r227")
"""
