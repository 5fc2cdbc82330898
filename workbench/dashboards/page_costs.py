"""What Bokeh and Panel do again for each model, message and event of a page is done once, or not at all.

A page has more than a thousand models, and the thread that all pages share spent half of its time on what changes
nothing that a browser gets:

- Bokeh computes, validates and converts the default of a property each time that it is read, and reads all of them for
  each model. Here a default that is a number, a text or nothing is kept, by class and property; what is made anew for
  each model, or set by a theme, is not. Whether it is made anew is found out once, too.
- Bokeh makes a reference to every model of the page for each message, though a message names a few. Here a reference
  is made when it is asked for.
- Panel counts the events under way for an indicator of its own, which no page of ours shows. Here it does not.

Functions: `lighten_pages`.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from bokeh.core.property.descriptors import PropertyDescriptor
from bokeh.core.serialization import Serializer
from bokeh.model import Model
from panel.io.state import _state

_start = Serializer.__init__
_get_ref, _has_ref = Serializer.get_ref, Serializer.has_ref
_get_default, _has_unstable_default = PropertyDescriptor._get_default, PropertyDescriptor.has_unstable_default
_NONE_KEPT = object()
_defaults: WeakKeyDictionary[type, dict[str, Any]] = WeakKeyDictionary()
_unstable: WeakKeyDictionary[type, dict[str, bool]] = WeakKeyDictionary()


def _start_with(self: Any, *, references: Any = frozenset(), **named: Any) -> None:
    _start(self, **named)
    self._known_models = references


def _find_ref(self: Any, obj: Any) -> Any:
    if isinstance(obj, Model) and obj in self._known_models:
        return obj.ref
    return _get_ref(self, obj)


def _knows_ref(self: Any, obj: Any) -> bool:
    return (isinstance(obj, Model) and obj in self._known_models) or _has_ref(self, obj)


def _find_default(self: Any, obj: Any) -> Any:
    themed = vars(obj).get("__themed_values__")
    if themed is not None and self.name in themed:
        return _get_default(self, obj)
    kept = _defaults.setdefault(type(obj), {})
    default = kept.get(self.name, _NONE_KEPT)
    if default is _NONE_KEPT:
        default = _get_default(self, obj)
        if isinstance(default, bool | int | float | str | None) and not _is_unstable(self, obj):
            kept[self.name] = default
    return default


def _is_unstable(self: Any, obj: Any) -> bool:
    kept = _unstable.setdefault(type(obj), {})
    if self.name not in kept:
        kept[self.name] = _has_unstable_default(self, obj)
    return kept[self.name]


def _ignore(*_: Any) -> None:
    """Count nothing."""


_CHANGES: tuple[tuple[type, str, Any], ...] = (
    (Serializer, "__init__", _start_with),
    (Serializer, "get_ref", _find_ref),
    (Serializer, "has_ref", _knows_ref),
    (PropertyDescriptor, "_get_default", _find_default),
    (PropertyDescriptor, "has_unstable_default", _is_unstable),
    (_state, "_add_busy_event", _ignore),
    (_state, "_remove_busy_event", _ignore),
)


def lighten_pages() -> None:
    """Have all this in a process that serves pages; once or several times."""
    for owner, name, change in _CHANGES:
        setattr(owner, name, change)
