"""Betfair's historical files: what could be backed at each moment, and how markets were settled.

A file holds the stream of one market, a message a line. The packages ADVANCED and PRO have order
books. BASIC has last traded prices only: what somebody got, not what anybody offers, so these are
counted as skipped, and the results are kept.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import msgspec

from oddsdesk.base.texts import N_
from oddsdesk.contract.quotes import Quote, is_number
from oddsdesk.contract.resources import Level, Offer
from oddsdesk.contract.results import (
    BadResultError,
    GameResult,
    check_result,
    with_earlier_selections,
)
from oddsdesk.contract.texts import json_words
from oddsdesk.contract.times import is_in_years
from oddsdesk.feeds.betfair.books import (
    ACTIVE,
    Book,
    CatalogueMarket,
    CatalogueRunner,
    Definition,
    Description,
    Levels,
    MarketChange,
    Named,
    RunnerChange,
    RunnerId,
    read_as,
)
from oddsdesk.feeds.betfair.catalogue import (
    BOOKMAKER,
    CURRENCY,
    DRAW,
    UNREAD,
    Market,
    market_of,
    result_of,
    selection_of,
)
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.imported import BROKEN_DRAW, Imported, Importer, SourceFile
from oddsdesk.pricing.selections import order_selections

TRADED: Final = N_("traded, not offered")
NOT_BEST_LAY: Final = N_("no new best lay price")
NOT_BEST: Final = N_("no new best back price")
STARTING: Final = N_("starting price")
NOT_OPEN: Final = N_("market not open")
NO_NAMES: Final = N_("no names of teams")
SPOILT: Final = N_("after an unreadable message")
BROKEN: Final = N_("broken market")
_EXPECTED: Final = N_("expected Betfair's historical data (a message with op and pt in each line)")
_MOST_NAMED: Final = 3
"""Unreadable lines of a file that are named."""
_MOST_BAD: Final = 100
"""Unreadable lines after which a file without a readable one is left."""
_SPORTS: Final = MappingProxyType(
    {
        "1": "Soccer",
        "2": "Tennis",
        "3": "Golf",
        "4": "Cricket",
        "5": "Rugby Union",
        "6": "Boxing",
        "7": "Horse Racing",
        "1477": "Rugby League",
        "3503": "Darts",
        "4339": "Greyhound Racing",
        "6422": "Snooker",
        "6423": "American Football",
        "7511": "Baseball",
        "7522": "Basketball",
        "7524": "Ice Hockey",
        "61420": "Australian Rules",
        "468328": "Handball",
        "998917": "Volleyball",
        "26420387": "Mixed Martial Arts",
        "27454571": "Esports",
    }
)
"""Betfair's words for kinds of events, by number: the files name no competition."""


class _Message(msgspec.Struct):
    op: str
    pt: int = 0
    mc: list[MarketChange] = []


class _RawMessage(msgspec.Struct):
    op: str
    pt: int = 0
    mc: list[Any] = []


_decode = msgspec.json.Decoder(_Message, strict=False).decode
_decode_raw = msgspec.json.Decoder(_RawMessage, strict=False).decode


class _Moment(NamedTuple):
    """What is offered from a time on; nothing while the market takes no bets."""

    at: int
    is_live: bool
    kick_off: int | None
    odds: dict[str, float]
    lays: dict[str, Level]
    """By selection, the best lay odds with the amount when they appeared."""

    @property
    def lay_odds(self) -> dict[str, float]:
        return {text: odds for text, (odds, _) in self.lays.items()}


class _News(NamedTuple):
    """Which best prices a change moved."""

    backs: bool
    lays: bool


class _Reading:
    """Follows one market through its file; counts the numbers that are no new price."""

    def __init__(self, ident: str, skipped: Counter[str]) -> None:
        self.ident = ident
        self.event = ""
        self.market: Market | None = None
        """None as long as it is no market of a game."""
        self.moments: list[_Moment] = []
        self.result: GameResult | None = None
        self._left_out = NO_NAMES
        """Why the market is left out; empty if it is not."""
        self._skipped = skipped
        self._at = 0
        """When its last message was sent."""
        self._book = Book()
        self._names: dict[int, CatalogueRunner] = {}
        self._texts: dict[RunnerId, str] = {}
        """What each active runner selects, in the field's order."""
        self._best: dict[RunnerId, float] = {}
        """The best back prices of active runners."""
        self._best_lays: dict[RunnerId, Level] = {}
        """The best lay prices of active runners."""

    def take_change(self, change: MarketChange, at: int) -> None:
        """Take in a change.

        Raises:
            FeedError: it makes no sense. Nothing is offered then until the next image.
        """
        self._at = at
        if change.img:
            self._book = Book()
        try:
            if change.market_definition is not None:
                self._read_definition(change.market_definition, at)
            self._book.apply_change(change)
        except FeedError:
            self.spoil(at)
            raise
        if change.img or change.market_definition is not None:
            self._best.clear()
            self._best_lays.clear()
            self._note_best(self._texts)
        else:
            self._note_best((each.id, each.hc) for each in change.rc)
        news = self._note_moment(at)
        for each in change.rc:
            self._count_numbers(each, news)

    def spoil(self, at: int | None = None) -> None:
        """Offer nothing until the next image: a change is lost, without ``at`` after the last."""
        self._book.is_spoilt = True
        self._note_moment(self._at if at is None else at)

    def close(self) -> None:
        """Forget the book, which takes more memory than what it offered."""
        self._book = Book()
        self._best.clear()
        self._best_lays.clear()

    def _read_definition(self, definition: Definition, at: int) -> None:
        self.event = str(definition.event_id)
        for each in sorted(definition.runners, key=lambda runner: runner.sort_priority):
            if each.name and each.id not in self._names:
                self._names[each.id] = CatalogueRunner(each.id, each.name, len(self._names))
        found = self._identified(definition)
        self.market = None if isinstance(found, str) else found
        self._left_out = found if isinstance(found, str) else ""
        self._texts, self.result = {}, None
        if isinstance(found, str):
            return
        self.result = result_of(found, definition, at)
        active = [each.ident for each in definition.runners if each.status == ACTIVE]
        named = {text: each for each in active if (text := selection_of(found, each)) is not None}
        if len(named) < len(active):
            self._left_out = UNREAD
            return
        order = order_selections(found.market_type, found.match_name, named)
        self._texts = {named[text]: text for text in order}

    def _identified(self, definition: Definition) -> Market | str:
        """Return the market, or why it is left out."""
        if not definition.event_name or not self._names:
            return NO_NAMES
        kind = str(definition.event_type_id)
        return market_of(
            CatalogueMarket(
                self.ident,
                Description(definition.market_type),
                Named(definition.event_name, self.event),
                list(self._names.values()),
                Named(_SPORTS.get(kind, N_(f"Betfair's sport {kind}")), kind),
                market_start_time=definition.market_time,
            )
        )

    def _note_best(self, runners: Iterable[RunnerId]) -> None:
        for each in runners:
            runner = self._book.runners.get(each)
            best = None if runner is None or each not in self._texts else runner.best_back
            if best is not None and best > 1:
                self._best[each] = best
            else:
                self._best.pop(each, None)
            lay = None if runner is None or each not in self._texts else runner.best_lay
            if lay is not None and lay[0] > 1:
                self._best_lays[each] = lay
            else:
                self._best_lays.pop(each, None)

    def _note_moment(self, at: int) -> _News:
        """Note what is offered now; return which best prices are new."""
        odds = self._odds()
        lays = {
            text: self._best_lays[each]
            for each, text in self._texts.items()
            if text in odds and each in self._best_lays
        }
        last = self.moments[-1] if self.moments else None
        definition, market = self._book.definition, self.market
        is_live = definition is not None and definition.in_play
        if last is None:
            is_same = not odds
        else:
            is_same = odds == last.odds and (not odds or is_live == last.is_live)
        moment = _Moment(at, is_live, None if market is None else market.kick_off, odds, lays)
        is_laid_anew = moment.lay_odds != ({} if last is None else last.lay_odds)
        if not is_same or is_laid_anew:
            self.moments.append(moment)
        return _News(bool(odds) and not is_same, is_laid_anew)

    def _odds(self) -> dict[str, float]:
        if not self._book.is_open or self._lacks_draw:
            return {}
        return {text: self._best[each] for each, text in self._texts.items() if each in self._best}

    @property
    def _lacks_draw(self) -> bool:
        """Whether the draw cannot be backed, so that the market would look two-way."""
        return any(text == DRAW and each not in self._best for each, text in self._texts.items())

    def _count_numbers(self, change: RunnerChange, news: _News) -> None:
        """Count the numbers of a change that are not a new best price, to back or to lay."""
        runner, skipped = (change.id, change.hc), self._skipped
        backs = [*change.atb, *change.batb, *change.bdatb]
        lays = [*change.atl, *change.batl, *change.bdatl]
        back, lay = _offered(backs), _offered(lays)
        traded = is_number(change.ltp) + _pairs(change.trd)
        starting = sum(map(is_number, (change.spn, change.spf)))
        starting += _pairs(change.spb) + _pairs(change.spl)
        if self._left_out:
            _add(skipped, self._left_out, back + lay + traded + starting)
            return
        _add(skipped, TRADED, traded)
        _add(skipped, STARTING, starting)
        if self._book.is_spoilt:
            _add(skipped, SPOILT, back + lay)
            return
        if not self._book.is_open:
            _add(skipped, NOT_OPEN, back + lay)
        elif self._lacks_draw:
            _add(skipped, BROKEN_DRAW, back + lay)
        else:
            best, best_lay = self._best.get(runner), self._best_lays.get(runner, (None, 0.0))[0]
            is_kept = news.backs and any(each[-2] == best and each[-1] > 0 for each in backs)
            _add(skipped, NOT_BEST, back - is_kept)
            is_kept = news.lays and any(each[-2] == best_lay and each[-1] > 0 for each in lays)
            _add(skipped, NOT_BEST_LAY, lay - is_kept)


def _offered(levels: Levels) -> int:
    """Return the number of levels that are not removed."""
    return sum(level[-1] > 0 for level in levels)


def _pairs(raw: Any) -> int:
    return len(raw) if isinstance(raw, list) else 0


def _numbers(change: Any) -> int:
    """Return the number of prices in a change of any form."""
    runners = change.get("rc") if isinstance(change, dict) else None
    found = 0
    for each in runners if isinstance(runners, list) else ():
        for value in each.values() if isinstance(each, dict) else ():
            found += _pairs(value)
        found += isinstance(each, dict) and is_number(each.get("ltp"))
    return found


def _add(skipped: Counter[str], reason: str, count: int) -> None:
    if count:
        skipped[reason] += count


class _Files:
    """Reads files one after another; keeps of each market what it offered and its result."""

    def __init__(self) -> None:
        self.imported = Imported()
        self._ended: dict[tuple[str, str, int], list[_Reading]] = {}
        """Markets of one kind in a game: those of several goal lines are one market of ours."""

    def read_file(self, file: SourceFile) -> bool:
        """Read a file; return whether it has prices or a result. Errors become problems."""
        readings: dict[str, _Reading] = {}
        good = bad = 0
        problems: list[str] = []
        try:
            for number, line in enumerate(file.lines(), start=1):
                if not line or line.isspace():
                    continue
                try:
                    self._read_line(line, readings)
                    good += 1
                except FeedError as error:
                    bad += 1
                    if bad <= _MOST_NAMED:
                        problems.append(f"{file.name} line {number}: {error}")
                if bad >= _MOST_BAD and not good:
                    break
            if not good:
                problems = [
                    f"{file.name}: {_EXPECTED}" if bad else f"{file.name}: the file is empty"
                ]
        except FeedError as error:
            words = str(error)
            problems.append(words if file.name in words else f"{file.name}: {words}")
        if bad > _MOST_NAMED and good:
            problems.append(f"{file.name}: {bad - _MOST_NAMED} more lines cannot be read")
        self.imported.problems += problems
        for each in readings.values():
            each.close()
            if (market := each.market) is not None:
                game = each.event or f"{market.match_name} {market.kick_off}"
                self._ended.setdefault((game, market.market_type, market.period), []).append(each)
        return any(each.moments or each.result for each in readings.values())

    def take_counts(self) -> Imported:
        """Return what was counted and is wrong since the last call."""
        taken, self.imported = self.imported, Imported()
        return taken

    def _read_line(self, line: bytes, readings: dict[str, _Reading]) -> None:
        message, problem = self._decoded(line, readings)
        if message.op != "mcm":
            return
        for change in message.mc:
            try:
                self._reading(change.id, readings).take_change(change, message.pt)
            except FeedError as error:
                problem = problem or N_(f"market {change.id}: {error}")
        if problem:
            raise FeedError(problem)

    def _decoded(self, line: bytes, readings: dict[str, _Reading]) -> tuple[_Message, str]:
        """Return a message without its unreadable changes, and what is wrong with the first.

        The markets of those are spoilt, and their numbers counted; a lost line spoils all.

        Raises:
            FeedError: it is no message, or has no time.
        """
        raw: _Message | _RawMessage
        try:
            try:
                raw = _decode(line)
            except msgspec.ValidationError:
                raw = _decode_raw(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            for each in readings.values():
                each.spoil()
            raise FeedError(_words(error)) from error
        if raw.op == "mcm" and (raw.pt <= 0 or not is_in_years(raw.pt)):
            raise FeedError(f"pt: expected milliseconds since 1970, got {raw.pt}")
        if isinstance(raw, _Message):
            return raw, ""
        message, problem = _Message(raw.op, raw.pt, []), ""
        for change in raw.mc:
            ident = change.get("id") if isinstance(change, dict) else None
            try:
                message.mc.append(read_as(MarketChange, change))
            except FeedError as error:
                problem = problem or f"market {ident}: {error}"
                _add(self.imported.skipped, BROKEN, _numbers(change))
                if isinstance(ident, str):
                    self._reading(ident, readings).spoil(raw.pt)
        return message, problem

    def _reading(self, ident: str, readings: dict[str, _Reading]) -> _Reading:
        reading = readings.get(ident)
        if reading is None:
            reading = readings[ident] = _Reading(ident, self.imported.skipped)
        return reading

    def finish(self) -> Imported:
        """Return everything, with the markets of a game put together."""
        results: dict[str, GameResult] = {}
        for (game, _, _), readings in self._ended.items():
            for result in filter(None, (each.result for each in readings)):
                before = results.get(game)
                results[game] = (
                    result if before is None else with_earlier_selections(result, before)
                )
            for quote in _quotes(game, readings):
                self.imported.keep_quote(quote, BROKEN, f"market {readings[0].ident}")
            readings.clear()
        for game, result in results.items():
            try:
                checked = check_result(result, max(result.reported_at, result.kick_off))
                self.imported.results.append(checked)
            except BadResultError as error:
                self.imported.problems.append(f"event {game}: {error}")
        return self.imported


def _quotes(game: str, readings: Sequence[_Reading]) -> Iterator[Quote]:
    """Yield a market at each change; several goal lines are in one market of ours."""
    market = next(each.market for each in readings if each.market is not None)
    moments = sorted(
        ((moment, each.ident) for each in readings for moment in each.moments),
        key=lambda each: each[0].at,
    )
    standing: dict[str, _Moment] = {}
    last: tuple[bool, dict[str, float], dict[str, float]] = (False, {}, {})
    for moment, ident in moments:
        standing[ident] = moment
        odds = {text: odds for each in standing.values() for text, odds in each.odds.items()}
        is_live = any(each.is_live for each in standing.values())
        lays = {text: level for each in standing.values() for text, level in each.lays.items()}
        lay_odds = {text: odds for text, (odds, _) in lays.items()}
        if (is_live, odds, lay_odds) == last:
            continue
        last = is_live, odds, lay_odds
        order = (
            odds
            if len(standing) == 1
            else order_selections(market.market_type, market.match_name, odds)
        )
        yield Quote(
            bookmaker=BOOKMAKER,
            match_name=market.match_name,
            competition=market.competition,
            market_type=market.market_type,
            period=market.period,
            odds={text: odds[text] for text in order},
            scraped_at=moment.at,
            is_live=is_live,
            match_date=moment.kick_off,
            event=f"betfair:{game}" if readings[0].event else None,
            sport=market.sport,
            offers={text: Offer(lay=(level,), currency=CURRENCY) for text, level in lays.items()}
            or None,
        )


def _words(error: Exception) -> str:
    if isinstance(error, msgspec.DecodeError):
        return json_words(error)
    return (
        "JSON is nested too deeply" if isinstance(error, RecursionError) else N_("expected UTF-8")
    )


class _HistoricalImporter(Importer, frozen=True):
    """Reads file by file, so that progress shows, and puts games together at the end."""

    def convert_each(self, files: Iterable[SourceFile]) -> Iterator[Imported]:
        """Yield what each file leaves out, then all quotes and results."""
        reading = _Files()
        for file in files:
            has_any = reading.read_file(file)
            part = reading.take_counts()
            if not has_any and not part.skipped:
                self._name_other_kinds([file], part)
            yield part
        yield reading.finish()


def convert(files: Sequence[SourceFile]) -> Imported:
    """Return what could be backed in files, and the results of their markets."""
    result = Imported()
    for part in IMPORTER.convert_each(files):
        result.merge(part)
    return result


IMPORTER: Final = _HistoricalImporter(convert, joins_files=True, by_line=True)
