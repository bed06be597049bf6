from __future__ import annotations

import random

import pytest

from bakeoff.planning.imports import imports


def of(path: str, content: str, *others: str) -> set[str]:
    """What a file imports, where there are these others."""
    files = dict.fromkeys(others, b"") | {path: content.encode()}
    return set(imports(files)[path])


PACKAGE = ("pkg/__init__.py", "pkg/a.py", "pkg/b.py", "pkg/sub/__init__.py", "pkg/sub/c.py", "pkg/sub/d.py")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("import pkg.a", {"pkg/a.py"}),
        ("import pkg.a as x, pkg.sub.c as y  # two", {"pkg/a.py", "pkg/sub/c.py"}),
        ("import pkg.a, \\\n    pkg.b", {"pkg/a.py", "pkg/b.py"}),
        ("import pkg.sub.nothing", {"pkg/sub/__init__.py"}),
        ("from pkg import a, b", {"pkg/a.py", "pkg/b.py"}),
        ("from pkg import (\n    a,  # the first, b\n    sub as s,\n)", {"pkg/a.py", "pkg/sub/__init__.py"}),
        ("from pkg import something", {"pkg/__init__.py"}),
        ("from pkg import *", {"pkg/__init__.py"}),
        ("from pkg.sub.c import f, g", {"pkg/sub/c.py"}),
        ("from . import d", {"pkg/sub/d.py"}),
        ("from .c import f", {"pkg/sub/c.py"}),
        ("from .. import a", {"pkg/a.py"}),
        ("from ..b import f", {"pkg/b.py"}),
        ("from .... import a", set()),
        ("from . import nothing", {"pkg/sub/__init__.py"}),
        ("if True:\n    from pkg import a\ndef f():\n\timport pkg.b", {"pkg/a.py", "pkg/b.py"}),
        ("try: pass\nexcept: pass\nimport pkg.a; x = 1", {"pkg/a.py"}),
        ("# import pkg.a", set()),
        ("x = 'import pkg.a'", set()),
        ("important = pkg.a", set()),
        ("import os, sys, json.decoder", set()),
        ("from os import path", set()),
        ("\ufeffimport pkg.a", {"pkg/a.py"}),
        ("import pkg.a\r\nimport pkg.b\r\n", {"pkg/a.py", "pkg/b.py"}),
        ("import pkg.sub.e", set()),
        ("from.import d", {"pkg/sub/d.py"}),
        ("from .importing import d", set()),
        ("from .c import(f)", {"pkg/sub/c.py"}),
        ("from pkg import (a, b", {"pkg/a.py", "pkg/b.py"}),
        ("import", set()),
        ("from pkg import", {"pkg/__init__.py"}),
    ],
)
def test_statements_are_found(content: str, expected: set[str]) -> None:
    assert of("pkg/sub/e.py", content, *PACKAGE) == expected


def test_a_syntax_error_hides_nothing() -> None:
    assert of("pkg/b.py", "def broken(:\nimport pkg.a\nprint 'x'\n", *PACKAGE) == {"pkg/a.py"}


def test_folders_without_an_init_are_seen() -> None:
    assert of("space/x/one.py", "from space.y import two", "space/y/two.py") == {"space/y/two.py"}
    assert of("space/x/one.py", "from ..y.two import f", "space/y/two.py") == {"space/y/two.py"}


def test_names_start_from_the_folder_of_the_package_or_from_any_above_it() -> None:
    assert of("src/pkg/one.py", "import pkg.two", "src/pkg/__init__.py", "src/pkg/two.py") == {"src/pkg/two.py"}
    assert of("scripts/run.py", "import helper", "scripts/helper.py", "other/helper.py") == {"scripts/helper.py"}
    assert of("run.py", "import helper", "other/helper.py") == set(), "neighbours only"


def test_of_several_the_nearest_is_meant() -> None:
    copies = [f"{folder}/pkg/{name}.py" for folder in ("old", "new") for name in ("__init__", "a")]
    assert of("new/pkg/b.py", "from pkg import a", *copies) == {"new/pkg/a.py"}
    assert of("old/tests/test_a.py", "from pkg import a", *copies) == {"old/pkg/a.py"}


def test_only_python_is_looked_at_and_nobody_imports_themselves() -> None:
    files = {"a.js": b"import a", "a.py": b"import a\nimport b", "b.pyi": b"import a", "b.py": b"\xff\xfe import a"}
    assert imports(files) == {
        "a.js": frozenset(),
        "a.py": frozenset({"b.py"}),
        "b.pyi": frozenset(),
        "b.py": frozenset(),
    }


def test_the_order_of_files_does_not_matter() -> None:
    files = {
        f"p{number % 7}/m{number}.py": f"import m{number * 3 % 40}\nfrom . import m{number}" for number in range(40)
    }
    content = {path: text.encode() for path, text in files.items()}
    order = list(content)
    random.Random(1).shuffle(order)
    assert imports({path: content[path] for path in order}) == imports(content)


@pytest.mark.parametrize(
    "text",
    [
        "from a import (",
        "from a import (" + "b," * 50_000,
        "import a" + "\\\n" * 50_000,
        "from " + "." * 100_000,
        "from" + " " * 100_000,
    ],
)
def test_what_does_not_end_takes_no_time(text: str) -> None:
    """A pattern that looks at every end of such a text for each of its beginnings would take hours."""
    assert imports({"x.py": (text + "\n").encode() * 5})["x.py"] == frozenset()
