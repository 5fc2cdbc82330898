"""What is checked when the book is built: commands, code and names of its pages before, links and sources after."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import workbench
from notebooks.book.commands import fault_of

_LOADED = {
    "script": "src",
    "img": "src",
    "audio": "src",
    "video": "src",
    "source": "src",
    "link": "href",
    "iframe": "src",
}


def page_faults(page: Path, root: Path) -> Iterator[str]:
    """What is wrong with the commands, the code and the names of a hand-written page; `root` is the checkout."""
    text = page.read_text(encoding="utf-8")
    makefile = (root / "Makefile").read_text(encoding="utf-8")
    for language, block in re.findall(r"^```(\w+)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        if language == "sh":
            for line in block.replace("\\\n", " ").splitlines():
                if fault := fault_of(line):
                    yield f"{page.name}: {fault}"
        if language == "python":
            try:
                compile(block, page.name, "exec")
            except SyntaxError as error:
                yield f"{page.name}: {error}"
    for name in set(re.findall(r"\bwb\.(\w+)", text)) - set(workbench.__all__):
        yield f"{page.name}: wb has no {name}"
    targets = set(re.findall(r"(?:^|`)make ([a-z][\w-]*)", text, re.MULTILINE))
    for target in sorted(targets):
        if not re.search(rf"^{target}:", makefile, re.MULTILINE) and not _is_setup(target, makefile):
            yield f"{page.name}: there is no make {target}"
    for name in set(re.findall(r"`((?:workbench|service|notebooks|tests|data)/[\w./-]+)`", text)):
        if not (root / name).exists():
            yield f"{page.name}: there is no {name}"


def built_faults(folder: Path) -> Iterator[str]:
    """Links of the built book that lead nowhere, and what its pages would load from elsewhere."""
    pages = {path.resolve(): _read(path) for path in sorted(folder.rglob("*.html"))}
    for path, page in pages.items():
        where = path.relative_to(folder.resolve())
        for tag, target in page.targets:
            parts = urlsplit(target)
            if parts.scheme in ("data", "mailto") or target in ("", "#"):
                continue
            if parts.scheme or parts.netloc:
                if tag in _LOADED:
                    yield f"{where} loads {target}"
                continue
            aim = path if not parts.path else (path.parent / unquote(parts.path)).resolve()
            if not aim.is_file():
                yield f"{where}: {target} is not there"
            elif parts.fragment and aim in pages and unquote(parts.fragment) not in pages[aim].names:
                yield f"{where}: {target} has no such place"


def missing_names(folder: Path, names: Set[str]) -> list[str]:
    """Full names, such as `workbench.plans.plan.LoopPlan`, that no page of the reference describes."""
    described: set[str] = set()
    for path in sorted((folder / "reference" / "python").glob("*.html")):
        described |= _read(path).names
    return sorted(name for name in names if name not in described and f"module-{name}" not in described)


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.targets: list[tuple[str, str]] = []
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        for name in ("id", "name"):
            if given.get(name):
                self.names.add(str(given[name]))
        if tag == "a" and given.get("href"):
            self.targets.append((tag, str(given["href"])))
        elif tag in _LOADED and given.get(_LOADED[tag]) and given.get("rel") not in ("canonical", "index", "search"):
            self.targets.append((tag, str(given[_LOADED[tag]])))


def _read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def _is_setup(target: str, makefile: str) -> bool:
    extras = re.search(r"^EXTRAS = (.*)$", makefile, re.MULTILINE)
    return extras is not None and target.removeprefix("setup-") in extras[1].split()
