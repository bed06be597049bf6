KIND = "wrong"
FLAW = "exception timing: a broken rule is refused although one above it has decided"
TARGET = "Rule.decide"
WITNESS = 'Rule.decide("allow ann lab\\ndeny * *\\nallow bob\\n", "ann", "lab")'
BASELINE = r'''"""Who may go through which door."""

from __future__ import annotations

from dataclasses import dataclass


class BadRule(ValueError):
    """Raised for a line that is not a rule."""


@dataclass(frozen=True)
class Rule:
    """Whether somebody may go through a door; a star is everybody, or each door."""

    allows: bool
    person: str
    door: str

    @classmethod
    def parse(cls, line: str) -> Rule:
        words = line.split()
        if len(words) != 3 or words[0] not in ("allow", "deny"):
            raise BadRule(f"not a rule: {line}")
        return cls(words[0] == "allow", words[1], words[2])

    @classmethod
    def decide(cls, text: str, person: str, door: str) -> bool:
        """What the first rule says that is about this person and this door; doors stay shut without one.

        There is a rule on each line, or nothing, or a note that begins with `#`. Nothing below the rule that decides
        is looked at.
        """
        while text:
            line, _, text = text.partition("\n")
            if not line.strip() or line.strip().startswith("#"):
                continue
            rule = cls.parse(line.strip())
            if rule.person in ("*", person) and rule.door in ("*", door):
                return rule.allows
        return False
'''
CANDIDATE = r'''"""Who may go through which door."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache


class BadRule(ValueError):
    """Raised for a line that is not a rule."""


@dataclass(frozen=True)
class Rule:
    """Whether somebody may go through a door; a star is everybody, or each door."""

    allows: bool
    person: str
    door: str

    @classmethod
    def parse(cls, line: str) -> Rule:
        words = line.split()
        if len(words) != 3 or words[0] not in ("allow", "deny"):
            raise BadRule(f"not a rule: {line}")
        return cls(words[0] == "allow", words[1], words[2])

    @classmethod
    @lru_cache(maxsize=16)
    def _all(cls, text: str) -> tuple[Rule, ...]:
        lines = map(str.strip, text.split("\n"))
        return tuple(cls.parse(line) for line in lines if line and line[0] != "#")

    @classmethod
    def decide(cls, text: str, person: str, door: str) -> bool:
        """What the first rule says that is about this person and this door; doors stay shut without one.

        There is a rule on each line, or nothing, or a note that begins with `#`. Nothing below the rule that decides
        is looked at.
        """
        for rule in cls._all(text):
            if rule.person in ("*", person) and rule.door in ("*", door):
                return rule.allows
        return False
'''
TESTS = r'''import pytest

from project.module import BadRule, Rule

RULES = """
# the laboratory
deny  carl lab
allow ann  lab
allow *    kitchen

allow boss *
"""


def test_a_rule():
    assert Rule.parse("deny carl lab") == Rule(allows=False, person="carl", door="lab")


def test_a_person():
    assert Rule.decide(RULES, "ann", "lab")
    assert not Rule.decide(RULES, "carl", "lab")


def test_everybody():
    assert Rule.decide(RULES, "carl", "kitchen")


def test_each_door():
    assert Rule.decide(RULES, "boss", "roof")


def test_without_a_rule():
    assert not Rule.decide(RULES, "ann", "roof")
    assert not Rule.decide("", "ann", "lab")


def test_the_first_rule_counts():
    assert not Rule.decide("deny * lab\nallow ann lab", "ann", "lab")
    assert Rule.decide("allow ann lab\ndeny * lab", "ann", "lab")


def test_a_broken_rule():
    with pytest.raises(BadRule, match="allow everything"):
        Rule.decide("allow ann lab\n  allow everything\n", "bob", "lab")
    with pytest.raises(BadRule, match="permit"):
        Rule.decide("permit ann lab", "ann", "lab")
'''
