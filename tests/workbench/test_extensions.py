"""How extensions are found: registered, installed, or by the module they are in."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from workbench import extensions
from workbench.beats.track import OwnTracker
from workbench.errors import ParameterError
from workbench.export.formats import Format


def test_our_own_are_found_like_any_other() -> None:
    assert isinstance(extensions.find(extensions.BEAT_TRACKERS, "workbench"), OwnTracker)
    assert isinstance(extensions.find(extensions.BEAT_TRACKERS, "workbench.beats.track:OwnTracker"), OwnTracker)
    with pytest.raises(ParameterError, match="take another name"):
        extensions.register(extensions.BEAT_TRACKERS, "workbench", OwnTracker)
    with pytest.raises(ParameterError, match="no extension point beats"):
        extensions.names("beats")


def test_one_that_was_registered_is_listed() -> None:
    mine = Format("mine", "Mine", "A file of mine.", ".txt", lambda timeline, out: None)
    extensions.register(extensions.EXPORT_FORMATS, "mine", mine)
    assert "mine" in extensions.names(extensions.EXPORT_FORMATS)
    assert extensions.find(extensions.EXPORT_FORMATS, "mine") is mine
    extensions.unregister(extensions.EXPORT_FORMATS, "mine")
    assert "mine" not in extensions.names(extensions.EXPORT_FORMATS)


@pytest.mark.parametrize(
    ("code", "name", "complaint"),
    [
        ("def track(:", "broken_one:Mine", "cannot be loaded: SyntaxError"),
        ("1 / 0", "broken_two:Mine", "cannot be loaded: ZeroDivisionError: division by zero"),
        ("class Mine:\n    def __init__(self, size): pass", "broken_three:Mine", "cannot be made without arguments"),
        ("", ".broken_four:Mine", "cannot be loaded: TypeError"),
        ("", "broken_five:", "cannot be loaded"),
    ],
)
def test_one_that_is_broken_is_one_clear_error(
    code: str, name: str, complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / f"{name.strip('.').partition(':')[0]}.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ParameterError, match=complaint):
        extensions.find(extensions.BEAT_TRACKERS, name)


def test_a_module_of_the_working_folder_is_found_by_the_console_script(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text(TRACKER)
    program = (
        f"import sys; sys.path[:] = [{str(Path(__file__).parents[2])!r}, *(one for one in sys.path if one)]; "
        "from workbench.extensions import BEAT_TRACKERS, find; print(find(BEAT_TRACKERS, 'beside:Metronome').version)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.strip() == "1"


TRACKER = """
from workbench.beats.grid import BeatGrid

class Metronome:
    version = 1

    def track(self, recording, params):
        return BeatGrid.from_times([0.5 * k for k in range(int(recording.duration * 2))])
"""
METADATA = "Metadata-Version: 2.1\nName: metronomes\nVersion: 1.0\n"
ENTRY = "[workbench.beat_trackers]\nmetronome = metronomes:Metronome\n"


def test_an_installed_package_names_its_own(tmp_path: Path) -> None:
    (tmp_path / "metronomes.py").write_text(TRACKER)
    info = tmp_path / "metronomes-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(METADATA)
    (info / "entry_points.txt").write_text(ENTRY)
    program = (
        "import numpy, workbench as wb; from workbench.extensions import BEAT_TRACKERS, names; "
        "from workbench.params import BeatParams; r = wb.Recording.from_samples(numpy.zeros(44100), 22050); "
        "print(names(BEAT_TRACKERS)); "
        "print(wb.track_beats(r, params=BeatParams(tracker='metronome')).beats.tolist()); "
        "print(wb.track_beats(r, params=BeatParams(tracker='metronomes:Metronome')).beats.tolist())"
    )
    where = [str(tmp_path), str(Path(__file__).parents[2])]
    set_up = f"import sys; sys.path[:0] = {where!r}; "
    done = subprocess.run([sys.executable, "-c", set_up + program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["('workbench', 'metronome')", "[0.0, 0.5, 1.0, 1.5]", "[0.0, 0.5, 1.0, 1.5]"]


def test_what_is_registered_in_a_scope_ends_with_it() -> None:
    extensions.register(extensions.EXPORT_FORMATS, "before", object())
    with extensions.scope():
        extensions.register(extensions.EXPORT_FORMATS, "within", object())
        extensions.unregister(extensions.EXPORT_FORMATS, "before")
    assert "before" in extensions.names(extensions.EXPORT_FORMATS)
    assert "within" not in extensions.names(extensions.EXPORT_FORMATS)
