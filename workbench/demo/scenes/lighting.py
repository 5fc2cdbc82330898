"""What the scenes of the demo video share: the interface by which they are painted, and the light of the hours.

A scene is a frozen record; `painter()` prepares everything that does not move and returns a function from seconds into
the shot to a picture of shape (3, height, width), 0 to 255. Half-size pictures are enlarged by the encoder
(`workbench.demo.video`). The same record always paints the same pictures.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from workbench.recording import FloatArray

Painter: TypeAlias = Callable[[float], FloatArray]


class Paintable(Protocol):
    """A scene that can be painted for a number of seconds."""

    def painter(self, seconds: float) -> Painter:
        """Prepare the scene for a shot.

        Parameters
        ----------
        seconds : length of the shot, up to which it can be painted

        Returns
        -------
        function from seconds into the shot, 0 to `seconds`, to a picture of shape (3, height, width), float32, 0 to 255
        """
        ...


@dataclass(frozen=True, slots=True)
class Look:
    """An hour of the day and its weather."""

    sky: tuple[str, ...]  # colours from the zenith to the horizon
    far: str  # the farthest ridge
    near: str  # the nearest ridge, nearly a silhouette
    light: str  # sun, moon or lamp
    cloud: str


NIGHT = Look(("#050816", "#0c1433", "#1c2a57", "#34426f"), "#1b2549", "#03050c", "#dfe8ff", "#2b3a68")
PREDAWN = Look(("#0d1538", "#2c2f63", "#7a4a78", "#d97c6c"), "#544475", "#0a0818", "#ffd2a6", "#8a5a80")
DAWN = Look(("#34538f", "#8a7fae", "#eb9f86", "#ffdf9f"), "#a97f95", "#1c1730", "#fff0c4", "#ffc9a8")
MORNING = Look(("#3f86bf", "#86bedb", "#cfe6e2", "#fbf0d0"), "#9fbcc6", "#1d3d37", "#fffbe6", "#fdfaf0")
NOON = Look(("#2f7fc4", "#6fb3de", "#b9dbe8"), "#86aebf", "#1b4034", "#ffffff", "#ffffff")
OVERCAST = Look(("#5c6c78", "#8a989f", "#b4bbb9", "#c9c8bd"), "#8d999c", "#20292c", "#e8ece6", "#dde0dc")
STORM = Look(("#1d242d", "#39444f", "#5d6a72", "#7b8689"), "#525e66", "#0c1013", "#e9f2ff", "#8c979c")
EVENING = Look(("#2b3970", "#7d5a94", "#e0836f", "#ffc27a"), "#8d5f86", "#150f22", "#ffe2a0", "#ffab88")
DUSK = Look(("#10173c", "#3c2f68", "#92477a", "#f08a5c"), "#5b3765", "#0a0714", "#ffc987", "#a8557c")
CITY = Look(("#04060f", "#0c1530", "#232a55", "#54406a"), "#1a2247", "#04050b", "#ffd696", "#2b2c55")
FOG = Look(("#8fa3ad", "#a9b8bd", "#c4cdcd", "#d8dcd6"), "#a8b6b9", "#3a4a4d", "#ffffff", "#e6eae6")
