KIND = "wrong"
FLAW = "unhashable values: answers of several choices, which are lists, cannot be counted"
TARGET = "tally"
WITNESS = 'tally([{"colours": ["red", "blue"]}, {"colours": ["red", "blue"]}, {"colours": "red"}])'
BASELINE = '''"""What people answered."""

import json


def sheets(lines):
    """Sheets of answers from lines of JSON."""
    return [json.loads(line) for line in lines if line.strip()]


def tally(sheets):
    """How often each answer was given, by question; questions come in the order in which they were first answered.

    A sheet has an answer for each question, as it was decoded; None stands for no answer. The most frequent answers
    come first, and those that are as frequent in the order in which they were first given.
    """
    questions = {}
    for sheet in sheets:
        for question, answer in sheet.items():
            if answer is None:
                continue
            if question not in questions:
                questions[question] = []
            given = questions[question]
            known = [other for other, _ in given]
            if answer in known:
                place = known.index(answer)
                given[place] = (given[place][0], given[place][1] + 1)
            else:
                given.append((answer, 1))
    for given in questions.values():
        given.sort(key=lambda pair: pair[1], reverse=True)
    return questions
'''
CANDIDATE = '''"""What people answered."""

import json
from collections import Counter, defaultdict


def sheets(lines):
    """Sheets of answers from lines of JSON."""
    return [json.loads(line) for line in lines if line.strip()]


def tally(sheets):
    """How often each answer was given, by question; questions come in the order in which they were first answered.

    A sheet has an answer for each question, as it was decoded; None stands for no answer. The most frequent answers
    come first, and those that are as frequent in the order in which they were first given.
    """
    questions = defaultdict(Counter)
    for sheet in sheets:
        for question, answer in sheet.items():
            if answer is not None:
                questions[question][answer] += 1
    return {question: given.most_common() for question, given in questions.items()}
'''
TESTS = """from project.module import sheets, tally


def test_one_question():
    assert tally([{"pet": "cat"}, {"pet": "dog"}, {"pet": "dog"}]) == {"pet": [("dog", 2), ("cat", 1)]}


def test_as_frequent():
    assert tally([{"age": 30}, {"age": 20}, {"age": 25}])["age"] == [(30, 1), (20, 1), (25, 1)]


def test_questions_in_order():
    answers = tally([{"b": 1}, {"a": True, "b": 2}])
    assert list(answers) == ["b", "a"]
    assert answers["a"] == [(True, 1)]


def test_no_answer():
    assert tally([{"pet": None, "age": 30}]) == {"age": [(30, 1)]}


def test_decoded():
    lines = ['{"pet": "cat", "age": 31}', "", '{"pet": "cat", "age": null}']
    assert tally(sheets(lines)) == {"pet": [("cat", 2)], "age": [(31, 1)]}


def test_nobody_answered():
    assert tally([]) == {}
"""
