"""Targets of every kind, and repositories with something odd in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bakeoff.events import State
from bakeoff.sources.patches import Given
from jobs.contests import patch, run_contest
from repositories import make_repository

pytestmark = pytest.mark.anyio

# name: (target, source, test, what a candidate replaces, by what that is right, by what that is wrong)
KINDS = {
    "async": (
        "work",
        "async def work(n):\n    return sum([i * i for i in range(n)])\n",
        "import asyncio\n    assert asyncio.run(m.work(300)) == 8955050\n    assert asyncio.run(m.work(0)) == 0",
        "sum([i * i for i in range(n)])",
        "sum(i * i for i in range(n))",
        "sum(i * i for i in range(n)) if n >= 0 else None",
    ),
    "generator": (
        "numbers",
        "def numbers(n):\n    for i in range(n):\n        yield i + 0\n",
        "assert list(m.numbers(200))[-1] == 199",
        "    for i in range(n):\n        yield i + 0\n",
        "    yield from range(n)\n",
        "    yield from range(max(n, 1))\n",
    ),
    "method": (
        "Box.add",
        "class Box:\n    def __init__(self):\n        self.items = []\n\n    def add(self, item):\n"
        "        self.items = self.items + [item]\n        return len(self.items)\n",
        "box = m.Box()\n    assert [box.add(n) for n in range(50)][-1] == 50",
        "self.items = self.items + [item]",
        "self.items = [*self.items, item]",
        "self.items = [item, *self.items]",
    ),
    "property": (
        "Box.total",
        "class Box:\n    def __init__(self, items):\n        self.items = items\n\n"
        "    @property\n    def total(self):\n        total = 0\n"
        "        for item in self.items:\n            total += item\n        return total\n",
        "assert m.Box(list(range(200))).total == 19900\n    assert m.Box([]).total == 0",
        "        total = 0\n        for item in self.items:\n            total += item\n        return total\n",
        "        return sum(self.items)\n",
        "        return sum(set(self.items))\n",
    ),
    "recursive": (
        "fib",
        "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n",
        "assert m.fib(12) == 144",
        "    return n if n < 2 else fib(n - 1) + fib(n - 2)\n",
        "    if n < 2:\n        return n\n    a, b = 0, 1\n"
        "    for _ in range(n - 1):\n        a, b = b, a + b\n    return b\n",
        "    a, b = 0, 1\n    for _ in range(n):\n        a, b = b, a + b\n    return a\n",
    ),
    "decorated": (
        "shout",
        "import functools\n\n\ndef twice(f):\n    @functools.wraps(f)\n    def inner(*args):\n"
        "        return f(*args) * 2\n\n    return inner\n\n\n@twice\ndef shout(text):\n    return text.upper() + ''\n",
        "assert m.shout('a' * 50) == 'A' * 100",
        "text.upper() + ''",
        "text.upper()",
        "text.capitalize() if len(text) < 9 else text.upper()",
    ),
    "writes": (
        "note",
        "def note(text):\n    with open('note.txt', 'w') as file:\n"
        "        file.write(text + '')\n    return len(text)\n",
        "assert m.note('abc') == 3",
        "file.write(text + '')\n    return len(text)",
        "file.write(text)\n    return len(text)",
        "file.write(text)\n    return len(text.strip())",
    ),
    "network": (
        "ask",
        "import socket\n\n\ndef ask(port):\n    try:\n"
        "        socket.create_connection(('127.0.0.1', port), 0.2).close()\n"
        "    except OSError:\n        return 'no' + ''\n    return 'yes'\n",
        "assert m.ask(9) == 'no'",
        "'no' + ''",
        "'no'",
        "'never'",
    ),
}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.soak
async def test_every_kind_of_target_is_judged_and_timed(tmp_path: Path, kind: str):
    target, source, test, old, right, wrong = KINDS[kind]
    files = {
        "pkg/__init__.py": "",
        "pkg/m.py": source,
        "pkg/broken.py": "def oops(:\n",
        "tests/test_m.py": f"import pkg.m as m\n\n\ndef test_it():\n    {test}\n",
    }
    repository = make_repository(tmp_path / "repository", files)
    candidates = [
        Given(name=name, diff=patch({"pkg/m.py": source.replace(old, new)}, files))
        for name, new in (("right", right), ("wrong", wrong))
    ]
    run = await run_contest(repository, candidates, target=f"pkg/m.py::{target}")
    found = {one.proposed.name: one for one in run.candidates.values()}
    assert run.state is State.DONE
    assert found["right"].judged.verdict.value == "verified", found["right"].judged.reason
    assert found["wrong"].judged.verdict.value == "wrong"
    assert found["right"].measured is not None
