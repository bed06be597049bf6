"""`in` goes through a list from its beginning; a set knows at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.rewriting import Rewrite, Rule, beside, expression, path_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bakeoff.sources.rules.rewriting import Function, Replacement

_HASHED = frozenset({"set", "frozenset", "dict", "Counter", "defaultdict", "OrderedDict"})


def _find(function: Function) -> Iterator[Rewrite]:
    groups: dict[tuple[cst.CSTNode, str], list[cst.BaseExpression]] = {}
    for looked in [*_looked_in(function), *_handed_on(function)]:
        if isinstance(looked, (cst.List, cst.Tuple)):
            yield from _literal(function, looked)
        elif path_of(looked) is not None and not _is_hashed(function, looked):
            loop = function.steady_loop(looked)
            if loop is not None:
                groups.setdefault((loop, function.form(looked)), []).append(looked)
            elif isinstance(looked, cst.Name) and not function.is_local(looked.value):
                yield from _constant(function, looked)
    for (place, _), several in groups.items():
        statement = function.anchor(several[0], place)
        if statement is None:
            continue
        path = path_of(several[0]) or ""
        name = function.fresh(path.rpartition(".")[2].lstrip("_") + "_set")
        replace: dict[cst.CSTNode, Replacement] = {one: cst.Name(name) for one in several}
        yield Rewrite(replace={**replace, statement: beside(statement, before=f"{name} = set({path})\n")})


def _looked_in(function: Function) -> Iterator[cst.BaseExpression]:
    for comparison in function.walk(cst.Comparison):
        match comparison:
            case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(cst.In() | cst.NotIn(), looked)]):
                # Text is looked for in text, or among the keys of a dict.
                if not isinstance(left, (cst.SimpleString, cst.FormattedString)):
                    yield looked


def _handed_on(function: Function) -> Iterator[cst.BaseExpression]:
    """What a loop hands to a helper that does nothing with it but to look into it."""
    for call in function.walk(cst.Call):
        helper = function.called(call) if function.loops_around(call) else None
        given = helper.arguments(call) if helper is not None and helper.node is not function.node else None
        if helper is None or given is None:
            continue
        looked = {one for one in _looked_in(helper) if isinstance(one, cst.Name)}
        for name, argument in given.items():
            uses = helper.uses(name, under=helper.node.body)
            if uses and looked.issuperset(uses) and path_of(argument) not in {None, "self", "cls"}:
                yield argument


def _literal(function: Function, looked: cst.List | cst.Tuple) -> Iterator[Rewrite]:
    kinds = (cst.SimpleString, cst.Integer)
    if len(looked.elements) >= 3 and all(isinstance(element.value, kinds) for element in looked.elements):
        inner = ", ".join(function.code(element.value) for element in looked.elements)
        yield Rewrite(replace={looked: expression(f"{{{inner}}}")})


def _is_hashed(function: Function, looked: cst.BaseExpression) -> bool:
    """Whether the name is bound to a dict or a set in the function."""
    name = path_of(looked)
    for node in function.walk(cst.Assign, cst.AnnAssign):
        targets = [one.target for one in node.targets] if isinstance(node, cst.Assign) else [node.target]
        if name in map(path_of, targets):
            match node.value:
                case cst.Dict() | cst.Set() | cst.DictComp() | cst.SetComp() | cst.SimpleString():
                    return True
                case cst.Call(func=func) if (path_of(func) or "").rpartition(".")[2] in _HASHED:
                    return True
    return False


def _constant(function: Function, looked: cst.Name) -> Iterator[Rewrite]:
    """A list or tuple of the module itself."""
    for statement in function.module.body:
        match statement:
            case cst.SimpleStatementLine(
                body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value)]
            ) if name == looked.value and isinstance(value, (cst.List, cst.Tuple)):
                known = function.fresh(f"_{name.strip('_')}_SET" if name.isupper() else f"_{name.strip('_')}_set")
                yield Rewrite(replace={looked: cst.Name(known)}, above=(f"{known} = frozenset({name})\n",))


RULE = Rule(
    name="list-membership",
    summary="looking for something in a list again and again → in a set",
    unsafe="What cannot be hashed raises TypeError; where the name means text, a part of it is not found.",
    before="""\
def known(words, allowed, extra):
    found = []
    for word in words:
        if word in allowed or word not in ("a", "an", "the"):
            found.append(word)
    return found, [word for word in extra if word in allowed]
""",
    after="""\
def known(words, allowed, extra):
    found = []
    allowed_set = set(allowed)
    for word in words:
        if word in allowed_set or word not in {"a", "an", "the"}:
            found.append(word)
    allowed_set_2 = set(allowed)
    return found, [word for word in extra if word in allowed_set_2]
""",
    calls=("known(['a', 'b', 'an'], ['an'], ['an', 'x'])", "known([], [], [])"),
    find=_find,
)
