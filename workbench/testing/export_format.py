"""What any export format must keep: inherit `ExportFormatSuite` in a test and name the format.

In a file `test_mine.py` beside your module::

    from workbench.testing.export_format import ExportFormatSuite


    class TestMine(ExportFormatSuite):
        format = "my_module:MY_FORMAT"

Run it there with `python -m pytest test_mine.py`; `pip install pytest` suffices, which of our extras `dev` brings.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from workbench.analysis.workspace import Workspace
from workbench.errors import ParameterError
from workbench.export.formats import all_formats, format_named
from workbench.media.audio import write_audio
from workbench.store.home import Home
from workbench.testing.beat_tracker import click_track
from workbench.workflows.export import export_plan
from workbench.workflows.splice import plan_of

_SEGMENTS = ((0.25, 16.25), (8.25, 24.25))


def _named(folder: str) -> bytes:
    """The last part of a folder's path, which is as it is in whatever way a format writes paths."""
    return Path(folder).name.encode()


class ExportFormatSuite:
    """Tests that every export format passes."""

    format: str  # its name, as the command line takes it

    def _written(self, folder: Path, *, with_track: bool = True) -> bytes:
        """What it writes of a plan with one seam."""
        recording, _ = click_track(120.0)
        track = write_audio(folder / "track.wav", [recording.samples], recording.sample_rate, 1)
        heard = plan_of(_SEGMENTS, recording)
        out = folder / f"out{format_named(self.format).suffix or track.suffix}"
        with Workspace(Home(folder / "home")) as workspace:
            export_plan(workspace, heard.plan, self.format, out, track=track if with_track else None)
        return out.read_bytes()

    def test_it_is_found_and_says_what_it_is(self) -> None:
        """Whether the name leads to a format with words for people."""
        form = format_named(self.format)
        assert form.title
        assert form.what.endswith(".")
        assert form.suffix is None or form.suffix.startswith(".")
        assert not form.limits or form.limits.endswith(".")
        assert ":" in self.format or all_formats()[self.format] is form

    def test_a_plan_is_written_and_nothing_else(self) -> None:
        """Whether one file appears, and the track stays as it is."""
        with TemporaryDirectory() as name:
            folder = Path(name)
            written = self._written(folder)
            assert written
            others = {path.name for path in folder.iterdir()} - {"track.wav", "home"}
            assert len(others) == 1, others

    def test_the_same_plan_is_written_the_same(self) -> None:
        """Whether two exports of one plan do not differ but in the folder that they name."""
        with TemporaryDirectory() as first, TemporaryDirectory() as second:
            one, other = (self._written(Path(name)).replace(_named(name), b"FOLDER") for name in (first, second))
            assert one == other

    def test_a_track_that_it_needs_is_asked_for(self) -> None:
        """Whether it works without a track, or says that it does not."""
        said = ""
        with TemporaryDirectory() as name:
            try:
                assert self._written(Path(name), with_track=False)
            except ParameterError as error:
                said = str(error)
        assert "track" in said or not said
        assert bool(said) <= format_named(self.format).needs_track
