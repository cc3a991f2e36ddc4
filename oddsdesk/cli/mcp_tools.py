"""The tools of `oddsdesk mcp`: each works out what a command prints, by the same functions.

All of them only read. Several may run at a time, each on its own thread.
"""

import contextlib
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import click
import msgspec

from oddsdesk.archive.folder import LookingBack
from oddsdesk.base.clock import Clock, system_clock
from oddsdesk.base.figures import FigureError, read_moment
from oddsdesk.base.tasks import exhaust
from oddsdesk.board.board import Board
from oddsdesk.board.model.matrix import Matrix, RowKey, Section, SelectionRow
from oddsdesk.board.model.notices import Connection, Link, not_offered
from oddsdesk.board.valuation import explaining, verdict_words
from oddsdesk.board.valuation.bets import service_ev_pct_of
from oddsdesk.cli import arbitrage, backtest, bets, devig, fair, ledger, scorecard
from oddsdesk.cli import mcp_answers as answers
from oddsdesk.cli import mcp_arguments as arguments
from oddsdesk.cli.bet_sources import (
    Moment,
    board_of,
    moment_of_database,
    moment_of_service,
    own_board,
)
from oddsdesk.cli.options import check_span
from oddsdesk.cli.own_records import preset
from oddsdesk.client import errors
from oddsdesk.client.blocking import SyncClient
from oddsdesk.client.whole_odds import unread_text
from oddsdesk.contract.competitions import named_sport
from oddsdesk.contract.resources import Game, GameMatrix, OddsRow, PriceChange
from oddsdesk.contract.times import format_ms
from oddsdesk.ledger.reporting import Grouping
from oddsdesk.pricing.devig import overround
from oddsdesk.store.databases import Database
from oddsdesk.store.errors import BadCursorError, StoreError
from oddsdesk.store.store import open_store
from oddsdesk.store.values import Filters, MoveFilter, Visibility

T = TypeVar("T")

HELD_S: Final = 20.0
"""Seconds for which prices that were read are used again; ``read_at`` says when it was."""
_MOST_GAMES: Final = 500
_ALL: Final = Visibility()
_ARGUMENTS: Final = {
    "from": "since",
    "latency": "latency_ms",
    "share": "share_pct",
    "spread": "spreads",
    "team-total": "team_totals",
    "to": "until",
    "total": "totals",
}
"""Arguments of tools that are not called like the option of the command."""
_SAME: Final = (
    *("alpha", "at", "bankroll", "btts", "close-method", "close-reference", "derived", "grid"),
    *("least-books", "least-ev", "method", "moneyline", "preset", "rates", "reference", "rho"),
    *("rules", "series", "staking", "strategy"),
)
_OPTION: Final = re.compile(rf"--({'|'.join((*_ARGUMENTS, *_SAME))})(?![\w-])")


class ToolError(Exception):
    """A tool has no answer; the message says why in plain words."""


class Source(NamedTuple):
    """What the tools read."""

    database: Database | None
    """None if a service is read."""
    url: str | None
    key: str
    ledger: Path
    clock: Clock = system_clock


class _Held(NamedTuple):
    """Prices that were read, in a board."""

    board: Board
    moment: Moment
    read_at: int
    """In milliseconds."""
    until: float
    """By the monotonic clock."""


Report = Callable[[int], None]
"""Called with the rows read since the last call; an exception of it ends the work."""


class Tools:
    """Answers the tools' questions; every method raises ``ToolError``, or what commands raise."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lock = threading.Lock()
        self._held: dict[tuple[str | None, str | None], _Held] = {}

    def games(self, asked: arguments.GamesArguments, _: Report) -> answers.GamesAnswer:
        """List games with current prices by kick-off, or those of a past moment."""
        now_ms = self._source.clock()
        notes: list[str] = []
        if asked.at is None:
            with self._priced(None, None) as held:
                found, now_ms = list(_games_of(held.moment.rows)), held.read_at
                notes = _notes_of(held.moment)
        else:
            now_ms = _past_moment(asked.at, now_ms)
            found = self._games_at(now_ms, asked)
            if len(found) >= _MOST_GAMES:
                notes.append(f"only the first {_MOST_GAMES} games of that moment were looked at")
        wanted = [each for each in found if _is_wanted(each, asked)]
        rows, cut = _cut(wanted, asked.limit)
        return answers.GamesAnswer(games=rows, cut=cut, notes=notes, read_at=format_ms(now_ms))

    def matrix(self, asked: arguments.MatrixArguments, _: Report) -> answers.MatrixAnswer:
        """Show all prices of a game by selection and bookmaker, with fair odds."""
        with self._priced(asked.reference, None) as held:
            return _matrix(held, asked)

    def as_of(self, asked: arguments.AsOfArguments, _: Report) -> answers.MatrixAnswer:
        """Show a game as it was at a past moment; the matrix of then."""
        return _matrix(self._past(asked.game_id, asked.at, asked.reference), asked)

    def value_bets(self, asked: arguments.BetsArguments, _: Report) -> answers.BetsAnswer:
        """List current value bets with EV and stakes, as `oddsdesk bets`."""
        passes = None if asked.preset is None else preset(asked.preset)
        with self._priced(asked.reference, asked.derived) as held:
            found = bets.listed_bets(
                held.board, held.moment, asked.bankroll, passes, everything=asked.everything
            )
            shown, cut = _cut([bets.fields(bet) for bet in found], asked.limit)
            rows = msgspec.convert(shown, list[answers.BetRow])
            return answers.BetsAnswer(bets=rows, cut=cut, **_about(held))

    def opportunities(
        self, asked: arguments.OpportunitiesArguments, _: Report
    ) -> answers.OpportunitiesAnswer:
        """List arbitrage, middles and low hold, as `oddsdesk arbitrage`."""
        with self._priced(asked.reference, None) as held:
            found = arbitrage.listed_opportunities(
                held.board, held.moment, held.read_at, asked.least, asked.kind, has_lays=asked.lays
            )
            shown, cut = _cut([arbitrage.fields(legs) for legs in found], asked.limit)
            rows = msgspec.convert(shown, list[answers.OpportunityRow])
            return answers.OpportunitiesAnswer(opportunities=rows, cut=cut, **_about(held))

    def explain_price(self, asked: arguments.PriceArguments, _: Report) -> answers.ExplainAnswer:
        """Explain a price: where its fair odds and EV come from, step by step."""
        with self._board_at(asked) as held:
            said = _explained(held, asked)
            window = said.window
            return answers.ExplainAnswer(
                **_price_fields(said, held),
                method=said.method,
                overround=said.overround,
                quoted=[answers.QuotedRow(*each) for each in said.quoted],
                steps=[answers.StepRow(*each) for each in explaining.steps(said)],
                methods=[answers.MethodRow(*each) for each in said.methods],
                value_from=None if window is None else window.least,
                value_up_to=None if window is None else window.most,
                text=verdict_words.explanation_text(said),
            )

    def why_not(self, asked: arguments.PriceArguments, _: Report) -> answers.WhyNotAnswer:
        """Say why a price is not value, and what would have to change."""
        with self._board_at(asked) as held:
            said = _explained(held, asked)
            return answers.WhyNotAnswer(
                **_price_fields(said, held),
                reasons=list(_reasons(said)),
                changes=verdict_words.remedies(said),
            )

    def history(self, asked: arguments.HistoryArguments, _: Report) -> answers.HistoryAnswer:
        """List how a game's prices moved, by time."""
        now_ms = self._source.clock()
        span = [
            None if each is None else _moment(each, now_ms) for each in (asked.since, asked.until)
        ]
        if None not in span and span[0] >= span[1]:  # type: ignore[operator]
            raise ToolError("since must be earlier than until")
        found, cursor = self._moves(asked, span)
        rows = [msgspec.convert(each, answers.Move, from_attributes=True) for each in found]
        cut = "" if cursor is None else f"{len(rows)} moves; next_cursor reads on"
        return answers.HistoryAnswer(
            moves=rows, next_cursor=cursor, cut=cut, notes=[], read_at=format_ms(now_ms)
        )

    def devig(self, asked: arguments.DevigArguments, _: Report) -> answers.DevigAnswer:
        """Remove the margin from the odds of a market by every method, as `oddsdesk devig`."""
        prices, found = devig.devigged(asked.odds)
        rows = [
            msgspec.convert({"method": method, **figures}, answers.DevigRow)
            for method, figures in devig.fields(found).items()
        ]
        return answers.DevigAnswer(odds=prices, overround=overround(prices), methods=rows)

    def fair_odds(self, asked: arguments.FairArguments, _: Report) -> answers.FairAnswer:
        """Work out a game's fair odds from some of its lines, as `oddsdesk fair`."""
        if named_sport(asked.sport) is None:
            raise ToolError(f"no sport {asked.sport!r}; sports are those in the list of games")
        lines = {
            "--moneyline": [asked.moneyline] if asked.moneyline else [],
            "--total": asked.totals,
            "--spread": asked.spreads,
            "--team-total": asked.team_totals,
            "--btts": [asked.btts] if asked.btts else [],
        }
        words = [asked.sport]
        for option, texts in lines.items():
            for text in texts:
                if any(word.startswith("--") for word in text.split()):
                    raise ToolError(f"{text!r}: expected a line and odds")
                words += [option, *text.split()]
        rates = [f"{rate!r}" for rate in asked.rates or ()]
        words += ["--rates", *rates] if rates else []
        options = _read_options(fair.fair, words, {"--rho": asked.rho, "--method": asked.method})
        found = fair.fields(_fair_game(**options))
        without = found["fit"].pop("without_band")
        rows = [
            msgspec.convert(
                {"market_type": market_type, "selection": selection}
                | figures
                | {"why_no_band": without.get(market_type, {}).get(selection, "")},
                answers.FairRow,
            )
            for market_type, sides in found["markets"].items()
            for selection, figures in sides.items()
        ]
        shown, cut = _cut(rows, asked.limit)
        fit = found["fit"]
        return answers.FairAnswer(prices=shown, cut=cut, notes=fit.pop("notes"), fit=fit)

    def scorecard(
        self, asked: arguments.ScorecardArguments, report: Report
    ) -> answers.ScorecardAnswer:
        """Score how sharp each bookmaker was on the recorded log, as `oddsdesk scorecard`."""
        options = _read_options(
            scorecard.scorecard,
            [],
            {
                "--from": asked.since,
                "--to": asked.until,
                "--method": asked.method,
                "--reference": asked.reference,
            },
        )
        check_span(options["since"], options["until"])
        log = scorecard.Log(
            database=self._log(),
            archive=None,
            since_ms=options["since"],
            until_ms=options["until"],
            method=options["method"],
            reference=options["reference"],
        )
        found = scorecard.scored(log, asked.close_reference, asked.close_method, report)
        cards, cut = _cut(scorecard.fields(found), asked.limit)
        return answers.ScorecardAnswer(
            cards=msgspec.convert(cards, list[answers.CardRow]),
            cut=cut,
            notes=scorecard.remarks(found, log),
            read_at=format_ms(self._source.clock()),
        )

    def backtest(
        self, asked: arguments.BacktestArguments, report: Report
    ) -> answers.BacktestAnswer:
        """Report what value bets would have earned on the recorded log, as `oddsdesk backtest`."""
        given = {
            "--from": asked.since,
            "--to": asked.until,
            "--strategy": asked.strategy,
            "--preset": asked.preset,
            "--method": asked.method,
            "--reference": asked.reference,
            "--close-reference": asked.close_reference,
            "--close-method": asked.close_method,
            "--derived": asked.derived,
            "--latency": asked.latency_ms,
            "--at": asked.at,
            "--least-ev": asked.least_ev,
            "--alpha": asked.alpha,
            "--least-books": asked.least_books,
            "--series": asked.series,
            "--rules": asked.rules,
            "--staking": asked.staking,
            "--share": asked.share_pct,
            "--bankroll": asked.bankroll,
            "--grid": asked.grid,
        }
        options = _read_options(backtest.backtest, [], given)
        options |= {"database": self._log()}
        runs, best, problems = backtest.tested(report, **options)
        found = backtest.fields(runs, best, problems)
        count = max(len(each["rows"]) for each in found)
        for each in found:
            each["rows"] = each["rows"][: asked.rows]
        cut = f"rows has {asked.rows} of up to {count} bets" if count > asked.rows else ""
        return answers.BacktestAnswer(
            backtests=msgspec.convert(found, list[answers.BacktestRow]),
            cut=cut,
            notes=[],
            read_at=format_ms(self._source.clock()),
        )

    def ledger_report(self, asked: arguments.ReportArguments, _: Report) -> answers.ReportAnswer:
        """Report profit, yield, CLV and luck of the placed bets, as `oddsdesk ledger report`."""
        kinds = [each.value for each in Grouping]
        if asked.by is not None and asked.by not in kinds:
            raise ToolError(f"by is one of {', '.join(kinds)}, not {asked.by!r}")
        found = ledger.reported(
            self._source.ledger, asked.by, asked.close_reference, asked.close_method
        )
        rows, cut = _cut(ledger.report_fields(found.rows, found.closed), arguments.MOST_ROWS)
        notes = [found.closed.close_text] if found.closed.close_text else []
        if not rows:
            notes.append("there are no settled bets")
        if found.practice:
            notes.append(f"practice bets left out: {found.practice}")
        return answers.ReportAnswer(
            rows=msgspec.convert(rows, list[answers.ReportRow]),
            cut=cut,
            notes=notes,
            read_at=format_ms(self._source.clock()),
        )

    def _log(self) -> Database:
        if self._source.database is None:
            raise ToolError(
                "this needs the recorded log of a database: start `oddsdesk mcp --database`"
            )
        return self._source.database

    @contextlib.contextmanager
    def _priced(self, reference: str | None, derived: Any) -> Iterator[_Held]:
        """Give the board of the current prices to one tool at a time."""
        with self._lock:
            held = self._held.get((reference, derived))
            if held is None or held.until < time.monotonic():
                self._held = {
                    key: each for key, each in self._held.items() if each.until >= time.monotonic()
                }
                held = self._read(reference, derived)
                self._held[reference, derived] = held
            yield held

    def _read(self, reference: str | None, derived: Any) -> _Held:
        others = [each for each in self._held.values() if each.until >= time.monotonic()]
        if others:
            moment, now_ms = others[0].moment, others[0].read_at
        elif self._source.database is not None:
            now_ms = self._source.clock()
            moment = moment_of_database(self._source.database, now_ms)
        else:
            assert self._source.url is not None
            moment = moment_of_service(self._source.url, self._source.key)
            now_ms = self._source.clock()
        board = board_of(moment, now_ms, reference, derived)
        return _Held(board, moment, now_ms, time.monotonic() + HELD_S)

    @contextlib.contextmanager
    def _board_at(self, asked: arguments.PriceArguments) -> Iterator[_Held]:
        if asked.at is not None:
            yield self._past(asked.game_id, asked.at, asked.reference)
            return
        with self._priced(asked.reference, None) as held:
            yield held

    def _past(self, game_id: str, at: str, reference: str | None) -> _Held:
        """Return a board with one game as it stood at a moment."""
        at_ms = _past_moment(at, self._source.clock())
        matrix, usual = self._matrix_at(game_id, at_ms)
        if matrix is None:
            raise ToolError(f"no prices of game {game_id!r} at {format_ms(at_ms)}")
        board = own_board(lambda: at_ms, reference)
        board.set_connection(Connection(link=Link.PAST, as_of_ms=at_ms, since_ms=at_ms))
        board.name_reference(usual or None)
        board.subscribe_game(matrix.game_id)
        exhaust(board.merge_matrix(matrix))
        board.find_suppliers()
        return _Held(board, Moment([], usual, [], []), at_ms, 0.0)

    def _matrix_at(self, game_id: str, at_ms: int) -> tuple[GameMatrix | None, str]:
        """Return a game as of a moment, and the database's sharp book."""
        if self._source.database is None:
            with self._client() as client, contextlib.suppress(errors.NotFoundError):
                return client.game(game_id, as_of=format_ms(at_ms)), ""
            return None, ""
        with contextlib.closing(
            open_store(self._source.database, read_only=True, find_older=LookingBack())
        ) as store:
            return store.reader().matrix_as_of(game_id, at_ms, _ALL), store.reference

    def _games_at(self, at_ms: int, asked: arguments.GamesArguments) -> list[answers.GameRow]:
        found: Iterable[Game]
        if self._source.database is None:
            with self._client() as client:
                found = client.games(
                    sport=asked.sport,
                    competition=asked.competition,
                    as_of=format_ms(at_ms),
                    limit=_MOST_GAMES,
                )
        else:
            filters = Filters(sport=asked.sport, competition=asked.competition)
            with contextlib.closing(
                open_store(self._source.database, read_only=True, find_older=LookingBack())
            ) as store:
                found = store.reader().games_as_of(at_ms, filters, _ALL, _MOST_GAMES).items
        return [msgspec.convert(each, answers.GameRow, from_attributes=True) for each in found]

    def _moves(
        self, asked: arguments.HistoryArguments, span: Sequence[int | None]
    ) -> tuple[Sequence[PriceChange], str | None]:
        """Return moves, and where to read on; None at the end."""
        which: dict[str, Any] = {
            "market_type": asked.market_type,
            "period": asked.period,
            "selection": asked.selection,
            "bookmaker": asked.bookmaker,
        }
        if self._source.database is None:
            since, until = (None if each is None else format_ms(each) for each in span)
            with self._client() as client:
                told = client.history(
                    asked.game_id,
                    **which,
                    since=since,
                    until=until,
                    limit=asked.limit,
                    cursor=asked.cursor,
                )
            return told, told.next_cursor
        wanted = MoveFilter(**which, since=span[0], until=span[1])
        with contextlib.closing(
            open_store(self._source.database, read_only=True, find_older=LookingBack())
        ) as store:
            page = store.reader().moves(asked.game_id, wanted, _ALL, asked.limit, asked.cursor)
        if page is None:
            raise ToolError(f"no game {asked.game_id!r}")
        return page.items, page.next_cursor

    def _client(self) -> SyncClient:
        assert self._source.url is not None
        return SyncClient(self._source.url, self._source.key)


def plain_error(error: Exception) -> str | None:
    """Return what to say of an error that a tool raised; None if it is a bug."""
    match error:
        case ToolError() | StoreError():
            return str(error)
        case BadCursorError():
            return "this cursor is not one of an earlier answer"
        case click.ClickException():
            return _OPTION.sub(_argument, error.format_message())
        case errors.NotFoundError():
            return "there is no such game, or this service does not have it"
        case errors.RateLimitedError():
            return f"{error.message.rstrip('.')}; try again at {format_ms(error.retry_at_ms)}"
        case errors.ServiceError():
            return error.message
        case click.exceptions.Exit() | click.Abort():
            return "these arguments ask for no answer"
    return None


def _argument(option: re.Match[str]) -> str:
    """Return how the tool calls what a command's message calls an option."""
    name = option[1]
    return _ARGUMENTS.get(name, name.replace("-", "_"))


def _read_options(
    command: click.Command, words: Sequence[str], given: Mapping[str, object]
) -> dict[str, Any]:
    """Return a command's options as it reads and checks them; nothing is run.

    Raises:
        click.ClickException: an option is refused.
    """
    named = [f"{name}={value}" for name, value in given.items() if value is not None]
    context = command.make_context(command.name, [*words, *named])
    return {name: value for name, value in context.params.items() if name != "as_json"}


def _fair_game(
    sport: str,
    rates: tuple[float, float] | None,
    rho: float | None,
    method: str | None,
    **given: Any,
) -> Any:
    return fair.fair_game(sport, rates, rho, method, given)


def _moment(text: str, now_ms: int) -> int:
    try:
        return read_moment(text, now_ms)
    except FigureError as error:
        raise ToolError(str(error)) from error


def _past_moment(text: str, now_ms: int) -> int:
    at_ms = _moment(text, now_ms)
    if at_ms > now_ms:
        raise ToolError(f"at: expected a moment that is not to come, got {format_ms(at_ms)}")
    return at_ms


def _cut(rows: list[T], limit: int) -> tuple[list[T], str]:
    """Return the first rows, and a sentence if there are more."""
    if len(rows) <= limit:
        return rows, ""
    return rows[:limit], f"the first {limit} of {len(rows)}; raise limit, or narrow the question"


def _games_of(rows: Iterable[OddsRow]) -> Iterator[answers.GameRow]:
    """Yield the games of odds rows by kick-off, those without one last."""
    by_game: dict[str, list[OddsRow]] = {}
    moment = Moment(list(rows), "", [], [])
    ids = {(entry.competition, entry.match_name): entry for entry in moment.games_by_id().values()}
    for row in moment.rows:
        by_game.setdefault(ids[row.competition, row.match_name].game_id, []).append(row)
    found = [
        answers.GameRow(
            game_id=entry.game_id,
            match_name=entry.match_name,
            competition=entry.competition,
            sport=entry.sport,
            match_date=next((row.match_date for row in of_game if row.match_date), None),
            is_live=any(row.is_live for row in of_game),
            bookmaker_count=len({row.bookmaker for row in of_game}),
            last_scraped_at=max(row.scraped_at for row in of_game),
        )
        for entry in ids.values()
        for of_game in [by_game[entry.game_id]]
    ]
    yield from sorted(found, key=lambda game: (game.match_date or "~", game.match_name))


def _is_wanted(game: answers.GameRow, asked: arguments.GamesArguments) -> bool:
    def is_in(part: str | None, text: str) -> bool:
        return part is None or part.casefold() in text.casefold()

    return (
        (asked.sport is None or asked.sport.casefold() == game.sport.casefold())
        and (asked.competition is None or asked.competition == game.competition)
        and is_in(asked.team, game.match_name)
    )


def _notes_of(moment: Moment) -> list[str]:
    """Return what makes a moment's prices unreliable, in words."""
    said = [not_offered(simulated=moment.simulated, shifted=moment.shifted)]
    if moment.unread:
        said.append(f"{unread_text(moment.unread)}; the list may be incomplete")
    return [line for line in said if line]


def _about(held: _Held) -> dict[str, Any]:
    """Return the fields of ``answers.Priced``."""
    return {
        "read_at": format_ms(held.read_at),
        "notes": _notes_of(held.moment),
        "sources": held.moment.sources,
        "simulated": held.moment.simulated,
        "shifted": held.moment.shifted,
        "reference": held.board.reference_name,
    }


def _matrix(held: _Held, asked: arguments.MatrixArguments) -> answers.MatrixAnswer:
    matrix = _game(held, asked.game_id)
    lines = [
        _line(section, row)
        for section in matrix.sections
        if asked.market_type in (None, section.key.market_type)
        and asked.period in (None, section.key.period)
        for row in section.rows
    ]
    shown, cut = _cut([each for each in lines if each.prices], asked.limit)
    return answers.MatrixAnswer(
        game_id=matrix.game_id,
        match_name=matrix.match_name,
        competition=matrix.competition,
        sport=matrix.sport,
        match_date=None if matrix.kick_off is None else format_ms(matrix.kick_off),
        is_live=matrix.is_live,
        bookmakers=list(matrix.bookmakers),
        selections=shown,
        cut=cut,
        **_about(held),
    )


def _game(held: _Held, game_id: str) -> Matrix:
    matrix = held.board.matrix(game_id)
    if matrix is None:
        raise ToolError(f"no current prices of game {game_id!r}; the tool games lists those with")
    return matrix


def _line(section: Section, row: SelectionRow) -> answers.MatrixLine:
    reference = row.reference
    derived = section.derived
    return answers.MatrixLine(
        market_type=section.key.market_type,
        period=section.key.period,
        period_label=section.period_label,
        line=section.line_title,
        selection=row.selection,
        reference_odds=reference.odds if reference is not None and reference.is_offered else None,
        fair_odds=row.fair,
        derived=None if derived is None else derived.kind,
        value_from=row.value_from,
        suspicious_above=row.suspicious_above,
        best_net_odds=row.best_of_all.net,
        best_bookmakers=list(row.best_of_all.bookmakers),
        prices=[
            answers.Cell(name, price.odds, format_ms(price.scraped_at), price.is_live)
            for name, price in row.prices.items()
            if price.is_offered
        ],
    )


def _explained(held: _Held, asked: arguments.PriceArguments) -> explaining.Explanation:
    key = RowKey(asked.game_id, asked.market_type, asked.period, asked.selection, asked.bookmaker)
    said = explaining.explain(held.board, key, held.read_at)
    if said is None:
        matrix = _game(held, asked.game_id)
        raise ToolError(_what_is_there(matrix, asked))
    return said


def _what_is_there(matrix: Matrix, asked: arguments.PriceArguments) -> str:
    """Return why a price is not found: the first of its parts that is not there."""
    sections = [each for each in matrix.sections if each.key.market_type == asked.market_type]
    rows = [row for each in sections if each.key.period == asked.period for row in each.rows]
    if not rows:
        known = sorted({f"{each.key.market_type} {each.key.period}" for each in matrix.sections})
        return f"no such market and period; there are {', '.join(known)}"
    found = [row for row in rows if row.selection == asked.selection]
    if not found:
        known = [row.selection for row in rows[: arguments.MOST_ROWS]]
        return f"no selection {asked.selection!r}; there are {', '.join(known)}"
    return f"no price there of {asked.bookmaker!r}; there are {', '.join(found[0].prices)}"


def _price_fields(said: explaining.Explanation, held: _Held) -> dict[str, Any]:
    """Return the fields of ``answers.PriceAnswer``."""
    found = said.assessment
    checks = [] if said.no_fair_odds is not None else verdict_words.told_checks(found)
    return _about(held) | {
        "reference": said.reference,
        "game_id": said.key.game_id,
        "match_name": said.match_name,
        "market_type": said.key.market_type,
        "period": said.key.period,
        "selection": said.selection,
        "bookmaker": said.bookmaker,
        "odds": said.odds,
        "net_odds": round(found.net_odds, 4),
        "fair_odds": _rounded(found.fair_odds, 4),
        "ev_pct": _rounded(found.ev_pct, 2),
        "per": found.per,
        "derived": found.derived,
        "band_pct": _rounded(found.band_pct, 2),
        "service_ev_pct": _rounded(service_ev_pct_of(found, held.board.basis), 2),
        "scraped_at": None if said.scraped_at is None else format_ms(said.scraped_at),
        "is_value": found.is_value and said.is_mine,
        "cautions": [caution.value for caution in found.cautions],
        "rules": [
            answers.RuleRow(
                rule=check.rule.value,
                title=verdict_words.rule_title(check),
                holds=check.holds,
                figure=check.figure,
                least=check.least,
                most=check.most,
                text=_check_text(check),
            )
            for check in checks
        ],
    }


def _check_text(check: Any) -> str:
    texts = verdict_words.figure_text(check), verdict_words.margin_text(check)
    return ", ".join(text for text in texts if text)


def _reasons(said: explaining.Explanation) -> Iterator[str]:
    """Yield why a price is not value."""
    found = said.assessment
    if said.no_fair_odds is not None:
        yield verdict_words.unvalued_text(said)
    for caution in verdict_words.told_cautions(found):
        yield verdict_words.caution_text(caution, said.reference)
    if said.no_fair_odds is None:
        for check in found.stopped_by:
            text = _check_text(check)
            yield f"{verdict_words.rule_title(check)}{': ' if text else ''}{text}"
    if said.is_reference:
        yield "It is the sharp book's own price, which others are judged by"
    elif not said.is_mine:
        yield verdict_words.NOT_MINE


def _rounded(figure: float | None, digits: int) -> float | None:
    return None if figure is None else round(figure, digits)


def with_notes(answer: msgspec.Struct, printed: Sequence[str]) -> dict[str, Any]:
    """Return an answer as JSON, with what its work printed for people among the notes."""
    found: dict[str, Any] = msgspec.to_builtins(answer)
    notes = found.setdefault("notes", [])
    notes += [line for line in printed if line not in notes]
    return found
