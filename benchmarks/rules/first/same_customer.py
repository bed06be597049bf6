TARGET = "duplicates"
SLOW = "all pairs are compared, with names and numbers cleaned anew in each comparison"
SOURCE = '''"""Finds customers that were entered twice."""

import re
import unicodedata

TITLES = ["mr", "mrs", "ms", "dr", "prof", "ing"]


def clean_name(name):
    text = unicodedata.normalize("NFKD", name)
    text = "".join(c for c in text if not unicodedata.combining(c))
    words = re.sub(r"[^a-z ]", " ", text.lower()).split()
    words = [word for word in words if word not in TITLES]
    return " ".join(sorted(words))


def clean_phone(phone):
    digits = ""
    for char in phone or "":
        if char.isdigit():
            digits += char
    if digits.startswith("00"):
        digits = digits[2:]
    elif digits.startswith("0"):
        digits = "43" + digits[1:]
    return digits


def same(a, b):
    if a.get("email") and b.get("email"):
        if a["email"].strip().lower() == b["email"].strip().lower():
            return True
    if clean_name(a["name"]) != clean_name(b["name"]):
        return False
    return clean_phone(a.get("phone")) == clean_phone(b.get("phone")) or a.get("zip") == b.get("zip")


def duplicates(customers):
    """Groups of ids that look like one customer; an id is compared with the first of a group only."""
    groups = []
    for customer in customers:
        for first, ids in groups:
            if same(first, customer):
                ids.append(customer["id"])
                break
        else:
            groups.append((customer, [customer["id"]]))
    return [ids for _, ids in groups if len(ids) > 1]
'''
TESTS = """from project.module import clean_name, clean_phone, duplicates


def test_clean_name():
    assert clean_name("Dr. José  García-Pérez") == clean_name("garcia perez, jose")


def test_clean_phone():
    assert clean_phone("+43 (1) 234-5") == "4312345"
    assert clean_phone("0043 1 2345") == "4312345"
    assert clean_phone("01 2345") == "4312345"
    assert clean_phone(None) == ""


def test_same_mail():
    customers = [
        {"id": 1, "name": "A", "email": "x@y.at"},
        {"id": 2, "name": "B", "email": " X@Y.at"},
        {"id": 3, "name": "C", "email": ""},
    ]
    assert duplicates(customers) == [[1, 2]]


def test_same_name_needs_more():
    customers = [
        {"id": 1, "name": "Eva Berg", "phone": "01 55", "zip": "1010"},
        {"id": 2, "name": "Berg Eva", "phone": "01 66", "zip": "1020"},
        {"id": 3, "name": "Ms Eva Berg", "phone": "01 77", "zip": "1010"},
    ]
    assert duplicates(customers) == [[1, 3]]


def test_none():
    assert duplicates([]) == []


def test_a_list_of_customers():
    names = ["Anna", "Bert", "Carl", "Dora", "Emil", "Fred"]
    customers = [
        {"id": n, "name": "%s X%s" % (names[n % 6], chr(97 + n % 25)), "phone": "01 %d" % (n % 25), "zip": str(n % 25)}
        for n in range(55)
    ]
    assert duplicates(customers) == []
    customers.append({"id": 99, "name": "xa anna", "phone": "0043 1 0"})
    assert duplicates(customers) == [[0, 99]]
"""
