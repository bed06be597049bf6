"""Looking at each character of a text by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import atom, disjuncts, known_text, method_call, sole, text
from bakeoff.sources.rules.rewriting import Function, Rewrite, Rule, expression, statements

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# From so many replacements on, one table is likely to be faster.
_MANY = 4


def _find(function: Function) -> Iterator[Rewrite]:
    for node in function.walk(cst.Call, cst.For):
        rewrite = _loop(function, node) if isinstance(node, cst.For) else None
        if isinstance(node, cst.Call):
            rewrite = _joined(function, node) or _replaced(function, node)
        if rewrite is not None:
            yield rewrite


def _translated(function: Function, node: cst.CSTNode, source: cst.BaseExpression, table: str) -> Rewrite:
    name = function.fresh("_TABLE")
    new = expression(f"{atom(function, source)}.translate({name})")
    return Rewrite(replace={node: new}, above=(f"{name} = str.maketrans({table})\n",))


# Characters that are joined


def _joined(function: Function, node: cst.Call) -> Rewrite | None:
    """What `"".join(…)` puts together of single characters."""
    found = method_call(node, "join")
    if found is None or known_text(function, found[0]) != "":
        return None
    match found[1][0]:
        case cst.GeneratorExp(elt=value, for_in=part) | cst.ListComp(elt=value, for_in=part) if (
            part.inner_for_in is None and isinstance(part.target, cst.Name)
        ):
            if len(part.ifs) == 1 and function.same(value, part.target):
                return _filtered(function, node, part, part.ifs[0].test)
            return _mapped(function, node, part, value) if not part.ifs else None
    return None


def _filtered(function: Function, node: cst.Call, part: cst.CompFor, test: cst.BaseExpression) -> Rewrite | None:
    match test:
        case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(operator=cst.NotIn(), comparator=unwanted)]):
            if function.same(left, part.target) and _is_constant(function, unwanted):
                dropped = _letters(function, unwanted)
                return _translated(function, node, part.iter, f'"", "", {dropped}')
        case cst.Call(func=cst.Attribute(value=value, attr=cst.Name(value=method)), args=[]) if method.startswith("is"):
            if function.same(value, part.target):
                joined = f"{text(function, node.func)}(filter(str.{method}, {text(function, part.iter)}))"
                return Rewrite(replace={node: expression(joined)})
    return None


def _is_constant(function: Function, node: cst.BaseExpression) -> bool:
    """A literal, or a name of the module in the way constants are written."""
    match node:
        case cst.Name(value=name):
            return name.isupper() and not function.is_local(name)
        case cst.Attribute(value=cst.Name(value="string")):
            return True
        case cst.SimpleString():
            return True
        case cst.Set() | cst.Tuple() | cst.List():
            return all(isinstance(one.value, cst.SimpleString) for one in node.elements)
    return False


def _letters(function: Function, node: cst.BaseExpression) -> str:
    code = text(function, node)
    return code if isinstance(node, (cst.SimpleString, cst.Attribute)) else f'"".join({code})'


def _mapped(function: Function, node: cst.Call, part: cst.CompFor, value: cst.BaseExpression) -> Rewrite | None:
    """`"".join(table.get(c, c) for c in text)`."""
    found = method_call(value, "get", count=2)
    match value:
        case cst.IfExp(
            test=cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(operator=cst.In(), comparator=table)]),
            body=cst.Subscript(value=read),
            orelse=orelse,
        ) if all(function.same(one, part.target) for one in (left, orelse)) and function.same(read, table):
            found = (table, (part.target, part.target))
    if found is None or not all(function.same(one, part.target) for one in found[1]):
        return None
    table = found[0]
    if _is_constant(function, table):
        return _translated(function, node, part.iter, text(function, table))
    code = f"{atom(function, part.iter)}.translate(str.maketrans({text(function, table)}))"
    return Rewrite(replace={node: expression(code)})


# One replace after another


def _replaced(function: Function, node: cst.Call) -> Rewrite | None:
    parent = function.parent(node)
    if isinstance(parent, cst.Attribute) and parent.attr.value == "replace":
        return None
    pairs: list[tuple[str, str]] = []
    source: cst.BaseExpression = node
    while (found := method_call(source, "replace", count=2)) is not None:
        old, new = (known_text(function, one) for one in found[1])
        if old is None or new is None or len(old) != 1:
            return None
        pairs.insert(0, (old, new))
        source = found[0]
    taken = "".join(old for old, _ in pairs)
    later = any(set(new) & set(taken[at + 1 :]) for at, (_, new) in enumerate(pairs))
    if len(pairs) < _MANY or later or len(set(taken)) != len(taken):
        return None
    return _translated(function, node, source, _table(pairs))


def _table(pairs: Sequence[tuple[str, str]]) -> str:
    return "{" + ", ".join(f"{old!r}: {new!r}" for old, new in pairs) + "}"


# A loop that asks for one character after another


def _loop(function: Function, loop: cst.For) -> Rewrite | None:
    body = loop.body.body if isinstance(loop.body, cst.IndentedBlock) else ()
    if len(body) != 1 or not isinstance(body[0], cst.If) or loop.orelse is not None:
        return None
    pairs: list[tuple[str, str]] = []
    branch: cst.If | cst.Else | None = body[0]
    sinks: set[str] = set()
    while isinstance(branch, cst.If):
        letters = _tested(function, branch.test, loop.target)
        added = _added(function, branch.body)
        written = known_text(function, added[1]) if added is not None else None
        if letters is None or added is None or written is None:
            return None
        pairs += [(letter, written) for letter in letters if letter not in dict(pairs)]
        sinks.add(added[0])
        branch = branch.orelse
    last = _added(function, branch.body) if branch is not None else None
    if last is None or not function.same(last[1], loop.target) or sinks != {last[0]}:
        return None
    name = function.fresh("_TABLE")
    code = last[0].replace("@", f"{atom(function, loop.iter)}.translate({name})")
    statement = statements(f"{code}\n")[0].with_changes(leading_lines=loop.leading_lines)
    return Rewrite(replace={loop: statement}, above=(f"{name} = str.maketrans({_table(pairs)})\n",))


def _tested(function: Function, test: cst.BaseExpression, target: cst.BaseExpression) -> list[str] | None:
    """The characters for which a test is true: `c == "a" or c in "bc"`."""
    letters: list[str] = []
    for part in disjuncts(test):
        match part:
            case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(operator=operator, comparator=right)]):
                if not function.same(left, target) or not isinstance(operator, (cst.Equal, cst.In)):
                    return None
                found = _members(function, right) if isinstance(operator, cst.In) else [known_text(function, right)]
                if found is None or any(one is None or len(one) != 1 for one in found):
                    return None
                letters += [one for one in found if one is not None]
            case _:
                return None
    return letters


def _members(function: Function, node: cst.BaseExpression) -> list[str | None] | None:
    if isinstance(node, (cst.Set, cst.Tuple, cst.List)):
        return [known_text(function, one.value) for one in node.elements]
    known = known_text(function, node)
    return list(known) if known is not None else None


def _added(function: Function, body: cst.BaseSuite) -> tuple[str, cst.BaseExpression] | None:
    """The statement that a branch is, with @ for what it adds, and what that is."""
    only = sole(body.body[0]) if isinstance(body, cst.IndentedBlock) and len(body.body) == 1 else None
    match only:
        case cst.AugAssign(target=target, operator=cst.AddAssign(), value=value):
            return f"{text(function, target)} += @", value
        case cst.Expr(value=call):
            found = method_call(call, "append", "write")
            if found is not None:
                how = "append" if method_call(call, "append") else "write"
                return f"{text(function, found[0])}.{how}(@)", found[1][0]
    return None


RULE = Rule(
    name="string-translate",
    summary="character by character, or one replace after another → str.translate with a table",
    unsafe="Texts of other types; a list of characters that is looked at as such; keys that are not single characters.",
    before="""\
import string

NAMES = {"<": "&lt;", ">": "&gt;"}


def clean(line):
    letters = "".join(c for c in line if c not in string.punctuation)
    marked = "".join(NAMES.get(c, c) for c in line)
    short = line.replace("a", "").replace("b", "x").replace("c", "y").replace("d", "z")
    found = ""
    for c in line:
        if c == "a":
            found += "1"
        elif c in "bc":
            found += "23"
        else:
            found += c
    return letters, marked, short, found, "".join([c for c in line if c.isalnum()])
""",
    after="""\
import string

NAMES = {"<": "&lt;", ">": "&gt;"}


_TABLE = str.maketrans("", "", string.punctuation)
_TABLE_2 = str.maketrans(NAMES)
_TABLE_3 = str.maketrans({'a': '', 'b': 'x', 'c': 'y', 'd': 'z'})
_TABLE_4 = str.maketrans({'a': '1', 'b': '23', 'c': '23'})


def clean(line):
    letters = line.translate(_TABLE)
    marked = line.translate(_TABLE_2)
    short = line.translate(_TABLE_3)
    found = ""
    found += line.translate(_TABLE_4)
    return letters, marked, short, found, "".join(filter(str.isalnum, line))
""",
    calls=("clean('')", "clean('a<b>, c! (d) é 1')"),
    find=_find,
)
