"""`workbench catalog`: the tracks that a video can be covered with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from workbench.cli.options import FILE, profile_option, workspace_option
from workbench.cli.terminal import print_body, print_line, progress_bar, say
from workbench.errors import InputError

if TYPE_CHECKING:
    from workbench.analysis.workspace import Workspace
    from workbench.catalog.library import Library
    from workbench.catalog.track import Track
    from workbench.matching.lane import Lane

_MOST_DOUBTS = 20


@click.group("catalog")
def command() -> None:
    """Add, list and remove the tracks of the catalog.

    \b
    Example:
      workbench catalog add ~/Music/licensed manifest.csv
      workbench catalog list | jq -r .title
    """


@command.command("add")
@click.argument("paths", nargs=-1, required=True, type=FILE, metavar="PATH...")
@click.option("--scheduler", metavar="URL", help="Analyse on the Dask cluster of this scheduler, tcp://host:8786 say.")
@profile_option
@workspace_option
def add(paths: tuple[Path, ...], scheduler: str | None, workspace: Workspace) -> None:
    """Analyse sound files and add them.

    PATH is a file, a folder, which is searched through, or a manifest with a `path` column: JSONL, or a table as
    spreadsheets save it (.csv, .tsv, .txt). Prints a JSON line with `track_id` and `path` for each track, once it is
    written. Bad files and rows are reported at the end, and the exit code is 1 then; hidden and empty files of a folder
    are passed over. Adding the same again goes on where it stopped.

    Workers of a cluster must see the same files and the same home folder under the same names.

    \b
    Example:
      workbench catalog add ~/Music/licensed
      workbench catalog add manifest.csv --scheduler tcp://10.0.0.5:8786
    """
    _add(workspace, paths, scheduler)


@command.command("demo")
@profile_option
@workspace_option
def demo(workspace: Workspace) -> None:
    """Add the bundled catalog.

    \b
    Example:
      workbench catalog demo
    """
    _add(workspace, (), None)


def _add(workspace: Workspace, paths: Sequence[Path], scheduler: str | None) -> None:
    """Add files, or the bundled ones where none are named, on the cluster of a scheduler if there is one."""
    from workbench.workflows.catalog import add_tracks, bundled_files, cluster, list_files, open_catalog

    listing = list_files(paths) if paths else bundled_files()
    workers = None if scheduler is None else click.get_current_context().with_resource(cluster(scheduler))
    for warning in listing.warnings:
        say(f"workbench: {warning}")
    faults, doubts, done = list(listing.faults), [], 0
    with progress_bar() as progress:
        workspace = workspace.with_progress(progress)
        for added in add_tracks(workspace, listing.wanted, workers) if listing.wanted else ():
            if added.track is None:
                faults.append(str(added.fault))
                continue
            done += 1
            if added.known_as is not None:
                say(f"workbench: {added.path} has the bytes of {added.known_as}: one track, {added.track.track_id}")
            doubts += [f"{added.track.track_id}: {doubt}" for doubt in added.track.contradictions]
            print_line({"track_id": added.track.track_id, "path": str(added.track.path)})
        if done:
            open_catalog(workspace)
    _report("what was given and what was detected disagree", doubts, _MOST_DOUBTS)
    if any(": bpm " in doubt for doubt in doubts):
        say("workbench: where a given tempo is right, `workbench beats TRACK_ID --tempo BPM` detects the beats at it")
    _report("could not be added", faults, None)
    if faults:
        click.get_current_context().exit(1)


def _report(what: str, lines: list[str], most: int | None) -> None:
    """Print some lines on standard error, and how many there are."""
    for line in lines[:most]:
        say(f"workbench: {line}")
    if most is not None and len(lines) > most:
        say(f"workbench: … and {len(lines) - most} more; `workbench catalog list` has them all")
    if lines:
        say(f"workbench: {len(lines)} {what}")


@command.command("list")
@workspace_option
def list_tracks(workspace: Workspace) -> None:
    """Print every track as a JSON line, in the order in which they were added.

    `measured` names the fields that were measured rather than given; `contradictions` says where the two disagree.

    \b
    Example:
      workbench catalog list | jq 'select(.bpm > 120) | .title'
    """
    tracks = _library(workspace).list()
    for track in tracks:
        print_line(track_row(track))
    if not tracks:
        say(f"workbench: {_empty(workspace)}")


@command.command("remove")
@click.argument("track_ids", nargs=-1, required=True, metavar="TRACK_ID...")
@workspace_option
def remove(track_ids: Iterable[str], workspace: Workspace) -> None:
    """Forget tracks; their files stay where they are.

    \b
    Example:
      workbench catalog remove trk_01JD3X5E8Q2M
    """
    library = _library(workspace)
    for track_id in track_ids:
        library.remove(track_id)
        print_line({"track_id": track_id, "removed": True})


@command.command("reindex")
@workspace_option
def reindex(workspace: Workspace) -> None:
    """Look at every file again, and analyse those whose bytes changed.

    \b
    Example:
      workbench catalog reindex
    """
    from workbench.workflows.catalog import WantedFile, add_tracks

    library = _library(workspace)
    found = library.reindex(hash_bytes=workspace.hash_file)
    print_body({"unchanged": len(found.unchanged), "changed": list(found.changed), "missing": list(found.missing)})
    for track_id in found.missing:
        say(f"workbench: {track_id}: {library.get(track_id).path} cannot be read; its record stays")
    changed = [library.get(track_id) for track_id in found.changed]
    wanted = [WantedFile(track.path, track.track_id) for track in changed]
    faults = 0
    with progress_bar() as progress:
        for added in add_tracks(workspace.with_progress(progress), wanted) if wanted else ():
            if added.fault is not None:
                say(f"workbench: {added.fault}")
                faults += 1
    if faults or found.missing:
        click.get_current_context().exit(1)


def _library(workspace: Workspace) -> Library:
    from workbench.analysis.sources import open_library

    return open_library(workspace)


def require_tracks(workspace: Workspace) -> None:
    """Raise `InputError` if the catalog is empty, before a video is watched for it."""
    if _library(workspace).is_empty():
        raise InputError(_empty(workspace))


def explain_unranked(lane: Lane) -> None:
    """Print on standard error that a catalog proposes nothing, as none of its tracks has sound."""
    if not lane.candidate_pool:
        say("workbench: no track of the catalog can be read, so none is ranked")


def _empty(workspace: Workspace) -> str:
    root = workspace.home.root
    return f"the catalog in {root} is empty; fill it by `workbench catalog add PATH` or `catalog demo`"


def track_row(track: Track) -> dict[str, Any]:
    """A track as one flat JSON object: fields with a value, names of the measured ones, and contradictions if any."""
    row: dict[str, Any] = {"track_id": track.track_id, "path": str(track.path), "audio_id": track.audio_id}
    row |= {"title": None, "artist_name": None, **track.known()}
    row["measured"] = sorted(track.measured)
    return row | ({"contradictions": list(track.contradictions)} if track.contradictions else {})
