from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from bakeoff.planning.partition import Partition

Ties = dict[str, dict[str, int]]


def tied(*pairs: tuple[str, ...]) -> Ties:
    ties: Ties = {}
    for one, other in pairs:
        ties.setdefault(one, {})[other] = ties.setdefault(other, {})[one] = 1
    return ties


def parted(groups: list[str], ties: Ties, *, max_files: int) -> Partition:
    files = [path for group in groups for path in group]
    full = {path: ties.get(path, {}) for path in files}
    partition = Partition(dict.fromkeys(files, 1), full, max_files=max_files, max_tokens=None)
    for group in groups:
        partition.add(group)
    return partition


def clusters(partition: Partition, count: int) -> list[str]:
    return ["".join(partition.files(number)) for number in range(count)]


def test_a_file_moves_to_where_it_has_more_ties() -> None:
    partition = parted(["ab", "cd"], tied(("b", "c"), ("b", "d")), max_files=3)
    partition.improve()
    assert clusters(partition, 2) == ["a", "bcd"]


def test_files_change_places_where_there_is_no_room() -> None:
    partition = parted(["ax", "by"], tied(("a", "b"), ("x", "y")), max_files=2)
    partition.improve()
    assert sorted(clusters(partition, 2)) == ["ab", "xy"]


def test_it_takes_more_to_leave_where_a_margin_is_asked_for() -> None:
    partition = parted(["ab", "cd"], tied(("b", "c"), ("b", "d")), max_files=3)
    partition.improve(margin=3)
    assert clusters(partition, 2) == ["ab", "cd"]


def test_what_no_single_move_gains_is_found_behind_a_hill() -> None:
    """Each of the pair `xy` has as many ties here as there; together they belong there."""
    ties = tied(
        ("x", "y"), ("x", "a"), ("y", "b"), ("x", "c"), ("y", "d"), ("y", "e"), ("c", "d"), ("c", "e"), ("d", "e")
    )
    partition = parted(["abxy", "cde"], ties, max_files=5)
    partition.improve()
    assert cut(partition, [0, 1], ties) == 2, "where it was 3"


def test_small_clusters_take_what_they_lack_from_neighbours() -> None:
    partition = parted(["abcd", "e", "fghi"], tied(("d", "e"), ("e", "f")), max_files=4)
    partition.raise_to(2)
    assert clusters(partition, 3) == ["abc", "de", "fghi"]
    partition = parted(["a", "b", "cdef"], tied(("a", "b")), max_files=4)
    partition.raise_to(2)
    assert clusters(partition, 3) == ["ab", "", "cdef"], "small ones that have ties go together"


@given(st.data())
def test_improving_cuts_no_more_and_keeps_the_bounds(data: st.DataObject) -> None:
    files = [f"f{number:02}" for number in range(data.draw(st.integers(2, 24)))]
    sizes = {path: data.draw(st.integers(0, 9)) for path in files}
    ties: Ties = {path: {} for path in files}
    for one, other in data.draw(st.lists(st.sampled_from(list(itertools.combinations(files, 2))), max_size=60)):
        ties[one][other] = ties[other][one] = ties[one].get(other, 0) + 1
    most, tokens = data.draw(st.integers(1, 8)), data.draw(st.none() | st.integers(9, 40))
    partition = Partition(sizes, ties, max_files=most, max_tokens=tokens)
    groups: list[list[str]] = [[]]
    for path in files:
        if len(groups[-1]) == most or sum(sizes[one] for one in groups[-1]) + sizes[path] > (tokens or 10**9):
            groups.append([])
        groups[-1].append(path)
    numbers = [partition.add(group) for group in groups if group]
    cuts = [cut(partition, numbers, ties)]
    for step in (
        partition.improve,
        partition.pack,
        partition.improve,
        lambda: partition.join_neighbours([n for n in numbers if partition.is_small(n)]),
    ):
        step()
        cuts.append(cut(partition, numbers, ties))
        assert sorted(path for number in numbers for path in partition.files(number)) == files
        for number in numbers:
            held = partition.files(number)
            assert len(held) <= most
            assert tokens is None or len(held) == 1 or sum(sizes[path] for path in held) <= tokens
    assert cuts == sorted(cuts, reverse=True)


def cut(partition: Partition, numbers: list[int], ties: Ties) -> int:
    home = {path: number for number in numbers for path in partition.files(number)}
    return sum(count for path in ties for other, count in ties[path].items() if home[path] < home[other])
