"""`python -m workbench` is the command `workbench`, for where an environment's programs are not on the path.

The command is the one that the installed package declares: it joins what the service does too, which the workbench does
not import.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution


def main() -> None:
    """Run the command line of this process.

    Raises
    ------
    SystemExit : always, with the exit code of the command
    """
    try:
        scripts = distribution("barline-workbench").entry_points.select(group="console_scripts", name="workbench")
        (script,) = tuple(scripts)[:1]
    except (PackageNotFoundError, ValueError):
        raise SystemExit("workbench: barline-workbench is not installed here: pip install barline-workbench") from None
    script.load()()


if __name__ == "__main__":
    main()
