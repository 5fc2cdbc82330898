"""Reference sets of the fits: those that ship fit the features of today, and other versions are refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from data.recipes.fitting import match, underscore
from data.recipes.fitting.tables import OutdatedTable, check_table
from workbench.files import model_path, read_numbers
from workbench.matching.script_reference import FILE as UNDERSCORE_SET
from workbench.matching.script_reference import read_reference
from workbench.matching.video_reference import FILE as MATCH_SET
from workbench.matching.video_reference import read_reference as read_match_reference
from workbench.params import MatchParams, UnderscoreParams


def test_sets_that_ship_were_made_with_the_features_of_today() -> None:
    check_table(model_path(MATCH_SET), match.VERSIONS)
    check_table(model_path(UNDERSCORE_SET), underscore.versions())


def test_a_set_of_other_features_is_refused_in_one_line(tmp_path: Path) -> None:
    versions = {"picture": 5, "soundtrack": 7}
    np.savez(tmp_path / "a.npz", versions=np.array(json.dumps(versions)))
    check_table(tmp_path / "a.npz", versions)
    with pytest.raises(OutdatedTable, match=r"^a\.npz was made with .*'picture': 5.*'picture': 6[^\n]*$"):
        check_table(tmp_path / "a.npz", versions | {"picture": 6})


def test_underscore_is_calibrated_as_it_ships() -> None:
    params, shipped = UnderscoreParams(), read_numbers(underscore.FILE)
    offset, slope = underscore.fit(read_reference(), params)
    assert (round(offset, 3), round(slope, 3)) == (shipped["calibration_offset"], shipped["calibration_slope"])
    card = model_path(underscore.FILE).with_suffix(".md").read_text()
    (figure,) = re.findall(r"scripts of the fit: ([\d.]+)", card)
    assert f"{underscore.mean_ndcg(read_reference(), params):.3f}" == figure


@pytest.mark.slow
def test_match_has_the_constants_that_its_fit_finds() -> None:
    params = MatchParams()
    found = match.fit(read_match_reference(), params)
    for name in read_numbers(match.FILE):
        assert match.value_of(found, name) == match.value_of(params, name), name
