"""`python -m workbench` is the command `workbench`, for where an environment's programs are not on the path."""

from __future__ import annotations

from workbench.cli.main import main

if __name__ == "__main__":
    main()
