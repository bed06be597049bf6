from datetime import timedelta

from logbook.sessions import Session, absences, longest, peak, sessions
from logs import START, at, some_entries


def test_a_session():
    (found,) = sessions([at(0, user="ada"), at(10, user="ada"), at(25, user="ada")])
    assert found == Session("ada", START, START + timedelta(minutes=25), ("web.api",), 3)
    assert found.duration == timedelta(minutes=25)


def test_a_pause_begins_a_new_one():
    found = sessions([at(0, user="ada"), at(30, user="ada"), at(61, user="ada")])
    assert [session.count for session in found] == [2, 1]


def test_the_gap_can_be_another():
    assert len(sessions([at(0, user="ada"), at(10, user="ada")], gap=timedelta(minutes=5))) == 2


def test_users_have_sessions_of_their_own():
    found = sessions([at(5, user="bo"), at(0, user="ada"), at(7, user="ada"), at(9)])
    assert [(session.user, session.count) for session in found] == [("ada", 2), ("bo", 1)]


def test_no_sessions():
    assert sessions([]) == []
    assert sessions([at(1), at(2)]) == []
    assert peak([]) == (0, None)
    assert longest([]) is None


def test_many_sessions():
    found = sessions(some_entries(300, people=61, seconds=90))
    assert sum(session.count for session in found) == 266
    assert len({session.user for session in found}) == 31
    assert len(found) == 195
    assert max(len(session.sources) for session in found) == 2


def test_the_peak():
    found = sessions([at(0, user="ada"), at(20, user="ada"), at(10, user="bo"), at(15, user="bo"), at(50, user="cy")])
    assert peak(found) == (2, START + timedelta(minutes=10))


def test_one_that_ends_as_another_starts_counts():
    one = Session("ada", START, START + timedelta(minutes=5), ())
    other = Session("bo", START + timedelta(minutes=5), START + timedelta(minutes=9), ())
    assert peak([one, other])[0] == 2


def test_the_peak_of_many():
    found = sessions(some_entries(400, people=151, seconds=60), gap=timedelta(minutes=10))
    assert len(found) == 336
    assert peak(found)[0] == 5


def test_absences():
    found = sessions([at(0, user="ada"), at(45, user="ada"), at(200, user="ada"), at(3, user="bo")])
    assert absences(found, "ada") == [timedelta(minutes=45), timedelta(minutes=155)]
    assert absences(found, "nobody") == []


def test_the_longest():
    found = sessions([at(0, user="ada"), at(5, user="ada"), at(0, user="bo"), at(9, user="bo")])
    assert longest(found).user == "bo"
