"""The plan under its film."""

from __future__ import annotations

import panel as pn
import panel_material_ui as pmui

from workbench.dashboards.session import Session


class PlanTab:
    """The plan under its film."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def panel(self) -> pn.viewable.Viewable:
        """What is planned, in words."""
        words = pn.bind(lambda plan: repr(plan.answer)[:400] if plan else "", self._session.param.plan)
        return pmui.Column(pmui.Typography(words))
