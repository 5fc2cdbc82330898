"""Run the simulation: `python -m tests.service.simulation.run --seeds 0:200`; a failing seed alone, with its history:

python -m tests.service.simulation.run --seeds 17 --history
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
import time
import traceback
from pathlib import Path

import structlog

from service.store.tables import SCHEMA
from tests.service.simulation.town import Town
from tests.service.simulation.world import Violation
from workbench.store.database import Database

_MEMORY = Path("/dev/shm")  # a folder in memory, if the system has one


def live(seed: int, template: Path) -> tuple[Town, BaseException | None]:
    """Live one seed; returns what went wrong, if anything did."""
    with tempfile.TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None, prefix="simulation-") as folder:
        town = Town(seed, Path(folder), template)
        try:
            town.live()
        except Exception as error:  # noqa: BLE001  whatever it is, it is what the seed found
            town.close()
            return town, error
        return town, None


def main() -> int:
    """Entry point; 1 if a seed broke a promise."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="0:100", help="FIRST:END, or one seed")
    parser.add_argument("--history", action="store_true", help="print what happened")
    given = parser.parse_args()
    first, _, end = given.seeds.partition(":")
    seeds = range(int(first), int(end) if end else int(first) + 1)
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    began = time.process_time()
    with tempfile.TemporaryDirectory(prefix="simulation-") as folder:
        template = Path(folder) / "empty.sqlite"
        Database(f"sqlite:///{template}", (SCHEMA,)).close()
        digest = hashlib.sha256()
        for number, seed in enumerate(seeds, start=1):
            town, error = live(seed, template)
            history = "\n".join(town.world.history)
            digest.update(history.encode())
            if given.history:
                print(history)
            if error is not None:
                print(f"seed {seed}: {type(error).__name__}: {error}")
                print(f"seeds lived: {number}")
                print(f"replay: python -m tests.service.simulation.run --seeds {seed} --history")
                if given.history or not isinstance(error, Violation):
                    traceback.print_exception(error)
                return 1
    print(
        f"seeds lived: {len(seeds)}, in {time.process_time() - began:.1f} s of CPU, history {digest.hexdigest()[:16]}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
