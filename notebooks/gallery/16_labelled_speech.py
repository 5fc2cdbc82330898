"""The speech is labelled already: how do I use the labels?

A voice detector is a class with a version and two methods. This one reads the turns of an RTTM file beside the video,
whoever wrote it. The music is lowered under what it gives, in plans, exports and pictures.
"""

import shutil
from pathlib import Path

import workbench as wb
from workbench import extensions
from workbench.params import VoiceParams
from workbench.workflows.mix import measure_soundtrack


class Rttm:
    version = 1

    def reads(self, video):
        return [video.with_suffix(".rttm")]

    def utterances(self, video, soundtrack, params):
        turns = [line.split()[3:5] for line in self.reads(video)[0].read_text().splitlines()]
        return sorted((float(start), float(start) + float(seconds)) for start, seconds in turns)


extensions.register(extensions.VOICE_DETECTORS, "rttm", Rttm)
video = Path(shutil.copy(wb.bundled_path("data", "bundled", "voice", "narration.ogg"), "interview.ogg"))
Path("interview.rttm").write_text("SPEAKER x 1 20.4 4.8 <NA> <NA> anna\nSPEAKER x 1 26.0 5.2 <NA> <NA> anna\n")

params = wb.WorkbenchParams(voice=VoiceParams(detector="rttm"))
found = measure_soundtrack(wb.open().with_params(params), video).detected
print([(round(start, 2), round(end, 2)) for start, end in found.utterances])
