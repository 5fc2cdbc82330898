"""Signed links: good for one path until they expire, and for nothing else."""

from __future__ import annotations

import time
from urllib.parse import parse_qs

import pytest
from pydantic import SecretStr

from service.settings import ServiceSettings
from service.signed_links import is_valid, link_secret, signed_query
from workbench.store.database import Database

SECRET, PATH = "a secret of ours", "/v1/previews/abc.mp3"
LATER = int(time.time()) + 3600


def signed(path: str = PATH, expires: int = LATER) -> tuple[str, str]:
    query = parse_qs(signed_query(SECRET, path, expires))
    return query["expires"][0], query["signature"][0]


def test_a_link_is_good_until_it_expires() -> None:
    assert is_valid(SECRET, PATH, *signed())
    assert not is_valid(SECRET, PATH, *signed(expires=int(time.time()) - 1))


def test_another_path_time_or_secret_is_refused() -> None:
    expires, signature = signed()
    assert not is_valid(SECRET, PATH + "x", expires, signature)
    assert not is_valid(SECRET, PATH, str(LATER + 1), signature)
    assert not is_valid("another", PATH, expires, signature)


@pytest.mark.parametrize(
    "expires", [None, "", "soon", "-1", "٣", "9" * 12, pytest.param(f"{LATER} ", id="a space behind")]
)
def test_a_time_that_is_none_is_refused(expires: str | None) -> None:
    assert not is_valid(SECRET, PATH, expires, signed()[1])


@pytest.mark.parametrize("signature", [None, "", "0" * 64, "é" * 64])
def test_a_signature_that_is_none_is_refused(signature: str | None) -> None:
    assert not is_valid(SECRET, PATH, signed()[0], signature)


def test_the_secret_is_made_once_and_that_of_the_settings_comes_first(database: Database) -> None:
    with database.write() as connection:
        made = link_secret(connection, ServiceSettings(link_secret=None))
        assert len(made) >= 32
        assert link_secret(connection, ServiceSettings(link_secret=None)) == made
        assert link_secret(connection, ServiceSettings(link_secret=SecretStr(SECRET * 2))) == SECRET * 2
