"""Questions about one text."""


def is_palindrome(text):
    """Whether a text reads the same backwards."""
    backwards = ""
    for letter in text:
        backwards = letter + backwards
    for number in range(len(text)):
        if text[number] != backwards[number]:
            return False
    return True


def vowels(text):
    """How many vowels a text has."""
    count = 0
    for letter in text:
        for vowel in ["a", "e", "i", "o", "u"]:
            if letter.lower() == vowel:
                count = count + 1
    return count
