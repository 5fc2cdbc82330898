"""The FluidSynth library, bound once for all that play sound fonts."""

from __future__ import annotations

import ctypes
import ctypes.util
from functools import cache


@cache
def library() -> ctypes.CDLL:
    """The FluidSynth library with the argument types of the few calls that the recipes use."""
    name = ctypes.util.find_library("fluidsynth")
    if name is None:
        raise RuntimeError("FluidSynth is not installed; the Debian package is called fluidsynth")
    lib = ctypes.CDLL(name)
    pointer, text, number, real = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_double
    signatures = {
        "new_fluid_settings": (pointer, []),
        "fluid_settings_setnum": (number, [pointer, text, real]),
        "fluid_settings_setint": (number, [pointer, text, number]),
        "new_fluid_synth": (pointer, [pointer]),
        "delete_fluid_synth": (None, [pointer]),
        "fluid_synth_sfload": (number, [pointer, text, number]),
        "fluid_synth_set_interp_method": (number, [pointer, number, number]),
        "fluid_synth_program_select": (number, [pointer, number, number, number, number]),
        "fluid_synth_noteon": (number, [pointer, number, number, number]),
        "fluid_synth_noteoff": (number, [pointer, number, number]),
        "fluid_synth_cc": (number, [pointer, number, number, number]),
        "fluid_synth_pitch_bend": (number, [pointer, number, number]),
        "fluid_synth_process": (number, [pointer, number, number, pointer, number, pointer]),
        "fluid_synth_write_float": (number, [pointer, number] + [pointer, number, number] * 2),
    }
    for function, (result, arguments) in signatures.items():
        getattr(lib, function).restype = result
        getattr(lib, function).argtypes = arguments
    return lib
