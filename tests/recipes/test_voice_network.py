"""Training of the voice network: clips are clean, a step learns, and numpy runs what torch trained."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest
import soundfile

pytest.importorskip("torch", reason="torch is missing; make test and make train install it")

import torch

from data.recipes.fitting.voice_network import BANDS, Mixer, VoiceNetwork, export, mel_bands, train
from data.recipes.material import voice_training
from data.recipes.material.voice_training import RATE, STEP, Clip, Source, read_bank, speech_clip
from workbench.mix.voice_network import FLOOR, VoiceMeter, run, unpack


def syllables(seconds: float = 1.0, noise: float = 0.0) -> np.ndarray:
    """A buzz that comes and goes, with silence around it."""
    time = np.arange(round(seconds * RATE)) / RATE
    buzz = np.sign(np.sin(2 * np.pi * 140 * time)) * (np.sin(2 * np.pi * 3 * time) > 0)
    hiss = np.random.default_rng(0).normal(0, 1, time.size + RATE) * noise
    return (np.pad(0.1 * buzz, RATE // 2) + hiss).astype(np.float32)


def clip(kind: voice_training.Kind, sound: np.ndarray, package: str = "package") -> Clip:
    samples = (sound[: sound.size // STEP * STEP] * 32767).astype(np.int16)
    sounds = (
        np.abs(samples.reshape(-1, STEP)).max(axis=1) > 1000 if kind == "speech" else np.zeros(samples.size // STEP)
    )
    return Clip(kind, package, "who", samples, sounds.astype(bool))


@pytest.fixture(scope="module")
def bank() -> voice_training.Bank:
    rng = np.random.default_rng(1)
    time = np.arange(4 * RATE) / RATE
    tone = (0.1 * np.sin(2 * np.pi * 330 * time)).astype(np.float32)
    spoken = [clip("speech", syllables(1.0 + 0.2 * k)) for k in range(4)]
    watched = clip("speech", syllables(1.5), min(voice_training.WATCHED))
    hiss = rng.normal(0, 0.05, 4 * RATE).astype(np.float32)
    return [*spoken, watched, clip("music", tone), clip("sound", hiss), clip("sung", tone)]


def test_a_clip_is_trimmed_and_knows_its_pauses_and_noise_is_left_out() -> None:
    found = speech_clip(syllables())
    assert found is not None
    samples, sounds = found
    assert samples.size == sounds.size * STEP
    assert samples.size < RATE
    assert 0.3 < sounds.mean() < 0.8
    assert speech_clip(syllables(noise=0.02)) is None
    assert speech_clip(np.zeros(RATE, dtype=np.float32)) is None


def test_a_bank_is_read_from_what_was_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package, sound in (("talks", syllables()), ("plays", syllables(70.0))):
        (tmp_path / package).mkdir()
        soundfile.write(tmp_path / package / "one.ogg", sound, RATE)
    (tmp_path / "talks" / "broken.ogg").write_bytes(b"no sound")
    monkeypatch.setattr(voice_training, "SOURCES", (Source("talks", "speech"), Source("plays", "music")))
    found = read_bank(tmp_path, {"talks", "plays"}, sung_lines=0)
    assert [clip.kind for clip in found] == ["speech", "music", "music"]
    assert [clip.kind for clip in read_bank(tmp_path, {"talks"}, sung_lines=0)] == ["speech"]


def test_archives_are_unpacked(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.ogg", syllables(), RATE)
    with zipfile.ZipFile(tmp_path / "base.wz", "w") as archive:
        archive.write(tmp_path / "a.ogg", "audio/a.ogg")
        archive.writestr("audio/a.txt", "none")
    voice_training.unzip(tmp_path / "base.wz")
    assert [path.name for path in (tmp_path / "base.wz.unpacked").rglob("*.*")] == ["a.ogg"]
    assert not (tmp_path / "base.wz").exists()


def test_what_is_asked_is_where_somebody_speaks(bank: voice_training.Bank) -> None:
    mixer = Mixer(bank, "cpu", watched=False, seed=1, seconds=2)
    said, sounds = mixer.talk(4)
    inputs, asked, over = mixer.batch(said, sounds)
    assert inputs.shape == (4, 200, BANDS)
    assert asked.shape == (4, 200)
    assert over.shape == (4, 1)
    assert torch.isfinite(inputs).all()
    assert ((asked >= 0) & (asked <= 1)).all()
    assert float(asked.sum()) * 2 >= float(sounds.sum()) - 1e-3
    assert float(asked[~sounds.any(dim=1)].sum()) == 0.0


def test_numpy_runs_what_torch_trained(bank: voice_training.Bank) -> None:
    network, f1 = train(bank, "cpu", steps=2, batch=2, seconds=1)
    assert 0.0 <= f1 <= 1.0
    inputs = np.random.default_rng(2).normal(-1, 0.5, (300, BANDS)).astype(np.float32)
    with torch.no_grad():
        heard = network(torch.from_numpy(inputs)[None])[0].numpy()
    assert np.allclose(run(inputs, unpack(export(network))), heard, atol=0.02)


def test_the_meter_hears_the_bands_that_are_learned_from(bank: voice_training.Bank) -> None:
    meter = VoiceMeter()
    sound = np.random.default_rng(3).normal(0, 0.1, RATE).astype(np.float32)
    meter.add(sound)
    shipped = meter._layers
    assert np.allclose(shipped["mel"], mel_bands(), atol=1e-4)
    assert VoiceNetwork().front.weight.shape[0] == shipped["front"].shape[2]
    assert FLOOR > 0
