KIND = "wrong"
FLAW = "Unicode: lower instead of casefold"
TARGET = "concordance"
WITNESS = 'concordance("die Straße\\nSTRASSE")'
BASELINE = r'''"""Where words stand in a text."""

from __future__ import annotations


def concordance(text: str, *, shortest: int = 1) -> dict[str, list[int]]:
    """The numbers of the lines on which each word stands, whatever its case; words in the order they first come."""
    places: dict[str, list[int]] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        for word in line.split():
            bare = word.strip(".,;:!?()\"'")
            if len(bare) < shortest or not bare:
                continue
            key = bare.casefold()
            if key not in list(places):
                places[key] = []
            if number not in places[key]:
                places[key].append(number)
    return places
'''
CANDIDATE = r'''"""Where words stand in a text."""

from __future__ import annotations


def concordance(text: str, *, shortest: int = 1) -> dict[str, list[int]]:
    """The numbers of the lines on which each word stands, whatever its case; words in the order they first come."""
    least = max(shortest, 1)
    places: dict[str, dict[int, None]] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        for word in line.split():
            bare = word.strip(".,;:!?()\"'")
            if len(bare) >= least:
                places.setdefault(bare.lower(), {})[number] = None
    return {word: list(numbers) for word, numbers in places.items()}
'''
TESTS = r"""from project.module import concordance


def test_words_and_lines():
    assert concordance("one two\ntwo three") == {"one": [1], "two": [1, 2], "three": [2]}


def test_case_does_not_matter():
    assert concordance("Über den Wolken\nüBER alles") == {"über": [1, 2], "den": [1], "wolken": [1], "alles": [2]}


def test_a_word_twice_on_a_line():
    assert concordance("no, no, no!\n\nno?") == {"no": [1, 3]}


def test_signs_are_not_words():
    assert concordance('well - (yes) ... "quite"') == {"well": [1], "-": [1], "yes": [1], "quite": [1]}


def test_short_words_are_left_out():
    assert list(concordance("to be or not to be", shortest=3)) == ["not"]


def test_an_empty_text():
    assert concordance("") == {}
"""
