"""deepcopy keeps a record of all it has seen and asks every object how it is copied; plain data needs none of that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.rewriting import Rewrite, Rule, expression, path_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bakeoff.sources.rules.rewriting import Function

_DETOURS = {("json.loads", "json.dumps"), ("pickle.loads", "pickle.dumps")}
_COPIED = '''\
def {name}(value):
    """A deep copy; quick for what is made of dicts, lists and plain values."""
    kind = type(value)
    if kind is dict:
        return {{key: {name}(item) for key, item in value.items()}}
    if kind is list:
        return [{name}(item) for item in value]
    if kind in (str, int, float, bool, bytes, type(None)):
        return value
    return copy.deepcopy(value)
'''


def _find(function: Function) -> Iterator[Rewrite]:
    name = ""
    for call in function.walk(cst.Call):
        copied = _copied(call)
        if copied is None or function.node.name.value.endswith("copied"):
            continue
        name = name or function.fresh("_copied")
        made = expression(f"{name}({function.code(copied)})")
        yield Rewrite(replace={call: made}, imports=("import copy",), above=(_COPIED.format(name=name),))


def _copied(call: cst.Call) -> cst.BaseExpression | None:
    """What a call makes a deep copy of, in one way or another."""
    match call:
        case cst.Call(args=[cst.Arg(value=value, star="", keyword=None)]):
            path = path_of(call.func)
            if path in {"copy.deepcopy", "deepcopy"}:
                return value
            if isinstance(value, cst.Call) and (path, path_of(value.func)) in _DETOURS and len(value.args) == 1:
                return value.args[0].value
    return None


RULE = Rule(
    name="flat-copy",
    summary="deepcopy, or a detour by JSON or pickle → a copy made for plain data",
    unsafe="What is in the data twice is there twice in the copy, what is in itself never ends; JSON changes types.",
    before="""\
import copy


def with_defaults(config, name):
    made = copy.deepcopy(config)
    made.setdefault("names", []).append(name)
    return made
""",
    after='''\
import copy


def _copied(value):
    """A deep copy; quick for what is made of dicts, lists and plain values."""
    kind = type(value)
    if kind is dict:
        return {key: _copied(item) for key, item in value.items()}
    if kind is list:
        return [_copied(item) for item in value]
    if kind in (str, int, float, bool, bytes, type(None)):
        return value
    return copy.deepcopy(value)


def with_defaults(config, name):
    made = _copied(config)
    made.setdefault("names", []).append(name)
    return made
''',
    calls=("with_defaults({'names': ['a'], 'x': (1, [2])}, 'b')", "with_defaults({}, 1)"),
    find=_find,
)
