"""Quotes: what a feed yields, and how one is read from a line of NDJSON."""

import json
import math
import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeGuard
from urllib.parse import urlsplit

import msgspec

from oddsdesk.contract.competitions import (
    SPORT_BY_COMPETITION,
    named_sport,
    played_sport,
    source_sport,
    sport_of,
)
from oddsdesk.contract.identity import fold_name, teams
from oddsdesk.contract.markets import LINE_MARKETS, MARKET_RANK
from oddsdesk.contract.resources import Level, OddsRow, Offer
from oddsdesk.contract.texts import (
    LONGEST_LINK,
    LONGEST_NAME,
    MINUS,
    N_,
    UNSHOWABLE,
    json_words,
    shown,
)
from oddsdesk.contract.times import MINUTE_MS, YEARS, format_ms, is_in_years, parse_ms

CLOCK_TOLERANCE_MS = 5 * MINUTE_MS
"""How far ahead of the clock a ``scraped_at`` may lie."""
MAX_PERIOD = 1_000
MOST_ODDS = 100_000.0
MOST_LEVELS = 10
"""Levels kept of each side of a book, the best ones."""
MOST_LIQUIDITY = 1e12
"""What no bookmaker offers or takes: such figures are mistakes, and spoil every sum they are in."""
UNNAMED = ""
"""In ``Quote.unread``: an outcome with an unreadable name or line, so it may be any."""

_LINE = re.compile(
    rf"(?P<whose>.+) (?P<sign>[+{MINUS}-]?)(?P<whole>\d{{1,4}})"
    r"(?:(?:\.(?=\d{1,3}$)|,(?=\d{1,2}$))(?P<decimals>\d+))?",
    re.ASCII,
)
"""Three digits after a comma may be thousands."""
_CURRENCY = re.compile(r"[A-Z]{3}", re.ASCII)


class BadQuoteError(ValueError):
    """A quote that makes no sense; the message names the field and what was expected."""


class Quote(msgspec.Struct, frozen=True, gc=False):
    """What one bookmaker says of one market at one time; times in milliseconds.

    ``odds`` maps selection to decimal odds (> 1, <= ``MOST_ODDS``). A selection that is missing
    there is no longer offered, unless it ``stays``; empty ``odds`` withdraw the market.
    ``liquidity`` is the bookmaker's maximum bet, shown for the reference only. ``event``
    is what a source calls the game, ``SOURCE:ID``: two of one source are two games.
    """

    bookmaker: str
    match_name: str
    competition: str
    market_type: str
    period: int
    odds: dict[str, float]
    scraped_at: int
    is_live: bool = False
    match_date: int | None = None
    url: str | None = None
    liquidity: float | None = None
    event: str | None = None
    offers: dict[str, Offer] | None = None
    """By selection, where a source tells more than prices.

    Answers hold those with levels or links.
    """
    unread: dict[str, str] | None = None
    """Why the price of a selection could not be read, by selection: its last price stays.

    With ``UNNAMED`` among them, every selection stays that is neither in ``odds`` nor ``gone``.
    """
    sport: str | None = None
    """What is played, as the source says; None where the contract's table has the competition."""
    gone: tuple[str, ...] = ()
    """Selections named as not offered; filled only if ``UNNAMED`` is unread."""
    dropped: tuple[str, ...] = ()
    """Why a limit, a link or an offer of this quote was left out; its prices are not affected."""

    @property
    def price_count(self) -> int:
        """The number of prices, back and lay, as files and imports count them."""
        offers = self.offers or {}
        return len(self.odds) + sum([len(offer.lay) for offer in offers.values()])

    def stays(self, selection: str) -> bool:
        """Return whether the last price of a selection stays, as this quote does not change it."""
        unread = self.unread
        if not unread or selection in self.odds:
            return False
        return selection in unread or (UNNAMED in unread and selection not in self.gone)


class _Line(msgspec.Struct):
    bookmaker: str
    match_name: str
    competition: str
    market_type: str
    period: int
    odds: dict[str, float | None]
    scraped_at: str
    is_live: bool = False
    match_date: str | None = None
    url: str | None = None
    liquidity: float | None = None
    event: str | None = None
    offers: dict[str, Offer] | None = None
    sport: Any = None
    source_sport: Any = None


class _QuoteLine(OddsRow, frozen=True, kw_only=True):
    """An odds row with what only quotes have."""

    event: str | msgspec.UnsetType = msgspec.UNSET


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(_Line)
_fields = msgspec.json.Decoder(dict[str, msgspec.Raw])


def parse_quote(line: bytes | str, now_ms: int) -> Quote:
    """Read one line of NDJSON, an odds row of the contract.

    Odds of null, 0 or 1 withdraw their selection. One whose odds make no sense otherwise is put
    into ``Quote.unread``, a limit, link or offer that makes none into ``Quote.dropped``, and the
    rest of the line is read.

    Raises:
        BadQuoteError: the line is no quote, or none of its odds can be read; says which field
            and what was expected.
    """
    unread: dict[str, str] | None = None
    dropped: tuple[str, ...] = ()
    try:
        try:
            raw = _decoder.decode(line)
            _check_keys(line, raw)
        except (msgspec.DecodeError, _GivenTwiceError) as error:
            raw, unread, dropped = _read_in_parts(line, error)
    except RecursionError as error:
        raise BadQuoteError("JSON is nested too deeply") from error
    except UnicodeError as error:
        raise BadQuoteError(f"expected UTF-8 text: {error}") from error
    except msgspec.DecodeError as error:
        raise BadQuoteError(json_words(error)) from error
    quote = check_quote(
        Quote(
            bookmaker=raw.bookmaker,
            match_name=raw.match_name,
            competition=raw.competition,
            market_type=raw.market_type,
            period=raw.period,
            odds=raw.odds,  # type: ignore[arg-type]  # null is left out by check_quote
            scraped_at=_time("scraped_at", raw.scraped_at),
            is_live=raw.is_live,
            match_date=None if raw.match_date is None else _time("match_date", raw.match_date),
            url=raw.url,
            liquidity=raw.liquidity,
            event=raw.event,
            offers=raw.offers,
            unread=unread,
            sport=_text(raw.source_sport) or _text(raw.sport),
            dropped=dropped,
        ),
        now_ms,
    )
    if quote.unread and not quote.odds and not any(map(is_disabled, raw.odds.values())):
        raise BadQuoteError(_first_words([*quote.unread.values()]))
    return quote


class _GivenTwiceError(BadQuoteError):
    """A key is given twice in a JSON object."""

    def __init__(self, key: str) -> None:
        super().__init__(f"{shown(key)} is given twice")


def _check_keys(line: bytes | str, raw: _Line) -> None:
    """Refuse a key that is given twice, of which msgspec takes the last.

    Counting them costs 0.8 us; what adds up in no simple way is read again by the standard
    library, which costs ten times that.
    """
    said = line.count('":') if isinstance(line, str) else line.count(b'":')
    if raw.offers or said != len(_fields.decode(line)) + len(raw.odds):
        hook = _check_pairs
        json.loads(line, object_pairs_hook=hook, parse_int=str, parse_float=str, strict=False)


def _check_pairs(pairs: list[tuple[str, Any]]) -> None:
    seen = set[str]()
    for key, _ in pairs:
        if key in seen:
            raise _GivenTwiceError(key)
        seen.add(key)


def _read_in_parts(
    line: bytes | str, error: Exception
) -> tuple[_Line, dict[str, str] | None, tuple[str, ...]]:
    """Read a line of which only some odds, its limit, link or offers are bad.

    Returns why odds are unread, by selection, and why others of these are dropped. The standard
    library reads NaN and shows keys that are given twice. It is slow; such lines are rare.

    Raises:
        Exception: ``error``, where something else is wrong with the line.
    """
    twice: list[tuple[dict[str, Any], str]] = []

    def made(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                twice.append((found, key))
            found[key] = value
        return found

    try:
        row = json.loads(line, object_pairs_hook=made, parse_int=_number, strict=False)
    except ValueError:
        raise error from None
    odds = row.get("odds") if isinstance(row, dict) else None
    if not isinstance(odds, dict):
        raise error
    dropped: list[str] = []
    _drop_bad_fields(row, dropped)
    offers = row.pop("offers", None) or {}
    again = {key for of, key in twice if of is offers}
    again |= {name for name, each in offers.items() if any(of is each for of, _ in twice)}
    twice = [(of, key) for of, key in twice if all(of is not o for o in (offers, *offers.values()))]
    unread: dict[str, str] = {}
    for name, price in odds.items():
        if price is not None and not is_number(price):
            unread[name] = _odds_words(name, price)
    for of, key in twice:
        if of is not odds:
            raise _GivenTwiceError(key)
        unread[key] = N_(f"odds: {shown(key)} is given twice")
    kept = _read_offers(offers, again, dropped)
    if not unread and not dropped:
        raise error
    raw = _decoder.decode(_encoder.encode({**row, "odds": {}}))
    raw.odds = {name: price for name, price in odds.items() if name not in unread}
    raw.offers = kept or None
    return raw, unread or None, tuple(dropped)


def _drop_bad_fields(row: dict[str, Any], dropped: list[str]) -> None:
    """Remove a limit, a link and offers of the wrong kind from a row; add why to ``dropped``."""
    for name, kind, is_kind in (
        ("liquidity", "a number", is_number),
        ("url", "a text", _is_text),
        ("offers", "an object", _is_object),
    ):
        value = row.get(name)
        if value is not None and not is_kind(value):
            dropped.append(N_(f"{name}: expected {kind}, got {shown(str(value))}"))
            row[name] = None


def _read_offers(
    offers: dict[str, Any], again: Collection[str], dropped: list[str]
) -> dict[str, Offer]:
    kept: dict[str, Offer] = {}
    for selection, offer in offers.items():
        try:
            if selection in again:
                raise _GivenTwiceError(selection)
            read = msgspec.convert(offer, Offer)
            if not all(map(math.isfinite, _numbers(read))):
                raise BadQuoteError(f"{shown(selection)}: expected numbers, got {offer}")
            kept[selection] = read
        except BadQuoteError as error:
            dropped.append(f"offers: {error}")
        except msgspec.ValidationError as error:
            dropped.append(f"offers: {shown(selection)}: {json_words(error)}")
    return kept


def _numbers(offer: Offer) -> list[float]:
    levels = [number for level in (*offer.back, *offer.lay) for number in level]
    return levels if offer.bet_limit is None else [offer.bet_limit, *levels]


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a finite number that a float can hold."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return abs(value) <= sys.float_info.max


def _number(text: str) -> float:
    """Read a whole number; one of many digits as a float, as the standard library refuses it."""
    return int(text) if len(text) < 20 else float(text)


def is_disabled(price: float | None) -> bool:
    """Tell whether odds say that a selection is not offered now: null, 0 or 1."""
    return price is None or price in (0, 1)


def bad_part_words(quote: Quote) -> str:
    """Return the unread parts of a quote in one line; empty if all was read."""
    reasons = [*(quote.unread or {}).values(), *quote.dropped]
    return _first_words(reasons) if reasons else ""


def _first_words(reasons: Sequence[str]) -> str:
    first, *others = reasons
    return N_(f"{first} (and {len(others)} more)") if others else first


def check_quote(quote: Quote, now_ms: int) -> Quote:
    """Return the quote with names in stored form, or say what is wrong with it.

    Disabled selections are left out, those whose odds make no sense are in ``unread``, and a limit,
    link or offer that makes none is left out and in ``dropped``. A name that makes no sense is
    ``UNNAMED``.

    Raises:
        BadQuoteError: another field is out of range; says which and what was expected.
    """
    if quote.market_type not in MARKET_RANK:
        raise BadQuoteError(f"market_type: {shown(quote.market_type)} is not one of the contract's")
    if not 0 <= quote.period <= MAX_PERIOD:
        raise BadQuoteError(f"period: expected 0 to {MAX_PERIOD}, got {shown(quote.period)}")
    if quote.scraped_at > now_ms + CLOCK_TOLERANCE_MS:
        raise BadQuoteError(
            f"scraped_at: {format_ms(quote.scraped_at)} lies more than 5 minutes ahead"
        )
    check_years("scraped_at", quote.scraped_at)
    check_years("match_date", quote.match_date)
    sport = quote.sport
    if sport is not None:
        sport = None if quote.competition in SPORT_BY_COMPETITION else named_sport(sport)
    liquidity, url = quote.liquidity, quote.url
    dropped = list(quote.dropped)
    if liquidity is not None and not 0 <= liquidity <= MOST_LIQUIDITY:
        dropped.append(N_(f"liquidity: expected 0 or more, at most 1e12, got {liquidity}"))
        liquidity = None
    try:
        check_link(url)
    except BadQuoteError as error:
        dropped.append(str(error))
        url = None
    odds, unread, gone = _odds(quote)
    return msgspec.structs.replace(
        quote,
        bookmaker=check_name("bookmaker", quote.bookmaker),
        match_name=check_match_name(quote.match_name),
        competition=check_name("competition", quote.competition),
        odds=odds,
        url=url,
        liquidity=liquidity,
        event=_event(quote.event),
        offers=None if not quote.offers else _offers(quote, dropped),
        unread=unread,
        sport=sport,
        gone=gone,
        dropped=tuple(dropped),
    )


def odds_row(quote: Quote) -> OddsRow:
    """Return the quote as it stands on the wire."""
    return OddsRow(
        bookmaker=quote.bookmaker,
        match_name=quote.match_name,
        competition=quote.competition,
        sport=sport_of(quote.competition),
        market_type=quote.market_type,
        period=quote.period,
        is_live=quote.is_live,
        odds=quote.odds,
        match_date=None if quote.match_date is None else format_ms(quote.match_date),
        scraped_at=format_ms(quote.scraped_at),
        url=quote.url,
        liquidity=quote.liquidity,
        source_sport=source_sport(quote.competition, played_sport(quote.competition, quote.sport)),
        offers=quote.offers or msgspec.UNSET,
    )


def quote_line(quote: Quote) -> bytes:
    """Return the quote as a line of NDJSON that ``parse_quote`` reads."""
    row = odds_row(quote)
    if quote.event is None and not quote.unread:
        return _encoder.encode(row)
    line = _QuoteLine(**msgspec.structs.asdict(row), event=quote.event or msgspec.UNSET)
    if not quote.unread:
        return _encoder.encode(line)
    odds = {**quote.odds, **dict.fromkeys(quote.gone, 0), **dict.fromkeys(quote.unread, "not read")}
    return _encoder.encode({**msgspec.to_builtins(line), "odds": odds})


_Read = tuple[dict[str, float], dict[str, str] | None, tuple[str, ...]]
"""Odds, why others were not read, and selections named as not offered."""


def _odds(quote: Quote) -> _Read:
    """Return the odds, why others were not read, and what is ``gone``, all in stored form."""
    checked: dict[str, float] = {}
    market_type = quote.market_type
    if quote.unread:
        return _readable_odds(quote)
    for selection, price in quote.odds.items():
        if price is None or not 1 < price <= MOST_ODDS or len(selection) > LONGEST_NAME:
            return _readable_odds(quote)
        name = _stored_selection(market_type, selection)
        if name is None or name in checked:
            return _readable_odds(quote)
        checked[name] = price
    return checked, None, ()


def _readable_odds(quote: Quote) -> _Read:
    """Return what ``_odds`` does of a quote of which not all is odds.

    A game with a draw never loses only its draw: what is left would look like a bet on two. Only
    in football it does not, as there is always a draw.
    """
    market_type = quote.market_type
    read, disabled, unread = dict[str, float](), set(quote.gone), dict[str, str]()
    for said, reason in (quote.unread or {}).items():
        unread.setdefault(_stored_selection(market_type, said) or UNNAMED, reason)
    for said, price in quote.odds.items():
        try:
            name = check_selection(market_type, "odds", said)
        except BadQuoteError as error:
            unread.setdefault(UNNAMED, str(error))
            continue
        if name in unread or name in read or name in disabled:
            read.pop(name, None)
            unread.setdefault(name, N_(f"odds: {shown(name)} is given twice"))
        elif is_disabled(price):
            disabled.add(name)
        elif 1 < price <= MOST_ODDS:
            read[name] = price
        else:
            unread[name] = _odds_words(name, price)
    sport = played_sport(quote.competition, quote.sport)
    if market_type == "moneyline" and sport != "Football":
        both = teams(quote.match_name)
        if both is not None and _without_teams(disabled, both):
            disabled |= set(read)
            read.clear()
        elif both is not None and _may_lack_draw(read, unread, both):
            words = N_("odds: not read without the draw")
            unread |= dict.fromkeys(read, words)
            read.clear()
    gone = tuple(sorted(disabled - set(unread))) if UNNAMED in unread else ()
    return read, unread or None, gone


def _may_lack_draw(
    read: Mapping[str, float], unread: Mapping[str, str], both: tuple[str, str]
) -> bool:
    """Return whether the draw of a moneyline was probably not read.

    An outcome without a name is the draw where both teams have odds.
    """
    if UNNAMED in unread and len(read) >= len(both) and not _without_teams(read, both):
        return True
    return bool(_without_teams([name for name in unread if name != UNNAMED], both))


def _without_teams(names: Iterable[str], both: tuple[str, str]) -> list[str]:
    """Return the selections of a moneyline that are no team: the draw, whatever it is called."""
    folded = {fold_name(team).casefold() for team in both}
    return [name for name in names if name.casefold() not in folded]


def _odds_words(selection: str, price: object) -> str:
    return N_(
        f"odds: expected a number above 1, at most {MOST_ODDS:,.0f},"
        f" for {shown(selection)}, got {shown(price) if isinstance(price, str) else price}"
    )


def check_years(field: str, ms: int | None) -> None:
    """Refuse a time outside ``YEARS``, with a ``BadQuoteError``; None passes."""
    if ms is not None and not is_in_years(ms):
        raise BadQuoteError(
            f"{field}: expected a year from {YEARS.start} to {YEARS.stop - 1}, got {format_ms(ms)}"
        )


def check_match_name(text: str) -> str:
    """Return the name of a game in stored form; errors as for ``check_name``."""
    name = check_name("match_name", text)
    if _is_of_one_team(name):
        raise BadQuoteError(f"match_name: expected two teams, got {shown(name)}")
    return name


@lru_cache(maxsize=1 << 14)
def _is_of_one_team(match_name: str) -> bool:
    both = teams(match_name)
    return both is not None and both[0].casefold() == both[1].casefold()


def check_name(field: str, text: str) -> str:
    """Return a name in stored form.

    Raises:
        BadQuoteError: it is too long, or has no letter or digit; says which field.
    """
    if len(text) > LONGEST_NAME:
        raise BadQuoteError(
            f"{field}: expected a name of at most {LONGEST_NAME} characters,"
            f" got {len(text):,}: {shown(text)}"
        )
    name = _stored_name(text)
    if name is None:
        raise BadQuoteError(f"{field}: expected a name, got {shown(text)}")
    return name


@lru_cache(maxsize=1 << 14)
def _stored_name(text: str) -> str | None:
    """The folded name; None without a letter or digit, or where it cannot be shown."""
    folded = fold_name(text)
    is_name = len(folded) <= LONGEST_NAME and any(map(str.isalnum, folded))
    return folded if is_name and not UNSHOWABLE.search(folded) else None


def _offers(quote: Quote, dropped: list[str]) -> dict[str, Offer] | None:
    """Return the offers that make sense; of others the reason is added to ``dropped``."""
    checked: dict[str, Offer] = {}
    for selection, offer in (quote.offers or {}).items():
        try:
            checked[check_selection(quote.market_type, "offers", selection)] = _offer(
                quote, selection, offer
            )
        except BadQuoteError as error:
            dropped.append(str(error))
    return checked or None


def _offer(quote: Quote, selection: str, offer: Offer) -> Offer:
    """Return an offer with the best levels of its book.

    Raises:
        BadQuoteError: it makes no sense.
    """
    limit = offer.bet_limit
    if limit is not None and not 0 < limit < math.inf:
        raise BadQuoteError(f"offers: expected a bet_limit above 0, got {limit}")
    if offer.sid is not None:
        check_name("offers", offer.sid)
    try:
        check_link(offer.link)
    except BadQuoteError as error:
        raise BadQuoteError(f"offers: {error}") from error
    if not offer.back and not offer.lay and offer.currency is None:
        return offer
    odds = quote.odds.get(selection)
    return _with_levels(offer, selection, None if is_disabled(odds) else odds)


def _with_levels(offer: Offer, selection: str, odds: float | None) -> Offer:
    """Return an offer with the best levels of each side, or say what is wrong with them."""
    back, lay = offer.back, offer.lay
    _check_levels("back", selection, back)
    _check_levels("lay", selection, lay)
    if back and odds is not None and back[0][0] != odds:
        raise BadQuoteError(
            f"offers: back of {shown(selection)}: expected the first level at its odds,"
            f" {odds:g}, got {back[0][0]:g}"
        )
    currency = offer.currency
    if currency is not None and not _CURRENCY.fullmatch(currency):
        raise BadQuoteError(
            f"offers: currency: expected three capital letters, got {shown(currency)}"
        )
    if len(back) <= MOST_LEVELS and len(lay) <= MOST_LEVELS:
        return offer
    return msgspec.structs.replace(offer, back=back[:MOST_LEVELS], lay=lay[:MOST_LEVELS])


def _check_levels(side: str, selection: str, levels: tuple[Level, ...]) -> None:
    sign = 1 if side == "back" else -1
    before = sign * math.inf
    for odds, size in levels:
        if not 1 < odds <= MOST_ODDS or not 0 <= size <= MOST_LIQUIDITY:
            raise BadQuoteError(
                f"offers: {side} of {shown(selection)}: expected odds above 1 and an amount"
                f" from 0 on, got {odds:g} and {size:g}"
            )
        if sign * odds >= sign * before:
            raise BadQuoteError(
                f"offers: {side} of {shown(selection)}: expected the best odds first,"
                f" each once, got {odds:g} after {before:g}"
            )
        before = odds


def check_selection(market_type: str, field: str, text: str) -> str:
    """Return a selection in stored form, its line included; errors as for ``check_name``."""
    name = check_name(field, text)
    return _with_plain_line(name) if market_type in LINE_MARKETS else name


def _stored_selection(market_type: str, text: str) -> str | None:
    """Return what ``_selection`` does of a text of usual length; None where it is no name."""
    name = _stored_name(text)
    if name is None or market_type not in LINE_MARKETS:
        return name
    return _with_plain_line(name)


@lru_cache(maxsize=1 << 14)
def _with_plain_line(name: str) -> str:
    """Return a selection with its line as all write it: a line is found by its text."""
    match = _LINE.fullmatch(name)
    if match is None:
        return name
    decimals = (match["decimals"] or "").rstrip("0")
    sign = match["sign"].replace(MINUS, "-")
    return f"{match['whose']} {sign}{match['whole']}{'.' if decimals else ''}{decimals}"


def _event(text: str | None) -> str | None:
    if text is None:
        return None
    name = check_name("event", text)
    source, _, ident = name.partition(":")
    if not (source and ident):
        raise BadQuoteError(f"event: expected SOURCE:ID, got {shown(text)}")
    return name


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _time(field: str, text: Any) -> int:
    try:
        return parse_ms(text)
    except ValueError as error:
        raise BadQuoteError(f"{field}: {error}") from error


def check_link(url: str | None) -> str | None:
    """Return a link that may be opened: http or https.

    Raises:
        BadQuoteError: it is none.
    """
    if url is None:
        return None
    try:
        parts = urlsplit(url)
        well_formed = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        well_formed = False
    if not well_formed or UNSHOWABLE.search(url) or " " in parts.netloc:
        raise BadQuoteError(f"url: expected an http or https address, got {shown(url)}")
    if len(url) > LONGEST_LINK:
        raise BadQuoteError(
            f"url: expected at most {LONGEST_LINK:,} characters, got {len(url):,}: {shown(url)}"
        )
    return url
