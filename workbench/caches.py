"""Where libraries keep what they compute once: compiled inner loops, lists of fonts, settings of notebooks.

They save it beside their code or below the user's home folder. Where neither can be written, as in a container that
runs under any user id, `lend_home` gives them a folder; without one, kernels are compiled in every process.
numba and matplotlib read the variables when they are imported.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])

_KERNELS = "NUMBA_CACHE_DIR"
# Variables that name folders to libraries, and which part of ours each gets
_VARIABLES = {
    _KERNELS: "numba", "MPLCONFIGDIR": "matplotlib", "XDG_CACHE_HOME": "", "IPYTHONDIR": "ipython",
    "JUPYTER_CONFIG_DIR": "jupyter", "JUPYTER_DATA_DIR": "jupyter",
}  # fmt: skip


def lend_home(root: Path) -> str | None:
    """Let libraries keep their caches in a home folder where the user has no cache folder that can be written.

    Sets variables of this process, which those that it starts inherit; what is set already stays, but for a folder of
    kernels that cannot be written. Returns a sentence for the user on what this costs now; None: nothing.
    """
    if _has_user_cache():
        return None
    folder = root / "caches"
    lacks_kernels = not _has_kernel_folder()
    if lacks_kernels:
        os.environ.pop(_KERNELS, None)
    for name, part in _VARIABLES.items():
        if name != _KERNELS or lacks_kernels:
            os.environ.setdefault(name, str(folder / part))
    if not lacks_kernels or os.path.exists(folder / _VARIABLES[_KERNELS]) or not _is_writable(folder):
        return None
    return f"this user has no cache folder: kernels are compiled once more, for up to a minute, and saved in {folder}"


def kernel(signature: str | None = None, fastmath: bool | set[str] = False) -> Callable[[Function], Function]:
    """As `numba.njit`, without the interpreter's lock; compiled code is saved if there is a folder for it."""
    import numba

    compile_one = numba.njit(signature, cache=_can_keep_kernels(), nogil=True, fastmath=fastmath)
    return cast(Callable[[Function], Function], compile_one)


@cache
def _can_keep_kernels() -> bool:
    """Whether numba finds a folder for compiled code; without one it refuses to load a function that is to be saved."""
    if _has_kernel_folder() or _has_user_cache():
        return True
    warnings.warn(
        "no folder for compiled code can be written: every process compiles kernels again, for up to a minute; set "
        f"{_KERNELS} to a folder",
        RuntimeWarning,
        stacklevel=3,
    )
    return False


def _has_kernel_folder() -> bool:
    """Whether numba's own variable names a folder that can be written, or code can be saved beside its source."""
    given = os.environ.get(_KERNELS)
    if given and _is_writable(Path(given).absolute()):
        return True
    return all(_is_writable(file.parent / "__pycache__") for file in Path(__file__).parent.glob("*/_kernels.py"))


def _has_user_cache() -> bool:
    from platformdirs import user_cache_path

    try:
        return _is_writable(user_cache_path())
    except RuntimeError:  # the user has no home
        return False


def _is_writable(folder: Path) -> bool:
    """Whether files can be made in a folder, or the folder itself; a path below an unknown `~` is no folder."""
    if not folder.is_absolute():
        return False
    # Unlike `Path.exists`, this is False in a folder that cannot be entered.
    there = next(one for one in (folder, *folder.parents) if os.path.exists(one))
    return os.access(there, os.W_OK | os.X_OK)
