"""Names that fields of profiles had before, so that profiles written with them still load.

Functions: `with_current_names`. A field that is renamed gets a line in `RENAMED`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.errors import ParameterError

RENAMED_STAGES: Mapping[str, str] = {"moments": "events"}
"""old name of a stage of `WorkbenchParams`, and its name now"""

RENAMED: Mapping[str, Mapping[str, str]] = {
    "spectrum": {
        "lowest_hz": "min_hz",
        "highest_hz": "max_hz",
        "lowest_tone": "min_tone",
        "highest_tone": "max_tone",
    },
    "beats": {
        "heard_evidence": "network_beat_weight",
        "heard_doubt": "missed_beat_penalty",
        "heard_trust": "clear_beat_reward",
        "heard_candidates": "narrow_candidates",
        "heard_bar_evidence": "network_downbeat_weight",
        "heard_metre_evidence": "network_metre_weight",
        "shortest_tick": "min_tick_seconds",
        "tempo_cap": "max_tempo_cost",
        "tempo_jump_cost": "max_tempo_change_cost",
        "line_price": "stretch_cost",
        "steady_beats": "min_steady_beats",
        "ending_beats": "max_ending_beats",
        "slowest_ending": "max_ending_slowdown",
        "beat_doubt": "min_ending_activation",
        "ending_gain": "min_ending_gain",
        "change_gain": "min_change_gain",
    },
    "sections": {
        "border_price": "border_cost",
        "odd_price": "odd_length_cost",
        "same_group": "min_group_similarity",
    },
    "seams": {
        "limp": "bar_phase_penalty",
        "own_share": "own_break_share",
        "log_odds_unbroken": "unbroken_log_odds",
        "kept_score": "min_kept_score",
        "kept_splices": "max_splices",
        "kept_each": "max_splices_each",
        "least_body_bars": "min_body_bars",
        "longest_shift_seconds": "max_shift_seconds",
        "least_correlation": "min_correlation",
        "alike_correlation": "min_alike_correlation",
        "briefest_fade_seconds": "min_fade_seconds",
        "shortest_fade_seconds": "alike_fade_seconds",
        "longest_fade_seconds": "unlike_fade_seconds",
        "least_expectation": "min_expectation",
        "least_context": "min_context",
        "least_ringing": "min_ringing",
        "least_pulse": "min_pulse",
        "least_harmony": "min_harmony",
        "least_level": "min_level",
        "least_brightness": "min_brightness",
        "most_expectation": "max_expectation",
        "most_context": "max_context",
        "most_ringing": "max_ringing",
        "most_pulse": "max_pulse",
        "most_harmony": "max_harmony",
        "most_level": "max_level",
        "most_brightness": "max_brightness",
        "weight_expectation": "expectation_weight",
        "weight_context": "context_weight",
        "weight_ringing": "ringing_weight",
        "weight_pulse": "pulse_weight",
        "weight_harmony": "harmony_weight",
        "weight_level": "level_weight",
        "weight_brightness": "brightness_weight",
    },
    "endings": {
        "come_down_db": "outro_drop_db",
    },
    "cover": {
        "over_limit": "limit_penalty",
        "tour_bodies": "max_tour_bodies",
        "primaries": "max_primaries",
        "adjusters": "max_adjusters",
        "gain_limit_db": "max_gain_db",
        "gain_threshold_db": "min_gain_db",
        "fade_out_seconds": "min_fade_out_seconds",
        "weight_seams": "seams_weight",
        "weight_ending": "ending_weight",
        "weight_freshness": "freshness_weight",
        "weight_phrasing": "phrasing_weight",
        "weight_coverage": "coverage_weight",
        "weight_economy": "economy_weight",
        "min_confidence": "sure_confidence",
    },
    "render": {
        "film_sample_rate": "video_sample_rate",
        "film_kbps": "video_kbps",
    },
    "preview": {
        "mark_least_dbfs": "min_mark_dbfs",
    },
    "voice": {
        "spoken_odds": "min_spoken_odds",
        "min_phrase_seconds": "min_utterance_seconds",
    },
    "duck": {
        "aside_lu": "quiet_utterance_lu",
    },
    "landmarks": {
        "heard_attack": "min_bar_attack",
        "stab_next": "max_stab_next_attack",
        "stab_next_db": "stab_rest_db",
    },
    "events": {
        "least_motion": "min_motion",
    },
    "align": {
        "most_placements": "max_placements",
        "least_apart_seconds": "min_apart_seconds",
        "least_cover": "min_cover",
    },
    "cuts": {
        "weight_unlike": "unlike_weight",
        "weight_stands_out": "stands_out_weight",
        "weight_alone": "alone_weight",
        "weight_tones": "tones_weight",
        "weight_tones_alone": "tones_alone_weight",
        "weight_undone": "undone_weight",
        "weight_afterglow": "afterglow_weight",
        "weight_ends": "ends_weight",
        "weight_end_tones": "end_tones_weight",
        "weight_sag": "sag_weight",
        "weight_rest": "rest_weight",
        "weight_misfit": "misfit_weight",
        "shortest_shot_seconds": "min_shot_seconds",
        "shortest_fade_seconds": "min_fade_seconds",
        "longest_fade_seconds": "max_fade_seconds",
        "least_fade": "min_fade",
        "longest_clip_seconds": "max_video_seconds",
        "most_pictures_per_second": "max_pictures_per_second",
        "thorough_gigapixels": "max_thorough_gigapixels",
    },
    "character": {
        "least_grid_confidence": "min_grid_confidence",
        "least_key_strength": "min_key_strength",
        "surely_instrumental": "max_instrumental_voice",
        "surely_vocal": "min_vocal_voice",
    },
    "catalog": {
        "rerank_least": "min_rerank",
        "stale_share": "max_stale_share",
        "batch_tracks": "max_batch_tracks",
        "exact_rows": "max_exact_rows",
        "scan_rows": "max_scan_rows",
    },
    "match": {
        "shortest_scene_seconds": "min_scene_seconds",
        "octave_trust": "octave_weight",
        "weight_pulse": "pulse_weight",
        "weight_level": "level_weight",
        "weight_mood": "mood_weight",
        "weight_voice": "voice_weight",
        "weight_length": "length_weight",
        "weight_bars": "bars_weight",
        "weight_arc": "arc_weight",
        "weight_sync": "sync_weight",
    },
    "underscore": {
        "foreign_trust": "foreign_weight",
        "brevity_doubt": "half_trust_words",
        "lexicon_doubt": "half_trust_cues",
        "unnamed": "unnamed_nearness",
        "all_compared": "max_compared",
    },
}
"""by stage of `WorkbenchParams`: old name of a field, and its name now"""

OTHER_MEANING: Mapping[str, str] = {
    "cover.sure_confidence": "it no longer refuses a track, it only decides which reason a refusal gives"
}
"""by the new name of a field: what its value no longer does"""


def with_current_names(values: Any) -> tuple[Any, dict[str, str]]:
    """Rename the fields of a profile that have other names now.

    Parameters
    ----------
    values : what a profile file holds; what is no table of tables is left to the validation that follows

    Returns
    -------
    the values under current names; and the names that were replaced, as `stage.old` to `stage.new`

    Raises
    ------
    ParameterError : a stage or a field is given under both its names
    """
    replaced: dict[str, str] = {}
    if not isinstance(values, dict):
        return values, replaced
    current: dict[Any, Any] = {}
    for given, fields in values.items():
        stage = RENAMED_STAGES.get(given, given)
        if stage != given:
            if stage in values:
                raise ParameterError(f"{stage}: given twice; {given} is its old name")
            replaced[given] = stage
        current[stage] = _with_current_fields(stage, fields, replaced) if isinstance(fields, dict) else fields
    return current, replaced


def _with_current_fields(stage: str, fields: dict[Any, Any], replaced: dict[str, str]) -> dict[Any, Any]:
    names = {old: new for old, new in RENAMED.get(stage, {}).items() if old in fields}
    for old, new in names.items():
        if new in fields:
            raise ParameterError(f"{stage}.{new}: given twice; {stage}.{old} is its old name")
        replaced[f"{stage}.{old}"] = f"{stage}.{new}"
    return {names.get(name, name): value for name, value in fields.items()}
