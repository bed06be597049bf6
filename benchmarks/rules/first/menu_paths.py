TARGET = "breadcrumbs"
SLOW = "the parent of each page is searched in the list of all pages, at every step up"
SOURCE = '''"""The navigation of a site, from the pages in its database."""

from dataclasses import dataclass
from typing import Optional


@dataclass
class Page:
    id: int
    title: str
    parent: Optional[int] = None
    position: int = 0
    visible: bool = True


class BrokenTree(Exception):
    pass


def get(pages, id):
    for page in pages:
        if page.id == id:
            return page
    return None


def ancestors(pages, page):
    chain = []
    while page.parent is not None:
        parent = get(pages, page.parent)
        if parent is None or parent in chain:
            raise BrokenTree("page %d" % page.id)
        chain.insert(0, parent)
        page = parent
    return chain


def breadcrumbs(pages, separator=" / "):
    """The path to each page that can be reached, in the order of the menu."""
    lines = []
    for page in pages:
        above = ancestors(pages, page)
        if not page.visible or not all(p.visible for p in above):
            continue
        key = [(p.position, p.title.lower()) for p in above] + [(page.position, page.title.lower())]
        text = separator.join([p.title for p in above] + [page.title])
        lines.append((key, text, page.id))
    lines.sort()
    return [(id, text) for _, text, id in lines]
'''
TESTS = """import pytest

from project.module import BrokenTree, Page, ancestors, breadcrumbs

PAGES = [
    Page(1, "Home"),
    Page(5, "Tea", parent=3),
    Page(2, "About", position=2),
    Page(3, "Shop", position=1),
    Page(4, "bread", parent=3),
    Page(6, "Green", parent=5),
]


def test_ancestors():
    assert [page.id for page in ancestors(PAGES, PAGES[-1])] == [3, 5]
    assert ancestors(PAGES, PAGES[0]) == []


def test_breadcrumbs():
    assert breadcrumbs(PAGES) == [
        (1, "Home"),
        (3, "Shop"),
        (4, "Shop / bread"),
        (5, "Shop / Tea"),
        (6, "Shop / Tea / Green"),
        (2, "About"),
    ]


def test_hidden_branch():
    pages = [Page(1, "A", visible=False), Page(2, "B", parent=1), Page(3, "C")]
    assert breadcrumbs(pages) == [(3, "C")]


def test_missing_parent():
    with pytest.raises(BrokenTree, match="page 2"):
        breadcrumbs([Page(2, "B", parent=1)])


def test_circle():
    with pytest.raises(BrokenTree):
        breadcrumbs([Page(1, "A", parent=2), Page(2, "B", parent=1)])


def test_empty():
    assert breadcrumbs([]) == []


def test_large_site():
    pages = [Page(0, "root")] + [Page(n, "p%d" % n, parent=(n - 1) // 3, position=n % 3) for n in range(1, 121)]
    lines = breadcrumbs(list(reversed(pages)), ">")
    assert len(lines) == 121
    assert lines[0] == (0, "root")
    assert (120, "root>p3>p12>p39>p120") in lines
"""
