from words.text import is_palindrome, vowels


def test_palindromes():
    assert is_palindrome("rotor")
    assert is_palindrome("")
    assert not is_palindrome("motor")
    assert not is_palindrome("Rotor")


def test_a_long_palindrome():
    half = "step on no pets " * 100
    assert is_palindrome(half + half[::-1])
    assert not is_palindrome(half + "x" + half)


def test_vowels():
    assert vowels("Aeon") == 3
    assert vowels("rhythm") == 0
    assert vowels("a sentence with some of them in it" * 50) == 550
