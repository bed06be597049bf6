KIND = "wrong"
FLAW = "order of a dict: the pieces come by their last place, from the end"
TARGET = "first_sites"
WITNESS = 'list(first_sites("ACGTACC", 2))'
BASELINE = '''"""Where short pieces occur in a sequence of bases."""

from __future__ import annotations

BASES = "ACGT"


def first_sites(sequence: str, length: int, *, skip: str = "") -> dict[str, int]:
    """The first place of each piece of this length, in the order of the places.

    Pieces with a base that is not known, such as N, are left out, and so are those that contain `skip`.
    """
    if length < 1:
        raise ValueError("a piece has at least one base")
    sequence = sequence.upper()
    pieces: list[str] = []
    sites: list[int] = []
    for place in range(len(sequence) - length + 1):
        piece = sequence[place : place + length]
        known = True
        for base in piece:
            if base not in BASES:
                known = False
        if known and piece not in pieces and not (skip and skip.upper() in piece):
            pieces.append(piece)
            sites.append(place)
    return dict(zip(pieces, sites))
'''
CANDIDATE = '''"""Where short pieces occur in a sequence of bases."""

from __future__ import annotations

BASES = "ACGT"


def first_sites(sequence: str, length: int, *, skip: str = "") -> dict[str, int]:
    """The first place of each piece of this length, in the order of the places.

    Pieces with a base that is not known, such as N, are left out, and so are those that contain `skip`.
    """
    if length < 1:
        raise ValueError("a piece has at least one base")
    sequence = sequence.upper()
    # From the end, so that an earlier place replaces a later one.
    sites = {sequence[place : place + length]: place for place in range(len(sequence) - length, -1, -1)}
    unwanted = skip.upper()
    for piece in [piece for piece in sites if piece.strip(BASES) or (unwanted and unwanted in piece)]:
        del sites[piece]
    return sites
'''
TESTS = """import pytest

from project.module import first_sites


def test_pieces_of_two():
    assert first_sites("ACGAC", 2) == {"AC": 0, "CG": 1, "GA": 2}


def test_the_first_place_counts():
    assert first_sites("TTATT", 1) == {"T": 0, "A": 2}


def test_small_letters():
    assert first_sites("acg", 3) == {"ACG": 0}


def test_unknown_bases():
    assert first_sites("ACNGT", 2) == {"AC": 0, "GT": 3}
    assert first_sites("NNN", 1) == {}


def test_pieces_to_skip():
    assert first_sites("AACCA", 3, skip="cc") == {"AAC": 0}


def test_a_sequence_that_is_too_short():
    assert first_sites("AC", 3) == {}
    assert first_sites("", 1) == {}


def test_no_length():
    with pytest.raises(ValueError, match="at least one"):
        first_sites("ACGT", 0)
"""
