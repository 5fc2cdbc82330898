"""Loop points are read back from the sampler chunk and by mutagen."""

from __future__ import annotations

import struct
import wave
from collections.abc import Callable
from pathlib import Path

import mutagen
import numpy as np
import pytest
import soundfile

from tests.workbench.played import make_plan
from workbench.analysis.workspace import Workspace
from workbench.errors import MediaError, ParameterError
from workbench.media.audio import decode, write_audio
from workbench.plans.plan import LoopPlan
from workbench.recording import Recording
from workbench.render.schedule import PlacedTrack
from workbench.workflows.export import export_plan

Exported = Callable[..., Path]

RATE = 44_100


def wav_loop(path: Path) -> tuple[int, int]:
    """The only loop of the sampler chunk (RIFF, 1994): its first sample, and one past the last."""
    data = path.read_bytes()
    at = data.index(b"smpl") + 8
    assert struct.unpack_from("<I", data, at + 28) == (1,)
    forward, first, last = struct.unpack_from("<III", data, at + 36 + 4)
    assert forward == 0
    return first, last + 1


def is_meant(loop: tuple[int, int], plan: LoopPlan) -> bool:
    """Whether a loop is as long as the plan's body to the sample, and lies within 10 ms of it."""
    assert plan.body is not None
    start, stop = round(plan.body.song_from * RATE), round(plan.body.song_to * RATE)
    return loop[1] - loop[0] == stop - start and abs(loop[0] - start) <= RATE // 100


def test_a_wav_gets_a_sampler_chunk_and_keeps_its_sound(
    workspace: Workspace, plan: LoopPlan, track: Path, tmp_path: Path
) -> None:
    out = export_plan(workspace, plan, "loop-tags", tmp_path / "schöne Schleife.wav", track=track)
    assert is_meant(wav_loop(out), plan)
    data = out.read_bytes()
    assert struct.unpack_from("<I", data, 4)[0] == len(data) - 8
    assert data[12 : track.stat().st_size] == track.read_bytes()[12:]
    assert np.array_equal(decode(out).samples, decode(track).samples)


def test_old_loop_points_give_way(
    workspace: Workspace, plan: LoopPlan, late_plan: LoopPlan, track: Path, tmp_path: Path
) -> None:
    first = export_plan(workspace, plan, "loop-tags", tmp_path / "first.wav", track=track)
    second = export_plan(workspace, late_plan, "loop-tags", tmp_path / "second.wav", track=first)
    assert is_meant(wav_loop(second), late_plan)
    assert second.read_bytes().count(b"smpl") == 1


def test_an_odd_chunk_is_padded(workspace: Workspace, plan: LoopPlan, tmp_path: Path) -> None:
    """Eight bits, an odd number of samples, and the pad byte missing, as some writers leave it."""
    path = tmp_path / "odd.wav"
    with wave.open(str(path), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(1)
        sound.setframerate(RATE)
        sound.writeframes(bytes(12 * RATE - 1))
    data = path.read_bytes()
    path.write_bytes(data[: 44 + 12 * RATE - 1])
    out = export_plan(workspace, plan, "loop-tags", tmp_path / "odd-looped.wav", track=path)
    assert out.read_bytes().index(b"smpl") == 44 + 12 * RATE, "behind the pad byte"
    assert is_meant(wav_loop(out), plan)


@pytest.mark.parametrize(("suffix", "kind"), [(".flac", "FLAC"), (".ogg", "OGG")])
def test_flac_and_ogg_get_comments(
    workspace: Workspace, plan: LoopPlan, recording: Recording, suffix: str, kind: str, tmp_path: Path
) -> None:
    path = tmp_path / f"track{suffix}"
    soundfile.write(path, recording.samples.T, RATE, format=kind)
    tagged = mutagen.File(path)
    tagged["title"] = ["Grüße & Küsse"]
    tagged.save()
    out = export_plan(workspace, plan, "loop-tags", tmp_path / f"looped{suffix}", track=path)
    comments = mutagen.File(out)
    (start,), (length,) = comments["LOOPSTART"], comments["LOOPLENGTH"]
    assert is_meant((int(start), int(start) + int(length)), plan)
    assert comments["title"] == ["Grüße & Küsse"]
    assert np.array_equal(decode(out).samples, decode(path).samples)


@pytest.mark.parametrize("hertz", [41.2, 97.0, 440.0])
def test_the_jump_from_end_to_start_does_not_click(
    workspace: Workspace, plan: LoopPlan, hertz: float, tmp_path: Path
) -> None:
    """A tone that the body does not hold a whole number of times goes on as if it did."""
    time = np.arange(12 * RATE) / RATE
    tone = 0.5 * np.sin(2 * np.pi * hertz * time)
    soundfile.write(tmp_path / "tone.wav", np.stack([tone, -tone], axis=1), RATE, subtype="PCM_24")
    out = export_plan(workspace, plan, "loop-tags", tmp_path / "looped.wav", track=tmp_path / "tone.wav")
    first, stop = wav_loop(out)
    assert is_meant((first, stop), plan)
    steepest = 0.5 * 2 * np.pi * hertz / RATE
    assert abs(tone[first] - tone[stop]) < steepest
    assert abs(tone[first] - tone[stop - 1]) < 2 * steepest


def test_a_body_that_is_nearly_the_whole_track_stays_in_it(exported: Exported) -> None:
    row = (0.003, 11.997, 0.0, 0.0)
    whole = make_plan([row, row], [0.005], [1.0], song_duration=12.0)
    loop = wav_loop(exported("loop-tags", whole))
    assert is_meant(loop, whole)
    assert 0 < loop[0] < loop[1] < 12 * RATE


def test_another_kind_is_decoded(workspace: Workspace, plan: LoopPlan, recording: Recording, tmp_path: Path) -> None:
    path = write_audio(tmp_path / "track.mp3", iter([recording.samples]), RATE, 2)
    out = export_plan(workspace, plan, "loop-tags", tmp_path / "track.wav", track=path)
    assert is_meant(wav_loop(out), plan)
    assert np.abs(decode(out).samples - np.clip(decode(path).samples, -1, 1)).max() < 3 / 2**15
    with pytest.raises(ParameterError, match=r"not Ogg; write its loop points into a \.wav or \.flac"):
        export_plan(workspace, plan, "loop-tags", tmp_path / "track.ogg", track=path)
    with pytest.raises(ParameterError, match=r"are written into \.wav, \.flac"):
        export_plan(workspace, plan, "loop-tags", tmp_path / "song2.mp3", track=path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["track.mp3", "track.wav"]


def test_a_wav_of_unknown_length_is_refused_and_nothing_is_left(
    workspace: Workspace, plan: LoopPlan, track: Path, tmp_path: Path
) -> None:
    streamed = bytearray(track.read_bytes())
    struct.pack_into("<I", streamed, streamed.index(b"data") + 4, 0xFFFFFFFF)
    path = tmp_path / "streamed.wav"
    path.write_bytes(streamed)
    with pytest.raises(MediaError, match="does not say how long its sound is"):
        export_plan(workspace, plan, "loop-tags", tmp_path / "looped.wav", track=path)
    assert [file.name for file in tmp_path.iterdir()] == ["streamed.wav"]


def test_the_track_itself_is_never_written_to(workspace: Workspace, plan: LoopPlan, track: Path) -> None:
    before = track.read_bytes()
    with pytest.raises(ParameterError, match="choose another name"):
        export_plan(workspace, plan, "loop-tags", track, track=track)
    assert track.read_bytes() == before


def test_a_placed_track_has_no_loop(workspace: Workspace, placed: PlacedTrack, track: Path, tmp_path: Path) -> None:
    out = tmp_path / "looped.wav"
    with pytest.raises(ParameterError, match="the format loop-tags cannot hold a placement"):
        export_plan(workspace, placed, "loop-tags", out, track=track)
    assert not out.exists()
