"""Tests mirror modules: `workbench/loops/seams.py` is tested in `tests/workbench/loops/test_seams.py`.

A module without a file of its name is listed here with where its behaviour is tested instead, and why.
"""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

KERNELS = "compiled inner loops, called by their package's modules alone and tested through these"
CONSTANTS = "names and numbers; what reads them is tested"
RECORD = "a record without behaviour; who fills it is tested"
HTTP = "answers requests: the contract suite calls it over HTTP, in a running service"
PROCESS = "is a process: it is started, killed and stopped as one"

ELSEWHERE: dict[str, tuple[str, str]] = {
    "workbench/align/_kernels.py": (KERNELS, "tests/workbench/align/test_placements.py"),
    "workbench/beats/_kernels.py": (KERNELS, "tests/workbench/beats/test_pulses.py"),
    "workbench/catalog/_kernels.py": (KERNELS, "tests/workbench/catalog/test_index.py"),
    "workbench/features/_kernels.py": (KERNELS, "tests/workbench/features/test_spectrum.py"),
    "workbench/loops/_kernels.py": (KERNELS, "tests/workbench/loops/test_seams.py"),
    "workbench/media/_kernels.py": (KERNELS, "tests/workbench/media/test_video_reader.py"),
    "workbench/mix/_kernels.py": (KERNELS, "tests/workbench/mix/test_limiter.py"),
    "workbench/video/_kernels.py": (KERNELS, "tests/workbench/video/test_strip.py"),
    "workbench/catalog/grades.py": (CONSTANTS, "tests/workbench/match/test_reference.py"),
    "workbench/progress.py": (CONSTANTS, "tests/workbench/cli/test_terminal.py"),
    "workbench/loops/profile.py": (RECORD, "tests/workbench/loops/test_bodies.py"),
    "workbench/video/analysis.py": (RECORD, "tests/workbench/workflows/test_watch.py"),
    "workbench/demo/run.py": ("the whole demo, which takes minutes", "tests/end_to_end/test_demo.py"),
    "workbench/demo/warm_up.py": ("compiles ahead of use; the set-up runs it", "tests/end_to_end/test_wheel.py"),
    "workbench/workflows/warm_up.py": ("compiles ahead of use; the set-up runs it", "tests/end_to_end/test_wheel.py"),
    "service/admission.py": (HTTP, "tests/contract/test_http_in_general.py"),
    "service/app.py": (HTTP, "tests/contract/test_http_in_general.py"),
    "service/schemas/examples.py": ("examples, each checked against the interface", "tests/contract/test_interface.py"),
    "service/schemas/requests.py": (HTTP, "tests/contract/test_http_in_general.py"),
    "service/schemas/responses.py": (HTTP, "tests/contract/test_interface.py"),
    "service/mcp/client.py": (HTTP, "tests/contract/test_mcp.py"),
    "service/clients/python/client.py": (HTTP, "tests/contract/test_clients.py"),
    "service/clients/python/errors.py": (HTTP, "tests/contract/test_clients.py"),
    "service/clients/python/generated.py": ("written by a program", "tests/service/clients/test_generate.py"),
    "service/mcp/strict.py": (HTTP, "tests/contract/test_mcp.py"),
    "service/mcp/server.py": (HTTP, "tests/contract/test_mcp.py"),
    "service/mcp/tools.py": (HTTP, "tests/contract/test_mcp.py"),
    "service/http_process.py": (PROCESS, "tests/service/commands/test_serve.py"),
    "service/commands/mcp.py": (PROCESS, "tests/contract/test_mcp.py"),
    "service/commands/showcase.py": (PROCESS, "tests/service/commands/test_serve.py"),
    "service/commands/worker.py": (PROCESS, "tests/service/commands/test_serve.py"),
    "service/jobs/child.py": (PROCESS, "tests/service/jobs/test_kills.py"),
    "service/jobs/previews.py": ("a kind of job, tested with the others", "tests/service/jobs/test_kinds.py"),
    "service/ranking/client.py": (PROCESS, "tests/contract/test_lanes.py"),
    "service/ranking/process.py": (PROCESS, "tests/contract/test_lanes.py"),
}
FOLDERS: dict[str, tuple[str, str]] = {
    "workbench/params/": ("parameters are fields alone, tested together", "tests/workbench/params/test_params.py"),
    "workbench/demo/scenes/": (
        "scenes are drawn to be looked at; the video is tested",
        "tests/workbench/demo/test_video.py",
    ),
    "workbench/dashboards/": ("parts of one page, which is driven in Chromium", "tests/browser/test_page.py"),
    "service/answers/": (HTTP, "tests/contract/test_jobs.py"),
    "service/routes/": (HTTP, "tests/contract/test_http_in_general.py"),
}


def mirrored(module: str) -> str:
    """The test file of a module."""
    path = Path(module)
    return (Path("tests") / path.parent / f"test_{path.name}").as_posix()


def modules() -> list[str]:
    return [
        path.relative_to(ROOT).as_posix()
        for package in ("workbench", "service")
        for path in sorted((ROOT / package).rglob("*.py"))
        if path.name != "__init__.py" and "_shipped" not in path.parts
    ]


def test_every_module_has_a_test_file_of_its_name() -> None:
    without = [module for module in modules() if not (ROOT / mirrored(module)).exists()]
    unexplained = [module for module in without if module not in ELSEWHERE and not module.startswith(tuple(FOLDERS))]
    assert unexplained == [], "write the test file, or list the module in ELSEWHERE with its reason"


@pytest.mark.parametrize("module", ELSEWHERE)
def test_no_exception_outlives_its_reason(module: str) -> None:
    reason, place = ELSEWHERE[module]
    assert reason
    assert (ROOT / module).exists(), "the module is gone"
    assert (ROOT / place).exists(), "the place where it is tested is gone"
    assert not (ROOT / mirrored(module)).exists(), "it has a test file of its own now"


def test_folders_of_exceptions_exist() -> None:
    for folder, (_, place) in FOLDERS.items():
        assert (ROOT / folder).is_dir()
        assert (ROOT / place).exists()
