TARGET = "suggest"
SLOW = "the full distance to each known word is computed, by recursion with slices"
SOURCE = '''"""Suggestions for what was mistyped."""


def distance(a, b, known=None):
    if known is None:
        known = {}
    if (a, b) in known.keys():
        return known[(a, b)]
    if not a or not b:
        result = len(a) + len(b)
    elif a[0] == b[0]:
        result = distance(a[1:], b[1:], known)
    else:
        options = [
            distance(a[1:], b, known),
            distance(a, b[1:], known),
            distance(a[1:], b[1:], known),
        ]
        if len(a) > 1 and len(b) > 1 and a[0] == b[1] and a[1] == b[0]:
            options.append(distance(a[2:], b[2:], known))
        result = 1 + min(options)
    known[(a, b)] = result
    return result


def suggest(word, vocabulary, count=3, most=None):
    """The words that are nearest to what was typed; not more than a third of its letters may be wrong."""
    if most is None:
        most = max(1, len(word) // 3)
    found = []
    for candidate in vocabulary:
        away = distance(word.lower(), candidate.lower())
        if away <= most:
            found.append((away, abs(len(candidate) - len(word)), candidate))
    found.sort()
    return [candidate for _, _, candidate in found[:count]]
'''
TESTS = """from project.module import distance, suggest

COMMANDS = ["checkout", "cherry-pick", "commit", "config", "clone", "clean", "merge", "rebase", "status", "stash"]


def test_distance():
    assert distance("", "abc") == 3
    assert distance("kitten", "sitting") == 3
    assert distance("ab", "ba") == 1
    assert distance("same", "same") == 0


def test_suggest():
    assert suggest("comit", COMMANDS) == ["commit"]
    assert suggest("claen", COMMANDS) == ["clean"]


def test_nearest_first():
    assert suggest("clon", COMMANDS, most=3) == ["clone", "clean"]
    assert suggest("clon", COMMANDS, count=1, most=3) == ["clone"]


def test_nothing_near():
    assert suggest("xyzzy", COMMANDS) == []
    assert suggest("x", []) == []


def test_case_does_not_matter():
    assert suggest("MERGE", ["Merge"]) == ["Merge"]


def test_long_word():
    words = ["configuration", "conflagration", "confirmation", "consideration", "information", "transaction"]
    assert suggest("cofniguration", words, count=1) == ["configuration"]
"""
