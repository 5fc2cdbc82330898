"""The JSON body of a plan, or the reason why there is none.

In `/v1` a plan is always a loop (`LoopResult`). The command line prints plans of any kind (`PlanResult`), with `kind`
in the plan, its options and its alternates; what only a loop has (`loop_start_a`, `loop_end_b`, `bars`, `repeats`) is
absent elsewhere.

`loop_facts` is what `/v1` stores of an answer, `plan_result` makes the body that the command line prints, both from
`workbench.results.loop_parts`. `plan_from_json` reads a plan of either back, bare or inside a whole result, and
validates its invariants again; `one_of` finds one of several lengths, `mix_from_json` the mix.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, JsonValue, ValidationError, model_validator
from pydantic.json_schema import SkipJsonSchema

from workbench.errors import Argument, PlanError, plain_seconds
from workbench.plans.plan import MAX_OPTIONS, PLAN_VERSION, Ending, LoopBody, LoopPlan, LoopSegment, PlanKind
from workbench.plans.refusals import Refusal, RefusalReason
from workbench.results.body import Body, Count, NonNegative, first_fault, optional
from workbench.results.loop_parts import loop_names, refusal_facts, with_mix
from workbench.results.mix import MixBody

if TYPE_CHECKING:
    from workbench.catalog.track import Track


class TrackRef(Body):
    """Where the caller's catalog has the track."""

    catalog_song_id: str | None = Field(description="the work; null where unknown")
    catalog_audio_file_id: str | None = Field(description="the audio file to fetch; null where unknown")


class SegmentBody(Body, title="LoopSegment"):
    """A range of the track, played once."""

    song_from: float = Field(ge=0, description="start in the track, s")
    song_to: float = Field(ge=0, description="end in the track, s")
    gain_db: float = Field(description="level it plays at, dB")
    gain_in_db: float = Field(description="level it starts at, gliding to gain_db, dB")


class PlayedBody(Body):
    """What is played when: the first fields of every plan."""

    applicable: Literal[True] = Field(description="true: this can be played")
    reason: None = Field(description="null in a plan that can be played")
    version: int = Field(ge=1, description="plan-format version")
    segments: list[SegmentBody] = Field(min_length=2, description="track ranges played back to back; authoritative")
    seam_fades: list[float] = Field(description="crossfade at each splice, s")
    seam_curves: list[float] = Field(description="gain-law exponent at each splice, 0.5 equal power to 1.0 linear")
    gain_glide_seconds: float = Field(ge=0, description="s from gain_in_db to gain_db")
    music_in: float = Field(ge=0, description="where the music starts, video s")
    music_out: float = Field(ge=0, description="end of the video, video s")
    window_end: float = Field(ge=0, description="end of the video, video s")
    music_end: float = Field(ge=0, description="where the music resolves, video s")
    tail_seconds: float = Field(ge=0, description="s from music_end to window_end, absorbed by the end fade")
    song_start: float = Field(ge=0, description="the first song_from, track s")
    song_duration: float = Field(ge=0, description="length of the track, s")


class LoopedBody(Body):
    """What is repeated: the fields of a loop."""

    loop_start_a: float = Field(ge=0, description="start of the body that plays longest, track s")
    loop_end_b: float = Field(ge=0, description="its end, track s")
    bars: int = Field(ge=1, description="its length in whole bars")
    beats_per_bar: int = Field(ge=1, description="of the prevailing metre")
    repeats: int = Field(ge=1, description="passes of that body that play in full, the first included")


class EndsBody(Body):
    """How the seams are, and how it starts and ends: the last fields of every plan."""

    seam_score: float = Field(ge=0, le=1, description="of the worst seam")
    seam_times: list[float] = Field(description="where the splices fall, video s")
    sections_covered: list[str] = Field(description="names of the sections that play, in order of first use")
    end_label: str = Field(description="how the plan ends, in words")
    outro_start: NonNegative | SkipJsonSchema[None] = optional(
        "track s; only where the plan resolves on a come-down outro"
    )
    outro_end: NonNegative | SkipJsonSchema[None] = optional(
        "track s; only where the plan resolves on a come-down outro"
    )
    start_fade_seconds: float = Field(ge=0, description="s of fade at the start")
    end_fade_seconds: float = Field(ge=0, description="s of fade that ends at window_end")
    plan_score: float = Field(ge=0, le=1, description="ranking score; informational")


class OptionBody(EndsBody, LoopedBody, PlayedBody, title="LoopOption"):
    """One whole plan."""


class AlternateBody(Body, title="LoopAlternate"):
    """Summary of an option that is not served."""

    loop_start_a: float = Field(ge=0, description="start of the body that plays longest, track s")
    loop_end_b: float = Field(ge=0, description="its end, track s")
    bars: int = Field(ge=1, description="its length in whole bars")
    repeats: int = Field(ge=1, description="passes that play in full")
    seam_score: float = Field(ge=0, le=1, description="of the worst seam")
    plan_score: float = Field(ge=0, le=1, description="ranking score")
    end_label: str = Field(description="how the plan ends, in words")


class PlanBody(OptionBody, title="LoopPlan"):
    """The served plan and its alternatives.

    To play it at the track's rate: segments are laid end to end from `music_in`, each at the sample nearest to its time
    in the video. A crossfade of `seam_fades[k]` seconds is centred on `seam_times[k]`: the track plays on past
    `song_to` and begins before `song_from` by half of it; with x from 0 to 1 over it and p = `seam_curves[k]`, what
    enters has the gain x^p, what leaves (1-x)^p. A segment moves from `gain_in_db` to `gain_db` in
    `gain_glide_seconds`, linear in dB, and holds before its start and after its end. Both ends are raised cosines,
    over `start_fade_seconds` from `music_in` and `end_fade_seconds` up to `window_end`. In a mix the soundtrack plays
    at `video_gain_db` and the music at `music_gain_db` less the `envelope_points`, linear in dB between points and held
    outside; the sum is limited at -1 dBTP. Without a mix nothing is limited.
    """

    options: Annotated[list[OptionBody], Field(min_length=1, max_length=MAX_OPTIONS)] | SkipJsonSchema[None] = optional(
        "up to four plans, best first, the first equal to this one"
    )
    alternates: Annotated[list[AlternateBody], Field(max_length=MAX_OPTIONS - 1)] | SkipJsonSchema[None] = optional(
        "summary of the other options"
    )


_REASONS: list[JsonValue] = [reason.value for reason in RefusalReason if reason is not RefusalReason.CONSTRAINTS]
"""those of `/v1`"""


class RefusedBody(Body, title="LoopRefusal"):
    """No plan."""

    applicable: Literal[False] = Field(description="false: there is nothing to loop")
    reason: str = Field(description="why not", json_schema_extra={"enum": _REASONS})
    video_seconds: float | SkipJsonSchema[None] = optional("length of the video, s; with video_not_longer")
    track_seconds: float | SkipJsonSchema[None] = optional("length of the track, s; with video_not_longer")
    required_excess_seconds: float | SkipJsonSchema[None] = optional(
        "s by which the video must be longer; with video_not_longer"
    )

    @model_validator(mode="after")
    def _known_reason(self) -> RefusedBody:
        RefusalReason(self.reason)
        return self


def _without_discriminator(schema: dict[str, Any]) -> None:
    """Leave out OpenAPI's discriminator, which must be text; `applicable` has a constant in each of the two anyway."""
    schema.pop("discriminator", None)


class Result(Body):
    """An answer about one track and one video."""

    video_id: str = Field(description="the video, as the request named it")
    track_id: str = Field(description="the track, as the request named it")
    track: TrackRef = Field(description="where the caller's catalog has the track")
    applicable: bool = Field(description="false where there is nothing to loop")
    plan: Any
    hint: str | SkipJsonSchema[None] = optional("the reason in words and what to do; only where not applicable")
    retryable: bool | SkipJsonSchema[None] = optional(
        "whether to call again in a few seconds; only where not applicable"
    )
    mix: MixBody | SkipJsonSchema[None] = optional("only where asked for, applicable and measured")

    @model_validator(mode="after")
    def _one_shape(self) -> Self:
        if self.applicable != self.plan.applicable:
            raise ValueError("applicable must agree with plan.applicable")
        for name in ("hint", "retryable"):
            if (getattr(self, name) is None) != self.applicable:
                raise ValueError(f"{name} is given where there is no plan, and only there")
        if self.mix is not None and not self.applicable:
            raise ValueError("mix is given only where there is a plan")
        return self


class LoopResult(Result):
    """A loop of one track under one video."""

    plan: Annotated[PlanBody | RefusedBody, Discriminator("applicable")] = Field(
        description="the plan, or why there is none", json_schema_extra=_without_discriminator
    )


Kind = Literal["loop", "straight", "cut_down"]


class _AnyKindBody(Body):
    """What is repeated, where something is."""

    kind: Kind = Field(description="loop: some of it plays twice; straight: no seam; cut_down: seams, nothing twice")
    loop_start_a: NonNegative | SkipJsonSchema[None] = optional(
        "start of the body that plays longest, track s; of a loop"
    )
    loop_end_b: NonNegative | SkipJsonSchema[None] = optional("its end, track s; of a loop")
    bars: Count | SkipJsonSchema[None] = optional("its length in whole bars; of a loop")
    beats_per_bar: int = Field(ge=1, description="of the prevailing metre")
    repeats: Count | SkipJsonSchema[None] = optional("passes of that body that play in full; of a loop")
    start_at: NonNegative | SkipJsonSchema[None] = optional("where the music was asked to start, video s")


class AnyOptionBody(EndsBody, _AnyKindBody, PlayedBody, title="PlanOption"):
    """One whole plan of any kind."""

    segments: list[SegmentBody] = Field(min_length=1, description="track ranges played back to back; authoritative")


class AnyAlternateBody(Body, title="PlanAlternate"):
    """Summary of an option that is not served."""

    kind: Kind
    loop_start_a: NonNegative | SkipJsonSchema[None] = optional(
        "start of the body that plays longest, track s; of a loop"
    )
    loop_end_b: NonNegative | SkipJsonSchema[None] = optional("its end, track s; of a loop")
    bars: Count | SkipJsonSchema[None] = optional("its length in whole bars; of a loop")
    repeats: Count | SkipJsonSchema[None] = optional("passes that play in full; of a loop")
    seam_score: float = Field(ge=0, le=1, description="of the worst seam")
    plan_score: float = Field(ge=0, le=1, description="ranking score")
    end_label: str = Field(description="how the plan ends, in words")


class AnyPlanBody(AnyOptionBody, title="Plan"):
    """The served plan and its alternatives."""

    options: Annotated[list[AnyOptionBody], Field(min_length=1, max_length=MAX_OPTIONS)] | SkipJsonSchema[None] = (
        optional("up to four plans, best first, the first equal to this one")
    )
    alternates: Annotated[list[AnyAlternateBody], Field(max_length=MAX_OPTIONS - 1)] | SkipJsonSchema[None] = optional(
        "summary of the other options"
    )


class AnyRefusedBody(RefusedBody, title="Refusal"):
    """No plan, for one of the reasons of `/v1` or because of what was asked for."""

    reason: str = Field(description="why not", json_schema_extra={"enum": [reason.value for reason in RefusalReason]})
    constraints: list[str] | SkipJsonSchema[None] = optional(
        "ids of the constraints that cannot be kept together; with the reason constraints"
    )


class CreditedTrackRef(TrackRef):
    """Where the caller's catalog has the track, and what it says of whose it is."""

    licence: str | SkipJsonSchema[None] = optional("identifier or name, as `CC-BY-4.0`")
    attribution: str | SkipJsonSchema[None] = optional("the words in which the licensor asks to be named")
    source_url: str | SkipJsonSchema[None] = optional("where the track comes from")
    publisher: str | SkipJsonSchema[None] = optional("who publishes the work")
    composer: str | SkipJsonSchema[None] = optional("who wrote the work")
    isrc: str | SkipJsonSchema[None] = optional("code of the recording, without hyphens")


class PlanResult(Result):
    """One track under one video, or of one length."""

    track: CreditedTrackRef = Field(description="where the caller's catalog has the track, and its credits")
    plan: Annotated[AnyPlanBody | AnyRefusedBody, Discriminator("applicable")] = Field(
        description="the plan, or why there is none", json_schema_extra=_without_discriminator
    )


class PlansResult(Body):
    """One track of several lengths."""

    fits: list[PlanResult] = Field(min_length=1, description="one a length, in the order asked for")


def plan_result(
    answer: LoopPlan | Refusal,
    *,
    video_id: str,
    track_id: str,
    track: Track | None,
    mix: MixBody | None = None,
    hint: str | None = None,
) -> PlanResult:
    """The body of an answer of the planner; a refusal gets no mix.

    `track` is the record of the track, None for one that is in no catalog. `hint` words a refusal; None: in its own
    words.
    """
    if isinstance(answer, LoopPlan):
        facts: dict[str, Any] = with_mix({"applicable": True, "plan": _any_plan_body(answer)}, mix)
    else:
        facts = refusal_facts(answer)
        if answer.constraints:
            facts["plan"] |= {"constraints": [one.id for one in answer.constraints]}
        if hint is not None:
            facts["hint"] = hint
    names = loop_names(video_id, track_id, track)
    if track is not None:
        names["track"] |= track.credits
    return PlanResult.model_validate(names | facts)


def _any_plan_body(plan: LoopPlan) -> AnyPlanBody:
    fields = option_fields(plan, AnyOptionBody)
    if plan.options:
        fields["options"] = [AnyOptionBody(**option_fields(option, AnyOptionBody)) for option in plan.options]
        fields["alternates"] = [AnyAlternateBody(**_alternate(option)) for option in plan.options[1:]]
    return AnyPlanBody(**fields)


def _alternate(plan: LoopPlan) -> dict[str, Any]:
    values = {name: getattr(plan, name) for name in AnyAlternateBody.model_fields}
    return {name: value for name, value in values.items() if value is not None}


def loop_facts(answer: LoopPlan | Refusal) -> dict[str, Any]:
    """The part of the body that is the same for every caller, as JSON: see `workbench.results.loop_parts`."""
    if isinstance(answer, Refusal):
        return refusal_facts(answer)
    return {"applicable": True, "plan": plan_body(answer).to_json()}


def plan_body(plan: LoopPlan) -> PlanBody:
    """The body of a plan, with its options and their summary if it has any."""
    fields = option_fields(plan, OptionBody)
    if plan.options:
        fields["options"] = [OptionBody(**option_fields(option, OptionBody)) for option in plan.options]
        fields["alternates"] = [
            AlternateBody(**{name: getattr(option, name) for name in AlternateBody.model_fields})
            for option in plan.options[1:]
        ]
    return PlanBody(**fields)


def plan_from_json(data: str | bytes | Mapping[str, Any]) -> LoopPlan:
    """Read a plan: a bare one, or the one in a whole result, as JSON text or parsed.

    Raises `PlanError` if it is no JSON, no plan, one of a later format, a refusal, or one that breaks an invariant.
    """
    given = parse_result(data)
    for field, what in _OTHER_RESULTS.items():
        if field in given and "plan" not in given:
            raise PlanError("not a plan, but ", *what)
    plan = given["plan"] if isinstance(given.get("plan"), Mapping) else given
    if plan.get("applicable") is False:
        raise PlanError(f"there is no plan in this result: {plan.get('reason')}. {given.get('hint', '')}".strip())
    if "version" not in plan:
        raise PlanError("not a plan, nor another result of workbench: it has no version")
    body = _validated(plan)
    return _plan_of_body(body, tuple(_plan_of_body(option) for option in body.options or ()))


def _validated(plan: Mapping[str, Any]) -> AnyPlanBody:
    """The body of a plan; raises `PlanError` if it is of a later format, or no plan."""
    try:
        body = AnyPlanBody.model_validate({"applicable": True, "reason": None, **_with_kind(plan)})
    except ValidationError as error:
        raise PlanError(f"not a plan: {first_fault(error)}") from error
    if body.version > PLAN_VERSION:
        raise PlanError(f"the plan has format version {body.version}; this program knows versions up to {PLAN_VERSION}")
    return body


def _with_kind(plan: Mapping[str, Any]) -> dict[str, Any]:
    """A plan, its options and alternates with their kind: those of `/v1`, all of them loops, do not say it."""
    several = {
        name: [_with_kind(one) if isinstance(one, Mapping) else one for one in plan[name]]
        for name in ("options", "alternates")
        if isinstance(plan.get(name), list)
    }
    return {"kind": PlanKind.LOOP.value, **plan, **several}


def one_of(result: Mapping[str, Any], seconds: float | None) -> Mapping[str, Any]:
    """One of the plans of several lengths, by its seconds to the millisecond.

    A result of one plan is returned as it is if no length is wanted. Raises `PlanError` if there are several lengths
    and none is named, or none like that, or it is not a result of several.
    """
    fits = result.get("fits")
    if not isinstance(fits, list):
        if seconds is not None:
            raise PlanError("these are not plans of several lengths; leave ", Argument("length"), " out")
        return result
    known: dict[str, Mapping[str, Any]] = {}
    hints: list[str] = []
    for fit in fits:
        match fit:
            case {"plan": {"window_end": int() | float() as lasts}}:
                known[plain_seconds(lasts)] = fit
            case {"applicable": False}:
                hints.append(str(fit.get("hint", "")))
            case _:
                raise PlanError("these are not plans of several lengths")
    if not known:
        raise PlanError(f"none of these lengths has a plan. {' '.join(hints)}".strip())
    lengths = f"plans of several lengths: {', '.join(known)} s"
    if seconds is None:
        raise PlanError(f"these are {lengths}; name one by ", Argument("length"))
    if plain_seconds(seconds) not in known:
        raise PlanError(f"there is no plan of {plain_seconds(seconds)} s; these are {lengths}")
    return known[plain_seconds(seconds)]


def mix_from_json(data: str | bytes | Mapping[str, Any]) -> MixBody | None:
    """Read the mix of a whole LoopResult; None for a bare plan or a result without a mix.

    Raises `PlanError` if it is no JSON, or the mix is none.
    """
    mix = parse_result(data).get("mix")
    if mix is None:
        return None
    try:
        return MixBody.model_validate(mix)
    except ValidationError as error:
        raise PlanError(f"not a mix: {first_fault(error, 'mix')}") from error


# What a result of another kind is, by a field that only it has
_OTHER_RESULTS = {
    "sync_points": ("an align result, of which a ", Argument("placement"), " is played"),
    "lane": ("a result of match or underscore, of which a ", Argument("placement"), " is played"),
    "downbeats": ("a beat grid",),
    "fits": ("plans of several lengths: name one by ", Argument("length")),
}


def parse_result(data: str | bytes | Mapping[str, Any]) -> Mapping[str, Any]:
    """Parse the JSON object of a result, or return it if it was parsed before; raises `PlanError` for others."""
    if isinstance(data, Mapping):
        return data
    try:
        given = json.loads(data)
    except ValueError as error:
        fault = f"not JSON: {error}" if data.strip() else "empty"
        raise PlanError(f"not a plan, for it is {fault}") from error
    if not isinstance(given, dict):
        raise PlanError(f"a plan is a JSON object, got {type(given).__name__}")
    return given


_ROUNDING = 2e-6  # s; what two values rounded to the microsecond may differ by
_LISTS = ("seam_fades", "seam_curves", "seam_times", "sections_covered")


def option_fields(plan: LoopPlan, model: type[PlayedBody]) -> dict[str, Any]:
    """The fields of one plan for its body, without options; those that it lacks are omitted."""
    values = {name: getattr(plan, name) for name in model.model_fields if name not in ("applicable", "reason")}
    fields = {name: value for name, value in values.items() if value is not None}
    fields |= {"applicable": True, "reason": None} | {name: list(fields[name]) for name in _LISTS}
    bodies = {
        segment: SegmentBody(
            song_from=segment.song_from,
            song_to=segment.song_to,
            gain_db=segment.gain_db,
            gain_in_db=segment.gain_in_db,
        )
        for segment in dict.fromkeys(plan.segments)
    }
    return fields | {"segments": [bodies[segment] for segment in plan.segments]}


def _plan_of_body(body: AnyOptionBody, options: tuple[LoopPlan, ...] = ()) -> LoopPlan:
    """The plan that a body tells of, with its options.

    Many fields of a body follow from others. Raises `PlanError` if one says otherwise, or the plan breaks an invariant.
    """
    start, end, bars, repeats = body.loop_start_a, body.loop_end_b, body.bars, body.repeats
    looped = None
    if start is not None and end is not None and bars is not None and repeats is not None:
        looped = LoopBody(start, end, bars, repeats)
    elif (start, end, bars, repeats) != (None,) * 4:
        raise PlanError("loop_start_a, loop_end_b, bars and repeats stand together or not at all")
    if (body.outro_start is None) != (body.outro_end is None):
        raise PlanError("outro_start and outro_end stand together or not at all")
    plan = LoopPlan(
        segments=tuple(LoopSegment(s.song_from, s.song_to, s.gain_db, s.gain_in_db) for s in body.segments),
        seam_fades=tuple(body.seam_fades),
        seam_curves=tuple(body.seam_curves),
        gain_glide_seconds=body.gain_glide_seconds,
        music_in=body.music_in,
        start_fade_seconds=body.start_fade_seconds,
        ending=Ending.of_label(body.end_label, body.tail_seconds, body.end_fade_seconds, body.outro_start),
        window_end=body.window_end,
        song_duration=body.song_duration,
        beats_per_bar=body.beats_per_bar,
        body=looped,
        sections_covered=tuple(body.sections_covered),
        seam_score=body.seam_score,
        plan_score=body.plan_score,
        options=options,
        version=body.version,
        start_at=body.start_at,
    )
    _check_what_follows(body, plan)
    return plan


def _check_what_follows(body: AnyOptionBody, plan: LoopPlan) -> None:
    for name in ("music_out", "music_end", "song_start", "outro_end", "seam_times", "kind"):
        given, follows = getattr(body, name), getattr(plan, name)
        if given is None or given == follows:
            continue
        pairs = [(given, follows)] if name != "seam_times" else zip(given, follows, strict=False)
        most = 1e-3 if name == "outro_end" else _ROUNDING  # an outro ends with the last sound, give or take a sample
        is_near = name != "kind" and all(abs(one - other) <= most for one, other in pairs)
        if not is_near or (name == "seam_times" and len(given) != len(follows)):
            raise PlanError(f"{name} follows from the rest of a plan, which makes it {follows}, got {given}")
