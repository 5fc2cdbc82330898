"""Edit decision lists as editing programs write them, and one line for what cannot be read."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from workbench.edits.edit_list import EditList
from workbench.edits.edl import read_edl
from workbench.errors import EditError

NTSC = Fraction(30_000, 1001)


def read(tmp_path: Path, text: str, frame_rate: Fraction | None = None, seconds: float | None = None) -> EditList:
    path = tmp_path / "edit.edl"
    path.write_text(text)
    return read_edl(path, frame_rate, seconds)


def rows(edit: EditList) -> list[Any]:
    """Media, source start, seconds and speed in frames of the edit."""
    rate = edit.frame_rate
    return [(clip.media, clip.source_start * rate, clip.seconds * rate, clip.speed) for clip in edit.clips]


def test_drop_frame_counts_real_frames(tmp_path: Path) -> None:
    edit = read(
        tmp_path,
        """TITLE: ONE
FCM: DROP FRAME
001  AX       V     C        00:00:59;28 00:01:00;02 01:00:00;00 01:00:00;02
002  AX       AA/V  C        00:10:00;00 00:11:00;02 01:00:00;02 01:01:00;04
""",
    )
    assert edit.frame_rate == NTSC
    assert rows(edit) == [("AX", 1798, 2, 1), ("AX", 17_982, 1800, 1)]


def test_sources_without_drop_frame_in_a_list_with_it(tmp_path: Path) -> None:
    text = "FCM: DROP FRAME\n001 A V C 00:01:00:00 00:01:01:00 01:00:00;00 01:00:01;00\n"
    assert rows(read(tmp_path, text)) == [("A", 1800, 30, 1)]


def test_a_wipe_and_black(tmp_path: Path) -> None:
    edit = read(
        tmp_path,
        """001  BL    V  C         00:00:00:00 00:00:02:00 01:00:00:00 01:00:02:00
002  BL    V  C         00:00:00:00 00:00:00:00 01:00:02:00 01:00:02:00
002  TAPE1 V  D    020  00:00:10:00 00:00:14:00 01:00:02:00 01:00:06:00
003  TAPE1 V  C         00:00:14:00 00:00:14:00 01:00:06:00 01:00:06:00
003  TAPE2 V  W001 010  00:01:00:00 00:01:03:00 01:00:06:00 01:00:09:00
""",
        Fraction(25),
    )
    assert rows(edit) == [(None, 0, 60, 1), ("TAPE1", 260, 95, 1), ("TAPE2", 1505, 70, 1)]


def test_names_and_addresses_of_either_side(tmp_path: Path) -> None:
    edit = read(
        tmp_path,
        """001  AX V  C        00:00:00:00 00:00:02:00 00:00:00:00 00:00:02:00
* FROM CLIP NAME:  one two.mov
002  AX V  C        00:00:02:00 00:00:02:00 00:00:02:00 00:00:02:00
002  AX V  D    024 00:00:10:00 00:00:12:00 00:00:02:00 00:00:04:00
* FROM CLIP NAME:  one two.mov
* TO CLIP NAME:  other.mov
003  AX V  C        00:00:00:00 00:00:01:00 00:00:04:00 00:00:05:00
* FROM CLIP NAME: third
* SOURCE FILE: /media/third.mov
004  AX A  C        00:00:00:00 00:00:01:00 00:00:04:00 00:00:05:00
* FROM CLIP NAME: sound.wav
005  REEL_9 V  C        00:00:00:00 00:00:01:00 00:00:05:00 00:00:06:00
006  AX V2 C        00:00:00:00 00:00:01:00 00:00:04:00 00:00:05:00
""",
    )
    assert [clip.media for clip in edit.clips] == ["one two.mov", "other.mov", "/media/third.mov", "REEL_9"]


def test_speeds_stated_and_not(tmp_path: Path) -> None:
    edit = read(
        tmp_path,
        """001  A V C 00:00:10:00 00:00:14:00 01:00:00:00 01:00:02:00
M2   A       050.0                00:00:10:00
002  B V C 00:00:10:00 00:00:12:00 01:00:02:00 01:00:04:00
M2   B       -025.0               00:00:10:00
003  C V C 00:00:10:00 00:00:10:01 01:00:04:00 01:00:05:00
M2   C       000.0                00:00:10:00
004  D V C 00:00:10:00 00:00:11:00 01:00:05:00 01:00:07:00
005  E V C 00:00:10:00 00:00:11:00 01:00:07:00 01:00:08:00
""",
        Fraction(25),
    )
    assert rows(edit) == [
        ("A", 250, 50, 2), ("B", 300, 50, -1), ("C", 250, 25, 0), ("D", 250, 50, Fraction(1, 2)), ("E", 250, 25, 1),
    ]  # fmt: skip


def test_reversed_shots_by_either_convention(tmp_path: Path) -> None:
    edit = read(
        tmp_path,
        """001  A V C 00:00:10:00 00:00:12:00 01:00:00:00 01:00:02:00
M2   A       -025.0               00:00:10:00
002  A V C 00:00:12:00 00:00:10:00 01:00:02:00 01:00:04:00
M2   A       -025.0               00:00:12:00
003  A V C 00:00:12:00 00:00:10:00 01:00:04:00 01:00:06:00
004  A V C 00:00:14:00 00:00:10:00 01:00:06:00 01:00:08:00
M2   A        050.0               00:00:14:00
005  A V C 00:00:10:00 00:00:14:00 01:00:08:00 01:00:10:00
M2   A       -050.0
""",
        Fraction(25),
    )
    assert rows(edit) == [("A", 300, 50, -1)] * 3 + [("A", 350, 50, -2)] * 2


@pytest.mark.parametrize(
    ("rate", "source", "fps", "speed"),
    [
        (24, "00:00:10:29 00:00:14:29", "060.0", 2),  # 120 of 30 frames a second in 2 s: twice the source's rate
        (24, "00:00:10:29 00:00:12:29", "030.0", 1),
        (24, "00:00:10:29 00:00:12:17", "024.0", Fraction(4, 5)),  # every frame of the source is shown
        (24, "00:00:10:00 00:00:12:00", "060.0", Fraction(5, 2)),  # where lengths say nothing, the record's rate
        (Fraction(60_000, 1001), "00:00:10:00 00:00:12:00", "059.9", 1),
        (Fraction(60_000, 1001), "00:00:10:00 00:00:14:00", "119.9", 2),
        (Fraction(24_000, 1001), "00:00:10:00 00:00:12:00", "023.98", 1),
    ],
)
def test_a_stated_speed_counts_frames_of_the_record_or_of_the_source(
    tmp_path: Path, rate: Fraction, source: str, fps: str, speed: Fraction
) -> None:
    text = f"001  A V C {source} 01:00:00:00 01:00:02:00\nM2   A       {fps}     00:00:10:00\n"
    (clip,) = read(tmp_path, text, Fraction(rate)).clips
    assert clip.speed == speed


@pytest.mark.parametrize("source_rate", [24, 25, 30, 50, 60, Fraction(30_000, 1001)])
@pytest.mark.parametrize("record_rate", [24, 25, 30, Fraction(24_000, 1001)])
def test_sources_of_another_rate_are_shown_at_their_own(
    tmp_path: Path, record_rate: Fraction, source_rate: Fraction
) -> None:
    def codes(rate: Fraction, *times: Fraction) -> str:
        frames = [divmod(round(time * Fraction(rate)), round(rate)) for time in times]
        return " ".join(f"00:{second // 60:02}:{second % 60:02}:{frame:02}" for second, frame in frames)

    frame = 1 / Fraction(record_rate)
    at, events = Fraction(0), []
    shots = [(Fraction(1007, 24), 1511), (Fraction(3), 1000), (Fraction(701, 6), 3017)]
    for number, (start, frames) in enumerate(shots, start=1):
        source = codes(source_rate, start, start + frames * frame)
        events.append(f"{number:03} B V C {source} {codes(record_rate, at, at + frames * frame)}")
        at += frames * frame
    clips = read(tmp_path, "\n".join(events), Fraction(record_rate)).clips
    for clip, (start, frames) in zip(clips, shots, strict=True):
        assert clip.seconds == frames * frame
        assert clip.speed == 1
        assert abs(clip.source_start - start) <= 1 / (2 * Fraction(source_rate))


def test_events_of_any_reel_have_rates_of_their_own(tmp_path: Path) -> None:
    edit = read(
        tmp_path,
        """001  AX V C 00:00:10:29 00:00:42:14 01:00:00:00 01:00:31:12
002  AX V C 00:00:10:12 00:00:11:13 01:00:31:12 01:00:32:13
""",
        Fraction(24),
    )
    assert [clip.source_start for clip in edit.clips] == [Fraction(329, 30), Fraction(21, 2)]
    assert all(clip.speed == 1 for clip in edit.clips)


def test_time_code_goes_on_over_midnight(tmp_path: Path) -> None:
    edit = read(
        tmp_path,
        """001  A V C 23:59:58:00 00:00:03:00 23:59:50:00 23:59:55:00
002  B V C 00:00:10:00 00:00:20:00 23:59:55:00 00:00:05:00
003  A V C 00:00:01:00 00:00:03:00 00:00:07:00 00:00:09:00
004  A V C 00:00:01:00 23:59:59:00 00:00:09:00 00:00:11:00
""",
        Fraction(25),
    )
    day = 24 * 3600 * 25
    assert rows(edit) == [
        ("A", day - 50, 50, 1), ("A", 0, 75, 1), ("B", 250, 250, 1), (None, 0, 50, 1), ("A", 25, 50, 1),
        ("A", 25, 25, -1), ("A", day, 25, -1),
    ]  # fmt: skip


def test_midnight_in_drop_frame(tmp_path: Path) -> None:
    edit = read(
        tmp_path,
        """001  A V C 23:59:59;00 00:00:01;00 23:59:59;28 00:00:01;28
002  A V C 00:00:01;00 00:00:02;00 00:00:01;28 00:00:02;28
""",
    )
    assert rows(edit) == [("A", 24 * 107_892 - 30, 30, 1), ("A", 0, 30, 1), ("A", 30, 30, 1)]


def test_the_first_fcm_is_of_the_record_the_others_are_of_sources(tmp_path: Path) -> None:
    edit = read(
        tmp_path,
        """FCM: NON-DROP FRAME
001  A V C 00:01:00:00 00:02:00:00 01:00:00:00 01:01:00:00
FCM: DROP FRAME
002  B V C 00:00:59:28 00:01:00:02 01:01:00:00 01:01:00:02
FCM: NON-DROP FRAME
003  A V C 00:02:00:00 00:02:01:00 01:01:00:02 01:01:01:02
""",
        Fraction(30_000, 1001),
    )
    assert rows(edit) == [("A", 1800, 1800, 1), ("B", 1798, 2, 1), ("A", 3600, 30, 1)]
    high = "FCM: DROP FRAME\n001 A V C 00:01:00:04 00:01:01:00 01:00:00:00 01:00:00:56\n"
    assert rows(read(tmp_path, high, Fraction(60_000, 1001))) == [("A", 3600, 56, 1)]


def test_holes_are_gaps_and_the_first_one_is_told_by_the_full_hour(tmp_path: Path) -> None:
    text = """001 A V C 00:00:10:00 00:00:11:00 {0}:00:02:00 {0}:00:03:00
002 A V C 00:00:20:00 00:00:21:00 {0}:00:05:00 {0}:00:06:00
"""
    assert rows(read(tmp_path, text.format("01"), Fraction(25))) == [
        (None, 0, 50, 1), ("A", 250, 25, 1), (None, 0, 50, 1), ("A", 500, 25, 1),
    ]  # fmt: skip
    assert read(tmp_path, text.format("01"), seconds=4.0).seconds == 4
    assert read(tmp_path, text.format("01"), seconds=6.0).seconds == 6
    assert read(tmp_path, text.replace(":00:0", ":17:0").format("10"), Fraction(25)).seconds == 4


def test_the_rate_that_a_comment_states_and_the_one_that_fits(tmp_path: Path) -> None:
    event = "001 A V C 00:00:10:12 00:00:11:11 01:00:00:00 01:00:00:{}\n"
    assert read(tmp_path, "* FPS: 23.976\n" + event.format("23")).frame_rate == Fraction(24_000, 1001)
    assert read(tmp_path, event.format("23")).frame_rate == 24
    assert read(tmp_path, event.format("24")).frame_rate == 25
    assert read(tmp_path, event.format("29")).frame_rate == 30
    assert read(tmp_path, event.format("23"), Fraction(25)).frame_rate == 25


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no video event in this list"),
        ("001 A A C 00:00:10:00 00:00:11:00 01:00:00:00 01:00:01:00\n", "no video event in this list"),
        ("TITLE: X\n001 A V C 00:00:10:00 00:00:11:00 01:00:00:00\n", "line 2: not an event of a CMX 3600 list"),
        ("001 A V D 00:00:10:00 00:00:11:00 01:00:00:00 01:00:01:00\n", "line 1: the transition D has no length"),
        ("001 A V C 00:00:10:00 00:00:11:00 01:00:01:00 01:00:00:00\n", "line 1: ends at 01:00:00:00, before"),
        (
            "001 A V C 00:00:10:00 00:00:12:00 01:00:00:00 01:00:02:00\n"
            "002 A V C 00:00:10:00 00:00:12:00 01:00:01:00 01:00:03:00\n",
            "line 2: begins at 01:00:01:00, while the event before still runs",
        ),
        ("001 A V C 00:61:10:00 00:00:12:00 01:00:00:00 01:00:02:00\n", "line 1: 00:61:10:00 is no time code"),
        (
            "FCM: DROP FRAME\n001 A V C 00:01:00;00 00:00:12;00 01:00:00;00 01:00:02;00\n",
            "line 2: 00:01:00;00 does not exist in drop frame",
        ),
        ("001 A V C 00:00:10:00 00:00:11:00 01:00:00:00 01:00:01:75\n", "frame number of 75"),
        ("TITLE: X\n* FPS: 1.2.3\n", "line 2: states a frame rate of 1.2.3, which is none"),
        ("* FPS: 0\n", "line 1: states a frame rate of 0, which is none"),
        ("* FRAME RATE: 0.0001\n", "line 1: states a frame rate of 0.0001, which is none"),
        (f"* FPS: {'9' * 5000}\n", "line 1: states a frame rate of 9"),
        (f"001 A V D {'9' * 5000} 00:00:10:00 00:00:11:00 01:00:00:00 01:00:01:00\n", "line 1: not an event"),
    ],
)
def test_what_cannot_be_read_is_said_in_a_line(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(EditError, match=words) as caught:
        read(tmp_path, text)
    assert str(caught.value).startswith(str(tmp_path / "edit.edl"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("comment", ["* FRAME RATE: 29.97", "* FRAME RATE: 29.97.", "FPS = 29.970"])
def test_a_stated_rate_may_end_a_sentence(tmp_path: Path, comment: str) -> None:
    edit = read(tmp_path, f"{comment}\n001 A V C 00:00:10:00 00:00:11:00 01:00:00:00 01:00:01:00\n")
    assert edit.frame_rate == NTSC


def test_a_list_as_windows_writes_it(tmp_path: Path) -> None:
    text = "001 AX V C 00:00:10:00 00:00:11:00 01:00:00:00 01:00:01:00\r\n* from clip name: Caf\u00e9.mov\r\n"
    path = tmp_path / "edit.edl"
    path.write_bytes(text.encode("utf-16"))
    assert rows(read_edl(path, Fraction(25))) == [("Caf\u00e9.mov", 250, 25, 1)]
    path.write_bytes(path.read_bytes()[:-1])  # torn within a character
    assert rows(read_edl(path, Fraction(25))) == [("Caf\u00e9.mov", 250, 25, 1)]
    path.write_bytes(b"\xff\xfe" + text.encode("latin-1"))
    with pytest.raises(EditError, match="no video event"):
        read_edl(path)


def test_a_speed_too_long_to_be_one_follows_from_the_lengths(tmp_path: Path) -> None:
    text = "* FPS: 25\n001 A V C 00:00:10:00 00:00:12:00 01:00:00:00 01:00:01:00\n"
    edit = read(tmp_path, f"{text}M2 A {'9' * 5000} 00:00:10:00\n")
    assert rows(edit) == [("A", 250, 25, 2)]
