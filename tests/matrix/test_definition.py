from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from bakeoff.events import Better
from bakeoff.matrix import Axis, Definition, Exact, Point, Rule, Settings, Single, Task
from bakeoff.models import ProviderSettings

MODELS = Axis(name="model", points=tuple(Point(name=name, stands_for=f"p:{name}") for name in ("small", "large")))
STRATEGIES = Axis(name="strategy", points=(Point(name="single", stands_for=Single()),))


def tasks(*prompts: str, expected: object = None) -> Axis:
    made = [Task(name=f"t{number}", prompt=prompt, expected=expected) for number, prompt in enumerate(prompts)]
    return Axis(name="task", points=tuple(Point(name=task.name, stands_for=task) for task in made))


def definition(*axes: Axis, **settings) -> Definition:
    given_names = {axis.name for axis in axes}
    defaults = [axis for axis in (MODELS, STRATEGIES, tasks("a", "b")) if axis.name not in given_names]
    return Definition(name="m", axes=(*defaults, *axes), **settings)


def keys(of: Definition) -> list[str]:
    return [cell.key for cell in of.cells()]


def places(of: Definition) -> list[tuple[str, ...]]:
    return [(*cell.coordinates.values(), str(cell.repeat)) for cell in of.cells()]


def test_axes_are_multiplied_and_every_repeat_of_a_task_comes_before_the_next_task():
    made = definition(repeats=2)
    assert [place[2:] for place in places(made)] == [("t0", "0"), ("t0", "1")] * 2 + [("t1", "0"), ("t1", "1")] * 2
    assert len(set(keys(made))) == len(keys(made)) == 8
    assert [cell.model for cell in made.cells()][:4] == ["p:small", "p:small", "p:large", "p:large"]


def test_what_is_excluded_is_no_cell_unless_it_is_included_again():
    rule = Rule(names={"model": ("l*",)})
    assert {place[0] for place in places(definition(exclude=(rule,)))} == {"small"}
    again = Rule(names={"model": ("large",), "task": ("t1",)})
    made = definition(exclude=(rule,), include=(again,))
    assert {place[::2] for place in places(made) if place[0] == "large"} == {("large", "t1")}


def test_settings_of_points_hold_for_their_cells_and_each_repeat_has_its_seed():
    cold = Point(name="cold", stands_for="p:small", settings={"temperature": 0.0})
    made = definition(
        Axis(name="model", points=(cold, MODELS.points[1])), repeats=2, settings=Settings(temperature=1.0, seed=7)
    )
    assert {(cell.coordinates["model"], cell.settings.temperature) for cell in made.cells()} == {
        ("cold", 0.0),
        ("large", 1.0),
    }
    assert {(cell.repeat, cell.settings.seed) for cell in made.cells()} == {(0, 7), (1, 8)}


@given(st.permutations([MODELS, STRATEGIES, tasks("a", "b"), Axis(name="x", points=(Point(name="1", stands_for=1),))]))
def test_the_order_of_axes_is_no_part_of_a_cell(axes):
    usual = definition(Axis(name="x", points=(Point(name="1", stands_for=1),)))
    assert set(keys(definition(*axes))) == set(keys(usual))


def test_a_cell_is_the_same_whatever_its_points_are_called_and_whatever_is_expected():
    renamed = Axis(name="model", points=tuple(replace(point, name=point.name.upper()) for point in MODELS.points))
    assert keys(definition(renamed)) == keys(definition())
    other = definition(tasks("a", "b", expected="1"), scorers=(Exact(),))
    assert keys(other) == keys(definition())
    assert {cell.scoring for cell in other.cells()}.isdisjoint(cell.scoring for cell in definition().cells())


def test_which_numbers_are_better_is_no_part_of_a_cell_nor_of_its_scores():
    usual, other = (definition(scorers=(Exact(),), better={"exact": better}) for better in Better)
    assert [cell.planned for cell in other.cells()] == [cell.planned for cell in usual.cells()]
    assert (other.digest, other.scoring) == (usual.digest, usual.scoring)


def test_whatever_decides_an_answer_makes_another_cell():
    url = {"p": ProviderSettings(base_url="http://127.0.0.1:1")}
    others = [
        definition(tasks("a", "B")),
        definition(settings=Settings(temperature=0.5)),
        definition(settings=Settings(template="{prompt}!")),
        definition(providers=url),
        definition(Axis(name="x", points=(Point(name="1", stands_for=1),))),
        definition(Axis(name="x", points=(Point(name="1", stands_for=2),))),
    ]
    usual = keys(definition())
    assert keys(others[0])[:2] == usual[:2]
    for other in others[1:]:
        assert set(keys(other)).isdisjoint(usual)
    assert keys(definition(providers={"p": ProviderSettings(concurrency=9)})) == usual


def test_the_same_under_two_names_is_two_cells():
    twice = Axis(name="model", points=(Point(name="a", stands_for="p:m"), Point(name="b", stands_for="p:m")))
    once = Axis(name="model", points=(Point(name="a", stands_for="p:m"),))
    assert len(set(keys(definition(twice)))) == 4
    assert set(keys(definition(once))) < set(keys(definition(twice)))


def test_a_cell_says_what_it_is_in_records():
    cell = definition().cells()[0]
    planned = cell.planned
    assert (planned.cell, planned.providers, planned.scoring) == (cell.key, ("p",), cell.scoring)
    assert planned.coordinates == {"model": "small", "strategy": "single", "task": "t0"}
