"""A page taken apart, and what must never be in one."""

from __future__ import annotations

import re
from html.parser import HTMLParser

VOID = {"meta", "br"}
TAGS = {
    *("html", "head", "meta", "title", "style", "script", "body", "header", "main", "footer", "section", "div", "span"),
    *(
        "p",
        "b",
        "a",
        "bdi",
        "small",
        "time",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "ul",
        "ol",
        "li",
        "dl",
        "dt",
        "dd",
        "figure",
    ),
    *(
        "figure",
        "figcaption",
        "svg",
        "line",
        "rect",
        "circle",
        "text",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    ),
    *("g", "details", "summary", "pre", "code", "ins", "del", "mark"),
}
ATTRIBUTES = {
    *("lang", "charset", "http-equiv", "content", "name", "type", "class", "id", "href", "scope", "title", "datetime"),
    *("aria-label", "aria-labelledby", "aria-hidden", "role", "tabindex", "open", "width", "height", "x", "y", "x1"),
    *("x2", "y1", "y2", "cx", "cy", "r", "text-anchor", "data-sort", "data-first", "data-number", "data-n"),
}


class Outline(HTMLParser):
    """What a page is made of; fails where its elements do not close in order."""

    def __init__(self, document: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.contents: dict[str, list[str]] = {}
        self.feed(document)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        assert len(dict(attributes)) == len(attributes)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "script"):
            self.texts.append(data)
        for tag in self.open:
            self.contents.setdefault(tag, []).append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for found, attributes in self.elements if found == tag]

    @property
    def text(self) -> str:
        return "".join(self.texts)


def check_harmless(found: Outline) -> None:
    """No element, attribute or address that is not ours, and one script: the one that the policy names."""
    assert {tag for tag, _ in found.elements} <= TAGS
    assert {name for _, attributes in found.elements for name in attributes} <= ATTRIBUTES
    ids = [attributes["id"] for _, attributes in found.elements if "id" in attributes]
    assert len(set(ids)) == len(ids)
    for link in found.all("a"):
        assert (link["href"] or "")[:1] == "#"
        assert (link["href"] or "")[1:] in ids
    assert len(found.all("script")) == len(found.all("style")) == 1
    assert all(re.fullmatch(r"[\n\t\x20-\x7e\xa0-\U0010ffff]*", text) for text in found.texts)
