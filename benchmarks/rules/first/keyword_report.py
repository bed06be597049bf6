TARGET = "keywords"
SLOW = "texts are split and cleaned for each candidate word, words are counted by going through the list"
SOURCE = '''"""The words that tell most about a text among others."""

import math

STOP_WORDS = [
    "a", "about", "after", "all", "also", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "for",
    "from", "had", "has", "have", "he", "her", "his", "if", "in", "is", "it", "its", "more", "not", "of", "on", "or",
    "she", "that", "the", "their", "there", "they", "this", "to", "was", "were", "which", "who", "will", "with", "you",
]


def words(text):
    result = []
    for word in text.lower().split():
        word = word.strip(".,;:!?()[]\\"'")
        if word and word not in STOP_WORDS and not word.isdigit():
            result.append(word)
    return result


def frequency(word, text):
    found = words(text)
    if not found:
        return 0.0
    return found.count(word) / len(found)


def rarity(word, texts):
    containing = len([text for text in texts if word in words(text)])
    return math.log((1 + len(texts)) / (1 + containing)) + 1


def keywords(text, texts, count=5):
    """The best words of the text with their weights, by term frequency and inverse document frequency."""
    scores = {}
    for word in words(text):
        scores[word] = frequency(word, text) * rarity(word, texts)
    ranked = sorted(scores.items(), key=lambda item: item[0])
    ranked = sorted(ranked, key=lambda item: item[1], reverse=True)
    return [(word, round(score, 4)) for word, score in ranked][:count]
'''
TESTS = """from project.module import keywords, rarity, words

TEXTS = ["The cat sat on the mat.", "The dog sat, too!", "A cat and a dog (and 2 birds)"]


def test_words():
    assert words("The cat -- sat: 'on' 42 mats!") == ["cat", "--", "sat", "mats"]


def test_rarity():
    assert rarity("bird", TEXTS) > rarity("mat", TEXTS) > rarity("cat", TEXTS) > 1


def test_keywords():
    assert [word for word, _ in keywords(TEXTS[0], TEXTS)] == ["mat", "cat", "sat"]


def test_weights():
    assert keywords("x y x", []) == [("x", 0.6667), ("y", 0.3333)]


def test_only_some():
    assert len(keywords("one two three", TEXTS, count=2)) == 2


def test_empty():
    assert keywords("", TEXTS) == []


def test_longer_texts():
    texts = [" ".join("word%d" % (n * k % 17) for n in range(12)) for k in range(1, 9)]
    text = " ".join("word%d" % (n * 3 % 25) for n in range(20))
    best = keywords(text, texts, count=3)
    assert [word for word, _ in best] == ["word17", "word18", "word20"]
"""
