"""Where the line is drawn: what is held against a candidate, and what is not. Each case was once on the wrong side."""

from __future__ import annotations

from pathlib import Path

import pytest

from bakeoff.events import Verdict
from verify.test_oracle import judged

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


TEST = "from pkg.mod import *\nimport pytest\n\ndef test_it():\n    "


async def verdicts(folder: Path, baseline: str, test: str, target: str = "f", **sources: str):
    files = {"pkg/__init__.py": "", "pkg/mod.py": baseline, "tests/test_mod.py": TEST + test + "\n"}
    every = {"same": baseline + "\n# the same\n", **sources}
    return await judged(folder, every, files=files, target=f"pkg/mod.py::{target}")


def told(found, **expected: Verdict) -> None:
    said = {name: judgement.verdict for name, judgement in found.items()}
    reasons = {name: judgement.reason for name, judgement in found.items()}
    assert said == {"same": Verdict.VERIFIED, **expected}, reasons


async def test_an_input_that_the_baseline_does_not_end_is_no_evidence(tmp_path: Path):
    """A grown number may be a size: the candidate is not asked where the baseline gave up."""
    slow = "def f(n):\n    total = 0\n    for i in range(n):\n        total += i\n    return total\n"
    quick = "def f(n):\n    return n * (n - 1) // 2 if n > 0 else 0\n"
    told(await verdicts(tmp_path, slow, "assert f(10) == 45", quick=quick), quick=Verdict.VERIFIED)


async def test_where_grown_inputs_end_the_baseline_itself_they_are_left_out(tmp_path: Path):
    """By a loop in C that no alarm ends, and that holds the whole call up."""
    baseline = "def f(n):\n    return len(str(7 ** (abs(n) % 10 ** 9 * 50)))\n"
    found = await verdicts(
        tmp_path, baseline, "assert f(2) == 85", wrong=baseline.replace("len(", "1 + len("), target="f"
    )
    told(found, wrong=Verdict.WRONG)


async def test_what_a_candidate_does_to_shared_state_does_not_make_it_right(tmp_path: Path):
    """Once the candidate has run, the baseline beside it answers as the candidate does."""
    baseline = "from decimal import Decimal\n\ndef f(a, b):\n    return str(Decimal(a) / Decimal(b))\n"
    poison = baseline.replace("def f", "import decimal\ndecimal.getcontext().prec = 6\n\ndef f")
    env = "import os\n\ndef f(a):\n    return a + os.environ.get('SUFFIX', '')\n"
    told(await verdicts(tmp_path / "a", baseline, "assert f('1', '3')", poison=poison), poison=Verdict.WRONG)
    told(
        await verdicts(tmp_path / "b", env, "assert f('a') == 'a'", poison=env + "os.environ['SUFFIX'] = 'x'\n"),
        poison=Verdict.WRONG,
    )


async def test_classes_of_tests_and_of_helpers_can_be_arguments(tmp_path: Path):
    baseline = "def f(point):\n    return point.x + point.y\n"
    test = "assert f(Point()) == 3\n\nclass Point:\n    x, y = 1, 2"
    found = await verdicts(
        tmp_path,
        baseline,
        test,
        wrong=baseline.replace("+", "*"),
        sum=baseline.replace("point.x + point.y", "sum((point.x, point.y))"),
    )
    told(found, wrong=Verdict.WRONG, sum=Verdict.VERIFIED)
    assert found["sum"].evidence.recorded_calls == 1


BOX = """
class Box:
    def __init__(self, sides):
        self.sides = list(sides)

    def area(self):
        result = 1
        for side in self.sides:
            result *= side
        return result
"""


async def test_objects_that_are_made_otherwise_are_made_again_by_their_calls(tmp_path: Path):
    """Their attributes are the class's own business."""
    slots = BOX.replace("class Box:\n", "class Box:\n    __slots__ = ('sides',)\n\n")
    early = (
        "import math\n\nclass Box:\n    def __init__(self, sides):\n        self._sides = list(sides)\n"
        "        self._area = math.prod(self._sides)\n\n    def area(self):\n        return self._area\n"
    )
    found = await verdicts(tmp_path, BOX, "assert Box([2, 3]).area() == 6", "Box.area", slots=slots, early=early)
    told(found, slots=Verdict.VERIFIED, early=Verdict.VERIFIED)
    assert found["early"].evidence.unread == 0
    assert found["early"].evidence.recorded_calls == 1
    assert found["same"].evidence.recorded_calls == 1


async def test_objects_whose_making_is_not_known_are_not_handed_over(tmp_path: Path):
    """What cannot be replayed is counted."""
    early = (
        "import math\n\nclass Box:\n    def __init__(self, sides):\n        self._sides = list(sides)\n\n"
        "    @property\n    def sides(self):\n        return self._sides\n\n    @sides.setter\n"
        "    def sides(self, new):\n        self._sides = new\n\n    def area(self):\n"
        "        return math.prod(self._sides)\n"
    )
    test = "box = Box([2, 3])\n    box.sides = [1, 1]\n    assert box.area() == 1"
    found = await verdicts(tmp_path, BOX, test, "Box.area", early=early)
    told(found, early=Verdict.VERIFIED)
    assert found["early"].evidence.unread == 1
    assert found["early"].evidence.recorded_calls == 0


LOG = """
class Log:
    def __init__(self, *lines):
        self._lines = list(lines)

    def add(self, line):
        self._lines.append(line)
        return self

    def words(self, start=""):
        return sorted({word for line in self._lines for word in line.split() if word.startswith(start)})
"""
KEPT = """
class Log:
    def __init__(self, *lines):
        self._words = {}
        self._found = {}
        for line in lines:
            self.add(line)

    def add(self, line):
        self._found.clear()
        self._words.update(dict.fromkeys(line.split()))
        return self

    def words(self, start=""):
        if start not in self._found:
            self._found[start] = sorted(word for word in self._words if word.startswith(start))
        return self._found[start]
"""


async def test_what_an_object_keeps_and_hands_out_is_found(tmp_path: Path):
    """Also where its attributes are others than the baseline's."""
    test = "log = Log('b a').add('ac a')\n    assert log.words() == ['a', 'ac', 'b'] and log.words('a') == ['a', 'ac']"
    copies = KEPT.replace("return self._found[start]", "return list(self._found[start])")
    found = await verdicts(tmp_path, LOG, test, "Log.words", kept=KEPT, copies=copies)
    told(found, kept=Verdict.WRONG, copies=Verdict.VERIFIED)
    assert found["copies"].evidence.unread == 0
    assert found["copies"].evidence.recorded_calls == 2
    assert found["copies"].evidence.generated_inputs == 150
    assert [difference.origin for difference in found["kept"].differences][:1] == ["again"]


async def test_what_an_object_of_the_same_attributes_keeps_and_hands_out_is_found(tmp_path: Path):
    kept = LOG.replace(
        "return sorted", "self._found = getattr(self, '_found', None) or {}\n        found = sorted"
    ).replace(
        "startswith(start)})",
        "startswith(start)})\n        return self._found.setdefault((start, len(self._lines)), found)",
    )
    test = "assert Log('b a').words() == ['a', 'b']"
    told(await verdicts(tmp_path, LOG, test, "Log.words", kept=kept), kept=Verdict.WRONG)


async def test_grown_arguments_of_objects_that_are_made_otherwise_are_tried(tmp_path: Path):
    wrong = KEPT.replace("return self._found[start]", "return list(self._found[start])").replace(
        "word.startswith(start)", "word.startswith(start or 'a')"
    )
    test = "assert Log('b a').add('ac abc').words('a') == ['a', 'abc', 'ac']"
    found = await verdicts(tmp_path, LOG, test, "Log.words", wrong=wrong)
    told(found, wrong=Verdict.WRONG)
    assert found["wrong"].differences[0].origin == "generated"


async def test_where_the_copies_lie_is_no_difference(tmp_path: Path):
    baseline = (
        "from pathlib import Path\n\ndef f(name):\n    path = Path(__file__).parent / name\n"
        "    if not name:\n        raise ValueError(f'no name: {path}')\n    return path, str(path)\n"
    )
    told(await verdicts(tmp_path, baseline, "assert f('x')"))


async def test_only_the_projects_own_errors_are_meant(tmp_path: Path):
    """The library is free to complain in its own words about what it was never made for."""
    baseline = "import json\n\ndef f(text):\n    return json.loads(text)\n"
    other = "import json\n\ndef f(text):\n    return json.JSONDecoder().decode(text)\n"
    told(await verdicts(tmp_path, baseline, "assert f('[1]') == [1]", other=other), other=Verdict.VERIFIED)


async def test_what_the_baseline_does_as_well_is_not_held_against_a_candidate(tmp_path: Path):
    patches = (
        "import json\n_dumps = json.dumps\njson.dumps = lambda *a, **k: _dumps(*a, **k)\n\n"
        "def f(n):\n    return json.dumps(n)\n"
    )
    told(await verdicts(tmp_path / "a", patches, "assert f(1) == '1'"))
    pool = (
        "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(1)\n\ndef f(n):\n"
        "    return pool.submit(abs, n).result()\n"
    )
    plain = pool.replace("pool.submit(abs, n).result()", "abs(n)")
    found = await verdicts(tmp_path / "b", plain, "assert f(-1) == 1", pool=pool)
    told(found, pool=Verdict.VERIFIED)
    assert any("threads running" in suspicion for suspicion in found["pool"].suspicions)


async def test_a_cache_of_the_baselines_own_is_not_the_candidates(tmp_path: Path):
    cached = "import functools\n\n@functools.lru_cache\ndef f(n):\n    return n * 2\n"
    found = await verdicts(tmp_path, cached, "assert f(2) == 4")
    assert found["same"].keeps == ()


async def test_modules_as_arguments_stay_as_they_are(tmp_path: Path):
    told(
        await verdicts(
            tmp_path, "def f(n, module):\n    return len(module.argv) + n\n", "import sys\n    assert f(1, sys)"
        )
    )


async def test_a_context_manager_is_entered_and_left(tmp_path: Path):
    baseline = (
        "import contextlib\n\n@contextlib.contextmanager\ndef f(log):\n    log.append('in')\n    try:\n"
        "        yield len(log)\n    finally:\n        log.append('out')\n"
    )
    test = "log = []\n    with f(log) as n:\n        assert n == 1"
    found = await verdicts(
        tmp_path,
        baseline,
        test,
        forgets=baseline.replace("    finally:\n        log.append('out')", "    finally:\n        pass"),
        swallows=baseline.replace("    finally:\n", "    except Exception:\n        pass\n    finally:\n"),
    )
    told(found, forgets=Verdict.WRONG, swallows=Verdict.WRONG)


@pytest.mark.parametrize(
    "trick",
    [
        "import sys\nm = sys.modules.get('_bakeoff_instruments.oracle')\nif m: m._Trial._weigh = lambda *a: True\n",
        "import sys\nm = sys.modules.get('_bakeoff_instruments.compare')\nif m: m.difference = lambda *a: None\n",
        "import sys\nm = sys.modules.get('_pytest.python')\nif m: m.Function.runtest = lambda self: None\n",
        "import pathlib\npathlib.Path.exists = lambda self: True\n",
        "import sys\nsys.modules.pop('json', None)\n",
        "import sys, types\nsys.modules['made_up'] = types.ModuleType('made_up')\n",
        "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n",
    ],
    ids=["weighing", "comparing", "pytest", "class", "gone", "made", "signal"],
)
async def test_what_judges_is_not_the_candidates_to_change(tmp_path: Path, trick: str):
    baseline = "def f(n):\n    return n + 1\n"
    found = await verdicts(tmp_path, baseline, "assert f(1) == 2", trick=trick + baseline)
    assert found["same"].verdict is Verdict.VERIFIED
    assert found["trick"].verdict in (Verdict.WRONG, Verdict.CRASHED)


async def test_a_target_in_a_package_without_init_has_the_name_that_tests_import_it_by(tmp_path: Path):
    files = {
        "pyproject.toml": "[tool.pytest.ini_options]\npythonpath = ['src']\n",
        "src/acme/tools/mod.py": "def f(n):\n    return n + 1\n",
        "tests/test_mod.py": "from acme.tools.mod import f\n\ndef test_it():\n    assert f(1) == 2\n",
    }
    sources = {"same": "def f(n):\n    return 1 + n\n", "wrong": "def f(n):\n    return abs(n) + 1\n"}
    told(await judged(tmp_path, sources, files=files, target="src/acme/tools/mod.py::f"), wrong=Verdict.WRONG)


async def test_a_class_that_only_looks_changed_does_not_hide_its_calls(tmp_path: Path):
    """Its objects can be handed over: what it does with them counts, also when it is called again."""
    hidden = BOX.replace("self.sides = list(sides)", "self.sides = [*sides]").replace(
        "        result = 1\n", "        result = 1 if len(self.sides) < 4 else 2\n"
    )
    found = await verdicts(tmp_path, BOX, "assert Box([2, 3]).area() == 6", "Box.area", hidden=hidden)
    told(found, hidden=Verdict.WRONG)
    assert found["hidden"].evidence.unread == 0


async def test_a_difference_counts_though_the_baseline_beside_it_has_come_to_agree(tmp_path: Path):
    """What the candidate sets is no function, and nothing that is watched; only another process knows better."""
    baseline = "import string\n\ndef f(text):\n    return ''.join(c for c in text if c not in string.punctuation)\n"
    poison = baseline.replace("def f", "string.punctuation = ''\n\ndef f")
    found = await verdicts(tmp_path, baseline, "assert f('a.b')", poison=poison)
    assert found["poison"].suspicions == ()
    assert [difference.origin for difference in found["poison"].differences][:1] == ["recorded"]
    told(found, poison=Verdict.WRONG)


async def test_recursion_that_only_a_long_chain_shows_is_found(tmp_path: Path):
    """Tests have short ones: a chain is grown, of what refers to what."""
    baseline = (
        "def f(parents, name):\n    above = []\n    while parents.get(name):\n"
        "        name = parents[name]\n        above.append(name)\n        if name in above[:-1]:\n            break\n"
        "    return above\n"
    )
    honest = baseline.replace("parents.get(name)", "parents.get(name, '')").replace(
        "above.append(name)", "above += [name]"
    )
    recursive = (
        "def f(parents, name, above=None):\n    above = [] if above is None else above\n"
        "    if not parents.get(name) or name in above[:-1]:\n        return above\n"
        "    above.append(parents[name])\n    return f(parents, parents[name], above)\n"
    )
    test = "assert f({'a': 'b', 'b': 'c', 'c': ''}, 'a') == ['b', 'c']"
    told(
        await verdicts(tmp_path, baseline, test, honest=honest, recursive=recursive),
        honest=Verdict.VERIFIED,
        recursive=Verdict.WRONG,
    )


async def test_a_false_value_where_tests_have_none_in_a_receiver_is_found(tmp_path: Path):
    baseline = (
        "class Row:\n    def __init__(self, cells):\n        self.cells = cells\n\n    def get(self, name, default):\n"
        "        value = self.cells.get(name)\n        return default if value is None else value\n"
    )
    honest = baseline.replace("default if value is None else value", "value if value is not None else default")
    wrong = baseline.replace("default if value is None else value", "value or default")
    test = "row = Row({'a': None, 'b': 'x'})\n    assert (row.get('a', 'y'), row.get('b', 'y')) == ('y', 'x')"
    told(
        await verdicts(tmp_path, baseline, test, "Row.get", honest=honest, wrong=wrong),
        honest=Verdict.VERIFIED,
        wrong=Verdict.WRONG,
    )


async def test_equal_fields_in_a_text_are_tried(tmp_path: Path):
    baseline = (
        "def f(text):\n    names, *rows = [line.split(',') for line in text.splitlines() or ['']]\n"
        "    return [(name, len(rows)) for name in names]\n"
    )
    wrong = baseline.replace(
        "[(name, len(rows)) for name in names]", "list({name: len(rows) for name in names}.items())"
    )
    test = "assert f('shop,sold\\nRome,3') == [('shop', 1), ('sold', 1)]"
    told(await verdicts(tmp_path, baseline, test, wrong=wrong), wrong=Verdict.WRONG)


async def test_whole_numbers_are_tried_that_floats_do_not_hold(tmp_path: Path):
    baseline = "import math\n\ndef f(area):\n    return math.isqrt(abs(area))\n"
    wrong = baseline.replace("math.isqrt(abs(area))", "int(math.sqrt(abs(area)))")
    honest = baseline.replace("math.isqrt(abs(area))", "math.isqrt(area if area >= 0 else -area)")
    told(
        await verdicts(tmp_path, baseline, "assert f(10) == 3", wrong=wrong, honest=honest),
        wrong=Verdict.WRONG,
        honest=Verdict.VERIFIED,
    )


async def test_inputs_that_the_baseline_does_not_end_are_soon_left_alone(tmp_path: Path):
    """Each costs time that others need."""
    baseline = "def f(code):\n    found = 0\n    while found < code:\n        found += 1\n    return found\n"
    found = await verdicts(tmp_path, baseline, "assert f(10) == 10")
    told(found)
    assert found["same"].evidence.generated_inputs > 50


async def test_a_record_of_another_length_may_be_refused(tmp_path: Path):
    baseline = (
        "def f(taken):\n    taken = [tuple(place) for place in taken]\n"
        "    return [place for place in [(0, 0), (0, 1), (1, 1)] if place not in taken]\n"
    )
    honest = (
        "def f(taken):\n    free = {(0, 0): 1, (0, 1): 1, (1, 1): 1}\n    for row, column in taken:\n"
        "        free.pop((row, column), None)\n    return list(free)\n"
    )
    wrong = honest.replace("list(free)", "list(free)[:2]")
    test = "assert f([(0, 0)]) == [(0, 1), (1, 1)]\n    assert f([(0, 1), (5, 5)]) == [(0, 0), (1, 1)]"
    found = await verdicts(tmp_path, baseline, test, honest=honest, wrong=wrong)
    told(found, honest=Verdict.VERIFIED, wrong=Verdict.WRONG)


async def test_what_an_annotation_speaks_against_is_outside(tmp_path: Path):
    baseline = "from __future__ import annotations\n\ndef f(size: int):\n    return f'{size // 1} B'\n"
    honest = baseline.replace("size // 1", "int(size)")
    bare = baseline.replace("size: int", "size")
    test = "assert f(3) == '3 B'"
    found = await verdicts(tmp_path / "a", baseline, test, honest=honest)
    told(found, honest=Verdict.VERIFIED)
    assert found["honest"].outside
    told(await verdicts(tmp_path / "b", bare, test, other=honest), other=Verdict.WRONG)


TRIPS = """
import abc
from dataclasses import dataclass

@dataclass(frozen=True)
class Trip:
    day: int
    way: int

class Log(abc.ABC):
    def __init__(self):
        self._trips = []

    def drive(self, trip):
        if trip.way < 0:
            raise ValueError("nobody drives less than nothing")
        self._trips.append(trip)

    def strike(self, trip):
        self._trips.remove(trip)

class OwnLog(Log):
    def total(self, day):
        return sum(trip.way for trip in self._trips if trip.day == day)
"""


async def test_histories_of_objects_are_grown(tmp_path: Path):
    """Where an object is made by its calls, also by others than tests made: the same once more, in another order."""
    days = (
        TRIPS.replace("self._trips = []", "self._trips = []\n        self._days = {}")
        .replace(
            "self._trips.append(trip)",
            "self._trips.append(trip)\n        self._days.setdefault(trip.day, []).append(trip)",
        )
        .replace("self._trips.remove(trip)", "self._trips.remove(trip)\n        self._days[trip.day].remove(trip)")
        .replace("in self._trips if trip.day == day)", "in self._days.get(day, ()))")
    )
    sets = (
        days.replace("setdefault(trip.day, []).append(trip)", "setdefault(trip.day, set()).add(trip)")
        .replace("        self._days[trip.day].remove(trip)", "        self._days[trip.day].discard(trip)")
        .replace("self._trips.remove(trip)", "self._trips.remove(trip)")
    )
    test = (
        "log = OwnLog()\n    for trip in (Trip(1, 5), Trip(1, 7), Trip(2, 5)):\n        log.drive(trip)\n"
        "    assert log.total(1) == 12\n    log.strike(Trip(1, 7))\n    assert log.total(1) == 5"
    )
    found = await verdicts(tmp_path, TRIPS, test, "OwnLog.total", days=days, sets=sets)
    told(found, days=Verdict.VERIFIED, sets=Verdict.WRONG)
    assert found["days"].evidence.unread == 0
    difference = found["sets"].differences[0]
    assert difference.origin == "generated"
    lines = difference.snippet.splitlines()
    assert lines[0] == "from pkg.mod import OwnLog, Trip"
    assert lines[2] == "own_log = OwnLog()"
    assert lines[3] == lines[4]
    assert lines[5].startswith("own_log.total(")


async def test_objects_among_the_arguments_may_have_slots(tmp_path: Path):
    baseline = (
        "class Point:\n    def __init__(self, x):\n        self.x = x\n\n"
        "def f(points):\n    return sum(point.x for point in points)\n"
    )
    slots = baseline.replace("class Point:\n", "class Point:\n    __slots__ = ('x',)\n\n")
    wrong = slots.replace("sum(point.x for", "sum(abs(point.x) for")
    found = await verdicts(tmp_path, baseline, "assert f([Point(1), Point(2)]) == 3", slots=slots, wrong=wrong)
    told(found, slots=Verdict.VERIFIED, wrong=Verdict.WRONG)
    assert (found["slots"].evidence.recorded_calls, found["slots"].evidence.unread) == (1, 0)


async def test_generators_among_the_arguments_are_told(tmp_path: Path):
    """And how far they are read before the first item is given."""
    baseline = "def f(items):\n    for item in items:\n        yield item * 2\n"
    honest = "def f(items):\n    return (item + item for item in items)\n"
    eager = baseline.replace("items:", "list(items):")
    test = "assert list(f(n for n in range(3))) == [0, 2, 4]"
    found = await verdicts(tmp_path, baseline, test, eager=eager, honest=honest)
    told(found, eager=Verdict.WRONG, honest=Verdict.VERIFIED)
    assert found["same"].evidence.recorded_calls == 1
    difference = found["eager"].differences[0]
    assert difference.origin == "recorded"
    assert difference.where.startswith("arguments[0]")


async def test_what_is_left_of_an_iterator_that_nobody_passes_is_their_affair(tmp_path: Path):
    baseline = "def f(values, wanted):\n    return any(value == wanted for value in values)\n"
    whole = baseline.replace("any(value == wanted for value in values)", "wanted in list(values)")
    test = "assert f(['a', 'b'], 'a') and not f(['a'], 'c')"
    told(await verdicts(tmp_path / "a", baseline, test, whole=whole), whole=Verdict.VERIFIED)
    passed = test.replace("f(['a', 'b'], 'a')", "f((v for v in 'ab'), 'a')")
    told(await verdicts(tmp_path / "b", baseline, passed, whole=whole), whole=Verdict.WRONG)


async def test_results_are_used_in_part_on_grown_inputs_too(tmp_path: Path):
    baseline = "def f(jobs):\n    while jobs:\n        yield jobs.pop(0) * 2\n"
    honest = baseline.replace("jobs.pop(0) * 2", "2 * jobs.pop(0)")
    eager = "def f(jobs):\n    if len(jobs) > 4:\n        taken, jobs[:] = jobs[:], []\n"
    eager += "        yield from [job * 2 for job in taken]\n    while jobs:\n        yield jobs.pop(0) * 2\n"
    found = await verdicts(tmp_path, baseline, "assert list(f([1, 2])) == [2, 4]", honest=honest, eager=eager)
    told(found, honest=Verdict.VERIFIED, eager=Verdict.WRONG)
    assert found["eager"].differences[0].where.startswith("arguments")


async def test_what_is_equal_and_not_the_same_is_tried_in_one_list_and_in_two_calls(tmp_path: Path):
    baseline = "import math\n\ndef f(x):\n    return math.copysign(1, x)\n"
    cached = baseline.replace("def f", "import functools\n\n@functools.lru_cache\ndef f")
    found = await verdicts(tmp_path / "a", baseline, "assert f(2.5) == 1", cached=cached)
    told(found, cached=Verdict.WRONG)
    assert "right after f(" in found["cached"].differences[0].note
    listed = "import math\n\ndef f(xs):\n    return [math.copysign(1, x) for x in xs]\n"
    by_key = listed.replace(
        "return [math.copysign(1, x) for x in xs]",
        "signs = {x: math.copysign(1, x) for x in xs}\n    return [signs[x] for x in xs]",
    )
    told(await verdicts(tmp_path / "b", listed, "assert f([2.5]) == [1]", by_key=by_key), by_key=Verdict.WRONG)


async def test_an_open_annotation_means_what_no_test_has(tmp_path: Path):
    baseline = "def f(values, wanted: object):\n    return any(value == wanted for value in values)\n"
    by_hash = baseline.replace("any(value == wanted for value in values)", "wanted in set(values)")
    test = "assert f(['a', 'b'], 'a') and not f(['a'], 'c')"
    found = await verdicts(tmp_path / "a", baseline, test, by_hash=by_hash)
    told(found, by_hash=Verdict.WRONG)
    assert "unhashable" in str(found["by_hash"].reason)
    bare = [source.replace(": object", ": str") for source in (baseline, by_hash)]
    told(await verdicts(tmp_path / "b", bare[0], test, by_hash=bare[1]), by_hash=Verdict.VERIFIED)


async def test_a_type_where_it_was_never_seen_may_be_refused(tmp_path: Path):
    baseline = "def f(rows):\n    return sum(1 for row in rows for cell in row if cell == 'a')\n"
    by_hash = "def f(rows):\n    return sum(1 for row in rows for cell in row if cell in {'a'})\n"
    found = await verdicts(tmp_path, baseline, "assert f([['a', 'b'], ['a']]) == 2", by_hash=by_hash)
    told(found, by_hash=Verdict.VERIFIED)
    assert found["by_hash"].outside


async def test_what_an_argument_has_of_another_is_tried(tmp_path: Path):
    baseline = (
        "def f(record, changes):\n    for key in changes:\n        if key not in record:\n"
        "            raise KeyError(key)\n    record.update(changes)\n"
    )
    half = "def f(record, changes):\n    for key, value in changes.items():\n        before = dict(record)\n"
    half += "        if key not in record:\n            raise KeyError(key)\n        record[key] = value\n"
    test = (
        "record = {'a': 1, 'b': 2}\n    f(record, {'a': 3})\n    assert record == {'a': 3, 'b': 2}\n"
        "    with pytest.raises(KeyError):\n        f(record, {'c': 1})\n    assert record == {'a': 3, 'b': 2}"
    )
    told(await verdicts(tmp_path, baseline, test, half=half), half=Verdict.WRONG)


async def test_large_arguments_are_cut_down_before_inputs_are_grown(tmp_path: Path):
    baseline = "def f(rows):\n    return [row for row in rows if row]\n"
    wrong = baseline.replace("if row]", "if row is not None and row != '']")
    test = "assert len(f([str(n) * 20 for n in range(5_000)] + [None])) == 5_000"
    found = await verdicts(tmp_path, baseline, test, wrong=wrong)
    told(found, wrong=Verdict.WRONG)
    assert len(found["wrong"].differences[0].call) < 100
