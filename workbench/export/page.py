"""A loop as one HTML page: the plan, the reasons for it, its options, and every seam to see and to hear.

The page loads nothing from the network: pictures, the sounds around the seams, style and script are inside it. Only the
video is too large for that, some 40 MB for five minutes: the page plays the file beside it, and says so. Light or dark
follows the reader's system; pictures keep their white background. `templates/report.html` is how it is written.
"""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass, field
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a head, which is left out where all its cells are empty; numbers are aligned right."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    marked: frozenset[int] = frozenset()
    """indices of rows that are highlighted"""


@dataclass(frozen=True, slots=True)
class ReportSound:
    """A player and what it plays."""

    name: str
    mp3: bytes
    file_name: str = ""
    """under which it can be saved; empty: saving is not offered"""


@dataclass(frozen=True, slots=True)
class ReportCard:
    """A seam, an option of the plan or a passage of speech, to see and to hear."""

    title: str
    text: str
    picture: bytes | None
    """PNG"""
    sounds: tuple[ReportSound, ...]
    video_s: float | None
    """its time in the video, s; None: the page has no video"""


@dataclass(frozen=True, slots=True)
class ReportSection:
    """A part of the page: a heading and its content, in the order of the fields."""

    heading: str
    text: tuple[str, ...] = ()
    picture: bytes | None = None
    picture_text: str = ""
    tables: tuple[Table, ...] = ()
    cards: tuple[ReportCard, ...] = ()


@dataclass(frozen=True, slots=True)
class ReportPage:
    """Everything on the page."""

    title: str
    lead: tuple[str, ...]
    video: str | None
    """file name of the video beside the page"""
    sections: tuple[ReportSection, ...]
    footer: tuple[str, ...] = field(default=())


def page_html(page: ReportPage) -> str:
    """Write the page as a whole HTML document; texts are escaped here."""
    templates = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    templates.filters |= {"prose": _prose, "base64": _base64}
    templates.tests["number_text"] = _is_number
    return templates.get_template("report.html").render(page=page)


def _base64(data: bytes) -> str:
    return b64encode(data).decode()


def _prose(text: str) -> Markup:
    """Text in which backticks mark what one types."""
    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"[+-]?[\d.:]+", cell) is not None
