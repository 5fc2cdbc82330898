"""What Bokeh and Panel do again for each model, message and event of a page is done once, or not at all.

A page has several hundred models, and the thread that all pages share spent half of its time on what changes nothing
that a browser gets, or draws:

- Bokeh computes, validates and converts the default of a property each time that it is read, and reads all of them for
  each model. Here a default that is a number, a text or nothing is kept, by class and property, and of one that is made
  anew for each model, and is an empty list, dictionary or set, its type. What is set by a theme is neither. Whether a
  default is made anew is found out once, too.
- To find the models that a model refers to, Bokeh reads all properties that may hold one, and so makes most of those
  empty defaults. Here what is known to hold no model is not read.
- Bokeh makes a reference to every model of the page for each message, though a message names a few. Here a reference
  is made when it is asked for. For each message from the browser it asks all models for their ids by way of a property;
  here they are read where they are.
- For each glyph Bokeh makes one that is drawn while something else is selected and one that is drawn while it is muted.
  Nothing on our pages is either, and a browser makes both by itself where they are left to it.
- Bokeh looks at the signature of each callback, and at the names of all attributes for those that are like one that is
  missing, to help whoever writes a page. A setting of its own ends that.
- Param copies the description of a parameter for each object that is asked for it, which Panel does for all parameters
  of each component, and looks at each part of the copy whether it can be changed. Here numbers, texts and the like
  are not looked at.
- For each value that is set Bokeh looks whether a model is in it, with a call for each number. Here numbers and texts
  in a list are passed over.
- Panel counts the events under way for an indicator of its own, which no page of ours shows. Here it does not.

Functions: `lighten_pages`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from copy import copy
from typing import Any

from bokeh.core.has_props import HasProps
from bokeh.core.property.descriptors import PropertyDescriptor
from bokeh.core.property.wrappers import PropertyValueContainer
from bokeh.core.serialization import Deserializer, Serializer
from bokeh.model import Model
from bokeh.model import model as model_module
from bokeh.model import util as model_util
from bokeh.plotting import _renderer as plotting_renderer
from bokeh.settings import settings
from panel.io.state import _state
from param import parameterized
from param._utils import _is_mutable_container as _can_be_changed

_start, _start_reading = Serializer.__init__, Deserializer.__init__
_get_ref, _has_ref = Serializer.get_ref, Serializer.has_ref
_get_default, _has_unstable_default = PropertyDescriptor._get_default, PropertyDescriptor.has_unstable_default
_themed_values = HasProps.themed_values
_collect, _visit_value = model_util.collect_filtered_models, model_util.visit_value_and_its_immediate_references
_pop_visuals = plotting_renderer.pop_visuals
_copy_plainly = parameterized._instantiate_param_obj
_SCALARS = frozenset((bool, int, float, str, type(None)))
_FIXED = _SCALARS | {type, tuple}
_NONE_KEPT = object()
_defaults: dict[type, dict[str, Any]] = {}
_unstable: dict[type, dict[str, bool]] = {}
_empty: dict[type, dict[str, type]] = {}
"""types of the defaults that are empty, by class and property"""


def _start_with(self: Any, *, references: Any = frozenset(), **named: Any) -> None:
    _start(self, **named)
    self._known_models = references


def _start_reading_with(self: Any, references: Any = None, **named: Any) -> None:
    _start_reading(self, None, **named)
    self._references = {vars(model)["_id"]: model for model in references or ()}


def _find_ref(self: Any, obj: Any) -> Any:
    if isinstance(obj, Model) and obj in self._known_models:
        return obj.ref
    return _get_ref(self, obj)


def _knows_ref(self: Any, obj: Any) -> bool:
    return (isinstance(obj, Model) and obj in self._known_models) or _has_ref(self, obj)


def _find_default(self: Any, obj: Any) -> Any:
    values = vars(obj)
    themed = values.get("__themed_values__")
    if themed is not None and self.name in themed:
        return _get_default(self, obj)
    kept = _defaults.setdefault(type(obj), {})
    default = kept.get(self.name, _NONE_KEPT)
    if default is not _NONE_KEPT:
        return default
    made: dict[str, Any] = values["_unstable_default_values"]
    if self.name in made:
        return made[self.name]
    empties = _empty.setdefault(type(obj), {})
    kind = empties.get(self.name)
    if kind is not None:
        fresh = made[self.name] = kind()
        fresh._register_owner(obj, self)
        return fresh
    default = _get_default(self, obj)
    if isinstance(default, PropertyValueContainer) and not default and _is_unstable(self, obj):
        empties[self.name] = type(default)
    if isinstance(default, bool | int | float | str | None) and not _is_unstable(self, obj):
        kept[self.name] = default
    return default


def _is_unstable(self: Any, obj: Any) -> bool:
    kept = _unstable.setdefault(type(obj), {})
    if self.name not in kept:
        kept[self.name] = _has_unstable_default(self, obj)
    return kept[self.name]


def _find_themed(self: Any) -> Any:
    # Bokeh's own way ends, for nearly all models, in an error for a missing attribute that is caught.
    return vars(self).get("__themed_values__")


def _visit_references(obj: Model, visit: Callable[[Model], None]) -> None:
    """Visit the models that a model refers to, in the order of Bokeh; what is known to hold none is not read."""
    values = vars(obj)
    given, made, themed = values["_property_values"], values["_unstable_default_values"], _find_themed(obj) or {}
    kept, empties = _defaults.get(type(obj), {}), _empty.get(type(obj), {})
    for name in type(obj).properties_with_refs():
        if name not in given and name not in made and name not in themed and (name in kept or name in empties):
            continue
        _visit_value(getattr(obj, name), visit)


def _visit_changed(value: Any, visit: Callable[[Model], None]) -> None:
    """Visit the models in a value that is set; numbers and texts in its lists and dictionaries are no calls."""
    kind = type(value)
    if kind in _SCALARS:
        return
    if issubclass(kind, list | tuple):
        items = value
    elif issubclass(kind, dict):
        items = value.values()  # keys are no models
    else:
        _visit_value(value, visit)
        return
    for item in items:
        if type(item) not in _SCALARS:
            _visit_changed(item, visit)


def _collect_models(discard: Callable[[Model], bool] | None, *input_values: Any) -> list[Model]:
    found: dict[Any, Model] = {}
    queued: deque[Model] = deque()

    def queue(obj: Model) -> None:
        if obj.id not in found and not (callable(discard) and discard(obj)):
            queued.append(obj)

    for value in input_values:
        _visit_value(value, queue)
    while queued:
        obj = queued.popleft()
        if obj.id not in found:
            found[obj.id] = obj
            _visit_references(obj, queue)
    return list(found.values())


def _pop_wanted_visuals(glyph_class: Any, props: dict[str, Any], *, prefix: str = "", **named: Any) -> Any:
    own = any(name.startswith(prefix) for name in props)
    found = _pop_visuals(glyph_class, props, prefix=prefix, **named)
    return found if own or prefix not in ("nonselection_", "muted_") else None


def _copy_parameter(described: Any, owner: Any = None) -> Any:
    kind: Any = type(described)
    copied = kind.__new__(kind)
    for slot in kind._all_slots_:
        part = getattr(described, slot)
        if type(part) not in _FIXED and slot != "default" and _can_be_changed(part):
            part = copy(part)
        object.__setattr__(copied, slot, part)
    copied.owner = owner
    copied.watchers = {}
    return copied


def _ignore(*_: Any) -> None:
    """Count nothing."""


_CHANGES: tuple[tuple[Any, str, Any], ...] = (
    (Serializer, "__init__", _start_with),
    (Serializer, "get_ref", _find_ref),
    (Deserializer, "__init__", _start_reading_with),
    (Serializer, "has_ref", _knows_ref),
    (PropertyDescriptor, "_get_default", _find_default),
    (PropertyDescriptor, "has_unstable_default", _is_unstable),
    (HasProps, "themed_values", _find_themed),
    (model_util, "collect_filtered_models", _collect_models),
    (model_module, "visit_value_and_its_immediate_references", _visit_changed),
    (plotting_renderer, "pop_visuals", _pop_wanted_visuals),
    (parameterized, "_instantiate_param_obj", _copy_parameter),
    (_state, "_add_busy_event", _ignore),
    (_state, "_remove_busy_event", _ignore),
)


def lighten_pages() -> None:
    """Have all this in a process that serves pages; once or several times."""
    for owner, name, change in _CHANGES:
        setattr(owner, name, change)
    settings.perform_error_diagnostics = False
