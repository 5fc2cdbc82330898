"""Knobs in a notebook: turn parameters, and see and hear what becomes of a seam or of music under a voice.

    wb.widgets.seam("track.flac", leave="1:26.7", enter="0:18.1")
    wb.widgets.ducking("narration.wav", "track.flac")

In JupyterLab with ipywidgets each parameter is a slider, made from its field as the sliders of the dashboard are.
Without ipywidgets the same value shows itself as a page with its picture and players, and `turn` sets parameters by
name. `page` computes some values of one knob beforehand, for a slider that needs neither kernel nor network.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, Generic, TypeVar

from workbench.beats.grid import BeatGrid
from workbench.errors import MediaError, ParameterError, WorkbenchError, require_extra
from workbench.files import write_text
from workbench.lab.notebook_views import html_of
from workbench.lab.sweep import with_values
from workbench.media.audio import decode
from workbench.params import WorkbenchParams
from workbench.params.sliders import Knob, knob_of
from workbench.recording import Recording
from workbench.workflows.splice import SplicePreview, splice
from workbench.workflows.voice_over import VoiceOverMix, load_voice_over, mix_voice_over

SEAM_KNOBS = ("context_beats", "alike_fade_seconds", "unlike_fade_seconds")
DUCKING_KNOBS = ("under_voice_lu", "attack_ms", "release_ms", "bridge_seconds")
_STEPS = 5
"""values of a knob that a page measures beforehand"""
_SHOW = (
    "for (const one of this.closest('[data-knob]').querySelectorAll('[data-step]')) "
    "one.hidden = one.dataset.step !== this.value"
)
"""what a slider of a page does: shows the value it stands at, and hides the others"""

T = TypeVar("T")


class ParamExplorer(Generic[T]):
    """A value to look at and listen to, computed again as its parameters are turned.

    Parameters
    ----------
    make : computes the value for parameters
    knobs : parameters to turn, all of one stage
    params : the first values
    """

    def __init__(self, make: Callable[[WorkbenchParams], T], knobs: Sequence[Knob], params: WorkbenchParams) -> None:
        self._make = make
        self.knobs = tuple(knobs)
        self.params = params
        self.value = make(params)
        """as the parameters make it"""
        self._shown: str | None = None

    def __repr__(self) -> str:
        return f"<{self.value!r}; {', '.join(f'{knob.name}={self._at(knob)}' for knob in self.knobs)}>"

    def turn(self, **values: Any) -> ParamExplorer[T]:
        """Set some of the knobs, and compute the value again.

        Parameters
        ----------
        **values : by the names of knobs

        Returns
        -------
        itself

        Raises
        ------
        ParameterError : there is no such knob, or a value out of its range; nothing is changed then
        """
        params = self._with_values(values)
        self.value, self.params, self._shown = self._make(params), params, None
        return self

    def picture(self) -> str:
        """Picture and players of the value, as HTML."""
        if self._shown is None:
            self._shown = html_of(self.value)
        return self._shown

    def html(self) -> str:
        """Picture and players, and where each knob stands."""
        rows = "".join(
            f"<tr><td>{escape(knob.label)}</td><td>{escape(str(self._at(knob)))}</td>"
            f"<td>{escape(_range(knob))}</td><td>{escape(knob.description)}</td></tr>"
            for knob in self.knobs
        )
        head = "<tr><th>parameter</th><th>here</th><th>range</th><th>what it is</th></tr>"
        how = f"<p>Another value: <code>turn({escape(self.knobs[0].name)}=…)</code></p>"
        return f"<div>{self.picture()}<table>{head}{rows}</table>{how}</div>"

    def page(self, name: str, values: Sequence[Any] | None = None) -> str:
        """A slider over values computed now, as HTML without kernel and network.

        Parameters
        ----------
        name : of a knob
        values : from left to right; None: five from one end of its range to the other

        Raises
        ------
        ParameterError : there is no such knob, or a value out of its range
        """
        knob = self._knob(name)
        values = knob.values(_STEPS) if values is None else tuple(values)
        if not values:
            raise ParameterError(f"a page needs values of {name}")
        here = self._at(knob)
        numbers = knob.kind in ("number", "whole")
        first = min(range(len(values)), key=lambda at: abs(values[at] - here) if numbers else values[at] != here)
        steps = []
        for at, value in enumerate(values):
            shown = html_of(self._make(self._with_values({name: value})))
            hidden = "" if at == first else " hidden"
            steps.append(
                f'<div data-step="{at}"{hidden}><div>{escape(knob.label)}: {escape(str(value))}</div>{shown}</div>'
            )
        slider = (
            f'<label>{escape(knob.label)} <input type="range" min="0" max="{len(values) - 1}" value="{first}" step="1" '
            f'oninput="{escape(_SHOW, quote=True)}"></label>'
        )
        return f"<div data-knob>{slider}{''.join(steps)}</div>\n"

    def save(self, out: Path | str, name: str, values: Sequence[Any] | None = None) -> Path:
        """Write a page with a slider to a file, which opens in any browser.

        Parameters
        ----------
        out : the file, which appears whole or not at all
        name, values : as of `page`

        Raises
        ------
        ParameterError : as of `page`
        MediaError : the file cannot be written
        """
        head = f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>{escape(name)}</title>\n'
        write_text(Path(out), head + self.page(name, values) + "</html>\n", MediaError)
        return Path(out)

    def widget(self) -> Any:
        """Sliders beside picture and players, as an ipywidgets box; releasing one computes the value again.

        Raises
        ------
        ExtraMissing : ipywidgets is not installed
        """
        try:
            import ipywidgets
        except ImportError:
            require_extra("lab", "a slider in a notebook")
            raise
        shown = ipywidgets.HTML(self.picture())
        sliders = {knob: _slider(ipywidgets, knob, self._at(knob)) for knob in self.knobs}

        def take(knob: Knob, change: Mapping[str, Any]) -> None:
            try:
                self.turn(**{knob.name: change["new"]})
                shown.value = self.picture()
            except WorkbenchError as error:  # what cannot be computed is said where the picture was
                shown.value = f"<p role='alert'>{escape(str(error))}</p>"

        for knob, slider in sliders.items():
            slider.observe(lambda change, knob=knob: take(knob, change), names="value")
        return ipywidgets.VBox([*sliders.values(), shown])

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """For Jupyter: sliders where there are any, and the page for those who have none."""
        bundle: dict[str, Any] = {"text/plain": repr(self), "text/html": self.html()}
        try:
            import ipywidgets  # noqa: F401
        except ImportError:
            return bundle
        return dict(self.widget()._repr_mimebundle_()) | bundle

    def _knob(self, name: str) -> Knob:
        knob = next((one for one in self.knobs if one.name == name), None)
        if knob is None:
            raise ParameterError(f"there is no knob {name} here; there are {', '.join(one.name for one in self.knobs)}")
        return knob

    def _with_values(self, values: Mapping[str, Any]) -> WorkbenchParams:
        point = {f"{self._knob(name).stage}.{name}": value for name, value in values.items()}
        return with_values(self.params, point, "the knob")

    def _at(self, knob: Knob) -> Any:
        return getattr(getattr(self.params, knob.stage), knob.name)


def seam(
    recording: Recording | Path | str,
    *,
    leave: float | str,
    enter: float | str,
    grid: BeatGrid | None = None,
    params: WorkbenchParams | None = None,
    knobs: Sequence[str] = SEAM_KNOBS,
) -> ParamExplorer[SplicePreview]:
    """A splice whose parameters can be turned, with its picture, its sound and the parts of its score.

    Parameters
    ----------
    recording : the track, or a file of it
    leave, enter : seconds of track time, or a text such as `0:40`; each stands for the nearest beat
    grid : its beats; None: they are tracked, once
    params : at which the knobs begin; None: the defaults
    knobs : fields of `SeamParams`

    Raises
    ------
    ParameterError : as of `workbench.workflows.splice.splice`, or there is no such field
    ConstraintError : no room for a crossfade at an end of the recording
    MediaError : the file cannot be read
    """
    sound = recording if isinstance(recording, Recording) else decode(Path(recording))
    begun = params or WorkbenchParams()
    found = splice(sound, leave=leave, enter=enter, grid=grid, params=begun)
    beats = found.played.grid

    def make(tuned: WorkbenchParams) -> SplicePreview:
        if tuned is begun:
            return found
        at = beats.beats[[found.leave_beat, found.enter_beat]].tolist()
        return splice(sound, *at, grid=beats, params=tuned)

    return ParamExplorer(make, [knob_of("seams", name) for name in knobs], begun)


def ducking(
    voice: Path | str,
    music: Path | str,
    *,
    seconds: float = 30.0,
    params: WorkbenchParams | None = None,
    knobs: Sequence[str] = DUCKING_KNOBS,
) -> ParamExplorer[VoiceOverMix]:
    """Music under a voice whose ducking can be turned, with its curve and its sound.

    Parameters
    ----------
    voice, music : sound files
    seconds : of the voice, from its start
    params : at which the knobs begin; None: the defaults
    knobs : fields of `DuckParams`

    Raises
    ------
    ParameterError : there is no such field
    MediaError : a file cannot be read
    """
    sounds = load_voice_over(Path(voice), Path(music), seconds)
    return ParamExplorer(
        lambda tuned: mix_voice_over(sounds, tuned.duck),
        [knob_of("duck", name) for name in knobs],
        params or WorkbenchParams(),
    )


def _range(knob: Knob) -> str:
    if knob.kind == "choice":
        return ", ".join(map(str, knob.choices))
    return f"{knob.low:g} to {knob.high:g}" if knob.kind in ("number", "whole") else "–"


def _slider(ipywidgets: Any, knob: Knob, value: Any) -> Any:
    named = {"description": knob.label, "value": value, "tooltip": knob.description}
    if knob.kind == "choice":
        return ipywidgets.Dropdown(options=list(knob.choices), **named)
    if knob.kind == "text":
        return ipywidgets.Text(**(named | {"value": str(value), "disabled": True}))
    style = {"style": {"description_width": "12em"}, "layout": {"width": "36em"}, "continuous_update": False}
    kind = ipywidgets.IntSlider if knob.kind == "whole" else ipywidgets.FloatSlider
    return kind(min=knob.low, max=knob.high, step=knob.step, **named, **style)
