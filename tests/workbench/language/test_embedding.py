"""Words become vectors as the published model makes them, from weights that are the published ones."""

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
    script_vectors,
)
from workbench.matching.texts import track_text
from workbench.store.settings import WorkbenchSettings


@pytest.fixture(scope="module")
def embedding() -> SentenceEmbedding:
    found = find_embedding(WorkbenchSettings())
    if found is None:
        pytest.skip("no weights of the sentence embedding on this machine")
    return found


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
    vectors = script_vectors(script, embedding)
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
