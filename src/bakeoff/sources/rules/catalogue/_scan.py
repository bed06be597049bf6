"""A text that is used up from its front: where it begins is counted, and the text stays whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import constant, fitted, text
from bakeoff.sources.rules.rewriting import bound_names

if TYPE_CHECKING:
    from bakeoff.sources.rules.rewriting import Function

__all__ = ["SEARCHING", "Cursor", "asks_for_groups", "root_of"]

_TESTS = (cst.If, cst.IfExp, cst.While, cst.CompIf)
# Methods of a text that can be told where to begin.
_PLACED = frozenset({"startswith", "endswith", "count"})
SEARCHING = frozenset({"match", "search", "fullmatch"})
_WITHOUT_PLACES = frozenset({"group", "groups", "groupdict", "lastgroup", "lastindex"})


class Cursor(cst.CSTTransformer):
    """Rewrites expressions of a function in which `name` stood for what is left of a text, so that it is the whole one
    and what is left of it begins at `at`."""

    def __init__(self, function: Function, name: str, at: str) -> None:
        super().__init__()
        self._function = function
        self._name = name
        self._at = at

    def whole(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """An expression as it is from now on."""
        made = node.visit(self)
        assert isinstance(made, cst.BaseExpression)
        return made

    def code(self, node: cst.BaseExpression) -> str:
        return text(self._function, self.whole(node))

    def on_leave(self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT) -> cst.CSTNode:  # type: ignore[override]
        made = None
        match original_node:
            case cst.Name() if self._is_it(original_node) and self._function.is_load(original_node):
                made = self._bare(original_node)
            case cst.UnaryOperation(operator=cst.Not(), expression=inner) if self._is_it(inner):
                made = f"{self._at} >= len({self._name})"
            case cst.Comparison(left=left, comparisons=[target]) if self._is_it(left):
                made = self._compared(target)
            case cst.Subscript(slice=[one]) if self._is_it(original_node.value):
                made = self._part(cst.ensure_type(updated_node, cst.Subscript).slice[0].slice, one.slice)
            case cst.Call():
                made = self._call(original_node, cst.ensure_type(updated_node, cst.Call))
        if made is None:
            return updated_node
        assert isinstance(original_node, cst.BaseExpression)
        new = cst.parse_expression(made)
        whole = isinstance(new, (cst.Call, cst.Subscript))
        return new if whole else fitted(self._function, original_node, made)

    def _is_it(self, node: cst.CSTNode) -> bool:
        return isinstance(node, cst.Name) and node.value == self._name

    def _bare(self, node: cst.Name) -> str | None:
        """A use by itself: a test of whether anything is left, or what is left. None where it is seen to elsewhere."""
        parent = self._function.parent(node)
        match parent:
            case cst.UnaryOperation(operator=cst.Not()):
                return None
            case cst.Subscript(value=value) if value is node and self._is_known_part(parent):
                return None
            case cst.Comparison(comparisons=[target]) if parent.left is node and self._compared(target) is not None:
                return None
            case cst.Attribute():
                if self._call(self._function.parent(parent), None) is not None:
                    return None
            case cst.Arg():
                if self._call(self._function.parent(parent), None) is not None:
                    return None
        return f"{self._at} < len({self._name})" if self._is_test(node) else f"{self._name}[{self._at}:]"

    def _is_test(self, node: cst.CSTNode) -> bool:
        below = node
        for around in self._function.ancestors(node):
            if isinstance(around, cst.BooleanOperation):
                below = around
                continue
            return isinstance(around, _TESTS) and around.test is below
        return False

    def _compared(self, target: cst.ComparisonTarget) -> str | None:
        """`text == ""`."""
        match target:
            case cst.ComparisonTarget(operator=operator, comparator=cst.SimpleString() as other):
                if other.evaluated_value and not isinstance(operator, (cst.Equal, cst.NotEqual)):
                    return None
                if not other.evaluated_value and isinstance(operator, (cst.Equal, cst.NotEqual)):
                    return f"{self._at} {'>=' if isinstance(operator, cst.Equal) else '<'} len({self._name})"
        return None

    def _is_known_part(self, node: cst.Subscript) -> bool:
        return len(node.slice) == 1 and self._part(node.slice[0].slice, node.slice[0].slice) is not None

    def _part(self, made: cst.BaseSlice, original: cst.BaseSlice) -> str | None:
        """`text[0]`, `text[:n]`, `text[n:]`; what is counted from the end begins where it did."""
        match made:
            case cst.Index(value=index, star=None):
                return f"{self._name}[{self._place(index)}]" if not _is_negative(index) else None
            case cst.Slice(lower=lower, upper=upper, step=None) if not _is_negative(lower):
                end = "" if upper is None else text(self._function, upper)
                if upper is not None and not _is_negative(upper):
                    end = self._place(upper)
                return f"{self._name}[{self._place(lower)}:{end}]"
        return None

    def _place(self, node: cst.BaseExpression | None) -> str:
        code = text(self._function, node) if node is not None else "0"
        return self._at if code == "0" else f"{self._at} + {code}"

    def _call(self, original: cst.CSTNode, updated: cst.Call | None) -> str | None:
        """A call that can be told where to begin."""
        if not isinstance(original, cst.Call) or any(arg.star or arg.keyword for arg in original.args):
            return None
        call = updated if updated is not None else original
        arguments = [text(self._function, arg.value) for arg in call.args]
        match original:
            case cst.Call(func=cst.Name(value="len"), args=[cst.Arg(value=value)]) if self._is_it(value):
                return f"len({self._name}) - {self._at}"
            case cst.Call(func=cst.Attribute(value=value, attr=cst.Name(value=method)), args=[_]) if self._is_it(value):
                return self._asked(method, arguments[0])
            case cst.Call() if self._is_asked_for_groups(original):
                return self._searched(original)
        return None

    def _asked(self, method: str, wanted: str) -> str | None:
        """A method of the text, told where to begin."""
        found = f"{self._name}.{method}({wanted}, {self._at})"
        if method == "index":
            return f"{found} - {self._at}"
        if method == "find":
            return f"max({found} - {self._at}, -1)"
        return found if method in _PLACED else None

    def _searched(self, call: cst.CSTNode) -> str | None:
        """`pattern.match(text)`."""
        match call:
            case cst.Call(
                func=cst.Attribute(value=value, attr=cst.Name(value=method)), args=[*others, cst.Arg(value=given)]
            ) if method in SEARCHING and self._is_it(given):
                owner = text(self._function, value)
            case _:
                return None
        if not others and owner != "re":
            return f"{owner}.{method}({self._name}, {self._at})"
        if len(others) == 1 and owner == "re":
            pattern = text(self._function, others[0].value)
            if constant(others[0].value) and pattern.lstrip("rR")[1:2] == "^":
                if method == "search":
                    return None
                pattern = pattern.replace("^", "", 1)
            return f"re.compile({pattern}).{method}({self._name}, {self._at})"
        return None

    def _is_asked_for_groups(self, call: cst.Call) -> bool:
        """Whether nobody asks a match where it is, but to cut off what is before its end."""
        match self._function.parent(call):
            case cst.Attribute(attr=cst.Name(value=name)):
                return name in _WITHOUT_PLACES
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]):
                uses = self._function.uses(name)
                return self.gives_places(name) and all(asks_for_groups(self._function, use) for use in uses)
        return False

    def gives_places(self, name: str) -> bool:
        """Whether a variable is nothing but what was found in the whole text."""
        given = [one.value for one in self._function.walk(cst.Assign) if name in _names(one)]
        bound = sum(name in bound_names(node) for node in self._function.walk())
        return bound == len(given) > 0 and all(self._searched(one) is not None for one in given)


def _names(node: cst.Assign) -> set[str]:
    return {one.target.value for one in node.targets if isinstance(one.target, cst.Name)}


def _is_negative(node: cst.CSTNode | None) -> bool:
    return isinstance(node, cst.UnaryOperation)


def asks_for_groups(function: Function, use: cst.Name) -> bool:
    """Whether a use of a match has nothing to do with places, but for cutting off what is before its end."""
    match function.parent(use):
        case cst.Attribute(attr=cst.Name(value="end")) as attribute:
            return _is_cut_at(function, function.parent(attribute))
        case cst.Attribute(attr=cst.Name(value=name)):
            return name in _WITHOUT_PLACES
        case cst.Subscript() | cst.If() | cst.While() | cst.UnaryOperation() | cst.BooleanOperation() | cst.IfExp():
            return True
        case cst.Comparison(comparisons=[cst.ComparisonTarget(comparator=cst.Name(value="None"))]):
            return True
    return False


def _is_cut_at(function: Function, call: cst.CSTNode) -> bool:
    """Whether `m.end()` is all there is in `text = text[m.end():]`."""
    part = function.parent(call)
    if not isinstance(part, cst.Slice) or part.lower is not call or part.upper is not None:
        return False
    around = function.parent(function.parent(function.parent(part)))
    return isinstance(around, cst.Assign)


def root_of(function: Function, node: cst.BaseExpression) -> cst.BaseExpression:
    """The whole expression that a node is in."""
    found = node
    for around in function.ancestors(node):
        if isinstance(around, (cst.BaseStatement, cst.BaseSmallStatement)):
            break
        if isinstance(around, cst.BaseExpression):
            found = around
    return found
