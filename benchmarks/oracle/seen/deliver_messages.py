KIND = "wrong"
FLAW = "async: all are sent at once, also those after one that is refused"
TARGET = "deliver"
WITNESS = (
    '(box := Mailbox(5), __import__("unittest").TestCase().assertRaises(ValueError, asyncio.run, '
    'deliver(box, ["a", "", "b"])), box.messages)[2]'
)
BASELINE = '''"""Messages between parts of a program."""

from __future__ import annotations

import asyncio


class MailboxFull(Exception):
    """Raised when a mailbox has no room for another message."""


class Mailbox:
    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.messages: list[str] = []

    async def put(self, message: str) -> int:
        """Put a message in; how many there are then."""
        if not message.strip():
            raise ValueError("an empty message")
        await asyncio.sleep(0)
        if len(self.messages) >= self.capacity:
            raise MailboxFull(self.capacity)
        self.messages.append(message)
        return len(self.messages)


async def deliver(mailbox: Mailbox, messages: list[str]) -> list[int]:
    """Put the messages into the mailbox, up to the first that it refuses; the place that each has there."""
    places = []
    for message in messages:
        place = await mailbox.put(message)
        places.append(place)
    return places
'''
CANDIDATE = '''"""Messages between parts of a program."""

from __future__ import annotations

import asyncio


class MailboxFull(Exception):
    """Raised when a mailbox has no room for another message."""


class Mailbox:
    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.messages: list[str] = []

    async def put(self, message: str) -> int:
        """Put a message in; how many there are then."""
        if not message.strip():
            raise ValueError("an empty message")
        await asyncio.sleep(0)
        if len(self.messages) >= self.capacity:
            raise MailboxFull(self.capacity)
        self.messages.append(message)
        return len(self.messages)


async def deliver(mailbox: Mailbox, messages: list[str]) -> list[int]:
    """Put the messages into the mailbox, up to the first that it refuses; the place that each has there."""
    return list(await asyncio.gather(*map(mailbox.put, messages)))
'''
TESTS = """import asyncio

import pytest

from project.module import Mailbox, MailboxFull, deliver


@pytest.fixture
def mailbox():
    return Mailbox(3)


def test_messages_arrive_in_order(mailbox):
    assert asyncio.run(deliver(mailbox, ["one", "two", "three"])) == [1, 2, 3]
    assert mailbox.messages == ["one", "two", "three"]


def test_nothing_to_deliver(mailbox):
    assert asyncio.run(deliver(mailbox, [])) == []


def test_more_later(mailbox):
    asyncio.run(deliver(mailbox, ["one"]))
    assert asyncio.run(deliver(mailbox, ["two"])) == [2]


def test_a_full_mailbox(mailbox):
    with pytest.raises(MailboxFull):
        asyncio.run(deliver(mailbox, ["a", "b", "c", "d"]))
    assert mailbox.messages == ["a", "b", "c"]


def test_an_empty_message(mailbox):
    with pytest.raises(ValueError, match="empty message"):
        asyncio.run(deliver(mailbox, ["  "]))
    assert mailbox.messages == []
"""
