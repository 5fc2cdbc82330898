"""Keys are equal exactly when the results must be."""

from __future__ import annotations

import subprocess
import sys

import pytest

from workbench.errors import ParameterError
from workbench.params import Params
from workbench.store.fingerprint import CacheKeyPart, StageKey, canonical_json


class Length(Params):
    beats: int = 4
    ratio: float = 0.1


class Rate(Params):
    hertz: int = 100


HASH = "0123456789abcdef" * 4


def test_defaults_written_out_or_not_are_the_same() -> None:
    assert StageKey.of(HASH, "seams", 1, Length()) == StageKey.of(HASH, "seams", 1, Length(beats=4))


@pytest.mark.parametrize(
    "other",
    [
        StageKey.of("f" * 64, "seams", 1, Length()),
        StageKey.of(HASH, "beats", 1, Length()),
        StageKey.of(HASH, "seams", 2, Length()),
        StageKey.of(HASH, "seams", 1, Length(beats=5)),
        StageKey.of(HASH, "seams", 1, Length(), Rate()),
    ],
)
def test_any_part_makes_another_key(other: StageKey) -> None:
    assert other != StageKey.of(HASH, "seams", 1, Length())


def test_the_order_of_parameter_objects_does_not_matter() -> None:
    assert canonical_json(Length(), Rate()) == canonical_json(Rate(), Length())


def test_another_process_finds_the_same_digest() -> None:
    code = (
        "from workbench.params import Params\n"
        "from workbench.store.fingerprint import StageKey\n"
        "class Rate(Params):\n    hertz: int = 100\n"
        "class Length(Params):\n    ratio: float = 0.1\n    beats: int = 4\n"
        f"print(StageKey.of({HASH!r}, 'seams', 1, Rate(), Length()).params_digest)"
    )
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert other == StageKey.of(HASH, "seams", 1, Length(), Rate()).params_digest


@pytest.mark.parametrize(
    ("content_hash", "stage", "version"),
    [("../../etc", "beats", 1), (HASH.upper(), "beats", 1), (HASH, "be/ats", 1), (HASH, "", 1), (HASH, "beats", 0)],
)
def test_what_cannot_be_a_key(content_hash: str, stage: str, version: int) -> None:
    with pytest.raises(ParameterError):
        StageKey.of(content_hash, stage, version, Length())


def test_one_object_of_a_class() -> None:
    with pytest.raises(ParameterError, match="one parameter object"):
        canonical_json(Length(), Length())


def test_a_part_that_is_no_parameter_stands_beside_them_by_its_name() -> None:
    assert canonical_json(Rate(), CacheKeyPart("Code", "version", 3)) == '{"Code":{"version":3},"Rate":{"hertz":100}}'
    with pytest.raises(ParameterError):
        canonical_json(Rate(), CacheKeyPart("Rate", "hertz", 100))
