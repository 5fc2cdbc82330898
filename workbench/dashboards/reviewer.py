"""Who reviews: a name that is asked for once and saved in the browser."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import unquote

import param
from panel.custom import JSComponent

from workbench.dashboards.actions import Session
from workbench.dashboards.styles import script, stylesheet

_COOKIE = "workbench-reviewer"
"""the cookie in which `reviewer.js` saves a name"""
_MOST_LETTERS = 80
"""of a name, as in its field"""


class ReviewerName(JSComponent):
    """A field for the reviewer's name, which the browser remembers."""

    reviewer = param.String("", doc="empty until a name was given")
    missed = param.Integer(0, doc="counts up when something waits for the name: the field takes the focus")

    _esm = script("reviewer")
    _stylesheets: ClassVar[list[Any]] = [stylesheet("review")]


def reviewer_field(session: Session) -> ReviewerName:
    """A field that shows and sets the reviewer of a session."""
    field = ReviewerName(reviewer=session.reviewer, width=220, margin=(4, 10))
    field.param.watch(lambda event: setattr(session, "reviewer", event.new), "reviewer")
    session.param.watch(lambda event: setattr(field, "reviewer", event.new), "reviewer")
    return field


def known_reviewer(cookies: Mapping[str, str]) -> str:
    """The name that a browser has saved; empty without one."""
    return unquote(cookies.get(_COOKIE, "")).strip()[:_MOST_LETTERS]
