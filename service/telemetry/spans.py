"""Spans: what a request, a job and its stages took, sent to a collector of OpenTelemetry. Needs the extra `otel`.

Only where `WORKBENCH_TRACES_URL` names a collector; else nothing is recorded and nothing of OpenTelemetry is imported.
The places in the trace are ours (`service.telemetry.traces`): the header that a caller gets back, the log
lines and the spans name the same ids. Spans go out in batches, in a thread beside the work; a collector that does not
answer costs spans and a line in the log, never a request or a job. They contain no account, key or amount.

`OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_EXPORTER_OTLP_HEADERS` and `OTEL_BSP_...` act as OpenTelemetry
defines them.

https://opentelemetry.io/docs/specs/otlp/
"""

from __future__ import annotations

import logging
import math
import os
import threading
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import structlog

from service.settings import ServiceSettings
from service.telemetry.traces import Trace
from workbench.errors import require_extra

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
    from opentelemetry.sdk.trace.export import SpanExportResult

_NAME = "barline-workbench"
_SEND_SECONDS = 5.0  # that the collector gets for a batch, repetitions included
_CLOSE_SECONDS = 2.0  # after the end of the work, in which the last batches are begun
_NANOSECONDS = 1_000_000_000

log = structlog.get_logger("service")


def open_spans(settings: ServiceSettings, process: str) -> Spans | None:
    """What sends the spans of this process, http or worker; None if the settings name no collector."""
    if settings.traces_url is None:
        return None
    require_extra("otel", "WORKBENCH_TRACES_URL")
    return Spans(settings.traces_url, settings.traces_share, process)


class Spans:
    """Sends the spans of one process to a collector; a `share` of the traces that begin here are recorded."""

    def __init__(self, url: str, share: float, process: str) -> None:
        self.share = share
        self._given = threading.Lock()
        _log_complaints()
        self._provider, self._ids, self._last = _provider(url, process)
        self._tracer = self._provider.get_tracer(_NAME)

    def send(
        self,
        name: str,
        place: Trace,
        began: float,
        ended: float,
        *,
        kind: str = "internal",
        attributes: Mapping[str, str | int | float] | None = None,
        failed: bool = False,
    ) -> None:
        """Send one span, soon; nothing is sent of a trace that is not recorded.

        `name` is low in variety, as "POST /v1/loop"; times are in s since 1970; `kind` is server, consumer or internal;
        `failed` excludes faults of the caller's.
        """
        if not place.sampled:
            return
        from opentelemetry.trace import NonRecordingSpan, SpanContext, SpanKind, Status, StatusCode, TraceFlags
        from opentelemetry.trace.propagation import set_span_in_context

        trace_id = int(place.trace_id, 16)
        context = set_span_in_context(NonRecordingSpan(SpanContext(0, 0, is_remote=False)))
        if place.parent_id is not None:
            parent = SpanContext(
                trace_id, int(place.parent_id, 16), is_remote=True, trace_flags=TraceFlags(place.flags)
            )
            context = set_span_in_context(NonRecordingSpan(parent))
        with self._given:
            self._ids.trace_id, self._ids.span_id = trace_id, int(place.span_id, 16)
            span = self._tracer.start_span(
                name, context, SpanKind[kind.upper()], attributes, start_time=int(began * _NANOSECONDS)
            )
        if failed:
            span.set_status(Status(StatusCode.ERROR))
        span.end(int(max(began, ended) * _NANOSECONDS))

    def close(self) -> None:
        """Send the remaining spans, and end the thread; a collector that does not answer delays this by seconds."""
        self._last.call = time.monotonic() + _CLOSE_SECONDS
        self._provider.shutdown()
        if self._last.missed:
            log.warning("spans", problem=f"the process ended before {self._last.missed} spans were sent")


class _Last:
    """The end of sending, which comes although a collector takes its time with each batch."""

    call = math.inf
    """monotonic s; a batch that would begin later is not sent"""
    missed = 0
    """spans that were not sent"""


class _GivenIds:
    """Gives OpenTelemetry the ids of our places in place of random ones."""

    trace_id = 0
    span_id = 0

    def generate_trace_id(self) -> int:
        """The trace id of the next span, asked for if the span begins a trace."""
        return self.trace_id

    def generate_span_id(self) -> int:
        """The id of the next span."""
        return self.span_id

    def is_trace_id_random(self) -> bool:
        """Whether the trace's id is known to be random, which a caller's may not be."""
        return False


def _provider(url: str, process: str) -> tuple[TracerProvider, _GivenIds, _Last]:
    """OpenTelemetry's part: batches, and their way to the collector."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult
    from opentelemetry.sdk.trace.id_generator import IdGenerator
    from opentelemetry.sdk.trace.sampling import ALWAYS_ON

    class Ids(_GivenIds, IdGenerator):
        """What OpenTelemetry takes for a source of ids."""

    last = _Last()

    class Exporter(OTLPSpanExporter):
        """OpenTelemetry's, until the last call."""

        def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
            """Send one batch."""
            if time.monotonic() > last.call:
                last.missed += len(spans)
                return SpanExportResult.FAILURE
            return super().export(spans)

    ids = Ids()
    name = os.environ.get("OTEL_SERVICE_NAME") or _NAME
    resource = Resource.create({"service.name": name, "process.pid": os.getpid(), "workbench.process": process})
    # Whether a trace is recorded was chosen where it began.
    provider = TracerProvider(ALWAYS_ON, resource, shutdown_on_exit=False, id_generator=ids)
    exporter = Exporter(f"{url.rstrip('/')}/v1/traces", timeout=_SEND_SECONDS)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider, ids, last


class _Complaints(logging.Handler):
    """Writes what OpenTelemetry logs as our log lines."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line."""
        log.warning("spans", problem=record.getMessage())


def _log_complaints() -> None:
    complaints = logging.getLogger("opentelemetry")
    if not any(isinstance(one, _Complaints) for one in complaints.handlers):
        complaints.addHandler(_Complaints())
        complaints.propagate = False
