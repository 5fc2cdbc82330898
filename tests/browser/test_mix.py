"""The Mix tab in a browser: a slider that is let go of moves the duck, and a profile serves the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from service.console import run


@pytest.fixture
def mix(page: Any, open_tab: Callable[[str], None]) -> Any:
    open_tab("Mix")
    page.get_by_text("duck down to").wait_for()
    return page


def _said(mix: Any) -> str:
    return str(mix.get_by_text("duck down to").inner_text())


def test_a_slider_moves_the_duck_by_key(mix: Any) -> None:
    before = _said(mix)
    slider = mix.get_by_role("slider").nth(1)
    slider.focus()
    for _ in range(8):
        mix.keyboard.press("ArrowRight")
    mix.wait_for_function("before => !document.body || true", arg=before)
    mix.wait_for_timeout(1500)
    assert _said(mix) != before
    assert mix.get_by_text("own", exact=True).is_visible()


def test_ducked_and_not_ducked_are_one_key_apart(mix: Any) -> None:
    plain = mix.get_by_role("button", name="option B at the same place (b)")
    assert plain.inner_text() == "not ducked"
    mix.keyboard.press("b")
    assert plain.get_attribute("aria-pressed") == "true"
    mix.keyboard.press("a")
    assert plain.get_attribute("aria-pressed") == "false"


def test_a_profile_of_the_page_serves_the_command_line(
    mix: Any, dashboard: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    slider = mix.get_by_role("slider").nth(1)
    slider.focus()
    mix.keyboard.press("Home")
    mix.wait_for_timeout(1500)
    mix.get_by_label("profile", exact=True).fill("lively")
    mix.get_by_label("profile", exact=True).press("Tab")
    mix.get_by_role("button", name="Save as profile").click()
    mix.get_by_text("saved; use it with --profile").wait_for()
    profile = dashboard.home / "profiles" / "lively.toml"
    assert "under_voice_lu = 13.0" in profile.read_text(encoding="utf-8")
    depths = []
    for more in ([], ["--profile", str(profile)]):
        capfd.readouterr()
        arguments = ["loop", str(dashboard.song), "--video", str(dashboard.film), "--auto-mix"]
        assert run([*arguments, "--home", str(dashboard.home), *more]) == 0
        depths.append(json.loads(capfd.readouterr().out)["mix"]["duck"]["depth_db"])
    assert depths[1] < depths[0] - 1.0
