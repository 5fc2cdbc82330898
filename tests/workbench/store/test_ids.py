"""Ids: what any of them keeps to, and what one keeps to that stands in an address as it is."""

from __future__ import annotations

import pytest

from workbench.errors import ParameterError
from workbench.store.ids import MAX_ID, check_id, check_plain_id


@pytest.mark.parametrize("given", ["", " vid", "vid\n", "v" * (MAX_ID + 1)])
def test_what_no_id_can_be(given: str) -> None:
    for check in (check_id, check_plain_id):
        with pytest.raises(ParameterError, match="video_id must have"):
            check("video_id", given)


@pytest.mark.parametrize("given", ["Größe 1", "a/b", "-vid", "../vid", "vid\n2"])
def test_what_cannot_stand_in_an_address(given: str) -> None:
    check_id("video_id", given)
    with pytest.raises(ParameterError, match="letters, digits"):
        check_plain_id("video_id", given)


@pytest.mark.parametrize("given", ["v", "vid_01J.2-b", "7", "v" * MAX_ID])
def test_plain_ids(given: str) -> None:
    check_plain_id("video_id", given)
