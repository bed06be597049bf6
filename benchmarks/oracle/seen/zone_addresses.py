KIND = "wrong"
FLAW = "aliasing: the list that is kept for the next question is given out itself"
TARGET = "Zone.addresses"
WITNESS = (
    '(zone := Zone(), zone.add("www", "10.0.0.1"), zone.add("www", "10.0.0.2"), '
    'zone.addresses("www").pop(), zone.addresses("www"))[-1]'
)
BASELINE = '''"""Names of machines, and the addresses behind them."""

from __future__ import annotations


class Zone:
    """Records of a zone: a name has addresses, or is another word for a name."""

    def __init__(self) -> None:
        self._records: list[tuple[str, str]] = []
        self._aliases: list[tuple[str, str]] = []

    def add(self, name: str, address: str) -> None:
        self._records.append((name.lower(), address))

    def alias(self, name: str, target: str) -> None:
        self._aliases.append((name.lower(), target.lower()))

    def addresses(self, name: str) -> list[str]:
        """All addresses of a name: its own first, then those of the names it stands for."""
        names = [name.lower()]
        for known in names:
            for alias, target in self._aliases:
                if alias == known and target not in names:
                    names.append(target)
        found: list[str] = []
        for known in names:
            for owner, address in self._records:
                if owner == known and address not in found:
                    found.append(address)
        if not found:
            raise LookupError(f"{name} has no address")
        return found
'''
CANDIDATE = '''"""Names of machines, and the addresses behind them."""

from __future__ import annotations


class Zone:
    """Records of a zone: a name has addresses, or is another word for a name."""

    def __init__(self) -> None:
        self._records: dict[str, list[str]] = {}
        self._aliases: dict[str, list[str]] = {}
        self._known: dict[str, list[str]] = {}

    def add(self, name: str, address: str) -> None:
        self._known.clear()
        self._records.setdefault(name.lower(), []).append(address)

    def alias(self, name: str, target: str) -> None:
        self._known.clear()
        self._aliases.setdefault(name.lower(), []).append(target.lower())

    def addresses(self, name: str) -> list[str]:
        """All addresses of a name: its own first, then those of the names it stands for."""
        first = name.lower()
        found = self._known.get(first)
        if found is None:
            names = {first: None}
            pending = [first]
            for known in pending:
                for target in self._aliases.get(known, ()):
                    if target not in names:
                        names[target] = None
                        pending.append(target)
            found = list(dict.fromkeys(address for known in names for address in self._records.get(known, ())))
            self._known[first] = found
        if not found:
            raise LookupError(f"{name} has no address")
        return found
'''
TESTS = """import pytest

from project.module import Zone


@pytest.fixture
def zone():
    zone = Zone()
    zone.add("web1", "10.0.0.1")
    zone.add("web2", "10.0.0.2")
    zone.alias("www", "web1")
    zone.alias("www", "web2")
    zone.alias("shop", "www")
    return zone


def test_its_own_address(zone):
    assert zone.addresses("web1") == ["10.0.0.1"]
    assert zone.addresses("WEB1") == ["10.0.0.1"]


def test_other_words_for_a_name(zone):
    assert zone.addresses("www") == ["10.0.0.1", "10.0.0.2"]
    assert zone.addresses("shop") == zone.addresses("www")


def test_its_own_come_first(zone):
    zone.add("www", "10.0.0.9")
    assert zone.addresses("www") == ["10.0.0.9", "10.0.0.1", "10.0.0.2"]


def test_what_comes_later_counts(zone):
    assert zone.addresses("shop") == ["10.0.0.1", "10.0.0.2"]
    zone.add("web2", "10.0.0.3")
    zone.alias("shop", "web3")
    assert zone.addresses("shop") == ["10.0.0.1", "10.0.0.2", "10.0.0.3"]


def test_each_address_once(zone):
    zone.add("web2", "10.0.0.1")
    assert zone.addresses("www") == ["10.0.0.1", "10.0.0.2"]


def test_names_in_a_circle(zone):
    zone.alias("web1", "shop")
    assert zone.addresses("web1") == ["10.0.0.1", "10.0.0.2"]


def test_an_unknown_name(zone):
    with pytest.raises(LookupError, match="mail"):
        zone.addresses("mail")
"""
