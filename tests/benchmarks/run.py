"""`make bench`: run benchmarks, print their tables, write them to build/benchmarks.md and figures to `history.jsonl`.

    python -m tests.benchmarks.run [NAME ...]     names: those of BENCHMARKS; all without one

Benchmarks run in processes of their own, so that peak memory and CPU are theirs. A call with names replaces only these
sections of the file.
"""

from __future__ import annotations

import datetime as dt
import importlib
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

from tests.benchmarks.history import append_run

HERE = Path(__file__).parent
RESULTS = HERE.parents[1] / "build" / "benchmarks.md"
BENCHMARKS = (
    "beats",
    "seams",
    "plans",
    "fit",
    "cuts",
    "edits",
    "conform",
    "align",
    "catalog-scale",
    "catalog-batch",
    "duck-bands",
    "service-load",
    "dashboard",
    "speed",
    "intervals",
    "judgements",
)
ELSEWHERE_FOLDER = "WORKBENCH_BENCH_ELSEWHERE"
"""The environment variable that names the folder of material by others."""
NEEDS = {"duck-bands": ELSEWHERE_FOLDER, "judgements": ELSEWHERE_FOLDER}
"""Benchmarks of material that must be fetched first, and the environment variable that names its folder."""
HEAD = "# Benchmark results\n\nMade by `make bench`; what each figure means stands under its table.\n"


def machine() -> str:
    """Processor and software in a line: what one needs to compare figures, nothing that names a host."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        match = re.search(r"model name\s*: (.*)", info.read_text())
        cpu = match.group(1) if match else cpu
    return f"{cpu}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


def section(name: str) -> str:
    """Run one benchmark here and return its section of the results."""
    tables = importlib.import_module(f"tests.benchmarks.{name.replace('-', '_')}").run()
    stamp = f"{dt.date.today().isoformat()}, {machine()}"
    return f"## {name}\n\n{stamp}\n\n" + "\n".join(table.markdown() for table in tables)


def merge(old: str, new: dict[str, str]) -> str:
    """The file of results with the sections in `new` replaced, all in the order of BENCHMARKS."""
    kept = {part.split("\n", 1)[0].strip(): "## " + part for part in re.split(r"^## ", old, flags=re.M)[1:]}
    kept.update(new)
    return HEAD + "".join("\n" + kept[name].rstrip() + "\n" for name in BENCHMARKS if name in kept)


def main(names: list[str]) -> int:
    """Run what was asked for; returns the exit code."""
    if unknown := [name for name in names if name not in BENCHMARKS]:
        print(f"no such benchmark: {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    if os.environ.get("BENCH_SECTION"):
        print(section(names[0]))
        return 0
    failed = []
    for name in names or BENCHMARKS:
        if name in NEEDS and NEEDS[name] not in os.environ:
            print(f"[bench] {name}: left out, for {NEEDS[name]} names no folder", file=sys.stderr, flush=True)
            continue
        print(f"[bench] {name} …", file=sys.stderr, flush=True)
        done = subprocess.run(
            [sys.executable, "-m", "tests.benchmarks.run", name],
            cwd=HERE.parents[1],
            env={**os.environ, "BENCH_SECTION": "1"},
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            failed.append(name)
            continue
        text = done.stdout[done.stdout.index(f"## {name}") :]
        print(text, flush=True)
        old = RESULTS.read_text() if RESULTS.exists() else HEAD
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(merge(old, {name: text}))
        append_run(name, text)
    if failed:
        print(f"[bench] failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
