"""Speak the narration of the demo film: text in, `narration.ogg` and `narration.json` out.

    python -m data.recipes.speak [FOLDER]

The voice is eSpeak NG (a Debian package, needed only to make the files again). Its dry output is equalised, evened out,
set in a small room and levelled phrase by phrase as a mixing engineer would: about -20 LUFS where someone speaks
(ITU-R BS.1770, gated, each phrase by itself), with two confidences left lower, one of them half breath.
Between the groups lie silences of more than 20 s, in which music has time to come back.

The times in the JSON are clip seconds of the first and the last sound of each phrase, measured on the finished signal.
The same program and the same eSpeak NG give the same bytes.
"""

from __future__ import annotations

import io
import json
import shutil
import struct
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyloudnorm
import soundfile
import soxr
from scipy import ndimage, signal

Samples = npt.NDArray[np.float64]

RATE = 24_000  # speech has little to say above 12 kHz
CLIP_SECONDS = 300.0
SPEECH_LUFS = -20.0
EDGE_DB = -50.0  # a phrase lasts as long as it is louder than this, relative to its own peak
EDGE_SECONDS = 0.005
PAUSE_MS = 480  # what a `|` in the text stands for
VORBIS_COMPRESSION = 0.6  # soundfile's scale: 0 is the best quality, 1 the smallest file
OGG_SERIAL = 610  # libsndfile draws a new one for every file
FOLDER = Path(__file__).resolve().parents[1] / "bundled" / "voice"


@dataclass(frozen=True, slots=True)
class Phrase:
    """One utterance: what is said and how."""

    text: str  # `|` is a pause inside the phrase
    gap: float = 0.9  # seconds of silence before it, after the phrase before
    voice: str = "en-gb-x-rp+m3"
    words_per_minute: int = 134
    pitch: int = 35  # eSpeak NG's scale, 0 to 99
    level_db: float = 0.0  # over SPEECH_LUFS
    breath: float = 0.0  # share of the voice that is turned into breath, as near a whisper as it goes


@dataclass(frozen=True, slots=True)
class PhraseGroup:
    """Phrases that belong together, and the clip time of the first one's first sound."""

    start: float
    phrases: tuple[Phrase, ...]


NARRATION = (
    PhraseGroup(20.4, (
        Phrase("The first train leaves the valley at ten past six, whatever the weather."),
        Phrase("In a hundred and forty years, nobody has found a good reason to move it.", 0.8, level_db=-0.8),
        Phrase("There are nine people on board this morning | and most of them are asleep.", 1.3, pitch=33),
        Phrase("Outside, the hills are only just deciding on a colour.", 1.0, words_per_minute=126, level_db=-1.5),
    )),
    PhraseGroup(72.6, (
        Phrase("Twelve miles on, the line meets the water, and follows it.", pitch=37, level_db=0.5),
        Phrase("The engineers wanted a tunnel here. | The money ran out, so we were given the view instead.", 0.7),
        Phrase("Every winter, the sea takes a little of the wall. | Every spring, somebody puts it back.", 1.6,
               words_per_minute=128, level_db=-1.0),
    )),
    PhraseGroup(127.0, (
        Phrase("Rain is what the drivers talk about.", pitch=33, level_db=0.8),
        Phrase("Not the snow, and not the heat: | a fine, patient rain that turns the rails to glass.", 0.6),
        Phrase("You brake early. | You brake gently. | And you listen.", 1.2, words_per_minute=124, pitch=32),
        Phrase("And then, quite suddenly, it stops.", 1.7, words_per_minute=118, pitch=26, level_db=-6.5, breath=0.3),
    )),
    PhraseGroup(184.2, (
        Phrase("By evening, the same five carriages are carrying four hundred people.", pitch=37,
               words_per_minute=142, level_db=1.0),
        Phrase("The city does not look up. | It has seen trains before.", 0.7, words_per_minute=138),
        Phrase("But watch the windows as they pass. Every one of them is a small, lit room, on its way somewhere else.",
               1.1, words_per_minute=132, level_db=-0.6),
    )),
    PhraseGroup(243.0, (
        Phrase("Somebody asked me once what the line is for.", pitch=34),
        Phrase("I said it is for the last mile, | when the lamps come on along the harbour,", 1.0,
               words_per_minute=128, level_db=-1.2),
        Phrase("and for a moment, the whole valley is quiet.", 0.5, words_per_minute=118, pitch=30, level_db=-5.5),
        Phrase("Then it is ten past six again.", 2.1, words_per_minute=128),
    )),
)  # fmt: skip


def spoken(phrase: Phrase) -> Samples:
    """The phrase as eSpeak NG says it, shape (n,), at `RATE`, silence at both ends cut off."""
    breaks = f'<break time="{PAUSE_MS}ms"/>'
    command = ["espeak-ng", "-m", "-v", phrase.voice, "-s", str(phrase.words_per_minute), "-p", str(phrase.pitch)]
    answer = subprocess.run(
        [*command, "--stdout", phrase.text.replace("|", breaks)], stdout=subprocess.PIPE, check=True
    )
    dry, rate = soundfile.read(io.BytesIO(answer.stdout))
    voice = soxr.resample(dry, rate, RATE)
    first, last = sound_edges(voice)
    return np.array(voice[int(first * RATE) : int(last * RATE)], dtype=np.float64)


def sound_edges(samples: Samples) -> tuple[float, float]:
    """First and last instant, in seconds, at which `EDGE_SECONDS` of RMS exceed the peak by `EDGE_DB`."""
    window = int(EDGE_SECONDS * RATE)
    blocks = samples[: samples.size // window * window].reshape(-1, window)
    rms = np.sqrt(np.mean(blocks**2, axis=1))
    loud = np.flatnonzero(rms > np.abs(samples).max() * 10 ** (EDGE_DB / 20))
    return float(loud[0] * EDGE_SECONDS), float((loud[-1] + 1) * EDGE_SECONDS)


def shelf_or_bell(kind: str, hertz: float, gain_db: float, q: float) -> Samples:
    """One second-order section of a low shelf or a bell (R. Bristow-Johnson's cookbook), shape (6,)."""
    a, w = 10 ** (gain_db / 40), 2 * np.pi * hertz / RATE
    alpha, c = np.sin(w) / (2 * q), np.cos(w)
    if kind == "bell":
        b0, b1, b2, a0, a1, a2 = 1 + alpha * a, -2 * c, 1 - alpha * a, 1 + alpha / a, -2 * c, 1 - alpha / a
    else:
        s = 2 * np.sqrt(a) * alpha
        b0, b1, b2 = a * (a + 1 - (a - 1) * c + s), 2 * a * (a - 1 - (a + 1) * c), a * (a + 1 - (a - 1) * c - s)
        a0, a1, a2 = a + 1 + (a - 1) * c + s, -2 * (a - 1 + (a + 1) * c), a + 1 + (a - 1) * c - s
    shelf: Samples = np.array([b0, b1, b2, a0, a1, a2], dtype=np.float64) / a0
    return shelf


def toned(voice: Samples) -> Samples:
    """Less of a synthesiser: rumble and fizz taken off, warmth added, the nasal and the buzzing band turned down."""
    sections = np.vstack([
        signal.butter(2, 75, "highpass", fs=RATE, output="sos"),
        shelf_or_bell("shelf", 190, 2.5, 0.7),
        shelf_or_bell("bell", 950, -1.5, 1.0),
        shelf_or_bell("bell", 2900, -3.5, 1.1),
        signal.butter(2, 8200, "lowpass", fs=RATE, output="sos"),
    ])  # fmt: skip
    return np.asarray(signal.sosfilt(sections, voice))


def breathy(voice: Samples, share: float, generator: np.random.Generator) -> Samples:
    """The voice with a share of it replaced by noise of its own envelope, as of somebody almost whispering."""
    if not share:
        return voice
    band = signal.butter(1, [900, 6500], "bandpass", fs=RATE, output="sos")
    envelope = ndimage.uniform_filter1d(np.abs(signal.sosfilt(band, voice)), int(0.012 * RATE))
    noise = signal.sosfilt(band, generator.standard_normal(voice.size)) * envelope
    noise *= np.sqrt(np.sum(signal.sosfilt(band, voice) ** 2) / np.sum(noise**2))
    return np.asarray(voice * (1 - share) + noise * share * 1.5)


def evened(voice: Samples) -> Samples:
    """A compressor of 2.2:1 over -12 dB below the phrase's loudest tenth, 15 ms attack, 180 ms release."""
    level = np.abs(voice) + 1e-9
    fall, rise = np.exp(-1 / (0.180 * RATE)), np.exp(-1 / (0.015 * RATE))
    envelope, state = np.empty_like(level), 0.0
    for i, value in enumerate(level):
        pole = rise if value > state else fall
        state = pole * state + (1 - pole) * value
        envelope[i] = state
    over_db = 20 * np.log10(envelope / np.quantile(envelope, 0.9)) + 12
    return np.asarray(voice * 10 ** (-np.maximum(over_db, 0) * (1 - 1 / 2.2) / 20))


def rounded(voice: Samples) -> Samples:
    """The pulses of the synthetic glottis spread out by a chain of all-passes, then peaks held 14 dB over loudness.

    Broadcasters call the chain a phase rotator: it leaves the spectrum alone and takes the sting out of the waveform.
    """
    warp = np.tan(np.pi * 240 / RATE)
    pole = (warp - 1) / (warp + 1)
    for _ in range(6):
        voice = signal.lfilter([pole, 1.0], [1.0, pole], voice)
    ceiling = 10 ** ((pyloudnorm.Meter(RATE).integrated_loudness(voice) + 14) / 20)
    window = int(0.006 * RATE)
    needed = np.minimum(1.0, ceiling / np.maximum(np.abs(voice), 1e-9))
    held = ndimage.minimum_filter1d(needed, window)
    return np.asarray(voice * ndimage.uniform_filter1d(held, window))


def in_a_room(voice: Samples, generator: np.random.Generator) -> Samples:
    """A treated booth: six early reflections and a tail of 0.18 s reverberation time, 22 dB under the voice."""
    response = np.zeros(int(0.16 * RATE))
    response[0] = 1.0
    for milliseconds, gain in ((7.3, 0.11), (11.9, -0.09), (17.1, 0.07), (23.6, 0.06), (31.2, -0.045), (40.7, 0.03)):
        response[int(milliseconds / 1000 * RATE)] += gain
    t = np.arange(response.size) / RATE
    tail = generator.standard_normal(t.size) * 10 ** (-60 / 20 * t / 0.18) * (t > 0.012)
    tail = signal.sosfilt(signal.butter(1, [250, 4200], "bandpass", fs=RATE, output="sos"), tail)
    response += tail * 10 ** (-22 / 20) / np.sqrt(np.sum(tail**2))
    return np.asarray(signal.fftconvolve(voice, response))


def levelled(voice: Samples, lufs: float) -> Samples:
    """The phrase at an integrated loudness."""
    loudness = pyloudnorm.Meter(RATE).integrated_loudness(voice)
    return np.asarray(voice * 10 ** ((lufs - loudness) / 20))


def narrated() -> tuple[Samples, list[dict[str, object]]]:
    """The whole voice-over on the clip's clock, shape (n,), and a record for each phrase."""
    generator = np.random.default_rng(610)
    track = np.zeros(round(CLIP_SECONDS * RATE))
    records: list[dict[str, object]] = []
    for number, group in enumerate(NARRATION, start=1):
        clock = group.start
        for place, phrase in enumerate(group.phrases):
            clock += phrase.gap if place else 0.0
            voice = breathy(evened(toned(spoken(phrase))), phrase.breath, generator)
            voice = rounded(in_a_room(voice, generator))
            voice = levelled(voice, SPEECH_LUFS + phrase.level_db)
            first, last = sound_edges(voice)
            voice[int(last * RATE) :] *= 0.0
            fade = int(0.02 * RATE)
            voice[int(last * RATE) - fade : int(last * RATE)] *= np.linspace(1, 0, fade)
            begin = round((clock - first) * RATE)
            track[begin : begin + voice.size] += voice
            start, clock = clock, clock - first + last
            text = " ".join(phrase.text.replace("|", " ").split())
            records.append({
                "group": number, "text": text, "start_s": round(start, 3), "end_s": round(clock, 3),
                "lufs": SPEECH_LUFS + phrase.level_db,
            })  # fmt: skip
    return track, records


def vorbis(samples: Samples) -> bytes:
    """The samples as Ogg Vorbis, the same bytes every time."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "voice.ogg"
        with soundfile.SoundFile(
            path, "w", RATE, 1, format="OGG", subtype="VORBIS", compression_level=VORBIS_COMPRESSION
        ) as file:
            for at in range(0, samples.size, RATE):  # libsndfile breaks down on blocks of more than some 40 s
                file.write(samples[at : at + RATE])
        return with_serial(path.read_bytes(), OGG_SERIAL)


def with_serial(stream: bytes, serial: int) -> bytes:
    """An Ogg stream with its serial number replaced and the checksum of every page renewed (RFC 3533)."""
    table = []
    for byte in range(256):
        value = byte << 24
        for _ in range(8):
            value = (value << 1) ^ (0x04C11DB7 if value & 0x80000000 else 0)
        table.append(value & 0xFFFFFFFF)
    pages, at = bytearray(stream), 0
    while at < len(pages):
        count = pages[at + 26]
        end = at + 27 + count + sum(pages[at + 27 : at + 27 + count])
        pages[at + 14 : at + 18] = struct.pack("<I", serial)
        pages[at + 22 : at + 26] = bytes(4)
        checksum = 0
        for byte in pages[at:end]:
            checksum = ((checksum << 8) & 0xFFFFFFFF) ^ table[(checksum >> 24) ^ byte]
        pages[at + 22 : at + 26] = struct.pack("<I", checksum)
        at = end
    return bytes(pages)


def main(folder: Path) -> None:
    """Write both files into a folder."""
    if shutil.which("espeak-ng") is None:
        raise SystemExit("speak.py needs espeak-ng (Debian package espeak-ng)")
    track, records = narrated()
    folder.mkdir(parents=True, exist_ok=True)
    audio = vorbis(track)
    (folder / "narration.ogg").write_bytes(audio)
    facts = {"file": "narration.ogg", "clip_seconds": CLIP_SECONDS, "sample_rate": RATE, "phrases": records}
    (folder / "narration.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    for record in records:
        print(f"{record['start_s']:8.3f} {record['end_s']:8.3f}  {record['text']}")
    print(f"{len(audio) / 1e3:.0f} kB, peak {20 * np.log10(np.abs(track).max()):.1f} dBFS")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
