from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.candidates import Candidate, Change, Edit, File, Mode, Version, check_path
from bakeoff.errors import ChangeError, DoesNotApply, PathRefused

from .conftest import pairs

BASE = {
    "a.py": File(content=b"x = 1\n"),
    "run": File(content=b"#!/bin/sh\n", mode=Mode.EXECUTABLE),
    "pkg/b.py": File(content=b"y = 2\n"),
    "link": File(content=b"pkg", mode=Mode.LINK),
}


def of(files: dict[str, File | bytes | None]) -> Change:
    return Change.of(files, base=BASE.get)


# Paths


@pytest.mark.promise("W3")
@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "/etc/passwd",
        "..",
        "../x",
        "a/../b",
        "a/..",
        ".",
        "./a",
        "a/./b",
        "a/",
        "a//b",
        "a\\b",
        "..\\x",
        "a\0b",
        "a\nb",
        "a\tb",
        "a\x7fb",
        "a\x85b",
        "\ud800",
        ".git",
        ".git/config",
        "sub/.git/hooks/x",
        "sub/.git",
        ".GIT/config",
        ".Git",
        ".git.",
        ".git ",
        ".git . .",
        ".git::$INDEX_ALLOCATION",
        "git~1/x",
        "GIT~1",
        "git~1.",
        ".g\u200cit/config",
        "\ufeff.git",
        "x" * 256,
        "/".join(["x" * 100] * 50),
    ],
)
def test_a_path_that_is_not_a_file_of_the_tree_is_refused(path: str) -> None:
    with pytest.raises(PathRefused):
        check_path(path)
    with pytest.raises(PathRefused):
        Change.of({path: b"x"}, base=lambda _: None)
    with pytest.raises(PathRefused):
        Edit(path=path, before=None, after=File(content=b"x"))


@pytest.mark.promise("W3")
@pytest.mark.parametrize(
    "path",
    [".gitignore", ".github/x", "a.git", "git", "git~2", "..a", "a..", "...", "~", "-", "a b", "ü", "C:", 'a"b', " "],
)
def test_a_path_that_only_looks_odd_is_taken(path: str) -> None:
    check_path(path)


@pytest.mark.promise("W3")
def test_a_refused_path_is_never_read() -> None:
    asked: list[str] = []
    with pytest.raises(PathRefused):
        Change.of({"../x": None}, base=asked.append)
    assert asked == []


@pytest.mark.promise("W3")
@given(st.text(max_size=30))
def test_a_path_that_is_taken_stays_inside(path: str) -> None:
    try:
        check_path(path)
    except PathRefused:
        return
    parts = path.split("/")
    assert not path.startswith("/")
    assert not {"", ".", ".."} & set(parts)
    assert ".git" not in {part.lower() for part in parts}


@pytest.mark.promise("W3")
@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("l", b"/etc"),
        ("l", b".."),
        ("l", b"../x"),
        ("d/l", b"../../x"),
        ("d/l", b"./../../x"),
        ("l", b"a/../../x"),
        ("d/e/l", b"a/b/../../x"),
        ("l", b".git"),
        ("d/l", b"../.GIT/hooks"),
        ("l", b""),
        ("l", b"a\0b"),
        (".gitmodules", b"a"),
        ("d/.gitattributes", b"a"),
    ],
)
def test_a_link_that_may_lead_out_is_refused(path: str, target: bytes) -> None:
    with pytest.raises(PathRefused):
        of({path: File(content=target, mode=Mode.LINK)})


@pytest.mark.promise("W3")
@pytest.mark.parametrize(
    ("path", "target"), [("l", b"a"), ("d/l", b"../x"), ("d/l", b".."), ("d/e/l", b"../.././x//y/")]
)
def test_a_link_that_stays_inside_is_taken(path: str, target: bytes) -> None:
    assert of({path: File(content=target, mode=Mode.LINK)}).paths == (path,)


@pytest.mark.promise("W3")
@pytest.mark.parametrize("files", [{"link/b.py": b"x"}, {"link/b.py": None}, {"link": None, "link/b.py": b"x"}])
def test_nothing_is_reached_through_a_link(files: dict[str, bytes | None]) -> None:
    through = BASE | {"link/b.py": BASE["pkg/b.py"]}  # a reader that follows links
    with pytest.raises(PathRefused, match="symbolic link"):
        Change.of(files, base=through.get)


@pytest.mark.promise("W3")
def test_text_does_not_become_the_target_of_a_link() -> None:
    with pytest.raises(PathRefused, match="symbolic link"):
        of({"link": b"print()\n"})


# Changes


def test_a_change_is_what_differs() -> None:
    change = of({"a.py": b"x = 1\n", "run": b"new", "new": b"", "pkg/b.py": None, "absent": None})
    assert change.paths == ("new", "pkg/b.py", "run")
    new, gone, run = change.edits
    assert (new.before, new.after) == (None, File(content=b""))
    assert (gone.before, gone.after) == (BASE["pkg/b.py"].version, None)
    assert run.after == File(content=b"new", mode=Mode.EXECUTABLE)


def test_a_mode_alone_is_a_change() -> None:
    change = of({"a.py": File(content=b"x = 1\n", mode=Mode.EXECUTABLE)})
    assert change
    assert change.id != of({}).id
    assert not change.is_noop(base=BASE.get)
    assert change.to_patch(base=BASE.get) == b"diff --git a/a.py b/a.py\nold mode 100644\nnew mode 100755\n"


def test_no_edits_is_a_change_that_is_false() -> None:
    assert not of({})
    assert of({"a.py": BASE["a.py"]}) == Change()
    assert Change().to_patch(base=BASE.get) == b""


@pytest.mark.parametrize(
    "files",
    [{"n": b"", "n/m": b""}, {"n": b"", "n/m/o": b""}, {"a.py/x": b""}, {"a.py": b"new", "a.py/x": b""}],
)
def test_a_file_is_not_also_a_folder(files: dict[str, bytes]) -> None:
    with pytest.raises(ChangeError):
        of(files)


def test_a_file_may_become_a_folder_and_a_folder_a_file() -> None:
    assert of({"a.py": None, "a.py/x": b""}).paths == ("a.py", "a.py/x")
    assert of({"pkg/b.py": None, "pkg": b""}).paths == ("pkg", "pkg/b.py")


def test_a_path_is_edited_once() -> None:
    edit = Edit(path="n", before=None, after=File(content=b""))
    with pytest.raises(ChangeError, match="twice"):
        Change(edits=(edit, dataclasses.replace(edit, after=File(content=b"1"))))


def test_an_edit_changes_something() -> None:
    with pytest.raises(ChangeError, match="changes nothing"):
        Edit(path="n", before=None, after=None)
    with pytest.raises(ChangeError, match="changes nothing"):
        Edit(path="n", before=File(content=b"").version, after=File(content=b""))


def test_a_base_that_moved_is_noticed() -> None:
    change = of({"a.py": b"x = 2\n"})
    change.check(base=BASE.get)
    for moved in (File(content=b"x = 3\n"), File(content=b"x = 1\n", mode=Mode.EXECUTABLE), None):
        there = BASE | {"a.py": moved}
        for use in (change.check, change.to_patch, change.fingerprint):
            with pytest.raises(DoesNotApply, match="base is not what"):
                use(base=there.get)


def test_a_version_is_what_git_calls_it() -> None:
    assert File(content=b"").version == Version(blob="e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", mode=Mode.FILE)


def test_an_id_is_the_same_on_every_machine() -> None:
    assert (
        of({"a.py": b"x = 2\n", "run": None}).id == "20e0da11a2d2e8fc362de48835aae6952cafee1c24804f2db82088728a3d0fbe"
    )


def test_an_id_tells_all_that_a_change_says() -> None:
    ids = [
        of({"a.py": b"2"}).id,
        of({"a.py": b"3"}).id,
        of({"a.py": File(content=b"2", mode=Mode.EXECUTABLE)}).id,
        of({"a.py": None}).id,
        of({"b.py": b"2"}).id,
        Change.of({"a.py": b"2"}, base=lambda _: None).id,
        of({"a.py": b"2", "b": b""}).id,
        of({"a.py": b"", "b": b"2"}).id,
        Change().id,
    ]
    assert len(set(ids)) == len(ids)


@given(pairs())
def test_changes_are_values(pair) -> None:
    base, after = pair
    files = {**dict.fromkeys(base), **after}
    change = Change.of(files, base=base.get)
    again = Change.of(dict(reversed(files.items())), base=base.get)
    assert change == again
    assert hash(change) == hash(again)
    assert change.id == again.id
    assert bool(change) == (base != after)


def test_a_candidate_is_a_value() -> None:
    candidate = Candidate(id="c2", name="faster loop", source="rules", change=Change(), parents=("c1",), note="why")
    assert candidate == dataclasses.replace(candidate)
    with pytest.raises(dataclasses.FrozenInstanceError):
        candidate.id = "c3"


# Fingerprints


@pytest.mark.promise("E5")
def test_a_change_of_comments_alone_has_the_fingerprint_of_the_baseline() -> None:
    baseline = Change().fingerprint(base=BASE.get)
    comments = of({"a.py": b"'''Doc.'''\nx=1 # one\n"})
    assert comments.fingerprint(base=BASE.get) == baseline
    assert comments.is_noop(base=BASE.get)
    assert comments
    assert not of({"a.py": b"x = 2\n"}).is_noop(base=BASE.get)


@pytest.mark.promise("E5")
def test_files_that_stay_the_same_do_not_count() -> None:
    one = of({"a.py": b"x = 2\n", "pkg/b.py": b"y = 2 # same\n"})
    two = of({"a.py": b"x  =  2\n"})
    assert one.fingerprint(base=BASE.get) == two.fingerprint(base=BASE.get)
    assert one.id != two.id


@pytest.mark.promise("E5")
def test_what_else_differs_makes_another_fingerprint() -> None:
    changes = [
        Change(),
        of({"a.py": b"x = 2\n"}),
        of({"a.py": b"x = 3\n"}),
        of({"a.py": File(content=b"x = 2\n", mode=Mode.EXECUTABLE)}),
        of({"a.py": File(content=b"x = 1 #\n", mode=Mode.EXECUTABLE)}),
        of({"a.py": None}),
        of({"a.py": b""}),
        of({"a.txt": b"x = 2\n"}),
        of({"a.txt": b"x  = 2\n"}),
        of({"c.py": b"x = 2\n"}),
        of({"c.py": b"# nothing\n"}),
        of({"a.py": None, "c.py": b"x = 1\n"}),
        of({"c.py": b"x = (\n"}),
        of({"c.py": b"x = ( \n"}),
        of({"c.py": File(content=b"a", mode=Mode.LINK)}),
    ]
    fingerprints = [change.fingerprint(base=BASE.get) for change in changes]
    assert len(set(fingerprints)) == len(fingerprints)
