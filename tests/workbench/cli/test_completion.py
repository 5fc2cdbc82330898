"""The script that teaches a shell to complete the command line."""

from __future__ import annotations

import pytest

from .conftest import Cli


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_its_script(shell: str, workbench: Cli) -> None:
    code, out, err = workbench("completion", shell)
    assert (code, err) == (0, "")
    assert "_WORKBENCH_COMPLETE" in out
    assert f"{shell}_complete" in out


def test_another_shell_is_a_usage_error(workbench: Cli) -> None:
    err = workbench.refused(2, "completion", "tcsh")
    assert "bash" in err
