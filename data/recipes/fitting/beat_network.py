"""Make `beat_network.npz` anew: compose and render the pieces, train, export.

    python -m data.recipes.fitting.beat_network [--set SET] [--run RUN] [--seed SEED]

About an hour on two cores. Interrupted, it goes on where it stopped: pieces that are there are kept, and the training
has its checkpoint in RUN; another seed, or a changed recipe, needs another SET or RUN. The set has the pieces of the
other fits too, with their sound: those of `dev` and `plain` for the readings, those of `calibration` for the
confidence; `validation` is left for measuring.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from data.recipes.fitting.cards import parser, write_figures
from workbench.beats.network import WEIGHTS_FILE

_TRAINING = "data.recipes.training"
_LOG = Path(__file__).parents[1] / "training" / "runs" / "network.jsonl"


def main() -> None:
    """Compose, render, train, export; each step is a program of `data.recipes.training` with its own options."""
    options = parser(__doc__)
    options.add_argument("--run", type=Path, help="folder of the checkpoint and the log; SET/run when not given")
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    made, run = str(given.set), given.run or given.set / "run"
    _step("generate", made, "--audio")
    _step("generate", made, "--audio", "--first", "1600", "--pieces", "320", "--split", "dev")
    _step("generate", made, "--audio", "--first", "3000", "--pieces", "180", "--split", "calibration")
    _step("plain", str(given.set / "plain"))
    _step("plain", str(given.set / "calibration"), "--strummed", "1080")
    _step("train", made, str(run), "--seed", str(given.seed))
    _step("train", made, str(run), "--seed", str(given.seed), "--export")
    _LOG.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(run / "log.jsonl", _LOG)
    write_figures(WEIGHTS_FILE, figures(_LOG))


def figures(log: Path) -> list[str]:
    """What the last line of a training's log says of the bare activations."""
    last = json.loads(log.read_text(encoding="utf-8").splitlines()[-1])
    return [
        f"- Bare activations on pieces of `dev`, after {last['step']:,} steps: "
        f"beat F {last['dev_beat_f']:.3f}, downbeat F {last['dev_downbeat_f']:.3f}"
    ]


def _step(module: str, *options: str) -> None:
    subprocess.run([sys.executable, "-m", f"{_TRAINING}.{module}", *options], check=True)


if __name__ == "__main__":
    main()
