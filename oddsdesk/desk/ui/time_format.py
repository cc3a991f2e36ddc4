"""How times are said to people: kick-offs, ages, what is left."""

from datetime import UTC, datetime, tzinfo

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS
_FIRST_MS = round(datetime(1, 1, 2, tzinfo=UTC).timestamp()) * 1000
_LAST_MS = round(datetime(9999, 12, 31, tzinfo=UTC).timestamp()) * 1000


def local_time(ms: int, zone: tzinfo | None = None) -> datetime:
    """Return the moment in a zone, the machine's own where none is given.

    Within a day of the calendar's ends, where a zone may lead out of it, it stays inside.
    """
    ms = min(max(ms, _FIRST_MS), _LAST_MS)
    return datetime.fromtimestamp(ms / 1000, UTC).astimezone(zone)


def kick_off_text(ms: int | None, now_ms: int, zone: tzinfo | None = None) -> str:
    """Return a kick-off as people say it: ``14:00`` today, ``Sun 14:00``, ``25 Apr 14:00``."""
    if ms is None:
        return "time unknown"
    moment, now = local_time(ms, zone), local_time(now_ms, zone)
    days = (moment.date() - now.date()).days
    if days == 0:
        return f"Today {moment:%H:%M}"
    if 0 < days < 7:
        return f"{moment:%a %H:%M}"
    return f"{moment.day} {moment:%b %H:%M}"


def day_text(ms: int, zone: tzinfo | None = None) -> str:
    """Return a day with its year: ``17 Aug 2024``."""
    moment = local_time(ms, zone)
    return f"{moment.day} {moment:%b %Y}"


def moment_text(ms: int, zone: tzinfo | None = None) -> str:
    """Return a moment of any year: ``17 Aug 2024 23:59``."""
    return f"{day_text(ms, zone)} {local_time(ms, zone):%H:%M}"


def clock_text(ms: int, now_ms: int, zone: tzinfo | None = None) -> str:
    """Return a moment of the past: ``14:02:08`` today, ``17 Aug 14:02``.

    For tooltips, which are written once however long they are read: an age would stand still.
    """
    moment, now = local_time(ms, zone), local_time(now_ms, zone)
    if moment.date() == now.date():
        return f"{moment:%H:%M:%S}"
    return f"{moment.day} {moment:%b %H:%M}" if moment.year == now.year else moment_text(ms, zone)


def unmoved_text(changed_at: int, now_ms: int, *, has_moved: bool) -> str:
    """Return since when a price is as it is, or, ``has_moved`` not, since when this is known.

    A service tells what stands, not since when: before the first sight it may have moved or not.
    """
    since = clock_text(changed_at, now_ms)
    return f"unchanged since {since}" if has_moved else f"no move seen since {since}"


def until_text(ms: int, now_ms: int) -> str:
    """Return how far off a moment is: ``in 2 d 19 h``, ``in 12 min``, ``1 h 5 min ago``."""
    span = abs(ms - now_ms)
    if span < MINUTE_MS:
        return "now"
    text = span_text(span)
    return f"in {text}" if ms > now_ms else f"{text} ago"


def span_text(span_ms: int) -> str:
    """Return a span in its two largest units: ``2 d 19 h``, ``41 min``, ``12 s``."""
    if span_ms >= DAY_MS:
        return _two(span_ms // DAY_MS, "d", span_ms % DAY_MS // HOUR_MS, "h")
    if span_ms >= HOUR_MS:
        return _two(span_ms // HOUR_MS, "h", span_ms % HOUR_MS // MINUTE_MS, "min")
    if span_ms >= MINUTE_MS:
        return f"{span_ms // MINUTE_MS} min"
    return f"{max(0, span_ms) // 1000} s"


def age_text(span_ms: int) -> str:
    """Return an age in one short unit, as columns show it: ``12 s``, ``3 min``, ``2 h``."""
    if span_ms >= DAY_MS:
        return f"{span_ms // DAY_MS} d"
    if span_ms >= HOUR_MS:
        return f"{span_ms // HOUR_MS} h"
    return span_text(span_ms)


def _two(large: int, large_unit: str, small: int, small_unit: str) -> str:
    return f"{large} {large_unit} {small} {small_unit}" if small else f"{large} {large_unit}"
