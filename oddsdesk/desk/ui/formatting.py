"""How figures and names are written: decimals that suit each, to be compared by eye in columns.

Odds are written in the style of the whole desk, as a locale is of a whole program
(``odds_format`` chooses it): a table that shows another style than the next would mislead.
No price is shown better than it is, and the ends of windows are rounded inwards.
"""

import math
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from typing import Final

from oddsdesk.base.figures import may_be_thousands
from oddsdesk.base.market_words import market_text, period_text, shown_game
from oddsdesk.base.numbers import date_text, decimal_mark, hour_text, num, weekday_text, with_marks
from oddsdesk.base.texts import _, pgettext
from oddsdesk.contract.identity import teams
from oddsdesk.contract.times import DAY_MS, HOUR_MS
from oddsdesk.pricing import formats
from oddsdesk.pricing.profiles import Profiles

NO_WINDOW: Final = pgettext("price window", "none")
"""In place of a window where the reference prices the line, but no price can be value."""
_TOLD_BY_SELECTIONS: Final = frozenset({"", "moneyline", "spread", "total", "double_chance"})
"""Market types that people read from the text of a selection alone: "Over 2.5" is the total."""
_MOST_EDGE: Final = 999
_LONG_ODDS: Final = 100
_SAMPLES: Final = {
    formats.AMERICAN: "−10000",
    formats.FRACTIONAL: "88.8/1",
    formats.MALAY: "−8.8888",
    formats.INDONESIAN: "−88.88",
    formats.IMPLIED: "88.8 %",
}
_WINDOW_SAMPLES: Final = {
    formats.AMERICAN: _("{low} to {high}").format(low="−8888", high="−8888"),
    formats.FRACTIONAL: "88.88 – 88.88/1",
    formats.MALAY: _("{low} to {high}").format(low="−8.888", high="−8.888"),
    formats.INDONESIAN: _("{low} to {high}").format(low="−88.88", high="−88.88"),
    formats.IMPLIED: "88.8 – 88.8 %",
}
_SIGNED: Final = (formats.AMERICAN, formats.MALAY, formats.INDONESIAN)
"""Styles with signs, between which a dash would be read as one."""
_STYLE_WORDS: Final = {
    formats.DECIMAL: pgettext("in the title of a field for odds", "decimal"),
    formats.AMERICAN: pgettext("in the title of a field for odds", "american"),
    formats.FRACTIONAL: pgettext("in the title of a field for odds", "fractional"),
    formats.HONG_KONG: pgettext("in the title of a field for odds", "hong kong"),
    formats.MALAY: pgettext("in the title of a field for odds", "malay"),
    formats.INDONESIAN: pgettext("in the title of a field for odds", "indonesian"),
    formats.IMPLIED: pgettext("in the title of a field for odds", "implied"),
}
_style = formats.DECIMAL


def choose_style(style: str) -> None:
    """Write odds in another style of ``pricing.formats`` from now on."""
    if style not in formats.STYLES:
        raise ValueError(f"expected one of {', '.join(formats.STYLES)}, got {style!r}")
    global _style
    _style = style


def odds_style() -> str:
    """Return the style that odds are written in now."""
    return _style


def style_word() -> str:
    """Return the style's name as it stands in a title."""
    return _STYLE_WORDS[_style]


def odds_title(title: str) -> str:
    """Return the title of a field for odds, with the style unless they are decimal."""
    return title if _style == formats.DECIMAL else f"{title}, {_STYLE_WORDS[_style]}"


def odds_sample(*, has_long: bool = True) -> str:
    """Return the widest odds that are common, to size a column by.

    ``has_long``: whether there are any from 10 on.
    """
    return with_marks(_SAMPLES.get(_style, "88.88" if has_long else "8.88"))


def window_sample() -> str:
    """Return the widest price window that is common."""
    return with_marks(_WINDOW_SAMPLES.get(_style, "88.88 – 88.88"))


def odds_text(odds: float) -> str:
    """Return odds as a column shows them: decimal ones with 2 decimals, and the 3rd if quoted."""
    return with_marks(_in_style(odds, _style))


def exact_odds_text(odds: float) -> str:
    """Return odds with every decimal that was quoted, at least 2; ``+105 (2.0525)`` if inexact."""
    whole, _, decimals = f"{odds:.6f}".rstrip("0").partition(".")
    quoted = with_marks(f"{whole}.{decimals:0<2}")
    if _style == formats.DECIMAL:
        return quoted
    text = formats.format_odds(odds, _style)
    is_exact = math.isclose(formats.parse_odds(text, _style), odds, rel_tol=1e-9)
    text = with_marks(_true_minus(text))
    return text if is_exact else f"{text} ({quoted})"


def typed_text(odds: float) -> str:
    """Return odds as one types them: every decimal that there is, and the sign of the keyboard."""
    text = f"{odds:.12g}" if _style == formats.DECIMAL else formats.format_odds(odds, _style)
    return with_marks(text)


def read_odds(text: str) -> float:
    """Return the decimal odds that were typed in the style of the desk, or plainly in another.

    Raises:
        OddsFormatError: it is no odds, or may be decimal and American ones.
    """
    is_grouped = may_be_thousands(text) and "," in text and text.strip()[:1].isdigit()
    if is_grouped and _style == formats.AMERICAN and decimal_mark() == ",":
        plain = text.strip()
        raise formats.OddsFormatError(f"{plain} may mean thousands: write them without a comma")
    return formats.parse_typed(text, _style)


def read_as_text(text: str, odds: float) -> str:
    """Return typed odds as decimal odds; empty if they were typed that way."""
    plain = text.strip().replace(",", ".", 1)
    try:
        is_plain = float(plain) == odds and not (plain[0] == "+" or may_be_thousands(text))
    except ValueError:
        is_plain = False
    return "" if is_plain else _("{odds} decimal").format(odds=f"{num(odds):.6g}")


def fair_text(odds: float) -> str:
    """Return fair odds; decimal ones with 3 decimals, 1 from 100 on."""
    if _style != formats.DECIMAL:
        return with_marks(_in_style(odds, _style))
    return f"{num(odds):.3f}" if odds < _LONG_ODDS else f"{num(odds):.1f}"


LAID: Final = "L "
"""Before a best price that is a lay of the other selection."""
DERIVED_MARK: Final = "~"
"""Before fair odds that the sharp book's other lines say, not its prices of the line itself."""


def marked_fair_text(odds: float, *, is_derived: bool) -> str:
    """Return fair odds, with a mark where they are derived."""
    return f"{DERIVED_MARK}{fair_text(odds)}" if is_derived else fair_text(odds)


_WIDE_BAND: Final = 9.95


def band_text(points: float) -> str:
    """Return by how many percentage points an EV may be off: ``±1.1``, ``±12``."""
    return f"±{num(points):.1f}" if points < _WIDE_BAND else f"±{points:.0f}"


def window_text(value_from: float | None, suspicious_above: float | None) -> str:
    """Return a price window, its ends rounded inwards; ``NO_WINDOW`` for none."""
    if value_from is None or suspicious_above is None:
        return NO_WINDOW
    return with_marks(_window(value_from, suspicious_above, _style))


def least_text(odds: float) -> str:
    """Return the price that something begins at, rounded up."""
    return with_marks(_end(odds, _style, is_least=True))


def most_text(odds: float) -> str:
    """Return the price that something ends at, rounded down."""
    return with_marks(_end(odds, _style, is_least=False))


def percent_text(percent: float) -> str:
    """Return a percentage with 1 decimal and a true minus."""
    rounded = formats.to_tenth(percent)
    return f"−{num(-rounded):.1f}" if rounded < 0 else f"{num(rounded):.1f}"


def signed_text(percent: float) -> str:
    """Return a percentage with 1 decimal and its sign."""
    text = percent_text(percent)
    return f"+{text}" if formats.to_tenth(percent) > 0 else text


def edge_text(ev: float) -> str:
    """Return an EV as a cell shows it, of the desk or of a service."""
    return gain_text(formats.ev_to_tenth(ev))


def gain_text(percent: float) -> str:
    """Return a gain as a cell shows it: above 999 % nobody needs to know, and it would be cut."""
    return f"> {_MOST_EDGE} %" if percent > _MOST_EDGE else f"{signed_text(percent)} %"


def signed_hundredths_text(percent: float) -> str:
    """Return a percentage with 2 decimals and its sign."""
    return _true_minus(f"{num(round(percent, 2) or 0.0):+.2f}")


def amount_text(amount: float) -> str:
    """Return an amount of money in few characters: 850, 12k, 1.2M."""
    if amount < 1_000:
        return f"{amount:.0f}"
    if amount < 999_500:
        return f"{amount / 1_000:.0f}k"
    return f"{num(amount / 1_000_000):.1f}M"


@lru_cache(maxsize=16_384)
def _in_style(odds: float, style: str) -> str:
    return _true_minus(formats.format_in_column(odds, style))


@lru_cache(maxsize=8_192)
def _window(least: float, most: float, style: str) -> str:
    low, high, unit = formats.format_window(least, most, style)
    span = _("{low} to {high}") if style in _SIGNED else "{low} – {high}"
    return _true_minus(f"{span.format(low=low, high=high)}{unit}")


@lru_cache(maxsize=8_192)
def _end(odds: float, style: str, *, is_least: bool) -> str:
    return _true_minus(formats.format_end(odds, style, is_least=is_least))


def _true_minus(text: str) -> str:
    return text.replace("-", "−")


_SIDES: Final = ("Home", "Away")


def untold_text(market_type: str, sport: str, period: int, selection: str, match_name: str) -> str:
    """Return the period and market if the selection's text does not show them.

    For a team's total, it is the team, which also names the game.
    """
    title = "" if market_type in _TOLD_BY_SELECTIONS else market_text(market_type)
    pair = teams(match_name) if market_type == "team_total" else None
    if pair is not None and (side := selection.partition(" ")[0]) in _SIDES:
        title = pair[_SIDES.index(side)]
    return " · ".join(filter(None, (title, period_text(sport, period) if period else "")))


def game_text(selection: str, match_name: str) -> str:
    """Return the opponent of a selected team, such as "v Arsenal", else both teams."""
    pair = teams(match_name)
    if pair is None or selection not in pair:
        return shown_game(match_name)
    return _("v {team}").format(team=pair[selection == pair[0]])


MINUTE_MS = 60_000
_FIRST_MS = round(datetime(1, 1, 2, tzinfo=UTC).timestamp()) * 1000
_LAST_MS = round(datetime(9999, 12, 31, tzinfo=UTC).timestamp()) * 1000


def typed_time_text(ms: int | None) -> str:
    """Return a local time to fill in a field, which reads it back; empty for none."""
    return "" if ms is None else moment_text(ms)


def example_day() -> str:
    """Return a day as one may type it, for hints."""
    return date_text(_EXAMPLE)


def example_moment() -> str:
    """Return a day and hour as one may type them, for hints."""
    return f"{example_day()} {hour_text(_EXAMPLE)}"


def local_time(ms: int, zone: tzinfo | None = None) -> datetime:
    """Return the moment in a zone, the machine's own where none is given.

    Within a day of the calendar's ends, where a zone may lead out of it, it stays inside.
    """
    ms = min(max(ms, _FIRST_MS), _LAST_MS)
    return datetime.fromtimestamp(ms / 1000, UTC).astimezone(zone)


def kick_off_text(
    ms: int | None, now_ms: int, zone: tzinfo | None = None, *, within_sentence: bool = False
) -> str:
    """Return a kick-off as people say it: ``Today 14:00``, ``Sun 14:00``, ``25 Apr 14:00``."""
    if ms is None:
        return _("time unknown")
    moment, now = local_time(ms, zone), local_time(now_ms, zone)
    days = (moment.date() - now.date()).days
    if days == 0:
        today = _("today {time}") if within_sentence else _("Today {time}")
        return today.format(time=hour_text(moment))
    if 0 < days < 7:
        return f"{weekday_text(moment)} {hour_text(moment)}"
    return f"{date_text(moment, year=False)} {hour_text(moment)}"


def day_text(ms: int, zone: tzinfo | None = None) -> str:
    """Return a day with its year: ``17 Aug 2024``."""
    return date_text(local_time(ms, zone))


def moment_text(ms: int, zone: tzinfo | None = None) -> str:
    """Return a moment of any year: ``17 Aug 2024 23:59``."""
    return f"{day_text(ms, zone)} {hour_text(local_time(ms, zone))}"


_EXAMPLE: Final = datetime(2026, 4, 16, 20, 45)
_WIDEST: Final = datetime(2028, 11, 28, 10, 0)


def day_sample(*, year: bool = False) -> str:
    """Return the widest text of ``kick_off_text``, or with the year of ``moment_text``."""
    days = (date_text(_WIDEST.replace(month=month), year=year) for month in (11, *range(1, 13)))
    return f"{max(days, key=len)} {hour_text(_WIDEST)}"


def today_sample() -> str:
    """Return the widest text of ``kick_off_text`` for today."""
    return _("Today {time}").format(time=hour_text(_WIDEST))


def clock_text(ms: int, now_ms: int, zone: tzinfo | None = None) -> str:
    """Return a moment of the past: ``14:02:08`` today, ``17 Aug 14:02``.

    For tooltips, which are written once however long they are read: an age would stand still.
    """
    moment, now = local_time(ms, zone), local_time(now_ms, zone)
    if moment.date() == now.date():
        return hour_text(moment, seconds=True)
    if moment.year != now.year:
        return moment_text(ms, zone)
    return f"{date_text(moment, year=False)} {hour_text(moment)}"


def unmoved_text(changed_at: int, now_ms: int, *, has_moved: bool) -> str:
    """Return since when a price is as it is, or, ``has_moved`` not, since when this is known.

    A service tells what stands, not since when: before the first sight it may have moved or not.
    """
    since = clock_text(changed_at, now_ms)
    text = _("unchanged since {time}") if has_moved else _("no move seen since {time}")
    return text.format(time=since)


def until_text(ms: int, now_ms: int) -> str:
    """Return how far off a moment is: ``in 2 d 19 h``, ``in 12 min``, ``1 h 5 min ago``."""
    span = abs(ms - now_ms)
    if span < MINUTE_MS:
        return pgettext("a moment", "now")
    text = _("in {span}") if ms > now_ms else _("{span} ago")
    return text.format(span=span_text(span))


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


class BookmakerNames:
    """Names from profiles; a bookmaker without a short one keeps its whole name."""

    def __init__(self, profiles: Profiles | None = None) -> None:
        self.revision = 0
        """Grows whenever names change."""
        self.use_names(profiles or Profiles())

    def use_names(self, profiles: Profiles) -> None:
        """Take names from other profiles; the caller has views repaint."""
        self._profiles = profiles
        self._short: dict[str, str] = {}
        self._codes: dict[str, str] = {}
        self.revision += 1

    def short(self, name: str) -> str:
        """Return the short name: ``Betfair UK``."""
        short = self._short.get(name)
        if short is None:
            short = self._short[name] = self._profiles.profile_of(name).short or name
        return short

    def code(self, name: str) -> str:
        """Return the code of about three letters: ``BFX``; the name where there is none."""
        code = self._codes.get(name)
        if code is None:
            code = self._codes[name] = self._profiles.profile_of(name).code or self.short(name)
        return code

    def told_apart(self, names: Iterable[str]) -> dict[str, str]:
        """Return the short name of each; whole names where two would be called the same."""
        short = {name: self.short(name) for name in names}
        counts = Counter(short.values())
        return {name: one if counts[one] == 1 else name for name, one in short.items()}
