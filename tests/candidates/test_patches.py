from __future__ import annotations

import random
import re
import string
import time

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from bakeoff.candidates import Change, File, Mode
from bakeoff.errors import ChangeError, DoesNotApply, PathRefused

from .conftest import Repository, contents, pairs, text_lines

FLAVOURS = [
    ["--full-index"],
    ["-M"],
    ["--no-prefix"],
    ["-M", "--no-prefix", "-U1"],
    ["-U0"],
    ["-M", "-C", "--find-copies-harder"],
    ["--src-prefix=i/", "--dst-prefix=w/"],
    ["--patience", "-U7", "-W"],
    ["--binary"],
]


def whole(base: dict[str, File], after: dict[str, File]) -> Change:
    return Change.of({**dict.fromkeys(base), **after}, base=base.get)


def lf(text: str) -> bytes:
    return text.encode()


# Against real git


@settings(max_examples=50)
@given(pair=pairs())
@example(pair=({"a": File(content=b"1\n")}, {"a/b": File(content=b"1\n")}))
@example(pair=({"a/b": File(content=b"1\n")}, {"a": File(content=b"1\n")}))
@example(pair=({"a": File(content=b"a", mode=Mode.LINK)}, {"a": File(content=b"a")}))
@example(pair=({"a": File(content=b"\0")}, {"a": File(content=b"")}))
@example(pair=({"a": File(content=b"")}, {"b": File(content=b"", mode=Mode.EXECUTABLE)}))
def test_git_makes_of_our_patch_exactly_the_new_tree(repository: Repository, pair) -> None:
    base, after = pair
    change = whole(base, after)
    patch = change.to_patch(base=base.get)
    assert bool(patch) == bool(change)
    if change:
        assert Change.from_diff(patch, base=base.get) == change
        repository.put(base)
        repository.git("apply", "--index", "--whitespace=nowarn", "-", data=patch)
        assert repository.read() == after
        assert repository.git("status", "--porcelain", "-z").count(b"??") == 0


@settings(max_examples=30)
@given(pair=pairs(text_lines))
def test_what_git_writes_is_read_as_what_it_means(repository: Repository, pair) -> None:
    base, after = pair
    assume(base != after)
    old, new = repository.tree_id(base), repository.tree_id(after)
    for flavour in FLAVOURS:
        diff = repository.git("diff-tree", "-r", "-p", *flavour, old, new)
        assert Change.from_diff(diff, base=base.get) == whole(base, after), flavour


@settings(max_examples=12)
@given(pair=pairs(text_lines))
def test_a_mail_that_git_writes_is_read(repository: Repository, pair) -> None:
    base, after = pair
    assume(base != after)
    message = "A subject\n\nA body - with a list:\n- one\n+ two\n  three\n"
    first = repository.git("commit-tree", "-m", "base", repository.tree_id(base)).decode().strip()
    tree = repository.tree_id(after)
    second = repository.git("commit-tree", "-m", message, "-p", first, tree).decode().strip()
    mail = repository.git("format-patch", "--stdout", "-M", f"{first}..{second}")
    assert b"\n-- \n2." in mail
    assert Change.from_diff(mail, base=base.get) == whole(base, after)
    assert Change.from_diff(repository.git("show", second), base=base.get) == whole(base, after)


@given(old=contents(), new=contents())
def test_a_single_file_comes_back_from_its_patch(old: bytes, new: bytes) -> None:
    base = {"f": File(content=old)}
    change = Change.of({"f": new}, base=base.get)
    assume(change)
    assert Change.from_diff(change.to_patch(base=base.get), base=base.get) == change


# Never anything but a ChangeError, and never late

TOKENS = [
    b"diff --git a/f b/f\n",
    b"--- a/f\n",
    b"+++ b/f\n",
    b"@@ -1,2 +1,2 @@\n",
    b"@@ -1 +1 @@\n",
    b"-a\n",
    b"+b\n",
    b" c\n",
]
TOKENS += [
    b"\\ No newline at end of file\n",
    b"new file mode 100644\n",
    b"deleted file mode 100644\n",
    b"old mode 100644\n",
]
TOKENS += [
    b"new mode 100755\n",
    b"rename from f\n",
    b"rename to g\n",
    b"GIT binary patch\n",
    b"literal 3\n",
    b"\n",
    b"a",
]
TOKENS += [
    b"index 00..11 100644\n",
    b"-- \n",
    b"--- /dev/null\n",
    b"copy from f\n",
    b"HcmV?d00001\n",
    b'"\\',
    b"\xff",
    b"\r\n",
]
TREE = {"f": File(content=b"a\nc\n"), "h": File(content=b"a\n" * 50)}


def judged(data: bytes) -> Change | None:
    try:
        return Change.from_diff(data, base=TREE.get)
    except ChangeError:
        return None


@settings(max_examples=250)
@given(st.lists(st.sampled_from(TOKENS), max_size=14).map(b"".join) | st.binary(max_size=200))
def test_no_text_breaks_the_reader(data: bytes) -> None:
    judged(data)


@settings(max_examples=250)
@given(data=st.data())
def test_no_damage_to_a_patch_breaks_the_reader(data) -> None:
    after = {
        "f": File(content=b"a\nd\0" if data.draw(st.booleans()) else b"a\nd", mode=Mode.EXECUTABLE),
        "g": TREE["f"],
    }
    patch = bytearray(whole(TREE, after).to_patch(base=TREE.get))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, max(len(patch) - 1, 0)))
        patch[at : at + data.draw(st.integers(0, 9))] = data.draw(st.sampled_from(TOKENS) | st.binary(max_size=3))
    judged(bytes(patch))


def test_large_and_repetitive_files_are_diffed_and_fitted_in_time() -> None:
    many = [b"%d\n" % number for number in range(40_000)]
    alternating = [b"new\n" if number % 2 else line for number, line in enumerate(many)]
    chance = random.Random(1)
    shuffled = chance.sample(many, len(many))
    two_letters = chance.choices([b"a\n", b"b\n"], k=20_000)
    others = chance.choices([b"a\n", b"b\n"], k=20_000)
    started = time.monotonic()
    for old, new in [(many, alternating), (many, shuffled), (two_letters, others)]:
        base = {"f": File(content=b"".join(old))}
        change = Change.of({"f": b"".join(new)}, base=base.get)
        assert Change.from_diff(change.to_patch(base=base.get), base=base.get) == change
    assert time.monotonic() - started < 30


def test_two_far_edits_of_a_large_file_make_two_small_hunks() -> None:
    lines = [b"%d\n" % (number % 50) for number in range(20_000)]
    base = {"f": File(content=b"".join(lines))}
    lines[10], lines[19_990] = b"x\n", b"y\n"
    patch = Change.of({"f": b"".join(lines)}, base=base.get).to_patch(base=base.get)
    assert patch.count(b"\n@@ ") == 2
    assert patch.count(b"\n") < 30


def test_a_hunk_that_nearly_fits_everywhere_is_refused_in_time() -> None:
    base = {"f": File(content=b"a\n" * 100_000)}
    lines = b"".join([b" a\n"] * 50_000)
    diff = b"--- a/f\n+++ b/f\n@@ -1,50001 +1,50000 @@\n" + lines + b"-b\n"
    started = time.monotonic()
    with pytest.raises(DoesNotApply):
        Change.from_diff(diff, base=base.get)
    assert time.monotonic() - started < 5


# What is read, by hand


def applied(old: bytes, diff: str | bytes, *, path: str = "f") -> bytes:
    base = {path: File(content=old)}
    change = Change.from_diff(diff, base=base.get)
    after = change.edits[0].after
    assert change.paths == (path,)
    assert after is not None
    return after.content


NO_NEWLINE = "\\ No newline at end of file\n"


@pytest.mark.parametrize(
    ("old", "body", "new"),
    [
        (b"a\nb", f"@@ -1,2 +1,2 @@\n a\n-b\n{NO_NEWLINE}+c\n{NO_NEWLINE}", b"a\nc"),
        (b"a\nb", f"@@ -1,2 +1,2 @@\n a\n-b\n{NO_NEWLINE}+b\n", b"a\nb\n"),
        (b"a\nb\n", f"@@ -1,2 +1,2 @@\n a\n-b\n+b\n{NO_NEWLINE}", b"a\nb"),
        (b"a\nb", f"@@ -1,2 +1,2 @@\n-a\n+c\n b\n{NO_NEWLINE}", b"c\nb"),
        (b"a", f"@@ -1 +0,0 @@\n-a\n{NO_NEWLINE}", b""),
        (b"", f"@@ -0,0 +1 @@\n+a\n{NO_NEWLINE}", b"a"),
        (b"a\n", "@@ -1 +1 @@\n-a\n+b\n\\ Kein Zeilenumbruch am Dateiende.\n", b"b"),
    ],
)
def test_a_missing_newline_is_kept_on_the_side_that_misses_it(old: bytes, body: str, new: bytes) -> None:
    assert applied(old, "--- a/f\n+++ b/f\n" + body) == new


def test_only_a_newline_ends_a_line() -> None:
    old = "a\x0cb\rc\x85d\u2028e\x1c\nlast\n".encode()
    diff = b"--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n " + old.split(b"\n")[0] + b"\n-last\n+new\n"
    assert applied(old, diff) == old.replace(b"last", b"new")


def test_content_that_is_not_utf8_is_kept() -> None:
    assert applied(b"\xe4\n\xff\n", b"--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n \xe4\n-\xff\n+\xfe\n") == b"\xe4\n\xfe\n"


@pytest.mark.parametrize(
    "names",
    [
        "--- a/d/f\n+++ b/d/f\n",
        "--- d/f\n+++ d/f\n",
        "--- a/d/f\t2024-01-01 10:00:00.000000000 +0100\n+++ b/d/f\t2024-01-01 10:00:01 +0100\n",
        "--- d/f.orig\n+++ d/f\n",
        "--- old/d/f\n+++ new/d/f\n",
        "Index: d/f\n=======\n--- d/f\t(revision 1)\n+++ d/f\t(working copy)\n",
        '--- "a/d/f"\n+++ "b/d/\\146"\n',
        "diff -u a/d/f b/d/f\n--- a/d/f\n+++ b/d/f\n",
        "diff --git a/d/f b/d/f\n--- a/d/f\n+++ b/d/f\n",
        "diff --git d/f d/f\nindex 11..22 100644\n--- d/f\n+++ d/f\n",
        "Here is the diff:\n\ndiff --git a/d/f b/d/f\n--- a/d/f\n+++ b/d/f\n",
    ],
)
def test_the_name_of_a_file_is_found(names: str) -> None:
    assert applied(b"a\n", names + "@@ -1 +1 @@\n-a\n+b\n", path="d/f") == b"b\n"


def test_a_folder_called_a_is_no_prefix() -> None:
    assert applied(b"a\n", "diff --git a/f a/f\n--- a/f\n+++ a/f\n@@ -1 +1 @@\n-a\n+b\n", path="a/f") == b"b\n"


def test_a_name_with_blanks_that_repeats_is_split_in_the_middle() -> None:
    diff = "diff --git a/q b/q b b/q b/q b\n--- a/q b/q b\t\n+++ b/q b/q b\t\n@@ -1 +1 @@\n-a\n+b\n"
    assert applied(b"a\n", diff, path="q b/q b") == b"b\n"


def test_files_are_added_and_deleted_by_dev_null_and_by_the_first_day() -> None:
    base = {"gone": File(content=b"1\n"), "old": File(content=b"1\n")}
    diff = (
        "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n"
        "--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n"
        "--- p/nil\t1970-01-01 00:00:00 +0000\n+++ b/late\t2024-01-01\n@@ -0,0 +1 @@\n+y\n"
        "--- same\t2024-01-01\n+++ same\t2024-01-01\n@@ -0,0 +1 @@\n+z\n"
        "--- a/old\t2024-01-01\n+++ b/old\t1970-01-01 00:00:00.000 +0000\n@@ -1 +0,0 @@\n-1\n"
    )
    expected = {"new": b"x\n", "gone": None, "late": b"y\n", "same": b"z\n", "old": None}
    assert Change.from_diff(diff, base=base.get) == Change.of(expected, base=base.get)


def test_a_file_can_be_emptied_without_being_deleted() -> None:
    assert applied(b"a\n", "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +0,0 @@\n-a\n") == b""


def test_an_empty_line_of_context_may_have_lost_its_blank_and_the_patch_its_last_newline() -> None:
    assert applied(b"a\n\nb\n", "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n\n-b\n+c") == b"a\n\nc\n"


def test_a_hunk_is_found_elsewhere_only_where_it_fits_once() -> None:
    old = b"x\ny\n" * 3 + b"a\nb\n" + b"x\ny\n" * 3
    assert applied(old, "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n") == old.replace(b"b", b"c")
    with pytest.raises(DoesNotApply, match="more than one place"):
        applied(old, "--- a/f\n+++ b/f\n@@ -2,2 +2,2 @@\n x\n-y\n+c\n")
    assert applied(old, "--- a/f\n+++ b/f\n@@ -3,2 +3,2 @@\n x\n-y\n+c\n").startswith(b"x\ny\nx\nc\nx\n")


def test_numbers_mean_nothing_once_one_was_wrong() -> None:
    old = b"n\na\nb\nx\nx\nx\nx\n"
    with pytest.raises(DoesNotApply, match="more than one place"):
        applied(old, "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n@@ -4 +4 @@\n-x\n+y\n")


GIT = "diff --git a/f b/f\n"
HEAD = "--- a/f\n+++ b/f\n"


@pytest.mark.parametrize(
    ("old", "diff", "why"),
    [
        (b"a\n", "just words\n", "no diff"),
        (b"a\n", "", "no diff"),
        (b"a\n", HEAD, "no diff"),
        (b"a\n", "@@ -1 +1 @@\n-a\n+b\n", "no file above"),
        (b"a\n", HEAD + "@@ -1,2 +1 @@\n-a\n+b\n", "lines that its header counts"),
        (b"a\n", HEAD + "@@ -1 +1 @@\n-a\n+b\n+c\n", "more lines than its header counts"),
        (b"a\nb\n", HEAD + "@@ -1 +1 @@\n-a\n+b\n\n-b\n", "more lines than its header counts"),
        (b"a\n", HEAD + "@@ -1 +1 @@\n-a\n", "lines that its header counts"),
        (b"a\n", HEAD + "@@ -1 +1 @@\n*a\n", "lines that its header counts"),
        (b"a\n", HEAD + "@@ -1,2 +1,2 @@\n a\n" + NO_NEWLINE + " b\n", "lines that its header counts"),
        (b"a\n", HEAD + "@@ -1 +1 @@\n-a\n" + NO_NEWLINE * 2 + "+b\n", "twice"),
        (b"a\n", HEAD + "@@ -1 +1 @@\n-b\n+c\n", r"line 1 should be 'b\\n' and is 'a\\n'"),
        (b"a\n", HEAD + "@@ -1,2 +1 @@\n a\n-b\n", r"line 2 should be 'b\\n' and is the end of the file"),
        (b"a\n", HEAD + f"@@ -1 +1 @@\n-a\n{NO_NEWLINE}+b\n", r"line 1 should be 'a' and is 'a\\n'"),
        (b"a\nb\n", HEAD + f"@@ -1 +1 @@\n-a\n+c\n{NO_NEWLINE}", "ends a file that goes on"),
        (b"a", HEAD + "@@ -1,0 +2 @@\n+b\n", "does not apply"),
        (b"a\nb\n", HEAD + "@@ -2 +2 @@\n-b\n+c\n@@ -1 +1 @@\n-a\n+d\n", "overlaps"),
        (b"a\r\n", HEAD + "@@ -1 +1 @@\n-a\n+b\n", "but for its line endings"),
        (b"a\n", HEAD + "@@ -1 +1 @@\n-a\r\n+b\r\n", "but for its line endings"),
        (b"a\r\n", (HEAD + "@@ -1 +1 @@\n-a\n+b\n").replace("\n", "\r\n"), "header lines end in CR LF"),
        (b"a\r\n", (GIT + HEAD + "@@ -1 +1 @@\n-a\n+b\n").replace("\n", "\r\n"), "header lines end in CR LF"),
        (b"a\n", (HEAD + "@@ -1 +1 @@\n-a\n+b\n") * 2, "several diffs of one file"),
        (b"a\n", GIT + "index 1..2 100644\nBinary files a/f and b/f differ\n", "binary"),
        (b"a\n", "Binary files a/f and b/f differ\n", "binary"),
        (b"a\n", GIT + "index 1..2 100644\nGIT binary patch\ndelta 3\nabc\n\n", "binary delta"),
        (b"a\n", GIT + "index 1..2 100644\nGIT binary patch\nliteral 3\nabc\n\n", "damaged"),
        (b"a\n", GIT + "index 1..2 100644\nGIT binary patch\nliteral 3\nHcmV?d00001\n\n", "does not hold what it says"),
        (b"a\n", GIT + "index 1..2 100644\nGIT binary patch\nliteral 0\nHcmV?d00001\n\n", "not for this version"),
        (b"a\n", GIT + "nothing\n", "nothing below it"),
        (b"a\n", GIT + "index 1..2 100644\n", "nothing below it"),
        (b"a\n", GIT + "index 1..2 100644\n" + HEAD, "no hunks"),
        (b"a\n", HEAD + "@@ -1 +1\n-a\n+b\n", "header of a hunk cannot be read"),
        (b"a\n", HEAD + "@@ ... @@\n-a\n+b\n", "header of a hunk cannot be read"),
        (b"a\nb\n", HEAD + "@@ -1 +1 @@\n-a\n+c\n@@ -2 @@\n-b\n+d\n", "header of a hunk cannot be read"),
        (b"a\nb\n", HEAD + "@@ -1 +1 @@\n-a\n+c\n\n@@ -2 +2 @@\n-b\n+d\n", "more lines than"),
        (
            b"a\n",
            "diff --git a/f.orig b/f\n--- a/f.orig\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n",
            "not say that it is a rename",
        ),
        (b"a\n", "diff --git a/f b/g\nold mode 100644\nnew mode 100755\n", "cannot be told apart"),
        (b"a\n", GIT + "--- a/f\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n", "names both"),
        (b"a\n", GIT + "old mode 100755\nnew mode 100644\n", "mode should be 100755 and is 100644"),
        (b"a\n", GIT + "old mode 100644\nnew mode 777\n", "not a mode"),
        (b"a\n", GIT + "old mode 100644\nold mode 100644\n", "said twice"),
        (b"a\n", GIT + "new file mode 100644\n", "there already"),
        (b"a\n", GIT + "deleted file mode 100644\n", "some of its lines would be left"),
        (b"a\n", GIT + "new file mode 100644\ndeleted file mode 100644\n", "exclude each other"),
        (b"a\n", "diff --git a/f b/g\nrename from f\n", "only one of its two paths"),
        (b"a\n", "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", "no such file"),
        (b"a\n", "--- x\n+++ y\n@@ -1 +1 @@\n-a\n+b\n", "cannot be told which"),
        (b"a\n", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "no such file"),
        (b"a\n", "diff --cc f\nindex 1,2..3\n--- a/f\n+++ b/f\n@@@ -1,1 -1,1 +1,1 @@@\n", "combined"),
        (b"a\n", GIT + "index 1..2 120000\n" + HEAD + "@@ -1 +1 @@\n-a\n+b\n", "symbolic link"),
        (b"a\n", "--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", "both sides"),
        (b"a\n", "\ud800", "not valid text"),
        (
            b"a\n",
            "diff --git a/f b/g\nrename from f\nrename to g\n" + HEAD + "@@ -1 +1 @@\n-a\n+b\n",
            "names both|several|removes it",
        ),
    ],
)
def test_what_does_not_apply_says_why(old: bytes, diff: str, why: str) -> None:
    with pytest.raises(DoesNotApply, match=why) as caught:
        Change.from_diff(diff, base={"f": File(content=old)}.get)
    assert "Traceback" not in str(caught.value)


def test_a_refusal_names_the_file_and_the_line() -> None:
    with pytest.raises(DoesNotApply) as caught:
        Change.from_diff(HEAD + "@@ -7 +7 @@\n-b\n+c\n", base={"f": File(content=b"a\n")}.get)
    assert caught.value.path == "f"
    assert caught.value.where == "f:7"
    assert caught.value.hint


@pytest.mark.parametrize(
    "diff",
    [
        "diff --git a/f b/g\nsimilarity index 100%\nrename from f\nrename to g\nf removed too:\n"
        "diff --git a/f b/f\ndeleted file mode 100644\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
        "diff --git a/f b/g\nrename from f\nrename to g\n" + GIT + HEAD + "@@ -1 +1 @@\n-a\n+b\n",
        "diff --git a/f b/g\ncopy from f\ncopy to g\ndiff --git a/g b/g\nnew file mode 100644\n",
    ],
)
def test_two_diffs_that_contradict_are_refused(diff: str) -> None:
    with pytest.raises(DoesNotApply):
        Change.from_diff(diff, base={"f": File(content=b"a\n")}.get)


def test_renames_and_copies_may_change_content_and_mode() -> None:
    base = {"f": File(content=b"a\nb\n"), "s": File(content=b"1\n")}
    diff = (
        "diff --git a/f b/n m\nold mode 100644\nnew mode 100755\nsimilarity index 50%\nrename from f\nrename to n m\n"
        "index 1..2\n--- a/f\n+++ b/n m\t\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
        'diff --git a/s "b/\\303\\274"\nsimilarity index 100%\ncopy from s\ncopy to "\\303\\274"\n'
    )
    expected = {"f": None, "n m": File(content=b"a\nc\n", mode=Mode.EXECUTABLE), "ü": b"1\n"}
    assert Change.from_diff(diff, base=base.get) == Change.of(expected, base=base.get)


def test_two_files_may_change_places() -> None:
    base = {"f": File(content=b"1\n"), "g": File(content=b"2\n")}
    diff = "diff --git a/f b/g\nrename from f\nrename to g\ndiff --git a/g b/f\nrename from g\nrename to f\n"
    assert Change.from_diff(diff, base=base.get) == Change.of({"f": b"2\n", "g": b"1\n"}, base=base.get)


def test_a_hunk_that_changes_nothing_makes_no_change() -> None:
    assert not Change.from_diff(HEAD + "@@ -1 +1 @@\n a\n", base={"f": File(content=b"a\n")}.get)


@pytest.mark.promise("W3")
@pytest.mark.parametrize(
    "diff",
    [
        "--- /dev/null\n+++ b/../evil\n@@ -0,0 +1 @@\n+x\n",
        "--- /dev/null\n+++ /etc/passwd\n@@ -0,0 +1 @@\n+x\n",
        "--- /dev/null\n+++ b/.git/hooks/pre-commit\n@@ -0,0 +1 @@\n+x\n",
        '--- /dev/null\n+++ "b/x\\n/y"\n@@ -0,0 +1 @@\n+x\n',
        '--- /dev/null\n+++ "b/\\377"\n@@ -0,0 +1 @@\n+x\n',
        "diff --git a/f b/../g\nrename from f\nrename to ../g\n",
        "diff --git a/f b/g\ncopy from ../../secret\ncopy to g\n",
        "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n" + NO_NEWLINE,
        "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+../x\n" + NO_NEWLINE,
        "diff --git a/s b/s\nindex 1..2 160000\n--- a/s\n+++ b/s\n@@ -1 +1 @@\n-Subproject commit 1\n+Subproject 2\n",
    ],
)
def test_a_diff_cannot_lead_out_of_the_tree(diff: str) -> None:
    asked: list[str] = []

    def base(path: str) -> File | None:
        asked.append(path)
        return File(content=b"a\n") if path == "f" else None

    with pytest.raises(PathRefused):
        Change.from_diff(diff, base=base)
    assert all(re.fullmatch(r"[a-z]+", path) for path in asked), "a refused path was read"


def test_a_binary_file_goes_through_a_patch_as_a_literal() -> None:
    base = {"f": File(content=bytes(range(256)))}
    change = Change.of({"f": bytes(range(255, -1, -1)), "g": b"\0" * 1000}, base=base.get)
    patch = change.to_patch(base=base.get)
    assert patch.count(b"GIT binary patch\nliteral ") == 2
    assert set(patch.decode("ascii")) <= set(string.printable)
    assert Change.from_diff(patch, base=base.get) == change
