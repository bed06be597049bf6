from __future__ import annotations

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from bakeoff.matrix.places import line_of, lines_of

TEXT = '''# a comment with [brackets] and key = 1
name = "pilot"  # [x]
"odd key".b = 'c # no comment'

[axes]
model = [
    "a]b",  # ]
    { name = "x", stop = ["}", "]"] },
]
text = """
three = 3
\\""" [y]
"""
task = { file = "t.jsonl", deep = { er = [1, [2, 3]] } }
[[exclude]]
model = "a"
[[exclude]]
model = "b"
[exclude.inner]
a = 1
[providers.openai]
base_url = "x"
'''


def places(value: object, place: tuple[str | int, ...] = ()) -> set[tuple[str | int, ...]]:
    found = {place} - {()}
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return found.union(*(places(one, (*place, key)) for key, one in items))


def test_everything_in_a_file_has_its_line():
    lines = lines_of(TEXT)
    assert places(tomllib.loads(TEXT)) == set(lines)
    numbered = TEXT.splitlines()
    for place, start in {
        ("odd key", "b"): '"odd key".b',
        ("axes", "model", 0): '    "a]b"',
        ("axes", "model", 1, "stop", 1): "    { name",
        ("axes", "text"): "text",
        ("axes", "task", "deep", "er", 1, 0): "task",
        ("exclude", 1): "[[exclude]]",
        ("exclude", 1, "model"): 'model = "b"',
        ("exclude", 1, "inner", "a"): "a = 1",
        ("providers", "openai"): "[providers.openai]",
    }.items():
        assert numbered[lines[place] - 1].startswith(start), place
    assert line_of(lines, ("providers", "openai", "nothing")) == lines["providers", "openai"]
    assert line_of(lines, ("nothing",)) is None


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


letters = st.text("ab]}[{#,'\"= .\\", max_size=6)
leaves = st.one_of(letters.map(quoted), st.integers().map(str), st.just("true"), st.just("2020-01-01"))


def containers(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pairs = st.dictionaries(letters, inner, max_size=3).map(
        lambda table: "{ " + ", ".join(f"{quoted(key)} = {value}" for key, value in table.items()) + " }"
    )
    breaks = st.sampled_from([", ", ",\n", " , # ]\n"])
    return pairs | st.tuples(st.lists(inner, max_size=3), breaks).map(lambda one: "[\n" + one[1].join(one[0]) + "\n]")


@given(st.dictionaries(letters, st.recursive(leaves, containers, max_leaves=8), max_size=4), st.booleans())
def test_whatever_is_written_has_a_line_and_it_is_where_it_is_written(table, windows):
    text = "".join(f"# {key!r}\n{quoted(key)} = {value}\n" for key, value in table.items())
    lines = lines_of(text.replace("\n", "\r\n") if windows else text)
    assert set(lines) == places(tomllib.loads(text))
    numbered = text.split("\n")
    for key in table:
        assert numbered[lines[key,] - 1].startswith(f"{quoted(key)} =")
