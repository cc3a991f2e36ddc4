"""Converts v4 answers of The Odds API into quotes and results; every price is kept or counted."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from types import MappingProxyType
from typing import Any, TypeVar

import msgspec

from oddsdesk.base.texts import N_
from oddsdesk.contract.competitions import played_sport
from oddsdesk.contract.identity import fold_name
from oddsdesk.contract.markets import Form, form_of
from oddsdesk.contract.quotes import UNNAMED, BadQuoteError, Quote, check_link
from oddsdesk.contract.resources import Offer
from oddsdesk.contract.results import BadResultError, GameResult, GameStatus, check_result
from oddsdesk.contract.texts import LONGEST_NAME, shown
from oddsdesk.feeds import imported, notation
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.the_odds_api import tables
from oddsdesk.feeds.the_odds_api.markets import LAYS, TENNIS_LINES, MarketKind, market_kind

_EXPECTED = N_(
    "expected a v4 odds answer of The Odds API (an array of events with bookmakers, or with scores)"
)
_FILLED = frozenset({"bookmakers", "scores"})
"""An event of an answer has one of these."""
_LONGEST_SCORE = 5
"""Digits."""
_HEAD_BYTES = 4_096
T = TypeVar("T")


class Outcome(msgspec.Struct, frozen=True):
    """One price, maybe none or none that makes sense; ``description`` is the player or team."""

    name: str
    price: float | str | None
    point: float | None = None
    description: str | None = None
    bet_limit: Any = None
    sid: Any = None
    link: Any = None


class Market(msgspec.Struct, frozen=True):
    """One market of a bookmaker, its outcomes not looked into yet."""

    key: str
    outcomes: list[Any]
    last_update: str | int | None = None
    link: Any = None


class Bookmaker(msgspec.Struct, frozen=True):
    """One bookmaker, its markets not looked into yet."""

    key: str
    title: str
    markets: list[Any]
    last_update: str | int | None = None
    link: Any = None


class Event(msgspec.Struct, frozen=True):
    """One game, its bookmakers not looked into yet."""

    sport_key: str
    commence_time: str | int
    home_team: str
    away_team: str
    bookmakers: list[Any]
    id: str | int | None = None


class TeamScore(msgspec.Struct, frozen=True):
    """What a team has scored, as a text."""

    name: str
    score: str | int | None


class ScoredEvent(msgspec.Struct, frozen=True):
    """One game of ``/scores``; ``scores`` is null before it begins."""

    sport_key: str
    commence_time: str | int
    home_team: str
    away_team: str
    completed: bool
    scores: list[TeamScore] | None = None
    last_update: str | int | None = None
    id: str | int | None = None


class Answer(msgspec.Struct, frozen=True):
    """A decoded answer; ``timestamp`` in milliseconds where it comes from the history."""

    events: list[Any]
    timestamp: int | None = None


def read_answers(data: bytes) -> list[Answer]:
    """Read the bytes of an answer: events, one event, scores, or history's ``{timestamp, data}``.

    A file may also have several answers of the history, in an array or one a line, or be a table
    that a program made of an answer.

    Raises:
        FeedError: it is of another shape; says which.
    """
    if not notation.is_json(data) and b"home_team" in data[:_HEAD_BYTES]:
        return [Answer(tables.read_events(data))]
    try:
        raw = notation.read_json(data, _EXPECTED)
    except FeedError:
        lines = data.splitlines()
        if len(lines) < 2 or not all(_is_object(line) for line in lines):
            raise
        raw = [notation.read_json(line, _EXPECTED) for line in lines if line.strip()]
    several = isinstance(raw, list) and raw and all(map(_is_of_history, raw))
    return [_answer(each) for each in raw] if several else [_answer(raw)]


def _is_of_history(raw: Any) -> bool:
    return isinstance(raw, dict) and "timestamp" in raw and "data" in raw


def _is_object(line: bytes) -> bool:
    plain = line.strip()
    return not plain or (plain.startswith(b"{") and plain.endswith(b"}"))


def moment(value: str | int) -> int:
    """Return a time of an answer, ISO-8601 or Unix seconds, in milliseconds.

    Raises:
        FeedError: it is no time.
    """
    return value * 1000 if isinstance(value, int) else notation.iso_ms(value)


def result_of(event: ScoredEvent) -> GameResult | None:
    """Return the score of a game; None if it has none yet.

    The source does not say whether an overtime is included, and gives no periods.

    Raises:
        FeedError: the score lacks a team, or makes no sense.
    """
    if not event.scores:
        return None
    found = {fold_name(each.name): each.score for each in event.scores}
    home, away = fold_name(event.home_team), fold_name(event.away_team)
    if len(found) != len(event.scores) or found.keys() != {home, away}:
        raise FeedError(f"scores: expected {home} and {away}, got {', '.join(found)}")
    competition = competition_of_sport(event.sport_key)
    kick_off = moment(event.commence_time)
    result = GameResult(
        competition,
        f"{home} vs {away}",
        kick_off,
        _points(found[home]),
        _points(found[away]),
        sport=played_sport(competition, event.sport_key.partition("_")[0]),
        status=GameStatus.FINAL if event.completed else GameStatus.IN_PLAY,
        reported_at=0 if event.last_update is None else moment(event.last_update),
    )
    try:
        return check_result(result, result.reported_at or kick_off)
    except BadResultError as error:
        raise FeedError(str(error)) from error


def scores_of(data: bytes) -> tuple[list[tuple[ScoredEvent, GameResult]], list[str]]:
    """Return the games of ``/scores`` that have a score, and why others cannot be read.

    Raises:
        FeedError: it is no such answer.
    """
    scored: list[tuple[ScoredEvent, GameResult]] = []
    problems: list[str] = []
    for number, raw in enumerate(notation.read_as(list[Any], notation.read_json(data, _EXPECTED))):
        try:
            event = notation.read_as(ScoredEvent, raw)
            if (result := result_of(event)) is not None:
                scored.append((event, result))
        except FeedError as error:
            problems.append(f"event {number + 1}: {error}")
    return scored, problems


def _points(said: str | int | None) -> int:
    text = str(said)
    if not (text.isascii() and text.isdigit()) or len(text) > _LONGEST_SCORE:
        raise FeedError(f"scores: expected a whole number, got {shown(said)}")
    return int(text)


def _answer(raw: Any) -> Answer:
    if isinstance(raw, dict) and "timestamp" in raw and isinstance(raw.get("data"), list | dict):
        return Answer(_answer(raw["data"]).events, moment(notation.read_as(str, raw["timestamp"])))
    if isinstance(raw, dict) and "bookmakers" in raw:
        return Answer([raw])
    if isinstance(raw, list):
        for event in raw:
            _refuse_old_shape(event)
        if not raw or any(isinstance(event, dict) and _FILLED & event.keys() for event in raw):
            return Answer(raw)
    raise FeedError(_refusal(raw))


def _refuse_old_shape(event: Any) -> None:
    if isinstance(event, dict) and "sites" in event:
        raise FeedError(f"{_EXPECTED}, but this is a list of sites from the former v3 API")


def _refusal(raw: Any) -> str:
    if isinstance(raw, list):
        return f"{_EXPECTED}, but {_named(raw)}"
    if not isinstance(raw, dict):
        return f"{_EXPECTED}, but this holds none"
    for event in raw["data"] if isinstance(raw.get("data"), list) else []:
        _refuse_old_shape(event)
    if "props" in raw:
        return N_(f"{_EXPECTED}, but this is a flat list of player props made from one")
    if isinstance(raw.get("message"), str):
        return N_(f"{_EXPECTED}, but the service answered an error: {raw['message']}")
    fields = ", ".join(list(raw)[:5]) or "nothing"
    return N_(f"{_EXPECTED}, but this is one object with {fields}")


def _named(raw: list[Any]) -> str:
    """Return what the objects of an array without bookmakers are."""
    fields = {field for item in raw if isinstance(item, dict) for field in item}
    if {"scraped_date", "match_link"} <= fields:
        return N_("this is OddsHarvester's JSON, which `oddsdesk import oddsharvester` reads")
    if {"commence_time", "home_team"} <= fields:
        return N_("these are events without odds")
    return N_("this holds none")


DRAW_NAMES = ("Draw", "Tie")
_FEWEST_GAMES = 6.0
"""A tennis total below the games of one set counts sets."""

Order = tuple[str, float, int]
"""Position of a selection in its market: subject, line, side."""


class UnreadOutcomeError(ValueError):
    """An unknown outcome; the message is the reason for its count."""


def market_type_of(kind: MarketKind, outcome: Outcome, competition: str) -> str:
    """Return the market type of an outcome: tennis lines count games unless clearly sets."""
    if played_sport(competition) != "Tennis" or kind.period:
        return kind.market_type
    in_sets = kind.market_type == "total" and (outcome.point or 0.0) < _FEWEST_GAMES
    return kind.market_type if in_sets else TENNIS_LINES.get(kind.market_type, kind.market_type)


def selection_of_outcome(kind: MarketKind, outcome: Outcome, event: Event) -> tuple[str, Order]:
    """Return a selection's text and its position in the market.

    Raises:
        UnreadOutcomeError: it names no side, team or line of the market.
    """
    match form_of(kind.market_type):
        case Form.WINNER:
            return _side(outcome, event, draw=kind.market_type == "moneyline")
        case Form.HANDICAP:
            return _handicap(outcome, event)
        case Form.OVER_UNDER:
            return _over_under("", outcome)
        case Form.TEAM_OVER_UNDER:
            return _team_total(outcome, event)
        case Form.PLAYER_OVER_UNDER:
            return _player(kind.stat, outcome)
        case Form.DOUBLE_CHANCE:
            return _double_chance(outcome, event)
        case _:
            return _yes_no("", outcome)


def _side(outcome: Outcome, event: Event, *, draw: bool) -> tuple[str, Order]:
    if draw and outcome.name in DRAW_NAMES:
        return "Draw", ("", 0.0, 1)
    team, rank = _team(outcome.name, event)
    return team, ("", 0.0, rank)


def _handicap(outcome: Outcome, event: Event) -> tuple[str, Order]:
    team, rank = _team(outcome.name, event)
    point = _line(outcome)
    return f"{team} {notation.signed_text(point)}", ("", point if rank == 0 else -point, rank)


def _over_under(subject: str, outcome: Outcome) -> tuple[str, Order]:
    if outcome.name not in ("Over", "Under"):
        raise UnreadOutcomeError("unknown outcome")
    point = _line(outcome)
    text = f"{subject} {outcome.name} {notation.line_text(point)}".strip()
    return text, (subject, point, int(outcome.name == "Under"))


def _team_total(outcome: Outcome, event: Event) -> tuple[str, Order]:
    _, rank = _team(outcome.description or "", event)
    text, (_, point, side) = _over_under("Away" if rank else "Home", outcome)
    return text, ("2" if rank else "1", point, side)


def _player(stat: str, outcome: Outcome) -> tuple[str, Order]:
    player = fold_name(outcome.description or "")
    if not player:
        raise UnreadOutcomeError("no player")
    subject = f"{player} {stat}"
    return _yes_no(subject, outcome) if outcome.point is None else _over_under(subject, outcome)


def _yes_no(subject: str, outcome: Outcome) -> tuple[str, Order]:
    if outcome.name not in ("Yes", "No"):
        raise UnreadOutcomeError("unknown outcome")
    return f"{subject} {outcome.name}".strip(), (subject, 0.0, int(outcome.name == "No"))


def _double_chance(outcome: Outcome, event: Event) -> tuple[str, Order]:
    home, away = fold_name(event.home_team), fold_name(event.away_team)
    texts = {
        "1X": {"1X", f"{home} or Draw", f"Draw or {home}"},
        "X2": {"X2", f"{away} or Draw", f"Draw or {away}"},
        "12": {"12", f"{home} or {away}", f"{away} or {home}"},
    }
    name = fold_name(outcome.name)
    for rank, (text, spellings) in enumerate(texts.items()):
        if name in spellings:
            return text, ("", 0.0, rank)
    raise UnreadOutcomeError("unknown outcome")


def _team(name: str, event: Event) -> tuple[str, int]:
    """The team's stored name with its side: 0 home, 2 away."""
    folded = fold_name(name)
    if folded == fold_name(event.home_team):
        return folded, 0
    if folded == fold_name(event.away_team):
        return folded, 2
    raise UnreadOutcomeError("unknown outcome")


def _line(outcome: Outcome) -> float:
    if outcome.point is None:
        raise UnreadOutcomeError("no line")
    return outcome.point


IMPOSSIBLE = N_("impossible price")
NO_NUMBER = N_("not a number")
SAID_TWICE = "duplicate"
BROKEN_OUTCOME = N_("broken outcome")
OUTRIGHT = "outright"
"""Reason for leaving out prices of a whole tournament: no game has them."""
_LAID = "h2h"
OUTRIGHTS = frozenset({"outrights", "outrights_lay"})
_NO_NUMBERS = frozenset({"NaN", "Infinity", "-Infinity"})
_DIGITS = re.compile(r"\s*[+-]?[0-9]{1,9}(\.[0-9]{1,9})?\s*")
SENSELESS = frozenset(
    {IMPOSSIBLE, NO_NUMBER, imported.BROKEN_DRAW}
    | {f"broken {part}" for part in ("event", "bookmaker", "market", "outcome")}
)
"""Reasons that mean a faulty source, not a market outside the contract."""
NO_OFFER = Offer()


def convert(file: imported.SourceFile, *, is_decimal: bool = False) -> imported.Imported:
    """Return the quotes and results of one answer; unreadable parts are listed as problems.

    Args:
        file: The answer.
        is_decimal: Whether decimal odds were requested: then it only counts as American if all its
            prices are. Otherwise its prices decide.

    Raises:
        FeedError: the file is not a v4 answer.
    """
    answers = read_answers(file.data)
    events = [event for answer in answers for event in answer.events]
    titles, prices = list(_bookmaker_titles(events)), list(_prices(events))
    reading = _Reading(
        file=file.name,
        american=notation.is_american(prices)
        and (not is_decimal or all(abs(each) >= 100 for each in prices)),
        names=bookmaker_names(titles),
    )
    if reading.american:
        reading.result.american.append(file.name)
    numbers = count(1)
    for answer in answers:
        reading.timestamp = answer.timestamp
        for event in answer.events:
            reading.read_event(event, f"event {next(numbers)}")
    if reading.without_score and reading.without_score == len(events):
        reading.result.problems.append(f"{file.name}: none of its games has a score yet")
    return reading.result


IMPORTER = imported.Importer(imported.file_by_file(convert), snapshots=True)


class _Group(msgspec.Struct):
    """Prices of one bookmaker that make one quote."""

    scraped_at: int
    url: str | None = None
    limit: float | None = None
    """The lowest of the outcomes' limits."""
    odds: dict[str, tuple[Order, float]] = msgspec.field(default_factory=dict)
    """By selection; 0 if not offered."""
    offers: dict[str, Offer] = msgspec.field(default_factory=dict)
    lays: dict[str, tuple[float, float]] = msgspec.field(default_factory=dict)
    """By selection, lay odds and amounts; 0 if unknown."""
    lays_at: int | None = None
    unread: dict[str, str] = msgspec.field(default_factory=dict)


_Groups = dict[tuple[str, int], _Group]


class _Reading(msgspec.Struct):
    file: str
    american: bool
    names: Mapping[str, str]
    timestamp: int | None = None
    without_score: int = 0
    """Games of ``/scores`` that have not begun."""
    result: imported.Imported = msgspec.field(default_factory=imported.Imported)

    def read_event(self, raw: Any, place: str) -> None:
        raw = _without_nan(raw)
        if isinstance(raw, dict) and "scores" in raw and "bookmakers" not in raw:
            self._read_score(raw, place)
            return
        if isinstance(raw, dict) and raw.get("home_team", "") is raw.get("away_team", "") is None:
            self._skip(OUTRIGHT, imported.count_prices(raw, "price"))
            return
        try:
            event = notation.read_as(Event, raw)
            kick_off = moment(event.commence_time)
        except FeedError as error:
            self._leave_out(N_("broken event"), raw, f"{place}: {error}")
            return
        for number, bookmaker in enumerate(event.bookmakers, start=1):
            self._read_bookmaker(bookmaker, event, kick_off, N_(f"{place}, bookmaker {number}"))

    def _read_score(self, raw: Any, place: str) -> None:
        try:
            result = result_of(notation.read_as(ScoredEvent, raw))
        except FeedError as error:
            self.result.problems.append(f"{self.file}: {place}: {error}")
            return
        if result is None:
            self.without_score += 1
        else:
            self.result.results.append(result)

    def _read_bookmaker(self, raw: Any, event: Event, kick_off: int, place: str) -> None:
        try:
            bookmaker = notation.read_as(Bookmaker, _without_nan(raw))
        except FeedError as error:
            self._leave_out(N_("broken bookmaker"), raw, f"{place}: {error}")
            return
        groups: _Groups = {}
        for market in bookmaker.markets:
            try:
                read = notation.read_as(Market, _without_nan(market))
                self._read_market(read, bookmaker, event, groups)
            except FeedError as error:
                self._leave_out(N_("broken market"), market, f"{place}: {error}")
        for (market_type, period), group in groups.items():
            self._take_lays(group)
            if group.odds or group.unread:
                name = self.names[bookmaker.key]
                self._say(event, kick_off, name, MarketKind(market_type, period), group, place)

    def _read_market(
        self, market: Market, bookmaker: Bookmaker, event: Event, groups: _Groups
    ) -> None:
        code = competition_of_sport(event.sport_key)
        is_lay = market.key == LAYS
        kind = market_kind(_LAID if is_lay else market.key, code)
        if kind is None:
            reason = OUTRIGHT if market.key in OUTRIGHTS else market.key
            self._skip(reason, imported.count_prices(market.outcomes, "price"))
            return
        scraped_at, keys = self._scraped_at(market, bookmaker), set[tuple[str, int]]()
        if is_lay:
            group = groups.setdefault((kind.market_type, kind.period), _Group(scraped_at))
            group.lays_at = scraped_at
            self._read_lays(kind, market, event, group)
            return
        outcomes = list(self._outcomes(market))
        for outcome in outcomes:
            key = (market_type_of(kind, outcome, code), kind.period)
            keys.add(key)
            group = groups.setdefault(key, _Group(scraped_at))
            group.url = group.url or _link(market.link) or _link(bookmaker.link)
            group.scraped_at = min(group.scraped_at, scraped_at)
            self._read_outcome(kind, outcome, event, group)
        if len(outcomes) < len(market.outcomes):
            for key in keys or {(kind.market_type, kind.period)}:
                group = groups.setdefault(key, _Group(scraped_at))
                group.unread.setdefault(UNNAMED, BROKEN_OUTCOME)

    def _read_lays(self, kind: MarketKind, market: Market, event: Event, group: _Group) -> None:
        """Read lay odds; the back prices may come later."""
        for outcome in self._outcomes(market):
            try:
                text, _ = selection_of_outcome(kind, outcome, event)
            except UnreadOutcomeError as error:
                self._count(outcome.price, str(error))
                continue
            said, price = outcome.price, None
            if isinstance(said, float | int) and notation.is_offered(said, self.american):
                price = notation.decimal_odds(said, self.american)
            if price is None or text in group.lays:
                self._count(said, market.key)
            else:
                group.lays[text] = price, _offer(outcome).bet_limit or 0.0

    def _take_lays(self, group: _Group) -> None:
        """Add lay odds to the selections that have back odds."""
        for text, level in group.lays.items():
            _, back = group.odds.get(text, (None, 0.0))
            if 0 < back < level[0]:
                offer = group.offers.get(text, NO_OFFER)
                group.offers[text] = msgspec.structs.replace(offer, lay=(level,))
                group.scraped_at = min(group.scraped_at, group.lays_at or group.scraped_at)
            else:
                self.result.skipped[LAYS] += 1

    def _scraped_at(self, market: Market, bookmaker: Bookmaker) -> int:
        said = market.last_update or bookmaker.last_update
        if said is not None:
            return moment(said)
        if self.timestamp is None:
            raise FeedError(f"{market.key}: expected last_update on the market or bookmaker")
        return self.timestamp

    def _outcomes(self, market: Market) -> Iterator[Outcome]:
        """Yield the readable outcomes; the prices of others are counted."""
        for raw in market.outcomes:
            try:
                yield notation.read_as(Outcome, _without_nan(raw))
            except FeedError:
                self.result.skipped[BROKEN_OUTCOME] += imported.count_prices(raw, "price")

    def _read_outcome(
        self, kind: MarketKind, outcome: Outcome, event: Event, group: _Group
    ) -> None:
        said = outcome.price
        try:
            text, order = selection_of_outcome(kind, outcome, event)
        except UnreadOutcomeError as error:
            self._count(said, str(error))
            group.unread.setdefault(UNNAMED, str(error))
            return
        if text in group.odds or text in group.unread:
            self._count(said, SAID_TWICE)
        elif isinstance(said, str):
            group.unread[text] = NO_NUMBER
            self.result.skipped[NO_NUMBER] += 1
        elif not notation.is_offered(said, self.american):
            group.odds[text] = order, 0.0
            self._count(said, notation.NOT_OFFERED)
        elif said is None or (price := notation.decimal_odds(said, self.american)) is None:
            group.unread[text] = IMPOSSIBLE
            self.result.skipped[IMPOSSIBLE] += 1
        else:
            group.odds[text] = order, price
            self._take_offer(text, outcome, group)

    def _count(self, price: object, reason: str) -> None:
        """Count a price that is left out; null is not a price."""
        if price is not None:
            self.result.skipped[reason] += 1

    def _take_offer(self, text: str, outcome: Outcome, group: _Group) -> None:
        offer = _offer(outcome)
        if offer != NO_OFFER:
            group.offers[text] = offer
        if offer.bet_limit is not None:
            group.limit = min(offer.bet_limit, group.limit or math.inf)

    def _say(
        self,
        event: Event,
        kick_off: int,
        bookmaker: str,
        kind: MarketKind,
        group: _Group,
        place: str,
    ) -> None:
        ordered = sorted(group.odds.items(), key=lambda item: item[1][0])
        quote = Quote(
            bookmaker=bookmaker,
            match_name=f"{fold_name(event.home_team)} vs {fold_name(event.away_team)}",
            competition=competition_of_sport(event.sport_key),
            market_type=kind.market_type,
            period=kind.period,
            odds={text: price for text, (_, price) in ordered},
            scraped_at=group.scraped_at,
            is_live=kick_off <= group.scraped_at,
            match_date=kick_off,
            event=f"the-odds-api:{event.id}" if event.id is not None else None,
            url=group.url,
            liquidity=group.limit,
            offers=group.offers or None,
            sport=event.sport_key.partition("_")[0],
            unread=group.unread or None,
        )
        self.result.keep_quote(quote, N_("broken market"), f"{self.file}: {place}")

    def _skip(self, reason: str, prices: int) -> None:
        self.result.skipped += Counter({reason: prices})

    def _leave_out(self, reason: str, raw: Any, problem: str) -> None:
        self._skip(reason, imported.count_prices(raw, "price"))
        self.result.problems.append(f"{self.file}: {problem}")


def _without_nan(raw: Any) -> Any:
    """Return an object without the fields that pandas left empty, and its price as a number.

    An invalid price stays as it is.
    """
    if not isinstance(raw, dict):
        return raw
    plain = {
        name: None if name != "price" and isinstance(said, str) and said in _NO_NUMBERS else said
        for name, said in raw.items()
    }
    if isinstance(price := plain.get("price"), str):
        plain["price"] = _number(price)
    return plain


def _number(said: Any) -> Any:
    """Return a text such as ``1.91`` or ``+150`` as a number; anything else as it is."""
    return float(said) if isinstance(said, str) and _DIGITS.fullmatch(said) else said


def _link(said: Any) -> str | None:
    """A link that works as it is; some need the user's state, ``{state}``, and do not."""
    if not isinstance(said, str) or "{" in said:
        return None
    try:
        return check_link(said)
    except BadQuoteError:
        return None


def _offer(outcome: Outcome) -> Offer:
    """Return the extras of a price; an unreadable one is dropped alone."""
    sid, limit = outcome.sid, outcome.bet_limit
    has_sid = isinstance(sid, str) and 0 < len(sid) <= LONGEST_NAME and sid.isprintable()
    has_limit = isinstance(limit, int | float) and 0 < limit < math.inf
    return Offer(sid if has_sid else None, float(limit) if has_limit else None, _link(outcome.link))


def _bookmaker_titles(events: list[Any]) -> Iterator[tuple[str, str]]:
    for event in events:
        for bookmaker in _items(event, "bookmakers"):
            key, title = bookmaker.get("key"), bookmaker.get("title")
            if isinstance(key, str) and isinstance(title, str):
                yield key, title


def _prices(events: list[Any]) -> Iterator[float]:
    for event in events:
        for bookmaker in _items(event, "bookmakers"):
            for market in _items(bookmaker, "markets"):
                for outcome in _items(market, "outcomes"):
                    if isinstance(price := _number(outcome.get("price")), int | float):
                        yield price


def _items(raw: Any, name: str) -> list[dict[str, Any]]:
    items = raw.get(name) if isinstance(raw, dict) else None
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


COMPETITIONS = MappingProxyType(
    {
        "soccer_epl": "EPL",
        "soccer_efl_champ": "EFL",
        "soccer_germany_bundesliga": "BUND",
        "soccer_germany_bundesliga2": "GER2",
        "soccer_spain_la_liga": "LIGA",
        "soccer_spain_segunda_division": "LIGA2",
        "soccer_italy_serie_a": "SERA",
        "soccer_france_ligue_one": "LIG1",
        "soccer_france_ligue_two": "LIG2",
        "soccer_netherlands_eredivisie": "ERED",
        "soccer_uefa_champs_league": "UCL",
        "soccer_uefa_europa_league": "UEL",
        "soccer_usa_mls": "MLS",
        "soccer_brazil_campeonato": "BRAS",
        "soccer_argentina_primera_division": "ARG",
        "basketball_nba": "NBA",
        "basketball_euroleague": "EURO",
        "icehockey_nhl": "NHL",
        "icehockey_ahl": "AHL",
        "icehockey_sweden_hockey_league": "SHL",
        "icehockey_liiga": "LIIGA",
        "baseball_mlb": "MLB",
        "americanfootball_nfl": "NFL",
        "rugbyleague_nrl": "RUGBY",
    }
)

SHARED_TITLES = MappingProxyType(
    {
        "betfair_ex_uk": "Betfair Exchange UK",
        "betfair_ex_eu": "Betfair Exchange EU",
        "betfair_ex_au": "Betfair Exchange AU",
        "ladbrokes_uk": "Ladbrokes UK",
        "ladbrokes_au": "Ladbrokes AU",
    }
)
"""Keys that share their title with another key."""


def competition_of_sport(sport_key: str) -> str:
    """Return the competition code of a sport key; the key itself if it has none."""
    if sport_key.startswith("tennis_"):
        return "TENNIS"
    return COMPETITIONS.get(sport_key, sport_key)


def bookmaker_names(titles: Iterable[tuple[str, str]]) -> Mapping[str, str]:
    """Return a unique name for each key of (key, title) pairs.

    A bookmaker's name is its title; if several share it, their keys are added.
    """
    keys = defaultdict(set)
    names = {}
    for key, title in titles:
        names[key] = SHARED_TITLES.get(key) or fold_name(title) or key
        keys[names[key].casefold()].add(key)
    return {
        key: name if len(keys[name.casefold()]) == 1 else f"{name} ({key})"
        for key, name in names.items()
    }
