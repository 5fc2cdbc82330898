"""The transport: soundtrack and two options of the music, played together, with a playhead that runs over the pictures.

All run on the clock of one AudioContext at the rate of the music. What is played are samples of WAV files, read by
ranges and dropped again, so that half an hour starts as fast as a minute: of a plan, the samples of the track itself,
cut, faded, levelled and ducked in the browser as `workbench.audition.played` says (`assets/sound.js`). Nothing is
rendered, and another plan, fade, gain or duck is heard after some hundredths of a second, at the same place, with a
crossfade of 8 ms. A and B run together, to the sample; what is not chosen is silent. Mix gains, solo, mute and the
level matching of A and B are gains in the browser. There is no limiter: the sum has headroom instead.

Loudness and true peak of the sum are measured while it plays (`assets/levels.js`), before headroom and volume: as loud
as a file of it would be, but for the limiter. Where somebody speaks they say how far the music lies under the speech.

The picture is a silent `<video>` that follows the sound (`assets/film.js`): its speed changes by a few hundredths, or
it jumps where it is far away.

What A and B are is up to the tab: two options on Plan, the track without and with clicks on Beats, the mix without and
with its ducking on Mix; Match plays A alone.

Keys: space, arrows (1 s; with shift 5 s; with ctrl 0.1 s), Home, End, m and f for music and soundtrack, a and b for the
options, j k l for back, stop and on, comma and point for pictures, r for the loop, v for the full screen, ? for the
list of them. They work whatever has the focus, but for what uses the key itself: a
field takes all, a slider its arrows, a tick box its space, a tab its arrows (`assets/keys.js` says which).

Pictures reach it by events on the window, so that a click is heard without a way to the server: `workbench-seek` with
seconds, `workbench-region` with two of them. What is done at the playhead takes its time from the browser
(`workbench-where`, asked by `playerTime` of `assets/clock.js`), for while it plays the server knows it a moment later.

Classes: `TransportBar`. Functions: `seek_on_tap`, `playhead`, `script`.
"""

from __future__ import annotations

from typing import Any, ClassVar

import param
from bokeh.models.annotations import Span
from bokeh.plotting import figure as Figure
from panel.custom import JSComponent

from workbench.dashboards.figures import SeekTo
from workbench.dashboards.styles import ASSETS, stylesheet
from workbench.mix.speech_band import REACH_SECONDS, SPEECH_BAND_HZ


def script(*names: str) -> str:
    """The script of a component: pieces that several components share, and its own after them.

    Parameters
    ----------
    names : of JavaScript files in `ASSETS`, without suffix, in order
    """
    return "\n".join((ASSETS / f"{name}.js").read_text(encoding="utf-8") for name in names)


class TransportBar(JSComponent):
    """Plays soundtrack and music; times are on the clock that the files share, mostly video seconds."""

    soundtrack = param.String("", doc="address of the soundtrack; empty for none")
    music_a = param.String("", doc="address of the music, option A; with `plan_a`, of its track")
    music_b = param.String("", doc="address of the music, option B; empty for none")
    plan_a = param.Dict({}, doc="how the track is played, see `workbench.audition.played`; empty: as it is")
    plan_b = param.Dict({})
    film = param.String("", doc="address of the video's picture; empty for none")
    film_refused = param.String("", doc="address of a picture that the browser cannot play")
    fps = param.Number(25.0, doc="pictures a second, for steps")
    duration = param.Number(0.0, doc="s")
    time = param.Number(0.0, doc="where it plays, s; the browser sends it four times a second")
    seek = param.List([], doc="[s, n]: go there; another n goes there again")
    playing = param.Boolean(False)
    region = param.List([], doc="[from, to]: loops while it plays; empty plays on")
    soundtrack_on = param.Boolean(True)
    music_on = param.Boolean(True)
    chosen: Any = param.Selector(default="a", objects=["a", "b"])
    soundtrack_db = param.Number(0.0)
    gain_a_db = param.Number(0.0, doc="gain in the mix")
    gain_b_db = param.Number(0.0)
    match_a_db = param.Number(0.0, doc="gain that makes A as loud as B in the stretch, at most 0")
    match_b_db = param.Number(0.0)
    headroom_db = param.Number(0.0, doc="gain of everything, so that the sum does not clip")
    duck_a = param.List([], doc="of `workbench.audition.played.played_duck`: attenuation, straight in between")
    duck_b = param.List([])
    speech_band = param.List([*SPEECH_BAND_HZ, REACH_SECONDS], doc="edges, Hz, and s that its filter reaches")
    speech = param.List([], doc="[from, to] of who speaks in the soundtrack, s; empty where that is not known")
    playheads = param.List([], doc="names of Bokeh spans that follow")
    labels = param.List(["A", "B"], doc="names of the two options")

    _esm = script("keys", "clock", "sound", "levels", "film", "transport")
    _stylesheets: ClassVar[list[Any]] = [stylesheet("transport"), stylesheet("keys")]

    def go(self, seconds: float) -> None:
        """Play from another place.

        Parameters
        ----------
        seconds : on the clock of the files
        """
        # The time too: a transport whose tab is not drawn yet begins at the time, and misses what is sought before.
        self.param.update(time=float(seconds), seek=[float(seconds), (self.seek[1] + 1.0) if self.seek else 1.0])


def playhead(figure: Figure, name: str, colour: str) -> Span:
    """A line on a figure that a player moves.

    Parameters
    ----------
    figure : on which it is put
    name : which goes into the player's `playheads`; no other model of the page has it
    colour : `#RRGGBB`
    """
    span = Span(dimension="height", location=0.0, line_color=colour, line_width=2, level="overlay", name=name)
    figure.add_layout(span)
    return span


def seek_on_tap(figure: Figure) -> None:
    """Let a click on a figure seek.

    Parameters
    ----------
    figure : whose horizontal axis is the clock of the player, s
    """
    figure.js_on_event("tap", SeekTo())
