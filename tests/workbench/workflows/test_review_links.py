"""Links to a version: what was signed opens it, what was forged, altered or has expired opens nothing."""

from __future__ import annotations

import os
import string
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.errors import InputError, ParameterError, StoreError
from workbench.review.links import LONGEST, open_link, sign_link
from workbench.store.home import Home

VERSION = "pv_01JD0000000000000000000000"
OTHER = "pv_01JD0000000000000000000001"
DAY = timedelta(days=1)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return Home(tmp_path_factory.mktemp("home"))


def test_a_link_opens_its_version_until_it_expires(home: Home) -> None:
    token = sign_link(home, VERSION, DAY, now=1000.0)
    assert open_link(home, token, now=1000.0) == (VERSION, 87_400)
    assert open_link(home, token, now=87_399.9) == (VERSION, 87_400)
    for late in (87_400.0, 90_000.0):
        with pytest.raises(InputError, match="expired"):
            open_link(home, token, now=late)


def test_a_link_of_another_version_or_of_another_hour_is_forged(home: Home) -> None:
    version_id, expires, signature = sign_link(home, VERSION, DAY, now=1000.0).split(".")
    for forged in (
        f"{OTHER}.{expires}.{signature}",
        f"{version_id}.{int(expires) + 3600}.{signature}",
        f"{version_id}.0{expires}.{signature[:-1]}",
        f"{version_id}.{expires}.{'0' * 64}",
        f"{version_id}.{expires}.",
        f"{version_id}.{expires}",
        version_id,
        "",
    ):
        with pytest.raises(InputError, match="not one of this page"):
            open_link(home, forged, now=1000.0)


@given(data=st.data())
@settings(deadline=None)
def test_no_letter_of_a_link_can_be_changed(home: Home, data: st.DataObject) -> None:
    token = sign_link(home, VERSION, DAY, now=1000.0)
    at = data.draw(st.integers(0, len(token) - 1))
    letter = data.draw(st.sampled_from(sorted(set(string.printable) - {token[at]})) | st.characters())
    altered = token[:at] + letter + token[at + 1 :]
    if altered != token:
        with pytest.raises(InputError):
            open_link(home, altered, now=1000.0)


def test_another_home_has_another_key_that_only_its_owner_reads(home: Home, tmp_path: Path) -> None:
    token = sign_link(home, VERSION, DAY, now=1000.0)
    elsewhere = Home(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="not one of this page"):
        open_link(elsewhere, token, now=1000.0)
    assert home.link_key.read_bytes() != elsewhere.link_key.read_bytes()
    if os.name == "posix":
        assert home.link_key.stat().st_mode & 0o077 == 0
    assert [path.name for path in elsewhere.root.iterdir()] == [elsewhere.link_key.name]


def test_a_deleted_key_takes_back_all_links_and_a_broken_one_is_named(tmp_path: Path) -> None:
    home = Home(tmp_path)
    token = sign_link(home, VERSION, DAY)
    assert open_link(home, token)[0] == VERSION
    home.link_key.unlink()
    with pytest.raises(InputError, match="not one of this page"):
        open_link(home, token)
    home.link_key.write_bytes(b"")
    with pytest.raises(StoreError, match=r"links\.key.*delete it"):
        sign_link(home, VERSION, DAY)


@pytest.mark.parametrize("lasts", [timedelta(0), timedelta(seconds=-1), LONGEST + timedelta(seconds=1)])
def test_a_link_lasts_some_time_and_not_for_ever(home: Home, lasts: timedelta) -> None:
    with pytest.raises(ParameterError, match="up to 90 days"):
        sign_link(home, VERSION, lasts)
