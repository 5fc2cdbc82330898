"""Every kind of job on real files: what its process makes of the request, and what is written when it is settled."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
import sqlalchemy as sa
import structlog

from service import cache_keys
from service.jobs import kinds, runs
from service.jobs.kind import Context, JobFault, Outcome
from service.prices import CALL, MINUTE
from service.settings import ServiceSettings
from service.store import accounts, answers, jobs, ledger, tables, tracks, video_owners
from service.store.jobs import Job, NewJob
from service.store.video_owners import OwnedVideo
from tests.service.sites import https_site
from tests.videos import grey, write_screencast, write_video
from workbench.analysis.workspace import Workspace
from workbench.catalog.library import Library
from workbench.files import bundled_path, hash_file
from workbench.store import videos
from workbench.store.catalog_revision import current_revision
from workbench.store.database import Database, now
from workbench.store.home import Home
from workbench.store.settings import WorkbenchSettings

REVISION = "r1"
SHORT = [name for name in kinds.KINDS if name not in kinds.BACKGROUND]
TRACK = "attic_tape.ogg"
SECONDS = 140


def write_silence(path: Path, seconds: float) -> None:
    """Silence of 8 kHz in one channel."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac" if path.suffix == ".adts" else "pcm_s16le", rate=8000, layout="mono")
        for start in range(0, int(seconds * 8000), 8000):
            frame = av.AudioFrame.from_ndarray(np.zeros((1, 8000), np.int16), "s16", "mono")
            frame.sample_rate, frame.pts = 8000, start
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


@dataclass
class Studio:
    """A home with one track and one video, and what runs jobs in it."""

    home: Home
    workspace: Workspace
    database: Database
    settings: ServiceSettings
    site: str
    """address of an https server that serves `folder`"""
    folder: Path
    stages: list[str] = field(default_factory=list)

    def job(self, kind: str, request: dict[str, Any], account: str = "ada", video: str = "vid_1", **more: Any) -> Job:
        """A job of this kind, claimed."""
        queue = jobs.BEATS if kind == "beats" else jobs.MAIN
        given: dict[str, Any] = {"endpoint": f"POST /v1/{kind}", "charge_key": "", "track_id": "trk_1"} | more
        given |= {"unit": MINUTE if kind in ("ingest", "beats") else CALL}
        given |= {"subject": video} if kind == "ingest" else {}
        build = f"{kind}:{jobs.new_job_id()}"
        with self.database.write() as connection:
            accounts.ensure(connection, account)
            made = jobs.submit(
                connection, NewJob(kind, queue, account, build, video_id=video, request=request, **given)
            )
            claimed = jobs.claim(connection, [queue], "test", 600.0, kinds=SHORT)
        assert claimed is not None
        assert claimed.job_id == made.job_id
        return claimed

    def run(self, job: Job, until: str | None = None) -> Outcome:
        """What a job comes to; it is ended when it begins the stage `until`."""

        def stage(words: str) -> None:
            self.stages.append(words)
            if words == until:
                raise TimeoutError(words)

        scratch = self.home.scratch / job.job_id
        scratch.mkdir(parents=True)
        self.stages.clear()
        context = Context(
            workspace=self.workspace,
            settings=self.settings,
            revision=REVISION,
            scratch=scratch,
            stage=stage,
            abandoned=lambda: False,
        )
        try:
            return runs.run(job, context)
        finally:
            shutil.rmtree(scratch)

    def settle(self, job: Job, outcome: Outcome) -> Job:
        with self.database.write() as connection:
            assert kinds.KINDS[job.kind].complete(connection, job, Outcome.from_json(outcome.to_json()))
        return self.read(job)

    def notes_use_of(self, answer_key: str, kind: str, request: dict[str, Any]) -> bool:
        """Whether a job that finds an old answer notes that it was asked for, which keeps it from the sweep."""
        old = tables.answers.c.answer_key == answer_key
        with self.database.write() as connection:
            assert connection.execute(tables.answers.update().where(old).values(used_at=now(-86_401.0))).rowcount
        began = now()
        job = self.job(kind, request)
        self.settle(job, self.run(job))
        with self.database.read() as connection:
            used_at: str = connection.scalars(sa.select(tables.answers.c.used_at).where(old)).one()
        return used_at >= began

    def fail(self, job: Job, fault: JobFault) -> Job:
        with self.database.write() as connection:
            assert kinds.KINDS[job.kind].refuse(connection, job, fault.status, str(fault))
        return self.read(job)

    def read(self, job: Job) -> Job:
        with self.database.read() as connection:
            found = jobs.get(connection, job.job_id)
        assert found is not None
        return found

    def own(self, video_id: str, **more: Any) -> None:
        with self.database.write() as connection:
            video_owners.create(connection, OwnedVideo(video_id, "ada", "processing", **more))

    def owned(self, video_id: str) -> OwnedVideo:
        with self.database.read() as connection:
            found = video_owners.get(connection, video_id)
        assert found is not None
        return found

    def booked(self, job: Job) -> list[ledger.LedgerEntry]:
        subject = job.video_id if job.kind == "ingest" else job.job_id
        with self.database.read() as connection:
            return [entry for entry in ledger.entries(connection, job.account) if entry.subject == subject]


def draw_video(path: Path) -> None:
    """Small pictures that cut every ten seconds, over noise."""
    noise = 0.05 * np.random.default_rng(1).standard_normal((1, 22_050 * SECONDS))
    pictures = (grey(40 * (1 + number // 40 % 5), 64, 36) for number in range(SECONDS * 4))
    write_video(path, pictures, 4, sound=noise.astype(np.float32), sample_rate=22_050)


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    folder = tmp_path_factory.mktemp("site")
    draw_video(folder / "holiday.mp4")
    shutil.copy(bundled_path("data", "bundled", "music", TRACK), folder / "track.ogg")
    (folder / "page.html").write_text("<p>no video</p>")
    home = Home(tmp_path_factory.mktemp("home"))
    workspace = Workspace(home, settings=WorkbenchSettings(database_url=None), schemas=(tables.SCHEMA,))
    database = workspace.database
    Library(database).add(folder / "track.ogg", {"title": "Attic Tape"}, track_id="trk_1")
    Library(database).add(folder / "track.ogg", {}, track_id="trk_2")

    with https_site(folder, folder / "ca.pem") as site:
        settings = ServiceSettings(fetch_allow_hosts="localhost", fetch_ca_file=folder / "ca.pem")
        made = Studio(home, workspace, database, settings, site, folder)
        made.own("vid_1", title="holiday.mp4", source_url=f"{site}/holiday.mp4")
        yield made
    workspace.close()


@pytest.fixture(scope="module", autouse=True)
def ingested(studio: Studio) -> Job:
    """The video, fetched and ready."""
    request = {"source_url": f"{studio.site}/holiday.mp4", "storage_key": None}
    job = studio.job("ingest", request, endpoint="POST /v1/videos", charge_key="video:vid_1")
    return studio.settle(job, studio.run(job))


def test_an_ingested_video_is_ready_and_charged_by_the_minute(studio: Studio, ingested: Job) -> None:
    assert ingested.answer == {"video_id": "vid_1", "status": "ready", "ready": True, "title": "holiday.mp4"}
    assert (studio.owned("vid_1").status, studio.owned("vid_1").title) == ("ready", "holiday.mp4")
    with studio.database.read() as connection:
        record = videos.get(connection, "vid_1")
    assert record.seconds == pytest.approx(SECONDS, abs=0.3)
    assert record.path.parent == studio.home.videos
    assert record.path.read_bytes() == (studio.folder / "holiday.mp4").read_bytes()
    (entry,) = studio.booked(ingested)
    assert (entry.event_key, entry.quantity, entry.unit) == ("video:vid_1", 3, "minute")


def test_the_catalog_is_ranked_ahead_of_the_first_match(studio: Studio, ingested: Job) -> None:
    with studio.database.read() as connection:
        ahead = [depth for depth in jobs.depths(connection) if depth.kind == "engine"]
    assert [(depth.count, depth.state) for depth in ahead] == [(1, "queued")]


def test_speech_in_a_stream_that_is_not_used_is_logged_and_adds_no_field(studio: Studio) -> None:
    studio.home.prepared(studio.home.uploads)
    write_screencast(studio.folder / "screen.mkv").replace(studio.home.uploads / "upl_3")
    studio.own("vid_3", title="screen.mkv", storage_key="upl_3", uploaded_bytes=1)
    job = studio.job("ingest", {"source_url": None, "storage_key": "upl_3"}, video="vid_3", charge_key="video:vid_3")
    with structlog.testing.capture_logs() as lines:
        done = studio.settle(job, studio.run(job))
    assert done.answer is not None
    assert set(done.answer) == {"video_id", "status", "ready", "title"}
    (line,) = [line for line in lines if line["event"] == "speech not used"]
    assert line["video_id"] == "vid_3"
    assert "1 (Desktop) is used; more speech is in 2 (Mic), " in line["problem"]


def test_an_upload_stays_where_it_is(studio: Studio) -> None:
    studio.home.prepared(studio.home.uploads)
    shutil.copy(studio.folder / "holiday.mp4", studio.home.uploads / "upl_1")
    studio.own("vid_2", title="my video.mp4", storage_key="upl_1", uploaded_bytes=1)
    job = studio.job("ingest", {"source_url": None, "storage_key": "upl_1"}, video="vid_2", charge_key="video:vid_2")
    done = studio.settle(job, studio.run(job))
    assert done.answer is not None
    assert done.answer["title"] == "my video.mp4"
    with studio.database.read() as connection:
        assert videos.get(connection, "vid_2").path == studio.home.uploads / "upl_1"


def test_sound_alone_is_no_video_and_is_not_charged(studio: Studio) -> None:
    name, video_id = "track.ogg", "vid_sound"
    studio.own(video_id, title=name, source_url=f"{studio.site}/{name}")
    job = studio.job("ingest", {"source_url": f"{studio.site}/{name}"}, video=video_id, charge_key=f"video:{video_id}")
    with pytest.raises(JobFault) as caught:
        studio.run(job)
    assert studio.fail(job, caught.value).state == "failed"
    owned = studio.owned(video_id)
    assert owned.status == "failed"
    assert owned.reason
    assert str(studio.home.root) not in owned.reason
    assert studio.booked(job) == []


def test_a_loop_is_built_once_for_everybody(studio: Studio) -> None:
    job = studio.job("loop", {"auto_mix": False})
    done = studio.settle(job, studio.run(job))
    assert done.answer is not None
    assert (done.answer["video_id"], done.answer["track_id"], done.answer["applicable"]) == ("vid_1", "trk_1", True)
    assert "mix" not in done.answer
    assert len(studio.booked(job)) == 1
    again = studio.job("loop", {"auto_mix": True}, account="bob", track_id="trk_2")
    outcome = studio.run(again)
    assert [one.kind for one in outcome.stored] == ["mix"]  # the plan was there, under the same bytes
    mixed = studio.settle(again, outcome).answer
    assert mixed is not None
    assert (mixed["track_id"], mixed["plan"]) == ("trk_2", done.answer["plan"])
    assert mixed["mix"]["classification"] == "ambient"


def test_a_retry_goes_on_where_a_timeout_stopped_it(studio: Studio) -> None:
    """After `timeout` finished stages stay cached."""
    path = studio.folder / "long_way.ogg"
    path.write_bytes((studio.folder / "track.ogg").read_bytes() + b"\0\0\0")
    Library(studio.database).add(path, {}, track_id="trk_long_way")
    job = studio.job("loop", {"auto_mix": False}, track_id="trk_long_way")
    with pytest.raises(TimeoutError):
        studio.run(job, until="planning")
    assert {"finding the beats", "looking for seams"} <= set(studio.stages)
    done = studio.settle(job, studio.run(job))
    assert done.answer is not None
    assert done.answer["applicable"] is True
    assert set(studio.stages) == {"planning"}


@pytest.fixture
def swapped(studio: Studio) -> str:
    """A track whose file was replaced after it was catalogued."""
    path = studio.folder / "swapped.ogg"
    path.write_bytes((studio.folder / "track.ogg").read_bytes() + b"\0\0")
    Library(studio.database).add(path, {}, track_id="trk_swapped")
    shutil.copy(studio.folder / "track.ogg", path)
    return "trk_swapped"


@pytest.mark.parametrize("auto_mix", [False, True])
def test_what_was_found_in_other_bytes_is_not_stored(studio: Studio, swapped: str, auto_mix: bool) -> None:
    outcome = studio.run(studio.job("loop", {"auto_mix": auto_mix}, track_id=swapped))
    assert (outcome.answer["plan"]["reason"], outcome.answer["retryable"]) == ("audio_unavailable", True)
    assert "index" in outcome.answer["hint"]
    assert (outcome.billed, outcome.stored) == (False, ())
    with pytest.raises(JobFault) as caught:
        studio.run(studio.job("align", {"auto_mix": auto_mix}, track_id=swapped))
    assert caught.value.status == 500


def put_video(studio: Studio, video_id: str, path: Path, content_hash: str) -> None:
    with studio.database.write() as connection:
        videos.put(connection, video_id, path, content_hash=content_hash, title="", seconds=float(SECONDS))


def test_a_video_that_was_replaced_is_refused(studio: Studio) -> None:
    put_video(studio, "vid_swapped", studio.folder / "holiday.mp4", "00")
    with pytest.raises(JobFault) as caught:
        studio.run(studio.job("align", {"auto_mix": False}, video="vid_swapped"))
    assert caught.value.status == 422


def test_that_a_mix_cannot_be_measured_is_found_once(studio: Studio) -> None:
    page = studio.folder / "page.html"
    put_video(studio, "vid_deaf", page, hash_file(page))
    job = studio.job("loop", {"auto_mix": True}, video="vid_deaf")
    outcome = studio.run(job)
    assert (outcome.answer["applicable"], "mix" in outcome.answer) == (True, False)
    assert [(one.kind, one.body.get("mix")) for one in outcome.stored][-1] == ("mix", None)
    studio.settle(job, outcome)
    assert studio.run(studio.job("loop", {"auto_mix": True}, video="vid_deaf")).stored == ()


def test_beats_have_real_stages_and_know_what_the_account_had_mapped(studio: Studio) -> None:
    (studio.folder / "other.ogg").write_bytes((studio.folder / "track.ogg").read_bytes() + b"\0")  # never analysed
    request, content_hash = {"audio_url": f"{studio.site}/other.ogg"}, hash_file(studio.folder / "other.ogg")
    first = studio.job("beats", request, track_id="mine")
    outcome = studio.run(first)
    assert list(dict.fromkeys(studio.stages)) == ["fetching", "decoding", "analyzing"]
    done = studio.settle(first, outcome).answer
    assert done is not None
    assert (done["track_id"], done["status"], done["cached"]) == ("mine", "complete", False)
    assert done["billed_minutes"] == -(-done["duration_seconds"] // 60)
    assert set(done["downbeats"]) <= set(done["beats"])
    for account, cached in (("ada", True), ("bob", False)):
        job = studio.job("beats", request, account=account, track_id=None)
        again = studio.settle(job, studio.run(job)).answer
        assert again is not None
        assert (again["cached"], again["track_id"], again["beats"]) == (cached, None, done["beats"])
        assert [entry.quantity for entry in studio.booked(job)] == [done["billed_minutes"]]
    assert studio.notes_use_of(cache_keys.beats_key(content_hash, "", REVISION), "beats", request)


@pytest.mark.parametrize("suffix", [".wav", ".adts"])  # which states its length, and which does not
def test_long_sound_goes_on_in_a_slot_of_its_own(studio: Studio, suffix: str) -> None:
    write_silence(studio.folder / f"long{suffix}", 640.0)
    request = {"audio_url": f"{studio.site}/long{suffix}"}
    job = studio.job("beats", request)
    handed_over = studio.run(job)
    assert (handed_over.queue, handed_over.billed, studio.booked(job)) == (jobs.LONG_BEATS, False, [])
    with studio.database.write() as connection:
        assert jobs.hand_over(connection, job, jobs.LONG_BEATS)
        again = jobs.claim(connection, [jobs.LONG_BEATS], "test", 600.0)
    assert again is not None
    assert studio.settle(again, studio.run(again)).state == "complete"
    assert [entry.quantity for entry in studio.booked(job)] == [11]


@pytest.mark.parametrize("suffix", [".wav", ".adts"])
def test_more_sound_than_a_job_may_have_fails_with_422(studio: Studio, suffix: str) -> None:
    write_silence(studio.folder / f"endless{suffix}", 90.0)
    strict = replace(studio, settings=studio.settings.model_copy(update={"beats_max_seconds": 60.0}))
    with pytest.raises(JobFault, match="more than 60 s") as caught:
        strict.run(strict.job("beats", {"audio_url": f"{studio.site}/endless{suffix}"}))
    assert caught.value.status == 422


def test_beats_are_not_tracked_for_an_account_that_cannot_pay_their_length(studio: Studio) -> None:
    write_silence(studio.folder / "unpaid.wav", 130.0)
    job = studio.job("beats", {"audio_url": f"{studio.site}/unpaid.wav"}, account="eve")
    with studio.database.write() as connection:
        accounts.update(connection, "eve", spend_cap_micros=50_000)
    with pytest.raises(JobFault, match="monthly spend cap reached"):
        studio.run(job)
    assert "analyzing" not in studio.stages
    assert studio.fail(job, JobFault(422, "monthly spend cap reached")).state == "failed"
    assert studio.booked(job) == []


@pytest.mark.slow
def test_a_preview_is_of_the_bytes_it_is_named_after(studio: Studio, swapped: str) -> None:
    with studio.database.read() as connection:
        track = tracks.find_by_audio(connection, "aud_" + hash_file(studio.folder / "track.ogg")[:24])
        assert tracks.find_by_audio(connection, "aud_" + 24 * "0") is None
    assert track is not None
    assert track.track_id == "trk_1"
    studio.run(studio.job("preview", {"file": "aud_1-r1.mp3"}, charge_key=None))
    assert (studio.home.previews / "aud_1-r1.mp3").stat().st_size > 10_000
    with pytest.raises(JobFault) as caught:
        studio.run(studio.job("preview", {"file": "aud_2-r1.mp3"}, track_id=swapped, charge_key=None))
    assert caught.value.status == 404
    assert not (studio.home.previews / "aud_2-r1.mp3").exists()


def _sync_statuses(outcome: Outcome) -> dict[str, str]:
    return {track["track_id"]: track["sync_status"] for track in outcome.answer["candidate_pool"]}


def test_a_lane_is_not_kept_while_the_file_of_a_track_is_away(studio: Studio) -> None:
    path, away = studio.folder / "away.ogg", studio.folder / "away.bak"
    path.write_bytes((studio.folder / "track.ogg").read_bytes() + b"\0\0\0")
    library = Library(studio.database)
    library.add(path, {}, track_id="trk_away")
    for track in library.list():
        if track.track_id not in ("trk_1", "trk_away"):
            library.remove(track.track_id)
    path.rename(away)
    outcome = studio.run(studio.job("match", {"include_sync": True}))
    assert _sync_statuses(outcome)["trk_away"] == "cold"
    assert outcome.stored == ()
    away.rename(path)
    outcome = studio.run(studio.job("match", {"include_sync": True}))
    assert set(_sync_statuses(outcome).values()) == {"warm"}
    assert [one.kind for one in outcome.stored] == ["match"]
    library.remove("trk_away")


def test_a_stored_lane_answers_a_match(studio: Studio) -> None:
    lane = {"title": "t", "reasoning": "r", "matches": [], "candidate_pool": []}
    with studio.database.write() as connection:
        video = videos.get(connection, "vid_1")
        cache_key = cache_keys.match_key(video.content_hash, current_revision(connection), REVISION)
        answers.store(connection, cache_key, "match", lane)
    job = studio.job("match", {"include_sync": False})
    assert studio.settle(job, studio.run(job)).answer == lane
    assert len(studio.booked(job)) == 1
