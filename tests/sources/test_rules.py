"""The rules of the catalogue: their examples, and that none of them stumbles over real code."""

from __future__ import annotations

import importlib.util
import os
import textwrap
import warnings
from pathlib import Path
from typing import Any

import libcst as cst
import pytest

from bakeoff.sources.rules.catalogue import ALL
from bakeoff.sources.rules.rewriting import Rewrite, Rule, Syntax, apply, fit

# How many rewrites of one rule are made alone: some rules find hundreds.
MOST_ALONE = 8

every_rule = pytest.mark.parametrize("rule", ALL, ids=lambda rule: rule.name)

# Modules of the standard library: parsers, formatters, numbers, data structures, protocols, and much old code.
MODULES = """
    _strptime base64 bisect calendar cmd codeop colorsys copy csv dis email/utils filecmp fileinput fnmatch
    fractions functools getopt gettext glob graphlib heapq html/parser json/decoder json/encoder linecache mimetypes
    netrc posixpath pprint pstats queue reprlib sched selectors shlex string stringprep textwrap timeit tokenize
    trace uuid weakref
"""


def rewritten(rule: Rule, source: str) -> str:
    """The module with all that the rule finds in its first function, at once."""
    syntax = Syntax(cst.parse_module(source))
    _, function = next(syntax.functions())
    made = apply(syntax, list(rule.find(function)))
    assert made is not None, f"what {rule.name} finds in its example overlaps"
    return made


def results(source: str, calls: tuple[str, ...]) -> list[Any]:
    namespace: dict[str, Any] = {}
    exec(compile(source, "<example>", "exec"), namespace)
    return [eval(call, dict(namespace)) for call in calls]


def test_the_catalogue_is_complete():
    names = [rule.name for rule in ALL]
    assert names == sorted(set(names))
    folder = Path(importlib.util.find_spec("bakeoff.sources.rules.catalogue").origin).parent
    files = {file.stem for file in folder.glob("*.py") if not file.name.startswith("_")}
    assert {name.replace("-", "_") for name in names} == files


@every_rule
def test_example(rule: Rule):
    assert rewritten(rule, rule.before) == rule.after


@every_rule
def test_example_keeps_the_behaviour(rule: Rule):
    assert len(rule.calls) >= 2
    assert results(rule.before, rule.calls) == results(rule.after, rule.calls)


@every_rule
def test_what_a_rule_has_made_it_leaves_alone(rule: Rule):
    again = rewritten(rule, rule.after)
    third = rewritten(rule, again)
    assert again == rule.after or third == again, "it goes on and on"


@every_rule
def test_rule_says_what_it_is(rule: Rule):
    assert rule.summary
    assert "\n" not in rule.summary
    assert len(rule.summary) <= 100
    assert rule.unsafe
    assert rule.before != rule.after


# What speaks against a rewrite, one thing each: (rule, the function's body).
LEFT_ALONE = [
    ("list-membership", "for x in a:\n    if 'text' in b: use(x)"),
    ("list-membership", "b = {}\nfor x in a:\n    if x in b: use(x)"),
    ("list-membership", "for x in a:\n    if x in b: b.remove(x)"),
    ("list-membership", "for x in a:\n    if x in x.parts: use(x)"),
    ("list-membership", "return a in (b, 1, 2)"),
    ("dedupe", "out = []\nfor x in a:\n    if x not in out:\n        out.append(x)\n        out.pop()"),
    ("dedupe", "out = []\nfor x in a:\n    if x not in out:\n        out.append(next(b))\nreturn out"),
    ("dedupe", "out = []\nif a in out:\n    out.append(a)\nreturn out"),
    ("join-strings", "s = ''\nfor x in a:\n    s += x\n    use(s)"),
    ("join-strings", "s = ''\nfor x in a:\n    s += s + x\nreturn s"),
    ("join-strings", "s = 0\nfor x in a:\n    s += x\nreturn s"),
    ("join-strings", "s = ''\nfor x in a:\n    s = x + s\nreturn s"),
    ("sorted-first", "return sorted(a)[1]"),
    ("sorted-first", "return sorted(a, reverse=b)[0]"),
    ("sorted-first", "return sorted(a)[:-1]"),
    ("sorted-first", "c = sorted(a)\nuse(c)\nreturn c[0]"),
    ("sorted-first", "c = sorted(a)\nwhile b:\n    b = c[0]"),
    ("index-join", "for x in a:\n    for y in b:\n        if y.k == x.k: b.append(y)"),
    ("index-join", "for x in a:\n    for y in x:\n        if y.k == x.k: use(y)"),
    ("index-join", "for x in a:\n    for y in b:\n        if y.k == y.j: use(y)"),
    ("index-join", "for y in b:\n    if y.k == a: use(y)"),
    ("index-join", "for x in a:\n    for y in b:\n        if y.k == x.k: use(y)\n        else: use(x)"),
    ("index-lookup", "return first(b, a)"),
    ("index-lookup", "for x in a:\n    first(x, b)"),
    ("index-lookup", "for x in a:\n    first(b, x)\n    b.append(x)"),
    ("index-recursion", "return [f(x, x.j) for x in a if x.k == b]"),
    ("index-recursion", "return [x for x in a if x.k == b]"),
    ("memoise-recursion", "print(a)\nreturn f(a - 1, b) + f(a - 2, b)"),
    ("deque", "return a.pop(0)"),
    ("deque", "q = a\nreturn q.pop(0)"),
    ("deque", "q = []\nuse(q[1:], q.pop(0))"),
    ("deque", "q = []\nq.sort()\nuse(q.pop(0))"),
    ("deque", "q = []\nuse(q.pop())"),
    ("hoist-attributes", "for x in a:\n    use(x.y)"),
    ("hoist-attributes", "for x in a:\n    b.c += b.c"),
    ("hoist-attributes", "for x in a:\n    b = b.next"),
    ("hoist-attributes", "return b.c"),
    ("hoist-calls", "for x in a:\n    a.append(len(a))"),
    ("hoist-attributes", "for x in a:\n    if x: use(b.c)"),
    ("hoist-attributes", "while b.c < b.d:\n    use(b)"),
    ("hoist-attributes", "for x in a:\n    use(x and b.c)"),
    ("hoist-calls", "while len(a) > 1:\n    step(a)"),
    ("hoist-calls", "while len(self.x) > 1:\n    self.step()"),
    ("hoist-calls", "for x in a:\n    use(len(x))"),
    ("hoist-calls", "for x in a:\n    use(b.pop())"),
    ("hoist-calls", "for x in a:\n    x.y = list(b)"),
    ("hoist-calls", "for x in a:\n    for y in enumerate(b): use(y)"),
    ("hoist-calls", "return [y for y in a if len(y) > 1]"),
    ("hoist-calls", "while len(a) > 1:\n    del a[0]"),
    ("hoist-calls", "return sorted(a, key=lambda x: [len(x) for _ in b])"),
    ("compile-patterns", "return re.match(a, b)"),
    ("text-patterns", "for x in a:\n    use(re.match(x, b, a))"),
    ("text-patterns", "for x in a:\n    use(re.sub(x, '', b, 1))"),
    ("compile-patterns", "return re.match('x', b, a)"),
    ("compile-patterns", "return re.escape('x')"),
    ("append-comprehension", "out = []\nfor x in a:\n    out.append(x)\n    use(out)"),
    ("append-comprehension", "out = []\nfor x in a:\n    out.append(len(out))\nreturn out"),
    ("append-comprehension", "out = []\nfor x in a:\n    out.append(x)\nreturn out, x"),
    ("append-comprehension", "out = []\nfor x in a:\n    out.append(x)\nelse:\n    use(out)"),
    ("append-comprehension", "out = []\nfor x in a:\n    if x: break\n    out.append(x)"),
    ("append-comprehension", "out = []\nfor x in a:\n    out.append((yield x))"),
    ("any-all-sum", "s = ''\nfor x in a:\n    s += x\nreturn s"),
    ("any-all-sum", "n = 0\nfor x in a:\n    n += n + x\nreturn n"),
    ("any-all-sum", "n = 0\nfor x in a:\n    n += x\nreturn n, x"),
    ("any-all-sum", "for x in a:\n    if x: return True\nreturn True"),
    ("memoise-recursion", "return f(a - 1, b)"),
    ("memoise-recursion", "global c\nreturn f(a - 1, b) + f(a - 2, b)"),
    ("memoise-recursion", "yield f(a - 1, b) + f(a - 2, b)"),
    ("memoise-recursion", "b.append(a)\nreturn f(a - 1, b) + f(a - 2, b)"),
    ("memoise-recursion", "return f(*a) + f(a - 2, b)"),
    ("memoise-recursion", "f(a - 1, b), f(a - 2, b)"),
    ("flat-copy", "return copy.copy(a)"),
    ("flat-copy", "return json.loads(a)"),
    ("flat-copy", "return copy.deepcopy(a, b)"),
    ("slice-recursion", "return f(a[1:], b) + sum(a)"),
    ("slice-recursion", "return f(a[:1], b)"),
    ("slice-recursion", "while a:\n    a = a[1:]\nreturn a"),
    ("slice-recursion", "while a:\n    use(a[:2])\n    a = a[1:]"),
    ("inline-helper", "return two(a)"),
    ("inline-helper", "for x in a:\n    two(x, b)"),
    ("inline-helper", "for x in a:\n    two(next(b))"),
    ("inline-helper", "for x in a:\n    twice(x.pop())"),
    ("inline-helper", "N = 3\nfor x in a:\n    two(x)"),
]
HELPERS = "N = 2\n\ndef two(x):\n    return x * N\n\ndef twice(x):\n    return x + x\n"
HELPERS += "\ndef has(items, x):\n    if x: return False\n    return x in items\n"
HELPERS += (
    "\ndef first(items, x):\n    for one in items:\n        if one.k == x:\n            return one\n    return -1\n"
)


@pytest.mark.parametrize(("name", "body"), LEFT_ALONE)
def test_what_a_rule_leaves_alone(name: str, body: str):
    source = "def f(a, b):\n" + textwrap.indent(body, "    ") + "\n\n" + HELPERS
    [rule] = [rule for rule in ALL if rule.name == name]
    assert rewritten(rule, source) == source


# (rule, the function's body, a part of what is made of it).
MADE = [
    ("list-membership", "for x in a:\n    while x in self.b: use(x)", "b_set = set(self.b)"),
    (
        "list-membership",
        "for x in a:\n    use(has(b, x))",
        "b_set = set(b)\n    for x in a:\n        use(has(b_set, x))",
    ),
    ("index-lookup", "for x in a:\n    use(first(b, x.y))", "use((by_k[x.y] if x.y in by_k else first(b, x.y)))"),
    ("index-recursion", "return [f(a, x.j) for x in a if x.k == b]", "return [f_of(x.j) for x in by_k.get(b, ())]"),
    ("inline-helper", "return two(a) and f(a - 1, b)", "return (a * N) and f(a - 1, b)"),
    ("memoise-recursion", "if a < 0: raise ValueError(b)\nreturn f(a - 1, b) + f(a - 2, b)", "def f_of(a):"),
    ("list-membership", "return a in TABLE", "_TABLE_SET = frozenset(TABLE)\n"),
    ("dedupe", "out = list(b)\nfor x in a:\n    if x in out:\n        out.append(x)\nreturn out", "seen = set(out)"),
    ("join-strings", "s = f'{a}'\nwhile b:\n    s = s + x + 'y'\nreturn s", "s_parts.append(x + 'y')"),
    ("sorted-first", "return sorted(a, key=b, reverse=True)[0]", "max(a, key=b)"),
    ("sorted-first", "return sorted((x for x in a), reverse=False)[:3]", "heapq.nsmallest(3, (x for x in a))"),
    ("index-join", "return [[y for y in b if y['k'] == x and y] for x in a]", "[y for y in by_k.get(x, ()) if y]"),
    (
        "index-join",
        "for x in a:\n    for k, v in b:\n        if x == k:\n            use(v)\n            break",
        "by_k",
    ),
    ("deque", "q = list(a)\nwhile q:\n    use(q.pop(0))\nreturn q", "return list(q)"),
    ("hoist-attributes", "while a:\n    use(a, b.c.d[a])", "c_d = b.c.d\n"),
    ("hoist-calls", "for x in a:\n    use(two(b) + x)", "two_b = two(b)\n"),
    ("hoist-calls", "return [x for x in a if x < max(b)]", "max_b = max(b)\n    return [x for x in a if x < max_b]"),
    ("hoist-calls", "for x in self.items:\n    use(x, len(self.items))\n    self.n = 1", "len_items = len(self.items)"),
    ("compile-patterns", "return re.split('x' 'y', a, maxsplit=1, flags=re.I)", ".split(a, maxsplit=1)"),
    ("text-patterns", "for x in a:\n    use(re.match(x, b, re.I | re.A))", "_compiled(x, re.I | re.A).match(b)"),
    ("text-patterns", "for x in a:\n    use(re.match(x, b, flags=re.I))", "_compiled(x, re.I).match(b)"),
    ("text-patterns", "for x in a:\n    use(re.sub(b, '', x, flags=re.I))", "b_compiled = re.compile(b, re.I)\n"),
    ("append-comprehension", "out = set()\nfor x in a:\n    if not x: continue\n    out.add(x)", "{x for x in a if x}"),
    ("append-comprehension", "out = {}\nfor x, y in a:\n    out[(x, 1)] = y", "{(x, 1): y for x, y in a}"),
    (
        "any-all-sum",
        "ok = True\nfor x in a:\n    if x:\n        ok = False\nreturn ok",
        "ok = ok and not any(x for x in a)",
    ),
    ("memoise-recursion", "return f(a - 1, b) or f(a - 2, b)", "return f_of(a)"),
    ("flat-copy", "return json.loads(json.dumps(a))", "return _copied(a)"),
    ("slice-recursion", "while a:\n    use(a[0])\n    a = a[1:]", "a = deque(a)\n"),
    ("slice-recursion", "if not a: return 0\nreturn f(a[2:], b) + f(a, 1)", "f_from(start + 2, b) + f_from(start, 1)"),
    ("inline-helper", "for x in a:\n    use(two(x), twice(x.y))", "use((x * N), (x.y + x.y))"),
]


@pytest.mark.parametrize(("name", "body", "part"), MADE)
def test_what_a_rule_makes(name: str, body: str, part: str):
    source = "def f(a, b):\n" + textwrap.indent(body, "    ") + "\n\n" + HELPERS + "\nTABLE = [1, 2]\n"
    [rule] = [rule for rule in ALL if rule.name == name]
    made = rewritten(rule, source)
    compile(made, "<made>", "exec")
    assert part in made


@pytest.fixture(scope="module")
def corpus() -> list[tuple[str, Syntax]]:
    """Those of the modules that this version of Python has."""
    library = Path(os.__file__).parent
    paths = [library / f"{name}.py" for name in MODULES.split()]
    found = [(path.stem, Syntax(cst.parse_module(path.read_bytes()))) for path in paths if path.is_file()]
    assert len(found) >= 40
    return found


@every_rule
@pytest.mark.soak
def test_real_code_stays_valid(rule: Rule, corpus):
    """All of a module that go together at once, and the first ones also each by itself."""
    alone = 0
    for name, syntax in corpus:
        every = [rewrite for _, function in syntax.functions() for rewrite in rule.find(function)]
        together: list[Rewrite] = []
        for rewrite in every:
            together += [rewrite] if fit(syntax, [*together, rewrite]) else []
        singles = [[rewrite] for rewrite in every[: MOST_ALONE - alone]]
        alone += len(singles)
        for rewrites in [*singles, together]:
            made = apply(syntax, rewrites)
            assert made is not None, name
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                compile(made, name, "exec")
