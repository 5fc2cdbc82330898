"""W3C Trace Context: which distributed trace a request belongs to, and our place in it.

A caller that traces sends `traceparent`. We take over its trace, take a place of our own in it, write its id into the
log lines of the request and of the job that the request starts, and return our `traceparent`. Without the header, or
with one that is malformed, a trace begins here. `tracestate` belongs to tracing systems and is not read.
`service.telemetry.spans` sends what is recorded, if it is sent anywhere.

https://www.w3.org/TR/trace-context/
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import getrandbits

HEADER = "traceparent"
_TRACEPARENT = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
_SAMPLED = 0x01
_KNOWN_FLAGS = 0x03
"""sampled, and random trace id; a sender of version 00 leaves the others zero"""


@dataclass(frozen=True, slots=True)
class Trace:
    """A place in a trace."""

    trace_id: str
    """32 hexadecimal digits, the same for everything that the trace holds"""
    span_id: str
    """16 hexadecimal digits, of this place"""
    flags: int = 0
    parent_id: str | None = None
    """16 hexadecimal digits, of the place that led to this one; None: the trace begins here"""

    @property
    def sampled(self) -> bool:
        """Whether what happens here is recorded, as the beginner of the trace chose."""
        return bool(self.flags & _SAMPLED)

    @property
    def traceparent(self) -> str:
        """As the header is written, version 00."""
        return f"00-{self.trace_id}-{self.span_id}-{self.flags:02x}"

    def inner(self) -> Trace:
        """A new place that this one leads to."""
        return Trace(self.trace_id, _random_hex(16), self.flags, self.span_id)


def continue_trace(headers: Sequence[str], share: float = 0.0) -> Trace:
    """A place of our own in the caller's trace, or in a new one if there is no `traceparent` or a malformed one.

    More than one header counts as malformed. A `share` of the traces that begin here is recorded, chosen by the trace's
    id, so that other systems can choose the same.
    """
    given = parse_traceparent(headers[0]) if len(headers) == 1 else None
    if given is None:
        trace_id = _random_hex(32)
        sampled = share > 0 and int(trace_id[16:], 16) < share * 2**64
        return Trace(trace_id, _random_hex(16), _SAMPLED if sampled else 0)
    return given.inner()


def _random_hex(digits: int) -> str:
    """Digits that need to be unique and no secret, so the kernel is not asked for them; never all zero."""
    return f"{getrandbits(4 * digits) or 1:0{digits}x}"


def parse_traceparent(text: str) -> Trace | None:
    """Read the value of a `traceparent`; None if it is malformed. Later versions than 00 may have more at the end."""
    found = _TRACEPARENT.fullmatch(text.strip(" \t"))
    if found is None:
        return None
    version, trace_id, span_id, flags, rest = found.groups()
    if version == "ff" or (version == "00" and rest is not None):
        return None
    if not trace_id.strip("0") or not span_id.strip("0"):
        return None
    return Trace(trace_id, span_id, int(flags, 16) & _KNOWN_FLAGS)
