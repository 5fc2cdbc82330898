"""`/v1/beats`: the beat and downbeat grid of a sound file."""

from __future__ import annotations

from service.answers import beats as answers
from service.routes.http import submit_and_poll
from service.schemas.requests import BeatsRequest

blueprint = submit_and_poll("beats", BeatsRequest, answers.submit, answers.poll, "/<job_id:str>")
