TARGET = "render_threads"
SLOW = "the replies to a comment are searched among all, their number and the newest date again at each level"
SOURCE = '''"""Shows discussions as indented text."""

import textwrap
from dataclasses import dataclass
from datetime import datetime
from typing import Optional


@dataclass
class Comment:
    id: int
    author: str
    text: str
    written: str
    reply_to: Optional[int] = None
    deleted: bool = False

    def when(self):
        return datetime.strptime(self.written, "%Y-%m-%d %H:%M")


def replies(comments, id):
    found = [comment for comment in comments if comment.reply_to == id]
    return sorted(found, key=lambda comment: (comment.when(), comment.id))


def size(comments, comment):
    return 1 + sum(size(comments, reply) for reply in replies(comments, comment.id))


def newest(comments, comment):
    latest = comment.when()
    for reply in replies(comments, comment.id):
        if newest(comments, reply) > latest:
            latest = newest(comments, reply)
    return latest


def render_threads(comments, parent=None, depth=0, width=60):
    """Threads with the newest comment first; replies in order. Deleted ones only show if somebody answered."""
    level = replies(comments, parent)
    if parent is None:
        level = sorted(level, key=lambda comment: newest(comments, comment), reverse=True)
    text = ""
    for comment in level:
        answers = size(comments, comment) - 1
        if comment.deleted and answers == 0:
            continue
        indent = "    " * depth
        body = "[deleted]" if comment.deleted else comment.text
        note = " (%d %s)" % (answers, "reply" if answers == 1 else "replies") if answers else ""
        text += "%s%s, %s%s\\n" % (indent, comment.author, comment.when().strftime("%d %b %H:%M"), note)
        text += textwrap.fill(body, width, initial_indent=indent + "| ", subsequent_indent=indent + "| ") + "\\n"
        text += render_threads(comments, comment.id, depth + 1, width)
    return text
'''
TESTS = """from project.module import Comment, newest, render_threads, size

COMMENTS = [
    Comment(1, "ann", "First!", "2021-01-01 10:00"),
    Comment(2, "bob", "Second, with a text that does not fit", "2021-01-01 11:00"),
    Comment(3, "eve", "No.", "2021-01-01 12:30", reply_to=1),
    Comment(4, "bob", "Why?", "2021-01-01 12:10", reply_to=1),
]


def test_size():
    assert [size(COMMENTS, comment) for comment in COMMENTS] == [3, 1, 1, 1]


def test_newest():
    assert newest(COMMENTS, COMMENTS[0]).hour == 12


def test_threads():
    assert render_threads(COMMENTS, width=24) == (
        "ann, 01 Jan 10:00 (2 replies)\\n"
        "| First!\\n"
        "    bob, 01 Jan 12:10\\n"
        "    | Why?\\n"
        "    eve, 01 Jan 12:30\\n"
        "    | No.\\n"
        "bob, 01 Jan 11:00\\n"
        "| Second, with a text\\n"
        "| that does not fit\\n"
    )


def test_deleted():
    comments = [
        Comment(1, "ann", "x", "2021-01-01 10:00", deleted=True),
        Comment(2, "bob", "y", "2021-01-01 10:01", reply_to=1),
        Comment(3, "eve", "z", "2021-01-01 10:02", reply_to=2, deleted=True),
    ]
    text = render_threads(comments)
    assert text.startswith("ann, 01 Jan 10:00 (2 replies)\\n| [deleted]\\n    bob")
    assert "eve" not in text


def test_none():
    assert render_threads([]) == ""


def test_a_long_discussion():
    comments = [
        Comment(n, "p%d" % n, "text %d" % n, "2021-02-03 10:%02d" % n, (n - 1) // 3 if n > 3 else None)
        for n in range(1, 28)
    ]
    lines = render_threads(comments).splitlines()
    assert len(lines) == 54
    assert lines[0] == "p2, 03 Feb 10:02 (9 replies)"
"""
