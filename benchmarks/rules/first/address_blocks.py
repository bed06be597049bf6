TARGET = "classify"
SLOW = "networks are parsed and compared one after the other for every address"
SOURCE = '''"""Assigns addresses of the log to the networks they come from."""

import ipaddress


def load_networks(text):
    """Lines like `10.1.0.0/16 office`, with comments after a #."""
    networks = []
    for line in text.splitlines():
        line = line.split("#")[0].strip()
        if not line:
            continue
        block, _, name = line.partition(" ")
        networks.append((block, name.strip() or "unnamed"))
    return networks


def network_of(address, networks):
    best = None
    for block, name in networks:
        network = ipaddress.ip_network(block, strict=False)
        if ipaddress.ip_address(address) in network:
            if best is None or network.prefixlen > ipaddress.ip_network(best[0], strict=False).prefixlen:
                best = (block, name)
    return best[1] if best else None


def classify(addresses, networks, unknown="elsewhere"):
    """How many requests came from which network, most first; addresses that are none go to "invalid"."""
    counts = []
    for address in addresses:
        try:
            name = network_of(address.strip(), networks) or unknown
        except ValueError:
            name = "invalid"
        for entry in counts:
            if entry[0] == name:
                entry[1] += 1
                break
        else:
            counts.append([name, 1])
    return sorted([(name, count) for name, count in counts], key=lambda entry: (-entry[1], entry[0]))
'''
TESTS = """from project.module import classify, load_networks, network_of

NETWORKS = [("10.0.0.0/8", "inside"), ("10.1.0.0/16", "office"), ("2001:db8::/32", "six"), ("10.1.2.3", "printer")]


def test_load_networks():
    text = "# ours\\n10.0.0.0/8 all of it # really\\n\\n192.168.0.1\\n"
    assert load_networks(text) == [("10.0.0.0/8", "all of it"), ("192.168.0.1", "unnamed")]


def test_the_narrowest_network_counts():
    assert network_of("10.1.2.3", NETWORKS) == "printer"
    assert network_of("10.1.2.4", NETWORKS) == "office"
    assert network_of("10.2.0.1", NETWORKS) == "inside"
    assert network_of("2001:db8::1", NETWORKS) == "six"
    assert network_of("8.8.8.8", NETWORKS) is None


def test_counts():
    addresses = ["10.1.0.1", " 10.1.0.2 ", "8.8.8.8", "x", "10.9.9.9"]
    assert classify(addresses, NETWORKS) == [("office", 2), ("elsewhere", 1), ("inside", 1), ("invalid", 1)]


def test_nothing():
    assert classify([], NETWORKS) == []
    assert classify(["10.0.0.1"], [], unknown="?") == [("?", 1)]


def test_a_log():
    networks = [("10.%d.0.0/16" % n, "net%d" % n) for n in range(20)]
    addresses = ["10.%d.%d.7" % (n % 23, n % 5) for n in range(46)]
    counts = classify(addresses, networks)
    assert counts[0] == ("elsewhere", 6)
    assert len(counts) == 21
"""
