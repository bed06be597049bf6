from __future__ import annotations

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.candidates import Clash, File, Mode, merge

from .conftest import contents, text_lines

BASE = b"one\ntwo\nthree\nfour\nfive\n"


def file(content: bytes, mode: Mode = Mode.FILE) -> File:
    return File(content=content, mode=mode)


def merged(base: bytes | None, ours: bytes | None, theirs: bytes | None):
    return merge(
        **{
            name: None if content is None else file(content)
            for name, content in (("base", base), ("ours", ours), ("theirs", theirs))
        }
    )


some = st.none() | st.builds(file, contents(), st.sampled_from(list(Mode)[:2]))


@given(some, some)
def test_where_one_side_changed_nothing_the_other_is_taken(base: File | None, other: File | None) -> None:
    assert merge(base=base, ours=base, theirs=other) == other
    assert merge(base=base, ours=other, theirs=base) == other
    assert merge(base=base, ours=other, theirs=other) == other


@st.composite
def edited_twice(draw) -> tuple[bytes, bytes, bytes]:
    """A file whose lines are all different, and two edits of it."""
    base = [b"line %d\n" % number for number in range(draw(st.integers(0, 9)))]

    def edited(mark: bytes) -> bytes:
        lines = base[:]
        for _ in range(draw(st.integers(0, 3))):
            at = draw(st.integers(0, len(lines)))
            new = draw(st.sampled_from([[], [b"new\n"], [mark], [mark, b"new\n"], [b"last"]]))
            lines[at : at + draw(st.integers(0, 2))] = new
        return b"".join(lines)

    return b"".join(base), edited(b"ours\n"), edited(b"theirs\n")


@given(edited_twice())
def test_what_is_merged_is_what_git_merges(tmp_path_factory: pytest.TempPathFactory, contents) -> None:
    folder = tmp_path_factory.mktemp("merge")
    base, ours, theirs = contents
    for name, content in (("ours", ours), ("base", base), ("theirs", theirs)):
        (folder / name).write_bytes(content)
    command = ["git", "merge-file", "-p", "--quiet", "ours", "base", "theirs"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    found = merged(base, ours, theirs)
    if isinstance(found, Clash):
        return  # where lines repeat, or edits touch, git may find a way to tell them apart
    assert found is not None
    assert (found.content, 0) == (done.stdout, done.returncode)


@given(edited_twice())
def test_the_two_sides_are_alike(contents) -> None:
    base, ours, theirs = contents
    one, other = merged(base, ours, theirs), merged(base, theirs, ours)
    assert isinstance(one, Clash) == isinstance(other, Clash)
    if not isinstance(one, Clash):
        assert one == other


@given(contents(text_lines), contents(text_lines), contents(text_lines))
def test_a_clash_always_says_where(base: bytes, ours: bytes, theirs: bytes) -> None:
    first = merged(base, ours, theirs)
    if isinstance(first, Clash):
        assert first.lines
        assert all(1 <= line <= ours.count(b"\n") + 2 for line in first.lines)


def test_edits_apart_are_both_taken() -> None:
    found = merged(BASE, BASE.replace(b"one", b"ONE"), BASE.replace(b"five", b"FIVE"))
    assert found == file(b"ONE\ntwo\nthree\nfour\nFIVE\n")


def test_the_same_edit_is_taken_once_beside_another() -> None:
    ours = BASE.replace(b"one", b"ONE").replace(b"five", b"FIVE")
    assert merged(BASE, ours, BASE.replace(b"five", b"FIVE")) == file(ours)


def test_a_clash_names_the_lines_of_our_side() -> None:
    ours = b"zero\n" + BASE.replace(b"two", b"2").replace(b"five", b"5")
    theirs = BASE.replace(b"two", b"II").replace(b"five", b"V")
    found = merged(BASE, ours, theirs)
    assert isinstance(found, Clash)
    assert found.lines == (3, 6)
    assert str(found) == "the same lines were changed in another way (lines 3, 6)"


def test_edits_of_lines_that_touch_clash() -> None:
    assert isinstance(merged(BASE, BASE.replace(b"two", b"2"), BASE.replace(b"three", b"3")), Clash)
    assert isinstance(merged(b"", b"ours\n", b"theirs\n"), Clash)


def test_a_last_line_without_newline_keeps_it_so() -> None:
    base = b"one\ntwo\nthree"
    assert merged(base, base.replace(b"one", b"1"), base.replace(b"three", b"3")) == file(b"1\ntwo\n3")
    assert isinstance(merged(base, base + b"\n", base.replace(b"three", b"3")), Clash)


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "why"),
    [
        (b"\0a\nb\nc\n", b"\0A\nb\nc\n", b"\0a\nb\nC\n", "binary"),
        (BASE, None, b"new\n", "not there any more"),
        (BASE, b"new\n", None, "is to be deleted"),
        (None, b"ours\n", b"theirs\n", "there already"),
    ],
)
def test_what_only_a_person_can_tell_clashes(base, ours, theirs, why: str) -> None:
    found = merged(base, ours, theirs)
    assert isinstance(found, Clash)
    assert why in str(found)


def test_a_link_is_replaced_but_never_merged() -> None:
    one, two = file(b"one", Mode.LINK), file(b"two", Mode.LINK)
    assert merge(base=one, ours=one, theirs=two) == two
    assert isinstance(merge(base=one, ours=two, theirs=file(b"three", Mode.LINK)), Clash)
    assert isinstance(merge(base=file(b"x"), ours=one, theirs=file(b"y")), Clash)


def test_modes_are_merged_apart_from_contents() -> None:
    ours = file(BASE, Mode.EXECUTABLE)
    theirs = file(BASE.replace(b"five", b"5"))
    assert merge(base=file(BASE), ours=ours, theirs=theirs) == file(theirs.content, Mode.EXECUTABLE)
    assert merge(base=file(BASE), ours=theirs, theirs=ours) == file(theirs.content, Mode.EXECUTABLE)


def crlf(content: bytes) -> bytes:
    return content.replace(b"\n", b"\r\n")


def test_a_file_that_was_turned_into_crlf_keeps_it_and_is_no_other_file() -> None:
    theirs = BASE.replace(b"five", b"5")
    assert merged(BASE, crlf(BASE), theirs) == file(crlf(theirs))
    assert merged(BASE, crlf(BASE.replace(b"one", b"1")), theirs) == file(crlf(theirs.replace(b"one", b"1")))
    assert merged(BASE, crlf(theirs), theirs) == file(crlf(theirs))
    assert merged(BASE, crlf(BASE), None) is None
    assert merged(crlf(BASE), BASE, crlf(theirs)) == file(theirs)


def test_a_change_of_line_endings_is_a_change() -> None:
    assert merged(BASE, BASE, crlf(BASE)) == file(crlf(BASE))
    assert merged(BASE, crlf(BASE), crlf(BASE)) == file(crlf(BASE))
