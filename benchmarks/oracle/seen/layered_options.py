KIND = "wrong"
FLAW = "a value of 0, False or '' is treated as missing"
TARGET = "Options.get"
WITNESS = 'Options([{"dry-run": False}, {"dry-run": True}]).get("dry-run")'
BASELINE = '''"""Options from the command line, the environment and a file, in this order."""

from __future__ import annotations

from typing import Any


class Options:
    def __init__(self, layers: list[dict[str, Any]]) -> None:
        self.layers = layers

    def get(self, name: str, default: Any = None) -> Any:
        """The value of the first layer that has one (None is none); names may be written with dashes."""
        spellings = [name, name.replace("-", "_")]
        for layer in self.layers:
            for spelling in spellings:
                if spelling in list(layer.keys()):
                    value = layer[spelling]
                    if value is not None:
                        return value
        return default

    def has(self, name: str) -> bool:
        return self.get(name) is not None
'''
CANDIDATE = '''"""Options from the command line, the environment and a file, in this order."""

from __future__ import annotations

from typing import Any


class Options:
    def __init__(self, layers: list[dict[str, Any]]) -> None:
        self.layers = layers

    def get(self, name: str, default: Any = None) -> Any:
        """The value of the first layer that has one (None is none); names may be written with dashes."""
        other = name.replace("-", "_")
        for layer in self.layers:
            value = layer.get(name) or layer.get(other)
            if value is not None:
                return value
        return default

    def has(self, name: str) -> bool:
        return self.get(name) is not None
'''
TESTS = """import pytest

from project.module import Options


@pytest.fixture
def options():
    return Options([{"port": 9000, "log-file": None}, {"port": 8000, "log_file": "app.log"}, {"host": "localhost"}])


def test_the_first_layer_wins(options):
    assert options.get("port") == 9000


def test_a_later_layer(options):
    assert options.get("host") == "localhost"


def test_none_is_no_value(options):
    assert options.get("log-file") == "app.log"


def test_a_default(options):
    assert options.get("user", "nobody") == "nobody"
    assert options.get("user") is None


def test_has(options):
    assert options.has("log-file")
    assert not options.has("user")


def test_truth_values():
    assert Options([{}, {"dry_run": True}]).get("dry-run", False) is True
    assert Options([{"quiet": False}]).get("quiet") is False
"""
