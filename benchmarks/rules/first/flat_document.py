TARGET = "flatten"
SLOW = "a dictionary is made at each level and merged into a new one for each key"
SOURCE = '''"""Nested documents as flat ones, for export to columns."""


def join(prefix, key):
    key = str(key).replace(".", "\\\\.")
    return prefix + "." + key if prefix else key


def flatten(document, prefix="", keep_empty=False):
    """{"a": {"b": [1, 2]}} becomes {"a.b.0": 1, "a.b.1": 2}."""
    result = {}
    if isinstance(document, dict):
        for key in document.keys():
            child = flatten(document[key], join(prefix, key), keep_empty)
            result = {**result, **child}
        if keep_empty and len(document) == 0:
            result = {**result, prefix: None}
    elif isinstance(document, (list, tuple)):
        for number in range(len(document)):
            child = flatten(document[number], join(prefix, number), keep_empty)
            result = {**result, **child}
        if keep_empty and len(document) == 0:
            result = {**result, prefix: None}
    elif document is not None or keep_empty:
        result = {**result, prefix: document}
    return result


def columns(documents):
    """The columns of all documents, in the order in which they turn up."""
    names = []
    for document in documents:
        for name in flatten(document).keys():
            if name not in names:
                names.append(name)
    return names
'''
TESTS = """from project.module import columns, flatten


def test_nested():
    assert flatten({"a": {"b": [1, {"c": 2}]}, "d": "x"}) == {"a.b.0": 1, "a.b.1.c": 2, "d": "x"}


def test_order_is_kept():
    assert list(flatten({"z": 1, "a": {"y": 2, "b": 3}})) == ["z", "a.y", "a.b"]


def test_nothing_is_left_out_on_request():
    document = {"a": None, "b": [], "c": {}}
    assert flatten(document) == {}
    assert flatten(document, keep_empty=True) == {"a": None, "b": None, "c": None}


def test_points_in_keys():
    assert flatten({"a.b": {"c": 1}}) == {"a\\\\.b.c": 1}


def test_plain_value():
    assert flatten(5) == {"": 5}


def test_columns():
    assert columns([{"a": 1, "b": {"c": 2}}, {"b": {"d": 1}, "a": 2}]) == ["a", "b.c", "b.d"]


def test_large_document():
    document = {"orders": [{"id": n, "lines": [{"sku": n, "count": 1}, {"sku": 0, "note": None}]} for n in range(100)]}
    flat = flatten(document)
    assert len(flat) == 400
    assert flat["orders.99.lines.0.sku"] == 99
"""
