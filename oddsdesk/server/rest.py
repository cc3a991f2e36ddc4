"""Answers: the envelope, the Error object, and their encoding."""

import bisect
import hashlib
import os
import re
import sys
import time
import uuid
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar, get_args
from urllib.parse import parse_qsl

import msgspec
from starlette.types import Scope, Send

from oddsdesk.base.text import safe_text
from oddsdesk.base.texts import N_
from oddsdesk.contract.access import ErrorBody, ErrorCode, ErrorDetail
from oddsdesk.contract.competitions import SPORTS
from oddsdesk.contract.flat_rows import columns_of, rows_of
from oddsdesk.contract.markets import MARKET_RANK, MARKET_TYPES
from oddsdesk.contract.resources import Answer, Meta
from oddsdesk.contract.times import parse_ms
from oddsdesk.store.quotas import Kind

RETRY_AFTER_S = 5
"""The ``Retry-After`` of a 503, in seconds."""

Headers = Sequence[tuple[bytes, bytes]]

JSON = b"application/json"

CSV = b"text/csv; charset=utf-8; header=present"

SHORT: Final = 1_000
"""Bodies below this length (bytes) are not compressed: they fit into one packet."""

_encoder = msgspec.json.Encoder()
_GZIP_WINDOW: Final = 16 + zlib.MAX_WBITS
_NOT_ACCEPTED: Final = re.compile(rb"q=0(\.0*)?")
_WEIGHT: Final = re.compile(r"0(\.[0-9]{0,3})?|1(\.0{0,3})?", re.ASCII)
_TAG: Final = re.compile(rb'"[!#-~\x80-\xff]*"')
_QUOTED: Final = re.compile(r'[",\r\n]')
RequestHeaders = Iterable[tuple[bytes, bytes]]
V = TypeVar("V")


class Payload(msgspec.Struct, frozen=True):
    """An endpoint's result: the envelope's data, with its count for lists."""

    data: Any
    count: int | None = None
    next_cursor: str | None = None
    simulated: bool | None = None
    mixed: bool | None = None
    shifted: bool | None = None
    silences: list[list[str]] | None = None


class Bare(msgspec.Struct, frozen=True):
    """An endpoint's answer without an envelope."""

    data: Any
    status: int = 200


class Reply(msgspec.Struct, frozen=True):
    """A response, ready to be sent."""

    status: int
    body: bytes
    headers: list[tuple[bytes, bytes]] = msgspec.field(default_factory=list)
    content_type: bytes = JSON
    cache_control: bytes = b"no-store"


class Refusal(Exception):  # noqa: N818 - not an error of ours, an answer
    """Ends a request with an Error object as the answer; raised anywhere below the gate."""

    def __init__(self, code: ErrorCode, message: str, headers: Headers = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.headers = headers


class Wanted(msgspec.Struct, frozen=True):
    """What a client wants of an answer, besides its content."""

    is_table: bool
    packs: bool
    """Whether it accepts compressed answers; no answer has a secret next to texts of a caller."""
    unless: bytes
    """The ``If-None-Match`` of the request; empty without one."""
    whose: tuple[Any, ...]
    """The key's number, its rights, path and query: others never have the same entity tags."""


def encode_bare(found: Bare) -> Reply:
    """Return an answer without an envelope."""
    return Reply(found.status, _encoder.encode(found.data))


def encode(found: Payload, remaining: int, data: Any, wanted: Wanted) -> Reply:
    """Return a success as JSON or CSV, or that the client has it already (304).

    ``remaining`` is the quota left, the same as in the headers; ``data`` is the type of the data.
    """
    content = _encoder.encode(found.data)
    tag = _entity_tag(found, content, wanted)
    headers = [(b"etag", tag), (b"vary", b"Accept, Accept-Encoding, X-Api-Key")]
    reply = Reply(304, b"", headers, cache_control=b"private, no-cache")
    if _is_known(tag, wanted.unless):
        return reply
    if wanted.is_table:
        headers.extend(_table_headers(found))
        body, content_type = _table(content, data), CSV
    else:
        body = _encoder.encode(Answer(msgspec.Raw(content), _meta(found, remaining)))
        content_type = JSON
    reply = msgspec.structs.replace(reply, status=200, body=body, content_type=content_type)
    return packed(reply) if wanted.packs else reply


def _meta(found: Payload, remaining: int) -> Meta:
    return Meta(
        rate_limit_remaining=remaining,
        count=msgspec.UNSET if found.count is None else found.count,
        next_cursor=found.next_cursor or msgspec.UNSET,
        simulated=msgspec.UNSET if found.simulated is None else found.simulated,
        mixed=msgspec.UNSET if found.mixed is None else found.mixed,
        shifted=msgspec.UNSET if found.shifted is None else found.shifted,
        silences=msgspec.UNSET if found.silences is None else found.silences,
    )


def _entity_tag(found: Payload, content: bytes, wanted: Wanted) -> bytes:
    """Return the weak tag of an answer: of all of it but the quota and the silences.

    A silence that lasts ends now, so it would change the tag of each poll.
    """
    told = (found.count, found.next_cursor, found.simulated, found.mixed, found.shifted)
    digest = hashlib.blake2b(_encoder.encode((wanted.whose, wanted.is_table, told)), digest_size=16)
    digest.update(content)
    return b'W/"%s"' % digest.hexdigest().encode()


def _is_known(tag: bytes, unless: bytes) -> bool:
    """Whether an ``If-None-Match`` names a tag; weak and strong ones compare alike (RFC 9110)."""
    return unless.strip() == b"*" or tag.removeprefix(b"W/") in _TAG.findall(unless)


def _table_headers(found: Payload) -> Iterator[tuple[bytes, bytes]]:
    """Yield what a table has no place for."""
    if found.next_cursor:
        yield b"x-next-cursor", found.next_cursor.encode()
    if found.count is not None:
        yield b"x-count", str(found.count).encode()
    flags = ((b"x-simulated", found.simulated), (b"x-mixed", found.mixed))
    for name, value in (*flags, (b"x-shifted", found.shifted)):
        if value is not None:
            yield name, _encoder.encode(value)
    if found.silences is not None:
        yield b"x-silences", str(len(found.silences)).encode()


def _table(content: bytes, kind: Any) -> bytes:
    """Return data in JSON as CSV (RFC 4180), a row a price, with the same header every time."""
    data = msgspec.json.decode(content, type=kind)
    item, items = (get_args(kind)[0], data) if isinstance(data, list) else (kind, [data])
    columns = columns_of(item)
    rows = rows_of(item, items)
    cells = [map(_writer(column), column) for column in zip(*rows, strict=True)]
    lines = [",".join(columns), *map(",".join, zip(*cells, strict=True)), ""]
    return "\r\n".join(lines).encode()


class _Cells(dict[Any, str]):
    """The cells of a column by value: values mostly repeat."""

    def __missing__(self, value: Any) -> str:
        cell = self[value] = _cell(value)
        return cell


def _writer(column: Sequence[Any]) -> Callable[[Any], str]:
    """Return what turns the values of a column into cells."""
    return _cell if isinstance(column[0], list) else _Cells().__getitem__


def _cell(value: Any) -> str:
    """Return a value as a cell: numbers as in JSON, lists as JSON, texts safe in a spreadsheet."""
    if value is None or value is msgspec.UNSET:
        return ""
    text = safe_text(value) if isinstance(value, str) else _encoder.encode(value).decode()
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text


def prefers_table(headers: RequestHeaders) -> bool:
    """Return whether the ``Accept`` of a request prefers CSV to JSON.

    At the same weight the one that it names more exactly, then JSON. What is neither gets JSON.
    """
    given = b",".join(value for name, value in headers if name == b"accept")
    if b"text/" not in given.lower() and b"q=" not in given.lower():
        return False
    ranges: dict[str, float] = {}
    for each in given.decode("latin-1").lower().split(","):
        name, *parameters = (part.strip() for part in each.split(";"))
        weights = [part[2:] for part in parameters if part.startswith("q=")] or ["1"]
        if _WEIGHT.fullmatch(weights[0]):
            ranges[name] = max(float(weights[0]), ranges.get(name, 0.0))
    csv = _preference(ranges, "text/csv")
    return csv[0] > 0 and csv > _preference(ranges, "application/json")


def _preference(ranges: Mapping[str, float], kind: str) -> tuple[float, int]:
    """Return the weight of a media type, and how exactly it is named."""
    names = (kind, f"{kind.partition('/')[0]}/*", "*/*")
    return next(
        ((ranges[name], -at) for at, name in enumerate(names) if name in ranges), (0.0, -len(names))
    )


def accepts_gzip(headers: RequestHeaders) -> bool:
    """Return whether a client accepts compressed answers."""
    given = b",".join(value for name, value in headers if name == b"accept-encoding")
    for each in given.lower().split(b","):
        coding, _, weight = each.replace(b" ", b"").partition(b";")
        if coding in (b"gzip", b"x-gzip"):
            return _NOT_ACCEPTED.fullmatch(weight) is None
    return False


def packed(reply: Reply) -> Reply:
    """Return a response compressed, as fast as possible; a short one unchanged."""
    if len(reply.body) < SHORT:
        return reply
    packer = zlib.compressobj(zlib.Z_BEST_SPEED, wbits=_GZIP_WINDOW)
    body = packer.compress(reply.body) + packer.flush()
    headers = [*reply.headers, (b"content-encoding", b"gzip")]
    return msgspec.structs.replace(reply, body=body, headers=headers)


def encode_data(data: Any) -> msgspec.Raw:
    """Return data as JSON that later envelopes include unchanged."""
    return msgspec.Raw(_encoder.encode(data))


def refuse(refusal: Refusal, upgrade_url: str) -> Reply:
    """Return the Error object; ``upgrade_url`` is part of every 403 and nothing else."""
    code = refusal.code
    detail = ErrorDetail(
        code.value, refusal.message, upgrade_url=upgrade_url if code.status == 403 else None
    )
    return Reply(code.status, _encoder.encode(ErrorBody(detail)), list(refusal.headers))


def unavailable() -> Refusal:
    """Return the refusal while the database cannot be read or written."""
    return Refusal(
        ErrorCode.SERVICE_UNAVAILABLE,
        N_(f"The database is temporarily unavailable; retry in {RETRY_AFTER_S} s, with backoff."),
        [(b"retry-after", str(RETRY_AFTER_S).encode())],
    )


def going_down() -> Refusal:
    """Return the refusal of a request while the server stops."""
    return Refusal(ErrorCode.SERVICE_UNAVAILABLE, N_("The server is stopping; retry with backoff."))


def failed() -> Refusal:
    """Return the refusal after a bug: without any detail."""
    return Refusal(
        ErrorCode.INTERNAL_ERROR,
        N_("Internal error; the server's log has the details. Retry with backoff."),
    )


async def send_reply(scope: Scope, send: Send, reply: Reply) -> None:
    """Send a response over ASGI; for a WebSocket it refuses the handshake."""
    kind = "http" if scope["type"] == "http" else "websocket.http"
    headers = [
        (b"cache-control", reply.cache_control),
        (b"x-content-type-options", b"nosniff"),
        *reply.headers,
    ]
    if reply.status != 304:
        headers.append((b"content-type", reply.content_type))
        headers.append((b"content-length", str(len(reply.body)).encode()))
    await send({"type": f"{kind}.response.start", "status": reply.status, "headers": headers})
    await send({"type": f"{kind}.response.body", "body": reply.body})


MAX_FIELDS = 200
_SHOWN = 60
_INTEGER = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_DECIMAL = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?", re.ASCII)
_UUID = re.compile(r"[0-9a-fA-F]{8}(-?)(?:[0-9a-fA-F]{4}\1){3}[0-9a-fA-F]{12}", re.ASCII)
_MOMENT = "as_of"
_NOT_OF_A_MOMENT = N_("not supported here; use /api/odds or /api/games for past odds")
_SPORT_BY_LOWER = {sport.lower(): sport for sport in SPORTS}


class BadParameterError(ValueError):
    """An invalid parameter; the message has its name, its value and what is allowed."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"{name}: {problem}")


class Parameter(msgspec.Struct, frozen=True):
    """A query parameter: its default and allowed values.

    ``parse`` turns its text into its value, or raises ``ValueError``. ``schema`` is ``allowed`` in
    JSON Schema, for the API's documentation.
    """

    name: str
    default: Any
    allowed: str
    parse: Callable[[str], Any]
    schema: Mapping[str, Any]
    meaning: str


FORMATS: Final = ("json", "csv")
FORMAT: Final = Parameter(
    "format",
    None,
    "json or csv",
    lambda text: _one_of({name: name for name in FORMATS}, text),
    {"type": "string", "enum": list(FORMATS)},
    "The format of the answer, whatever Accept says.",
)
"""A parameter of all endpoints that read."""


def text_parameter(name: str, meaning: str = "") -> Parameter:
    """Return a parameter that is matched exactly; an unknown name matches nothing."""
    schema = {"type": "string", "minLength": 1}
    return Parameter(name, None, "a non-empty text", str, schema, meaning)


def sport_parameter() -> Parameter:
    """Return the sport filter, which ignores case; an unknown sport matches nothing."""
    schema = {"type": "string", "minLength": 1}
    meaning = "Sport, in any case."
    return Parameter("sport", None, "the name of a sport", _sport, schema, meaning)


def market_type() -> Parameter:
    """Return the filter by one of the contract's market types."""
    allowed = f"one of {', '.join(MARKET_TYPES)}"
    schema = {"type": "string", "enum": list(MARKET_TYPES)}
    return Parameter("market_type", None, allowed, _market_type, schema, "One market type.")


def boolean(name: str, meaning: str = "", *, only: bool | None = None) -> Parameter:
    """Return a parameter that is ``true`` or ``false``, or ``only`` one of them."""
    values = {"true": True, "false": False}
    taken = {word: value for word, value in values.items() if only in (None, value)}
    schema = {"type": "boolean"} if only is None else {"type": "boolean", "const": only}
    return Parameter(name, None, " or ".join(taken), partial(_one_of, taken), schema, meaning)


def integer(
    name: str,
    meaning: str = "",
    default: int | None = None,
    *,
    minimum: int = 0,
    maximum: int | None = None,
) -> Parameter:
    """Return a whole number in plain ASCII digits, bounds included."""
    bounds = f", {minimum} or more" if maximum is None else f" from {minimum} to {maximum}"
    parse = partial(_number, _INTEGER, int, minimum, maximum)
    schema = {"type": "integer", "minimum": minimum}
    if maximum is not None:
        schema["maximum"] = maximum
    return Parameter(name, default, f"a whole number{bounds}", parse, schema, meaning)


def number(name: str, meaning: str, default: float, *, minimum: float, maximum: float) -> Parameter:
    """Return a decimal number in plain ASCII digits, bounds included."""
    parse = partial(_number, _DECIMAL, float, minimum, maximum)
    allowed = f"a number from {minimum:g} to {maximum:g}"
    schema = {"type": "number", "minimum": minimum, "maximum": maximum}
    return Parameter(name, default, allowed, parse, schema, meaning)


def moment(name: str, meaning: str) -> Parameter:
    """Return a moment in ISO-8601 with an offset, as milliseconds."""
    schema = {"type": "string", "format": "date-time"}
    allowed = "an ISO-8601 time with an offset such as 2026-11-20T18:30:00Z"
    return Parameter(name, None, allowed, parse_ms, schema, meaning)


def game_id() -> Parameter:
    """Return the filter by one game, in either case, with or without dashes."""
    schema = {"type": "string", "format": "uuid"}
    return Parameter("game_id", None, "a UUID", read_uuid, schema, "One game.")


def read_uuid(text: str) -> str:
    """Return a UUID as ``game_id`` writes it; ValueError if the text is none."""
    if not _UUID.fullmatch(text):
        raise ValueError("not a UUID")
    return str(uuid.UUID(text))


def read_query(
    query: bytes, parameters: Sequence[Parameter], *, are_all: bool = True
) -> dict[str, Any]:
    """Return the value of every parameter; unknown parameters are ignored.

    Except ``as_of`` if these ``are_all``: current odds would be mistaken for past ones.

    Raises:
        BadParameterError: a value is empty, repeated, of the wrong type or out of range; or
            ``as_of`` is not supported here.
    """
    values = {parameter.name: parameter.default for parameter in parameters}
    if not query:
        return values
    given = _fields(query)
    if are_all and _MOMENT in given and _MOMENT not in values:
        raise BadParameterError(_MOMENT, _NOT_OF_A_MOMENT)
    for parameter in parameters:
        texts = given.get(parameter.name)
        if texts is not None:
            values[parameter.name] = _read(parameter, texts)
    return values


def _read(parameter: Parameter, texts: Sequence[str]) -> Any:
    if len(texts) > 1:
        raise BadParameterError(
            parameter.name, f"given {len(texts)} times, expected {parameter.allowed} once"
        )
    text = texts[0]
    if not text or _is_broken(text):
        raise BadParameterError(parameter.name, f"expected {parameter.allowed}, got {_shown(text)}")
    try:
        return parameter.parse(text)
    except ValueError as error:
        problem = f"expected {parameter.allowed}, got {_shown(text)}"
        raise BadParameterError(parameter.name, problem) from error


def _fields(query: bytes) -> Mapping[str, list[str]]:
    try:
        pairs = parse_qsl(
            query.decode("utf-8", "surrogateescape"),
            keep_blank_values=True,
            errors="surrogateescape",
            max_num_fields=MAX_FIELDS,
        )
    except ValueError as error:
        raise BadParameterError("query", f"expected at most {MAX_FIELDS} parameters") from error
    fields: dict[str, list[str]] = {}
    for name, text in pairs:
        fields.setdefault(name, []).append(text)
    return fields


def _is_broken(text: str) -> bool:
    """Whether the query was not UTF-8: its bytes were then decoded as lone surrogates."""
    return any("\ud800" <= letter <= "\udfff" for letter in text)


def _shown(text: str) -> str:
    cut = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
    return ascii(cut) if _is_broken(cut) else repr(cut)


def _sport(text: str) -> str:
    return _SPORT_BY_LOWER.get(text.lower(), text)


def _market_type(text: str) -> str:
    if text not in MARKET_RANK:
        raise ValueError
    return text


def _one_of(values: Mapping[str, V], text: str) -> V:
    if text not in values:
        raise ValueError
    return values[text]


def _number(
    pattern: re.Pattern[str],
    kind: Callable[[str], float],
    minimum: float,
    maximum: float | None,
    text: str,
) -> float:
    if not pattern.fullmatch(text):
        raise ValueError
    value = kind(text)
    if value < minimum or (maximum is not None and value > maximum):
        raise ValueError
    return value


BOUNDS_S: Final = (0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
"""Upper bounds of the histogram of seconds; longer times are in the last bucket, ``+Inf``."""


class Sample(msgspec.Struct, frozen=True):
    """One value of a family of ``metrics.FAMILIES``, or of a part of it such as ``_bucket``."""

    name: str
    value: float
    labels: dict[str, str] = {}


class Refused(StrEnum):
    """Why a request is refused before an endpoint is asked."""

    HOST = "host"
    """It names another server."""
    ORIGIN = "origin"
    """It comes from a page of another site."""
    BUSY = "busy"
    """The queue is full."""
    LEFT = "left"
    """Its client left while it waited."""
    MALFORMED = "malformed"
    """It is not HTTP, or incomplete in time."""
    TOO_LARGE = "too_large"
    """Its headers or its body are too long."""
    UNENCRYPTED = "unencrypted"
    """It is unencrypted at an encrypted address."""


class Figures:
    """Counts of answers, refusals and used-up quotas; for the server's loop.

    They contain nothing that a request sent.
    """

    def __init__(self) -> None:
        self._began = time.time()
        self._answers: Counter[tuple[str, int]] = Counter()
        self._buckets: dict[str, list[int]] = {}
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._refusals: Counter[Kind] = Counter()
        self._turned_away: Counter[Refused] = Counter()

    def answered(self, endpoint: str, status: int, seconds: float) -> None:
        """Count an answer by its path with parameter names, never with values."""
        self._answers[endpoint, status] += 1
        buckets = self._buckets.get(endpoint)
        if buckets is None:
            buckets = self._buckets[endpoint] = [0] * (len(BOUNDS_S) + 1)
        buckets[bisect.bisect_left(BOUNDS_S, seconds)] += 1
        self._seconds[endpoint] += seconds

    def count_refusal(self, kind: Kind) -> None:
        """Count a request, token or connection above a key's quota."""
        self._refusals[kind] += 1

    def turned_away(self, why: Refused) -> None:
        """Count a request that is refused before any endpoint."""
        self._turned_away[why] += 1

    def request_samples(self) -> Iterator[Sample]:
        """Yield what was counted."""
        yield Sample("process_start_time_seconds", self._began)
        for (endpoint, status), count in self._answers.items():
            labels = {"endpoint": endpoint, "status": str(status)}
            yield Sample("oddsdesk_requests_total", count, labels)
        for endpoint, buckets in self._buckets.items():
            yield from self._histogram(endpoint, buckets)
        for kind in Kind:  # from 0 on, or rate() misses the first
            labels = {"kind": kind.value}
            yield Sample("oddsdesk_quota_refusals_total", self._refusals[kind], labels)
        for why in Refused:
            labels = {"why": why.value}
            yield Sample("oddsdesk_requests_refused_total", self._turned_away[why], labels)

    def _histogram(self, endpoint: str, buckets: list[int]) -> Iterator[Sample]:
        name, labels, so_far = "oddsdesk_request_duration_seconds", {"endpoint": endpoint}, 0
        for bound, count in zip((*map(str, BOUNDS_S), "+Inf"), buckets, strict=True):
            so_far += count
            yield Sample(f"{name}_bucket", so_far, {**labels, "le": bound})
        yield Sample(f"{name}_sum", self._seconds[endpoint], labels)
        yield Sample(f"{name}_count", so_far, labels)


def of_process() -> Iterator[Sample]:
    """Yield the standard Prometheus figures of a process."""
    yield Sample("process_cpu_seconds_total", time.process_time())
    if sys.platform == "linux":
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        yield Sample("process_resident_memory_bytes", pages * os.sysconf("SC_PAGESIZE"))


LimitsOf = Callable[[RequestHeaders], Headers]
"""Returns the rate-limit headers of an answer given before the request reached the gate."""


def no_limits(_request: RequestHeaders) -> Headers:
    """Return no headers, if nobody is counted."""
    return ()
