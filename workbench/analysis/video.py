"""Analyse a video: its picture and its sound, from the store or measured in one pass over the file.

    stage        arrays                                                depends on
    picture      curves, borders, black, still, titles, the facts      CutParams
    soundtrack   levels, onsets, probability of speech, pitch          how long a video may be, the streams chosen
    unused       speech in sound streams that are not the soundtrack   how long a video may be

If both are missing, the file is read once for both; of a long video only pictures that others are predicted from are
decoded, and afterwards the pictures around its hard cuts. Who speaks in the foreground, and the class of the sound, are
computed from the arrays and `VoiceParams` each time.

`analyze_video` measures both, `load_soundtrack` the sound alone, which ducking needs; `video_events` finds the events
by which a track is placed. The utterances that a voice detector of another package finds are stored, once a video
(`with_voices`); our own are not, because they follow from the soundtrack in no time.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.analysis.labels import array_labels
from workbench.analysis.protocols import VoiceDetector, ask_detector, detector_file
from workbench.analysis.workspace import Workspace
from workbench.errors import MediaError
from workbench.extensions import OWN, VOICE_DETECTORS, find, work_of
from workbench.features.levels import LevelCurve, LevelMeter
from workbench.features.speech_probability import FRAME_SECONDS, SAMPLE_RATE, SpeechListener
from workbench.media.audio import SoundBlock, decode_blocks
from workbench.media.containers import open_media
from workbench.media.probe import MediaInfo
from workbench.media.sound_streams import SoundChoice, sound_streams
from workbench.media.video_reader import PictureBlock, VideoLimits, fitting_thoroughness, open_video, pictures_within
from workbench.params import CutParams, Params, VoiceParams
from workbench.recording import FloatArray, MonoMixer
from workbench.store.fingerprint import CacheKeyPart, KeyPart, StageKey
from workbench.video.analysis import VideoAnalysis
from workbench.video.bands import BandMeter
from workbench.video.cuts import first_of_shot
from workbench.video.events import Events, find_events
from workbench.video.picture import BORDER_KINDS, Border, Picture, Stretches
from workbench.video.picture_meter import PictureMeter
from workbench.video.pitch import PitchMeter
from workbench.video.soundtrack import OnsetMeter, Soundtrack
from workbench.video.utterances import (
    DetectedVoice,
    SoundtrackMeasure,
    classify,
    detected_utterances,
    utterances_in,
)
from workbench.video.voice_network import VoiceMeter

PICTURE_VERSION = 5  # raise it when the code of media.video_reader or video changes a picture
SOUNDTRACK_VERSION = 7  # raise it when the code that measures a soundtrack changes its results

# Raise it when the code that finds utterances, `workbench.video.utterances.detected_utterances`, changes its results
UNUSED_VERSION = 1

_log = logging.getLogger(__name__)

# Sound streams looked at that are not used: cameras and recorders have no more, and each costs time and memory
_MOST_FURTHER = 8
# Most pictures that are decoded again to place cuts: a share of those decoded before, and a number on top
_PLACING_SHARE, _PLACING_PICTURES = 0.3, 500

Arrays = dict[str, NDArray[Any]]


def analyze_video(workspace: Workspace, video: Path | str) -> VideoAnalysis:
    """Analyse a video (facts, picture and soundtrack), or load its analysis from the store.

    Raises `MediaError` without a moving picture, or for damage beyond use.
    """
    video, params = workspace.local_file(video), workspace.params
    store, content_hash = workspace.arrays, workspace.hash_file(video)
    picture_key = StageKey.of(content_hash, "picture", PICTURE_VERSION, params.cuts)
    sound_key = _sound_key(workspace, content_hash)
    watched: _Watched | None = None

    def measure_picture() -> Arrays:
        nonlocal watched
        watched = _measure(video, workspace, listen=not store.has(sound_key))
        return _picture_arrays(watched)

    def measure_sound() -> Arrays:
        if watched is not None and watched.sound is not None:
            return watched.sound
        return _sound_arrays(video, workspace)

    seen = store.load_or_compute(picture_key, measure_picture, array_labels(video.name, params))
    heard = store.load_or_compute(sound_key, measure_sound, array_labels(video.name, params))
    facts = json.loads(bytes(seen["video_facts"]))
    picture = _picture(seen, facts["duration"])
    return VideoAnalysis(
        content_hash=content_hash,
        title=facts["title"] or video.name,
        duration=facts["duration"],
        width=facts["width"],
        height=facts["height"],
        fps=facts["fps"],
        picture=picture,
        soundtrack=_soundtrack(workspace, video, heard, picture.duration),
    )


def load_soundtrack(workspace: Workspace, video: Path | str) -> SoundtrackMeasure:
    """Measure a soundtrack without decoding pictures, or load its measures; raises as `analyze_video`."""
    video = workspace.local_file(video)
    key, labels = _sound_key(workspace, workspace.hash_file(video)), array_labels(video.name, workspace.params)
    return _measured(workspace.arrays.load_or_compute(key, lambda: _sound_arrays(video, workspace), labels), video)


def unused_speech(workspace: Workspace, video: Path | str) -> str | None:
    """A line on speech that the soundtrack of a video lacks and another of its sound streams holds.

    Looked for once a video, and not where streams were chosen. None where nothing is missed; raises
    `MediaError` as `analyze_video` does.
    """
    path = workspace.local_file(video)
    with open_media(path) as container:
        streams = sound_streams(container, path, workspace.audio)
    if not streams.choosable or workspace.audio is not None:
        return None
    reach = _SoundParams.of(workspace)
    versions = CacheKeyPart("Unused", "soundtrack", str(SOUNDTRACK_VERSION))
    key = StageKey.of(workspace.hash_file(path), "unused", UNUSED_VERSION, reach, VoiceParams(), versions)
    looked_at = streams.choosable[:_MOST_FURTHER]
    found = workspace.arrays.load_or_compute(key, lambda: {"speech_elsewhere": _missed(workspace, path, looked_at)})
    lacking = [(int(number), seconds) for number, seconds in found["speech_elsewhere"]]
    if not lacking:
        return None
    where = ", ".join(f"{streams.unused[number]}, {seconds:.1f} s" for number, seconds in lacking)
    numbers = ",".join(str(number) for number, _ in lacking)
    more = f"more speech is in {where}: {numbers} takes it, all mixes all"
    return f"{path.name}: {streams.in_words}; {more}"


def _missed(workspace: Workspace, video: Path, numbers: Sequence[int]) -> FloatArray:
    """Numbers of sound streams and seconds of speech in them that the soundtrack lacks, shape (n, 2)."""
    spoken = detected_utterances(load_soundtrack(workspace, video), VoiceParams())

    def missed(*several: int) -> float:
        sound = _stream_arrays(video, several, workspace.params.cuts.max_video_seconds)
        found = detected_utterances(_measured(sound, video), VoiceParams())
        return sum(end - start for start, end in found if _shared_seconds(start, end, spoken) < (end - start) / 2)

    # All of them at once first: mostly there is nothing, and the file is read once more, not once a stream.
    rows = [(number, missed(number)) for number in numbers] if len(numbers) == 1 or missed(*numbers) else []
    return np.array([row for row in rows if row[1]], dtype=np.float64).reshape(-1, 2)


def _stream_arrays(video: Path, numbers: Sequence[int], longest: float) -> Arrays:
    """Measure some sound streams of a video, mixed, up to its greatest length."""
    meter = _SoundtrackMeter()
    try:
        for block in decode_blocks(video, choice=SoundChoice(numbers=tuple(numbers))):
            if block.start >= longest:
                break
            meter.add(block)
    except MediaError as error:  # of a stream that is torn or empty, what can be decoded counts
        _log.warning("%s", error)
    return meter.arrays(has_audio=True)


def _shared_seconds(start: float, end: float, ranges: Sequence[tuple[float, float]]) -> float:
    return sum(max(0.0, min(end, b) - max(start, a)) for a, b in ranges)


def _measured(arrays: Mapping[str, NDArray[Any]], video: Path) -> SoundtrackMeasure:
    peak = float(arrays["soundtrack_peak"])
    return SoundtrackMeasure(
        levels=LevelCurve(arrays["soundtrack_power"], peak) if peak >= 0.0 else None,
        speech=arrays["speech"],
        frame_seconds=float(arrays["speech_frame_seconds"]),
        bands=arrays["speech_bands"],
        pitches=arrays["voice_pitch"],
        voice_odds=arrays["voice_odds"].astype(np.float32),
        path=video,
    )


class _SoundParams(Params):
    """The parameters that the measured sound depends on: a longer video is refused."""

    max_video_seconds: float

    @classmethod
    def of(cls, workspace: Workspace) -> _SoundParams:
        return cls(max_video_seconds=workspace.params.cuts.max_video_seconds)


def _sound_key(workspace: Workspace, content_hash: str) -> StageKey:
    reach = _SoundParams.of(workspace)
    return StageKey.of(content_hash, "soundtrack", SOUNDTRACK_VERSION, reach, *workspace.audio_parts)


@dataclass(frozen=True, slots=True, eq=False)
class _Watched:
    """What one pass over a video found."""

    info: MediaInfo
    picture: Picture
    sound: Arrays | None  # None if it was not decoded


def _measure(video: Path, workspace: Workspace, *, listen: bool) -> _Watched:
    """Read a video once, picture and, if asked for, sound."""
    params, progress = workspace.params.cuts, workspace.progress
    stage = f"watching {video.name}"
    progress(stage, 0.0)
    meter, sound_meter = PictureMeter(params), _SoundtrackMeter()
    thoroughness = fitting_thoroughness(video, params.max_thorough_gigapixels)
    with open_video(video, _limits(params), thoroughness, workspace.audio) as reader:
        if not reader.has_picture:
            raise MediaError(f"{video}: has no moving picture; give a video")
        for block in reader.blocks(listen=listen):
            if isinstance(block, PictureBlock):
                meter.add(block.times, block.luma, block.chroma)
                progress(stage, min(0.99, float(block.times[-1]) / max(reader.stated_seconds, 1.0)))
            else:
                sound_meter.add(block)
        info = reader.info()
    picture = meter.picture(info.duration)
    if thoroughness == "references":
        progress(f"placing the cuts of {video.name}", 0.0)
        picture = _place_cuts(video, picture)
    progress(stage, 1.0)
    return _Watched(info, picture, sound_meter.arrays(info.has_audio) if listen else None)


def _place_cuts(video: Path, picture: Picture) -> Picture:
    """Place hard cuts exactly, to the picture, in a video whose reference pictures alone were decoded."""
    before = picture.times[np.maximum(np.searchsorted(picture.times, [b.at for b in picture.borders]) - 1, 0)]
    coarse = [
        (float(last), border) for last, border in zip(before, picture.borders, strict=True) if border.kind == "hard"
    ]
    most = int(_PLACING_SHARE * picture.times.size) + _PLACING_PICTURES
    blocks = pictures_within(video, [(last, border.at) for last, border in coarse], most)
    exact: dict[Border, Border] = {}
    for (last, border), block in zip(coarse, blocks, strict=False):
        if block.times.size > 1 and block.times[0] <= last + 1e-6 and block.times[-1] >= border.at - 1e-6:
            at = float(block.times[first_of_shot(block.luma)])
            exact[border] = replace(border, start=at, end=at, at=at)
    borders = (exact.get(border, border) for border in picture.borders)
    return replace(picture, borders=tuple(sorted(borders, key=lambda border: (border.start, border.at))))


def _sound_arrays(video: Path, workspace: Workspace) -> Arrays:
    """Measure the sound of a video, decoding of its pictures only the first, for the clock."""
    params, progress = workspace.params.cuts, workspace.progress
    stage = f"listening to {video.name}"
    progress(stage, 0.0)
    sound_meter = _SoundtrackMeter()
    with open_video(video, _limits(params), "none", workspace.audio) as reader:
        for block in reader.blocks():
            if not isinstance(block, PictureBlock):
                sound_meter.add(block)
                progress(stage, min(0.99, block.start / max(reader.stated_seconds, 1.0)))
        has_audio = reader.info().has_audio
    progress(stage, 1.0)
    return sound_meter.arrays(has_audio)


class _SoundtrackMeter:
    """Levels, speech and onsets of a soundtrack, block by block; the meters are loaded with the first block."""

    def __init__(self) -> None:
        self._meters: _Meters | None = None

    def add(self, block: SoundBlock) -> None:
        if self._meters is None:
            self._meters = _Meters(block.sample_rate)
        self._meters.add(block.samples)

    def arrays(self, has_audio: bool) -> Arrays:
        """The arrays to store; the peak is negative if the video has no audio stream."""
        if self._meters is not None:
            return self._meters.arrays()
        none = np.zeros(0)
        bands, pitches = np.zeros((0, 1), dtype=np.float32), np.zeros((0, 2), dtype=np.float32)
        return _stored(LevelCurve(none, 0.0), (none, none, none), none, bands, pitches, none) | (
            {} if has_audio else {"soundtrack_peak": np.array(-1.0)}
        )


class _Meters:
    """The meters of one soundtrack, which all get the same blocks."""

    def __init__(self, rate: int) -> None:
        import soxr

        self._levels, self._speech, self._onsets = LevelMeter(rate), SpeechListener(), OnsetMeter(SAMPLE_RATE)
        self._bands, self._pitches, self._voice = BandMeter(), PitchMeter(), VoiceMeter()
        self._mono, self._mixer = soxr.ResampleStream(rate, SAMPLE_RATE, 1, dtype="float32"), MonoMixer()

    def add(self, samples: FloatArray) -> None:
        """Take a block, shape (channels, n)."""
        self._levels.add(samples)
        self._hear(self._mono.resample_chunk(self._mixer.mix(samples)))

    def arrays(self) -> Arrays:
        """The arrays to store; no block may follow."""
        self._hear(self._mono.resample_chunk(np.zeros(0, dtype=np.float32), last=True))
        curve, speech = self._levels.curve(), self._speech.probabilities()
        onsets, bands = self._onsets.onsets(curve.power.size), self._bands.powers()
        return _stored(curve, onsets, speech, bands, self._pitches.pitches(), self._voice.log_odds())

    def _hear(self, mono: FloatArray) -> None:
        self._bands.add(mono)
        self._voice.add(mono)
        self._pitches.add(mono)
        self._speech.hear(mono)
        self._onsets.add(mono)


def _stored(
    levels: LevelCurve,
    onsets: tuple[FloatArray, FloatArray, FloatArray],
    speech: FloatArray,
    bands: FloatArray,
    pitches: FloatArray,
    odds: FloatArray,
) -> Arrays:
    return {
        "soundtrack_power": levels.power,
        "soundtrack_peak": np.array(levels.peak, dtype=np.float64),
        "soundtrack_attack": onsets[0].astype(np.float32),
        "soundtrack_onsets": onsets[1].astype(np.float64),
        "soundtrack_onset_strengths": onsets[2].astype(np.float32),
        "speech": speech.astype(np.float32),
        "speech_bands": bands,
        "voice_pitch": pitches,
        "voice_odds": odds.astype(np.float16),
        "speech_frame_seconds": np.array(FRAME_SECONDS, dtype=np.float64),
    }


def _limits(params: CutParams) -> VideoLimits:
    return VideoLimits(params.max_video_seconds)


def _picture_arrays(watched: _Watched) -> Arrays:
    picture, info = watched.picture, watched.info
    facts = {
        "duration": picture.duration,
        "width": info.width,
        "height": info.height,
        "fps": info.fps or 0.0,
        "title": info.title,
    }
    return {
        "video_facts": np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8),
        "picture_times": picture.times,
        "motion": picture.motion,
        "brightness": picture.brightness,
        "colourfulness": picture.colourfulness,
        "contrast": picture.contrast,
        "border_kind": np.array([BORDER_KINDS.index(b.kind) for b in picture.borders], dtype=np.int8),
        "border_times": np.array([(b.start, b.end, b.at) for b in picture.borders], dtype=np.float64).reshape(-1, 3),
        "border_strength": np.array([b.strength for b in picture.borders], dtype=np.float64),
        "black": _pairs(picture.black),
        "still": _pairs(picture.still),
        "titles": _pairs(picture.titles),
    }


def _pairs(stretches: Stretches) -> FloatArray:
    return np.array(stretches, dtype=np.float64).reshape(-1, 2)


def _stretches(pairs: NDArray[Any]) -> Stretches:
    return tuple((float(start), float(end)) for start, end in pairs)


def _picture(arrays: Mapping[str, NDArray[Any]], duration: float) -> Picture:
    rows = zip(arrays["border_kind"], arrays["border_times"], arrays["border_strength"], strict=True)
    return Picture(
        duration=duration,
        times=arrays["picture_times"],
        motion=arrays["motion"],
        brightness=arrays["brightness"],
        colourfulness=arrays["colourfulness"],
        contrast=arrays["contrast"],
        borders=tuple(
            Border(BORDER_KINDS[kind], float(start), float(end), float(at), float(strength))
            for kind, (start, end, at), strength in rows
        ),
        black=_stretches(arrays["black"]),
        still=_stretches(arrays["still"]),
        titles=_stretches(arrays["titles"]),
    )


def _soundtrack(workspace: Workspace, video: Path, arrays: Mapping[str, NDArray[Any]], seconds: float) -> Soundtrack:
    soundtrack = with_voices(workspace, _measured(arrays, video))
    if (levels := soundtrack.levels) is None:
        return Soundtrack.none()
    utterances = utterances_in(soundtrack, seconds, workspace.params.voice)
    return Soundtrack(
        power=levels.power,
        peak=levels.peak,
        attack=arrays["soundtrack_attack"],
        onsets=arrays["soundtrack_onsets"],
        onset_strengths=arrays["soundtrack_onset_strengths"],
        speech=arrays["speech"],
        frame_seconds=soundtrack.frame_seconds,
        speech_ranges=utterances,
        classification=classify(soundtrack, utterances),
    )


def video_events(workspace: Workspace, video: Path | str) -> Events:
    """Events of a video, whose picture and sound come from the store or are measured now.

    Raises `MediaError` without a moving picture.
    """
    watched = analyze_video(workspace, video)
    return find_events(watched.picture, watched.soundtrack, workspace.params.events)


VOICES_VERSION = 1  # raise it when a detector's answer is stored in another form


def with_voices(workspace: Workspace, soundtrack: SoundtrackMeasure) -> SoundtrackMeasure:
    """The soundtrack with what the workspace's voice detector finds in it, from the store or found now.

    Unchanged unless an external detector is named and there is sound. Raises `ParameterError` if the detector is
    unknown or fails, or the sound comes from no file, and `MediaError` if a file is gone.
    """
    params = workspace.params.voice
    if params.detector == OWN or soundtrack.levels is None:
        return soundtrack
    path = detector_file(soundtrack, params)
    detector: VoiceDetector = find(VOICE_DETECTORS, params.detector)
    with work_of(VOICE_DETECTORS, params.detector):
        files = tuple(detector.reads(path))
    read = ",".join(_digest(file) for file in files)
    key = StageKey.of(
        workspace.hash_file(path),
        "voices",
        VOICES_VERSION,
        *voice_parts(params),
        *workspace.audio_parts,
        CacheKeyPart("VoiceDetectorReads", "files", read),
    )
    arrays = workspace.arrays.load_or_compute(
        key, lambda: {"utterances": np.array(ask_detector(soundtrack, params), dtype=np.float64).reshape(-1, 2)}
    )
    found = tuple((float(start), float(end)) for start, end in arrays["utterances"])
    return replace(soundtrack, detected=DetectedVoice(params, found))


def _digest(path: Path) -> str:
    """SHA-256 of a file's bytes in hex; it may be empty, as labels are without speech."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise MediaError(f"{path}: cannot be read ({error.strerror}), and the voice detector needs it") from None


def voice_parts(params: VoiceParams) -> tuple[KeyPart, ...]:
    """Parts of the cache key of utterances beside the video: the parameters, and the version of the detector.

    Raises `ParameterError` if there is no such detector.
    """
    return params, CacheKeyPart("VoiceDetector", "version", find(VOICE_DETECTORS, params.detector).version)
