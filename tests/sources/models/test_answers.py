"""From what models answer to changes: what they really write, and whatever else could stand there."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.candidates import Change
from bakeoff.events import Descent, Verdict
from bakeoff.sources import Scope
from bakeoff.sources.models.answers import Ground, NotUnderstood, changes
from bakeoff.sources.models.asks import Ask
from bakeoff.sources.models.source import _understood
from bakeoff.targets import Target
from sources.models.trials import Base, brief, tried

MODULE = '''"""Texts."""

import re

LIMIT = 10


def slugify(text: str, *, sep: str = "-") -> str:
    """A text as a slug."""
    words = re.split(r"\\s+", text.lower())
    return sep.join(words)


class Words:
    """Many words."""

    most = 3

    def __init__(self, words):
        self.words = words

    @property
    def count(self):
        total = 0
        for _ in self.words:
            total += 1
        return total

    def longest(self):
        return sorted(self.words, key=len)[-1]
'''
FILES = {
    "pkg/__init__.py": "",
    "pkg/text.py": MODULE,
    "pkg/other.py": "def shout(text):\n    return text.upper() + '!'\n",
    "pkg/crlf.py": "def one():\r\n    return 1\r\n\r\n\r\ndef two():\r\n    return 2\r\n",
    "pkg/data.json": '{"a": 1}\n',
    "tests/test_text.py": "def test_it():\n    pass\n",
}
TARGET = Target(path="pkg/text.py", name="slugify")
METHOD = Target(path="pkg/text.py", name="Words.longest")
BODY = "    return sep.join(text.lower().split())"
HEAD = 'def slugify(text: str, *, sep: str = "-") -> str:'
OLD = MODULE[MODULE.index("    words = re") : MODULE.index("\n\n\nclass Words")]
EXPECTED = MODULE.replace(OLD, BODY)


def ground(target: Target | None = TARGET, files: Mapping[str, str] = FILES, *globs: str) -> Ground:
    return Ground(base=Base(files).read, scope=Scope(globs=globs or ("pkg/**",)), target=target)


def only(text: str, target: Target | None = TARGET, *globs: str) -> dict[str, str | None]:
    (change,) = changes(text, ground(target, FILES, *globs))
    return {path: None if content is None else content.decode() for path, content in change.contents.items()}


def fence(text: str, language: str = "python") -> str:
    return f"```{language}\n{text}\n```\n"


# -- functions ---------------------------------------------------------------------------------------------------------

FUNCTION = f"{HEAD}\n{BODY}"


@pytest.mark.parametrize(
    "text",
    [
        fence(FUNCTION),
        FUNCTION,
        f"Here is what I would do:\n\n{fence(FUNCTION)}\nThis is faster since it calls less.",
        fence(FUNCTION, ""),
        fence(FUNCTION, "py"),
        fence(FUNCTION, "python pkg/text.py"),
        fence(FUNCTION, "python:pkg/text.py"),
        f"pkg/text.py\n{fence(FUNCTION)}",
        f"**`pkg/text.py`**\n\n{fence(FUNCTION)}",
        f"### File: pkg/text.py\n{fence(FUNCTION)}",
        fence(f"# pkg/text.py\n{FUNCTION}"),
        f"~~~python\n{FUNCTION}\n~~~",
        f"````markdown\nhello\n````\n{fence(FUNCTION)}",
        f"```python\n{FUNCTION}",  # cut off before the fence is closed
        f"<think>\n{fence('def slugify(text): return 1')}</think>\n{fence(FUNCTION)}",
        fence("\n".join("    " + line for line in FUNCTION.split("\n"))),  # deeper, as in a list
        fence(FUNCTION).replace("\n", "\r\n"),
        fence("\n\n" + FUNCTION + "\n\n"),
        f"{fence(FUNCTION)}\nUse it like this:\n{fence('>>> slugify(1)', 'pycon')}",
        fence(f"{FUNCTION}\n\n\nprint(slugify('A b'))"),
        fence(f"{FUNCTION}\n\n\nif __name__ == '__main__':\n    print(slugify('A b'))"),
        fence(f"import re\n\n{FUNCTION}"),  # an import that is there
        fence(f"from pkg.text import LIMIT\n\n{FUNCTION}"),  # or is the module itself
        fence(f"{FUNCTION}\n\n\ndef test_slugify():\n    assert slugify('a')"),
        fence(f"{FUNCTION}\n\nassert slugify('a b') == 'a-b'"),
        fence(f"Here it is:\n\n{FUNCTION}"),
        fence(f"{FUNCTION}\n\n\nclass Words:\n    # rest unchanged"),
        f"{fence('pip install numpy', 'bash')}{fence(FUNCTION)}",
        f"1. Do this:\n\n   {fence(FUNCTION).replace(chr(10), chr(10) + '   ')}",
    ],
)
def test_a_function_takes_the_place_of_the_one_with_its_name(text: str):
    assert only(text) == {"pkg/text.py": EXPECTED}


def test_decorators_and_docstring_of_its_own_are_kept():
    made = only(fence('def slugify(text):\n    """Other words."""\n    return text'))["pkg/text.py"]
    assert '"""Other words."""' in made
    assert '"""A text as a slug."""' not in made
    counted = only(fence("class Words:\n    def count(self):\n        return len(self.words)"), METHOD)["pkg/text.py"]
    assert counted == MODULE.replace(
        MODULE[MODULE.index("        total = 0") : MODULE.index("\n\n    def longest")],
        "        return len(self.words)",
    )


@pytest.mark.parametrize(
    "text",
    [
        "class Words:\n    def longest(self):\n        return max(self.words, key=len)",
        "def longest(self):\n    return max(self.words, key=len)",
        "    def longest(self):\n        return max(self.words, key=len)",
        "def longest(self):\n        return max(self.words, key=len)",  # as cut from a class, without its first blanks
    ],
)
def test_a_method_comes_with_its_class_or_alone_and_however_deep(text: str):
    expected = MODULE.replace("return sorted(self.words, key=len)[-1]", "return max(self.words, key=len)")
    assert only(fence(text), METHOD) == {"pkg/text.py": expected}


def test_what_is_new_goes_beside_it_and_imports_go_to_the_imports():
    new = "import functools\nfrom re import compile as made\n\nSPLIT = made(r'\\s+')\n\n\n"
    new += f"def _words(text):\n    return SPLIT.split(text)\n\n\n{FUNCTION}"
    made = only(fence(new))["pkg/text.py"]
    assert made.startswith('"""Texts."""\n\nimport re\nimport functools\nfrom re import compile as made\n')
    assert made.index("LIMIT") < made.index("SPLIT =") < made.index("def _words") < made.index("def slugify")
    assert made.count("import re\n") == 1
    assert made.endswith(MODULE[MODULE.index("class Words") :])


def test_imports_from_the_future_come_first():
    made = only(fence(f"from __future__ import annotations\n\n{FUNCTION}"))["pkg/text.py"]
    assert made.startswith('"""Texts."""\nfrom __future__ import annotations\n')


def test_a_file_that_is_there_whole_replaces_what_was_there():
    assert only(f"pkg/text.py\n{fence(EXPECTED)}") == {"pkg/text.py": EXPECTED}
    reordered = EXPECTED.replace("LIMIT = 10\n", "").replace("import re\n", "import re\n\nLIMIT = 2 * 5")
    assert only(f"pkg/text.py\n{fence(reordered)}") == {"pkg/text.py": reordered}


def test_a_file_of_which_something_is_missing_loses_nothing():
    assert only(f"pkg/text.py\n{fence(EXPECTED.replace('import re', ''))}") == {"pkg/text.py": EXPECTED}
    assert only(f"pkg/text.py\n{fence(EXPECTED[: EXPECTED.index('class')])}") == {"pkg/text.py": EXPECTED}


def test_several_files_and_new_ones():
    text = (
        f"pkg/text.py\n{fence(FUNCTION)}\npkg/other.py\n{fence('def shout(text): return text')}\n"
        f"pkg/fast.py\n{fence('X = 1')}\npkg/data.json\n{fence('{}', 'json')}"
    )
    assert only(text) == {
        "pkg/text.py": EXPECTED,
        "pkg/other.py": "def shout(text): return text\n",
        "pkg/fast.py": "X = 1\n",
        "pkg/data.json": "{}\n",
    }


def test_line_ends_stay_what_they_are():
    made = only(f"pkg/crlf.py\n{fence('def two():{0}    x = 2{0}    return x'.format(chr(10)))}")["pkg/crlf.py"]
    assert made == "def one():\r\n    return 1\r\n\r\n\r\ndef two():\r\n    x = 2\r\n    return x\r\n"


def test_alternatives_become_several_changes_and_what_came_first_belongs_to_all():
    helper = fence("def _help(text):\n    return text")
    bodies = [fence(f"{HEAD}\n    return _help({n})") for n in range(3)]
    found = changes("".join([helper, *bodies]), ground())
    texts = [change.contents["pkg/text.py"].decode() for change in found]
    assert ["return _help(0)" in texts[0], "return _help(1)" in texts[1], "return _help(2)" in texts[2]] == [True] * 3
    assert all("def _help(text)" in text for text in texts)
    assert len(changes("".join([bodies[0], bodies[0]]), ground())) == 1


# -- diffs -------------------------------------------------------------------------------------------------------------

DIFF = """--- a/pkg/text.py
+++ b/pkg/text.py
@@ -7,6 +7,5 @@
 def slugify(text: str, *, sep: str = "-") -> str:
     \"\"\"A text as a slug.\"\"\"
-    words = re.split(r"\\s+", text.lower())
-    return sep.join(words)
+    return sep.join(text.lower().split())
{blank}
""".replace("{blank}", " ")


@pytest.mark.parametrize(
    "text",
    [
        fence(DIFF, "diff"),
        DIFF,
        fence("diff --git a/pkg/text.py b/pkg/text.py\nindex 123..456 100644\n" + DIFF, "diff"),
        fence(DIFF.replace("@@ -7,6 +7,5 @@", "@@ -1,99 +3,2 @@"), "diff"),  # wrong counts and places
        fence(DIFF.replace("@@ -7,6 +7,5 @@", "@@ ... @@"), "diff"),
        fence(DIFF.replace("@@ -7,6 +7,5 @@", "@@"), ""),
        fence(DIFF.replace("a/pkg", "pkg").replace("b/pkg", "pkg"), "diff"),
        fence(DIFF.replace("\n \n", "\n\n"), "diff"),  # the blank of an empty line is lost
        fence(DIFF.replace("\n def", "\ndef"), "diff"),  # and of another
        fence(DIFF.replace('slug."""', 'slug!"""'), "diff"),  # context that is not quite right
        "pkg/text.py\n" + fence("\n".join(DIFF.split("\n")[2:]), "diff"),
        fence(
            "*** Begin Patch\n*** Update File: pkg/text.py\n@@\n" + "\n".join(DIFF.split("\n")[3:]) + "\n*** End Patch",
            "",
        ),
    ],
)
def test_diffs_are_taken_by_their_lines(text: str):
    assert only(text) == {"pkg/text.py": EXPECTED}


def test_a_diff_may_add_and_remove_files():
    diff = (
        "--- /dev/null\n+++ b/pkg/new.py\n@@ -0,0 +1,9 @@\n+X = 1\n+Y = 2\n"
        "--- a/pkg/other.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-def shout(text):\n-    return text.upper() + '!'\n"
    )
    assert only(fence(diff, "diff")) == {"pkg/new.py": "X = 1\nY = 2\n", "pkg/other.py": None}


# -- search and replace ------------------------------------------------------------------------------------------------


def edit(search: str, put: str, path: str = "pkg/text.py\n") -> str:
    return f"{path}<<<<<<< SEARCH\n{search}\n=======\n{put}\n>>>>>>> REPLACE\n"


@pytest.mark.parametrize(
    "text",
    [
        edit(OLD, BODY),
        fence(edit(OLD, BODY, ""), "python"),
        edit(OLD, BODY, ""),  # of the target's file, as nothing else is said
        edit(OLD.replace("    ", ""), BODY.replace("    ", "")),  # without its indentation
        edit("\n" + OLD + "\n", "\n" + BODY + "\n"),
        edit(OLD + "   ", BODY),
        edit(OLD, "    return _()") + edit("    return _()", BODY),  # one after the other
        f"I replace this:\n\npkg/text.py\n```python\n{edit(OLD, BODY, '')}```\nDone.",
        edit(OLD, BODY).replace("SEARCH", "ORIGINAL").replace("REPLACE", "UPDATED"),
    ],
)
def test_search_and_replace_blocks(text: str):
    assert only(text) == {"pkg/text.py": EXPECTED}


# -- what is refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "there is no code in it"),
        ("I am sorry, but I cannot do that.", "there is no code in it"),
        (fence("def slugify(text:\n    return 1"), "does not parse as Python: line 1"),
        (fence(f"{HEAD}\n    # ... existing code ...\n{BODY}"), "leaves something out"),
        (fence(f"{HEAD}\n    ..."), "the body of slugify is left out"),
        (fence("def quicker(text):\n    return text"), "it gives quicker and not slugify: keep the names"),
        (fence(MODULE[MODULE.index("def slugify") : MODULE.index("\n\n\nclass")]), "it leaves everything as it is"),
        (f"tests/test_text.py\n{fence('X = 1')}", "tests are not for candidates to edit"),
        (f"setup.py\n{fence('X = 1')}", r"only these may be edited: pkg/\*\*"),
        (f"../outside/x.py\n{fence('X = 1')}", "may not|refused|only these"),
        (f".git/hooks/x.py\n{fence('X = 1')}", "refused|only these"),
        (edit("    nothing = 1", "    x = 1"), "the file has no line `nothing = 1`"),
        (edit("    words = re.split(r'x', text)", "    x = 1"), r"the file has `words = re.split"),
        (edit("        return", "    x = 1"), "has no line|times"),
        (edit("", "    x = 1"), "a SEARCH block is empty"),
        (edit("x", "y", "pkg/none.py\n"), "there is no file pkg/none.py"),
        ("pkg/text.py\n<<<<<<< SEARCH\n    words\n=======\n    y\n", "a SEARCH block is not complete"),
        (fence(DIFF.replace("words = re", "wordz = rex"), "diff"), "hunk 1 of the diff does not fit"),
        (fence(FUNCTION + "\n") * 0 + "x" * 500_000, "it is too long"),
        (fence("X = 1\n") * 100, "blocks: give at most"),
        (fence("(" * 5_000), "does not parse|nested"),
        (fence(f"{HEAD}\n    return '\ud800'"), "not valid text"),
    ],
)
def test_what_cannot_be_used_is_refused_with_a_reason(text: str, why: str):
    with pytest.raises(NotUnderstood, match=why):
        changes(text, ground())


def test_edits_count_all_or_not_at_all():
    with pytest.raises(NotUnderstood, match="the file has no line"):
        changes(edit(OLD, BODY) + edit("    nowhere", "    x"), ground())


def test_a_block_that_is_only_for_illustration_does_not_stand_in_the_way():
    assert only(f"{fence('slugify(')}\n{fence(FUNCTION)}") == {"pkg/text.py": EXPECTED}


def test_without_a_target_every_block_has_to_say_its_file():
    assert only(f"pkg/text.py\n{fence(FUNCTION)}", None) == {"pkg/text.py": EXPECTED}
    with pytest.raises(NotUnderstood, match="does not say which file"):
        changes(fence(FUNCTION), ground(None))


def test_a_file_in_another_encoding_keeps_it():
    files = {"pkg/text.py": "# -*- coding: latin-1 -*-\nNAME = 'é'\n\n\ndef slugify(text):\n    return text\n"}
    base = Base({path: text.encode("latin-1") for path, text in files.items()})
    here = Ground(base=base.read, scope=Scope(), target=TARGET)
    (change,) = changes(fence("def slugify(text):\n    return 'ö'"), here)
    assert b"return '\xf6'" in change.contents["pkg/text.py"]
    assert b"NAME = '\xe9'" in change.contents["pkg/text.py"]
    with pytest.raises(NotUnderstood, match="cannot hold"):
        changes(fence("def slugify(text):\n    return '→'"), here)


# -- whatever else -----------------------------------------------------------------------------------------------------

LINES = st.sampled_from(
    [
        *MODULE.split("\n"),
        *DIFF.split("\n"),
        *FUNCTION.split("\n"),
        "```",
        "```python",
        "````",
        "```diff",
        "~~~",
        "<<<<<<< SEARCH",
        "=======",
        ">>>>>>> REPLACE",
        "*** Begin Patch",
        "*** Update File: pkg/text.py",
        "*** Add File: pkg/new.py",
        "*** Delete File: pkg/other.py",
        "--- /dev/null",
        "+++ /dev/null",
        "@@ -1,2 +1,3 @@",
        "@@",
        "pkg/text.py",
        "pkg/other.py",
        "tests/test_text.py",
        "../x.py",
        "/etc/passwd.py",
        "# ... rest of the code ...",
        "class Words:",
        "    def longest(self):",
        "        return 1",
        "def slugify(text):",
        "    return text",
        "import os",
        "from pkg.text import *",
        "@property",
        "x = '''",
        "'''",
        "\tpass",
        "x = 1; y = 2",
        "\\",
        "é\u2028\x0c",
        "\r",
        "",
    ]
)
ANSWERS = st.one_of(
    st.lists(LINES, max_size=25).map("\n".join),
    st.lists(st.lists(LINES, min_size=1, max_size=8).map(lambda lines: fence("\n".join(lines))), max_size=4).map(
        "".join
    ),
    st.lists(
        st.tuples(st.lists(LINES, max_size=3), st.lists(LINES, max_size=3)).map(
            lambda both: edit("\n".join(both[0]), "\n".join(both[1]))
        ),
        max_size=3,
    ).map("".join),
    st.tuples(st.integers(0, len(MODULE)), st.integers(0, len(MODULE))).map(
        lambda ends: fence(MODULE[min(ends) : max(ends)])
    ),
    st.text(max_size=200),
)


@settings(max_examples=400)
@given(text=ANSWERS, target=st.sampled_from([TARGET, METHOD, None]))
def test_whatever_a_model_writes_there_is_a_change_that_holds_or_a_reason(text: str, target: Target | None):
    here = ground(target)
    try:
        found = changes(text, here)
    except NotUnderstood:
        return
    assert found
    for change in found:
        assert change
        assert not here.scope.outside(change)
        change.check(base=here.base)
        assert Change.from_diff(change.to_patch(base=here.base), base=here.base) == change
        for path, content in change.contents.items():
            if content is not None and path.endswith(".py"):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    ast.parse(content)


FIRST = "TABLE = {' ': '-'}\n" + MODULE.replace(OLD, "    return text.translate(TABLE)")


@settings(max_examples=150)
@given(text=ANSWERS)
def test_an_answer_that_goes_on_from_a_candidate_is_a_change_of_the_base_as_well(text: str):
    told = brief(FILES, scope=Scope(globs=("pkg/**",)))
    files = {"pkg/text.py": FIRST.encode(), "pkg/new.py": b"X = 1\n", "pkg/other.py": None}
    before = Change.of(files, base=told.pool.read)
    failed = tried("a", Verdict.WRONG)
    failed = replace(failed, candidate=replace(failed.candidate, change=before))
    try:
        found = _understood(told, Ask(descent=Descent.REPAIR, about=(failed,)), text)
    except NotUnderstood:
        return
    assert found
    for change in found:
        assert change
        assert not told.scope.outside(change)
        change.check(base=told.pool.read)
