"""One colour for one thing, in every picture; and the paper that pictures are drawn on.

The colours are those of Okabe and Ito, "Color universal design" (2008), which people with any common colour blindness
can distinguish. A thing has the same colour in every picture: the music as played is blue everywhere.

Pictures are matplotlib `Figure` objects without pyplot, so that they are drawn the same in a notebook, in a process
without a display and in several threads.
"""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from workbench.recording import clock as clock

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PLAYED = "#0072B2"
"""blue: the music as it is played"""
EXPECTED = "#E69F00"
"""orange: the track itself at the same place"""
BEAT = "#7F7F7F"
"""grey: beats, and the track's own distribution as a yardstick"""
DOWNBEAT = "#D55E00"
"""vermilion: what opens a bar"""
ONSET = "#56B4E9"
"""sky blue: onset strength"""
VOICE = "#CC79A7"
"""reddish purple: speech"""
OWN_MUSIC = "#999933"
"""olive: music that the video has of its own"""
DUCK = "#882255"
"""dark purple: attenuation of the music under speech, and under the video's own music"""
SEAM = "#000000"
"""black: a seam"""
ENDING = "#009E73"
"""green: where the music resolves, and the tail after it"""
SOFT_INK = "#4D5761"
"""dark grey: notes beside the things themselves; contrast of 7 to 1 on white paper"""
VOICE_INK = "#9E3F74"
"""the purple of speech, dark enough for text"""
RULE = "#E4E4E4"
"""light grey: lines to read heights by"""

GROUPS = ("#56B4E9", "#E69F00", "#009E73", "#F0E442", "#CC79A7", "#0072B2", "#D55E00", "#BBBBBB")
"""Of kinds of one thing, such as the sections of a track; only long tracks have more kinds than there are colours."""

PIXELS_PER_INCH = 110


def group_colour(group: int) -> str:
    """Colour of a kind, counted from 0; colours repeat after the eighth."""
    return GROUPS[group % len(GROUPS)]


def new_figure(width_inches: float, height_inches: float) -> Figure:
    """An empty figure on white paper, laid out so that no text is cut off."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width_inches, height_inches), dpi=PIXELS_PER_INCH, layout="constrained", facecolor="white")


def quiet(axes: Axes) -> None:
    """Take away the frame at the top and at the right."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=9)


def time_axis(axes: Axes, seconds: float) -> None:
    """Mark time at round numbers: seconds for a short span, minutes and seconds for a long one."""
    from matplotlib.ticker import FuncFormatter, MultipleLocator

    steps = (0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400)
    step = next((step for step in steps if seconds / step <= 13), 14_400)
    axes.xaxis.set_major_locator(MultipleLocator(step))
    axes.xaxis.set_major_formatter(FuncFormatter(clock if seconds > 30.0 else lambda s, _: f"{s:g} s"))


def png(figure: Figure) -> bytes:
    """Draw a figure as a PNG file."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    buffer = BytesIO()
    FigureCanvasAgg(figure).print_png(buffer)
    return buffer.getvalue()
