"""A property that is worked out again each time somebody looks at it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._callees import is_long, is_work
from bakeoff.sources.rules.rewriting import READING_METHODS, Rewrite, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bakeoff.sources.rules.rewriting import Function

_MAKERS = frozenset({"__init__", "__new__", "__post_init__"})


def _find(function: Function) -> Iterator[Rewrite]:
    match function.node.decorators:
        case [cst.Decorator(decorator=cst.Name(value="property") as decorator)] if function.is_method:
            home = next((one for one in _around(function) if isinstance(one, cst.ClassDef)), None)
            works = is_long(function, function.node) and is_work(function, function.node)
            if home is not None and works and _stays(function, home):
                made = cst.Name("cached_property")
                yield Rewrite(replace={decorator: made}, imports=("from functools import cached_property",))


def _around(function: Function) -> Iterator[cst.CSTNode]:
    node: cst.CSTNode = function.node
    while not isinstance(node, cst.Module):
        node = function.parent(node)
        yield node


def _stays(function: Function, home: cst.ClassDef) -> bool:
    """Whether the objects can keep it, and the module sets what it is made of nowhere but where objects are made."""
    names = {one.value for one in function.walk(cst.Name, under=home)}
    own = function.node.name.value
    if names & {"__slots__", "slots", "NamedTuple", "Protocol"} or _is_set_anew(function, home, own):
        return False
    read = {one.attr.value for one in function.walk(cst.Attribute, under=function.node.body)}
    makers = [one for one in function.walk(cst.FunctionDef, under=home) if one.name.value in _MAKERS]
    inside = {node for maker in makers for node in function.walk(under=maker)}
    for node in function.walk(under=function.module):
        match node:
            case cst.AssignTarget() | cst.AugAssign() | cst.AnnAssign() if node not in inside:
                if _attribute(node.target) in read:
                    return False
            case cst.Call(func=cst.Attribute(value=owner, attr=cst.Name(value=method))) if node not in inside:
                if method not in READING_METHODS and _attribute(owner) in read:
                    return False
    return True


def _attribute(node: cst.BaseExpression) -> str | None:
    """`text` of `self.text` and of `self.text[0]`."""
    while isinstance(node, cst.Subscript):
        node = node.value
    return node.attr.value if isinstance(node, cst.Attribute) else None


def _is_set_anew(function: Function, home: cst.ClassDef, own: str) -> bool:
    """Whether the property can be assigned to: `@name.setter`."""
    return any(
        isinstance(one.decorator, cst.Attribute) and isinstance(one.decorator.value, cst.Name)
        for one in function.walk(cst.Decorator, under=home)
        if own in {name.value for name in function.walk(cst.Name, under=one)}
    )


RULE = Rule(
    name="memo-property",
    summary="a property that is worked out each time → a cached_property",
    unsafe="Objects that are changed from elsewhere; who compares or pickles what objects keep.",
    before='''\
from dataclasses import dataclass


@dataclass(frozen=True)
class Word:
    text: str

    @property
    def vowels(self):
        """How many."""
        return sum(letter in "aeiou" for letter in self.text)

    @property
    def size(self):
        return len(self.text)


def most(texts):
    words = [Word(text) for text in texts]
    return [word.text for word in words if not any(one.vowels > word.vowels for one in words)]
''',
    after='''\
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Word:
    text: str

    @cached_property
    def vowels(self):
        """How many."""
        return sum(letter in "aeiou" for letter in self.text)

    @property
    def size(self):
        return len(self.text)


def most(texts):
    words = [Word(text) for text in texts]
    return [word.text for word in words if not any(one.vowels > word.vowels for one in words)]
''',
    calls=("most([])", "most(['tree', 'sea', 'dog', 'idea'])"),
    find=_find,
)
