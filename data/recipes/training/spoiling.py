"""What happens to recordings before they reach a listener: rooms, voices, noise, small loudspeakers, codecs, wear.

A piece is left as it is, or passes through a chain of such damages, in the order in which life does them: what joins
the music, what the room and the tape do, how it is mastered, what it is stored as, how it is cut. Each of them keeps
the times, except the playing speed and the leading silence, which `Spoiled` reports.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import av
import numpy as np
import soxr
from av.audio.stream import AudioStream
from numpy.typing import NDArray
from scipy import signal

from data.recipes.training import singing
from data.recipes.training.sounding import compressed, reverberated
from data.recipes.training.voices import RATE

Stereo = NDArray[np.float32]
_CLEAN = 0.35
"""share of the pieces of which only the level is changed"""


@dataclass(frozen=True)
class Spoiled:
    """A recording and where its truth has gone: time in it = written time * stretch + delay."""

    sound: Stereo
    """shape (n, 2), 44.1 kHz, peak at most 1"""
    stretch: float = 1.0
    delay_seconds: float = 0.0
    tags: set[str] = field(default_factory=set)
    """what was done to it, by the names of `composition.TAGS` and of the damages"""
    beats: NDArray[np.float64] | None = None
    """written times of the beats, which lead a singer"""


def spoil(sound: Stereo, rng: np.random.Generator, beats: NDArray[np.float64] | None = None) -> Spoiled:
    """Pass a recording through what real files suffer.

    Parameters
    ----------
    sound : shape (n, 2), 44.1 kHz
    beats : shape (n_beats,), seconds in `sound`; without them singers follow nobody
    """
    state = Spoiled(sound, beats=beats)
    if rng.random() >= _CLEAN:
        drawn = [damage for damage, share in _CHAIN if rng.random() < share]
        if not drawn:
            drawn = [_CHAIN[int(rng.integers(len(_CHAIN)))][0]]
        for damage in drawn:
            state = damage(state, rng)
    return replace(_levelled(state, rng), beats=None)


def _with(state: Spoiled, sound: NDArray[np.floating], *tags: str) -> Spoiled:
    return replace(state, sound=np.asarray(sound, dtype=np.float32), tags=state.tags | set(tags))


def _rms(sound: Stereo) -> float:
    return float(np.sqrt(np.mean(np.square(sound, dtype=np.float32)))) + 1e-9


def _singer(state: Spoiled, rng: np.random.Generator) -> Spoiled:
    voice = singing.sung(state.sound, rng, state.beats)
    if rng.random() < 0.3:
        voice = voice + 0.6 * singing.sung(state.sound, rng, state.beats)
    level = _rms(state.sound) / 0.1 * 10 ** (rng.uniform(-8, 7) / 20)
    wet = reverberated(voice, rng.uniform(0.5, 2.2), 5000.0, rng) * np.float32(rng.uniform(0, 0.4))
    return _with(state, state.sound + np.float32(level) * (voice[:, None] + wet), "vocal")


def _talker(state: Spoiled, rng: np.random.Generator) -> Spoiled:
    if not singing.can_talk():
        return state
    voice = singing.talk(len(state.sound), rng)
    level = _rms(state.sound) / 0.1 * 10 ** (rng.uniform(-10, 10) / 20)
    music = state.sound
    if rng.random() < 0.5:
        talking = signal.lfilter([1e-4], [1, -(1 - 1e-4)], (np.abs(voice) > 0.02).astype(np.float32))
        music = music * (1 - rng.uniform(0.3, 0.75) * np.clip(3 * talking, 0, 1)).astype(np.float32)[:, None]
    return _with(state, music + np.float32(level) * voice[:, None], "speech")


def _room(state: Spoiled, rng: np.random.Generator) -> Spoiled:
    answer = reverberated(state.sound.mean(axis=1), rng.uniform(0.25, 2.5), rng.uniform(1500, 8000), rng)
    answer *= np.float32(_rms(state.sound) / _rms(answer) * 10 ** (rng.uniform(-14, 0) / 20))
    return _with(state, state.sound + answer, "room")


def _varispeed(state: Spoiled, rng: np.random.Generator) -> Spoiled:
    """Played faster or slower, so that pitch and tempo move together."""
    rate = round(RATE * rng.uniform(0.92, 1.08))
    return replace(_with(state, soxr.resample(state.sound, rate, RATE, "MQ"), "varispeed"), stretch=RATE / rate)


def _wow(state: Spoiled, rng: np.random.Generator) -> Spoiled:
    """A speed that wavers; the times stay within 1.5 ms."""
    time = np.arange(len(state.sound)) / RATE
    wander = np.zeros(len(time))
    for hz in (rng.uniform(0.3, 1.2), rng.uniform(4, 9)):
        reach = min(rng.uniform(0.0005, 0.003) / (2 * np.pi * hz), 0.00075)
        wander += reach * np.sin(2 * np.pi * (hz * time + rng.random()))
    place = np.arange(len(time)) + wander * RATE
    where = np.arange(len(time))
    return _with(state, np.stack([np.interp(place, where, state.sound[:, side]) for side in (0, 1)], axis=1), "wow")


def _equalised(state: Spoiled, rng: np.random.Generator) -> Spoiled:
    sections = []
    for _ in range(int(rng.integers(1, 5))):
        hz, gain_db = 10 ** rng.uniform(1.8, 4.0), float(np.clip(rng.normal() * 6, -14, 12))
        kind = rng.choice(["peak", "low", "high"], p=[0.6, 0.2, 0.2])
        sections.append(_section(str(kind), hz, gain_db, rng.uniform(0.5, 2.5)))
    return _with(state, _filtered(state.sound, np.array(sections)), "eq")


def _section(kind: str, hz: float, gain_db: float, q: float) -> list[float]:
    """A second-order section of an equaliser, after Bristow-Johnson's cookbook."""
    a, w = 10 ** (gain_db / 40), 2 * np.pi * hz / RATE
    cos = np.cos(w)
    if kind == "peak":
        alpha = np.sin(w) / (2 * q)
        b = [1 + alpha * a, -2 * cos, 1 - alpha * a]
        d = [1 + alpha / a, -2 * cos, 1 - alpha / a]
    else:
        # the high shelf is the low shelf with cosines of the other sign
        turn = -2.0 if kind == "low" else 2.0
        cos = cos if kind == "low" else -cos
        slope = np.sin(w) * np.sqrt(2 * a)
        b = [
            a * (a + 1 - (a - 1) * cos + slope),
            -turn * a * (a - 1 - (a + 1) * cos),
            a * (a + 1 - (a - 1) * cos - slope),
        ]
        d = [a + 1 + (a - 1) * cos + slope, turn * (a - 1 + (a + 1) * cos), a + 1 + (a - 1) * cos - slope]
    return [float(x) / float(d[0]) for x in (*b, *d)]


def _filtered(sound: Stereo, sections: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(signal.sosfilt(sections, sound, axis=0))


def _small_speaker(state: Spoiled, rng: np.random.Generator) -> Spoiled:
    """A telephone, a laptop, a kitchen radio."""
    low, high = rng.uniform(120, 450), rng.uniform(3000, 9000)
    sections = signal.butter(int(rng.integers(1, 3)), [low, high], "bandpass", fs=RATE, output="sos")
    sound = _filtered(state.sound, sections)
    if rng.random() < 0.6:
        sound = np.repeat(sound.mean(axis=1, keepdims=True), 2, axis=1)
    return _with(state, sound, "small_speaker")


def _bass_cut(state: Spoiled, rng: np.random.Generator) -> Spoiled:
    sections = signal.butter(2, rng.uniform(60, 250), "highpass", fs=RATE, output="sos")
    return _with(state, _filtered(state.sound, sections), "bass_cut")


def _squeezed(state: Spoiled, rng: np.random.Generator) -> Spoiled:
    sound = compressed(state.sound, rng.uniform(6, 24), rng.uniform(2, 20), rng.uniform(0.04, 0.4))
    return _with(state, sound, "compressed")


def _clipped(state: Spoiled, rng: np.random.Generator) -> Spoiled:
    ceiling = float(np.percentile(np.abs(state.sound[::7]), rng.uniform(90, 99.7))) + 1e-6
    if rng.random() < 0.5:
        return _with(state, np.tanh(state.sound / ceiling), "clipped")
    return _with(state, np.clip(state.sound / ceiling, -1, 1), "clipped")


def _restaged(state: Spoiled, rng: np.random.Generator) -> Spoiled:
    """Mono, wide, one side weak or late or turned over."""
    left, right = state.sound[:, 0], state.sound[:, 1]
    kind = rng.choice(["mono", "mono", "wide", "one side", "late", "turned"])
    if kind == "mono":
        left = right = 0.5 * (left + right)
    elif kind == "wide":
        middle, side = 0.5 * (left + right), rng.uniform(1.2, 2.5) * 0.5 * (left - right)
        left, right = middle + side, middle - side
    elif kind == "one side":
        right = rng.uniform(0, 0.4) * right
    elif kind == "late":
        right = 0.7 * np.pad(right, (int(rng.uniform(0.001, 0.006) * RATE), 0))[: len(left)]
    else:
        right = -rng.uniform(0.2, 0.6) * right
    pair = [left, right] if rng.random() < 0.5 else [right, left]
    return _with(state, np.stack(pair, axis=1), "restaged")


def _noisy(state: Spoiled, rng: np.random.Generator) -> Spoiled:
    kinds: list[Callable[[int, np.random.Generator], NDArray[np.floating]]] = [_hiss, _pink, _street, _hum, _crackle]
    if singing.can_talk():
        kinds.append(_babble)
    noise = kinds[int(rng.integers(len(kinds)))](len(state.sound), rng).astype(np.float32)
    noise *= np.float32(_rms(state.sound) / _rms(noise) * 10 ** (-rng.uniform(0, 30) / 20))
    return _with(state, state.sound + noise[:, None], "noise")


def _hiss(size: int, rng: np.random.Generator) -> NDArray[np.floating]:
    hiss: NDArray[np.floating] = signal.lfilter(
        [1, -rng.uniform(0, 0.95)], [1], rng.standard_normal(size, dtype=np.float32)
    )
    return hiss


def _pink(size: int, rng: np.random.Generator) -> NDArray[np.floating]:
    """White noise through Kellet's three poles, which fall by 3 dB an octave."""
    poles = ((0.99765, 0.0990460), (0.96300, 0.2965164), (0.57000, 1.0526913))
    white = rng.standard_normal(size, dtype=np.float32)
    pink: NDArray[np.floating] = np.sum([signal.lfilter([gain], [1, -pole], white) for pole, gain in poles], axis=0)
    return pink


def _street(size: int, rng: np.random.Generator) -> NDArray[np.floating]:
    """Pink noise that swells and fades as cars and people pass."""
    seconds = size / RATE
    knots = np.arange(0, seconds + 2, rng.uniform(0.3, 3))
    swell = np.interp(np.arange(size) / RATE, knots, 10 ** (rng.normal(0, 0.35, len(knots))))
    return _pink(size, rng) * swell


def _hum(size: int, rng: np.random.Generator) -> NDArray[np.floating]:
    time = np.arange(size) / RATE
    mains = float(rng.choice([50.0, 60.0]))
    tones = [rng.random() / k**0.7 * np.sin(2 * np.pi * (mains * k * time + rng.random())) for k in (1, 2, 3, 4, 6)]
    hum: NDArray[np.floating] = np.sum(tones, axis=0)
    return hum + 0.05 * rng.standard_normal(size, dtype=np.float32)


def _crackle(size: int, rng: np.random.Generator) -> NDArray[np.floating]:
    """The clicks of a worn record, its surface and its rumble."""
    noise = np.zeros(size)
    count = int(rng.uniform(2, 40) * size / RATE)
    noise[rng.integers(0, size, count)] = rng.standard_t(2.5, count).clip(-20, 20)
    low, high = rng.uniform(300, 1500), rng.uniform(4000, 12_000)
    clicks: NDArray[np.floating] = signal.sosfilt(
        signal.butter(1, [low, high], "bandpass", fs=RATE, output="sos"), noise
    )
    return clicks + 0.01 * rng.random() * _pink(size, rng)


def _babble(size: int, rng: np.random.Generator) -> NDArray[np.floating]:
    """Several people talking at once."""
    talkers = [singing.talk(size, rng) for _ in range(int(rng.integers(2, 6)))]
    together: NDArray[np.floating] = np.sum(talkers, axis=0)
    return together + 1e-4 * _pink(size, rng)


def _coarse_rate(state: Spoiled, rng: np.random.Generator) -> Spoiled:
    rate = int(rng.choice([8000, 11_025, 16_000, 22_050, 32_000], p=[0.1, 0.2, 0.25, 0.3, 0.15]))
    down = soxr.resample(state.sound, RATE, rate, "MQ")
    return _with(state, _fitted(soxr.resample(down, rate, RATE, "MQ"), len(state.sound)), "low_rate")


def _quantised(state: Spoiled, rng: np.random.Generator) -> Spoiled:
    steps = 2.0 ** (rng.integers(5, 9) - 1)
    peak = np.abs(state.sound).max() + 1e-9
    return _with(state, np.round(state.sound / peak * steps) * (peak / steps), "quantised")


def _coded(state: Spoiled, rng: np.random.Generator) -> Spoiled:
    """Through a lossy codec at a low rate; the containers tell the decoder of the codec's delay."""
    codec, container, rates = _CODECS[int(rng.integers(len(_CODECS)))]
    kbps = int(rng.choice(rates))
    rate = 48_000 if codec == "libopus" else (22_050 if kbps <= 32 or rng.random() < 0.15 else RATE)
    sound = soxr.resample(state.sound, RATE, rate, "MQ") if rate != RATE else state.sound
    sound = through_codec(sound * np.float32(0.7 / (np.abs(sound).max() + 1e-9)), rate, codec, container, kbps)
    if rate != RATE:
        sound = soxr.resample(sound, rate, RATE, "MQ")
    return _with(state, _fitted(sound, len(state.sound)), "codec")


_CODECS = (
    ("libmp3lame", "mp3", (32, 48, 64, 96)),
    ("aac", "ipod", (32, 48, 64, 96)),
    ("libopus", "ogg", (16, 24, 32, 64)),
)
"""name of the encoder, container, kilobits a second"""


def through_codec(sound: Stereo, rate: int, codec: str, container: str, kbps: int) -> Stereo:
    """Encode and decode in memory; shape (n, 2) in, about as long out, begins where it began."""
    file = io.BytesIO()
    options = {"compression_level": "7"} if codec == "libmp3lame" else {}
    with av.open(file, "w", format=container) as out:
        stream = out.add_stream(codec, rate=rate, layout="stereo", options=options)
        if not isinstance(stream, AudioStream):
            raise ValueError(f"{codec} is no sound codec")
        stream.bit_rate = kbps * 1000
        wanted = "flt" if codec == "libopus" else "fltp"
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(sound.T), format="fltp", layout="stereo")
        frame.sample_rate, frame.pts = rate, 0
        size = stream.codec_context.frame_size or None
        pieces = av.AudioResampler(format=wanted, layout="stereo", rate=rate, frame_size=size)
        for piece in [*pieces.resample(frame), *pieces.resample(None), None]:
            out.mux(stream.encode(piece))
    file.seek(0)
    with av.open(file, "r") as decoded:
        planar = av.AudioResampler(format="fltp", layout="stereo", rate=rate)
        frames = [part.to_ndarray() for raw in decoded.decode(audio=0) for part in planar.resample(raw)]
    return np.ascontiguousarray(np.concatenate(frames, axis=1).T, dtype=np.float32)


def _faded(state: Spoiled, rng: np.random.Generator) -> Spoiled:
    gain = np.ones(len(state.sound), dtype=np.float32)
    which = rng.choice(["in", "out", "both"])
    if which != "out":
        size = min(round(rng.uniform(1, 10) * RATE), len(gain) // 2)
        gain[:size] = np.linspace(0, 1, size)
    if which != "in":
        size = min(round(rng.uniform(2, 15) * RATE), len(gain) // 2)
        gain[-size:] = np.linspace(1, 0, size)
    return _with(state, state.sound * gain[:, None], "faded")


def _late_start(state: Spoiled, rng: np.random.Generator) -> Spoiled:
    size = round(rng.uniform(0.1, 4) * RATE)
    sound = np.pad(state.sound, ((size, 0), (0, 0)))
    return replace(_with(state, sound, "silence"), delay_seconds=state.delay_seconds + size / RATE)


def _offset(state: Spoiled, rng: np.random.Generator) -> Spoiled:
    return _with(state, state.sound + np.float32(rng.uniform(-0.1, 0.1)), "offset")


def _levelled(state: Spoiled, rng: np.random.Generator) -> Spoiled:
    """The peak somewhere from full scale down to -30 dB; half of all files are mastered to full scale."""
    peak_db = 0.0 if rng.random() < 0.5 else rng.uniform(-30, 0)
    peak = float(np.abs(state.sound).max()) + 1e-9
    return _with(state, np.clip(state.sound * np.float32(0.999 * 10 ** (peak_db / 20) / peak), -1, 1))


def _fitted(sound: Stereo, size: int) -> Stereo:
    return np.pad(sound[:size], ((0, max(size - len(sound), 0)), (0, 0)))


_CHAIN: tuple[tuple[Callable[[Spoiled, np.random.Generator], Spoiled], float], ...] = (
    (_singer, 0.2),
    (_talker, 0.1),
    (_varispeed, 0.2),
    (_wow, 0.08),
    (_room, 0.12),
    (_equalised, 0.35),
    (_bass_cut, 0.1),
    (_small_speaker, 0.08),
    (_restaged, 0.2),
    (_squeezed, 0.2),
    (_clipped, 0.1),
    (_noisy, 0.25),
    (_coarse_rate, 0.1),
    (_quantised, 0.04),
    (_faded, 0.08),
    (_late_start, 0.12),
    (_offset, 0.03),
    (_coded, 0.25),
)
"""the damages in their order, each with its share of the pieces that are not left clean"""
