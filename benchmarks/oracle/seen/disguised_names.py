KIND = "wrong"
FLAW = "overflow of a small cache: of more than 128 speakers, one that was silent for long gets a new number"
TARGET = "disguised"
WITNESS = 'disguised([f"Juror {number}: Yes." for number in range(130)] + ["Juror 0: No."])[-1]'
BASELINE = '''"""Minutes that may be published."""

from __future__ import annotations

import re


def disguised(lines: list[str], *, title: str = "Person") -> list[str]:
    """The lines with a number for each speaker, in the order in which they first speak.

    What somebody says comes after "Name: "; other lines stay. Case and further spaces in a name do not matter.
    """
    speakers: list[str] = []
    result = []
    for line in lines:
        match = re.match(r"([^:]+):\\s+(.*)", line)
        if match is None or not match.group(1).strip():
            result.append(line)
            continue
        name = " ".join(match.group(1).split()).casefold()
        if name not in speakers:
            speakers.append(name)
        result.append(f"{title} {speakers.index(name) + 1}: {match.group(2)}")
    return result
'''
CANDIDATE = '''"""Minutes that may be published."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import count

_SPEECH = re.compile(r"([^:]+):\\s+(.*)")


def disguised(lines: list[str], *, title: str = "Person") -> list[str]:
    """The lines with a number for each speaker, in the order in which they first speak.

    What somebody says comes after "Name: "; other lines stay. Case and further spaces in a name do not matter.
    """
    numbers = count(1)

    @lru_cache
    def speaker(name: str) -> str:
        return f"{title} {next(numbers)}"

    result = []
    for line in lines:
        match = _SPEECH.match(line)
        if match is None or not match[1].strip():
            result.append(line)
            continue
        name = " ".join(match[1].split()).casefold()
        result.append(f"{speaker(name)}: {match[2]}")
    return result
'''
TESTS = """from project.module import disguised


def test_numbers_in_order():
    assert disguised(["Ann: Hello.", "Bob: Hi.", "Ann: Bye."]) == [
        "Person 1: Hello.",
        "Person 2: Hi.",
        "Person 1: Bye.",
    ]


def test_case_and_spaces():
    assert disguised(["Ann Lee: Yes.", "ANN  LEE: No."]) == ["Person 1: Yes.", "Person 1: No."]


def test_other_lines_stay():
    lines = ["Minutes of 3 May", "", "(applause)", "10:30"]
    assert disguised(lines) == lines


def test_colons_in_what_is_said():
    assert disguised(["Bob: Note: it rains."]) == ["Person 1: Note: it rains."]


def test_a_title():
    assert disguised(["Ann: Guilty."], title="Juror") == ["Juror 1: Guilty."]


def test_numbers_start_anew():
    disguised(["Ann: Hello."])
    assert disguised(["Bob: Hello."]) == ["Person 1: Hello."]


def test_many():
    lines = disguised([f"Speaker {number}: Here." for number in range(40)])
    assert lines[39] == "Person 40: Here."
"""
