"""What lies on the primary storyline of an FCPXML document, through compound clips, retiming and transitions."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from workbench.edits.edit_list import EditList
from workbench.edits.fcpxml import read_fcpxml
from workbench.errors import EditError

RESOURCES = """<format id="r1" frameDuration="100/2500s" width="1920" height="1080"/>
<asset id="a1" name="A" src="file:///m/a.mov" start="3600s" duration="60s" hasVideo="1" format="r1"/>
<asset id="a2" name="B" start="0s" duration="60s" format="r1">
  <media-rep kind="proxy-media" src="file:///m/proxy.mov"/><media-rep kind="original-media" src="file:///m/b.mov"/>
</asset>
<effect id="e1" name="Basic Title" uid="title"/>
<media id="m1" name="Compound"><sequence format="r1" duration="10s" tcStart="100s"><spine>
  <asset-clip ref="a1" offset="100s" start="3605s" duration="4s"/>
  <asset-clip ref="a2" offset="104s" start="1s" duration="6s"/>
</spine></sequence></media>
<media id="m2" name="Multicam"><multicam format="r1" tcStart="0s">
  <mc-angle name="one" angleID="x"><asset-clip ref="a1" offset="0s" duration="30s"/></mc-angle>
  <mc-angle name="two" angleID="y"><gap offset="0s" duration="2s"/>
    <asset-clip ref="a2" offset="2s" duration="30s"/></mc-angle>
</multicam></media>"""


def read(tmp_path: Path, story: str, version: str = "1.9", resources: str = RESOURCES) -> EditList:
    path = tmp_path / "edit.fcpxml"
    path.write_text(
        f'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE fcpxml>\n<fcpxml version="{version}"><resources>{resources}'
        '</resources>\n<library><event><project name="p"><sequence format="r1" tcStart="3600s"><spine>\n'
        f"{story}\n</spine></sequence></project></event></library></fcpxml>"
    )
    return read_fcpxml(path)


def rows(edit: EditList) -> list[tuple[str | None, float, float, float]]:
    """Media (its last part), source start, seconds and speed."""
    return [
        (clip.media and clip.media.split("/")[-1], float(clip.source_start), float(clip.seconds), float(clip.speed))
        for clip in edit.clips
    ]


def test_clips_gaps_titles_and_what_is_connected(tmp_path: Path) -> None:
    edit = read(
        tmp_path,
        """<asset-clip ref="a1" offset="3600s" duration="5s" name="whole head"/>
        <gap offset="3605s" duration="2s" start="3600s">
          <asset-clip ref="a2" lane="1" offset="3600s" duration="1s"/></gap>
        <title ref="e1" name="The end" offset="3607s" duration="75/25s" start="3600s"/>
        <asset-clip ref="a2" offset="3610s" start="1.5s" duration="1s">
          <audio lane="-1" ref="a1" duration="1s"/></asset-clip>
        <asset-clip ref="a2" offset="3611s" duration="1s" enabled="0"/>""",
    )
    assert edit.frame_rate == 25
    assert rows(edit) == [
        ("a.mov", 3600, 5, 1), (None, 0, 2, 1), ("The end", 3600, 3, 1), ("b.mov", 1.5, 1, 1), (None, 0, 1, 1),
    ]  # fmt: skip


def test_what_lies_in_clips_of_clips(tmp_path: Path) -> None:
    edit = read(
        tmp_path,
        """<ref-clip ref="m1" offset="3600s" start="102s" duration="4s"/>
        <clip offset="3604s" start="10s" duration="3s"><video ref="a1" offset="5s" start="3600s" duration="20s"/>
          <clip lane="1" offset="10s" duration="1s"><video ref="a2" offset="0s" duration="1s"/></clip></clip>
        <sync-clip offset="3607s" duration="4s"><spine offset="0s">
            <asset-clip ref="a2" offset="0s" start="7s" duration="9s"/></spine>
          <asset-clip ref="a1" lane="-1" offset="0s" duration="4s"/></sync-clip>
        <mc-clip ref="m2" offset="3611s" start="1s" duration="3s"><mc-source angleID="x" srcEnable="audio"/>
          <mc-source angleID="y" srcEnable="video"/></mc-clip>
        <audition offset="3614s"><asset-clip ref="a1" duration="1s"/><asset-clip ref="a2" duration="9s"/></audition>""",
    )
    assert rows(edit) == [
        ("a.mov", 3607, 2, 1), ("b.mov", 1, 2, 1), ("a.mov", 3605, 3, 1), ("b.mov", 7, 4, 1), (None, 0, 1, 1),
        ("b.mov", 0, 2, 1), ("a.mov", 3600, 1, 1),
    ]  # fmt: skip


def test_speeds_by_time_maps_and_by_conformed_rates(tmp_path: Path) -> None:
    edit = read(
        tmp_path,
        """<asset-clip ref="a2" offset="3600s" start="2s" duration="6s"><timeMap><timept time="0s" value="0s"/>
          <timept time="5s" value="10s"/><timept time="10s" value="10s"/></timeMap></asset-clip>
        <asset-clip ref="a2" offset="3606s" start="2s" duration="3s"><timeMap><timept time="0s" value="20s"/>
          <timept time="20s" value="0s"/></timeMap></asset-clip>
        <ref-clip ref="m1" offset="3609s" start="100s" duration="5s"><timeMap><timept time="100s" value="100s"/>
          <timept time="105s" value="110s"/></timeMap></ref-clip>
        <asset-clip ref="a2" offset="3614s" start="24s" duration="1s"><conform-rate srcFrameRate="24"/></asset-clip>
        <asset-clip ref="a2" offset="3615s" start="24s" duration="1s"><conform-rate scaleEnabled="0" srcFrameRate="24"/>
        </asset-clip>""",
    )
    assert rows(edit) == [
        ("b.mov", 4, 3, 2), ("b.mov", 10, 3, 0), ("b.mov", 18, 3, -1), ("a.mov", 3605, 2, 2), ("b.mov", 1, 3, 2),
        ("b.mov", 25, 1, pytest.approx(25 / 24)), ("b.mov", 24, 1, 1),
    ]  # fmt: skip


def test_a_transition_is_a_cut_at_its_middle(tmp_path: Path) -> None:
    edit = read(
        tmp_path,
        """<transition offset="3600s" duration="1s"/><asset-clip ref="a1" offset="3600s" duration="5s"/>
        <transition offset="3604s" duration="1s"/><asset-clip ref="a2" offset="3605s" start="9s" duration="5s"/>
        <transition offset="3609s" duration="2s"/><asset-clip ref="a1" offset="3610s" duration="5s"/>""",
    )
    assert rows(edit) == [("a.mov", 3600, 4.5, 1), ("b.mov", 8.5, 5.5, 1), ("a.mov", 3600, 5, 1)]


def test_a_bundle_and_a_rate_in_a_name(tmp_path: Path) -> None:
    bundle = tmp_path / "edit.fcpxmld"
    bundle.mkdir()
    named = RESOURCES.replace('frameDuration="100/2500s"', 'name="FFVideoFormat1080p2398"')
    read(tmp_path, '<gap offset="3600s" duration="2s"/>', "1.11", named)
    (tmp_path / "edit.fcpxml").rename(bundle / "Info.fcpxml")
    assert read_fcpxml(bundle).frame_rate == Fraction(24_000, 1001)


@pytest.mark.parametrize(
    ("story", "words"),
    [
        ("", "line 18: no shot on the primary storyline"),
        ('<asset-clip ref="a1" duration="5"/>', "line 19: duration='5' of <asset-clip> is no time"),
        ('\n<ref-clip ref="m9" duration="5s"/>', "line 20: <ref-clip> refers to 'm9'"),
        ('<asset-clip ref="a1" duration="0s"/>', "line 19: <asset-clip> lasts 0 s"),
        ('<asset-clip ref="a1" duration="5/00s"/>', "line 19: duration='5/00s' of <asset-clip> is no time"),
        pytest.param(f'<asset-clip ref="a1" duration="{"9" * 5000}s"/>', "line 19: duration='9+' of", id="long time"),
        ('<clip duration="1s"><conform-rate srcFrameRate="0"/></clip>', "line 19: srcFrameRate '0' is no frame rate"),
        ("<asset-clip>", "line 20: not XML"),
        ('<gap duration="1s"/></spine></sequence></project><!--', "not XML"),
    ],
)
def test_what_cannot_be_read_is_said_in_a_line(tmp_path: Path, story: str, words: str) -> None:
    with pytest.raises(EditError, match=words) as caught:
        read(tmp_path, story)
    assert str(caught.value).startswith(str(tmp_path / "edit.fcpxml"))


@pytest.mark.parametrize("version", ["1.14", "1.20", "1.14.1"])
def test_newer_minor_versions_are_read_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, version: str
) -> None:
    story = """<asset-clip ref="a2" offset="3600s" start="1s" duration="5s"/>
    <hologram name="new" offset="3605s" duration="2s"/>"""
    assert rows(read(tmp_path, story, version)) == [("b.mov", 1, 5, 1), ("new", 0, 2, 1)]
    (record,) = caplog.records
    assert record.getMessage() == (
        f"{tmp_path / 'edit.fcpxml'}: FCPXML {version} is newer than 1.13, so what it adds is not read"
    )


def test_known_versions_are_read_without_a_word(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for minor in range(8, 14):
        read(tmp_path, '<asset-clip ref="a2" duration="5s"/>', f"1.{minor}")
    assert not caplog.records


@pytest.mark.parametrize("version", ["1.7", "2.0", "0.9", "new"])
def test_other_major_versions_are_refused_with_the_way_out(tmp_path: Path, version: str) -> None:
    words = rf"version {version} is not read; there are 1\.8 to 1\.13: in Final Cut choose File > Export XML"
    with pytest.raises(EditError, match=words):
        read(tmp_path, "", version)


def test_other_documents_and_entities(tmp_path: Path) -> None:
    with pytest.raises(EditError, match="the format 'r1' is not among the resources"):
        read(tmp_path, '<gap duration="1s"/>', resources="")
    path = tmp_path / "other.fcpxml"
    path.write_text("<xmeml/>")
    with pytest.raises(EditError, match="the document is <xmeml>"):
        read_fcpxml(path)
    path.write_text('<!DOCTYPE f [<!ENTITY a "b"><!ENTITY c "&a;&a;">]><fcpxml version="1.9">&c;</fcpxml>')
    with pytest.raises(EditError, match="declares the entity a"):
        read_fcpxml(path)
    path.write_text('<fcpxml version="1.9"><resources/></fcpxml>')
    with pytest.raises(EditError, match="no project with a sequence"):
        read_fcpxml(path)
    with pytest.raises(EditError, match="cannot be read"):
        read_fcpxml(tmp_path / "none.fcpxml")


@pytest.mark.parametrize("encoding", ["foo", "shift_jis", "idna", "hex"])
def test_an_encoding_that_is_not_read(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "edit.fcpxml"
    path.write_text(f'<?xml version="1.0" encoding="{encoding}"?><fcpxml version="1.9"/>')
    with pytest.raises(EditError, match=r"edit\.fcpxml: .*; save it as UTF-8"):
        read_fcpxml(path)


def test_a_rate_of_nothing_in_a_name(tmp_path: Path) -> None:
    nothing = RESOURCES.replace('frameDuration="100/2500s"', 'name="FFVideoFormat1080p00"')
    with pytest.raises(EditError, match=r"edit\.fcpxml, line 3: the format FFVideoFormat1080p00: a rate must be"):
        read(tmp_path, "", resources=nothing)


@pytest.mark.parametrize("version", ["1.8", "1.12", "1.13"])
def test_versions_of_final_cut_up_to_11(tmp_path: Path, version: str) -> None:
    edit = read(tmp_path, '<asset-clip ref="a2" offset="3600s" start="1s" duration="2s"/>', version)
    assert rows(edit) == [("b.mov", 1, 2, 1)]


def test_compound_clips_that_hold_themselves(tmp_path: Path) -> None:
    endless = RESOURCES.replace("<asset-clip ref=\"a1\" offset=\"100s\" start=\"3605s\" duration=\"4s\"/>",
                                '<ref-clip ref="m1" offset="100s" duration="4s"/>')  # fmt: skip
    with pytest.raises(EditError, match="more than 20 deep"):
        read(tmp_path, '<ref-clip ref="m1" duration="5s"/>', resources=endless)
