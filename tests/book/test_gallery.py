"""The gallery: each script is short, asks a question, and runs as it stands, all in one home."""

from __future__ import annotations

from pathlib import Path

import pytest

from notebooks.book.gallery import Recipe, gallery_index, recipe_page, recipes, run_recipe

RECIPES = recipes()
ANSWERS = {
    "01_any_splice": ("score 0.6", "harmony"),
    "02_own_edit": ("32.618 s, seams [0.", "none"),
    "03_plan_for_a_video": ("300 s: 5 segments", "90 s: video_not_longer"),
    "04_exact_length": ("15 s: ", "30.000 s"),
    "05_never_cut_here": ("free: 4 of 4 seams", "never cut 1:10-1:25: 0 of"),
    "06_batch_to_a_table": ("hill_road.ogg ", "error"),
    "07_own_grid": ("mine: 120.0 BPM, 10 bars, confidence 1.00",),
    "08_own_beat_tracker": ("workbench: 12", "librosas: 12"),
    "09_own_seam_part": ("weight 0.0: score", "weight 3.0: score", "this part 0.8", "yardstick"),
    "10_sweep_of_a_weight": ("hill_road", "but no winner"),
    "11_two_profiles": ("beat_f        6", "downbeat_f    6", "independent"),
    "12_arrays_by_xarray": ("splice_score", "seam_part", "hill_road.ogg"),
    "13_reproduce": ("the same plan: True", "plan.seam_score: 0.5, now 0."),
    "14_for_an_editor": ("seams.rpp: ", "leaves_song_s"),
    "15_under_a_voice": ("documentary: by up to 1", "social: by up to 1"),
    "16_labelled_speech": ("[(20.4, 25.2), (26.0, 31.2)]",),
    "17_annotated_recordings": ("mine/hill_road.ogg", "hill_road: beat_f", "downbeat_f"),
    "18_own_sections": ("workbench: ", "eights: verse 8, verse 8,"),
    "19_the_new_cut": ("180.0 s, then 162.8 s", "music +0.00 s off", "music -0.0"),
    "20_loud_enough": ("web.wav: -14.0 LUFS", "ebu-r128.wav: -23.0 LUFS"),
    "21_own_match_term": ("weight 0.0: mean grade 2.", "weight 0.2: mean grade 2."),
    "22_own_export_format": ("WEBVTT", "00:05:00.000\nfrom "),
}
"""what each prints, among the rest"""
COSTLY = ("06_batch_to_a_table", "08_own_beat_tracker", "11_two_profiles", "15_under_a_voice")
"""take as long as all others: they start processes, compile librosa's tracker, or analyse what no other recipe does"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all scripts, as when the book is built: each track is analysed once."""
    return tmp_path_factory.mktemp("home")


def test_every_recipe_is_run() -> None:
    assert [recipe.path.stem for recipe in RECIPES] == list(ANSWERS)


@pytest.mark.parametrize(
    "recipe",
    [
        pytest.param(recipe, id=recipe.path.stem, marks=[pytest.mark.slow] if recipe.path.stem in COSTLY else [])
        for recipe in RECIPES
    ],
)
def test_a_recipe_is_short_and_answers_its_question(recipe: Recipe, home: Path, tmp_path: Path) -> None:
    assert recipe.text.strip()
    done = run_recipe(recipe, home, tmp_path / recipe.path.stem)
    assert [answer for answer in ANSWERS[recipe.path.stem] if answer not in done.printed] == [], done.printed
    page = recipe_page(recipe, done)
    assert page.startswith(f"# {recipe.question}\n")
    assert done.printed.rstrip() in page
    assert f"{recipe.lines} lines, {done.seconds:.1f} s." in page
    for path in [*done.folder.glob("*.png"), *done.folder.glob("*.html")]:
        assert f"{done.folder.name}/{path.name}" in page
    assert f"[{recipe.question}]({recipe.path.stem}.md)" in gallery_index([(recipe, done)])
