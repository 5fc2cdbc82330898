"""Analyse a recording: load what the store has, compute what is missing, stage by stage.

A stage is a group of arrays with a version and the parameters it depends on. Stages in the store are read; for the
others the file is decoded once and one spectrogram is taken, however many stages need it. If the store has all of them,
no sound is read at all: only the file's bytes, for their hash.

    stage     arrays                                depends on
    beats     the grid, onset strength, the length  BeatParams, the fitted weights
    evidence  what seams are judged by              those, the corrected grid
    loops     the loop profile                      those, all SeamParams, SectionParams

A key names the versions of the stages that it builds on too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workbench.analysis.labels import array_labels
from workbench.analysis.profile_arrays import profile_from_arrays, profile_to_arrays
from workbench.analysis.protocols import ask_tracker, sections_by
from workbench.analysis.workspace import Workspace
from workbench.beats.candidates import is_near_tempo
from workbench.beats.edges import with_edge_lines, with_loop_end
from workbench.beats.grid import BeatGrid
from workbench.beats.track import gather, track_gathered
from workbench.beats.weights import fitted_digest
from workbench.extensions import BEAT_TRACKERS, OWN, SECTION_FINDERS, find
from workbench.features.onsets import detect_onsets
from workbench.features.spectrum import FRAMES_PER_SECOND, analyze_spectrum, resampled
from workbench.features.speech_probability import SAMPLE_RATE, speech_share
from workbench.features.vocals import excerpts
from workbench.plans.file_loop import with_file_loop
from workbench.recording import FloatArray, NotebookValue, Recording, clock
from workbench.seams.build_profile import loop_profile, profile_of_evidence
from workbench.seams.measures import features_of, find_measure, measures_used
from workbench.seams.profile import LoopProfile
from workbench.seams.seam_score import evidence_of_measures, measure_beats, with_yardstick
from workbench.store.fingerprint import CacheKeyPart, KeyPart, StageKey

if TYPE_CHECKING:
    import pandas
    import xarray

    from workbench.analysis.progress import Progress
    from workbench.features.onsets import OnsetStrengths
    from workbench.features.spectrum import Spectrum
    from workbench.params import WorkbenchParams
    from workbench.seams.seam_score import SeamEvidence
    from workbench.store.saved import CorrectedGrid

# Raise it when the code of features or beats changes a grid; new weights need no raise, see `grid_parts`
BEATS_VERSION = 10
EVIDENCE_VERSION = 1  # raise it when features or seams.seam_score measure beats in another way
LOOPS_VERSION = 12  # raise it when the code of structure or loops changes a profile

# A recording with a grid under this confidence and speech in more than this share of its sound has no bars to loop:
# speech can be spliced in any pause
_SPOKEN_CONFIDENCE, _SPOKEN_SHARE = 0.05, 0.5

# From which beats at a given tempo are taken: of 26 external recordings 25 have at most 0.01 at 0.93 and at 1.1 times
# their tempo
MIN_TEMPO_CONFIDENCE = 0.1

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class BeatAnalysis(NotebookValue):
    """The beats of one recording, and the onset strength they were found in.

    Attributes
    ----------
    content_hash : SHA-256 of the file's bytes
    duration : decoded length, s
    grid : its beats and bars
    attack : shape (n_frames,), broadband onset strength; frame i is centred at i / frames_per_second s
    frames_per_second : of `attack`
    cached : whether it came from the store
    """

    content_hash: str
    duration: float
    grid: BeatGrid
    attack: FloatArray
    frames_per_second: int
    cached: bool

    def __repr__(self) -> str:
        return f"<beats of {clock(self.duration)}: {self.grid!r}>"

    def to_dataset(self) -> xarray.Dataset:
        """The grid, as labelled arrays."""
        return self.grid.to_dataset()

    def to_frame(self) -> pandas.DataFrame:
        """The grid, a row a beat."""
        return self.grid.to_frame()


@dataclass(frozen=True, slots=True, eq=False)
class Analysis(NotebookValue):
    """Everything that loops, pictures and reports need of one recording, but its sound.

    Attributes
    ----------
    beat_analysis : its beats
    profile : its bars, sections, splices and endings
    """

    beat_analysis: BeatAnalysis
    profile: LoopProfile

    def __repr__(self) -> str:
        return f"<analysis of {clock(self.duration)}: {self.grid!r}, {self.profile!r}>"

    def to_dataset(self) -> xarray.Dataset:
        """The profile, as labelled arrays."""
        return self.profile.to_dataset()

    def to_frame(self) -> pandas.DataFrame:
        """The profile, a row a splice."""
        return self.profile.to_frame()

    @property
    def grid(self) -> BeatGrid:
        """Beats and bar positions."""
        return self.beat_analysis.grid

    @property
    def duration(self) -> float:
        """Decoded length, s."""
        return self.beat_analysis.duration

    @property
    def content_hash(self) -> str:
        """SHA-256 of the file's bytes."""
        return self.beat_analysis.content_hash


class Sound:
    """One file's sound for the stages: decoded, and its spectrogram taken, once at most and only when needed.

    `use_detected_grid` takes the tracker's grid even where a corrected one is saved. `keep_spectrum` holds the
    spectrogram when the beats are tracked, for landmarks and character, which read it too; of two hours of sound it is
    half a gigabyte.
    """

    def __init__(
        self, workspace: Workspace, path: Path, *, use_detected_grid: bool = False, keep_spectrum: bool = False
    ) -> None:
        self.workspace = workspace
        self.path = path
        self.use_detected_grid = use_detected_grid
        self.keep_spectrum = keep_spectrum

    @property
    def params(self) -> WorkbenchParams:
        """All parameters."""
        return self.workspace.params

    @property
    def progress(self) -> Progress:
        """The function that receives progress."""
        return self.workspace.progress

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of the file's bytes."""
        return self.workspace.hash_file(self.path)

    @cached_property
    def correction(self) -> CorrectedGrid | None:
        """The grid corrected by hand, which replaces the tracker's; None if there is none, or it is not to be used."""
        if self.use_detected_grid or self.workspace.existing_database is None:
            return None
        from workbench.analysis.grids import corrected_grid

        return corrected_grid(self.workspace, self.content_hash)

    @property
    def grid_parts(self) -> tuple[KeyPart, ...]:
        """What the grid depends on, as parts of the keys of results that use it."""
        return grid_parts(self.params, "" if self.correction is None else self.correction.revision)

    @property
    def profile_parts(self) -> tuple[KeyPart, ...]:
        """What grid and loop profile depend on, as parts of the keys of results that use them."""
        return profile_parts(self.params, "" if self.correction is None else self.correction.revision)

    @cached_property
    def recording(self) -> Recording:
        """All of it, decoded."""
        return self.workspace.load_recording(self.path)

    @cached_property
    def loop_points(self) -> tuple[float, float] | None:
        """Start and end of the loop that the file carries, s; None without."""
        from workbench.media.loop_points import read_loop_points  # PyAV loads where a file is opened

        return read_loop_points(self.workspace.local_file(self.path))

    @cached_property
    def spectrum(self) -> Spectrum:
        """The one spectrogram."""
        return analyze_spectrum(self.recording.samples, self.recording.sample_rate)

    @cached_property
    def onsets(self) -> OnsetStrengths:
        """Onset strengths in that spectrogram."""
        return detect_onsets(self.spectrum)

    def release_spectrum(self) -> None:
        """Drop spectrogram and onsets, unless they are still needed: bars and seams do not read them."""
        if not self.keep_spectrum:
            for name in ("spectrum", "onsets"):
                self.__dict__.pop(name, None)


def grid_parts(params: WorkbenchParams, correction: str) -> tuple[KeyPart, ...]:
    """Parts of the cache key of a grid: parameters, the weights of the tracker, the code, and a correction by hand.

    `correction` is the revision of the corrected grid, empty without one.
    """
    code = CacheKeyPart("BeatsMade", "version", BEATS_VERSION)
    detected = (params.beats, _weights_part(params), code)
    return (*detected, CacheKeyPart("Corrected", "grid", correction)) if correction else detected


def profile_parts(params: WorkbenchParams, correction: str) -> tuple[KeyPart, ...]:
    """Parts of the cache key of a grid and the loop profile on it, as of `grid_parts`."""
    code = CacheKeyPart("LoopsMade", "version", LOOPS_VERSION)
    used = (*grid_parts(params, correction), params.seams, params.sections, code)
    if params.sections.finder != OWN:
        used = (*used, CacheKeyPart("SectionFinder", "version", find(SECTION_FINDERS, params.sections.finder).version))
    if not params.seams.measures:
        return used

    versions = [f"{name}:{find_measure(name).version}" for name, _ in measures_used(params.seams)]
    return (*used, CacheKeyPart("SeamMeasures", "versions", ",".join(versions)))


def analyze(workspace: Workspace, path: Path | str) -> Analysis:
    """Grid and loop profile of a file, from the store where it has them.

    Parameters
    ----------
    workspace : parameters, store and progress report
    path : anything FFmpeg reads, a video with sound too. The grid is the one that is saved for these bytes
        (`workbench.keep_grid`), else the tracker's

    Returns
    -------
    Analysis : beat grid and loop profile; its sound is not part of it

    Raises
    ------
    MediaError : no such file, or no sound in it
    StoreError : the home folder cannot be written to
    """
    return analyze_sound(Sound(workspace, Path(path)))


def analyze_sound(sound: Sound) -> Analysis:
    """Grid and loop profile of a sound, from the store where it has them; raises `MediaError` if there is no sound."""
    beat_analysis = beat_stage(sound)
    return Analysis(beat_analysis, loop_stage(sound, beat_analysis))


def decoded_seconds(sound: Sound, expected_most: float) -> float:
    """Length of a sound after decoding, s: that of the stored analysis, or else of the decoded sound.

    What a header states is not trusted, and packets hold padding. The analysis uses the same decoded sound later. A
    file whose packets last longer than `expected_most` seconds is decoded without being held in memory, since it may
    not be needed. Raises `MediaError` for a damaged file.
    """
    beats = sound.workspace.arrays.load(_beats_key(sound))
    if beats is not None:
        return float(beats["duration"])
    path = sound.workspace.local_file(sound.path)
    # PyAV loads where a file is opened: stored measurements are read without it
    from workbench.media.audio import count_seconds
    from workbench.media.probe import probe

    if (probe(path).audio_duration or 0.0) > expected_most:
        sound.progress(f"measuring the length of {path.name}", 0.0)
        seconds = count_seconds(path)
        sound.progress(f"measuring the length of {path.name}", 1.0)
        return seconds
    return sound.recording.duration


def _stage(sound: Sound, key: StageKey, compute: Callable[[], Arrays]) -> tuple[Arrays, bool]:
    """The arrays of a stage, and whether they came from the store."""
    computed = False

    def compute_now() -> Arrays:
        nonlocal computed
        computed = True
        return compute()

    labels = array_labels(sound.path.name, sound.params)
    arrays = sound.workspace.arrays.load_or_compute(key, compute_now, labels)
    return arrays, not computed


def beat_stage(sound: Sound) -> BeatAnalysis:
    """The beats of a sound, from the store or tracked now; a corrected grid replaces the tracker's."""
    arrays, cached = _beat_arrays(sound)
    return BeatAnalysis(
        sound.content_hash,
        duration=float(arrays["duration"]),
        grid=_tracked_grid(arrays) if sound.correction is None else _grid_of(sound.correction),
        attack=arrays["attack"],
        frames_per_second=FRAMES_PER_SECOND,
        cached=cached,
    )


def grid_at_tempo(sound: Sound, bpm: float) -> BeatGrid:
    """The grid that our tracker detects at a given tempo, within `KNOWN_TEMPO_SHARE`; it is not stored.

    Without beats where nothing near this tempo can be followed; at a wrong tempo the confidence is near 0.
    """
    params = sound.params.beats
    gathered = gather(sound.spectrum, params, sound.onsets)
    sound.release_spectrum()
    return with_edge_lines(track_gathered(gathered, params, bpm), sound.recording)


def has_tempo(grid: BeatGrid, bpm: float) -> bool:
    """Whether a grid has a tempo, as near as one that a person knows."""
    return grid.beats.size > 1 and is_near_tempo(grid.beats, bpm)


def tempo_note(bpm: float) -> str:
    """The note of a grid that was detected at a given tempo."""
    return f"detected at {bpm:g} BPM, the given tempo"


def detected_grid(sound: Sound) -> BeatGrid:
    """The tracker's grid of a sound, from the store or tracked now, whether or not a corrected one replaces it."""
    return _tracked_grid(_beat_arrays(sound)[0])


def _beat_arrays(sound: Sound) -> tuple[Arrays, bool]:
    params = sound.params

    def compute() -> Arrays:
        onsets = sound.onsets
        sound.progress("finding the beats", 0.0)
        if params.beats.tracker == OWN:
            gathered = gather(sound.spectrum, params.beats, onsets)
            sound.release_spectrum()
            grid = with_edge_lines(track_gathered(gathered, params.beats), sound.recording)
            points = sound.loop_points
            grid = grid if points is None else with_loop_end(grid, sound.recording, points[1])
        else:
            sound.release_spectrum()
            grid = ask_tracker(params.beats.tracker, sound.recording, params.beats)
        sound.progress("finding the beats", 1.0)
        return {
            "beats": grid.beats,
            "positions": grid.positions,
            "beats_per_bar": np.array(grid.beats_per_bar, dtype=np.int32),
            "confidence": np.array(grid.confidence, dtype=np.float64),
            "attack": onsets.attack,
            "duration": np.array(sound.recording.duration, dtype=np.float64),
        }

    return _stage(sound, _beats_key(sound), compute)


def _beats_key(sound: Sound) -> StageKey:
    params = sound.params
    # A corrected grid does not change this key: it replaces the tracker's grid when the arrays are read.
    return StageKey.of(sound.content_hash, "beats", BEATS_VERSION, params.beats, _weights_part(params))


def _weights_part(params: WorkbenchParams) -> CacheKeyPart:
    """The weights of the beat tracker, so that a grid of other weights is never read; of another's, its version."""
    if params.beats.tracker != OWN:
        return CacheKeyPart("Learned", "tracker", find(BEAT_TRACKERS, params.beats.tracker).version)
    return CacheKeyPart("Learned", "beats", fitted_digest(params.beats.activation))


def _tracked_grid(arrays: Arrays) -> BeatGrid:
    return BeatGrid(
        arrays["beats"], arrays["positions"], int(arrays["beats_per_bar"]), confidence=float(arrays["confidence"])
    )


def _grid_of(correction: CorrectedGrid) -> BeatGrid:
    """The grid of a correction."""
    beats, positions = np.array(correction.beats), np.array(correction.positions, dtype=np.int32)
    return BeatGrid(beats, positions, correction.beats_per_bar, correction.confidence)


def _is_spoken(recording: Recording) -> bool:
    """Whether a recording is mostly speech; of a long one six stretches decide."""
    return speech_share(excerpts(resampled(recording.samples, recording.sample_rate, SAMPLE_RATE))) > _SPOKEN_SHARE


def evidence_stage(sound: Sound, beat_analysis: BeatAnalysis) -> SeamEvidence:
    """The evidence by which the seams of a sound are scored, from the store or measured now.

    Stored is what was measured in the sound; what follows from it and depends on other parameters is computed. Raises
    `ParameterError` for fewer than two bars.
    """
    return with_yardstick(measured_evidence(sound, beat_analysis), sound.params.seams)


def measured_evidence(sound: Sound, beat_analysis: BeatAnalysis) -> SeamEvidence:
    """The evidence without the track's own breaks: all of it that depends on the sound alone."""
    params, grid = sound.params.seams, beat_analysis.grid

    def compute() -> Arrays:
        measured = measure_beats(sound.recording, grid, params)
        return {
            "beat_edges": measured.edges,
            "beat_loudness": measured.loudness,
            "band_hz": measured.band_hz,
            "beat_tones": measured.tones,
        }

    key = StageKey.of(sound.content_hash, "evidence", EVIDENCE_VERSION, *sound.grid_parts)
    arrays, _ = _stage(sound, key, compute)
    others = features_of(sound.recording, grid, params) if params.measures else ()
    return evidence_of_measures(
        grid, arrays["beat_edges"], arrays["beat_loudness"], arrays["band_hz"], arrays["beat_tones"], others
    )


def loop_stage(sound: Sound, beat_analysis: BeatAnalysis) -> LoopProfile:
    """The loop profile of a sound, from the store or computed now."""
    params = sound.params

    def compute() -> Arrays:
        recording, grid = sound.recording, beat_analysis.grid
        find_sections = sections_by(params.sections)
        sound.progress("looking for seams", 0.0)
        if grid.confidence < _SPOKEN_CONFIDENCE and _is_spoken(recording):
            grid = BeatGrid(np.zeros(0), np.zeros(0, dtype=np.int32), 4, grid.confidence)
        if grid.downbeats.size < 2:
            profile = loop_profile(recording, grid, params.seams, find_sections)
        else:
            evidence = evidence_stage(sound, beat_analysis)
            profile = profile_of_evidence(recording, grid, evidence, params.seams, find_sections)
            points = sound.loop_points
            if points is not None:
                profile = with_file_loop(profile, recording, evidence, points, params.seams)
        sound.progress("looking for seams", 1.0)
        return profile_to_arrays(profile)

    key = StageKey.of(sound.content_hash, "loops", LOOPS_VERSION, *sound.profile_parts)
    arrays, _ = _stage(sound, key, compute)
    return profile_from_arrays(arrays)
