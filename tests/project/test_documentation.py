"""What the papers promise: commands run as written, what is named exists.

The commands of README.md, of the book's pages for creators and operators, of the agents' SKILL.md and of
notebooks/README.md run in the order of the text, each block in one shell, in a fresh clone with an environment of its
own.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
import numpy as np
import pytest

from tests.videos import write_video
from workbench.cli.main import all_commands
from workbench.files import bundled_path
from workbench.media.audio import decode, write_audio

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
HOW_TO = ROOT / "notebooks" / "book" / "how_to"
SKILL = ROOT / "service" / "mcp" / "SKILL.md"
DOCUMENTS = (README, ROOT / "CONTRIBUTING.md", ROOT / "DECISIONS.md", ROOT / "notebooks" / "README.md", SKILL)
VIDEO_SECONDS = 200
BPM = 104.0
"""of the track that is put in the place of `track.wav`"""
START_SECONDS = 600.0
"""for a set-up and a start, on a machine that does other things too"""
SERVERS = {"make dashboard", "make serve", "make lab"}
"""commands that run until they are stopped"""
OPERATED = ("workbench serve ", "workbench worker", "workbench jobs ")
"""lines that need a certificate, a proxy or another machine; the service's own tests run such"""
MADE = {"demo/demo/video.mp4", "plan.json", "report.html", ".venv"}
"""files that the text names and commands make"""


@dataclass(frozen=True)
class Block:
    """A fenced block of a document."""

    document: str
    section: str
    language: str
    text: str


def blocks(document: Path) -> list[Block]:
    """Every fenced block, under the heading that it stands below."""
    found, section, lines = [], "", iter(document.read_text().splitlines())
    for line in lines:
        if line.startswith("#"):
            section = line.strip("# ")
        elif line.startswith("```"):
            body: list[str] = []
            for inner in lines:
                if inner.startswith("```"):
                    break
                body.append(inner)
            found.append(Block(document.name, section, line.strip("`"), "\n".join(body)))
    return found


def prose(document: Path) -> str:
    """The text without fenced and indented blocks."""
    text = re.sub(r"```.*?```", "", document.read_text(), flags=re.DOTALL)
    return "\n".join(line for line in text.splitlines() if not line.startswith("    "))


# ---------------------------------------------------------------------------------------------- what the text says


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_file_that_is_named_exists(document: Path) -> None:
    named = set(
        re.findall(r"`((?!/)[\w.-]+(?:/[\w.-]+)+|[\w-]+\.(?:md|py|toml|json|lock|ipynb|html|mp4))`", prose(document))
    )
    linked = set(re.findall(r"\]\(([^)#:]+)\)", document.read_text()))
    near = (ROOT, document.parent)
    missing = [
        name
        for name in named | linked
        if name not in MADE and not any((folder / f"{name}{end}").exists() for folder in near for end in ("", ".ipynb"))
    ]
    assert missing == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_command_of_the_program_that_is_named_exists(document: Path) -> None:
    named = re.findall(r"\bworkbench ([a-z]+)", "".join(re.findall(r"`[^`]+`", prose(document))))
    assert set(named) <= set(all_commands())


# ------------------------------------------------------------------------------------------- what the text has you run


@dataclass(frozen=True)
class Checkout:
    """A fresh clone with a user's files beside it."""

    folder: Path
    environment: dict[str, str]

    def run(self, script: str) -> subprocess.CompletedProcess[str]:
        """Run lines as they stand in the text, in one shell that stops at the first failure."""
        return subprocess.run(
            ["bash", "-euc", script], cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False
        )

    def start(self, command: str) -> subprocess.Popen[str]:
        """Start a command that runs until it is stopped, in a process group of its own."""
        return subprocess.Popen(
            ["bash", "-euc", command], cwd=self.folder, env=self.environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip

    def wait_for(self, server: subprocess.Popen[str], ready: str) -> str:
        """Read what a command prints until that matches a pattern; returns it."""
        assert server.stdout is not None
        printed, deadline = "", time.monotonic() + START_SECONDS
        for line in server.stdout:
            printed += line
            if re.search(ready, printed, re.DOTALL) or time.monotonic() > deadline:
                break
        assert re.search(ready, printed, re.DOTALL), printed[-3000:]
        return printed

    def stop(self, server: subprocess.Popen[str]) -> None:
        """End a server and all that it started as Ctrl-C does; JupyterLab asks back, so a second signal ends it."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError):
                os.killpg(server.pid, number)
            with suppress(subprocess.TimeoutExpired):
                server.communicate(timeout=60)
                return


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """What the README's first line makes, with what is not committed yet, and a track and a video of one's own."""
    folder = tmp_path_factory.mktemp("user")
    home = folder / "home"
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("WORKBENCH_", "PYTHON", "MAKE", "MFLAGS")) and key != "VIRTUAL_ENV"
    }
    path = os.pathsep.join(part for part in kept["PATH"].split(os.pathsep) if not part.startswith(str(ROOT)))
    pyenv = {"PYENV_ROOT": str(Path.home() / ".pyenv")} if (Path.home() / ".pyenv").is_dir() else {}
    environment = {**kept, **pyenv, "HOME": str(home), "PATH": path}
    (home / "Music" / "licensed").mkdir(parents=True)
    (home / ".jupyter").mkdir()  # JupyterLab starts as root only where the user allows it
    (home / ".jupyter" / "jupyter_server_config.json").write_text('{"ServerApp": {"allow_root": true}}')
    first, second = blocks(README)[0].text.splitlines()
    assert (first, second) == ("git clone <this repository> && cd <it>", "make demo")
    clone = first.replace("<this repository>", f"'{ROOT}' workbench").replace("<it>", "workbench")
    done = subprocess.run(
        ["bash", "-euc", clone], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    made = Checkout(folder / "workbench", environment)
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (made.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, made.folder / name)
    _write_media(made.folder, home / "Music" / "licensed")
    _run_block(made, blocks(README)[0], second)
    return made


def _write_media(folder: Path, library: Path) -> None:
    tracks = bundled_path("data", "bundled", "music")
    recording = decode(tracks / "corner_store.ogg")
    write_audio(folder / "track.wav", [recording.samples], recording.sample_rate, recording.channels)
    for stem, share in (("drums", 0.4), ("rest", 0.6)):
        write_audio(folder / f"{stem}.wav", [share * recording.samples], recording.sample_rate, recording.channels)
    for name in ("hill_road.ogg", "undertow.ogg"):
        shutil.copyfile(tracks / name, library / name)
    _draw_video(folder / "video.mp4")
    shutil.copyfile(folder / "video.mp4", folder / "screen.mkv")
    shutil.copyfile(bundled_path("data", "bundled", "voice", "narration.ogg"), folder / "talk.mp3")
    beats = (f"{beat * 60 / BPM:.3f} {beat % 4 + 1}\n" for beat in range(160))
    (folder / "own.beats").write_text("".join(beats))
    _write_edl(folder / "first-cut.edl", ("00:00:00:00 00:03:20:00 00:00:00:00 00:03:20:00",))
    without_a_shot = (
        "00:00:00:00 00:01:30:00 00:00:00:00 00:01:30:00",
        "00:01:40:00 00:03:20:00 00:01:30:00 00:03:10:00",
    )
    _write_edl(folder / "second-cut.edl", without_a_shot)


def _write_edl(path: Path, events: tuple[str, ...]) -> None:
    lines = [
        f"{number:03}  VIDEO    V     C        {times}\n* FROM CLIP NAME: video.mp4\n"
        for number, times in enumerate(events, start=1)
    ]
    path.write_text("TITLE: CUT\nFCM: NON-DROP FRAME\n\n" + "".join(lines))


def _draw_video(path: Path) -> None:
    """Slowly changing pictures with a cut every ten seconds, and somebody who speaks from 20 s on."""
    voice = decode(bundled_path("data", "bundled", "voice", "narration.ogg"))
    rate = voice.sample_rate
    sound = np.zeros((1, VIDEO_SECONDS * rate), dtype=np.float32)
    spoken = voice.samples[:1, : (VIDEO_SECONDS - 20) * rate]
    sound[:, 20 * rate : 20 * rate + spoken.shape[1]] = spoken
    noise = np.random.default_rng(0)
    views = [noise.integers(0, 255, (108, 192, 3), dtype=np.uint8) for _ in range(0, VIDEO_SECONDS, 10)]
    pictures = (np.roll(views[number // 120], number % 120, axis=1) for number in range(VIDEO_SECONDS * 12))
    write_video(path, pictures, 12, sound=sound, sample_rate=rate)


@pytest.mark.slow
def test_the_commands_of_the_readme_run_in_order(checkout: Checkout) -> None:
    for block in blocks(README)[1:]:
        if block.language == "python":
            (checkout.folder / "example.py").write_text(block.text)
            _run_block(checkout, block, ".venv/bin/python example.py")
        elif set(block.text.splitlines()) <= SERVERS:
            for command in block.text.splitlines():
                _try_server(checkout, command)
        else:
            _run_block(checkout, block, block.text)
    for name in ("demo/demo/video.mp4", "demo/demo/plan.json", "demo/demo/report.html", "video-with-music.mp4",
                 "short.json", "video.fcpxml", "music.wav"):  # fmt: skip
        assert (checkout.folder / name).stat().st_size > 0, name


@pytest.mark.slow
@pytest.mark.parametrize("page", [HOW_TO / "creator.md", HOW_TO / "operator.md", SKILL], ids=lambda page: page.stem)
def test_the_commands_of_a_page_run_in_order(checkout: Checkout, page: Path) -> None:
    if page.stem == "creator":
        assert checkout.run("make setup-export").returncode == 0
    for block in blocks(page):
        lines = [line for line in block.text.splitlines() if not line.startswith(OPERATED)]
        _run_block(checkout, block, "\n".join([". .venv/bin/activate", *lines]))
    if page.stem == "creator":
        for name in ("placements.json", "lane.json", "tracks.json", "video.otio", "track.jams", "new-plan.json"):
            assert (checkout.folder / name).stat().st_size > 0, name


def _run_block(checkout: Checkout, block: Block, script: str) -> None:
    done = checkout.run(script)
    assert done.returncode == 0, f"{block.section}: {block.text}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"


def _try_server(checkout: Checkout, command: str) -> None:
    """Start what runs until it is stopped, use it as the text says, and stop it."""
    ready = r"listening on \S+\n.*(curl [^\n]+\n.*){3}" if command == "make serve" else r"http://\S+:\d+\S*\s"
    server = checkout.start(command)
    try:
        printed = checkout.wait_for(server, ready)
        if command == "make serve":
            for call in (line for line in printed.splitlines() if line.startswith("curl ")):
                answer = checkout.run(call)
                assert answer.returncode == 0, answer.stderr
                assert '"error"' not in answer.stdout, answer.stdout
        else:
            url = re.findall(r"http://(?:127\.0\.0\.1|localhost):\d+\S*", printed)[-1]
            assert _get_once_it_listens(server, url).status_code == 200
    finally:
        checkout.stop(server)


def _get_once_it_listens(server: subprocess.Popen[str], url: str) -> httpx.Response:
    """JupyterLab prints its address before it listens there."""
    give_up = time.monotonic() + START_SECONDS
    while True:
        try:
            return httpx.get(url, timeout=60.0, follow_redirects=True)
        except httpx.ConnectError:
            assert server.poll() is None
            assert time.monotonic() < give_up, f"nobody listens at {url}"
            time.sleep(0.1)


@pytest.mark.slow
def test_the_commands_of_the_notebooks_page_run_in_order(checkout: Checkout) -> None:
    for block in blocks(ROOT / "notebooks" / "README.md"):
        if block.text in SERVERS:
            _try_server(checkout, block.text)
        else:
            _run_block(checkout, block, block.text)
