"""Training pieces sound when their notes are written, from every kind of instrument and through every damage."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from data.recipes.training import fonts, machines, sounding, spoiling, voices
from data.recipes.training.performing import Performance, Played, Sounded

RATE = 44_100
CLICKS = np.arange(0.75, 8.0, 1.0)
TONE = np.sin(2 * np.pi * 1500 * np.arange(900) / RATE).astype(np.float32)
CLICK = (TONE * np.exp(-np.arange(900) / 150)).astype(np.float32)


def performance_of(parts: list[Played], seconds: float) -> Performance:
    beats = np.arange(0, seconds, 0.5)
    positions = np.arange(beats.size) % 4 + 1
    return Performance("test", parts, beats, positions, np.full(beats.size, 4), 2, seconds, set())


def every_program() -> Performance:
    parts = [Played("drums", 0, [Sounded(0.05 * n, 0.05, key, 100) for n, key in enumerate(range(27, 88))])]
    parts += [Played("melody", program, [Sounded(0.5, 0.4, 60, 90)]) for program in range(128)]
    return performance_of(parts, 3.0)


def clicks() -> NDArray[np.float32]:
    sound = np.random.default_rng(0).normal(size=(9 * RATE, 2)).astype(np.float32) * np.float32(2e-4)
    for at in CLICKS:
        sound[round(at * RATE) : round(at * RATE) + CLICK.size] += CLICK[:, None]
    return sound


def lags_ms(
    sound: NDArray[np.float32], expected: NDArray[np.float64], shape: NDArray[np.float32] = CLICK
) -> NDArray[np.float64]:
    """By how much each click comes later than expected, in the louder channel."""
    channel = sound[:, int(np.argmax(np.square(sound).sum(axis=0)))]
    found = []
    for at in expected:
        begin = round(at * RATE) - 600
        match = np.abs(np.correlate(channel[begin : begin + 600 + 600 + shape.size], shape, "valid"))
        found.append((float(np.argmax(match)) - 600) / RATE * 1000)
    return np.array(found)


def heard_ms(stem: NDArray[np.float32], at: float) -> float:
    """From the written time until a tenth of the peak of the next 60 ms."""
    begin = round(at * RATE)
    level = np.abs(stem[begin - 400 : begin + 2600]).max(axis=1)
    return (float(np.argmax(level > 0.1 * level.max())) - 400) / RATE * 1000


def test_every_program_and_drum_has_a_synthesised_instrument() -> None:
    performance = every_program()
    rng = np.random.default_rng(1)
    desk = sounding.draw_desk(performance, rng, fonts=())
    sound = sounding.sound_of(performance, desk, rng)
    assert not any(isinstance(seat.instrument, str) for seat in desk.seats)
    assert sound.dtype == np.float32
    assert np.isfinite(sound).all()
    assert 0.5 < np.abs(sound).max() <= 1.0


@pytest.mark.parametrize("seed", range(4))
def test_a_synthesised_drum_begins_when_it_is_written(seed: int) -> None:
    rng = np.random.default_rng(seed)
    kit = machines.draw_kit(int(rng.choice([0, 25, 32])), rng)
    for key in (36, 37, 38, 39, 42, 46, 49, 51, 56, 63, 82):
        stem = machines.play(kit, [Sounded(0.5, 0.1, key, 100)], RATE)
        assert abs(heard_ms(stem, 0.5)) < 2.0, key


@pytest.mark.parametrize("program", [0, 4, 13, 25, 33, 46, 108])
def test_a_synthesised_plucked_or_struck_tone_begins_when_it_is_written(program: int) -> None:
    voice = voices.draw_voice(program, np.random.default_rng(program))
    stem = voices.play(voice, [Sounded(0.5, 0.4, 60, 100)], RATE)
    assert abs(heard_ms(stem, 0.5)) < 2.0


@pytest.mark.parametrize("font", fonts.installed(fonts.TRAINING_FONTS[:1]))
def test_a_font_is_heard_when_it_is_written(font: str) -> None:
    times = 0.3 + 0.6137 * np.arange(6)
    drums = Played("drums", 0, [Sounded(float(at), 0.2, 38, 100) for at in times])
    piano = Played("melody", 0, [Sounded(float(at), 0.2, 64, 100) for at in times])
    for stem in fonts.font_player(font).stems([drums, piano], 4.5):
        assert np.abs([heard_ms(stem, float(at)) for at in times]).max() < 2.0


def test_an_onset_at_the_very_beginning_is_kept() -> None:
    drums = Played("drums", 0, [Sounded(0.0, 0.2, 38, 100), Sounded(1.0, 0.2, 38, 100)])
    for font in fonts.installed(fonts.TRAINING_FONTS[:1]):
        (stem,) = fonts.font_player(font).stems([drums], 1.5)
        first, second = np.abs(stem[:4410]).max(), np.abs(stem[44_100:48_510]).max()
        assert first == pytest.approx(second, rel=0.3)


def test_the_same_generator_gives_the_same_recording() -> None:
    performance = performance_of([Played("bass", 38, [Sounded(0.5, 0.4, 36, 90), Sounded(1.0, 0.4, 43, 90)])], 2.0)

    def recorded() -> NDArray[np.float32]:
        rng = np.random.default_rng(5)
        return sounding.sound_of(performance, sounding.draw_desk(performance, rng, ()), rng)

    assert np.array_equal(recorded(), recorded())


@pytest.mark.parametrize("seed", range(24))
def test_damage_moves_no_click_from_where_it_says(seed: int) -> None:
    source = clicks()
    spoiled = spoiling.spoil(source, np.random.default_rng(seed), CLICKS)
    assert np.isfinite(spoiled.sound).all()
    assert 0.02 < np.abs(spoiled.sound).max() <= 1.0
    if spoiled.tags & {"noise", "vocal", "speech", "faded"}:
        return
    expected = CLICKS * spoiled.stretch + spoiled.delay_seconds
    # a click that is clipped hard has no decay left: it is looked for as a tone too
    shapes = (CLICK, TONE) if "clipped" in spoiled.tags else (CLICK,)
    assert min(abs(float(np.median(lags_ms(spoiled.sound, expected, shape)))) for shape in shapes) < 1.0


@pytest.mark.parametrize(("codec", "container"), [("libmp3lame", "mp3"), ("aac", "ipod"), ("libopus", "ogg")])
def test_codecs_begin_where_they_began(codec: str, container: str) -> None:
    rate = 48_000 if codec == "libopus" else RATE
    sound = np.zeros((4 * rate, 2), dtype=np.float32)
    sound[2 * rate : 2 * rate + CLICK.size] = CLICK[:, None]
    coded = spoiling.through_codec(sound, rate, codec, container, 48)
    match = np.abs(np.correlate(coded[2 * rate - 2000 : 2 * rate + 4000, 0], CLICK, "valid"))
    assert abs(int(np.argmax(match)) - 2000) < 0.001 * rate


def test_pieces_left_clean_are_about_a_third() -> None:
    source = clicks()[: 2 * RATE]
    rng = np.random.default_rng(0)
    clean = [not spoiling.spoil(source, rng).tags for _ in range(60)]
    assert 0.2 < np.mean(clean) < 0.5
