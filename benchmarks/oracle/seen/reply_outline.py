KIND = "wrong"
FLAW = "recursion: a long chain of answers is too deep"
TARGET = "outline"
WITNESS = 'len(outline([Message(n, "re", n - 1) for n in range(1, 1501)], indent=""))'
BASELINE = '''"""Discussions on a mailing list."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Message:
    """A message, and the number of the one that it answers."""

    number: int
    subject: str
    answers: int | None = None


def outline(messages: list[Message], *, indent: str = "  ") -> list[str]:
    """The subjects, each answer indented below its message, as they came. Answers to nothing are first ones."""
    numbers = [message.number for message in messages]
    if sorted(set(numbers)) != sorted(numbers):
        raise ValueError("two messages have the same number")
    waiting = [(0, message) for message in messages if message.answers not in numbers]
    lines = []
    while waiting:
        depth, message = waiting.pop(0)
        lines.append(indent * depth + message.subject)
        answers = [(depth + 1, other) for other in messages if other.answers == message.number]
        waiting = answers + waiting
    return lines
'''
CANDIDATE = '''"""Discussions on a mailing list."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Message:
    """A message, and the number of the one that it answers."""

    number: int
    subject: str
    answers: int | None = None


def outline(messages: list[Message], *, indent: str = "  ") -> list[str]:
    """The subjects, each answer indented below its message, as they came. Answers to nothing are first ones."""
    answers: dict[int | None, list[Message]] = {message.number: [] for message in messages}
    if len(answers) < len(messages):
        raise ValueError("two messages have the same number")
    first = []
    for message in messages:
        answers.get(message.answers, first).append(message)
    lines = []

    def add(message: Message, margin: str) -> None:
        lines.append(margin + message.subject)
        for answer in answers[message.number]:
            add(answer, margin + indent)

    for message in first:
        add(message, "")
    return lines
'''
TESTS = """import pytest

from project.module import Message, outline


def test_answers_are_indented():
    messages = [Message(1, "plan"), Message(2, "why", 1), Message(3, "because", 2), Message(4, "fine", 1)]
    assert outline(messages) == ["plan", "  why", "    because", "  fine"]


def test_two_discussions():
    messages = [Message(1, "plan"), Message(2, "lunch"), Message(3, "yes", 1), Message(4, "no", 2)]
    assert outline(messages, indent="> ") == ["plan", "> yes", "lunch", "> no"]


def test_an_answer_that_comes_before():
    assert outline([Message(5, "yes", 9), Message(9, "plan")]) == ["plan", "  yes"]


def test_an_answer_to_nothing():
    assert outline([Message(3, "re: lost", 1), Message(4, "found", 3)]) == ["re: lost", "  found"]


def test_a_chain():
    messages = [Message(number, str(number), number - 1) for number in range(1, 31)]
    assert outline(messages, indent="-")[29] == "-" * 29 + "30"


def test_no_messages():
    assert outline([]) == []


def test_a_number_twice():
    with pytest.raises(ValueError, match="same number"):
        outline([Message(1, "a"), Message(1, "b")])
"""
