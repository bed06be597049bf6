TARGET = "load"
SLOW = "the file is parsed again for each setting, and references are searched among all settings"
SOURCE = '''"""Configuration files with sections and references: `path = ${paths.root}/log`."""

import re


class ConfigError(Exception):
    pass


def parse(text):
    """(section, name, value) for each setting; lines that are indented continue the value above."""
    settings = []
    section = "general"
    for number, line in enumerate(text.split("\\n"), 1):
        if re.match(r"^\\s*([#;].*)?$", line):
            continue
        header = re.match(r"^\\[([\\w-]+)\\]\\s*$", line)
        if header:
            section = header.group(1)
        elif re.match(r"^\\s", line) and settings:
            section_before, name, value = settings.pop()
            settings.append((section_before, name, value + " " + line.strip()))
        elif "=" in line:
            name, value = line.split("=", 1)
            settings.append((section, name.strip(), value.strip()))
        else:
            raise ConfigError("line %d: %r" % (number, line))
    return settings


def value_of(settings, section, name):
    found = [value for s, n, value in settings if s == section and n == name]
    if not found:
        raise ConfigError("unknown: %s.%s" % (section, name))
    return found[-1]


def expand(settings, section, value, depth=0):
    if depth > 10:
        raise ConfigError("too deep: %s" % value)
    reference = re.search(r"\\$\\{([\\w-]+\\.)?([\\w-]+)\\}", value)
    while reference:
        owner = (reference.group(1) or section + ".")[:-1]
        inner = expand(settings, owner, value_of(settings, owner, reference.group(2)), depth + 1)
        value = value[: reference.start()] + inner + value[reference.end() :]
        reference = re.search(r"\\$\\{([\\w-]+\\.)?([\\w-]+)\\}", value)
    return value


def load(text):
    result = {}
    for section, name, _ in parse(text):
        settings = parse(text)
        result.setdefault(section, {})
        result[section][name] = expand(settings, section, value_of(settings, section, name))
    return result
'''
TESTS = """import pytest

from project.module import ConfigError, load, parse


def test_parse():
    text = "a = 1\\n# no\\n[x]\\nb=2\\n   3\\n\\n; no\\nc = = "
    assert parse(text) == [("general", "a", "1"), ("x", "b", "2 3"), ("x", "c", "=")]


def test_load():
    assert load("[x]\\na = 1\\n[y]\\nb = 2") == {"x": {"a": "1"}, "y": {"b": "2"}}
    assert load("") == {}


def test_references():
    values = load("a = x\\nb = ${a}${a}\\n[y]\\nc = <${general.b}>")
    assert values == {"general": {"a": "x", "b": "xx"}, "y": {"c": "<xx>"}}


def test_the_last_value_counts():
    assert load("a = 1\\nb = ${a}\\na = 2") == {"general": {"a": "2", "b": "2"}}


def test_errors():
    with pytest.raises(ConfigError, match="line 2: 'what'"):
        load("a = 1\\nwhat")
    with pytest.raises(ConfigError, match=r"unknown: general\\.b"):
        load("a = ${b}")
    with pytest.raises(ConfigError, match="too deep"):
        load("a = ${b}\\nb = ${a}")


def test_many_sections():
    text = "[paths]\\nroot = /srv\\ndata = ${root}/data\\n"
    for n in range(10):
        text += "[site%d]\\nname = s%d\\nlog = ${paths.data}/${name}.log\\nold = ${log}.1\\n" % (n, n)
    values = load(text)
    assert values["site9"] == {"name": "s9", "log": "/srv/data/s9.log", "old": "/srv/data/s9.log.1"}
"""
