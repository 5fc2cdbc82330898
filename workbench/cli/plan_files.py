"""Reading what a command plays: an option of a plan, or a placement, in a file that `workbench loop`, `align` or
`match` printed, or on standard input for `-`.

Functions: `read_music`, what was chosen by `music_options`; `resolve_music`, how it is played; `say_placement`;
`say_kept_mix`, `say_other_streams`; `warn_of_other_bytes`; `read_plan_request`, what was asked of a plan;
`spans_in_words`; `plans_in` a folder, with a `plan_summary` of each; for commands that read a whole result
`read_result`, `folders_of`, `name_file_in_errors` and `name_file_in_plan_errors`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from workbench.align.placements import describe_placement
from workbench.analysis.provenance import (
    AUDIO,
    DRAWN_ENVELOPE,
    FileRecord,
    Provenance,
    other_mix_stages,
    read_provenance,
)
from workbench.analysis.sources import TrackSource, find_in_catalog, find_track, recorded_track
from workbench.analysis.workspace import Workspace
from workbench.catalog.track import audio_id
from workbench.cli.option_words import error_in_options, in_options
from workbench.cli.plan_options import AskedMusic
from workbench.cli.terminal import say
from workbench.errors import InputError, PlanError, Sentence, UnknownTrack
from workbench.files import decode_text, hash_file
from workbench.media.probe import probe
from workbench.media.sound_streams import SoundChoice
from workbench.mix.drawn_envelope import read_points, with_drawn
from workbench.params import WorkbenchParams
from workbench.plans.constraints import clock
from workbench.plans.plan import LoopPlan
from workbench.plans.request import PlanRequest
from workbench.render.schedule import Music, place_track
from workbench.results.align import SyncPointBody, has_placements, named_track, placements_of
from workbench.results.mix import MixBody, mix_body
from workbench.results.plan import mix_from_json, one_of, parse_result, plan_from_json
from workbench.workflows.constraints import read_request
from workbench.workflows.mix import mix_under

_MIXING = ("loop", "fit", "align")  # commands that make a mix
_PLANNING = ("loop", "fit", "conform", "edit", "splice")  # commands that make a plan


@dataclass(frozen=True, slots=True)
class ChosenMusic:
    """An option of a plan, or a placement of a track."""

    music: LoopPlan | SyncPointBody
    number: int  # of the option or the placement, from 1
    track: TrackSource | None  # None only for a plan, where none is needed
    # of the result: measured on the plan served, or on the track for every placement alike; None: there is none
    mix: MixBody | None
    provenance: Provenance | None = None  # what the result was made from; None: it does not say


def read_music(workspace: Workspace, asked: AskedMusic, needed_by: str | None) -> ChosenMusic:
    """Read an option of a plan, or a placement of a track, both from 1, and its mix from a file; `-` is standard input.

    Without a track it is that of the catalog which the result names, of a match result its best, or else the one with
    the bytes that the result was made from, in the catalog, beside the result or here. `needed_by` says in words what
    needs the track of a plan; a placement always does. Raises `click.UsageError` if both numbers are given, or a needed
    track is not found, and `PlanError`, which names the file, if it holds no such option or placement.
    """
    if asked.option is not None and asked.placement is not None:
        raise click.UsageError("give either --option N, of a plan, or --placement N, of an align or match result")
    with name_file_in_errors(asked.file):
        given = read_result(asked.file, asked.length)
        provenance = read_provenance(given)
        if not has_placements(given):
            plan = plan_from_json(given)
            if asked.placement is not None:
                raise PlanError("a plan has no placements; leave --placement out")
            number, mix = asked.option or 1, mix_from_json(given)
            chosen, wanted = plan.option(number), asked.track is not None or needed_by is not None
            found = _find_track(workspace, asked, given, needed_by or "") if wanted else None
            return ChosenMusic(chosen, number, found, mix, provenance)
        if asked.option is not None:
            raise PlanError("only a plan has options; leave --option out, --placement N chooses a placement")
        source = _find_track(workspace, asked, given, needed_by or "a placement")
        points = placements_of(given, source.track_id, lambda: audio_id(hash_file(source.path)))
        number = asked.placement or 1
        if number > len(points):
            raise PlanError(f"there is no placement {number} in this result; it has {len(points)}, 1 is the best")
        return ChosenMusic(points[number - 1], number, source, mix_from_json(given), provenance)


def resolve_music(workspace: Workspace, chosen: ChosenMusic, video: Path | None) -> tuple[Music, MixBody | None]:
    """How the chosen music is played, and its mix.

    The mix of a result was measured on the plan served. For another option it is measured again, where there is a video
    to measure; without ducking it has no levels, and holds for every option. A drawn envelope stays. Without a video a
    placed track plays to its end. Raises `PlanError` if nothing of a placed track would play.
    """
    music, mix, track = chosen.music, chosen.mix, chosen.track
    if not isinstance(music, LoopPlan):
        assert track is not None, "a placement is read with its track"
        seconds = None if video is None else probe(video).duration
        return place_track(music.offset_seconds, workspace.load_recording(track.path).duration, seconds), mix
    if mix is None or mix.duck is None or chosen.number == 1 or track is None or video is None:
        return music, mix
    drawn = None if chosen.provenance is None else read_points(chosen.provenance.constraints.get(DRAWN_ENVELOPE))
    return music, mix_body(with_drawn(mix_under(workspace, music, track.path, video), drawn))


def warn_of_other_bytes(workspace: Workspace, chosen: ChosenMusic, video: Path | None = None) -> None:
    """Say on standard error if the track, or the video of a mix or a placement, has other bytes than the result's."""
    made = chosen.provenance
    if made is None:
        return
    given = [(None if chosen.track is None else chosen.track.path, made.track, "track that this was planned for")]
    if not isinstance(chosen.music, LoopPlan):
        given.append((video, made.video, "video that it is placed under"))
    elif chosen.mix is not None:
        given.append((video, made.video, "video that its mix was made for"))
    for path, recorded, what in given:
        if path is not None and recorded is not None and recorded.content_hash not in (None, workspace.hash_file(path)):
            say(f"{path.name} has other bytes than {recorded.name}, the {what}")


def say_placement(chosen: ChosenMusic) -> None:
    """Say on standard error what meets at the chosen placement, or that nothing clearly does; of a plan nothing."""
    if not isinstance(chosen.music, LoopPlan):
        say(f"placement {chosen.number}: {describe_placement(chosen.music.label, chosen.music.score)}")


def say_kept_mix(chosen: ChosenMusic, mix: MixBody | None, params: WorkbenchParams) -> None:
    """Say on standard error that the result's own mix is played, where parameters ask for another, and what makes one.

    `params` are those given, before those of the result were taken over.
    """
    if mix is None or mix is not chosen.mix:
        return
    others = other_mix_stages(params, chosen.provenance)
    if not others:
        return
    made_by = "" if chosen.provenance is None else chosen.provenance.command
    command = made_by if made_by in _MIXING else "/".join(_MIXING)
    tuned = " and ".join(f"[{stage}]" for stage in others)
    say(
        f"the mix stays as PLAN has it, without {tuned} of the profile; "
        f"`workbench {command} ... --auto-mix --profile FILE` makes it again"
    )


def say_other_streams(chosen: ChosenMusic, mix: MixBody | None, audio: SoundChoice | None) -> None:
    """Say on standard error if the result's mix was measured on sound streams other than those that play."""
    made = chosen.provenance
    if mix is None or mix is not chosen.mix or made is None:
        return
    if made.constraints.get(AUDIO) != (None if audio is None else str(audio)):
        say(f"the mix in PLAN was measured on other sound streams; {made.command} with --audio makes one for these")


def spans_in_words(spans: Iterable[tuple[float, float]]) -> str:
    """Stretches of a video in words: 0:12 to 0:48, 3:05 to 3:20."""
    return ", ".join(f"{clock(round(first))} to {clock(round(last))}" for first, last in spans)


def folders_of(file: Path) -> tuple[Path, ...]:
    """Where the files that a result was made from are looked for by name: here and beside it."""
    return (Path(),) if str(file) == "-" else (Path(), file.parent)


def _find_track(workspace: Workspace, asked: AskedMusic, result: Mapping[str, Any], needed_by: str) -> TrackSource:
    """The track of `--track`; else the one that the result names in the catalog, or that has the recorded bytes."""
    if asked.track is not None:
        return find_track(workspace, asked.track)
    track_id = named_track(result)
    if track_id is not None:
        with suppress(UnknownTrack):
            return find_in_catalog(workspace, track_id)
    made = read_provenance(result)
    if made is not None and made.track is not None:
        try:
            path = recorded_track(workspace, made.track, folders_of(asked.file))
        except InputError as error:
            raise click.UsageError(f"{needed_by} needs the track: {error_in_options(error)}") from error
        return TrackSource(track_id or path.name, path, None)
    unknown = "" if track_id is None else f"the catalog has no track {track_id}, and "
    raise click.UsageError(f"{unknown}{needed_by} needs the track: give --track FILE")


def read_result(file: Path, length: float | None = None) -> Mapping[str, Any]:
    """Read the JSON of a result (UTF-8 or UTF-16, `-` is standard input); of a fit of several lengths that of one, s.

    Raises `OSError` or `UnicodeDecodeError` for a file that cannot be read as text, and `PlanError` if it is no JSON
    object, or holds several plans and `length` names none of them.
    """
    return one_of(_read_object(file), length)


def plans_in(folder: Path) -> Iterator[dict[str, Any]]:
    """The plans of a folder by name, each length of a fit of several by itself; other files are passed over."""
    try:
        files = sorted(path for path in folder.iterdir() if path.suffix.lower() == ".json" and path.is_file())
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error.strerror})") from None
    for path in files:
        try:
            result = parse_result(decode_text(path.read_bytes()))
            written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        except OSError as error:
            say(f"workbench: {path}: cannot be read ({error.strerror})")
            continue
        except (PlanError, UnicodeDecodeError):  # JSON of another kind, or none
            continue
        for one in result["fits"] if isinstance(result.get("fits"), list) else (result,):
            try:
                said = plan_summary(one)
            except InputError as error:
                say(f"workbench: {path}: {error}")
                continue
            if said is not None:
                yield {"name": path.name, "file": str(path)} | said | {"made": moment(written)}


def moment(at: datetime) -> str:
    """A time in seconds, as ISO 8601 writes it."""
    return at.isoformat(timespec="seconds").replace("+00:00", "Z")


def plan_summary(result: Any) -> dict[str, Any] | None:
    """Track, video, length and origin of a plan, as far as its result has them; None for a result without a plan.

    Raises `PlanError` if its provenance is not in our format.
    """
    if not isinstance(result, Mapping):
        return None
    plan = result["plan"] if isinstance(result.get("plan"), Mapping) else result
    if "segments" not in plan or not isinstance(plan.get("window_end"), int | float):
        return None
    made = read_provenance(result)
    track, video = (None, None) if made is None else (made.track, made.video)
    said = {
        "track": track.name if track is not None else result.get("track_id"),
        "video": None if video is None else video.name,
        "seconds": plan["window_end"],
    }
    if made is not None:
        asked = read_request(made.constraints)
        words = [made.command, *(in_options(Sentence(one)) for one in asked.each)]
        said["from"] = " ".join(words if asked.fade is None else [*words, f"--fade {asked.fade:g}"])
    return {name: value for name, value in said.items() if value is not None}


def read_plan_request(file: Path) -> tuple[PlanRequest, FileRecord | None]:
    """Read what was asked of the plan in a file that loop, fit or conform printed, and of which track; `-` is stdin.

    Raises `InputError` if the file cannot be read, and `PlanError` if it is no plan, or does not say what it was made
    from; both name the file.
    """
    with name_file_in_errors(file):
        result = _read_object(file)
        match result.get("fits"):
            case [Mapping() as first, *_]:
                result = first  # the same was asked of every length
        made = read_provenance(result)
        if made is None:
            raise PlanError("no provenance says what was asked of this; plans of loop, fit and conform have one")
        if made.command not in _PLANNING:
            raise PlanError(f"a result of {made.command} is no plan")
        return read_request(made.constraints), made.track


def _read_object(file: Path) -> Mapping[str, Any]:
    data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    return parse_result(decode_text(data))


@contextmanager
def name_file_in_errors(file: Path) -> Iterator[None]:
    """Name the file that the block reads in its errors: `InputError` if unreadable, `PlanError` if it is no result."""
    try:
        with name_file_in_plan_errors(file):
            yield
    except OSError as error:
        raise InputError(f"{_name_of(file)}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise PlanError(f"{_name_of(file)}: this is not a plan, nor text at all") from None


@contextmanager
def name_file_in_plan_errors(file: Path) -> Iterator[None]:
    """Name the file in every error that says what is wrong with a plan; other files of the block name themselves."""
    try:
        yield
    except PlanError as error:
        raise PlanError(f"{_name_of(file)}: ", *error.sentence.parts) from None


def _name_of(file: Path) -> str:
    return "standard input" if str(file) == "-" else str(file)
