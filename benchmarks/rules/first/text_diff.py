TARGET = "diff"
SLOW = "the whole table is filled though most lines are equal, lines are cleaned at each comparison"
SOURCE = '''"""Shows how two versions of a text differ."""


class Line:
    def __init__(self, kind, text, old=None, new=None):
        self.kind = kind
        self.text = text
        self.old = old
        self.new = new

    def __str__(self):
        return self.kind + self.text

    def __eq__(self, other):
        return isinstance(other, Line) and str(self) == str(other)


def same(a, b, ignore_space):
    if ignore_space:
        return " ".join(a.split()) == " ".join(b.split())
    return a.rstrip("\\r\\n") == b.rstrip("\\r\\n")


def lengths(old, new, ignore_space):
    table = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            if same(old[i], new[j], ignore_space):
                table[i][j] = 1 + table[i + 1][j + 1]
            else:
                table[i][j] = max(table[i + 1][j], table[i][j + 1])
    return table


def diff(old, new, ignore_space=False):
    """Lines of both texts, with a blank, - or + in front, removed ones before added ones."""
    table = lengths(old, new, ignore_space)
    result = []
    i = j = 0
    while i < len(old) or j < len(new):
        if i < len(old) and j < len(new) and same(old[i], new[j], ignore_space):
            result = result + [Line(" ", new[j], i, j)]
            i, j = i + 1, j + 1
        elif j == len(new) or (i < len(old) and table[i + 1][j] >= table[i][j + 1]):
            result = result + [Line("-", old[i], old=i)]
            i += 1
        else:
            result = result + [Line("+", new[j], new=j)]
            j += 1
    return result
'''
TESTS = """from project.module import Line, diff


def shown(old, new, **options):
    return [str(line) for line in diff(old, new, **options)]


def test_equal():
    assert shown(["a", "b"], ["a", "b"]) == [" a", " b"]
    assert diff([], []) == []


def test_changed():
    assert shown(["a", "b", "c"], ["a", "x", "c"]) == [" a", "-b", "+x", " c"]


def test_added_and_removed():
    assert shown([], ["a"]) == ["+a"]
    assert shown(["a"], []) == ["-a"]


def test_repeated_lines():
    assert shown(["a", "a", "b"], ["a", "b", "a"]) == [" a", "-a", " b", "+a"]


def test_space():
    assert shown(["a  b"], ["a b "], ignore_space=True) == [" a b "]
    assert shown(["a\\r\\n"], ["a\\n"]) == [" a\\n"]


def test_numbers():
    first, second = diff(["a", "b"], ["b"])
    assert (first.old, first.new, second.old, second.new) == (0, None, 1, 0)
    assert second == Line(" ", "b")


def test_a_long_text():
    old = ["line %d\\n" % (n % 20) for n in range(80)]
    new = old[:30] + ["new\\n"] + old[32:]
    lines = shown(old, new, ignore_space=True)
    assert len(lines) == 81
    assert [line for line in lines if line[0] != " "] == ["-line 10\\n", "-line 11\\n", "+new\\n"]
"""
