"""Languages are told apart, and words become vectors."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from workbench.catalog.track import Track
from workbench.errors import ResourceMissing
from workbench.matching.language.embedding import (
    DIGESTS,
    MODEL,
    SentenceEmbedding,
    chunks,
    find_embedding,
)
from workbench.matching.language.languages import is_readable, language_of
from workbench.matching.language.lexicon import lexicon
from workbench.matching.texts import track_text
from workbench.store.settings import WorkbenchSettings


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The night is still and we are not alone.", "English"),
        ("Die Nacht ist still, und wir sind nicht allein.", "German"),
        ("La nuit est calme et nous ne sommes pas seuls.", "French"),
        ("La noche está en calma y no estamos solos en el mar.", "Spanish"),
        ("La notte è calma e non siamo soli nel mare.", "Italian"),
        ("A noite está calma e não estamos sós no mar.", "Portuguese"),
        ("De nacht is stil en wij zijn niet alleen.", "Dutch"),
        ("夜は静かで、海は穏やかです。", "Japanese"),
        ("Ночь тиха, и мы не одни.", "Cyrillic script"),
        ("ohne Gesang", "German"),
        ("kein Schlagzeug", "German"),
        ("langsam", "German"),
        ("Ein ruhiger Morgen am Meer", "German"),
        ("Un matin calme", "French"),
        ("sans chant", "French"),
        ("Una mañana tranquila", "Spanish"),
        ("sin voces", "Spanish"),
        ("Los Angeles at sunrise", "English"),
        ("Die Hard", "English"),
        ("a la carte", "English"),
        ("Wow!", "English"),
        ("", "English"),
    ],
)
def test_the_language_is_told_of_short_texts_too(text: str, language: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize(
    "brief",
    [
        "calm piano", "drums", "no drums", "no drums, piano", "piano ballad", "solo piano", "piano", "sad piano",
        "warm strings", "fast drums", "no vocals", "slow, tender", "party", "epic", "dark suspense", "noir jazz",
        "monks chant", "harp and marimba", "cool elegant lounge", "solo violin", "triumphant brass", "lo-fi beats",
        "El Paso", "Las Vegas", "La La Land", "retro synthesizer", "tempo 90", "piano and drums", "die hard",
    ],
)  # fmt: skip
def test_usual_english_briefs_are_english(brief: str) -> None:
    assert language_of(brief) == "English"


@pytest.mark.parametrize(
    ("brief", "language"),
    [
        ("piano calme et doux", "French"), ("sans piano", "French"), ("geen drums", "Dutch"),
        ("rustige piano, geen drums", "Dutch"), ("el mar", "Spanish"),
        ("la mer", "French"), ("ruhiges Klavier", "German"),
    ],
)  # fmt: skip
def test_words_that_english_has_too_do_not_hide_the_others(brief: str, language: str) -> None:
    assert language_of(brief) == language


def test_english_is_never_taken_for_another_language() -> None:
    """Some nine hundred lines as people speak them."""
    assert [line.text for line in lexicon().lines if language_of(line.text) != "English"] == []


def test_what_is_spoken_is_readable() -> None:
    assert [line.text for line in lexicon().lines if not is_readable(line.text)] == []


@pytest.mark.parametrize("text", ["asdf qwer zxcv", "123 456", "🎉🎉🎉", "!!!", "", "xkcd fghj the wqrt zzzt"])
def test_keys_struck_at_random_numbers_and_emoji_are_not(text: str) -> None:
    assert not is_readable(text)


def test_a_language_that_is_told_is_read_even_of_rare_words() -> None:
    assert is_readable("Kapitänsmütze und Übermut, Straßenlärm")


@pytest.mark.parametrize("text", ["Bugün hava çok güzel", "Kapitänsmütze, Übermut", "Årets första snö föll i går"])
def test_letters_alone_make_no_text_readable(text: str) -> None:
    assert not is_readable(text)


def test_an_embedding_vouches_for_whole_words_but_not_for_crumbs() -> None:
    assert is_readable("kubernetes", lambda word: word == "kubernetes")
    assert not is_readable("zx qv", lambda word: True)


@pytest.fixture(scope="module")
def weights() -> Path:
    """A folder that holds the published files."""
    from workbench.matching.language.embedding import _digest, _places

    for folder, _ in _places():
        if all((folder / name).is_file() and _digest(folder / name) == digest for name, digest in DIGESTS.items()):
            return folder
    pytest.skip("no weights of the sentence embedding on this machine")


def test_cosines_are_those_that_the_model_s_documentation_prints(embedding: SentenceEmbedding) -> None:
    sentences = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    vectors = embedding.embed(sentences)
    published = [[1.0, 0.6660, 0.1046], [0.6660, 1.0, 0.1411], [0.1046, 0.1411, 1.0]]
    np.testing.assert_allclose(vectors @ vectors.T, published, atol=1e-4)


def test_a_text_has_the_same_vector_alone_and_beside_longer_ones(embedding: SentenceEmbedding) -> None:
    alone = embedding.embed(["calm evening by the sea"])[0]
    together = embedding.embed(["calm evening by the sea", "river stone " * 100, "", "no"])
    np.testing.assert_allclose(together[0], alone, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), [1, 1, 0, 1], atol=1e-5)


def test_music_is_near_to_the_scene_that_it_suits(embedding: SentenceEmbedding) -> None:
    scene = embedding.embed(["calm evening by the sea"])[0]
    tracks = embedding.embed(
        ["peaceful ambient piano", "aggressive metal with distorted guitars", "festival EDM banger"]
    )
    cosines = tracks @ scene
    assert cosines[0] > 0.35
    assert cosines[0] > 2 * cosines[1:].max()


def test_a_script_is_read_to_its_end(embedding: SentenceEmbedding) -> None:
    script = "We walk slowly along the river and talk. " * 40 + "Then the whole house was on fire and everybody ran."
    vectors = embedding.embed(chunks(script))
    fire = embedding.embed(["a house fire"])[0]
    assert len(vectors) == 41
    assert np.argmax(vectors @ fire) == 40


def test_weights_with_another_digest_are_refused(tmp_path: Path, weights: Path) -> None:
    shutil.copy(weights / "tokenizer.json", tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"not the weights")
    with pytest.raises(ResourceMissing, match="not the published file"):
        find_embedding(WorkbenchSettings(words_folder=tmp_path))


def test_a_named_folder_without_the_files_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ResourceMissing, match=r"model\.safetensors"):
        find_embedding(WorkbenchSettings(words_folder=tmp_path))


def test_the_users_hub_cache_is_searched_first(tmp_path: Path, weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = tmp_path / f"models--{MODEL.replace('/', '--')}" / "snapshots" / "1110a243"
    snapshot.mkdir(parents=True)
    for name in DIGESTS:
        (snapshot / name).symlink_to(weights / name)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    found = find_embedding(WorkbenchSettings())
    assert found is not None
    assert found.source == "the Hugging Face cache"


def test_chunks_lose_no_word() -> None:
    text = "Hi. Oh no! We went down to the sea, and it was wide.\nA list\n" + "one two three " * 70
    pieces = chunks(text)
    assert " ".join(pieces).split() == text.split()
    assert max(len(piece.split()) for piece in pieces) <= 68


def test_chunks_of_a_language_without_blanks_lose_no_letter() -> None:
    text = "夜は静かで海は穏やかです" * 40
    assert "".join(chunks(text)).replace(" ", "") == text


def test_what_is_said_of_a_track_is_one_text() -> None:
    track = Track(
        "t", Path("/t.wav"), "0" * 64, title="Sea", description="Slow tide.", moods=("calm",), tags=("piano",)
    )
    assert track_text(track) == "Slow tide.\ncalm. piano.\nSea"
    assert track_text(Track("t", Path("/t.wav"), "0" * 64, description="Slow\ntide.")) == "Slow tide\n\n"
    assert track_text(Track("t", Path("/t.wav"), "0" * 64)) == ""
