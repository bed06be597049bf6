KIND = "wrong"
FLAW = "laziness: a command comes only once the line after it was read"
TARGET = "commands"
WITNESS = (
    '(scope := {"commands": commands, "read": []}, exec("import asyncio\\n'
    "async def typed():\\n  for line in ['ls', 'pwd']:\\n    read.append(line)\\n    yield line\\n"
    "async def first():\\n  async for command in commands(typed()):\\n    return command, list(read)\\n"
    'shown = asyncio.run(first())", scope), scope["shown"])[2]'
)
BASELINE = r'''"""Commands as they are typed at a prompt."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator


async def commands(lines: AsyncIterable[str]) -> AsyncIterator[list[str]]:
    """The words of each command, as soon as it is complete.

    A line that ends in a backslash goes on in the next one. What follows a `#` at the beginning of a word is left out,
    and a command without words does not count.
    """
    command = ""
    async for line in lines:
        line = line.rstrip("\n")
        if line.endswith("\\"):
            command = command + line[:-1]
            continue
        words: list[str] = []
        for word in (command + line).split():
            if word.startswith("#"):
                break
            words = words + [word]
        command = ""
        if words:
            yield words
    if command.split():
        raise EOFError("the last line goes on")
'''
CANDIDATE = r'''"""Commands as they are typed at a prompt."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator


async def commands(lines: AsyncIterable[str]) -> AsyncIterator[list[str]]:
    """The words of each command, as soon as it is complete.

    A line that ends in a backslash goes on in the next one. What follows a `#` at the beginning of a word is left out,
    and a command without words does not count.
    """
    begun: list[str] = []
    words: list[str] = []
    async for line in lines:
        if words:
            yield words
            words = []
        begun.append(line.rstrip("\n"))
        if begun[-1].endswith("\\"):
            begun[-1] = begun[-1][:-1]
            continue
        words = "".join(begun).split()
        begun.clear()
        comment = next((place for place, word in enumerate(words) if word[0] == "#"), None)
        if comment is not None:
            del words[comment:]
    if words:
        yield words
    if "".join(begun).split():
        raise EOFError("the last line goes on")
'''
TESTS = r"""import asyncio

import pytest

from project.module import commands


async def typed(*lines):
    for line in lines:
        await asyncio.sleep(0)
        yield line


async def collect(*lines):
    return [words async for words in commands(typed(*lines))]


def test_one_command_on_each_line():
    assert asyncio.run(collect("ls -l\n", "pwd\n")) == [["ls", "-l"], ["pwd"]]


def test_a_line_that_goes_on():
    assert asyncio.run(collect("cp \\\n", "  a\\\n", "b c\n", "ls\n")) == [["cp", "ab", "c"], ["ls"]]


def test_comments():
    assert asyncio.run(collect("# setup", "make all # everything", "echo a#b")) == [["make", "all"], ["echo", "a#b"]]


def test_empty_lines():
    assert asyncio.run(collect("\n", "  ", "ls", "")) == [["ls"]]
    assert asyncio.run(collect()) == []


def test_the_last_line_goes_on():
    with pytest.raises(EOFError, match="last line"):
        asyncio.run(collect("ls", "cp \\"))


def test_a_backslash_with_nothing_before_it():
    assert asyncio.run(collect("ls", "\\")) == [["ls"]]
"""
