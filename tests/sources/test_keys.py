"""What can be the key of a cache, by what the code shows: seen from the rules that keep results."""

from __future__ import annotations

import libcst as cst
import pytest

from bakeoff.sources.rules.catalogue import ALL
from bakeoff.sources.rules.rewriting import Syntax, apply

RULES = {rule.name: rule for rule in ALL}
ROW = "@dataclass\nclass Row:\n    name: str\n    size: float\n    tags: list\n"
STRIPS = "def work(x, y):\n    return x.strip() + y.strip()\n"
ENTRY = "@dataclass(frozen=True)\nclass Entry:\n    rank: int\n"


def made(source: str, name: str = "cache-per-call") -> str:
    """The module with all that a rule finds in its first function; nothing where it finds nothing."""
    syntax = Syntax(cst.parse_module(source))
    _, function = next(syntax.functions())
    rewrites = list(RULES[name].find(function))
    return (apply(syntax, rewrites) or "") if rewrites else ""


def pairs(call: str, *others: str) -> str:
    """A function that calls something for each pair, and what else is in its module."""
    return "\n\n".join([f"def f(a, b):\n    for x in a:\n        for y in b:\n            use({call})\n", *others])


@pytest.mark.parametrize(
    ("source", "call"),
    [
        (pairs("work(x, y)", STRIPS), "cached_work(x, y)"),
        (pairs("work(x, y.name)", STRIPS, ROW), "cached_work(x, y.name)"),
        (pairs("work(x, f'{y}!')", STRIPS), "cached_work(x, f'{y}!')"),
        (pairs("work(x, y or 'z')", STRIPS), "cached_work(x, y or 'z')"),
        (pairs("work(x, y[1:])", STRIPS), "cached_work(x, y[1:])"),
        (
            pairs("work(x, y)", "def work(x: int, y: 'str | None'):\n    return sorted(spread(x, y))\n"),
            "cached_work(x, y)",
        ),
        (pairs("work(x, y)", "def work(x, y):\n    return list(range(ord(x), ord(y)))\n"), "cached_work(x, y)"),
        # By what those do that it is handed on to.
        (
            pairs(
                "work(x, y)", "def work(x, y):\n    return far(x) + y.strip()\n", "def far(z):\n    return z.lower()\n"
            ),
            "cached_work(x, y)",
        ),
        # What stays the same is no part of the key, whatever it is.
        (pairs("work(x, 0.5)", STRIPS), "cached_work(x)"),
        # Nothing is known of y: 1, 1.0 and True are told apart by how they are written.
        (
            pairs("work(x, y)", "def work(x, y):\n    return [c for c in range(x) if c > y]\n"),
            "cached_work(x, y, repr(y))",
        ),
    ],
)
def test_what_can_be_a_key_is_one(source: str, call: str) -> None:
    assert f"use({call})" in made(source)


@pytest.mark.parametrize(
    "source",
    [
        pairs("work(x, y.size)", STRIPS, ROW),
        pairs("work(x, y.tags)", STRIPS, ROW),
        pairs("work(x, [y])", STRIPS),
        pairs("work(x, y.split())", STRIPS),
        pairs("work(x, y / 2)", STRIPS),
        pairs("work(x, 'a' if y else 1.5)", STRIPS),
        pairs("work(*x, y)", STRIPS),
        pairs("work(x, y)", "def work(x: float, y):\n    return [str(x) + c for c in y.strip()]\n"),
        pairs("work(x, y)", "def work(x, y=1.5):\n    return [x.strip() + str(y) for _ in x]\n"),
        pairs("work(x, y)", "def work(x, y):\n    return [x.strip() + str(y / 2) for _ in x]\n"),
        pairs("work(x, y)", "def work(x, y):\n    return [c for c in x.strip() if isinstance(y, list)]\n"),
        pairs("work(x, y)", "def work(x, y):\n    return [c for c in y if c.name == x]\n"),
        pairs("work(x, y)", "def work(x, y):\n    return [c for c in x.strip() if x in y]\n"),
        pairs(
            "work(x, y)",
            "def work(x, y):\n    return [far(x) + c for c in y.strip()]\n",
            "def far(z):\n    return sum(z)\n",
        ),
        # An object that cannot be hashed.
        pairs("work(x, y)", "def work(x, y):\n    return [c + y.tags for c in x.split()]\n", ROW),
        # Nothing is known of what would be looked up, and nothing is gone through to find the answer.
        pairs("work(x, y)", "def work(x, y):\n    return convert(x, y)\n", "def convert(x, y):\n    return x\n"),
        # It changes something, or is another thing each time.
        pairs("work(x, y)", "def work(x, y):\n    x.append(y.strip())\n    return x\n"),
        pairs("work(x, y)", "def work(x, y):\n    print(x.strip(), y.strip())\n    return x\n"),
        pairs("work(x, y)", "def work(x, y):\n    return [x.strip(), y.strip(), time.time()]\n"),
        pairs("work(x, y)", "def work(x, y):\n    yield x.strip() + y.strip()\n"),
    ],
)
def test_what_cannot_be_a_key_is_none(source: str) -> None:
    assert made(source) == ""


def test_what_is_asked_once_for_each_thing_is_kept_for_texts_and_numbers_only() -> None:
    def once(helper: str) -> str:
        return made(f"def f(a, b):\n    for x in a:\n        use(work(x, 1))\n\n\n{helper}\n\n{ENTRY}")

    assert "cached_work(x)" in once("def work(x, y):\n    return x.split()\n")
    assert once("def work(x, y):\n    return [n for n in range(x.rank)]\n") == ""


@pytest.mark.parametrize(
    ("decorator", "is_key"),
    [
        ("@dataclass", False),
        ("@dataclass(frozen=True)", True),
        ("@dataclass(eq=False)", True),
        ("@attrs.define", False),
        ("@other", True),
    ],
)
def test_objects_are_keys_where_they_can_be_hashed(decorator: str, is_key: bool) -> None:
    record = f"{decorator}\nclass Row:\n    rank: int\n"
    found = made(pairs("work(x, y)", "def work(x, y):\n    return x.split() + list(range(y.rank))\n", record))
    assert ("cached_work(x, y)" in found) is is_key


@pytest.mark.parametrize(
    ("head", "first", "second", "is_kept"),
    [
        ("n, k", "n - 1, k", "n - 2, k", True),
        ("n: str, k", "n[1:], k", "n[2:], k", True),
        ("n, k", "n / 2, k", "n / 3, k", False),
        ("n: list, k", "n[1:], k", "n[2:], k", False),
        ("n, k", "n[1:], k", "sorted(n), k", False),
        ("n, k=0.5", "n - 1, k", "n - 2, k", True),
    ],
)
def test_recursion_is_kept_by_what_changes_from_call_to_call(head: str, first: str, second: str, is_kept: bool) -> None:
    source = f"def f({head}):\n    if not n:\n        return 1\n    return f({first}) + f({second})\n"
    assert ("memo = {}" in made(source, "memoise-recursion")) is is_kept


@pytest.mark.parametrize(
    ("head", "start", "expected"),
    [
        ("n", "", "    memo = {}\n\n    def f_of(n):\n        if n in memo:\n            return memo[n]\n"),
        ("n", "    n = abs(n)\n", "        key = n\n        if key in memo:\n            return memo[key]\n"),
        ("n, k", "", "        key = n, k\n        if key in memo:\n"),
    ],
)
def test_what_was_found_is_kept_by_what_was_given(head: str, start: str, expected: str) -> None:
    again = "f(n - 1, k - 1)" if "k" in head else "f(n - 1)"
    source = f"def f({head}):\n{start}    if n < 2: return f(0)\n    # twice\n    return {again} + {again}\n"
    found = made(source, "memoise-recursion")
    assert expected in found
    key = "n" if head == "n" and not start else "key"
    assert f"        # twice\n        memo[{key}] = result = f_of(" in found
    assert found.endswith(f"        return result\n\n    return f_of({head})\n")


def test_recursion_that_is_kept_goes_as_deep_as_before() -> None:
    source = (
        "import sys\n\ndef f(n):\n    return 0 if n < 1 else f(n - 1) + f(n - 2)\n\nf(sys.getrecursionlimit() - 300)\n"
    )
    # The first function of the module, which then calls it.
    exec(compile(made(source, "memoise-recursion"), "<made>", "exec"), {})
