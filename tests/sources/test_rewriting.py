"""Putting rewrites into modules, and what functions tell of themselves."""

from __future__ import annotations

import libcst as cst
import pytest

from bakeoff.sources.rules.rewriting import (
    Function,
    Rewrite,
    Rule,
    Syntax,
    apply,
    beside,
    expression,
    fit,
    path_of,
    statements,
)
from bakeoff.sources.rules.views import Found, Unreadable, View

SOURCE = '''\
"""What it does."""

import os
from a import b as c

LIMIT = 3


@decorated
def f(x, *rest, key=None):
    # a comment
    total = 0

    # about the loop
    for i, (j, *k) in x.pairs():
        total += g(i) + x.weight
        x.seen[j] = total
    return total, LIMIT, [n for n in rest if n]
'''


def opened(source: str) -> tuple[Syntax, Function]:
    syntax = Syntax(cst.parse_module(source))
    return syntax, next(syntax.functions())[1]


def name(function: Function, text: str) -> cst.Name:
    return function.uses(text)[0]


# apply


def test_several_rewrites_beside_and_inside_of_one_statement():
    syntax, function = opened(SOURCE)
    loop = next(function.loops())
    first = Rewrite(
        replace={loop: beside(loop, before="g_of = g\n"), name(function, "g"): cst.Name("g_of")}, imports=("import os",)
    )
    weight = next(node for node in function.walk(cst.Attribute) if path_of(node) == "x.weight")
    second = Rewrite(
        replace={loop: beside(loop, before="weight = x.weight\n", after="del weight\n"), weight: cst.Name("weight")},
        imports=("from a import b as c", "import re"),
        above=("_WORD = re.compile('x')\n",),
    )
    assert (
        apply(syntax, [first, second])
        == '''\
"""What it does."""

import os
import re
from a import b as c

LIMIT = 3


_WORD = re.compile('x')


@decorated
def f(x, *rest, key=None):
    # a comment
    total = 0

    g_of = g
    weight = x.weight
    # about the loop
    for i, (j, *k) in x.pairs():
        total += g_of(i) + weight
        x.seen[j] = total
    del weight
    return total, LIMIT, [n for n in rest if n]
'''
    )


def test_what_wants_one_place_does_not_fit():
    syntax, function = opened(SOURCE)
    loop = next(function.loops())
    one = Rewrite(replace={name(function, "g"): cst.Name("h")})
    other = Rewrite(replace={name(function, "g"): cst.Name("k")})
    around = Rewrite(replace={loop: statements("pass\n")[0]})
    near = Rewrite(replace={loop: beside(loop, before="pass\n")})
    for pair in ([one, other], [one, around], [around, one]):
        assert not fit(syntax, pair)
        assert apply(syntax, pair) is None
    for pair in ([one, near], [around, near]):
        assert fit(syntax, pair)
        assert apply(syntax, pair) is not None


def test_nothing_leaves_the_module_as_it_is():
    for source in (
        SOURCE,
        SOURCE.rstrip("\n"),
        SOURCE.replace("\n", "\r\n"),
        "# only a comment\n\n\n",
        "",
        "x = 1  # y",
    ):
        syntax = Syntax(cst.parse_module(source))
        assert apply(syntax, []) == source


@pytest.mark.parametrize(
    "head",
    ["", '"""Text."""\n', "from __future__ import annotations\n", '"""T."""\nfrom __future__ import annotations\n'],
    ids=["nothing", "docstring", "future", "both"],
)
def test_imports_come_behind_what_has_to_be_first(head: str):
    syntax, function = opened(f"{head}\n\ndef f(x):\n    return x\n" if head else "def f(x):\n    return x\n")
    rewrite = Rewrite(replace={name(function, "x"): cst.Name("y")}, imports=("import heapq",))
    made = apply(syntax, [rewrite])
    assert made is not None
    compile(made, "<made>", "exec")
    assert made.endswith("import heapq\n\n\ndef f(x):\n    return y\n")
    assert made.startswith(head)


def test_imports_that_are_there_are_not_added():
    syntax, function = opened("from a import b, d as e\nimport c.d\n\ndef f(x):\n    return x\n")
    texts = ("from a import b", "from a import d as e", "import c.d", "from a import b, d")
    made = apply(syntax, [Rewrite(replace={name(function, "x"): cst.Name("y")}, imports=texts)])
    assert made is not None
    assert made.split("\n\ndef")[0] == "from a import b, d\n\nfrom a import b, d as e\nimport c.d"


HEADS = {
    "sorted in": (
        '"""T."""\n\nimport re\nfrom typing import Any\n\nimport numpy\n\nfrom . import mine\n',
        '"""T."""\n\nimport heapq\nimport re\nfrom functools import lru_cache\nfrom typing import Any\n\n',
    ),
    "before all others": (
        '"""T."""\n\nfrom __future__ import annotations\n\nfrom . import mine\n',
        '"""T."""\n\nfrom __future__ import annotations\n\nimport heapq\nfrom functools import lru_cache\n\nfrom',
    ),
    "a name more": (
        "from functools import partial  # for later\nimport mine\n",
        "import heapq\nfrom functools import lru_cache, partial  # for later\nimport mine\n",
    ),
    "not on a line": (
        "from functools import (\n    partial,\n)\nfrom mine import heapq as h\n",
        "import heapq\nfrom functools import lru_cache\nfrom functools import (\n    partial,\n)\n",
    ),
}


@pytest.mark.parametrize("case", HEADS)
def test_imports_come_where_they_belong(case: str):
    head, expected = HEADS[case]
    syntax, function = opened(f"{head}\n\ndef f(x):\n    return x\n")
    rewrite = Rewrite(
        replace={name(function, "x"): cst.Name("y")}, imports=("import heapq", "from functools import lru_cache")
    )
    made = apply(syntax, [rewrite])
    assert made is not None
    assert made.startswith(expected)
    assert made.endswith("\n\n\ndef f(x):\n    return y\n")


def test_what_is_put_above_is_set_apart_from_functions():
    syntax, function = opened("import re\n\n\ndef f(x):\n    return x\n")
    above = ("A = 1\n", "B = 2\n", "def g():\n    return 1\n", "C = 3\n")
    made = apply(syntax, [Rewrite(replace={name(function, "x"): cst.Name("y")}, above=above)])
    assert made == ("import re\n\n\nA = 1\nB = 2\n\n\ndef g():\n    return 1\n\n\nC = 3\n\n\ndef f(x):\n    return y\n")


def test_what_several_put_above_comes_in_the_order_of_the_text():
    syntax, function = opened("def f(x, y):\n    return x + y\n")
    first, second = (
        Rewrite(replace={name(function, one): cst.Name(one)}, above=(f"{one.upper()} = 1\n",)) for one in "xy"
    )
    assert apply(syntax, [second, first]).startswith("X = 1\nY = 1\n")


def test_statements_and_their_blanks_take_the_indentation_of_the_module():
    source = "class A:\n\tdef f(self, x):\n\t\tif x: return 1\n\t\twhile x:\n\t\t\tx -= 1\n\t\treturn x\n"
    syntax, function = opened(source)
    loop = next(function.loops())
    lines = "for i in x:\n    if i:\n        break\n\n"
    made = apply(syntax, [Rewrite(replace={loop: beside(loop, before=lines)})])
    assert made == source.replace("\t\twhile", "\t\tfor i in x:\n\t\t\tif i:\n\t\t\t\tbreak\n\t\twhile")


def test_a_block_that_is_emptied_still_is_one():
    syntax, function = opened("def f(x):\n    if x:\n        x += 1\n    return x\n")
    line = next(line for line in function.walk(cst.SimpleStatementLine) if "+=" in function.code(line))
    made = apply(syntax, [Rewrite(replace={line: cst.RemoveFromParent()})])
    assert made is not None
    compile(made, "<made>", "exec")


# What functions tell


def test_names():
    _, function = opened(SOURCE)
    assert function.parameters == ("x", "rest", "key")
    assert function.assigned(function.node.body) == {"total", "i", "j", "k", "n"}
    assert all(map(function.is_local, ["x", "rest", "key", "total", "i", "k"]))
    assert not any(map(function.is_local, ["g", "n", "LIMIT", "os"]))
    assert [len(function.uses(one)) for one in ("x", "total", "j", "weight", "key", "n")] == [3, 2, 1, 0, 0, 2]
    assert function.fresh("total") == "total_2"
    assert function.fresh("total") == "total_3"
    assert function.fresh("new") == "new"


@pytest.mark.parametrize(
    ("line", "is_changed"),
    [
        ("x.append(1)", True),
        ("x[0] = 1", True),
        ("x.y = 1", True),
        ("del x[0]", True),
        ("x += y", True),
        ("x[0][1] += y", True),
        ("work(x)", True),
        ("x[0].pop()", True),
        ("for x[0] in y: pass", True),
        ("with y as x.z: pass", True),
        ("a, x[1] = y", True),
        ("y.append(x)", False),
        ("len(x) + x.count(1)", False),
        ("y[x] = 1", False),
        ("x", False),
        ("z = x[0]", False),
        ("add = x.items.append; add(y)", True),
        ("add = y.append; add(1)", False),
        ("get = x.index; get(1)", False),
    ],
)
def test_mutated(line: str, *, is_changed: bool):
    _, function = opened(f"def f(x, y):\n    {line}\n")
    assert function.mutated("x", function.node.body) is is_changed


@pytest.mark.parametrize(
    ("line", "stays"),
    [
        ("x.items.append(1)", False),
        ("x.items = []", False),
        ("x.items[0] = 1", False),
        ("x = y", False),
        ("x.clear()", False),
        ("x.other.append(1)", True),
        ("x.other = 2", True),
        ("y.append(x)", True),
        ("len(x.items)", True),
    ],
)
def test_stays(line: str, *, stays: bool):
    _, function = opened(f"def f(x, y):\n    for i in y:\n        use(x.items)\n        {line}\n")
    loop = next(function.loops())
    used = next(node for node in function.walk(cst.Attribute) if path_of(node) == "x.items")
    assert function.stays(used, loop) is stays
    assert (function.steady_loop(used) is loop) is stays


def test_what_a_method_that_was_kept_changes_does_not_stay():
    _, function = opened("def f(x, y):\n    add = x.append\n    for i in y:\n        add(len(x))\n")
    loop = next(function.loops())
    used = next(call for call in function.walk(cst.Call) if function.code(call) == "len(x)")
    assert not function.stays(used, loop)


def test_fresh_names_mean_nothing_yet_where_they_are_used():
    syntax, first = opened(
        "import seen\n\ndef f(found):\n    return found\n\ndef g():\n    global rows\n    inner = _KEPT\n"
        "    def h():\n        return 1\n    return h\n"
    )
    functions = dict(syntax.functions())
    second, nested = functions["g"], functions["g.<locals>.h"]
    assert first.fresh("found") == "found_2"
    assert first.fresh("found") == "found_3", "none is given twice"
    assert second.fresh("found") == "found", "another function's names are its own"
    assert nested.fresh("found") == "found_2", "one around sees what is inside"
    assert nested.fresh("inner") == "inner_2"
    assert first.fresh("inner") == "inner"
    assert first.fresh("seen") == "seen_2", "the module's names are everybody's"
    assert first.fresh("rows") == "rows_2", "so are those that a function declares"
    assert first.fresh("_KEPT") == "_KEPT_2", "with an underscore it is for the module"
    assert second.fresh("_KEPT") == "_KEPT_3"


def test_loops_around():
    _, function = opened("""\
def f(a, b):
    for x in first(a):
        while test(x):
            found = [inner(y) for z in once(b) for y in again(z)]
            def g():
                return apart(x)
        else:
            after(x)
""")
    calls = {function.code(call.func): call for call in function.walk(cst.Call)}
    kinds = {called: [type(one).__name__ for one in function.loops_around(call)] for called, call in calls.items()}
    assert kinds == {
        "first": [],
        "test": ["While", "For"],
        "inner": ["ListComp", "While", "For"],
        "once": ["While", "For"],
        "again": ["ListComp", "While", "For"],
        "apart": [],
        "after": ["For"],
    }


def test_nothing_is_put_before_a_lambda_that_needs_its_parameter():
    _, function = opened("def f(rows):\n    return sorted(rows, key=lambda row: [len(row) + i for i in range(3)])\n")
    call = next(call for call in function.walk(cst.Call) if function.code(call) == "len(row)")
    loop = function.steady_loop(call)
    assert loop is not None
    assert function.anchor(call, loop) is None


def test_purity_and_sameness():
    _, function = opened("def f(x, len2):\n    return 1\n")
    pure = ["x + 1", "len(x)", "x.lower()", "[len(y) for y in x]", "x[0].y"]
    impure = ["g(x)", "x.pop()", "(y := x)", "(yield x)", "len2(x)", "x()()"]
    assert all(function.is_pure(expression(text)) for text in pure)
    assert not any(function.is_pure(expression(text)) for text in impure)
    assert function.same(expression("a [ 'b' ]"), expression('(a["b"])'))
    assert not function.same(expression("a"), expression("b"))


def test_a_module_that_has_its_own_len_is_not_taken_for_the_other():
    _, function = opened("def f(x):\n    return len(x)\n\ndef len(x):\n    return x.pop()\n")
    assert not function.is_pure(expression("len(x)"))


def test_left_with():
    _, function = opened("""\
def f(a):
    for x in a:
        y = x
    for z in a:
        last = z
    for x in a:
        print(x)
    return last
""")
    first, second, third = function.loops()
    assert isinstance(first, cst.For)
    assert isinstance(second, cst.For)
    assert isinstance(third, cst.For)
    assert not function.is_left_with(first)
    assert function.is_left_with(second)
    assert not function.is_left_with(second, but="last")
    assert not function.is_left_with(third)


# View


def greater(function: Function):
    for node in function.walk(cst.Integer):
        yield Rewrite(replace={node: cst.Integer(str(int(node.value) + 1))})


GREATER = Rule(
    name="greater",
    summary="numbers → greater ones",
    unsafe="always",
    before="",
    after="",
    calls=(),
    find=greater,
)

CALLS = """\
class Box:
    def __init__(self):
        self.a = 1

    def open(self):
        return self.helper() + helper()

    def helper(self):
        return 2


def helper():
    return 3 + 3


def apart():
    return 4


def start():
    def inner():
        return 5
    return inner() + Box().open()
"""


@pytest.mark.parametrize(
    ("name", "numbers"),
    [("apart", "4"), ("Box.open", "233"), ("helper", "33"), ("start", "51233"), ("start.<locals>.inner", "5")],
)
def test_view_reaches_what_the_target_refers_to(name: str, numbers: str):
    view = View(CALLS.encode(), name, [GREATER])
    assert sorted(one.key[2] for one in view.found) == sorted(numbers)
    assert len({one.key for one in view.found}) == len(view.found)


def test_view_makes_what_was_found():
    view = View(CALLS.encode(), "helper", [GREATER])
    first, second = view.found
    assert first.line == second.line == CALLS.split("\n").index("    return 3 + 3") + 1
    assert view.content([first]) == CALLS.replace("3 + 3", "4 + 3").encode()
    assert view.content([first, second]) == CALLS.replace("3 + 3", "4 + 4").encode()
    assert view.content([first, first]) is None
    assert view.fitting([first, first, second]) == [first, second]


def test_view_of_what_cannot_be_read():
    for content in (b"def f(:\n", b"\xff\xfe", b"# coding: nonsense\n", b"def f():\n  x\n y\n", b"x = '\x00'"):
        with pytest.raises(Unreadable):
            View(content, "f", [GREATER])
    with pytest.raises(Unreadable, match="no function 'g'"):
        View(b"def f(): pass\n", "g", [GREATER])


def test_what_is_no_python_is_not_made():
    def wrong(function: Function):
        yield Rewrite(replace={next(function.walk(cst.Integer)): cst.Name("not")})

    def stumbling(function: Function):
        raise KeyError("x")
        yield

    rules = [
        Rule(name=name, summary="", unsafe="", before="", after="", calls=(), find=find)
        for name, find in (("wrong", wrong), ("stumbling", stumbling))
    ]
    view = View(CALLS.encode(), "apart", rules)
    found: list[Found] = view.found
    assert [view.content([one]) for one in found] == [None]
    assert view.problems == {"stumbling": "the rule failed: KeyError('x')"}


ANNOTATED = '''class Kept:
    words: list[str] = []

    def first(self, words: list[str]) -> list[str]:
        """Each once."""
        found: list[str] = []
        other: int = 0
        for word in words:
            if word not in found:
                found.append(word)
        return found


def untouched() -> None:
    number: int = 1; print(number)
'''


def test_rules_see_local_variables_without_their_annotations_and_these_stay() -> None:
    from bakeoff.sources.rules.catalogue import ALL

    view = View(ANNOTATED.encode(), "Kept.first", [rule for rule in ALL if rule.name == "dedupe"])
    (found,) = view.found
    made = view.content([found])
    assert made is not None
    expected = ANNOTATED.replace(
        """        found: list[str] = []
        other: int = 0
        for word in words:
            if word not in found:
                found.append(word)
""",
        """        found: list[str] = []
        seen = set()
        other: int = 0
        for word in words:
            if word not in seen:
                found.append(word)
                seen.add(word)
""",
    )
    assert made.decode() == expected
    assert view.content([]) == ANNOTATED.encode()
