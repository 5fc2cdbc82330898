"""A loop as one HTML page: the plan, the reasons for it, its options, and every seam to see and to hear.

The page loads nothing from the network: pictures, the sounds around the seams, style and script are inside it. Only the
video is too large for that, some 40 MB for five minutes: the page plays the file beside it, and says so. Light or dark
follows the reader's system; pictures keep their white background.

Function: `page_html`.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape


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
    """Write the page as HTML.

    Parameters
    ----------
    page : texts are escaped here

    Returns
    -------
    str : a whole document
    """
    body = [f"<h1>{escape(page.title)}</h1>", *(f"<p class=lead>{_prose(text)}</p>" for text in page.lead)]
    if page.video is not None:
        name = escape(page.video, quote=True)
        body.append(
            f'<figure><video id=video src="{name}" controls preload=metadata></video>'
            f'<figcaption>The video, <a href="{name}">{name}</a>, lies beside this page; it is not inside it.'
            "</figcaption></figure>"
        )
    body += [_section(section, page.video is not None) for section in page.sections]
    body += ["<footer>", *(f"<p>{_prose(text)}</p>" for text in page.footer), "</footer>"]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(page.title)}</title><style>{_STYLE}</style></head>\n<body><main>\n"
        + "\n".join(body)
        + f"\n</main><script>{_SCRIPT}</script></body></html>\n"
    )


def _prose(text: str) -> str:
    """Text in which backticks mark what one types."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))


def _section(section: ReportSection, has_video_element: bool) -> str:
    parts = [f"<section><h2>{escape(section.heading)}</h2>", *(f"<p>{_prose(text)}</p>" for text in section.text)]
    if section.picture is not None:
        parts.append(_picture(section.picture, section.picture_text, section.heading))
    parts += [_table(table) for table in section.tables]
    parts += [_card(card, has_video_element) for card in section.cards]
    return "\n".join([*parts, "</section>"])


def _picture(png: bytes, text: str, name: str) -> str:
    caption = f"<figcaption>{escape(text)}</figcaption>" if text else ""
    source = f"data:image/png;base64,{b64encode(png).decode()}"
    return f'<figure class=paper><img alt="{escape(name, quote=True)}" src="{source}">{caption}</figure>'


def _table(table: Table) -> str:
    head = "".join(f"<th scope=col>{escape(name)}</th>" for name in table.head)
    rows = "".join(
        f"<tr{' class=marked' if number in table.marked else ''}>{_cells(row)}</tr>"
        for number, row in enumerate(table.rows)
    )
    top = f"<thead><tr>{head}</tr></thead>" if any(table.head) else ""
    return f"<div class=wide><table>{top}<tbody>{rows}</tbody></table></div>"


def _cells(row: Sequence[str]) -> str:
    return "".join(f"<td{' class=number' if _is_number(cell) else ''}>{escape(cell)}</td>" for cell in row)


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"[+-]?[\d.:]+", cell) is not None


def _card(card: ReportCard, has_video_element: bool) -> str:
    players = "".join(
        f"<label>{escape(sound.name)}"
        f'<audio controls preload=none src="data:audio/mpeg;base64,{b64encode(sound.mp3).decode()}"></audio></label>'
        + _save(sound)
        for sound in card.sounds
    )
    if has_video_element and card.video_s is not None:
        players += f"<button type=button data-video={max(0.0, card.video_s - 2.0):.3f}>in the video</button>"
    picture = "" if card.picture is None else _picture(card.picture, "", card.title)
    return (
        f"<article><h3>{escape(card.title)}</h3><p>{_prose(card.text)}</p>"
        f"<div class=players>{players}</div>{picture}</article>"
    )


def _save(sound: ReportSound) -> str:
    """A button that saves the sound of the player before it."""
    name = escape(sound.file_name, quote=True)
    return f'<button type=button data-save="{name}">save {name}</button>' if name else ""


_STYLE = """
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#59636e;--paper:#fff;--line:#d8dee4;--mark:#fff4d6;--link:#0072b2}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ec;--soft:#9aa4ae;--paper:#14171a;--line:#343b42;--mark:#3a3012;
--link:#56b4e9}}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
main{max-width:1240px;margin:0 auto;padding:2rem 1.2rem 4rem}
h1{font-size:1.9rem;line-height:1.2;margin:.2em 0}h2{margin:2.4em 0 .4em;border-bottom:1px solid var(--line)}
h3{margin:1.6em 0 .2em}p{max-width:76ch;margin:.5em 0}.lead{font-size:1.12rem}a{color:var(--link)}
code{font-size:.92em;padding:.1em .3em;border:1px solid var(--line);border-radius:4px}
figure{margin:1em 0}figcaption,footer{color:var(--soft);font-size:.9rem}
video{width:100%;max-height:75vh;background:#000;border-radius:6px}
.paper img{width:100%;height:auto;background:#fff;border-radius:6px;border:1px solid var(--line);box-sizing:border-box}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.93rem;margin:.8em 0}
th,td{padding:.3em .8em;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th{color:var(--soft);font-weight:600}td.number{text-align:right;font-variant-numeric:tabular-nums}
tr.marked td{background:var(--mark);font-weight:600}
.players{display:flex;flex-wrap:wrap;gap:1rem;align-items:end}.players label{font-size:.9rem;color:var(--soft)}
.players audio{display:block;height:36px;max-width:100%}
button{font:inherit;padding:.35em .9em;border:1px solid var(--line);border-radius:6px;background:none;color:var(--link);
cursor:pointer}
"""

_SCRIPT = """
for (const button of document.querySelectorAll('[data-save]')) button.addEventListener('click', () => {
  const bytes = atob(button.previousElementSibling.querySelector('audio').src.split(',')[1]);
  const sound = new Blob([Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))], {type: 'audio/mpeg'});
  const link = document.createElement('a');
  link.href = URL.createObjectURL(sound);
  link.download = button.dataset.save;
  link.click();
});
for (const button of document.querySelectorAll('[data-video]')) button.addEventListener('click', () => {
  const video = document.getElementById('video');
  video.currentTime = Number(button.dataset.video);
  video.scrollIntoView({behavior: 'smooth'});
  video.play();
});
"""
