TARGET = "render"
SLOW = "the rest of the text is cut off for each placeholder, and the whole is put together again"
SOURCE = '''"""Fills the templates of our mails: {{ name }}, {{ order.total | money }}, {{ name | default: you }}."""

import re

FILTERS = {
    "upper": lambda value, _: str(value).upper(),
    "title": lambda value, _: str(value).title(),
    "money": lambda value, _: "{:,.2f}".format(float(value)),
    "default": lambda value, argument: argument if value in (None, "") else value,
    "cut": lambda value, argument: str(value)[: int(argument)],
}


class TemplateError(ValueError):
    pass


def lookup(context, dotted):
    value = context
    for part in dotted.split("."):
        if isinstance(value, dict):
            value = value.get(part)
        elif isinstance(value, (list, tuple)) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            value = getattr(value, part, None)
    return value


def apply_filters(value, filters):
    for text in filters:
        name, _, argument = text.partition(":")
        if name.strip() not in FILTERS.keys():
            raise TemplateError("unknown filter %r" % name.strip())
        value = FILTERS[name.strip()](value, argument.strip())
    return value


def render(template, context):
    text = template
    start = 0
    while True:
        match = re.search(r"\\{\\{(.*?)\\}\\}", text[start:], re.DOTALL)
        if match is None:
            break
        pieces = match.group(1).split("|")
        value = lookup(context, pieces[0].strip())
        value = apply_filters(value, pieces[1:])
        shown = "" if value is None else str(value)
        text = text[: start + match.start()] + shown + text[start + match.end() :]
        start = start + match.start() + len(shown)
    return text
'''
TESTS = """import pytest

from project.module import TemplateError, lookup, render


def test_values():
    assert render("Dear {{ name }}, {{missing}}!", {"name": "Ann"}) == "Dear Ann, !"


def test_lookup():
    class Order:
        total = 5

    assert lookup({"order": Order()}, "order.total") == 5
    assert lookup({"items": [{"n": 1}]}, "items.0.n") == 1
    assert lookup({"items": []}, "items.0.n") is None


def test_filters():
    assert render("{{ a | upper }} {{ b | money }}", {"a": "x", "b": "1234.5"}) == "X 1,234.50"
    assert render("{{ a | default: you | title }}", {}) == "You"
    assert render("{{ a | cut: 2 }}", {"a": "abc"}) == "ab"


def test_values_are_not_rendered_again():
    assert render("{{ a }}{{ b }}", {"a": "{{ b }}", "b": 2}) == "{{ b }}2"


def test_unknown_filter():
    with pytest.raises(TemplateError, match="'loud'"):
        render("{{ a | loud }}", {"a": 1})


def test_long_mail():
    line = "Item {{ items.%d.name | title }}: {{ items.%d.price | money }} EUR\\n"
    template = "".join(line % (n, n) for n in range(400))
    context = {"items": [{"name": "thing %d" % n, "price": n * 1000} for n in range(400)]}
    text = render(template, context)
    assert text.startswith("Item Thing 0: 0.00 EUR\\n")
    assert text.endswith("Item Thing 399: 399,000.00 EUR\\n")
    assert len(text.splitlines()) == 400
"""
