TARGET = "Index.search"
SLOW = "words are looked up in texts one after the other, results are intersected as lists and ranked by scans"
SOURCE = '''"""Full text search over notes."""

import re
from dataclasses import dataclass, field
from datetime import date


@dataclass
class Note:
    id: int
    title: str
    text: str
    written: date
    tags: list = field(default_factory=list)


def tokens(text):
    return [token.lower() for token in re.findall(r"\\w+", text)]


class Index:
    def __init__(self, notes=()):
        self.notes = []
        self.postings = []
        for note in notes:
            self.add(note)

    def add(self, note):
        self.notes.append(note)
        for token in tokens(note.title) * 3 + tokens(note.text):
            self.postings.append((token, note.id))

    def get(self, id):
        return [note for note in self.notes if note.id == id][0]

    def containing(self, word):
        ids = []
        for token, id in self.postings:
            if token.startswith(word[:-1]) if word.endswith("*") else token == word:
                if id not in ids:
                    ids.append(id)
        return ids

    def score(self, id, words):
        return sum(self.postings.count((word, id)) for word in words)

    def search(self, query, limit=10):
        """Ids of the notes with all the words; `-word` excludes, `word*` finds beginnings, `#tag` tags."""
        result = [note.id for note in self.notes]
        wanted = []
        for part in query.lower().split():
            if part.startswith("#"):
                result = [id for id in result if part[1:] in [tag.lower() for tag in self.get(id).tags]]
            elif part.startswith("-"):
                result = [id for id in result if id not in self.containing(part[1:])]
            else:
                result = [id for id in result if id in self.containing(part)]
                wanted.append(part)
        result.sort(key=lambda id: (-self.score(id, wanted), -self.get(id).written.toordinal(), id))
        return result[:limit]
'''
TESTS = """from datetime import date, timedelta

import pytest

from project.module import Index, Note, tokens


@pytest.fixture
def index():
    return Index(
        [
            Note(1, "Tea", "Green tea and black tea", date(2020, 1, 1), ["Drinks"]),
            Note(2, "Shopping", "bread, tea, milk", date(2020, 1, 2)),
            Note(3, "Bread", "flour and water", date(2020, 1, 3), ["recipes", "food"]),
        ]
    )


def test_tokens():
    assert tokens("Über-uns: 2 x") == ["über", "uns", "2", "x"]


def test_best_first(index):
    assert index.search("tea") == [1, 2]
    assert index.search("BREAD") == [3, 2]


def test_all_words(index):
    assert index.search("tea milk") == [2]
    assert index.search("tea flour") == []


def test_excluded(index):
    assert index.search("tea -milk") == [1]


def test_beginnings(index):
    assert index.search("wat*") == [3]


def test_tags(index):
    assert index.search("#food") == [3]
    assert index.search("#drinks black") == [1]


def test_everything_newest_first(index):
    assert index.search("", limit=2) == [3, 2]


def test_many_notes():
    notes = [
        Note(n, "note %d" % n, "word%d word%d common" % (n % 5, n % 7), date(2020, 1, 1) + timedelta(n % 9))
        for n in range(60)
    ]
    index = Index(notes)
    assert index.search("word1 common -word2", limit=3) == [1, 36, 8]
"""
