"""Every tunable number of the project: one class a stage, one field a number, with range, unit and reason.

A stage takes its params object and nothing else of the kind. Command-line options, notebook cells, sliders, profile
files and cache keys are made from these fields, so a number lives here once.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Params(BaseModel):
    """Base of all parameter classes: frozen, unknown fields refused, NaN and infinity refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class SpectrumParams(Params):
    """The one spectrogram that beats, sections and seams read."""

    sample_rate: int = Field(default=44_100, ge=22_050, le=48_000, description="Hz; all sound is resampled to it")
    frames_per_second: int = Field(default=100, ge=50, le=200, description="frames a second at any sample rate")
    window: int = Field(default=2048, ge=512, le=8192, description="samples of the analysis window")
    bands_per_octave: int = Field(
        default=24, ge=6, le=36, description="bands an octave; half a semitone, the SuperFlux resolution"
    )
    lowest_hz: float = Field(default=30.0, ge=20.0, le=100.0, description="Hz; centre of the lowest band")
    highest_hz: float = Field(default=17_000.0, ge=4_000.0, le=20_000.0, description="Hz; lossy codecs end near 16 kHz")
    tone_frames_per_second: int = Field(
        default=20, ge=5, le=50, description="frames a second of the tones; their window is 186 ms long"
    )
    lowest_tone: int = Field(default=28, ge=16, le=60, description="MIDI number; E1, 41 Hz, a bass's lowest string")
    highest_tone: int = Field(default=108, ge=72, le=112, description="MIDI number; C8, a piano's highest key")


class BeatParams(Params):
    """Beat and downbeat tracking: the bar-pointer model and its activations."""

    activation: Literal["network", "onsets"] = Field(
        default="network", description="what hears beats: the network, or onset strengths alone"
    )
    min_bpm: float = Field(default=40.0, ge=30.0, le=80.0, description="BPM; slowest beat, a dotted one of a slow 6/8")
    max_bpm: float = Field(default=240.0, ge=120.0, le=300.0, description="BPM; fastest beat")
    usual_bpm: float = Field(default=110.0, ge=80.0, le=140.0, description="BPM; where people tap most readily")
    tempo_preference: float = Field(
        default=2.0,
        ge=0.0,
        le=20.0,
        description="nats a squared octave from usual_bpm; music is written in moderate tempi more than practice is",
    )
    tempo_candidates: int = Field(default=10, ge=1, le=20, description="tempi decoded and compared; cost grows with it")
    compression: float = Field(
        default=30.0, ge=0.1, le=1000.0, description="ratio of a loud magnitude to where the logarithm turns linear"
    )
    normalization_seconds: float = Field(
        default=8.0, ge=1.0, le=60.0, description="s around an onset that its strength is measured against; two bars"
    )
    beat_evidence: float = Field(default=5.0, ge=0.5, le=20.0, description="nats that a clear onset speaks for a beat")
    tempo_reach: float = Field(
        default=1.3,
        ge=1.05,
        le=1.4,
        description="ratio; how far the tempo may wander from a candidate, under an octave",
    )
    shortest_tick: float = Field(
        default=0.14, ge=0.05, le=0.3, description="s; shortest subdivision followed, a semiquaver at 107 BPM"
    )
    drift_cost: float = Field(
        default=0.5, ge=0.0, le=10.0, description="nats a frame by which a tick strays from its tempo"
    )
    tempo_cap: float = Field(default=1.0, ge=0.0, le=10.0, description="nats a tick that another tempo costs at most")
    tempo_change_cost: float = Field(
        default=60.0, ge=1.0, le=500.0, description="nats for a change of tempo by its own amount from beat to beat"
    )
    tempo_jump_cost: float = Field(
        default=8.0, ge=1.0, le=50.0, description="nats that any change of tempo costs at most"
    )
    bar_evidence: float = Field(default=2.0, ge=0.0, le=20.0, description="nats that one beat speaks for a bar line")
    phase_prior: float = Field(
        default=0.5, ge=0.0, le=10.0, description="nats a beat by which the whole piece's bar phase is preferred"
    )
    heard_evidence: float = Field(
        default=1.0, ge=0.1, le=10.0, description="weight of the network's log-odds of a beat in following a pulse"
    )
    heard_doubt: float = Field(default=2.0, ge=0.0, le=10.0, description="nats that a beat nobody hears costs at most")
    heard_trust: float = Field(default=4.0, ge=0.5, le=10.0, description="nats that a beat clearly heard is worth")
    heard_candidates: int = Field(default=5, ge=1, le=20, description="tempi followed closely beside the free one")
    narrow_reach: float = Field(
        default=1.08, ge=1.02, le=1.3, description="ratio; how far a tempo followed closely may stray"
    )
    heard_bar_evidence: float = Field(
        default=1.0, ge=0.0, le=10.0, description="weight of the network's log-odds of a downbeat in placing bar lines"
    )
    heard_metre_evidence: float = Field(
        default=0.2, ge=0.0, le=10.0, description="weight of the network's log probability of the metre, a beat"
    )
    other_metre_cost: float = Field(
        default=0.5, ge=0.0, le=10.0, description="nats a beat by which another metre than the whole piece's is worse"
    )
    bar_slip_cost: float = Field(default=12.0, ge=0.0, le=100.0, description="nats that a bar cut short costs")
    metre_switch_cost: float = Field(default=12.0, ge=0.0, le=100.0, description="nats that a change of metre costs")
    jitter_ms: float = Field(
        default=12.0, ge=1.0, le=40.0, description="ms; unevenness of beats that is still taken for jitter about a line"
    )
    steady_beats: int = Field(default=8, ge=4, le=64, description="beats; fewest that make a steady stretch")
    line_price: float = Field(
        default=120.0, ge=1.0, le=1000.0, description="squared jitters that a new stretch of tempo must save"
    )
    ending_beats: int = Field(
        default=24, ge=8, le=64, description="beats before the end that may slow down; six bars, more than is customary"
    )
    slowest_ending: float = Field(
        default=1.9, ge=1.1, le=2.0, description="ratio of the last beat to the usual one; twice would be another tempo"
    )
    beat_doubt: float = Field(
        default=0.25, ge=0.0, le=0.9, description="activation that a beat of a slowing ending needs to be worth having"
    )
    ending_gain: float = Field(
        default=0.15, ge=0.0, le=1.0, description="activation by which slowing beats must sound better than steady ones"
    )
    change_seconds: float = Field(
        default=8.0, ge=1.0, le=60.0, description="s of music that decide on their own tempo as firmly as a piece does"
    )
    change_cost: float = Field(default=3.0, ge=0.0, le=50.0, description="nats that a leap to another tempo costs")
    change_gain: float = Field(
        default=17.0, ge=0.0, le=100.0, description="nats by which stretches must explain a piece better than one tempo"
    )
    change_view_seconds: float = Field(default=3.0, ge=1.0, le=20.0, description="s heard each way to judge a second")
    unsteady_ms: float = Field(
        default=15.0, ge=1.0, le=100.0, description="ms; median unevenness at which beats count as half steady"
    )
    latency_ms: float = Field(
        default=5.0, ge=-30.0, le=30.0, description="ms from half the height of an onset's edge to its instant"
    )


class SectionParams(Params):
    """Sections of a song."""

    usual_bars: int = Field(default=8, ge=2, le=32, description="bars; the usual length of a section")
    border_price: float = Field(
        default=0.3,
        ge=0.0,
        le=10.0,
        description="evidence that one more border must be worth; 1 is the top tenth of bars",
    )
    odd_price: float = Field(
        default=0.4, ge=0.0, le=10.0, description="price of a section that is no multiple of 4 bars"
    )
    same_group: float = Field(
        default=0.45, ge=0.0, le=1.0, description="likeness over which two sections repeat each other"
    )


class SeamParams(Params):
    """How a splice is scored and fitted."""

    context_beats: int = Field(default=4, ge=1, le=16, description="beats compared on each side; one bar of 4/4")
    bands: int = Field(default=32, ge=8, le=64, description="bands on the ear's scale; about one a critical band")
    second_bar_weight: float = Field(
        default=0.5, ge=0.0, le=1.0, description="weight of the second bar to come; the first bar counts 1"
    )
    beat_jitter_seconds: float = Field(
        default=0.02, ge=0.002, le=0.1, description="s; a change of the beat's length that is as bad as a new rhythm"
    )
    rhythm_floor: float = Field(default=0.1, ge=0.01, le=1.0, description="1 - cosine of onset patterns; a new rhythm")
    limp: float = Field(default=10.0, ge=0.0, le=100.0, description="new rhythms that a limping bar counts for")
    own_share: float = Field(
        default=0.5, ge=0.05, le=2.0, description="share of the song's own typical break that halves a part"
    )
    least_expectation: float = Field(default=0.01, ge=0.0, le=1.0, description="1 - cosine that nobody hears")
    least_context: float = Field(default=0.01, ge=0.0, le=1.0, description="1 - cosine that nobody hears")
    least_ringing: float = Field(default=0.01, ge=0.0, le=1.0, description="share of the sound that nobody misses")
    least_pulse: float = Field(default=0.05, ge=0.0, le=1.0, description="1 - cosine that nobody hears")
    least_harmony: float = Field(default=0.08, ge=0.0, le=1.0, description="1 - cosine that nobody hears")
    least_level: float = Field(default=1.5, ge=0.0, le=20.0, description="dB; steps that a gain and a glide hide")
    least_brightness: float = Field(default=0.15, ge=0.0, le=4.0, description="octaves that nobody hears")
    most_expectation: float = Field(default=0.06, ge=0.0, le=2.0, description="1 - cosine that anybody hears")
    most_context: float = Field(default=0.06, ge=0.0, le=2.0, description="1 - cosine that anybody hears")
    most_ringing: float = Field(default=0.1, ge=0.0, le=2.0, description="share of the sound that anybody misses")
    most_pulse: float = Field(default=0.15, ge=0.0, le=2.0, description="1 - cosine that anybody hears")
    most_harmony: float = Field(default=0.33, ge=0.0, le=2.0, description="1 - cosine that anybody hears")
    most_level: float = Field(default=6.0, ge=0.0, le=40.0, description="dB that anybody hears")
    most_brightness: float = Field(default=0.6, ge=0.0, le=8.0, description="octaves that anybody hears")
    weight_expectation: float = Field(
        default=0.7, ge=0.0, le=50.0, description="log-odds lost for each factor e by which the part lies under 1"
    )
    weight_context: float = Field(
        default=0.2, ge=0.0, le=50.0, description="log-odds lost for each factor e by which the part lies under 1"
    )
    weight_ringing: float = Field(
        default=0.5, ge=0.0, le=50.0, description="log-odds lost for each factor e by which the part lies under 1"
    )
    weight_pulse: float = Field(
        default=1.0, ge=0.0, le=50.0, description="log-odds lost for each factor e by which the part lies under 1"
    )
    weight_harmony: float = Field(
        default=2.9, ge=0.0, le=50.0, description="log-odds lost for each factor e by which the part lies under 1"
    )
    weight_level: float = Field(
        default=0.8, ge=0.0, le=50.0, description="log-odds lost for each factor e by which the part lies under 1"
    )
    weight_brightness: float = Field(
        default=0.6, ge=0.0, le=50.0, description="log-odds lost for each factor e by which the part lies under 1"
    )
    log_odds_unbroken: float = Field(
        default=5.4, ge=0.0, le=20.0, description="log-odds that nobody hears a splice without any break"
    )
    kept_score: float = Field(default=0.05, ge=0.0, le=1.0, description="score under which a splice is forgotten")
    kept_splices: int = Field(
        default=600, ge=10, le=5000, description="splices kept a recording; planning time grows with it"
    )
    kept_each: int = Field(default=2, ge=1, le=20, description="splices kept of each length and bar line, for variety")
    least_body_bars: int = Field(default=2, ge=1, le=64, description="bars; a shorter body is a stutter")
    longest_shift_seconds: float = Field(
        default=0.0095, ge=0.0, le=0.0099, description="s from the downbeat; the grid rule leaves 10 ms"
    )
    correlation_seconds: float = Field(
        default=0.24, ge=0.05, le=0.5, description="s of sound compared; half of it counts, as the window is rounded"
    )
    least_correlation: float = Field(
        default=0.4, ge=0.0, le=1.0, description="correlation over which waveforms, under which attacks are aligned"
    )
    alike_correlation: float = Field(
        default=0.9, ge=0.5, le=1.0, description="correlation of sides that count as the same"
    )
    briefest_fade_seconds: float = Field(default=0.008, ge=0.005, le=0.05, description="s; shorter fades click")
    shortest_fade_seconds: float = Field(default=0.02, ge=0.005, le=0.2, description="s; fade between alike sides")
    attack_fade_seconds: float = Field(
        default=0.012,
        ge=0.005,
        le=0.02,
        description="s; fade that ends as the attack begins; the grid rule leaves 20 ms",
    )
    longest_fade_seconds: float = Field(
        default=0.12,
        ge=0.02,
        le=0.5,
        description="s; fade between unlike sides without attacks; longer ones beat where both sides hold one note",
    )


class EndingParams(Params):
    """How the song's own ending is told from a fade and from a cut."""

    cut_db: float = Field(
        default=30.0, ge=6.0, le=60.0, description="dB under the song; louder at the last sample is a cut"
    )
    onset_db: float = Field(default=5.0, ge=1.0, le=20.0, description="dB that an onset rises over the 60 ms before it")
    ring_seconds: float = Field(
        default=1.0, ge=0.2, le=5.0, description="s; a last sound that dies sooner is a dry hit"
    )
    fade_bars: float = Field(default=2.0, ge=0.5, le=16.0, description="bars; a level that sinks longer may be a fade")
    fade_end_db: float = Field(
        default=24.0, ge=6.0, le=34.0, description="dB under the song; a last attack above it ends a song, no fader did"
    )
    come_down_db: float = Field(default=3.0, ge=0.5, le=20.0, description="dB by which an outro lies under the song")
    resolve_bars: int = Field(
        default=2, ge=1, le=8, description="bars before the last attack that belong to the ending"
    )


class CoverParams(Params):
    """How a clip is covered with bodies and an ending."""

    required_excess_seconds: float = Field(
        default=30.0, ge=0.0, le=600.0, description="s; how much longer than the track a clip must be to be looped"
    )
    min_confidence: float = Field(
        default=0.5,
        ge=0.0,
        le=1.0,
        description="chance of right downbeats under which a loop is refused as low_confidence: more likely wrong",
    )
    min_seam_score: float = Field(
        default=0.5, ge=0.0, le=1.0, description="probability; a splice more likely heard than not is never used"
    )
    min_body_seconds: float = Field(
        default=12.0, ge=4.0, le=120.0, description="s; nobody wants the same ten seconds again and again"
    )
    min_segment_seconds: float = Field(
        default=8.0, ge=2.0, le=30.0, description="s between two splices; sooner, the ear has not settled from the last"
    )
    min_segment_bars: int = Field(
        default=4, ge=1, le=16, description="bars between two splices; the shortest stretch that is heard as a phrase"
    )
    min_opening_seconds: float = Field(
        default=16.0,
        ge=2.0,
        le=120.0,
        description="s before the first splice; a song that starts over at once stutters",
    )
    fresh_seconds: float = Field(
        default=80.0, ge=5.0, le=300.0, description="s; time constant after which music that comes again sounds fresh"
    )
    max_passes_in_a_row: int = Field(
        default=3, ge=2, le=32, description="passes of one body back to back while another body can stand between"
    )
    max_plays_over_mean: float = Field(
        default=2.0, ge=1.0, le=100.0, description="how often a bar is heard at most, in units of the mean of all bars"
    )
    over_limit: float = Field(
        default=0.06,
        ge=0.0,
        le=1.0,
        description="of plan_score, lost at twice a limit; as much as a seam worse by 0.13",
    )
    tour_bodies: int = Field(default=20, ge=1, le=64, description="bodies a tour of the song chooses from")
    primaries: int = Field(default=20, ge=1, le=128, description="bodies and tours tried; bounds the search")
    adjusters: int = Field(
        default=40, ge=0, le=128, description="splices tried to make a length fit; the search grows with their square"
    )
    gain_limit_db: float = Field(
        default=6.0, ge=0.0, le=12.0, description="dB; a seam that steps more is smoothed by this much only"
    )
    gain_threshold_db: float = Field(
        default=0.3, ge=0.0, le=3.0, description="dB; a smaller step at a seam is not heard and left alone"
    )
    gain_glide_seconds: float = Field(
        default=4.0, ge=0.1, le=30.0, description="s from the matched level back to the song's own; slow is unheard"
    )
    fade_out_seconds: float = Field(
        default=8.0, ge=1.0, le=30.0, description="s; least length of a closing fade, rounded up to whole bars"
    )
    weight_seams: float = Field(default=0.46, ge=0.0, le=1.0, description="share of plan_score: how good the seams are")
    weight_ending: float = Field(
        default=0.23, ge=0.0, le=1.0, description="share of plan_score: how it ends; outweighs a third of a seam"
    )
    weight_freshness: float = Field(
        default=0.10, ge=0.0, le=1.0, description="share of plan_score: how long until the same music comes again"
    )
    weight_phrasing: float = Field(
        default=0.05, ge=0.0, le=1.0, description="share of plan_score: whether splices keep whole phrases"
    )
    weight_coverage: float = Field(
        default=0.12, ge=0.0, le=1.0, description="share of plan_score: how evenly the song is used"
    )
    weight_economy: float = Field(default=0.04, ge=0.0, le=1.0, description="share of plan_score: how rare seams are")


class RenderParams(Params):
    """Playing a plan."""

    block_seconds: float = Field(default=5.0, ge=0.1, le=60.0, description="s of sound rendered at a time")
    ceiling_dbtp: float = Field(default=-1.0, ge=-12.0, le=0.0, description="dBTP; the limiter's ceiling")
    limiter_lookahead_seconds: float = Field(
        default=0.005, ge=0.001, le=0.05, description="s over which the limiter's gain moves; shorter ones distort bass"
    )
    limiter_release_seconds: float = Field(
        default=0.2, ge=0.01, le=2.0, description="s for the limiter to let go of 63 % of a reduction"
    )
    film_sample_rate: int = Field(default=48_000, ge=44_100, le=48_000, description="Hz of a film's sound")
    film_kbps: int = Field(default=256, ge=96, le=320, description="kbit/s of a film's AAC stereo sound")


class PreviewParams(Params):
    """An excerpt to judge a track by, marked so that it serves nothing else."""

    seconds: float = Field(default=30.0, ge=5.0, le=30.0, description="s; the longest excerpt")
    fade_seconds: float = Field(default=0.25, ge=0.0, le=2.0, description="s of fade at both ends")
    mark_every_seconds: float = Field(default=4.0, ge=1.0, le=10.0, description="s from one mark to the next")
    mark_seconds: float = Field(default=0.5, ge=0.1, le=1.0, description="s that a mark sounds")
    mark_under_db: float = Field(
        default=6.0, ge=0.0, le=20.0, description="dB by which a mark lies under the music around it; heard, not loud"
    )
    mark_least_dbfs: float = Field(default=-36.0, ge=-60.0, le=-12.0, description="dBFS RMS of a mark in silence")
    kbps: int = Field(default=128, ge=64, le=320, description="kbit/s of the MP3")


class VoiceParams(Params):
    """Speech probabilities to phrases, and what counts as a voice-over."""

    onset_probability: float = Field(
        default=0.5, ge=0.2, le=0.95, description="a phrase reaches it at least once; the detector's own threshold"
    )
    extend_probability: float = Field(
        default=0.15, ge=0.02, le=0.5, description="a phrase goes on to both sides while it holds; soft first syllables"
    )
    start_probability: float = Field(
        default=0.06, ge=0.01, le=0.5, description="a phrase reaches back while it holds; first syllables are soft"
    )
    end_probability: float = Field(
        default=0.3, ge=0.02, le=0.95, description="a phrase's last frame reaches it; the detector is slow to let go"
    )
    close_pause_seconds: float = Field(
        default=0.3, ge=0.0, le=1.0, description="s; shorter pauses belong to the phrase, breaths and stops among them"
    )
    min_phrase_seconds: float = Field(default=0.25, ge=0.0, le=2.0, description="s; less is a click or a cough")
    edge_reach_seconds: float = Field(
        default=0.2, ge=0.0, le=1.0, description="s beyond what the detector heard, in which an edge is looked for"
    )
    clear_db: float = Field(
        default=20.0, ge=10.5, le=40.0, description="dB of speech over its background from where on edges are exact"
    )
    whisper_db: float = Field(
        default=15.0, ge=6.0, le=40.0, description="dB over the clip's background from where on a whisper is believed"
    )
    whisper_exponent: float = Field(
        default=0.4, ge=0.2, le=1.0, description="on the probability of what stands so clear; 1 treats it like the rest"
    )
    drowned_db: float = Field(
        default=10.0, ge=-10.0, le=10.0, description="dB of speech over its background under which soft sounds drown"
    )
    late_seconds: float = Field(
        default=0.1, ge=0.0, le=0.5, description="s by which the detector may be late on a first syllable in noise"
    )
    tail_seconds: float = Field(
        default=0.06, ge=-0.2, le=0.5, description="s that a phrase goes on in noise after it was surely heard"
    )
    foreground_lu: float = Field(
        default=18.0,
        ge=6.0,
        le=40.0,
        description="LU under the loud phrases from where on somebody is in the background",
    )
    spoken_odds: float = Field(
        default=-1.0, ge=-20, le=5, description="log-odds under which a phrase counts as sung; -20 takes all as spoken"
    )
    min_speech_seconds: float = Field(
        default=3.0, ge=0.0, le=60.0, description="s of speech in all that make a voice-over; less is a few words"
    )
    silence_dbfs: float = Field(
        default=-60.0, ge=-90.0, le=-30.0, description="dBFS; a soundtrack that never exceeds it counts as silent"
    )


DUCK_PRESETS: dict[str, dict[str, float]] = {
    "documentary": {},
    "tutorial": {"under_voice_lu": 17.0, "attack_ms": 200, "release_ms": 1200, "bridge_seconds": 3.0},
    "social": {
        "voice_lufs": -16.0,
        "under_voice_lu": 13.0,
        "attack_ms": 200,
        "release_ms": 500,
        "bridge_seconds": 1.0,
        "piece_seconds": 5.0,
    },
}
"""Ducking by name, as what differs from the defaults. Documentary: the score comes back between passages; tutorial:
every word counts, the music stays down through longer pauses; social: a louder voice, livelier music, quick return"""


class DuckParams(Params):
    """How far and how fast music moves out of the way of a voice.

    `preset` may be given beside the fields: a name in `DUCK_PRESETS`, from which the other fields then differ.

    Ahead, attack, hold and release bound the ramps so that music is untouched 2 s away from any speech.
    """

    voice_lufs: float = Field(
        default=-18.0, ge=-28.0, le=-14.0, description="LUFS of the voice in the mix; AES TD1008 asks -18 of speech"
    )
    max_video_gain_db: float = Field(
        default=12.0, ge=0.0, le=24.0, description="dB by which a quiet voice is raised at most; its noise comes along"
    )
    max_music_gain_db: float = Field(
        default=12.0, ge=0.0, le=24.0, description="dB by which quiet music is raised at most to meet the voice"
    )
    under_voice_lu: float = Field(
        default=15.0, ge=13.0, le=17.0, description="LU that music is held under the voice; 13 is lively, 17 is clear"
    )
    max_background_db: float = Field(
        default=10.0, ge=0.0, le=20.0, description="dB at most by which a voice is taken to lie under the clip's sound"
    )
    aside_lu: float = Field(
        default=8.0, ge=0.0, le=40.0, description="LU under the usual phrase that the music follows a quieter one down"
    )
    max_depth_db: float = Field(default=40.0, ge=12.0, le=48.0, description="dB that music is pulled down at most")
    piece_seconds: float = Field(
        default=8.0, ge=2.0, le=60.0, description="s of speech that share one depth; longer phrases follow the music"
    )
    ahead_seconds: float = Field(
        default=0.15, ge=0.0, le=0.4, description="s before the first syllable at which the full depth is reached"
    )
    hold_seconds: float = Field(default=0.1, ge=0.0, le=0.2, description="s after the last sound before music rises")
    attack_ms: int = Field(default=300, ge=50, le=1500, description="ms of the fade down; slow enough not to be heard")
    release_ms: int = Field(
        default=900, ge=100, le=1800, description="ms of the fade up; slower than down, as one breathes"
    )
    bridge_seconds: float = Field(
        default=2.5, ge=0.0, le=3.5, description="s; music stays down through shorter pauses instead of pumping"
    )
    steady_db: float = Field(
        default=4.0, ge=0.0, le=12.0, description="dB deeper than asked for that music stays, to keep still in a block"
    )
    slope_db_per_second: float = Field(
        default=60.0, ge=30.0, le=120.0, description="dB/s of the steepest ramp; steeper ones are heard as a cut"
    )
    tolerance_db: float = Field(default=0.1, ge=0.0, le=1.0, description="dB that the points may differ from the curve")
    envelope_hz: int = Field(
        default=100, ge=20, le=1000, description="points a second of the curve before it is thinned"
    )

    @model_validator(mode="before")
    @classmethod
    def _by_name(cls, values: Any) -> Any:
        if not isinstance(values, dict) or "preset" not in values:
            return values
        given = dict(values)
        name = given.pop("preset")
        if name not in DUCK_PRESETS:
            raise ValueError(f"no such preset; there are {', '.join(DUCK_PRESETS)}")
        return {**DUCK_PRESETS[name], **given}


class LandmarkParams(Params):
    """What counts as a landmark of a track."""

    low_hz: float = Field(default=150.0, ge=60.0, le=300.0, description="Hz; below it is the low end: kick and bass")
    compare_bars: int = Field(default=2, ge=1, le=8, description="bars compared on each side of a bar line")
    apart_bars: int = Field(default=4, ge=1, le=16, description="bars between two drops, breaks or section borders")
    rise_db: float = Field(default=3.0, ge=1.0, le=20.0, description="dB that the full range gains at a drop")
    low_rise_db: float = Field(default=2.0, ge=0.0, le=40.0, description="dB that the low end gains with it")
    gap_db: float = Field(
        default=5.0, ge=1.0, le=30.0, description="dB over the last beat before it, where a drop follows a held breath"
    )
    low_gap_db: float = Field(
        default=20.0,
        ge=1.0,
        le=60.0,
        description="dB that the low end gains over that beat: it was gone, not only softer",
    )
    gain_db: float = Field(
        default=1.0, ge=0.0, le=10.0, description="dB that both gain at such a drop too, or it is only a phrase's rest"
    )
    full_db: float = Field(
        default=3.0, ge=0.5, le=12.0, description="dB under the song's loud bars that still are full"
    )
    fall_db: float = Field(default=3.0, ge=1.0, le=20.0, description="dB that the full range loses at a break")
    low_fall_db: float = Field(default=8.0, ge=1.0, le=60.0, description="dB that the low end loses at a break without")
    gone_db: float = Field(
        default=20.0,
        ge=6.0,
        le=60.0,
        description="dB under the song's loud bars from which on it has ended, not paused",
    )
    heard_attack: float = Field(
        default=0.4, ge=0.05, le=2.0, description="onset strength from which a bar line is heard; 1 is a strong onset"
    )
    section_contrast: float = Field(
        default=0.15,
        ge=0.0,
        le=1.0,
        description="change of the spectrum at a border, from 0, as from bar to bar, to 1, three times that",
    )
    stab_attack: float = Field(default=0.8, ge=0.2, le=3.0, description="onset strength of a stab; 1 is a strong onset")
    stab_loud_db: float = Field(
        default=5.0, ge=0.0, le=20.0, description="dB under the song's loud passages that a stab may lie"
    )
    stab_rise_db: float = Field(
        default=4.0, ge=0.0, le=30.0, description="dB that a stab rises over what was before it"
    )
    stab_fall_db: float = Field(
        default=8.5, ge=2.0, le=30.0, description="dB that it dies away before anything follows"
    )
    stab_rest_seconds: float = Field(default=0.8, ge=0.4, le=4.0, description="s that a stab stands alone")
    stab_next: float = Field(
        default=0.5, ge=0.1, le=1.0, description="of its strength, that the next onset in that time stays under"
    )
    stab_next_db: float = Field(
        default=5.0, ge=0.0, le=30.0, description="dB under it that all the rest of that time stays"
    )
    ending_attack: float = Field(default=0.5, ge=0.1, le=2.0, description="onset strength of a last chord")
    ending_db: float = Field(default=14.0, ge=6.0, le=40.0, description="dB under the song's loud passages it may lie")
    ending_rise_db: float = Field(
        default=2.0, ge=0.0, le=20.0, description="dB by which it rises over what rings, where it is no strong onset"
    )
    ring_seconds: float = Field(default=4.0, ge=0.5, le=15.0, description="s after it when only its ringing is left")
    ring_db: float = Field(
        default=14.0, ge=3.0, le=40.0, description="dB under the song's loud passages that the ringing lies by then"
    )
    downbeat_salience: float = Field(
        default=0.2, ge=0.0, le=1.0, description="of a clear downbeat; there are many, so each of them says little"
    )
    sure_grid: float = Field(
        default=0.5, ge=0.1, le=1.0, description="grid confidence from which on downbeats count in full"
    )
    event_seconds: float = Field(
        default=0.12, ge=0.02, le=0.5, description="s within which two landmarks are the same event"
    )


class MomentParams(Params):
    """What counts as a moment of a film."""

    event_seconds: float = Field(
        default=0.1, ge=0.02, le=0.5, description="s within which two moments are the same event"
    )
    crowd_seconds: float = Field(
        default=2.0, ge=0.2, le=10.0, description="s; a cut or hit whose neighbour is nearer is noticed less"
    )
    soft_cut: float = Field(
        default=0.7, ge=0.0, le=1.0, description="salience of a dissolve or a fade, of that of a hard cut"
    )
    title_salience: float = Field(default=0.7, ge=0.0, le=1.0, description="of words that appear")
    title_tolerance: float = Field(default=0.08, ge=0.01, le=0.5, description="s; words fade in over some frames")
    hit_rise_db: float = Field(default=10.0, ge=3.0, le=40.0, description="dB that a hit rises over what came before")
    hit_loud_db: float = Field(
        default=8.0, ge=0.0, le=40.0, description="dB under the loud passages of the footage that a hit may lie"
    )
    syllable_seconds: float = Field(
        default=0.1, ge=0.0, le=0.5, description="s before speech in which a sound may be its first syllable"
    )
    motion_seconds: float = Field(default=0.5, ge=0.1, le=3.0, description="s over which motion is smoothed")
    motion_apart_seconds: float = Field(default=2.0, ge=0.2, le=20.0, description="s between two peaks of motion")
    motion_deviations: float = Field(
        default=4.0, ge=1.0, le=20.0, description="usual deviations by which a peak of motion stands out"
    )
    least_motion: float = Field(
        default=0.1, ge=0.0, le=2.0, description="picture heights a second by which any peak of motion stands out"
    )
    motion_tolerance: float = Field(default=0.15, ge=0.04, le=1.0, description="s; a gesture has no exact instant")
    end_salience: float = Field(default=0.5, ge=0.0, le=1.0, description="of the first and of the last picture")


class AlignParams(Params):
    """How a track is placed under a film."""

    grid_ms: float = Field(default=5.0, ge=1.0, le=20.0, description="ms between the offsets that are tried")
    most_placements: int = Field(default=12, ge=1, le=12, description="placements answered at most")
    least_apart_seconds: float = Field(default=1.0, ge=1.0, le=60.0, description="s between two placements")
    least_cover: float = Field(
        default=0.6,
        ge=0.6,
        le=1.0,
        description="of the salience and of the time that the best-covering placement has music under",
    )
    prior_odds: float = Field(
        default=0.05, ge=0.0001, le=1.0, description="odds, before looking, that a track fits a film somewhere"
    )
    bare_cost: float = Field(
        default=0.5, ge=0.0, le=1.0, description="of the score, lost where all that could have music has none"
    )


class CutParams(Params):
    """Where a clip's shots give way to each other; weights are fitted, see `tests/benchmarks/fit_cuts.py`."""

    step_unlikeness: float = Field(
        default=0.1, ge=0.02, le=0.5, description="unlikeness to the picture before from where on a cut is considered"
    )
    step_tones: float = Field(
        default=0.25, ge=0.05, le=1.0, description="distance of tones from where on a cut is considered"
    )
    step_bias: float = Field(default=8.7, ge=-50.0, le=50.0, description="log-odds of a cut before any evidence")
    step_threshold: float = Field(
        default=2.0,
        ge=-10.0,
        le=20.0,
        description="log-odds over which a step is a cut; higher finds fewer, surer ones",
    )
    weight_unlike: float = Field(
        default=3.63, ge=0.0, le=50.0, description="log-odds for each factor e in unlikeness across"
    )
    weight_stands_out: float = Field(
        default=1.05, ge=0.0, le=50.0, description="log-odds for each factor e over the usual unlikeness"
    )
    weight_alone: float = Field(
        default=1.97, ge=-50.0, le=50.0, description="log-odds for each factor e over the largest step beside it"
    )
    weight_tones: float = Field(
        default=4.23, ge=-50.0, le=50.0, description="log-odds for each factor e in distance of tones across"
    )
    weight_tones_alone: float = Field(
        default=0.32, ge=-50.0, le=50.0, description="log-odds for each factor e over the largest jump of tones beside"
    )
    weight_undone: float = Field(
        default=-0.5, ge=-50.0, le=50.0, description="log-odds when a leap of light is undone within a second"
    )
    weight_afterglow: float = Field(
        default=-6.15, ge=-50.0, le=50.0, description="log-odds when a leap of light glows out in a fifth of a second"
    )
    shortest_shot_seconds: float = Field(
        default=0.2, ge=0.0, le=2.0, description="s; of two cuts closer than this the surer one is kept"
    )
    dissolve_rms: float = Field(
        default=0.06, ge=0.01, le=0.5, description="of full scale; ends that differ by less are hardly two shots"
    )
    dissolve_quality: float = Field(
        default=0.45, ge=0.1, le=1.0, description="share that a mixture explains from where on a dissolve is considered"
    )
    dissolve_unlikeness: float = Field(
        default=0.12,
        ge=0.0,
        le=0.5,
        description="unlikeness of the ends under which a slow pan is taken for a dissolve",
    )
    dissolve_misfit: float = Field(
        default=0.08, ge=0.01, le=0.5, description="share by which the rise may stray from a straight line"
    )
    dissolve_bias: float = Field(default=-5.09, ge=-50.0, le=50.0, description="log-odds of a dissolve at first")
    weight_ends: float = Field(default=2.92, ge=-50.0, le=50.0, description="log-odds a unit of unlikeness of the ends")
    weight_end_tones: float = Field(
        default=0.46, ge=-50.0, le=50.0, description="log-odds for each factor e in distance of tones of the ends"
    )
    weight_sag: float = Field(default=8.81, ge=-50.0, le=50.0, description="log-odds for contrast lost in the middle")
    weight_rest: float = Field(
        default=-2.06, ge=-50.0, le=50.0, description="log-odds for each factor e that the mixture leaves unexplained"
    )
    weight_misfit: float = Field(
        default=-0.32, ge=-50.0, le=50.0, description="log-odds for each factor e that the rise strays from a line"
    )
    blank_range: float = Field(
        default=0.06, ge=0.01, le=0.3, description="of full luma; a picture with less from dark to light is blank"
    )
    featureless_range: float = Field(
        default=0.02,
        ge=0.001,
        le=0.3,
        description="of full luma; a picture with less from dark to light says nothing of its shot; much less than "
        "`blank_range`, for a shot may be very dark",
    )
    black_luma: float = Field(
        default=0.08, ge=0.01, le=0.3, description="mean luma under which a blank picture is black"
    )
    white_luma: float = Field(default=0.9, ge=0.5, le=1.0, description="mean luma over which a blank picture is white")
    shortest_fade_seconds: float = Field(
        default=0.16, ge=0.04, le=2.0, description="s; a faster way to black or white is a cut"
    )
    longest_fade_seconds: float = Field(default=4.0, ge=0.5, le=20.0, description="s over which a slope is followed")
    leap_in_fade: float = Field(default=0.25, ge=0.02, le=1.0, description="of full luma that a fade takes at a time")
    least_fade: float = Field(default=0.05, ge=0.01, le=1.0, description="of full luma that a fade covers at least")
    flash_leap: float = Field(default=0.1, ge=0.02, le=1.0, description="of full luma by which a flash lights up")
    flash_rise_seconds: float = Field(default=0.13, ge=0.02, le=1.0, description="s in which it does")
    flash_seconds: float = Field(default=0.8, ge=0.05, le=3.0, description="s in which it is over")
    flash_undone: float = Field(default=0.6, ge=0.1, le=1.0, description="share of the leap that is undone by then")
    still_speed: float = Field(
        default=0.004, ge=0.0, le=0.1, description="picture heights a second under which nothing moves"
    )
    still_seconds: float = Field(default=1.0, ge=0.2, le=10.0, description="s; shorter rests are not reported")
    thorough_gigapixels: float = Field(
        default=60.0,
        ge=0.0,
        le=100_000.0,
        description="10^9 pixels, size by rate by length, up to which every picture is decoded: 20 minutes of 1080p25, "
        "about 160 s of CPU; of longer clips only pictures that others are predicted from, for three quarters of that",
    )
    longest_clip_seconds: float = Field(
        default=86_400.0, ge=60.0, le=604_800.0, description="s; a clip that goes on for longer is refused"
    )
    most_pictures_per_second: float = Field(
        default=500.0, ge=60.0, le=10_000.0, description="mean rate over which a clip is taken for damaged"
    )


class LaneParams(Params):
    """Which tracks of a ranking are put forward."""

    same_sound: float = Field(
        default=0.9995, ge=0.9, le=1.0, description="cosine of sound vectors from where on two tracks are one recording"
    )
    same_artist_sound: float = Field(
        default=0.97, ge=0.5, le=1.0, description="the same where both are of one artist: versions, or an album's sound"
    )


class CharacterParams(Params):
    """When what was measured of a track is sure enough to be said."""

    least_grid_confidence: float = Field(
        default=0.02,
        ge=0.0,
        le=1.0,
        description="grid confidence under which a track has no tempo, as drones have none",
    )
    least_key_strength: float = Field(
        default=0.3, ge=0.0, le=1.0, description="probability of a key under which none is named; 24 keys share it"
    )
    surely_instrumental: float = Field(
        default=0.15, ge=0.0, le=0.5, description="probability of a voice up to which a track is called instrumental"
    )
    surely_vocal: float = Field(
        default=0.9,
        ge=0.5,
        le=1.0,
        description="probability of a voice from which on a track is called not instrumental",
    )
    salient_seconds: float = Field(
        default=30.0, ge=5.0, le=120.0, description="s of the part one remembers; the longest preview"
    )


class CatalogParams(Params):
    """How a catalog is added to, indexed and searched."""

    batch_seconds: float = Field(
        default=0.5, ge=0.0, le=10.0, description="s for which finished tracks are gathered into one transaction"
    )
    batch_tracks: int = Field(default=500, ge=1, le=10_000, description="tracks of one transaction at most")
    exact_rows: int = Field(
        default=200_000,
        ge=0,
        le=10_000_000,
        description="tracks whose word vectors are all compared; six times as many of the shorter sound vectors",
    )
    scan_rows: int = Field(
        default=20_000,
        ge=0,
        le=1_000_000,
        description="tracks that a filter leaves, from where on they are all compared",
    )
    cells: int = Field(default=2048, ge=1, le=65_536, description="cells of an inverted file; twice the root of 10^6")
    cells_searched: int = Field(default=64, ge=1, le=4096, description="cells that are searched; recall grows with it")
    training_vectors: int = Field(default=40, ge=8, le=256, description="vectors a cell that k-means sees")
    training_rounds: int = Field(default=10, ge=1, le=50, description="rounds of k-means")
    rerank_factor: int = Field(default=4, ge=1, le=100, description="candidates a wanted row that are ranked exactly")
    rerank_least: int = Field(default=400, ge=1, le=100_000, description="candidates that are ranked exactly at least")
    build_rows: int = Field(default=50_000, ge=1000, le=1_000_000, description="rows held in memory while building")
    stale_share: float = Field(
        default=0.05, ge=0.0, le=1.0, description="share of tracks an index may not know before it is made again"
    )


MATCH_PARTS = ("pulse", "level", "mood", "voice", "length", "bars", "arc", "sync")
"""What a match is judged by, see `workbench.match.ranking`."""
Weights: TypeAlias = tuple[float, float, float, float, float, float]


class MatchParams(Params):
    """How a catalog is ranked against a film."""

    slow_cuts: float = Field(default=3.0, ge=0.1, le=20.0, description="cuts a minute that count as no pace at all")
    fast_cuts: float = Field(default=60.0, ge=20.0, le=300.0, description="cuts a minute that count as full pace")
    slight_motion: float = Field(
        default=0.02, ge=0.001, le=0.5, description="picture heights a second from where on motion counts by factors"
    )
    fast_motion: float = Field(
        default=0.6, ge=0.1, le=10.0, description="picture heights a second, mean, that count as full movement"
    )
    pace_share: float = Field(default=0.55, ge=0.0, le=1.0, description="of pace in drive; the rest is movement's")
    bell_seconds: float = Field(
        default=4.0, ge=0.5, le=60.0, description="s; standard deviation of the bell under which cuts are counted"
    )
    take_seconds: float = Field(
        default=6.0, ge=1.0, le=60.0, description="s; a longer take is looked at in pieces of about this length"
    )
    scene_cost: float = Field(
        default=30.0, ge=0.1, le=1000.0, description="seconds times squared deviations that a scene must save"
    )
    shortest_scene_seconds: float = Field(default=8.0, ge=1.0, le=120.0, description="s; music cannot follow faster")
    candidates: int = Field(default=400, ge=50, le=5000, description="tracks whose contours and bars are looked at")
    wanted_energy: Weights = Field(
        default=(0.0, 0.35, 0.49, 0.2, 0.0, 0.0), description="of 1, pace, movement, loudness, brightness, 4 x colour"
    )
    wanted_pulse: Weights = Field(
        default=(0.0, 0.78, 0.22, 0.0, 0.0, 0.0), description="the same, for how fast the music is felt"
    )
    wanted_valence: Weights = Field(
        default=(0.0, 0.0, 0.0, 0.0, 0.68, 0.54), description="the same, for how cheerful it is"
    )
    calm_under_voice: float = Field(
        default=0.2, ge=0.0, le=0.8, description="of the energy that a film wants, given up where somebody speaks"
    )
    valence_of_music: tuple[float, float, float] = Field(
        default=(0.1, 0.28, 0.85), description="of 1, mode and brightness of the sound"
    )
    pulse_width: float = Field(default=0.392, ge=0.05, le=1.0, description="standard deviation; a quarter of all tempi")
    octave_trust: float = Field(
        default=0.8, ge=0.0, le=1.0, description="of half or double the tempo, which many feel, beside the tempo itself"
    )
    energy_width: float = Field(default=0.18, ge=0.05, le=1.0, description="standard deviation")
    valence_width: float = Field(default=0.308, ge=0.05, le=1.0, description="standard deviation")
    much_speech: float = Field(
        default=0.36,
        ge=0.05,
        le=1.0,
        description="of the film's time, from where on a voice-over decides about vocals",
    )
    vocals_share: float = Field(default=0.75, ge=0.0, le=1.0, description="of the voice part; the rest is the band's")
    free_band: float = Field(
        default=0.08, ge=0.0, le=0.9, description="of the power from 1 to 4 kHz, that leaves a voice free"
    )
    full_band: float = Field(default=0.15, ge=0.05, le=1.0, description="beyond that, that drowns it")
    usual_swing: float = Field(default=0.0433, ge=0.01, le=1.0, description="deviation of drive that is half an arc")
    usual_spread: float = Field(default=0.0306, ge=0.01, le=1.0, description="the same of the music's energy")
    weight_pulse: float = Field(default=0.164, ge=0.0, le=1.0, description="exponent in the geometric mean")
    weight_level: float = Field(default=0.062, ge=0.0, le=1.0, description="exponent in the geometric mean")
    weight_mood: float = Field(default=0.118, ge=0.0, le=1.0, description="exponent in the geometric mean")
    weight_voice: float = Field(default=0.251, ge=0.0, le=1.0, description="exponent in the geometric mean")
    weight_length: float = Field(default=0.133, ge=0.0, le=1.0, description="exponent in the geometric mean")
    weight_bars: float = Field(default=0.05, ge=0.0, le=1.0, description="exponent in the geometric mean")
    weight_arc: float = Field(default=0.173, ge=0.0, le=1.0, description="exponent in the geometric mean")
    weight_sync: float = Field(default=0.05, ge=0.0, le=1.0, description="exponent in the geometric mean")
    usual_pulse: float = Field(default=0.818, gt=0.0, le=1.0, description="mean of the part over the reference set")
    usual_level: float = Field(default=0.224, gt=0.0, le=1.0, description="mean of the part over the reference set")
    usual_mood: float = Field(default=0.659, gt=0.0, le=1.0, description="mean of the part over the reference set")
    usual_voice: float = Field(default=0.776, gt=0.0, le=1.0, description="mean of the part over the reference set")
    usual_length: float = Field(default=0.749, gt=0.0, le=1.0, description="mean of the part over the reference set")
    usual_bars: float = Field(default=0.5, gt=0.0, le=1.0, description="cuts keep no time with most music")
    usual_arc: float = Field(default=0.501, gt=0.0, le=1.0, description="what music without an arc has")
    usual_sync: float = Field(default=0.5, gt=0.0, le=1.0, description="most tracks land nowhere in particular")
    calibration_offset: float = Field(default=-10.943, ge=-50.0, le=50.0, description="log-odds of a raw score of 0")
    calibration_slope: float = Field(default=15.613, ge=0.0, le=200.0, description="log-odds a unit of raw score")

    @property
    def weights(self) -> dict[str, float]:
        """Exponent of each part in the raw score."""
        return {name: getattr(self, f"weight_{name}") for name in MATCH_PARTS}

    @property
    def usual_parts(self) -> dict[str, float]:
        """What each part usually is."""
        return {name: getattr(self, f"usual_{name}") for name in MATCH_PARTS}


class UnderscoreParams(Params):
    """Reading a script and ranking tracks against it. Weights were fitted on one half of the benchmark's scripts."""

    foreign_trust: float = Field(
        default=0.3, ge=0.0, le=1.0, description="how far the reader is followed in a language that it does not know"
    )
    brevity_doubt: float = Field(
        default=3.0, ge=0.0, le=50.0, description="words that are needed before the reader is followed by half"
    )
    lexicon_share: float = Field(
        default=0.2, ge=0.0, le=2.0, description="what single words count beside the reader of sentences"
    )
    lexicon_doubt: float = Field(
        default=4.0, ge=0.1, le=50.0, description="cues that are needed before the lexicon counts by half"
    )
    usual_share: float = Field(
        default=0.8,
        ge=0.0,
        le=1.0,
        description="of what any text asks for that is taken off, to see what this one does",
    )
    sharpness: float = Field(
        default=2.5, ge=0.5, le=4.0, description="power of the facets; above 1 the first ones count for more"
    )
    sound_gain: float = Field(
        default=1.4, ge=0.5, le=3.0, description="by how much an expected sound is moved away from the usual one"
    )
    brief_share: float = Field(
        default=0.65,
        ge=0.0,
        le=1.0,
        description="what a brief counts beside the script, where it names a kind of facet",
    )
    unnamed: float = Field(
        default=0.25, ge=0.0, le=1.0, description="nearness of a track whose text names nothing of a kind"
    )
    unknown_topic: float = Field(default=0.4, ge=0.0, le=1.0, description="topic of a track without a word vector")
    topic_full: float = Field(default=0.35, ge=0.05, le=1.0, description="cosine from where on a topic counts fully")
    energy_reach: float = Field(
        default=0.6, ge=0.1, le=1.0, description="difference of energy at which nothing is left"
    )
    pace_reach: float = Field(default=1.0, ge=0.1, le=3.0, description="octaves of tempo at which nothing is left")
    brightness_reach: float = Field(
        default=0.5, ge=0.1, le=1.0, description="difference of brightness at which nothing is left"
    )
    moods_weight: float = Field(default=2.2, ge=0.0, le=10.0, description="weight of the moods that are named")
    genres_weight: float = Field(default=1.2, ge=0.0, le=10.0, description="weight of the genres that are named")
    instruments_weight: float = Field(default=0.5, ge=0.0, le=10.0, description="weight of the instruments")
    energy_weight: float = Field(default=0.8, ge=0.0, le=10.0, description="weight of energy")
    pace_weight: float = Field(default=0.15, ge=0.0, le=10.0, description="weight of tempo")
    brightness_weight: float = Field(default=0.2, ge=0.0, le=10.0, description="weight of brightness")
    mode_weight: float = Field(default=0.2, ge=0.0, le=10.0, description="weight of major and minor")
    voice_weight: float = Field(default=0.5, ge=0.0, le=10.0, description="weight of leaving the speaker alone")
    topic_weight: float = Field(default=0.1, ge=0.0, le=10.0, description="weight of the embedding's own cosine")
    opening_weight: float = Field(default=0.3, ge=0.0, le=10.0, description="weight of a quick opening, on short video")
    length_weight: float = Field(default=0.3, ge=0.0, le=10.0, description="weight of being long enough")
    calibration_offset: float = Field(default=-5.685, ge=-60.0, le=60.0, description="log-odds of a raw score of 0")
    calibration_slope: float = Field(default=8.677, ge=0.0, le=120.0, description="log-odds a unit of raw score")
    all_compared: int = Field(
        default=4_000, ge=50, le=1_000_000, description="tracks up to which every one is compared; beyond, candidates"
    )
    candidates: int = Field(default=400, ge=50, le=10_000, description="tracks that each way of searching proposes")


class WorkbenchParams(Params):
    """All of them together: what a profile file holds."""

    spectrum: SpectrumParams = SpectrumParams()
    beats: BeatParams = BeatParams()
    sections: SectionParams = SectionParams()
    seams: SeamParams = SeamParams()
    endings: EndingParams = EndingParams()
    cover: CoverParams = CoverParams()
    render: RenderParams = RenderParams()
    preview: PreviewParams = PreviewParams()
    voice: VoiceParams = VoiceParams()
    duck: DuckParams = DuckParams()
    cuts: CutParams = CutParams()
    landmarks: LandmarkParams = LandmarkParams()
    moments: MomentParams = MomentParams()
    align: AlignParams = AlignParams()
    character: CharacterParams = CharacterParams()
    catalog: CatalogParams = CatalogParams()
    lane: LaneParams = LaneParams()
    match: MatchParams = MatchParams()
    underscore: UnderscoreParams = UnderscoreParams()
