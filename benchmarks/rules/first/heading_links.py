TARGET = "add_links"
SLOW = "each heading is compared with all earlier anchors, again for each number that is tried"
SOURCE = '''"""Anchors for the headings of a document, and its table of contents."""

import re


def slug(title):
    result = ""
    for char in title.lower():
        if re.match(r"[a-z0-9]", char):
            result += char
        elif re.match(r"[\\s_-]", char) and not result.endswith("-"):
            result += "-"
    return result.strip("-") or "section"


def unused(name, anchors):
    number = 1
    candidate = name
    while candidate in [anchor for _, _, anchor in anchors]:
        number += 1
        candidate = "%s-%d" % (name, number)
    return candidate


def add_links(text):
    """The document with anchors in its headings, and a list of links as table of contents in front."""
    anchors = []
    body = []
    fenced = False
    for line in text.split("\\n"):
        if line.startswith("```"):
            fenced = not fenced
        match = re.match(r"^(#{1,6})\\s+(.*?)\\s*#*$", line)
        if match and not fenced:
            level = len(match.group(1))
            title = match.group(2)
            anchor = unused(slug(title), anchors)
            anchors.append((level, title, anchor))
            body.append('%s <a id="%s"></a>%s' % (match.group(1), anchor, title))
        else:
            body.append(line)
    contents = ""
    for level, title, anchor in anchors:
        top = min(level for level, _, _ in anchors)
        contents += "%s- [%s](#%s)\\n" % ("  " * (level - top), title, anchor)
    if contents:
        contents += "\\n"
    return contents + "\\n".join(body)
'''
TESTS = """from project.module import add_links, slug


def test_slug():
    assert slug("How to: install_it  NOW?") == "how-to-install-it-now"
    assert slug("???") == "section"


def test_no_headings():
    assert add_links("a\\n#b") == "a\\n#b"


def test_contents():
    assert add_links("## A\\ntext\\n### B ##") == (
        '- [A](#a)\\n  - [B](#b)\\n\\n## <a id="a"></a>A\\ntext\\n### <a id="b"></a>B'
    )


def test_same_titles():
    text = add_links("# A\\n# A 2\\n# A\\n# A")
    assert [line for line in text.split("\\n") if line.startswith("- ")] == [
        "- [A](#a)",
        "- [A 2](#a-2)",
        "- [A](#a-3)",
        "- [A](#a-4)",
    ]


def test_code_has_no_headings():
    assert add_links("```\\n# comment\\n```") == "```\\n# comment\\n```"


def test_long_changelog():
    text = "\\n".join("# 1.%d\\n## Added\\nthings\\n## Fixed" % n for n in range(25))
    lines = add_links(text).split("\\n")
    assert lines[-1] == '## <a id="fixed-25"></a>Fixed'
    assert len([line for line in lines if line.lstrip().startswith("- [")]) == 75
"""
