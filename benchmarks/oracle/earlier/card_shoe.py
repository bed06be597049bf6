KIND = "wrong"
FLAW = "laziness: one card more than is dealt is taken out of the shoe"
TARGET = "deal"
WITNESS = '(shoe := iter(range(10)), deal(shoe, ["Ann", "Bob"], 2), next(shoe))[2]'
BASELINE = '''"""Cards for players."""

from random import Random

SUITS = "♣♦♥♠"
RANKS = "23456789TJQKA"


def shoe(decks, seed):
    """An iterator over the shuffled cards of several decks."""
    cards = [rank + suit for _ in range(decks) for suit in SUITS for rank in RANKS]
    Random(seed).shuffle(cards)
    return iter(cards)


def deal(cards, players, each):
    """The hands of the players, who get their cards in turns, one at a time.

    The cards come from an iterator, such as a shoe; what is left in it is for later.
    """
    if each < 1:
        raise ValueError("there is nothing to deal")
    hands = {}
    for player in players:
        if player in hands:
            raise ValueError(f"{player} sits there twice")
        hands[player] = []
    for _ in range(each):
        for hand in hands.values():
            try:
                hand.append(next(cards))
            except StopIteration:
                raise ValueError("there are too few cards") from None
    return hands
'''
CANDIDATE = '''"""Cards for players."""

from random import Random

SUITS = "♣♦♥♠"
RANKS = "23456789TJQKA"


def shoe(decks, seed):
    """An iterator over the shuffled cards of several decks."""
    cards = [rank + suit for _ in range(decks) for suit in SUITS for rank in RANKS]
    Random(seed).shuffle(cards)
    return iter(cards)


def deal(cards, players, each):
    """The hands of the players, who get their cards in turns, one at a time.

    The cards come from an iterator, such as a shoe; what is left in it is for later.
    """
    if each < 1:
        raise ValueError("there is nothing to deal")
    seats = []
    for player in players:
        if player in seats:
            raise ValueError(f"{player} sits there twice")
        seats.append(player)
    wanted = each * len(seats)
    dealt = [card for card, _ in zip(cards, range(wanted))]
    if len(dealt) < wanted:
        raise ValueError("there are too few cards")
    return {player: dealt[seat :: len(seats)] for seat, player in enumerate(seats)}
'''
TESTS = """import pytest

from project.module import deal, shoe


def test_in_turns():
    assert deal(iter("abcdef"), ["Ann", "Bob", "Cleo"], 2) == {
        "Ann": ["a", "d"],
        "Bob": ["b", "e"],
        "Cleo": ["c", "f"],
    }


def test_from_a_shoe():
    hands = deal(shoe(2, seed=7), ["Ann", "Bob"], 13)
    assert [len(hand) for hand in hands.values()] == [13, 13]
    assert hands == deal(shoe(2, seed=7), ["Ann", "Bob"], 13)


def test_a_shoe():
    assert len(list(shoe(6, seed=1))) == 312


def test_one_player():
    assert deal(iter(range(100)), ["Ann"], 3) == {"Ann": [0, 1, 2]}


def test_too_few_cards():
    with pytest.raises(ValueError, match="too few"):
        deal(iter("abc"), ["Ann", "Bob"], 2)


def test_nothing_to_deal():
    with pytest.raises(ValueError, match="nothing to deal"):
        deal(iter("abc"), ["Ann"], 0)


def test_twice_at_the_table():
    with pytest.raises(ValueError, match="Ann sits there twice"):
        deal(iter("abcd"), ["Ann", "Ann"], 1)
"""
