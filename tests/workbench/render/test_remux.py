"""Copied streams: which containers take them, which parts of a source a render takes over."""

from pathlib import Path

import av

from workbench.render.remux import codec_name, containers_for


def test_containers_say_themselves_which_subtitles_they_take(tmp_path: Path) -> None:
    (tmp_path / "said.srt").write_text("1\n00:00:00,500 --> 00:00:01,500\nhello\n")
    with av.open(str(tmp_path / "said.srt")) as source:
        assert codec_name(source.streams[0]) == "subrip"
        assert containers_for(source.streams[0]) == (".mkv",)
