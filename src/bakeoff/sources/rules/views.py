"""A version of the target's file, as the search sees it: what rules find there, and what comes of it.

content ──View──▶ Found, Found, … ──View.content──▶ another content
"""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from bakeoff.sources.rules.rewriting import Syntax, apply, fit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from bakeoff.sources.rules.rewriting import Function, Rewrite, Rule

__all__ = ["Found", "Key", "Unreadable", "View"]

Key = tuple[str, str, str, int]


class Unreadable(Exception):
    """The file cannot be looked at; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A place where a rule has something to say. `key` names the same place in other versions of the file, as long as
    nothing is changed right there; `lines` are those it rewrites."""

    rule: Rule
    rewrite: Rewrite
    key: Key
    lines: frozenset[int] = field(repr=False)

    @property
    def line(self) -> int:
        return min(self.lines, default=0)


class View:
    """A version of a file and what rules find there, in a function and in those of the module that it refers to."""

    def __init__(self, content: bytes, name: str, rules: Iterable[Rule]) -> None:
        self._syntax = Syntax(_parsed(content))
        self._positions: Mapping[cst.CSTNode, object] | None = None
        functions = list(self._syntax.functions())
        self.span: frozenset[int] = frozenset()
        self.problems: dict[str, str] = {}
        targets = [function for qualified, function in functions if qualified == name]
        if not targets:
            raise Unreadable(f"there is no function {name!r} in it")
        for target in targets:
            self.span |= self._lines([target.node])
        reached = _reached(name, functions)
        # Profilers do not look into these.
        self.nested = self._lines(function.node.body for qualified, function in reached if "<locals>" in qualified)
        self.found = list(self._find(reached, rules))

    def content(self, found: Sequence[Found]) -> bytes | None:
        """The file with these rewrites made; None where they do not go together, or no Python comes of them."""
        text = apply(self._syntax, [one.rewrite for one in found])
        if text is None or not _is_python(text):
            return None
        return text.encode(self._syntax.module.encoding)

    def fitting(self, found: Iterable[Found], start: Sequence[Found] = ()) -> list[Found]:
        """As many of these as go together with the first ones, the earlier the rather."""
        taken = list(start)
        for one in found:
            if one not in taken and fit(self._syntax, [other.rewrite for other in (*taken, one)]):
                taken.append(one)
        return taken

    def _find(self, functions: Iterable[tuple[str, Function]], rules: Iterable[Rule]) -> Iterator[Found]:
        every = list(rules)
        seen: Counter[tuple[str, str, str]] = Counter()
        places: set[tuple[str, frozenset[cst.CSTNode]]] = set()
        for qualified, function in functions:
            for rule in every:
                for rewrite in self._asked(rule, function):
                    place = rule.name, frozenset(rewrite.replace)
                    if place in places or not rewrite.replace:  # found in the function around it already
                        continue
                    places.add(place)
                    nodes = _swapped(rewrite)
                    form = self._syntax.module.code_for_node(nodes[0]).strip()
                    key = rule.name, qualified, form
                    seen[key] += 1
                    yield Found(rule=rule, rewrite=rewrite, key=(*key, seen[key]), lines=self._lines(nodes))

    def _asked(self, rule: Rule, function: Function) -> list[Rewrite]:
        """What a rule finds. One that stumbles over a function does not keep others from being asked."""
        try:
            return list(rule.find(function))
        except Exception as error:  # noqa: BLE001 (rules meet all code there is, and others may add theirs)
            self.problems[rule.name] = f"the rule failed: {error!r}"
            return []

    def _lines(self, nodes: Iterable[cst.CSTNode]) -> frozenset[int]:
        if self._positions is None:
            wrapper = MetadataWrapper(self._syntax.module, unsafe_skip_copy=True)
            self._positions = wrapper.resolve(PositionProvider)
        found: set[int] = set()
        for node in nodes:
            where = self._positions.get(node)
            if where is not None:
                found.update(range(where.start.line, where.end.line + 1))  # type: ignore[attr-defined]
        return frozenset(found)


def _parsed(content: bytes) -> cst.Module:
    try:
        return cst.parse_module(content)
    except cst.ParserSyntaxError as error:
        raise Unreadable(f"line {error.raw_line} cannot be parsed: {error.message}") from None
    except (UnicodeDecodeError, LookupError, SyntaxError, RecursionError, ValueError) as error:
        raise Unreadable(f"it cannot be parsed: {error}") from None


def _is_python(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "<candidate>", "exec", dont_inherit=True, flags=ast.PyCF_ONLY_AST)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def _swapped(rewrite: Rewrite) -> list[cst.CSTNode]:
    """The nodes that a rewrite does away with; where it only puts something beside others, these."""
    nodes = [
        node
        for node, made in rewrite.replace.items()
        if not (isinstance(made, cst.FlattenSentinel) and any(one is node for one in made))
    ]
    return nodes or list(rewrite.replace)


def _reached(name: str, functions: Sequence[tuple[str, Function]]) -> list[tuple[str, Function]]:
    """The functions of a name, and all that can be called from there going by names alone, nearest first."""
    known: dict[tuple[str, bool], list[tuple[str, Function]]] = {}
    for qualified, function in functions:
        *owners, plain = qualified.split(".")
        known.setdefault((plain, function.is_method), []).append((qualified, function))
        if function.is_method and plain in {"__init__", "__new__", "__post_init__"}:
            known.setdefault((owners[-1], False), []).append((qualified, function))
    reached = [one for one in functions if one[0] == name or one[0].startswith(f"{name}.<locals>.")]
    for _, function in reached:  # grows as it goes
        for node in function.walk(cst.Name, under=function.node.body):
            around = function.parent(node)
            is_attribute = isinstance(around, cst.Attribute) and around.attr is node
            reached += [one for one in known.get((node.value, is_attribute), ()) if one not in reached]
    return reached
