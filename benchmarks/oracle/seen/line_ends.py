KIND = "wrong"
FLAW = "block border: a carriage return at the end of a block and the newline after it are counted apart"
TARGET = "line_ends"
WITNESS = 'line_ends(io.BytesIO(b"x" * 16383 + b"\\r\\n"))'
BASELINE = '''"""How the lines of files end."""

import io


def line_ends(stream):
    """How many lines of a binary stream end in which way, and whether there is something after the last end."""
    data = stream.read()
    ends = {"dos": 0, "unix": 0, "mac": 0}
    open_end = False
    place = 0
    while place < len(data):
        if data[place : place + 2] == b"\\r\\n":
            ends["dos"] += 1
            open_end = False
            place += 2
            continue
        if data[place : place + 1] == b"\\n":
            ends["unix"] += 1
            open_end = False
        elif data[place : place + 1] == b"\\r":
            ends["mac"] += 1
            open_end = False
        else:
            open_end = True
        place += 1
    ends["open"] = open_end
    return ends


def uniform(text):
    """Whether all lines of a text end in the same way."""
    ends = line_ends(io.BytesIO(text.encode()))
    return sum(1 for kind in ("dos", "unix", "mac") if ends[kind]) <= 1
'''
CANDIDATE = '''"""How the lines of files end."""

import io

BLOCK = 1 << 14


def line_ends(stream):
    """How many lines of a binary stream end in which way, and whether there is something after the last end."""
    dos = unix = mac = 0
    open_end = False
    while True:
        block = stream.read(BLOCK)
        if not block:
            break
        both = block.count(b"\\r\\n")
        dos += both
        unix += block.count(b"\\n") - both
        mac += block.count(b"\\r") - both
        open_end = not block.endswith((b"\\n", b"\\r"))
    return {"dos": dos, "unix": unix, "mac": mac, "open": open_end}


def uniform(text):
    """Whether all lines of a text end in the same way."""
    ends = line_ends(io.BytesIO(text.encode()))
    return sum(1 for kind in ("dos", "unix", "mac") if ends[kind]) <= 1
'''
TESTS = """import io

from project.module import line_ends, uniform


def test_dos():
    assert line_ends(io.BytesIO(b"a\\r\\nb\\r\\n")) == {"dos": 2, "unix": 0, "mac": 0, "open": False}


def test_all_kinds():
    assert line_ends(io.BytesIO(b"a\\nb\\rc\\r\\n\\n")) == {"dos": 1, "unix": 2, "mac": 1, "open": False}


def test_something_after_the_last_end():
    assert line_ends(io.BytesIO(b"a\\nb"))["open"] is True


def test_a_file(tmp_path):
    path = tmp_path / "long.txt"
    path.write_bytes(b"0123456789\\n" * 5000)
    with path.open("rb") as stream:
        assert line_ends(stream) == {"dos": 0, "unix": 5000, "mac": 0, "open": False}


def test_nothing():
    assert line_ends(io.BytesIO()) == {"dos": 0, "unix": 0, "mac": 0, "open": False}


def test_uniform():
    assert uniform("a\\r\\nb\\r\\n")
    assert not uniform("a\\r\\nb\\n")
"""
