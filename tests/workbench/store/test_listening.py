"""Blind tests: kept before they begin, answered once a trial."""

from __future__ import annotations

import pytest

from workbench.errors import InputError, ParameterError
from workbench.review import listening_records as listening
from workbench.store.database import Database


def test_a_test_and_its_answers_come_back(database: Database) -> None:
    design = {"seed": 7, "trials": [{"x": "a"}]}
    with database.write() as connection:
        test = listening.add_test(connection, "abx", "c" * 64, "song", " Ana", design)
        other = listening.add_test(connection, "mushra", "d" * 64, "other", "Ben", {})
        second = listening.add_answer(connection, test.test_id, 1, {"A": 80}, 2.25)
        first = listening.add_answer(connection, test.test_id, 0, "A", 3.0)
        assert (test.reviewer, test.design) == ("Ana", design)
        assert listening.get_test(connection, test.test_id) == test
        assert listening.listening_tests_of(connection) == [test, other]
        assert listening.listening_tests_of(connection, "d" * 64) == [other]
        assert listening.answers_of(connection, test.test_id) == [first, second]
        with pytest.raises(InputError, match="trial 1 of this test was answered"):
            listening.add_answer(connection, test.test_id, 0, "B", 1.0)


def test_a_listener_has_a_name(database: Database) -> None:
    with database.write() as connection:
        with pytest.raises(ParameterError, match="needs a name"):
            listening.add_test(connection, "abx", "c" * 64, "song", "", {})
        with pytest.raises(InputError, match="no listening test"):
            listening.get_test(connection, "lst_nothing")
