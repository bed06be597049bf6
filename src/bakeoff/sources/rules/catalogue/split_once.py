"""Working the same thing out twice."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._callees import helpers_of, is_costly, properties_of
from bakeoff.sources.rules.catalogue._shapes import conjuncts, hint, is_steady, names, sole, text
from bakeoff.sources.rules.rewriting import READING_METHODS, Function, Replacement, Rewrite, Rule, beside, expression

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bakeoff.sources.rules.rewriting import Comprehension

_COMPREHENSIONS = (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)
# What a chain of tests asks for so often is worked out before it, though it may not come to that.
_OFTEN = 3
# In these a part may be run later, often, or not at all.
_UNSURE = (*_COMPREHENSIONS, cst.Lambda, cst.While, cst.IndentedBlock, cst.Else, cst.FunctionDef, cst.Try)


def _find(function: Function) -> Iterator[Rewrite]:
    taken: set[cst.CSTNode] = set()
    groups = sorted(_groups(function), key=lambda group: -len(function.code(group[0])))
    for group in groups:
        for block in _around_two(function, group):
            inside = [node for node in group if node not in taken and _is_in(function, node, block)]
            if len(inside) < 2:
                continue
            if isinstance(block, cst.IndentedBlock):
                yield from _in_block(function, block, inside, taken)
            elif isinstance(block, (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)):
                rewrite = _in_comprehension(function, block, inside)
                taken.update(_below(function, inside) if rewrite is not None else ())
                yield from () if rewrite is None else (rewrite,)


def _around_two(function: Function, group: list[cst.BaseExpression]) -> list[cst.CSTNode]:
    """The blocks and comprehensions that more than one of these are in, outermost first."""
    count = Counter(one for node in group for one in function.ancestors(node))
    found = [
        one for one, times in count.items() if times > 1 and isinstance(one, (cst.IndentedBlock, *_COMPREHENSIONS))
    ]
    return sorted(found, key=lambda one: sum(True for _ in function.ancestors(one)))


def _groups(function: Function) -> list[list[cst.BaseExpression]]:
    """What is worth keeping the results of, those together that are the same code."""
    found: dict[str, list[cst.BaseExpression]] = {}
    for node in function.own():
        match node:
            case cst.Call() if node.args or isinstance(node.func, cst.Attribute):
                found.setdefault(function.code(node), []).append(node)
            case cst.Attribute() if not isinstance(function.parent(node), (cst.Call, cst.AssignTarget, cst.AugAssign)):
                found.setdefault(function.code(node), []).append(node)
    alike = [group for group in found.values() if len(group) > 1 and names(function, group[0])]
    attributes = {group[0].attr.value for group in alike if isinstance(group[0], cst.Attribute)}
    helpers, properties = helpers_of(function), properties_of(function, attributes)
    return [
        group
        for group in alike
        if not (isinstance(group[0], cst.Attribute) and group[0].attr.value not in properties)
        and is_costly(function, group[0], helpers)
    ]


def _is_in(function: Function, node: cst.CSTNode, around: cst.CSTNode) -> bool:
    return any(one is around for one in function.ancestors(node))


def _below(function: Function, nodes: Sequence[cst.BaseExpression]) -> Iterator[cst.CSTNode]:
    for node in nodes:
        yield from function.walk(under=node)


# In statements


def _in_block(
    function: Function, block: cst.IndentedBlock, group: list[cst.BaseExpression], taken: set[cst.CSTNode]
) -> Iterator[Rewrite]:
    """The runs of statements in a block in which the value stays the same, and is asked for more than once."""
    run: list[cst.BaseExpression] = []
    for statement in block.body:
        here = [node for node in group if _is_in(function, node, statement)]
        steady = is_steady(function, group[0], statement)
        often = len([node for node in here if _is_surely_run(function, node, statement, likely=True)]) >= _OFTEN
        first = bool(run) or often or any(_is_surely_run(function, node, statement) for node in here[:1])
        if (steady or sole(statement) is not None) and first:
            run += here
        if not steady:
            yield from _once(function, run, taken)
            run = []
    yield from _once(function, run, taken)


def _is_surely_run(function: Function, node: cst.CSTNode, statement: cst.CSTNode, *, likely: bool = False) -> bool:
    """Whether a statement surely evaluates this, once and before it changes anything; or is likely to, in its tests."""
    below = node
    for around in function.ancestors(node):
        if isinstance(around, _UNSURE):
            return False
        later = around.right if isinstance(around, cst.BooleanOperation) else None
        chosen = isinstance(around, cst.IfExp) and around.test is not below
        if not likely and (later is below or chosen or (isinstance(around, cst.If) and around is not statement)):
            return False
        if around is statement:
            return True
        below = around
    return False


def _once(function: Function, run: list[cst.BaseExpression], taken: set[cst.CSTNode]) -> Iterator[Rewrite]:
    if len(run) < 2:
        return
    first = function.statement(run[0])
    name = _assigned(first, run[0])
    if first is None:
        return
    taken.update(_below(function, run))
    if name is not None:
        if not any(name in function.assigned(one) for one in _statements(function, run[1:])):
            yield Rewrite(replace={node: expression(name) for node in run[1:]})
        return
    fresh = function.fresh(_hint(run[0]))
    replace: dict[cst.CSTNode, Replacement] = {node: expression(fresh) for node in run}
    replace[first] = beside(first, before=f"{fresh} = {text(function, run[0])}\n")
    yield Rewrite(replace=replace)


def _statements(function: Function, nodes: list[cst.BaseExpression]) -> list[cst.BaseStatement]:
    return [found for node in nodes if (found := function.statement(node)) is not None]


def _assigned(statement: cst.BaseStatement | None, node: cst.BaseExpression) -> str | None:
    """The variable that a statement gives this value to, if it does nothing else."""
    match sole(statement):
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value) if value is node:
            return name
    return None


def _hint(node: cst.BaseExpression) -> str:
    match node:
        case cst.Call(func=cst.Attribute(value=receiver, attr=cst.Name(value=name))) if name in READING_METHODS:
            return hint(receiver, name)
        case cst.Call(func=func, args=[cst.Arg(value=value), *_]):
            return hint(value, hint(func, "").strip("_"))
        case cst.Attribute(value=value, attr=cst.Name(value=name)):
            return hint(value, name)
    return "value"


# In comprehensions


def _in_comprehension(function: Function, node: Comprehension, group: list[cst.BaseExpression]) -> Rewrite | None:
    """`[x.strip() for x in xs if x.strip()]`: the first to be evaluated gives the value a name for the others."""
    alone = not any(isinstance(one, (*_COMPREHENSIONS, cst.Lambda)) for one in function.ancestors(node))
    if node.for_in.inner_for_in is not None or not alone:
        return None
    if any(_holds(function, node.for_in.iter, call) for call in group):
        return None
    part = next((one for one in _in_order(node) if any(_holds(function, one, call) for call in group)), None)
    if part is None:
        return None
    calls = [call for call in group if _holds(function, part, call)]
    if part is not calls[0] and not _is_surely_run(function, calls[0], part):
        return None
    name = function.fresh(_hint(calls[0]))
    replace: dict[cst.CSTNode, Replacement] = {call: expression(name) for call in group}
    replace[calls[0]] = expression(f"({name} := {text(function, calls[0])})")
    return Rewrite(replace=replace)


def _in_order(node: Comprehension) -> Iterator[cst.CSTNode]:
    """What is evaluated for each, as long as it surely is."""
    for condition in node.for_in.ifs:
        yield from conjuncts(condition.test)
    if isinstance(node, cst.DictComp):
        yield node.key
        yield node.value
    else:
        yield node.elt


def _holds(function: Function, around: cst.CSTNode, node: cst.CSTNode) -> bool:
    return node is around or _is_in(function, node, around)


RULE = Rule(
    name="split-once",
    summary="what is worked out again while nothing changed → once, under a name",
    unsafe="Results that are changed by who gets them; helpers that have effects; errors that come earlier.",
    before="""\
def parse(lines):
    rows = {}
    for line in lines:
        if line.split("=")[0] in rows:
            rows[line.split("=")[0]].append(line.split("=")[1])
        else:
            rows[line.split("=")[0]] = [line.split("=")[1]]
    return {key.strip(): values for key, values in rows.items() if key.strip()}
""",
    after="""\
def parse(lines):
    rows = {}
    for line in lines:
        line_split = line.split("=")
        if line_split[0] in rows:
            rows[line_split[0]].append(line_split[1])
        else:
            rows[line_split[0]] = [line_split[1]]
    return {key_strip: values for key, values in rows.items() if (key_strip := key.strip())}
""",
    calls=("parse([])", "parse(['a=1', 'b=2', 'a=3', ' =4', ' b = 5'])"),
    find=_find,
)
