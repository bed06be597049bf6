from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest

from bakeoff.errors import DefinitionWrong, UsageError
from bakeoff.matrix import Definition, Sampled, Settings, definition_of, files, read
from bakeoff.matrix.cases import question
from bakeoff.matrix.expected import Habit, expected
from bakeoff.matrix.shape import json_schema
from bakeoff.models import Prices, Rates

PILOT = """
name = "pilot"
repeats = 2
[axes]
model = ["openai:small", "anthropic:large"]
strategy = ["single", "best-of-4"]
task = { file = "tasks.jsonl" }
[scorers]
exact = { kind = "exact" }
[providers.openai]
base_url = "http://127.0.0.1:8001/v1"
concurrency = 3
[[exclude]]
model = "openai:small"
strategy = "best-of-4"
"""
FUNCTIONS = """
def tasks():
    return [{"id": "f", "prompt": "from a function"}]

async def answer(case):
    return "a"

def shout(case):
    return case.task.prompt.upper()

def score(answer, task):
    return len(answer)

def broken():
    raise LookupError("no tasks today")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = [
        {"id": "one", "prompt": "1+1?", "expected": 2},
        {"id": "two", "prompt": "2+2?", "expected": 4, "hint": "x"},
    ]
    (tmp_path / "tasks.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
    (tmp_path / "tasks.csv").write_text('question,answer,style\n"a, b",1,short\nc,2,long\n')
    (tmp_path / "tasks.json").write_text(json.dumps(lines))
    (tmp_path / "own.py").write_text(FUNCTIONS)
    return tmp_path


def written(folder: Path, text: str) -> Definition:
    path = folder / "matrix.toml"
    path.write_text(text)
    return read(path)


def with_axes(folder: Path, axes: str, rest: str = "") -> Definition:
    return written(folder, f'name = "m"\n[axes]\n{axes}\n{rest}')


def mistakes(folder: Path, text: str) -> list[str]:
    with pytest.raises(DefinitionWrong) as caught:
        written(folder, text)
    return list(caught.value.mistakes)


@pytest.mark.promise("M1")
def test_a_file_says_what_is_multiplied_what_is_left_out_and_how_providers_are_called(folder):
    made = written(folder, PILOT)
    places = {(*cell.coordinates.values(), cell.repeat) for cell in made.cells()}
    assert len(places) == len(made.cells()) == 3 * 2 * 2
    assert ("openai:small", "best-of-4", "one", 0) not in places
    assert made.providers["openai"].concurrency == 3
    assert [task.expected for task in made.tasks] == [2, 4]
    assert made.tasks[1].fields == {"hint": "x"}
    assert [scorer.name for scorer in made.scorers] == ["exact"]
    recorded = json.loads(json.dumps(made.document))
    assert recorded["axes"]["task"][0] == {"id": "one", "prompt": "1+1?", "expected": 2}
    again = definition_of(recorded, folder=folder)
    assert [cell.planned for cell in again.cells()] == [cell.planned for cell in made.cells()]


def test_the_same_as_tables_is_the_same_matrix(folder):
    import tomllib

    tables = definition_of(tomllib.loads(PILOT), folder=folder)
    assert tables.digest == written(folder, PILOT).digest


@pytest.mark.parametrize(
    ("said", "prompts"),
    [
        ('["a", { prompt = "b", id = "x" }]', ["a", "b"]),
        ('{ file = "tasks.csv", prompt = "question", expected = "answer" }', ["a, b", "c"]),
        ('{ file = "tasks.json", first = 1 }', ["1+1?"]),
        ('{ function = "own.py:tasks" }', ["from a function"]),
        ('{ function = "own:tasks" }', ["from a function"]),
    ],
)
def test_tasks_come_from_lists_files_and_functions(folder, said, prompts):
    made = with_axes(folder, f'model = ["openai:m"]\ntask = {said}')
    assert [task.prompt for task in made.tasks] == prompts


def test_strategies_are_named_or_tables_and_functions_of_the_users_own(folder):
    made = with_axes(
        folder,
        """
model = ["openai:m"]
task = ["t"]
strategy = [
    "single", "majority-3", "own.py:answer", "own.py:shout",
    { kind = "repair", tries = 2, require = ["json"], name = "mended", temperature = 1 },
    { kind = "function", function = "own.py:shout", runs_in = "worker" },
    { kind = "optimize", candidates = 3 },
]""".replace('runs_in = "worker"', 'runs_in = "worker", name = "jailed"'),
    )
    found = {cell.strategy.name: cell.strategy for cell in made.cells()}
    assert [one.calls for one in found.values()] == [1, 3, 1, 1, 2, 1, 6]
    assert [getattr(one, "runs_in", None) for one in found.values()][2:6] == ["loop", "thread", None, "worker"]
    assert isinstance(found["mended"], Sampled)
    assert found["mended"].require == ("json",)
    assert {cell.settings.temperature for cell in made.cells() if cell.strategy.name == "mended"} == {1}


BETTER = """
better = { "marks.typos" = "lower", edits = "lower" }
[axes]
task = ["x"]
strategy = ["own.py:answer"]
[scorers]
exact = { kind = "exact" }
distance = { kind = "function", function = "own.py:score", better = "lower" }
marks = { kind = "function", function = "own.py:score", better = "higher" }
"""


def test_a_scorer_says_which_of_its_numbers_are_better_and_so_can_be_said_of_single_metrics(folder):
    made = written(folder, f'name = "m"{BETTER}')
    said = {"exact": "higher", "distance": "lower", "marks": "higher", "marks.typos": "lower", "edits": "lower"}
    assert made.better == said
    again = definition_of(json.loads(json.dumps(made.document)), folder=folder)
    assert again.better == said


@pytest.mark.promise("M7")
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"lower" }\nm', '"lowr" }\nm', "better: higher or lower is wanted, not 'lowr' (did you mean lower?)"),
        ('"lower" }\nm', '"less" }\nm', "better: higher or lower is wanted, not 'less'"),
        ('"lower" }\nm', "-1 }\nm", "better: higher or lower is wanted, not -1"),
        ('better = "higher"', 'beter = "higher"', "there is no key 'beter' here (did you mean better?)"),
        ("edits =", "edits = 3, more =", "better.edits: higher or lower is wanted, not 3"),
        ('"marks.typos"', '"mark.typos"', "there is no scorer 'mark' (did you mean marks.typos?)"),
        ("edits =", "distanse =", "there is no scorer 'distanse' (did you mean distance?)"),
        ("edits =", "exact =", "'exact' is a scorer, which says it itself (better = \"lower\" below [scorers.exact])"),
    ],
)
def test_what_is_wrong_about_what_is_better_is_told(folder, old, new, told):
    assert BETTER.count(old) == 1
    (said,) = mistakes(folder, f'name = "m"{BETTER.replace(old, new)}')
    assert said.endswith(told)


def test_a_function_that_is_edited_makes_other_cells(folder):
    def key() -> str:
        return with_axes(folder, 'task = ["t"]\nstrategy = ["own.py:shout"]').cells()[0].key

    before = key()
    assert key() == before
    (folder / "own.py").write_text(FUNCTIONS + "\n# edited\n")
    assert key() != before


def test_templates_are_filled_in_once(folder):
    made = with_axes(
        folder,
        """model = ["openai:m"]
task = [{ prompt = "{style}", level = 3 }]
style = ["brief", { name = "x", value = [1] }]""",
        '[settings]\ntemplate = "{prompt} {{prompt}} {level} in {style}"\nsystem = "Be {style}."',
    )
    asked = [[one.content for one in question(cell.task, cell.settings, cell.values)] for cell in made.cells()]
    assert asked == [["Be brief.", "{style} {prompt} 3 in brief"], ["Be [1].", "{style} {prompt} 3 in [1]"]]


@pytest.mark.promise("M7")
def test_everything_that_is_wrong_is_told_at_once_with_its_line_and_what_was_meant(folder):
    text = """name = "pilot"
repeats = 0
reapeats = 2
require = ["regex:("]
[axes]
model = ["openai:small", "antropic:large", "nothing", { model = "openai:x", temperature = "hot" }]
strategy = ["single", "bestof-4", { kind = "repair", tries = "2" }, { kind = "fun" }, "own.py:anser", "majority-2"]
task = [{ id = "a", prompt = "x" }, { id = "a", prompt = "y" }, { promt = "z" }]
style = ["short", "short"]
modle = "openai:small"
[scorers]
exact = { kind = "exakt" }
rx = { kind = "regex", pattern = "(" }
fn = { kind = "function", function = "own.py:scor" }
judge = { kind = "judge", model = "opnai:x", question = "?" }
[providers.openai]
concurrency = 0
[providers.opnai]
[settings]
template = "{promt} {style}"
[[exclude]]
modl = "x"
model = ["openai:smal"]
"""
    told = mistakes(folder, text)
    lines = [int(re.match(r"line (\d+): ", one)[1]) for one in told]
    assert lines == sorted(lines) == [2, 3, 6, 6, 6, 7, 7, 7, 7, 7, 8, 8, 9, 10, 10, 12, 13, 14, 15, 16, 18, 20, 22]
    said = "\n".join(told)
    for meant in (
        "repeats: a whole number from 1 up is wanted, not 0",
        "(did you mean repeats?)",
        "(did you mean anthropic?)",
        "'nothing' is no model",
        "(did you mean best-of-N?)",
        "tries: a whole number from 1 up is wanted, not '2'",
        "known are: single, best-of",
        "(did you mean answer?)",
        "'(' is no pattern",
        "another task is called 'a'",
        "it has promt",
        "another point is called 'short'",
        "modle: a list is wanted",
        "did you mean model?",
        "did you mean exact?",
        "own.py has no function 'scor' (did you mean score?)",
        "there is no provider 'opnai' (did you mean openai?)",
        "the template has {promt} (did you mean prompt?",
        "a number from 0 up is wanted, not 'hot'",
        "there is no axis 'modl' (did you mean modle?)",
    ):
        assert meant in said, f"{meant}\n---\n{said}"


@pytest.mark.promise("M7")
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name = ", "it is no TOML"),
        ('name = "x"', "axes: there has to be a table of axes"),
        ('[axes]\ntask = ["x"]', "'name' is missing"),
        ('name = "m"\n[axes]\ntask = ["x"]', "single asks a model, and there is no axis of models"),
        ('name = "m"\n[axes]\nmodel = ["openai:m"]', "'task' is missing"),
        ('name = "m"\n[axes]\ntask = []\nmodel = []', "there is no task"),
        ('name = "m"\n[axes]\ntask = { file = "x.xml" }', "x.xml is no table of tasks"),
        ('name = "m"\n[axes]\ntask = { file = "gone.csv" }', "gone.csv cannot be read: No such file"),
        ('name = "m"\n[axes]\ntask = { function = "own.py:broken" }', "LookupError: no tasks today"),
        ('name = "m"\n[axes]\ntask = { function = "own.py:task" }', "did you mean tasks?"),
        ('name = "m"\n[axes]\ntask = { function = "no.py:tasks", file = "x.csv" }', "one of them"),
        ('name = "m"\n[axes]\ntask = { file = "bad.jsonl" }', "bad.jsonl line 2: it is no JSON"),
        (
            'name = "m"\n[axes]\ntask = { file = "tasks.csv" }',
            "tasks.csv line 2: a task has no prompt (it has question",
        ),
        ('name = "m"\n[axes]\ntask = ["x"]\nmodel = ["openai-compatible:m"]', "needs the address of its server"),
        ('name = "m"\n[axes]\ntask = ["x"]\nmodel = ["openai:m"]\n[[exclude]]\ntask = "*"', "every cell is excluded"),
        ('name = "m"\n[axes]\ntask = ["x"]\nmodel = ["openai:m"]\n"a b" = [1]', "cannot be the name of an axis"),
        ('name = "m"\n[axes]\ntask = ["x"]\nmodel = ["openai:m"]\nstrategi = ["best-of-4"]', "did you mean strategy?"),
        ('name = "m"\n[axes]\ntask = ["x"]\nmodels = ["openai:m"]', "did you mean model?"),
    ],
)
def test_what_is_wrong_is_told(folder, text, told):
    (folder / "bad.jsonl").write_text('{"prompt": "a"}\n{"prompt\n')
    assert told in "\n".join(mistakes(folder, text))


def test_a_file_that_is_not_there(folder):
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read(folder / "gone.toml")


def test_the_schema_for_editors_is_current_and_takes_what_is_taken(folder):
    import tomllib

    shipped = json.loads(Path(files.__file__).with_name("matrix.schema.json").read_text())
    assert shipped == json.loads(json.dumps(json_schema())), (
        "bakeoff matrix check --schema > src/bakeoff/matrix/matrix.schema.json"
    )
    validator = jsonschema.Draft202012Validator(shipped)
    validator.check_schema(shipped)
    validator.validate(tomllib.loads(PILOT))
    own = {"name": "m", "axes": {"task": ["x"], "style": ["a", {"name": "b", "value": [1], "temperature": 0}]}}
    validator.validate(own)
    validator.validate(tomllib.loads(f'name = "m"{BETTER}'))
    scorer = {"kind": "exact", "better": "less"}
    for wrong in (
        {"naem": 1},
        {"repeats": 0},
        {"scorers": {"x": {"kind": "exakt"}}},
        {"scorers": {"x": scorer}},
        {"better": {"x": "less"}},
        {"settings": {"temprature": 1}},
    ):
        assert not validator.is_valid(own | wrong), wrong


def test_what_it_will_take_is_told_by_prices_and_by_what_models_did_before(folder):
    made = written(folder, PILOT)
    prices = Prices({name: Rates(tokens_in=1, tokens_out=10) for name in ("openai:small", "anthropic:large")})
    found = expected(made, made.cells(), prices=prices, known={})
    assert (found.cells, found.calls) == (12, 4 + 4 + 4 * 4)
    assert found.by_model == {"openai:small": 4, "anthropic:large": 20}
    assert found.tokens_in == 24 * 1
    assert found.most_tokens_out == 24 * Settings().max_tokens
    assert found.most_cost == pytest.approx((24 + 10 * 24 * 4096) / 1e6)
    assert (found.cost, found.seconds) == (None, None)
    habit = Habit(seconds=2.0, tokens_out=10.0)
    found = expected(made, made.cells(), prices=prices, known={"openai:small": habit, "anthropic:large": habit})
    assert found.cost == pytest.approx((24 + 10 * 240) / 1e6)
    assert found.seconds == pytest.approx(max(4 * 2 / 3, 20 * 2 / 4))
    assert expected(made, made.cells(), prices=Prices(), known={}).most_cost is None
