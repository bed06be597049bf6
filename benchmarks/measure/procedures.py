"""How others decide which of two functions is faster, each in about the same measuring time.

    python procedures.py PROCEDURE SECONDS SEED BASELINE CANDIDATE ARGUMENTS

Prints what it says: whether the candidate is faster, and where there is one, the interval of its speedup. Written from
the documented rules of the tools that they are named for, not with their code.
"""

from __future__ import annotations

import json
import math
import pickle
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

# scipy is imported where it is used: the processes that are timed have no need of it.
# Below this a difference is not called one, where the procedure has no rule of its own.
MARGIN = 0.01


def loaded(path: str):
    space = {"__name__": "candidate"}
    exec(compile(Path(path).read_text(), path, "exec"), space)
    return space["f"]


def calls_in(function, arguments, seconds: float) -> int:
    """How many calls take about so long."""
    count = 1
    while True:
        took = timed(function, arguments, count)
        if took > min(seconds, 0.005) or count > 1e8:
            return max(1, round(count * seconds / max(took, 1e-9)))
        count *= 4


def timed(function, arguments, count: int) -> float:
    clock = time.perf_counter
    began = clock()
    for _ in range(count):
        function(*arguments)
    return clock() - began


def samples(function, arguments, *, seconds: float, most: int) -> list[float]:
    """Times of one call, each the mean of as many calls as make so many samples in the time."""
    count = calls_in(function, arguments, seconds / most)
    per_call = timed(function, arguments, count) / count
    many = max(1, min(most, int(seconds / (count * per_call))))
    return [timed(function, arguments, count) / count for _ in range(many)]


def verdict(faster, low: float | None = None, high: float | None = None) -> dict:
    return {"faster": bool(faster), "low": low, "high": high}


def sum_of_minima(baseline, candidate, arguments, seconds, _):
    """Sequential; the best of some loops each; at least 5 % better (codeflash's way)."""
    best = [min(samples(one, arguments, seconds=seconds / 2, most=100)) for one in (baseline, candidate)]
    return verdict(best[0] / best[1] > 1.05)


def medians(baseline, candidate, arguments, seconds, _):
    """Sequential; rounds each, compared by their median (pytest-benchmark's way)."""
    middle = [
        statistics.median(samples(one, arguments, seconds=seconds / 2, most=200)) for one in (baseline, candidate)
    ]
    return verdict(middle[0] / middle[1] >= 1 + MARGIN)


def mean_of_5(baseline, candidate, arguments, seconds, _):
    """Sequential; the mean of five."""
    mean = [statistics.fmean(samples(one, arguments, seconds=seconds / 2, most=5)) for one in (baseline, candidate)]
    return verdict(mean[0] / mean[1] >= 1 + MARGIN)


def mann_whitney(baseline, candidate, arguments, seconds, _):
    """Sequential; twenty each, and the Mann–Whitney test at 5 %."""
    first, second = (samples(one, arguments, seconds=seconds / 2, most=20) for one in (baseline, candidate))
    from scipy import stats

    better = stats.mannwhitneyu(first, second, alternative="greater").pvalue < 0.05
    return verdict(better and statistics.median(first) / statistics.median(second) >= 1 + MARGIN)


def _interval(first: list[float], second: list[float], confidence: float = 0.95) -> tuple[float, float]:
    """Welch's interval of the ratio of means, by way of logarithms."""
    from scipy import stats

    one, other = [math.log(value) for value in first], [math.log(value) for value in second]
    found = stats.ttest_ind(one, other, equal_var=False).confidence_interval(confidence)
    return math.exp(found.low), math.exp(found.high)


def _welch(first: list[float], second: list[float]) -> dict:
    low, high = _interval(first, second)
    return verdict(low > 1 and statistics.fmean(first) / statistics.fmean(second) >= 1 + MARGIN, low, high)


def several_processes(baseline, candidate, arguments, seconds, _):
    """Ten processes for each, one after the other, a mean from each, and a t-test (pyperf's way)."""
    both = []
    for path in PATHS:
        means = []
        for _ in range(10):
            command = [sys.executable, "-I", __file__, "values", str(seconds / 20), "0", path, path, ARGUMENTS]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            means.append(statistics.fmean(json.loads(done.stdout)))
        both.append(means)
    return _welch(*both)


def whole_commands(baseline, candidate, arguments, seconds, _):
    """A command of some 30 ms of work, started again and again, and Welch's interval (hyperfine's way)."""
    count = calls_in(baseline, arguments, 0.03)
    runs = max(5, int(seconds / 2 / 0.08))
    both = []
    for path in PATHS:
        program = (
            "import pickle,sys\nspace={}\nexec(open(sys.argv[1]).read(),space)\nf=space['f']\n"
            "a=pickle.load(open(sys.argv[2],'rb'))[0]\nfor _ in range(int(sys.argv[3])): f(*a)\n"
        )
        times = []
        for _ in range(runs):
            began = time.perf_counter()
            subprocess.run([sys.executable, "-I", "-S", "-c", program, path, ARGUMENTS, str(count)], check=True)
            times.append(time.perf_counter() - began)
        both.append(times)
    return _welch(*both)


def values(baseline, candidate, arguments, seconds, _):
    """The part of one process in `several_processes`."""
    return samples(baseline, arguments, seconds=seconds, most=10)


PROCEDURES = {
    one.__name__: one
    for one in (sum_of_minima, medians, several_processes, whole_commands, mean_of_5, mann_whitney, values)
}

if __name__ == "__main__":
    name, seconds, seed, *PATHS, ARGUMENTS = sys.argv[1:]
    random.seed(int(seed))
    arguments = pickle.loads(Path(ARGUMENTS).read_bytes())[0]
    print(json.dumps(PROCEDURES[name](*map(loaded, PATHS), arguments, float(seconds), None)))
