import pytest
from depot.routes import NoWay, reachable, shortest, tour, two_way
from things import grid

WAYS = two_way([("door", "a", 2), ("a", "b", 2), ("door", "c", 1), ("c", "b", 3), ("b", "d", 1), ("a", "b", 5)])


def test_ways_go_both_ways():
    assert two_way([("a", "b", 2)]) == {"a": {"b": 2}, "b": {"a": 2}}
    assert WAYS["b"] == {"a": 2, "c": 3, "d": 1}


def test_the_shortest():
    assert shortest(WAYS, "door", "d") == (5, ["door", "a", "b", "d"])
    assert shortest(WAYS, "c", "c") == (0, ["c"])


def test_the_shortest_goes_around():
    ways = two_way([("a", "b", 9), ("a", "c", 2), ("c", "d", 2), ("d", "b", 2)])
    assert shortest(ways, "a", "b") == (6, ["a", "c", "d", "b"])


def test_no_way():
    with pytest.raises(NoWay, match="from door to moon"):
        shortest(WAYS, "door", "moon")


def test_a_long_way():
    length, path = shortest(two_way(grid(15)), "0000", "1414")
    assert length == 57
    assert len(path) == 29


def test_what_is_reachable():
    assert reachable(WAYS, "door") == ["door", "a", "c", "b", "d"]
    assert reachable(WAYS, "moon") == ["moon"]
    assert reachable({"a": {"b": 1}}, "a") == ["a", "b"]


def test_much_is_reachable():
    assert len(reachable(two_way(grid(14)), "0000")) == 224


def test_a_tour():
    assert tour(WAYS, "door", ["d", "c"]) == (10, ["door", "c", "b", "d", "b", "a", "door"])
    assert tour(WAYS, "door", []) == (0, ["door"])


def test_a_tour_past_many_stops():
    length, path = tour(two_way(grid(6)), "0000", ["0303", "0102", "0501", "0004", "0505"])
    assert length == 70
    assert path[0] == path[-1] == "0000"
