"""`/v1/loop`: cover a video with a track."""

from __future__ import annotations

from service.answers import loop as answers
from service.routes.http import submit_and_poll
from service.schemas.requests import LoopRequest

blueprint = submit_and_poll("loop", LoopRequest, answers.submit, answers.poll)
