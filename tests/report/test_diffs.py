from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.candidates import Change, File
from bakeoff.report.diffs import Room, diff_html, program_html
from bakeoff.report.foreign import cut, one_line, visible
from report.kitchen import JOINED
from report.outline import Outline

LINES = st.lists(
    st.sampled_from(["a = 1", "b = 'x'", "", "@@ -1 +1 @@", "--- a/x", "+++ b/x", "diff --git a/x b/x", "\tif"])
)


def shown(html: str, tag: str) -> list[str]:
    """The lines of one kind, without numbers and signs."""
    found = re.findall(rf'<{tag} class="line"[^>]*><span class="sign">.?</span>(.*?)\n</{tag}>', html, re.DOTALL)
    return [unescape(re.sub("<[^>]+>", "", line)) for line in found]


def test_a_diff_is_shown_line_by_line():
    html = diff_html(JOINED, label="Change")
    assert shown(html, "ins")[:2] == ["import re", "    parts = _SEPARATORS.split(text)"]
    assert shown(html, "del")[-1] == "    return out"
    assert 'data-n="20"><span class="sign">-</span>' in html
    assert 'data-n="12"><span class="sign">+</span>' in html
    assert '<span class="k">import</span>' in html
    assert '<span class="path">shop/text.py</span>' in html
    Outline(html)


def test_what_changed_within_a_line_is_marked():
    head = "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n"
    diff = head + "-total = sum(rows)\n+total = max(rows)\n same\n"
    html = diff_html(diff, label="Change")
    assert re.findall("<mark>(.*?)</mark>", html) == ['<span class="b">sum</span>', '<span class="b">max</span>']
    unlike = diff.replace("max(rows)", "print('something else altogether', file=sys.stderr)").replace("+total", "+x")
    assert "<mark>" not in diff_html(unlike, label="Change")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (
            ["new file mode 100755", "--- /dev/null", "+++ b/new.py", "@@ -0,0 +1 @@", "+x"],
            "new.py</span> · new file mode",
        ),
        (
            ["deleted file mode 100644", "--- a/old.py", "+++ /dev/null", "@@ -1 +0,0 @@", "-x"],
            "old.py</span> · deleted",
        ),
        (["old mode 100644", "new mode 100755"], "f</span> · old mode 100644 · new mode 100755"),
        (["index 1..2", "GIT binary patch", "literal 3", "Kabc"], "f</span> · a binary file"),
        (
            ["--- a/f", "+++ b/f", "@@ -1 +1 @@", "-x", "\\ No newline at end of file", "+x"],
            "No newline at end of file",
        ),
        (['--- "a/\\303\\244"', '+++ "b/\\303\\244"', "@@ -1 +1 @@", "-x", "+y"], ">ä</span>"),
    ],
)
def test_what_a_diff_says_of_a_file(lines, said):
    assert said in diff_html("\n".join(["diff --git a/f b/f", *lines, ""]), label="Change")


def test_windows_ends_of_lines_are_not_in_the_way_but_seen_where_they_change():
    head = "diff --git a/f.txt b/f.txt\n--- a/f.txt\n+++ b/f.txt\n@@ -1 +1 @@\n"
    assert "\\x0d" not in diff_html(head + "-a\r\n+b\r\n", label="Change")
    assert "\\x0d" in diff_html(head + "-a\r\n+a\n", label="Change")


@given(LINES, LINES)
def test_every_line_that_comes_and_goes_is_shown(before, after):
    """Whatever the lines look like: headers of diffs are lines of code too."""
    one, other = ("".join(f"{line}\n" for line in lines).encode() for lines in (before, after))
    base = {"x.py": File(content=one)}
    patch = Change.of({"x.py": other}, base=base.get).to_patch(base=base.get).decode()
    html = diff_html(patch, label="Change")
    body = patch.split("@@\n", 1)[-1].split("\n") if before != after else []
    assert shown(html, "ins") == [line[1:] for line in body if line.startswith("+")]
    assert shown(html, "del") == [line[1:] for line in body if line.startswith("-")]


@given(st.text(), st.text())
def test_whatever_is_no_diff_is_shown_as_it_is(text, label):
    outline = Outline(diff_html(text, label=label))
    if "diff --git " not in text:
        assert "".join(outline.texts) == visible(text)


@given(st.text(st.characters(codec=None)))
def test_a_program_is_shown_whole(text):
    assert Outline(program_html(text, label="x")).text == visible(text.rstrip("\n"))


@given(st.text("ab\n", max_size=60), st.integers(0, 8), st.integers(0, 70))
def test_a_text_is_cut_at_the_end_of_a_line(text, lines, characters):
    kept, left = cut(text, lines=lines, characters=characters)
    assert text.startswith(kept)
    assert left == len(text) - len(kept)
    assert len(kept) <= characters
    assert kept.count("\n") <= max(lines, 1) or lines == 0
    if left and "\n" in kept:
        assert kept.endswith("\n")


def test_room_is_shared():
    room = Room(10)
    assert room.take("12345678", lines=5, characters=100) == ("12345678", None)
    kept, note = room.take("12345678", lines=5, characters=100)
    assert kept == "12"
    assert "Cut here: 6 of 8 characters" in str(note)


def test_text_for_a_terminal_holds_nothing_that_moves_it():
    assert visible("\x1b[2Ja\u202eb\x07\udcff\tc\n") == "\\x1b[2Ja\\u202eb\\x07\\udcff\tc\n"
    assert one_line("a\n  b\r\nc" + "x" * 100, 10) == "a b cxxxx…"
