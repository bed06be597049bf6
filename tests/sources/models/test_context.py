"""What a model is shown of a repository: within its tokens, most useful first, in fences that hold."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.events import Profile, ProfiledFunction, ProfiledLine
from bakeoff.models.model import estimated_tokens
from bakeoff.sources import Scope
from bakeoff.sources.models.context import context
from bakeoff.sources.models.pages import Page, Piece, code, fenced
from bakeoff.sources.models.survey import Survey
from bakeoff.targets import Target
from sources.models.trials import brief

ORDERS = '''"""Orders."""

import functools
import json
import os
from pkg.money import Money, rounded
from .shapes import Shape as Form

RATE = 0.19
UNUSED = 7


def untouched():
    return UNUSED


def total(order: Form) -> Money:
    """What an order costs."""
    return rounded(sum(_line(line) for line in order.lines) * (1 + RATE))


def _line(line):
    return line.price * line.count


class Basket:
    """Some orders."""

    limit = 3

    def __init__(self, orders):
        self.orders = orders

    def sum(self):
        return sum(self._one(order) for order in self.orders)

    def _one(self, order):
        return total(order)

    def unrelated(self):
        return None
'''
FILES = {
    "pkg/__init__.py": "",
    "pkg/orders.py": ORDERS,
    "pkg/money.py": "from pkg.rounding import rounded\n\n\nclass Money(float):\n    cents = 2\n",
    "pkg/rounding.py": "def rounded(value):\n    return round(value, 2)\n",
    "pkg/shapes.py": "class Shape:\n    lines = ()\n",
    "pkg/shop.py": "from pkg.orders import total\n\n\ndef bill(order):\n    price = total(order)\n    return price\n",
    "pkg/broken.py": "from pkg.orders import total\n\ndef bill(order:\n    return total(order)\n",
    "pkg/latin.py": "# -*- coding: latin-1 -*-\nfrom pkg.orders import total\nNAME = '\xe9'\ntotal(NAME)\n".encode(
        "latin-1"
    ),
    "pkg/binary.py": b"\0\1total(\2",
    "pkg/wrong.py": b"# total( \xff\xfe\n",
    "far/away.py": "import pkg.orders\n\nprint(pkg.orders.total(None))\n",
    "far/through.py": "from pkg import (\n    Basket,\n    total,\n)\n\nprint(total(None))\n",
    "far/namesake.py": "def f(numbers):\n    return numbers.total()\n",
    "tests/test_orders.py": (
        "import pytest\nfrom pkg.orders import total\n\n\n"
        "@pytest.mark.parametrize('n', [1, 2])\n"
        "def test_total(n):\n    assert total(n)\n\n\n"
        "class TestMore:\n    def test_it(self):\n        assert total(0)\n"
    ),
    "README.md": "# Orders\n",
}
TARGET = Target(path="pkg/orders.py", name="total")
REACHING = (
    "tests/test_orders.py::test_total[1]",
    "tests/test_orders.py::test_total[2]",
    "tests/test_orders.py::TestMore::test_it",
    "tests/test_gone.py::test_x",
)
PROFILE = Profile(
    functions=(
        ProfiledFunction(
            name="total",
            path="pkg/orders.py",
            seconds=1.0,
            lines=(
                ProfiledLine(number=19, hits=1_234, share=0.91, text="    return rounded("),
                ProfiledLine(number=20, hits=1, share=0.001, text="    cheap"),
            ),
        ),
    )
)
TOLD = brief(FILES, target=TARGET, profile=PROFILE, reaching=REACHING, examples=("total(1) → 1.19", "total(0) → 0.0"))


def test_what_is_most_useful_comes_first():
    text = context(TOLD, tokens=4_000)
    headings = re.findall(r"(?m)^## (.*)$", text)
    assert headings == [
        "The code",
        "Where its time goes",
        "Calls",
        "What it uses from other files",
        "Tests that reach it",
        "Where it is called",
    ]
    assert "This is the whole file" in text
    assert "91%      1,234 times      return rounded(" in text
    assert "cheap" not in text
    assert "total(1) → 1.19" in text
    assert "def rounded(value):" in text  # through a module that passes it on
    assert "class Shape:" in text
    assert text.count("def test_total(n):") == 1
    assert "def test_it(self):" in text
    assert "def bill(order):\n    price = total(order)" in text
    assert "pkg.orders.total(None)" in text
    assert "numbers.total()" not in text


def test_of_a_large_file_the_target_and_what_it_uses_are_shown():
    files = FILES | {"pkg/orders.py": ORDERS + "".join(f"\n\ndef other_{n}():\n    return {n}\n" for n in range(300))}
    text = context(brief(files, target=TARGET), tokens=1_500)
    assert "without" in text
    for part in ("def total(order", "def _line(line)", "RATE = 0.19", "from pkg.money import Money, rounded"):
        assert part in text
    for part in ("UNUSED", "def other_7", "import json", "class Basket"):
        assert part not in text


def test_of_a_method_its_class_is_shown():
    files = FILES | {"pkg/orders.py": ORDERS + "\nX = 1\n" * 1_000}
    text = context(brief(files, target=Target(path="pkg/orders.py", name="Basket.sum")), tokens=1_500)
    for part in ("class Basket:", "limit = 3", "def __init__", "def sum(self)", "def _one(self, order)", "def total("):
        assert part in text
    assert "def unrelated" not in text


def test_a_repository_whose_files_cannot_be_read_is_no_obstacle():
    survey = Survey(TOLD)
    assert {one.path for one in survey.uses(TARGET)} == {
        "pkg/orders.py",
        "pkg/shop.py",
        "pkg/latin.py",
        "far/away.py",
        "far/through.py",
    }
    assert survey.file("pkg/binary.py") is None
    assert survey.file("pkg/none.py") is None
    broken = survey.file("pkg/broken.py")
    assert broken is not None
    assert broken.lines[2] == "def bill(order:"
    assert survey.file("pkg/wrong.py") is not None


@pytest.mark.parametrize("source", ["def total(:\n", "", "\xa0", "def other(): pass\n", "x = 1\r\ry = 2\r"])
def test_a_target_in_a_file_that_does_not_parse_is_shown_as_it_is(source: str):
    text = context(brief(FILES | {"pkg/orders.py": source}, target=TARGET, reaching=REACHING), tokens=2_000)
    assert "## The code" in text
    assert "## Tests that reach it" in text


def test_without_a_target_the_files_in_scope_are_shown_the_hot_ones_first():
    text = context(brief(FILES, target=None, profile=PROFILE, scope=Scope(globs=("pkg/**",))), tokens=3_000)
    listed = text.split("```\n")[1].split("\n")
    assert listed[0] == "pkg/orders.py"
    assert "tests/test_orders.py" not in text
    assert "README.md" not in text
    assert text.index("def total(") < text.index("class Money")


@settings(max_examples=60)
@given(tokens=st.integers(1, 1_500), name=st.sampled_from(["total", "Basket.sum", "none"]), has_target=st.booleans())
def test_it_never_takes_more_than_its_tokens(tokens: int, name: str, has_target: bool):
    target = Target(path="pkg/orders.py", name=name) if has_target else None
    told = brief(FILES, target=target, profile=PROFILE, reaching=REACHING, examples=("total(1)",) * 50)
    text = context(told, tokens=tokens)
    assert not text or estimated_tokens(text) <= tokens


def test_what_is_left_out_is_said():
    assert "Left out for want of room:" in context(TOLD, tokens=500)


# -- pages -------------------------------------------------------------------------------------------------------------

NASTY = st.text(alphabet=st.sampled_from("ab`~\n \t#>\r\x1b\u202e\ud800é"), max_size=120)


def blocks_of(text: str) -> tuple[list[str], list[str]]:
    """The lines outside of fences, and those inside, as CommonMark has it for fences of backticks."""
    outside: list[str] = []
    inside: list[str] = []
    fence = 0
    for line in text.split("\n"):
        mark = re.fullmatch(r" {0,3}(`{3,})([^`]*)", line)
        if not fence and mark is not None:
            fence = len(mark[1])
        elif fence and mark is not None and len(mark[1]) >= fence and not mark[2].strip():
            fence = 0
        else:
            (inside if fence else outside).append(line)
    assert not fence
    return outside, inside


@given(content=NASTY)
def test_nothing_ends_the_fence_that_it_stands_in(content: str):
    outside, inside = blocks_of(f"above\n{fenced(content, 'python')}\nbelow")
    assert outside == ["above", "below"]
    assert "\n".join(inside) == content.replace("\ud800", "�")


@given(content=NASTY.filter(lambda text: text.strip()))
def test_nothing_ends_the_span_that_it_stands_in(content: str):
    shown = code(content)
    assert "\n" not in shown
    mark = re.match("`+", shown)
    assert mark is not None
    inner = shown[len(mark[0]) : -len(mark[0])]
    assert shown.endswith(mark[0])
    assert mark[0] not in re.findall("`+", inner)


@settings(max_examples=60)
@given(
    tokens=st.integers(1, 400),
    sections=st.lists(
        st.tuples(st.sampled_from(["", "## One"]), st.lists(NASTY, max_size=4), st.floats(0.05, 1.0), st.booleans()),
        max_size=4,
    ),
)
def test_a_page_keeps_within_its_tokens_and_its_fences(tokens: int, sections: list):
    page = Page(tokens)
    for heading, texts, share, is_kept in sections:
        pieces = [Piece(lines=tuple(text.split("\n")), above=code(text[:20])) for text in texts]
        page.add(heading, pieces, share=share, what="texts", is_kept=is_kept)
    text = page.text()
    assert not text or estimated_tokens(text) <= tokens
    blocks_of(text)
    text.encode()


def test_a_piece_that_is_too_long_is_cut_between_lines_and_that_is_said():
    piece = Piece(lines=tuple(f"line {n}" for n in range(100)), above="Look:")
    shown = piece.within(60)
    assert shown is not None
    kept = shown.count("\nline ")
    assert f"(its other {100 - kept} lines are left out here)" in shown
    assert 3 <= kept < 100
    assert piece.within(12) is None
