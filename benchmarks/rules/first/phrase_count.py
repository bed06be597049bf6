TARGET = "common_phrases"
SLOW = "the list of phrases is searched anew for each of them, and shorter phrases are compared with all longer ones"
SOURCE = '''"""The phrases that a writer uses too often."""

import re

FILLERS = ["the", "a", "an", "of", "and", "to", "in", "is", "was", "it"]


def sentences(text):
    return [part.strip() for part in re.split(r"[.!?]+(?:\\s+|$)", text) if part.strip()]


def phrases(text, length):
    found = []
    for sentence in sentences(text):
        words = re.findall(r"[a-z']+", sentence.lower())
        for start in range(len(words) - length + 1):
            phrase = ""
            for word in words[start : start + length]:
                phrase = phrase + word + " "
            found.append(phrase.strip())
    return found


def dull(phrase):
    return all(word in FILLERS for word in phrase.split())


def common_phrases(text, longest=5, least=3):
    """(count, phrase) that occur at least so often, without those that are only part of a longer one as frequent."""
    result = []
    for length in range(longest, 1, -1):
        found = phrases(text, length)
        for phrase in found:
            count = found.count(phrase)
            if count < least or dull(phrase):
                continue
            if (count, phrase) in result:
                continue
            covered = [p for c, p in result if c == count and " " + phrase + " " in " " + p + " "]
            if not covered:
                result.append((count, phrase))
    return sorted(result, key=lambda pair: (-pair[0], -len(pair[1]), pair[1]))
'''
TESTS = """from project.module import common_phrases, phrases, sentences


def test_sentences():
    assert sentences("One. Two!  Three?? 3.5 is four.") == ["One", "Two", "Three", "3.5 is four"]


def test_phrases():
    assert phrases("It's a cat. No dog", 2) == ["it's a", "a cat", "no dog"]
    assert phrases("Short.", 2) == []


def test_nothing():
    assert common_phrases("") == []
    assert common_phrases("one two three. one two") == []


def test_longer_phrases_win():
    text = "At the end of the day it rains. At the end of the day. And at the end of the day, too."
    assert common_phrases(text) == [(3, "the end of the day"), (3, "at the end of the")]


def test_more_frequent_parts_are_kept():
    text = "red green blue. red green blue. red green blue. red green."
    assert common_phrases(text) == [(4, "red green"), (3, "red green blue")]


def test_dull_phrases():
    assert common_phrases("of the. of the. of the.") == []


def test_a_page():
    words = ["alpha", "beta", "gamma", "delta", "the", "of", "omega"]
    text = ". ".join(" ".join(words[(n * k + k) % 7] for k in range(8)) for n in range(30))
    found = common_phrases(text)
    assert found[0] == (28, "alpha alpha")
    assert len(found) == 28
"""
