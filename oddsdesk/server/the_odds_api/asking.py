"""Reads the parameters of a request to The Odds API's paths, and refuses as it does."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar
from urllib.parse import parse_qsl

import msgspec

from oddsdesk.contract.times import format_ms, parse_ms
from oddsdesk.feeds.the_odds_api.published import REGIONS
from oddsdesk.server.the_odds_api.keys import is_market_key

T = TypeVar("T")

_DETAILS: Final = "https://the-odds-api.com/liveapi/guides/v4/api-error-codes.html"
_MOST_FIELDS: Final = 50
_MOST_NAMES: Final = 200
_SHOWN: Final = 60
_EVENT_ID: Final = re.compile(r"[0-9a-zA-Z_-]{1,64}")
_BOOKMAKER: Final = re.compile(r"[a-z0-9_.]{1,60}")


class TurnedDown(Exception):  # noqa: N818 - not an error of ours, an answer
    """A request that The Odds API would refuse, with its code and status."""

    def __init__(self, code: str, message: str, status: int = 422) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status

    @property
    def body(self) -> dict[str, str]:
        """The answer, in their format."""
        anchor = self.code.lower().replace("_", "-")
        return {
            "message": self.message,
            "error_code": self.code,
            "details_url": f"{_DETAILS}#{anchor}",
        }


class Asked(msgspec.Struct, frozen=True):
    """The parameters that all paths share; a path ignores those it does not have."""

    regions: frozenset[str] | None
    markets: tuple[str, ...]
    bookmakers: frozenset[str] | None
    """By key; they go before ``regions``."""
    is_american: bool
    is_unix: bool
    event_ids: frozenset[str] | None
    begins_from: int | None
    begins_to: int | None
    date: int | None
    days_from: int | None
    lists_all: bool
    links: bool
    sids: bool
    bet_limits: bool

    def time(self, ms: int) -> str | int:
        """Return a time in the requested format, in whole seconds."""
        return ms // 1000 if self.is_unix else iso(ms)


def iso(ms: int) -> str:
    """Return a time as The Odds API writes it, in whole seconds."""
    return f"{format_ms(ms - ms % 1000)[:-5]}Z"


def read_query(raw: bytes) -> Asked:
    """Read a query string; parameters that are unknown here are ignored.

    Raises:
        TurnedDown: there is no key, or a value makes no sense.
    """
    said = _fields(raw)
    if not (said.get("apiKey") or said.get("api_key")):
        message = "API key is missing. This server accepts any text as apiKey."
        raise TurnedDown("MISSING_KEY", message, 401)
    since, until = (_read(said, f"commenceTime{end}", _moment, _MOMENT) for end in ("From", "To"))
    if since is not None and until is not None and since > until:
        message = "commenceTimeFrom: expected a time before commenceTimeTo."
        raise TurnedDown("INVALID_COMMENCE_TIME_RANGE", message)
    return Asked(
        regions=_names(said, "regions", "INVALID_REGION", REGIONS.__contains__, str.lower),
        markets=_markets(said),
        bookmakers=_names(said, "bookmakers", "INVALID_BOOKMAKERS", _BOOKMAKER.fullmatch),
        is_american=_choice(said, "oddsFormat", ("decimal", "american")) == "american",
        is_unix=_choice(said, "dateFormat", ("iso", "unix")) == "unix",
        event_ids=_names(said, "eventIds", "INVALID_EVENT_IDS", _EVENT_ID.fullmatch),
        begins_from=since,
        begins_to=until,
        date=_read(said, "date", _moment, _MOMENT, "INVALID_HISTORICAL_TIMESTAMP"),
        days_from=_read(said, "daysFrom", _days, "a whole number from 1 to 3", _DAYS_CODE),
        lists_all=_flag(said, "all", "INVALID_ALL_SPORTS_PARAM"),
        links=_flag(said, "includeLinks"),
        sids=_flag(said, "includeSids"),
        bet_limits=_flag(said, "includeBetLimits"),
    )


def require_bookmakers(asked: Asked) -> None:
    """Refuse a request for odds that names neither regions nor bookmakers."""
    if asked.regions is None and asked.bookmakers is None:
        raise TurnedDown("MISSING_REGION", "regions or bookmakers: expected one of them.")


_MOMENT: Final = "a time such as 2026-11-20T18:00:00Z"
_DAYS_CODE: Final = "INVALID_SCORES_DAYS_FROM"


def _fields(raw: bytes) -> Mapping[str, str]:
    """Return the fields; of one that is given several times, its values separated by commas."""
    try:
        text, most = raw.decode("ascii"), _MOST_FIELDS
        pairs = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=most)
    except ValueError as error:  # too many, no ASCII, or no UTF-8
        message = f"expected at most {_MOST_FIELDS} parameters in ASCII, percent-encoded UTF-8."
        raise TurnedDown("INVALID_PARAMETERS", message) from error
    found: dict[str, str] = {}
    for name, value in pairs:
        found[name] = f"{found[name]},{value}" if found.get(name) else value
    return found


def _read(
    said: Mapping[str, str],
    name: str,
    parse: Callable[[str], T],
    expected: str,
    code: str | None = None,
) -> T | None:
    """Return a value; None if it is not given or empty."""
    text = said.get(name)
    if not text:
        return None
    try:
        return parse(text)
    except ValueError as error:
        raise _invalid(name, expected, text, code) from error


def _invalid(name: str, expected: str, text: str, code: str | None = None) -> TurnedDown:
    own = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()
    cut = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    return TurnedDown(code or f"INVALID_{own}", f"{name}: expected {expected}, got {cut!a}.")


def _moment(text: str) -> int:
    if not text.isascii():
        raise ValueError(text)
    return parse_ms(text)


def _days(text: str) -> int:
    if text not in ("1", "2", "3"):
        raise ValueError(text)
    return int(text)


def _choice(said: Mapping[str, str], name: str, allowed: tuple[str, ...]) -> str:
    text = said.get(name) or allowed[0]
    if text not in allowed:
        raise _invalid(name, " or ".join(allowed), text)
    return text


def _flag(said: Mapping[str, str], name: str, code: str | None = None) -> bool:
    text = (said.get(name) or "false").lower()
    if text not in ("true", "false"):
        raise _invalid(name, "true or false", text, code)
    return text == "true"


def _names(
    said: Mapping[str, str],
    name: str,
    code: str,
    is_valid: Callable[[str], Any],
    fold: Callable[[str], str] = str,
) -> frozenset[str] | None:
    """Return the names of a list with commas; None if there are none."""
    found = [fold(word.strip()) for word in said.get(name, "").split(",") if word.strip()]
    if len(found) > _MOST_NAMES:
        raise _invalid(name, f"at most {_MOST_NAMES} names", str(len(found)), code)
    for word in found:
        if not is_valid(word):
            raise _invalid(name, "names of The Odds API, separated by commas", word, code)
    return frozenset(found) or None


def _markets(said: Mapping[str, str]) -> tuple[str, ...]:
    given = _names(said, "markets", "INVALID_MARKET", is_market_key)
    return ("h2h",) if given is None else tuple(sorted(given))
