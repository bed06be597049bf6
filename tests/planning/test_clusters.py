from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.errors import UsageError
from bakeoff.planning import Cluster, Limits, leaves, split
from bakeoff.planning.clusters import shared
from planning.trees import cut, depth, generated, project

Imports = dict[str, frozenset[str]]


def by_folder(files: list[str], **limits: Any) -> Cluster:
    """Without any imports."""
    return split(dict.fromkeys(files, 100), {}, Limits(**limits))


def ends(cluster: Cluster) -> list[tuple[str, ...]]:
    return [end.files for end in leaves(cluster)]


# -- how deep a tree is (P1, P2) ---------------------------------------------------------------------------------------


@pytest.mark.promise("P1")
@pytest.mark.parametrize(
    ("name", "files", "expected"),
    [
        ("ansible-core", 781, {100: 3, 25: 4, 10: 5, 5: 6}),
        ("django", 885, {100: 2, 25: 4, 10: 5, 5: 6}),
        ("homeassistant", 6725, {100: 2, 25: 3}),
        ("pandas", 1440, {100: 3, 25: 4, 10: 5, 5: 5}),
        ("sympy", 1533, {100: 2, 25: 4, 10: 4, 5: 6}),
    ],
)
def test_public_projects_are_as_deep_as_their_folders_and_the_limits_make_them(
    name: str, files: int, expected: dict[int, int]
) -> None:
    tree = project(name)
    assert len(tree) == files
    found = {most: by_folder(tree, max_files=most) for most in expected}
    assert {most: depth(cluster) for most, cluster in found.items()} == expected
    for most, cluster in found.items():
        check(cluster, dict.fromkeys(tree, 100), Limits(max_files=most))


@pytest.mark.promise("P1", "P2")
def test_a_deep_tree_has_the_levels_that_it_takes_and_no_more() -> None:
    """81 folders of the fourth level hold 24 files each, and are a subplan each; the folders above them are levels."""
    files = generated(levels=5, fan=3, files=8)
    found = by_folder(files)
    assert (len(files), depth(found)) == (1944, 4)
    assert sorted({len(end) for end in ends(found)}) == [24]
    assert len(found.children) == 3
    assert depth(by_folder(files, max_depth=2)) == 2, "unless there may be fewer"
    assert depth(by_folder(files, max_files=2000)) == 0


forty = st.lists(st.integers(0, 3), min_size=40, max_size=40)


@pytest.mark.promise("P1")
@given(levels=forty, fan=st.integers(1, 3), seed=st.integers(0, 9), share=st.sampled_from([0, 0.02, 0.2]))
@settings(max_examples=60)
def test_forty_files_in_three_levels_of_folders_stay_flat(levels: list[int], fan: int, seed: int, share: float) -> None:
    chance = random.Random(seed)
    files = []
    for number, level in enumerate(levels):
        folders = [f"{'abc'[at]}{chance.randrange(fan)}" for at in range(level)]
        files.append("/".join([*folders, f"m{number:02}.py"]))
    imports = {path: frozenset(o for o in files if o != path and chance.random() < share) for path in files}
    assert depth(split(dict.fromkeys(files, 100), imports, Limits())) <= 2


@pytest.mark.promise("P2")
def test_a_chain_of_folders_is_no_level() -> None:
    deep = "/".join(f"d{number}" for number in range(60))
    assert by_folder([f"{deep}/one.py"]) == Cluster(folder=deep, files=(f"{deep}/one.py",))
    found = by_folder([f"{deep}/m{number:02}.py" for number in range(40)])
    assert (depth(found), found.folder, [len(end) for end in ends(found)]) == (1, deep, [20, 20])
    beside = ["/".join([*["d"] * level, "m.py"]) for level in range(1, 61)]
    assert depth(by_folder(beside)) == 1
    full = ["/".join([*["d"] * level, f"m{n:02}.py"]) for level in range(1, 61) for n in range(25)]
    assert depth(by_folder(full)) == 12, "where each of them is full, the limit of levels ends it"
    assert {len(end) for end in ends(by_folder(full))} == {25}


@pytest.mark.promise("P1", "P2")
def test_few_files_and_many_in_one_folder() -> None:
    assert by_folder([]) == Cluster(folder="", files=())
    assert by_folder(["a.py"]) == Cluster(folder="", files=("a.py",))
    flat = by_folder([f"pkg/m{number:04}.py" for number in range(5000)])
    assert (depth(flat), {len(end) for end in ends(flat)}, len(flat.children)) == (1, {25}, 200)


@pytest.mark.promise("P2")
def test_what_fits_is_not_split() -> None:
    files = [f"pkg/{folder}/m{number}.py" for folder in "abcde" for number in range(5)]
    assert by_folder(files) == Cluster(folder="pkg", files=tuple(sorted(files)))
    assert len(ends(by_folder([*files, "pkg/x.py"]))) == 2


@pytest.mark.promise("P1")
def test_a_cycle_of_imports_is_cut_into_pieces() -> None:
    files = [f"pkg/m{number:03}.py" for number in range(200)]
    imports = {path: frozenset([files[(at + 1) % 200]]) for at, path in enumerate(files)}
    found = split(dict.fromkeys(files, 100), imports, Limits())
    assert len(ends(found)) == 8
    assert cut(imports, ends(found)) == 8


# -- what always holds (P3) --------------------------------------------------------------------------------------------


def fits(files: tuple[str, ...], tokens: dict[str, int], limits: Limits) -> bool:
    within = limits.max_tokens is None or sum(tokens[path] for path in files) <= limits.max_tokens
    return len(files) <= limits.max_files and within


def check(cluster: Cluster, tokens: dict[str, int], limits: Limits) -> None:
    """Each file is in one leaf; a parent has just what its children have; caps hold at every depth."""
    parts = ends(cluster)
    assert sorted(path for part in parts for path in part) == sorted(tokens)
    assert depth(cluster) <= limits.max_depth
    for part in parts:
        assert len(part) <= limits.max_files
        if limits.max_tokens is not None and len(part) > 1:
            assert sum(tokens[path] for path in part) <= limits.max_tokens
    pending = [cluster]
    while pending:
        one = pending.pop()
        assert list(one.files) == sorted(one.files)
        if one.children:
            assert len(one.children) > 1, "a split splits"
            assert not fits(one.files, tokens, limits), "what fits is not split"
            assert list(one.files) == sorted(path for child in one.children for path in child.files)
            pending += one.children


names = st.sampled_from(["a", "b", "core", "x#2"])
numbers = st.integers(0, 9)
paths = st.tuples(st.lists(names, max_size=5), numbers).map(lambda one: "/".join([*one[0], f"m{one[1]}.py"]))


@st.composite
def projects(draw: st.DrawFn) -> tuple[dict[str, int], Imports, Limits]:
    tokens = draw(st.dictionaries(paths, st.integers(0, 50), max_size=80))
    files = sorted(tokens)
    edges = draw(st.lists(st.tuples(st.sampled_from(files), st.sampled_from(files)), max_size=150)) if files else []
    imports = {path: frozenset(other for one, other in edges if one == path != other) for path in files}
    most = draw(st.integers(1, 12))
    limits = Limits(
        max_files=most,
        max_tokens=draw(st.none() | st.integers(1, 150)),
        min_files=draw(st.none() | st.integers(1, most)),
        max_depth=draw(st.integers(1, 6)),
    )
    return tokens, imports, limits


@pytest.mark.promise("P1", "P2", "P3")
@given(projects(), st.randoms())
def test_a_split_keeps_to_its_limits_and_to_itself(
    given_: tuple[dict[str, int], Imports, Limits], chance: random.Random
) -> None:
    tokens, imports, limits = given_
    found = split(tokens, imports, limits)
    check(found, tokens, limits)
    order = list(tokens)
    chance.shuffle(order)
    assert split({path: tokens[path] for path in order}, dict(reversed(imports.items())), limits) == found


@given(projects(), projects())
def test_a_split_that_goes_on_from_another_keeps_to_its_limits(
    before: tuple[dict[str, int], Imports, Limits], now: tuple[dict[str, int], Imports, Limits]
) -> None:
    earlier = split(*before)
    tokens, imports, limits = now
    check(split(tokens, imports, limits, earlier=earlier), tokens, limits)


@given(st.integers(3, 60), st.integers(2, 12))
def test_no_cluster_is_smaller_than_it_has_to_be(count: int, most: int) -> None:
    files = [f"d{number}/m.py" for number in range(count)]
    found = by_folder(files, max_files=most, min_files=max(1, most // 2))
    assert min(map(len, ends(found))) >= min(count, max(1, most // 2))


# -- imports (P4) ------------------------------------------------------------------------------------------------------


def crossing() -> tuple[list[str], Imports]:
    """Ten features, each with a file in each of ten folders: what belongs together lies apart."""
    files = [f"pkg/layer{layer}/feature{feature}.py" for layer in range(10) for feature in range(10)]
    of = [[path for path in files if path.endswith(f"feature{feature}.py")] for feature in range(10)]
    return files, {path: frozenset(set(group) - {path}) for group in of for path in group}


@pytest.mark.promise("P4")
def test_clusters_follow_imports_rather_than_folders() -> None:
    files, imports = crossing()
    folders = ends(by_folder(files, max_files=20))
    found = ends(split(dict.fromkeys(files, 100), imports, Limits(max_files=20)))
    assert cut(imports, folders) == 800, "of 900, where neighbouring folders are together"
    assert cut(imports, found) == 0


@pytest.mark.promise("P4")
def test_without_imports_clusters_are_folders() -> None:
    files, _ = crossing()
    assert [{path.split("/")[1] for path in end} for end in ends(by_folder(files, max_files=10))] == [
        {f"layer{number}"} for number in range(10)
    ]


@pytest.mark.promise("P4")
@given(projects())
def test_no_more_imports_are_cut_than_by_folders(given_: tuple[dict[str, int], Imports, Limits]) -> None:
    tokens, imports, limits = given_
    plain = replace(limits, min_files=1)
    assert cut(imports, ends(split(tokens, imports, plain))) <= cut(imports, ends(split(tokens, {}, plain)))


def test_what_everybody_imports_ties_nobody() -> None:
    files = [f"pkg/d{number % 20}/m{number:03}.py" for number in range(400)]
    hubs = ("pkg/d0/m000.py", "pkg/d1/m001.py")
    imports = {path: frozenset(hubs) - {path} for path in files}
    assert shared(imports, Limits()) == hubs
    assert split(dict.fromkeys(files, 100), imports, Limits()) == by_folder(files)
    assert shared(imports, Limits(max_files=400)) == (), "those that fit into one cluster with all are ties"
    assert shared({path: imports[path] for path in files[:100]}, Limits()) == (), "a small project has none"


# -- going on from an earlier split ------------------------------------------------------------------------------------


def knit(chance: random.Random) -> tuple[dict[str, int], Imports]:
    """A project whose files mostly import what is near them."""
    files = generated(levels=3, fan=5, files=8)
    imports = {}
    for at, path in enumerate(files):
        near = [files[max(0, min(len(files) - 1, at + round(chance.gauss(0, 15))))] for _ in range(3)]
        imports[path] = frozenset({*near, chance.choice(files)} - {path})
    return dict.fromkeys(files, 100), imports


def kept(before: Cluster, after: Cluster) -> float:
    """The share of files whose cluster has the same members as before."""
    known = set(ends(before))
    return sum(len(end) for end in ends(after) if end in known) / len(after.files)


@pytest.mark.parametrize("seed", range(3))
def test_most_clusters_stay_when_a_few_imports_change(seed: int) -> None:
    chance = random.Random(seed)
    tokens, imports = knit(chance)
    before = split(tokens, imports, Limits())
    assert split(tokens, imports, Limits(), earlier=before) == before
    edges = [(path, other) for path in sorted(imports) for other in sorted(imports[path])]
    changed = {path: set(others) for path, others in imports.items()}
    for path, other in chance.sample(edges, len(edges) // 100):
        changed[path].discard(other)
        changed[path].add(chance.choice(sorted(set(tokens) - {path})))
    now = {path: frozenset(others) for path, others in changed.items()}
    after = split(tokens, now, Limits(), earlier=before)
    assert kept(before, after) >= 0.6
    assert cut(now, ends(after)) <= 1.05 * cut(now, ends(split(tokens, now, Limits())))


def test_new_files_join_their_neighbours_and_gone_ones_leave() -> None:
    files = [f"pkg/{folder}/m{number}.py" for folder in "abc" for number in range(10)]
    before = by_folder(files, max_files=12)
    now = sorted({*files, "pkg/a/new.py", "other/first.py"} - {"pkg/c/m0.py"})
    after = split(dict.fromkeys(now, 100), {}, Limits(max_files=12), earlier=before)
    a, b, c = (set(files[at : at + 10]) for at in (0, 10, 20))
    homes = [set(end) for end in ends(after)]
    assert a | {"pkg/a/new.py"} in [home - {"other/first.py"} for home in homes]
    assert b in [home - {"other/first.py"} for home in homes]
    assert c - {"pkg/c/m0.py"} in [home - {"other/first.py"} for home in homes]


# -- limits ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        ({"max_files": 0}, "max-files has to be at least 1, not 0"),
        ({"max_tokens": 0}, "max-tokens has to be at least 1, not 0"),
        ({"max_tokens": -5}, "max-tokens has to be at least 1, not -5"),
        ({"min_files": 0}, "min-files has to be at least 1, not 0"),
        ({"max_depth": 0}, "max-depth has to be at least 1, not 0"),
        ({"max_depth": 101}, "max-depth has to be at most 100, not 101"),
        ({"min_files": 26}, "no subplan can have at least 26 files and at most 25"),
        ({"min_files": 3, "max_files": 2}, "no subplan can have at least 3 files and at most 2"),
    ],
)
def test_limits_that_contradict_themselves_are_refused(limits: dict[str, int], told: str) -> None:
    with pytest.raises(UsageError) as caught:
        Limits(**limits)
    assert caught.value.message == told
    assert caught.value.hint


def test_the_least_is_no_more_than_the_most() -> None:
    assert (Limits().least, Limits(max_files=2).least, Limits(min_files=1).least) == (3, 2, 1)
    assert [len(end) for end in ends(by_folder([f"m{number}.py" for number in range(6)], max_files=2))] == [2, 2, 2]
