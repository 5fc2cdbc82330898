"""How far is the music lowered under this voice?

Voice and music are measured once; every set of ducking parameters after that takes a moment. The curve says by how much
the music is lowered at each time. Its depth follows what is spoken, so no gain is set by hand. The slider at the end
was computed with this page; in a notebook, `wb.widgets.ducking(voice, music)` has one for each parameter.
"""

from pathlib import Path

import workbench as wb
from workbench.params import DuckParams
from workbench.plots.mix import duck_figure
from workbench.workflows.voice_over import load_voice_over, mix_voice_over

voice = wb.bundled_path("data", "bundled", "voice", "narration.ogg")
music = wb.bundled_path("data", "bundled", "music", "hill_road.ogg")
sounds = load_voice_over(voice, music, seconds=40.0)
for preset in ("documentary", "tutorial", "social"):
    mixed = mix_voice_over(sounds, DuckParams.model_validate({"preset": preset}))
    print(f"{preset}: by up to {max(db for _, db in mixed.envelope):.1f} dB in {len(mixed.envelope)} points")

duck_figure(mixed.envelope, mixed.speech_ranges).savefig("duck.png", dpi=80)
wb.write_audio("mix.mp3", [mixed.both.samples], mixed.both.sample_rate, mixed.both.channels)
knobs = wb.widgets.ducking(voice, music, seconds=26.0)
Path("slider.html").write_text(knobs.page("under_voice_lu", (13.0, 15.0, 17.0)))
