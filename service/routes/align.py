"""`/v1/align`: place a track under a video."""

from __future__ import annotations

from service.answers import align as answers
from service.routes.http import submit_and_poll
from service.schemas.requests import AlignRequest

blueprint = submit_and_poll("align", AlignRequest, answers.submit, answers.poll)
