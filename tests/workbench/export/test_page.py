from html.parser import HTMLParser

from workbench.export.page import ReportCard, ReportPage, ReportSection, ReportSound, Table, page_html


class Reader(HTMLParser):
    """Collects tags with their attributes, and what was opened and never closed."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def read(page: ReportPage) -> tuple[Reader, str]:
    text, reader = page_html(page), Reader()
    reader.feed(text)
    reader.close()
    return reader, text


def page(video: str | None = "video.mp4") -> ReportPage:
    seam = ReportCard("Seam 1", "Heard at 1:00.", b"png", (ReportSound("heard", b"mp3"),), video_s=60.0)
    table = Table(("track", "score"), (("A < B & C", "0.93"), ("D", "-0.5")), frozenset({0}))
    sections = (ReportSection("The seams", ("Text.",), tables=(table,), cards=(seam,)),)
    return ReportPage("A <track> under a video", ("Lead.",), video, sections, ("Foot.",))


def test_every_tag_is_closed_and_text_is_escaped() -> None:
    reader, text = read(page())
    assert reader.open == []
    assert "A &lt; B &amp; C" in text
    assert "<track>" not in text


def test_what_one_types_is_set_as_code() -> None:
    sections = (
        ReportSection(
            "Options", ("`render PLAN --option N` plays one, `export <PLAN>` writes it.", "Only one ` here.")
        ),
    )
    reader, text = read(ReportPage("A `track`", ("`fit` made it.",), None, sections, ()))
    assert reader.open == []
    assert "<code>render PLAN --option N</code> plays one, <code>export &lt;PLAN&gt;</code> writes it." in text
    assert "Only one ` here." in text
    assert "<p class=lead><code>fit</code> made it.</p>" in text
    assert "<h1>A `track`</h1>" in text, "a name is shown as it is"


def test_nothing_is_asked_of_anybody() -> None:
    reader, text = read(page())
    sources = [value for _, attrs in reader.tags for name, value in attrs.items() if name in ("src", "href")]
    assert "://" not in text
    assert all(source and (source.startswith("data:") or source == "video.mp4") for source in sources)
    assert not any(tag == "link" for tag, _ in reader.tags)


def test_a_seam_plays_by_itself_and_in_the_video_two_seconds_ahead() -> None:
    reader, _ = read(page())
    assert [attrs["data-video"] for tag, attrs in reader.tags if tag == "button"] == ["58.000"]
    assert [attrs["src"] for tag, attrs in reader.tags if tag == "audio"] == ["data:audio/mpeg;base64,bXAz"]


def test_a_sound_with_a_file_name_can_be_saved() -> None:
    reader, text = read(page())
    assert not any("data-save" in attrs for _, attrs in reader.tags)
    named = ReportSound("the music", b"mp3", 'a "song".mp3')
    sections = (ReportSection("The plan", cards=(ReportCard("Whole", "Text.", None, (named,), None),)),)
    reader, text = read(ReportPage("A track", (), None, sections))
    assert [attrs["data-save"] for _, attrs in reader.tags if "data-save" in attrs] == ['a "song".mp3']
    assert text.count("bXAz") == 1, "the bytes are in the page once"


def test_without_a_video_there_is_no_player_and_no_button() -> None:
    reader, _ = read(page(video=None))
    assert {"video", "button"} & {tag for tag, _ in reader.tags} == set()


def test_numbers_stand_right() -> None:
    _, text = read(page())
    assert "<td class=number>0.93</td>" in text
    assert "<td class=number>-0.5</td>" in text
    assert "<td>D</td>" in text
