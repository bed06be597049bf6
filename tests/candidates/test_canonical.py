from __future__ import annotations

import ast
import builtins
import dis
import itertools
import keyword
import random
import string
import subprocess
import sys
import sysconfig
import textwrap
import types
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.candidates import canonical
from bakeoff.candidates.canonical import _Names

pytestmark = pytest.mark.promise("E5")


def form(source: str | bytes, *, path: str = "m.py") -> bytes:
    return canonical(path, textwrap.dedent(source).encode() if isinstance(source, str) else source)


def is_read(content: bytes) -> bool:
    return canonical("m.py", content) != content


def function(body: str, *, parameters: str = "a, b") -> str:
    return f"def f({parameters}):\n" + textwrap.indent(textwrap.dedent(body), "    ")


# Pairs that are the same

SAME = {
    "comment": ("x = 1\n", "# one\nx = 1  # two\n"),
    "format": ("f(a, b=[1, 2])\n", "f(\n  a,\n  b = [ 1,2, ],\n)"),
    "quotes": ("x = 'a'\n", 'x = """a"""\n'),
    "joined": ("x = 'ab'\n", "x = ('a'\n 'b')\n"),
    "unicode mark": ("x = 'a'\n", "x = u'a'\n"),
    "escapes": ("x = '\\x41'\n", "x = 'A'\n"),
    "digits": ("x = 1_000\n", "x = 0x3e8\n"),
    "parentheses": ("x = a + b * c\n", "x = (a + (b * c))\n"),
    "semicolons": ("x = 1\ny = 2\n", "x = 1; y = 2\n"),
    "newlines": ("x = 1\ny = 2\n", "x = 1\r\n\r\ny = 2\r\n"),
    "coding": ("x = 'ü'\n".encode(), "# coding: latin-1\nx = 'ü'\n".encode("latin-1")),
    "byte order mark": (b"x = 1\n", b"\xef\xbb\xbfx = 1\n"),
    "module docstring": ("'''Doc.'''\nx = 1\n", "x = 1\n"),
    "docstring": (function("'''One.'''\nreturn a"), function("'''Two.'''\nreturn a")),
    "class docstring": ("class C:\n 'One.'\n x = 1\n", "class C:\n x = 1\n"),
    "only a docstring": (function("'''One.'''"), function("pass")),
    "only a docstring, async": ("async def f(): 'One.'\n", "async def f(): pass\n"),
    "class of a docstring": ("class C: 'One.'\n", "class C: pass\n"),
    "assigned": (function("x = a\nreturn x"), function("y = a\nreturn y")),
    "taken apart": (function("x, (y, *z) = a\nreturn x"), function("p, (q, *r) = a\nreturn p")),
    "augmented": (function("x = 0\nx += a\nreturn x"), function("n = 0\nn += a\nreturn n")),
    "annotated": (function("x: int = 0\nreturn x"), function("y: int = 0\nreturn y")),
    "declared only": (function("x: int\nreturn a"), function("y: int\nreturn a")),
    "for": (function("for x in a: print(x)"), function("for y in a: print(y)")),
    "with": (function("with a as x: x()"), function("with a as y: y()")),
    "except": (function("try: a()\nexcept E as e: print(e)"), function("try: a()\nexcept E as x: print(x)")),
    "walrus": (function("if (n := a): return n"), function("if (m := a): return m")),
    "deleted": (function("x = 1\ndel x"), function("y = 1\ndel y")),
    "import": (function("import os\nreturn os.sep"), function("import os as o\nreturn o.sep")),
    "import from": (function("from os import sep\nreturn sep"), function("from os import sep as s\nreturn s")),
    "import as": (function("import os.path as p\nreturn p"), function("import os.path as q\nreturn q")),
    "match": (
        function("match a:\n case [x, *y]: return x, y\n case {'k': 1, **r}: return r\n case str() as s: return s"),
        function("match a:\n case [p, *q]: return p, q\n case {'k': 1, **v}: return v\n case str() as t: return t"),
    ),
    "comprehension": (function("return [x for x in a if x]"), function("return [y for y in a if y]")),
    "comprehension at the top": ("z = {x: y for x, y in w}\n", "z = {p: q for p, q in w}\n"),
    "comprehension in a class": ("class C:\n z = [x for x in w]\n", "class C:\n z = [y for y in w]\n"),
    "nested comprehensions": (
        function("return [x for y in a for x in y]"),
        function("return [p for q in a for p in q]"),
    ),
    "walrus out of a comprehension": (
        function("z = [w := x for x in a]\nreturn w, z"),
        function("p = [q := r for r in a]\nreturn q, p"),
    ),
    "shadowing": (function("x = a\nreturn [x for x in x]"), function("x = a\nreturn [y for y in x]")),
    "closure": (
        function("x = a\ndef g():\n return x\nreturn g"),
        function("y = a\ndef g():\n return y\nreturn g"),
    ),
    "nonlocal": (
        function("x = 0\ndef g():\n nonlocal x\n x += 1\n return x\nreturn g"),
        function("y = 0\ndef g():\n nonlocal y\n y += 1\n return y\nreturn g"),
    ),
    "lambda": (function("x = a\nreturn lambda p: p + x"), function("y = a\nreturn lambda p: p + y")),
    "method": (
        "class C:\n def f(self):\n  x = self\n  return x\n",
        "class C:\n def f(self):\n  y = self\n  return y\n",
    ),
    "private local": (
        "class C:\n def f(self):\n  __x = 1\n  return _C__x\n",
        "class C:\n def f(self):\n  y = 1\n  return y\n",
    ),
    "through a class": (
        function("x = a\nclass C:\n def g(self):\n  return x\nreturn C"),
        function("y = a\nclass C:\n def g(self):\n  return y\nreturn C"),
    ),
    "past a class that says global": (
        function("x = a\nclass C:\n global x\n def g(self):\n  return x\nreturn C"),
        function("y = a\nclass C:\n global x\n def g(self):\n  return y\nreturn C"),
    ),
    "swapped": (function("x = 1\ny = 2\nreturn x, y"), function("y = 1\nx = 2\nreturn y, x")),
    "other functions see": (
        "def g(): return locals()\n" + function("x = 1\nreturn x"),
        "def g(): return locals()\n" + function("y = 1\nreturn y"),
    ),
    "vars of something": (function("x = 1\nreturn vars(a)"), function("y = 1\nreturn vars(a)")),
    "named like a builtin": (function("dir = a\nreturn dir"), function("x = a\nreturn x")),
    "named like a method": (function("query = a\nreturn query"), function("x = a\nreturn x")),
    "attribute named like a builtin": (
        "class C: dir = 1\n" + function("x = a.dir\nreturn x"),
        "class C: dir = 1\n" + function("y = a.dir\nreturn y"),
    ),
    "inspected elsewhere": (
        "import inspect\ns = inspect.signature(s)\n" + function("x = 1\nreturn x"),
        "import inspect\ns = inspect.signature(s)\n" + function("y = 1\nreturn y"),
    ),
    "named like a global of another function": (
        function("x = 1\nreturn x") + "\ndef g(): return len",
        function("len = 1\nreturn len") + "\ndef g(): return len",
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_the_same_in_other_words(name: str) -> None:
    one, two = SAME[name]
    assert form(one) == form(two)


# Pairs that are not

DIFFERENT = {
    "value": ("x = 1\n", "x = 2\n"),
    "int and float": ("x = 1\n", "x = 1.0\n"),
    "int and bool": ("x = 1\n", "x = True\n"),
    "complex": ("x = 0\n", "x = 0j\n"),
    "text and bytes": ("x = 'a'\n", "x = b'a'\n"),
    "none and text": ("x = None\n", "x = 'None'\n"),
    "text with the look of a field": ("x = 'a', 'b'\n", "x = \"a', 'b\",\n"),
    "text and f-string": ("x = 'a'\n", "x = f'{a}'\n"),
    "name in an f-string": (function("x = 1\nreturn f'{x=}'"), function("y = 1\nreturn f'{y=}'")),
    "no docstring": (function("return 'One.'"), function("return 'Two.'")),
    "text that is no docstring": (function("a\n'One.'"), function("a\n'Two.'")),
    "docstring that is read": ("'''One.'''\nprint(__doc__)\n", "'''Two.'''\nprint(__doc__)\n"),
    "first line of a script": ("#!/usr/bin/python\nx = 1\n", "#!/usr/bin/python -O\nx = 1\n"),
    "global": ("x = 1\n", "y = 1\n"),
    "global of a comprehension": ("z = [w := x for x in a]\n", "z = [v := x for x in a]\n"),
    "parameter": (function("return a"), function("return c", parameters="c, b")),
    "parameter that is assigned": (function("a = 1\nreturn a"), function("c = 1\nreturn c", parameters="c, b")),
    "parameters": ("def f(*args): return args\n", "def f(*rest): return rest\n"),
    "keyword parameters": ("def f(**a): return a\n", "def f(**b): return b\n"),
    "lambda's parameter": ("f = lambda x: x\n", "f = lambda y: y\n"),
    "function": ("def f(): pass\n", "def g(): pass\n"),
    "nested function": (function("def g(): pass\nreturn g"), function("def h(): pass\nreturn h")),
    "nested class": (function("class C: pass\nreturn C"), function("class D: pass\nreturn D")),
    "class attribute": ("class C:\n x = 1\n", "class C:\n y = 1\n"),
    "attribute": (function("return a.x"), function("return a.y")),
    "keyword": (function("return a(x=1)"), function("return a(y=1)")),
    "declared global": (function("global x\nx = 1"), function("global y\ny = 1")),
    "global that is not": (function("global x\nx = 1"), function("x = 1")),
    "captured builtin": (function("x = a\nreturn len(x)"), function("len = a\nreturn len(len)")),
    "captured global": (function("y = a\nreturn x"), function("x = a\nreturn x")),
    "captured parameter": (function("x = 1\nreturn a"), function("a = 1\nreturn a")),
    "other variable": (function("x = 1\ny = 2\nreturn x"), function("x = 1\ny = 2\nreturn y")),
    "one variable or two": (function("x = 1\nx = 2\nreturn x"), function("x = 1\ny = 2\nreturn x")),
    "closure or local": (
        function("x = 0\ndef g():\n x = 1\nreturn x"),
        function("x = 0\ndef g():\n nonlocal x\n x = 1\nreturn x"),
    ),
    "closure or global": (
        function("x = 0\ndef g():\n return x\nreturn g"),
        function("y = 0\ndef g():\n return x\nreturn g"),
    ),
    "class scope is not seen by methods": (
        "class C:\n x = 1\n def f(self):\n  return x\n",
        "class C:\n y = 1\n def f(self):\n  return x\n",
    ),
    "comprehension or outer": (function("x = a\nreturn [x for y in a]"), function("x = a\nreturn [y for y in a]")),
    "first iterable": (
        function("x = a\nreturn [x for x in x for y in x]"),
        function("x = a\nreturn [y for y in x for z in x]"),
    ),
    "annotation": (function("x: int = 0"), function("x: float = 0")),
    "annotation of a local": (function("x: int = 0"), function("x = 0")),
    "local in a nested annotation": (
        function("T = int\ndef g(x: T): pass\nreturn g"),
        function("U = int\ndef g(x: U): pass\nreturn g"),
    ),
    "no binding": (function("(x): int\nreturn x"), function("(y): int\nreturn y")),
    "locals": (function("x = 1\nreturn locals()"), function("y = 1\nreturn locals()")),
    "vars": (function("x = 1\nreturn vars()"), function("y = 1\nreturn vars()")),
    "dir": (function("x = 1\nreturn dir()"), function("y = 1\nreturn dir()")),
    "eval": (function("x = 1\nreturn eval(a)"), function("y = 1\nreturn eval(a)")),
    "exec": (function("x = 1\nexec(a, {}, b)"), function("y = 1\nexec(a, {}, b)")),
    "eval in a closure": (
        function("x = 1\ndef g():\n x\n return eval('x')\nreturn g"),
        function("y = 1\ndef g():\n y\n return eval('x')\nreturn g"),
    ),
    "eval of a frame that looks": (function("x = 1\nreturn a.query('@x')"), function("y = 1\nreturn a.query('@x')")),
    "alias of locals": (
        "see = locals\n" + function("x = 1\nreturn see()"),
        "see = locals\n" + function("y = 1\nreturn see()"),
    ),
    "locals handed on": (
        "def g(): return locals\n" + function("x = 1\nreturn g()()"),
        "def g(): return locals\n" + function("y = 1\nreturn g()()"),
    ),
    "vars of perhaps nothing": (function("x = 1\nreturn vars(*a)"), function("y = 1\nreturn vars(*a)")),
    "builtins.locals": (function("x = 1\nreturn builtins.locals()"), function("y = 1\nreturn builtins.locals()")),
    "inspect by another name": (
        "import inspect as i\n" + function("x = 1\nreturn i.anything()"),
        "import inspect as i\n" + function("y = 1\nreturn i.anything()"),
    ),
    "self that is a local": (function("self = a\nself.x = 1"), function("this = a\nthis.x = 1")),
    "imported locals": (
        "from builtins import locals as see\n" + function("x = 1\nreturn see()"),
        "from builtins import locals as see\n" + function("y = 1\nreturn see()"),
    ),
    "frames": (
        "import sys\ndef g(): return sys._getframe(1).f_locals\n" + function("x = 1\nreturn g()"),
        "import sys\ndef g(): return sys._getframe(1).f_locals\n" + function("y = 1\nreturn g()"),
    ),
    "frames by text": (
        "def g(): return getattr(sys, '_getframe')(1)\n" + function("x = 1\nreturn g()"),
        "def g(): return getattr(sys, '_getframe')(1)\n" + function("y = 1\nreturn g()"),
    ),
    "inspect": (
        function("x = 1\nreturn inspect.anything()"),
        function("y = 1\nreturn inspect.anything()"),
    ),
    "inspect.stack": (
        "def g(): return inspect.stack()\n" + function("x = 1\nreturn g()"),
        "def g(): return inspect.stack()\n" + function("y = 1\nreturn g()"),
    ),
    "code": (function("x = 1") + "\nf.__code__.co_varnames", function("y = 1") + "\nf.__code__.co_varnames"),
    "class body reads": (
        function("x = 1\nclass C(metaclass=a):\n y = x\nreturn C"),
        function("z = 1\nclass C(metaclass=a):\n y = z\nreturn C"),
    ),
    "dunder": (function("__tracebackhide__ = True"), function("hide = True")),
    "mangled or not": (
        "class C:\n def f(self):\n  __x = 1\n  return __x\n",
        "class C:\n def f(self):\n  __x = 1\n  return _D__x\n",
    ),
    "dotted import": (function("import os.path\nreturn os"), function("import os.path as os\nreturn os")),
    "what is imported": (function("import os as x\nreturn x"), function("import re as x\nreturn x")),
    "from where": (function("from a import x\nreturn x"), function("from b import x\nreturn x")),
    "how far up": (function("from .a import x\nreturn x"), function("from ..a import x\nreturn x")),
    "order": ("x = 1\ny = 2\n", "y = 2\nx = 1\n"),
    "statement": (function("return a"), function("yield a")),
    "async": ("async def f(): pass\n", "def f(): pass\n"),
    "operator": ("x = a + b\n", "x = a - b\n"),
    "grouping": ("x = a - (b - c)\n", "x = a - b - c\n"),
    "indentation": ("if a:\n b\n c\n", "if a:\n b\nc\n"),
    "else": ("for x in a: b\nelse: c\n", "for x in a: b\nc\n"),
    "starred": ("f(*a)\n", "f(a)\n"),
    "unpacked": ("x = {**a}\n", "x = {None: a}\n"),
    "defaults": ("def f(*, a, b=1): pass\n", "def f(*, a=1, b): pass\n"),
    "positional only": ("def f(a, /, b): pass\n", "def f(a, b, /): pass\n"),
    "conversion": ("x = f'{a!r}'\n", "x = f'{a!s}'\n"),
    "relative": ("from . import a\n", "from .. import a\n"),
    "slice": ("a[1:]\n", "a[:1]\n"),
    "caught group": ("try: a\nexcept* E: b\n", "try: a\nexcept E: b\n"),
    "invalid because of a name": (function("return [x := 1 for y in a]"), function("return [y := 1 for y in a]")),
    "nonlocal of nothing": (
        function("x = 1\ndef g():\n nonlocal x"),
        function("x = 1\ndef g():\n nonlocal y"),
    ),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_something_else(name: str) -> None:
    one, two = DIFFERENT[name]
    assert form(one) != form(two)


@pytest.mark.parametrize("name", DIFFERENT)
def test_something_else_also_when_reformatted(name: str) -> None:
    for source in DIFFERENT[name]:
        tree = ast.parse(source)
        assert form(ast.unparse(tree)) == form(source) or source.startswith("#!") or not is_read(source.encode())


GENERIC = {
    "type parameter is not the outer local": (
        "def f():\n T = 1\n def g[T]():\n  return T\n return g\n",
        "def f():\n U = 1\n def g[T]():\n  return U\n return g\n",
    ),
    "default is": (
        "def f():\n T = 1\n def g[T](x=T): pass\n return g\n",
        "def f():\n U = 1\n def g[T](x=T): pass\n return g\n",
    ),
    "type parameter": ("def f[T](): pass\n", "def f[U](): pass\n"),
    "type alias": ("def f():\n type X = int\n return X\n", "def f():\n type Y = int\n return Y\n"),
}


@pytest.mark.applies(sys.version_info >= (3, 12), "type parameters came with Python 3.12")
@pytest.mark.parametrize("name", GENERIC)
def test_type_parameters(name: str) -> None:
    one, two = GENERIC[name]
    assert is_read(one.encode())
    assert form(one) != form(two)


@pytest.mark.applies(sys.version_info >= (3, 12), "type parameters came with Python 3.12")
def test_locals_of_a_generic_function_are_locals() -> None:
    assert form("def f[T](a: T):\n x = a\n return x\n") == form("def f[T](a: T):\n y = a\n return y\n")


# What is not read


def test_only_python_is_read() -> None:
    for path in ("m.txt", "py", "m.pyc", "Makefile", "m.py/x"):
        assert canonical(path, b"x = 1  # one\n") == b"x = 1  # one\n"


def test_a_file_cannot_pretend_to_be_a_canonical_form() -> None:
    written = form("x = 1\n")
    assert canonical("m.py", written) != written
    assert canonical("m.txt", written) != written


HOSTILE = {
    "zero": b"x = 1\0\n",
    "broken": b"x = (\n",
    "coding": b"# coding: nonsense\nx = 1\n",
    "not utf-8": b"x = '\xff'\n",
    "return": b"def f(:\n",
    "minus": b"-" * 50_000 + b"1\n",
    "not": b"not " * 50_000 + b"1\n",
    "lambda": b"lambda:" * 30_000 + b"1\n",
    "parentheses": b"(" * 50_000,
    "attribute": b"a" + b".b" * 50_000,
    "sum": b"a" + b"+a" * 50_000,
    "power": b"a" + b"**a" * 50_000,
    "elif": b"if 1:\n 1\n" + b"elif 1:\n 1\n" * 20_000,
    "choice": b"a if a else " * 20_000 + b"a\n",
    "calls": b"a" + b"()" * 50_000,
    "blocks": b"".join(b" " * depth + b"if 1:\n" for depth in range(500)),
    "digits": b"x = " + b"1" * 10_000,
    "formats": b"f'{" * 1_000,
    "large": b"x = 1\n" * 300_000,
    "backslashes": b"\\\n" * 50_000,
}


ODD = {
    "balanced": b"(" * 180 + b")" * 180,
    "finally": b"".join(b" " * depth + b"try: 1\n" + b" " * depth + b"finally:\n" for depth in range(60))
    + b" " * 61
    + b"1",
    "alternatives": b"match a:\n case " + b"1|" * 20_000 + b"1: 0\n",
}


@pytest.mark.parametrize("name", ODD)
def test_what_is_only_odd_is_read(name: str) -> None:
    assert is_read(ODD[name])


@pytest.mark.parametrize("name", HOSTILE)
def test_what_cannot_be_read_is_itself(name: str) -> None:
    assert canonical("m.py", HOSTILE[name]) == HOSTILE[name]


def test_large_numbers_and_lone_surrogates_are_read() -> None:
    number = b"x = 0x" + b"f" * 20_000 + b"\n"
    assert is_read(number)
    assert canonical("m.py", number) != canonical("m.py", number.replace(b"f\n", b"e\n"))
    assert form("x = '\\ud800'\n") != form("x = '\\udfff'\n")
    assert form("x = 1e999\n") == form("x = 1e998\n")


def test_a_strange_literal_does_not_warn() -> None:
    assert is_read(b"x = '\\d' is 1\nassert (x, 1)\n")


def test_many_statements_take_little_time() -> None:
    source = "".join(f"def f{number}(a):\n    x = [y for y in a]\n    return x\n" for number in range(2000))
    assert is_read(source.encode())


def test_the_form_does_not_depend_on_how_deep_the_caller_is() -> None:
    source = "x = " + " + ".join("a" * 100)
    expected = form(source)

    def down(levels: int) -> bytes:
        return form(source) if levels == 0 else down(levels - 1)

    assert expected == down(300)


def test_the_form_does_not_depend_on_the_process() -> None:
    sources = [one if isinstance(one, str) else one.decode() for one, _ in SAME.values()]
    program = f"import sys\nfrom bakeoff.candidates import canonical\nfor source in {sources!r}:\n"
    program += "    print(canonical('m.py', source.encode()).hex())\n"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    assert ran.stdout.split() == [form(source).hex() for source in sources]


# Random names

TEMPLATE = """
import os
LIMIT = 10

class Box:
    size = 3
    def fill(self, items, *rest, key=None, **more):
        {0} = []
        for {1}, {2} in enumerate(items):
            {0}.append({2} * {1} + self.size)
        with open(os.devnull) as {3}:
            {4} = {3}.read()
        try:
            {5} = int({4})
        except ValueError as {6}:
            {5} = len(str({6}))
        {7} = 0
        def count(step):
            nonlocal {7}
            {8} = step + LIMIT
            {7} += {8}
            return [{9} for {9} in {0} if {9} != {7}]
        if ({10} := count(1)):
            del {10}
        match rest:
            case [{11}, *{12}]:
                return {11}, {12}, {0}, {5}
            case {13}:
                from os import path as {14}
                return {14}.join, {13}, key, more, lambda size: (size, {7})
"""
TAKEN = {*keyword.kwlist, *keyword.softkwlist, *dir(builtins), "os", "path", "LIMIT", "Box", "size", "fill", "self"}
TAKEN |= {"items", "rest", "key", "more", "count", "step", "append", "read", "devnull", "join", "__doc__"}
names = st.text(string.ascii_letters + "_é", min_size=1, max_size=4).filter(
    lambda name: name.isidentifier() and name not in TAKEN and not name.startswith("__")
)


@given(st.lists(names, min_size=15, max_size=15, unique=True))
def test_names_of_locals_do_not_count(chosen: list[str]) -> None:
    assert form(TEMPLATE.format(*chosen)) == form(TEMPLATE.format(*(f"v{number}" for number in range(15))))


@given(st.integers(0, 13), st.integers(0, 14))
def test_which_local_is_which_counts(one: int, two: int) -> None:
    """Two locals under one name are another program, unless their lives never meet; then it may be taken for one."""
    chosen = [f"v{number}" for number in range(15)]
    joined = [chosen[one] if number == two else name for number, name in enumerate(chosen)]
    inner = {8, 9}
    assert (form(TEMPLATE.format(*chosen)) == form(TEMPLATE.format(*joined))) == (
        one == two or bool({one, two} & inner and not _meet(one, two))
    )


def _meet(one: int, two: int) -> bool:
    """Whether a local of `count` (8) or of its comprehension (9) hides one that is used inside."""
    used_by_count, used_by_comprehension = {0, 7, 8, 9}, {7, 9}
    inner, outer = (8, ({one, two} - {8}).pop()) if 8 in {one, two} else (9, ({one, two} - {9}).pop())
    return outer in (used_by_count - {9} if inner == 8 else used_by_comprehension)


# The standard library


def library(count: int) -> list[Path]:
    root = Path(sysconfig.get_path("stdlib"))
    modules = [*root.glob("*.py"), *root.glob("asyncio/*.py"), *root.glob("email/*.py"), *root.glob("json/*.py")]
    return random.Random(5).sample(sorted(path for path in modules if path.stat().st_size < 40_000), count)


LIBRARY = library(60)


def test_the_standard_library_keeps_its_form_when_it_is_reformatted() -> None:
    forms = set()
    for path in LIBRARY:
        content = path.read_bytes()
        written = canonical("m.py", content)
        assert written != content, path
        assert written == canonical("m.py", content), path
        reformatted = ast.unparse(ast.parse(content)).encode()
        first = content.split(b"\n")[0].rstrip() + b"\n" if content.startswith(b"#!") else b""
        assert written == canonical("m.py", first + reformatted), path
        assert written == canonical("m.py", content + b"\n# end\n"), path
        forms.add(written)
    assert len(forms) == len(LIBRARY)


class _Renamer(ast.NodeTransformer):
    """Gives each local that may be renamed a name that is used nowhere else."""

    def __init__(self, names: _Names) -> None:
        self.names = names
        self.fresh: dict[object, str] = {}
        self.old: dict[str, str] = {}

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.alias):
            name = node.asname or node.name
            if self.names.local(node, name):
                node.asname = self.renamed(node, name)
            return node
        for name, value in ast.iter_fields(node):
            if isinstance(value, str):
                setattr(node, name, self.renamed(node, value))
            elif isinstance(value, list) and value and isinstance(value[0], str):
                setattr(node, name, [self.renamed(node, item) for item in value])
        return super().generic_visit(node)

    def renamed(self, node: ast.AST, name: str) -> str:
        local = self.names.local(node, name)
        if local is None:
            return name
        fresh = self.fresh.setdefault(local, f"renamed{len(self.fresh)}_{name}")
        self.old[fresh] = name
        return fresh


def instructions(code: types.CodeType, old: dict[str, str]) -> list[object]:
    """What the code does, by name; names of cells come in an order of their own and are sorted.

    How a method is called depends on whether its owner's name is also that of an imported module, so that is left out.
    """
    rows: list[object] = []
    kept = (row for row in dis.get_instructions(code) if row.opname != "PUSH_NULL")
    for operation, run in itertools.groupby(kept, lambda row: row.opname.replace("LOAD_METHOD", "LOAD_ATTR")):
        arguments = ["somewhere" if row.opcode in JUMPS else instructed(row.argval, old) for row in run]
        if operation in {"MAKE_CELL", "LOAD_CLOSURE", "COPY_FREE_VARS"}:
            arguments.sort(key=str)
        rows += [(operation, argument) for argument in arguments]
    return rows


JUMPS = {*dis.hasjrel, *dis.hasjabs}


def instructed(argument: object, old: dict[str, str]) -> object:
    match argument:
        case types.CodeType():
            return argument.co_name, instructions(argument, old)
        case str():
            return old.get(argument, argument)
        case tuple():
            return tuple(instructed(item, old) for item in argument)
        case frozenset():
            return sorted(map(repr, argument))
    return repr(argument)


@pytest.mark.applies(sys.version_info < (3, 13), "from 3.13 on, loads and stores of low numbers are joined")
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_python_compiles_the_renamed_standard_library_to_the_same_instructions() -> None:
    """Were a name taken for a local that is not, or one of its uses missed, another instruction would load it."""
    renamed = 0
    for path in LIBRARY[:40]:
        content = path.read_bytes()
        tree = ast.parse(content)
        names = _Names()
        names.read(tree)
        renamer = _Renamer(names)
        changed = compile(ast.fix_missing_locations(renamer.visit(tree)), "m.py", "exec", dont_inherit=True)
        original = compile(ast.parse(content), "m.py", "exec", dont_inherit=True)
        assert instructions(changed, renamer.old) == instructions(original, {}), path
        renamed += len(renamer.fresh)
    assert renamed > 500


@settings(max_examples=200)
@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode(errors="surrogatepass")))
def test_no_content_breaks_it(content: bytes) -> None:
    assert canonical("m.py", content) == canonical("m.py", content)
