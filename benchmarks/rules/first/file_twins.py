TARGET = "find_twins"
SLOW = "contents are hashed again at each comparison, and each file is compared with all others"
SOURCE = '''"""Files with the same contents, in a tree that is given as a dictionary from path to contents."""

import hashlib
import posixpath


class Entry:
    def __init__(self, path, content):
        self.path = path
        self.content = content

    @property
    def size(self):
        return len(self.content)

    @property
    def digest(self):
        sha = hashlib.sha256()
        for start in range(0, len(self.content), 64):
            sha.update(self.content[start : start + 64])
        return sha.hexdigest()

    @property
    def hidden(self):
        return any(part.startswith(".") for part in self.path.split("/"))

    def same_as(self, other):
        return self.digest == other.digest


def find_twins(tree, include_hidden=False, smallest=1):
    """Groups of paths with equal contents; the group that wastes most first, in a group the shortest path first."""
    entries = []
    for path in sorted(tree):
        entry = Entry(posixpath.normpath(path), tree[path])
        if entry.size >= smallest and (include_hidden or not entry.hidden):
            entries.append(entry)
    groups = []
    seen = []
    for i in range(len(entries)):
        if entries[i].path in seen:
            continue
        group = [entries[i]]
        for j in range(i + 1, len(entries)):
            if entries[i].same_as(entries[j]):
                group.append(entries[j])
                seen.append(entries[j].path)
        if len(group) > 1:
            groups.append(group)
    groups.sort(key=lambda group: -group[0].size * (len(group) - 1))
    return [sorted([entry.path for entry in group], key=lambda path: (len(path), path)) for group in groups]
'''
TESTS = """from project.module import find_twins


def test_none():
    assert find_twins({}) == []
    assert find_twins({"a": b"1", "b": b"2"}) == []


def test_twins():
    tree = {"docs/copy.txt": b"abc", "./a.txt": b"abc", "b.txt": b"xyz"}
    assert find_twins(tree) == [["a.txt", "docs/copy.txt"]]


def test_most_waste_first():
    tree = {"a": b"1", "b": b"1", "c": b"22", "d": b"22", "e": b"3", "f": b"3", "g": b"3", "h": b"3"}
    assert find_twins(tree) == [["e", "f", "g", "h"], ["c", "d"], ["a", "b"]]


def test_empty_files_are_no_twins():
    assert find_twins({"a": b"", "b": b""}) == []
    assert find_twins({"a": b"", "b": b""}, smallest=0) == [["a", "b"]]


def test_hidden():
    tree = {".git/a": b"x", "a": b"x"}
    assert find_twins(tree) == []
    assert find_twins(tree, include_hidden=True) == [["a", ".git/a"]]


def test_a_tree():
    tree = {"dir%d/file%d" % (n % 7, n): b"content %d" % (n % 40) * 10 for n in range(60)}
    groups = find_twins(tree)
    assert len(groups) == 20
    assert groups[0] == ["dir0/file14", "dir5/file54"]
"""
