"""Texts of tracks, and which tracks are put forward."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from workbench.catalog.track import Track
from workbench.errors import StoreError
from workbench.features.descriptors import SOUND_DIMS
from workbench.matching.brief import BROKEN, SATISFIED, read_brief
from workbench.matching.columns import Columns, empty_columns
from workbench.matching.lane import Calibration, calibrated, pick
from workbench.matching.language.lexicon import lexicon
from workbench.matching.texts import TextIndex, facets_of, mood_of, track_text

TEXTS = [
    "Calm piano for a rainy evening",
    "Aggressive metal, distorted guitars and pounding drums",
    "",
    "Calm strings, hopeful and warm",
]


@pytest.fixture
def index(tmp_path: Path) -> TextIndex:
    return TextIndex.build(TEXTS, tmp_path / "texts")


def test_the_text_with_the_words_comes_first(index: TextIndex) -> None:
    hits = index.search("a calm piano", 10)
    assert list(hits.rows) == [0, 3]
    assert hits.scores[0] > hits.scores[1] > 0


def test_only_allowed_rows_are_found(index: TextIndex) -> None:
    allowed = np.array([False, True, True, True])
    assert list(index.search("calm piano", 10, allowed).rows) == [3]
    assert list(index.search("calm", 1, ~allowed).rows) == [0]


def test_words_count_as_bm25_counts_them(index: TextIndex, tmp_path: Path) -> None:
    import bm25s

    held = bm25s.BM25.load(tmp_path / "texts" / "bm25", show_progress=False)
    expected = held.get_scores(["calm", "piano", "warm"])
    hits = index.search("warm and calm piano", 10)
    np.testing.assert_array_equal(hits.scores, np.sort(expected[expected > 0])[::-1])


def test_unknown_words_find_nothing(index: TextIndex) -> None:
    assert index.search("xylograph", 5).rows.size == 0
    assert index.search("the of and", 5).rows.size == 0


def test_an_opened_index_is_the_one_that_was_built(index: TextIndex, tmp_path: Path) -> None:
    again = TextIndex.open(tmp_path / "texts")
    assert len(again) == 4
    np.testing.assert_array_equal(again.facets, index.facets)
    assert list(again.search("metal", 3).rows) == [1]


def test_facets_stand_in_the_order_of_the_texts(index: TextIndex) -> None:
    metal, piano = lexicon().index("metal"), lexicon().index("piano")
    assert list(index.facets[:, metal] > 0) == [False, True, False, False]
    assert list(index.facets[:, piano] > 0) == [True, False, False, False]


@pytest.mark.parametrize("texts", [[], ["", ""], ["the"]])
def test_texts_without_words_can_be_searched(tmp_path: Path, texts: list[str]) -> None:
    index = TextIndex.build(texts, tmp_path / "empty")
    assert len(index) == len(texts)
    assert index.search("piano", 3).rows.size == 0


def test_a_folder_without_an_index_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no index of texts"):
        TextIndex.open(tmp_path)


def test_stuffed_and_repeated_texts_are_not_believed(tmp_path: Path) -> None:
    stuffed = (
        "happy sad epic calm dark romantic playful energetic tense dreamy scary elegant festive cool rock jazz pop"
    )
    repeated = "epic " * 40 + "trailer"
    plain = "Warm fingerpicked guitar with upright bass and brushes, nostalgic and gentle. Folk, Americana, acoustic"
    trust = TextIndex.build([stuffed, repeated, plain], tmp_path / "t").trust
    assert trust[0] < 0.6
    assert trust[1] < 0.4
    assert trust[2] == 1.0


def _said(**fields: str | tuple[str, ...]) -> str:
    return track_text(Track("t", Path("/t.wav"), "0" * 64, **fields))  # type: ignore[arg-type]


def test_a_list_counts_for_more_than_a_description_and_that_for_more_than_a_title(tmp_path: Path) -> None:
    texts = [
        _said(title="Sad Sky", moods=("happy",)),
        _said(description="Sad, or so it seems.", moods=("happy",)),
        _said(moods=("sad", "happy")),
    ]
    wanted = np.zeros(len(lexicon().names))
    wanted[lexicon().index("sad")] = 1.0
    near = TextIndex.build(texts, tmp_path / "t").nearness(wanted)
    assert 0.0 < near[0] < near[1] < near[2]


def test_where_nothing_is_listed_a_title_says_all(tmp_path: Path) -> None:
    wanted = np.zeros(len(lexicon().names))
    wanted[lexicon().index("sad")] = 1.0
    assert TextIndex.build([_said(title="Sad Sky")], tmp_path / "t").nearness(wanted)[0] == pytest.approx(1.0)


@pytest.mark.parametrize(
    "text", [_said(title="Guitar Sky"), _said(description="A guitar."), _said(instruments=("guitar",))]
)
def test_a_rule_of_a_brief_counts_a_word_wherever_it_stands(text: str) -> None:
    (rule,) = read_brief("no guitar").constraints
    named, counted = facets_of(text)
    assert named.max() == 0.5  # a guitar may be an electric one
    (flute,) = (facets_of(_said(title="Flute Sky"))[1],)
    judged = rule.judge(empty_columns(np.array(["t1", "t2"])), np.stack([counted, flute]))
    assert list(judged) == [BROKEN, SATISFIED]


def test_the_mood_of_a_text_is_that_of_the_words_it_names() -> None:
    dark, cheerful, both = mood_of("dark, scary, slow"), mood_of("Happy and playful!"), mood_of("happy but dark")
    assert dark is not None
    assert cheerful is not None
    assert both is not None
    assert dark.valence < 0.2 < 0.8 < cheerful.valence
    assert dark.valence < both.valence < cheerful.valence
    assert set(dark.words) == {"dark", "scary"}


def test_denied_moods_and_texts_without_one_say_nothing() -> None:
    assert mood_of("Track 7 in F, 120 bpm") is None
    assert mood_of("not dark") is None


def catalog(rows: int) -> Columns:
    """Tracks that differ in everything."""
    columns = empty_columns(np.array([f"trk_{k}" for k in range(rows)], dtype=object))
    sound = np.random.default_rng(3).normal(size=(rows, SOUND_DIMS))
    sound /= np.linalg.norm(sound, axis=1, keepdims=True)
    return replace(columns, sound=sound.astype(np.float16))


def test_ten_are_picked_in_the_order_given() -> None:
    order = np.random.default_rng(1).permutation(30)
    assert pick(order, catalog(30)).tolist() == order[:10].tolist()


def test_no_song_comes_twice_not_even_to_fill_up() -> None:
    columns = replace(catalog(30), song=np.arange(30) % 6)
    assert pick(np.arange(30), columns).tolist() == [0, 1, 2, 3, 4, 5]


def test_equal_bytes_come_once_while_there_is_something_else() -> None:
    columns = replace(catalog(12), audio=np.array([0, 0, 0, *range(3, 12)]))
    assert pick(np.arange(12), columns).tolist() == [0, *range(3, 12)]
    assert pick(np.arange(5), columns).tolist() == [0, 1, 2, 3, 4]
    rules = np.array([1, 1, 1, 1, *[-1] * 8], dtype=np.int8)
    assert pick(np.arange(12), columns, 5, standing=rules).tolist() == [0, 1, 2, 3, 4], "before what breaks a rule"


def test_pieces_that_sound_much_the_same_come_once_an_artist() -> None:
    columns = catalog(14)
    sound = columns.sound.astype(np.float64)
    sound[1] = sound[0] + 0.12 * sound[1]
    sound[2] = sound[0] + 0.001 * sound[2]
    sound /= np.linalg.norm(sound, axis=1, keepdims=True)
    columns = replace(columns, sound=sound.astype(np.float16))
    assert 0.97 < float(sound[0] @ sound[1]) < 0.9995
    of_one = {0: "Sorrel", 1: "Sorrel", 2: None}
    of_two = {0: "Sorrel", 1: "Fen", 2: None}
    assert pick(np.arange(14), columns, 3, artist_of=of_one.get).tolist() == [0, 3, 4]
    assert pick(np.arange(14), columns, 3, artist_of=of_two.get).tolist() == [0, 1, 3]
    assert pick(np.arange(14), columns, 3).tolist() == [0, 1, 3]


def test_silent_tracks_without_a_vector_are_no_duplicates() -> None:
    columns = replace(catalog(4), sound=np.zeros((4, SOUND_DIMS), dtype=np.float16))
    assert pick(np.arange(4), columns).tolist() == [0, 1, 2, 3]


def test_a_score_does_not_depend_on_the_others() -> None:
    curve = Calibration(-3.0, 6.0)
    alone = calibrated(np.array([0.7]), curve)
    among = calibrated(np.array([0.1, 0.7, 0.95]), curve)
    assert alone[0] == among[1]
    assert np.all(np.diff(among) > 0)
    assert calibrated(np.array([0.5]), curve)[0] == pytest.approx(0.5)
