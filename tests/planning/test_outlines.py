from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import PlanRefused
from bakeoff.planning import Limits, Plan, Selection, planned, read, restored, split, written

NAMES = st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=4).filter(
    lambda name: name not in (".", "..")
)
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)


def selected(files: dict[str, int] | list[str], **imports: list[str]) -> Selection:
    tokens = dict.fromkeys(files, 10) if isinstance(files, list) else files
    return Selection(paths=(".",), tokens=tokens, imports={path: frozenset(imports.get(path, ())) for path in tokens})


def plan_of(selection: Selection, limits: Limits) -> Plan:
    return planned(selection, limits, split(selection.tokens, selection.imports, limits))


@given(files=st.dictionaries(PATHS, st.integers(0, 99), min_size=1, max_size=30), most=st.integers(1, 6))
def test_what_was_written_is_the_plan_again(files: dict[str, int], most: int) -> None:
    selection = selected(files)
    plan = plan_of(selection, Limits(max_files=most, max_tokens=most * 40))
    again = restored(read(written(plan), name="plan.toml"), selection, name="plan.toml")
    assert again == plan


FILES = [f"pkg/{folder}/{name}.py" for folder in ("red", "green", "blue") for name in ("one", "two", "three")]
SELECTION = selected(FILES)
PLAN = written(plan_of(SELECTION, Limits(max_files=3)))


def refused(text: str) -> list[str]:
    with pytest.raises(PlanRefused) as caught:
        restored(read(text, name="plan.toml"), SELECTION, name="plan.toml")
    assert caught.value.message.startswith("plan.toml cannot be followed:\n  ")
    assert caught.value.hint
    return list(caught.value.mistakes)


def test_a_plan_can_be_edited() -> None:
    edited = (
        PLAN.replace('    "pkg/red/one.py",\n', "")
        .replace('    "pkg/blue/one.py",\n', '    "pkg/red/one.py",\n')
        .replace('    "pkg/red/two.py",\n', '    "pkg/red/two.py", "pkg/blue/one.py",\n')
        .replace('name = "pkg/blue"', 'name = "the blue ones"')
        .replace('name = "pkg/red"\n', 'name = "pkg/red"\nafter = ["the blue ones"]\n# ')
        .replace("after = []\nfiles", "files")
    )
    plan = restored(read(edited, name="plan.toml"), SELECTION, name="plan.toml")
    blue, green, red = plan.leaves
    assert (blue.name, green.name, red.name) == ("the blue ones", "pkg/green", "pkg/red")
    assert blue.files == ("pkg/blue/three.py", "pkg/blue/two.py", "pkg/red/one.py")
    assert red.files == ("pkg/blue/one.py", "pkg/red/three.py", "pkg/red/two.py")
    assert red.after == (blue.id,)


def test_all_that_is_wrong_is_told_at_once() -> None:
    wrong = (
        PLAN.replace("pkg/red/one.py", "pkg/red/on.py")
        .replace('"pkg/blue/one.py",', '"pkg/blue/one.py", "pkg/green/two.py",')
        .replace('name = "pkg/green"', 'name = "pkg/red"', 1)
        .replace("max-files = 3", "max-files = 3\nmax-tokens = 35")
        .replace("after = []", 'after = ["pkg/bleu"]', 1)
    )
    assert refused(wrong) == [
        "2 subplans are named pkg/red",
        "pkg/green/two.py is there more than once: in pkg/blue and pkg/red",
        "pkg/blue comes after pkg/bleu, which there is not; did you mean pkg/blue?",
        "pkg/red/on.py is not among the files to plan; did you mean pkg/red/one.py?",
        "pkg/red/one.py is in no subplan",
        "pkg/blue has 4 files, and max-files is 3",
        "pkg/blue has about 40 tokens, and max-tokens is 35",
    ]


@pytest.mark.parametrize(
    ("edit", "mistakes"),
    [
        (("paths = [", "paths = "), ["it is not TOML: "]),
        (
            ("[[subplan]]", "[[subplans]]"),
            ["there is no setting 'subplans'; did you mean subplan?", "there is no subplan"],
        ),
        (('paths = ["."]', ""), ["paths has to say what the plan is about"]),
        (('paths = ["."]', "paths = [1]"), ["paths has to be a list of texts", "paths has to say what"]),
        (('name = "pkg/red"', ""), ["subplan 3 has no name"]),
        (("after = []", "after = 1"), [f"pkg/{name}: after has to be a list" for name in ("blue", "green", "red")]),
        (('name = "pkg/red"', 'name = "x"\nfile = []'), ["x: there is no setting 'file'; did you mean files?"]),
        (("max-files = 3", 'max-files = "3"'), ["limits: max-files has to be a whole number"]),
        (("max-files = 3", "max-file = 3"), ["limits: there is no setting 'max-file'; did you mean max-files?"]),
        (("max-files = 3", "max-files = 0"), ["limits: max-files has to be at least 1, not 0"]),
        (
            ("max-files = 3", "max-files = 3\nmin-files = 4"),
            ["limits: no subplan can have at least 4 files and at most"],
        ),
        (("[limits]", "limits = 3\n[other]"), ["there is no setting 'other'", "limits has to be a table"]),
    ],
)
def test_what_has_not_the_form_of_a_plan_is_refused(edit: tuple[str, str], mistakes: list[str]) -> None:
    found = refused(PLAN.replace(*edit))
    assert len(found) == len(mistakes)
    for told, mistake in zip(found, mistakes, strict=True):
        assert told.startswith(mistake)


@pytest.mark.parametrize("own", [True, False])
def test_subplans_that_wait_for_each_other_are_refused(*, own: bool) -> None:
    text = PLAN
    for name, before in (("blue", "red"), ("green", "green" if own else "blue"), ("red", "green")):
        text = text.replace(f'name = "pkg/{name}"', f'name = "pkg/{name}"\nafter = ["pkg/{before}"] #', 1)
    text = text.replace("after = []\n", "")
    (mistake,) = refused(text)
    waiting = mistake.removeprefix("subplans wait for each other: ").split(" → ")
    assert waiting[0] == waiting[-1]
    assert set(waiting) == ({"pkg/green"} if own else {"pkg/blue", "pkg/green", "pkg/red"})


def test_who_has_no_files_and_who_stands_too_deep_is_told() -> None:
    empty = PLAN + '\n[[subplan]]\nname = "empty"\n'
    assert refused(empty) == ["empty has no files: remove it, and what comes after it"]
    deep = PLAN.replace("within = []", f"within = {['x'] * 5000}", 1)
    assert refused(deep) == ["pkg/blue is within 5000 others, and max-depth is 12"]


def test_a_file_that_was_left_out_is_told_with_the_reason() -> None:
    from bakeoff.planning import LeftOut, Reason

    left = LeftOut(path="pkg/red/one.py", reason=Reason.GENERATED)
    tokens = {path: 10 for path in FILES if path != left.path}
    selection = dataclasses.replace(SELECTION, tokens=tokens, left_out=(left,))
    with pytest.raises(PlanRefused) as caught:
        restored(read(PLAN, name="plan.toml"), selection, name="plan.toml")
    assert caught.value.mistakes == ("pkg/red/one.py is left out: generated",)


def test_of_many_mistakes_the_first_are_told() -> None:
    many = [f"pkg/{number}.py" for number in range(300)]
    with pytest.raises(PlanRefused) as caught:
        restored(read(PLAN, name="plan.toml"), selected(many), name="plan.toml")
    assert len(caught.value.mistakes) == 309
    assert caught.value.message.endswith("\n  and 289 more")
