"""Name, dimensions, unit and meaning of every array that a stage stores.

Each stored array is declared here once. The store compares arrays with their declarations and writes these beside them,
so that a cached array can be read without this code.

To add an array, add a `Variable` to the group of its stage in `_DECLARED`; nothing else has to change.

Dimensions: `frame` counts spectrogram frames (frame i is centred at i / frames_per_second seconds), `band`
log-frequency bands, `tone` semitones, `beat` beats of the grid, `bar` bars, numbered from 0 by the grid's downbeats,
`splice` candidate splices, best first, `seam_part` the parts of a seam's score.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from workbench.features.chroma import LOWEST_MIDI
from workbench.features.spectrum import FRAMES_PER_SECOND
from workbench.seams.measures import part_names
from workbench.store.arrays import ArrayLabels, Coordinate, Variable

if TYPE_CHECKING:
    from workbench.params import WorkbenchParams


_DECLARED: tuple[Variable, ...] = (
    # beats
    Variable("attack", ("frame",), "float32", "1", "broadband onset strength, 1 is a typical strong onset"),
    Variable("beats", ("beat",), "float64", "s", "beat times in track time, strictly increasing", is_coordinate=True),
    Variable("positions", ("beat",), "int32", "1", "place of each beat in its bar, from 1", is_coordinate=True),
    Variable("beats_per_bar", (), "int32", "1", "beats in a bar of the metre that prevails"),
    Variable("confidence", (), "float64", "1", "probability that the downbeats are right, 0 to 1"),
    Variable("duration", (), "float64", "s", "decoded length of the recording"),
    # seams.seam_score, what is measured of each beat; times are track time
    Variable("band_hz", ("band",), "float64", "Hz", "centre frequency of each log-frequency band", is_coordinate=True),
    Variable("beat_edges", ("beat_edge",), "float64", "s", "beginnings of the beats and the end of the last"),
    Variable("beat_loudness", ("beat", "tick", "band"), "float32", "1", "specific loudness, 1.0 full scale in a band"),
    Variable("beat_tones", ("beat", "edge", "tone"), "float32", "1", "compressed power of semitones at both edges"),
    # a soundtrack; times are video time
    Variable("soundtrack_power", ("hop",), "float64", "1", "K-weighted mean power of each hundredth of a second"),
    Variable(
        "soundtrack_peak", (), "float64", "1", "highest absolute sample, full scale 1.0; -1 without an audio stream"
    ),
    Variable("speech", ("speech_frame",), "float32", "1", "probability of speech in each frame, 0 to 1"),
    Variable("speech_frame_seconds", (), "float64", "s", "length of a frame of the speech detector"),
    Variable("utterances", ("utterance", "stretch_edge"), "float64", "s", "what a detector of others found"),
    Variable("speech_bands", ("band_hop", "band"), "float32", "1", "mean power of each hundredth in mix.bands' bands"),
    Variable("voice_pitch", ("pitch_step", "pitch"), "float32", "1", "MIDI number and clarity of each fiftieth"),
    Variable("voice_odds", ("voice_hop",), "float16", "1", "log-odds of somebody speaking in each hundredth"),
    Variable("speech_elsewhere", ("stream", "stream_speech"), "float64", "1", "sound streams, and s of speech in them"),
    # align.landmarks; times are track time
    Variable(
        "landmark_times",
        ("landmark",),
        "float64",
        "s",
        "instants to land a video on, not decreasing",
        is_coordinate=True,
    ),
    Variable("landmark_kinds", ("landmark",), "int32", "1", "index into align.landmarks.LANDMARK_KINDS"),
    Variable("landmark_salience", ("landmark",), "float64", "1", "how much anybody would notice, 0 to 1"),
    Variable("landmark_tolerance", ("landmark",), "float64", "s", "how far off still counts as simultaneous"),
    Variable("landmark_span", ("landmark_edge",), "float64", "s", "length, first and last sound of the track"),
    Variable("track_power", (), "float64", "1", "gated K-weighted mean power of the track, 0 where it is silent"),
    Variable("track_peak", (), "float64", "1", "highest absolute sample of the track, full scale 1.0"),
    # align.placements of one track under one video
    Variable(
        "placement_list", ("byte",), "uint8", "1", "placements, best first, as JSON in UTF-8; times are video time"
    ),
    # video; times are video time
    Variable("picture_times", ("picture",), "float64", "s", "when each measured picture is shown", is_coordinate=True),
    Variable("motion", ("picture",), "float32", "1/s", "picture heights a second that things move at"),
    Variable("brightness", ("picture",), "float32", "1", "mean luma, 0 black to 1 white"),
    Variable("colourfulness", ("picture",), "float32", "1", "Hasler and Suesstrunk's measure over 255, 0 grey"),
    Variable("contrast", ("picture",), "float32", "1", "standard deviation of luma, 0 to 0.5"),
    Variable("border_kind", ("border",), "int8", "1", "0 hard, 1 fade, 2 dissolve, 3 flash"),
    Variable(
        "border_times", ("border", "border_time"), "float64", "s", "start, end and the instant that stands for it"
    ),
    Variable("border_strength", ("border",), "float64", "1", "difference of the two sides, 0 to 1"),
    Variable("black", ("black_stretch", "stretch_edge"), "float64", "s", "start and end of each black stretch"),
    Variable("still", ("still_stretch", "stretch_edge"), "float64", "s", "start and end of each still stretch"),
    Variable("titles", ("title", "stretch_edge"), "float64", "s", "start and end of words over the picture"),
    Variable("video_facts", ("byte",), "uint8", "1", "duration, size, rate and title of a video as JSON in UTF-8"),
    Variable("soundtrack_attack", ("hop",), "float32", "1", "onset strength, 1 is a typical strong onset"),
    Variable("soundtrack_onsets", ("soundtrack_onset",), "float64", "s", "instants at which a sound begins"),
    Variable("soundtrack_onset_strengths", ("soundtrack_onset",), "float32", "dB", "rise over what was heard before"),
    # character.describe; times are track time
    Variable("character_facts", ("byte",), "uint8", "1", "what was measured in single numbers, as JSON in UTF-8"),
    Variable("contour", ("contour_part",), "float32", "1", "energy of equal parts of the track, 0 to 1"),
    Variable("sound_vector", ("sound_dim",), "float32", "1", "unit vector; cosines tell how alike two tracks sound"),
    Variable("section_edges", ("section", "stretch_edge"), "float64", "s", "start and end of each section"),
    Variable("section_labels", ("section",), "int8", "1", "index into structure.sections.LABELS"),
    # seams.build_profile; times are track time
    Variable("loop_scalars", ("loop_scalar",), "float64", "1", "times in s, metre and confidence, named on the axis"),
    Variable(
        "loop_downbeats", ("bar",), "float64", "s", "bar lines that splices leave and enter at", is_coordinate=True
    ),
    Variable("loop_bar_lufs", ("bar",), "float64", "LUFS", "loudness of each bar"),
    Variable("loop_form", ("byte",), "uint8", "1", "sections and the track's own ending as JSON in UTF-8"),
    Variable("splice_leave", ("splice",), "int32", "1", "bar line at which the music leaves"),
    Variable("splice_enter", ("splice",), "int32", "1", "bar line at which it goes on"),
    Variable("splice_song_to", ("splice",), "float64", "s", "fitted leaving time"),
    Variable("splice_song_from", ("splice",), "float64", "s", "fitted entering time"),
    Variable("splice_score", ("splice",), "float64", "1", "seam score, 0 to 1, fitted to an automatic judge"),
    Variable("splice_parts", ("splice", "seam_part"), "float64", "1", "parts of the score, 0 to 1 each"),
    Variable("splice_fade_seconds", ("splice",), "float64", "s", "length of the crossfade"),
    Variable("splice_exponent", ("splice",), "float64", "1", "gain law: 0.5 equal power to 1.0 linear"),
    Variable("splice_level_step_db", ("splice",), "float64", "dB", "how much louder the entered side is, LU"),
)

DIM_NAMES: Mapping[str, tuple[str, ...]] = {
    "stretch_edge": ("start", "end"),
    "border_time": ("start", "end", "instant"),
    "landmark_edge": ("length", "first_sound", "last_sound"),
    "pitch": ("midi", "clarity"),
    "edge": ("begins", "ends"),
    "stream_speech": ("number", "seconds"),
    "loop_scalar": ("song_duration", "song_start", "last_sound", "beats_per_bar", "grid_confidence"),
}
"""What the entries of short axes are called, in the stored order."""

VARIABLES: Mapping[str, Variable] = {variable.name: variable for variable in _DECLARED}
"""Every declared array by name."""


_HOPS_PER_SECOND = 100
_PITCHES_PER_SECOND = 50


def array_labels(name: str, params: WorkbenchParams) -> ArrayLabels:
    """Labels of the arrays of a recording, for any stage: axes that a stage does not have are left out when written."""
    coordinates = {
        "time": Coordinate("frame", (), "s", 1.0 / FRAMES_PER_SECOND, description="middle of the frame, track time"),
        "soundtrack_time": Coordinate("hop", (), "s", 1.0 / _HOPS_PER_SECOND, description="beginning, video time"),
        "pitch_time": Coordinate("pitch_step", (), "s", 1.0 / _PITCHES_PER_SECOND, description="beginning, video time"),
        "beat": Coordinate("beat", description="number of the beat in the grid, from 0"),
        "tone": Coordinate("tone", first=LOWEST_MIDI, description="MIDI number"),
        "bar": Coordinate("bar", description="number of the bar, by the grid's downbeats, from 0"),
        "splice": Coordinate("splice", description="candidate splices, best first"),
        "seam_part": Coordinate("seam_part", part_names(params.seams), description="what of the splice is judged"),
    }
    coordinates |= {dim: Coordinate(dim, names) for dim, names in DIM_NAMES.items()}
    return ArrayLabels(name, coordinates)
