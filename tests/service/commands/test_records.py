"""Values that options of the service's commands take."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from service.commands.records import ServiceUrl, Time, Usd, VideoId, warn_if_open
from workbench.store.home import Home


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("2027-01-31T12:00:00Z", "2027-01-31T12:00:00.000000+00:00"),
        ("2027-01-31T12:00:00", "2027-01-31T12:00:00.000000+00:00"),
        ("2027-01-31T14:00:00+02:00", "2027-01-31T12:00:00.000000+00:00"),
        ("2027-01-31", "2027-01-31T00:00:00.000000+00:00"),
    ],
)
def test_a_moment_is_kept_in_utc(given: str, kept: str) -> None:
    assert Time().convert(given, None, None) == kept


@pytest.mark.parametrize("given", ["http://127.0.0.1:8000", "https://music.example/under/a/path/"])
def test_the_address_of_a_service_ends_without_a_slash(given: str) -> None:
    assert ServiceUrl().convert(given, None, None) == given.rstrip("/")


@pytest.mark.parametrize(("given", "micros"), [("0", 0), ("0.10", 100_000), ("1e9", 10**15), (2.5, 2_500_000)])
def test_dollars_arrive_as_micro_dollars(given: str | float, micros: int) -> None:
    assert Usd().convert(given, None, None) == micros


@pytest.mark.parametrize(
    ("kind", "given", "why"),
    [
        (Time(), "soon", "not a time in ISO 8601"),
        (Time(), "0001-01-01T00:00:00+14:00", "not a time in ISO 8601"),
        (Usd(), "-1", "no amount in USD"),
        (Usd(), "nan", "no amount in USD"),
        (Usd(), "1e10", "no amount in USD"),
        (Usd(), "ten", "no amount in USD"),
        (VideoId(), "a/b", "an id"),
        (ServiceUrl(), "music.example", "must be an address"),
        (ServiceUrl(), "ftp://music.example", "must be an address"),
        (ServiceUrl(), "https://music.example/v1/", "without /v1"),
    ],
)
def test_what_is_none_is_a_usage_error(kind: click.ParamType[object], given: str, why: str) -> None:
    with pytest.raises(click.BadParameter, match=why):
        kind.convert(given, None, None)


def test_a_plain_id_is_kept() -> None:
    assert VideoId().convert("trailer-2", None, None) == "trailer-2"


def test_a_home_that_other_users_can_read_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home = Home(tmp_path / "home")
    home.prepared(home.uploads).chmod(0o755)
    warn_if_open(home)
    assert capsys.readouterr().err == ""
    home.root.chmod(0o755)
    warn_if_open(home)
    assert f"chmod o= {home.root}" in capsys.readouterr().err
