"""The oracle, on small repositories with real tests, in real jailed calls."""

from __future__ import annotations

import shutil
from pathlib import Path

import psutil
import pytest

from bakeoff.candidates import Change
from bakeoff.errors import BaselineFails, NoTests, TargetMissing, TargetNotReached
from bakeoff.events import Verdict
from bakeoff.targets import Target
from bakeoff.verify import Evidence, Judgement, Oracle, OracleOptions, TestOutcome
from bakeoff.workers import WorkerConfig
from bakeoff.workspaces import WorktreePool
from repositories import make_repository, state_of

pytestmark = pytest.mark.anyio

BASELINE = """
def unique(items):
    found = []
    for item in items:
        if item not in found:
            found.append(item)
    return found
"""
TESTS = """
from pkg.lists import unique

def test_some():
    assert unique([3, 1, 3]) == [3, 1]

def test_more():
    assert unique(list("hello")) == list("helo")
    assert unique([]) == []

def test_something_else():
    assert True
"""
FILES = {"pkg/__init__.py": "", "pkg/lists.py": BASELINE, "tests/test_lists.py": TESTS}
HONEST = "def unique(items):\n    return list(dict.fromkeys(items))\n"


@pytest.fixture
def anyio_backend() -> str:
    """What is asynchronous here is workers and pools, which are tested on both."""
    return "asyncio"


def change_of(pool: WorktreePool, source: str, path: str = "pkg/lists.py") -> Change:
    return Change.of({path: source.encode()}, base=pool.read)


async def judged(
    folder: Path, sources: dict[str, str], *, files=FILES, target: str = "pkg/lists.py::unique", slots=2, **options
) -> dict[str, Judgement]:
    repository = make_repository(folder / "repository", files)
    options = {"runs": 1, "generated": 150, **options}
    path = target.partition("::")[0]
    async with (
        WorktreePool(repository, size=slots) as pool,
        Oracle(pool, Target.find(target, repository), options=OracleOptions(**options)) as oracle,
    ):
        return {name: await oracle.judge(change_of(pool, source, path)) for name, source in sources.items()}


@pytest.mark.promise("E4")
async def test_each_way_to_fail_has_its_own_verdict_and_its_reason(tmp_path: Path):
    sources = {
        "honest": HONEST,
        "sorted": "def unique(items): return sorted(set(items))",
        "syntax": "def unique(items",
        "gone": "def other(items): pass",
        "import": "import nothing_of_this_name\ndef unique(items): return items",
        "exits": "import os\ndef unique(items): os._exit(0)",
        "crashes": "import os, signal\ndef unique(items): os.kill(os.getpid(), signal.SIGSEGV)",
        "hangs": "def unique(items):\n    while True: pass",
        "eats": "def unique(items): return bytearray(1 << 40)",
        "raises": "def unique(items): raise RuntimeError('not today')",
    }
    # With one slot, one part of a verification comes after the other.
    found = await judged(tmp_path, sources, slots=1)
    assert {name: judgement.verdict for name, judgement in found.items()} == {
        "honest": Verdict.VERIFIED,
        "sorted": Verdict.WRONG,
        "syntax": Verdict.INVALID,
        "gone": Verdict.INVALID,
        "import": Verdict.CRASHED,
        "exits": Verdict.CRASHED,
        "crashes": Verdict.CRASHED,
        "hangs": Verdict.TIMED_OUT,
        "eats": Verdict.WRONG,
        "raises": Verdict.WRONG,
    }
    honest, wrong = found["honest"], found["sorted"]
    assert (honest.reason, honest.failures, honest.differences) == (None, (), ())
    assert honest.evidence.tests == 2
    assert honest.evidence.recorded_calls == 3
    assert honest.evidence.generated_inputs > 50
    failure = next(failure for failure in wrong.failures if failure.id.endswith("test_more"))
    assert (failure.expected, failure.actual) == (TestOutcome.PASSED, TestOutcome.FAILED)
    assert "['e', 'h', 'l', 'o']" in failure.text
    assert wrong.counterexample is not None
    assert wrong.counterexample.startswith("unique([")
    assert len(wrong.counterexample) <= len("unique(['h', 'e', 'l', 'l', 'o'])")
    difference = wrong.differences[0]
    assert difference.baseline.startswith("returns [")
    assert difference.where.startswith("result")
    assert "SIGSEGV" in (found["crashes"].reason or "")
    assert "nothing_of_this_name" in (found["import"].reason or "")
    assert "SyntaxError" in (found["syntax"].reason or "")
    assert "had not ended" in (found["hangs"].reason or "")
    assert "not today" in (found["raises"].reason or "")
    assert "MemoryError" in (found["eats"].reason or "")


async def test_the_counterexample_is_a_program_that_runs(tmp_path: Path):
    wrong = (await judged(tmp_path, {"sorted": "def unique(items): return sorted(set(items))"}))["sorted"]
    scope: dict[str, object] = {}
    (tmp_path / "pkg_copy.py").write_text(BASELINE)
    snippet = wrong.differences[0].snippet
    assert "from pkg.lists import unique" in snippet
    exec(BASELINE, scope)
    exec(snippet.replace("from pkg.lists import unique", ""), scope)


@pytest.mark.promise("E4")
async def test_what_tests_do_not_show_is_found(tmp_path: Path):
    """All of these pass the tests."""
    sources = {
        "cached": "kept = {}\ndef unique(items):\n    key = tuple(items)\n    if key not in kept:\n"
        "        kept[key] = list(dict.fromkeys(items))\n    return kept[key]",
        "by identity": "kept = {}\ndef unique(items):\n    if id(items) not in kept:\n"
        "        kept[id(items)] = items, list(dict.fromkeys(items))\n    return list(kept[id(items)][1])",
        "mutates": "def unique(items):\n    found = list(dict.fromkeys(items))\n    items.clear()\n    return found",
        "lazy": "class Lazy(list):\n    pass\ndef unique(items):\n    return Lazy(dict.fromkeys(items))",
        "large": "def unique(items):\n    found = list(dict.fromkeys(items))\n"
        "    return found if len(found) < 7 else sorted(found, key=str)",
        "alias": "def unique(items):\n    if len(set(items)) == len(items):\n        return items\n"
        "    return list(dict.fromkeys(items))",
        "prints": HONEST.replace("return", "print('x')\n    return"),
    }
    found = await judged(tmp_path, sources, generated=400)
    assert {name: judgement.verdict for name, judgement in found.items()} == dict.fromkeys(sources, Verdict.WRONG)
    assert not any(judgement.failures for judgement in found.values())
    assert found["mutates"].differences[0].where.startswith("arguments")
    assert found["lazy"].differences[0].where == "result"
    assert found["prints"].differences[0].where == "output"
    assert any("kept grew from 0 to" in text for text in found["cached"].keeps)


async def test_what_is_none_of_its_business_is_reported(tmp_path: Path):
    sources = {
        "clock": "import time\ntime.perf_counter = lambda: 0.0\n" + HONEST,
        "builtin": "import builtins\nbuiltins.pow = lambda items: items\n" + HONEST,
        "our tools": "import builtins\nbuiltins.sorted = lambda items: items\n" + HONEST,
        "pytest": "import sys\nif '_pytest.runner' in sys.modules:\n"
        "    sys.modules['_pytest.runner'].pytest_runtest_makereport = None\n" + HONEST,
        "stack": "import sys\ndef unique(items):\n    sys._getframe(1)\n    return list(dict.fromkeys(items))",
        "tests": "def unique(items):\n    try: open('tests/test_lists.py').close()\n    except OSError: pass\n"
        "    return list(dict.fromkeys(items))",
    }
    found = await judged(tmp_path, sources)
    assert found["clock"].verdict is Verdict.WRONG
    assert "time.perf_counter" in (found["clock"].reason or "")
    assert found["builtin"].verdict is Verdict.WRONG
    assert "builtins.pow" in (found["builtin"].reason or "")
    assert found["our tools"].verdict in (Verdict.WRONG, Verdict.CRASHED)
    assert found["pytest"].verdict is not Verdict.VERIFIED
    assert found["stack"].suspicions == ("it looks at who calls it",)
    assert found["tests"].suspicions == ("it opens test_lists.py",)
    assert found["tests"].verdict is Verdict.VERIFIED


async def test_an_input_outside_of_the_contract_is_reported_apart(tmp_path: Path):
    """The baseline takes what cannot be hashed; nobody asked it to."""
    found = await judged(tmp_path, {"honest": HONEST})
    assert found["honest"].verdict is Verdict.VERIFIED
    assert found["honest"].evidence.outside_contract > 0
    assert "unhashable" in str(found["honest"].outside[0])
    strict = await judged(tmp_path / "strict", {"honest": HONEST}, strict=True)
    assert strict["honest"].verdict is Verdict.WRONG


SHAPES = """
import asyncio
import random

class Account:
    rate = 2

    def __init__(self, balance):
        self.balance = balance
        self.log = []

    def add(self, amount, *, note=""):
        if amount < 0:
            raise ValueError(f"negative: {amount}")
        self.balance += amount
        self.log.append((amount, note))
        return self.balance

    @classmethod
    def opened(cls, *amounts):
        return cls(sum(amounts))

    @staticmethod
    def rounded(amount):
        return round(amount, 2)

    @property
    def total(self):
        return self.balance * self.rate

def evens(numbers):
    for number in numbers:
        if number % 2 == 0:
            yield number

async def later(number):
    await asyncio.sleep(0)
    return number + 1

async def several(count):
    for number in range(count):
        yield number

def shuffled(items):
    random.shuffle(items)
    return items
"""
SHAPES_TESTS = """
import asyncio
import pytest
from pkg.shapes import Account, evens, later, several, shuffled

def test_account():
    account = Account(10)
    assert account.add(5, note="x") == 15
    assert account.total == 30
    assert Account.opened(1, 2).balance == 3
    assert Account.rounded(1.239) == 1.24
    with pytest.raises(ValueError):
        account.add(-1)

def test_lazy():
    assert list(evens([1, 2, 4])) == [2, 4]
    assert asyncio.run(later(1)) == 2
    async def all_of():
        return [number async for number in several(3)]
    assert asyncio.run(all_of()) == [0, 1, 2]
    assert sorted(shuffled([3, 1, 2])) == [1, 2, 3]
"""
SHAPES_FILES = {"src/pkg/__init__.py": "", "src/pkg/shapes.py": SHAPES, "tests/test_shapes.py": SHAPES_TESTS}


@pytest.mark.parametrize(
    ("name", "honest", "wrong"),
    [
        ("Account.add", ("self.balance += amount", "self.balance = self.balance + amount"), ("append", "count")),
        ("Account.add", ('f"negative: {amount}"', '"negative: " + str(amount)'), ("ValueError(f", "OverflowError(f")),
        ("Account.opened", ("cls(sum(amounts))", "cls(sum(list(amounts)))"), ("sum(amounts)", "sum(set(amounts))")),
        ("Account.rounded", ("(amount, 2)", "(amount, ndigits=2)"), ("round(amount, 2)", "int(amount * 100) / 100")),
        ("Account.total", ("self.balance * self.rate", "self.rate * self.balance"), ("self.rate", "2.0")),
        ("evens", ("number % 2 == 0", "not number % 2"), ("for number in numbers", "for number in list(numbers)[:9]")),
        ("evens", ("number % 2 == 0", "not number & 1"), ("yield number", "yield abs(number)")),
        ("later", ("number + 1", "1 + number"), ("number + 1", "abs(number) + 1")),
        ("several", ("yield number", "yield 0 + number"), ("range(count)", "range(min(count, 4))")),
    ],
)  # fmt: skip
async def test_every_kind_of_target(tmp_path: Path, name: str, honest, wrong):
    sources = {"honest": SHAPES.replace(*honest), "wrong": SHAPES.replace(*wrong)}
    found = await judged(tmp_path, sources, files=SHAPES_FILES, target=f"src/pkg/shapes.py::{name}")
    assert found["honest"].verdict is Verdict.VERIFIED, found["honest"].reason
    assert found["honest"].evidence.recorded_calls > 0
    assert found["wrong"].verdict is Verdict.WRONG


async def test_chance_is_the_same_for_both(tmp_path: Path):
    sources = {"same": SHAPES + "\n# nothing else\n"}
    found = await judged(tmp_path, sources, files=SHAPES_FILES, target="src/pkg/shapes.py::shuffled")
    assert found["same"].verdict is Verdict.VERIFIED


@pytest.mark.promise("E7")
async def test_a_baseline_that_cannot_be_judged_by_is_told_as_what_it_is(tmp_path: Path):
    async def opening(name: str, files: dict[str, str], target: str = "unique", **config) -> None:
        repository = make_repository(tmp_path / name, files)
        async with (
            WorktreePool(repository, size=1) as pool,
            Oracle(
                pool,
                Target(path="pkg/lists.py", name=target),
                options=OracleOptions(runs=1),
                config=WorkerConfig(**config),
            ),
        ):
            raise AssertionError("it opened")

    with pytest.raises(BaselineFails, match=r"test_some: assert \[3, 1\] == \[3\]"):
        await opening("fails", {**FILES, "tests/test_lists.py": TESTS.replace("== [3, 1]", "== [3]")})
    several = TESTS.replace("== [3, 1]", "== [3]").replace("assert True", "assert False")
    with pytest.raises(BaselineFails) as caught:
        await opening("fail", {**FILES, "tests/test_lists.py": several})
    assert len(caught.value.reasons) == 1, "only what calls the target is held against it"
    with pytest.raises(BaselineFails, match="nothing_there"):
        await opening("collects", {**FILES, "tests/test_lists.py": "import nothing_there"})
    with pytest.raises(NoTests):
        await opening("none", {**FILES, "tests/test_lists.py": ""})
    with pytest.raises(TargetNotReached, match="the only test does not call"):
        await opening("unreached", {**FILES, "tests/test_lists.py": "def test_it(): pass"})
    lonely = "import socket\ndef test_it(): socket.create_connection(('127.0.0.1', 9), 1)"
    with pytest.raises(BaselineFails) as alone:
        await opening("lonely", {**FILES, "tests/test_lists.py": lonely})
    assert "--sandbox off" in (alone.value.hint or "")
    lonely += "\ndef test_other(): pass"
    with pytest.raises(TargetNotReached) as reached:
        await opening("network", {**FILES, "tests/test_lists.py": lonely})
    assert "--sandbox off" in (reached.value.hint or "")
    with pytest.raises(BaselineFails, match="did not end"):
        await opening("exits", {**FILES, "tests/test_lists.py": "import os\ndef test_it(): os._exit(3)"})
    with pytest.raises((TargetMissing, TargetNotReached)):
        await opening("unknown", FILES, "no_such_name")


@pytest.mark.promise("E7")
async def test_flaky_tests_are_set_aside_by_name(tmp_path: Path):
    flaky = (
        TESTS
        + "\nimport os\ndef test_of_order():\n    os.environ['SEEN'] = '1'\n"
        + ("\ndef test_after():\n    assert os.environ.get('SEEN') == '1'\n")
    )
    repository = make_repository(tmp_path / "repository", {**FILES, "tests/test_lists.py": flaky})
    async with (
        WorktreePool(repository, size=1) as pool,
        Oracle(pool, Target.find("pkg/lists.py::unique", repository), options=OracleOptions(runs=2)) as oracle,
    ):
        assert oracle.baseline.flaky == ("tests/test_lists.py::test_after",)
        assert len(oracle.baseline.tests) == 4
        assert oracle.baseline.warnings == (
            "1 test does not come out the same in another order and is set aside: tests/test_lists.py::test_after",
        )
        assert {name.rpartition("::")[2] for name in oracle.baseline.reaching} == {"test_some", "test_more"}


async def test_calls_that_cannot_be_used_are_counted_and_named(tmp_path: Path):
    baseline = (
        "import time\ndef unique(items):\n"
        "    return [time.perf_counter_ns() if items == [9] else item for item in items]\n"
    )
    tests = (
        "import sys\nfrom pkg.lists import unique\n"
        "def test_frame(): assert len(unique([sys._getframe()])) == 1\n"
        "def test_time(): assert len(unique([9])) == 1\n"
        "def test_set(): assert len(unique({'a', 'b', 'c', 'd', 'e', 'f', 'g'})) == 7\n"
        "def test_fine(): assert unique([1]) == [1]\n"
    )
    files = {**FILES, "pkg/lists.py": baseline, "tests/test_lists.py": tests}
    repository = make_repository(tmp_path / "repository", files)
    async with (
        WorktreePool(repository, size=1) as pool,
        Oracle(pool, Target.find("pkg/lists.py::unique", repository), options=OracleOptions(runs=1)) as oracle,
    ):
        learned = oracle.baseline
    assert learned.call_count == 4
    assert [("frame" in reason, count) for reason, count in learned.uncopied.items()] == [(True, 1)]
    # One answers by the clock, the other by the order of a set of texts, which the hash seed decides.
    assert len(learned.unstable) == 2
    assert any(text.startswith("unique([9]): ") for text in learned.unstable)
    assert len(learned.calls) == 1
    assert "1 of 4 recorded calls cannot be copied: TypeError: cannot pickle 'frame' object" in learned.warnings
    assert any(warning.startswith("2 of 4 recorded calls") for warning in learned.warnings)


@pytest.mark.promise("E4")
async def test_the_set_of_tests_has_to_be_the_same(tmp_path: Path):
    """Tests that are skipped, missing or new are failures, whatever comes of the others."""
    tests = TESTS + (
        "\nimport pytest, pkg.lists\n"
        "@pytest.mark.skipif(getattr(pkg.lists, 'SKIP', False), reason='told to')\n"
        "def test_skip(): assert unique([1]) == [1]\n"
        "@pytest.mark.parametrize('n', range(getattr(pkg.lists, 'COUNT', 2)))\n"
        "def test_count(n): assert unique([n]) == [n]\n"
    )
    files = {**FILES, "tests/test_lists.py": tests}
    sources = {"skips": HONEST + "SKIP = True\n", "fewer": HONEST + "COUNT = 1\n", "same": HONEST}
    found = await judged(tmp_path, sources, files=files)
    assert found["same"].verdict is Verdict.VERIFIED
    assert [failure.actual for failure in found["skips"].failures] == [TestOutcome.SKIPPED]
    assert [failure.actual for failure in found["fewer"].failures] == [TestOutcome.MISSING]
    assert found["skips"].verdict is found["fewer"].verdict is Verdict.WRONG


async def test_the_rest_of_the_suite_is_run_for_those_that_would_win(tmp_path: Path):
    rest = "import pkg.lists\ndef test_it(): assert not hasattr(pkg.lists, 'x')"
    repository = make_repository(tmp_path / "repository", {**FILES, "tests/test_rest.py": rest})
    async with (
        WorktreePool(repository, size=1) as pool,
        Oracle(pool, Target.find("pkg/lists.py::unique", repository), options=OracleOptions(runs=1)) as oracle,
    ):
        change = change_of(pool, HONEST + "x = 1\n")
        first = await oracle.judge(change)
        whole = await oracle.judge_whole(change, first)
    assert first.verdict is Verdict.VERIFIED
    assert whole.verdict is Verdict.WRONG
    assert [failure.id for failure in whole.failures] == ["tests/test_rest.py::test_it"]
    assert whole.evidence.tests == 4


@pytest.mark.promise("W5")
async def test_the_users_tree_is_not_written(tmp_path: Path):
    repository = make_repository(tmp_path / "repository", FILES)
    before = state_of(repository)
    async with (
        WorktreePool(repository, size=1) as pool,
        Oracle(pool, Target.find("pkg/lists.py::unique", repository), options=OracleOptions(runs=1)) as oracle,
    ):
        await oracle.judge(change_of(pool, HONEST))
    assert state_of(repository) == before


async def test_an_extension_module_of_the_projects_own_lets_calls_be_compared_in_processes_of_their_own(tmp_path: Path):
    """One that is there wherever we are, put into the project."""
    extension = psutil._psplatform.cext
    name, file = extension.__name__.rpartition(".")[2], Path(extension.__file__)
    baseline = (
        f"from pkg import {name} as fast\n\ndef unique(items):\n    return list(dict.fromkeys(items))[: fast.version]\n"
    )
    repository = make_repository(tmp_path / "repository", {**FILES, "pkg/lists.py": baseline})
    shutil.copy(file, repository / "pkg" / file.name)
    sources = {
        "same": baseline + "# the same\n",
        "sorts": baseline.replace("return ", "found = ") + "    items[:] = sorted(items)\n    return found\n",
        "twice": baseline.replace("dict.fromkeys(items)", "items"),
        "hangs": baseline.replace("    return", "    while True: pass\n    return"),
        "syntax": "def unique(",
    }
    target = Target.find("pkg/lists.py::unique", repository)
    async with WorktreePool(repository, size=2) as pool, Oracle(pool, target, options=OracleOptions(runs=1)) as oracle:
        found = {key: await oracle.judge(change_of(pool, source)) for key, source in sources.items()}
        assert oracle.baseline.extensions == (f"pkg.{name}",)
        assert oracle.baseline.warnings[0].startswith(f"the project has extension modules of its own (pkg.{name}): ")
    assert {key: judgement.verdict for key, judgement in found.items()} == {
        "same": Verdict.VERIFIED,
        "sorts": Verdict.WRONG,
        "twice": Verdict.WRONG,
        "hangs": Verdict.TIMED_OUT,
        "syntax": Verdict.INVALID,
    }
    assert found["same"].evidence == Evidence(tests=2, recorded_calls=3)
    assert not found["sorts"].failures
    assert found["sorts"].counterexample == "unique([3, 1, 3])"
    assert [failure.id for failure in found["twice"].failures] == [
        "tests/test_lists.py::test_some",
        "tests/test_lists.py::test_more",
    ]


async def test_tests_that_have_nothing_to_do_with_the_target_may_fail(tmp_path: Path):
    files = {
        **FILES,
        "tests/test_other.py": "def test_network():\n    assert 0, 'no network'\n\ndef test_fine():\n    pass\n",
        "tests/test_missing.py": "import nothing_there\n",
    }
    repository = make_repository(tmp_path / "repository", files)
    async with (
        WorktreePool(repository, size=1) as pool,
        Oracle(pool, Target.find("pkg/lists.py::unique", repository), options=OracleOptions(runs=2)) as oracle,
    ):
        baseline = oracle.baseline
        assert len(baseline.reaching) == 2
        assert "tests/test_other.py::test_fine" in baseline.tests
        assert baseline.flaky == ()
        assert len(baseline.failing) == 2
        assert any("no network" in warning and "nothing_there" in warning for warning in baseline.warnings)
        judgement = await oracle.judge(change_of(pool, HONEST))
        whole = await oracle.judge_whole(change_of(pool, HONEST), judgement)
    assert (judgement.verdict, whole.verdict) == (Verdict.VERIFIED, Verdict.VERIFIED)
    assert whole.evidence.tests == 4
