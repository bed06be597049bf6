from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.planning import Branch, Limits, Plan, Selection, Subplan, planned, read, split, written
from bakeoff.planning.plan import cycle
from planning.test_clusters import Imports, projects
from planning.trees import generated, project


def selected(tokens: dict[str, int], imports: Imports | None = None) -> Selection:
    known = {path: (imports or {}).get(path, frozenset()) for path in tokens}
    return Selection(paths=(".",), tokens=tokens, imports=known)


def plan_of(tokens: dict[str, int], imports: Imports | None = None, limits: Limits | None = None) -> Plan:
    selection, limits = selected(tokens, imports), limits or Limits()
    return planned(selection, limits, split(selection.tokens, selection.imports, limits))


def outline_of(plan: Plan):
    return read(written(plan), name="plan.toml")


# -- P3 ----------------------------------------------------------------------------------------------------------------


@pytest.mark.promise("P3")
@given(projects(), st.randoms())
def test_each_file_is_in_one_leaf_and_parents_list_their_children(
    given_: tuple[dict[str, int], Imports, Limits], chance: random.Random
) -> None:
    tokens, imports, limits = given_
    plan = plan_of(tokens, imports, limits)
    assert sorted(path for leaf in plan.leaves for path in leaf.files) == sorted(tokens)
    assert [branch.id for branch in plan.root.leaves] == [leaf.id for leaf in plan.leaves]
    assert len({leaf.name for leaf in plan.leaves}) == len(plan.leaves)
    below = {leaf.id: set(leaf.files) for leaf in plan.leaves}
    names, pending = [], [plan.root]
    while pending:
        branch = pending.pop()
        if branch.children:
            names.append(branch.name)
            below[branch.id] = {path for leaf in branch.leaves for path in below[leaf.id]}
            pending += branch.children
    assert len(set(names)) == len(names)
    assert below[plan.root.id] == set(tokens)
    check_imports(plan, imports)
    order = list(tokens)
    chance.shuffle(order)
    assert plan_of({path: tokens[path] for path in order}, imports, limits) == plan


def check_imports(plan: Plan, imports: Imports) -> None:
    home = {path: leaf.id for leaf in plan.leaves for path in leaf.files}
    edges = [(home[path], home[other]) for path in imports for other in imports[path]]
    assert plan.edges == len(edges)
    assert plan.edges_cut == sum(one != other for one, other in edges)
    for leaf in plan.leaves:
        assert set(leaf.imports) == {other for one, other in edges if one == leaf.id != other}


PRINTED = """
import json, sys
from planning.trees import project, woven
plan = woven(project("django"))
print(json.dumps([[leaf.id, leaf.name, leaf.files, leaf.imports] for leaf in plan.leaves]))
"""


@pytest.mark.promise("P3")
def test_ids_are_the_same_on_any_machine() -> None:
    """Whatever the hash seed, and whenever: one of the ids stands here since it was first made."""
    printed = {
        subprocess.run(
            [sys.executable, "-c", PRINTED],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parent.parent)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "12345")
    }
    assert len(printed) == 1
    assert len(json.loads(printed.pop())) >= 36
    (leaf,) = plan_of({"pkg/a.py": 1, "pkg/b.py": 1}).leaves
    assert leaf.id == "265eda305da3"


@pytest.mark.promise("P3")
def test_an_id_depends_on_the_files_alone() -> None:
    files = generated(levels=2, fan=3, files=20)
    one = {leaf.files: leaf.id for leaf in plan_of(dict.fromkeys(files, 100)).leaves}
    more = {leaf.files: leaf.id for leaf in plan_of(dict.fromkeys([*files, *project("django")], 7)).leaves}
    assert len(one) == 9
    assert one.items() <= more.items()


# -- names, orders and warnings ----------------------------------------------------------------------------------------


def test_names_say_where_most_files_are() -> None:
    flat = plan_of({f"pkg/m{number:02}.py": 1 for number in range(50)} | {"pkg/sub/one.py": 1})
    assert [leaf.name for leaf in flat.leaves] == ["pkg", "pkg#2", "pkg#3"]
    assert flat.root.name == "pkg"
    alone = plan_of({"pkg/big.py": 900, "pkg/a.py": 1, "pkg/b.py": 1}, limits=Limits(max_tokens=100))
    assert [leaf.name for leaf in alone.leaves] == ["pkg", "pkg/big.py"]
    assert alone.warnings == ("pkg/big.py stands alone: it has about 900 tokens, and a subplan may have 100",)
    assert plan_of({"a.py": 1, "b/c.py": 1, "d/e.py": 1}).root.name == "."


def test_what_is_called_like_a_numbered_name_keeps_its_own() -> None:
    files = [f"{folder}/m{number}.py" for folder in ("a", "a#2") for number in range(50)]
    names = [leaf.name for leaf in plan_of(dict.fromkeys(files, 1)).leaves]
    assert sorted(names) == ["a", "a#2", "a#2#2", "a#3"] or sorted(names) == ["a", "a#2", "a#2#2", "a#2#3"]


def test_an_earlier_plan_gives_its_names_and_orders() -> None:
    files = {f"{folder}/m{number}.py": 10 for folder in "abc" for number in range(20)}
    before = outline_of(plan_of(files))
    parts = [replace(part, name=f"the {part.name}s") for part in before.parts]
    parts[2] = replace(parts[2], after=("the as", "the bs"))
    earlier = replace(before, parts=tuple(parts))
    now = {path: size for path, size in files.items() if not path.startswith("a/")} | {"b/new.py": 10}
    selection = selected(now)
    cluster = split(now, selection.imports, Limits(), earlier=earlier.cluster())
    plan = planned(selection, Limits(), cluster, earlier=earlier)
    b, c = plan.leaves
    assert (b.name, c.name, c.after) == ("the bs", "the cs", (b.id,))
    assert "b/new.py" in b.files
    assert plan.warnings == (
        "the cs came after the as, of which too little is left to say what it should come after now",
    )


def test_a_name_that_was_given_is_kept_where_a_new_subplan_wants_it() -> None:
    files = {f"b/m{number:02}.py": 10 for number in range(20)}
    before = outline_of(plan_of(files))
    earlier = replace(before, parts=(replace(before.parts[0], name="a"),))
    selection = selected(files | {f"a/m{number:02}.py": 10 for number in range(20)})
    cluster = split(selection.tokens, selection.imports, Limits(), earlier=earlier.cluster())
    plan = planned(selection, Limits(), cluster, earlier=earlier)
    assert {leaf.name: leaf.files[0] for leaf in plan.leaves} == {"a": "b/m00.py", "a#2": "a/m00.py"}


def leaf(name: str, *after: str) -> Subplan:
    return Subplan(id=name, name=name, files=(f"{name}.py",), tokens=1, after=after)


@pytest.mark.parametrize(
    ("leaves", "told"),
    [
        ((leaf("a"), leaf("a")), "each once"),
        ((leaf("b"), leaf("a")), "in its order"),
        ((leaf("a"), leaf("b", "c")), "b is to come after c, which is no subplan"),
        ((leaf("a", "b"), leaf("b", "a")), "subplans wait for each other: "),
        ((leaf("a"), leaf("b", "b")), "subplans wait for each other: b → b"),
    ],
)
def test_a_plan_that_makes_no_sense_cannot_be_made(leaves: tuple[Subplan, ...], told: str) -> None:
    root = Branch(id="root", name=".", children=(Branch(id="a", name="a"), Branch(id="b", name="b")))
    with pytest.raises(ValueError, match=told):
        Plan(paths=(".",), limits=Limits(), root=root, leaves=leaves)


def test_who_waits_for_each_other_is_told_in_their_order() -> None:
    assert cycle({"a": ["b"], "b": ["c"], "c": []}) == []
    found = cycle({"a": ["b"], "b": ["c"], "c": ["a"], "d": []})
    assert sorted(found[1:]) == ["a", "b", "c"]
    after = {"a": "b", "b": "c", "c": "a"}
    assert [after[one] for one in found[:-1]] == found[1:]
