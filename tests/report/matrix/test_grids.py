from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.errors import UsageError
from bakeoff.events import Better, CellStatus, Recorded, Run
from bakeoff.report.documents import as_json
from bakeoff.report.matrix.comparing import Side, compare
from bakeoff.report.matrix.documents import comparison_document, grid_document
from bakeoff.report.matrix.grids import Grid, grid
from bakeoff.report.matrix.readings import MEASURED, Table
from bakeoff.report.matrix.statistics import Scale
from bakeoff.report.matrix.tables import comparison_table, comparisons_table, grid_table
from bakeoff.report.tables import part_table
from report.experiments import LARGE, LOCAL, SMALL, Experiment, errors, hostile, pilot, rescored, stopped, tasks
from report.kitchen import HOSTILE, Kitchen, won
from report.test_tables import lines, printed


def read(kitchen: Kitchen, **axes: str | None) -> tuple[Table, Grid]:
    table = Table.of(kitchen.run)
    return table, grid(table, **axes)


def drawn(kitchen: Kitchen, **axes: str | None) -> list[str]:
    table, found = read(kitchen, **axes)
    return lines(grid_table(kitchen.run, table, found))


# ── Averages ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.promise("M4", "M9")
def test_averages_are_honest_about_failures():
    """Of two that answered right, one does so since it answers only what is easy."""
    made = Experiment({"model": ("bold", "shy"), "task": tasks(4)})
    for number, task in enumerate(tasks(4)):
        made.done("bold", task, "0", exact=float(number < 3))
        if number < 2:
            made.done("shy", task, "0", exact=1.0)
    made.failed("shy", "t03", "0", error="refused", kind="refused").failed("shy", "t04", "0", kind="timeout")
    table, found = read(made, columns="task", rows="model")
    _, whole = read(made, rows="model", metric="exact")
    bold, shy = (whole.summaries[model, "exact"] for model in ("bold", "shy"))
    assert (bold.answered.value, shy.answered.value) == (0.75, 1.0)
    assert (bold.intended.value, shy.intended.value) == (0.75, 0.5)
    assert (bold.is_thinned, shy.is_thinned) == (False, True)
    assert (shy.done, shy.failed, shy.missing, shy.answered.count, shy.intended.count) == (2, 2, 0, 2, 4)
    assert found.summaries["shy", "t03"].answered is None
    assert [one["kind"] for one in grid_document(made.run, table, whole)["failures"]] == ["refused", "timeout"]
    said = drawn(made, rows="model", metric="exact")
    assert said[said.index("shy 1.00 [0.34, 1.00]") + 1] == "0.50 of all, 2 failed"
    assert "failed 1 refused: refused" in said
    assert any("“of all” counts what failed or has no score as 0" in line for line in said)


def test_a_score_that_could_not_be_given_is_not_a_failed_cell():
    made = Experiment({"model": ("a",), "task": tasks(2)})
    made.done("a", "t01", "0", exact=1.0).done("a", "t02", "0", metrics={}, unscored={"exact": "no number in it"})
    _, found = read(made, rows="model", metric="exact")
    one = found.summaries["a", "exact"]
    assert (one.failed, one.unscored, one.answered.value, one.intended.value) == (0, 1, 1.0, 0.5)


def test_what_is_missing_is_in_no_average():
    _, found = read(stopped(), rows="model", metric="exact")
    first, second = (found.summaries[model, "exact"] for model in "ab")
    assert (first.missing, first.intended.count) == (1, 2)
    assert (second.answered, second.intended, second.missing) == (None, None, 3)
    assert "matrix pilot: 1 of 6 cells done, 1 failed, 4 missing: $1.00 of $1.00 is spent" in drawn(stopped())


def test_where_zero_is_not_the_worst_failures_are_counted_and_no_more():
    made = Experiment({"model": ("a",), "task": tasks(3)}, scorers=("distance",))
    made.done("a", "t01", "0", distance=12.0).done("a", "t02", "0", distance=3.0).failed("a", "t03", "0")
    _, found = read(made, rows="model", metric="distance")
    assert found.summaries["a", "distance"].scale is Scale.AMOUNT
    assert found.summaries["a", "distance"].intended is None


def test_what_came_from_the_cache_took_no_time():
    made = Experiment({"model": ("a",), "task": tasks(2)})
    made.done("a", "t01", "0", duration_ms=900.0).done("a", "t02", "0", duration_ms=0.1, is_cached=True)
    _, found = read(made, rows="model", metric="duration_ms")
    assert (found.summaries["a", "duration_ms"].answered.value, found.summaries["a", "duration_ms"].done) == (
        pytest.approx(900),
        2,
    )


def test_a_cell_that_was_tried_again_counts_once_and_as_it_came_out_last():
    made = Experiment({"model": ("a",), "task": tasks(1)})
    made.failed("a", "t01", "0").done("a", "t01", "0", tries=2, exact=1.0).cancelled("a", "t01", "0", tries=3)
    _, found = read(made, rows="model", metric="exact")
    assert (found.summaries["a", "exact"].done, found.summaries["a", "exact"].failed) == (1, 0)


# ── Axes and metrics ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_any_two_axes_can_be_looked_at():
    made = pilot()
    for rows, columns in [("model", "strategy"), ("task", "model"), ("repeat", "model"), ("strategy", "task")]:
        table, found = read(made, rows=rows, columns=columns)
        assert (found.row_points, found.column_points) == (table.axes[rows], table.axes[columns])
    _, found = read(made)
    assert (found.rows, found.columns, found.metric) == ("model", "strategy", "exact")
    assert (LOCAL, "best-of-4") not in found.summaries, "it was left out of the matrix"
    assert sum(one.done + one.failed for one in found.summaries.values()) == 120


def test_where_one_axis_varies_the_other_are_metrics():
    _, found = read(rescored())
    assert (found.rows, found.columns, found.metric) == ("metric", "model", None)
    assert found.row_points == ("close", "failed", "duration_ms", "cost")
    _, found = read(Experiment({"model": tuple("abcdefgh"), "task": tasks(1)}))
    assert (found.rows, found.columns) == ("model", "metric"), "columns are what there is less of"
    _, found = read(rescored(), metric="cost")
    assert (found.columns, found.column_points) == (None, ("cost",))
    assert found.summaries["a", "cost"].answered.value == pytest.approx(0.001)


@pytest.mark.parametrize(
    ("axes", "said", "hint"),
    [
        ({"rows": "modle"}, "there is no axis 'modle'", "did you mean model?"),
        ({"columns": "Strategy"}, "there is no axis 'Strategy'", "did you mean strategy?"),
        ({"metric": "exakt"}, "there is no metric 'exakt'", "did you mean exact?"),
        ({"metric": "latency"}, "there is no metric 'latency'", "there is exact, judge.style, judge.tone, failed"),
    ],
)
def test_a_wrong_name_gets_the_right_one(axes, said, hint):
    with pytest.raises(UsageError) as told:
        read(pilot(count=3), **axes)
    assert told.value.message.startswith(said)
    assert hint in (told.value.hint or "")


def test_what_is_no_matrix_has_no_cells():
    with pytest.raises(UsageError, match="is no matrix: it is one of bakeoff optimize"):
        Table.of(won().run)


def test_new_scores_stand_in_place_of_old_ones():
    _, found = read(rescored(), rows="model", metric="close")
    assert [found.summaries[model, "close"].answered.value for model in "ab"] == [0.5, 1.0]
    half = rescored()
    half.log = half.log[:-1]
    assert "warning: 5 of 6 cells were scored by other scorers than the rest" in drawn(half)


def test_a_metric_named_like_something_measured_is_that_of_the_scorer():
    made = Experiment({"model": ("a",), "task": tasks(2)}, scorers=("cost",))
    for task in tasks(2):
        made.done("a", task, "0", metrics={"cost": 5.0}, cost=0.01)
    table, found = read(made, rows="model", metric="cost")
    assert table.scored == ("cost",)
    assert found.summaries["a", "cost"].answered.value == 5.0


@pytest.mark.promise("M6")
@settings(max_examples=30)
@given(st.randoms())
def test_the_order_of_execution_is_no_matter(chance):
    """Cells that were run one after another, and in any order, some of them at the same time."""
    made = PILOT
    head, cells, last = made.log[:5], made.log[5:-1], made.log[-1]
    groups: dict[str, list[Recorded]] = {}
    for one in cells:
        groups.setdefault(getattr(one.event, "call", None) or one.event.cell, []).append(one)
    order = [name for name, group in groups.items() for _ in group]
    chance.shuffle(order)
    waiting = {name: iter(group) for name, group in groups.items()}
    shuffled = [next(waiting[name]) for name in order]
    other = Run.of([*head, *shuffled, last])
    for metric in ("exact", "duration_ms", "cost"):
        ours, theirs = (Table.of(run) for run in (made.run, other))
        documents = [grid_document(made.run, table, grid(table, metric=metric))["grid"] for table in (ours, theirs)]
        assert documents[0] == documents[1]
        sides = [[Side(table=table, points={"model": model}) for model in (SMALL, LARGE)] for table in (ours, theirs)]
        first, second = (comparison_document(compare(*pair, metric)) for pair in sides)
        assert first == second


PILOT = pilot(count=4)


# ── What is better ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_less_is_better_of_what_is_spent_and_more_of_scores():
    made = pilot(count=3)
    table, found = read(made, columns="metric", rows="model")
    assert {name for name in table.metrics if table.better[name] is Better.LOWER} == set(MEASURED)
    document = grid_document(made.run, table, found)
    assert document["better"]["exact"] == "higher"
    assert {one["metric"]: one["better"] for one in document["grid"]} == {
        "exact": "higher",
        "judge.style": "higher",
        "judge.tone": "higher",
        "failed": "lower",
        "duration_ms": "lower",
        "cost": "lower",
    }
    assert "the lower, the better: failed, duration_ms, cost" in drawn(made, columns="metric", rows="model")
    assert not any("lower" in line for line in drawn(made))


def test_a_comparison_says_where_less_is_better():
    table = Table.of(two().run)
    sides = [Side(table=table, points={"model": model}) for model in "ab"]
    exact, times = (compare(*sides, metric) for metric in ("exact", "duration_ms"))
    assert [comparison_document(one)["better"] for one in (exact, times)] == ["higher", "lower"]
    for drawn_one in (comparison_table(times), comparisons_table([times, times])):
        assert "metric duration_ms (the lower, the better)" in lines(drawn_one)
    assert "metric exact" in lines(comparison_table(exact))


def test_of_what_strategies_say_more_is_better_but_for_how_often_they_asked():
    made = Experiment({"model": ("a", "b"), "task": tasks(1)}, scorers=("cost",))
    made.done("a", "t01", "0", metrics={"speedup": 2.0, "samples": 4.0, "cost": 3.0, "tokens_out": 9.0})
    better = Table.of(made.run).better
    assert {name for name in better if better[name] is Better.HIGHER} == {"speedup", "cost"}, "cost is a scorer's here"


@pytest.mark.promise("M4")
def test_where_less_is_better_what_failed_counts_as_1():
    table, found = read(errors(), rows="model", metric="wrong")
    bold, shy = (found.summaries[model, "wrong"] for model in ("bold", "shy"))
    assert (bold.better, bold.answered.value, shy.answered.value) == (Better.LOWER, 0.25, 0.0)
    assert (bold.intended.value, shy.intended.value) == (0.25, 0.75)
    compared = compare(*(Side(table=table, points={"model": model}) for model in ("bold", "shy")))
    assert (compared.whole.change.value, compared.whole.intended.value) == (0.0, 0.5)
    said = drawn(errors(), rows="model", metric="wrong")
    assert "the lower, the better: wrong" in said
    assert any("“of all” counts what failed or has no score as 1" in line for line in said)
    assert any("“of all” counts what failed or has no score as 1" in line for line in lines(comparison_table(compared)))


def test_of_several_numbers_of_a_scorer_one_can_be_said_to_be_better_where_it_is_lower():
    better = {"marks": Better.HIGHER, "marks.typos": Better.LOWER, "style": Better.LOWER, "edits": Better.LOWER}
    made = Experiment({"model": ("a", "b"), "task": tasks(2)}, scorers=("marks", "style"), better=better)
    numbers = {"marks.typos": 0.5, "marks.tone": 0.5, "style.short": 0.5, "edits": 3.0, "speedup": 1.0}
    for place in made.cells:
        if place[:2] == ("a", "t01"):
            made.failed(*place)
        else:
            made.done(*place, metrics=numbers)
    table = Table.of(made.run)
    assert {name for name in table.metrics if table.better[name] is Better.LOWER} - {*MEASURED} == {
        "marks.typos",
        "style.short",
        "edits",
    }
    said = drawn(made, rows="model", columns="metric")
    assert any(line.endswith("no score as 0, and as 1 where lower is better") for line in said)


# ── Comparisons ──────────────────────────────────────────────────────────────────────────────────────────────────────


def two() -> Experiment:
    made = Experiment({"model": ("a", "b"), "strategy": ("x", "y"), "task": tasks(4)}, repeats=2)
    better = {"t01": (0.0, 1.0), "t02": (1.0, 1.0), "t03": (1.0, 0.0), "t04": (0.0, 1.0)}
    for place in made.cells:
        model, _, task, repeat = place
        if place == ("b", "y", "t04", "1"):
            made.failed(*place)
        else:
            made.done(*place, exact=better[task][model == "b"], duration_ms=100.0 * (1 + (model == "b")) + int(repeat))
    return made


@pytest.mark.promise("M9")
def test_a_comparison_is_paired_by_task_and_counts_those_that_changed():
    table = Table.of(two().run)
    found = compare(*(Side(table=table, points={"model": model}) for model in "ab"))
    assert [one.task for one in found.whole.higher] == ["t01", "t04"]
    assert [one.task for one in found.whole.lower] == ["t03"]
    assert (found.whole.same, found.whole.tasks) == (1, 4)
    assert (found.whole.change.value, found.whole.change.count) == (0.25, 4)
    assert found.whole.change.low < 0 < found.whole.change.high
    assert found.whole.intended.value == pytest.approx((1 + 0 - 1 + 0.75) / 4)
    assert [dict(one.place) for one in found.places] == [{"strategy": "x"}, {"strategy": "y"}]
    assert any(line.startswith("all 4 0.50 0.75 +0.25 [") for line in lines(comparison_table(found)))
    times = compare(*(Side(table=table, points={"model": model}) for model in "ab"), "duration_ms")
    assert times.whole.change.value == pytest.approx(2, rel=0.01)
    assert len(times.whole.higher) == 4


def test_only_tasks_that_both_have_are_compared():
    first = Experiment({"model": ("a",), "task": tasks(4)})
    second = Experiment({"model": ("a",), "task": tasks(6)[2:]}, scoring="other")
    for made in (first, second):
        for place in made.cells:
            made.done(*place, exact=float(made is second))
    second.failed("a", "t04", "0")
    found = compare(*(Side(table=Table.of(made.run)) for made in (first, second)))
    assert (found.whole.tasks, found.whole.alone, found.only) == (1, 1, (2, 2))
    assert found.unlike == 2
    said = lines(comparison_table(found))
    assert "warning: at 2 places the sides were scored by other scorers" in said
    assert "1 task without a number on one side are left out" in said


def test_nothing_in_common_is_a_mistake():
    first, second = (Experiment({"model": (name,), "task": tasks(2)}) for name in "ab")
    with pytest.raises(UsageError, match="have no cell in common"):
        compare(*(Side(table=Table.of(made.run)) for made in (first, second)))


# ── One cell ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_cell_is_found_by_its_points():
    made = pilot(count=3)
    table = Table.of(made.run)
    assert table.cell(f"task=t02,model={SMALL},strategy=single") == f"{SMALL}/single/t02/0"
    assert table.cell(f"task=t02,model={SMALL},strategy=single,repeat=1") == f"{SMALL}/single/t02/1"
    assert table.cell(f"task=t02,model={LOCAL}") == f"{LOCAL}/single/t02/0", "there is one only"
    with pytest.raises(UsageError, match="2 cells are at") as told:
        table.cell(f"model={SMALL},task=t01")
    assert told.value.hint == "name its strategy, too"
    with pytest.raises(UsageError, match="no cell is at"):
        table.cell(f"model={LOCAL},strategy=best-of-4,task=t01")


def test_names_of_points_may_hold_whatever_separates_them():
    made = Experiment({"model": ("a,b=c", "a"), "task": ("t,1=", "x")})
    table = Table.of(made.run)
    assert table.points("model=a,b=c,task=t,1=") == {"model": "a,b=c", "task": "t,1="}


def test_a_cell_is_shown_with_its_scores_and_why_others_are_not_there():
    made = pilot()
    (failed, *_) = [one for one in made.run.matrix.current if one.status is CellStatus.FAILED]
    said = lines(part_table(made.run, failed, text=made.text))
    assert "status failed" in said
    assert any(line.startswith(("error busy: openai", "error timeout: anthropic", "error broken:")) for line in said)
    lost = [one for one in made.run.matrix.current if one.scores is not None and one.scores.unscored]
    said = lines(part_table(made.run, lost[0], text=made.text))
    assert "no score judge: what it said about the tone was no number" in said
    assert said[-1] == "42"
    missing = stopped().run.matrix.current[-1]
    assert "status missing" in lines(part_table(stopped().run, missing, text=made.text))


# ── Whatever names are ───────────────────────────────────────────────────────────────────────────────────────────────


def test_names_do_not_move_the_terminal():
    made = hostile(HOSTILE)
    table, found = read(made)
    compared = compare(Side(table=table, points={"task": HOSTILE}), Side(table=table, points={"task": "t2"}))
    for text in (
        printed(grid_table(made.run, table, found)),
        printed(comparison_table(compared)),
        printed(comparisons_table([compared, compared])),
        *(printed(part_table(made.run, one, text=made.text)) for one in made.run.matrix.current),
        as_json(grid_document(made.run, table, found)),
        as_json(comparison_document(compared)),
    ):
        assert not {"\x1b", "\u202e", "\x07", "\x00", "\udcff"} & set(text)
